// The ops of bench_ops.rw as an MLIR dialect, and the two pattern sets, as one writes them in C++ for MLIR.
//
// In:  -
// Out: the dialect with its op classes; the sets, filled into a RewritePatternSet.
// Elsewhere: the ops are BenchOps.td, the graphs workloads.h.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "BenchDialect.h.inc"
#define GET_OP_CLASSES
#include "BenchOps.h.inc"

namespace bench {

bool isInversePerm(mlir::Attribute p, mlir::Attribute q);
bool isIdentityPerm(mlir::Attribute p);
bool isSplat(mlir::Attribute v, float want);
/// transpose(transpose(x, p), q) == transpose(x, composePerm(p, q))
mlir::Attribute composePerm(mlir::Attribute p, mlir::Attribute q);

void addStandardPatterns(mlir::RewritePatternSet &);
void addNoMatchPatterns(mlir::RewritePatternSet &);

} // namespace bench
