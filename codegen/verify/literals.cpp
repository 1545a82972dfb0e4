#include "codegen/verify/literals.h"

#include <algorithm>
#include <set>

namespace rw::verify {
namespace {

/// Ops whose results hold places, sizes or counts, or whose operands are places.
constexpr std::string_view kCounting[] = {"ArgMax",
                                          "ArgMin",
                                          "CumSum",
                                          "NonZero",
                                          "Range",
                                          "Shape",
                                          "Size",
                                          "TopK",
                                          "argmax",
                                          "argmin",
                                          "cumsum",
                                          "dynamic_slice",
                                          "dynamic_update_slice",
                                          "gather",
                                          "get_dimension_size",
                                          "iota",
                                          "reduce_sum",
                                          "ReduceSum",
                                          "Gather"};

class LiteralCollector {
public:
  LiteralCollector(const sema::Module &module, Literals &out) : module_(module), out_(out) {}

  void body(const sema::Body &body) {
    for (const sema::Match &test : body.tests)
      match(test);
    for (const sema::Build &build : body.builds) {
      if (build.kind == sema::BuildKind::Op)
        op(build.op);
      for (const sema::Expr &operand : build.operands)
        expr(operand);
      for (const sema::BuildAttr &attr : build.attrs)
        expr(attr.value);
    }
  }
  void match(const sema::Match &m) {
    out_.asksForConstants |= m.kind == sema::MatchKind::Const;
    for (sema::OpIndex index : m.ops.ops)
      op(index);
    for (const sema::TypeMatch &type : m.types) {
      out_.looksAtShapes |= type.dims || type.singleElement || type.equals || !type.native.empty();
      if (type.dtype)
        expr(*type.dtype);
      sema::forEachDim(type, [&](const sema::DimMatch &dim) {
        if (dim.value)
          expr(*dim.value);
      });
    }
    if (m.literal)
      expr(*m.literal);
    for (const sema::AttrMatch &attr : m.attrs) {
      if (attr.value)
        expr(*attr.value);
      for (const sema::Expr &choice : attr.choices)
        expr(choice);
    }
    for (const sema::OperandMatch &operand : m.operands)
      for (const sema::Match &element : operand.elements)
        match(element);
    for (const auto *part : {&m.children, &m.side})
      for (const sema::Match &child : *part)
        match(child);
    for (const sema::Condition &condition : m.after)
      this->condition(condition);
  }
  void condition(const sema::Condition &c) {
    expr(c.expr);
    if (c.match)
      match(*c.match);
  }
  void expr(const sema::Expr &e) {
    switch (e.kind) {
    case sema::ExprKind::Int:
      add(out_.ints, e.i);
      break;
    case sema::ExprKind::Float:
      add(out_.floats, e.f);
      break;
    case sema::ExprKind::String:
      add(out_.strings, e.text.str());
      break;
    case sema::ExprKind::DType:
      add(out_.dtypes, e.text.str());
      break;
    case sema::ExprKind::List:
      list(e);
      break;
    case sema::ExprKind::Call:
      if (called_.insert(e.fn().raw).second) {
        ++depth_;
        expr(module_.fn(e.fn()).value);
        body(module_.fn(e.fn()).body);
        --depth_;
      }
      break;
    case sema::ExprKind::Property:
      out_.looksAtShapes |= e.property == sema::Property::Shape || e.property == sema::Property::Rank ||
                            e.property == sema::Property::Size || e.property == sema::Property::Ints ||
                            e.property == sema::Property::Floats || e.property == sema::Property::Value ||
                            e.property == sema::Property::Attributes;
      break;
    case sema::ExprKind::Binary:
      out_.looksAtShapes |= e.args[0].type.is(sema::TypeKind::Type); // compared
      break;
    case sema::ExprKind::MakeType: // but for a number alone
      out_.looksAtShapes |= e.args.size() != 2 || e.args[1].kind != sema::ExprKind::List || !e.args[1].args.empty();
      break;
    case sema::ExprKind::Native:
      out_.looksAtShapes = true;
      for (const sema::Expr &arg : e.args)
        if (bare(arg).kind == sema::ExprKind::Var && depth_ == 0)
          add(out_.asked, bare(arg).var().raw);
      break;
    default:
      break;
    }
    for (const sema::Expr &arg : e.args)
      expr(arg);
  }

private:
  template <class T> static void add(std::vector<T> &to, const T &value) {
    if (std::find(to.begin(), to.end(), value) == to.end() && to.size() < 40)
      to.push_back(value);
  }
  void op(sema::OpIndex index) {
    out_.countsPlaces |= std::ranges::find(kCounting, module_.op(index).name) != std::end(kCounting);
  }
  static const sema::Expr &bare(const sema::Expr &e) { return e.kind == sema::ExprKind::Convert ? bare(e.args[0]) : e; }
  void list(const sema::Expr &e) {
    std::vector<int64_t> ints;
    for (const sema::Expr &arg : e.args) {
      const sema::Expr &a = bare(arg);
      const bool negative = a.kind == sema::ExprKind::Neg;
      const sema::Expr &n = negative ? bare(a.args[0]) : a;
      if (n.kind != sema::ExprKind::Int)
        return;
      ints.push_back(negative ? -n.i : n.i);
    }
    add(out_.lists, ints);
  }

