#include "frontend/check/expressions.h"

#include "frontend/check/calls.h"
#include "frontend/check/destructure.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/is_tests.h"
#include "frontend/check/members.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/names.h"
#include "frontend/check/operators.h"
#include "frontend/check/suggestions.h"
#include "frontend/check/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rw::sema {

/// A name in braces in a string, which only messages show the value of.
static void warnOfSplice(BodyContext &b, const Expr &e) {
  const std::string &text = e.text;
  for (size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    size_t close = text.find('}', open);
    if (close == text.npos)
      return;
    std::string name = text.substr(open + 1, close - open - 1);
    VarId id = b.find(name);
    if (!id)
      continue;
    b.use(id);
    b.warning("not-spliced", e.range,
              fmt::format("`{{{}}}` is text here: only messages show what stands in braces", name))
        .note(fmt::format("strings are joined by `++`: `\"a\" ++ {}`", name));
    return;
  }
}

static Expr checkName(BodyContext &b, const ast::NameExpr &e) {
  const std::string &text = e.name.text;
  if (saysNone(b, e)) {
    if (!b.noneStands)
      b.error("misplaced", e.range,
              "`none` is an operand or attribute that is left out: it stands for one of an op that is built")
          .note("as in `clip(x, none, max)` or `conv(x, w, if has(b) then neg(b) else none)`; whether one is there is "
                "asked by `has(b)`");
    return b.noneStands ? b.make(ExprKind::None, TypeKind::Value, e.range) : b.errorExpr(e.range);
  }
  if (const ast::Expr *value = b.substituted(text)) {
    if (value->kind != ast::ExprKind::Name && value->kind != ast::ExprKind::Member) {
      Expr out = checkExpr(b, *value);
      out.range = e.range;
      return out;
    }
    if (const auto *plain = value->as<ast::NameExpr>(); plain && isDTypeName(plain->name.text)) {
      Expr out = b.make(ExprKind::DType, TypeKind::DType, e.range);
      out.text = plain->name.text;
      return out;
    }
  }
  if (VarId id = b.find(text); id && !isUnboundHere(b, id))
    return b.varExpr(id, e.range);
  if (b.c.meantOp && !b.names->putIn && b.c.module.op(b.c.meantOp).attrNamed(text) >= 0)
    if (VarId op = b.find("(op)"))
      return checkOpMember(b, b.varExpr(op, e.range), e.name); // an attribute of the op that means this
  if (isDTypeName(text)) {
    Expr out = b.make(ExprKind::DType, TypeKind::DType, e.range);
    out.text = text;
    return out;
  }
  ast::QualifiedName qualified = b.resolved({{}, e.name, e.name.range});
  const std::string &called = qualified.name.text;
  bool isFunction = fnNamed(b.c, called) || nativeNamed(b.c, called) ||
                    std::any_of(builtins().begin(), builtins().end(), [&](auto &b) { return b.name == called; });
  if (isFunction || namesOp(b.c, qualified)) {
    b.error("not-a-value", e.range, fmt::format("`{}` is {}, not a value", text, isFunction ? "a function" : "an op"))
        .note(fmt::format("with arguments it {}: `{}(...)`", isFunction ? "yields one" : "builds one", text));
    return b.errorExpr(e.range);
  }
  if (b.operandsMissing || !b.unbound.insert(text).second)
    return b.errorExpr(e.range);
  std::vector<std::string_view> candidates;
  for (const Scoped &scoped : b.names->scope)
    candidates.push_back(scoped.entry->getKey());
  Report report =
      b.error("unbound-name", writtenAt(b.c, called, e.range), fmt::format("`{}` is not bound here", called));
  if (std::string_view ours = spellingOfOthers(called); !ours.empty()) {
    report.fixIt(e.range, std::string(ours));
    return b.errorExpr(e.range);
  }
  if (b.inShapeAsked)
    report.note("a size is computed of what is bound before; else name it, `x: f32[m]`, and compare it in the `where`: "
                "`m == n + 1`");
  if (b.defining && !b.names->of &&
      std::ranges::find(b.defining->params, text, &Matcher::Param::name) != b.defining->params.end()) {
    report.note(fmt::format(
        "it is a parameter that nothing binds before this; what a use gives has its type stated: `{}: int`", text));
    return b.errorExpr(e.range);
  }
  std::string_view nearest = b.c.nearestHint(text, candidates);
  if (std::string_view dtype = dtypeOfOthers(text); !dtype.empty()) {
    report.fixIt(e.range, std::string(dtype));
    return b.errorExpr(e.range);
  }
  if (nearest.empty()) {
    sayWhereBound(b, report, text);
    return b.errorExpr(e.range);
  }
  report.fixIt(e.range, std::string(nearest))
      .note(b.var(b.find(nearest)).range, fmt::format("`{}` is bound here", nearest));
  b.use(b.find(nearest)); // most likely meant: one mistake, one report
  return b.errorExpr(e.range);
}

