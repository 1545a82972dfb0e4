#include "rw/opt/html_report.h"

#include "rw/opt/html_text.h"
#include "rw/opt/svg_drawing.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw::opt {
namespace {

/// Colours by role, so that light and dark differ in this block alone.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2024; --soft: #5c6670; --line: #d5dae0; --panel: #f5f7f9;
  --box: #ffffff; --edge: #7a8590; --hot: #fff1d6; --hotline: #c77700; --good: #1a7f37; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --text: #e6e9ec; --soft: #9aa4ae; --line: #353c44; --panel: #1c2126;
  --box: #20262c; --edge: #8b96a1; --hot: #4a3608; --hotline: #f0b343; --good: #57c273; --bad: #ff8a7a; } }
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1.5rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin: .8rem 0 .3rem; }
p.soft, .soft { color: var(--soft); } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; display: block; overflow-x: auto; } th, td { border-bottom: 1px solid var(--line); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } .less { color: var(--good); } .more { color: var(--bad); }
.sum { display: flex; gap: 2rem; flex-wrap: wrap; } .sum b { display: block; font-size: 1.6rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .3rem .8rem; background: var(--panel); }
summary { cursor: pointer; overflow-wrap: anywhere; } .pair { display: flex; gap: 1rem; flex-wrap: wrap; align-items: flex-start; }
figure { margin: 0; overflow-x: auto; max-width: 100%; } figcaption { color: var(--soft); font-size: 13px; }
svg { display: block; } svg text { font: 12px ui-monospace, monospace; fill: var(--text); text-anchor: middle; } svg text.o { font-weight: 600; }
svg rect { fill: var(--box); stroke: var(--line); } svg .t rect { fill: var(--hot); stroke: var(--hotline); }
svg .b rect { fill: none; stroke-dasharray: 4 3; stroke: var(--edge); } svg .e { fill: none; stroke: var(--edge); } svg .h { fill: var(--edge); stroke: none; }
)";

class Page {
public:
  explicit Page(const ReportContents &contents) : c_(contents) {}

