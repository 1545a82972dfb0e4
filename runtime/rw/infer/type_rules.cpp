#include "rw/infer/type_rules.h"

#include "rw/infer/einsum_type.h"
#include "rw/ir/builder.h"
#include "rw/ir/expr_helpers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rw {

TypeRules::Rule TypeRules::ruleNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, Rule> kRules[] = {
      {"onnx.Reshape", &TypeRules::reshape},
      {"onnx.Expand", &TypeRules::expand},
      {"onnx.ConstantOfShape", &TypeRules::constantOfShape},
      {"onnx.Range", &TypeRules::range},
      {"onnx.Slice", &TypeRules::slice},
      {"onnx.Tile", &TypeRules::tile},
      {"onnx.Pad", &TypeRules::pad},
      {"onnx.NonZero", &TypeRules::nonZero},
      {"onnx.Resize", &TypeRules::resize},
      {"onnx.Upsample", &TypeRules::resize},
      {"onnx.Max", &TypeRules::broadcastOfAll},
      {"onnx.Min", &TypeRules::broadcastOfAll},
      {"onnx.Sum", &TypeRules::broadcastOfAll},
      {"onnx.Mean", &TypeRules::broadcastOfAll},
      {"onnx.Einsum", &TypeRules::einsum},
  };
  auto it = std::ranges::find(kRules, name, &std::pair<std::string_view, Rule>::first);
  return it == std::end(kRules) ? nullptr : it->second;
}

TypeRules::TypeRules(Function &fn, Contents &contents) : fn_(fn), contents_(contents) {
  const OpRegistry &ops = fn.context().ops();
  auto rules = std::make_shared<std::vector<Rule>>();
  for (uint16_t i = 0; i < ops.size(); ++i)
    rules->push_back(ruleNamed(ops.fullName(KindId{i})));
  rules_ = std::move(rules);
}

InlineList<TypeId, 4> TypeRules::infer(Op op) {
  InlineList<TypeId, 4> types(op.resultCount(), TypeId());
  if (op.kind() == kOpaqueKind || op.kind() == kReturnKind || op.resultCount() == 0)
    return types;
  inferResultTypes(*InputsOf(op), types);
  Context &ctx = fn_.context();
  if (op.schema().name == "Split" && op.schema().dialect == "onnx")
    split(op, types);
  Rule rule = op.kind().raw < rules_->size() ? (*rules_)[op.kind().raw] : nullptr;
  std::optional<Dims> dims = rule ? (this->*rule)(op) : std::nullopt;
  if (!dims)
    return types;
  TypeId more = ctx.tensorType(resultDType(op), *dims);
  types[0] = types[0] ? ctx.meet(types[0], more) : more;
  return types;
}

DType TypeRules::resultDType(Op op) const {
  std::string_view name = op.schema().name;
  if (name == "NonZero")
    return DType::I64;
  if (name != "ConstantOfShape")
    return op.operand(0) ? op.operand(0).type().dtype : DType::Unknown;
  AttrId value = attrNamed(op, "value");
  if (!value)
    return DType::F32;
  const DenseData *dense = fn_.context().attr(value).dense;
  return dense ? fn_.context().type(dense->type).dtype : DType::Unknown;
}

std::optional<Dims> TypeRules::dimsOf(Op op, unsigned operand) const {
  Value v = op.operandCount() > operand ? op.operand(operand) : Value();
  if (!v || v.type().kind != TypeKind::Tensor || !v.type().ranked)
    return std::nullopt;
  Dims dims;
  for (Dim d : v.type().dims)
    dims.push_back(d);
  return dims;
}

std::optional<std::vector<Element>> TypeRules::listOf(Op op, unsigned operand) {
  if (op.operandCount() <= operand || !op.operand(operand))
    return std::nullopt;
  if (const Content *c = contents_.of(op.operand(operand)))
    return c->shape.size() == 1 ? std::optional(c->elements) : std::nullopt;
  std::optional<Dims> length = dimsOf(op, operand);
  if (!length || length->size() != 1 || !(*length)[0].isKnown() || (*length)[0].size() > 64)
    return std::nullopt;
  return std::vector<Element>(size_t((*length)[0].size()));
}

