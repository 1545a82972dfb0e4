// Attributes that are no graphs: what they are in a model, and what they are read as.
//
// In:  a message, and what the op declares of the attribute; or an attribute.
// Out: an attribute, or a message that is read as it again.
//
// ONNX has numbers, strings, tensors, types and lists of these. What the language has beside them is written as engines
// expect it (a bool and an element type are ints) or, where they have nothing like it, as its text in .rwir. The
// declaration says how to read that; where it leaves the kind open, the attribute's doc string does.
#include "rw/onnx/proto.h"

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <algorithm>

namespace rw::onnxio {
namespace {
using onnx::AttributeProto;

/// What begins the doc string of an attribute whose message does not tell its kind.
constexpr std::string_view kNote = "rw: ";
/// The kinds that notes name, in the words of the language; any is a text that says itself what it is.
constexpr std::pair<std::string_view, AttrType> kNoted[] = {
    {"bool", AttrType::Bool},      {"dtype", AttrType::DType},  {"type", AttrType::Type},
    {"dim", AttrType::Dim},        {"any", AttrType::Any},      {"[bool]", AttrType::Bools},
    {"[dtype]", AttrType::DTypes}, {"[type]", AttrType::Types}, {"[dim]", AttrType::Dims},
};

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

/// A list as ONNX has it: of numbers, strings, tensors or types. False if it has no such list.
bool writeList(Context &ctx, const AttrData &list, AttributeProto &out) {
  // The elements are of one kind; an empty list is one of strings: ints and floats have lists of their own.
  AttrKind kind = list.elements.empty() ? AttrKind::String : ctx.attr(list.elements[0]).kind;
  bool ints = kind == AttrKind::Bool || kind == AttrKind::Int || kind == AttrKind::DType;
  out.set_type(kind == AttrKind::Dense  ? AttributeProto::TENSORS
               : kind == AttrKind::Type ? AttributeProto::TYPE_PROTOS
               : ints                   ? AttributeProto::INTS
                                        : AttributeProto::STRINGS);
  for (AttrId id : list.elements) {
    const AttrData &e = ctx.attr(id);
    if (e.kind != kind)
      return false;
    if (kind == AttrKind::String)
      out.add_strings(std::string(e.text));
    else if (kind == AttrKind::Dense && !writeTensor(ctx, *e.dense, *out.add_tensors()))
      return false;
    else if (kind == AttrKind::Type && !writeType(ctx, e.type, *out.add_type_protos()))
      return false;
    else if (kind == AttrKind::DType && dataTypeOf(e.dtype) == 0)
      return false;
    else if (ints)
      out.add_ints(kind == AttrKind::DType ? dataTypeOf(e.dtype) : e.i);
    else if (kind != AttrKind::Type && kind != AttrKind::Dense)
      return false;
  }
  return true;
}

bool writeDims(const AttrData &a, AttributeProto &out) {
  out.set_type(a.kind == AttrKind::Dim ? AttributeProto::INT : AttributeProto::INTS);
  for (Dim d : a.dims) {
    if (!d.isKnown() && !d.isNegative())
      return false; // a symbol
    int64_t n = d.isKnown() ? d.size() : d.negative();
    if (a.kind == AttrKind::Dim)
      out.set_i(n);
    else
      out.add_ints(n);
  }
  return true;
}

/// What a text says; none if it is no attribute of the kind.
AttrId attrOf(Context &ctx, std::string_view text, AttrType kind) {
  SourceManager sources;
  Diagnostics diags(sources);
  return parseAttr(sources.addText("an attribute", std::string(text)), sources, diags, ctx, kind);
}

/// An element type by ONNX's number of it, or by its name here or there.
AttrId dtypeAttrOf(Context &ctx, const AttrData &a) {
  if (a.kind == AttrKind::String) {
    onnx::TensorProto::DataType number;
    if (onnx::TensorProto::DataType_Parse(std::string(a.text), &number))
      return ctx.dtypeAttr(dtypeOf(number));
    return attrOf(ctx, a.text, AttrType::DType);
  }
  DType dtype = a.kind == AttrKind::Int && a.i == int32_t(a.i) ? dtypeOf(int32_t(a.i)) : DType::Unknown;
  return dtype == DType::Unknown ? AttrId() : ctx.dtypeAttr(dtype);
}

/// What a number of a message, or a text, is as one of the kind; none if it cannot be one.
AttrId readElement(Context &ctx, AttrId plain, AttrType kind) {
  const AttrData &a = ctx.attr(plain);
  if (kind == AttrType::Symbol) // what is called is a function of the program, which a model does not hold
    return {};
  if (kind == AttrType::DType)
    return dtypeAttrOf(ctx, a);
  if (a.kind == AttrKind::String)
    return attrOf(ctx, a.text, kind);
  if (a.kind == AttrKind::Int && kind == AttrType::Bool && (a.i == 0 || a.i == 1))
    return ctx.boolAttr(a.i);
  if (a.kind == AttrKind::Int && kind == AttrType::Dim)
    return ctx.dimAttr(Dim::number(a.i));
  return {};
}

AttrId listOf(Context &ctx, std::span<const AttrId> plain, AttrType kind) {
  std::vector<AttrId> elements;
  for (AttrId id : plain)
    if (AttrId element = readElement(ctx, id, kind))
      elements.push_back(element);
  return elements.size() == plain.size() ? ctx.listAttr(elements) : AttrId();
}

/// The message as one of the kind, which it is not plainly; none if it cannot be one.
AttrId readAs(Context &ctx, const AttributeProto &a, AttrId plainId, AttrType kind) {
  const AttrData &plain = ctx.attr(plainId);
  if (kindOf(a) == AttributeProto::TYPE_PROTO)
    return kind == AttrType::Type ? ctx.typeAttr(typeOf(ctx, a.tp())) : AttrId();
  if (kindOf(a) == AttributeProto::TYPE_PROTOS && kind == AttrType::Types) {
    std::vector<AttrId> types;
    for (const onnx::TypeProto &t : a.type_protos())
      types.push_back(ctx.typeAttr(typeOf(ctx, t)));
    return ctx.listAttr(types);
  }
  std::vector<AttrId> elements(plain.elements.begin(), plain.elements.end());
  for (int64_t n : plain.ints)
    elements.push_back(ctx.intAttr(n));
  bool list = plain.kind == AttrKind::Ints || plain.kind == AttrKind::List;
  if (list && kind == AttrType::Bools)
    return listOf(ctx, elements, AttrType::Bool);
  if (list && kind == AttrType::DTypes)
    return listOf(ctx, elements, AttrType::DType);
  if (plain.kind == AttrKind::Ints && kind == AttrType::Dims) {
    Dims dims;
    for (int64_t n : plain.ints)
      dims.push_back(Dim::number(n));
    return ctx.dimsAttr(dims);
  }
  return list ? AttrId() : readElement(ctx, plainId, kind);
}

/// The kind that the attribute's doc string states, if it is a note.
std::optional<AttrType> notedKind(const AttributeProto &a) {
  std::string_view doc = a.doc_string();
  if (!doc.starts_with(kNote))
    return std::nullopt;
  for (auto [word, kind] : kNoted)
    if (doc.substr(kNote.size()) == word)
      return kind;
  return std::nullopt;
}

/// The kind of a value that ONNX writes like one of another.
AttrType kindToNote(const Context &ctx, AttrId id) {
  switch (ctx.attr(id).kind) {
  case AttrKind::Bool:
    return AttrType::Bool;
  case AttrKind::DType:
    return AttrType::DType;
  case AttrKind::Type:
    return AttrType::Type;
  case AttrKind::Dim:
    return AttrType::Dim;
  case AttrKind::Dims:
    return AttrType::Dims;
  case AttrKind::List:
    for (AttrType of : {AttrType::Bools, AttrType::DTypes, AttrType::Types})
      if (attrFits(ctx, id, of))
        return of;
    return AttrType::Any;
  default:
    return AttrType::Any;
  }
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

namespace {
/// Plainly what the message holds; of tensors tensorOf says it.
AttrId plainOf(Context &ctx, const AttributeProto &a) {
  switch (kindOf(a)) {
  case AttributeProto::FLOAT:
    return ctx.floatAttr(double(a.f()));
  case AttributeProto::INT:
    return ctx.intAttr(a.i());
  case AttributeProto::STRING:
    return ctx.stringAttr(a.s());
  case AttributeProto::FLOATS: {
    std::vector<double> values(a.floats().begin(), a.floats().end());
    return ctx.floatsAttr(values);
  }
  case AttributeProto::INTS:
    return ctx.intsAttr(std::span<const int64_t>(a.ints().data(), size_t(a.ints_size())));
  case AttributeProto::STRINGS: {
    std::vector<AttrId> elements;
    for (const std::string &s : a.strings())
      elements.push_back(ctx.stringAttr(s));
    return ctx.listAttr(elements);
  }
  default:
    return kept(ctx, a).attr;
  }
}

/// What the message is by its note, else by the declaration; plainly what it holds if neither makes anything of it.
AttrId meantBy(Context &ctx, const AttributeProto &a, AttrId plain, AttrType declared) {
  auto as = [&](AttrType kind) { return attrFits(ctx, plain, kind) ? plain : readAs(ctx, a, plain, kind); };
  if (std::optional<AttrType> noted = notedKind(a)) {
    const AttrData &text = ctx.attr(plain);
    AttrId out = *noted != AttrType::Any         ? as(*noted)
                 : text.kind == AttrKind::String ? attrOf(ctx, text.text, *noted)
                                                 : AttrId();
    if (out && attrFits(ctx, out, declared))
      return out;
  }
  AttrId out = as(declared);
  return out ? out : plain;
}

/// A message that engines understand; false if ONNX has nothing like it.
bool writePlainly(Context &ctx, const AttrData &a, AttributeProto &out) {
  switch (a.kind) {
  case AttrKind::Bytes:
    return out.ParseFromArray(a.text.data(), int(a.text.size()));
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
    return writeTensor(ctx, *a.dense, *out.mutable_t());
  case AttrKind::Unit:
  case AttrKind::Symbol:
    return false;
  }
  return false;
}
} // namespace

AttrResult attributeOf(Context &ctx, OnnxModel::Rest &rest, const AttributeProto &a, AttrType declared) {
  if (!a.ref_attr_name().empty())
    return kept(ctx, a);
  if (kindOf(a) == AttributeProto::TENSORS)
    return tensors(ctx, rest, a);
  if (kindOf(a) == AttributeProto::TENSOR) {
    TensorResult r = tensorOf(ctx, rest, a.t());
    if (r.form == TensorForm::Special)
      return kept(ctx, a);
    return {r.attr, r.form == TensorForm::Wrong ? "the tensor " + r.why : std::string()};
  }
  return {meantBy(ctx, a, plainOf(ctx, a), declared), {}};
}

bool writeAttribute(Context &ctx, AttrId id, std::string_view name, AttrType declared, bool mayBeText,
                    AttributeProto &out) {
  const AttrData &a = ctx.attr(id);
  bool plain = writePlainly(ctx, a, out);
  out.set_name(std::string(name));
  bool isSaid =
      out.type() == AttributeProto::TENSOR || out.type() == AttributeProto::TENSORS || a.kind == AttrKind::Bytes;
  auto isRead = [&] { return meantBy(ctx, out, plainOf(ctx, out), declared) == id; };
  if (plain && (isSaid || isRead()))
    return true;
  auto note = [&](AttrType kind) {
    out.set_doc_string(
        std::string(kNote) +
        std::string(std::ranges::find(kNoted, kind, &std::pair<std::string_view, AttrType>::second)->first));
    return isRead();
  };
  if (plain && note(kindToNote(ctx, id)))
    return true;
  if (!mayBeText || a.kind == AttrKind::Symbol)
    return false;
  for (AttrType as : {declared, AttrType::Any}) {
    out.Clear();
    out.set_name(std::string(name));
    out.set_type(AttributeProto::STRING);
    appendAttr(*out.mutable_s(), ctx, id, as);
    if (as != AttrType::Any ? isRead() : note(as))
      return true;
  }
  return false;
}

} // namespace rw::onnxio
