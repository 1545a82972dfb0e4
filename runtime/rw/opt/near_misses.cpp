#include "rw/opt/near_misses.h"

#include "rw/passes/op_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rw::opt {
namespace {

constexpr size_t kMostAttempts = 50'000;

/// Whether a condition is about which ops and numbers there are: where it fails nothing of the kind was meant.
bool isAboutForm(std::string_view condition) {
  return condition.find(" is made by ") != std::string_view::npos || condition.find(" is a constant of ") != std::string_view::npos ||
         condition.ends_with(" of the root is there");
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
          if (const PatternInfo &info = set->pattern(i).info(); seen_.insert(std::string(info.name)).second)
            if ((!config_.filter || config_.filter->allows(info)) && !isTooNew(info, ctx_))
              patterns_.push_back(&set->pattern(i));
    }
  }

  void function(const Function &fn) {
    OpNames names(fn);
    std::multimap<uint32_t, const Pattern *> at;
    for (const Pattern *p : patterns_)
      for (KindId kind : p->roots())
        at.emplace(kind.raw, p);
    std::optional<Function> scratch(fn);
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      if (fn.data(OpId(i)).flags & kErased)
        continue;
      auto [first, last] = at.equal_range(fn.data(OpId(i)).kind.raw);
      for (auto it = first; it != last; ++it)
        if (attempts_ == kMostAttempts)
          ++found_.notTried;
        else if (attempt(*it->second, scratch->op(OpId(i)), "@" + std::string(fn.name()) + " ", names))
          scratch.emplace(fn); // a match used it up
    }
  }

  NearMisses finish() {
    for (auto &[key, miss] : byCondition_)
      found_.list.push_back(std::move(miss));
    return std::move(found_);
  }

private:
  /// Whether the function was changed.
  bool attempt(const Pattern &pattern, Op op, std::string where, const OpNames &names) {
    ++attempts_;
    const PatternInfo &info = pattern.info();
    where += names.of(op);
    Reason reason;
    PatternRewriter rewriter(*op.fn, &reason);
    rewriter.setExplain(true);
    rewriter.begin(op);
    bool matched = pattern.matchAndRewrite(op, rewriter);
    bool forbidden = matched && info.fastmath && !config_.allowFastMath;
    if (forbidden)
      reason.text = "--fastmath: right over the reals, not bit for bit", reason.line = info.line;
    if (!reason.text.empty() && (!matched || forbidden)) {
      NearMiss &miss = byCondition_[{std::string(info.name), reason.line, reason.text}];
      if (miss.count++ == 0)
        miss = {.pattern = std::string(info.name), .file = std::string(info.file), .line = reason.line, .condition = reason.text,
                .example = std::move(where), .count = 1};
    }
    return matched || rewriter.changed();
  }

  const Context &ctx_;
  const GreedyRewriteConfig &config_;
  std::set<std::string> seen_;
  std::vector<const Pattern *> patterns_;
  std::map<std::tuple<std::string, unsigned, std::string>, NearMiss> byCondition_;
  NearMisses found_;
  size_t attempts_ = 0;
};

} // namespace

NearMisses findNearMisses(const Program &program, const std::vector<PipelineItem> &items, const GreedyRewriteConfig &config) {
  Search search(program.context(), config);
  search.items(items);
  for (const Function &fn : program.functions())
    search.function(fn);
  return search.finish();
}

} // namespace rw::opt
