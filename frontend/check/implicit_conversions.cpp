#include "frontend/check/implicit_conversions.h"

#include "frontend/check/built_ops.h"
#include "frontend/check/constant_ops.h"
#include "frontend/check/members.h"
#include "frontend/check/suggestions.h"

#include <fmt/format.h>

namespace rw::sema {

bool convertible(Type from, Type to) {
  if (from == to || from.isError() || to.isError())
    return true;
  if (from.kind == TypeKind::Never && to.lists >= from.lists)
    return true;
  if (to.is(TypeKind::Attr)) // any attribute: whatever an attribute can hold
    return from.lists <= 1 && from.kind != TypeKind::Op && from.kind != TypeKind::Chain &&
           from.kind != TypeKind::Region && from.kind != TypeKind::None &&
           !(from.kind == TypeKind::Value && from.lists);
  if (from.is(TypeKind::Attr))
    return to.kind != TypeKind::Value && to.kind != TypeKind::Op && to.kind != TypeKind::Chain &&
           to.kind != TypeKind::Region;
  if (from == Type::list(TypeKind::Type) && to.is(TypeKind::Type)) // the type of a tuple
    return true;
  if (from.lists != to.lists)
    return false;
  TypeKind a = from.kind, b = to.kind;
  if (a == TypeKind::Int)
    return b == TypeKind::Dim || b == TypeKind::Float;
  if (a == TypeKind::Dim)
    return b == TypeKind::Int;
  if (a == TypeKind::Value)
    return b == TypeKind::Tensor;
  return false;
}

bool convertible(const BodyContext &b, const Expr &e, Type to) {
  if (e.type.is(TypeKind::None))
    return to.is(TypeKind::Value);
  if (e.type.is(TypeKind::Tensor) && to.is(TypeKind::Value)) // becomes a constant op
    return b.allow == Allow::Builds;
  if (e.type.is(TypeKind::Op) && to.kind == TypeKind::Value && !to.lists)
    return true;
  return convertible(e.type, to);
}

/// `[x converted for x in list]`.
static Expr convertElements(BodyContext &b, Expr list, Type to, What what) {
  SourceRange range = list.range;
  size_t mark = b.openScope();
  VarId one = b.declare("element", range, list.type.element(), VarKind::Loop);
  Expr element = convert(b, b.varExpr(one, range), to.element(), what);
  b.closeScope(mark);
  if (element.type.isError())
    return element;
  std::vector<Expr> args;
  args.push_back(std::move(element));
  args.push_back(std::move(list));
  Expr out = b.make(ExprKind::Comprehension, to, range, std::move(args));
  out.loopVars.push_back(one);
  return out;
}

Expr convert(BodyContext &b, Expr e, Type to, What what) {
  if (e.type == to || e.type.isError() || to.isError())
    return e;
  if (e.type.is(TypeKind::Op) && (to.is(TypeKind::Value) || to.is(TypeKind::Tensor) || to.is(TypeKind::Attr))) {
    int results = e.kind == ExprKind::Build ? int(b.body.builds[e.build().raw].resultCount)
                  : e.kind == ExprKind::Var ? resultCount(b, b.var(e.var()).ops)
                                            : 1;
    if (results != 1 && (results == 0 || leastResults(b, opsOf(b, e)) != 1)) {
      if (results == 0) {
        Report report =
            b.error("result-count", e.range, fmt::format("{} is one value, but this op has no results", what.text()));
        for (OpIndex id : opsOf(b, e).ops)
          report.note(b.c.module.op(id).nameRange,
                      fmt::format("`{}` is declared here: a result is written `-> tensor`", b.c.module.op(id).name));
        report.note("an op without results is built beside others: `=> { let _a = check(x); x }`");
        return b.errorExpr(e.range);
      }
      std::string which = "u";
      for (OpIndex op : opsOf(b, e).ops)
        for (const OpResultDecl &result : b.c.module.op(op).results)
          if (which == "u" && !result.name.empty())
            which = result.name;
      b.error("result-count", e.range,
              results < 0 ? fmt::format("{} is one value, and how many results this op has is open", what.text())
                          : fmt::format("{} is one value, but this op has {} results", what.text(), results))
          .note(e.kind == ExprKind::Var ? fmt::format("say which result: `{}.{}`", b.var(e.var()).name, which)
                                        : fmt::format("name the op and say which result: `d.{}`", which));
      return b.errorExpr(e.range);
    }
    SourceRange range = e.range;
    bool mayLack = opsOf(b, e).byTrait();
    std::vector<Expr> args;
    args.push_back(std::move(e));
    Expr value = b.make(ExprKind::OpResult, TypeKind::Value, range, std::move(args));
    value.mayLack = mayLack;
    return convert(b, std::move(value), to, what);
  }
  if (!convertible(b, e, to)) {
    Report report = b.error("type-mismatch", e.range,
                            fmt::format("{} is {}, but this is {}", what.text(), toString(to), toString(e.type)));
    addHint(b, report, e, to);
    return b.errorExpr(e.range);
  }
  // Literals take the type at once, so that generated code shows them as written.
  if (e.kind == ExprKind::Int && to.is(TypeKind::Float)) {
    e.kind = ExprKind::Float;
    e.f = double(e.i);
    e.type = to;
    return e;
  }
  if (e.kind == ExprKind::List && e.type.isList() && to.isList()) {
    for (Expr &element : e.args)
      element = convert(b, std::move(element), to.element(), what);
    e.type = to;
    return e;
  }
  if (e.type.is(TypeKind::None)) {
    e.type = to;
    return e;
  }
  // Readers convert lists of numbers; lists of anything else become those of their converted elements.
  if (e.type.isList() && to.isList() && e.type.kind != TypeKind::Never && (to.lists > 1 || to.kind == TypeKind::Tensor))
    return convertElements(b, std::move(e), to, what);
  SourceRange range = e.range;
  bool constant = e.type.is(TypeKind::Tensor) && to.is(TypeKind::Value);
  if (constant && !b.constantDialect.empty() && !hasConstantOp(b.c, b.constantDialect)) {
    reportNoConstant(b, b.constantDialect, range);
    return b.errorExpr(range);
  }
  std::vector<Expr> args;
  args.push_back(std::move(e));
  Expr out = b.make(ExprKind::Convert, to, range, std::move(args));
  if (constant)
    out.text = b.constantDialect;
  return out;
}

std::optional<Type> commonType(const BodyContext &b, Type lhs, Type rhs) {
  if (lhs == rhs || rhs.isError())
    return lhs;
  if (lhs.isError())
    return rhs;
  if (lhs.kind == TypeKind::Never && rhs.lists >= lhs.lists)
    return rhs;
  if (rhs.kind == TypeKind::Never && lhs.lists >= rhs.lists)
    return lhs;
  if (lhs.is(TypeKind::Op) && rhs.is(TypeKind::Value))
    return rhs;
  if (rhs.is(TypeKind::Op) && lhs.is(TypeKind::Value))
    return lhs;
  if (b.allow == Allow::Builds && lhs.is(TypeKind::Tensor) && (rhs.is(TypeKind::Value) || rhs.is(TypeKind::Op)))
    return TypeKind::Value;
  if (b.allow == Allow::Builds && rhs.is(TypeKind::Tensor) && (lhs.is(TypeKind::Value) || lhs.is(TypeKind::Op)))
    return TypeKind::Value;
  if (lhs.is(TypeKind::None) && rhs.is(TypeKind::Value))
    return rhs;
  if (rhs.is(TypeKind::None) && lhs.is(TypeKind::Value))
    return lhs;
  if (lhs.is(TypeKind::Attr) && convertible(rhs, lhs))
    return rhs;
  if (rhs.is(TypeKind::Attr) && convertible(lhs, rhs))
    return lhs;
  if (lhs.lists != rhs.lists)
    return std::nullopt;
  auto is = [&](TypeKind x, TypeKind y) {
    return (lhs.kind == x && rhs.kind == y) || (lhs.kind == y && rhs.kind == x);
  };
  if (is(TypeKind::Int, TypeKind::Dim))
    return Type(TypeKind::Dim, lhs.lists);
  if (is(TypeKind::Int, TypeKind::Float))
    return Type(TypeKind::Float, lhs.lists);
  return std::nullopt;
}

} // namespace rw::sema
