// A checked program: everything `rwc` knows of a .rw file and what it imports. Nothing unresolved is left in it.
//
// In:  made by check.h from syntax trees.
// Out: plain data for codegen/plan and codegen/emit; `dump` prints it (`rwc --dump=sema`).
// Elsewhere: expressions are expr.h, left sides match.h.
//
// Declarations of the file itself and of its imports stand in the same tables; `imported` tells them apart: only
// those that are not are emitted, the others are referred to through their own FILE.rw.h.
//
//   for (const Pattern &p : module.patterns)
//     if (!p.imported) emit(p);
#pragma once

#include "frontend/sema/match.h"
#include "rw/support/fast_math.h"

namespace rw::sema {

enum class VarKind : uint8_t {
  Param,   // of a function, native or test: `index`
  Operand, // of an op declaration: `index`; type Value, [Value] if variadic
  Attr,    // of an op declaration: `index`
  Let,     // of a `let`, in expressions, conditions or right sides
  Loop,    // of a comprehension
  Value,   // bound by a match to a value, or to a list of them (rest, each)
  Op,      // names a matched op
  Chain,   // names a chain
  Bound,   // bound by a match to an attribute, a part of one, a dim, a dtype or the element of a splat
  Side,    // the side operand in a chain's replay
  Region,  // names a region of a matched op, or stands for one without a name
};

struct Var {
  std::string name;
  Type type;
  VarKind kind = VarKind::Let;
  SourceRange range;
  uint32_t index = 0;               // Param, Operand, Attr
  std::vector<std::string> choices; // Attr, Bound: the strings it can be, if that is known
  OpSet ops;                        // Op, Chain: what it can be
  NativeIndex native;               // Let of type Op: the native rewrite that gave it
  bool optional = false;            // Operand, Attr, Op, Value: may be absent
  bool perOperand = false;          // Value: bound once per operand of an `each`
  uint8_t localTo = 0;       // of a named match used within so many `each`: it does not leave the innermost of these
  bool computed = false;     // of a parameter of a named match: a `let` of some case gives it
  bool ofAttr = false;       // Attr, Bound, Let, Loop: the value is that of an attribute or of part of one
  bool ofConstant = false;   // Bound, Let, Loop: made of elements of constants, which may have 64 bits
  VarId paramOf;             // Value: a parameter, or some, of the matched region that this variable stands for
  bool mayBeUnbound = false; // not every alternative binds it: using it where it is unbound fails
  /// Named by `b?` on a left side: an operand of what is built is left out where it is absent.
  bool isOptionalOperand() const { return kind == VarKind::Value && optional; }
};

/// What the expressions of one declaration refer to by id.
struct Body {
  std::vector<Var> vars;
  std::vector<Build> builds;
  std::vector<Match> tests; // of ExprKind::Is
  const Var &var(VarId id) const { return vars[id.raw]; }
};

/// What every declaration has.
struct Decl {
  std::string name;
  std::string doc; // lines joined by '\n'
  SourceRange range, nameRange;
  FileId file;
  bool imported = false;
  bool isPrivate = false; // only its own file sees it
};

enum class Arity : uint8_t { Single, Optional, Variadic };
/// As rw::AttrType, in the same order.
enum class AttrType : uint8_t {
  Int,
  Float,
  Bool,
  String,
  DType,
  Type,
  Symbol,
  Dim,
  Ints,
  Floats,
  Bools,
  Strings,
  Dims,
  IntLists,
  DTypes,
  Types,
  Tensor,
  Any
};
std::string_view spelling(AttrType);                                                // "[int]"
std::string listOfChoices(const std::vector<std::string> &, std::string_view last); // "a", "b" or "c"
Type typeOf(AttrType); // of the values of such an attribute

struct Operand {
  std::string name;
  Arity arity = Arity::Single;
  std::optional<TypeMatch> type; // more than `tensor`; names in it are variables of the op's body
  SourceRange range;
};
struct OpResultDecl {
  std::string name; // empty: the only result, unnamed
  Arity arity = Arity::Single;
  bool optional = false; // every op has it; where nothing uses it, other formats leave it out
  SourceRange range;
};
struct OpAttrDecl {
  std::string name, doc;
  AttrType type = AttrType::Any;
  std::vector<std::string> choices; // String: the only values there are; empty: any
  bool optional = false;
  std::optional<Expr> defaultValue; // over operands and earlier attributes
  SourceRange range;
  uint32_t operand = 0; // of Op::standIns: the operand that stands for it
  bool required() const { return !optional && !defaultValue; }
  std::string spelling() const; // of its type: [int], "same" | "valid"
};
/// A piece of a message: text, or an expression whose value is shown.
struct MessagePiece {
  std::string text;
  std::optional<Expr> value;
};
struct Require {
  Expr condition;
  std::vector<MessagePiece> message; // empty: none stated
  SourceRange range;
};
struct FoldRule {
  Expr value; // a Value, or a Tensor
  std::optional<Expr> condition;
  SourceRange range;
};

struct Op : Decl {
  std::string dialect;
  std::string externalDialect; // what files of other formats call the dialect, or empty
  int64_t since = 0;           // versions of the dialect it holds for, both included
  std::optional<int64_t> until;
  std::vector<Operand> operands;
  std::vector<OpResultDecl> results;
  std::vector<OpAttrDecl> attrs;
  /// `axes: tensor? as [int]`: attributes of other versions of the op for which an operand stands here. Where
  /// attributes are numbered, they come behind those that the op has.
  std::vector<OpAttrDecl> standIns;
  std::vector<std::string> regions;
  uint32_t traits = 0;
  uint32_t typeOnly = 0;          // operands of which an elementwise op looks at the type only, one bit each
  uint32_t moved = 0;             // operands whose elements an op with `moves_elements` moves, one bit each
  std::vector<Require> requires_; // what the types of operands ask comes first
  struct Dimension {
    VarId var; // a name in the type of an operand
    Expr value;
  };
  std::vector<Dimension> dimensions;
  std::vector<Expr> types; // one per result, of type Type ([Type] of a variadic result); empty: not stated
  std::vector<FoldRule> folds;
  std::vector<PatternIndex> means; // what it stands for, in the order tried (Pattern::meaningOf)
  std::vector<PatternIndex> canonicalize;
  Body body; // vars: operands first, then attributes, in declaration order; then the rest
  std::string fullName() const { return dialect + "." + name; }
  size_t attrCount() const { return attrs.size() + standIns.size(); }
  const OpAttrDecl &attrAt(size_t i) const { return i < attrs.size() ? attrs[i] : standIns[i - attrs.size()]; }
  bool isStandIn(int attr) const { return attr >= 0 && size_t(attr) >= attrs.size(); }
  /// The number of an attribute, or -1.
  int attrNamed(std::string_view attr) const {
    for (size_t i = 0; i < attrCount(); ++i)
      if (attrAt(i).name == attr)
        return int(i);
    return -1;
  }
  /// How many of the operands are any number of values. Of several, all are of one size.
  size_t variadicGroups() const {
    size_t groups = 0;
    for (const Operand &operand : operands)
      groups += operand.arity == Arity::Variadic;
    return groups;
  }
  /// Whether the operand stands behind any number of others.
  bool isBehindVariadic(size_t operand) const {
    for (size_t i = 0; i < operand; ++i)
      if (operands[i].arity == Arity::Variadic)
        return true;
    return false;
  }
  /// The attribute that an operand stands for, or null.
  const OpAttrDecl *standInOf(size_t operand) const {
    for (const OpAttrDecl &attr : standIns)
      if (attr.operand == operand)
        return &attr;
    return nullptr;
  }
};

struct Fn : Decl {
  std::vector<VarId> params;
  Type result;
  Expr value;
  Body body;
};

/// C++ that patterns call: a constraint answers a bool, a rewrite builds values.
struct Native : Decl {
  bool isConstraint = true, isExtern = false;
  std::vector<Type> params;
  std::vector<std::string> paramNames;
  std::vector<Type> results; // of rewrites: all Value
  std::vector<std::string> resultNames;
  std::string code; // text between `[{` and `}]`
  SourceRange codeRange;
};

/// `match f(x, s) = …`: a left side with a name. Where it is used it is put in, on the names of the use, so nothing but
/// sema's own files and pages of documentation look at it.
struct Matcher : Decl {
  enum class Role : uint8_t {
    Out,   // every case binds it
    Maybe, // some do
    In,    // no case binds it where it is needed: the use says what it is
  };
  struct Param {
    std::string name;
    SourceRange range;
    Role role = Role::Out;
    VarId var;
    unsigned eachDepth = 0; // how deep in `each` it is bound
    bool isAttr = false;    // bound to whole attributes only, of which a use may ask something
  };
  std::vector<Param> params;
  Match match;
  Body body;
  bool namesOp = false; // every case is one op, so that `d: f(x)` names an op
};

/// `rewrite f(x: value) -> value = …`: a right side with a name, which is put in where it is used.
struct NamedRewrite : Decl {
  std::vector<VarId> params;
  std::vector<Type> results;
  std::vector<Expr> values; // one per result
  std::vector<std::pair<VarId, Expr>> lets;
  Body body;
};

/// `set s = {a, b};`, `trait t;`: ops by a name that stands where an op's may. The ops of a trait are those that the
/// files which this one sees give it to.
struct Group : Decl {
  bool isTrait = false;
  std::vector<OpIndex> ops; // all versions, once each
};

/// Where: a condition of what is built, asked where it stands among the actions; where it fails, the pattern does not
/// match, and what was built is gone.
enum class ActionKind : uint8_t { Let, Where, Replace, Update, Erase };
struct Action {
  ActionKind kind = ActionKind::Let;
  std::vector<VarId> vars;  // Let: one per value, or one per result of the op that the only value builds
  VarId op;                 // Replace, Update, Erase: the op; none: the first root
  std::vector<Expr> values; // Replace: one per result of the op (a list for a variadic one), or a single Build or Op
                            // with as many results. Let: one or more. Where: the condition
  std::vector<BuildAttr> attrs; // Update
  /// Replace, Update: the types are the same whatever the program (same_types.cpp proves it), or the pattern says so.
  /// Else it is asked whether they provably are when the pattern is about to fire.
  bool sameType = false;
  SourceRange range;
  /// Whether it changes the program, and is no step on the way there.
  bool changes() const { return kind != ActionKind::Let && kind != ActionKind::Where; }
};

struct Pattern : Decl {
  unsigned benefit = 1;
  FastMath fastmath;
  bool recursive = false, assumeSameType = false;
  /// Of a `means` clause: the op at which it puts what that stands for. It has no name that can be written, and belongs
  /// to no registry, pass or page: the op's schema refers to it.
  OpIndex meaningOf;
  SourceRange guard; // of its `if`
  std::vector<std::string> labels;
  std::vector<Match> roots; // each of kind Op, or Alternatives of such
  std::vector<Condition> conditions;
  std::vector<Action> actions; // in written order; `=> e` is one Replace of the first root
  Body body;
};

/// `conversion c { … }`: from which dialects to which.
struct Conversion {
  std::vector<std::string> from, to;
  std::vector<std::string> legal;       // full names of single ops
  std::optional<int64_t> version, last; // of the first dialect of `to`
  struct Refused {
    std::string type, reason; // an element type
  };
  std::vector<Refused> refused;
  bool keepsFunctions = false;
};

/// `pass p { … }`: the patterns it runs. A label stands for every pattern so labelled that a tool knows.
struct Pass : Decl {
  struct Member {
    PatternIndex pattern; // or:
    std::string label;
  };
  std::vector<Member> members;
  std::optional<int64_t> maxIterations;
  std::optional<Conversion> conversion; // of a `conversion`: the members are what must get there
};

struct Pipeline : Decl {
  std::string text; // "repeat(4){canonicalize,cse,dce},my-pass{max-iterations=3}"
  struct Import {   // one of the two
    PassIndex pass;
    PipelineIndex pipeline;
  };
  std::vector<Import> imports; // what names in the text mean that another file declares, each once
};

struct Test : Decl { // `name` is that of what is tried
  PatternIndex pattern;
  PassIndex pass;
  PipelineIndex pipeline; // one of the three, or none: a pass of the runtime
  struct Param {
    VarId var;
    Expr type; // of type Type; symbols of dims are in `symbols`
  };
  std::vector<Param> params;
  std::vector<std::string> symbols; // names of dims in the types: Bound variables of the body, in this order
  struct Let {                      // `let a = e in` around what is returned
    VarId var;
    Expr value;
  };
  struct Side {
    std::vector<Let> lets;
    std::vector<Expr> values; // what the function returns
  } before, after;
  bool unchanged = false;
  Body body;
};

struct Expectation : Decl { // what the verifier must say of patterns
  std::string verdict;      // one of kVerdicts
  struct Of {
    PatternIndex pattern;
    SourceRange range; // of its name
  };
  std::vector<Of> patterns;
};
inline constexpr std::string_view kVerdicts[] = {"proved", "checked", "refuted", "vacuous", "tag"};

struct File {
  FileId id;
  std::string path;              // as opened
  std::vector<uint32_t> imports; // indexes into Module::files
};

struct Module {
  std::vector<File> files; // files[0] is the root; every other one was imported, once
  std::vector<Op> ops;
  std::vector<Fn> fns; // none calls itself, directly or not
  std::vector<Native> natives;
  std::vector<Matcher> matchers;      // none uses itself, directly or not
  std::vector<NamedRewrite> rewrites; // none uses itself
  std::vector<Group> groups;
  std::vector<Pattern> patterns; // in file order, instances of a template one after another
  std::vector<Pass> passes;
  std::vector<Pipeline> pipelines;
  std::vector<Test> tests;
  std::vector<Expectation> expectations;

