// From ANTLR's parse contexts to the syntax tree.
//
// In:  the context of a declaration that parsed without a syntax error.
// Out: its node, or null after an error of the kinds the grammar leaves to the builder: numbers, escapes, names left of
//      `=`, comparisons that chain, `let` without `in`, misplaced parts, trees too deep.
// Elsewhere: build_decl.cpp, build_match.cpp, build_expr.cpp, literals.cpp each hold one family.
#pragma once

#include "frontend/ast/ast.h"
#include "frontend/parse/tokens.h"

#include <algorithm>
#include <functional>

namespace rw::parse {

using P = antlr::RwParser;

class Builder {
public:
  /// Parses the bytes [begin, end) of the same text as an expression; null after an error.
  using ParseSlice = std::function<ast::ExprPtr(size_t begin, size_t end)>;

  Builder(const TokenList &tokens, Diagnostics &diags, ParseSlice parseSlice)
      : tokens_(tokens), diags_(diags), parseSlice_(std::move(parseSlice)) {}

  ast::DeclPtr declaration(P::DeclarationContext *);
  ast::ExprPtr wholeExpression(P::ExpressionContext *);

  /// Where `///` stands above nothing that is documented, once all declarations are built. `other`: who built the rest
  /// of them, if there is one.
  void strayDocs(std::vector<SourceRange> &out, const Builder *other = nullptr) const;
  /// Elements and arguments that may have been meant as two: `[1 -1]`.
  const std::vector<SourceRange> &lostCommas() const { return lostCommas_; }

private:
  // Ranges, names, errors.
  SourceRange rangeOf(antlr4::ParserRuleContext *c) const { return tokens_.rangeOf(c->start, c->stop); }
  SourceRange rangeOf(const Token *t) const { return tokens_.rangeOf(t); }
  std::string textOf(SourceRange range) const {
    return std::string(tokens_.text.substr(range.begin.raw - tokens_.base.raw, range.end.raw - range.begin.raw));
  }
  ast::Name nameOf(const Token *) const;
  std::vector<ast::Name> namesOf(const std::vector<Token *> &) const;
  /// A name that the file chooses itself, unlike that of an op or an attribute: reports a reserved word.
  ast::Name chosenName(const Token *, bool isCalled = false);
  std::vector<ast::Name> chosenNames(P::BinderContext *);
  ast::QualifiedName qualifiedName(const Token *head, const Token *member) const;
  ast::QualifiedName qualifiedName(P::QualifiedNameContext *c) const { return qualifiedName(c->head, c->member); }
  ast::QualifiedName declaredName(P::DeclaredNameContext *c) const;
  Diagnostics::Builder error(const char *tag, SourceRange, std::string message);
  /// Raises the depth of a node over a child's, which stands `levels` below it.
  template <class Parent, class Child> void nest(Parent &, const Child &, size_t levels = 1);

  // literals.cpp
  int64_t intOf(const Token *, bool negative = false);
  double floatOf(const Token *);
  std::string stringOf(const Token *);
  /// Decodes the bytes [begin, end) of the text.
  std::string unescape(size_t begin, size_t end);
  std::vector<ast::MessagePart> messageOf(const Token *);

  // build_expr.cpp
  ast::ExprPtr expression(P::ExpressionContext *);
  ast::ExprPtr letExpression(P::ExpressionContext *);
  ast::ExprPtr condition(P::ConditionContext *);
  struct Joined { // by `and` or by `or`
    std::vector<ast::ExprPtr> operands;
    std::vector<const Token *> ops; // between them
  };
  ast::ExprPtr joined(Joined);
  ast::ExprPtr comparison(P::ConditionContext *, size_t &operand);
  ast::ExprPtr comparand(P::ComparandContext *, bool withNots);
  ast::ExprPtr arithmetic(P::ArithmeticContext *, size_t &operand, int level);
  ast::ExprPtr operand(P::OperandContext *);
  ast::ExprPtr atom(P::OperandContext *);
  ast::ExprPtr listExpression(P::ListExprContext *);
  ast::ExprPtr tupleExpression(P::TupleExprContext *);
  ast::ExprPtr tail(ast::ExprPtr object, P::TailContext *);
  void findLostComma(P::ExpressionContext *);
  ast::ExprPtr call(ast::ExprPtr callee, P::TailContext *);
  ast::ExprPtr negate(ast::ExprPtr, ast::UnaryOp, const Token *);
  ast::ExprPtr binary(ast::ExprPtr, ast::ExprPtr, const Token *op);
  ast::CallArg argument(P::ArgContext *);
  ast::ExprPtr region(P::ArgContext *);
  std::vector<ast::RegionExpr::Param> regionParams(P::ExpressionContext *);
  ast::ExprPtr comprehension(ast::ExprPtr element, const std::vector<P::ForInContext *> &, P::ExpressionContext *filter,
                             SourceRange, bool bare);
  /// The name that stands left of `=` or `=>`, or before `...`.
  ast::Name plainName(const ast::Expr &, const char *message);

