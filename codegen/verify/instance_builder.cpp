#include "codegen/verify/instance_builder.h"

#include "codegen/verify/wanted_lists.h"

#include "rw/interp/element.h"
#include "rw/interp/kernel.h"
#include "rw/interp/op_evaluator.h"
#include "rw/ir/verifier.h"
#include "rw/support/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rw::verify {

namespace {

constexpr unsigned kMostOps = 40, kTries = 40;

/// Whether an op may have so many operands.
bool takes(const OpSchema &schema, size_t count) {
  size_t least = 0, most = 0;
  bool open = false;
  for (const OperandSchema &o : schema.operands) {
    least += o.arity == Arity::Single;
    ++most;
    open |= o.arity == Arity::Variadic;
  }
  return count >= least && (open || count <= most);
}

/// The numbers of a list, if it is one of numbers alone.
std::optional<std::vector<int64_t>> listOf(const AttrData &attr) {
  if (attr.kind == AttrKind::Ints)
    return std::vector<int64_t>(attr.ints.begin(), attr.ints.end());
  if (attr.kind != AttrKind::Dims)
    return std::nullopt;
  std::vector<int64_t> out;
  for (Dim d : attr.dims) {
    if (!d.isKnown())
      return std::nullopt;
    out.push_back(d.size());
  }
  return out;
}

/// The places of a slice, an operand for each dimension.
bool isStarts(std::string_view operand) { return operand == "starts" || operand == "start_indices"; }

bool isLeafKind(sema::MatchKind kind) {
  return kind == sema::MatchKind::Any || kind == sema::MatchKind::Const || kind == sema::MatchKind::Splat;
}

/// The dialects of the ops that a match names.
void collectDialects(const sema::Match &m, const sema::Module &module, std::set<std::string> &out) {
  for (sema::OpIndex op : m.ops.ops)
    out.insert(module.op(op).dialect);
  for (const sema::OperandMatch &operand : m.operands)
    for (const sema::Match &element : operand.elements)
      collectDialects(element, module, out);
  for (const auto *part : {&m.children, &m.side})
    for (const sema::Match &child : *part)
      collectDialects(child, module, out);
}

/// Versions of ONNX's operator set at which all ops of a match can be there.
void collectVersions(const sema::Match &m, const sema::Module &module, int64_t &least, int64_t &most) {
  int64_t from = INT64_MAX, to = 0;
  for (sema::OpIndex index : m.ops.ops) {
    const sema::Op &op = module.op(index);
    if (op.dialect != "onnx")
      continue;
    from = std::min(from, op.since);
    to = std::max(to, op.until.value_or(INT64_MAX));
  }
  if (to) {
    least = std::max(least, from);
    most = std::min(most, to);
  }
  for (const sema::OperandMatch &operand : m.operands)
    for (const sema::Match &element : operand.elements)
      collectVersions(element, module, least, most);
  if (m.kind != sema::MatchKind::Alternatives)
    for (const sema::Match &child : m.children)
      collectVersions(child, module, least, most);
}

} // namespace

std::string Tally::neverMade() const {
  constexpr unsigned kOften = 30;
  for (const auto &[what, count] : counts_) {
    const auto &[op, isAttr, index] = what;
    // Where the op itself is seldom made, since operands of its types are rare, nothing is told of its attributes; nor
    // where it never is, as an op of a set that cannot have the pattern's operands (min of a Clip has no dimensions).
    const Count &whole = ops_.at(op);
    const double expected = double(count.tried) * whole.made / whole.tried;
    if (count.made || expected < kOften)
      continue;
    return isAttr ? fmt::format("no program could be made with an attribute `{}` of {} other than its default",
                                op->attrs[index].name, op->fullName())
                  : fmt::format("no program could be made in which {} has its operand `{}`", op->fullName(),
                                op->operands[index].name);
  }
  return "";
}

namespace {
/// Whether an attribute has the value that it has where it is left out.
bool isDefault(Op op, size_t attr, AttrId value) {
  const OpSchema &schema = op.schema();
  InputsOf inputs(op);
  return schema.attrs[attr].hasDefault && schema.defaultAttr && value == schema.defaultAttr(*inputs, unsigned(attr));
}
} // namespace

void Tally::noteFired(Function &fn) {
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind || op.kind() == kOpaqueKind)
      continue;
    const OpSchema &schema = op.schema();
    for (size_t i = 0; i < schema.attrs.size(); ++i)
      if (AttrId value = op.attr(unsigned(i)); value && !isDefault(op, i, value))
        fired_.emplace(schema.fullName(), true, schema.attrs[i].name);
    for (size_t i = 0; i < schema.operands.size() && i < op.operandCount(); ++i)
      if (schema.operands[i].arity == Arity::Optional && op.operand(unsigned(i)))
        fired_.emplace(schema.fullName(), false, schema.operands[i].name);
  }
}

std::vector<Tally::Part> Tally::neverFired() const {
  std::map<std::tuple<std::string, bool, std::string>, Part> out; // in an order that does not depend on addresses
  auto add = [&](Part part) {
    std::tuple key(part.schema->fullName(), part.isAttr, std::string(part.name()));
    if (fired_.contains(key))
      return;
    auto it = out.try_emplace(std::move(key), part).first;
    if (it->second.schema->since < part.schema->since)
      it->second = part;
  };
  for (const auto &[schema, count] : ops_) {
    for (size_t i = 0; i < schema->attrs.size(); ++i)
      if (!schema->attrs[i].required)
        add({schema, true, i});
    for (size_t i = 0; i < schema->operands.size(); ++i)
      if (schema->operands[i].arity == Arity::Optional)
        add({schema, false, i});
  }
  std::vector<Part> parts;
  for (auto &[key, part] : out)
    parts.push_back(part);
  return parts;
}

/// An operand of an op that is being made.
struct InstanceBuilder::Planned {
  const sema::Match *match = nullptr; // none: anything
  const sema::Match *leaf = nullptr;  // the constant that conditions say it is, if that is all they say
  size_t declared = 0;
  std::string name;
  bool absent = false, isLeaf = true, constant = false;
  int standIn = -1; // the attribute it stands for
  Value value;      // if it is no leaf, or bound
};

InstanceBuilder::InstanceBuilder(const BuilderInput &in, Choices &choices)
    : in_(in), choices_(choices), proposals_(in.literals, choices, in.sizing) {
  auto count = [&](const sema::VarUse &use) {
    if (use)
      ++uses_[use.var.raw];
  };
  for (const sema::Match &root : in.pattern.roots)
    sema::forEachUse(root, count);
  for (const Refinement &r : in.refinements)
    sema::forEachUse(*r.match, count);
}

void InstanceBuilder::know(Value v, const Tensor &t) {
  if (contents_.size() <= v.id.raw)
    contents_.resize(v.id.raw + 1);
  contents_[v.id.raw] = t;
}

Value InstanceBuilder::param(const Tensor &t, bool steers) {
  Value v = fn().addParam(t.type(ctx()));
  inputs_.push_back(t);
  steers_.push_back(steers);
  know(v, t);
  return v;
}

Value InstanceBuilder::constant(const Tensor &t) {
  OpBuilder b(fn(), region_);
  Value v = b.createConstant(constantDialect_, t.toAttr(ctx()), t.type(ctx()));
  if (!v)
    throw Refused{"there is no constant op of dialect " + constantDialect_};
  know(v, t);
  return v;
}

const OpSchema *InstanceBuilder::schemaOf(const sema::Op &op) const {
  const KindId kind = op.since ? in_.ops.lookup(op.fullName(), int(op.since)) : in_.ops.lookup(op.fullName());
  return kind == kOpaqueKind ? nullptr : &in_.ops.schema(kind);
}

