// Types of ONNX's ops that a `type` clause cannot say: Einsum's follows from a text, Resize's from floats that are
// rounded down, and how large the parts of Split are from how many results it has.
#include "rw/infer/rules.h"
#include "rw/ir/expr_helpers.h"
#include "rw/onnx_infer/einsum_type.h"
#include "rw/onnx_infer/onnx_infer.h"

#include <cmath>
#include <numeric>

namespace rw {
namespace {

std::optional<Dims> dimsOf(Op op, unsigned operand) {
  Value v = op.operandCount() > operand ? op.operand(operand) : Value();
  if (!v || v.type().kind != TypeKind::Tensor || !v.type().ranked)
    return std::nullopt;
  return Dims(std::span<const Dim>(v.type().dims));
}

/// A dimension grown or shrunk by a factor: rounded down. Unknown where the rounding of the factor could tell.
Dim scaled(Context &ctx, Dim size, double factor) {
  if (size.isUnknown() || !(factor > 0))
    return Dim::unknown();
  if (size.isKnown()) {
    double exact = std::floor(double(size.size()) * factor),
           rounded = std::floor(double(float(size.size()) * float(factor)));
    return exact == rounded && exact < 1e15 ? Dim(int64_t(exact)) : Dim::unknown();
  }
  if (factor == std::floor(factor) && factor < 1 << 20)
    return ctx.dims().mul(size, Dim(int64_t(factor)));
  int exponent = 0;
  bool halves = std::frexp(factor, &exponent) == 0.5 && exponent <= 0 && exponent > -20;
  return halves ? ctx.dims().floorDiv(size, Dim(int64_t(1) << (1 - exponent))) : Dim::unknown();
}

/// By factors, the third operand (the second of old versions), or to sizes, the fourth; of all dimensions or of some
/// axes.
void resize(Op op, Contents &contents, std::span<TypeId> types) {
  std::optional<Dims> dims = dimsOf(op, 0);
  if (!dims)
    return;
  Context &ctx = op.context();
  std::vector<int64_t> axes(dims->size());
  std::iota(axes.begin(), axes.end(), 0);
  if (std::optional<std::span<const int64_t>> list = attrOf<std::span<const int64_t>>(op, "axes"))
    axes.assign(list->begin(), list->end());
  bool stretches = attrOr(op, "keep_aspect_ratio_policy", "stretch") == "stretch";
  bool crops = attrOf<std::string_view>(op, "coordinate_transformation_mode") == "tf_crop_and_resize";
  unsigned at = op.operandCount() == 2 ? 1 : 2;
  Value scales = op.operandCount() > at ? op.operand(at) : Value();
  std::optional<InlineList<double>> factors =
      scales && scales.constant() ? floatsOfTensor(ctx, scales.constant()) : std::nullopt;
  bool bySize = op.operandCount() > 3 && op.operand(3);
  std::optional<Dims> sizes = bySize ? contents.contentsOf(op.operand(3), true) : std::nullopt;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = axes[i] + (axes[i] < 0 ? int64_t(dims->size()) : 0);
    if (axis < 0 || axis >= int64_t(dims->size()))
      return;
    Dim &d = (*dims)[size_t(axis)];
    if (bySize)
      d = sizes && sizes->size() == axes.size() && stretches ? (*sizes)[i] : Dim::unknown();
    else
      d = factors && factors->size() == axes.size() && !crops ? scaled(ctx, d, (*factors)[i]) : Dim::unknown();
  }
  types[0] = ctx.tensorType(op.operand(0).type().dtype, *dims);
}

void einsum(Op op, Contents &, std::span<TypeId> types) {
  std::vector<std::optional<Dims>> shapes;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    shapes.push_back(dimsOf(op, i));
  std::optional<std::string_view> equation = attrOf<std::string_view>(op, "equation");
  if (std::optional<Dims> dims = equation ? einsumShape(*equation, shapes) : std::nullopt)
    types[0] = op.context().tensorType(op.operand(0) ? op.operand(0).type().dtype : DType::Unknown,
                                       std::span<const Dim>(*dims));
}

/// Parts of equal size where none are stated; else what the clause leaves open is the size of each.
void split(Op op, Contents &, std::span<TypeId> types) {
  Context &ctx = op.context();
  std::optional<Dims> dims = dimsOf(op, 0);
  if (!dims)
    return;
  int64_t axis = attrOr(op, "axis", 0);
  axis += axis < 0 ? int64_t(dims->size()) : 0;
  if (axis < 0 || axis >= int64_t(dims->size()))
    return;
  Dim &part = (*dims)[size_t(axis)];
  const bool given = op.attrNamed("split") || (op.operandCount() > 1 && op.operand(1));
  const bool even = !given && part.isKnown() && part.size() % op.resultCount() == 0;
  part = even ? Dim(part.size() / op.resultCount()) : Dim::unknown();
  for (TypeId &type : types)
    type = ctx.tensorType(op.operand(0).type().dtype, *dims);
}

} // namespace

void registerOnnxTypes() {
  addInferenceRules("onnx.Resize", {.types = resize});
  addInferenceRules("onnx.Upsample", {.types = resize});
  addInferenceRules("onnx.Einsum", {.types = einsum});
  addInferenceRules("onnx.Split", {.types = split});
}

void registerOnnxInference() {
  registerOnnxContents();
  registerOnnxTypes();
  registerOnnxRegions();
  registerOnnxFolds();
}

} // namespace rw
