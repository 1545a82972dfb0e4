// What the body of one declaration shares while it is checked: its variables and what their names mean, what may stand
// here, and what was seen so far. Inside frontend/check only.
//
// In:  the context of the check, the Body to fill, and what may stand in it (`Allow`).
// Out: variables, and expressions made. What is wrong is reported once and becomes type Error, which everything
//      accepts.
// Elsewhere: what checks each construct is free functions over this context, a header each: expressions.h, calls.h,
//      members.h, operators.h; matches.h, match_ops.h, match_attrs.h; built_ops.h, actions.h, and their neighbours.
//
//   BodyContext b(c, fn.body);
//   Expr value = checkExpr(b, *decl.value);  // expressions.h
//   VarId n = b.declare(decl.name, value.type, VarKind::Let);
//   Expr again = b.varExpr(n, decl.name.range);
#pragma once

#include "frontend/check/check_context.h"
#include "frontend/check/wording.h"

#include <map>
#include <set>

namespace rw::sema {

/// What may stand in an expression: neither of the others, `is` as well, or ops that are built, too.
enum class Allow : uint8_t { Pure, Matches, Builds };
/// Whether a variable has a value where it is named.
enum class Bound : uint8_t { No, Maybe, Yes };
/// Whose body it is, for what messages advise.
enum class BodyOf : uint8_t { Other, Function, Op };

/// A variable in scope. Names are looked up in a table: an op may have thousands of attributes, and each sees those
/// before it.
struct Scoped {
  llvm::StringMapEntry<uint32_t> *entry; // its name, in NameScope::innermost
  VarId var;
  uint32_t hides; // what the name meant before
};

/// What names mean: those of the declaration or, while a named match is put in, those of that.
struct NameScope {
  std::vector<Scoped> scope;
  // what each name means: a place in `scope` counted from 1, or 0
  llvm::StringMap<uint32_t, llvm::BumpPtrAllocator> innermost;
  bool putIn = false;                  // of a named match or rewrite; else the declaration's own
  const Matcher *of = nullptr;         // the named match
  bool imported = false;               // it stands in an import
  FileId file;                         // in this file
  unsigned eachDepth = 0;              // so many `each` are around what is put in
  std::vector<Substitution> constants; // parameters that stand for a literal
  struct Asked {                       // what a use asks of an attribute, in the names of the use
    const ast::Match *match;
    NameScope *names;
  };
  llvm::StringMap<Asked> asked;
};

/// What `..` and `_ = _` of a match leave out, by the variable of the op: where it is built again or handed on, that
/// counts.
struct LeftOut {
  std::vector<std::string> attrs;    // not mentioned one by one
  std::vector<std::string> operands; // by `..`
  size_t firstOperand = SIZE_MAX;
  SourceRange rest;
};

struct WhyValue {
  SourceRange range;
  std::string text;
};

/// So many parts of named matches, or ops of named rewrites, are put into one declaration.
inline constexpr size_t kMaxPutIn = 10'000;

class BodyContext {
public:
  /// What `body` declares already is in scope, or the first `visible` of that.
  BodyContext(CheckContext &c, Body &body, size_t visible = SIZE_MAX);

  CheckContext &c;
  Body &body;
  Allow allow = Allow::Pure;
  bool inTypeClause = false; // where what is known of contents may be asked
  BodyOf of = BodyOf::Other;
  /// Whose constant op makes a value of a tensor on a right side; empty: that of the root, whatever it is.
  std::string constantDialect;

  // ---- messages: those of the check
  Report error(std::string tag, SourceRange range, std::string message) {
    return c.error(std::move(tag), range, std::move(message));
  }
  Report warning(std::string tag, SourceRange range, std::string message) {
    return c.warning(std::move(tag), range, std::move(message));
  }

