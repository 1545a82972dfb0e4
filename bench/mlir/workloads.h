// The graphs of ../workloads.h as MLIR modules: the same draws of the same generator, so the same ops in the same
// order.
//
// In:  a workload's name and a number of ops. Out: a module with one function; `made` says how many ops it has.
#pragma once

#include "dialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace bench {

class Generator {
public:
  explicit Generator(mlir::MLIRContext *);
  mlir::OwningOpRef<mlir::ModuleOp> build(const std::string &workload, size_t ops);
  size_t made() const { return made_; }

private:
  template <class Op> mlir::Value unary(mlir::Value x) {
    ++made_;
    return b_.create<Op>(loc_, x.getType(), x);
  }
  template <class Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    ++made_;
    return b_.create<Op>(loc_, x.getType(), x, y);
  }
  mlir::Value transpose(mlir::Value x, mlir::DenseI64ArrayAttr perm, mlir::Type);
  mlir::Value reshape(mlir::Value x, mlir::DenseI64ArrayAttr shape, mlir::Type);
  void sink(mlir::Value);
  mlir::Value splat(float);

  void pingPong(size_t n);
  void algebra(size_t n, bool fresh);
  mlir::Value arithmetic(uint64_t draw, mlir::Value x, mlir::Value other);
  void nothingMatches(size_t n);
  mlir::Value ofKind(size_t kind, mlir::Value x, mlir::Value other);
  void cascade(size_t n, bool inverse);
  void fanOut(size_t n);
  void castsThenSinks(size_t n);
  void duplicates(size_t n);
  void dead(size_t n, bool chain);

  mlir::OpBuilder b_;
  mlir::Location loc_;
  mlir::RankedTensorType square_, flat_, rect_[4];
  mlir::DenseI64ArrayAttr p_, inverse_, toFlat_, toSquare_, batch_, contract_;
  mlir::Value x_, y_;
  size_t made_ = 0;
};

} // namespace bench
