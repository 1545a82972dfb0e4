#include "codegen/plan/natives.h"

namespace rw::plan {

using sema::Expr;
using sema::ExprKind;
using sema::Match;

namespace {
/// Walks a declaration, and into each function that it calls once.
class Collector {
public:
  explicit Collector(const sema::Module &module) : module_(module) {}

  NativeSet take() { return std::move(natives_); }

  void expr(const Expr &e) {
    if (e.kind == ExprKind::Native)
      natives_.insert(e.native().raw);
    if (e.kind == ExprKind::Call && fns_.insert(e.fn().raw).second) {
      expr(module_.fn(e.fn()).value);
      body(module_.fn(e.fn()).body);
    }
    for (const Expr &a : e.args)
      expr(a);
  }
  void expr(const std::optional<Expr> &e) {
    if (e)
      expr(*e);
  }

  void match(const Match &m) {
    for (const sema::TypeMatch &t : m.types)
      type(t);
    for (const sema::OperandMatch &o : m.operands)
      for (const Match &element : o.elements)
        match(element);
    sema::forEachInside(m, [&](const Match &part) { match(part); });
    for (const sema::AttrMatch &a : m.attrs) {
      expr(a.value);
      for (const Expr &choice : a.choices)
        expr(choice);
      for (const sema::AttrMatch::Element &element : a.elements)
        expr(element.value);
    }
    expr(m.literal);
    for (const auto *children : {&m.children, &m.side})
      for (const Match &child : *children)
        match(child);
    for (const sema::Condition &condition : m.after) {
      expr(condition.expr);
      if (condition.match)
        match(*condition.match);
    }
  }

  void body(const sema::Body &body) {
    for (const Match &test : body.tests)
      match(test);
    for (const sema::Build &b : body.builds) {
      if (b.kind == sema::BuildKind::Native)
        natives_.insert(b.native.raw);
      for (const Expr &o : b.operands)
        expr(o);
      for (const sema::BuildAttr &attr : b.attrs)
        expr(attr.value);
      expr(b.sideValue);
      sema::forEachInside(b, [&](const Expr &part) { expr(part); });
    }
  }

private:
  void type(const sema::TypeMatch &t) {
    for (sema::NativeIndex n : t.native)
      natives_.insert(n.raw);
    expr(t.dtype);
    expr(t.equals);
    if (t.dims)
      for (const sema::DimMatch &dim : *t.dims)
        expr(dim.value);
    for (const sema::TypeMatch &element : t.elements)
      type(element);
  }

  const sema::Module &module_;
  NativeSet natives_;
  std::set<uint32_t> fns_;
};
} // namespace

static void collect(const sema::Pattern &pattern, Collector &c) {
  for (const Match &root : pattern.roots)
    c.match(root);
  for (const sema::Condition &condition : pattern.conditions) {
    c.expr(condition.expr);
    if (condition.match)
      c.match(*condition.match);
  }
  for (const sema::Action &a : pattern.actions) {
    for (const Expr &e : a.values)
      c.expr(e);
    for (const sema::BuildAttr &attr : a.attrs)
      c.expr(attr.value);
  }
  c.body(pattern.body);
}

static void collect(const sema::Op &op, Collector &c) {
  for (const Expr &type : op.types)
    c.expr(type);
  for (const sema::Op::Dimension &d : op.dimensions)
    c.expr(d.value);
  for (const sema::Require &r : op.requires_) {
    c.expr(r.condition);
    for (const sema::MessagePiece &piece : r.message)
      c.expr(piece.value);
  }
  for (const sema::OpAttrDecl &a : op.attrs)
    c.expr(a.defaultValue);
  for (const sema::FoldRule &f : op.folds) {
    c.expr(f.value);
    c.expr(f.condition);
  }
  c.body(op.body);
}

NativeSet nativesOf(const sema::Op &op, const sema::Module &module) {
  Collector c(module);
  collect(op, c);
  return c.take();
}

NativeSet nativesOf(const sema::Pattern &pattern, const sema::Module &module) {
  Collector c(module);
  if (!pattern.meaningOf) {
    collect(pattern, c);
    return c.take();
  }
  const sema::Op &op = module.op(pattern.meaningOf);
  collect(op, c);
  for (sema::PatternIndex meaning : op.means)
    collect(module.pattern(meaning), c);
  return c.take();
}

NativeSet nativesOf(const sema::Test &test, const sema::Module &module) {
  Collector c(module);
  for (const sema::Test::Param &p : test.params)
    c.expr(p.type);
  for (const sema::Test::Side *side : {&test.before, &test.after}) {
    for (const sema::Test::Let &let : side->lets)
      c.expr(let.value);
    for (const Expr &e : side->values)
      c.expr(e);
  }
  c.body(test.body);
  return c.take();
}

} // namespace rw::plan
