#include "rw/opt/why_not.h"

#include "rw/passes/op_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw::opt {
namespace {

constexpr unsigned kMaxOps = 200; // shown when nobody says where to look

/// The conditions that fail, in the order they are looked at, without repetitions.
class Reasons : public RewriteListener {
public:
  bool wantsReasons() const override { return true; }
  void noMatch(Op, const char *condition, unsigned line) override {
    std::pair<std::string, unsigned> reason(condition, line);
    if (std::find(all.begin(), all.end(), reason) == all.end())
      all.push_back(std::move(reason));
  }
  std::vector<std::pair<std::string, unsigned>> all;
};

class Explainer {
public:
  Explainer(const NamedPattern &named, const std::string &at, const std::function<void(std::string_view)> &print)
      : named_(named), at_(at.starts_with('%') ? at.substr(1) : at), print_(print) {}

  void function(const Function &fn) {
    names_ = OpNames(fn);
    scratch_.emplace(fn);
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (!(fn.data(OpId(i)).flags & kErased))
        op(fn, OpId(i));
  }

  unsigned seen() const { return seen_; }
  unsigned leftOut() const { return leftOut_; }
  std::vector<std::string> values; // that could have been meant

private:
  bool isMeant(const Function &fn, OpId id, Op op) {
    if (at_.empty())
      return true;
    if (StringId name = fn.opName(id); name && fn.context().text(name) == at_)
      return true;
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      std::string name = names_.of(op.result(i));
      StringId own = fn.valueName(op.result(i).id);
      if (name == "%" + at_ || (own && fn.context().text(own) == at_))
        return true;
      values.push_back(std::move(name));
    }
    return false;
  }

  void op(const Function &fn, OpId id) {
    std::vector<KindId> roots = named_.pattern->roots(fn.context().ops());
    bool root = std::find(roots.begin(), roots.end(), fn.data(id).kind) != roots.end();
    if (!root && at_.empty())
      return;
    Op op = scratch_->op(id);
    if (!isMeant(fn, id, op))
      return;
    if (seen_ == kMaxOps) {
      ++leftOut_;
      return;
    }
    ++seen_;
    std::string where = fmt::format("@{} {}", fn.name(), names_.of(op));
    if (!root) {
      std::vector<std::string> kinds;
      for (KindId kind : roots)
        kinds.push_back(fn.context().ops().fullName(kind));
      std::sort(kinds.begin(), kinds.end());
      kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
      if (kinds.size() > 8)
        kinds.resize(8), kinds.push_back("…");
      print_(fmt::format("{}: {} starts at {}\n", where, named_.shown, fmt::join(kinds, ", ")));
      return;
    }
    attempt(fn, op, where);
  }

  /// Runs the pattern on a copy, which a match uses up.
  void attempt(const Function &fn, Op op, const std::string &where) {
    const PatternInfo &info = named_.pattern->info();
    Reasons reasons;
    PatternRewriter rewriter(*scratch_, &reasons);
    rewriter.setExplain(true);
    rewriter.begin(op);
    bool matched = named_.pattern->matchAndRewrite(op, rewriter);
    if (matched || rewriter.changed())
      scratch_.emplace(fn);
    if (matched)
      return print_(fmt::format("{}: {} matches\n", where, named_.shown));
    if (reasons.all.empty())
      return print_(fmt::format("{}: {} does not match and says no reason\n", where, named_.shown));
    auto place = [&](unsigned line) { return info.file.empty() || !line ? std::string() : fmt::format(" at {}:{}", info.file, line); };
    print_(fmt::format("{}: {} needs: {}{}\n", where, named_.shown, reasons.all[0].first, place(reasons.all[0].second)));
    for (size_t i = 1; i < reasons.all.size(); ++i) // another order of operands, a longer chain
      print_(fmt::format("  or else: {}{}\n", reasons.all[i].first, place(reasons.all[i].second)));
  }

  const NamedPattern &named_;
  std::string at_;
  const std::function<void(std::string_view)> &print_;
  OpNames names_;
  std::optional<Function> scratch_;
  unsigned seen_ = 0, leftOut_ = 0;
};

} // namespace

bool isKnownPattern(const Registry &registry, const Options &options, Diagnostics &diags) {
  NameError error;
  if (registry.pattern(options.whyNot, error))
    return true;
  diags.errorInFile(error.tag, "command line", error.message);
  return false;
}

bool explainNoMatch(const Program &program, const Registry &registry, const Options &options, Diagnostics &diags,
                    const std::function<void(std::string_view)> &print) {
  const PatternEntry *entry = registry.patterns.find(options.whyNot);
  if (!options.fastmath.value_or(FastMath()).allows(entry->info.fastmath))
    print(fmt::format("{} runs with {} only\n", registry.patterns.shownName(*entry), entry->info.fastmath.flag()));
  NamedPattern pattern = registry.patterns.make(*entry, registry.ops);
  Explainer explainer(pattern, options.at, print);
  for (const Function &fn : program.functions())
    explainer.function(fn);
  if (explainer.leftOut())
    print(fmt::format("… and {} more op{}; --at looks at one\n", explainer.leftOut(), explainer.leftOut() == 1 ? "" : "s"));
  if (explainer.seen())
    return true;
  if (options.at.empty()) {
    print(fmt::format("the program has no op that {} starts at\n", registry.patterns.shownName(*entry)));
    return true;
  }
  std::vector<std::string_view> known(explainer.values.begin(), explainer.values.end());
  std::string wanted = (options.at.starts_with('%') ? "" : "%") + options.at;
  std::string_view near = nearestName(wanted, known);
  diags.errorInFile("unknown-value", "command line",
                    fmt::format("no op or value is named `{}`{}", options.at,
                                near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
  return false;
}

} // namespace rw::opt
