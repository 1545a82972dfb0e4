// The patterns of seed_patterns.rw once more, written by hand as a user of the C++ interface would.
//
// In:  a registry with the built-in dialects and the patterns of seed_patterns.rw.
// Out: the same patterns under the names Hand…; passes seed_hand (these alone) and seed_mixed (some of either kind).
// Elsewhere: how patterns are written is rw/rewrite/pattern.h; early returns are rw/rewrite/guard.h.
#pragma once

#include "layout/transpose.rw.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/guard.h"
#include "rw/rewrite/match_helpers.h"
#include "tensor/tensor_elementwise.rw.h"
#include "tensor/tensor_shape.rw.h"

namespace seed {
using namespace rw;
namespace tensor = rw::builtin::tensor;

/// Whether two shapes are the same whatever unknown dimensions stand for.
inline bool sameShape(Value a, Value b) {
  const TypeData &s = a.type(), &t = b.type();
  return s.ranked && t.ranked && std::equal(s.dims.begin(), s.dims.end(), t.dims.begin(), t.dims.end(), provablyEqual);
}

/// 1) Remove a no-op cast.
struct RemoveNoOpCast final : OpRewritePattern<tensor::CastOp> {
  static constexpr PatternInfo kInfo{.name = "HandRemoveNoOpCast"};
  explicit RemoveNoOpCast(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool mayMatch(tensor::CastOp op) const override {
    return op.x().type().dtype != DType::Unknown && op.dtype() == op.x().type().dtype;
  }
  bool matchAndRewrite(tensor::CastOp op, PatternRewriter &rw) const override {
    RW_GUARD(rw, op, !hasExtraAttrs(op));
    RW_GUARD(rw, op, rw.canReplace(op.result(), op.x()));
    return rw.replaceOp(op, op.x());
  }
};

/// 2) un(broadcast(x)) becomes broadcast(un(x)).
struct FuseUnaryThroughBroadcast final : MultiOpPattern {
  static constexpr PatternInfo kInfo{.name = "HandFuseUnaryThroughBroadcast", .benefit = 3, .depth = 2};
  explicit FuseUnaryThroughBroadcast(const OpRegistry &ops)
      : MultiOpPattern(kInfo, kindsWithTraits(ops, Traits(Trait::Elementwise))) {}
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    RW_GUARD(rw, op, op.operandCount() == 1 && op.resultCount() == 1);
    auto broadcast = definedBy<tensor::BroadcastOp>(op.operand(0));
    RW_GUARD(rw, op, broadcast && !hasExtraAttrs(broadcast));
    Value x = broadcast.x();
    DType dtype = x.type().dtype;
    RW_GUARD(rw, op, dtype != DType::Unknown && op.result().type().dtype == dtype);
    Op inner = rw.cloneWithOperands(op, {&x.id, 1});
    Op outer = rw.create(tensor::BroadcastOp::schema(), {inner.result()}, {broadcast.shapeAttr()});
    return rw.canReplace(op.result(), outer.result()) ? rw.replaceOp(op, outer) : rw.abandon();
  }
};

/// 3) Fold transpose of transpose to nothing.
struct FoldTransposeOfTranspose final : OpRewritePattern<tensor::TransposeOp> {
  static constexpr PatternInfo kInfo{.name = "HandFoldTransposeOfTranspose", .benefit = 2, .depth = 2};
  explicit FoldTransposeOfTranspose(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::TransposeOp op, PatternRewriter &rw) const override {
    auto inner = definedBy<tensor::TransposeOp>(op.x());
    RW_GUARD(rw, op, inner && !hasExtraAttrs(op) && !hasExtraAttrs(inner));
    auto p = inner.perm(), q = op.perm();
    RW_GUARD(rw, op, p && q && p->size() == q->size());
    for (size_t i = 0; i < q->size(); ++i)
      RW_GUARD(rw, op, (*q)[i] >= 0 && size_t((*q)[i]) < p->size() && (*p)[size_t((*q)[i])] == int64_t(i));
    RW_GUARD(rw, op, rw.canReplace(op.result(), inner.x()));
    return rw.replaceOp(op, inner.x());
  }
};

/// 4) mul(x, 1) is x, add(x, 0) is x for integers; the constant may stand on either side.
template <class BinaryOp, int64_t neutral, bool integersOnly> struct FoldNeutral : OpRewritePattern<BinaryOp> {
  using OpRewritePattern<BinaryOp>::OpRewritePattern;
  bool matchAndRewrite(BinaryOp op, PatternRewriter &rw) const override {
    RW_GUARD(rw, op, !hasExtraAttrs(op));
    return replaceBy(op, op.lhs(), op.rhs(), rw) || replaceBy(op, op.rhs(), op.lhs(), rw);
  }

private:
  static bool replaceBy(BinaryOp op, Value x, Value constant, PatternRewriter &rw) {
    RW_GUARD(rw, op, isSplat(rw.context(), constantOf(constant), neutral));
    RW_GUARD(rw, op, !integersOnly || isInteger(x.type().dtype));
    RW_GUARD(rw, op, sameShape(op.result(), x) && rw.canReplace(op.result(), x));
    return rw.replaceOp(op, x);
  }
};
struct FoldMulByOne final : FoldNeutral<tensor::MulOp, 1, false> {
  static constexpr PatternInfo kInfo{.name = "HandFoldMulByOne", .benefit = 2};
  explicit FoldMulByOne(const OpRegistry &ops) : FoldNeutral(ops, kInfo) {}
};
struct FoldAddOfZero final : FoldNeutral<tensor::AddOp, 0, true> {
  static constexpr PatternInfo kInfo{.name = "HandFoldAddOfZero", .benefit = 2};
  explicit FoldAddOfZero(const OpRegistry &ops) : FoldNeutral(ops, kInfo) {}
};

template <class P> void addPattern(Registry &registry) {
  registry.patterns.add({P::kInfo, [](const OpRegistry &ops) -> PatternPtr { return std::make_unique<P>(ops); }});
}

/// 5) The patterns, and passes made of them; pipelines name these like any others.
inline void registerHandPatterns(Registry &registry) {
  addPattern<RemoveNoOpCast>(registry);
  addPattern<FuseUnaryThroughBroadcast>(registry);
  addPattern<FoldTransposeOfTranspose>(registry);
  addPattern<FoldMulByOne>(registry);
  addPattern<FoldAddOfZero>(registry);
  registry.addPass({.name = "seed_hand",
                    .doc = "The patterns of the seed documents' examples, written in C++.",
                    .patterns = {"HandRemoveNoOpCast", "HandFuseUnaryThroughBroadcast", "HandFoldTransposeOfTranspose",
                                 "HandFoldMulByOne", "HandFoldAddOfZero"}});
  registry.addPass({.name = "seed_mixed",
                    .doc = "Some of them generated, some written in C++, in one set.",
                    .patterns = {"HandRemoveNoOpCast", "FuseUnaryThroughBroadcast", "HandFoldTransposeOfTranspose",
                                 "FoldMulByOne", "HandFoldAddOfZero"}});
}

} // namespace seed