const OpSchema *InstanceBuilder::choose(const sema::OpSet &set, const sema::Op **declared, bool forChain,
                                        const sema::Match *m) {
  const bool fixedCount = m && !m->each && !m->ignoreOperands && !m->operands.empty() &&
                          std::ranges::none_of(m->operands, [](const sema::OperandMatch &o) {
                            return o.kind == sema::OperandMatchKind::List;
                          });
  std::vector<sema::OpIndex> listed;
  for (const auto *ops : {&set.ops, &set.otherOps})
    for (sema::OpIndex index : *ops) {
      const sema::Op &op = in_.module.op(index);
      if (op.dialect != "onnx" || version_ == 0 || (op.since <= version_ && op.until.value_or(INT64_MAX) >= version_))
        listed.push_back(index);
    }
  if (listed.empty() && !set.byTrait())
    listed = set.ops;
  if (in_.insistOn)
    for (sema::OpIndex index : set.ops)
      if (schemaOf(in_.module.op(index)) == in_.insistOn->schema) {
        *declared = &in_.module.op(index);
        return in_.insistOn->schema;
      }
  if (!listed.empty() && (!set.byTrait() || choices_.chance(30))) {
    const sema::Op &op = in_.module.op(choices_.pick(listed));
    *declared = &op;
    return schemaOf(op);
  }
  std::vector<uint32_t> masks{set.traits};
  masks.insert(masks.end(), set.otherTraits.begin(), set.otherTraits.end());
  std::vector<const OpSchema *> candidates;
  for (uint32_t i = 2; i < in_.ops.size(); ++i) {
    const OpSchema &schema = in_.ops.schema(KindId{uint16_t(i)});
    if (!std::ranges::any_of(masks, [&](uint32_t mask) { return (schema.traits & mask) == mask; }) ||
        !schema.regions.empty() || schema.hasTrait(Trait::Constant) ||
        (!in_.kernels.find(schema.fullName()) && !schema.expand))
      continue;
    if (constantDialect_ != schema.dialect &&
        !(schema.dialect != "onnx" && schema.dialect != "tensor" && schema.dialect != "stablehlo"))
      continue;
    if (schema.dialect == "onnx" && version_ && (schema.since > version_ || schema.until < version_))
      continue;
    if (fixedCount && !takes(schema, m->operands.size()))
      continue;
    if (forChain && (schema.operands.empty() || schema.results.size() != 1))
      continue;
    candidates.push_back(&schema);
  }
  if (candidates.empty())
    throw Refused{"no op of the dialect has the traits"};
  const OpSchema *schema = choices_.pick(candidates);
  *declared = nullptr;
  for (const sema::Op &op : in_.module.ops)
    if (op.fullName() == schema->fullName() && op.since == schema->since)
      *declared = &op;
  return schema;
}

const sema::Match *InstanceBuilder::refined(const sema::Match &m) const {
  // A name that is bound elsewhere may be made here first.
  if (m.kind != sema::MatchKind::Any || !m.value || isKnown(m))
    return nullptr;
  for (const Refinement &r : in_.refinements)
    if (r.var == m.value.var && r.element < 0 && !open_.contains(r.match))
      return r.match;
  return nullptr;
}

const sema::Match *InstanceBuilder::refinedLeaf(const sema::Match &m) const {
  if (m.kind != sema::MatchKind::Any || !m.value || isKnown(m))
    return nullptr;
  const sema::Match *only = nullptr;
  for (const Refinement &r : in_.refinements) {
    if (r.var != m.value.var)
      continue;
    if (only || r.element >= 0 || !r.certain ||
        (r.match->kind != sema::MatchKind::Const && r.match->kind != sema::MatchKind::Splat))
      return nullptr;
    only = r.match;
  }
  return only;
}

bool InstanceBuilder::isKnown(const sema::Match &m) const {
  return m.value && !body().var(m.value.var).perOperand && values_.contains(m.value.var.raw);
}
void InstanceBuilder::bind(const sema::Match &m, Value v) {
  if (m.value) // ops are not made in the order in which matches bind: whoever comes first binds
    values_.emplace(m.value.var.raw, v);
}

Value InstanceBuilder::value(const sema::Match &m, const OpDraft *draft, size_t index, std::string_view name) {
  if (isKnown(m))
    return values_.at(m.value.var.raw);
  if (m.kind == sema::MatchKind::Any)
    if (refined(m)) {
      // Under `or` it is one of several ways.
      std::vector<const Refinement *> ways;
      for (const Refinement &r : in_.refinements)
        if (r.var == m.value.var && r.element < 0 && !open_.contains(r.match))
          ways.push_back(&r);
      const Refinement *way = choices_.pick(ways);
      if (way->certain || choices_.chance(60)) {
        open_.insert(way->match);
        Value v = value(*way->match, draft, index, name);
        bind(m, v);
        return v;
      }
    }
  Value v;
  switch (m.kind) {
  case sema::MatchKind::Op:
    if (m.optional && choices_.chance(40)) {
      v = value(m.operands.at(0).elements.at(0), draft, index, name);
      break;
    }
    {
      Op made = op(m);
      v = made.result(std::min<uint32_t>(m.result, made.resultCount() - 1));
    }
    break;
  case sema::MatchKind::Chain:
    v = chain(m);
    break;
  case sema::MatchKind::Alternatives: {
    const uint32_t way = choices_.below(m.children.size());
    branches_.push_back(way);
    v = value(m.children[way], draft, index, name);
    break;
  }
  default: {
    static const OpDraft none;
    v = leaf(&m, draft ? *draft : none, index, std::string(name), nullptr, false);
  }
  }
  bind(m, v);
  for (const sema::Condition &after : m.after)
    if (after.match && after.expr.kind == sema::ExprKind::Var && !values_.contains(after.expr.var().raw))
      value(*after.match, nullptr, 0, "");
  return v;
}

bool InstanceBuilder::fits(const sema::TypeMatch &type, DType &dtype, Shape &shape, std::map<uint32_t, int64_t> &dims) {
  if (type.dtypeClass == sema::DTypeClass::Float && !isFloat(dtype))
    dtype = DType::F32;
  if (type.dtypeClass == sema::DTypeClass::Integer && !isInteger(dtype))
    dtype = choices_.chance(50) ? DType::I64 : DType::I32;
  if (type.dtype && type.dtype->kind == sema::ExprKind::DType)
    if (std::optional<DType> t = dtypeFromName(type.dtype->text); t && *t != DType::Unknown)
      dtype = *t;
  if (type.singleElement)
    shape = Shape(choices_.below(3), 1);
  if (type.equals && type.equals->kind == sema::ExprKind::Property && type.equals->args[0].kind == sema::ExprKind::Var)
    if (auto it = values_.find(type.equals->args[0].var().raw); it != values_.end() && contents(it->second)) {
      dtype = contents(it->second).dtype();
      shape = contents(it->second).shape();
    }
  if (type.dims) {
    Shape wanted;
    for (const sema::DimMatch &dim : *type.dims) {
      if (dim.rest) {
        Shape rest(choices_.below(3));
        for (int64_t &d : rest)
          d = choices_.pick({2, 3, 1});
        if (dim.var)
          rest = dimLists_.try_emplace(dim.var.var.raw, rest).first->second;
        wanted.insert(wanted.end(), rest.begin(), rest.end());
      } else if (dim.var) {
        auto it = dims.find(dim.var.var.raw);
        const int64_t size = it != dims.end() ? it->second : choices_.pick({2, 3, 4, 1, 5});
        dims.emplace(dim.var.var.raw, size);
        wanted.push_back(size);
      } else if (dim.value) {
        std::optional<std::vector<double>> n = numbers(*dim.value);
        wanted.push_back(n && n->size() == 1 ? int64_t(n->front()) : 1);
      } else {
        wanted.push_back(choices_.pick({2, 3, 1, 4}));
      }
    }
    shape = wanted;
  }
  return type.elements.empty();
}

