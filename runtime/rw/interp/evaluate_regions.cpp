// The tensor dialect's ops that hold regions, and calls.
#include "rw/interp/evaluator.h"
#include "rw/ir/program.h"
#include "rw/rewrite/meaning.h"
#include "rw/support/failure.h"

#include <algorithm>

namespace rw::detail {

Result<Tensor> stacked(std::span<const Tensor> parts, DType ifNone, const Shape &shapeIfNone, EvalBudget &budget) {
  DType dtype = parts.empty() ? ifNone : parts[0].dtype();
  Shape each = parts.empty() ? shapeIfNone : parts[0].shape(), shape = each;
  shape.insert(shape.begin(), int64_t(parts.size()));
  std::optional<Tensor> all = Tensor::make(dtype, shape, budget.memory);
  if (!all)
    return failure("does not fit the memory allowed");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].shape() != each || parts[i].dtype() != dtype || all->isString() || parts[i].isTuple())
      return failure("changes its shape");
    std::copy_n(parts[i].data<std::byte>(), parts[i].byteSize(),
                all->mutableData<std::byte>() + i * parts[i].byteSize());
  }
  return *std::move(all);
}

std::vector<Tensor> Evaluator::operandsOf(Op op) const {
  std::vector<Tensor> out;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    out.push_back(op.operand(i) ? values_[op.operand(i).id.raw] : Tensor());
  return out;
}

void Evaluator::give(Op op, std::span<Tensor> results) {
  for (Tensor &t : results)
    t.holdTo4Bits();
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values_[op.result(i).id.raw] = results[i];
  if (options_.observer)
    options_.observer(op, results);
}

bool Evaluator::nested(Op op, unsigned index, std::vector<Tensor> inputs, std::vector<Tensor> &results, size_t count,
                       unsigned depth) {
  if (index >= op.regions().size())
    return fail(op, "a region is missing");
  if (inputs.size() != fn_.params(op.regions()[index]).size())
    return fail(op, "a region takes another number of values");
  if (!steps(op) || !bindParams(op.regions()[index], std::move(inputs)) ||
      !region(op.regions()[index], results, depth + 1))
    return false;
  if (results.size() != count)
    return fail(op,
                "a region returns " + std::to_string(results.size()) + " values instead of " + std::to_string(count));
  return true;
}

Evaluator::RegionStep Evaluator::regionStep(std::string_view name) {
  static constexpr std::pair<std::string_view, RegionStep> kSteps[] = {
      {"onnx.If", &Evaluator::conditional},
      {"onnx.Loop", &Evaluator::loop},
      {"onnx.Scan", &Evaluator::onnxScan},
      {"onnx.SequenceMap", &Evaluator::sequenceMap},
      {"tensor.cond", &Evaluator::cond},
      {"tensor.while", &Evaluator::whileLoop},
      {"tensor.scan", &Evaluator::scan},
      {"stablehlo.if", &Evaluator::cond},
      {"stablehlo.while", &Evaluator::whileLoop},
      {"stablehlo.reduce", &Evaluator::reduceElements},
      {"stablehlo.reduce_window", &Evaluator::reduceWindows},
      {"stablehlo.map", &Evaluator::mapElements},
      {"stablehlo.sort", &Evaluator::sortElements},
      {"stablehlo.scatter", &Evaluator::scatterElements},
      {"stablehlo.select_and_scatter", &Evaluator::selectAndScatter},
  };
  auto it = std::ranges::find(kSteps, name, &std::pair<std::string_view, RegionStep>::first);
  return it == std::end(kSteps) ? nullptr : it->second;
}

bool Evaluator::isCall(std::string_view name) { return name == "tensor.call" || name == "stablehlo.composite"; }

bool Evaluator::withRegions(Op op, std::string_view name, unsigned depth) {
  if (RegionStep step = regionStep(name))
    return (this->*step)(op, depth);
  result_.unsupported = true;
  return fail(op, "ops with regions of this name are not evaluated");
}

static bool isOneBool(const Tensor &t) { return t.dtype() == DType::Bool && t.size() == 1; }

bool Evaluator::cond(Op op, unsigned depth) {
  std::vector<Tensor> operands = operandsOf(op), results;
  if (operands.size() != 1 || !isOneBool(operands[0]))
    return fail(op, "the predicate is not one bool");
  if (!nested(op, operands[0].intAt(0) ? 0 : 1, {}, results, op.resultCount(), depth))
    return false;
  give(op, results);
  return true;
}

bool Evaluator::whileLoop(Op op, unsigned depth) {
  std::vector<Tensor> state = operandsOf(op), results;
  if (state.size() != op.resultCount())
    return fail(op, "operands and results differ in number");
  while (true) {
    if (!nested(op, 0, state, results, 1, depth))
      return false;
    if (!isOneBool(results[0]))
      return fail(op, "the condition is not one bool");
    if (!results[0].intAt(0))
      break;
    if (!nested(op, 1, state, results, state.size(), depth))
      return false;
    state = results;
  }
  give(op, state);
  return true;
}

std::optional<Tensor> sliceOf(const Tensor &t, int64_t i, EvalBudget &budget) {
  Shape shape(t.shape().begin() + 1, t.shape().end());
  std::optional<Tensor> out = Tensor::make(t.dtype(), shape, budget.memory);
  if (out && !out->isString())
    std::copy_n(t.data<std::byte>() + size_t(i) * out->byteSize(), out->byteSize(), out->mutableData<std::byte>());
  else if (out)
    std::copy_n(t.strings().begin() + i * int64_t(out->size()), out->size(), out->mutableStrings().begin());
  return out;
}

