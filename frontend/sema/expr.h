// Checked expressions: every name resolved, every type known.
//
// In:  made by sema from ast::Expr.
// Out: plain data that plans hold and emitters read. Evaluation is total: an operation that has no result (an index
//      outside a list, a division by zero, an overflow, an unknown dimension used as a number, an attribute or constant
//      that is not there) makes the whole evaluation fail, and with it the match or the inference it belongs to.
//      `if`, `and` and `or` evaluate only the operands they need, in written order.
// Elsewhere: what patterns and ops are made of is module.h; the table of builtin functions is builtins.h.
//
//   compose(p, q)   Expr{Call, [int], fn = compose, args = {Var p, Var q}}
#pragma once

#include "frontend/sema/builtins.h"
#include "frontend/sema/types.h"
#include "rw/support/source.h"

#include <string>
#include <vector>

namespace rw::sema {

/// A variable of one function, op declaration or pattern: an index into its `vars`.
using VarId = uint32_t;
inline constexpr VarId kNoVar = UINT32_MAX;
/// Indexes into Module::ops, ::functions, ::patterns.
using OpRef = uint32_t;
using FnRef = uint32_t;
using PatternRef = uint32_t;

enum class ExprKind : uint8_t {
  Int, Float, Bool, String, DType, // literals: intValue, floatValue, text, dtypeName in text
  Var,                             // var
  Neg, Not,                        // args[0]
  And, Or,                         // args[0], args[1]; the second only if needed
  Eq, Ne, Lt, Le, Gt, Ge,          // args of one type; dims: true only if provable for all symbols
  Add, Sub, Mul, Div, Mod, Concat, // Int, Float or Dim; Concat: lists. Int Div and Mod round down
  If,                              // args: condition, then, else; only one branch is evaluated
  Let,                             // var = args[0] in args[1]
  Range,                           // [args[0], …, args[1] - 1]
  List,                            // args are the elements
  Comprehension,                   // var over args[0], element args[1], filter args[2] if there
  All, Any,                        // as Comprehension with a bool element; the filter likewise
  Index,                           // args: list, index (negative ones fail)
  Slice,                           // args: list, begin, end; fails unless 0 <= begin <= end <= len
  Call,                            // fn, args
  Builtin,                         // builtin, args
  IntToDim, DimToInt, IntToFloat,  // conversions; DimToInt fails unless the dim is a number
  IntsToDims, DimsToInts,          // the same on lists
  AttrOf,                          // args[0] an op; index: declared attribute, its default if left out
  ResultOf, OperandOf,             // args[0] an op; index: which result, which operand group
};

struct Expr {
  ExprKind kind = ExprKind::Int;
  Type type;
  SourceRange range;
  int64_t intValue = 0; // Int, Bool
  double floatValue = 0;
  std::string text;
  VarId var = kNoVar;
  FnRef fn = 0;
  Builtin builtin{};
  unsigned index = 0;
  std::vector<Expr> args;
};

} // namespace rw::sema
