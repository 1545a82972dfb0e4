#include "rw/interp/evaluate.h"

#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

constexpr unsigned kMaxDepth = 100; // of regions
constexpr uint64_t kStepsPerOp = 50;

class Evaluator {
public:
  Evaluator(Function &fn, const EvalOptions &options, EvalResult &result)
      : fn_(fn), options_(options), result_(result), values_(fn.valueCapacity()) {
    budget_.memory->limit = options.maxBytes;
    budget_.work = options.maxWork;
    budget_.seed = options.seed;
  }
  bool run(std::span<const Tensor> inputs);

private:
  bool bindParams(RegionId, std::vector<Tensor> &&);
  bool region(RegionId, std::vector<Tensor> &results, unsigned depth);
  bool operation(Op, unsigned depth);
  bool conditional(Op, unsigned depth);
  bool loop(Op, unsigned depth);
  bool iterate(Op, RegionId, std::vector<Tensor> &state, std::vector<std::vector<Tensor>> &scans, unsigned depth);
  RegionId regionNamed(Op, std::string_view name);
  void countUses(RegionId, unsigned depth, OpId top);
  bool fail(Op, std::string why);

  Function &fn_;
  const EvalOptions &options_;
  EvalResult &result_;
  EvalBudget budget_;
  std::vector<Tensor> values_; // by ValueId
  std::vector<OpId> lastUse_;  // by ValueId: the last op of the body that reads it, itself or inside
};

bool Evaluator::fail(Op op, std::string why) {
  if (!result_.ok)
    return false;
  result_.ok = false;
  result_.error = std::move(why);
  if (op) {
    result_.op = op.id;
    result_.opName = std::string(op.fullName());
  }
  return false;
}

void Evaluator::countUses(RegionId region, unsigned depth, OpId top) {
  if (depth > kMaxDepth)
    return;
  for (Op op : fn_.ops(region)) {
    OpId at = top ? top : op.id;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value v = op.operand(i))
        lastUse_[v.id.raw] = at;
    for (RegionId r : op.regions())
      countUses(r, depth + 1, at);
  }
}

bool Evaluator::bindParams(RegionId region, std::vector<Tensor> &&inputs) {
  std::span<const ValueId> params = fn_.params(region);
  if (inputs.size() < params.size())
    return fail({}, std::to_string(params.size()) + " values are needed, not " + std::to_string(inputs.size()));
  for (size_t i = 0; i < params.size(); ++i)
    values_[params[i].raw] = std::move(inputs[i]);
  return true;
}

bool Evaluator::run(std::span<const Tensor> given) {
  std::vector<Tensor> inputs(given.begin(), given.end());
  inputs.resize(std::max(inputs.size(), fn_.params(fn_.body()).size()));
  for (unsigned i = 0; i < fn_.params(fn_.body()).size(); ++i) {
    if (!inputs[i])
      if (std::optional<Tensor> t = Tensor::fromAttr(fn_.context(), fn_.paramInfo(i).defaultValue, budget_.memory))
        inputs[i] = std::move(*t);
    if (!inputs[i])
      return fail({}, "parameter " + std::to_string(i) + " has no value");
  }
  lastUse_.resize(fn_.valueCapacity());
  countUses(fn_.body(), 0, OpId());
  return bindParams(fn_.body(), std::move(inputs)) && region(fn_.body(), result_.values, 0);
}

bool Evaluator::region(RegionId id, std::vector<Tensor> &results, unsigned depth) {
  if (depth > kMaxDepth)
    return fail({}, "regions are nested too deeply");
  for (Op op : fn_.ops(id)) {
    if (op.kind() == kReturnKind) {
      results.clear();
      for (unsigned i = 0; i < op.operandCount(); ++i)
        results.push_back(op.operand(i) ? values_[op.operand(i).id.raw] : Tensor());
      return true;
    }
    if (!operation(op, depth))
      return false;
    for (unsigned i = 0; depth == 0 && i < op.operandCount(); ++i)
      if (Value v = op.operand(i); v && lastUse_[v.id.raw] == op.id)
        values_[v.id.raw] = Tensor();
  }
  return fail({}, "a region without a terminator");
}

