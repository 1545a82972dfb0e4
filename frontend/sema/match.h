// Checked left sides: trees of tests on values in which ops, attributes and variables are resolved.
//
// In:  made by sema.  Out: read by codegen/plan.
// Elsewhere: expressions are expr.h; patterns module.h.
//
// A Match looks at one value (of roots: at an op). Parts are tried in written order; a choice (operand order,
// alternative, optional op, chain length) means that all that follows, `where` included, is tried for each in turn.
//
//   transpose(transpose(x, perm = p), perm = q)
//   Match{ Op, ops = {tensor.transpose}, attrs = [ 0: Bind q ], operands = [ One{
//     Match{ Op, ops = {tensor.transpose}, attrs = [ 0: Bind p ], operands = [ One{ Match{ Any, value = Bind x } } ] }
//   } ] }
#pragma once

#include "frontend/sema/expr.h"

#include <optional>

namespace rw::sema {

/// What a name does where it stands: the first use binds, later ones compare. Where it depends on the alternative
/// taken or on the operand of an `each`, it binds if the variable is unbound and compares otherwise.
enum class Use : uint8_t { None, Bind, Compare, BindOrCompare };
/// A comparison with a variable of type Op compares with its first result. Inside an `each`, a variable that is bound
/// once per operand stands for the operand at hand.
struct VarUse {
  Use use = Use::None;
  VarId var;
  SourceRange range;
  explicit operator bool() const { return use != Use::None; }
};

struct Match;
struct Condition;
struct RegionMatch;

/// How one declared operand is matched.
enum class OperandMatchKind : uint8_t {
  One,     // the operand (of an optional one: it must be there) matches elements[0]
  Maybe,   // optional operand: elements[0] matches it, or it is left out
  Absent,  // optional operand: must be left out; variadic: must be empty; where the op does not declare it: nothing
  Ignored, // `..`
  List,    // variadic: elements one by one; if `rest` is in use, any number at position `restAt`
};
struct OperandMatch {
  OperandMatchKind kind = OperandMatchKind::One;
  std::vector<Match> elements;
  bool hasRest = false; // List: `xs...` or `_...` stands before elements[restAt]
  uint32_t restAt = 0;
  VarUse rest; // binds a list of values
};

/// How one attribute is matched.
enum class AttrMatchKind : uint8_t {
  Var,     // bound to or compared with `var`; an optional attribute must be there
  Equal,   // equal to `value`
  OneOf,   // equal to one of `choices`, which are literals
  Default, // must be left out or equal its default (evaluated over the matched op)
  Absent,  // optional attribute: must be left out
  Ignored, // `_` or `..`
  List,    // a list of ints, dims, …: `elements` one by one, and any number of them where the rest stands
};
struct AttrMatch {
  std::string name;
  /// Its index in each op of OpSet::ops, in that order; -1 where an op does not declare it (Default, Absent only).
  std::vector<int> index;
  AttrMatchKind kind = AttrMatchKind::Ignored;
  VarUse var;
  std::optional<Expr> value;
  std::vector<Expr> choices;
  struct Element { // one of: a variable, an expression to be equal to, anything
    VarUse var;
    std::optional<Expr> value;
  };
  std::vector<Element> elements;
  Type element; // List: the type of the elements, as the op declares it
  bool hasRest = false;
  uint32_t restAt = 0;
  VarUse rest;
  SourceRange range;
};

/// A dimension in `f32[m, k]`.
struct DimMatch {
  VarUse var;                // binds or compares a dim (`m`), or of a rest a [dim] (`batch...`)
  std::optional<Expr> value; // provably equal to this
  bool rest = false;         // any number of dimensions, at most one per shape
};
enum class DTypeClass : uint8_t { Any, Float, Integer, Exactly };
/// `f32[m, k]`, `_[n]`, `float`, `single_element`, `(f32[m], i32)`. All parts must hold.
struct TypeMatch {
  DTypeClass dtypeClass = DTypeClass::Any;
  std::optional<Expr> dtype; // Exactly
  std::optional<std::vector<DimMatch>> dims;
  std::vector<TypeMatch> elements; // of a tuple of exactly so many, if there are any
  bool singleElement = false;      // provably one element, whatever the rank
  std::optional<Expr> equals;      // the type of another value: `x: y.type`
  std::vector<NativeIndex> native; // constraints with the value as their only argument
  SourceRange range;
};

enum class MatchKind : uint8_t {
  Any,          // any value (`_`, or a name alone)
  Op,           // result `result` of an op in `ops`
  Chain,        // zero (`atLeastOne`: one) or more ops of `ops`, each with no other use, around children[0]
  Const,        // the result of an op with trait `constant`
  Splat,        // such, all of whose elements are equal to `literal` or to what `splatVar` binds
  Alternatives, // the first of `children` that lets everything match
};

struct Match {
  MatchKind kind = MatchKind::Any;
  SourceRange range;
  VarUse value;        // names the value (`x`, `x: f32[m]`, `c: const _`)
  bool single = false; // the value has exactly one use
  std::vector<TypeMatch> types;