/// A list that an attribute states.
std::optional<std::vector<Element>> TypeRules::statedList(Op op, const char *attr) const {
  std::optional<std::span<const int64_t>> list = intsOf(fn_.context(), attrNamed(op, attr));
  if (!list)
    return std::nullopt;
  std::vector<Element> elements;
  for (int64_t n : *list)
    elements.push_back(Element::number(n));
  return elements;
}

/// 0 copies a dimension of the operand, -1 is what is left. A size that is not known is what is left, too, if it is
/// the only one.
std::optional<Dims> TypeRules::reshape(Op op) {
  std::optional<std::vector<Element>> target = listOf(op, 1);
  if (!target)
    return std::nullopt;
  Context &ctx = fn_.context();
  std::optional<Dims> from = dimsOf(op, 0);
  bool copies = intAttrNamed(op, "allowzero").value_or(0) == 0;
  Dims dims;
  int open = 0;
  size_t openAt = 0;
  Dim others(1);
  for (size_t i = 0; i < target->size(); ++i) {
    const Element &e = (*target)[i];
    if (e.isNumber() && e.value() < -1) // no size: the model is wrong, and nothing follows from it
      return std::nullopt;
    Dim d = e.asSize();
    if (copies && e.isNumber() && e.value() == 0)
      d = from && i < from->size() ? (*from)[i] : Dim::unknown();
    dims.push_back(d);
    if (d.isUnknown()) {
      ++open;
      openAt = i;
    } else {
      others = ctx.dims().mul(others, d);
    }
  }
  if (open != 1 || !from || others == Dim(0))
    return dims;
  Dim total(1);
  for (Dim d : *from)
    total = ctx.dims().mul(total, d);
  Dim left = total.isUnknown() || others.isUnknown() ? Dim::unknown() : ctx.dims().floorDiv(total, others);
  if (!left.isUnknown() && ctx.dims().mul(left, others) == total)
    dims[openAt] = left;
  return dims;
}

std::optional<Dims> TypeRules::expand(Op op) {
  std::optional<Dims> from = dimsOf(op, 0);
  std::optional<std::vector<Element>> target = listOf(op, 1);
  if (!from || !target)
    return std::nullopt;
  Dims to;
  for (const Element &e : *target)
    to.push_back(e.asSize());
  return broadcastShapes(fn_.context(), *from, to);
}

std::optional<Dims> TypeRules::constantOfShape(Op op) {
  std::optional<std::vector<Element>> target = listOf(op, 0);
  if (!target)
    return std::nullopt;
  Dims dims;
  for (const Element &e : *target)
    dims.push_back(e.asSize());
  return dims;
}

std::optional<Dims> TypeRules::range(Op op) {
  Dims dims{Dim::unknown()};
  const Content *part[3];
  for (unsigned i = 0; i < 3; ++i)
    if (part[i] = op.operandCount() > i ? contents_.of(op.operand(i)) : nullptr;
        !part[i] || part[i]->elements.size() != 1)
      return dims;
  const Element &start = part[0]->elements[0], &limit = part[1]->elements[0], &step = part[2]->elements[0];
  if (start.isNumber() && start.value() == 0 && step.isNumber() && step.value() == 1)
    dims[0] = limit.isNegativeNumber() ? Dim(0) : limit.asSize();
  return dims; // ranges of numbers are contents themselves
}

/// The size of one dimension after slicing; unknown where it cannot be told.
static Dim sliced(Dim size, const Element &start, const Element &end, int64_t step) {
  constexpr int64_t kEnd = INT32_MAX; // exporters write the greatest 32-bit number, or 64-bit one, for "to the end"
  if (size.isKnown() && start.isNumber() && end.isNumber() && step != 0 && step != INT64_MIN) {
    int64_t n = size.size(), low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    auto wrapped = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? (i < -n ? -n - 1 : i) + n : i, low, high); };
    int64_t from = wrapped(start.value()), to = wrapped(end.value());
    int64_t length = step > 0 ? to - from : from - to, width = step > 0 ? step : -step;
    return Dim(length <= 0 ? 0 : (length - 1) / width + 1);
  }
  if (step != 1 || !start.isNumber() || size.isUnknown())
    return Dim::unknown();
  bool whole = (end.isNumber() && end.value() >= kEnd) || end.asPolynomial() == size;
  return whole && start.value() == 0 ? size : Dim::unknown();
}

