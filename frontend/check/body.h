// Checks expressions, left sides and right sides of one declaration. Inside frontend/check only.
//
// In:  syntax, and what the context allows (`Allow`).
// Out: Expr, Match, Build in the declaration's Body. What is wrong is reported once and becomes type Error, which
//      everything accepts.
// Elsewhere: expressions.cpp, named_rewrites.cpp, operators.cpp, calls.cpp, members.cpp (expressions), value_types.cpp
//      (types), match.cpp, match_ops.cpp, match_attrs.cpp, named_matches.cpp (left sides), built_ops.cpp, actions.cpp
//      (right sides), scope.cpp (variables), suggestions.cpp (what to say beside an error).
#pragma once

#include "frontend/check/checker.h"

#include <concepts>
#include <functional>
#include <span>

namespace rw::sema {

/// What a message calls an expression: "the argument `p` of `compose`". Hardly any expression is wrong, so this is put
/// into words where a message is made: it refers to a text, or to a function that makes one, of whoever calls.
class What {
public:
  What(std::string_view text) : text_(text) {}
  What(const char *text) : text_(text) {}
  template <std::invocable Words>
  What(const Words &words)
      : words_(&words), call_([](const void *of) { return (*static_cast<const Words *>(of))(); }) {}
  std::string text() const { return call_ ? call_(words_) : std::string(text_); }

private:
  std::string_view text_;
  const void *words_ = nullptr;
  std::string (*call_)(const void *) = nullptr;
};

class BodyChecker {
public:
  enum class Allow : uint8_t { Pure, Matches, Builds };
  /// What `body` declares already is in scope, or the first `visible` of that.
  BodyChecker(Checker &checker, Body &body, size_t visible = SIZE_MAX);

  // ---- variables (scope.cpp)
  enum class Bound : uint8_t { No, Maybe, Yes };
  VarId declare(const ast::Name &, Type, VarKind);
  VarId declare(std::string name, SourceRange, Type, VarKind);
  /// Of a `let` in `where` or a block: reports if the name is taken.
  VarId declareLet(const ast::Name &, Type);
  /// The variable a name says, or none. Later declarations hide earlier ones.
  VarId find(std::string_view name) const;
  void use(VarId id) { used_[id.raw] = true; }
  Var &var(VarId id) { return body.vars[id.raw]; }
  Bound bound(VarId id) const { return bound_[id.raw]; }
  void setBound(VarId id, Bound b) { bound_[id.raw] = b; }
  size_t openScope() const { return names_->scope.size(); }
  void closeScope(size_t mark);
  /// A variable of the body that was not in scope is, from here on.
  void enter(VarId id) { enterAs(var(id).name, id); }
  void enterAs(std::string_view name, VarId);
  /// Reports what was named and never used (unused.cpp).
  void reportUnused();
  /// What stands right of `is`.
  Match isMatch(const ast::Match &);
  /// What stands behind `where` of a named match.
  void conditions(const std::vector<ast::Condition> &, std::vector<Condition> &out);
  /// What stands behind `where` of a pattern. A `let` that builds, and what says a name of such a `let`, become
  /// actions, which come once all other conditions hold (built_conditions.cpp).
  void conditions(const std::vector<ast::Condition> &, std::vector<Condition> &out, std::vector<Action> &built);
  /// The cases of a named match; `self` is what the name for its op is called.
  void cases(const ast::MatcherDecl &, Match &out, const ast::Name *self);
  /// Checks a named match by itself: what its parameters are.
  void define(const ast::MatcherDecl &, Matcher &out);
  void define(const ast::RewriteDecl &, NamedRewrite &out);
  /// The substitution of a `for` clause for a name, unless a variable hides it.
  const ast::Expr *substituted(std::string_view name) const;
  /// A name with template names put in.
  ast::QualifiedName resolved(const ast::QualifiedName &) const;

  // ---- expressions
  Expr expr(const ast::Expr &);
  Expr exprOf(const ast::Expr &, Type expected, What);
  /// A condition: bool, or `non-bool-condition`.
  Expr condition(const ast::Expr &, What);
  Expr condition(Expr, What);
  /// `e` as `to`; reports type-mismatch. `what` names it: "the argument `p` of `compose`".
  Expr convert(Expr e, Type to, What what);
  Expr convertElements(Expr list, Type to, What);
  bool convertible(const Expr &e, Type to) const;
  static bool convertible(Type from, Type to);
  std::optional<Type> commonType(Type, Type) const;
  Report noConstant(std::string_view dialect, SourceRange);

