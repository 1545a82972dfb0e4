// What stands above tests and patterns: whether they pass, and how often they match.
#include "editor/server/view.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace rw::editor {

static std::string counted(size_t n, const std::string &what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "es");
}

/// The comment that names a model, and the path in it; null if there is none.
static const Word *commentWithModel(const Analysis &a, std::string_view &path) {
  constexpr std::string_view kMark = "model:";
  for (const Word &word : a.words) {
    if (word.kind != Word::Kind::Comment)
      continue;
    std::string_view text = std::string_view(a.text.str()).substr(word.begin, word.end - word.begin);
    text.remove_prefix(std::min(text.find_first_not_of("/ "), text.size()));
    if (!text.starts_with(kMark))
      continue;
    text.remove_prefix(kMark.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
      text.remove_suffix(1);
    if (text.size() > 2 && text.front() == text.back() &&
        (text.front() == '"' || text.front() == '\'')) // as imports have it
      text = text.substr(1, text.size() - 2);
    path = text;
    if (!text.empty() && text.find('\0') == text.npos)
      return &word;
  }
  return nullptr;
}

std::string View::modelInComment() const {
  std::string_view text;
  if (!commentWithModel(*a_, text))
    return {};
  std::filesystem::path path(text);
  return path.is_relative()
             ? (std::filesystem::path(a_->files[0].path).parent_path() / path).lexically_normal().string()
             : path.string();
}

/// One line about a pattern.
static std::string titleOf(const Proofs::State &state) {
  const std::string first = state.text.substr(0, state.text.find('\n'));
  auto says = [&](std::string_view words) { return state.text.find(words) != state.text.npos; };
  return state.verdict == "proved"    ? (says("where no integer overflows") ? "proved where no integer overflows"
                                         : says("over the reals")           ? "proved over the reals"
                                                                            : "proved")
         : state.verdict == "checked" ? "not proved, no difference found"
         : state.verdict == "refuted" ? "refuted: " + first
         : state.verdict == "vacuous" ? "nothing found that it matches"
         : state.verdict == "tag"     ? "its tags say something else"
         : state.verdict == "late"    ? "not proved: " + first
                                      : std::string();
}

std::vector<Proofs::Pattern> View::provable() const {
  // What is no pattern may be used by any of them; of imports, what changes is seen by their time.
  std::string shared;
  for (const ast::DeclPtr &decl : a_->tree().decls)
    if (decl->kind != ast::DeclKind::Pattern && decl->kind != ast::DeclKind::Test &&
        decl->kind != ast::DeclKind::Expect)
      shared += std::string(a_->written(decl->range)) + '\n';
  for (const std::string &folder : importFolders_)
    shared += folder + '\n';
  for (size_t i = 0; i < a_->files.size(); ++i) {
    std::error_code error;
    shared += a_->files[i].path + '\n';
    if (const auto time = std::filesystem::last_write_time(a_->files[i].path, error); i && !error)
      shared += std::to_string(time.time_since_epoch().count()) + '\n';
  }
  const std::hash<std::string> hash;
  std::vector<Proofs::Pattern> out;
  for (const ast::DeclPtr &decl : a_->tree().decls) {
    if (decl->kind != ast::DeclKind::Pattern || !decl->name.range)
      continue;
    const std::string own(a_->written(decl->range));
    out.push_back({a_->sources.lineColumn(decl->name.range.begin).line,
                   std::to_string(hash(shared)) + ' ' + std::to_string(hash(own)) + ' ' + std::to_string(own.size())});
  }
  return out;
}

Json View::refutations(const Proofs &proofs) const {
  Json out = Json::array();
  std::map<unsigned, const Proofs::State *> known; // by line
  std::set<unsigned> expected;                     // lines of patterns of which an `expect` says something
  for (const Proofs::Pattern &pattern : provable())
    if (const Proofs::State *state = proofs.known(pattern.key))
      known[pattern.line] = state;
  for (size_t i = 0; a_->module && i < a_->module->expectations.size(); ++i) {
    const sema::Expectation &expectation = a_->module->expectations[i];
    for (const sema::Expectation::Of &of : expectation.patterns) {
      const sema::Pattern &pattern = a_->module->pattern(of.pattern);
      const unsigned line = a_->sources.lineColumn(pattern.nameRange.begin).line;
      const auto state = known.find(line);
      // Of a template the worst of its patterns is known, which need not be this one.
      if (state == known.end() || std::ranges::count(a_->module->patterns, pattern.nameRange.begin,
                                                     [](const sema::Pattern &p) { return p.nameRange.begin; }) != 1)
        continue;
      expected.insert(line);
      const std::string &verdict = state->second->verdict;
      if (std::ranges::find(sema::kVerdicts, verdict) != std::end(sema::kVerdicts) && verdict != expectation.verdict)
        out.push_back({{"range", range(of.range)},
                       {"severity", 1},
                       {"code", "unexpected-verdict"},
                       {"source", "rw"},
                       {"message", "`" + pattern.name + "` is " + verdict + ", and expected to be " +
                                       expectation.verdict + "\n" + state->second->text}});
    }
  }
  for (const Proofs::Pattern &pattern : provable()) {
    const Proofs::State *state = proofs.known(pattern.key);
    if (!state || state->verdict != "refuted" || expected.contains(pattern.line))
      continue;
    for (const ast::DeclPtr &decl : a_->tree().decls)
      if (decl->kind == ast::DeclKind::Pattern && decl->name.range &&
          a_->sources.lineColumn(decl->name.range.begin).line == pattern.line)
        out.push_back({{"range", range(decl->name.range)},
                       {"severity", 2},
                       {"code", "refuted"},
                       {"source", "rw"},
                       {"message", "this pattern changes what a program computes: " + state->text +
                                       (state->counterexample.empty() ? "" : "\n" + state->counterexample)}});
  }
  return out;
}

Json View::lenses(const Trial::Outcome *outcome, const std::string &model, const Proofs *proofs) const {
  Json out = Json::array();
  std::map<unsigned, std::string> proved; // by line
  if (proofs)
    for (const Proofs::Pattern &pattern : provable())
      if (const Proofs::State *state = proofs->known(pattern.key))
        proved[pattern.line] = titleOf(*state);
  const std::string uri = uriOfPath(a_->files[0].path);
  auto add = [&](const ast::Decl &decl, const std::string &title, const char *command, Json arguments) {
    out.push_back({{"range", range(decl.name.range ? decl.name.range : decl.range)},
                   {"command", {{"title", title}, {"command", command}, {"arguments", std::move(arguments)}}}});
  };
  for (const ast::DeclPtr &decl : a_->tree().decls) {
    const unsigned line = a_->sources.lineColumn(decl->range.begin).line;
    const unsigned nameLine = decl->name.range ? a_->sources.lineColumn(decl->name.range.begin).line : line;
    if (decl->kind == ast::DeclKind::Test) {
      const auto at = outcome ? std::ranges::find_if(
                                    outcome->tests,
                                    [&](const Trial::Test &test) { return test.line == line || test.line == nameLine; })
                              : std::vector<Trial::Test>::const_iterator();
      const Trial::Test *known = outcome && at != outcome->tests.end() ? &*at : nullptr;
      add(*decl, !known ? "run test" : known->why.empty() ? "passes" : "fails", "rw.runTests", {uri, line});
    }
    if (decl->kind == ast::DeclKind::Pattern && !proved[nameLine].empty())
      add(*decl, proved[nameLine], "rw.showProof", {uri, nameLine});
    if (decl->kind == ast::DeclKind::Pattern && outcome && !model.empty()) {
      size_t matches = 0, misses = 0;
      bool found = false;
      const opt::NearMiss *most = nullptr;
      for (const Trial::Pattern &pattern : outcome->patterns) { // instances of a template stand in one place
        if (pattern.line != line && pattern.line != nameLine)
          continue;
        found = true;
        matches += pattern.firing.matches;
        for (const opt::NearMiss &miss : pattern.firing.misses) {
          misses += miss.count;
          if (!most || miss.count > most->count)
            most = &miss;
        }
      }
      if (!found)
        continue;
      std::string title = counted(matches, "match") + " on " + std::filesystem::path(model).filename().string();
      if (most)
        title += ", " + std::to_string(misses) + " nearly: " + most->condition;
      add(*decl, title, "rw.showMatches", {uri, line});
    }
  }
  return out;
}

Json View::failures(const Trial::Outcome &outcome) const {
  Json out = Json::array();
  if (outcome.loaded && !outcome.trouble.empty()) {
    std::string_view path;
    const Word *comment = commentWithModel(*a_, path);
    const std::string &text = a_->text.str();
    out.push_back(
        {{"range", comment ? range(comment->begin, comment->end) : range(0, std::min(text.find('\n'), text.size()))},
         {"severity", 2},
         {"code", "model"},
         {"source", "rw"},
         {"message", outcome.trouble + (comment ? "" : "; the setting `model` names it")}});
  }
  for (const Trial::Test &test : outcome.tests) {
    if (test.why.empty())
      continue;
    for (const ast::DeclPtr &decl : a_->tree().decls)
      if (decl->kind == ast::DeclKind::Test &&
          (a_->sources.lineColumn(decl->range.begin).line == test.line ||
           (decl->name.range && a_->sources.lineColumn(decl->name.range.begin).line == test.line)))
        out.push_back({{"range", range(decl->name.range ? decl->name.range : decl->range)},
                       {"severity", 1},
                       {"code", "test-fails"},
                       {"source", "rw"},
                       {"message", "the test fails\n" + test.why.substr(0, test.why.find_last_not_of('\n') + 1)}});
  }
  return out;
}

} // namespace rw::editor
