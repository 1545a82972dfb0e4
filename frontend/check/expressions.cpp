// Expressions: literals, names, lists, control.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

Expr BodyChecker::expr(const ast::Expr &e) {
  switch (e.kind) {
  case ast::ExprKind::Int: {
    Expr out = make(ExprKind::Int, TypeKind::Int, e.range);
    out.i = e.get<ast::IntExpr>().value;
    return out;
  }
  case ast::ExprKind::Float: {
    Expr out = make(ExprKind::Float, TypeKind::Float, e.range);
    out.f = e.get<ast::FloatExpr>().value;
    return out;
  }
  case ast::ExprKind::Bool: {
    Expr out = make(ExprKind::Bool, TypeKind::Bool, e.range);
    out.i = e.get<ast::BoolExpr>().value;
    return out;
  }
  case ast::ExprKind::String: {
    Expr out = make(ExprKind::String, TypeKind::String, e.range);
    out.text = e.get<ast::StringExpr>().value;
    spliced(out);
    return out;
  }
  case ast::ExprKind::Name:
    return name(e.get<ast::NameExpr>());
  case ast::ExprKind::Member:
    return member(e.get<ast::MemberExpr>());
  case ast::ExprKind::Index:
    return index(e.get<ast::IndexExpr>());
  case ast::ExprKind::Call:
    return call(e.get<ast::CallExpr>());
  case ast::ExprKind::List:
    return list(e.get<ast::ListExpr>());
  case ast::ExprKind::Tuple:
    return tuple(e.get<ast::TupleExpr>(), false);
  case ast::ExprKind::Unary:
    return unary(e.get<ast::UnaryExpr>());
  case ast::ExprKind::Binary:
    return binary(e.get<ast::BinaryExpr>());
  case ast::ExprKind::If:
    return ifExpr(e.get<ast::IfExpr>());
  case ast::ExprKind::Let:
    return letExpr(e.get<ast::LetExpr>());
  case ast::ExprKind::Range:
    return range(e.get<ast::RangeExpr>());
  case ast::ExprKind::Comprehension:
    return comprehension(e.get<ast::ComprehensionExpr>());
  case ast::ExprKind::Is:
    return isExpr(e.get<ast::IsExpr>());
  case ast::ExprKind::Region:
    c.error("misplaced", e.range, "`(a) => b` is a region: it stands behind the name of one, in an op that is built")
        .note("as in `loop(x, body = (a -> x.type) => relu(a))`");
    break;
  }
  return errorExpr(e.range);
}

/// A name in braces in a string, which only messages show the value of.
void BodyChecker::spliced(const Expr &e) {
  const std::string &text = e.text;
  for (size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    size_t close = text.find('}', open);
    if (close == text.npos)
      return;
    std::string name = text.substr(open + 1, close - open - 1);
    VarId id = find(name);
    if (!id)
      continue;
    use(id);
    c.warning("not-spliced", e.range,
              fmt::format("`{{{}}}` is text here: only messages show what stands in braces", name))
        .note(fmt::format("strings are joined by `++`: `\"a\" ++ {}`", name));
    return;
  }
}

Expr BodyChecker::exprOf(const ast::Expr &e, Type expected, What what) { return convert(expr(e), expected, what); }

Expr BodyChecker::condition(const ast::Expr &e, What what) { return condition(expr(e), what); }

Expr BodyChecker::condition(Expr out, What what) {
  if (out.type.isError() || out.type.is(TypeKind::Bool))
    return out;
  if (out.type.is(TypeKind::Attr))
    return convert(std::move(out), TypeKind::Bool, what);
  Report report = c.error("non-bool-condition", out.range,
                          fmt::format("{} is true or false, but this is {}", what.text(), toString(out.type)));
  if (std::string list = c.textOf(out.range);
      out.type == Type::list(TypeKind::Bool) && out.kind == ExprKind::Comprehension && list.starts_with('[')) {
    report.fixIt(out.range, fmt::format("all({})", list.substr(1, list.size() - 2)))
        .note("`any` asks that it holds of one of them");
    return errorExpr(out.range);
  }
  report.note("a condition compares or asks: `n == 0`, `x.rank > 1`, `has(b)`, `x is relu(_)`");
  return errorExpr(out.range);
}