  // Op, Chain
  OpSet ops;
  VarUse op;             // `d: dot_general(…)`, `f: elementwise(…)`, `mid: elementwise*(…)`
  uint32_t result = 0;   // Op: which result the value is
  bool optional = false; // `convert?(x)`: the op, or else the value itself matches operands[0].elements[0]
  /// By declared operand if the op is listed; by position if by trait, and then the op has exactly so many.
  std::vector<OperandMatch> operands;
  bool ignoreOperands = false; // `..`, by trait: there may be more
  /// Every declared attribute, in the order in which they are to be tested; twice if it is bound and asked something
  /// of. Of a chain only those that it mentions, compared with literals and what is bound before.
  std::vector<AttrMatch> attrs;
  std::vector<RegionMatch> regions; // those of which something is asked or named; the others are anything
  bool ignoreAttrs = false;         // undeclared attributes are allowed (`..`, or by trait)
  bool commutative = false;         // operands 0 and 1 may also match swapped; written order first
  bool ifCommutative = false;       // with `commutative`: only of an op that has the trait; not all that this may be do
  /// `each m`: every operand matches children[0]. A value bound in there is bound once per operand: a list.
  bool each = false;

  // Chain: children[0] is what stands at its end. The other operands of each link match `side`, or hold a
  // single element if there is none. A value bound in `side` is seen only by the chain's replay.
  bool atLeastOne = false;
  std::vector<Match> side; // at most one

  // Splat
  std::optional<Expr> literal; // Int, Float or Bool
  VarUse splatVar;             // an attribute of one element

  std::vector<Match> children; // Alternatives, Chain, each

  /// What is asked once all of the above fits: conditions of a named match, and what its arguments ask of its
  /// parameters.
  std::vector<Condition> after;
  SourceRange usedAt; // of a named match that is put in: where it is used
};

/// A region of an op: its name, and what is asked of its inside.
struct RegionMatch {
  std::vector<int> index; // as declared, of each op of OpSet::ops
  VarUse var;             // always: a region without a name has a variable of its own
  bool looksInside = false;
  OperandMatch params, results; // List: values that are its parameters, and that it results in
  SourceRange range;
};

enum class ConditionKind : uint8_t { Test, Let, Is };
/// One item of `where`, in written order. `a and b` is two; names that `is` binds are seen by what follows.
struct Condition {
  ConditionKind kind = ConditionKind::Test;
  Expr expr;                  // Test: must be true. Let: the value. Is: the value that `match` looks at
  VarId var;                  // Let
  std::optional<Match> match; // Is
  SourceRange range;
};

/// Calls `visit` with every dimension of a type, those of its elements included.
template <class F> void forEachDim(const TypeMatch &type, const F &visit) {
  if (type.dims)
    for (const DimMatch &dim : *type.dims)
      visit(dim);
  for (const TypeMatch &element : type.elements)
    forEachDim(element, visit);
}

/// Calls `visit` with what is asked of each value inside the regions of an op.
template <class F> void forEachInside(const Match &m, const F &visit) {
  for (const RegionMatch &region : m.regions)
    for (const OperandMatch *list : {&region.params, &region.results})
      for (const Match &element : list->elements)
        visit(element);
}

/// Calls `visit` with each op that a root may be: itself, or its alternatives.
template <class F> void forEachRootOp(const Match &root, const F &visit) {
  if (root.kind != MatchKind::Alternatives)
    return visit(root);
  for (const Match &child : root.children)
    forEachRootOp(child, visit);
}

/// Calls `use` with every use of a variable in a match, in the order of its parts.
template <class F> void forEachUse(const Match &m, const F &use) {
  use(m.value);
  use(m.op);
  use(m.splatVar);
  for (const TypeMatch &type : m.types)
    forEachDim(type, [&](const DimMatch &dim) { use(dim.var); });
  for (const OperandMatch &operand : m.operands) {
    for (const Match &element : operand.elements)
      forEachUse(element, use);
    use(operand.rest);
  }
  for (const AttrMatch &attr : m.attrs) {
    use(attr.var);
    for (const AttrMatch::Element &element : attr.elements)
      use(element.var);
    use(attr.rest);
  }
  for (const RegionMatch &region : m.regions) {
    use(region.var);
    for (const OperandMatch *list : {&region.params, &region.results}) {
      for (const Match &element : list->elements)
        forEachUse(element, use);
      use(list->rest);
    }
  }
  for (const std::vector<Match> *part : {&m.children, &m.side})
    for (const Match &child : *part)
      forEachUse(child, use);
  for (const Condition &condition : m.after) {
    if (condition.var)
      use(VarUse{Use::Bind, condition.var, condition.range});
    if (condition.match)
      forEachUse(*condition.match, use);
  }
}

} // namespace rw::sema
