#include "frontend/check/stated_types.h"

#include <fmt/format.h>

#include <map>

namespace rw::sema {
namespace {

/// What is known of a type.
struct Known {
  std::string dtype;                                       // empty: nothing
  std::optional<std::vector<std::optional<int64_t>>> dims; // none: not even how many

  bool differs(const Known &other) const {
    if (!dtype.empty() && !other.dtype.empty() && dtype != other.dtype)
      return true;
    if (!dims || !other.dims)
      return false;
    if (dims->size() != other.dims->size())
      return true;
    for (size_t i = 0; i < dims->size(); ++i)
      if ((*dims)[i] && (*other.dims)[i] && (*dims)[i] != (*other.dims)[i])
        return true;
    return false;
  }
  std::string text() const {
    std::string out = dtype.empty() ? "_" : dtype;
    if (!dims)
      return out;
    out += "[";
    for (size_t i = 0; i < dims->size(); ++i)
      out += fmt::format("{}{}", i ? ", " : "", (*dims)[i] ? std::to_string(*(*dims)[i]) : "_");
    return out + "]";
  }
};

class Types {
public:
  Types(const Module &module, const Pattern &pattern) : m_(module), p_(pattern) {
    for (const Match &root : pattern.roots)
      collect(root);
  }

  /// Of result 0 of a matched op, or of a matched value.
  Known of(const Match &m) const {
    Known known;
    for (const TypeMatch &type : m.types)
      add(known, type);
    if (m.kind != MatchKind::Op || m.commutative || m.optional || m.each || m.result != 0 || m.ops.ops.size() != 1 ||
        m.ops.byTrait())
      return known;
    const Op &op = m_.op(m.ops.ops[0]);
    std::vector<Known> operands(op.operands.size());
    for (size_t i = 0; i < operands.size() && i < m.operands.size(); ++i)
      if (m.operands[i].kind == OperandMatchKind::One && !m.operands[i].elements.empty())
        operands[i] = of(m.operands[i].elements[0]);
    return merged(std::move(known), inferred(op, operands));
  }

  /// Of a value on the right side.
  Known of(const Expr &e) const {
    if (e.kind == ExprKind::Var) {
      auto it = values_.find(e.id);
      return it == values_.end() ? Known() : it->second;
    }
    if (e.kind == ExprKind::OpResult && e.i == 0)
      return of(e.args[0]);
    if (e.kind != ExprKind::Build)
      return {};
    const Build &build = p_.body.builds[e.build().raw];
    Known stated = build.types.empty() ? Known() : ofType(build.types[0], nullptr);
    return merged(std::move(stated), inferred(build));
  }

  /// Of result 0 of what is built, by its declaration.
  Known inferred(const Build &build) const {
    if (build.kind != BuildKind::Op || !build.versions.empty())
      return {};
    std::vector<Known> operands;
    for (const Expr &operand : build.operands)
      operands.push_back(of(operand));
    return inferred(m_.op(build.op), operands);
  }

