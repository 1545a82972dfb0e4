// Quantization: to and from small integers, and matrix products of these.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// Halves go to the even neighbour.
double roundEven(double v) {
  double low = std::floor(v), rest = v - low;
  if (rest != 0.5)
    return std::round(v);
  return std::fmod(low, 2) == 0 ? low : low + 1;
}

/// One scale and zero point for all, one per place along an axis, or one per block of places along it.
struct Grid {
  Tensor scale, zero;
  size_t inner = 1, count = 1;
  size_t block = 0, along = 1, blocks = 1; // places in a block, places along the axis, blocks along it

  bool read(Call &c, const Tensor &x, size_t scaleAt, size_t zeroAt) {
    if (!c.has(scaleAt))
      return c.fail("the scale is missing");
    scale = c.in[scaleAt];
    zero = c.has(zeroAt) ? c.in[zeroAt] : Tensor();
    if (zero && zero.size() != scale.size())
      return c.fail("scale and zero point differ in size");
    count = scale.size();
    const int64_t size = attrOr(c.op, "block_size", 0);
    int64_t axis = attrOr(c.op, "axis", 1);
    if (size != 0) {
      if (size < 0 || scale.rank() != x.rank() || !c.wrap(axis, x.rank()))
        return c.fail("the scale does not fit the blocks");
      for (size_t d = 0; d < x.rank(); ++d)
        if (scale.dim(d) != (int64_t(d) == axis ? x.dim(d) / size + (x.dim(d) % size != 0) : x.dim(d)))
          return c.fail("the scale does not fit the blocks");
      block = size_t(size), along = size_t(x.dim(size_t(axis))), blocks = size_t(scale.dim(size_t(axis)));
      inner = size_t(stridesOf(x.shape())[size_t(axis)]);
      return true;
    }
    if (count == 1)
      return true;
    if (scale.rank() != 1 || !c.wrap(axis, x.rank()) || x.dim(size_t(axis)) != int64_t(count))
      return c.fail("the scale does not fit the axis");
    inner = size_t(stridesOf(x.shape())[size_t(axis)]);
    return true;
  }
  /// Whose scale element i has.
  size_t placeOf(size_t i) const {
    if (!block)
      return i / inner % count;
    return (i / (inner * along) * blocks + i / inner % along / block) * inner + i % inner;
  }
  double scaleOf(size_t i) const { return scale.floatAt(placeOf(i)); }
  double zeroOf(size_t i) const { return zero ? zero.floatAt(placeOf(i)) : 0; }
};

/// result[i] = value(i), rounded and held to the range of `to`.
template <class F> bool storeRounded(Call &c, size_t result, DType to, const Shape &shape, F value) {
  Tensor *y = c.result(result, to, shape);
  return y && (visitInt(to,
                        [&]<class T>(T) {
                          for (size_t i = 0; i < y->size(); ++i)
                            y->mutableData<T>()[i] = convertElement<T>(value(i));
                          y->holdTo4Bits(true);
                          return true;
                        }) ||
               c.fail("not defined on " + std::string(dtypeName(to))));
}

/// The type that `output_dtype` states, since operator set 21, or else this one; nothing where what it states is none.
std::optional<DType> statedType(Call &c, DType otherwise) {
  if (attrOr(c.op, "output_dtype", 0) == 0)
    return otherwise;
  std::optional<DType> stated = c.dtypeAttr("output_dtype");
  if (!stated)
    c.fail("output_dtype is a type that nothing is computed with");
  return stated;
}

bool quantize(Call &c) {
  Grid g;
  if (!c.need(2) || !g.read(c, c.in[0], 1, 2) || !c.charge(4 * c.in[0].size()))
    return false;
  const Tensor &x = c.in[0];
  std::optional<DType> precision;
  if (attrOr(c.op, "precision", 0) != 0 &&
      (!(precision = c.dtypeAttr("precision")) || !isFloat(*precision) || dtypeBytes(*precision) < 2))
    return c.fail("`precision` is no float of at least 16 bits");
  const std::optional<DType> to = statedType(c, g.zero ? g.zero.dtype() : DType::U8);
  if (!to || (g.zero && g.zero.dtype() != *to))
    return to && c.fail("the zero point is not of the stated type");
  return storeRounded(c, 0, *to, x.shape(), [&](size_t i) {
    // In the stated precision, or that of the operand, as the specification says.
    double q = x.floatAt(i) / g.scaleOf(i);
    if (precision)
      visitFloat(*precision, [&]<class T>(T) {
        auto in = [](double v) { return convertElement<double>(storeElement<T>(v)); };
        q = in(in(x.floatAt(i)) / in(g.scaleOf(i)));
        return true;
      });
    else if (x.dtype() == DType::F32)
      q = float(x.floatAt(i)) / float(g.scaleOf(i));
    return roundEven(q) + g.zeroOf(i);
  });
}

bool dequantize(Call &c) {
  Grid g;
  if (!c.need(2) || !g.read(c, c.in[0], 1, 2) || !c.charge(4 * c.in[0].size()))
    return false;
  const Tensor &x = c.in[0];
  const std::optional<DType> to = statedType(c, g.scale.dtype());
  Tensor *y = to ? c.result(0, *to, x.shape()) : nullptr;
  return y && (visitFloat(y->dtype(),
                          [&]<class T>(T) {
                            for (size_t i = 0; i < x.size(); ++i)
                              y->mutableData<T>()[i] = storeElement<T>((x.floatAt(i) - g.zeroOf(i)) * g.scaleOf(i));
                            return true;
                          }) ||
               c.fail("the result is no float"));
}