  /// Reports a literal that is none of the choices of an attribute.
  void checkChoice(const Expr &value, const std::vector<std::string> &choices, What, SourceRange declared);

  // ---- types (value_types.cpp)
  Expr typeExpr(const ast::TypeExpr &, bool symbolsBind = false);
  std::optional<Expr> typeOfParts(const ast::TupleType &, bool symbolsBind);
  Expr partOfValue(const ast::QualifiedName &);
  void typeMatch(const ast::TypeExpr &, Match &);
  std::optional<TypeMatch> typeAsked(const ast::TypeExpr &);
  std::optional<TypeMatch> tupleAsked(const ast::TupleType &);
  void noValueType(SourceRange);

  // ---- several names at once
  struct Apart {
    VarId whole; // if `value` is set: a variable that holds it
    std::optional<Expr> value;
    std::vector<Expr> parts; // one per name
  };
  Apart takeApart(const std::vector<ast::Name> &, const ast::Expr &);
  Apart takeApart(const std::vector<ast::Name> &, Expr);
  OpSet opsOf(const Expr &) const;
  /// How many results there are of an op that is built or named; -1 if that is open.
  int resultsOf(const Expr &op) const;
  bool isTakenApart(const Expr &op, size_t names) const;
  Expr declaredResult(Expr object, const Op &, size_t index);
  void wrongResultCount(const Expr &op, size_t names);
  void rememberOps(VarId, const Expr &value);
  bool sameEachDepth(const ast::Name &, VarId);

  // ---- floats of attributes
  void roundLiterals(Expr &);
  bool isOfAttr(const Expr &) const;
  bool isOfConstant(const Expr &) const;
  void rememberRounding(VarId, const Expr &value);
  Rounded rounded(const Expr &, const Expr &) const;

  // ---- left sides
  Match match(const ast::Match &);
  Match root(const ast::Match &);

  // ---- right sides
  std::vector<Expr> values(const ast::Expr &);
  Action action(const ast::Stmt &, bool last, size_t rootCount, const Match *root);
  std::vector<Action> before; // what the last action needs: lets that stand before it
  /// How many results the ops of a variable have; -1 if that differs or is open.
  int resultCount(const OpSet &) const;
  int leastResults(const OpSet &) const;

