#include "hand_ops.h"

#include "rw/ir/attr_values.h"
#include "rw/rewrite/rewriter.h"

#include <algorithm>
#include <cstring>

namespace rw::bench {
namespace {

/// A pattern at one kind of op, which may name a second kind.
class BenchPattern : public MultiOpPattern {
public:
  BenchPattern(const OpRegistry &ops, std::string_view name, unsigned benefit, std::string_view root,
               std::string_view inner = "")
      : MultiOpPattern({.name = name, .benefit = benefit, .depth = inner.empty() ? 1u : 2u, .looksAtLeaves = false},
                       {}),
        rootSchema(ops.schema(ops.lookup(std::string("bench.") + std::string(root)))),
        innerKind(inner.empty() ? kOpaqueKind : ops.lookup(std::string("bench.") + std::string(inner))),
        innerSchema(ops.schema(innerKind)) {
    roots_ = {ops.kindOf(rootSchema)};
  }

protected:
  Op inner(Op op, unsigned operand = 0) const {
    Op def = op.operand(operand).definingOp();
    return def && def.kind() == innerKind ? def : Op{};
  }
  const OpSchema &rootSchema;
  KindId innerKind;
  const OpSchema &innerSchema;
};

std::span<const int64_t> ints(Op op) { return op.context().attr(op.attr(0)).ints; }

bool isSplat(Op constant, float want) {
  const DenseData *dense = constant.context().attr(constant.attr(0)).dense;
  if (!dense || !dense->splat || dense->bytes.size() != sizeof(float))
    return false;
  float value;
  std::memcpy(&value, dense->bytes.data(), sizeof value);
  return value == want;
}

Ints compose(std::span<const int64_t> inner, std::span<const int64_t> outer) {
  Ints result;
  for (int64_t i : outer)
    result.push_back(inner[size_t(i)]);
  return result;
}

bool isIdentity(std::span<const int64_t> perm) {
  for (size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != int64_t(i))
      return false;
  return true;
}

struct TransposeInverse : BenchPattern {
  explicit TransposeInverse(const OpRegistry &ops)
      : BenchPattern(ops, "TransposeInverse", 3, "transpose", "transpose") {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    Op in = inner(op);
    return in && isIdentity(compose(ints(in), ints(op))) && rw.replaceOp(op, in.operand(0));
  }
};

struct TransposeCompose : BenchPattern {
  explicit TransposeCompose(const OpRegistry &ops)
      : BenchPattern(ops, "TransposeCompose", 1, "transpose", "transpose") {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    Op in = inner(op);
    if (!in)
      return false;
    Ints perm = compose(ints(in), ints(op));
    return rw.replaceOpWithNew(op, rootSchema, {in.operand(0)}, {rw.context().intsAttr(perm)});
  }
};

struct TransposeIdentity : BenchPattern {
  explicit TransposeIdentity(const OpRegistry &ops) : BenchPattern(ops, "TransposeIdentity", 2, "transpose") {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    return isIdentity(ints(op)) && rw.replaceOp(op, op.operand(0));
  }
};

struct SinkTranspose : BenchPattern {
  SinkTranspose(const OpRegistry &ops, std::string_view name, std::string_view root)
      : BenchPattern(ops, name, 1, root, "transpose") {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    Op in = inner(op);
    if (!in)
      return false;
    Op moved = rw.create(rootSchema, {in.operand(0)});
    return rw.replaceOpWithNew(op, innerSchema, {moved.result()}, {in.attr(0)});
  }
};

struct BinaryUnit : BenchPattern {
  BinaryUnit(const OpRegistry &ops, std::string_view name, std::string_view root, float unit)
      : BenchPattern(ops, name, 2, root, "constant"), unit_(unit) {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    Op constant = inner(op, 1);
    return constant && isSplat(constant, unit_) && rw.replaceOp(op, op.operand(0));
  }
  float unit_;
};

struct ReshapeReshape : BenchPattern {
  explicit ReshapeReshape(const OpRegistry &ops) : BenchPattern(ops, "ReshapeReshape", 1, "reshape", "reshape") {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    Op in = inner(op);
    return in && rw.replaceOpWithNew(op, rootSchema, {in.operand(0)}, {op.attr(0)});
  }
};

struct SameType : BenchPattern {
  SameType(const OpRegistry &ops, std::string_view name, std::string_view root) : BenchPattern(ops, name, 2, root) {
    info_.looksAtLeaves = true;
  }
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    return op.operand(0).typeId() == op.result().typeId() && rw.replaceOp(op, op.operand(0));
  }
};

/// Never matches: the operand is never of `inner` with this attribute, and no op follows its own kind.
struct NoMatch : BenchPattern {
  NoMatch(const OpRegistry &ops, std::string_view root, std::string_view inner)
      : BenchPattern(ops, "NoMatch", 1, root, inner) {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    Op in = inner(op);
    if (!in)
      return false;
    constexpr int64_t kNines[] = {9, 9, 9, 9};
    std::string_view name = innerSchema.name;
    if (innerKind != op.kind()) {
      if (name == "transpose" && !std::ranges::equal(ints(in), kNines))
        return false;
      if (name == "reshape" && !std::ranges::equal(*attrAs<std::span<const Dim>>(rw.context(), in.attr(0)),
                                                   std::span(kNines, 2), [](Dim d, int64_t i) { return d == Dim(i); }))
        return false;
      if (name == "dot_general" && !std::ranges::equal(rw.context().attr(in.attr(2)).ints, std::span(kNines, 1)))
        return false;
      if (name == "constant" && !isSplat(in, 7))
        return false;
    }
    return rw.replaceOp(op, in.operandCount() ? in.operand(0) : in.result());
  }
};

} // namespace

FrozenPatternSet handStandardPatterns(const OpRegistry &ops) {
  PatternSet set(ops);
  set.add<TransposeInverse>();
  set.add<TransposeCompose>();
  set.add<TransposeIdentity>();
  set.add<SinkTranspose>("SinkTranspose_relu", "relu");
  set.add<SinkTranspose>("SinkTranspose_tanh", "tanh");
  set.add<BinaryUnit>("MulByOne", "mul", 1.0f);
  set.add<BinaryUnit>("AddZero", "add", 0.0f);
  set.add<ReshapeReshape>();
  set.add<SameType>("SameTypeReshape", "reshape");
  set.add<SameType>("SameTypeCast", "cast");
  return std::move(set).freeze();
}

FrozenPatternSet handNoMatchPatterns(const OpRegistry &ops) {
  PatternSet set(ops);
  for (std::string_view root : {"relu", "tanh", "neg", "exp", "cast", "transpose", "reshape", "add", "mul", "sub"}) {
    for (std::string_view inner : {"transpose", "reshape", "dot_general", "constant"})
      set.add<NoMatch>(root, inner);
    set.add<NoMatch>(root, root);
  }
  return std::move(set).freeze();
}

} // namespace rw::bench
