#include "rw/interp/constant_folder.h"

#include "rw/interp/element.h"
#include "rw/ir/expr_helpers.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/meaning.h"

#include <algorithm>
#include <cmath>

namespace rw {

/// Whether every number has a whole part that `type` holds. Formats leave it open what becomes of others, and how many
/// digits a float has as text, so that folding one could differ from running it.
static bool fitsInteger(const Tensor &t, DType type) {
  int bits = isInteger4(type) ? 4 : int(dtypeBytes(type)) * 8;
  double low = isSigned(type) ? -std::ldexp(1, bits - 1) : 0, high = std::ldexp(1, isSigned(type) ? bits - 1 : bits);
  for (size_t i = 0; i < t.size(); ++i)
    if (double v = t.floatAt(i); !(std::trunc(v) >= low && std::trunc(v) < high))
      return false;
  return true;
}

/// Whether the integers that the op gives of floats are places among them, and no numbers made of them.
static bool givesPlaces(Op op) {
  static constexpr std::string_view kNames[] = {"ArgMax", "ArgMin", "MaxPool", "NonZero", "TopK", "Unique"};
  return op.schema().dialect == "onnx" && std::ranges::find(kNames, op.schema().name) != std::end(kNames);
}

/// Whether no element is NaN, whose place in an order is left open.
static bool isOrdered(const Tensor &t) {
  for (size_t i = 0; i < t.size(); ++i)
    if (std::isnan(t.floatAt(i)))
      return false;
  return true;
}

static bool isAllZero(const Tensor &t) {
  for (size_t i = 0; i < t.size(); ++i)
    if (t.floatAt(i) != 0)
      return false;
  return true;
}

/// Whether the steps of a Range of floats are exact, so that it does not matter whether an engine adds them up or
/// multiplies.
static bool isExactRange(std::span<const Tensor> operands, const Tensor &range) {
  double start = operands[0].floatAt(0), delta = operands[2].floatAt(0);
  double digits = range.dtype() == DType::F64 ? 0x1p50 : range.dtype() == DType::F32 ? 0x1p22 : 0x1p7;
  // all are multiples of a power of 2 in it
  double unit = std::min(std::abs(delta), start == 0 ? std::abs(delta) : std::abs(start));
  int exponent = 0;
  std::frexp(unit, &exponent);
  double grain = std::ldexp(1, exponent - 8);
  double most = std::max(std::abs(start), std::abs(start + delta * double(range.size())));
  return std::fmod(start, grain) == 0 && std::fmod(delta, grain) == 0 && (most + std::abs(delta)) / grain < digits;
}

/// Whether integer powers lie inside their type: formats leave it open what others become.
static bool isExactPower(std::span<const Tensor> operands, const Tensor &power) {
  if (operands[0].size() != power.size() || (operands[1].size() != power.size() && operands[1].size() != 1))
    return false;
  double most = std::ldexp(1, int(dtypeBytes(power.dtype())) * 8 - (isSigned(power.dtype()) ? 1 : 0));
  for (size_t i = 0; i < power.size(); ++i)
    if (!(std::abs(std::pow(operands[0].floatAt(i), operands[1].floatAt(operands[1].size() == 1 ? 0 : i))) < most))
      return false;
  return true;
}

bool isDefined(Op op, std::span<const Tensor> operands, const Tensor &result) {
  if (op.fullName() == "onnx.Range" && isFloat(result.dtype()))
    return isExactRange(operands, result);
  if (op.fullName() == "onnx.Pow" && isInteger(result.dtype()))
    return isExactPower(operands, result);
  if (op.fullName() == "onnx.DynamicQuantizeLinear") // engines differ in the scale of nothing but zeros
    return !isAllZero(operands[0]);
  if (op.fullName() == "onnx.TopK") // in whatever order, if not sorted
    return attrOr(op, "sorted", true);
  return true;
}

/// Whether it gives the numbers that small integers stand for. Weights stay as they are stored: they are smaller so,
/// and engines look for the op in front of what they compute in eight bits.
static bool isDequantization(Op op) { return op.schema().dialect == "onnx" && op.schema().name == "DequantizeLinear"; }

/// Up to here a result may be larger than what it is computed from; and up to there as large, where that stays for
/// others.
static constexpr size_t kFreeBytes = size_t(16) << 10, kCopiedBytes = size_t(512) << 10;

namespace {
/// What the elements of a value take in a file; 0 if that is not known.
uint64_t bytesOf(const Context &ctx, Value v) {
  std::optional<int64_t> n = v ? ctx.elementCount(v.typeId()) : 0;
  return n ? uint64_t(*n) * std::max(1u, dtypeBytes(v ? v.type().dtype : DType::Bool)) : 0;
}

/// Bytes of the operands, and of those that nothing else uses and that go with the op.
struct Given {
  uint64_t all = 0, freed = 0;
};
Given bytesGiven(Op op) {
  Given given;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    Value v = op.operand(i);
    if (!v)
      continue;
    uint64_t bytes = bytesOf(op.context(), v);
    given.all += bytes;
    bool stays = false; // or was counted already
    for (unsigned j = 0; j < i; ++j)
      stays |= op.operand(j).id == v.id;
    for (UseIterator use = v.uses().begin(); !stays && use != v.uses().end(); ++use)
      stays = (*use).owner.id != op.id;
    if (!stays)
      given.freed += bytes;
  }
  return given;
}

/// The values of the operands; false if one is no constant tensor.
bool operandsOf(Op op, const std::shared_ptr<MemoryBudget> &memory, std::vector<Tensor> &out) {
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    std::optional<Tensor> t =
        op.operand(i) ? Tensor::fromAttr(op.context(), op.operand(i).constant(), memory) : Tensor();
    if (!t)
      return false;
    out.push_back(std::move(*t));
  }
  return true;
}

