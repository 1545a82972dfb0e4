#include "frontend/check/operators.h"

#include "frontend/check/built_ops.h"
#include "frontend/check/expressions.h"
#include "frontend/check/implicit_conversions.h"
#include "frontend/check/names.h"
#include "frontend/check/rounding.h"
#include "frontend/check/string_choices.h"

#include <fmt/format.h>

#include <cmath>

namespace rw::sema {

static bool isNumber(Type type) { return type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Dim); }

static bool isConstantLike(Type type) { return type.is(TypeKind::Value) || type.is(TypeKind::Tensor); }

void asNumbers(BodyContext &b, Expr &lhs, Expr &rhs) {
  for (auto [any, other] : {std::pair(&lhs, &rhs), std::pair(&rhs, &lhs)}) {
    if (!any->type.is(TypeKind::Attr) || !isNumber(other->type))
      continue;
    bool exact = other->kind == ExprKind::Int && std::abs(double(other->i)) <= 9007199254740992.0;
    if (exact)
      *other = convert(b, std::move(*other), TypeKind::Float, "a number");
    *any = convert(b, std::move(*any), other->type, "a number");
  }
}

/// `- x` or `not x`, not in parentheses.
static const ast::UnaryExpr *signedBy(const ast::Expr &e, ast::UnaryOp op) {
  const auto *sign = e.as<ast::UnaryExpr>();
  return sign && sign->op == op && !sign->parenthesized ? sign : nullptr;
}

Expr checkUnary(BodyContext &b, const ast::UnaryExpr &e) {
  std::vector<Expr> args;
  if (const auto *inner = signedBy(*e.operand, e.op))
    b.warning("doubled-sign", SourceRange{e.opRange.begin, inner->opRange.end},
              e.op == ast::UnaryOp::Not ? "`not not` asks the same as without" : "two signs `-` are none")
        .fixIt({e.opRange.begin, inner->operand->range.begin}, "")
        .note("leave both out, or one");
  if (e.op == ast::UnaryOp::Not) {
    Expr operand = checkExpr(b, *e.operand);
    bool isValue = operand.type.is(TypeKind::Value) || operand.type.is(TypeKind::Op);
    if (isValue && b.allow == Allow::Builds && e.operand->parenthesized &&
        namesOp(b.c, {{}, {"not", e.opRange}, e.opRange})) {
      // `not(x)` on a value is the op of that name.
      ast::CallExpr call(e.range);
      call.callee = {{}, {"not", e.opRange}, e.opRange};
      call.args.emplace_back().range = e.operand->range;
      return checkBuild(b, call, call.callee, std::move(operand));
    }
    args.push_back(checkCondition(b, std::move(operand), "what `not` negates"));
    return b.make(ExprKind::Not, TypeKind::Bool, e.range, std::move(args));
  }
  Expr operand = checkExpr(b, *e.operand);
  if (operand.type.isError())
    return operand;
  if (operand.type.is(TypeKind::Attr))
    operand = convert(b, std::move(operand), TypeKind::Float, "what `-` negates");
  if (!isNumber(operand.type)) {
    b.error("type-mismatch", operand.range, fmt::format("`-` negates a number, but this is {}", toString(operand.type)))
        .note("of a list each element is negated by `[-i for i in list]`; a value by an op");
    return b.errorExpr(e.range);
  }
  if (operand.kind == ExprKind::Int && operand.i != INT64_MIN) {
    operand.i = -operand.i;
    operand.range = e.range;
    return operand;
  }
  if (operand.kind == ExprKind::Float) {
    operand.f = -operand.f;
    operand.range = e.range;
    return operand;
  }
  Type type = operand.type;
  args.push_back(std::move(operand));
  return b.make(ExprKind::Neg, type, e.range, std::move(args));
}

static BinaryOp binaryOf(ast::BinaryOp op) { return BinaryOp(unsigned(op)); }
static_assert(unsigned(ast::BinaryOp::ShiftRight) == unsigned(BinaryOp::ShiftRight) &&
              unsigned(ast::BinaryOp::Eq) == unsigned(BinaryOp::Eq) &&
              unsigned(ast::BinaryOp::Concat) == unsigned(BinaryOp::Concat));

