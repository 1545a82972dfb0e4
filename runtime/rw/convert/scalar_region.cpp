#include "rw/convert/scalar_region.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace rw::convert {
namespace {

class Region {
public:
  Region(Build &b, Value like) : b_(b), like_(like) {}

  bool bind(RegionId region, std::span<const Value> arguments) {
    std::span<const ValueId> params = b_.rw.function().params(region);
    if (params.size() != arguments.size())
      return false;
    for (size_t i = 0; i < params.size(); ++i)
      known_[params[i].raw] = arguments[i];
    return true;
  }

  /// A value of the region on tensors.
  Value only(RegionId region, Value wanted) {
    Function &fn = b_.rw.function();
    std::vector<OpId> inner, waiting;
    auto need = [&](Value v) {
      if (Op op = v.definingOp(); op && op.region() == region && std::ranges::find(inner, op.id) == inner.end())
        inner.push_back(op.id), waiting.push_back(op.id);
    };
    need(wanted);
    while (!waiting.empty()) {
      Op op = fn.op(waiting.back());
      waiting.pop_back();
      if (!op.regions().empty()) // what it reads inside is not looked for
        return b_.fail("its keys are computed element by element");
      for (unsigned i = 0; i < op.operandCount(); ++i)
        need(op.operand(i));
    }
    std::vector<OpId> ordered; // as they stand
    for (Op op : fn.ops(region))
      if (std::ranges::find(inner, op.id) != inner.end())
        ordered.push_back(op.id);
    for (OpId id : ordered)
      if (!repeat(fn.op(id)))
        return b_.fail("its keys are computed element by element");
    return spread(wanted);
  }

  std::vector<Value> run(RegionId region) {
    Function &fn = b_.rw.function();
    Op end = fn.terminator(region);
    if (!end)
      return b_.fail("its region works element by element"), std::vector<Value>();
    std::vector<OpId> inner; // first: what is built may make the function grow
    for (Op op : fn.ops(region))
      if (op != end)
        inner.push_back(op.id);
    for (OpId id : inner)
      if (!repeat(fn.op(id)))
        return b_.fail("its region works element by element"), std::vector<Value>();
    std::vector<Value> results;
    for (unsigned i = 0; i < end.operandCount(); ++i)
      results.push_back(spread(end.operand(i)));
    return results;
  }

private:
  /// What stands for a value: of a scalar that is the same for all elements, that scalar.
  Value held(Value v) {
    auto it = known_.find(v.id.raw);
    return it == known_.end() ? v : it->second;
  }
  static bool isScalar(Value v) {
    return v.type().kind == TypeKind::Tensor && v.type().ranked && v.type().dims.empty();
  }
  Value spread(Value v) {
    Value now = held(v);
    return isScalar(now) ? b_.spread(now, like_) : now;
  }

  bool repeat(Op op) {
    std::string_view name = op.fullName();
    if (name == "stablehlo.if")
      return choose(op);
    if (name == "stablehlo.optimization_barrier" || name == "stablehlo.reshape" ||
        name == "stablehlo.broadcast_in_dim" || name == "stablehlo.transpose") {
      // of a scalar: the same
      for (unsigned i = 0; i < op.resultCount(); ++i) {
        if (!isScalar(op.operand(i)) || !isScalar(op.result(i)))
          return false;
        known_[op.result(i).id.raw] = held(op.operand(i));
      }
      return op.operandCount() == op.resultCount();
    }
    if (!op.regions().empty() || op.resultCount() != 1 || !isScalar(op.result()))
      return false;
    bool isConstant = op.hasTrait(Trait::Constant), isSame = true;
    bool isMap = op.hasTrait(Trait::Elementwise) || name == "stablehlo.select" || name == "stablehlo.clamp";
    if (name == "stablehlo.bitcast_convert")
      isMap = dtypeBytes(op.operand(0).type().dtype) == dtypeBytes(op.result().type().dtype);
    if (!isConstant && !isMap)
      return false;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      isSame = isSame && isScalar(held(op.operand(i)));
    InlineList<ValueId, 6> operands;
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      Value v = isSame ? held(op.operand(i)) : spread(op.operand(i));
      if (!v)
        return false;
      operands.push_back(v.id);
    }
    Op copy = b_.rw.cloneWithOperands(op, operands);
    if (!copy || copy.resultCount() != 1 || copy.result().type().dtype != op.result().type().dtype)
      return false;
    known_[op.result().id.raw] = copy.result();
    return true;
  }

