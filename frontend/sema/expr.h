// Checked expressions: typed trees of plain data in which every name is resolved.
//
// In:  made by sema.
// Out: read by codegen/plan and codegen/emit, which may copy and keep them: they refer to nothing but the tables of
//      the Module and the Body they came from.
// Elsewhere: types and ids are type.h; builtin functions builtins.h; what right sides build is `Build` below.
//
// Evaluation is total: each kind says when it *fails*. A failing condition is no match; a failing `type` clause leaves
// the type open; a failing `require` has refuted nothing, so the op is accepted; a failing right side is no match.
//
//   compose(p, q)       Call{ fn compose, type [int], args = [ Var p, Var q ] }
//   x.shape[0] == 3     Binary{ Eq, bool, [ Index{ dim, [ Property{ Shape, [dim], [Var x] }, Int 0 ] },
//                                           Convert{ dim, [Int 3] } ] }
#pragma once

#include "frontend/sema/builtins.h"
#include "frontend/sema/rare.h"
#include "frontend/sema/type.h"

#include <optional>

namespace rw::sema {

enum class ExprKind : uint8_t {
  Int,    // i
  Float,  // f
  Bool,   // i
  String, // text
  DType,  // text: "f32", "?" for not stated
  None,   // an optional operand or attribute left out; of type Dim: an unknown dimension
  List,   // args = elements, all of type.element()
  Var,    // var(). Fails if the variable may be unbound (Var::mayBeUnbound) and is.
  Neg,
  Not,
  Binary,        // binary; args = lhs, rhs. `and`, `or` look at rhs only if they must
  If,            // args = condition, then, else; only the chosen one is evaluated
  Let,           // var() = args[0] in args[1]
  Range,         // [begin, end) of ints: args = begin, end; empty if end <= begin
  Comprehension, // see below
  Index,         // args = list, index. Fails outside the list; negative indexes are outside
  Slice,         // args = list, begin, end, both ints (None: the list's end). Fails unless 0 <= begin <= end <= len
  Call,          // fn(); args = one per parameter
  Builtin,       // builtin; args = one per parameter
  Native,        // native(), a constraint; args = one per parameter
  Property,      // property; args = the value, type, tensor or op
  OpOperand,     // declared operand `i` of the op args[0]; a list if variadic; fails if optional and absent
  OpAttr,        // declared attribute `i` of the op args[0], its default if left out; fails if there is none
  OpResult,      // result `i` of the op args[0]; a list if variadic
  OpRegion,      // region `i` of the op args[0]
  Convert,  // args[0] to `type`, one of: int → dim, int → float, dim → int (fails unless it is a number), lists
            // of these, any → attr, attr → any concrete type (fails if it is of another kind), value → tensor
            // (fails unless it is constant); right sides only: tensor → value (a constant op of dialect `text`, or of
            // the root's if that is empty; fails if there is none)
  MakeType, // args = dtype, [dim]: a tensor type; one argument: unranked
  Is,       // whether the value args[0] matches Body::tests[test()]; names it binds stay inside
  Build,    // right sides only: the results of build(); a Value, or an Op if it has several results
};

enum class BinaryOp : uint8_t {
  Or,
  And,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Concat,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight
};
std::string_view spelling(BinaryOp);
// Eq, Ne: both sides have the same type; lists by length and element. Comparisons of dims yield true or false only
//   where that holds whatever the symbols stand for, and fail otherwise: `not (a == b)` never fires on ignorance.
// Div, Mod round down (ints and dims) and fail on 0. Arithmetic on ints fails on overflow. Those on bits are of ints
// alone: of the endless binary form of a number, so that a << n is a * 2^n and a >> n is a / 2^n rounded down; both
// fail of a negative n.

/// Comparisons, Contains, IndexOf and Count of floats: which of the two arguments is read as the other where it is what
/// that becomes in 32 bits (rw::unrounded). Attributes are floats of 32 bits, and so are most constants: without it
/// `a == 0.2` would hold of no attribute.
enum class Rounded : uint8_t { None, First, Second };

enum class Property : uint8_t {
  Shape,  // [dim]; fails if unranked
  Rank,   // int; fails if unranked
  DType,  // dtype; fails if not known
  Type,   // type
  Size,   // dim: the number of elements; fails if unranked
  Ints,   // [int]: the elements of a constant of an integer dtype in row-major order; fails if it is not one
  Floats, // [float]: likewise of a float dtype
  // Of the operands of an op, in its `type` clause alone:
  Contents, // [dim]: the integers that it holds, as far as they are known; fails if not even their number is
  Sizes,    // [dim]: the same, where what is or may be below 0 is unknown
  Value,    // tensor: the attribute of a constant; fails if it is not constant
  Uses,     // int: how many uses a value has, results of the function and captures included
  // Of an op:
  Name,           // string: "Relu"
  Dialect,        // string: "onnx"
  Operands,       // [value]: as they stand, of all groups; one that is left out is no value
  Results,        // [value]
  AttributeNames, // [string]: of those that are written, declared ones first
  Attributes,     // [attr]: what they hold, in the same order
};
std::string_view spelling(Property);

struct Expr {
  ExprKind kind = ExprKind::None;
  BinaryOp binary = BinaryOp::Or;
  Property property = Property::Shape;
  sema::Builtin builtin = sema::Builtin::Len;
  Rounded rounded = Rounded::None;
  Type type;
  bool hasFilter = false;      // Comprehension, see below
  bool behindVariadic = false; // OpOperand: where it stands depends on how many operands the op has
  bool mayLack = false;        // OpResult: of an op given by trait, which may have no results
  SourceRange range;
  uint32_t id = UINT32_MAX; // of what the kind says: read it through the functions below
  int64_t i = 0;
  double f = 0;
  RareText text;
  std::vector<Expr> args;

