#include "rw/opt/why_not.h"

#include "rw/passes/op_names.h"
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw::opt {
namespace {

constexpr unsigned kMaxOps = 200; // shown when nobody says where to look

/// The conditions that fail, in the order they are looked at, without repetitions; of a match, what the pattern's names
/// stand for.
class Reasons : public BindingListener {
public:
  explicit Reasons(const OpNames &names, const Function &before) : names_(names), before_(before) {}
  void bound(const MatchedName &binding) override {
    BoundTo &to = names.emplace_back(BoundTo{std::string(binding.name), binding.kind, {}, binding.text});
    if (binding.kind == MatchedName::OfOp)
      to.text = names_.of(binding.op);
    for (Value value : binding.values) {
      const TypeId type = value && value.id.raw < before_.valueCapacity() ? before_.data(value.id).type : TypeId();
      to.values.emplace_back(value ? names_.of(value) : "", type ? before_.context().typeToString(type) : "");
    }
  }
  void noMatch(Op, const char *condition, unsigned line) override {
    std::pair<std::string, unsigned> reason(condition, line);
    if (std::find(all.begin(), all.end(), reason) == all.end())
      all.push_back(std::move(reason));
  }
  std::vector<std::pair<std::string, unsigned>> all;
  std::vector<BoundTo> names;

private:
  const OpNames &names_;
  const Function &before_;
};

class Explainer {
public:
  Explainer(const NamedPattern &named, std::string_view at, size_t limit)
      : named_(named), at_(at.starts_with('%') ? at.substr(1) : at), limit_(limit) {}

  void function(const Function &fn) {
    names_ = OpNames(fn);
    scratch_.emplace(fn);
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (!(fn.data(OpId(i)).flags & kErased))
        op(fn, OpId(i));
  }

  MatchAnswers answers;

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
      answers.values.push_back(std::move(name));
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
    if (answers.ops.size() == limit_) {
      ++answers.leftOut;
      return;
    }
    MatchAnswer &answer = answers.ops.emplace_back();
    answer.function = fn.name();
    answer.op = names_.of(op);
    if (root)
      return attempt(fn, op, answer);
    for (KindId kind : roots)
      answer.startsAt.push_back(fn.context().ops().fullName(kind));
    std::sort(answer.startsAt.begin(), answer.startsAt.end());
    answer.startsAt.erase(std::unique(answer.startsAt.begin(), answer.startsAt.end()), answer.startsAt.end());
  }

  /// Runs the pattern on a copy, which a match uses up.
  void attempt(const Function &fn, Op op, MatchAnswer &answer) {
    Reasons reasons(names_, fn);
    PatternRewriter rewriter(*scratch_, &reasons);
    rewriter.setExplain(true);
    rewriter.begin(op);
    answer.matches = named_.pattern->matchAndRewrite(op, rewriter);
    answer.bound = std::move(reasons.names);
    if (answer.matches || rewriter.changed())
      scratch_.emplace(fn);
    if (answer.matches)
      return;
    const PatternInfo &info = named_.pattern->info();
    for (auto &[condition, line] : reasons.all)
      answer.reasons.push_back({condition, info.file.empty() || !line ? std::string() : std::string(info.file), line});
  }

  const NamedPattern &named_;
  std::string at_;
  size_t limit_;
  OpNames names_;
  std::optional<Function> scratch_;
};

/// The lines about one op.
std::string textOf(const MatchAnswer &answer, std::string_view pattern) {
  std::string where = fmt::format("@{} {}: {}", answer.function, answer.op, pattern);
  if (answer.matches)
    return where + " matches\n";
  if (!answer.startsAt.empty()) {
    std::vector<std::string> kinds = answer.startsAt;
    if (kinds.size() > 8)
      kinds.resize(8), kinds.push_back("…");
    return fmt::format("{} starts at {}\n", where, fmt::join(kinds, ", "));
  }
  if (answer.reasons.empty())
    return where + " does not match and says no reason\n";
  std::string text;
  for (const MatchAnswer::Reason &reason : answer.reasons) {
    text += text.empty() ? where + " needs: " : "  or else: "; // another order of operands, a longer chain
    text += reason.condition + (reason.file.empty() ? "" : fmt::format(" at {}:{}", reason.file, reason.line)) + "\n";
  }
  return text;
}

} // namespace

MatchAnswers answersOf(const Program &program, const NamedPattern &pattern, std::string_view at, size_t limit) {
  Explainer explainer(pattern, at, limit);
  for (const Function &fn : program.functions())
    explainer.function(fn);
  return std::move(explainer.answers);
}

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
  MatchAnswers answers = answersOf(program, pattern, options.at, kMaxOps);
  for (const MatchAnswer &answer : answers.ops)
    print(textOf(answer, pattern.shown));
  if (answers.leftOut)
    print(fmt::format("… and {} more op{}; --at looks at one\n", answers.leftOut, answers.leftOut == 1 ? "" : "s"));
  if (!answers.ops.empty())
    return true;
  if (options.at.empty()) {
    print(fmt::format("the program has no op that {} starts at\n", registry.patterns.shownName(*entry)));
    return true;
  }
  std::vector<std::string_view> known(answers.values.begin(), answers.values.end());
  std::string wanted = (options.at.starts_with('%') ? "" : "%") + options.at;
  std::string_view near = nearestName(wanted, known);
  diags.errorInFile("unknown-value", "command line",
                    fmt::format("no op or value is named `{}`{}", options.at, didYouMean(near)));
  return false;
}

} // namespace rw::opt
