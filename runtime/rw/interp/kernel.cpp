#include "rw/interp/kernel.h"

#include "rw/interp/semiring.h"
#include "rw/support/numbers.h"

#include <algorithm>

namespace rw {

bool Call::fail(std::string why) {
  if (reason.empty())
    reason = std::move(why);
  return false;
}

bool Call::need(size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!has(i))
      return fail("operand " + std::to_string(i) + " is missing");
  return true;
}

bool Call::charge(uint64_t steps) {
  if (budget.spend(steps))
    return true;
  budget.work = 0;
  return fail("the evaluation takes more steps than allowed");
}

bool Call::holdsPlaces(size_t n) {
  const bool fits = n <= budget.memory->limit / sizeof(int64_t);
  budget.memory->refused |= !fits;
  return fits;
}

std::optional<size_t> Call::elements(const Shape &shape) {
  std::optional<size_t> n = elementsIn(shape);
  budget.memory->refused |= !n && std::ranges::none_of(shape, [](int64_t size) { return size < 0; });
  return n;
}

std::optional<Tensor> Call::make(DType dtype, Shape shape) {
  std::optional<size_t> n = elements(shape);
  if (!n || !charge(*n + 1)) {
    fail("a result of shape " + shapeText(shape) + " is too large");
    return std::nullopt;
  }
  std::optional<Tensor> t = Tensor::make(dtype, std::move(shape), budget.memory);
  if (!t)
    fail("a result of " + std::to_string(*n) + " elements of " + std::string(dtypeName(dtype)) +
         " does not fit the memory allowed");
  return t;
}

Tensor *Call::result(size_t i, DType dtype, Shape shape) {
  std::optional<Tensor> t = make(dtype, std::move(shape));
  if (!t)
    return nullptr;
  if (i >= out.size())
    out.resize(i + 1);
  out[i] = std::move(*t);
  return &out[i];
}

double Call::floatAttr(std::string_view name, double otherwise) const {
  return attrOr(op, name, toFloat32(otherwise)); // left out or written, a default computes the same
}

/// What a dim is where the symbols have sizes: of an amount also below 0.
static std::optional<int64_t> numberOf(DimTable &dims, Dim d, const std::vector<std::pair<StringId, Dim>> &symbols) {
  if (d.isNegative())
    return d.negative();
  if (Dim n = dims.substitute(d, symbols); n.isKnown())
    return n.size();
  Dim negated = d.isExpression() ? dims.substitute(dims.sub(Dim(0), d), symbols) : Dim::unknown();
  return negated.isKnown() ? std::optional(-negated.size()) : std::nullopt;
}

std::optional<std::vector<int64_t>> Call::intsAttr(std::string_view name) const {
  AttrId id = op.attrNamed(name);
  const AttrData *a = id ? &op.context().attr(id) : nullptr;
  const bool isEmpty = a && a->kind == AttrKind::List && a->elements.empty();
  if (!a || (a->kind != AttrKind::Dims && !isEmpty))
    return attrAs<std::vector<int64_t>>(op.context(), id);
  std::vector<int64_t> out;
  for (Dim d : a->dims) {
    std::optional<int64_t> n = numberOf(op.context().dims(), d, budget.symbols);
    if (!n)
      return std::nullopt;
    out.push_back(*n);
  }
  return out;
}

std::optional<DType> Call::dtypeAttr(std::string_view name) const {
  AttrId id = op.attrNamed(name);
  if (!id)
    return std::nullopt;
  const AttrData &a = op.context().attr(id);
  if (a.kind == AttrKind::DType)
    return a.dtype;
  // ONNX numbers element types.
  static constexpr DType kNumbered[] = {DType::Unknown, DType::F32, DType::U8,     DType::I8,   DType::U16, DType::I16,
                                        DType::I32,     DType::I64, DType::String, DType::Bool, DType::F16, DType::F64,
                                        DType::U32,     DType::U64, DType::C64,    DType::C128, DType::BF16};
  if (a.kind == AttrKind::Int && a.i > 0 && a.i < int64_t(std::size(kNumbered)))
    return kNumbered[a.i];
  if (a.kind == AttrKind::Int && (a.i == 21 || a.i == 22))
    return a.i == 21 ? DType::U4 : DType::I4;
  return std::nullopt;
}

std::optional<std::vector<int64_t>> Call::intsFrom(std::string_view name, size_t i) const {
  if (std::optional<std::vector<int64_t>> ints = intsAttr(name))
    return ints;
  if (has(i) && isInteger(in[i].dtype()) && in[i].size() <= 4096)
    return in[i].ints();
  return std::nullopt;
}

bool Call::give(std::optional<Tensor> made) {
  if (!made)
    return false;
  out[0] = std::move(*made);
  return true;
}

bool Call::wrap(int64_t &axis, size_t rank) {
  int64_t given = axis;
  if (axis < 0)
    axis += int64_t(rank);
  return (axis >= 0 && axis < int64_t(rank)) ||
         fail("axis " + std::to_string(given) + " lies outside rank " + std::to_string(rank));
}

bool Call::wrapAll(std::vector<int64_t> &axes, size_t rank) {
  if (rank > 4096)
    return fail("the rank is too large");
  std::vector<bool> seen(rank);
  for (int64_t &a : axes) {
    if (!wrap(a, rank))
      return false;
    if (seen[size_t(a)])
      return fail("axis " + std::to_string(a) + " is given twice");
    seen[size_t(a)] = true;
  }
  return true;
}

