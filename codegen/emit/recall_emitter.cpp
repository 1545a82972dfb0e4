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

// A view of an attribute, `auto p = attrAs<…>(ctx, pAttr)`, is declared where it is bound if anything but recalled
// expressions mentions it, else in those alone: working out the view on each attempt would cost as much as recalling.
static constexpr char kForAll = '\1', kForOne = '\2', kRecallBegin = '\3', kRecallEnd = '\4';

/// Whether all ops that the attribute may be of declare it with that type: the verifier has seen to it.
bool PatternEmitter::isOfDeclaredType(plan::Slot attr, const sema::Type &type) const {
  std::function<const plan::Step *(const Steps &)> find = [&](const Steps &list) -> const plan::Step * {
    for (const plan::Step &step : list) {
      if (step.kind == plan::StepKind::Attr && step.out == attr)
        return &step;
      for (const Steps &alternative : step.alternatives)
        if (const plan::Step *found = find(alternative))
          return found;
    }
    return nullptr;
  };
  const plan::Step *step = find(plan_.steps);
  if (!step || step->opSet.byTrait() || step->opSet.ops.empty())
    return false;
  return std::ranges::all_of(step->opSet.ops, [&](sema::OpIndex op) {
    return std::ranges::any_of(refs_.module().op(op).attrs, [&](auto &a) { return a.name == step->name && sema::typeOf(a.type) == type; });
  });
}

/// Lines that declare `name` and fail if there is none.
static std::string declarationLines(unsigned depth, const std::string &declaration, const std::string &name, const std::string &fail) {
  std::string indent(depth * 2, ' ');
  return fmt::format("{0}{1}\n{0}if (!{2})\n{0}  {3}\n", indent, declaration, name, fail);
}

void PatternEmitter::defer(const std::string &name, const std::string &declaration) {
  out().raw(fmt::format("{}{}\n", kForAll, forAll_.size()));
  forAll_.push_back({name, declarationLines(out().depth(), declaration, name, e_.fail())});
  declarations_[name] = declaration;
}

/// The text with each mark replaced by the lines it stands for, or by none.
std::string PatternEmitter::settle(std::string text) const {
  std::string outside, settled;
  bool inRecall = false;
  for (char c : text) {
    inRecall = c == kRecallBegin || (inRecall && c != kRecallEnd);
    if (!inRecall)
      outside += c;
  }
  const std::string code = namesOnly(outside);
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == kForAll || c == kForOne) {
      size_t end = text.find('\n', i);
      const Deferred &deferred = (c == kForAll ? forAll_ : forOne_)[std::stoul(text.substr(i + 1, end - i - 1))];
      if (mentions(code, deferred.name) == (c == kForAll))
        settled += deferred.lines;
      i = end;
    } else if (c != kRecallBegin && c != kRecallEnd) {
      settled += c;
    }
  }
  return settled;
}

/// "rw.recall(pAttr, qAttr, [&]() -> T {…})" around what `body` writes of the expression; `fail` is what failing does in it.
std::string PatternEmitter::recall(const std::string &from, const Expr &e, std::string_view type, std::string_view fail,
                                   const std::function<void()> &body) {
  Writer inner, &outer = out();
  inner.setDepth(outer.depth() + 1);
  auto saved = e_.save();
  e_.setOut(inner);
  e_.setFail(std::string(fail));
  std::vector<bool> used(pattern_.body.vars.size());
  collectVars(e, used);
  for (uint32_t i = 0; i < used.size(); ++i) {
    const std::string &name = e_.var(sema::VarId{i}).text;
    auto it = used[i] ? declarations_.find(name) : declarations_.end();
    if (it == declarations_.end())
      continue;
    inner.raw(fmt::format("{}{}\n", kForOne, forOne_.size()));
    forOne_.push_back({name, declarationLines(inner.depth(), it->second, name, e_.fail())});
  }
  body();
  e_.setOut(outer);
  e_.restore(saved);
  std::string lines = inner.take();
  if (deferring_)
    lines = kRecallBegin + lines + kRecallEnd;
  return fmt::format("rw.recall({}, [&]() -> {} {{\n{}{}}})", from, type, lines, std::string(outer.depth() * 2, ' '));
}

void PatternEmitter::test(const Expr &e) {
  std::string from = recalledFrom(e);
  if (from.empty())
    return e_.require(e);
  std::string name = names_.unique("holds");
  std::string call = recall(from, e, "bool", "return false;", [&] {
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
  std::string call = recall(from, e, "AttrId", "return AttrId();", [&] {
    std::string text = e_.attribute(e, type);
    out().line("return {};", text);
  });
  out().line("AttrId {} = {};", name, call);
  e_.failIf("!" + name);
}

} // namespace rw::emit