  Allow allow = Allow::Pure;
  enum class Of : uint8_t { Other, Function, Op } of = Of::Other; // whose body this is, for what messages advise
  /// Whose constant op makes a value of a tensor on a right side; empty: that of the root, whatever it is.
  std::string constantDialect;
  Checker &c;
  Body &body;

private:
  Expr make(ExprKind, Type, SourceRange, std::vector<Expr> args = {});
  Expr errorExpr(SourceRange range) { return make(ExprKind::None, TypeKind::Error, range); }
  Expr varExpr(VarId, SourceRange);
  /// The lists, one or more, joined: a tree of `++` that is not deep, however many they are.
  Expr joined(std::span<Expr> lists, SourceRange);
  // expressions.cpp
  void spliced(const Expr &);
  Expr name(const ast::NameExpr &);
  bool saysNone(const ast::Expr &) const;
  bool saysNone(const ast::Match &) const;
  Expr maybeNone(const ast::Expr &, bool may);
  Expr list(const ast::ListExpr &);
  Expr unary(const ast::UnaryExpr &);
  Expr binary(const ast::BinaryExpr &);
  void asNumbers(Expr &lhs, Expr &rhs);
  Expr arithmetic(const ast::BinaryExpr &, Expr lhs, Expr rhs);
  Expr onBits(const ast::BinaryExpr &, Expr lhs, Expr rhs);
  Expr comparison(const ast::BinaryExpr &, Expr lhs, Expr rhs);
  Expr ifExpr(const ast::IfExpr &);
  Expr letExpr(const ast::LetExpr &);
  Expr range(const ast::RangeExpr &);
  // destructure.cpp
  Expr comprehension(const ast::ComprehensionExpr &);
  std::optional<Expr> sideBySide(const ast::Expr &source, std::vector<Type> &types);
  Expr isExpr(const ast::IsExpr &);
  Expr lookedAt(const ast::IsExpr &);
  Expr tuple(const ast::TupleExpr &, bool severalStand);
  Expr part(const ast::Expr &, bool mayBeNone);
  Expr index(const ast::IndexExpr &);
  // members.cpp
  Expr member(const ast::MemberExpr &);
  NativeIndex nativeOf(const Expr &) const;
  RewriteIndex rewriteOf(const Expr &) const;
  Expr nativeMember(Expr object, NativeIndex, const ast::Name &member);
  Expr rewriteMember(Expr object, RewriteIndex, const ast::Name &member);
  Expr opMember(Expr object, const ast::Name &);
  Expr property(Expr object, const ast::Name &);
  // calls.cpp
  Expr call(const ast::CallExpr &);
  Expr callElement(const ast::CallExpr &);
  std::optional<Expr> eachOperand(const ast::Expr &);
  Expr method(const ast::CallExpr &);
  Expr callFn(const ast::CallExpr &, FnIndex);
  Expr callNative(const ast::CallExpr &, NativeIndex);
  RewriteIndex rewriteOf(const ast::QualifiedName &) const;
  Expr callRewrite(const ast::CallExpr &, RewriteIndex);
  void letInto(const std::vector<ast::Name> &, const ast::Expr &value, std::vector<std::pair<VarId, Expr>> &lets,
               bool mayHide = false); // named_parts.cpp
  std::vector<Expr> rewriteBody(const ast::RewriteDecl &, const std::vector<Type> &results,
                                std::vector<std::pair<VarId, Expr>> &lets);
  bool isOptionalResult(const Expr &) const;
  bool mayBeAbsent(const Expr &part) const;
  Expr callBuiltin(const ast::CallExpr &, const ast::Name &, std::vector<Expr> args);
  std::vector<Expr> plainArgs(const ast::CallExpr &);
  // built_ops.cpp
  Expr build(const ast::CallExpr &, const ast::QualifiedName &callee, std::optional<Expr> first);
  Expr replay(const ast::CallExpr &, VarId);
  Expr replayChain(const ast::CallExpr &, VarId);
  bool buildOperands(const ast::CallExpr &, Build &, const Op &, std::optional<Expr> first);
  Expr buildArg(const ast::CallArg &);
  bool neverNone(const Expr &value, const Op &, const Operand &);
  void neverNone(const OpSet &, const ast::Name &attr, SourceRange);
  void buildAttrs(const std::vector<ast::CallArg> &, OpSet /* a copy: variables move */, std::vector<BuildAttr> &out,
                  bool opIsNew, SourceRange calleeRange);
  void standInsAreConstants(std::span<const OpIndex>, const std::vector<BuildAttr> &);
  void handAttrs(const ast::CallArg &, const OpSet &, llvm::StringMap<SourceRange> &given, std::vector<BuildAttr> &out);
  void dropsOperands(const ast::CallExpr &, VarId, size_t given);
  void statedTypes(const ast::CallExpr &, Build &);
  bool givesList(const Build &) const;
  void checkVersions(const ast::CallExpr &, std::span<const OpIndex>, bool byName, bool piped);
  Expr finish(Build, SourceRange);
  // match*.cpp
  void matchInto(const ast::Match &, Match &);
  void bindMatch(const ast::BindMatch &, Match &);
  bool matchPdLetter(const ast::BindMatch &, const ast::OpMatch &, Match &);
  void alternatives(size_t count, Match &out, const std::function<void(size_t, Match &)> &one);
  void opMatch(const ast::OpMatch &, Match &, const ast::Name *bind);
  uint32_t resultOf(const ast::OpMatch &, const OpSet &);
  bool heads(const ast::OpMatch &, OpSet &);
  Checker::OpList versionsMeant(const ast::OpMatch &, Checker::OpList) const;
  bool allHave(const OpSet &, uint32_t trait) const;
  bool fitsMention(const ast::OpMatch &, const Op &) const;
  void chain(const ast::OpMatch &, Match &, const ast::Name *bind);
  bool chainHeads(const ast::OpMatch &, const OpSet &);
  void saidTwice(const std::vector<SourceRange> &, std::string_view what);
  void chainAttrs(const ast::OpMatch &, Match &);
  void bindOp(const ast::Name &, Match &, bool optional);
  void operands(const ast::OpMatch &, Match &);
  void eitherOrder(const ast::OpMatch &, Match &);
  bool isAskedAsAttribute(const ast::OpMatch &, const Op &, size_t operand, const Match &out) const;
  bool maybeOperand(const ast::Match &, const OpSet &, const Op *, const Operand *, OperandMatch &);
  void operandsOf(const ast::OpMatch &, const Op &, const std::vector<const ast::MatchArg *> &args, Match &);
  // Of an op with several variadic groups (operand_groups.cpp).
  bool operandGroups(const ast::OpMatch &, const Op &, const std::vector<const ast::MatchArg *> &args, Match &);
  void groupCountError(const Op &, SourceRange, const std::vector<bool> &isList);
  /// How many of `given` are each declared operand's, lists one each; nothing if that was reported.
  std::vector<size_t> fitGroups(const Op &, SourceRange, std::vector<Expr> &given);
  void bindList(const ast::Name &, Expr list, Match &);
  Expr exactlyAsLong(Expr list, const Expr &other);
  void each(const ast::EachMatch &, Match &);
  // regions.cpp
  bool isRegion(const ast::MatchArg &, const OpSet &) const;
  void regions(const ast::OpMatch &, Match &);
  void inside(const ast::RegionMatch &, RegionMatch &);
  void regionValues(const std::vector<ast::MatchPtr> &, OperandMatch &, const char *what);
  bool regionBuild(const ast::CallArg &, const Op &, uint32_t index, RegionBuild &);
  bool regionParam(const ast::RegionExpr::Param &, RegionBuild &);
  bool regionBuilds(const ast::CallExpr &, const OpSet &, bool opIsNew, std::vector<RegionBuild> &);
  bool isRegionName(const OpSet &, std::string_view name) const;
  static const ast::RegionExpr *regionOf(const ast::CallArg &arg) {
    return arg.value ? arg.value->as<ast::RegionExpr>() : nullptr;
  }
  void attrs(const ast::OpMatch &, Match &);
  void attr(const ast::Match &, AttrType, const AttrMatch &place, std::vector<AttrMatch> &out);
  VarUse bindAttr(const ast::Name &, Type);
  // string_choices.cpp
  void checkMatchedChoices(const OpAttrDecl &, std::span<const AttrMatch>);
  void compareWithChoices(const Expr &lhs, const Expr &rhs);
  const std::vector<std::string> *choicesOf(const Expr &, SourceRange &declared) const;
  void attrChoice(const ast::AlternativesMatch &, Type, AttrMatch &);
  void attrValue(const ast::Match &, Type, AttrMatch &);
  void attrList(const ast::ListMatch &, Type, AttrMatch &);
  void constMatch(const ast::ConstMatch &, Match &);
  void splat(const ast::SplatMatch &, Match &);
  VarUse bindName(const ast::Name &, Type, VarKind);
  VarUse bindRest(const ast::Name &);
  void countSite(VarId, bool wholeAttr = false);
  std::optional<Expr> literal(const ast::Match &, Type, What);
  Action replace(std::vector<Expr> values, VarId op, const Match *root, SourceRange);
  Action let(const std::vector<ast::Name> &, const ast::Expr &, SourceRange);
  const ast::Expr &letsBefore(const ast::Expr &);
  static const ast::Expr &behindLets(const ast::Expr &);
  VarId target(const ast::Name &, std::string_view verb);