bool dynamicQuantize(Call &c) {
  if (!c.need(1) || c.in[0].dtype() != DType::F32 || c.out.size() < 3)
    return c.fail("one operand of f32 and three results are needed");
  const Tensor &x = c.in[0];
  float low = 0, high = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    low = std::min(low, x.data<float>()[i]);
    high = std::max(high, x.data<float>()[i]);
  }
  float scale = (high - low) / 255;
  double zero = scale == 0 ? 0 : roundEven(std::clamp<double>(double((0 - low) / scale), 0, 255));
  Tensor *s = c.result(1, DType::F32, {});
  if (!s || !storeRounded(c, 2, DType::U8, {}, [&](size_t) { return zero; }))
    return false;
  *c.out[1].mutableData<float>() = scale;
  return storeRounded(c, 0, DType::U8, x.shape(), [&](size_t i) {
    return scale == 0 ? zero : roundEven(double(x.data<float>()[i] / scale)) + zero;
  });
}

/// x minus its zero point: one, or one per row (the last dimension but one) or column.
std::optional<Tensor> shifted(Call &c, const Tensor &x, const Tensor &zero, bool perColumn) {
  std::optional<Tensor> t = c.make(DType::I32, x.shape());
  if (!t || !isInteger(x.dtype()))
    return std::nullopt;
  size_t columns = x.rank() ? size_t(x.dim(x.rank() - 1)) : 1;
  size_t places = perColumn ? columns : x.rank() > 1 ? size_t(x.dim(x.rank() - 2)) : 1;
  if (zero && zero.size() != 1 && zero.size() != places)
    return std::nullopt;
  for (size_t i = 0; i < x.size(); ++i) {
    size_t at = !zero || zero.size() == 1 ? 0 : perColumn ? i % columns : i / columns % places;
    t->mutableData<int32_t>()[i] = int32_t(x.intAt(i) - (zero ? zero.intAt(at) : 0));
  }
  return t;
}

/// a × b of i32 matrices, one batch of a after another; b may have no batches.
std::optional<Tensor> matrixProduct(Call &c, const Tensor &a, const Tensor &b) {
  if (a.rank() < 2 || b.rank() < 2 || a.dim(a.rank() - 1) != b.dim(b.rank() - 2) ||
      (b.rank() > 2 && !std::equal(a.shape().begin(), a.shape().end() - 2, b.shape().begin(), b.shape().end() - 2)))
    return std::nullopt;
  size_t m = size_t(a.dim(a.rank() - 2)), k = size_t(a.dim(a.rank() - 1)), n = size_t(b.dim(b.rank() - 1));
  Shape shape = a.shape();
  shape.back() = int64_t(n);
  std::optional<Tensor> y = c.make(DType::I32, shape);
  if (!y || !c.charge(uint64_t(std::min(1e18, double(y->size()) * double(k)))))
    return std::nullopt;
  std::vector<std::pair<size_t, size_t>> offsets;
  for (size_t i = 0; m && k && i < a.size() / (m * k); ++i)
    offsets.emplace_back(i * m * k, b.rank() > 2 ? i * k * n : 0);
  return multiply(c, a, b, *y, m, k, n, offsets) ? y : std::nullopt;
}

bool matMulInteger(Call &c) {
  if (!c.need(2))
    return false;
  std::optional<Tensor> a = shifted(c, c.in[0], c.has(2) ? c.in[2] : Tensor(), false);
  std::optional<Tensor> b = shifted(c, c.in[1], c.has(3) ? c.in[3] : Tensor(), true);
  std::optional<Tensor> y = a && b ? matrixProduct(c, *a, *b) : std::nullopt;
  if (!y)
    return c.fail("operands or zero points do not fit");
  c.out[0] = std::move(*y);
  return true;
}

bool qLinearMatMul(Call &c) {
  if (!c.need(8) || c.in[1].size() != 1 || c.in[4].size() != 1 || c.in[6].size() != 1 || c.in[7].size() != 1)
    return c.fail("eight operands, the scales and the last zero point single numbers, are needed");
  std::optional<Tensor> a = shifted(c, c.in[0], c.in[2], false), b = shifted(c, c.in[3], c.in[5], true);
  std::optional<Tensor> y = a && b ? matrixProduct(c, *a, *b) : std::nullopt;
  if (!y)
    return c.fail("operands or zero points do not fit");
  double scale = c.in[1].floatAt(0) * c.in[4].floatAt(0) / c.in[6].floatAt(0), zero = c.in[7].floatAt(0);
  return storeRounded(c, 0, c.in[7].dtype(), y->shape(),
                      [&](size_t i) { return roundEven(double(y->data<int32_t>()[i]) * scale) + zero; });
}

} // namespace

void addQuantizeKernels(KernelTable &t) {
  t.add("onnx.QuantizeLinear", quantize);
  t.add("onnx.DequantizeLinear", dequantize);
  t.add("onnx.DynamicQuantizeLinear", dynamicQuantize);
  t.add("onnx.MatMulInteger", matMulInteger);
  t.add("onnx.QLinearMatMul", qLinearMatMul);
}

} // namespace rw