Value InstanceBuilder::leaf(const sema::Match *m, const OpDraft &draft, size_t index, const std::string &name,
                            const sema::Operand *declared, bool constantOperand) {
  const bool steering = Proposals::isSteering(draft.op, name) && !(m && m->kind == sema::MatchKind::Splat);
  // What is named twice is one value: a constant would be written once for each use.
  const bool once =
      !m || !m->value || uses_[m->value.var.raw] < 2 || (steering && in_.lastResort && choices_.chance(40));
  const bool isAsked = m && m->value && std::ranges::count(in_.literals.asked, m->value.var.raw) != 0;
  const bool isConstant = constantOperand || (m && m->kind != sema::MatchKind::Any) ||
                          (steering && once && choices_.chance(85)) || (isAsked && once && choices_.chance(50));
  if (steering && (!m || m->types.empty())) {
    if (name == "indices") {
      Tensor t = proposals_.indices(draft);
      if (!t)
        throw Refused{"a shape is too large"};
      return isConstant ? constant(t) : param(t, true);
    }
    if (draft.op == "Range" && proposals_.isWild()) {
      const double number = name == "start"   ? double(choices_.pick({0, 1, 5})) / 2
                            : name == "limit" ? double(choices_.pick({7, 8, 2, 0})) / 2
                                              : double(choices_.pick({2, 1, 3, -1})) / 2;
      const Tensor t = tensorOf(DType::F32, {}, std::vector<double>{number});
      return isConstant ? constant(t) : param(t, true);
    }
    std::vector<int64_t> list = proposals_.ints(draft, name, true);
    const bool each = draft.op.starts_with("dynamic") && isStarts(name);
    if (each)
      list = {choices_.pick({int64_t(0), int64_t(0), int64_t(1), int64_t(2), int64_t(-1), int64_t(7), int64_t(100),
                             int64_t(200), int64_t(1) << 31, (int64_t(1) << 32) - 1})};
    const bool scalar =
        each || (list.size() == 1 && (name == "k" || name == "depth" || name == "axis") && choices_.chance(40));
    Shape shape = scalar ? Shape{} : Shape{int64_t(list.size())};
    Tensor t = tensorOfInts(shape, list);
    if (choices_.chance(10))
      t = tensorOf(DType::I32, t.shape(), std::vector<double>(list.begin(), list.end()));
    if (each) { // any place is one: it is held to where it lies inside
      if (const DType other = proposals_.otherDType(); choices_.chance(35) && isInteger(other))
        t = tensorOf(other, t.shape(), std::vector<double>(list.begin(), list.end()));
      for (const Tensor &other : draft.operands)
        if (&other != draft.data() && other && other.rank() == 0 && isInteger(other.dtype()) &&
            other.dtype() != t.dtype())
          t = tensorOf(other.dtype(), t.shape(), std::vector<double>(list.begin(), list.end()));
      const bool fixed = constantOperand || (m && m->kind != sema::MatchKind::Any) || (once && choices_.chance(35));
      return fixed ? constant(t) : param(t, false);
    }
    return isConstant ? constant(t) : param(t, true);
  }
  DType dtype = draft.attempt > 3 && choices_.chance(35) ? proposals_.otherDType() : proposals_.dtype();
  for (size_t i = 0; i < draft.operands.size(); ++i) // mostly as other operands
    if (i != index && draft.operands[i] && choices_.chance(draft.attempt > 8 ? 45 : 85) &&
        !Proposals::isSteering(draft.op, name)) {
      dtype = draft.operands[i].dtype();
      break;
    }
  if (proposals_.isWild() && draft.attempt < 20 && choices_.chance(30)) // which the op may refuse
    dtype = proposals_.otherDType();
  proposals_.dtypeFor(draft, index, name, dtype);
  Shape shape = proposals_.shapeFor(draft, index, name);
  std::map<uint32_t, int64_t> declaredDims;
  if (declared && declared->type)
    fits(*declared->type, dtype, shape, declaredDims);
  if (m) {
    for (const sema::TypeMatch &type : m->types)
      fits(type, dtype, shape, dims_);
    if (m->kind == sema::MatchKind::Splat && choices_.chance(70) && m->types.empty())
      shape = choices_.chance(70) ? Shape{} : Shape(choices_.below(3), 1);
    // A list of as many numbers as the op's other lists have.
    if (m->kind == sema::MatchKind::Splat && m->types.empty() && Proposals::isSteering(draft.op, name) &&
        draft.attempt < 20) {
      dtype = isInteger(dtype) && isSigned(dtype) && dtypeBytes(dtype) >= 4 ? dtype : DType::I64;
      int64_t length = 1;
      for (const auto &[other, list] : draft.ints)
        if (Proposals::isSteering(draft.op, other))
          length = int64_t(list.size());
      shape = name == "indices" && choices_.chance(60) ? Shape{} : Shape{length};
    }
  }
  if (shape.size() > 6 || elementsIn(shape).value_or(SIZE_MAX) > proposals_.mostElements())
    throw Refused{"a shape is too large"};
  Tensor t;
  if (m && m->kind == sema::MatchKind::Splat) {
    double number = 0;
    if (m->literal) {
      const sema::Expr &e = *m->literal;
      std::optional<std::vector<double>> n = numbers(e);
      number = n && n->size() == 1 ? n->front() : 0;
      const sema::Expr *bare = &e;
      while ((bare->kind == sema::ExprKind::Convert || bare->kind == sema::ExprKind::Neg) && !bare->args.empty())
        bare = &bare->args[0];
      if (bare->kind == sema::ExprKind::Bool)
        dtype = DType::Bool;
      else if (bare->kind == sema::ExprKind::Float && !isFloat(dtype) && !isComplex(dtype) &&
               (number != std::floor(number) || std::signbit(number)))
        dtype = DType::F32;
    } else if (auto it = splats_.find(m->splatVar.var.raw); m->splatVar && it != splats_.end()) {
      t = it->second;
      number = t.floatAt(0);
      dtype = t.dtype();
    } else {
      number = isInteger(dtype) && choices_.chance(30) ? proposals_.wholeNumber(dtype) : proposals_.number();
      if (isInteger(dtype) && !std::isfinite(number))
        number = 1;
    }
    std::vector<double> numbers(elementsIn(shape).value_or(0), number);
    t = tensorOf(dtype, shape, numbers);
    if (m->splatVar && numbers.size())
      splats_.try_emplace(m->splatVar.var.raw, t);
  } else if (isAsked && isConstant && choices_.chance(50)) {
    t = tensorOf(dtype, shape, std::vector<double>(elementsIn(shape).value_or(0), 0));
  } else {
    t = proposals_.contentsFor(draft, name, dtype, shape, !isConstant);
  }
  if (!t)
    throw Refused{"an operand of this element type cannot be made"};
  // A counterexample holds what is constant, number by number.
  constexpr size_t kMostOfConstant = 500;
  const bool asConstant =
      isConstant || (once && t.size() <= kMostOfConstant && choices_.chance(6) && canWriteConstants_);
  if (!asConstant && !steering && choices_.chance(4)) // two names may be one value
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (!steers_[i] && inputs_[i].dtype() == t.dtype() && inputs_[i].shape() == t.shape())
        return fn().value(fn().params(fn().body())[i]);
  Value v = asConstant ? constant(t) : param(t, steering || name == "indices");
  return v;
}

std::optional<std::vector<double>> InstanceBuilder::numbers(const sema::Expr &e) const {
  switch (e.kind) {
  case sema::ExprKind::Int:
  case sema::ExprKind::Bool:
    return std::vector<double>{double(e.i)};
  case sema::ExprKind::Float:
    return std::vector<double>{e.f};
  case sema::ExprKind::Convert:
    return numbers(e.args[0]);
  case sema::ExprKind::Neg: {
    std::optional<std::vector<double>> inner = numbers(e.args[0]);
    if (inner)
      for (double &v : *inner)
        v = -v;
    return inner;
  }
  case sema::ExprKind::List: {
    std::vector<double> out;
    for (const sema::Expr &arg : e.args) {
      std::optional<std::vector<double>> one = numbers(arg);
      if (!one || one->size() != 1)
        return std::nullopt;
      out.push_back(one->front());
    }
    return out;
  }
  default:
    return std::nullopt;
  }
}