  bool misread(VarId);
  // suggestions.cpp
  void hint(Report &, const Expr &, Type wanted) const;
  bool namedOperand(const Op &, const ast::Name &, SourceRange arg);
  static bool isNamedMatch(const Op &, const ast::MatchArg &);
  bool colonAttribute(const Op &, const ast::Match &);
  const ast::Name *unknownType(const ast::Match &);
  bool indexedAttribute(const Op &, const ast::CallArg &);
  bool unnamedAttribute(const Op &, const std::vector<std::string_view> &given, SourceRange arg);
  void bindNamesOf(const ast::Match &);
  void sayWhereBound(Report &, std::string_view name) const;
  Expr dimension(const ast::Expr &);

  // named_matches.cpp
  struct Names;
  struct Given;
  MatcherIndex matcherOf(const ast::QualifiedName &) const;
  void namedMatch(const ast::OpMatch &, MatcherIndex, Match &out, const ast::Name *bind);
  bool givenArgs(const ast::OpMatch &, const Matcher &, std::vector<Given> &);
  void give(const Matcher &, const Matcher::Param &, Given &);
  VarId declareParam(const ast::Name &, const Matcher &, const Matcher::Param &);
  const ast::Expr *constantOf(const ast::Match &);
  void needlessSingle(const ast::Match &);
  void wrongArg(const Given &, const Matcher &, const Matcher::Param &, std::string message, std::string cure);
  void letCondition(const ast::Condition &, std::vector<Condition> &out);
  bool isUnboundHere(VarId);
  bool makesOps(const ast::CallExpr &);
  bool letsMayBuild_ = false; // in the conditions of a pattern
  bool letParam(const ast::Name &, const ast::Condition &, std::vector<Condition> &out);
  void condition(const ast::Expr &, std::vector<Condition> &out);

