#include "rw/passes/layout/move_probe.h"

#include "rw/ir/builder.h"
#include "rw/ir/expr_helpers.h"

#include <algorithm>
#include <unordered_set>

namespace rw {

size_t permRank(Context &ctx, AttrId perm) {
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx, perm);
  return p ? p->size() : 0;
}

AttrId inversePerm(Context &ctx, AttrId perm) {
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx, perm);
  if (!p || !isPermutation(*p, int64_t(p->size())))
    return {};
  return makeAttr(ctx, std::span<const int64_t>(argsort(*p)));
}

/// The type of what is moved to give `type`.
TypeId MoveProbe::unmovedType(TypeId type, AttrId perm) {
  std::optional<std::span<const Dim>> shape = shapeOf(ctx_, type);
  std::optional<std::span<const int64_t>> p = attrAs<std::span<const int64_t>>(ctx_, perm);
  if (!shape || !p || shape->size() != p->size())
    return type;
  Dims dims;
  for (size_t i = 0; i < p->size(); ++i)
    dims.push_back(Dim());
  for (size_t i = 0; i < p->size(); ++i)
    dims[size_t((*p)[i])] = (*shape)[i];
  return ctx_.tensorType(ctx_.type(type).dtype, {dims.data(), dims.size()});
}

Value MoveProbe::operandLike(Value v, bool isMoved, AttrId perm) {
  if (AttrId constant = v.constant()) {
    Op op = v.definingOp();
    TypeId type[] = {v.typeId()};
    return fn_.appendOp(fn_.body(), op.kind(), {}, op.attrsId(), type).result();
  }
  Value param = fn_.addParam(isMoved ? unmovedType(v.typeId(), perm) : v.typeId());
  if (!isMoved)
    return param;
  before_.push_back(param.id);
  return makeMover(param, perm);
}

Value MoveProbe::makeMover(Value v, AttrId perm) {
  std::vector<AttrId> attrs(mover_.perm + 1);
  attrs[mover_.perm] = perm;
  OpBuilder b(fn_, fn_.body());
  return b.create(ctx_.ops().schema(mover_.kind), std::span(&v.id, 1), ctx_.attrs(attrs)).result();
}

/// The op once more, in the function of the probe.
Op MoveProbe::copyOf(Op op, const InlineList<bool> &operands, AttrId perm) {
  InlineList<ValueId, 6> values;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    values.push_back(op.operand(i) ? operandLike(op.operand(i), operands[i], perm).id : ValueId());
  InlineList<TypeId, 4> types;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    types.push_back(op.result(i).typeId());
  return fn_.appendOp(fn_.body(), op.kind(), values, op.attrsId(), types);
}

bool MoveProbe::isConstant(Value v) {
  for (unsigned depth = 0; depth < 4; ++depth) { // what patterns make of a constant: reshaped, then moved
    if (v && v.constant())
      return true;
    Op op = v ? v.definingOp() : Op();
    if (!op || op.operandCount() == 0)
      return false;
    for (unsigned i = 1; i < op.operandCount(); ++i)
      if (op.operand(i) && !op.operand(i).constant())
        return false;
    v = op.operand(0);
  }
  return false;
}

/// The permutation of the movers that the results come from, if it is one.
AttrId MoveProbe::permOfResults(Op end) {
  AttrId perm;
  for (unsigned i = 0; i < end.operandCount(); ++i) {
    Op result = end.operand(i).definingOp();
    AttrId own = mover_.is(result) ? mover_.permOf(result) : AttrId();
    if (!own || (perm && own != perm))
      return {};
    perm = own;
  }
  return perm;
}