/// `none`, where nothing is called so.
bool BodyChecker::saysNone(const ast::Expr &e) const {
  const auto *name = e.as<ast::NameExpr>();
  return name && name->name.text == "none" && !find("none") && !substituted("none");
}
bool BodyChecker::saysNone(const ast::Match &m) const {
  const auto *name = m.as<ast::NameMatch>();
  return name && name->name.text == "none" && !find("none") && !substituted("none");
}

/// An operand, which may be `none` or a choice of that, or any expression.
Expr BodyChecker::maybeNone(const ast::Expr &e, bool may) {
  bool outer = std::exchange(noneStands_, may && (e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::If));
  Expr out = expr(e);
  noneStands_ = outer;
  return out;
}

Expr BodyChecker::name(const ast::NameExpr &e) {
  const std::string &text = e.name.text;
  if (saysNone(e)) {
    if (!noneStands_)
      c.error("misplaced", e.range,
              "`none` is an operand or attribute that is left out: it stands for one of an op that is built")
          .note("as in `clip(x, none, max)` or `conv(x, w, if has(b) then neg(b) else none)`; whether one is there is "
                "asked by `has(b)`");
    return noneStands_ ? make(ExprKind::None, TypeKind::Value, e.range) : errorExpr(e.range);
  }
  if (const ast::Expr *value = substituted(text)) {
    if (value->kind != ast::ExprKind::Name && value->kind != ast::ExprKind::Member) {
      Expr out = expr(*value);
      out.range = e.range;
      return out;
    }
    if (const auto *plain = value->as<ast::NameExpr>(); plain && isDTypeName(plain->name.text)) {
      Expr out = make(ExprKind::DType, TypeKind::DType, e.range);
      out.text = plain->name.text;
      return out;
    }
  }
  if (VarId id = find(text); id && !isUnboundHere(id))
    return varExpr(id, e.range);
  if (c.meantOp && !names_->putIn && c.module.op(c.meantOp).attrNamed(text) >= 0)
    if (VarId op = find("(op)"))
      return opMember(varExpr(op, e.range), e.name); // an attribute of the op that means this
  if (isDTypeName(text)) {
    Expr out = make(ExprKind::DType, TypeKind::DType, e.range);
    out.text = text;
    return out;
  }
  ast::QualifiedName qualified = resolved({{}, e.name, e.name.range});
  const std::string &called = qualified.name.text;
  bool isFunction = c.fnNamed(called) || c.nativeNamed(called) ||
                    std::any_of(builtins().begin(), builtins().end(), [&](auto &b) { return b.name == called; });
  if (isFunction || c.namesOp(qualified)) {
    c.error("not-a-value", e.range, fmt::format("`{}` is {}, not a value", text, isFunction ? "a function" : "an op"))
        .note(fmt::format("with arguments it {}: `{}(...)`", isFunction ? "yields one" : "builds one", text));
    return errorExpr(e.range);
  }
  if (operandsMissing_ || !unbound_.insert(text).second)
    return errorExpr(e.range);
  std::vector<std::string_view> candidates;
  for (const Scoped &scoped : names_->scope)
    candidates.push_back(scoped.entry->getKey());
  Report report = c.error("unbound-name", c.writtenAt(called, e.range), fmt::format("`{}` is not bound here", called));
  if (std::string_view ours = spellingOfOthers(called); !ours.empty()) {
    report.fixIt(e.range, std::string(ours));
    return errorExpr(e.range);
  }
  if (inShapeAsked_)
    report.note("a size is computed of what is bound before; else name it, `x: f32[m]`, and compare it in the `where`: "
                "`m == n + 1`");
  if (defining_ && !names_->of &&
      std::ranges::find(defining_->params, text, &Matcher::Param::name) != defining_->params.end()) {
    report.note(fmt::format(
        "it is a parameter that nothing binds before this; what a use gives has its type stated: `{}: int`", text));
    return errorExpr(e.range);
  }
  std::string_view nearest = c.nearestHint(text, candidates);
  if (std::string_view dtype = dtypeOfOthers(text); !dtype.empty()) {
    report.fixIt(e.range, std::string(dtype));
    return errorExpr(e.range);
  }
  if (nearest.empty()) {
    sayWhereBound(report, text);
    return errorExpr(e.range);
  }
  report.fixIt(e.range, std::string(nearest))
      .note(var(find(nearest)).range, fmt::format("`{}` is bound here", nearest));
  use(find(nearest)); // most likely meant: one mistake, one report
  return errorExpr(e.range);
}