/// Whether the value, and not only some engine, follows from the operands.
bool isDefinedValue(Op op, std::span<const Tensor> operands, const Tensor &value) {
  for (const Tensor &t : operands)
    if (t && isFloat(t.dtype()) &&
        (value.isString() ||
         (isInteger(value.dtype()) && !(givesPlaces(op) ? isOrdered(t) : fitsInteger(t, value.dtype())))))
      return false;
  return true;
}

/// The elements that a choice takes, and 0 in place of the others; none if there is no room.
Tensor onlyChosen(const Tensor &t, const Tensor &condition, bool wanted, const std::shared_ptr<MemoryBudget> &memory) {
  std::optional<Tensor> chosen = Tensor::make(t.dtype(), t.shape(), memory);
  if (!chosen)
    return {};
  const Bool *takes = condition.data<Bool>();
  visitAny(t.dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < t.size(); ++i)
      chosen->mutableData<T>()[i] = bool(takes[i]) == wanted ? t.data<T>()[i] : T();
    return true;
  });
  return *chosen;
}
} // namespace

bool InterpreterFolder::mayGrow(uint64_t made, uint64_t freed) const {
  if (made > freed && made - freed > std::min<uint64_t>(kCopiedBytes, maxGrowth_ - std::min(grown_, maxGrowth_)))
    return false;
  grown_ = grown_ + made - std::min(freed, grown_ + made);
  return true;
}

/// By folding what the op means, op by op, so that no more is folded than if that stood there.
bool InterpreterFolder::foldMeaning(Op op, size_t maxBytes, std::vector<AttrId> &results) const {
  results.clear();
  if (meanings_ >= kMaxMeaningsDeep)
    return false;
  std::optional<MeaningFunction> meant = meaningOf(*InputsOf(op), op.resultCount());
  if (!meant || !meant->operands.empty()) // some operand is no op of a dialect
    return false;
  Function &fn = meant->function;
  InterpreterFolder parts(opset_, UINT64_MAX, maxWork_); // the program grows by what comes out
  parts.meanings_ = meanings_ + 1;
  std::vector<OpId> order;
  for (Op part : fn.ops(fn.body()))
    order.push_back(part.id);
  Op constant; // as which results stand
  for (OpId id : order) {
    Op part = fn.op(id);
    if (part.kind() == kReturnKind || part.hasTrait(Trait::Constant)) {
      if (part.hasTrait(Trait::Constant))
        constant = part;
      continue;
    }
    std::vector<AttrId> values;
    if (!constant || !parts.fold(part, maxBytes, values))
      return false;
    OpBuilder builder(fn, part.id);
    for (unsigned i = 0; i < part.resultCount(); ++i) {
      const AttrData &value = op.context().attr(values[i]);
      Value made = builder.createConstant(constant.schema().dialect, values[i], value.dense->type);
      if (!made)
        return false;
      fn.replaceAllUses(part.result(i).id, made.id);
    }
  }
  Op end = fn.terminator(fn.body());
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    AttrId value = end.operand(i) ? end.operand(i).constant() : AttrId();
    if (!value || !op.context().compatible(op.result(i).typeId(), end.operand(i).typeId()))
      return false;
    results.push_back(value);
  }
  return true;
}

