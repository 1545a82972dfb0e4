// `where let y = relu(x), y.rank == 2`: a `let` that builds, and the conditions that speak of what it built.
#include "frontend/check/body.h"
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

/// Whether a call makes ops: as `call` (calls.cpp) would take it on a right side.
bool BodyChecker::makesOps(const ast::CallExpr &e) {
  const ast::QualifiedName &written = e.callee;
  if (!written.dialect && !substituted(written.name.text))
    if (VarId id = find(written.name.text))
      return var(id).type.is(TypeKind::Op) || var(id).type.is(TypeKind::Chain);
  ast::QualifiedName callee = resolved(written);
  if (!callee.dialect) {
    if (c.fnNamed(callee.name.text))
      return false;
    if (NativeIndex native = c.nativeNamed(callee.name.text))
      return !c.module.native(native).isConstraint;
    if (rewriteOf(written))
      return true;
    if (isBuiltin(callee.name.text)) { // `max(x, y)`: the op on values, the function on numbers
      const auto *first = e.args.empty() ? nullptr : e.args[0].value->as<ast::NameExpr>();
      VarId id = first ? find(first->name.text) : VarId();
      return id && (var(id).type.is(TypeKind::Value) || var(id).type.is(TypeKind::Op)) && c.namesOp(callee);
    }
  }
  return c.namesOp(callee);
}

void BodyChecker::conditions(const std::vector<ast::Condition> &list, std::vector<Condition> &out,
                             std::vector<Action> &built) {
  std::string dialect = std::exchange(constantDialect, {});
  std::vector<std::string_view> names; // of what is built
  letsMayBuild_ = true;
  auto isBuilt = [&](const ast::Condition &item) {
    bool found = false;
    eachName(*item.value, [&](const ast::QualifiedName &name, const ast::CallExpr *call) {
      found |= !name.dialect && std::ranges::find(names, name.name.text) != names.end();
      found |= call && !item.letNames.empty() && makesOps(*call);
    });
    return found;
  };
  for (const ast::Condition &item : list) {
    if (!isBuilt(item)) {
      if (item.letNames.empty())
        condition(*item.value, out);
      else
        letCondition(item, out);
      continue;
    }
    Allow outer = std::exchange(allow, Allow::Builds);
    constantDialect = dialect;
    Action action;
    if (item.letNames.empty()) {
      action.kind = ActionKind::Where;
      action.range = item.value->range;
      action.values.push_back(condition(*item.value, "a condition"));
    } else {
      action = let(item.letNames, *item.value, item.range);
      for (const ast::Name &name : item.letNames)
        names.push_back(name.text);
    }
    std::move(before.begin(), before.end(), std::back_inserter(built));
    before.clear();
    built.push_back(std::move(action));
    constantDialect.clear();
    allow = outer;
  }
  letsMayBuild_ = false;
  constantDialect = std::move(dialect);
}

} // namespace rw::sema