Expr BodyChecker::list(const ast::ListExpr &e) {
  std::vector<Expr> elements;
  std::optional<Type> type;
  SourceRange typed;
  bool failed = false;
  for (const ast::ExprPtr &element : e.elements) {
    Expr out = expr(*element);
    if (out.type.isError()) {
      failed = true;
    } else if (!type) {
      type = out.type;
      typed = out.range;
    } else if (auto common = commonType(*type, out.type)) {
      type = common;
    } else {
      c.error("type-mismatch", out.range,
              fmt::format("this is {}, but the list holds {}", toString(out.type), toString(*type)))
          .note(typed, fmt::format("which is {}", toString(*type)));
      failed = true;
    }
    elements.push_back(std::move(out));
  }
  if (failed)
    return errorExpr(e.range);
  if (type && type->lists >= 3) {
    c.error("undefined-type", e.range, "lists are nested at most three deep");
    return errorExpr(e.range);
  }
  if (type && type->is(TypeKind::Op))
    type = TypeKind::Value;
  Type element = type ? *type : Type(TypeKind::Never);
  for (Expr &out : elements)
    out = convert(std::move(out), element, "an element of this list");
  return make(ExprKind::List, element.listOf(), e.range, std::move(elements));
}

/// What a whole gives that is an `if` or a `let`: of what is built it may be several values, `(a, b)`.
Expr BodyChecker::part(const ast::Expr &e, bool mayBeNone) {
  const auto *several = allow == Allow::Builds ? e.as<ast::TupleExpr>() : nullptr;
  return several ? tuple(*several, true) : maybeNone(e, mayBeNone);
}

Expr BodyChecker::ifExpr(const ast::IfExpr &e) {
  bool mayBeNone = std::exchange(noneStands_, false);
  Expr test = condition(*e.condition, "what `if` asks");
  Expr yes = part(*e.thenValue, mayBeNone);
  Expr no = part(*e.elseValue, mayBeNone);
  if (yes.type.isError() || no.type.isError())
    return errorExpr(e.range);
  asNumbers(yes, no);
  std::optional<Type> type = commonType(yes.type, no.type);
  if (!type) {
    c.error("type-mismatch", no.range,
            fmt::format("`else` gives {}, but `then` gives {}", toString(no.type), toString(yes.type)))
        .note(yes.range, fmt::format("which is {}", toString(yes.type)));
    return errorExpr(e.range);
  }
  if (type->is(TypeKind::Op))
    type = TypeKind::Value;
  std::vector<Expr> args;
  args.reserve(3);
  args.push_back(std::move(test));
  args.push_back(convert(std::move(yes), *type, "the value of `then`"));
  args.push_back(convert(std::move(no), *type, "the value of `else`"));
  return make(ExprKind::If, *type, e.range, std::move(args));
}

Expr BodyChecker::range(const ast::RangeExpr &e) {
  std::vector<Expr> args;
  args.reserve(2);
  args.push_back(exprOf(*e.begin, TypeKind::Int, "where a range begins"));
  args.push_back(exprOf(*e.end, TypeKind::Int, "where a range ends"));
  return make(ExprKind::Range, Type::list(TypeKind::Int), e.range, std::move(args));
}

Match BodyChecker::isMatch(const ast::Match &m) {
  size_t first = body.vars.size();
  Match out = match(m);
  if (m.kind == ast::MatchKind::Name && body.vars.size() > first)
    alwaysTrue_.insert(uint32_t(first));
  return out;
}