std::optional<Dims> TypeRules::slice(Op op) {
  std::optional<Dims> dims = dimsOf(op, 0);
  if (!dims)
    return std::nullopt;
  auto stated = [&](unsigned operand, const char *attr) { // old versions state it as an attribute
    std::optional<std::vector<Element>> list = statedList(op, attr);
    return list ? list : listOf(op, operand);
  };
  std::optional<std::vector<Element>> starts = stated(1, "starts"), ends = stated(2, "ends"), axes = stated(3, "axes"),
                                      steps = listOf(op, 4);
  bool given = axes || (op.operandCount() > 3 && op.operand(3)), stepped = op.operandCount() > 4 && op.operand(4);
  auto unknown = [&] { return Dims(dims->size(), Dim::unknown()); };
  if (!starts || !ends || starts->size() != ends->size() || (given && (!axes || axes->size() != starts->size())) ||
      (stepped && (!steps || steps->size() != starts->size())))
    return unknown();
  for (size_t i = 0; i < starts->size(); ++i) {
    if (given && !(*axes)[i].isNumber())
      return unknown();
    int64_t axis = given ? (*axes)[i].value() : int64_t(i);
    axis += axis < 0 ? int64_t(dims->size()) : 0;
    if (axis < 0 || axis >= int64_t(dims->size()))
      return std::nullopt;
    bool known = !stepped || (*steps)[i].isNumber();
    Dim &d = (*dims)[size_t(axis)];
    d = known ? sliced(d, (*starts)[i], (*ends)[i], stepped ? (*steps)[i].value() : 1) : Dim::unknown();
  }
  return dims;
}

std::optional<Dims> TypeRules::tile(Op op) {
  std::optional<Dims> dims = dimsOf(op, 0);
  std::optional<std::vector<Element>> repeats = listOf(op, 1);
  if (!dims)
    return std::nullopt;
  for (size_t i = 0; i < dims->size(); ++i)
    (*dims)[i] = repeats && repeats->size() == dims->size()
                     ? fn_.context().dims().mul((*dims)[i], (*repeats)[i].asSize())
                     : Dim::unknown();
  return dims;
}

/// More is cut off or put around in no model; sums of three such numbers fit 64 bits.
static constexpr int64_t kMostCut = int64_t(1) << 60;

/// A dimension with something put before and behind it; negative amounts cut.
static Dim padded(Context &ctx, Dim d, const Element &front, const Element &back) {
  // some is cut off
  if (d.isKnown() && front.isNumber() && back.isNumber() && (front.value() < 0 || back.value() < 0)) {
    int64_t left = std::min(d.size(), kMostCut) + std::clamp(front.value(), -kMostCut, kMostCut) +
                   std::clamp(back.value(), -kMostCut, kMostCut);
    return left >= 0 && left < kMostCut ? Dim(left) : Dim::unknown();
  }
  return ctx.dims().add(ctx.dims().add(d, front.asSize()), back.asSize());
}

/// All begins, then all ends, of all dimensions or of the axes that the fourth operand names.
std::optional<Dims> TypeRules::pad(Op op) {
  std::optional<Dims> dims = dimsOf(op, 0);
  if (!dims)
    return std::nullopt;
  int64_t rank = int64_t(dims->size());
  std::optional<std::vector<Element>> pads = statedList(op, "pads"), axes;
  if (!pads)
    pads = listOf(op, 1);
  if (op.operandCount() > 3 && op.operand(3)) {
    axes = listOf(op, 3);
  } else {
    axes.emplace();
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(Element::number(i));
  }
  bool told = pads && axes && pads->size() == axes->size() * 2;
  for (size_t i = 0; told && i < axes->size(); ++i) {
    const Element &axis = (*axes)[i];
    told = axis.isNumber() && axis.value() >= -rank && axis.value() < rank;
  }
  if (!told)
    return Dims(dims->size(), Dim::unknown());
  for (size_t i = 0; i < axes->size(); ++i) {
    int64_t axis = (*axes)[i].value();
    Dim &d = (*dims)[size_t(axis < 0 ? axis + rank : axis)];
    d = padded(fn_.context(), d, (*pads)[i], (*pads)[i + axes->size()]);
  }
  return dims;
}

