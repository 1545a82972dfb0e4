#include "dialect.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {
using namespace bench;

struct TransposeInverse : OpRewritePattern<TransposeOp> {
  TransposeInverse(MLIRContext *c) : OpRewritePattern(c, 3) {}
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rw) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner || !isInversePerm(inner.getPermAttr(), op.getPermAttr()))
      return failure();
    rw.replaceOp(op, inner.getX());
    return success();
  }
};

struct TransposeCompose : OpRewritePattern<TransposeOp> {
  TransposeCompose(MLIRContext *c) : OpRewritePattern(c, 1) {}
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rw) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    auto perm = cast<DenseI64ArrayAttr>(composePerm(inner.getPermAttr(), op.getPermAttr()));
    rw.replaceOpWithNewOp<TransposeOp>(op, op.getY().getType(), inner.getX(), perm);
    return success();
  }
};

struct TransposeIdentity : OpRewritePattern<TransposeOp> {
  TransposeIdentity(MLIRContext *c) : OpRewritePattern(c, 2) {}
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rw) const override {
    if (!isIdentityPerm(op.getPermAttr()))
      return failure();
    rw.replaceOp(op, op.getX());
    return success();
  }
};

template <typename OpT> struct SinkTranspose : OpRewritePattern<OpT> {
  SinkTranspose(MLIRContext *c) : OpRewritePattern<OpT>(c, 1) {}
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rw) const override {
    auto inner = op.getX().template getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    Value e = rw.create<OpT>(op.getLoc(), inner.getX().getType(), inner.getX());
    rw.replaceOpWithNewOp<TransposeOp>(op, op.getY().getType(), e, inner.getPermAttr());
    return success();
  }
};

template <typename OpT, int Unit> struct BinaryUnit : OpRewritePattern<OpT> {
  BinaryUnit(MLIRContext *c) : OpRewritePattern<OpT>(c, 2) {}
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rw) const override {
    auto c = op.getRhs().template getDefiningOp<ConstantOp>();
    if (!c || !isSplat(c.getValue(), float(Unit)))
      return failure();
    rw.replaceOp(op, op.getLhs());
    return success();
  }
};

struct ReshapeReshape : OpRewritePattern<ReshapeOp> {
  ReshapeReshape(MLIRContext *c) : OpRewritePattern(c, 1) {}
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rw) const override {
    auto inner = op.getX().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rw.replaceOpWithNewOp<ReshapeOp>(op, op.getY().getType(), inner.getX(), op.getShapeAttr());
    return success();
  }
};

template <typename OpT> struct SameTypeNoop : OpRewritePattern<OpT> {
  SameTypeNoop(MLIRContext *c) : OpRewritePattern<OpT>(c, 2) {}
  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rw) const override {
    if (op.getX().getType() != op.getY().getType())
      return failure();
    rw.replaceOp(op, op.getX());
    return success();
  }
};

} // namespace

void bench::addStandardPatterns(RewritePatternSet &s) {
  s.add<TransposeInverse, TransposeCompose, TransposeIdentity, SinkTranspose<ReluOp>, SinkTranspose<TanhOp>,
        BinaryUnit<MulOp, 1>, BinaryUnit<AddOp, 0>, ReshapeReshape, SameTypeNoop<ReshapeOp>, SameTypeNoop<CastOp>>(
      s.getContext());
}

namespace {
// W3: five patterns for each of ten roots; none of them ever matches.
template <typename R, typename S> struct NoMatchAttr : OpRewritePattern<R> {
  using OpRewritePattern<R>::OpRewritePattern;
  LogicalResult matchAndRewrite(R op, PatternRewriter &rw) const override {
    auto inner = op->getOperand(0).template getDefiningOp<S>();
    if (!inner)
      return failure();
    if constexpr (std::is_same_v<S, TransposeOp>) {
      if (inner.getPerm() != ArrayRef<int64_t>{9, 9, 9, 9})
        return failure();
    } else if constexpr (std::is_same_v<S, ReshapeOp>) {
      if (inner.getShape() != ArrayRef<int64_t>{9, 9})
        return failure();
    } else if constexpr (std::is_same_v<S, DotGeneralOp>) {
      if (inner.getLhsContract() != ArrayRef<int64_t>{9})
        return failure();
    } else if constexpr (std::is_same_v<S, ConstantOp>) {
      if (!isSplat(inner.getValue(), 7.0f))
        return failure();
    }
    rw.replaceOp(op, inner->getOperands().empty() ? inner->getResult(0) : inner->getOperand(0));
    return success();
  }
};

template <typename R> void addNoMatch(RewritePatternSet &s) {
  s.add<NoMatchAttr<R, TransposeOp>, NoMatchAttr<R, ReshapeOp>, NoMatchAttr<R, DotGeneralOp>,
        NoMatchAttr<R, ConstantOp>>(s.getContext());
  // "self": R(R(x)) -> x, for transpose/reshape without an attribute test.
  struct Self : OpRewritePattern<R> {
    using OpRewritePattern<R>::OpRewritePattern;
    LogicalResult matchAndRewrite(R op, PatternRewriter &rw) const override {
      auto inner = op->getOperand(0).template getDefiningOp<R>();
      if (!inner)
        return failure();
      rw.replaceOp(op, inner->getOperand(0));
      return success();
    }
  };
  s.add<Self>(s.getContext());
}

} // namespace

void bench::addNoMatchPatterns(RewritePatternSet &s) {
  addNoMatch<ReluOp>(s);
  addNoMatch<TanhOp>(s);
  addNoMatch<NegOp>(s);
  addNoMatch<ExpOp>(s);
  addNoMatch<CastOp>(s);
  addNoMatch<TransposeOp>(s);
  addNoMatch<ReshapeOp>(s);
  addNoMatch<AddOp>(s);
  addNoMatch<MulOp>(s);
  addNoMatch<SubOp>(s);
}