static Expr checkList(BodyContext &b, const ast::ListExpr &e) {
  std::vector<Expr> elements;
  std::optional<Type> type;
  SourceRange typed;
  bool failed = false;
  for (const ast::ExprPtr &element : e.elements) {
    Expr out = checkExpr(b, *element);
    if (out.type.isError()) {
      failed = true;
    } else if (!type) {
      type = out.type;
      typed = out.range;
    } else if (auto common = commonType(b, *type, out.type)) {
      type = common;
    } else {
      b.error("type-mismatch", out.range,
              fmt::format("this is {}, but the list holds {}", toString(out.type), toString(*type)))
          .note(typed, fmt::format("which is {}", toString(*type)));
      failed = true;
    }
    elements.push_back(std::move(out));
  }
  if (failed)
    return b.errorExpr(e.range);
  if (type && type->lists >= 3) {
    b.error("undefined-type", e.range, "lists are nested at most three deep");
    return b.errorExpr(e.range);
  }
  if (type && type->is(TypeKind::Op))
    type = TypeKind::Value;
  Type element = type ? *type : Type(TypeKind::Never);
  for (Expr &out : elements)
    out = convert(b, std::move(out), element, "an element of this list");
  return b.make(ExprKind::List, element.listOf(), e.range, std::move(elements));
}

static Expr checkIf(BodyContext &b, const ast::IfExpr &e) {
  bool mayBeNone = std::exchange(b.noneStands, false);
  Expr test = checkCondition(b, *e.condition, "what `if` asks");
  Expr yes = checkPart(b, *e.thenValue, mayBeNone);
  Expr no = checkPart(b, *e.elseValue, mayBeNone);
  if (yes.type.isError() || no.type.isError())
    return b.errorExpr(e.range);
  asNumbers(b, yes, no);
  std::optional<Type> type = commonType(b, yes.type, no.type);
  if (!type) {
    b.error("type-mismatch", no.range,
            fmt::format("`else` gives {}, but `then` gives {}", toString(no.type), toString(yes.type)))
        .note(yes.range, fmt::format("which is {}", toString(yes.type)));
    return b.errorExpr(e.range);
  }
  if (type->is(TypeKind::Op))
    type = TypeKind::Value;
  std::vector<Expr> args;
  args.reserve(3);
  args.push_back(std::move(test));
  args.push_back(convert(b, std::move(yes), *type, "the value of `then`"));
  args.push_back(convert(b, std::move(no), *type, "the value of `else`"));
  return b.make(ExprKind::If, *type, e.range, std::move(args));
}

static Expr checkRange(BodyContext &b, const ast::RangeExpr &e) {
  std::vector<Expr> args;
  args.reserve(2);
  args.push_back(checkExprAs(b, *e.begin, TypeKind::Int, "where a range begins"));
  args.push_back(checkExprAs(b, *e.end, TypeKind::Int, "where a range ends"));
  return b.make(ExprKind::Range, Type::list(TypeKind::Int), e.range, std::move(args));
}

