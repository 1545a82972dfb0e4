// Declarations: what stands at the top of a file, and the right sides of patterns.
//
// In:  made by frontend/parse only.  Out: read by frontend/check.
// Elsewhere: expressions and types are expr.h, left sides match.h.
//
//   pattern DropIdentityTranspose benefit 3 { transpose(x, perm = p) where is_identity(p) => x }
//   PatternDecl{ name, benefit = 3, roots = [OpMatch], conditions = [Test is_identity(p)], result = [ResultStmt x] }
#pragma once

#include "frontend/ast/match.h"

namespace rw::ast {

enum class DeclKind : uint8_t {
  Dialect,
  Import,
  Op,
  Fn,
  Pattern,
  Matcher,
  Group,
  Native,
  Rewrite,
  Pass,
  Pipeline,
  Conversion,
  Test,
  Expect
};
std::string_view declKindName(DeclKind); // "op", "pattern", …

struct Decl : NodeBase<DeclKind> {
  Name name;       // of imports: the path without quotes
  std::string doc; // the `///` lines above, without the slashes and one space, joined by '\n'
  SourceRange docRange;
  SourceRange hidden; // of `private`: only its own file sees it

protected:
  using NodeBase::NodeBase;
};
using DeclPtr = std::unique_ptr<Decl>;

/// `dialect tensor;`, `dialect onnx_ml "ai.onnx.ml";`: of every op that follows.
struct DialectDecl : Decl {
  RW_AST_NODE(DialectDecl, Decl, Dialect)
  std::string externalName;  // what files of other formats call it; empty if not given
  SourceRange externalRange; // where that stands; none if not given
};
struct ImportDecl : Decl {
  RW_AST_NODE(ImportDecl, Decl, Import)
};

/// A parameter of a function or test, an operand or a result.
struct Param {
  enum class Arity : uint8_t { One, Optional, Variadic }; // `tensor`, `tensor?`, `tensor...`
  Name name;                                              // empty for an unnamed result
  SourceRange range;
  TypePtr type;
  Arity arity = Arity::One;
  // Of an op: the attribute that the operand stands for, `axes: tensor? as [int]`.
  struct StandsFor {
    Name name;
    TypePtr type; // null: it stands for none
    ExprPtr byDefault;
  } standsFor;
};

/// `attr axis: int = 0;`, `attr axes: [int]?;`
struct AttrDecl {
  Name name;
  SourceRange range;
  std::string doc;
  TypePtr type;              // null where there are choices
  std::vector<Name> choices; // `"same" | "valid"`: the only strings it can be
  bool optional = false;
  ExprPtr defaultValue; // null: none
};
/// `pure`, `effect(random)`
struct Trait {
  Name name;
  SourceRange range;
  std::vector<Name> args;
};
/// A piece of `"must be below {x.rank}"`: text, or an expression where `value` is set. `{{` and `}}` are braces.
struct MessagePart {
  std::string text;
  ExprPtr value;
};
/// `require c, "message";`
struct Require {
  SourceRange range;
  ExprPtr condition;
  std::vector<MessagePart> message; // empty: none given
};
/// `fold x if c;`
struct Fold {
  SourceRange range;
  ExprPtr value;
  ExprPtr condition; // null: always
};
/// `versions 1..12`, `versions 13..`, `versions 7` (that one only)
struct VersionRange {
  SourceRange range; // empty: not given, every version
  int64_t first = 0;
  std::optional<int64_t> last; // inclusive; none: no upper end
};

struct OpDecl : Decl {
  RW_AST_NODE(OpDecl, Decl, Op)
  VersionRange versions;
  std::vector<Param> operands;
  std::vector<Param> results; // `-> tensor` is one without a name
  bool saysResults = false;   // `-> ()` says that there are none
  std::vector<AttrDecl> attrs;
  std::vector<Trait> traits;
  std::vector<Require> requires_;
  std::vector<ExprPtr> types; // of the `type` clause, one per result; empty: no clause
  SourceRange typesRange;
  std::vector<Fold> folds;
  /// `means add(x, y) if c;`: each as the pattern that puts it in the op's place.
  std::vector<std::unique_ptr<struct PatternDecl>> means;
  std::vector<QualifiedName> canonicalize;
  std::vector<Name> regions;
};

/// `fn f(a: [int]) -> int = e;`
struct FnDecl : Decl {
  RW_AST_NODE(FnDecl, Decl, Fn)
  std::vector<Param> params;
  TypePtr result;
  ExprPtr body;
};

/// `constraint f(c: attr) [{ … }]`, `rewrite g(v: value) -> value [{ … }]`, and `extern` ones without code.
struct NativeDecl : Decl {
  RW_AST_NODE(NativeDecl, Decl, Native)
  bool isConstraint = true; // else a rewrite
  bool isExtern = false;
  std::vector<Param> params;
  std::vector<Param> results; // rewrites only
  SourceRange code;           // between `[{` and `}]`; empty for extern ones
};

/// One item of `where`.
struct Condition {
  SourceRange range;
  std::vector<Name> letNames; // `let n = value`; empty for a test
  ExprPtr value;              // the test, or what is bound
};

/// `match f(x, s: float) = mul(x, splat(s)) where s > 0.0 | neg(x);`: a left side that has a name.
struct MatcherDecl : Decl {
  RW_AST_NODE(MatcherDecl, Decl, Matcher)
  struct Param {
    Name name;
    SourceRange range;
    TypePtr type; // null: what the matches say
  };
  struct Case {
    SourceRange range;
    MatchPtr match;
    std::vector<Condition> conditions; // of this case alone
  };
  std::vector<Param> params;
  std::vector<Case> cases; // tried in written order
};

enum class StmtKind : uint8_t { Let, Replace, Update, Erase, Result };
/// Of a right side. `=> e` is one ResultStmt, `=> update d {…}` one UpdateStmt, a block any number.
struct Stmt : NodeBase<StmtKind> {
protected:
  using NodeBase::NodeBase;
};
using StmtPtr = std::unique_ptr<Stmt>;
/// `let y = e;`, `let (u, s) = e;`
struct LetStmt : Stmt {
  RW_AST_NODE(LetStmt, Stmt, Let)
  std::vector<Name> names;
  ExprPtr value;
};
/// `replace a with e;`
struct ReplaceStmt : Stmt {
  RW_AST_NODE(ReplaceStmt, Stmt, Replace)
  Name target;
  ExprPtr value;
};
/// `update d { perm = p };`
struct UpdateStmt : Stmt {
  RW_AST_NODE(UpdateStmt, Stmt, Update)
  Name target;
  std::vector<CallArg> attrs; // all named
};
/// `erase c;`
struct EraseStmt : Stmt {
  RW_AST_NODE(EraseStmt, Stmt, Erase)
  Name target;
};
/// What the root becomes; a tuple for several results. Only as the last statement.
struct ResultStmt : Stmt {
  RW_AST_NODE(ResultStmt, Stmt, Result)
  ExprPtr value;
};

/// `exp`, or the values in `(exp, log)`.
struct ForEntry {
  SourceRange range;
  std::vector<ExprPtr> values; // as many as names, unless the user erred (sema)
};

/// `set reductions = {onnx.ReduceSum, onnx.ReduceMax};`, `trait movement;`, `trait movement for onnx.Transpose;`
struct GroupDecl : Decl {
  RW_AST_NODE(GroupDecl, Decl, Group)
  bool isTrait = false, gives = false; // gives: the trait is declared elsewhere, and given here
  std::vector<QualifiedName> members;  // ops and sets, which may be of tuples
  /// Or, if there is any, what `for (f, g) in` it stands for: tuples, and names of sets of such.
  std::vector<ForEntry> tuples;
};
/// `rewrite f(x: value) -> value { let y = relu(x); neg(y) }`: a right side that has a name.
struct RewriteDecl : Decl {
  RW_AST_NODE(RewriteDecl, Decl, Rewrite)
  std::vector<Param> params, results;
  std::vector<StmtPtr> statements; // lets, and what it gives last
};

/// `for (f, g) in {(exp, log), (log, exp)}`, `for f in reductions`
struct ForClause {
  SourceRange range;
  std::vector<Name> names;
  std::vector<ForEntry> entries;
  Name set; // instead of entries
};
/// A piece of `Cancel_{f}_{g}`.
struct NamePart {
  Name name;
  bool splice = false; // stands in braces
};

struct PatternDecl : Decl {
  RW_AST_NODE(PatternDecl, Decl, Pattern)
  std::vector<ForClause> templates;
  std::vector<NamePart> nameParts; // one unless spliced; Decl::name is the whole as spelled
  std::optional<int64_t> benefit;
  SourceRange benefitRange;
  bool fastmath = false, recursive = false, assumeSameType = false;
  std::vector<Name> freedoms; // `fastmath(reassoc, contract)`; none: all
  std::vector<Name> labels;   // `label "layout"`, without quotes
  std::vector<MatchPtr> roots;
  std::vector<Condition> conditions;
  SourceRange arrow; // of `=>`
  std::vector<StmtPtr> result;
  bool isBlock = false; // the right side stands in braces
};

/// `max_iterations = 10`
struct Option {
  Name name;
  SourceRange range;
  ExprPtr value;
};
/// `pass p { A, B; n = 1; }`, `pass p = label "layout", C;`
struct PassDecl : Decl {
  RW_AST_NODE(PassDecl, Decl, Pass)
  struct Member {
    bool label = false; // `label "layout"`: `name.name` is the label
    QualifiedName name;
  };
  std::vector<Member> members;
  std::vector<Option> options;
};

/// One stage of a pipeline: a pass with options, or `repeat(n) { stages }`.
struct Stage {
  SourceRange range;
  QualifiedName pass; // empty for repeat
  std::vector<Option> options;
  std::optional<int64_t> repeat;
  SourceRange repeatRange;   // of the number
  std::vector<Stage> stages; // of repeat
};
struct PipelineDecl : Decl {
  RW_AST_NODE(PipelineDecl, Decl, Pipeline)
  std::vector<Stage> stages;
};

/// `conversion c { from a, b; to onnx 17..24; patterns label "c"; }`: clauses as they are written; sema knows which
/// there are.
struct ConversionDecl : Decl {
  RW_AST_NODE(ConversionDecl, Decl, Conversion)
  struct Item {
    SourceRange range;
    bool label = false, text = false; // `label "c"` or `"why"`: `name.name` is what the string says
    QualifiedName name;
    std::optional<int64_t> first, last; // `onnx 17..24`; of `17..` no last one
    bool open = false;                  // `17..`
  };
  struct Clause {
    Name word;
    SourceRange range;
    std::vector<Item> items;
  };
  std::vector<Clause> clauses;
};

/// `test P (x: f32[2]) { e => e }`. `name` is the pattern, pass or pipeline that is tried.
struct TestDecl : Decl {
  RW_AST_NODE(TestDecl, Decl, Test)
  std::vector<Param> params;
  ExprPtr before;
  ExprPtr after; // null: `unchanged`
};

/// `expect refuted A, b::C;`: what the verifier must say of these. `name` is the first of them.
struct ExpectDecl : Decl {
  RW_AST_NODE(ExpectDecl, Decl, Expect)
  Name verdict;
  std::vector<QualifiedName> patterns;
};

} // namespace rw::ast