  // ---- variables
  VarId declare(const ast::Name &, Type, VarKind);
  VarId declare(std::string name, SourceRange, Type, VarKind);
  /// Of a `let` in `where` or a block: reports if the name is taken.
  VarId declareLet(const ast::Name &, Type);
  /// The variable a name says, or none. Later declarations hide earlier ones.
  VarId find(std::string_view name) const;
  void use(VarId id) { used[id.raw] = true; }
  Var &var(VarId id) { return body.vars[id.raw]; }
  Bound bound(VarId id) const { return bounds[id.raw]; }
  void setBound(VarId id, Bound b) { bounds[id.raw] = b; }
  size_t openScope() const { return names->scope.size(); }
  void closeScope(size_t mark);
  /// A variable of the body that was not in scope is, from here on.
  void enter(VarId id) { enterAs(var(id).name, id); }
  void enterAs(std::string_view name, VarId);
  /// The substitution of a `for` clause for a name, unless a variable hides it.
  const ast::Expr *substituted(std::string_view name) const;
  /// A name with template names put in.
  ast::QualifiedName resolved(const ast::QualifiedName &) const;

  // ---- expressions
  Expr make(ExprKind, Type, SourceRange, std::vector<Expr> args = {});
  Expr errorExpr(SourceRange range) { return make(ExprKind::None, TypeKind::Error, range); }
  Expr varExpr(VarId, SourceRange);

  // ---- what names mean
  NameScope ownNames;
  NameScope *names = &ownNames;
  std::vector<bool> used;                // by variable
  std::vector<Bound> bounds;             // by variable
  std::set<std::string> unbound;         // names of which it was said
  std::map<uint32_t, WhyValue> whyValue; // by variable: why it names a value where an op may have been meant
  std::set<uint32_t> alwaysTrue;         // variables that stand right of `is` alone

  // ---- left sides
  unsigned matchDepth = 0;
  bool inEach = false;
  unsigned eachDepth = 0;
  std::vector<unsigned> eachDepths; // by variable: how deep in `each` it was bound
  size_t eachMark = 0;              // variables from here on were first seen inside the `each`
  std::set<uint32_t> boundInEach;   // variables that were first seen there, and are unbound where there is no operand
  std::map<uint32_t, LeftOut> leftOut;
  std::map<uint32_t, std::string_view> kindAsked; // by variable of `v: int`: of an attribute that may be of any
  bool operandsMissing = false;     // a match has too few operands: what they would bind is not unbound as well
  std::vector<std::string> implied; // of the op at hand: what its operands have shown to be meant, right or wrong
  bool inShapeAsked = false;        // a size that a match computes is looked at
  bool symbolsBind = false;         // in the type of a test's parameter

  // ---- right sides
  std::vector<Action> before; // what the last action needs: lets that stand before it
  bool noneStands = false;    // `none` may be what is looked at
  bool letsMayBuild = false;  // in the conditions of a pattern

  // ---- named matches and rewrites, put in or checked by themselves
  Matcher *defining = nullptr; // the named match that is checked by itself
  /// By variable, then: places that bind it, and those at a whole attribute.
  std::map<uint32_t, std::pair<size_t, size_t>> sites;
  std::vector<ast::ExprPtr> constants;            // made of arguments of named matches
  size_t putIn = 0;                               // parts of named matches, or ops of named rewrites, so far
  size_t putInWithin = 0;                         // uses of named rewrites by others
  bool saidPutIn = false;                         // that it is too much
  std::set<uint32_t> putInVars;                   // variables of theirs
  std::map<uint32_t, RewriteIndex> rewriteCalls;  // by where it begins: a call of a named rewrite with several results
  std::map<uint32_t, RewriteIndex> rewriteVars;   // by variable: what it holds the results of
  std::map<uint32_t, SourceRange> askedToBeThere; // by variable: a use of a named match that asks for an operand

  size_t errorsBefore; // when this began
};

/// While it lives, names mean what they mean elsewhere.
class [[nodiscard]] InScope {
public:
  InScope(BodyContext &b, NameScope &names) : b_(b), names_(b.names), imported_(b.c.imported), file_(b.c.from) {
    b.names = &names;
    b.c.imported = names.imported;
    b.c.from = names.file;
  }
  ~InScope() {
    b_.names = names_;
    b_.c.imported = imported_;
    b_.c.from = file_;
  }
  InScope(const InScope &) = delete;
  InScope &operator=(const InScope &) = delete;

private:
  BodyContext &b_;
  NameScope *names_;
  bool imported_;
  FileId file_;
};

} // namespace rw::sema
