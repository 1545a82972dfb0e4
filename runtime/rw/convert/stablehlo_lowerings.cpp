#include "rw/convert/stablehlo_lowerings.h"

#include "rw/convert/onnx_sizes.h"

#include "rw/convert/build.h"
#include "rw/convert/region_lowerings.h"
#include "rw/ir/named_calls.h"
#include "rw/passes/lowering.h"

#include <algorithm>
#include <string_view>

namespace rw {
namespace {

std::vector<Value> operandsOf(Op op) {
  std::vector<Value> out;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    out.push_back(op.operand(i));
  return out;
}

std::vector<TypeId> resultTypesOf(Op op) {
  std::vector<TypeId> out;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    out.push_back(op.result(i).typeId());
  return out;
}

bool bindAll(LoweringContext &ctx, Op by) {
  bool good = bool(by);
  for (unsigned i = 0; good && i < ctx.op().resultCount(); ++i)
    good = ctx.bind(i, by.result(i));
  return good;
}

/// The region of that name.
RegionId regionOf(Op op, std::string_view name) {
  std::span<const std::string_view> names = op.schema().regions;
  size_t i = size_t(std::ranges::find(names, name) - names.begin());
  return i < op.regions().size() ? op.regions()[i] : RegionId();
}

/// Loop(M: none, cond: the condition of the values it begins with, values...): its body computes the next values, and
/// the condition of these. So the condition is there twice.
bool lowerWhile(LoweringContext &ctx) {
  Op op = ctx.op();
  PatternRewriter &rw = ctx.rewriter();
  Context &context = ctx.context();
  RegionId cond = regionOf(op, "cond"), body = regionOf(op, "body");
  std::vector<Value> operands = operandsOf(op);
  InlineList<Value> first = rw.cloneBody(cond, operands);
  std::vector<Value> inputs{Value(), first[0]};
  inputs.insert(inputs.end(), operands.begin(), operands.end());
  Op loop = ctx.emit("Loop", inputs, {}, resultTypesOf(op));
  if (!loop)
    return false;
  ctx.openRegion(loop);
  ctx.addParam(context.tensorType(DType::I64, {}));
  ctx.addParam(context.tensorType(DType::Bool, {}));
  std::vector<Value> carried;
  for (Value v : operands)
    carried.push_back(ctx.addParam(v.typeId()));
  InlineList<Value> next = rw.cloneBody(body, carried);
  InlineList<Value> again = rw.cloneBody(cond, next);
  std::vector<Value> results{again[0]};
  results.insert(results.end(), next.begin(), next.end());
  ctx.closeRegion(results);
  return bindAll(ctx, loop);
}

bool lowerIf(LoweringContext &ctx) {
  Op op = ctx.op();
  if (op.resultCount() == 0)
    return ctx.fail("an op with branches that gives something: ONNX has no other");
  Op choice = ctx.emit("If", operandsOf(op), {}, resultTypesOf(op));
  if (!choice)
    return false;
  for (std::string_view name : choice.schema().regions) {
    RegionId from = regionOf(op, name == "then_branch" ? "true_branch" : "false_branch");
    ctx.openRegion(choice);
    ctx.closeRegion(ctx.rewriter().cloneBody(from, {}));
  }
  return bindAll(ctx, choice);
}

/// Every operand is a result again.
bool lowerToOperands(LoweringContext &ctx) {
  bool good = ctx.op().resultCount() == ctx.op().operandCount() || ctx.fail("as many results as operands");
  for (unsigned i = 0; good && i < ctx.op().resultCount(); ++i)
    good = ctx.bind(i, ctx.get(i));
  return good;
}

/// What a call says beside its operands, in the list of that name: `mhlo.attributes = {k = 5 : i64}`.
AttrId callAttribute(LoweringContext &ctx, std::string_view list, std::string_view wanted) {
  AttrId all = ctx.op().attrNamed(list);
  if (!all || ctx.context().attr(all).kind != AttrKind::List)
    return {};
  for (AttrId entry : ctx.context().attr(all).elements)
    if (const AttrData &pair = ctx.context().attr(entry);
        pair.elements.size() == 2 && ctx.context().attr(pair.elements[0]).text == wanted)
      return pair.elements[1];
  return {};
}

/// `@mhlo.erf`, `@mhlo.topk`: how exporters call ops of CHLO that a stable format has no name for.
bool lowerNamedCall(LoweringContext &ctx, std::string_view name) {
  const Op op = ctx.op();
  if (name == "topk") {
    AttrId k = callAttribute(ctx, "$mhlo.attributes", "k"), largest = callAttribute(ctx, "$mhlo.attributes", "largest");
    if (!k || ctx.context().attr(k).kind != AttrKind::Int || op.operandCount() != 1 || op.resultCount() != 2)
      return ctx.fail("a call with one operand, two results and the attribute k");
    if (!largest)
      largest = ctx.context().boolAttr(true);
    return bindAll(ctx, ctx.emit("chlo.top_k", operandsOf(op), {{"k", k}, {"largest", largest}}, resultTypesOf(op)));
  }
  return bindAll(ctx, ctx.emit("chlo." + std::string(name), operandsOf(op), {}, resultTypesOf(op)));
}

/// `@ApproxTopK(x, places, first, first place)`: nearly the k greatest or least along a dimension, of which these are
/// all. What stands at their places in the second operand is the second result.
bool lowerApproxTopK(LoweringContext &ctx) {
  const Op op = ctx.op();
  auto says = [&](std::string_view wanted) {
    AttrId id = callAttribute(ctx, "$mhlo.backend_config", wanted);
    return id ? id : callAttribute(ctx, "backend_config", wanted);
  };
  AttrId k = says("top_k"), dim = says("reduction_dim"), whole = says("aggregate_to_topk"),
         called = ctx.op().attrNamed("called_computations");
  if (op.operandCount() != 4 || op.resultCount() != 2 || !k || !dim || !called || !op.operand(0).type().ranked)
    return ctx.fail("a call with values, places and what both begin with, top_k and reduction_dim");
  if (whole && !ctx.context().attr(whole).i)
    return ctx.fail("the k greatest of all, not of parts (aggregate_to_topk)");
  std::string_view comparator;
  for (AttrId e : ctx.context().attr(called).elements)
    comparator = ctx.context().attr(e).text;
  bool greatest = comparator.find("_gt_") != comparator.npos;
  if (!greatest && comparator.find("_lt_") == comparator.npos)
    return ctx.fail("a comparator whose name says which way it compares, `top_k_gt_f32_comparator`");
  int64_t rank = int64_t(op.operand(0).type().dims.size()), axis = ctx.context().attr(dim).i;
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    return ctx.fail("a dimension of the operand");
  // To the end and back: the places of the others do not change.
  convert::Build b(ctx);
  std::vector<int64_t> perm;
  for (int64_t i = 0; i < rank; ++i)
    perm.push_back(i == axis ? rank - 1 : i == rank - 1 ? axis : i);
  Value x = b.transpose(op.operand(0), perm), places = b.transpose(op.operand(1), perm);
  if (!b.ok())
    return false;
  Dims kept;
  for (Dim d : x.type().dims)
    kept.push_back(d);
  kept[size_t(rank - 1)] = Dim(ctx.context().attr(k).i);
  NamedSetting settings[] = {{"k", k}, {"largest", ctx.context().boolAttr(greatest)}};
  TypeId types[] = {b.shaped(x, kept), b.tensor(DType::I32, kept)};
  Op found = b.ops("chlo.top_k", {&x, 1}, settings, types);
  if (!found)
    return false;
  Value at = b.convert(found.result(1), DType::I64);
  Value named = b.op("onnx.GatherElements", {places, at}, {{"axis", ctx.context().intAttr(rank - 1)}});
  Value values = b.transpose(found.result(0), perm);
  named = b.transpose(named, perm);
  return b.ok() && ctx.bind(0, values) && ctx.bind(1, named);
}

bool lowerCustomCall(LoweringContext &ctx) {
  AttrId name = ctx.op().attrNamed("call_target_name");
  std::string_view target = name ? ctx.context().attr(name).text : std::string_view();
  for (std::string_view prefix : {"mhlo.", "chlo."})
    if (target.starts_with(prefix))
      return lowerNamedCall(ctx, target.substr(prefix.size()));
  if (target == "ApproxTopK")
    return lowerApproxTopK(ctx);
  if (calledFor(target) == NamedCall::ThreeFry)
    return convert::lowerThreeFryCall(ctx);
  if (calledFor(target) == NamedCall::Place)
    return lowerToOperands(ctx);
  // What a program checks of itself is no part of what it computes.
  bool checks = calledFor(target) == NamedCall::Assert || target.starts_with("check.expect_");
  if (checks && ctx.op().resultCount() == 0)
    return true;
  return ctx.fail("a call of something that is known here: what is outside of the program is not");
}

/// Stretched to sizes that symbols say: where they are numbers, patterns do it.
bool lowerBroadcastToSymbols(LoweringContext &ctx) {
  Context &types = ctx.context();
  Value x = ctx.get(0);
  std::span<const Dim> shape = types.attr(ctx.op().attrNamed("shape")).dims;
  std::span<const int64_t> places = types.attr(ctx.op().attrNamed("broadcast_dimensions")).ints;
  if (!std::is_sorted(places.begin(), places.end()))
    return ctx.fail("dimensions that go on in their order");
  Value target = onnxShape(ctx.rewriter(), shape);
  if (!target)
    return ctx.fail("sizes that are numbers, or that some parameter has as dimensions");
  std::vector<int64_t> added;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (!std::ranges::count(places, i))
      added.push_back(i);
  Value wide = x;
  if (!added.empty() && !places.empty()) { // a scalar stretches as it is
    Dims dims(shape.size(), Dim(1));
    const TypeData &from = x.type();
    for (size_t i = 0; i < places.size(); ++i)
      dims[size_t(places[i])] = from.dims[i];
    TypeId type = types.tensorType(from.dtype, dims);
    Value axes = ctx.ints(added);
    if (!axes)
      return ctx.fail("a constant of ONNX");
    wide = ctx.make("Unsqueeze", {x, axes}, {}, type);
  }
  return wide && ctx.bind(0, ctx.make("Expand", {wide, target}, {}, ctx.op().result().typeId()));
}

/// Into sizes that symbols say and the operand does not have, `f32[3 * b]`: where it has them, patterns do it.
bool lowerReshapeToSymbols(LoweringContext &ctx) {
  convert::Build b(ctx);
  Value target = onnxShape(ctx.rewriter(), ctx.context().attr(ctx.op().attrNamed("shape")).dims);
  if (!target)
    return ctx.fail("sizes that are numbers, or that some parameter has as dimensions");
  Value y =
      b.op("onnx.Reshape", {ctx.get(0), target}, {{"allowzero", ctx.context().intAttr(1)}}, ctx.op().result().typeId());
  return b.ok() && ctx.bind(0, y);
}

} // namespace

void registerStablehloLowerings(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  convert::registerGeneralLowerings(registry);
  registry.addLowering({.op = "stablehlo.while", .to = "onnx", .name = "while_to_loop", .lower = lowerWhile});
  registry.addLowering({.op = "stablehlo.if", .to = "onnx", .name = "if_to_if", .lower = lowerIf});
  registry.addLowering(
      {.op = "stablehlo.optimization_barrier", .to = "onnx", .name = "drop_barrier", .lower = lowerToOperands});
  registry.addLowering({.op = "stablehlo.broadcast_in_dim",
                        .to = "onnx",
                        .name = "expand_to_symbols",
                        .lower = lowerBroadcastToSymbols});
  registry.addLowering(
      {.op = "stablehlo.reshape", .to = "onnx", .name = "reshape_to_symbols", .lower = lowerReshapeToSymbols});
  registry.addLowering(
      {.op = "stablehlo.custom_call", .to = "onnx", .name = "placement_call", .lower = lowerCustomCall});
}

} // namespace rw
