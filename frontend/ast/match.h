// The left side of a pattern, and what stands right of `is`.
//
// In:  made by frontend/parse only.  Out: read by frontend/check.
// Elsewhere: expressions and types are expr.h; the pattern around it is decl.h.
//
//   f: elementwise(each (transpose(x, perm = p) | x: single_element))
//   BindMatch{ f, OpMatch{ heads = [elementwise], args = [ EachMatch{ AlternativesMatch{
//       OpMatch{ [transpose], args = [NameMatch x, perm = NameMatch p] },
//       BindMatch{ x, TypeMatch{ NamedType single_element } } } } ] } }
#pragma once

#include "frontend/ast/expr.h"

namespace rw::ast {

enum class MatchKind : uint8_t {
  Any,
  Name,
  Bind,
  Type,
  Literal,
  List,
  Const,
  Splat,
  Op,
  Alternatives,
  Each,
  Single,
  Rest,
  Optional,
  Region
};

struct Match : NodeBase<MatchKind> {
  uint16_t depth = 1; // as in Expr
protected:
  using NodeBase::NodeBase;
};

/// `_`
struct AnyMatch : Match {
  RW_AST_NODE(AnyMatch, Match, Any)
};
/// `x`: binds at its first use, and is compared at every later one.
struct NameMatch : Match {
  RW_AST_NODE(NameMatch, Match, Name)
  Name name;
};
/// `d: relu(x)`, `x: f32[m, k]`, `c: const _`. On an OpMatch the name is the op itself (with `elementwise(…)` an op
/// variable, with `elementwise*(…)` a chain); otherwise it is the value. The name is empty in `_: f32[m]`.
struct BindMatch : Match {
  RW_AST_NODE(BindMatch, Match, Bind)
  Name name;
  MatchPtr inner;
};
/// Right of the colon: a type, or a word that constrains the value (`single_element`, a dtype class, a constraint).
struct TypeMatch : Match {
  RW_AST_NODE(TypeMatch, Match, Type)
  TypePtr type;
};
/// `3`, `-1.5`, `"same"`, `true`; negative numbers are folded into the literal.
struct LiteralMatch : Match {
  RW_AST_NODE(LiteralMatch, Match, Literal)
  ExprPtr value; // IntExpr, FloatExpr, StringExpr or BoolExpr
};
/// `[1, 0]`, `[a, b, rest...]`
struct ListMatch : Match {
  RW_AST_NODE(ListMatch, Match, List)
  std::vector<MatchPtr> elements;
};
/// `const c`, `const _`: any constant.
struct ConstMatch : Match {
  RW_AST_NODE(ConstMatch, Match, Const)
  MatchPtr inner; // Any, Name, or Bind of a type
};
/// `splat(0)`: a constant all of whose elements are the literal, or equal what `inner` binds.
struct SplatMatch : Match {
  RW_AST_NODE(SplatMatch, Match, Splat)
  MatchPtr inner;
};

/// `x`, `perm = p` or `body = (a) => relu(a)` in an op match.
struct MatchArg {
  Name attr; // of an attribute or region; empty for operands
  SourceRange range;
  MatchPtr match;
};
/// `transpose(x, perm = p)`, `(relu | relu6)(x)`, `convert?(x)`, `elementwise*(x)`, `elementwise+(x)`.
struct OpMatch : Match {
  RW_AST_NODE(OpMatch, Match, Op)
  enum class Quantifier : uint8_t { One, Optional, Star, Plus };
  std::vector<QualifiedName> heads; // ops, traits or template variables; more than one are alternatives
  SourceRange headRange;
  Quantifier quantifier = Quantifier::One;
  SourceRange quantifierRange;
  std::vector<MatchArg> args; // in written order, operands and attributes
  SourceRange rest;           // of `..`; empty if there is none
  SourceRange ordered;        // of the word, in `ordered add(const c, x)`: operands as written only
  SourceRange anyAttrs;       // of `_ = _`: every attribute that is not mentioned, whatever it is
  Name result;                // `svd(x).u`: which result the value is; empty: the first
};
/// `(transpose(x) | x: single_element)`
struct AlternativesMatch : Match {
  RW_AST_NODE(AlternativesMatch, Match, Alternatives)
  std::vector<MatchPtr> alternatives; // at least two
};
/// `each (…)`: every operand.
struct EachMatch : Match {
  RW_AST_NODE(EachMatch, Match, Each)
  MatchPtr inner;
};
/// `single relu(x)`: the value has no other use.
struct SingleMatch : Match {
  RW_AST_NODE(SingleMatch, Match, Single)
  MatchPtr inner;
};
/// `b?`, `_?`, `(const b)?`: an operand that may be left out; `inner` is asked of it where it is there.
struct OptionalMatch : Match {
  RW_AST_NODE(OptionalMatch, Match, Optional)
  MatchPtr inner;
};
/// `xs...`, `_...`: any number of operands or list elements.
struct RestMatch : Match {
  RW_AST_NODE(RestMatch, Match, Rest)
  Name name; // empty for `_...`
};

/// `(a, rest...) => (add(a, x), others...)`: a region of an op, its parameters and what it results in.
struct RegionMatch : Match {
  RW_AST_NODE(RegionMatch, Match, Region)
  std::vector<MatchPtr> params, results;
  SourceRange paramRange, resultRange;
};

} // namespace rw::ast