  std::string text() {
    out_ = "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
           "charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n";
    put("<title>rw-opt: {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n", html(c_.input), kStyle);
    put("<h1>{}</h1>\n<p class=\"soft\">Pipeline <code>{}</code></p>\n", html(c_.input), html(c_.pipeline));
    summary();
    ops();
    patterns();
    passes();
    rewrites();
    nearMisses();
    out_ += "</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

private:
  template <class... Args> void put(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  /// "layout.rw:21", empty if it is not known.
  static std::string place(const std::string &file, unsigned line) {
    return file.empty() ? std::string() : fmt::format("{}:{}", file, line);
  }
  static std::string_view direction(size_t before, size_t after) {
    return after < before ? " less" : after > before ? " more" : "";
  }

  void summary() {
    uint64_t rewrites = 0, folds = 0, erased = 0;
    for (const PassRecord &r : c_.result.records)
      if (!r.failed)
        rewrites += r.rewrites, folds += r.folds, erased += r.erased;
    size_t before = c_.before.total, after = c_.after.total;
    put("<div class=\"sum\" id=\"summary\"><div><b>{}</b>ops before</div><div><b class=\"{}\">{}</b>ops "
        "after</div><div><b>{}</b>rewrites</div>"
        "<div><b>{}</b>folds</div><div><b>{}</b>dead ops removed</div></div>\n",
        before, direction(before, after), after, rewrites, folds, erased);
    for (const PassWarning &warning : c_.result.warnings)
      put("<p>{}</p>\n", html(warning.message));
    for (const std::string &remark : c_.result.remarks)
      put("<p>{}</p>\n", html(remark));
    if (c_.checked)
      for (const CheckedFunction &function : c_.checked->functions)
        put("<p class=\"check\">{}</p>\n", html(describeCheck(function)));
  }

  void ops() {
    std::map<std::string, std::pair<size_t, size_t>> rows;
    for (const auto &[name, count] : c_.before.kinds)
      rows[name].first = count;
    for (const auto &[name, count] : c_.after.kinds)
      rows[name].second = count;
    out_ +=
        "<h2>Ops</h2>\n<table id=\"ops\">\n<tr><th>op</th><th class=\"n\">before</th><th class=\"n\">after</th></tr>\n";
    for (const auto &[name, counts] : rows)
      put("<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n{}\">{}</td></tr>\n", html(name),
          counts.first, direction(counts.first, counts.second), counts.second);
    out_ += "</table>\n<p>Constants are listed, and not in the numbers of ops above and below.</p>\n";
  }

  void patterns() {
    out_ += "<h2>Patterns</h2>\n";
    std::vector<const PassRecord::PatternUse *> used;
    for (const PassRecord::PatternUse &use : c_.result.patterns)
      if (use.counters.applied)
        used.push_back(&use);
    std::ranges::stable_sort(used, std::greater(), [](const auto *use) { return use->counters.applied; });
    if (used.empty()) {
      out_ += "<p id=\"patterns\">No pattern applied.</p>\n";
      return;
    }
    out_ +=
        "<table id=\"patterns\">\n<tr><th>pattern</th><th class=\"n\">applied</th><th class=\"n\">tried</th></tr>\n";
    for (const PassRecord::PatternUse *use : used)
      put("<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", html(use->name),
          use->counters.applied, use->counters.tried);
    out_ += "</table>\n";
  }

  void passes() {
    out_ += "<h2>Passes</h2>\n<details><summary>In the order they ran</summary>\n<table "
            "id=\"passes\">\n<tr><th>pass</th><th>function</th>"
            "<th class=\"n\">rewrites</th><th class=\"n\">folds</th><th class=\"n\">erased</th><th class=\"n\">ops "
            "before</th>"
            "<th class=\"n\">ops after</th><th></th></tr>\n";
    for (const PassRecord &r : c_.result.records)
      put("<tr><td><code>{}</code></td><td><code>@{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}{}{}</td></tr>\n",
          html(r.pass), html(r.function), r.rewrites, r.folds, r.erased, r.opsBefore, r.opsAfter,
          r.runs > 1 ? fmt::format("in {} runs ", r.runs) : "", r.failed ? "failed, undone: " : "", html(r.message));
    out_ += "</table>\n</details>\n";
  }

  /// By pattern, in the order in which they first applied; folds at the end.
  void rewrites() {
    std::vector<std::string> order;
    std::map<std::string, std::vector<size_t>> numbers;
    const std::vector<RecordedRewrite> &list = c_.recorder.rewrites();
    for (size_t i = 0; i < list.size(); ++i) {
      auto [it, isNew] = numbers.try_emplace(list[i].pattern);
      if (isNew && !list[i].pattern.empty())
        order.push_back(list[i].pattern);
      it->second.push_back(i);
    }
    put("<h2>Rewrites</h2>\n<p class=\"soft\">Drawn are the first {} of each pattern and at most {} in all; listed are "
        "at most {}{}. What a rewrite "
        "touched stands out; around it are the ops right next to it, at most {} ops in a drawing.</p>\n",
        RewriteRecorder::kDrawnPerPattern, RewriteRecorder::kDrawn, RewriteRecorder::kListed,
        c_.recorder.notListed() ? fmt::format(", {} more are not", c_.recorder.notListed()) : "", kMostNodes);
    if (numbers.count(""))
      order.push_back("");
    for (const std::string &pattern : order)
      group(pattern, numbers[pattern]);
  }

  void group(const std::string &pattern, const std::vector<size_t> &numbers) {
    const std::vector<RecordedRewrite> &list = c_.recorder.rewrites();
    const RecordedRewrite &first = list[numbers.front()];
    if (pattern.empty())
      put("<details class=\"rewrites\"><summary>Ops evaluated, and shapes that are known: {}</summary>\n",
          numbers.size());
    else
      put("<details class=\"rewrites\"><summary><code>{}</code> × {} <span class=\"soft\">{}</span></summary>\n",
          html(pattern), numbers.size(), html(place(first.file, first.line)));
    for (size_t i : numbers)
      if (list[i].drawn)
        drawing(list[i], i + 1);
    out_ += "<ol class=\"steps\">\n";
    for (size_t i : numbers)
      put("<li value=\"{}\"><code>{}</code> <span class=\"soft\">in {}</span></li>\n", i + 1, html(list[i].root),
          html(list[i].pass));
    out_ += "</ol>\n</details>\n";
  }

  void drawing(const RecordedRewrite &rewrite, size_t number) {
    put("<h3>{}: <code>{}</code> <span class=\"soft\">in {} of @{}</span></h3>\n<div class=\"pair\">\n", number,
        html(rewrite.root), html(rewrite.pass), html(rewrite.function));
    figure(rewrite.before, "before", number);
    figure(rewrite.after, "after", number);
    out_ += "</div>\n";
  }

  void figure(const GraphPiece &piece, const char *when, size_t number) {
    put("<figure><figcaption>{}{}</figcaption>{}</figure>\n", when,
        piece.leftOut ? fmt::format(" ({} ops next to these are not drawn)", piece.leftOut) : "",
        piece.nodes.empty() ? "<p class=\"soft\">nothing is left</p>"
                            : drawSvg(piece, fmt::format("Rewrite {}: the graph {}", number, when)));
  }

  void nearMisses() {
    put("<h2>Near misses</h2>\n<p class=\"soft\">In the result: where the ops of a pattern stand as they must, and the "
        "first condition that fails. "
        "<code>rw-opt --why-not PATTERN</code> says more.{}</p>\n",
        c_.nearMisses.notTried ? fmt::format(" The graph is large: {} attempts were left out.", c_.nearMisses.notTried)
                               : "");
    if (c_.nearMisses.list.empty()) {
      out_ += "<p id=\"near-misses\">None.</p>\n";
      return;
    }
    out_ += "<table id=\"near-misses\">\n<tr><th>pattern</th><th>condition</th><th class=\"n\">ops</th><th>for "
            "example</th></tr>\n";
    for (const NearMiss &miss : c_.nearMisses.list)
      put("<tr><td><code>{}</code></td><td><code>{}</code> <span class=\"soft\">{}</span></td><td "
          "class=\"n\">{}</td><td><code>{}</code></td></tr>\n",
          html(miss.pattern), html(miss.condition), html(place(miss.file, miss.line)), miss.count, html(miss.example));
    out_ += "</table>\n";
  }

  const ReportContents &c_;
  std::string out_;
};

} // namespace

std::string renderReport(const ReportContents &contents) { return Page(contents).text(); }

} // namespace rw::opt
