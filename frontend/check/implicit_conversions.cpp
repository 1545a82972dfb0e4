// Which types stand for which: implicit conversions, and the type two branches share.
#include "frontend/check/body.h"

#include <fmt/format.h>

namespace rw::sema {

bool BodyChecker::convertible(Type from, Type to) {
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

bool BodyChecker::convertible(const Expr &e, Type to) const {
  if (e.type.is(TypeKind::None))
    return to.is(TypeKind::Value);
  if (e.type.is(TypeKind::Tensor) && to.is(TypeKind::Value)) // becomes a constant op
    return allow == Allow::Builds;
  if (e.type.is(TypeKind::Op) && to.kind == TypeKind::Value && !to.lists)
    return true;
  return convertible(e.type, to);
}

Expr BodyChecker::convert(Expr e, Type to, What what) {
  if (e.type == to || e.type.isError() || to.isError())
    return e;
  if (e.type.is(TypeKind::Op) && (to.is(TypeKind::Value) || to.is(TypeKind::Tensor) || to.is(TypeKind::Attr))) {
    int results = e.kind == ExprKind::Build ? int(body.builds[e.build().raw].resultCount)
                  : e.kind == ExprKind::Var ? resultCount(var(e.var()).ops)
                                            : 1;
    if (results != 1 && !(results > 1 && leastResults(opsOf(e)) <= 1)) {
      if (results == 0) {
        Report report =
            c.error("result-count", e.range, fmt::format("{} is one value, but this op has no results", what.text()));
        for (OpIndex id : opsOf(e).ops)
          report.note(c.module.op(id).nameRange,
                      fmt::format("`{}` is declared here: a result is written `-> tensor`", c.module.op(id).name));
        report.note("an op without results is built beside others: `=> { let _a = check(x); x }`");
        return errorExpr(e.range);
      }
      std::string which = "u";
      for (OpIndex op : opsOf(e).ops)
        for (const OpResultDecl &result : c.module.op(op).results)
          if (which == "u" && !result.name.empty())
            which = result.name;
      c.error("result-count", e.range,
              results < 0 ? fmt::format("{} is one value, and how many results this op has is open", what.text())
                          : fmt::format("{} is one value, but this op has {} results", what.text(), results))
          .note(e.kind == ExprKind::Var ? fmt::format("say which result: `{}.{}`", var(e.var()).name, which)
                                        : fmt::format("name the op and say which result: `d.{}`", which));
      return errorExpr(e.range);
    }
    SourceRange range = e.range;
    bool mayLack = opsOf(e).byTrait();
    std::vector<Expr> args;
    args.push_back(std::move(e));
    Expr value = make(ExprKind::OpResult, TypeKind::Value, range, std::move(args));
    value.mayLack = mayLack;
    return convert(std::move(value), to, what);
  }
  if (!convertible(e, to)) {
    Report report = c.error("type-mismatch", e.range,
                            fmt::format("{} is {}, but this is {}", what.text(), toString(to), toString(e.type)));
    hint(report, e, to);
    return errorExpr(e.range);
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
      element = convert(std::move(element), to.element(), what);
    e.type = to;
    return e;
  }
  if (e.type.is(TypeKind::None)) {
    e.type = to;
    return e;
  }
  // Readers convert lists of numbers; lists of anything else become those of their converted elements.
  if (e.type.isList() && to.isList() && e.type.kind != TypeKind::Never && (to.lists > 1 || to.kind == TypeKind::Tensor))
    return convertElements(std::move(e), to, what);
  SourceRange range = e.range;
  bool constant = e.type.is(TypeKind::Tensor) && to.is(TypeKind::Value);
  if (constant && !constantDialect.empty() && !c.hasConstantOp(constantDialect)) {
    noConstant(constantDialect, range);
    return errorExpr(range);
  }
  std::vector<Expr> args;
  args.push_back(std::move(e));
  Expr out = make(ExprKind::Convert, to, range, std::move(args));
  if (constant)
    out.text = constantDialect;
  return out;
}

/// `[x converted for x in list]`.
Expr BodyChecker::convertElements(Expr list, Type to, What what) {
  SourceRange range = list.range;
  size_t mark = openScope();
  VarId one = declare("element", range, list.type.element(), VarKind::Loop);
  Expr element = convert(varExpr(one, range), to.element(), what);
  closeScope(mark);
  if (element.type.isError())
    return element;
  std::vector<Expr> args;
  args.push_back(std::move(element));
  args.push_back(std::move(list));
  Expr out = make(ExprKind::Comprehension, to, range, std::move(args));
  out.loopVars.push_back(one);
  return out;
}

Report BodyChecker::noConstant(std::string_view dialect, SourceRange range) {
  Report report =
      c.error("no-constant", range, fmt::format("this is a constant, and `{}` has no op that holds one", dialect));
  report.note(
      "`op constant() -> tensor { attr value: tensor; traits pure, constant; type value.type; }` declares one; one "
      "that another file declares is seen where that file is imported");
  return report;
}

std::optional<Type> BodyChecker::commonType(Type a, Type b) const {
  if (a == b || b.isError())
    return a;
  if (a.isError())
    return b;
  if (a.kind == TypeKind::Never && b.lists >= a.lists)
    return b;
  if (b.kind == TypeKind::Never && a.lists >= b.lists)
    return a;
  if (a.is(TypeKind::Op) && b.is(TypeKind::Value))
    return b;
  if (b.is(TypeKind::Op) && a.is(TypeKind::Value))
    return a;
  if (allow == Allow::Builds && a.is(TypeKind::Tensor) && (b.is(TypeKind::Value) || b.is(TypeKind::Op)))
    return TypeKind::Value;
  if (allow == Allow::Builds && b.is(TypeKind::Tensor) && (a.is(TypeKind::Value) || a.is(TypeKind::Op)))
    return TypeKind::Value;
  if (a.is(TypeKind::None) && b.is(TypeKind::Value))
    return b;
  if (b.is(TypeKind::None) && a.is(TypeKind::Value))
    return a;
  if (a.is(TypeKind::Attr) && convertible(b, a))
    return b;
  if (b.is(TypeKind::Attr) && convertible(a, b))
    return a;
  if (a.lists != b.lists)
    return std::nullopt;
  auto is = [&](TypeKind x, TypeKind y) { return (a.kind == x && b.kind == y) || (a.kind == y && b.kind == x); };
  if (is(TypeKind::Int, TypeKind::Dim))
    return Type(TypeKind::Dim, a.lists);
  if (is(TypeKind::Int, TypeKind::Float))
    return Type(TypeKind::Float, a.lists);
  return std::nullopt;
}

Expr BodyChecker::make(ExprKind kind, Type type, SourceRange range, std::vector<Expr> args) {
  Expr e;
  e.kind = kind;
  e.type = type;
  e.range = range;
  e.args = std::move(args);
  return e;
}

Expr BodyChecker::varExpr(VarId id, SourceRange range) {
  use(id);
  Expr e = make(ExprKind::Var, var(id).type, range);
  e.id = id.raw;
  if (bound_[id.raw] == Bound::Maybe)
    var(id).mayBeUnbound = true;
  return e;
}

} // namespace rw::sema
