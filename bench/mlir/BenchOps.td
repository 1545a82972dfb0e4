// The ops of bench_ops.rw as an MLIR dialect. No folders (but the constant's) and no canonicalizers, so that what is
// timed is the driver and the patterns.
#ifndef BENCH_OPS
#define BENCH_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Bench_Dialect : Dialect {
  let name = "bench";
  let cppNamespace = "::bench";
  let hasConstantMaterializer = 1;
}

class Bench_Op<string m, list<Trait> traits = []> : Op<Bench_Dialect, m, traits> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

class Bench_Unary<string m> : Bench_Op<m, [Pure]> {
  let arguments = (ins AnyTensor:$x);
  let results = (outs AnyTensor:$y);
}
class Bench_Binary<string m> : Bench_Op<m, [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs);
  let results = (outs AnyTensor:$y);
}

def Bench_ReluOp : Bench_Unary<"relu">;
def Bench_TanhOp : Bench_Unary<"tanh">;
def Bench_NegOp  : Bench_Unary<"neg">;
def Bench_ExpOp  : Bench_Unary<"exp">;
def Bench_CastOp : Bench_Unary<"cast">;

def Bench_AddOp : Bench_Binary<"add">;
def Bench_MulOp : Bench_Binary<"mul">;
def Bench_SubOp : Bench_Binary<"sub">;

def Bench_TransposeOp : Bench_Op<"transpose", [Pure]> {
  let arguments = (ins AnyTensor:$x, DenseI64ArrayAttr:$perm);
  let results = (outs AnyTensor:$y);
}
def Bench_ReshapeOp : Bench_Op<"reshape", [Pure]> {
  let arguments = (ins AnyTensor:$x, DenseI64ArrayAttr:$shape);
  let results = (outs AnyTensor:$y);
}
def Bench_DotGeneralOp : Bench_Op<"dot_general", [Pure]> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       DenseI64ArrayAttr:$lhs_batch,
                       DenseI64ArrayAttr:$rhs_batch,
                       DenseI64ArrayAttr:$lhs_contract,
                       DenseI64ArrayAttr:$rhs_contract);
  let results = (outs AnyTensor:$y);
}
def Bench_ConstantOp : Bench_Op<"constant", [Pure, ConstantLike]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$y);
  let hasFolder = 1;
}
// Keeps a value alive; no pattern matches it.
def Bench_SinkOp : Bench_Op<"sink"> {
  let arguments = (ins AnyTensor:$x);
}

#endif
