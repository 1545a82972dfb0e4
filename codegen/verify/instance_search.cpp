#include "codegen/verify/instance_search.h"

#include "codegen/verify/symbolic.h"

#include "rw/ir/printer.h"

#include <algorithm>

namespace rw::verify {

PatternUnderTest::Run InstanceSearch::run(Instance &instance, Choices &choices) const {
  PatternUnderTest::Run run = pattern_.run(*instance.program);
  if (run.fired || !choices.chance(10))
    return run;
  std::unique_ptr<Program> symbolic = withSymbols(*instance.program, sizesOf(instance.function()));
  if (!symbolic)
    return run;
  PatternUnderTest::Run other = pattern_.run(*symbolic);
  if (!other.fired)
    return run;
  instance.program = std::move(symbolic);
  return other;
}

std::vector<uint32_t> InstanceSearch::mutated(const Kept &kept) {
  std::vector<uint32_t> d = kept.decisions;
  if (d.empty())
    return d;
  for (uint64_t times = 1 + (random_.next() % 4 == 0) + (random_.next() % 8 == 0); times > 0; --times) {
    const size_t at = random_.next() % d.size();
    d[at] = uint32_t(random_.next() & 0xffff);
    if (random_.next() % 3 == 0) {
      d.resize(at + 1);
      break;
    }
  }
  return d;
}

void InstanceSearch::keep(Kept k) {
  constexpr size_t kMost = 10;
  auto at = std::ranges::find_if(kept_, [&](const Kept &other) { return other.progress <= k.progress; });
  kept_.insert(at, std::move(k));
  if (kept_.size() > kMost)
    kept_.pop_back();
}

const InstanceSearch::Kept &InstanceSearch::anyFired() {
  const Kept *rarest = nullptr;
  for (int i = 0; i < 3; ++i) {
    const Kept &one = fired_[random_.next() % fired_.size()];
    if (!rarest || firedOfKind_[one.kind] < firedOfKind_[rarest->kind])
      rarest = &one;
  }
  return *rarest;
}

namespace {

/// Equal for programs that are alike: a number for the greatest rank of a parameter, and for which of the lists among
/// the attributes hold different numbers.
uint64_t kindOf(Function &fn) {
  uint64_t rank = 0, lists = 0;
  for (ValueId p : fn.params(fn.body()))
    rank = std::max<uint64_t>(rank, fn.value(p).type().dims.size());
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind || op.kind() == kOpaqueKind)
      continue;
    for (unsigned i = 0; i < op.schema().attrs.size(); ++i)
      if (AttrId id = op.attr(i); id && fn.context().attr(id).kind == AttrKind::Ints) {
        const auto &list = fn.context().attr(id).ints;
        lists = lists * 2 + (std::ranges::adjacent_find(list, std::not_equal_to()) != list.end());
      }
  }
  return lists * 16 + std::min<uint64_t>(rank, 15);
}

} // namespace

std::optional<Found> InstanceSearch::replay(const std::vector<uint32_t> &decisions, uint64_t seed) {
  Choices choices(seed, decisions);
  Result<Instance> instance = InstanceBuilder(input_, choices).build();
  if (!instance)
    return std::nullopt;
  PatternUnderTest::Run run = this->run(*instance, choices);
  if (!run.fired)
    return std::nullopt;
  return Found{std::move(*instance), std::move(run.after), std::move(run.broken), choices.drawn(), seed};
}

std::optional<Found> InstanceSearch::next(unsigned attempts) {
  for (; attempts > 0; --attempts) {
    ++attempted_;
    Kept k;
    k.seed = random_.next();
    const unsigned way = unsigned(random_.next() % 100);
    if (!fired_.empty() && way < 45) {
      const Kept &from = anyFired();
      k.decisions = mutated(from);
      k.seed = random_.next() % 2 ? from.seed : k.seed;
    } else if (!kept_.empty() && way < (fired_.empty() ? 65 : 60)) {
      // The best one mostly, and now and then another.
      const size_t at = std::min<size_t>(random_.next() % kept_.size(), random_.next() % kept_.size());
      k.decisions = mutated(kept_[at]);
      k.seed = random_.next() % 2 ? kept_[at].seed : k.seed;
    }
    Choices choices(k.seed, k.decisions);
    Result<Instance> instance = InstanceBuilder(input_, choices).build();
    k.decisions = choices.drawn();
    if (!instance) {
      refusal_ = instance.error();
      continue;
    }
    ++built_;
    PatternUnderTest::Run run = this->run(*instance, choices);
    k.decisions = choices.drawn();
    if (!run.fired) {
      k.progress = run.progress;
      if (run.progress >= furthest_) {
        furthest_ = run.progress;
        obstacle_ = run.why;
      }
      keep(std::move(k));
      continue;
    }
    std::string text = printFunction(instance->function());
    if (!seen_.insert(std::move(text)).second)
      continue;
    branches_.insert(instance->branches);
    k.kind = kindOf(instance->function());
    ++firedOfKind_[k.kind];
    if (fired_.size() < 40)
      fired_.push_back(k);
    else
      fired_[random_.next() % fired_.size()] = k;
    return Found{std::move(*instance), std::move(run.after), std::move(run.broken), std::move(k.decisions), k.seed};
  }
  return std::nullopt;
}

} // namespace rw::verify