AttrId InstanceBuilder::literal(const sema::Expr &e, AttrType type) const {
  Context &c = program_->context();
  const sema::Expr &bare = e.kind == sema::ExprKind::Convert ? e.args[0] : e;
  if (&bare != &e)
    return literal(bare, type);
  if (e.kind == sema::ExprKind::Var)
    if (auto it = attrs_.find(e.var().raw); it != attrs_.end())
      return it->second;
  if (e.kind == sema::ExprKind::String)
    return type == AttrType::Symbol ? c.symbolAttr(e.text) : c.stringAttr(e.text);
  if (e.kind == sema::ExprKind::DType)
    if (std::optional<DType> t = dtypeFromName(e.text))
      return c.dtypeAttr(*t);
  if (type == AttrType::Strings && e.kind == sema::ExprKind::List) {
    std::vector<AttrId> list;
    for (const sema::Expr &arg : e.args)
      list.push_back(literal(arg, AttrType::String));
    return c.listAttr(list);
  }
  std::optional<std::vector<double>> n = numbers(e);
  if (!n)
    return {};
  std::vector<int64_t> ints(n->begin(), n->end());
  std::vector<Dim> dims;
  for (int64_t i : ints)
    dims.push_back(Dim::number(i));
  const bool one = ints.size() == 1;
  switch (type) {
  case AttrType::Int:
    return one ? c.intAttr(e.kind == sema::ExprKind::Int ? e.i : ints[0]) : AttrId();
  case AttrType::Float:
    return one ? c.floatAttr(n->front()) : AttrId();
  case AttrType::Bool:
    return one ? c.boolAttr(ints[0]) : AttrId();
  case AttrType::Dim:
    return one ? c.dimAttr(dims[0]) : AttrId();
  case AttrType::Ints:
    return c.intsAttr(ints);
  case AttrType::Floats:
    return c.floatsAttr(*n);
  case AttrType::Dims:
    return c.dimsAttr(dims);
  case AttrType::Any:
    return !one ? AttrId() : e.kind == sema::ExprKind::Float ? c.floatAttr(n->front()) : c.intAttr(ints[0]);
  default:
    return {};
  }
}

AttrId InstanceBuilder::wantedAttr(sema::VarId var, AttrType type) {
  if (type != AttrType::Ints && type != AttrType::Dims && type != AttrType::Int)
    return {};
  KnownLists known;
  known.shape = [&](sema::VarId v) -> std::optional<std::vector<int64_t>> {
    auto it = values_.find(v.raw);
    if (it == values_.end())
      if (it = pending_.find(v.raw); it == pending_.end())
        return std::nullopt;
    if (!contents(it->second))
      return std::nullopt;
    const Shape &shape = contents(it->second).shape();
    return std::vector<int64_t>(shape.begin(), shape.end());
  };
  known.list = [&](sema::VarId v) -> std::optional<std::vector<int64_t>> {
    if (auto it = attrs_.find(v.raw); it != attrs_.end()) {
      const AttrData &attr = ctx().attr(it->second);
      return attr.kind == AttrKind::Int ? std::vector<int64_t>{attr.i} : listOf(attr);
    }
    if (auto it = dims_.find(v.raw); it != dims_.end())
      return std::vector<int64_t>{it->second};
    return std::nullopt;
  };
  std::optional<std::vector<int64_t>> list = wantedList(in_.module, in_.pattern, var, known);
  if (!list || list->size() > 8)
    return {};
  if (type == AttrType::Int)
    return list->size() == 1 ? ctx().intAttr(list->front()) : AttrId();
  if (type == AttrType::Ints)
    return ctx().intsAttr(*list);
  std::vector<Dim> dims;
  for (int64_t n : *list) {
    if (n < 0)
      return {};
    dims.push_back(Dim::number(n));
  }
  return ctx().dimsAttr(dims);
}

AttrId InstanceBuilder::proposedAttr(const OpSchema &schema, size_t index, const sema::Op *declared, OpDraft &draft) {
  Context &c = ctx();
  const AttrSchema &attr = schema.attrs[index];
  std::vector<std::string> allowed;
  if (declared && index < declared->attrs.size())
    allowed = declared->attrs[index].choices;
  switch (attr.type) {
  case AttrType::Int: {
    const int64_t n = proposals_.oneInt(draft, attr.name);
    draft.ints.emplace_back(attr.name, std::vector<int64_t>{n});
    return c.intAttr(n);
  }
  case AttrType::Float:
    if ((attr.name == "alpha" || attr.name == "beta") && draft.data() && isInteger(draft.data()->dtype()))
      return c.floatAttr(double(choices_.pick({1, 1, 1, 2})));
    return c.floatAttr(attr.name == "epsilon" ? proposals_.epsilon() : proposals_.number());
  case AttrType::Bool:
    return c.boolAttr(choices_.chance(50));
  case AttrType::String:
    if (attr.name == "auto_pad")
      return c.stringAttr(proposals_.autoPad());
    if (attr.name == "mode" && schema.name == "Pad")
      return c.stringAttr(proposals_.padMode());
    if (attr.name == "equation" && schema.name == "Einsum")
      return c.stringAttr(proposals_.equation(draft));
    return c.stringAttr(proposals_.text(draft, attr.name, allowed));
  case AttrType::DType:
    return c.dtypeAttr(proposals_.dtypeAttr());
  case AttrType::Dim:
    return c.dimAttr(Dim::number(proposals_.oneInt(draft, attr.name)));
  case AttrType::Ints: {
    std::vector<int64_t> list = proposals_.ints(draft, attr.name, false);
    draft.ints.emplace_back(attr.name, list);
    return c.intsAttr(list);
  }
  case AttrType::Dims: {
    std::vector<int64_t> numbers = proposals_.ints(draft, attr.name, false);
    std::vector<Dim> list;
    for (int64_t i : numbers)
      list.push_back(Dim::number(i));
    draft.ints.emplace_back(attr.name, std::move(numbers));
    return c.dimsAttr(list);
  }
  case AttrType::Floats: {
    std::vector<double> list(choices_.below(3) + 1);
    for (double &v : list)
      v = proposals_.number();
    return c.floatsAttr(list);
  }
  case AttrType::Tensor: {
    Tensor t = proposals_.contents(proposals_.dtype(), proposals_.freshShape(), false);
    return t ? t.toAttr(c) : AttrId();
  }
  case AttrType::Bools: {
    std::vector<AttrId> list;
    const size_t rank = draft.data() ? draft.data()->rank() : 3, count = rank > 2 ? rank - 2 : 1;
    for (size_t i = 0; i < count; ++i)
      list.push_back(c.boolAttr(choices_.chance(40)));
    return c.listAttr(list);
  }
  case AttrType::IntLists: {
    std::vector<AttrId> list;
    const std::string_view x = draft.op;
    const size_t rank = draft.data() ? draft.data()->rank() : 2;
    // of places, or of all dimensions
    const size_t count = x.find("conv") != x.npos ? std::max<size_t>(rank, 3) - 2 : rank;
    for (size_t i = 0; i < count; ++i)
      list.push_back(c.intsAttr({choices_.pick({0, 0, 0, 0, 1, 1, 2, -1}), choices_.pick({0, 0, 0, 0, 1, 1, 2, -1})}));
    return c.listAttr(list);
  }
  case AttrType::Strings: {
    if (attr.name != "activations")
      return {};
    std::vector<AttrId> list;
    for (const std::string &name : proposals_.activations(draft))
      list.push_back(c.stringAttr(name));
    return c.listAttr(list);
  }
  case AttrType::Any:
    return choices_.chance(50) ? c.intAttr(proposals_.oneInt(draft, attr.name)) : c.floatAttr(proposals_.number());
  default:
    return {};
  }
}

