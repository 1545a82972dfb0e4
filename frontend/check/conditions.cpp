#include "frontend/check/conditions.h"

#include "frontend/check/actions.h"
#include "frontend/check/bindings.h"
#include "frontend/check/destructure.h"
#include "frontend/check/expressions.h"
#include "frontend/check/is_tests.h"
#include "frontend/check/members.h"
#include "frontend/check/named_matches.h"
#include "frontend/check/named_rewrites.h"
#include "frontend/check/names.h"
#include "frontend/check/rounding.h"
#include "frontend/sema/builtins.h"

#include <algorithm>
#include <utility>

namespace rw::sema {
namespace {

/// Calls `visit` with each name that an expression says, the names of what it calls among them, with the call.
template <class Visit> void eachName(const ast::Expr &e, const Visit &visit) {
  auto in = [&](const ast::ExprPtr &part) {
    if (part)
      eachName(*part, visit);
  };
  auto inType = [&](const ast::TypePtr &type) {
    if (type && type->kind == ast::TypeKind::Named)
      for (const ast::TypeDim &dim : type->get<ast::NamedType>().dims)
        in(dim.value);
  };
  switch (e.kind) {
  case ast::ExprKind::Int:
  case ast::ExprKind::Float:
  case ast::ExprKind::Bool:
  case ast::ExprKind::String:
    return;
  case ast::ExprKind::Name:
    return visit(ast::QualifiedName{.name = e.get<ast::NameExpr>().name}, nullptr);
  case ast::ExprKind::Member:
    return in(e.get<ast::MemberExpr>().object);
  case ast::ExprKind::Index:
    in(e.get<ast::IndexExpr>().object);
    for (const ast::IndexArg &arg : e.get<ast::IndexExpr>().args) {
      in(arg.begin);
      in(arg.end);
    }
    return;
  case ast::ExprKind::Call: {
    const auto &call = e.get<ast::CallExpr>();
    if (!call.target)
      visit(call.callee, &call);
    in(call.target);
    for (const ast::CallArg &arg : call.args)
      in(arg.value);
    return inType(call.statedType);
  }
  case ast::ExprKind::List:
    std::ranges::for_each(e.get<ast::ListExpr>().elements, in);
    return;
  case ast::ExprKind::Tuple:
    std::ranges::for_each(e.get<ast::TupleExpr>().elements, in);
    return;
  case ast::ExprKind::Unary:
    return in(e.get<ast::UnaryExpr>().operand);
  case ast::ExprKind::Binary:
    in(e.get<ast::BinaryExpr>().lhs);
    return in(e.get<ast::BinaryExpr>().rhs);
  case ast::ExprKind::If:
    in(e.get<ast::IfExpr>().condition);
    in(e.get<ast::IfExpr>().thenValue);
    return in(e.get<ast::IfExpr>().elseValue);
  case ast::ExprKind::Let:
    in(e.get<ast::LetExpr>().value);
    return in(e.get<ast::LetExpr>().body);
  case ast::ExprKind::Range:
    in(e.get<ast::RangeExpr>().begin);
    return in(e.get<ast::RangeExpr>().end);
  case ast::ExprKind::Comprehension:
    for (const ast::ComprehensionExpr::Source &source : e.get<ast::ComprehensionExpr>().sources)
      in(source.list);
    in(e.get<ast::ComprehensionExpr>().element);
    return in(e.get<ast::ComprehensionExpr>().filter);
  case ast::ExprKind::Is:
    return in(e.get<ast::IsExpr>().value);
  case ast::ExprKind::Region:
    return in(e.get<ast::RegionExpr>().result);
  }
}

} // namespace

/// Splits `a and b` and takes `is` apart, so that names it binds are seen by what follows.
static void addCondition(BodyContext &b, const ast::Expr &e, std::vector<Condition> &out) {
  if (const auto *binary = e.as<ast::BinaryExpr>(); binary && binary->op == ast::BinaryOp::And) {
    addCondition(b, *binary->lhs, out);
    addCondition(b, *binary->rhs, out);
    return;
  }
  Condition condition;
  condition.range = e.range;
  if (const auto *is = e.as<ast::IsExpr>()) {
    condition.kind = ConditionKind::Is;
    condition.expr = checkLookedAt(b, *is);
    if (condition.expr.type.isError())
      return bindNamesOf(b, *is->match);
    condition.match = checkIsMatch(b, *is->match);
  } else {
    condition.expr = checkCondition(b, e, "a condition");
  }
  out.push_back(std::move(condition));
}

static void checkLetCondition(BodyContext &b, const ast::Condition &condition, std::vector<Condition> &out) {
  auto add = [&](VarId id, Expr value) {
    Condition &let = out.emplace_back();
    let.kind = ConditionKind::Let;
    let.range = condition.range;
    let.expr = std::move(value);
    let.var = id;
  };
  if (condition.letNames.size() == 1) {
    if (bindLetParam(b, condition.letNames.front(), condition, out))
      return;
    Expr value = checkExpr(b, *condition.value);
    VarId id = b.declareLet(condition.letNames.front(), value.type);
    rememberRounding(b, id, value);
    if (value.kind == ExprKind::Var)
      b.var(id).ops = OpSet(b.var(value.var()).ops);
    return add(id, std::move(value));
  }
  Apart apart = takeApart(b, condition.letNames, *condition.value);
  if (apart.value)
    add(apart.whole, std::move(*apart.value));
  for (size_t i = 0; i < apart.parts.size(); ++i) {
    VarId id = b.declareLet(condition.letNames[i], apart.parts[i].type);
    add(id, std::move(apart.parts[i]));
  }
}

void checkConditions(BodyContext &b, const std::vector<ast::Condition> &list, std::vector<Condition> &out) {
  for (const ast::Condition &item : list) {
    if (item.letNames.empty())
      addCondition(b, *item.value, out);
    else
      checkLetCondition(b, item, out);
  }
}

/// Whether a call makes ops: as checkCall would take it on a right side.
static bool makesOps(BodyContext &b, const ast::CallExpr &e) {
  const ast::QualifiedName &written = e.callee;
  if (!written.dialect && !b.substituted(written.name.text))
    if (VarId id = b.find(written.name.text))
      return b.var(id).type.is(TypeKind::Op) || b.var(id).type.is(TypeKind::Chain);
  ast::QualifiedName callee = b.resolved(written);
  if (!callee.dialect) {
    if (fnNamed(b.c, callee.name.text))
      return false;
    if (NativeIndex native = nativeNamed(b.c, callee.name.text))
      return !b.c.module.native(native).isConstraint;
    if (rewriteOf(b, written))
      return true;
    if (isBuiltin(callee.name.text)) { // `max(x, y)`: the op on values, the function on numbers
      const auto *first = e.args.empty() ? nullptr : e.args[0].value->as<ast::NameExpr>();
      VarId id = first ? b.find(first->name.text) : VarId();
      return id && (b.var(id).type.is(TypeKind::Value) || b.var(id).type.is(TypeKind::Op)) && namesOp(b.c, callee);
    }
  }
  return namesOp(b.c, callee);
}

void checkConditions(BodyContext &b, const std::vector<ast::Condition> &list, std::vector<Condition> &out,
                     std::vector<Action> &built) {
  std::string dialect = std::exchange(b.constantDialect, {});
  std::vector<std::string_view> names; // of what is built
  b.letsMayBuild = true;
  auto isBuilt = [&](const ast::Condition &item) {
    bool found = false;
    eachName(*item.value, [&](const ast::QualifiedName &name, const ast::CallExpr *call) {
      found |= !name.dialect && std::ranges::find(names, name.name.text) != names.end();
      found |= call && !item.letNames.empty() && makesOps(b, *call);
    });
    return found;
  };
  for (const ast::Condition &item : list) {
    if (!isBuilt(item)) {
      if (item.letNames.empty())
        addCondition(b, *item.value, out);
      else
        checkLetCondition(b, item, out);
      continue;
    }
    Allow outer = std::exchange(b.allow, Allow::Builds);
    b.constantDialect = dialect;
    Action action;
    if (item.letNames.empty()) {
      action.kind = ActionKind::Where;
      action.range = item.value->range;
      action.values.push_back(checkCondition(b, *item.value, "a condition"));
    } else {
      action = checkLet(b, item.letNames, *item.value, item.range);
      for (const ast::Name &name : item.letNames)
        names.push_back(name.text);
    }
    std::move(b.before.begin(), b.before.end(), std::back_inserter(built));
    b.before.clear();
    built.push_back(std::move(action));
    b.constantDialect.clear();
    b.allow = outer;
  }
  b.letsMayBuild = false;
  b.constantDialect = std::move(dialect);
}

} // namespace rw::sema
