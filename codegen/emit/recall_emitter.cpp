// Expressions over attributes alone, such as `is_identity(compose(p, q))`: attributes are interned, so the answer for
// given ids is always the same and the rewriter remembers it (PatternRewriter::recall).
#include "codegen/emit/pattern_emitter.h"

#include <algorithm>

namespace rw::emit {

using sema::Expr;
using sema::ExprKind;

/// The one or two attributes that the expression depends on; none if it depends on anything else or costs little.
PatternEmitter::RecalledFrom PatternEmitter::recalledFrom(const Expr &e) const {
  if (inTest_ || plan::looksAround(e) || !plan::isWork(e))
    return {};
  std::vector<bool> used(pattern_.body.vars.size());
  plan::collectVars(e, used);
  RecalledFrom from;
  for (uint32_t i = 0; i < used.size(); ++i) {
    const VarText &v = e_.var(sema::VarId(i));
    if (!used[i] || v.text.empty()) // bound inside the expression
      continue;
    if (v.attr.empty() || v.maybe)
      return {};
    if (std::ranges::find(from.attrs, v.attr) == from.attrs.end())
      from.attrs.push_back(v.attr);
    from.ofHead &= headAttrs_.contains(sema::VarId(i));
  }
  if (from.attrs.size() > 2)
    return {};
  return from;
}

/// "rw.recall(pAttr, qAttr, permOf)", with a function of the class around what `body` writes of the expression; `leave`
/// is what failing does in it. It makes views of the attributes of its own: working them out on each attempt would cost
/// as much as recalling. It runs once for attributes that a run has not met, so it is compiled as what hardly ever runs
/// is: in half of the time.
std::string PatternEmitter::recall(std::string_view what, const std::vector<std::string> &from, const Expr &e,
                                   std::string_view type, const std::string &leave, const std::function<void()> &body) {
  Writer inner, &outer = out();
  inner.setDepth(members_.depth() + 1);
  auto saved = e_.save();
  e_.setOut(inner);
  e_.setFail(leave);
  std::vector<bool> used(pattern_.body.vars.size());
  plan::collectVars(e, used);
  for (uint32_t i = 0; i < used.size(); ++i) {
    const VarText v = e_.var(sema::VarId(i));
    if (!used[i] || !v.deref || v.attr.empty())
      continue;
    const sema::Var &var = pattern_.body.var(sema::VarId(i));
    std::string name = names_.unique(var.name), view = cppAttrView(var.type);
    inner.onlyFor(name);
    inner.declare(fmt::format("std::optional<{}>", view), name, fmt::format("attrAs<{}>(ctx, {})", view, v.attr));
    e_.failIf("!" + name);
    inner.onlyFor("");
    e_.bind(sema::VarId(i), {.text = name, .attr = v.attr, .deref = true});
  }
  body();
  e_.setOut(outer);
  e_.restore(saved);
  inner.settle();
  bool context = inner.names().contains("ctx");
  std::string second = from.size() > 1 ? from[1] : "AttrId()", name = from.size() > 1 ? " " + from[1] : "";
  std::string fn = names_.unique(fmt::format("{}Of", what));
  members_.open(fmt::format("[[gnu::cold]] static {} {}(Context &{}, AttrId {}, AttrId{}) {{", type, fn,
                            context ? "ctx" : "", from[0], name));
  members_.append(std::move(inner));
  members_.close("}");
  return fmt::format("rw.recall({}, {}, {})", from[0], second, fn);
}

/// Declares `name` as the attribute.
void PatternEmitter::declareAttr(const std::string &name, const Expr &e, sema::AttrType type) {
  const std::vector<std::string> from = recalledFrom(e).attrs;
  ExprEmitter::Because because(e_, e);
  if (from.empty())
    return out().line("AttrId {} = {};", name, e_.attribute(e, type));
  std::string call = recall(name, from, e, "AttrId", "return AttrId();", [&] {
    std::string text = e_.attribute(e, type);
    out().line("return {};", text);
  });
  out().declare("AttrId", name, call);
  e_.failIf("!" + name);
}

} // namespace rw::emit