bool InterpreterFolder::fold(Op op, size_t maxBytes, std::vector<AttrId> &results) const {
  results.clear();
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (op.operand(i) && !op.operand(i).constant())
      return foldChoice(op, maxBytes, results);
  if (op.kind() == kOpaqueKind || op.kind() == kReturnKind || !op.regions().empty() || op.resultCount() == 0 ||
      op.hasTrait(Trait::Constant) || op.operandCount() == 0 || !isEffectFree(op.schema()) || isDequantization(op) ||
      !(canEvaluate(op.fullName()) || op.schema().expand))
    return false;
  Context &ctx = op.context();
  Given given = bytesGiven(op);
  maxBytes = size_t(std::min<uint64_t>(maxBytes, std::max<uint64_t>(given.all, kFreeBytes)));
  // Known to be too large: not even begun.
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (bytesOf(ctx, op.result(i)) > maxBytes)
      return false;
  if (!canEvaluate(op.fullName())) {
    uint64_t made = 0;
    bool folds = foldMeaning(op, maxBytes, results);
    for (AttrId value : results)
      made += uint64_t(ctx.elementCount(ctx.attr(value).dense->type).value_or(0)) *
              std::max(1u, dtypeBytes(ctx.type(ctx.attr(value).dense->type).dtype));
    if (!folds || made > maxBytes || !mayGrow(made, given.freed))
      results.clear();
    return !results.empty();
  }
  auto memory = std::make_shared<MemoryBudget>();
  memory->limit = std::max(maxBytes * 8, size_t(1) << 20) + (size_t(256) << 20);
  std::vector<Tensor> operands;
  if (!operandsOf(op, memory, operands))
    return false;
  EvalResult r = evaluateOp(op, operands, {.maxBytes = memory->limit, .maxWork = maxWork_, .opset = opset_});
  if (!r.ok)
    return false;
  size_t bytes = 0;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    if (!r.values[i] || r.values[i].isTuple()) // no constant holds several tensors
      return false;
    bytes += r.values[i].byteSize();
  }
  if (bytes > maxBytes || !isDefined(op, operands, r.values[0]))
    return false;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    if (!isDefinedValue(op, operands, r.values[i]))
      return false;
    if (!ctx.compatible(op.result(i).typeId(), r.values[i].type(ctx)))
      return false; // recorded types that the values contradict stay as they are
  }
  if (!mayGrow(bytes, given.freed))
    return false;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    results.push_back(r.values[i].toAttr(ctx));
  return true;
}

/// The value, right in those elements that the choice takes; none if it does not follow from constants.
Tensor InterpreterFolder::chosenElements(Value v, const Tensor &condition, bool wanted, unsigned depth,
                                         const std::shared_ptr<MemoryBudget> &memory) const {
  if (AttrId constant = v.constant())
    return Tensor::fromAttr(v.context(), constant, memory).value_or(Tensor());
  Op op = v.definingOp();
  if (!op || depth == 0 || op.kind() == kOpaqueKind || op.resultCount() != 1 || !op.hasTrait(Trait::Elementwise) ||
      !isEffectFree(op.schema()) || !canEvaluate(op.fullName()))
    return {};
  std::vector<Tensor> operands;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    operands.emplace_back();
    if (!op.operand(i))
      continue;
    Tensor t = chosenElements(op.operand(i), condition, wanted, depth - 1, memory);
    if (!t || t.isTuple() || t.isString())
      return {};
    const bool isWhole = t.shape() == condition.shape();
    if (!isWhole && (!op.operand(i).constant() || t.size() != 1))
      return {};
    operands.back() = isWhole ? onlyChosen(t, condition, wanted, memory) : t;
    if (!operands.back())
      return {};
  }
  EvalResult r = evaluateOp(op, operands, {.maxBytes = memory->limit, .maxWork = maxWork_, .opset = opset_});
  if (!r.ok || r.values[0].shape() != condition.shape() || !isDefined(op, operands, r.values[0]) ||
      !isDefinedValue(op, operands, r.values[0]))
    return {};
  return r.values[0];
}

bool InterpreterFolder::foldChoice(Op op, size_t maxBytes, std::vector<AttrId> &results) const {
  results.clear();
  if (op.kind() == kOpaqueKind || op.schema().dialect != "onnx" || op.schema().name != "Where" ||
      op.operandCount() != 3 || !op.operand(1) || !op.operand(2) || !op.operand(0).constant())
    return false;
  constexpr unsigned kDeepest = 8; // ops, one on the other
  Context &ctx = op.context();
  const Given given = bytesGiven(op);
  maxBytes = size_t(std::min<uint64_t>(maxBytes, kFreeBytes));
  if (bytesOf(ctx, op.operand(0)) > maxBytes || bytesOf(ctx, op.result()) > maxBytes)
    return false;
  auto memory = std::make_shared<MemoryBudget>();
  memory->limit = size_t(64) << 20;
  std::optional<Tensor> condition = Tensor::fromAttr(ctx, op.operand(0).constant(), memory);
  if (!condition || condition->dtype() != DType::Bool)
    return false;
  std::vector<Tensor> operands{*condition};
  for (unsigned i = 1; i < 3; ++i) {
    operands.push_back(chosenElements(op.operand(i), *condition, i == 1, kDeepest, memory));
    if (!operands.back() || operands.back().isTuple() ||
        (!op.operand(i).constant() && operands.back().shape() != condition->shape()))
      return false;
  }
  EvalResult r = evaluateOp(op, operands, {.maxBytes = memory->limit, .maxWork = maxWork_, .opset = opset_});
  if (!r.ok || !r.values[0] || r.values[0].byteSize() > maxBytes ||
      !ctx.compatible(op.result().typeId(), r.values[0].type(ctx)) || !mayGrow(r.values[0].byteSize(), given.freed))
    return false;
  results.push_back(r.values[0].toAttr(ctx));
  return true;
}

} // namespace rw
