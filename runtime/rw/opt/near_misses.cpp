#include "rw/opt/near_misses.h"

#include "rw/ir/builder.h"
#include "rw/passes/op_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace rw::opt {
namespace {

constexpr size_t kMostAttempts = 50'000;
constexpr size_t kExamples = 5;

/// Whether a condition is about which ops and numbers there are: where it fails nothing of the kind was meant.
bool isAboutForm(std::string_view condition) {
  return condition.find(" is made by ") != std::string_view::npos ||
         condition.find(" is a constant of ") != std::string_view::npos ||
         condition.ends_with(" of the root is there") || condition.ends_with(" of the root is left out") ||
         condition.starts_with("the root has ");
}

/// The first condition that failed and is not about the form.
class Reason : public RewriteListener {
public:
  bool wantsReasons() const override { return true; }
  void noMatch(Op, const char *condition, unsigned at) override {
    if (!text.empty() || isAboutForm(condition))
      return;
    text = condition;
    line = at;
  }
  std::string text;
  unsigned line = 0;
};

class Search {
public:
  Search(const Context &ctx, const GreedyRewriteConfig &config) : ctx_(ctx), config_(config) {}

  void items(const std::vector<PipelineItem> &list) {
    for (const PipelineItem &item : list) {
      items(item.items);
      if (const FrozenPatternSet *set = item.pass ? item.pass->patterns() : nullptr)
        for (size_t i = 0; i < set->size(); ++i)
          if (const PatternInfo &info = set->info(i); seen_.insert(std::string(info.shownName())).second)
            if ((!config_.filter || config_.filter->allows(info)) && !isTooNew(info, ctx_))
              patterns_.push_back({&set->pattern(i), &info});
    }
  }

  void function(const Function &fn) {
    OpNames names(fn);
    std::multimap<uint32_t, Tried> at;
    for (const Tried &p : patterns_)
      for (KindId kind : p.pattern->roots(ctx_.ops()))
        at.emplace(kind.raw, p);
    std::optional<Function> scratch(fn);
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      if (fn.data(OpId(i)).flags & kErased)
        continue;
      auto [first, last] = at.equal_range(fn.data(OpId(i)).kind.raw);
      for (auto it = first; it != last; ++it)
        if (attempts_ == kMostAttempts)
          ++found_.notTried;
        else if (attempt(it->second, scratch->op(OpId(i)), "@" + std::string(fn.name()) + " ", names))
          scratch.emplace(fn); // a match used it up
    }
  }

  void pattern(const NamedPattern &named) { patterns_.push_back({named.pattern.get(), &named.pattern->info()}); }

  /// Of the only pattern.
  Firing finishOne() {
    Firing out{.matches = matches_, .examples = std::move(examples_), .misses = {}, .notTried = found_.notTried};
    for (auto &[key, miss] : byCondition_)
      out.misses.push_back(std::move(miss));
    return out;
  }

  NearMisses finish() {
    for (auto &[key, miss] : byCondition_)
      found_.list.push_back(std::move(miss));
    return std::move(found_);
  }

private:
  struct Tried {
    const Pattern *pattern;
    const PatternInfo *info; // with its names
  };
  /// Whether the function was changed.
  bool attempt(const Tried &tried, Op op, std::string where, const OpNames &names) {
    ++attempts_;
    const Pattern &pattern = *tried.pattern;
    const PatternInfo &info = *tried.info;
    where += names.of(op);
    Reason reason;
    PatternRewriter rewriter(*op.fn, &reason);
    rewriter.setExplain(true);
    rewriter.begin(op);
    bool matched = pattern.matchAndRewrite(op, rewriter);
    bool forbidden = matched && !config_.allowFastMath.allows(info.fastmath);
    if (forbidden)
      reason.text = info.fastmath.flag() + ": right over the reals, not bit for bit", reason.line = info.line;
    if (matched && !forbidden && matches_++ < kExamples)
      examples_.push_back(where);
    if (reason.text.ends_with(" has no other use") && !standsWhenAlone(pattern, op))
      return std::exchange(usedUp_, false) || rewriter.changed();
    if (!reason.text.empty() && (!matched || forbidden)) {
      NearMiss &miss = byCondition_[{std::string(info.shownName()), reason.line, reason.text}];
      if (miss.count++ == 0)
        miss = {.pattern = std::string(info.shownName()),
                .file = std::string(info.file),
                .line = reason.line,
                .condition = reason.text,
                .example = std::move(where),
                .count = 1};
    }
    return matched || std::exchange(usedUp_, false) || rewriter.changed();
  }

  /// Uses are counted before anyone looks at what makes the value. Whether that is what the pattern wants shows when
  /// the op reads copies that nobody else reads: a match, or a failure further on. The function is as before, unless
  /// there was a match, which used it up.
  bool standsWhenAlone(const Pattern &pattern, Op op) {
    Function &fn = *op.fn;
    std::vector<std::pair<unsigned, ValueId>> shared;
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      Value v = op.operand(i);
      Op source = v ? v.definingOp() : Op();
      if (!source || v.hasOneUse() || !source.regions().empty())
        continue;
      std::vector<ValueId> operands;
      std::vector<TypeId> types;
      for (unsigned o = 0; o < source.operandCount(); ++o)
        operands.push_back(source.operand(o) ? source.operand(o).id : ValueId());
      for (unsigned r = 0; r < source.resultCount(); ++r)
        types.push_back(source.result(r).typeId());
      Op copy = OpBuilder(fn, op.id).createTyped(source.kind(), operands, source.attrsId(), types);
      shared.emplace_back(i, v.id);
      fn.setOperand(op.id, i, copy.result(v.resultIndex()).id);
    }
    Reason reason;
    PatternRewriter rewriter(fn, &reason);
    rewriter.setExplain(true);
    rewriter.begin(op);
    bool matched = pattern.matchAndRewrite(op, rewriter);
    usedUp_ = matched || rewriter.changed();
    for (size_t i = 0; i < shared.size() && !usedUp_; ++i) {
      Op copy = op.operand(shared[i].first).definingOp();
      fn.setOperand(op.id, shared[i].first, shared[i].second);
      fn.erase(copy.id);
    }
    return matched || (!reason.text.empty() && !reason.text.ends_with(" is constant")); // that is asked before, too
  }

  const Context &ctx_;
  const GreedyRewriteConfig &config_;
  bool usedUp_ = false; // by the last standsWhenAlone
  std::set<std::string> seen_;
  std::vector<Tried> patterns_;
  std::map<std::tuple<std::string, unsigned, std::string>, NearMiss> byCondition_;
  NearMisses found_;
  size_t attempts_ = 0, matches_ = 0;
  std::vector<std::string> examples_;
};

} // namespace

NearMisses findNearMisses(const Program &program, const std::vector<PipelineItem> &items,
                          const GreedyRewriteConfig &config) {
  Search search(program.context(), config);
  search.items(items);
  for (const Function &fn : program.functions())
    search.function(fn);
  return search.finish();
}

Firing findFiring(const Program &program, const NamedPattern &pattern) {
  GreedyRewriteConfig config;
  config.allowFastMath = FastMath::every();
  Search search(program.context(), config);
  search.pattern(pattern);
  for (const Function &fn : program.functions())
    search.function(fn);
  return search.finishOne();
}

} // namespace rw::opt
