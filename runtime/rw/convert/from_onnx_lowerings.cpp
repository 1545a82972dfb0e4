#include "rw/convert/from_onnx_lowerings.h"

#include "rw/convert/build.h"
#include "rw/passes/lowering.h"

#include <algorithm>

namespace rw {
namespace {

/// The region of that name.
RegionId regionNamed(Op op, std::string_view name) {
  std::span<const std::string_view> names = op.schema().regions;
  size_t i = size_t(std::ranges::find(names, name) - names.begin());
  return i < op.regions().size() ? op.regions()[i] : RegionId();
}

/// Types of what a region gives, from its `first` result on.
std::vector<TypeId> typesGiven(Function &fn, RegionId region, unsigned first) {
  std::vector<TypeId> out;
  Op end = fn.terminator(region);
  for (unsigned i = first; end && i < end.operandCount(); ++i)
    out.push_back(end.operand(i).typeId());
  return out;
}

std::vector<TypeId> resultTypes(Op op) {
  std::vector<TypeId> out;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    out.push_back(op.result(i).typeId());
  return out;
}

/// A bool of one element as one without dimensions.
Value asScalar(convert::Build &b, Value v) {
  if (!v || v.type().dtype != DType::Bool || !v.type().ranked)
    return b.fail("the condition is a bool whose rank is known");
  return v.type().dims.empty() ? v : b.op("stablehlo.reshape", {v}, {{"shape", b.ctx.dimsAttr({})}});
}

bool lowerOnnxIf(LoweringContext &ctx) {
  Op op = ctx.op();
  convert::Build b(ctx);
  RegionId yes = regionNamed(op, "then_branch"), no = regionNamed(op, "else_branch");
  std::vector<TypeId> types = typesGiven(*op.fn, yes, 0);
  if (types != typesGiven(*op.fn, no, 0) || types.size() != op.resultCount())
    return ctx.fail("both branches give values of the same types");
  Value condition = asScalar(b, op.operand(0));
  Op choice = b.ok() ? ctx.emit("stablehlo.if", {&condition, 1}, {}, types) : Op();
  if (!choice)
    return false;
  for (std::string_view name : choice.schema().regions) {
    ctx.openRegion(choice);
    ctx.closeRegion(ctx.rewriter().cloneBody(name == "true_branch" ? yes : no, {}));
  }
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (!ctx.bind(i, choice.result(i)))
      return false;
  return true;
}

/// The number of the round, whether to go on, and what is carried: as long as the number is less than how many rounds
/// there are at most, and the condition holds.
bool lowerOnnxLoop(LoweringContext &ctx) {
  Op op = ctx.op();
  Context &types = ctx.context();
  convert::Build b(ctx);
  RegionId body = op.regions()[0];
  std::vector<Value> carried;
  for (unsigned i = 2; i < op.operandCount(); ++i)
    carried.push_back(op.operand(i));
  std::vector<TypeId> carriedTypes, given = typesGiven(*op.fn, body, 1);
  for (Value v : carried)
    carriedTypes.push_back(v ? v.typeId() : TypeId());
  if (op.resultCount() != carried.size())
    return ctx.fail("a loop that gathers nothing of its rounds");
  if (carriedTypes != given || carriedTypes != resultTypes(op))
    return ctx.fail("what is carried has the same type in each round");
  std::span<const ValueId> params = op.fn->params(body);
  if (params.size() != carried.size() + 2)
    return ctx.fail("a body that takes the round's number, the condition and what is carried");
  TypeId number = types.tensorType(DType::I64, {}), flag = types.tensorType(DType::Bool, {});
  if (op.fn->value(params[0]).typeId() != number || op.fn->value(params[1]).typeId() != flag ||
      op.fn->value(op.fn->terminator(body).operand(0).id).typeId() != flag)
    return ctx.fail("numbers of rounds and conditions without dimensions");
  auto constant = [&](DType t, int64_t n) {
    TypeId type = types.tensorType(t, {});
    std::span<const std::byte> bytes = std::as_bytes(std::span(&n, 1)).first(dtypeBytes(t));
    return b.rw.materializeConstant("stablehlo", types.denseAttr(type, bytes), type);
  };
  Value most = op.operand(0), first = op.operand(1);
  if (most && !most.type().dims.empty())
    most = b.op("stablehlo.reshape", {most}, {{"shape", types.dimsAttr({})}});
  std::vector<Value> operands{constant(DType::I64, 0), first ? asScalar(b, first) : constant(DType::Bool, 1)};
  operands.insert(operands.end(), carried.begin(), carried.end());
  std::vector<TypeId> all{number, flag};
  all.insert(all.end(), carriedTypes.begin(), carriedTypes.end());
  Op loop = b.ok() ? ctx.emit("stablehlo.while", operands, {}, all) : Op();
  if (!loop)
    return false;
  auto open = [&] {
    ctx.openRegion(loop);
    std::vector<Value> inner;
    for (TypeId t : all)
      inner.push_back(ctx.addParam(t));
    return inner;
  };
  std::vector<Value> inner = open();
  Value goes = inner[1];
  if (most)
    goes =
        b.op("stablehlo.and",
             {goes, b.op("stablehlo.compare", {inner[0], most}, {{"comparison_direction", types.stringAttr("LT")}})});
  ctx.closeRegion({&goes, 1});
  inner = open();
  std::vector<Value> results{b.op("stablehlo.add", {inner[0], constant(DType::I64, 1)})};
  for (Value v : ctx.rewriter().cloneBody(body, inner))
    results.push_back(v);
  ctx.closeRegion(results);
  if (!b.ok() || results.size() != all.size())
    return false;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (!ctx.bind(i, loop.result(i + 2)))
      return false;
  return true;
}

} // namespace

void registerFromOnnxLowerings(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addLowering({.op = "onnx.If", .to = "stablehlo", .name = "onnx_if_to_if", .lower = lowerOnnxIf});
  registry.addLowering({.op = "onnx.Loop", .to = "stablehlo", .name = "loop_to_while", .lower = lowerOnnxLoop});
}

} // namespace rw
