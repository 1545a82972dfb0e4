// Attributes that hold one of a few strings, `attr mode: "same" | "valid"`: whatever is written for them, or compared
// with them, is one of these.
#include "frontend/check/body.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

/// Of an `if` either branch counts. Other expressions are asked when they are evaluated.
void BodyChecker::checkChoice(const Expr &value, const std::vector<std::string> &choices, What what,
                              SourceRange declared) {
  if (choices.empty())
    return;
  if (value.kind == ExprKind::If) {
    checkChoice(value.args[1], choices, what, declared);
    checkChoice(value.args[2], choices, what, declared);
  }
  if (value.kind == ExprKind::Let)
    checkChoice(value.args[1], choices, what, declared);
  if (value.kind != ExprKind::String || std::ranges::find(choices, value.text.str()) != choices.end())
    return;
  Report report =
      c.error("undefined-choice", value.range, fmt::format("{} is never \"{}\"", what.text(), value.text.str()));
  if (std::string_view nearest = nearestName(value.text, {choices.begin(), choices.end()}); !nearest.empty())
    report.fixIt(value.range, fmt::format("\"{}\"", nearest));
  report.note(declared, fmt::format("it is {}", listOfChoices(choices, "or")));
}

void BodyChecker::checkMatchedChoices(const OpAttrDecl &attr, std::span<const AttrMatch> matches) {
  const auto what = [&] { return inBackticks(attr.name); };
  for (const AttrMatch &m : matches) {
    if (m.value)
      checkChoice(*m.value, attr.choices, what, attr.range);
    for (const Expr &choice : m.choices)
      checkChoice(choice, attr.choices, what, attr.range);
    if (m.var)
      var(m.var.var).choices = attr.choices;
  }
}

/// What the value of an expression can be, if it is such an attribute.
const std::vector<std::string> *BodyChecker::choicesOf(const Expr &e, SourceRange &declared) const {
  if (e.kind == ExprKind::Var) {
    declared = body.vars[e.var().raw].range;
    return &body.vars[e.var().raw].choices;
  }
  if (e.kind != ExprKind::OpAttr)
    return nullptr;
  OpSet ops = opsOf(e.args[0]);
  if (ops.ops.size() != 1 || e.i < 0)
    return nullptr;
  const OpAttrDecl &attr = c.module.op(ops.ops[0]).attrs[size_t(e.i)];
  declared = attr.range;
  return &attr.choices;
}

void BodyChecker::compareWithChoices(const Expr &lhs, const Expr &rhs) {
  for (auto [side, other] : {std::pair(&lhs, &rhs), std::pair(&rhs, &lhs)}) {
    SourceRange declared;
    if (const std::vector<std::string> *choices = choicesOf(*side, declared))
      checkChoice(
          *other, *choices,
          [&] { return inBackticks(side->kind == ExprKind::Var ? var(side->var()).name : side->text); }, declared);
  }
}

} // namespace rw::sema