bool InstanceBuilder::attributes(const sema::Match &m, const OpSchema &schema, const sema::Op *declared, OpDraft &draft,
                                 std::vector<AttrId> &attrs, std::vector<bool> &madeUp,
                                 std::map<uint32_t, std::vector<double>> &standIns) {
  attrs.assign(schema.attrs.size(), AttrId());
  madeUp.assign(schema.attrs.size(), false);
  std::vector<bool> settled(schema.attrs.size());
  size_t place = 0; // of the op in the set
  if (declared)
    for (size_t i = 0; i < m.ops.ops.size(); ++i)
      if (&in_.module.op(m.ops.ops[i]) == declared)
        place = i;
  // What is said of some is known to those that are made up: these come last.
  std::vector<const sema::AttrMatch *> inOrder;
  auto isFree = [&](const sema::AttrMatch &am) {
    return am.kind == sema::AttrMatchKind::Var && !attrs_.contains(am.var.var.raw);
  };
  for (bool free : {false, true})
    for (const sema::AttrMatch &am : m.attrs)
      if (isFree(am) == free)
        inOrder.push_back(&am);
  for (const sema::AttrMatch *each : inOrder) {
    const sema::AttrMatch &am = *each;
    int index = am.index.size() == 1      ? am.index[0]
                : place < am.index.size() ? am.index[place]
                                          : schema.attrIndex(am.name);
    if (m.ops.byTrait())
      index = schema.attrIndex(am.name);
    if (index < 0)
      continue;
    const bool isStandIn = size_t(index) >= schema.attrs.size();
    if (isStandIn) {
      std::optional<std::vector<double>> wanted;
      if (am.kind == sema::AttrMatchKind::Equal && am.value)
        wanted = numbers(*am.value);
      if (am.kind == sema::AttrMatchKind::OneOf)
        wanted = numbers(choices_.pick(am.choices));
      const size_t which = size_t(index) - schema.attrs.size();
      if (wanted && which < schema.standIns.size())
        standIns[schema.standIns[which].operand] = *wanted;
      continue;
    }
    const AttrSchema &attr = schema.attrs[size_t(index)];
    AttrId &out = attrs[size_t(index)];
    switch (am.kind) {
    case sema::AttrMatchKind::Var: {
      if (auto it = attrs_.find(am.var.var.raw); it != attrs_.end() && am.var.use != sema::Use::Bind) {
        out = it->second;
        settled[size_t(index)] = true;
        break;
      }
      if (settled[size_t(index)])
        break;
      if (AttrId wanted = wantedAttr(am.var.var, attr.type); wanted && choices_.chance(60)) {
        out = wanted;
        if (std::optional<std::vector<int64_t>> list = listOf(ctx().attr(out)))
          draft.ints.emplace_back(attr.name, std::move(*list));
      } else if (attr.required || !attr.hasDefault || choices_.chance(75)) {
        out = proposedAttr(schema, size_t(index), declared, draft);
        madeUp[size_t(index)] = true;
      }
      settled[size_t(index)] = true;
      break;
    }
    case sema::AttrMatchKind::Equal:
      out = literal(*am.value, attr.type);
      settled[size_t(index)] = bool(out);
      break;
    case sema::AttrMatchKind::OneOf:
      out = literal(choices_.pick(am.choices), attr.type);
      settled[size_t(index)] = bool(out);
      break;
    case sema::AttrMatchKind::Default:
    case sema::AttrMatchKind::Absent:
      settled[size_t(index)] = true;
      break;
    case sema::AttrMatchKind::List: {
      // What is not said of an element is what it might be in such a list.
      std::vector<int64_t> list, likely = proposals_.ints(draft, am.name, false);
      likely.resize(std::max(likely.size(), am.elements.size()), choices_.pick({0, 1, 2, 3}));
      for (size_t i = 0; i <= am.elements.size(); ++i) {
        if (am.hasRest && i == am.restAt)
          for (size_t k = choices_.below(4); k > 0; --k)
            list.push_back(choices_.pick({1, 2, 3, 0}));
        if (i == am.elements.size())
          break;
        std::optional<std::vector<double>> n = am.elements[i].value ? numbers(*am.elements[i].value) : std::nullopt;
        list.push_back(n && n->size() == 1   ? int64_t(n->front())
                       : choices_.chance(85) ? likely[i]
                                             : choices_.pick({0, 1, 2, 3}));
      }
      std::vector<Dim> dims;
      for (int64_t i : list)
        dims.push_back(Dim::number(i));
      out = attr.type == AttrType::Dims ? ctx().dimsAttr(dims) : ctx().intsAttr(list);
      settled[size_t(index)] = true;
      break;
    }
    case sema::AttrMatchKind::Ignored:
      break;
    }
    if (am.kind == sema::AttrMatchKind::Equal && !out)
      out = proposedAttr(schema, size_t(index), declared, draft);
    if (out && attr.type == AttrType::Int)
      draft.ints.emplace_back(attr.name, std::vector<int64_t>{ctx().attr(out).i});
    if (out && !isFree(am))
      if (std::optional<std::vector<int64_t>> list = listOf(ctx().attr(out)))
        draft.ints.emplace_back(attr.name, std::move(*list));
  }
  for (size_t i = 0; i < attrs.size(); ++i)
    if (!settled[i] && !attrs[i] &&
        (schema.attrs[i].required || in_.insistsOn(schema, true, i) ||
         choices_.chance(proposals_.isWild() ? 50 : 12))) {
      attrs[i] = proposedAttr(schema, i, declared, draft);
      madeUp[i] = true;
      if (!attrs[i] && schema.attrs[i].required)
        return false;
    }
  return true;
}

void InstanceBuilder::planOperands(const sema::Match &m, const OpSchema &schema, const sema::Op *declared,
                                   std::vector<Planned> &out) {
  auto add = [&](const sema::Match *match, size_t index, bool absent = false) {
    Planned p;
    p.match = match;
    p.declared = index;
    p.name = index < schema.operands.size() ? std::string(schema.operands[index].name) : "";
    p.absent = absent;
    for (size_t k = 0; k < schema.standIns.size(); ++k)
      if (schema.standIns[k].operand == index)
        p.standIn = int(k);
    p.constant = p.standIn >= 0;
    out.push_back(p);
  };
  if (m.each) {
    size_t variadic = schema.operands.size();
    for (size_t i = 0; i < schema.operands.size(); ++i)
      if (schema.operands[i].arity == Arity::Variadic)
        variadic = i;
    for (size_t i = 0; i < schema.operands.size(); ++i)
      for (size_t k = i == variadic                                 ? choices_.below(3) + 1
                      : schema.operands[i].arity == Arity::Optional ? choices_.below(2)
                                                                    : 1;
           k > 0; --k)
        add(&m.children.at(0), i);
    return;
  }
  const bool byPosition = m.ops.byTrait() || !declared;
  if (byPosition && !m.operands.empty()) {
    size_t position = 0;
    const bool hasRest = m.ignoreOperands || std::ranges::any_of(m.operands, [](const sema::OperandMatch &o) {
                           return o.kind == sema::OperandMatchKind::List;
                         });
    size_t total = schema.operands.size();
    for (const sema::OperandMatch &operand : m.operands) {
      if (operand.kind == sema::OperandMatchKind::List) {
        const size_t fixed = operand.elements.size();
        const size_t rest = operand.hasRest && total > fixed ? total - fixed : 0;
        for (size_t i = 0; i <= fixed; ++i) {
          if (operand.hasRest && i == operand.restAt)
            for (size_t k = 0; k < rest; ++k)
              add(nullptr, position++);
          if (i < fixed)
            add(&operand.elements[i], position++);
        }
      } else {
        add(operand.elements.empty() ? nullptr : &operand.elements[0], position++);
      }
    }
    while (hasRest && position < total)
      add(nullptr, position++);
    return;
  }
  for (size_t i = 0; i < schema.operands.size(); ++i) {
    const Arity arity = schema.operands[i].arity;
    const sema::OperandMatch *om = i < m.operands.size() ? &m.operands[i] : nullptr;
    if (!om || om->kind == sema::OperandMatchKind::Ignored) {
      bool isStandIn = std::ranges::any_of(schema.standIns, [&](const StandInSchema &s) { return s.operand == i; });
      if (arity == Arity::Variadic)
        for (size_t k = choices_.below(3) + 1; k > 0; --k)
          add(nullptr, i);
      else
        add(nullptr, i,
            arity == Arity::Optional && choices_.chance(isStandIn ? 15 : 40) && !in_.insistsOn(schema, false, i));
      continue;
    }
    switch (om->kind) {
    case sema::OperandMatchKind::One:
      add(&om->elements.at(0), i);
      break;
    case sema::OperandMatchKind::Maybe: {
      const bool absent = choices_.chance(45);
      branches_.push_back(absent);
      add(&om->elements.at(0), i, absent);
      break;
    }
    case sema::OperandMatchKind::Absent:
      if (arity != Arity::Variadic)
        add(nullptr, i, true);
      break;
    case sema::OperandMatchKind::List: {
      if (om->hasRest && om->elements.empty() && om->rest) { // elements of which conditions ask something
        size_t asked = 0;
        for (const Refinement &r : in_.refinements)
          if (r.var == om->rest.var && r.element == int(asked)) {
            add(r.match, i);
            ++asked;
          }
        if (asked) {
          for (size_t k = choices_.below(3); k > 0; --k)
            add(nullptr, i);
          break;
        }
      }
      for (size_t e = 0; e <= om->elements.size(); ++e) {
        if (om->hasRest && e == om->restAt)
          for (int64_t k = choices_.pick({0, 1, 2, 0, 1, 2, 3}) + (om->elements.empty() ? 1 : 0); k > 0; --k)
            add(nullptr, i);
        if (e < om->elements.size())
          add(&om->elements[e], i);
      }
      break;
    }
    default:
      break;
    }
  }
}