bool Evaluator::scan(Op op, unsigned depth) {
  std::vector<Tensor> operands = operandsOf(op);
  int64_t carried = attrOr(op, "carries", 0);
  bool backwards = attrOr(op, "reverse", false);
  if (carried < 0 || size_t(carried) > operands.size() || size_t(carried) > op.resultCount())
    return fail(op, "carries is out of range");
  std::optional<int64_t> length = attrOf<int64_t>(op, "length");
  for (size_t i = size_t(carried); i < operands.size(); ++i) {
    if (operands[i].rank() == 0 || operands[i].isTuple() || (length && operands[i].dim(0) != *length))
      return fail(op, "operand " + std::to_string(i) + " has not the number of slices asked for");
    length = operands[i].dim(0);
  }
  if (!length)
    return fail(op, "the number of rounds is not known");
  std::vector<Tensor> state(operands.begin(), operands.begin() + carried), results;
  std::vector<std::vector<Tensor>> gathered(op.resultCount() - size_t(carried));
  for (int64_t round = 0; round < *length; ++round) {
    std::vector<Tensor> inputs = state;
    for (size_t i = size_t(carried); i < operands.size(); ++i) {
      std::optional<Tensor> slice = sliceOf(operands[i], backwards ? *length - 1 - round : round, budget_);
      if (!slice)
        return fail(op, "a slice does not fit the memory allowed");
      inputs.push_back(std::move(*slice));
    }
    if (!nested(op, 0, std::move(inputs), results, op.resultCount(), depth))
      return false;
    state.assign(results.begin(), results.begin() + carried);
    for (size_t i = 0; i < gathered.size(); ++i)
      gathered[i].push_back(results[size_t(carried) + i]);
  }
  for (size_t i = 0; i < gathered.size(); ++i) {
    if (backwards)
      std::ranges::reverse(gathered[i]);
    // Of no round the shape is what the recorded type says.
    Value result = op.result(unsigned(size_t(carried) + i));
    Shape shape;
    for (Dim d : result.type().dims)
      shape.push_back(d.isKnown() ? d.size() : 0);
    if (!shape.empty())
      shape.erase(shape.begin());
    Result<Tensor> all = stacked(gathered[i], result.type().dtype, shape, budget_);
    if (!all)
      return fail(op, "result " + std::to_string(carried + int64_t(i)) + " " + all.error());
    state.push_back(std::move(*all));
  }
  give(op, state);
  return true;
}

bool Evaluator::call(Op op) {
  bool composite = op.fullName() == "stablehlo.composite";
  std::string_view callee = attrOr(op, composite ? "decomposition" : "callee", "");
  Function *fn = options_.program ? options_.program->function(callee) : nullptr;
  if (!fn) {
    result_.unsupported = true;
    return fail(op, "the function it calls is not known");
  }
  return call(op, *fn);
}

bool Evaluator::meaning(Op op) {
  if (calls_ >= kMaxMeaningsDeep)
    return fail(op,
                "meanings of ops go more than " + std::to_string(kMaxMeaningsDeep) + " deep: a recursion without end?");
  constexpr uint64_t kCost = 40 * kStepsPerOp; // of putting it in, and of an evaluator
  if (!budget_.spend(kCost))
    return fail(op, "the evaluation takes more steps than allowed");
  std::vector<Tensor> operands = operandsOf(op), inputs;
  std::vector<TypeId> types;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (op.operand(i) && !operands[i])
      return fail(op, "operand " + std::to_string(i) + " has no value");
    types.push_back(operands[i] ? operands[i].type(op.context()) : TypeId());
  }
  std::optional<MeaningFunction> meant = meaningOf(*InputsOf(op), op.resultCount(), types);
  if (!meant) {
    result_.unsupported = true;
    return fail(op, "there is no kernel for it, and what it means does not hold of these operands");
  }
  for (unsigned i : meant->operands)
    inputs.push_back(operands[i]);
  EvalOptions options = options_;
  options.observer = nullptr; // which knows the program, and not what stands for its ops
  EvalResult inner;
  if (!Evaluator(meant->function, options, inner, budget_, calls_ + 1).run(inputs)) {
    result_.unsupported = inner.unsupported;
    return fail(op, "in what it means: " + (inner.opName.empty() ? "" : inner.opName + ": ") + inner.error);
  }
  give(op, inner.values);
  return true;
}

bool Evaluator::call(Op op, Function &callee) {
  if (calls_ >= kMaxCalls)
    return fail(op,
                "functions call each other more than " + std::to_string(kMaxCalls) + " deep: a recursion without end?");
  // What an evaluator of its own takes: calls that call twice as many each are soon too many.
  uint64_t cost = 20 * kStepsPerOp + callee.valueCapacity();
  if (!budget_.spend(cost))
    return fail(op, "the evaluation takes more steps than allowed");
  EvalResult inner;
  Evaluator evaluator(callee, options_, inner, budget_, calls_ + 1);
  if (!evaluator.run(operandsOf(op))) {
    result_.unsupported = inner.unsupported;
    bool told = inner.opName == op.fullName(); // by the innermost of a chain of calls
    size_t named = 0;                          // functions around the place; the innermost three say enough
    for (size_t at = 0; (at = inner.error.find("in `", at)) != std::string::npos; ++at)
      ++named;
    told |= named >= 3;
    return fail(op, told ? inner.error
                         : "in `" + callee.name() + "`: " + (inner.opName.empty() ? "" : inner.opName + ": ") +
                               inner.error);
  }
  // ONNX: those at the end may be left out
  bool fewer = op.kind() == kOpaqueKind && op.resultCount() < inner.values.size();
  if (inner.values.size() != op.resultCount() && !fewer)
    return fail(op, "`" + callee.name() + "` returns another number of values");
  inner.values.resize(op.resultCount());
  give(op, inner.values);
  return true;
}

} // namespace rw::detail
