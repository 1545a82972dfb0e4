// Values taken apart: `let (a, b) = e`, `let u, s = svd(x)`, in expressions, conditions and right sides; and
// comprehensions, whose variables may be several for each `for`.
//
// In:  the names, and what is taken apart: a tuple as it is written, an op by its results, a list by its elements.
// Out: an expression for each name. Ops and lists are evaluated once, as a variable.
//
//   Apart apart = takeApart(b, let.names, *let.value);
//   if (apart.value) lets.emplace_back(apart.whole, std::move(*apart.value));
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// What several names stand for.
struct Apart {
  VarId whole; // if `value` is set: a variable that holds it
  std::optional<Expr> value;
  std::vector<Expr> parts; // one per name
};

/// What several names stand for. A tuple is taken apart where it is written; of an op the names are its results; a list
/// must have exactly as many elements. Ops and lists are evaluated once, as the variable `whole`.
Apart takeApart(BodyContext &b, const std::vector<ast::Name> &names, const ast::Expr &e);
Apart takeApart(BodyContext &b, const std::vector<ast::Name> &names, Expr value);
/// How many results there are of an op that is built or named; -1 if that is open.
int resultsOf(const BodyContext &b, const Expr &op);
/// Whether so many names are the results of an op: those that it has or, where one stands for any number, those that it
/// declares.
bool isTakenApart(const BodyContext &b, const Expr &op, size_t names);
/// Names that are more or fewer than the results of `op`.
void reportResultCount(BodyContext &b, const Expr &op, size_t names);
/// `let a = e in value`.
Expr checkLetExpr(BodyContext &b, const ast::LetExpr &e);
/// `[f(x) for x in list if c]`.
Expr checkComprehension(BodyContext &b, const ast::ComprehensionExpr &e);
/// What a `let` names, one or several, in their order. In a region it may hide what has the name, in a block not.
void checkLets(BodyContext &b, const std::vector<ast::Name> &names, const ast::Expr &written,
               std::vector<std::pair<VarId, Expr>> &lets, bool mayHide = false);

} // namespace rw::sema