  /// Of an expression that is a type; `operands` are what the first variables stand for, else values of the pattern.
  Known ofType(const Expr &e, const std::vector<Known> *operands) const {
    Known known;
    if (e.kind == ExprKind::Property && e.property == Property::Type)
      return ofSubject(e.args[0], operands);
    if (e.kind != ExprKind::MakeType || e.args.empty())
      return known;
    const Expr &dtype = e.args[0];
    if (dtype.kind == ExprKind::DType && dtype.text != "?")
      known.dtype = dtype.text;
    else if (dtype.kind == ExprKind::Property && dtype.property == Property::DType)
      known.dtype = ofSubject(dtype.args[0], operands).dtype;
    if (e.args.size() < 2)
      return known;
    const Expr &shape = e.args[1];
    if (shape.kind == ExprKind::Property && shape.property == Property::Shape)
      known.dims = ofSubject(shape.args[0], operands).dims;
    if (shape.kind == ExprKind::List) {
      known.dims.emplace();
      for (const Expr &dim : shape.args)
        known.dims->push_back(number(dim));
    }
    return known;
  }

private:
  static std::optional<int64_t> number(const Expr &e) {
    return e.kind == ExprKind::Convert ? number(e.args[0])
           : e.kind == ExprKind::Int   ? std::optional(e.i)
                                       : std::nullopt;
  }
  Known ofSubject(const Expr &e, const std::vector<Known> *operands) const {
    if (!operands)
      return of(e);
    return e.kind == ExprKind::Var && e.id < operands->size() ? (*operands)[e.id] : Known();
  }
  Known inferred(const Op &op, const std::vector<Known> &operands) const {
    return op.types.empty() || op.results.size() != 1 || op.results[0].arity != Arity::Single
               ? Known()
               : ofType(op.types[0], &operands);
  }
  static Known merged(Known a, const Known &b) {
    if (a.dtype.empty())
      a.dtype = b.dtype;
    if (!a.dims)
      a.dims = b.dims;
    return a;
  }
  static void add(Known &known, const TypeMatch &type) {
    if (type.dtypeClass == DTypeClass::Exactly && type.dtype && type.dtype->kind == ExprKind::DType)
      known.dtype = type.dtype->text;
    if (!type.dims)
      return;
    std::vector<std::optional<int64_t>> dims;
    for (const DimMatch &dim : *type.dims) {
      if (dim.rest)
        return;
      dims.push_back(dim.value ? number(*dim.value) : std::nullopt);
    }
    known.dims = std::move(dims);
  }
  /// The values that every match names.
  void collect(const Match &m) {
    if (m.kind == MatchKind::Alternatives || m.optional || m.each)
      return;
    if (m.value && !p_.body.var(m.value.var).mayBeUnbound)
      values_.emplace(m.value.var.raw, of(m));
    for (const OperandMatch &operand : m.operands)
      for (const Match &element : operand.elements)
        if (operand.kind != OperandMatchKind::Maybe)
          collect(element);
  }

  const Module &m_;
  const Pattern &p_;
  std::map<uint32_t, Known> values_; // by variable
};
} // namespace

void reportContradictoryTypes(CheckContext &c, const Pattern &pattern) {
  Types types(c.module, pattern);
  bool stated = false;
  for (const Build &build : pattern.body.builds) {
    if (build.types.size() != 1)
      continue;
    Known said = types.ofType(build.types[0], nullptr), is = types.inferred(build);
    if (!said.differs(is))
      continue;
    stated = true;
    const Op &op = c.module.op(build.op);
    c.warning("never-matches", build.range,
              fmt::format("the type stated is {}, but `{}` gives {} here, so the pattern never matches", said.text(),
                          op.fullName(), is.text()))
        .note(op.nameRange, fmt::format("`{}` is declared here, and what its `type` clause gives holds", op.name));
  }
  if (stated || pattern.roots.size() != 1 || pattern.roots[0].kind != MatchKind::Op ||
      pattern.roots[0].ops.ops.size() != 1)
    return;
  const Op &root = c.module.op(pattern.roots[0].ops.ops[0]);
  if (root.results.size() != 1 || root.results[0].arity != Arity::Single)
    return;
  Known before = types.of(pattern.roots[0]);
  for (const Action &action : pattern.actions) {
    bool ofRoot = action.kind == ActionKind::Replace &&
                  (!action.op || (pattern.roots[0].op && pattern.roots[0].op.var == action.op));
    if (!ofRoot || action.values.size() != 1)
      continue;
    Known after = types.of(action.values[0]);
    if (pattern.meaningOf && after.differs(before))
      c.error("meaning-type", action.values[0].range,
              fmt::format("this is {}, but the `type` clause of `{}` gives {}", after.text(), root.name, before.text()))
          .note(root.nameRange,
                fmt::format("`{}` is declared here; without a `type` clause its type is that of what it means",
                            root.name));
    else if (after.differs(before))
      c.warning("never-matches", action.values[0].range,
                fmt::format("this is {}, but the op that it replaces gives {}, so the pattern never matches",
                            after.text(), before.text()))
          .note("what replaces a value has the same element type, and a shape that agrees with its shape");
  }
}

} // namespace rw::sema
