// Whether evaluating an expression may fail, and conditions of which a part does; members of ExprEmitter.
//
// `or` holds if either side does, and `and` fails to hold if either side does not, even where the other cannot be
// evaluated: `d == 1 or d == x` of dimensions B and B is true, although nobody knows whether B is 1. Likewise `any` and
// `all`.
#include "codegen/emit/expr_text.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

using sema::BinaryOp;
using sema::Builtin;
using sema::Expr;
using sema::ExprKind;
using sema::Property;
using sema::TypeKind;
using sema::VarId;

/// A list that grows by what is written there does so slowly.
bool ExprEmitter::joinMayFail(const Expr &e) {
  return std::ranges::none_of(e.args, [](const Expr &side) { return side.kind == ExprKind::List; });
}

/// Whether a comparison or sum of values that are there may have no result.
bool ExprEmitter::operatorMayFail(const Expr &e) {
  sema::Type type = e.args[0].type;
  switch (e.binary) {
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::BitAnd:
  case BinaryOp::BitOr:
  case BinaryOp::BitXor:
    return false;
  case BinaryOp::Concat:
    return joinMayFail(e);
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return type.isList() || type.is(TypeKind::Dim) || type.is(TypeKind::Type);
  default:
    return !e.type.is(TypeKind::Float);
  }
}

static bool builtinMayFail(Builtin which) {
  switch (which) {
  case Builtin::Len:
  case Builtin::Reversed:
  case Builtin::Sorted:
  case Builtin::Argsort:
  case Builtin::IsSorted:
  case Builtin::IsUnique:
  case Builtin::IsPermutation:
  case Builtin::IsNumber:
  case Builtin::IsKnown:
  case Builtin::SingleElement:
  case Builtin::IsConst:
  case Builtin::OneUser:
  case Builtin::IsFloat:
  case Builtin::IsInteger:
  case Builtin::IsSigned:
  case Builtin::IsPowerOfTwo:
  case Builtin::IsComplex:
    return false;
  default:
    return true;
  }
}

bool ExprEmitter::mayFail(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::DType:
  case ExprKind::None:
    return false;
  case ExprKind::Var:
    return vars_[e.var().raw].maybe || vars_[e.var().raw].text.empty();
  case ExprKind::Not:
  case ExprKind::List:
  case ExprKind::If:
  case ExprKind::Is:
  case ExprKind::Native:
    break;
  case ExprKind::Neg:
    if (e.type.is(TypeKind::Int) && e.args[0].kind != ExprKind::Int)
      return true;
    break;
  case ExprKind::Binary:
    if (operatorMayFail(e))
      return true;
    break;
  case ExprKind::Index:
    if (e.args[0].kind != ExprKind::Var || e.args[1].kind != ExprKind::Var ||
        !inRange_.contains({e.args[0].id, e.args[1].id}))
      return true;
    break;
  case ExprKind::Property:
    if (e.property < Property::Uses)
      return true;
    break;
  case ExprKind::Builtin:
    if (e.builtin == Builtin::Has || e.builtin == Builtin::OrUnknown || e.builtin == Builtin::Holds)
      return false;
    if (builtinMayFail(e.builtin))
      return true;
    break;
  default:
    return true;
  }
  return std::ranges::any_of(e.args, [&](const Expr &arg) { return mayFail(arg); });
}

/// Whether the value is a call that gives an optional bool.
static bool isOptionalBool(const Expr &e) {
  if (e.kind == ExprKind::Call)
    return true;
  if (e.kind != ExprKind::Binary || e.binary < BinaryOp::Eq || e.binary > BinaryOp::Ge)
    return false;
  sema::Type type = e.args[0].type;
  bool equality = e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne;
  return type.is(TypeKind::Dim) || (equality && (type.isList() || type.is(TypeKind::Type)));
}