/// Counts what stands beside the op and the movers of its results; false if movers of what was moved are left.
bool MoveProbe::countBeside(Op end, ProbedMove &found) {
  std::unordered_set<OpId> results;
  for (unsigned i = 0; i < end.operandCount(); ++i)
    results.insert(end.operand(i).definingOp().id);
  for (Op op : fn_.ops(fn_.body())) {
    if (op.id == end.id || !op.hasUses() || results.contains(op.id) || isConstant(op.result(0)))
      continue;
    if (!mover_.is(op))
      ++found.ops;
    else if (std::ranges::find(before_, op.operand(0).id) != before_.end())
      return false;
    else
      ++found.movers;
  }
  found.ops -= found.ops > 0; // the op itself
  return true;
}

bool MoveProbe::sink(PatternRewriter &rw, Op op, std::vector<PatternCounters> *counters) const {
  return apply(sinks_, rw, op, counters);
}

/// The first pattern of a set that applies at the op; whether one did.
bool MoveProbe::apply(const FrozenPatternSet &set, PatternRewriter &rw, Op op,
                      std::vector<PatternCounters> *counters) const {
  if (counters)
    counters->resize(set.size());
  for (uint32_t index : set.at(op.kind())) {
    const Pattern &pattern = set.pattern(index);
    const PatternInfo &info = set.info(index);
    if (!config_.allowFastMath.allows(info.fastmath) || isTooNew(info, ctx_) ||
        (config_.filter && !config_.filter->allows(info)))
      continue;
    rw.begin(op);
    rw.begin(info, op);
    bool applied = pattern.matchAndRewrite(op, rw);
    rw.end(info, applied);
    if (counters) {
      ++(*counters)[index].tried;
      (*counters)[index].matched += applied;
      (*counters)[index].applied += applied;
    }
    if (applied)
      return true;
  }
  return false;
}

void MoveProbe::clear() {
  fn_ = Function(ctx_, "probe");
  before_.clear();
}

ProbedMove MoveProbe::moved(Op op, const InlineList<bool> &operands, AttrId perm) {
  if (!mayCross(op))
    return {};
  clear();
  Op copy = copyOf(op, operands, perm);
  OpBuilder b(fn_, fn_.body());
  InlineList<ValueId, 4> results;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (op.result(i).hasUses())
      results.push_back(copy.result(i).id);
  Op end = b.createReturn(results);
  PatternRewriter rw(fn_);
  ProbedMove found;
  if (sink(rw, copy))
    found.perm = permOfResults(end);
  return found.perm && countBeside(end, found) ? found : ProbedMove();
}

bool MoveProbe::absorbs(Op op, AttrId perm) {
  if (op.resultCount() != 1 || !op.regions().empty() || mover_.is(op) || sinks_.at(mover_.kind).empty())
    return false;
  clear();
  Op copy = copyOf(op, InlineList<bool>(op.operandCount(), false), perm);
  Value moved = makeMover(copy.result(), perm);
  Op end = OpBuilder(fn_, fn_.body()).createReturn(std::span<const ValueId>(&moved.id, 1));
  PatternRewriter rw(fn_);
  return sink(rw, moved.definingOp()) && isMadeAlone(end, op.kind());
}

bool MoveProbe::takesIn(Op op, unsigned operand, AttrId perm) {
  if (op.resultCount() != 1 || !op.regions().empty() || mover_.is(op) || tidy_.at(op.kind()).empty())
    return false;
  clear();
  InlineList<bool> operands(op.operandCount(), false);
  operands[operand] = true;
  Op copy = copyOf(op, operands, perm);
  ValueId result = copy.result().id;
  Op end = OpBuilder(fn_, fn_.body()).createReturn(std::span<const ValueId>(&result, 1));
  PatternRewriter rw(fn_);
  return apply(tidy_, rw, copy, nullptr) && isMadeAlone(end, op.kind());
}

/// Whether an op of the kind makes the result, and nothing that is no constant stands beside it.
bool MoveProbe::isMadeAlone(Op end, KindId kind) {
  Op made = end.operand(0).definingOp();
  if (!made || made.kind() != kind)
    return false;
  for (Op other : fn_.ops(fn_.body()))
    if (other.id != end.id && other.id != made.id && other.hasUses() && !isConstant(other.result(0)))
      return false;
  return true;
}

} // namespace rw
