// The checked program of one .rw file and what it imports: nothing unresolved survives.
//
// In:  made by analyze.h from syntax trees.
// Out: plain data without pointers into the syntax: ops, functions, patterns, passes, pipelines, tests. Declarations of
//      imported files are here too (`file` tells); only those of the root file are emitted.
// Elsewhere: expressions are expr.h. Plans (codegen/plan) are made from Pattern.
//
// A pattern's left side is a tree of ValueMatch and OpMatch. Every name is a variable; where it stands first it is
// bound, later it is compared: `binds` tells which.
#pragma once

#include "frontend/sema/expr.h"

#include <memory>
#include <optional>

namespace rw::sema {

struct Var {
  std::string name; // as written; made-up variables have none
  Type type;
  SourceRange range;
};

enum class Arity : uint8_t { One, Optional, Variadic };

struct Operand {
  std::string name;
  Arity arity = Arity::One;
  VarId var = kNoVar; // in Op::vars: a value, or a list of values if variadic
  SourceRange range;
};
struct Result {
  std::string name;
  Arity arity = Arity::One;
  SourceRange range;
};
struct Attr {
  std::string name;
  Type type;
  bool optional = false;
  std::optional<Expr> defaultValue; // over the operands' and earlier attributes' variables
  VarId var = kNoVar;
  std::string doc;
  SourceRange range;
  bool required() const { return !optional && !defaultValue; }
};
/// Text with expressions in it: text, value, text, value, …
struct Message {
  struct Part {
    std::string text;
    std::optional<Expr> value;
  };
  std::vector<Part> parts;
};
struct Require {
  Expr condition;
  Message message;
};
/// The type of one result: either a whole type, or element type and shape.
struct ResultType {
  std::optional<Expr> type;
  std::optional<Expr> dtype, shape;
};
struct Fold {
  Expr value; // of type Value or Tensor
  std::optional<Expr> condition;
};

/// Traits as bits of rw::Trait (runtime/rw/ir/schema.h), by the same names.
struct TraitSet {
  bool pure = false, elementwise = false, commutative = false, constant = false;
  bool effectRandom = false, effectError = false, effectState = false;
  friend bool operator==(const TraitSet &, const TraitSet &) = default;
};

struct Op {
  std::string dialect, name;
  int64_t firstVersion = 0;
  std::optional<int64_t> lastVersion;
  FileId file;
  SourceRange range; // of the name
  std::string doc;
  std::vector<Var> vars;
  std::vector<Operand> operands;
  std::vector<Result> results;
  std::vector<Attr> attrs;
  std::vector<std::string> regions;
  TraitSet traits;
  std::vector<Require> requirements;
  std::vector<ResultType> types; // one per result, or empty: nothing is known
  std::vector<Fold> folds;
  std::vector<PatternRef> canonicalize;
  std::string fullName() const { return dialect + "." + name; }
};

struct Function {
  std::string name;
  FileId file;
  SourceRange range;
  std::string doc;
  std::vector<Var> vars; // the parameters first
  unsigned params = 0;
  Type result;
  Expr body;
};

// Left sides ----------------------------------------------------------------------------------------------------------

struct OpMatch;

/// What a value's type must be: `f32[m, k]`.
struct TypeMatch {
  std::string dtype; // empty: any
  bool hasShape = false;
  struct Dim {
    enum Kind : uint8_t { Any, Equal, Bind, Rest } kind = Any;
    std::optional<Expr> value; // Equal
    VarId var = kNoVar;        // Bind (a dim), Rest (a list of dims, or none)
  };
  std::vector<Dim> dims;
};

/// What an operand must be.
struct ValueMatch {
  enum Kind : uint8_t {
    Any,          // whatever it is
    Absent,       // an optional operand left out
    Op,           // the result of an op that `op` describes
    Const,        // a constant
    Splat,        // a constant all of whose elements are `splat`
    Alternatives, // the first of `alternatives` that fits
    Rest,         // any number of operands: only as an operand of a variadic group
  } kind = Any;
  SourceRange range;
  VarId var = kNoVar;  // the value itself, if named
  bool binds = false;  // `var` is bound here; else compared
  bool single = false; // the value has no other use
  bool singleElement = false; // it provably holds exactly one element
  std::optional<TypeMatch> type;
  std::optional<Expr> splat; // Int, Float or Bool literal
  std::unique_ptr<OpMatch> op;
  std::vector<ValueMatch> alternatives;
};

struct AttrMatch {
  enum Kind : uint8_t {
    Bind,    // var
    Equal,   // value (a literal, an expression, or a variable bound before)
    Default, // left out in the text: must have its default (or be absent if it has none)
    Ignore,  // `_`
  } kind = Bind;
  unsigned index = 0; // declared attribute
  VarId var = kNoVar;
  std::optional<Expr> value;
  SourceRange range;
};

struct OpMatch {
  enum Quantifier : uint8_t { One, Optional, Star, Plus };
  Quantifier quantifier = One;
  SourceRange range;
  /// The ops it may be, or, if empty, every op with `traits`.
  std::vector<OpRef> ops;
  TraitSet traits;
  std::string head; // as written, for messages
  VarId var = kNoVar; // the op, or the chain for Star and Plus
  bool each = false;  // operands[0] is for every operand (at least one)
  std::vector<ValueMatch> operands; // by declared position, variadic groups spelled out
  std::vector<AttrMatch> attrs;     // in order of declaration, unless `ignoreRest`
  bool ignoreRest = false;          // `..`, and always for traits: attributes not mentioned may be anything
  bool commutes = false;            // the two operands match in either order
};

struct Condition {
  enum Kind : uint8_t { Test, Let, Is, Constraint } kind = Test;
  SourceRange range;
  std::optional<Expr> value;    // Test: the bool; Let: what is bound; Is: the value looked at
  VarId var = kNoVar;           // Let
  bool negated = false;         // Is, Constraint
  std::optional<ValueMatch> is; // Is
  std::string native;           // Constraint: its name
  std::vector<Expr> args;
};

// Right sides ---------------------------------------------------------------------------------------------------------

/// A value that the right side builds or names.
struct Build {
  enum Kind : uint8_t {
    Existing, // `var`: bound on the left or by a let
    Create,   // op(operands, attrs) -> statedType
    Clone,    // f(operands): the op `var` of the left on new operands
    Replay,   // mid(operand): the chain `var` on a new input
    Each,     // each x: the values that `var` was bound to under `each`, in order; only as operand of Clone
  } kind = Existing;
  SourceRange range;
  VarId var = kNoVar;
  OpRef op = 0;
  unsigned result = 0; // which result of the op
  std::vector<Build> operands;
  std::vector<std::pair<unsigned, Expr>> attrs; // declared index, value
};

struct Action {
  enum Kind : uint8_t { Let, Replace, Update, Erase } kind = Replace;
  SourceRange range;
  VarId var = kNoVar;           // Let: what is bound; else the op acted on
  std::vector<Build> values;    // Let: one; Replace: one per result
  std::optional<Expr> computed; // Let of a plain value
  std::vector<std::pair<unsigned, Expr>> attrs; // Update
};

struct Pattern {
  std::string name;
  FileId file;
  SourceRange range; // of the name
  std::string doc;
  unsigned benefit = 1;
  bool fastmath = false, recursive = false;
  std::vector<std::string> labels;
  std::vector<Var> vars;
  std::vector<bool> underEach; // by variable: bound once per operand, so it stands for a list
  OpMatch root;
  std::vector<Condition> conditions;
  std::vector<Action> actions; // in order; a plain `=> x` is Replace of the root
};

struct Pass {
  std::string name;
  FileId file;
  SourceRange range;
  std::string doc;
  std::vector<PatternRef> patterns;
  std::vector<std::string> labels;
  unsigned maxIterations = 0;
};

struct Pipeline {
  std::string name, text, doc; // text as PassManager reads it
  FileId file;
  SourceRange range;
};

struct Module {
  FileId root;
  std::vector<FileId> files;            // the root first, then imports in order of first mention
  std::vector<std::string> importPaths; // as resolved, of the imports (for dependency files)
  std::vector<FileId> directImports;    // of the root
  std::vector<Op> ops;
  std::vector<Function> functions;
  std::vector<Pattern> patterns;
  std::vector<Pass> passes;
  std::vector<Pipeline> pipelines;
};

} // namespace rw::sema