void ExprEmitter::require(const Expr &e) {
  if (e.kind == ExprKind::Binary && e.binary == BinaryOp::And) {
    require(e.args[0]);
    return require(e.args[1]);
  }
  if (e.kind == ExprKind::Binary && e.binary == BinaryOp::Or)
    return requireEither(e);
  std::string holds = condition(e);
  failIf(bare(negated(holds)));
}

/// C++ that is true if the condition can be evaluated and holds.
std::string ExprEmitter::condition(const Expr &e) {
  if (isOptionalBool(e)) {
    std::string text = e.kind == ExprKind::Call ? callText(e) : compareText(e);
    bool differs = e.kind == ExprKind::Binary && e.binary == BinaryOp::Ne;
    return fmt::format("{}{}.value_or({})", differs ? "!" : "", text, differs);
  }
  bool aboveNone = e.kind == ExprKind::Binary && e.rounded == sema::Rounded::None &&
                   (e.binary == BinaryOp::Eq || e.binary == BinaryOp::Gt || e.binary == BinaryOp::Ge);
  if (aboveNone && !e.args[0].type.isList()) { // of an optional number, for none is not equal and not greater
    size_t before = out().mark();
    std::string left = value(e.args[0]), call = uncheck(left, before);
    std::string right = value(e.args[1]);
    if (!call.empty() && e.args[0].type.is(TypeKind::Int))
      right = fmt::format("int64_t({})", right);
    return fmt::format("({} {} {})", call.empty() ? left : call, sema::spelling(e.binary), right);
  }
  return value(e);
}

/// Of `a or b`: what the first side leaves open, the second settles.
void ExprEmitter::requireEither(const Expr &e) {
  Writer first, *outer = std::exchange(out_, &first);
  first.setDepth(outer->depth() + 1);
  Fail fail = std::exchange(fail_, Fail{"return false;", "", ""});
  const Expr *last = &e.args[0];
  for (; last->kind == ExprKind::Binary && last->binary == BinaryOp::And; last = &last->args[1])
    require(last->args[0]);
  std::string name = names.unique("holds"), holds;
  if (last->kind == ExprKind::Binary && last->binary == BinaryOp::Or) {
    requireEither(*last);
    holds = "true";
  } else {
    holds = bare(condition(*last));
  }
  out_ = outer;
  fail_ = std::move(fail);
  if (first.empty()) {
    out().line("bool {} = {};", name, holds);
  } else {
    out().open(fmt::format("bool {} = [&]() -> bool {{", name));
    out().append(std::move(first));
    out().line("return {};", holds);
    out().close("}();");
  }
  out().open(fmt::format("if (!{}) {{", name));
  require(e.args[1]);
  out().close("}");
}

/// Of two floats or lists of them that are compared, `first` and `second`: the one that was rounded to 32 bits as the
/// other where it is that.
void ExprEmitter::readRounded(const Expr &e, std::string &first, std::string &second) {
  if (e.rounded == sema::Rounded::None)
    return;
  bool isFirst = e.rounded == sema::Rounded::First;
  auto span = [&](const Expr &side, const std::string &text) {
    return side.type.isList() ? fmt::format("std::span<const double>({})", text) : text;
  };
  std::string a = span(e.args[0], first), b = span(e.args[1], second), &out = isFirst ? first : second;
  out = fmt::format("unrounded({}, {})", isFirst ? a : b, isFirst ? b : a);
  if (!e.args[isFirst ? 0 : 1].type.isList())
    return;
  std::string name = names.unique("meant");
  this->out().line("auto {} = {};", name, out);
  out = name;
}

/// A comparison that gives an optional bool; of `!=` the opposite.
std::string ExprEmitter::compareText(const Expr &e) {
  sema::Type type = e.args[0].type;
  bool lists = type.isList();
  std::string a = lists ? named(e.args[0], "left") : value(e.args[0]);
  std::string b = lists ? named(e.args[1], "right") : value(e.args[1]);
  readRounded(e, a, b);
  BinaryOp op = e.binary;
  if (op == BinaryOp::Eq || op == BinaryOp::Ne)
    return lists ? fmt::format("equal<{}>({}, {}, {})", cppElement(type), ctx(), a, b)
                 : fmt::format("equal({}, {}, {})", ctx(), a, b);
  if (op == BinaryOp::Gt || op == BinaryOp::Ge)
    std::swap(a, b);
  bool strict = op == BinaryOp::Lt || op == BinaryOp::Gt;
  return fmt::format("{}({}, {}, {})", strict ? "less" : "lessOrEqual", ctx(), a, b);
}

