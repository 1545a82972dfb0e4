#include "rw/interp/evaluator.h"

#include "rw/interp/op_evaluator.h"

#include "rw/ir/program.h"

#include <algorithm>

namespace rw {
namespace detail {

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

/// The first size that a symbol is seen with is what it stands for.
void Evaluator::bindSymbols(const TypeData &type, const Tensor &value) {
  for (size_t i = 0; i < type.dims.size() && i < value.rank(); ++i)
    if (std::optional<StringId> symbol = fn_.context().dims().asSymbol(type.dims[i]))
      if (std::ranges::none_of(budget_.symbols, [&](const auto &s) { return s.first == *symbol; }))
        budget_.symbols.emplace_back(*symbol, Dim(value.dim(i)));
}

bool Evaluator::completeInputs(std::span<const Tensor> given, std::vector<Tensor> &inputs) {
  inputs.assign(given.begin(), given.end());
  inputs.resize(std::max(inputs.size(), fn_.params(fn_.body()).size()));
  for (unsigned i = 0; i < fn_.params(fn_.body()).size(); ++i) {
    if (!inputs[i])
      if (std::optional<Tensor> t = Tensor::fromAttr(fn_.context(), fn_.paramInfo(i).defaultValue, budget_.memory))
        inputs[i] = std::move(*t);
    if (!inputs[i])
      return fail({}, "parameter " + std::to_string(i) + " has no value");
    bindSymbols(fn_.value(fn_.params(fn_.body())[i]).type(), inputs[i]);
  }
  return true;
}

bool Evaluator::run(std::span<const Tensor> given) {
  std::vector<Tensor> inputs;
  if (!completeInputs(given, inputs))
    return false;
  lastUse_.resize(fn_.valueCapacity());
  countUses(fn_.body(), 0, OpId());
  return bindParams(fn_.body(), std::move(inputs)) && region(fn_.body(), result_.values, 0);
}

/// Values of a region that has been run, and of those in it.
void Evaluator::forget(RegionId region) {
  for (ValueId v : fn_.params(region))
    values_[v.raw] = Tensor();
  for (Op op : fn_.ops(region)) {
    for (unsigned i = 0; i < op.resultCount(); ++i)
      values_[op.result(i).id.raw] = Tensor();
    for (RegionId r : op.regions())
      forget(r);
  }
}

bool Evaluator::single(Op op, std::span<const ValueId> reads, std::span<const Tensor> values,
                       std::vector<Tensor> &results) {
  keepsAll_ = true;
  for (size_t i = 0; i < reads.size(); ++i)
    if (reads[i])
      values_[reads[i].raw] = values[i];
  bool good = operation(op, 0);
  for (ValueId v : reads)
    if (v)
      values_[v.raw] = Tensor();
  results.clear();
  for (unsigned i = 0; i < op.resultCount(); ++i)
    results.push_back(std::move(values_[op.result(i).id.raw]));
  for (RegionId r : op.regions())
    forget(r);
  return good;
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

bool Evaluator::steps(Op op) {
  return budget_.spend(kStepsPerOp) || fail(op, "the evaluation takes more steps than allowed");
}

/// What an op stands for whose attribute `attr` only its format can read.
bool Evaluator::stored(Op op, StringId attr, unsigned depth) {
  if (!options_.stored || op.operandCount() || op.resultCount() != 1)
    return fail(op, "its attribute `" + std::string(op.context().text(attr)) +
                        "` is of a kind that the evaluator does not know");
  Result<Tensor> value = options_.stored(op);
  if (!value) {
    result_.unsupported = true;
    return fail({}, value.error());
  }
  if (depth || keepsAll_ || lastUse_[op.result().id.raw])
    values_[op.result().id.raw] = *std::move(value);
  return true;
}

bool Evaluator::operation(Op op, unsigned depth) {
  std::string_view name = op.fullName();
  if (!steps(op))
    return false;
  Kernel kernel = (options_.kernels ? *options_.kernels : kernels()).find(name);
  if (!op.regions().empty() && (!kernel || regionStep(name))) // a kernel runs none of them
    return withRegions(op, name, depth);
  if (isCall(name))
    return call(op);
  if (op.kind() == kOpaqueKind && options_.program)
    if (Function *callee = options_.program->function(name))
      return call(op, *callee);
  for (const NamedAttr &a : op.context().attrs(op.attrsId()).extra)
    if (op.kind() == kOpaqueKind && op.context().attr(a.value).kind == AttrKind::Bytes)
      return stored(op, a.name, depth);
  if (!kernel) {
    if (op.kind() != kOpaqueKind && op.schema().expand)
      return meaning(op);
    result_.unsupported = true;
    return fail(op, "there is no kernel for it");
  }
  std::vector<Tensor> operands, results(op.resultCount());
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    operands.push_back(op.operand(i) ? values_[op.operand(i).id.raw] : Tensor());
    if (op.operand(i) && !operands.back())
      return fail(op, "operand " + std::to_string(i) + " has no value");
    if (operands.back().isTuple() && !takesTuples(name))
      return fail(op, "operand " + std::to_string(i) + " is a tuple");
  }
  if (results.empty())
    results.emplace_back(); // kernels write their first result
  Call call(op, operands, results, budget_, options_.opset);
  if (!kernel(call))
    return fail(op, call.reason.empty() ? "could not be evaluated" : call.reason);
  for (Tensor &t : results)
    t.holdTo4Bits();
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (depth || keepsAll_ || lastUse_[op.result(i).id.raw])
      values_[op.result(i).id.raw] = results[i];
  if (options_.observer)
    options_.observer(op, results);
  return true;
}

} // namespace detail

EvalResult evaluate(Function &fn, std::span<const Tensor> inputs, const EvalOptions &options) {
  EvalResult result;
  EvalBudget budget;
  budget.memory->limit = options.maxBytes;
  budget.work = options.maxWork;
  budget.seed = options.seed;
  detail::Evaluator(fn, options, result, budget).run(inputs);
  result.work = options.maxWork - budget.work;
  result.exhausted = !result.ok && budget.exhausted();
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
  Kernel kernel =
      op.regions().empty() || !detail::Evaluator::regionStep(op.fullName()) ? table.find(op.fullName()) : nullptr;
  if (!kernel && op.kind() != kOpaqueKind && op.schema().expand) {
    std::vector<ValueId> reads = valuesReadBy(op);
    if (!detail::Evaluator(*op.fn, options, result, budget).single(op, reads, operands, result.values))
      result.values.clear();
    return result;
  }
  result.values.resize(std::max(1u, op.resultCount()));
  Call call(op, operands, result.values, budget, options.opset);
  if (kernel && kernel(call)) {
    result.values.resize(op.resultCount());
    for (Tensor &t : result.values)
      t.holdTo4Bits();
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

bool canEvaluate(std::string_view name) {
  return detail::Evaluator::regionStep(name) || detail::Evaluator::isCall(name) || kernels().find(name);
}

} // namespace rw
