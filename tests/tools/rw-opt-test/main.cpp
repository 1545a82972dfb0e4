// rw-opt-test: rw-opt with patterns and passes that are wrong on purpose, for tests of the services around them.
//
// Patterns: DropNeg and DropMul change results; LieUnchanged, LieChanged and LieBroken say what is not so; EraseUsed
//           breaks a law; Crash ends the process. Each has a pass of its own. The pass `failing` edits, then reports
//           failure; `drop_abs` changes results without a pattern. mine.rw beside this file has patterns and passes
//           called like built-in ones.

#include "onnx/onnx_elementwise.rw.h"
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"
#include "rw/rewrite/rewriter.h"
#include "rw_opt_test_patterns_register.h"
#include "tensor/tensor_elementwise.rw.h"
#include <unistd.h>

namespace {
using namespace rw;
namespace tensor = rw::builtin::tensor;
namespace onnx = rw::builtin::onnx;

constexpr std::string_view kLabels[] = {"wrong"};

/// neg(x) => x
struct DropNeg final : OpRewritePattern<tensor::NegOp> {
  static constexpr PatternInfo kInfo{.name = "DropNeg", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit DropNeg(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::NegOp op, PatternRewriter &rw) const override { return rw.replaceOp(op.op(), op.x()); }
};

/// Mul(x, y) => x
struct DropMul final : OpRewritePattern<onnx::MulOp> {
  static constexpr PatternInfo kInfo{.name = "DropMul", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit DropMul(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(onnx::MulOp op, PatternRewriter &rw) const override {
    return rw.canReplace(op.op().result(), op.op().operand(0)) && rw.replaceOp(op.op(), op.op().operand(0));
  }
};

/// Changes nothing and says it did.
struct LieUnchanged final : OpRewritePattern<tensor::AbsOp> {
  static constexpr PatternInfo kInfo{.name = "LieUnchanged", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit LieUnchanged(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::AbsOp, PatternRewriter &) const override { return true; }
};

/// abs(x) => x, and says it did nothing.
struct LieChanged final : OpRewritePattern<tensor::AbsOp> {
  static constexpr PatternInfo kInfo{.name = "LieChanged", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit LieChanged(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::AbsOp op, PatternRewriter &rw) const override {
    rw.replaceOp(op.op(), op.x());
    return false;
  }
};

/// Puts what it makes behind its uses.
struct LieBroken final : OpRewritePattern<tensor::AbsOp> {
  static constexpr PatternInfo kInfo{.name = "LieBroken", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit LieBroken(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::AbsOp op, PatternRewriter &rw) const override {
    rw.setInsertionPointToEnd(op.op().region());
    return rw.replaceOp(op.op(), rw.create(tensor::ExpOp::schema(), {op.x()}));
  }
};

/// Erases its root under the feet of the users.
struct EraseUsed final : OpRewritePattern<tensor::AbsOp> {
  static constexpr PatternInfo kInfo{.name = "EraseUsed", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit EraseUsed(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::AbsOp op, PatternRewriter &rw) const override { return rw.erase(op.op()); }
};

struct Crash final : OpRewritePattern<tensor::ExpOp> {
  static constexpr PatternInfo kInfo{.name = "Crash", .labels = kLabels, .file = "main.cpp", .line = __LINE__};
  explicit Crash(const OpRegistry &ops) : OpRewritePattern(ops, kInfo) {}
  bool matchAndRewrite(tensor::ExpOp, PatternRewriter &) const override { _exit(70); }
};

/// Every op of the kind gives way to its operand.
void dropAll(Function &fn, const OpSchema &kind) {
  PatternRewriter rewriter(fn);
  for (uint32_t i = 0; i < fn.opCapacity(); ++i)
    if (Op op = fn.op(OpId(i)); !op.isErased() && op.is(kind))
      rewriter.replaceOp(op, op.operand(0));
}

struct DropAbs : FunctionPass {
  std::string_view name() const override { return "drop_abs"; }
  PassResult run(Function &fn, PassContext &) override {
    dropAll(fn, tensor::AbsOp::schema());
    PassResult result;
    result.changed = true;
    return result;
  }
};

struct Failing : FunctionPass {
  std::string_view name() const override { return "failing"; }
  PassResult run(Function &fn, PassContext &) override {
    dropAll(fn, tensor::NegOp::schema());
    PassResult result;
    result.failed = true;
    result.message = "it fails always";
    return result;
  }
};

template <class P> PatternPtr make(const OpRegistry &ops) { return std::make_unique<P>(ops); }

template <class P> void add(Registry &registry, const char *pass) {
  registry.patterns.add({P::kInfo, make<P>});
  registry.addPass({.name = pass, .patterns = {P::kInfo.name}});
}
} // namespace

int main(int argc, char **argv) {
  Registry registry;
  registerAll(registry);
  test::mine::register_rw_opt_test_patterns(registry);
  add<DropNeg>(registry, "drop_neg");
  add<DropMul>(registry, "drop_mul");
  add<LieUnchanged>(registry, "lie_unchanged");
  add<LieChanged>(registry, "lie_changed");
  add<LieBroken>(registry, "lie_broken");
  add<EraseUsed>(registry, "erase_used");
  add<Crash>(registry, "crash");
  registry.addPass({.name = "failing", .make = [](const Registry &, const PassOptions &) -> MadePass {
                      return std::make_unique<Failing>();
                    }});
  registry.addPass({.name = "drop_abs", .make = [](const Registry &, const PassOptions &) -> MadePass {
                      return std::make_unique<DropAbs>();
                    }});
  registry.addBackend({.name = "wrong",
                       .doc = "Adds the passes above to the pipeline full.",
                       .populatePre = "drop_neg",
                       .legalize = "layout",
                       .fuse = "failing",
                       .cleanup = "dce"});
  return optMain(argc, argv, registry);
}