bool Evaluator::operation(Op op, unsigned depth) {
  std::string_view name = op.fullName();
  if (budget_.work < kStepsPerOp)
    return fail(op, "the evaluation takes more steps than allowed");
  budget_.work -= kStepsPerOp;
  if (!op.regions().empty()) {
    if (name == "onnx.If")
      return conditional(op, depth);
    if (name == "onnx.Loop")
      return loop(op, depth);
    result_.unsupported = true;
    return fail(op, "ops with regions of this name are not evaluated");
  }
  Kernel kernel = (options_.kernels ? *options_.kernels : kernels()).find(name);
  if (!kernel) {
    result_.unsupported = true;
    return fail(op, "there is no kernel for it");
  }
  std::vector<Tensor> operands, results(op.resultCount());
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    operands.push_back(op.operand(i) ? values_[op.operand(i).id.raw] : Tensor());
    if (op.operand(i) && !operands.back())
      return fail(op, "operand " + std::to_string(i) + " has no value");
  }
  if (results.empty())
    results.emplace_back(); // kernels write their first result
  Call call(op, operands, results, budget_, options_.opset);
  if (!kernel(call))
    return fail(op, call.reason.empty() ? "could not be evaluated" : call.reason);
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (lastUse_[op.result(i).id.raw] || depth)
      values_[op.result(i).id.raw] = results[i];
  if (options_.observer)
    options_.observer(op, results);
  return true;
}

RegionId Evaluator::regionNamed(Op op, std::string_view name) {
  std::span<const RegionId> regions = op.regions();
  std::span<const std::string_view> declared = op.schema().regions;
  for (size_t i = 0; i < regions.size() && i < declared.size(); ++i)
    if (declared[i] == name)
      return regions[i];
  // Names that readers keep for ops nobody declared.
  const Context &ctx = op.context();
  if (AttrId list = op.extraAttr("$regions"); list && ctx.attr(list).kind == AttrKind::List)
    for (size_t i = 0; i < regions.size() && i < ctx.attr(list).elements.size(); ++i)
      if (const AttrData &a = ctx.attr(ctx.attr(list).elements[i]); a.kind == AttrKind::String && a.text == name)
        return regions[i];
  return {};
}

bool Evaluator::conditional(Op op, unsigned depth) {
  Value condition = op.operand(0);
  const Tensor &c = condition ? values_[condition.id.raw] : Tensor();
  if (!c || c.size() != 1 || c.dtype() != DType::Bool)
    return fail(op, "the condition is not one bool");
  RegionId branch = regionNamed(op, c.intAt(0) ? "then_branch" : "else_branch");
  if (!branch)
    return fail(op, "a branch is missing");
  std::vector<Tensor> results;
  if (!bindParams(branch, {}) || !region(branch, results, depth + 1))
    return fail(op, "the branch does not fit");
  if (results.size() < op.resultCount())
    return fail(op, "the branch has too few results");
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values_[op.result(i).id.raw] = results[i];
  if (options_.observer)
    options_.observer(op, results);
  return true;
}

/// Rounds of the body until the count or the condition says stop.
bool Evaluator::iterate(Op op, RegionId body, std::vector<Tensor> &state, std::vector<std::vector<Tensor>> &scans,
                        unsigned depth) {
  int64_t most = INT64_MAX;
  bool going = true;
  auto single = [&](unsigned i) { return op.operand(i) ? values_[op.operand(i).id.raw] : Tensor(); };
  if (Tensor t = single(0)) {
    if (t.size() != 1)
      return fail(op, "the trip count is not one number");
    most = t.intAt(0);
  }
  if (Tensor t = single(1)) {
    if (t.size() != 1)
      return fail(op, "the condition is not one bool");
    going = t.intAt(0) != 0;
  }
  for (int64_t round = 0; going && round < most; ++round) {
    if (budget_.work < kStepsPerOp)
      return fail(op, "the evaluation takes more steps than allowed");
    budget_.work -= kStepsPerOp;
    std::vector<Tensor> params = {Tensor::scalar(DType::I64, round), Tensor::scalar(DType::Bool, uint8_t(going))};
    params.insert(params.end(), state.begin(), state.end());
    std::vector<Tensor> results;
    if (!bindParams(body, std::move(params)) || !region(body, results, depth + 1))
      return fail(op, "the body does not fit");
    if (results.size() != 1 + state.size() + scans.size() || !results[0] || results[0].size() != 1)
      return fail(op, "the body's results do not fit");
    going = results[0].intAt(0) != 0;
    for (size_t i = 0; i < state.size(); ++i)
      state[i] = results[1 + i];
    for (size_t i = 0; i < scans.size(); ++i)
      scans[i].push_back(results[1 + state.size() + i]);
  }
  return true;
}

