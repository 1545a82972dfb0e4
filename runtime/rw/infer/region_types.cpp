#include "rw/infer/region_types.h"

#include "rw/ir/common_type.h"

#include <optional>
#include <vector>

namespace rw {
namespace {

std::vector<int64_t> intsOf(Op op, std::string_view name) {
  int index = op.schema().attrIndex(name);
  AttrId id = index < 0 ? AttrId() : op.attrOrDefault(unsigned(index));
  if (!id || op.context().attr(id).kind != AttrKind::Ints)
    return {};
  std::span<const int64_t> ints = op.context().attr(id).ints;
  return {ints.begin(), ints.end()};
}
int64_t axisAt(const std::vector<int64_t> &axes, size_t i, size_t rank) {
  int64_t axis = i < axes.size() ? axes[i] : 0;
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

TypeId ofLoop(Context &ctx, Op op, Op ret, unsigned i, const LocalSymbols &names) {
  size_t carried = op.operandCount() < 2 ? 0 : op.operandCount() - 2;
  if (1 + i >= ret.operandCount() || !ret.operand(1 + i))
    return {};
  TypeId each = names.without(ret.operand(1 + i).typeId());
  if (i >= carried)
    return gathered(ctx, each, Dim(), 0, false);
  return op.operand(2 + i) ? commonType(ctx, names.without(op.operand(2 + i).typeId()), each) : TypeId();
}

/// How many operands a Scan carries from round to round; nothing of old versions, which have batches.
std::optional<unsigned> scanCarries(Op op) {
  int index = op.schema().attrIndex("num_scan_inputs");
  AttrId scans = index < 0 ? AttrId() : op.attrOrDefault(unsigned(index));
  if (op.schema().attrIndex("scan_output_axes") < 0 || !scans)
    return std::nullopt;
  int64_t inputs = op.context().attr(scans).i, carried = int64_t(op.operandCount()) - inputs;
  return inputs < 1 || carried < 0 ? std::nullopt : std::optional(unsigned(carried));
}

TypeId ofScan(Context &ctx, Op op, Op ret, unsigned i, const LocalSymbols &names) {
  std::optional<unsigned> carried = scanCarries(op);
  if (!carried || i >= ret.operandCount() || !ret.operand(i))
    return {};
  TypeId each = names.without(ret.operand(i).typeId());
  if (i < *carried) // its shape stays
    return op.operand(i) ? ctx.meet(names.without(op.operand(i).typeId()), each) : TypeId();
  Dim length;
  if (Value scanned = op.operand(*carried); scanned && scanned.type().ranked) {
    int64_t axis = axisAt(intsOf(op, "scan_input_axes"), 0, scanned.type().dims.size());
    if (axis >= 0 && axis < int64_t(scanned.type().dims.size()))
      length = scanned.type().dims[size_t(axis)];
  }
  size_t rank = ctx.type(each).dims.size() + 1;
  int64_t axis = axisAt(intsOf(op, "scan_output_axes"), i - *carried, rank);
  return gathered(ctx, each, length, axis, length.isKnown() && length.size() > 0);
}

/// Of the branch that is taken: what both have in common.
TypeId ofIf(Function &fn, Op op, unsigned i) {
  TypeId common;
  for (RegionId branch : op.regions()) {
    Op ret = fn.terminator(branch);
    if (!ret || i >= ret.operandCount() || !ret.operand(i))
      return {};
    TypeId type = ret.operand(i).typeId();
    common = common ? commonType(fn.context(), common, type) : type;
  }
  return common;
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

} // namespace

TypeId regionResultType(Function &fn, Op op, unsigned i, const LocalSymbols &names) {
  if (op.schema().dialect != "onnx" || op.regions().empty())
    return {};
  if (op.schema().name == "If")
    return ofIf(fn, op, i);
  Op ret = op.regions().size() == 1 ? fn.terminator(op.regions()[0]) : Op();
  if (!ret)
    return {};
  if (op.schema().name == "Loop")
    return ofLoop(fn.context(), op, ret, i, names);
  return op.schema().name == "Scan" ? ofScan(fn.context(), op, ret, i, names) : TypeId();
}

TypeId regionParamType(Op op, unsigned i) {
  if (op.schema().dialect != "onnx" || op.schema().name != "Scan" || i >= op.operandCount() || !op.operand(i))
    return {};
  std::optional<unsigned> carried = scanCarries(op);
  if (!carried)
    return {};
  if (i < *carried)
    return op.operand(i).typeId(); // its shape stays
  const TypeData &whole = op.operand(i).type();
  return scanned(op.context(), op.operand(i).typeId(),
                 axisAt(intsOf(op, "scan_input_axes"), i - *carried, whole.ranked ? whole.dims.size() : 0));
}

Carried carriedAt(Op op, unsigned i) {
  if (op.schema().dialect != "onnx" || op.schema().name != "Loop" || i < 2 || i >= op.operandCount())
    return {};
  Op ret = op.fn->terminator(op.regions()[0]);
  return {op.operand(i), ret && i - 1 < ret.operandCount() ? ret.operand(i - 1) : Value()};
}

} // namespace rw