static Expr checkArithmetic(BodyContext &b, const ast::BinaryExpr &e, Expr lhs, Expr rhs) {
  BinaryOp op = binaryOf(e.op);
  if (const auto *sign = op == BinaryOp::Sub ? signedBy(*e.rhs, ast::UnaryOp::Neg) : nullptr)
    b.warning("doubled-sign", {e.opRange.begin, sign->opRange.end}, "this adds what stands behind it")
        .fixIt({e.opRange.begin, sign->operand->range.begin}, "+ ")
        .note("leave one of the two signs out");
  if (op != BinaryOp::Concat) {
    asNumbers(b, lhs, rhs);
    if (lhs.type.is(TypeKind::Attr) && rhs.type.is(TypeKind::Attr))
      for (Expr *side : {&lhs, &rhs})
        *side = convert(b, std::move(*side), TypeKind::Float, "a number");
  }
  std::optional<Type> type = commonType(b, lhs.type, rhs.type);
  bool fits = false;
  if (op == BinaryOp::Concat) {
    fits = type && (type->isList() || type->is(TypeKind::String));
  } else {
    fits = type && isNumber(*type) && !(op == BinaryOp::Mod && type->is(TypeKind::Float));
  }
  if (!fits) {
    Report report =
        b.error("type-mismatch", e.opRange,
                fmt::format("`{}` cannot join {} and {}", spelling(op), toString(lhs.type), toString(rhs.type)));
    if (op == BinaryOp::Add && type && type->isList())
      report.fixIt(e.opRange, "++").note("lists are joined by `++`");
    if (op == BinaryOp::Add && lhs.type.is(TypeKind::String) && rhs.type.is(TypeKind::String))
      report.fixIt(e.opRange, "++").note("strings are joined by `++`");
    if (op == BinaryOp::Concat)
      report.note("`++` joins two lists or two strings; one element in brackets is a list");
    if (lhs.type.is(TypeKind::Value) || rhs.type.is(TypeKind::Value))
      report.note(b.allow == Allow::Builds
                      ? "this computes with numbers; an op is built by its name, `add(x, y)`, and `splat(s)` on the "
                        "left binds the number that a constant holds"
                      : "this computes with numbers: `splat(s)` on the left binds the one that a constant holds");
    return b.errorExpr(e.range);
  }
  if ((op == BinaryOp::Div || op == BinaryOp::Mod) && !type->is(TypeKind::Float) && rhs.kind == ExprKind::Int &&
      rhs.i == 0) {
    b.error("bad-number", e.opRange, "this divides by 0, so it always fails").note("write the number that is meant");
    return b.errorExpr(e.range);
  }
  std::vector<Expr> args;
  args.reserve(2);
  args.push_back(convert(b, std::move(lhs), *type, "the left side"));
  args.push_back(convert(b, std::move(rhs), *type, "the right side"));
  Expr out = b.make(ExprKind::Binary, *type, e.range, std::move(args));
  out.binary = op;
  return out;
}

/// `& | ^ << >>` of ints.
static Expr checkBits(BodyContext &b, const ast::BinaryExpr &e, Expr lhs, Expr rhs) {
  BinaryOp op = binaryOf(e.op);
  for (Expr *side : {&lhs, &rhs})
    if (side->type.is(TypeKind::Dim) || side->type.is(TypeKind::Attr))
      *side =
          convert(b, std::move(*side), TypeKind::Int, [&] { return fmt::format("each side of `{}`", spelling(op)); });
  if (lhs.type.isError() || rhs.type.isError())
    return b.errorExpr(e.range);
  if (!lhs.type.is(TypeKind::Int) || !rhs.type.is(TypeKind::Int)) {
    Report report = b.error("type-mismatch", e.opRange,
                            fmt::format("`{}` is of the bits of two ints, not of {} and {}", spelling(op),
                                        toString(lhs.type), toString(rhs.type)));
    bool bools = lhs.type.is(TypeKind::Bool) && rhs.type.is(TypeKind::Bool);
    if (bools && op == BinaryOp::BitAnd)
      report.fixIt(e.opRange, "and");
    else if (bools && op == BinaryOp::BitOr)
      report.fixIt(e.opRange, "or");
    else if (bools && op == BinaryOp::BitXor)
      report.fixIt(e.opRange, "!=");
    else if (lhs.type.is(TypeKind::Bool) || rhs.type.is(TypeKind::Bool))
      report.note(fmt::format("`{}` binds tighter than a comparison has it: conditions are joined by `and` and `or`",
                              spelling(op)));
    else if (op == BinaryOp::BitXor && (lhs.type.is(TypeKind::Float) || rhs.type.is(TypeKind::Float)))
      report.note("a power is a product: `x * x`");
    else if (lhs.type.isList() && rhs.type.isList())
      report.note("lists are joined by `++`; of elements side by side, `[a & b for (a, b) in zip(x, y)]`");
    return b.errorExpr(e.range);
  }
  if (op >= BinaryOp::ShiftLeft && rhs.kind == ExprKind::Int && rhs.i < 0) {
    b.error("bad-number", rhs.range, "bits are shifted by 0 or more, so this always fails")
        .note(fmt::format("the other way is `{}`", op == BinaryOp::ShiftLeft ? ">>" : "<<"));
    return b.errorExpr(e.range);
  }
  std::vector<Expr> args;
  args.reserve(2);
  args.push_back(std::move(lhs));
  args.push_back(std::move(rhs));
  Expr out = b.make(ExprKind::Binary, TypeKind::Int, e.range, std::move(args));
  out.binary = op;
  return out;
}