int Call::version() const {
  if (opset_ > 0)
    return opset_;
  int since = op.kind() == kOpaqueKind ? 0 : op.schema().since;
  return since > 1 ? since : 18;
}

Kernel KernelTable::find(std::string_view fullName) const {
  auto it = kernels_.find(fullName);
  return it == kernels_.end() ? nullptr : it->second;
}

std::vector<std::string_view> KernelTable::names() const {
  std::vector<std::string_view> out;
  for (const auto &[name, kernel] : kernels_)
    out.push_back(name);
  std::ranges::sort(out);
  return out;
}

bool KernelTable::addOwned(std::string fullName, Kernel kernel) {
  if (fullName.empty() || !kernel || kernels_.contains(fullName))
    return false;
  kernels_.emplace(ownNames_.emplace_back(std::move(fullName)), kernel);
  return true;
}

/// Made when it is first asked for; addKernel alone changes it.
static KernelTable &allKernels() {
  static KernelTable table = [] {
    KernelTable t;
#define RW_ADD_FAMILY(name) add##name##Kernels(t);
    RW_KERNEL_FAMILIES(RW_ADD_FAMILY)
#undef RW_ADD_FAMILY
    return t;
  }();
  return table;
}

const KernelTable &kernels() { return allKernels(); }
bool addKernel(std::string fullName, Kernel kernel) { return allKernels().addOwned(std::move(fullName), kernel); }

KernelTable movementKernels() {
  KernelTable t;
  for (std::string_view name :
       {"tensor.constant", "tensor.identity", "tensor.stop_gradient", "tensor.reshape", "tensor.merge_dims",
        "tensor.reshape_like", "tensor.transpose", "tensor.broadcast", "tensor.broadcast_in_dim", "tensor.slice",
        "tensor.dynamic_slice", "tensor.dynamic_update_slice", "tensor.pad", "tensor.concat", "tensor.gather",
        "tensor.reverse", "tensor.select", "tensor.tuple", "tensor.get"})
    t.add(name, kernels().find(name));
  // Without a reduction a scatter only moves.
  t.add("tensor.scatter", [](Call &c) {
    return attrOr(c.op, "reduction", "none") == "none" ? kernels().find("tensor.scatter")(c)
                                                       : c.fail("a reduction needs numbers");
  });
  return t;
}

// Shared steps -------------------------------------------------------------------------------------------------------

Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size());
  int64_t n = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = n;
    n *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

std::optional<Shape> broadcastShapes(const Shape &a, const Shape &b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Shape broadcastStrides(const Shape &from, const Shape &to) {
  Shape own = stridesOf(from), out(to.size(), 0);
  for (size_t i = 0; i < from.size(); ++i)
    out[to.size() - from.size() + i] = from[i] == 1 ? 0 : own[i];
  return out;
}

std::optional<Tensor> moveStrided(Call &c, const Tensor &in, Shape shape, const Shape &strides, int64_t offset) {
  std::optional<Tensor> result = c.make(in.dtype(), shape);
  if (!result)
    return std::nullopt;
  int64_t step = strides.empty() ? 0 : strides.back();
  if (in.isString()) {
    forEachRow<1>(shape, {strides}, [&](int64_t n, size_t at, const std::array<int64_t, 1> &from) {
      for (int64_t i = 0; i < n; ++i)
        result->mutableStrings()[at + size_t(i)] = in.strings()[size_t(offset + from[0] + i * step)];
    });
    return result;
  }
  visitWidth(in.width(), [&]<class T>(T) {
    T *to = result->mutableData<T>();
    const T *base = in.data<T>() + offset;
    forEachRow<1>(shape, {strides}, [&](int64_t n, size_t at, const std::array<int64_t, 1> &from) {
      for (int64_t i = 0; i < n; ++i)
        to[at + size_t(i)] = base[from[0] + i * step];
    });
    return true;
  });
  return result;
}

std::optional<Tensor> moveIndexed(Call &c, const Tensor &in, Shape shape, std::span<const int64_t> sources,
                                  const Tensor &fill) {
  std::optional<Tensor> result = c.make(in.dtype(), std::move(shape));
  if (!result)
    return std::nullopt;
  bool filled = fill && fill.dtype() == in.dtype() && fill.size() == 1;
  if (in.isString()) {
    for (size_t i = 0; i < sources.size(); ++i)
      result->mutableStrings()[i] = sources[i] >= 0 ? in.strings()[size_t(sources[i])]
                                    : filled        ? fill.strings()[0]
                                                    : std::string();
    return result;
  }
  visitWidth(in.width(), [&]<class T>(T) {
    T *to = result->mutableData<T>();
    const T *from = in.data<T>();
    T other = filled ? *fill.data<T>() : T();
    for (size_t i = 0; i < sources.size(); ++i)
      to[i] = sources[i] >= 0 ? from[sources[i]] : other;
    return true;
  });
  return result;
}

std::optional<Tensor> transposed(Call &c, const Tensor &in, std::span<const int64_t> perm) {
  Shape shape, strides, own = stridesOf(in.shape());
  for (int64_t p : perm) {
    shape.push_back(in.dim(size_t(p)));
    strides.push_back(own[size_t(p)]);
  }
  return moveStrided(c, in, std::move(shape), strides);
}

} // namespace rw