/// A dimension grown or shrunk by a factor: rounded down. Unknown where the rounding of the factor could tell.
static Dim scaled(Context &ctx, Dim size, double factor) {
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
std::optional<Dims> TypeRules::resize(Op op) {
  std::optional<Dims> dims = dimsOf(op, 0);
  if (!dims)
    return std::nullopt;
  Context &ctx = fn_.context();
  std::vector<int64_t> axes(dims->size());
  std::iota(axes.begin(), axes.end(), 0);
  if (std::optional<std::span<const int64_t>> list = intsOf(ctx, attrNamed(op, "axes")))
    axes.assign(list->begin(), list->end());
  bool stretches = stringOf(ctx, attrNamed(op, "keep_aspect_ratio_policy")).value_or("stretch") == "stretch";
  bool crops = stringOf(ctx, attrNamed(op, "coordinate_transformation_mode")) == "tf_crop_and_resize";
  unsigned at = op.operandCount() == 2 ? 1 : 2;
  Value scales = op.operandCount() > at ? op.operand(at) : Value();
  std::optional<InlineList<double>> factors =
      scales && scales.constant() ? floatsOfTensor(ctx, scales.constant()) : std::nullopt;
  bool bySize = op.operandCount() > 3 && op.operand(3);
  std::optional<std::vector<Element>> sizes = bySize ? listOf(op, 3) : std::nullopt;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = axes[i] + (axes[i] < 0 ? int64_t(dims->size()) : 0);
    if (axis < 0 || axis >= int64_t(dims->size()))
      return std::nullopt;
    Dim &d = (*dims)[size_t(axis)];
    if (bySize)
      d = sizes && sizes->size() == axes.size() && stretches ? (*sizes)[i].asSize() : Dim::unknown();
    else
      d = factors && factors->size() == axes.size() && !crops ? scaled(ctx, d, (*factors)[i]) : Dim::unknown();
  }
  return dims;
}

std::optional<Dims> TypeRules::nonZero(Op op) {
  std::optional<Dims> dims = dimsOf(op, 0);
  return dims ? std::optional(Dims{Dim(int64_t(dims->size())), Dim::unknown()}) : std::nullopt;
}

std::optional<Dims> TypeRules::broadcastOfAll(Op op) {
  std::optional<Dims> all = dimsOf(op, 0);
  for (unsigned i = 1; all && i < op.operandCount(); ++i) {
    std::optional<Dims> next = dimsOf(op, i);
    all = next ? broadcastShapes(fn_.context(), *all, *next) : std::nullopt;
  }
  return all;
}

std::optional<Dims> TypeRules::einsum(Op op) {
  std::vector<std::optional<Dims>> shapes;
  for (unsigned i = 0; i < op.operandCount(); ++i)
    shapes.push_back(dimsOf(op, i));
  std::optional<std::string_view> equation = stringOf(fn_.context(), attrNamed(op, "equation"));
  return equation ? einsumShape(*equation, shapes) : std::nullopt;
}

/// Parts of the sizes given as attribute or operand; else of equal size.
void TypeRules::split(Op op, InlineList<TypeId, 4> &types) {
  Context &ctx = fn_.context();
  std::optional<Dims> dims = dimsOf(op, 0);
  if (!dims)
    return;
  int64_t axis = intAttrNamed(op, "axis").value_or(0);
  axis += axis < 0 ? int64_t(dims->size()) : 0;
  if (axis < 0 || axis >= int64_t(dims->size()))
    return;
  std::optional<std::vector<Element>> sizes = statedList(op, "split");
  bool given = sizes || (op.operandCount() > 1 && op.operand(1));
  if (!sizes)
    sizes = listOf(op, 1);
  Dim whole = (*dims)[size_t(axis)];
  bool even = !given && whole.isKnown() && whole.size() % op.resultCount() == 0;
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    Dim part = given  ? sizes && sizes->size() == op.resultCount() ? (*sizes)[i].asSize() : Dim::unknown()
                : even ? Dim(whole.size() / op.resultCount())
                      : Dim::unknown();
    (*dims)[size_t(axis)] = part;
    TypeId more = ctx.tensorType(op.operand(0).type().dtype, *dims);
    types[i] = types[i] ? ctx.meet(types[i], more) : more;
  }
}

} // namespace rw
