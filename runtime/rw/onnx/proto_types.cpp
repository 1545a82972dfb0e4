#include "rw/onnx/proto.h"

#include "rw/support/utf8.h"

#include <array>

namespace rw::onnxio {
namespace {
// Numbers of TensorProto.DataType; the last seven are younger than some onnx.proto.
constexpr std::array<DType, 24> kDTypes = {
    DType::Unknown,    DType::F32,    DType::U8,         DType::I8,   DType::U16,  DType::I16,
    DType::I32,        DType::I64,    DType::String,     DType::Bool, DType::F16,  DType::F64,
    DType::U32,        DType::U64,    DType::C64,        DType::C128, DType::BF16, DType::F8E4M3FN,
    DType::F8E4M3FNUZ, DType::F8E5M2, DType::F8E5M2FNUZ, DType::U4,   DType::I4,   DType::F4E2M1};

void appendType(Context &, const onnx::TypeProto &, unsigned depth, std::string &out);

TypeId tensorType(Context &ctx, const onnx::TypeProto_Tensor &t) {
  DType dtype = dtypeOf(t.elem_type());
  if (!t.has_shape())
    return ctx.unrankedType(dtype);
  Dims dims;
  for (const onnx::TensorShapeProto_Dimension &d : t.shape().dim()) {
    if (d.has_dim_param() && !d.dim_param().empty())
      dims.push_back(ctx.dims().symbol(ctx.intern(d.dim_param())));
    else
      dims.push_back(d.has_dim_value() && d.dim_value() >= 0 ? Dim(d.dim_value()) : Dim::unknown());
  }
  return ctx.tensorType(dtype, dims);
}

void appendInner(Context &ctx, const char *word, const onnx::TypeProto &inner, unsigned depth, std::string &out) {
  out += word;
  out += '<';
  appendType(ctx, inner, depth + 1, out);
  out += '>';
}

void appendType(Context &ctx, const onnx::TypeProto &t, unsigned depth, std::string &out) {
  if (depth > kMaxDepth) {
    out += "...";
    return;
  }
  switch (t.value_case()) {
  case onnx::TypeProto::kTensorType:
    out += ctx.typeToString(tensorType(ctx, t.tensor_type()));
    break;
  case onnx::TypeProto::kSequenceType:
    appendInner(ctx, "seq", t.sequence_type().elem_type(), depth, out);
    break;
  case onnx::TypeProto::kOptionalType:
    appendInner(ctx, "optional", t.optional_type().elem_type(), depth, out);
    break;
  case onnx::TypeProto::kMapType:
    out += "map<";
    out += dtypeName(dtypeOf(t.map_type().key_type()));
    out += ", ";
    appendType(ctx, t.map_type().value_type(), depth + 1, out);
    out += '>';
    break;
  case onnx::TypeProto::kSparseTensorType: {
    const auto &s = t.sparse_tensor_type();
    onnx::TypeProto dense;
    dense.mutable_tensor_type()->set_elem_type(s.elem_type());
    if (s.has_shape())
      *dense.mutable_tensor_type()->mutable_shape() = s.shape();
    appendInner(ctx, "sparse", dense, depth, out);
    break;
  }
  case onnx::TypeProto::kOpaqueType:
    out += "opaque<" + t.opaque_type().domain() + "." + t.opaque_type().name() + ">";
    break;
  case onnx::TypeProto::VALUE_NOT_SET:
    out += '?';
    break;
  }
}
} // namespace

std::string inBackticks(std::string_view text) {
  constexpr size_t kLongest = 200;
  bool cut = text.size() > kLongest;
  return "`" + utf8::safe(text.substr(0, kLongest)) + (cut ? "..." : "") + "`";
}

std::string describe(const onnx::NodeProto &node, int index) {
  std::string type = node.op_type();
  if (!isMainDomain(node.domain()))
    type = node.domain() + "." + type;
  type = utf8::safe(std::string_view(type).substr(0, 200));
  if (!node.name().empty())
    return inBackticks(node.name()) + " (" + type + ")";
  std::string text = "#" + std::to_string(index) + " (" + type;
  for (const std::string &output : node.output())
    if (!output.empty()) {
      text += ", output " + inBackticks(output);
      break;
    }
  return text + ")";
}

DType dtypeOf(int32_t dataType) {
  return dataType >= 0 && size_t(dataType) < kDTypes.size() ? kDTypes[size_t(dataType)] : DType::Unknown;
}

int32_t dataTypeOf(DType dtype) {
  for (size_t i = 0; i < kDTypes.size(); ++i)
    if (kDTypes[i] == dtype)
      return int32_t(i);
  return 0;
}

TypeId typeOf(Context &ctx, const onnx::TypeProto &t) {
  if (t.value_case() == onnx::TypeProto::kTensorType)
    return tensorType(ctx, t.tensor_type());
  if (t.value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return ctx.unknownType();
  std::string text;
  appendType(ctx, t, 0, text);
  return ctx.opaqueType(text);
}

bool writeType(Context &ctx, TypeId id, onnx::TypeProto &out) {
  const TypeData &t = ctx.type(id);
  if (t.kind != TypeKind::Tensor || t.dtype == DType::Unknown)
    return false;
  out.mutable_tensor_type()->set_elem_type(dataTypeOf(t.dtype));
  if (!t.ranked)
    return true;
  onnx::TensorShapeProto *shape = out.mutable_tensor_type()->mutable_shape();
  for (Dim d : t.dims) {
    onnx::TensorShapeProto_Dimension *dim = shape->add_dim();
    if (d.isKnown())
      dim->set_dim_value(d.size());
    else if (std::optional<StringId> symbol = ctx.dims().asSymbol(d))
      dim->set_dim_param(std::string(ctx.text(*symbol)));
    else if (d.isExpression())
      dim->set_dim_param(ctx.dims().toString(d));
  }
  return true;
}

} // namespace rw::onnxio