/// A list that has been made already, where it is named once more; now and then the places of another slice.
void InstanceBuilder::reuseLists(const sema::Match &m, const OpSchema &schema, std::vector<Planned> &plan) {
  for (size_t d = 0; d < m.operands.size() && d < schema.operands.size(); ++d) {
    const sema::OperandMatch &om = m.operands[d];
    if (om.kind != sema::OperandMatchKind::List || !om.hasRest || !om.elements.empty() ||
        schema.operands[d].arity != Arity::Variadic)
      continue;
    const std::vector<Value> *list = nullptr;
    if (om.rest && lists_.contains(om.rest.var.raw))
      list = &lists_.at(om.rest.var.raw);
    else if (isStarts(schema.operands[d].name) && !starts_.empty() &&
             std::ranges::all_of(starts_, [](Value v) { return v.isParam(); }) && choices_.chance(40))
      list = &starts_;
    auto first = std::ranges::find_if(plan, [&](const Planned &p) { return p.declared == d; });
    if (!list || first == plan.end())
      continue;
    const Planned one = *first;
    const size_t at = size_t(first - plan.begin());
    std::erase_if(plan, [&](const Planned &p) { return p.declared == d; });
    // Of another slice all places, or all but one.
    const size_t other = list == &starts_ && choices_.chance(40) ? choices_.below(list->size()) : list->size();
    for (size_t i = 0; i < list->size(); ++i) {
      Planned p = one;
      p.match = nullptr;
      p.isLeaf = i == other;
      p.value = i == other ? Value() : (*list)[i];
      plan.insert(plan.begin() + long(at + i), p);
    }
  }
}

std::optional<std::vector<Tensor>> settle(Op op, std::span<const Tensor> operands, const KernelTable &kernels,
                                          int version) {
  Function &fn = *op.fn;
  Context &ctx = fn.context();
  InputsOf inputs(op);
  if (!requirementsHold(*inputs))
    return std::nullopt;
  InlineList<TypeId, 4> types;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    types.push_back(ctx.unknownType());
  inferResultTypes(*inputs, types);
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (types[i])
      fn.setType(op.result(i).id, types[i]);
  EvalOptions options;
  options.kernels = &kernels;
  options.maxBytes = 1 << 20;
  options.maxWork = 2'000'000;
  options.opset = version;
  std::vector<Tensor> values;
  if (op.regions().empty()) {
    EvalResult result = evaluateOp(op, operands, options);
    if (!result.ok)
      return std::nullopt;
    values = std::move(result.values);
  } else {
    const std::vector<ValueId> reads = valuesReadBy(op);
    if (reads.size() != operands.size() || !OpEvaluator(fn, options).run(op, reads, operands, values))
      return std::nullopt;
  }
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    if (!values[i] || isInteger4(values[i].dtype())) // few laws know these
      return std::nullopt;
    TypeId type = values[i].type(ctx);
    if (!ctx.compatible(op.result(i).typeId(), type))
      return std::nullopt;
    fn.setType(op.result(i).id, type);
  }
  return values;
}

Instance copyOf(const Instance &from) {
  Instance out;
  out.program = std::make_unique<Program>(from.program->clone());
  out.inputs = from.inputs;
  out.steers = from.steers;
  out.branches = from.branches;
  return out;
}

bool settleAll(const Instance &instance, const KernelTable &kernels) {
  Function &fn = instance.function();
  std::vector<Tensor> contents;
  const auto know = [&](Value v, const Tensor &t) {
    if (contents.size() <= v.id.raw)
      contents.resize(v.id.raw + 1);
    contents[v.id.raw] = t;
  };
  std::span<const ValueId> params = fn.params(fn.body());
  for (size_t i = 0; i < params.size(); ++i)
    know(fn.value(params[i]), instance.inputs[i]);
  const int version = int(fn.context().dialectVersion("onnx"));
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind)
      continue;
    if (op.kind() == kOpaqueKind || !op.regions().empty())
      return false;
    std::vector<Tensor> operands;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      operands.push_back(op.operand(i) ? contents[op.operand(i).id.raw] : Tensor());
    const std::optional<std::vector<Tensor>> results = settle(op, operands, kernels, version);
    if (!results)
      return false;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      know(op.result(i), (*results)[i]);
  }
  SourceManager sources;
  Diagnostics unread(sources);
  return verifyProgram(*instance.program, unread);
}

bool InstanceBuilder::finish(Op made, std::span<const Tensor> operands) {
  const std::optional<std::vector<Tensor>> results = settle(made, operands, in_.kernels, version_);
  for (unsigned i = 0; results && i < made.resultCount(); ++i)
    know(made.result(i), (*results)[i]);
  return bool(results);
}

Op InstanceBuilder::op(const sema::Match &m) {
  const sema::Op *declared = nullptr;
  const OpSchema *schema = choose(m.ops, &declared, false, &m);
  if (!schema)
    throw Refused{"an op that the pattern names is not registered"};
  return opOfKind(m, *schema, declared);
}

