#include "rw/onnx/result_copies.h"

#include "rw/ir/builder.h"
#include "rw/onnx/proto.h"

#include <unordered_map>

namespace rw {
namespace {
using namespace onnxio;

/// Whether the value is an op's result in that region, which can be called as the graph's output is.
bool isOwn(Value v, RegionId region) {
  Op op = v.definingOp();
  return op && op.region() == region && op.fullName() != kInitializer && op.fullName() != kKeptInitializer;
}

bool isSmallConstant(Value v) {
  constexpr int64_t kSmall = 2048; // of more elements an Identity says it in less room
  AttrId constant = v.constant();
  const Context &ctx = v.fn->context();
  return constant && ctx.attr(constant).kind == AttrKind::Dense && ctx.attr(constant).dense &&
         ctx.elementCount(ctx.attr(constant).dense->type).value_or(kSmall) < kSmall;
}

size_t addIn(Function &fn, RegionId region, const OpSchema &identity) {
  size_t added = 0;
  for (Op op : fn.ops(region))
    for (RegionId inner : op.regions())
      added += addIn(fn, inner, identity);
  Op end = fn.terminator(region);
  bool top = region == fn.body();
  std::span<const StringId> names = fn.resultNames();
  auto hasName = [&](unsigned i) {
    return top && i < names.size() && names[i] && fn.valueName(end.operand(i).id) == names[i];
  };
  std::unordered_map<uint32_t, unsigned> taken; // values that are a result under its name, and which
  for (bool named : {true, false})
    for (unsigned i = 0; end && i < end.operandCount(); ++i)
      if (Value v = end.operand(i); v && isOwn(v, region) && hasName(i) == named)
        taken.try_emplace(v.id.raw, i);
  Op place = end; // small constants stay last: that is where an export writes those that are results
  while (place && place.prev() && place.prev().fullName() == "onnx.Constant" && isSmallConstant(place.prev().result()))
    place = place.prev();
  for (unsigned i = 0; end && i < end.operandCount(); ++i) {
    Value v = end.operand(i);
    if (!v || (isOwn(v, region) ? taken.at(v.id.raw) == i : hasName(i)) || isSmallConstant(v))
      continue;
    OpBuilder b(fn, place.id);
    fn.setOperand(end.id, i, b.create(identity, {v}).result().id);
    ++added;
  }
  return added;
}

} // namespace

size_t addResultCopies(Program &program) {
  const OpRegistry &ops = program.context().ops();
  int version = int(program.context().dialectVersion("onnx"));
  KindId kind = version ? ops.lookup("onnx.Identity", version) : ops.lookup("onnx.Identity");
  size_t added = 0;
  for (Function &fn : program.functions())
    added += kind == kOpaqueKind ? 0 : addIn(fn, fn.body(), ops.schema(kind));
  return added;
}

} // namespace rw