bool Evaluator::loop(Op op, unsigned depth) {
  RegionId body = regionNamed(op, "body");
  if (!body || op.operandCount() < 2)
    return fail(op, "body or operands are missing");
  std::vector<Tensor> state;
  for (unsigned i = 2; i < op.operandCount(); ++i)
    state.push_back(op.operand(i) ? values_[op.operand(i).id.raw] : Tensor());
  size_t bodyResults = fn_.terminator(body) ? fn_.terminator(body).operandCount() : 0;
  if (bodyResults < 1 + state.size())
    return fail(op, "the body has too few results");
  std::vector<std::vector<Tensor>> scans(bodyResults - 1 - state.size());
  if (!iterate(op, body, state, scans, depth))
    return false;
  for (size_t i = 0; i < scans.size(); ++i) {
    const std::vector<Tensor> &rounds = scans[i];
    if (state.size() + i >= op.resultCount())
      break;
    // Of no round the shape is what the body's type says, if it does.
    Shape shape;
    DType dtype = DType::F32;
    if (!rounds.empty()) {
      shape = rounds[0].shape();
      dtype = rounds[0].dtype();
    } else if (Value v = fn_.terminator(body).operand(unsigned(1 + state.size() + i))) {
      dtype = v.type().dtype;
      for (Dim d : v.type().dims)
        shape.push_back(d.isKnown() ? d.size() : 0);
    }
    shape.insert(shape.begin(), int64_t(rounds.size()));
    std::optional<Tensor> all = Tensor::make(dtype, shape, budget_.memory);
    if (!all)
      return fail(op, "a scan output does not fit the memory allowed");
    for (size_t r = 0; r < rounds.size(); ++r) {
      if (rounds[r].shape() != rounds[0].shape() || rounds[r].dtype() != dtype || all->isString())
        return fail(op, "a scan output changes its shape");
      std::copy_n(rounds[r].data<std::byte>(), rounds[r].byteSize(),
                  all->mutableData<std::byte>() + r * rounds[r].byteSize());
    }
    state.push_back(std::move(*all));
  }
  if (state.size() < op.resultCount())
    return fail(op, "the body has too few results");
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values_[op.result(i).id.raw] = state[i];
  if (options_.observer)
    options_.observer(op, state);
  return true;
}

} // namespace

EvalResult evaluate(Function &fn, std::span<const Tensor> inputs, const EvalOptions &options) {
  EvalResult result;
  Evaluator(fn, options, result).run(inputs);
  if (!result.ok)
    result.values.clear();
  return result;
}

EvalResult evaluateOp(Op op, std::span<const Tensor> operands, const EvalOptions &options) {
  EvalResult result;
  EvalBudget budget;
  budget.memory->limit = options.maxBytes;
  budget.work = options.maxWork;
  budget.seed = options.seed;
  const KernelTable &table = options.kernels ? *options.kernels : kernels();
  Kernel kernel = op.regions().empty() ? table.find(op.fullName()) : nullptr;
  result.values.resize(std::max(1u, op.resultCount()));
  Call call(op, operands, result.values, budget, options.opset);
  if (kernel && kernel(call)) {
    result.values.resize(op.resultCount());
    return result;
  }
  result.ok = false;
  result.values.clear();
  result.op = op.id;
  result.opName = std::string(op.fullName());
  result.unsupported = !kernel;
  result.error = kernel ? call.reason : "there is no kernel for it";
  return result;
}

bool canEvaluate(std::string_view name) { return name == "onnx.If" || name == "onnx.Loop" || kernels().find(name); }

} // namespace rw