std::string ExprEmitter::comparison(const Expr &e) {
  if (isOptionalBool(e)) {
    bool equality = e.binary == BinaryOp::Eq || e.binary == BinaryOp::Ne;
    std::string call = compareText(e), text = checked(equality ? "same" : "ordered", call);
    return e.binary == BinaryOp::Ne ? "!" + text : text;
  }
  auto side = [&](size_t i) {
    return e.rounded == sema::Rounded::None ? value(e.args[i]) : named(e.args[i], i ? "right" : "left");
  };
  std::string a = side(0), b = side(1);
  readRounded(e, a, b);
  return fmt::format("({} {} {})", a, sema::spelling(e.binary), b);
}

std::string ExprEmitter::lazy(const Expr &e) {
  bool isAnd = e.binary == BinaryOp::And, open = mayFail(e.args[0]);
  std::string left;
  Writer statements;
  if (open) {
    left = names.unique("left");
    out().line("auto {} = {};", left, lambda(e.args[0]));
  } else {
    left = value(e.args[0]);
  }
  std::string right = captured(e.args[1], statements);
  if (!open && statements.empty())
    return fmt::format("({} {} {})", left, isAnd ? "&&" : "||", right);
  std::string name = names.unique("holds");
  out().line("bool {} = {};", name, open ? fmt::format("{}.value_or({})", left, isAnd) : bare(left));
  out().open(fmt::format("if ({}{}) {{", isAnd ? "" : "!", name));
  out().append(std::move(statements));
  out().line("{} = {};", name, bare(right));
  if (open) // what this side leaves to the other, nobody knows
    failIf(fmt::format("{}{} && !{}", isAnd ? "" : "!", name, left));
  out().close("}");
  return name;
}

std::string ExprEmitter::quantifier(const Expr &e, bool all) {
  if (!leavesLoops())
    return checked("holds", lambda(e));
  const Expr &list = e.args[0];
  std::string name = names.unique(all ? "all" : "any"), unknown;
  out().line("bool {} = {};", name, all);
  // `for i in 0..len(p)`: then there is p[i]
  for (size_t at = 0, var = 0; at < list.sourceCount(); var += list.groupSize(at++)) {
    const Expr &source = list.args[1 + at];
    if (source.kind == ExprKind::Range && source.args[0].kind == ExprKind::Int && source.args[0].i == 0 &&
        source.args[1].kind == ExprKind::Builtin && source.args[1].builtin == Builtin::Len &&
        source.args[1].args[0].kind == ExprKind::Var)
      inRange_.insert({source.args[1].args[0].id, list.loopVars[var].raw});
  }
  for (VarId var : list.loopVars) // bound before each element is looked at
    bind(var, {.text = "element"});
  bool open = mayFail(list.args[0]);
  if (open) {
    unknown = names.unique("unknown");
    out().line("bool {} = false;", unknown);
  }
  loops(
      list, 0,
      [&] {
        std::string element = open ? names.unique("holds") : value(list.args[0]);
        if (open) {
          out().line("auto {} = {};", element, lambda(list.args[0]));
          out().line("{} |= !{};", unknown, element);
          element = all ? fmt::format("!{}.value_or(true)", element) : element + ".value_or(false)";
        } else if (all) {
          element = negated(element);
        }
        out().open(fmt::format("if ({}) {{", bare(element)));
        out().line("{} = {};", name, !all);
        out().text("break;");
        out().close("}");
      },
      all ? "!" + name : name);
  if (open)
    failIf(fmt::format("{} && {}{}", unknown, all ? "" : "!", name));
  return name;
}

} // namespace rw::emit