  const sema::Module &module_;
  Literals &out_;
  std::set<uint32_t> called_;
  unsigned depth_ = 0; // of functions, whose variables are others
};

void collectFrom(const sema::Expr &e, const sema::Body &body, bool certain, std::vector<Refinement> &out) {
  if (e.kind == sema::ExprKind::Not)
    return;
  if (e.kind == sema::ExprKind::Is) {
    if (e.args[0].kind == sema::ExprKind::Var)
      out.push_back({e.args[0].var(), &body.tests[e.test().raw], certain});
    return;
  }
  const bool isAnd = e.kind == sema::ExprKind::Binary && e.binary == sema::BinaryOp::And;
  for (const sema::Expr &arg : e.args)
    collectFrom(arg, body, certain && isAnd, out);
}
void collectFrom(const sema::Condition &c, const sema::Body &body, std::vector<Refinement> &out);
void collectFrom(const sema::Match &m, const sema::Body &body, std::vector<Refinement> &out) {
  for (const sema::OperandMatch &operand : m.operands)
    for (const sema::Match &element : operand.elements)
      collectFrom(element, body, out);
  for (const auto *part : {&m.children, &m.side})
    for (const sema::Match &child : *part)
      collectFrom(child, body, out);
  for (const sema::Condition &c : m.after)
    collectFrom(c, body, out);
}
void collectFrom(const sema::Condition &c, const sema::Body &body, std::vector<Refinement> &out) {
  if (c.kind == sema::ConditionKind::Is && c.expr.kind == sema::ExprKind::Var)
    out.push_back({c.expr.var(), &*c.match, true});
  else if (c.kind != sema::ConditionKind::Is)
    collectFrom(c.expr, body, true, out);
  if (c.match)
    collectFrom(*c.match, body, out);
}

} // namespace

Literals literalsOf(const sema::Module &module, const sema::Pattern &pattern) {
  Literals out;
  LiteralCollector collector(module, out);
  for (const sema::Match &root : pattern.roots)
    collector.match(root);
  for (const sema::Condition &c : pattern.conditions)
    collector.condition(c);
  collector.body(pattern.body);
  for (const sema::Action &action : pattern.actions)
    for (const sema::Expr &value : action.values)
      collector.expr(value);
  return out;
}

std::vector<Refinement> refinementsOf(const sema::Pattern &pattern) {
  std::vector<Refinement> out;
  for (const sema::Match &root : pattern.roots)
    collectFrom(root, pattern.body, out);
  for (const sema::Condition &c : pattern.conditions)
    collectFrom(c, pattern.body, out);
  // A name for an element of a list stands for that.
  for (const sema::Condition &let : pattern.conditions) {
    if (let.kind != sema::ConditionKind::Let || let.expr.kind != sema::ExprKind::Index ||
        let.expr.args[0].kind != sema::ExprKind::Var)
      continue;
    const sema::Expr *index = &let.expr.args[1];
    while (index->kind == sema::ExprKind::Convert)
      index = &index->args[0];
    if (index->kind != sema::ExprKind::Int || index->i < 0 || index->i > 3)
      continue;
    for (Refinement &r : out)
      if (r.var == let.var) {
        r.var = let.expr.args[0].var();
        r.element = int(index->i);
      }
  }
  return out;
}

} // namespace rw::verify