Expr checkBinary(BodyContext &b, const ast::BinaryExpr &e) {
  BinaryOp op = binaryOf(e.op);
  if (op == BinaryOp::And || op == BinaryOp::Or) {
    if (op == BinaryOp::Or)
      for (const ast::ExprPtr *side : {&e.lhs, &e.rhs})
        if (const auto *inner = (*side)->as<ast::BinaryExpr>();
            inner && inner->op == ast::BinaryOp::And && !inner->parenthesized)
          b.warning("mixed-conditions", inner->range,
                    "`and` binds tighter than `or`, so this is one side of the `or` beside it")
              .fixIt(inner->range, fmt::format("({})", b.c.textOf(inner->range)))
              .note("parentheses say which of the two is meant");
    const auto what = [&] { return fmt::format("each side of `{}`", spelling(op)); };
    std::vector<Expr> args;
    args.reserve(2);
    args.push_back(checkCondition(b, *e.lhs, what));
    args.push_back(checkCondition(b, *e.rhs, what));
    Expr out = b.make(ExprKind::Binary, TypeKind::Bool, e.range, std::move(args));
    out.binary = op;
    return out;
  }
  Expr lhs = checkExpr(b, *e.lhs), rhs = checkExpr(b, *e.rhs);
  if (lhs.type.isError() || rhs.type.isError())
    return b.errorExpr(e.range);
  if (op >= BinaryOp::Eq && op <= BinaryOp::Ge)
    return checkComparison(b, e, std::move(lhs), std::move(rhs));
  if (op >= BinaryOp::BitAnd)
    return checkBits(b, e, std::move(lhs), std::move(rhs));
  return checkArithmetic(b, e, std::move(lhs), std::move(rhs));
}

Expr checkComparison(BodyContext &b, const ast::BinaryExpr &e, Expr lhs, Expr rhs) {
  BinaryOp op = binaryOf(e.op);
  bool ordered = op != BinaryOp::Eq && op != BinaryOp::Ne;
  asNumbers(b, lhs, rhs);
  if (ordered && lhs.type.is(TypeKind::Attr) && rhs.type.is(TypeKind::Attr))
    for (Expr *side : {&lhs, &rhs})
      *side = convert(b, std::move(*side), TypeKind::Float, "a number");
  std::optional<Type> type = commonType(b, lhs.type, rhs.type);
  auto comparable = [&](Type t) {
    return ordered ? isNumber(t) : t.kind != TypeKind::Chain && t.kind != TypeKind::Region && t.kind != TypeKind::None;
  };
  if (!type || !comparable(*type)) {
    Report report =
        b.error("type-mismatch", e.opRange,
                fmt::format("`{}` cannot compare {} with {}", spelling(op), toString(lhs.type), toString(rhs.type)));
    if (lhs.type.is(TypeKind::DType) && rhs.kind == ExprKind::String) { // x.dtype == "float32"
      std::string_view ours = isDTypeName(rhs.text) ? std::string_view(rhs.text) : dtypeOfOthers(rhs.text);
      if (!ours.empty())
        report.fixIt(rhs.range, std::string(ours));
    }
    report.note(lhs.type.kind == TypeKind::Region ? "what a region holds is matched: `body = (a) => relu(a)`"
                : lhs.type == rhs.type            ? "`==` and `!=` compare these"
                : lhs.type == Type::list(TypeKind::Attr) || rhs.type == Type::list(TypeKind::Attr)
                    ? "elements of any kind are compared one by one: `any(a == 1 for a in list)`, `list[0] == 1`"
                : isConstantLike(lhs.type) && isNumber(rhs.type)
                    ? "`splat(0)` on the left matches a constant of zeros, and `splat(s)` names the number that one "
                      "repeats; the elements of `const c` are `c.ints` and `c.floats`"
                    : exampleOf(lhs.type));
    return b.errorExpr(e.range);
  }
  std::vector<Expr> args;
  args.reserve(2);
  args.push_back(convert(b, std::move(lhs), *type, "the left side"));
  args.push_back(convert(b, std::move(rhs), *type, "the right side"));
  if (!ordered)
    checkComparedChoices(b, args[0], args[1]);
  Expr out = b.make(ExprKind::Binary, TypeKind::Bool, e.range, std::move(args));
  out.binary = op;
  out.rounded = rounded(b, out.args[0], out.args[1]);
  return out;
}

