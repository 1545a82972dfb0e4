#include "codegen/verify/wanted_lists.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace rw::verify {
namespace {

using List = std::vector<int64_t>;
using Scope = std::map<uint32_t, List>;

/// Expressions over numbers and lists of them. A number is a list of one element.
class ListReader {
public:
  ListReader(const sema::Module &module, const KnownLists &known) : module_(module), known_(known) {}

  /// `scope` holds parameters and names of the expression; what is not there is of the pattern, if `isOuter`.
  std::optional<List> read(const sema::Expr &e, Scope &scope, bool isOuter) {
    if (++steps_ > 5000)
      return std::nullopt;
    switch (e.kind) {
    case sema::ExprKind::Int:
    case sema::ExprKind::Bool:
      return List{e.i};
    case sema::ExprKind::Convert:
      return read(e.args[0], scope, isOuter);
    case sema::ExprKind::Neg:
      return number(e.args[0], scope, isOuter, [](int64_t n) { return -n; });
    case sema::ExprKind::Not:
      return number(e.args[0], scope, isOuter, [](int64_t n) { return int64_t(n == 0); });
    case sema::ExprKind::List: {
      List out;
      for (const sema::Expr &arg : e.args) {
        std::optional<int64_t> n = one(arg, scope, isOuter);
        if (!n)
          return std::nullopt;
        out.push_back(*n);
      }
      return out;
    }
    case sema::ExprKind::Var: {
      if (auto it = scope.find(e.var().raw); it != scope.end())
        return it->second;
      return isOuter ? known_.list(e.var()) : std::nullopt;
    }
    case sema::ExprKind::Property: {
      if (!isOuter || e.args[0].kind != sema::ExprKind::Var)
        return std::nullopt;
      std::optional<List> shape = known_.shape(e.args[0].var());
      if (!shape || e.property == sema::Property::Shape)
        return shape;
      if (e.property == sema::Property::Rank)
        return List{int64_t(shape->size())};
      return std::nullopt;
    }
    case sema::ExprKind::If: {
      std::optional<int64_t> c = one(e.args[0], scope, isOuter);
      return c ? read(e.args[*c ? 1 : 2], scope, isOuter) : std::nullopt;
    }
    case sema::ExprKind::Range: {
      std::optional<int64_t> from = one(e.args[0], scope, isOuter), to = one(e.args[1], scope, isOuter);
      if (!from || !to || *to - *from > 100)
        return std::nullopt;
      List out(size_t(std::max<int64_t>(*to - *from, 0)));
      std::iota(out.begin(), out.end(), *from);
      return out;
    }
    case sema::ExprKind::Comprehension:
      return comprehension(e, scope, isOuter);
    case sema::ExprKind::Index: {
      std::optional<List> list = read(e.args[0], scope, isOuter);
      std::optional<int64_t> at = one(e.args[1], scope, isOuter);
      return list && at && *at >= 0 && *at < int64_t(list->size()) ? std::optional(List{(*list)[size_t(*at)]})
                                                                   : std::nullopt;
    }
    case sema::ExprKind::Slice: {
      std::optional<List> list = read(e.args[0], scope, isOuter);
      std::optional<int64_t> from = one(e.args[1], scope, isOuter);
      if (!list || !from)
        return std::nullopt;
      std::optional<int64_t> to =
          e.args[2].kind == sema::ExprKind::None ? int64_t(list->size()) : one(e.args[2], scope, isOuter);
      if (!to || *from < 0 || *to < *from || *to > int64_t(list->size()))
        return std::nullopt;
      return List(list->begin() + *from, list->begin() + *to);
    }
    case sema::ExprKind::Call: {
      const sema::Fn &fn = module_.fn(e.fn());
      Scope inner;
      for (size_t i = 0; i < fn.params.size() && i < e.args.size(); ++i)
        if (std::optional<List> arg = read(e.args[i], scope, isOuter))
          inner[fn.params[i].raw] = std::move(*arg);
        else
          return std::nullopt;
      return read(fn.value, inner, false);
    }
    case sema::ExprKind::Builtin:
      return builtin(e, scope, isOuter);
    case sema::ExprKind::Binary:
      return binary(e, scope, isOuter);
    default:
      return std::nullopt;
    }
  }

private:
  std::optional<int64_t> one(const sema::Expr &e, Scope &scope, bool isOuter) {
    std::optional<List> list = read(e, scope, isOuter);
    return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
  }
  template <class F> std::optional<List> number(const sema::Expr &e, Scope &scope, bool isOuter, const F &function) {
    std::optional<int64_t> n = one(e, scope, isOuter);
    return n ? std::optional(List{function(*n)}) : std::nullopt;
  }