/// `(dtype, shape)` is a type, and where an `if` or `let` gives several values `(a, b)` is these; two other things are
/// most likely meant as a list.
static Expr checkTuple(BodyContext &b, const ast::TupleExpr &e, bool severalStand) {
  std::vector<Expr> parts;
  parts.reserve(e.elements.size());
  for (size_t i = 0; i < e.spread.size(); ++i)
    if (e.spread[i]) {
      b.error("misplaced", e.elements[i]->range,
              "`...` stands behind an operand of an op, or a result of a region or of an op that is replaced")
          .note("lists are joined by `++`: `[x] ++ xs`");
      return b.errorExpr(e.range);
    }
  for (const ast::ExprPtr &element : e.elements) {
    parts.push_back(checkExpr(b, *element));
    if (parts.back().type.isError())
      return b.errorExpr(e.range);
  }
  const Type shape = Type::list(TypeKind::Dim);
  bool pair = parts.size() == 2;
  if (pair && (convertible(b, parts[0], TypeKind::DType) || convertible(b, parts[1], shape))) {
    std::vector<Expr> args;
    args.reserve(2);
    args.push_back(convert(b, std::move(parts[0]), TypeKind::DType, "the element type"));
    args.push_back(convert(b, std::move(parts[1]), shape, "the shape"));
    if (args[0].type.isError() || args[1].type.isError())
      return b.errorExpr(e.range);
    return b.make(ExprKind::MakeType, TypeKind::Type, e.range, std::move(args));
  }
  if (severalStand &&
      std::ranges::all_of(parts, [&](const Expr &part) { return convertible(b, part, TypeKind::Value); })) {
    for (Expr &part : parts)
      part = convert(b, std::move(part), TypeKind::Value, "one of several values");
    return b.make(ExprKind::List, Type::list(TypeKind::Value), e.range, std::move(parts));
  }
  bool swapped = pair && convertible(b, parts[0], shape) && convertible(b, parts[1], TypeKind::DType);
  Report report = b.error("type-mismatch", e.range,
                          fmt::format("{}`(a, b)` is a type, of an element type and a shape",
                                      swapped ? "" : "a list is written in brackets; "));
  if (swapped) {
    report.note(fmt::format("the element type stands first: `({}, {})`", b.c.textOf(parts[1].range),
                            b.c.textOf(parts[0].range)));
    return b.errorExpr(e.range);
  }
  std::optional<Type> common = parts.empty() ? std::nullopt : std::optional(parts[0].type);
  for (const Expr &part : parts)
    common = common ? commonType(b, *common, part.type) : std::nullopt;
  std::string text = b.c.textOf(e.range);
  bool parenthesized = text.starts_with("(") && text.ends_with(")");
  if (common && parenthesized && text.size() <= 60)
    report.fixIt(e.range, "[" + text.substr(1, text.size() - 2) + "]");
  return b.errorExpr(e.range);
}

