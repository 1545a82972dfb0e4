#include "frontend/check/lint_alternatives.h"

#include <fmt/format.h>

#include <functional>
#include <set>

namespace rw::sema {
namespace {

/// The names that a pattern's right side evaluates whatever happens: not in one branch of an `if`, not behind `or`.
class Needed {
public:
  Needed(const Pattern &pattern) : body_(pattern.body) {
    for (const Action &action : pattern.actions) {
      if (action.op)
        vars.insert(action.op.raw);
      for (const Expr &value : action.values)
        in(value);
      for (const BuildAttr &attr : action.attrs)
        in(attr.value);
    }
  }

  std::set<uint32_t> vars;

private:
  void in(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Var:
      vars.insert(e.id);
      return;
    case ExprKind::If:
      return in(e.args[0]);
    case ExprKind::Binary:
      if (e.binary == BinaryOp::And || e.binary == BinaryOp::Or)
        return;
      break;
    case ExprKind::Builtin:
      if (e.builtin == Builtin::Has)
        return;
      break;
    case ExprKind::Comprehension: // of no elements, perhaps
    case ExprKind::Is:
      return;
    case ExprKind::Build:
      return build(body_.builds[e.build().raw]);
    default:
      break;
    }
    for (const Expr &arg : e.args)
      in(arg);
  }

  void build(const Build &b) {
    if (b.like && !body_.var(b.like).optional)
      vars.insert(b.like.raw);
    for (const Expr &operand : b.operands)
      in(operand);
    for (const BuildAttr &attr : b.attrs)
      in(attr.value);
    for (const Expr &type : b.types)
      in(type);
    forEachInside(b, [&](const Expr &part) { in(part); });
  }

  const Body &body_;
};

std::set<uint32_t> boundIn(const Match &m) {
  std::set<uint32_t> out;
  forEachUse(m, [&](const VarUse &use) {
    if (use)
      out.insert(use.var.raw);
  });
  return out;
}
} // namespace

void lintAlternatives(CheckContext &c, const Pattern &pattern) {
  std::set<uint32_t> needed = Needed(pattern).vars;
  std::erase_if(needed,
                [&](uint32_t id) { return !pattern.body.vars[id].mayBeUnbound || pattern.body.vars[id].optional; });
  std::function<void(const Match &)> look = [&](const Match &m) {
    if (m.each || m.usedAt) // another operand may bind it; of the cases of a named match not all need to be of use here
      return;
    std::vector<std::set<uint32_t>> bound;
    for (const Match &child : m.children)
      bound.push_back(boundIn(child));
    for (size_t i = 0; m.kind == MatchKind::Alternatives && i < bound.size(); ++i)
      for (uint32_t id : needed) {
        bool elsewhere = std::ranges::any_of(bound, [&](const auto &other) { return other.contains(id); });
        if (!elsewhere || bound[i].contains(id))
          continue;
        c.warning(
             "dead-alternative", m.children[i].range,
             fmt::format("where this matches, `{}` is not bound, so that nothing happens", pattern.body.vars[id].name))
            .note(fmt::format("bind `{}` here as well, or make this a pattern of its own", pattern.body.vars[id].name));
        break;
      }
    for (const OperandMatch &operand : m.operands)
      for (const Match &element : operand.elements)
        look(element);
    forEachInside(m, look);
    for (const Match &child : m.children)
      look(child);
  };
  for (const Match &root : pattern.roots)
    look(root);
}

} // namespace rw::sema
