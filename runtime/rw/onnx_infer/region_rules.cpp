// If, Loop and Scan of ONNX: types of what they give and of what their regions are given, what belongs together, and
// the branch that an If takes.
//
// What a Loop carries may change its shape from round to round, and there may be no round at all: then a size that the
// body's type has as a symbol is 0. So of a Loop only what both its operand and its body say is said, and of what is
// gathered only numbers. If gives what its branches have in common.
#include "rw/infer/rules.h"
#include "rw/interp/tensor.h"
#include "rw/ir/common_type.h"
#include "rw/ir/expr_helpers.h"
#include "rw/onnx_infer/onnx_infer.h"

#include <optional>
#include <vector>

namespace rw {
namespace {

/// The axis at place `i` of a list, 0 where the list is shorter.
int64_t axisAt(Op op, std::string_view list, size_t i, size_t rank) {
  std::optional<std::span<const int64_t>> axes = attrOf<std::span<const int64_t>>(op, list);
  int64_t axis = axes && i < axes->size() ? (*axes)[i] : 0;
  return axis < 0 ? axis + int64_t(rank) : axis;
}

/// `each` along a new dimension. If there may be no round, symbols say nothing.
TypeId gathered(Context &ctx, TypeId each, Dim length, int64_t axis, bool always) {
  const TypeData &type = ctx.type(each);
  if (type.kind != TypeKind::Tensor || !type.ranked || axis < 0 || axis > int64_t(type.dims.size()))
    return {};
  std::vector<Dim> dims(type.dims.begin(), type.dims.end());
  for (Dim &d : dims)
    if (!d.isKnown() && !always)
      d = Dim();
  dims.insert(dims.begin() + long(axis), length);
  return ctx.tensorType(type.dtype, dims);
}

/// What ends the only region; none if there is not one.
Op endOfBody(Op op) { return op.regions().size() == 1 ? op.fn->terminator(op.regions()[0]) : Op(); }

TypeId loopResult(Op op, unsigned i, const LocalSymbols &names) {
  Context &ctx = op.context();
  Op ret = endOfBody(op);
  size_t carried = op.operandCount() < 2 ? 0 : op.operandCount() - 2;
  if (!ret || 1 + i >= ret.operandCount() || !ret.operand(1 + i))
    return {};
  TypeId each = names.without(ret.operand(1 + i).typeId());
  if (i >= carried)
    return gathered(ctx, each, Dim(), 0, false);
  return op.operand(2 + i) ? commonType(ctx, names.without(op.operand(2 + i).typeId()), each) : TypeId();
}

std::optional<RegionLayout> loopLayout(Op op) {
  if (op.operandCount() < 2 || op.regions().empty())
    return std::nullopt;
  return RegionLayout{.carried = op.operandCount() - 2, .operands = 2, .params = 2, .results = 1, .changesTypes = true};
}

/// How many operands a Scan carries from round to round; nothing of old versions, which have batches.
std::optional<unsigned> scanCarries(Op op) {
  std::optional<int64_t> inputs = attrOf<int64_t>(op, "num_scan_inputs");
  if (op.schema().attrIndex("scan_output_axes") < 0 || !inputs || *inputs < 1 || *inputs > int64_t(op.operandCount()))
    return std::nullopt;
  return op.operandCount() - unsigned(*inputs);
}

TypeId scanResult(Op op, unsigned i, const LocalSymbols &names) {
  Context &ctx = op.context();
  Op ret = endOfBody(op);
  std::optional<unsigned> carried = scanCarries(op);
  if (!ret || !carried || i >= ret.operandCount() || !ret.operand(i))
    return {};
  TypeId each = names.without(ret.operand(i).typeId());
  if (i < *carried) // its shape stays
    return op.operand(i) ? ctx.meet(names.without(op.operand(i).typeId()), each) : TypeId();
  Dim length;
  if (Value scanned = op.operand(*carried); scanned && scanned.type().ranked) {
    int64_t axis = axisAt(op, "scan_input_axes", 0, scanned.type().dims.size());
    if (axis >= 0 && axis < int64_t(scanned.type().dims.size()))
      length = scanned.type().dims[size_t(axis)];
  }
  size_t rank = ctx.type(each).dims.size() + 1;
  int64_t axis = axisAt(op, "scan_output_axes", i - *carried, rank);
  return gathered(ctx, each, length, axis, length.isKnown() && length.size() > 0);
}

/// What a Scan's body gets of an operand in each round: it without the dimension that is gone through.
TypeId scanned(Context &ctx, TypeId whole, int64_t axis) {
  const TypeData &type = ctx.type(whole);
  if (type.kind != TypeKind::Tensor || !type.ranked)
    return type.kind == TypeKind::Tensor ? ctx.unrankedType(type.dtype) : TypeId();
  if (axis < 0 || axis >= int64_t(type.dims.size()))
    return {};
  std::vector<Dim> dims(type.dims.begin(), type.dims.end());
  dims.erase(dims.begin() + long(axis));
  return ctx.tensorType(type.dtype, dims);
}

TypeId scanParam(Op op, unsigned i) {
  std::optional<unsigned> carried = scanCarries(op);
  if (!carried || i >= op.operandCount() || !op.operand(i))
    return {};
  if (i < *carried)
    return op.operand(i).typeId(); // its shape stays
  const TypeData &whole = op.operand(i).type();
  return scanned(op.context(), op.operand(i).typeId(),
                 axisAt(op, "scan_input_axes", i - *carried, whole.ranked ? whole.dims.size() : 0));
}

std::optional<RegionLayout> scanLayout(Op op) {
  std::optional<unsigned> carried = scanCarries(op);
  // Axes and directions of outputs are lists by number.
  const bool numbered = op.attrNamed("scan_output_axes") || op.attrNamed("scan_output_directions");
  if (!carried || op.regions().empty() || numbered)
    return std::nullopt;
  return RegionLayout{.carried = *carried};
}

/// Of the branch that is taken: what both have in common.
TypeId ifResult(Op op, unsigned i, const LocalSymbols &) {
  TypeId common;
  for (RegionId branch : op.regions()) {
    Op ret = op.fn->terminator(branch);
    if (!ret || i >= ret.operandCount() || !ret.operand(i))
      return {};
    TypeId type = ret.operand(i).typeId();
    common = common ? commonType(op.context(), common, type) : type;
  }
  return common;
}

std::optional<RegionLayout> ifLayout(Op) { return RegionLayout(); }

/// The branch that a constant condition takes.
std::optional<RegionId> branchTaken(Op op) {
  if (op.operandCount() != 1)
    return std::nullopt;
  AttrId constant = op.operand(0) ? op.operand(0).constant() : AttrId();
  std::optional<Tensor> condition = constant ? Tensor::fromAttr(op.context(), constant) : std::nullopt;
  if (!condition || condition->size() != 1 || condition->dtype() != DType::Bool)
    return std::nullopt;
  std::string_view wanted = condition->intAt(0) ? "then_branch" : "else_branch";
  std::span<const std::string_view> names = op.schema().regions;
  for (size_t i = 0; i < names.size() && i < op.regions().size(); ++i)
    if (names[i] == wanted)
      return op.regions()[i];
  return std::nullopt;
}

} // namespace

void registerOnnxRegions() {
  addInferenceRules("onnx.If", {.regions = {.layout = ifLayout, .resultType = ifResult, .taken = branchTaken}});
  addInferenceRules("onnx.Loop", {.regions = {.layout = loopLayout, .resultType = loopResult}});
  addInferenceRules("onnx.Scan", {.regions = {.layout = scanLayout, .resultType = scanResult, .paramType = scanParam}});
}

} // namespace rw