Op InstanceBuilder::opOfKind(const sema::Match &m, const OpSchema &schema, const sema::Op *declared) {
  if (++opCount_ > kMostOps)
    throw Refused{"the pattern has too many ops"};
  if (!canMakeRegions(schema))
    throw Refused{"ops with such regions are not made: " + schema.fullName()};
  if (!schema.expand && schema.regions.empty() && !in_.kernels.find(schema.fullName()))
    throw Refused{"no program with " + schema.fullName() + " can be tried, since the evaluator does not compute it"};
  std::vector<Planned> plan;
  planOperands(m, schema, declared, plan);
  size_t place = 0; // of the op among those that are named
  for (size_t i = 0; declared && i < m.ops.ops.size(); ++i)
    if (&in_.module.op(m.ops.ops[i]) == declared)
      place = i;
  if (in_.tally)
    in_.tally->startOp();
  // What is not made up comes first: the rest must fit it.
  for (Planned &p : plan) {
    if (p.absent || !p.match)
      continue;
    const sema::Match *inner = p.match;
    if (isKnown(*inner)) {
      p.value = values_.at(inner->value.var.raw);
      p.isLeaf = false;
      continue;
    }
    if (m.each && &p != &plan.front() && plan.front().value && choices_.chance(20)) { // one operand twice
      p.value = plan.front().value;
      p.isLeaf = false;
      continue;
    }
    p.leaf = refinedLeaf(*inner);
    if (!p.leaf && (!isLeafKind(inner->kind) || refined(*inner))) {
      p.value = value(*inner, nullptr, p.declared, p.name);
      p.isLeaf = false;
    }
  }
  for (Planned &p : plan) // bound by what was made just now
    if (p.isLeaf && !p.absent && p.match && isKnown(*p.match)) {
      p.value = values_.at(p.match->value.var.raw);
      p.isLeaf = false;
    }
  reuseLists(m, schema, plan);
  std::string last;
  const auto splats = splats_;
  const auto dims = dims_;
  for (unsigned attempt = 0; attempt < kTries; ++attempt) {
    splats_ = splats;
    dims_ = dims;
    pending_.clear();
    OpDraft draft;
    draft.op = schema.name;
    draft.attempt = attempt;
    draft.operands.resize(plan.size());
    proposals_.startOp();
    for (size_t i = 0; i < plan.size(); ++i)
      if (!plan[i].isLeaf)
        draft.operands[i] = contents(plan[i].value);
    std::vector<AttrId> attrs;
    std::vector<bool> madeUp;
    std::map<uint32_t, std::vector<double>> standIns;
    const size_t firstParam = inputs_.size();
    std::vector<Op> constants;
    auto undo = [&] {
      for (Op c : constants)
        if (!c.hasUses())
          fn().erase(c.id);
      while (inputs_.size() > firstParam) {
        fn().removeParam(unsigned(inputs_.size() - 1));
        inputs_.pop_back();
        steers_.pop_back();
      }
    };
    // The data first, then attributes, which look at its shape, then what looks at both.
    std::vector<Value> operands(plan.size());
    for (size_t i = 0; i < plan.size(); ++i)
      operands[i] = plan[i].isLeaf ? Value() : plan[i].value;
    auto makeLeaf = [&](size_t i) {
      Planned &p = plan[i];
      if (!p.isLeaf || p.absent || operands[i])
        return;
      // The same name twice in one op.
      if (p.match && p.match->value && !body().var(p.match->value.var).perOperand)
        for (size_t k = 0; k < plan.size(); ++k)
          if (k != i && plan[k].match && plan[k].match->value.var == p.match->value.var && operands[k]) {
            operands[i] = operands[k];
            draft.operands[i] = draft.operands[k];
            return;
          }
      // Of a list now and then what was there before, or the next result of what made it.
      if (!p.match && i > 0 && plan[i - 1].declared == p.declared && operands[i - 1]) {
        Value before = operands[i - 1];
        if (Op maker = before.definingOp();
            maker && before.resultIndex() + 1 < maker.resultCount() && choices_.chance(50))
          operands[i] = maker.result(before.resultIndex() + 1);
        else if (choices_.chance(20))
          operands[i] = operands[choices_.below(i)];
        if (operands[i]) {
          draft.operands[i] = contents(operands[i]);
          return;
        }
      }
      if (auto it = standIns.find(uint32_t(p.declared)); it != standIns.end()) {
        std::vector<int64_t> list(it->second.begin(), it->second.end());
        const bool isFloat = p.standIn >= 0 && (schema.standIns[size_t(p.standIn)].type == AttrType::Float ||
                                                schema.standIns[size_t(p.standIn)].type == AttrType::Floats);
        const bool isList = p.standIn >= 0 && (schema.standIns[size_t(p.standIn)].type == AttrType::Ints ||
                                               schema.standIns[size_t(p.standIn)].type == AttrType::Floats);
        const Shape shape = isList ? Shape{int64_t(list.size())} : Shape{};
        operands[i] = constant(isFloat ? tensorOf(draft.data() ? draft.data()->dtype() : DType::F32, shape, it->second)
                                       : tensorOfInts(shape, list));
      } else {
        const sema::Operand *d =
            declared && p.declared < declared->operands.size() ? &declared->operands[p.declared] : nullptr;
        operands[i] = leaf(p.leaf ? p.leaf : p.match, draft, i, p.name, d, p.constant && p.match == nullptr);
      }
      draft.operands[i] = contents(operands[i]);
      if (p.match && p.match->value)
        pending_.insert_or_assign(p.match->value.var.raw, operands[i]);
      if (Op c = operands[i].definingOp())
        constants.push_back(c);
      if (Proposals::isSteering(draft.op, p.name) && draft.operands[i] && isInteger(draft.operands[i].dtype()))
        draft.ints.emplace_back(schema.operands[p.declared].name, draft.operands[i].ints());
    };
    try {
      const size_t first = draft.op == "Einsum" ? plan.size() : std::min<size_t>(plan.size(), 1); // it names all sizes
      for (size_t i = 0; i < first; ++i)
        if (!Proposals::isSteering(draft.op, plan[i].name))
          makeLeaf(i);
      if (!attributes(m, schema, declared, draft, attrs, madeUp, standIns))
        throw Refused{"an attribute of this kind is not made"};
      for (size_t i = 0; i < plan.size(); ++i)
        makeLeaf(i);
    } catch (const Refused &r) {
      undo();
      last = r.why;
      continue;
    }
    std::vector<ValueId> ids;
    for (size_t i = 0; i < plan.size(); ++i)
      ids.push_back(operands[i].id);
    while (!ids.empty() && !ids.back())
      ids.pop_back();
    while (!attrs.empty() && !attrs.back())
      attrs.pop_back();
    unsigned results = 0;
    for (const ResultSchema &r : schema.results)
      results += r.arity == Arity::Variadic ? 0 : 1;
    const bool variadic =
        std::ranges::any_of(schema.results, [](const ResultSchema &r) { return r.arity == Arity::Variadic; });
    if (variadic && !schema.regions.empty()) {
      results += unsigned(resultsByRegions(m, schema, draft));
    } else if (variadic) {
      size_t parts = choices_.below(3) + 1;
      for (const auto &[n, list] : draft.ints)
        if (n == "split" || n == "sizes" || n == "num_outputs")
          parts = n == "num_outputs" ? size_t(std::clamp<int64_t>(list[0], 1, 4)) : list.size();
      results += unsigned(parts);
    }
    std::vector<TypeId> types(results, ctx().unknownType());
    const KindId kind = in_.ops.kindOf(schema);
    Op made = fn().appendOp(region_, kind, ids, ctx().attrs(attrs), types);
    bool isMade = false;
    last = "no operands were found that " + schema.fullName() + " takes";
    if (schema.regions.empty()) {
      isMade = finish(made, draft.operands);
    } else {
      const auto names = std::tuple(values_, lists_, attrs_, opsOf_);
      const unsigned opsBefore = opCount_;
      const RegionId around = region_;
      try {
        makeRegions(m, made, place, draft);
        std::vector<Tensor> read;
        for (ValueId v : valuesReadBy(made))
          read.push_back(contents(fn().value(v)));
        isMade = finish(made, read);
      } catch (const Refused &r) {
        last = r.why;
      }
      region_ = around;
      if (!isMade) {
        std::tie(values_, lists_, attrs_, opsOf_) = names;
        opCount_ = opsBefore;
      }
    }
    if (in_.tally) {
      in_.tally->note(schema, isMade);
      for (size_t i = 0; i < attrs.size(); ++i)
        if (attrs[i] && madeUp[i] && !isDefault(made, i, attrs[i]))
          in_.tally->note(schema, true, i, isMade);
      for (size_t i = 0; i < plan.size(); ++i)
        if (operands[i] && plan[i].declared < schema.operands.size() &&
            schema.operands[plan[i].declared].arity == Arity::Optional)
          in_.tally->note(schema, false, plan[i].declared, isMade);
    }
    if (isMade) {
      proposals_.made(draft);
      for (size_t i = 0; i < plan.size(); ++i)
        for (const sema::Match *named : {plan[i].match, plan[i].leaf})
          if (named && operands[i])
            bind(*named, operands[i]);
      for (size_t d = 0; d < m.operands.size() && d < schema.operands.size(); ++d) {
        const sema::OperandMatch &om = m.operands[d];
        if (om.kind != sema::OperandMatchKind::List || !om.hasRest || !om.elements.empty())
          continue;
        std::vector<Value> list;
        for (size_t i = 0; i < plan.size(); ++i)
          if (plan[i].declared == d && operands[i])
            list.push_back(operands[i]);
        if (isStarts(schema.operands[d].name))
          starts_ = list;
        if (om.rest)
          lists_.emplace(om.rest.var.raw, std::move(list));
      }
      for (const sema::AttrMatch &am : m.attrs)
        if (am.kind == sema::AttrMatchKind::Var && !attrs_.contains(am.var.var.raw)) {
          const int index = schema.attrIndex(am.name);
          if (index >= 0)
            if (AttrId a = made.attrOrDefault(unsigned(index)))
              attrs_[am.var.var.raw] = a;
        }
      if (m.op)
        opsOf_.emplace(m.op.var.raw, made.id);
      if (m.value)
        values_.emplace(m.value.var.raw, made.result(std::min(m.result, made.resultCount() - 1)));
      if (m.op && made.resultCount())
        values_.emplace(m.op.var.raw, made.result());
      return made;
    }
    fn().erase(made.id);
    undo();
  }
  throw Refused{last};
}