/// What stands left of `is`.
Expr BodyChecker::lookedAt(const ast::IsExpr &is) {
  const ast::Expr &e = *is.value;
  Expr value = expr(e);
  bool isNumber = value.type.is(TypeKind::Int) || value.type.is(TypeKind::Dim) || value.type.is(TypeKind::Float);
  bool isCompared =
      !value.type.isList() && (isNumber || value.type.kind == TypeKind::DType || value.type.kind == TypeKind::Type ||
                               value.type.kind == TypeKind::String || value.type.kind == TypeKind::Bool);
  if (!isCompared)
    return convert(std::move(value), TypeKind::Value, "what `is` looks at");
  Report report =
      c.error("type-mismatch", e.range, fmt::format("`is` looks at a value, but this is {}", toString(value.type)));
  if (is.match->kind == ast::MatchKind::Literal || is.match->kind == ast::MatchKind::Name)
    report.fixIt(is.opRange, "==");
  report.note(fmt::format("it is compared by `==`: `{} == ...`", c.textOf(e.range)));
  return errorExpr(e.range);
}

Expr BodyChecker::isExpr(const ast::IsExpr &e) {
  if (allow == Allow::Pure) {
    Report report =
        c.error("is-outside-pattern", e.opRange, "`is` looks at ops, so it stands in the `where` of a pattern only");
    if (of == Of::Function)
      report.note("what asks for ops has a name by `match`: `match negated(x) = neg(x);`");
    return errorExpr(e.range);
  }
  Expr value = lookedAt(e);
  if (value.type.isError())
    return value;
  size_t mark = openScope();
  Match inner = isMatch(*e.match);
  closeScope(mark);
  std::vector<Expr> args;
  args.push_back(std::move(value));
  Expr out = make(ExprKind::Is, TypeKind::Bool, e.range, std::move(args));
  out.id = uint32_t(body.tests.size());
  body.tests.push_back(std::move(inner));
  return out;
}

/// `(dtype, shape)` is a type, and where an `if` or `let` gives several values `(a, b)` is these; two other things are
/// most likely meant as a list.
Expr BodyChecker::tuple(const ast::TupleExpr &e, bool severalStand) {
  std::vector<Expr> parts;
  parts.reserve(e.elements.size());
  for (size_t i = 0; i < e.spread.size(); ++i)
    if (e.spread[i]) {
      c.error("misplaced", e.elements[i]->range,
              "`...` stands behind an operand of an op, or a result of a region or of an op that is replaced")
          .note("lists are joined by `++`: `[x] ++ xs`");
      return errorExpr(e.range);
    }
  for (const ast::ExprPtr &element : e.elements) {
    parts.push_back(expr(*element));
    if (parts.back().type.isError())
      return errorExpr(e.range);
  }
  const Type shape = Type::list(TypeKind::Dim);
  bool pair = parts.size() == 2;
  if (pair && (convertible(parts[0], TypeKind::DType) || convertible(parts[1], shape))) {
    std::vector<Expr> args;
    args.reserve(2);
    args.push_back(convert(std::move(parts[0]), TypeKind::DType, "the element type"));
    args.push_back(convert(std::move(parts[1]), shape, "the shape"));
    if (args[0].type.isError() || args[1].type.isError())
      return errorExpr(e.range);
    return make(ExprKind::MakeType, TypeKind::Type, e.range, std::move(args));
  }
  if (severalStand &&
      std::ranges::all_of(parts, [&](const Expr &part) { return convertible(part, TypeKind::Value); })) {
    for (Expr &part : parts)
      part = convert(std::move(part), TypeKind::Value, "one of several values");
    return make(ExprKind::List, Type::list(TypeKind::Value), e.range, std::move(parts));
  }
  bool swapped = pair && convertible(parts[0], shape) && convertible(parts[1], TypeKind::DType);
  Report report = c.error("type-mismatch", e.range,
                          fmt::format("{}`(a, b)` is a type, of an element type and a shape",
                                      swapped ? "" : "a list is written in brackets; "));
  if (swapped) {
    report.note(
        fmt::format("the element type stands first: `({}, {})`", c.textOf(parts[1].range), c.textOf(parts[0].range)));
    return errorExpr(e.range);
  }
  std::optional<Type> common = parts.empty() ? std::nullopt : std::optional(parts[0].type);
  for (const Expr &part : parts)
    common = common ? commonType(*common, part.type) : std::nullopt;
  std::string text = c.textOf(e.range);
  bool parenthesized = text.starts_with("(") && text.ends_with(")");
  if (common && parenthesized && text.size() <= 60)
    report.fixIt(e.range, "[" + text.substr(1, text.size() - 2) + "]");
  return errorExpr(e.range);
}

} // namespace rw::sema