  // build_type.cpp
  ast::TypePtr type(P::TypeExprContext *);
  std::vector<ast::TypeDim> dims(P::TypeDimsContext *);
  std::vector<ast::Param> params(P::ParamsContext *, bool ofOp = false);
  void standsFor(P::ParamContext *, ast::Param &);
  std::vector<ast::Param> results(P::ResultContext *);
  ast::Param result(P::ResultContext *);

  // build_match.cpp
  ast::MatchPtr match(P::MatchExprContext *, bool afterColon = false);
  ast::MatchPtr prefixedMatch(P::MatchExprContext *);
  ast::MatchPtr orderedMatch(P::MatchExprContext *, ast::MatchPtr inner);
  ast::MatchPtr namedMatch(P::MatchExprContext *, bool afterColon);
  ast::MatchPtr boundMatch(P::MatchExprContext *);
  ast::TypePtr typeOf(P::MatchExprContext *);
  ast::MatchPtr optionalMatch(P::MatchExprContext *, bool afterColon);
  ast::MatchPtr literalMatch(P::MatchExprContext *);
  ast::MatchPtr listMatch(P::MatchExprContext *);
  ast::MatchPtr groupMatch(P::MatchExprContext *);
  ast::MatchPtr opMatch(std::vector<ast::QualifiedName> heads, SourceRange headRange, P::MatchExprContext *);
  ast::MatchPtr restMatch(P::MatchArgContext *);
  ast::MatchPtr regionMatch(P::MatchArgContext *);
  void valueList(P::MatchExprContext *, std::vector<ast::MatchPtr> &);

  // build_decl.cpp
  template <class T> std::unique_ptr<T> declare(antlr4::ParserRuleContext *, const Token *name);
  ast::DeclPtr op(P::OpDeclContext *);
  void clause(ast::OpDecl &, P::OpClauseContext *);
  void meaning(ast::OpDecl &, P::OpClauseContext *);
  ast::MatchPtr meantOp(const ast::OpDecl &, SourceRange);
  void attribute(ast::OpDecl &, P::OpClauseContext *);
  ast::DeclPtr group(P::GroupDeclContext *);
  ast::DeclPtr rewrite(P::NativeDeclContext *);
  ast::DeclPtr native(P::NativeDeclContext *);
  ast::PassDecl::Member member(P::PassMemberContext *);
  ast::DeclPtr pass(P::PassDeclContext *);
  ast::DeclPtr conversion(P::ConversionDeclContext *);
  ast::DeclPtr pipeline(P::PipelineDeclContext *);
  ast::Stage stage(P::StageContext *);
  ast::DeclPtr test(P::TestDeclContext *);
  ast::DeclPtr expect(P::ExpectDeclContext *);
  std::string docBefore(const Token *, SourceRange &range);

  // build_pattern.cpp
  ast::DeclPtr pattern(P::PatternDeclContext *);
  ast::DeclPtr matcher(P::MatchDeclContext *);
  void patternName(ast::PatternDecl &, const Token *);
  void patternTag(ast::PatternDecl &, P::PatternTagContext *);
  ast::ForClause forClause(P::ForClauseContext *);
  ast::Condition whereItem(P::ExpressionContext *);
  ast::StmtPtr statement(P::StatementContext *);

  const TokenList &tokens_;
  Diagnostics &diags_;
  ParseSlice parseSlice_;
  bool failed_ = false;
  bool usesDoc(size_t i) const { return i < usedDocs_.size() && usedDocs_[i]; }
  std::vector<SourceRange> lostCommas_;
  std::vector<bool> usedDocs_; // of the comments in tokens_.docs
  bool saidTooDeep_ = false;
};

template <class Parent, class Child> void Builder::nest(Parent &parent, const Child &child, size_t levels) {
  if (!child)
    return;
  const size_t depth = std::min<size_t>(child->depth + levels, UINT16_MAX);
  if (depth > parent.depth)
    parent.depth = uint16_t(depth);
  if (parent.depth <= ast::kMaxNesting || saidTooDeep_)
    return;
  saidTooDeep_ = true;
  error("too-deep", parent.range, "this is nested more than " + std::to_string(ast::kMaxNesting) + " levels deep")
      .note("give a part of it a name: with `let`, or as a function");
}

} // namespace rw::parse