Value InstanceBuilder::link(const sema::Match &m, Value onto) {
  for (unsigned tries = 0; tries < 12; ++tries) {
    const sema::Op *declared = nullptr;
    const OpSchema *schema = choose(m.ops, &declared, true);
    if (!schema)
      continue;
    const Tensor &x = contents(onto);
    OpDraft draft;
    draft.op = schema->name;
    draft.attempt = tries;
    proposals_.startOp();
    size_t count = 0;
    bool plain = true;
    for (const OperandSchema &o : schema->operands) {
      count += o.arity != Arity::Optional;
      plain &= o.arity != Arity::Variadic;
    }
    if (!plain)
      count = choices_.below(2) + 1;
    if (count == 0)
      continue;
    const size_t at = count == 2 && choices_.chance(30) ? 1 : 0;
    draft.operands.resize(count);
    draft.operands[at] = x;
    std::vector<AttrId> attrs;
    std::vector<bool> madeUp;
    std::map<uint32_t, std::vector<double>> standIns;
    sema::Match attrsOnly;
    attrsOnly.ops = m.ops;
    attrsOnly.attrs = m.attrs;
    std::vector<Value> operands(count);
    operands[at] = onto;
    const size_t firstParam = inputs_.size();
    std::vector<Op> made;
    bool good = true;
    try {
      std::vector<bool> madeUp;
      good = attributes(attrsOnly, *schema, declared, draft, attrs, madeUp, standIns);
      for (size_t i = 0; good && i < count; ++i) {
        if (operands[i])
          continue;
        if (!m.side.empty() && choices_.chance(60)) {
          operands[i] = value(m.side[0], &draft, i, "");
        } else {
          DType dtype = tries > 5 && choices_.chance(40) ? proposals_.otherDType() : x.dtype();
          if (i < schema->operands.size())
            proposals_.dtypeFor(draft, i, schema->operands[i].name, dtype);
          Tensor t = proposals_.contents(dtype, Shape(choices_.below(std::min<size_t>(x.rank(), 2) + 1), 1), false);
          operands[i] = choices_.chance(50) ? constant(t) : param(t, false);
        }
        draft.operands[i] = contents(operands[i]);
      }
    } catch (const Refused &) {
      good = false;
    }
    if (good) {
      while (!attrs.empty() && !attrs.back())
        attrs.pop_back();
      std::vector<ValueId> ids;
      for (Value v : operands)
        ids.push_back(v.id);
      TypeId type = ctx().unknownType();
      Op op = fn().appendOp(region_, in_.ops.kindOf(*schema), ids, ctx().attrs(attrs), {&type, 1});
      if (finish(op, draft.operands)) {
        proposals_.made(draft);
        return op.result();
      }
      fn().erase(op.id);
    }
    for (size_t i = 0; i < count; ++i)
      if (i != at && operands[i])
        if (Op c = operands[i].definingOp(); c && !c.hasUses())
          fn().erase(c.id);
    while (inputs_.size() > firstParam && !fn().value(fn().params(fn().body()).back()).hasUses()) {
      fn().removeParam(unsigned(inputs_.size() - 1));
      inputs_.pop_back();
      steers_.pop_back();
    }
  }
  throw Refused{"no op of the chain was found that takes its operand"};
}

Value InstanceBuilder::chain(const sema::Match &m) {
  const unsigned length =
      m.atLeastOne + unsigned(choices_.pick({0, 1, 1, 2, 2, 3})) - (m.atLeastOne && choices_.chance(50) ? 0 : 0);
  branches_.push_back(length);
  Value v = value(m.children.at(0), nullptr, 0, "");
  for (unsigned i = 0; i < length; ++i)
    v = link(m, v);
  return v;
}

Result<Instance> InstanceBuilder::build() {
  program_ = std::make_unique<Program>(in_.ops);
  fn_ = &program_->addFunction("main");
  region_ = fn_->body();
  std::set<std::string> dialects;
  int64_t least = 7, most = 24;
  for (const sema::Match &root : in_.pattern.roots) {
    collectDialects(root, in_.module, dialects);
    collectVersions(root, in_.module, least, most);
  }
  for (const Refinement &r : in_.refinements)
    collectDialects(*r.match, in_.module, dialects);
  for (const sema::Build &build : in_.pattern.body.builds) { // what it makes must be there as well
    if (build.kind != sema::BuildKind::Op || in_.module.op(build.op).dialect != "onnx")
      continue;
    int64_t since = in_.module.op(build.op).since;
    for (sema::OpIndex version : build.versions)
      since = std::min(since, in_.module.op(version).since);
    least = std::max(least, since);
  }
  // Without an op for it nobody can write one in a test of these dialects.
  canWriteConstants_ =
      std::ranges::any_of(dialects, [&](const std::string &name) { return in_.ops.constantOp(name) != kOpaqueKind; });
  constantDialect_ = "";
  for (std::string_view name : {"onnx", "tensor", "stablehlo"})
    if (constantDialect_.empty() && dialects.contains(std::string(name)))
      constantDialect_ = name;
  for (const std::string &name : dialects)
    if (constantDialect_.empty() && in_.ops.constantOp(name) != kOpaqueKind)
      constantDialect_ = name;
  for (std::string_view name : {"tensor", "onnx"})
    if (constantDialect_.empty() && in_.ops.constantOp(name) != kOpaqueKind)
      constantDialect_ = name;
  if (in_.pattern.fastmath.without(FastMath::noOverflow()) && !in_.lastResort)
    proposals_.plainNumbers();
  if (constantDialect_ == "onnx")
    proposals_.noComplex(); // its arithmetic has none
  if (dialects.contains("onnx")) {
    std::vector<int64_t> versions;
    for (int64_t v : {17, 17, 17, 13, 18, 21, 11, 9, 16, 12, 10, 8, 7, 14, 19, 22, 23, 24})
      if (v >= least && v <= most)
        versions.push_back(v);
    version_ = versions.empty() ? int(std::max<int64_t>(least, 7)) : int(choices_.pick(versions));
    for (const std::string &label : in_.pattern.labels)
      if (label.starts_with("onnx") && label.size() > 4)
        version_ = std::max(version_, std::atoi(label.c_str() + 4));
    if (in_.insistOn && in_.insistOn->schema->dialect == "onnx")
      version_ = std::clamp(version_, int(in_.insistOn->schema->since), int(in_.insistOn->schema->until));
    ctx().setDialectVersion("onnx", version_);
  }
  try {
    std::vector<Op> roots;
    for (const sema::Match &root : in_.pattern.roots) {
      const sema::Match *m = &root;
      while (m->kind == sema::MatchKind::Alternatives) {
        const uint32_t way = choices_.below(m->children.size());
        branches_.push_back(way);
        m = &m->children[way];
      }
      roots.push_back(op(*m));
    }
    // What nobody uses is a result; now and then something else is as well.
    std::vector<ValueId> results;
    for (Op each : fn().ops(fn().body()))
      for (unsigned i = 0; i < each.resultCount(); ++i) {
        const bool isRoot = std::ranges::find(roots, each) != roots.end();
        if (isRoot ? (i == 0 || choices_.chance(25))
                   : !each.hasTrait(Trait::Constant) && each.result(i).type().kind == TypeKind::Tensor &&
                         (!each.hasUses() || choices_.chance(8)))
          results.push_back(each.result(i).id);
      }
    fn().appendOp(fn().body(), kReturnKind, results, ctx().noAttrs(), {});
  } catch (const Refused &r) {
    return Failure{r.why};
  }
  SourceManager sources;
  Diagnostics diags(sources);
  if (!verifyProgram(*program_, diags))
    return failure("the program is not valid: {}", diags.all().empty() ? "" : diags.all().front().message);
  Instance out;
  out.inputs = std::move(inputs_);
  out.steers = std::move(steers_);
  out.branches = std::move(branches_);
  out.program = std::move(program_);
  return out;
}

} // namespace rw::verify