  // Comprehension: element = args[0]; then one list per variable in `loopVars`, the last turning fastest; then the
  // filter if `hasFilter`. `all` and `any` are builtins whose argument usually is one of these: they stop at the first
  // element that decides.
  // A source may be taken apart into several variables: each element of a list of lists, or what stands side by
  // side in Zip and Enumerate. Then loopGroups says how many variables each source has; empty: one each.
  RareList<VarId> loopVars;
  RareList<uint8_t> loopGroups;

  VarId var() const { return VarId(id); }
  FnIndex fn() const { return FnIndex(id); }
  NativeIndex native() const { return NativeIndex(id); }
  BuildId build() const { return BuildId(id); }
  TestId test() const { return TestId(id); }
  const Expr &filter() const { return args.back(); }
  size_t sourceCount() const { return args.size() - 1 - hasFilter; }
  size_t groupSize(size_t source) const { return loopGroups.empty() ? 1 : loopGroups[source]; }
};

/// An attribute that a right side states.
struct BuildAttr {
  uint32_t index = 0; // as declared, of the (single) op built; for BuildKind::Like: of the first op in Var::ops
  std::string name;
  Expr value; // of the attribute's type; None leaves it out
  SourceRange range;
};

enum class BuildKind : uint8_t {
  Op,     // a new op
  Like,   // `f(x)`: the op that `like` holds again, its attributes too, on new operands. If `like` is an optional op
          // that was absent, the result is operands[0]
  Chain,  // `mid(x, side => e)`: every op of the chain `like` again, on operands[0]
  Native, // a rewrite function; operands = its arguments
};

/// Of Build::resultCount: as many as the op then has. The expression is a list of values, or the op if it has others,
/// too.
inline constexpr uint32_t kOpenResults = UINT32_MAX;

/// A region of an op that a right side makes.
struct RegionBuild {
  uint32_t index = 0;         // as declared
  std::optional<Expr> copied; // a region of a matched op as it is: a copy of it. The rest is empty then
  /// A matched region that is built anew: its values, where they stand in here, are what is built again of it. None:
  /// all is new.
  VarId source;
  struct Param {
    VarId var;
    /// A type, or types of a list; none: `var` holds the parameter of `source`, or some of them, that it is again.
    std::optional<Expr> type;
    bool list = false;
  };
  std::vector<Param> params;
  std::vector<std::pair<VarId, Expr>> lets; // seen by what follows
  std::vector<Expr> results;                // values, and lists of them
  SourceRange range;
};

/// Something a right side makes. Nothing is built unless the pattern fires.
struct Build {
  BuildKind kind = BuildKind::Op;
  OpIndex op; // Op
  /// Op declared for several ranges of versions that all take the call alike: which one is built is a matter of the
  /// program's version of the dialect. `op` is the first of them; empty where there is but one.
  std::vector<OpIndex> versions;
  /// Some attribute is one for which an operand stands, in some of the versions: attributes are told apart by name when
  /// it is built.
  bool byName = false;
  VarId like;         // Like, Chain
  NativeIndex native; // Native
  /// Op: one per declared operand: a Value, a list of them if variadic, None if optional and left out. Like: one
  /// per operand of the op, or a single list that holds all of them (`each x`).
  std::vector<Expr> operands;
  std::vector<BuildAttr> attrs; // those stated; the others have their defaults (Op) or are kept (Like)
  std::vector<Expr> types;      // stated result types, one per result; empty: inferred
  /// Chain: each side operand of each link becomes `sideValue`, in which `sideVar` is that operand. Unset: kept.
  VarId sideVar;
  std::optional<Expr> sideValue;
  std::vector<RegionBuild> regions; // Op: one per region declared. Like: those that change; the others are kept
  uint32_t resultCount = 1;
  SourceRange range;
};

/// Calls `visit` with each expression of the regions that an op is built with.
template <class F> void forEachInside(const Build &build, const F &visit) {
  for (const RegionBuild &region : build.regions) {
    if (region.copied)
      visit(*region.copied);
    for (const RegionBuild::Param &param : region.params)
      if (param.type)
        visit(*param.type);
    for (const auto &let : region.lets)
      visit(let.second);
    for (const Expr &result : region.results)
      visit(result);
  }
}

} // namespace rw::sema