  std::optional<List> comprehension(const sema::Expr &e, Scope &scope, bool isOuter) {
    if (e.sourceCount() != 1 || e.loopVars.size() != 1)
      return std::nullopt;
    std::optional<List> source = read(e.args[1], scope, isOuter);
    if (!source)
      return std::nullopt;
    List out;
    for (int64_t n : *source) {
      scope[e.loopVars[0].raw] = {n};
      std::optional<int64_t> taken = e.hasFilter ? one(e.filter(), scope, isOuter) : 1;
      std::optional<int64_t> element = taken && *taken ? one(e.args[0], scope, isOuter) : std::nullopt;
      if (!taken || (*taken && !element))
        return std::nullopt;
      if (*taken)
        out.push_back(*element);
    }
    return out;
  }

  std::optional<List> builtin(const sema::Expr &e, Scope &scope, bool isOuter) {
    std::vector<List> args;
    for (const sema::Expr &arg : e.args)
      if (std::optional<List> list = read(arg, scope, isOuter))
        args.push_back(std::move(*list));
      else
        return std::nullopt;
    if (args.empty())
      return std::nullopt;
    List &x = args[0];
    switch (e.builtin) {
    case sema::Builtin::Len:
      return List{int64_t(x.size())};
    case sema::Builtin::Sum:
      return List{std::accumulate(x.begin(), x.end(), int64_t(0))};
    case sema::Builtin::Product:
      return List{std::accumulate(x.begin(), x.end(), int64_t(1), std::multiplies<>())};
    case sema::Builtin::Reversed:
      std::ranges::reverse(x);
      return x;
    case sema::Builtin::Sorted:
      std::ranges::sort(x);
      return x;
    case sema::Builtin::Argsort: {
      List order(x.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, {}, [&](int64_t i) { return x[size_t(i)]; });
      return order;
    }
    case sema::Builtin::Contains:
      return List{args.size() == 2 && args[1].size() == 1 && std::ranges::find(x, args[1][0]) != x.end()};
    case sema::Builtin::Min:
    case sema::Builtin::Max:
      if (args.size() != 2 || x.size() != 1 || args[1].size() != 1)
        return std::nullopt;
      return List{e.builtin == sema::Builtin::Min ? std::min(x[0], args[1][0]) : std::max(x[0], args[1][0])};
    default:
      return std::nullopt;
    }
  }

  std::optional<List> binary(const sema::Expr &e, Scope &scope, bool isOuter) {
    std::optional<List> a = read(e.args[0], scope, isOuter), b = read(e.args[1], scope, isOuter);
    if (!a || !b)
      return std::nullopt;
    if (e.binary == sema::BinaryOp::Concat) {
      a->insert(a->end(), b->begin(), b->end());
      return a;
    }
    if (e.binary == sema::BinaryOp::Eq || e.binary == sema::BinaryOp::Ne)
      return List{(*a == *b) == (e.binary == sema::BinaryOp::Eq)};
    if (a->size() != 1 || b->size() != 1)
      return std::nullopt;
    const int64_t x = a->front(), y = b->front();
    switch (e.binary) {
    case sema::BinaryOp::Add:
      return List{x + y};
    case sema::BinaryOp::Sub:
      return List{x - y};
    case sema::BinaryOp::Mul:
      return List{x * y};
    case sema::BinaryOp::Div:
      return y > 0 && x >= 0 ? std::optional(List{x / y}) : std::nullopt;
    case sema::BinaryOp::Mod:
      return y > 0 && x >= 0 ? std::optional(List{x % y}) : std::nullopt;
    case sema::BinaryOp::Lt:
      return List{x < y};
    case sema::BinaryOp::Le:
      return List{x <= y};
    case sema::BinaryOp::Gt:
      return List{x > y};
    case sema::BinaryOp::Ge:
      return List{x >= y};
    case sema::BinaryOp::And:
      return List{x && y};
    case sema::BinaryOp::Or:
      return List{x || y};
    default:
      return std::nullopt;
    }
  }

  const sema::Module &module_;
  const KnownLists &known_;
  unsigned steps_ = 0;
};

/// The other side of an equation of `var` that must hold.
const sema::Expr *otherSide(const sema::Expr &e, sema::VarId var) {
  if (e.kind != sema::ExprKind::Binary)
    return nullptr;
  if (e.binary == sema::BinaryOp::And) {
    const sema::Expr *first = otherSide(e.args[0], var);
    return first ? first : otherSide(e.args[1], var);
  }
  if (e.binary != sema::BinaryOp::Eq)
    return nullptr;
  for (size_t i = 0; i < 2; ++i) {
    const sema::Expr *side = &e.args[i];
    while (side->kind == sema::ExprKind::Convert)
      side = &side->args[0];
    if (side->kind == sema::ExprKind::Var && side->var() == var)
      return &e.args[1 - i];
  }
  return nullptr;
}

} // namespace

std::optional<std::vector<int64_t>> wantedList(const sema::Module &module, const sema::Pattern &pattern,
                                               sema::VarId var, const KnownLists &known) {
  for (const sema::Condition &condition : pattern.conditions) {
    if (condition.kind != sema::ConditionKind::Test)
      continue;
    if (const sema::Expr *side = otherSide(condition.expr, var)) {
      Scope scope;
      if (std::optional<List> list = ListReader(module, known).read(*side, scope, true))
        return list;
    }
  }
  return std::nullopt;
}

} // namespace rw::verify