Expr checkIndex(BodyContext &b, const ast::IndexExpr &e) {
  // `f32[2, k]` is a type unless a variable has that name.
  if (const auto *word = e.object->as<ast::NameExpr>(); word && !b.find(word->name.text)) {
    Expr object = isDTypeName(word->name.text) || b.substituted(word->name.text) ? checkExpr(b, *e.object) : Expr{};
    if (object.kind == ExprKind::DType) {
      std::vector<Expr> dims;
      for (const ast::IndexArg &arg : e.args) {
        if (arg.slice)
          b.error("bad-type", arg.range, "a dimension is a number or an expression, not a slice");
        else
          dims.push_back(checkExprAs(b, *arg.begin, TypeKind::Dim, "a dimension"));
      }
      std::vector<Expr> args;
      args.push_back(std::move(object));
      args.push_back(b.make(ExprKind::List, Type::list(TypeKind::Dim), e.range, std::move(dims)));
      return b.make(ExprKind::MakeType, TypeKind::Type, e.range, std::move(args));
    }
  }
  Expr object = checkExpr(b, *e.object);
  if (object.type.isError())
    return b.errorExpr(e.range);
  if (e.args.size() != 1) {
    b.error("argument-count", e.range,
            fmt::format("an index is one number or one slice, not {}", counted(e.args.size(), "part")));
    return b.errorExpr(e.range);
  }
  const ast::IndexArg &arg = e.args[0];
  if (!object.type.isError() && !object.type.isList()) {
    bool ofEach = object.kind == ExprKind::Var && !b.body.vars[object.id].perOperand &&
                  (b.boundInEach.contains(object.id) || b.eachDepths[object.id]);
    b.error("type-mismatch", object.range,
            fmt::format("only lists have elements, but this is {}", toString(object.type)))
        .note(ofEach
                  ? fmt::format("inside `each` values and ops are lists, one for each operand; `{0}` is the same for "
                                "all, as it stands: `{0}`; of `each d: op(..)` `d[0]` has an attribute for itself",
                                b.body.vars[object.id].name)
              : object.type.is(TypeKind::Value)
                  ? "`x.ints[0]` is an element of a constant of integers, `x.shape[0]` a dimension"
                  : exampleOf(Type::list(TypeKind::Int)));
    object = b.errorExpr(object.range);
  }
  std::vector<Expr> args;
  args.reserve(arg.slice ? 3 : 2);
  Type type = object.type;
  args.push_back(std::move(object));
  if (!arg.slice) {
    if (type.isList() && type.element().is(TypeKind::Never)) {
      b.error("bad-number", e.range, "this list is always empty, so it has no elements");
      return b.errorExpr(e.range);
    }
    args.push_back(checkExprAs(b, *arg.begin, TypeKind::Int, "an index"));
    const Expr &at = args[1];
    if (int64_t fromEnd = at.kind == ExprKind::Int                                       ? -at.i
                          : at.kind == ExprKind::Neg && at.args[0].kind == ExprKind::Int ? at.args[0].i
                                                                                         : 0;
        fromEnd > 0) {
      std::string list = b.c.textOf(e.object->range);
      b.error("bad-number", at.range, "an index counts from 0, so this is never one of the list")
          .note(fmt::format("`{0}[len({0}) - {1}]` counts from the end", list, fromEnd));
      return b.errorExpr(e.range);
    }
    return b.make(ExprKind::Index, type.isError() ? type : type.element(), e.range, std::move(args));
  }
  for (const ast::ExprPtr *end : {&arg.begin, &arg.end})
    args.push_back(*end ? checkExprAs(b, **end, TypeKind::Int, "where a slice begins or ends")
                        : b.make(ExprKind::None, TypeKind::Int, arg.range));
  return b.make(ExprKind::Slice, type, e.range, std::move(args));
}

} // namespace rw::sema
