#include "rw/rewrite/meaning.h"

#include <algorithm>

namespace rw {

bool expandMeaning(Op op, PatternRewriter &rw) {
  if (op.kind() == kOpaqueKind || !op.schema().expand)
    return false;
  rw.setNoOpening(); // no net knows the clauses
  return op.schema().expand(op, rw);
}

std::optional<MeaningFunction> meaningOf(const OpInputs &in, size_t results, std::span<const TypeId> types,
                                         Constants constants) {
  const OpSchema &schema = in.schema();
  Context &ctx = in.context();
  KindId kind = schema.expand ? ctx.ops().kindOf(schema) : kOpaqueKind;
  if (kind == kOpaqueKind)
    return std::nullopt;
  MeaningFunction out{Function(ctx, "meaning"), {}};
  Function &fn = out.function;
  std::vector<ValueId> operands;
  for (unsigned i = 0; i < in.operands().size(); ++i) {
    Value v = in.operand(i);
    Op made = v ? v.definingOp() : Op();
    if (!v) {
      operands.emplace_back();
    } else if (made && made.hasTrait(Trait::Constant) && v.constant()) {
      TypeId type = v.typeId();
      operands.push_back(fn.appendOp(fn.body(), made.kind(), {}, made.attrsId(), {&type, 1}).result().id);
    } else {
      operands.push_back(fn.addParam(i < types.size() ? types[i] : v.typeId()).id);
      out.operands.push_back(i);
    }
  }
  std::vector<TypeId> unknown(results, ctx.unknownType());
  Op op = fn.appendOp(fn.body(), kind, operands, in.attrsId(), unknown);
  std::vector<ValueId> given;
  for (unsigned i = 0; i < results; ++i)
    given.push_back(op.result(i).id);
  OpBuilder(fn, fn.body()).createReturn(given);
  PatternRewriter rw(fn);
  rw.begin(op);
  if (!expandMeaning(op, rw))
    return std::nullopt;
  for (unsigned i = 0; i < operands.size(); ++i) {
    Op made = operands[i] ? fn.value(operands[i]).definingOp() : Op();
    if (!made)
      continue;
    if (constants == Constants::AsParams && made.hasUses()) { // which meaning holds was asked of what they are
      fn.replaceAllUses(operands[i], fn.addParam(made.result().typeId()).id);
      out.operands.push_back(i);
    }
    if (!made.hasUses())
      fn.erase(made.id);
  }
  return out;
}

bool inferByMeaning(const OpInputs &in, std::span<TypeId> types) {
  static thread_local unsigned depth = 0;
  if (depth >= kMaxMeaningsDeep)
    return false;
  Context &ctx = in.context();
  KindId kind = ctx.ops().kindOf(in.schema());
  std::vector<uint32_t> key{kind.raw, uint32_t(in.attrsId().raw), uint32_t(types.size())};
  for (unsigned i = 0; i < in.operands().size(); ++i) {
    Value v = in.operand(i);
    key.push_back(v ? v.typeId().raw : UINT32_MAX);
    key.push_back(v && v.constant() ? v.constant().raw : UINT32_MAX);
  }
  auto [known, isNew] = ctx.meantTypes().try_emplace(std::move(key));
  if (isNew) {
    std::vector<TypeId> &answer = known->second; // a map: it stays where it is
    ++depth;
    if (std::optional<MeaningFunction> meant = meaningOf(in, types.size())) {
      Op end = meant->function.terminator(meant->function.body());
      for (unsigned i = 0; i < types.size(); ++i)
        answer.push_back(end.operand(i) ? end.operand(i).typeId() : ctx.noneType());
    }
    --depth;
  }
  if (known->second.size() != types.size())
    return false;
  std::ranges::copy(known->second, types.begin());
  return true;
}

namespace {
class ExpandMeanings final : public MultiOpPattern {
public:
  explicit ExpandMeanings(const OpRegistry &ops)
      : MultiOpPattern({.name = "ExpandMeaning", .recursive = true}, kindsThatMean(ops)) {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override { return expandMeaning(op, rw); }

private:
  static std::vector<KindId> kindsThatMean(const OpRegistry &ops) {
    std::vector<KindId> out;
    for (size_t kind = 0; kind < ops.size(); ++kind)
      if (ops.schema(KindId{uint16_t(kind)}).expand)
        out.push_back(KindId{uint16_t(kind)});
    return out;
  }
};
} // namespace

PatternPtr makeExpandMeanings(const OpRegistry &ops) { return std::make_shared<ExpandMeanings>(ops); }

} // namespace rw
