#include "rw/infer/loop_types.h"

#include "rw/ir/common_type.h"

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

TypeId ofScan(Context &ctx, Op op, Op ret, unsigned i, const LocalSymbols &names) {
  int index = op.schema().attrIndex("num_scan_inputs");
  AttrId scans = index < 0 ? AttrId() : op.attrOrDefault(unsigned(index));
  if (op.schema().attrIndex("scan_output_axes") < 0 || !scans || i >= ret.operandCount() || !ret.operand(i))
    return {};
  int64_t inputs = ctx.attr(scans).i, carried = int64_t(op.operandCount()) - inputs;
  if (inputs < 1 || carried < 0)
    return {};
  TypeId each = names.without(ret.operand(i).typeId());
  if (int64_t(i) < carried) // its shape stays
    return op.operand(i) ? ctx.meet(names.without(op.operand(i).typeId()), each) : TypeId();
  Dim length;
  if (Value scanned = op.operand(unsigned(carried)); scanned && scanned.type().ranked) {
    int64_t axis = axisAt(intsOf(op, "scan_input_axes"), 0, scanned.type().dims.size());
    if (axis >= 0 && axis < int64_t(scanned.type().dims.size()))
      length = scanned.type().dims[size_t(axis)];
  }
  size_t rank = ctx.type(each).dims.size() + 1;
  int64_t axis = axisAt(intsOf(op, "scan_output_axes"), i - size_t(carried), rank);
  return gathered(ctx, each, length, axis, length.isKnown() && length.size() > 0);
}

} // namespace

TypeId loopResultType(Function &fn, Op op, unsigned i, const LocalSymbols &names) {
  if (op.schema().dialect != "onnx" || op.regions().size() != 1)
    return {};
  Op ret = fn.terminator(op.regions()[0]);
  if (!ret)
    return {};
  if (op.schema().name == "Loop")
    return ofLoop(fn.context(), op, ret, i, names);
  return op.schema().name == "Scan" ? ofScan(fn.context(), op, ret, i, names) : TypeId();
}

} // namespace rw
