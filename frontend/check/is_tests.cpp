#include "frontend/check/is_tests.h"

#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/matches.h"

#include <fmt/format.h>

namespace rw::sema {

Match checkIsMatch(BodyContext &b, const ast::Match &m) {
  size_t first = b.body.vars.size();
  Match out = checkMatch(b, m);
  if (m.kind == ast::MatchKind::Name && b.body.vars.size() > first)
    b.alwaysTrue.insert(uint32_t(first));
  return out;
}

Expr checkLookedAt(BodyContext &b, const ast::IsExpr &is) {
  const ast::Expr &e = *is.value;
  Expr value = checkExpr(b, e);
  bool isNumber = value.type.is(TypeKind::Int) || value.type.is(TypeKind::Dim) || value.type.is(TypeKind::Float);
  bool isCompared =
      !value.type.isList() && (isNumber || value.type.kind == TypeKind::DType || value.type.kind == TypeKind::Type ||
                               value.type.kind == TypeKind::String || value.type.kind == TypeKind::Bool);
  if (!isCompared)
    return convert(b, std::move(value), TypeKind::Value, "what `is` looks at");
  Report report =
      b.error("type-mismatch", e.range, fmt::format("`is` looks at a value, but this is {}", toString(value.type)));
  if (is.match->kind == ast::MatchKind::Literal || is.match->kind == ast::MatchKind::Name)
    report.fixIt(is.opRange, "==");
  report.note(fmt::format("it is compared by `==`: `{} == ...`", b.c.textOf(e.range)));
  return b.errorExpr(e.range);
}

Expr checkIs(BodyContext &b, const ast::IsExpr &e) {
  if (b.allow == Allow::Pure) {
    Report report =
        b.error("is-outside-pattern", e.opRange, "`is` looks at ops, so it stands in the `where` of a pattern only");
    if (b.of == BodyOf::Function)
      report.note("what asks for ops has a name by `match`: `match negated(x) = neg(x);`");
    return b.errorExpr(e.range);
  }
  Expr value = checkLookedAt(b, e);
  if (value.type.isError())
    return value;
  size_t mark = b.openScope();
  Match inner = checkIsMatch(b, *e.match);
  b.closeScope(mark);
  std::vector<Expr> args;
  args.push_back(std::move(value));
  Expr out = b.make(ExprKind::Is, TypeKind::Bool, e.range, std::move(args));
  out.id = uint32_t(b.body.tests.size());
  b.body.tests.push_back(std::move(inner));
  return out;
}

} // namespace rw::sema