  /// A variable in scope. Names are looked up in a table: an op may have thousands of attributes, and each sees those
  /// before it.
  struct Scoped {
    llvm::StringMapEntry<uint32_t> *entry; // its name, in Names::innermost
    VarId var;
    uint32_t hides; // what the name meant before
  };
  /// What names mean: those of the declaration or, while a named match is put in, those of that.
  struct Names {
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
      Names *names;
    };
    llvm::StringMap<Asked> asked;
  };
  Names own_;
  Names *names_ = &own_;
  /// While it lives, names mean what they mean elsewhere.
  class [[nodiscard]] In {
  public:
    In(BodyChecker &body, Names &names)
        : body_(body), names_(body.names_), imported_(body.c.imported), file_(body.c.from) {
      body.names_ = &names;
      body.c.imported = names.imported;
      body.c.from = names.file;
    }
    ~In() {
      body_.names_ = names_;
      body_.c.imported = imported_;
      body_.c.from = file_;
    }
    In(const In &) = delete;
    In &operator=(const In &) = delete;

  private:
    BodyChecker &body_;
    Names *names_;
    bool imported_;
    FileId file_;
  };
  Matcher *defining_ = nullptr; // the named match that is checked by itself
  /// By variable, then: places that bind it, and those at a whole attribute.
  std::map<uint32_t, std::pair<size_t, size_t>> sites_;
  std::vector<ast::ExprPtr> constants_; // made of arguments of named matches
  static constexpr size_t kMaxPutIn = 10'000;
  static constexpr size_t kMaxPutInWithin = 4 * kMaxPutIn;
  size_t putIn_ = 0;               // parts of named matches, or ops of named rewrites, so far
  size_t putInWithin_ = 0;         // uses of named rewrites by others
  bool saidPutIn_ = false;         // that it is too much
  std::set<uint32_t> putInVars_;   // variables of theirs
  std::set<uint32_t> boundInEach_; // variables that were first seen there, and are unbound where there is no operand
  std::map<uint32_t, RewriteIndex> rewriteCalls_; // by where it begins: a call of a named rewrite with several results
  std::map<uint32_t, RewriteIndex> rewriteVars_;  // by variable: what it holds the results of
  unsigned matchDepth_ = 0;
  std::vector<bool> used_;
  std::vector<Bound> bound_;
  /// What `..` and `_ = _` of a match leave out, by the variable of the op: where it is built again or handed on, that
  /// counts.
  struct LeftOut {
    std::vector<std::string> attrs;    // not mentioned one by one
    std::vector<std::string> operands; // by `..`
    size_t firstOperand = SIZE_MAX;
    SourceRange rest;
  };
  std::map<uint32_t, LeftOut> left_;
  bool inEach_ = false;
  bool inShapeAsked_ = false; // a size that a match computes is looked at
  bool noneStands_ = false;   // `none` may be what is looked at
  unsigned eachDepth_ = 0;
  std::vector<unsigned> eachDepths_;      // by variable: how deep in `each` it was bound
  std::map<uint32_t, SourceRange> there_; // by variable: a use of a named match that asks that an operand is there
  struct WhyValue {
    SourceRange range;
    std::string text;
  };
  std::map<uint32_t, WhyValue> whyValue_; // by variable: why it names a value where an op may have been meant
  void sayWhyValue(Report &, VarId) const;
  std::map<uint32_t, std::string_view> kindAsked_; // by variable of `v: int`: of an attribute that may be of any
  std::set<uint32_t> alwaysTrue_;                  // variables that stand right of `is` alone
  std::set<std::string> unbound_;                  // names of which it was said
  bool symbolsBind_ = false;                       // in the type of a test's parameter
  bool operandsMissing_ = false;     // a match has too few operands: what they would bind is not unbound as well
  std::vector<std::string> implied_; // of the op at hand: what its operands have shown to be meant, right or wrong
  size_t errorsBefore_;
  size_t eachMark_ = 0; // variables from here on were first seen inside the `each`
};

} // namespace rw::sema