  /// Both branches, and of each element the one that its condition says.
  bool choose(Op op) {
    std::vector<std::vector<Value>> branches;
    std::vector<RegionId> regions(op.regions().begin(), op.regions().end());
    for (RegionId region : regions) {
      branches.push_back(run(region));
      if (branches.back().size() != op.resultCount())
        return false;
    }
    if (branches.size() != 2)
      return false;
    Value condition = spread(op.operand(0));
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      Value chosen = b_.select(condition, branches[0][i], branches[1][i]);
      if (!chosen)
        return false;
      known_[op.result(i).id.raw] = chosen;
    }
    return true;
  }

  Build &b_;
  Value like_;
  std::unordered_map<uint32_t, Value> known_; // by value of the region
};

} // namespace

namespace {

/// The region's parameters bound to tensors; whether they could be.
bool enter(Build &b, Op op, unsigned region, std::span<const Value> arguments, Region &run) {
  RegionId id = op.regions()[region];
  std::vector<Value> converted; // the region may compute in a wider type
  std::span<const ValueId> params = b.rw.function().params(id);
  for (size_t i = 0; i < arguments.size() && i < params.size(); ++i) {
    DType to = b.rw.function().value(params[i]).type().dtype; // read before anything is built
    converted.push_back(Value());
    converted.back() = b.convert(arguments[i], to);
    params = b.rw.function().params(id);
  }
  if (b.ok() && run.bind(id, converted))
    return true;
  b.fail("its region works element by element");
  return false;
}

bool areThere(Build &b, Op op, unsigned region, std::span<const Value> arguments) {
  bool good = b.ok() && region < op.regions().size() && !arguments.empty() &&
              std::ranges::all_of(arguments, [](Value v) { return bool(v); });
  if (!good)
    b.fail("its region works element by element");
  return good;
}

} // namespace

std::vector<Value> onTensors(Build &b, Op op, unsigned region, std::span<const Value> arguments) {
  if (!areThere(b, op, region, arguments))
    return {};
  Region run(b, arguments[0]);
  return enter(b, op, region, arguments, run) ? run.run(op.regions()[region]) : std::vector<Value>();
}

Value onTensors(Build &b, Op op, unsigned region, std::span<const Value> arguments, Value wanted) {
  if (!areThere(b, op, region, arguments))
    return {};
  Region run(b, arguments[0]);
  return enter(b, op, region, arguments, run) ? run.only(op.regions()[region], wanted) : Value();
}

SingleOp singleOp(Op op, unsigned region) {
  if (region >= op.regions().size())
    return {};
  RegionId id = op.regions()[region];
  Op end = op.fn->terminator(id);
  std::span<const ValueId> params = op.fn->params(id);
  if (!end || end.operandCount() != 1 || params.size() != 2)
    return {};
  Op body = end.operand(0).definingOp();
  if (!body || body.region() != id || body.operandCount() != 2 || !body.regions().empty())
    return {};
  bool forwards = body.operand(0).id == params[0] && body.operand(1).id == params[1];
  bool backwards = body.operand(0).id == params[1] && body.operand(1).id == params[0];
  return forwards || backwards ? SingleOp{body, backwards} : SingleOp{};
}

bool isNeutral(Op body, Value init) {
  AttrId held = init ? init.constant() : AttrId();
  if (!body || !held)
    return false;
  Context &ctx = body.context();
  std::string_view name = body.fullName();
  DType dtype = init.type().dtype;
  auto ints = intsOfTensor(ctx, held);
  auto floats = floatsOfTensor(ctx, held);
  bool isBool = dtype == DType::Bool;
  if (ints && ints->size() == 1) {
    int64_t n = (*ints)[0];
    unsigned bits = unsigned(8 * dtypeBytes(dtype));
    bool isSigned = dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
    int64_t least = isSigned ? INT64_MIN >> (64 - bits) : 0;
    int64_t most = isSigned ? INT64_MAX >> (64 - bits) : bits == 64 ? -1 : int64_t((uint64_t(1) << bits) - 1);
    if (isBool)
      return name == "stablehlo.and" || name == "stablehlo.minimum" || name == "stablehlo.multiply" ? n == 1 : n == 0;
    if (name == "stablehlo.add" || name == "stablehlo.or" || name == "stablehlo.xor")
      return n == 0;
    if (name == "stablehlo.multiply")
      return n == 1;
    if (name == "stablehlo.maximum")
      return n == least;
    if (name == "stablehlo.minimum")
      return n == most && most >= 0;
    return name == "stablehlo.and" && isSigned && n == -1;
  }
  if (floats && floats->size() == 1) {
    double x = (*floats)[0];
    if (name == "stablehlo.add")
      return x == 0 && std::signbit(x); // 0 makes 0 of -0
    if (name == "stablehlo.multiply")
      return x == 1;
    if (name == "stablehlo.maximum")
      return std::isinf(x) && x < 0;
    if (name == "stablehlo.minimum")
      return std::isinf(x) && x > 0;
  }
  return false;
}

} // namespace rw::convert
