#include "rw/onnx/proto.h"

namespace rw::onnxio {
namespace {
using onnx::AttributeProto;

AttrResult kept(Context &ctx, const AttributeProto &a) { return {ctx.bytesAttr(a.SerializeAsString()), {}}; }

AttrResult tensors(Context &ctx, OnnxModel::Rest &rest, const AttributeProto &a) {
  std::vector<AttrId> elements;
  for (const onnx::TensorProto &t : a.tensors()) {
    TensorResult r = tensorOf(ctx, rest, t);
    if (r.form == TensorForm::Wrong)
      return {AttrId(), "a tensor " + r.why};
    if (r.form == TensorForm::Special)
      return kept(ctx, a);
    elements.push_back(r.attr);
  }
  return {ctx.listAttr(elements), {}};
}

bool writeList(Context &ctx, const AttrData &list, AttributeProto &out) {
  // The elements are of one kind; an empty list is one of strings: ints and floats have lists of their own.
  AttrKind kind = list.elements.empty() ? AttrKind::String : ctx.attr(list.elements[0]).kind;
  bool ints = kind == AttrKind::Bool || kind == AttrKind::Int;
  out.set_type(kind == AttrKind::Dense ? AttributeProto::TENSORS
               : ints                  ? AttributeProto::INTS
                                       : AttributeProto::STRINGS);
  for (AttrId id : list.elements) {
    const AttrData &e = ctx.attr(id);
    if (e.kind != kind)
      return false;
    if (kind == AttrKind::String)
      out.add_strings(std::string(e.text));
    else if (kind == AttrKind::Dense)
      writeTensor(ctx, *e.dense, *out.add_tensors());
    else if (ints)
      out.add_ints(e.i);
    else
      return false;
  }
  return true;
}

bool writeDims(const AttrData &a, AttributeProto &out) {
  out.set_type(a.kind == AttrKind::Dim ? AttributeProto::INT : AttributeProto::INTS);
  for (Dim d : a.dims) {
    if (!d.isKnown() && !d.isNegative())
      return false;
    int64_t n = d.isKnown() ? d.size() : d.negative();
    if (a.kind == AttrKind::Dim)
      out.set_i(n);
    else
      out.add_ints(n);
  }
  return true;
}
} // namespace

AttributeProto::AttributeType kindOf(const AttributeProto &a) {
  if (a.has_type() && a.type() != AttributeProto::UNDEFINED)
    return a.type();
  // Early models leave the type out.
  if (a.has_f())
    return AttributeProto::FLOAT;
  if (a.has_i())
    return AttributeProto::INT;
  if (a.has_s())
    return AttributeProto::STRING;
  if (a.has_t())
    return AttributeProto::TENSOR;
  if (a.has_g())
    return AttributeProto::GRAPH;
  if (a.floats_size())
    return AttributeProto::FLOATS;
  if (a.ints_size())
    return AttributeProto::INTS;
  if (a.strings_size())
    return AttributeProto::STRINGS;
  if (a.tensors_size())
    return AttributeProto::TENSORS;
  if (a.graphs_size())
    return AttributeProto::GRAPHS;
  return AttributeProto::UNDEFINED;
}

bool holdsGraphs(const AttributeProto &a) {
  AttributeProto::AttributeType kind = kindOf(a);
  return (kind == AttributeProto::GRAPH || kind == AttributeProto::GRAPHS) && a.ref_attr_name().empty();
}

AttrResult attributeOf(Context &ctx, OnnxModel::Rest &rest, const AttributeProto &a) {
  if (!a.ref_attr_name().empty())
    return kept(ctx, a);
  switch (kindOf(a)) {
  case AttributeProto::FLOAT:
    return {ctx.floatAttr(double(a.f())), {}};
  case AttributeProto::INT:
    return {ctx.intAttr(a.i()), {}};
  case AttributeProto::STRING:
    return {ctx.stringAttr(a.s()), {}};
  case AttributeProto::FLOATS: {
    std::vector<double> values(a.floats().begin(), a.floats().end());
    return {ctx.floatsAttr(values), {}};
  }
  case AttributeProto::INTS:
    return {ctx.intsAttr(std::span<const int64_t>(a.ints().data(), size_t(a.ints_size()))), {}};
  case AttributeProto::STRINGS: {
    std::vector<AttrId> elements;
    for (const std::string &s : a.strings())
      elements.push_back(ctx.stringAttr(s));
    return {ctx.listAttr(elements), {}};
  }
  case AttributeProto::TENSOR: {
    TensorResult r = tensorOf(ctx, rest, a.t());
    if (r.form == TensorForm::Special)
      return kept(ctx, a);
    return {r.attr, r.form == TensorForm::Wrong ? "the tensor " + r.why : std::string()};
  }
  case AttributeProto::TENSORS:
    return tensors(ctx, rest, a);
  default:
    return kept(ctx, a);
  }
}

bool writeAttribute(Context &ctx, AttrId id, std::string_view name, AttributeProto &out) {
  const AttrData &a = ctx.attr(id);
  if (a.kind == AttrKind::Bytes && !out.ParseFromArray(a.text.data(), int(a.text.size())))
    return false;
  out.set_name(std::string(name));
  switch (a.kind) {
  case AttrKind::Bytes:
    return true;
  case AttrKind::Int:
  case AttrKind::Bool:
    out.set_type(AttributeProto::INT);
    out.set_i(a.i);
    return true;
  case AttrKind::Float:
    out.set_type(AttributeProto::FLOAT);
    out.set_f(float(a.f));
    return true;
  case AttrKind::String:
    out.set_type(AttributeProto::STRING);
    out.set_s(std::string(a.text));
    return true;
  case AttrKind::DType:
    out.set_type(AttributeProto::INT);
    out.set_i(dataTypeOf(a.dtype));
    return a.dtype != DType::Unknown;
  case AttrKind::Type:
    out.set_type(AttributeProto::TYPE_PROTO);
    return writeType(ctx, a.type, *out.mutable_tp());
  case AttrKind::Dim:
  case AttrKind::Dims:
    return writeDims(a, out);
  case AttrKind::Ints:
    out.set_type(AttributeProto::INTS);
    out.mutable_ints()->Add(a.ints.begin(), a.ints.end());
    return true;
  case AttrKind::Floats:
    out.set_type(AttributeProto::FLOATS);
    for (double v : a.floats)
      out.add_floats(float(v));
    return true;
  case AttrKind::List:
    return writeList(ctx, a, out);
  case AttrKind::Dense:
    out.set_type(AttributeProto::TENSOR);
    writeTensor(ctx, *a.dense, *out.mutable_t());
    return true;
  case AttrKind::Unit:
  case AttrKind::Symbol:
    return false;
  }
  return false;
}

} // namespace rw::onnxio