  const Op &op(OpIndex id) const { return ops[id.raw]; }
  const Fn &fn(FnIndex id) const { return fns[id.raw]; }
  const Native &native(NativeIndex id) const { return natives[id.raw]; }
  const Pattern &pattern(PatternIndex id) const { return patterns[id.raw]; }
  const Matcher &matcher(MatcherIndex id) const { return matchers[id.raw]; }
  const NamedRewrite &rewrite(RewriteIndex id) const { return rewrites[id.raw]; }
  const Group &group(GroupIndex id) const { return groups[id.raw]; }
};

/// The declarations of the root file as indented text (`rwc --dump=sema`).
void dump(const Module &, const SourceManager &, std::string &out);
/// Whether ops that a name may stand for have one of the attributes at different places, as versions of an op do: it is
/// set by its name then.
bool attrsMove(const OpSet &, const std::vector<BuildAttr> &, const Module &);
/// What an op set by trait may be beside its first trait: " | commutative | t.cast", mostly nothing.
std::string otherHeads(const OpSet &, const Module &);
/// An expression as .rw text, for comments in generated code and for dumps; conversions do not show.
std::string toString(const Expr &, const Module &, const Body &);
void addText(const Expr &, const Module &, const Body &, std::string &out);

} // namespace rw::sema
