// Expressions over attributes alone, such as `is_identity(compose(p, q))`: attributes are interned, so the answer for
// given ids is always the same and the rewriter remembers it (PatternRewriter::recall).
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>

namespace rw::emit {

using sema::Expr;
using sema::ExprKind;

/// Whether it looks at anything but variables.
static bool looksAround(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Native: case ExprKind::Property: case ExprKind::OpOperand: case ExprKind::OpAttr: case ExprKind::OpResult:
  case ExprKind::Is: case ExprKind::Build: return true;
  default: return std::ranges::any_of(e.args, looksAround);
  }
}

/// Whether working it out costs more than looking it up.
static bool isWork(const Expr &e) {
  return e.kind == ExprKind::Call || e.kind == ExprKind::Comprehension || std::ranges::any_of(e.args, isWork);
}

/// "pAttr, qAttr": the one or two attributes that the expression depends on; empty if it depends on anything else or
/// costs little.
std::string PatternEmitter::recalledFrom(const Expr &e) const {
  if (inTest_ || looksAround(e) || !isWork(e))
    return "";
  std::vector<bool> used(pattern_.body.vars.size());
  collectVars(e, used);
  std::vector<std::string> attrs;
  for (uint32_t i = 0; i < used.size(); ++i) {
    const VarText &v = e_.var(sema::VarId{i});
    if (!used[i] || v.text.empty()) // bound inside the expression
      continue;
    if (v.attr.empty() || v.maybe)
      return "";
    attrs.push_back(v.attr);
  }
  if (attrs.empty() || attrs.size() > 2)
    return "";
  return attrs.size() == 1 ? attrs[0] + ", AttrId()" : attrs[0] + ", " + attrs[1];
}

/// "rw.recall(pAttr, qAttr, [&]() -> T {…})" around what `body` writes; `fail` is what failing does in it.
std::string PatternEmitter::recall(const std::string &from, std::string_view type, std::string_view fail, const std::function<void()> &body) {
  Writer inner, &outer = out();
  inner.setDepth(outer.depth() + 1);
  auto saved = e_.save();
  e_.setOut(inner);
  e_.setFail(std::string(fail));
  body();
  e_.setOut(outer);
  e_.restore(saved);
  return fmt::format("rw.recall({}, [&]() -> {} {{\n{}{}}})", from, type, inner.take(), std::string(outer.depth() * 2, ' '));
}

void PatternEmitter::test(const Expr &e) {
  std::string from = recalledFrom(e);
  if (from.empty())
    return e_.require(e);
  std::string name = names_.unique("holds");
  std::string call = recall(from, "bool", "return false;", [&] {
    e_.require(e);
    out().line("return true;");
  });
  out().line("bool {} = {};", name, call);
  e_.failIf("!" + name);
}

/// Declares `name` as the attribute.
void PatternEmitter::declareAttr(const std::string &name, const Expr &e, sema::AttrType type) {
  std::string from = recalledFrom(e);
  if (from.empty())
    return out().line("AttrId {} = {};", name, e_.attribute(e, type));
  std::string call = recall(from, "AttrId", "return AttrId();", [&] {
    std::string text = e_.attribute(e, type);
    out().line("return {};", text);
  });
  out().line("AttrId {} = {};", name, call);
  e_.failIf("!" + name);
}

} // namespace rw::emit
