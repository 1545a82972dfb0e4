#include "frontend/check/string_choices.h"

#include "frontend/check/members.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

void checkChoice(BodyContext &b, const Expr &value, const std::vector<std::string> &choices, What what,
                 SourceRange declared) {
  if (choices.empty())
    return;
  if (value.kind == ExprKind::If) {
    checkChoice(b, value.args[1], choices, what, declared);
    checkChoice(b, value.args[2], choices, what, declared);
  }
  if (value.kind == ExprKind::Let)
    checkChoice(b, value.args[1], choices, what, declared);
  if (value.kind != ExprKind::String || std::ranges::find(choices, value.text.str()) != choices.end())
    return;
  Report report =
      b.error("undefined-choice", value.range, fmt::format("{} is never \"{}\"", what.text(), value.text.str()));
  if (std::string_view nearest = nearestName(value.text, {choices.begin(), choices.end()}); !nearest.empty())
    report.fixIt(value.range, fmt::format("\"{}\"", nearest));
  report.note(declared, fmt::format("it is {}", listOfChoices(choices, "or")));
}

void checkMatchedChoices(BodyContext &b, const OpAttrDecl &attr, std::span<const AttrMatch> matches) {
  const auto what = [&] { return inBackticks(attr.name); };
  for (const AttrMatch &m : matches) {
    if (m.value)
      checkChoice(b, *m.value, attr.choices, what, attr.range);
    for (const Expr &choice : m.choices)
      checkChoice(b, choice, attr.choices, what, attr.range);
    if (m.var)
      b.var(m.var.var).choices = attr.choices;
  }
}

const std::vector<std::string> *choicesOf(const BodyContext &b, const Expr &e, SourceRange &declared) {
  if (e.kind == ExprKind::Var) {
    declared = b.body.vars[e.var().raw].range;
    return &b.body.vars[e.var().raw].choices;
  }
  if (e.kind != ExprKind::OpAttr)
    return nullptr;
  OpSet ops = opsOf(b, e.args[0]);
  if (ops.ops.size() != 1 || e.i < 0)
    return nullptr;
  const OpAttrDecl &attr = b.c.module.op(ops.ops[0]).attrs[size_t(e.i)];
  declared = attr.range;
  return &attr.choices;
}

void checkComparedChoices(BodyContext &b, const Expr &lhs, const Expr &rhs) {
  for (auto [side, other] : {std::pair(&lhs, &rhs), std::pair(&rhs, &lhs)}) {
    SourceRange declared;
    if (const std::vector<std::string> *choices = choicesOf(b, *side, declared))
      checkChoice(
          b, *other, *choices,
          [&] { return inBackticks(side->kind == ExprKind::Var ? b.var(side->var()).name : side->text); }, declared);
  }
}

} // namespace rw::sema
