// The regions of ops that hold some: what a reduction, a sort or a loop does, and what branches result in.
#include "codegen/verify/instance_builder.h"
#include "rw/interp/op_evaluator.h"

#include <algorithm>

namespace rw::verify {

/// What an op asks of one of its regions.
struct InstanceBuilder::RegionContract {
  std::vector<Tensor> params;  // of the types of the parameters, with values to try ops inside on
  std::vector<TypeId> results; // unknown: any type
};

namespace {

enum class RegionRole : uint8_t {
  Fold,   // of what is accumulated and an element, of each input: what is accumulated
  Order,  // of two elements of each input: a truth
  Map,    // of an element of each input: an element
  Branch, // of nothing: any values
  Loop,   // of the carried values: these again
  GoesOn, // of the carried values: a truth
  Unknown,
};

RegionRole roleOf(const OpSchema &schema, size_t region) {
  const std::string name = schema.fullName();
  if (name == "stablehlo.reduce" || name == "stablehlo.reduce_window")
    return RegionRole::Fold;
  if (name == "stablehlo.select_and_scatter")
    return region == 0 ? RegionRole::Order : RegionRole::Fold;
  if (name == "stablehlo.sort")
    return RegionRole::Order;
  if (name == "stablehlo.map")
    return RegionRole::Map;
  if (name == "stablehlo.if" || name == "tensor.cond" || name == "onnx.If")
    return RegionRole::Branch;
  if (name == "stablehlo.while" || name == "tensor.while")
    return region == 0 ? RegionRole::GoesOn : RegionRole::Loop;
  return RegionRole::Unknown;
}

/// How many of the operands its regions take elements of.
size_t inputsOf(const OpSchema &schema, size_t operands) {
  const std::string name = schema.fullName();
  return name == "stablehlo.select_and_scatter"                            ? 1
         : name == "stablehlo.reduce" || name == "stablehlo.reduce_window" ? operands / 2
                                                                           : operands;
}

} // namespace

bool InstanceBuilder::canMakeRegions(const OpSchema &schema) {
  for (size_t i = 0; i < schema.regions.size(); ++i)
    if (roleOf(schema, i) == RegionRole::Unknown)
      return false;
  return true;
}

size_t InstanceBuilder::resultsByRegions(const sema::Match &m, const OpSchema &schema, const OpDraft &draft) const {
  const RegionRole role = roleOf(schema, 0);
  if (role != RegionRole::Branch)
    return inputsOf(schema, draft.operands.size());
  for (const sema::RegionMatch &asked : m.regions)
    if (asked.looksInside)
      return std::max<size_t>(asked.results.elements.size(), 1);
  return 1;
}

InstanceBuilder::RegionContract InstanceBuilder::contractOf(Op op, size_t region, const OpDraft &draft) {
  RegionContract out;
  const RegionRole role = roleOf(op.schema(), region);
  const size_t inputs = inputsOf(op.schema(), draft.operands.size());
  auto scalarOf = [&](const Tensor &t) { return proposals_.contents(t.dtype(), {}, false); };
  switch (role) {
  case RegionRole::Fold:
    for (unsigned twice = 0; twice < 2; ++twice)
      for (size_t i = 0; i < inputs; ++i)
        out.params.push_back(scalarOf(draft.operands[i]));
    for (size_t i = 0; i < inputs; ++i)
      out.results.push_back(out.params[i].type(ctx()));
    break;
  case RegionRole::Order:
    for (size_t i = 0; i < inputs; ++i)
      for (unsigned twice = 0; twice < 2; ++twice)
        out.params.push_back(scalarOf(draft.operands[i]));
    out.results = {ctx().tensorType(DType::Bool, {})};
    break;
  case RegionRole::Map:
    for (const Tensor &t : draft.operands)
      out.params.push_back(scalarOf(t));
    out.results = {ctx().unknownType()};
    break;
  case RegionRole::Branch:
    out.results.assign(op.resultCount(), ctx().unknownType());
    break;
  case RegionRole::Loop:
    out.params = draft.operands;
    for (const Tensor &t : draft.operands)
      out.results.push_back(t.type(ctx()));
    break;
  case RegionRole::GoesOn:
    out.params = draft.operands;
    out.results = {ctx().tensorType(DType::Bool, {})};
    break;
  case RegionRole::Unknown:
    throw Refused{"ops with regions are not made: " + op.schema().fullName()};
  }
  return out;
}

/// Appends an op of values that are there to the region that is being made.
Value InstanceBuilder::inside(std::string_view name, std::initializer_list<Value> operands, std::string_view attr,
                              std::string_view text) {
  const KindId kind = in_.ops.lookup(std::string(name));
  if (kind == kOpaqueKind)
    throw Refused{"there is no op " + std::string(name)};
  const OpSchema &schema = in_.ops.schema(kind);
  std::vector<AttrId> attrs;
  if (!attr.empty()) {
    attrs.resize(schema.attrs.size());
    attrs[size_t(schema.attrIndex(attr))] = ctx().stringAttr(text);
    while (!attrs.back())
      attrs.pop_back();
  }
  std::vector<ValueId> ids;
  std::vector<Tensor> tensors;
  for (Value v : operands) {
    ids.push_back(v.id);
    tensors.push_back(contents(v));
  }
  const TypeId type = ctx().unknownType();
  const Op op = fn().appendOp(region_, kind, ids, ctx().attrs(attrs), {&type, 1});
  if (!finish(op, tensors))
    throw Refused{"an op of a region refuses its operands: " + std::string(name)};
  return op.result();
}

/// Some value of the type, made of `x`, which is of it.
Value InstanceBuilder::madeOf(Value x) {
  const DType dtype = x.type().dtype;
  if (choices_.chance(30) || (!isFloat(dtype) && !isSigned(dtype)))
    return x;
  const bool negates = choices_.chance(50);
  if (constantDialect_ == "onnx")
    return inside(negates ? "onnx.Neg" : "onnx.Abs", {x});
  if (constantDialect_ == "stablehlo")
    return inside(negates ? "stablehlo.negate" : "stablehlo.abs", {x});
  return inside(negates ? "tensor.neg" : "tensor.abs", {x});
}

/// What a region results in of which the pattern says nothing.
std::vector<Value> InstanceBuilder::anyResults(Op op, size_t region, const std::vector<Value> &params,
                                               const RegionContract &contract) {
  const std::string dialect = op.schema().dialect == "tensor" ? "tensor." : "stablehlo.";
  const bool isHlo = dialect == "stablehlo.";
  auto compare = [&](Value x, Value y, std::string_view direction) {
    return inside(dialect + "compare", {x, y}, isHlo ? "comparison_direction" : "direction",
                  isHlo               ? direction
                  : direction == "LT" ? "lt"
                                      : "gt");
  };
  std::vector<Value> out;
  switch (roleOf(op.schema(), region)) {
  case RegionRole::Fold: {
    static constexpr std::string_view usual[] = {"add", "maximum", "minimum", "multiply", "and", "or"};
    const size_t count = contract.results.size();
    const bool turned = choices_.chance(20);
    for (size_t i = 0; i < count; ++i) {
      const std::string name = dialect + std::string(usual[choices_.below(std::size(usual))]);
      out.push_back(turned ? inside(name, {params[count + i], params[i]})
                           : inside(name, {params[i], params[count + i]}));
    }
    break;
  }
  case RegionRole::Order:
    out.push_back(compare(params[0], params[1], choices_.chance(60) ? "LT" : "GT"));
    break;
  case RegionRole::Map:
    out.push_back(params.size() > 1 && choices_.chance(80) && params[0].typeId() == params[1].typeId()
                      ? inside(dialect + (choices_.chance(50) ? "add" : "subtract"), {params[0], params[1]})
                      : madeOf(params[0]));
    break;
  case RegionRole::Branch:
    for (TypeId type : contract.results) {
      if (type == ctx().unknownType()) {
        out.push_back(madeOf(param(proposals_.contents(proposals_.dtype(), proposals_.freshShape(), false), false)));
        continue;
      }
      const TypeData &wanted = ctx().type(type);
      Shape shape;
      for (Dim d : wanted.dims)
        shape.push_back(d.size());
      out.push_back(madeOf(param(proposals_.contents(wanted.dtype, shape, false), false)));
    }
    break;
  case RegionRole::Loop:
    for (size_t i = 0; i < params.size(); ++i) {
      const TypeData &type = params[i].type();
      const bool counts = i == 0 && isInteger(type.dtype) && type.dims.empty();
      out.push_back(
          counts ? inside(dialect + "add", {params[i], constant(tensorOf(type.dtype, {}, std::vector<double>{1}))})
                 : madeOf(params[i]));
    }
    break;
  case RegionRole::GoesOn: {
    const TypeData &type = params[0].type();
    if (!isInteger(type.dtype) || !type.dims.empty()) {
      out.push_back(constant(tensorOf(DType::Bool, {}, std::vector<double>{0})));
      break;
    }
    const double end = contract.params[0].floatAt(0) + double(choices_.below(4));
    out.push_back(compare(params[0], constant(tensorOf(type.dtype, {}, std::vector<double>{end})), "LT"));
    break;
  }
  case RegionRole::Unknown:
    break;
  }
  return out;
}

/// What a region results in as the pattern says it, with the names that it gives the parameters.
std::vector<Value> InstanceBuilder::askedResults(const sema::RegionMatch &asked, Op op,
                                                 const std::vector<Value> &params, const RegionContract &contract) {
  const std::vector<sema::Match> &names = asked.params.elements;
  if (names.size() > params.size() || (names.size() < params.size() && !asked.params.hasRest))
    throw Refused{"the pattern names another number of parameters than " + op.schema().fullName() + " gives a region"};
  const size_t rest = params.size() - names.size();
  for (size_t k = 0; k < names.size(); ++k)
    bind(names[k], params[k < asked.params.restAt || !asked.params.hasRest ? k : k + rest]);
  if (asked.params.hasRest && asked.params.rest) {
    const auto first = params.begin() + asked.params.restAt;
    lists_.insert_or_assign(asked.params.rest.var.raw, std::vector<Value>(first, first + long(rest)));
  }
  // Results of which the pattern says nothing are the parameters at the same places, as of a loop that carries them on.
  std::vector<Value> out;
  const std::vector<sema::Match> &wanted = asked.results.elements;
  const size_t others = contract.results.size() > wanted.size() ? contract.results.size() - wanted.size() : 0;
  for (size_t k = 0; k <= wanted.size(); ++k) {
    if (asked.results.hasRest && k == asked.results.restAt) {
      if (k + others > params.size())
        throw Refused{"a region with further results, which are no parameters, is not made"};
      out.insert(out.end(), params.begin() + long(k), params.begin() + long(k + others));
    }
    if (k < wanted.size())
      out.push_back(value(wanted[k], nullptr, k, ""));
  }
  if (asked.results.hasRest && asked.results.rest) {
    const auto first = out.begin() + asked.results.restAt;
    lists_.insert_or_assign(asked.results.rest.var.raw, std::vector<Value>(first, first + long(others)));
  }
  return out;
}

void InstanceBuilder::makeRegions(const sema::Match &m, Op op, size_t place, const OpDraft &draft) {
  const RegionId around = region_;
  std::vector<TypeId> branches; // what the first one results in
  for (size_t i = 0; i < op.schema().regions.size(); ++i) {
    RegionContract contract = contractOf(op, i, draft);
    if (!branches.empty())
      contract.results = branches;
    region_ = fn().addRegion(op.id);
    std::vector<Value> params;
    for (const Tensor &t : contract.params) {
      params.push_back(fn().addRegionParam(region_, t.type(ctx())));
      know(params.back(), t);
    }
    const sema::RegionMatch *asked = nullptr;
    for (const sema::RegionMatch &r : m.regions)
      if (r.looksInside && place < r.index.size() && r.index[place] == int(i))
        asked = &r;
    const std::vector<Value> results =
        asked ? askedResults(*asked, op, params, contract) : anyResults(op, i, params, contract);
    std::vector<ValueId> ids;
    for (size_t k = 0; k < results.size(); ++k) {
      ids.push_back(results[k].id);
      if (k < contract.results.size() && contract.results[k] != ctx().unknownType() &&
          results[k].typeId() != contract.results[k])
        throw Refused{"a region results in another type than " + op.schema().fullName() + " takes"};
    }
    if (ids.size() != contract.results.size())
      throw Refused{"a region has another number of results than " + op.schema().fullName() + " takes"};
    fn().appendOp(region_, kReturnKind, ids, ctx().noAttrs(), {});
    if (roleOf(op.schema(), i) == RegionRole::Branch && branches.empty())
      for (Value v : results)
        branches.push_back(v.typeId());
    region_ = around;
  }
}

} // namespace rw::verify
