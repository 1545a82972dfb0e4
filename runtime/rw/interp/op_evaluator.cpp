#include "rw/interp/op_evaluator.h"

#include "rw/interp/evaluator.h"

#include <algorithm>

namespace rw {
namespace {
/// The regions below an op, and what they read of what stands outside of them.
class Captures {
public:
  explicit Captures(Op op) : fn_(*op.fn), inside_(op.fn->regionCapacity()) {
    for (RegionId r : op.regions())
      enter(r);
    for (RegionId r : op.regions())
      read(r);
  }
  std::vector<ValueId> found;

private:
  void enter(RegionId region) {
    inside_[region.raw] = true;
    for (Op op : fn_.ops(region))
      for (RegionId r : op.regions())
        enter(r);
  }
  void read(RegionId region) {
    for (Op op : fn_.ops(region)) {
      for (unsigned i = 0; i < op.operandCount(); ++i)
        if (Value v = op.operand(i)) {
          RegionId home = v.isParam() ? v.paramRegion() : v.definingOp().region();
          if (!inside_[home.raw] && std::ranges::find(found, v.id) == found.end())
            found.push_back(v.id);
        }
      for (RegionId r : op.regions())
        read(r);
    }
  }
  Function &fn_;
  std::vector<bool> inside_; // by RegionId
};
} // namespace

std::vector<ValueId> valuesReadBy(Op op) {
  std::vector<ValueId> out;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    out.push_back(op.operand(i).id);
  if (!op.regions().empty()) {
    Captures captures(op);
    out.insert(out.end(), captures.found.begin(), captures.found.end());
  }
  return out;
}

struct OpEvaluator::Impl {
  Impl(Function &fn, const EvalOptions &options) : evaluator(fn, options, result, budget) {
    budget.memory->limit = options.maxBytes;
    budget.work = options.maxWork;
    budget.seed = options.seed;
  }
  EvalResult result;
  EvalBudget budget;
  detail::Evaluator evaluator;
};

OpEvaluator::OpEvaluator(Function &fn, const EvalOptions &options) : impl_(new Impl(fn, options)) {}
OpEvaluator::~OpEvaluator() = default;
bool OpEvaluator::start(std::span<const Tensor> given, std::vector<Tensor> &inputs) {
  return impl_->evaluator.completeInputs(given, inputs);
}
bool OpEvaluator::run(Op op, std::span<const ValueId> reads, std::span<const Tensor> values,
                      std::vector<Tensor> &results) {
  return impl_->evaluator.single(op, reads, values, results);
}
const EvalResult &OpEvaluator::outcome() const { return impl_->result; }
size_t OpEvaluator::bytesHeld() const { return impl_->budget.memory->used; }

} // namespace rw