Expr checkExpr(BodyContext &b, const ast::Expr &e) {
  switch (e.kind) {
  case ast::ExprKind::Int: {
    Expr out = b.make(ExprKind::Int, TypeKind::Int, e.range);
    out.i = e.get<ast::IntExpr>().value;
    return out;
  }
  case ast::ExprKind::Float: {
    Expr out = b.make(ExprKind::Float, TypeKind::Float, e.range);
    out.f = e.get<ast::FloatExpr>().value;
    return out;
  }
  case ast::ExprKind::Bool: {
    Expr out = b.make(ExprKind::Bool, TypeKind::Bool, e.range);
    out.i = e.get<ast::BoolExpr>().value;
    return out;
  }
  case ast::ExprKind::String: {
    Expr out = b.make(ExprKind::String, TypeKind::String, e.range);
    out.text = e.get<ast::StringExpr>().value;
    warnOfSplice(b, out);
    return out;
  }
  case ast::ExprKind::Name:
    return checkName(b, e.get<ast::NameExpr>());
  case ast::ExprKind::Member:
    return checkMember(b, e.get<ast::MemberExpr>());
  case ast::ExprKind::Index:
    return checkIndex(b, e.get<ast::IndexExpr>());
  case ast::ExprKind::Call:
    return checkCall(b, e.get<ast::CallExpr>());
  case ast::ExprKind::List:
    return checkList(b, e.get<ast::ListExpr>());
  case ast::ExprKind::Tuple:
    return checkTuple(b, e.get<ast::TupleExpr>(), false);
  case ast::ExprKind::Unary:
    return checkUnary(b, e.get<ast::UnaryExpr>());
  case ast::ExprKind::Binary:
    return checkBinary(b, e.get<ast::BinaryExpr>());
  case ast::ExprKind::If:
    return checkIf(b, e.get<ast::IfExpr>());
  case ast::ExprKind::Let:
    return checkLetExpr(b, e.get<ast::LetExpr>());
  case ast::ExprKind::Range:
    return checkRange(b, e.get<ast::RangeExpr>());
  case ast::ExprKind::Comprehension:
    return checkComprehension(b, e.get<ast::ComprehensionExpr>());
  case ast::ExprKind::Is:
    return checkIs(b, e.get<ast::IsExpr>());
  case ast::ExprKind::Region:
    b.error("misplaced", e.range, "`(a) => b` is a region: it stands behind the name of one, in an op that is built")
        .note("as in `loop(x, body = (a -> x.type) => relu(a))`");
    break;
  }
  return b.errorExpr(e.range);
}

Expr checkExprAs(BodyContext &b, const ast::Expr &e, Type expected, What what) {
  return convert(b, checkExpr(b, e), expected, what);
}

Expr checkCondition(BodyContext &b, const ast::Expr &e, What what) { return checkCondition(b, checkExpr(b, e), what); }

Expr checkCondition(BodyContext &b, Expr out, What what) {
  if (out.type.isError() || out.type.is(TypeKind::Bool))
    return out;
  if (out.type.is(TypeKind::Attr))
    return convert(b, std::move(out), TypeKind::Bool, what);
  Report report = b.error("non-bool-condition", out.range,
                          fmt::format("{} is true or false, but this is {}", what.text(), toString(out.type)));
  if (std::string list = b.c.textOf(out.range);
      out.type == Type::list(TypeKind::Bool) && out.kind == ExprKind::Comprehension && list.starts_with('[')) {
    report.fixIt(out.range, fmt::format("all({})", list.substr(1, list.size() - 2)))
        .note("`any` asks that it holds of one of them");
    return b.errorExpr(out.range);
  }
  report.note("a condition compares or asks: `n == 0`, `x.rank > 1`, `has(b)`, `x is relu(_)`");
  return b.errorExpr(out.range);
}

bool saysNone(const BodyContext &b, const ast::Expr &e) {
  const auto *name = e.as<ast::NameExpr>();
  return name && name->name.text == "none" && !b.find("none") && !b.substituted("none");
}
bool saysNone(const BodyContext &b, const ast::Match &m) {
  const auto *name = m.as<ast::NameMatch>();
  return name && name->name.text == "none" && !b.find("none") && !b.substituted("none");
}

Expr checkValueOrNone(BodyContext &b, const ast::Expr &e, bool may) {
  bool outer = std::exchange(b.noneStands, may && (e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::If));
  Expr out = checkExpr(b, e);
  b.noneStands = outer;
  return out;
}

Expr checkPart(BodyContext &b, const ast::Expr &e, bool mayBeNone) {
  const auto *several = b.allow == Allow::Builds ? e.as<ast::TupleExpr>() : nullptr;
  return several ? checkTuple(b, *several, true) : checkValueOrNone(b, e, mayBeNone);
}

} // namespace rw::sema
