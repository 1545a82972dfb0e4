// Expressions and types, as written.
//
// In:  made by frontend/parse only.  Out: read by frontend/check.
// Elsewhere: the base class and names are node.h; left sides of patterns are match.h.
//
// One family of expressions serves functions, conditions and right sides: a CallExpr may turn out to be a call of
// a function or native, the building of an op, or the replay of a chain; sema decides by what the callee names.
// Likewise `not(x)` on a value is the op `not`, and `f32[2, k]` as an expression is an IndexExpr on the name `f32`.
//
//   [x.shape[p] for p in perm]
//     ComprehensionExpr{ element = IndexExpr{ MemberExpr{x, shape}, [p] }, name = p, source = perm }
#pragma once

#include "frontend/ast/node.h"

namespace rw::ast {

enum class ExprKind : uint8_t {
  Int,
  Float,
  Bool,
  String,
  Name,
  Member,
  Index,
  Call,
  List,
  Tuple,
  Unary,
  Binary,
  If,
  Let,
  Range,
  Comprehension,
  Is,
  Region
};
enum class TypeKind : uint8_t { Named, List, Tuple };

struct Expr : NodeBase<ExprKind> {
  bool parenthesized = false; // `range` then still excludes the parentheses
  uint16_t depth = 1;         // levels below and including this one, at most kMaxNesting

protected:
  using NodeBase::NodeBase;
};
using ExprPtr = std::unique_ptr<Expr>;

struct TypeExpr;
using TypePtr = std::unique_ptr<TypeExpr>;
struct Match;
using MatchPtr = std::unique_ptr<Match>;

/// Declares the constructor and the kind of a node; `Base` is its family.
#define RW_AST_NODE(Class, Base, KindName)                                                                             \
  static constexpr Kind kKind = Kind::KindName;                                                                        \
  explicit Class(SourceRange r) : Base(kKind, r) {}

/// `3`, `0xff`. A leading minus is a UnaryExpr, so the value is never negative. The parser takes
/// 9223372036854775808 only directly under a minus and then yields `-9223372036854775808` as one IntExpr.
struct IntExpr : Expr {
  RW_AST_NODE(IntExpr, Expr, Int)
  int64_t value = 0;
};
struct FloatExpr : Expr {
  RW_AST_NODE(FloatExpr, Expr, Float)
  double value = 0;
};
struct BoolExpr : Expr {
  RW_AST_NODE(BoolExpr, Expr, Bool)
  bool value = false;
};
/// Escapes are resolved.
struct StringExpr : Expr {
  RW_AST_NODE(StringExpr, Expr, String)
  std::string value;
};
/// A variable, operand, attribute, function, op, dtype, …: sema finds out.
struct NameExpr : Expr {
  RW_AST_NODE(NameExpr, Expr, Name)
  Name name;
};
/// `x.shape`
struct MemberExpr : Expr {
  RW_AST_NODE(MemberExpr, Expr, Member)
  ExprPtr object;
  Name member;
};

/// One argument of an index: `i`, or a slice `a..b` whose ends may be left out.
struct IndexArg {
  SourceRange range;
  bool slice = false;
  ExprPtr begin; // the index itself if it is not a slice
  ExprPtr end;   // slices only
};
/// `p[i]`, `p[1..]`, `f32[m, k]`
struct IndexExpr : Expr {
  RW_AST_NODE(IndexExpr, Expr, Index)
  ExprPtr object;
  std::vector<IndexArg> args;
};

/// One argument of a call.
struct CallArg {
  enum class Form : uint8_t {
    Plain,  // `x`, or `perm = p` when `name` is set
    Each,   // `each x`: the operands that an `each` on the left bound, in order
    Spread, // `xs...`
    Attrs,  // `_ = c`: every attribute that is not stated, as the op `c` has it
    Side,   // `side => transpose(side, …)`: how a chain's other operands are rewritten; `name` is what stands left
  };
  Form form = Form::Plain;
  SourceRange range;
  Name name; // empty for positional arguments
  ExprPtr value;
};
/// `f(x, perm = p) -> f32[2]`. `all(… for …)` and `any(… for …)` are calls whose only argument is a
/// ComprehensionExpr with `bare` set.
struct CallExpr : Expr {
  RW_AST_NODE(CallExpr, Expr, Call)
  QualifiedName callee;
  ExprPtr target; // `mid[0](x)`: what is called, an element of a list; else null. `callee` is then for messages alone
  std::vector<CallArg> args;
  TypePtr statedType; // null: inferred
};
struct ListExpr : Expr {
  RW_AST_NODE(ListExpr, Expr, List)
  std::vector<ExprPtr> elements;
};
/// `(lhs.dtype, dims)`; at least two elements, or none, or one that is spread.
struct TupleExpr : Expr {
  RW_AST_NODE(TupleExpr, Expr, Tuple)
  std::vector<ExprPtr> elements;
  std::vector<bool> spread; // by element: `xs...`; empty: none is
  bool spreads(size_t i) const { return i < spread.size() && spread[i]; }
};

enum class UnaryOp : uint8_t { Neg, Not };
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
std::string_view spelling(UnaryOp);
std::string_view spelling(BinaryOp);

struct UnaryExpr : Expr {
  RW_AST_NODE(UnaryExpr, Expr, Unary)
  UnaryOp op = UnaryOp::Neg;
  SourceRange opRange;
  ExprPtr operand;
};
/// All are left-associative; comparisons do not chain.
struct BinaryExpr : Expr {
  RW_AST_NODE(BinaryExpr, Expr, Binary)
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
};
/// `if c then a else b`
struct IfExpr : Expr {
  RW_AST_NODE(IfExpr, Expr, If)
  ExprPtr condition, thenValue, elseValue;
};
/// `let (u, s) = e in body`
struct LetExpr : Expr {
  RW_AST_NODE(LetExpr, Expr, Let)
  std::vector<Name> names; // more than one: the value is taken apart
  ExprPtr value, body;
};
/// `begin..end`, without `end`.
struct RangeExpr : Expr {
  RW_AST_NODE(RangeExpr, Expr, Range)
  ExprPtr begin, end;
};
/// `[e for i in list if c]`; with `bare`, the same without brackets as the only argument of a call.
struct ComprehensionExpr : Expr {
  RW_AST_NODE(ComprehensionExpr, Expr, Comprehension)
  struct Source {
    std::vector<Name> names; // more than one: each element is taken apart
    ExprPtr list;
  };
  ExprPtr element;
  std::vector<Source> sources; // one per `for`, the last turning fastest
  ExprPtr filter;              // null: none
  bool bare = false;
};
/// `y is broadcast(z, shape = s)`
struct IsExpr : Expr {
  RW_AST_NODE(IsExpr, Expr, Is)
  SourceRange opRange;
  ExprPtr value;
  MatchPtr match;
};

/// `(a -> x.type, rest...) => (relu(a), rest...)`: a region of an op that is built.
struct RegionExpr : Expr {
  RW_AST_NODE(RegionExpr, Expr, Region)
  struct Param {
    Name name;
    SourceRange range;
    TypePtr type;      // null: that of the parameter of a matched region that has the name
    bool list = false; // `rest...`
  };
  std::vector<Param> params;
  SourceRange paramRange;
  ExprPtr result; // an expression, a tuple, or either behind `let … in`
};

// Types: of parameters, operands and attributes, in `x: f32[m, k]`, and after `->` on the right.

struct TypeExpr : NodeBase<TypeKind> {
protected:
  using NodeBase::NodeBase;
};

/// One dimension of a NamedType.
struct TypeDim {
  enum class Form : uint8_t {
    Value, // a number, a name that binds or is bound, or an expression
    Any,   // `_` or `?`
    Rest,  // `batch...` or `...`: any number of dimensions
  };
  Form form = Form::Value;
  SourceRange range;
  ExprPtr value; // Value
  Name name;     // Rest, may be empty
};
/// `tensor`, `int`, `f32[m, k]`, `_[n]`, `y.type` (dialect = y, name = type), `single_element`. Which of these a word
/// is, sema decides.
struct NamedType : TypeExpr {
  RW_AST_NODE(NamedType, TypeExpr, Named)
  QualifiedName name; // `_` for any element type
  bool hasDims = false;
  std::vector<TypeDim> dims;
};
/// `[int]`
struct ListType : TypeExpr {
  RW_AST_NODE(ListType, TypeExpr, List)
  TypePtr element;
};
/// `(f32[2], f32[3])`: a tuple, or the types of several results.
struct TupleType : TypeExpr {
  RW_AST_NODE(TupleType, TypeExpr, Tuple)
  std::vector<TypePtr> elements;
};

} // namespace rw::ast
