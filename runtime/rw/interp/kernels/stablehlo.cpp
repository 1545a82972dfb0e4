// Ops of StableHLO that no meaning in other ops is written for, and the checks that tests of it make.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"
#include "rw/ir/named_calls.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace rw {
namespace {

/// result[i] = f(x[i]) on floats.
template <class F> bool eachFloat(Call &c, F f) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  return y && (visitFloat(x.dtype(),
                          [&]<class T>(T) {
                            for (size_t i = 0; i < x.size(); ++i)
                              y->mutableData<T>()[i] = storeElement<T>(f(Compute<T>(x.data<T>()[i])));
                            return true;
                          }) ||
               c.fail("not defined on " + std::string(dtypeName(x.dtype()))));
}

/// result[i] = f(x[i], bits that are none of it) on integers, whose bits come without sign.
template <class F> bool eachInt(Call &c, F f) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, x.dtype(), x.shape());
  return y && (visitInt(x.dtype(),
                        [&]<class T>(T) {
                          using U = std::make_unsigned_t<T>;
                          const int above = isInteger4(x.dtype()) ? 4 : 0;
                          const U mask = U(U(~U(0)) >> above);
                          for (size_t i = 0; i < x.size(); ++i)
                            y->mutableData<T>()[i] = T(f(U(x.data<T>()[i] & mask), above));
                          return true;
                        }) ||
               c.fail("not defined on " + std::string(dtypeName(x.dtype()))));
}

bool isFinite(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  Tensor *y = c.result(0, DType::Bool, x.shape());
  return y && (visitFloat(x.dtype(),
                          [&]<class T>(T) {
                            for (size_t i = 0; i < x.size(); ++i)
                              y->mutableData<Bool>()[i] = Bool(std::isfinite(double(x.data<T>()[i])));
                            return true;
                          }) ||
               c.fail("not defined on " + std::string(dtypeName(x.dtype()))));
}

/// As a float of so many bits of exponent and mantissa keeps it: rounded to even, too large is infinite, too small is 0
/// (StableHLO, reduce_precision).
bool reducePrecision(Call &c) {
  int64_t exponentBits = attrOr(c.op, "exponent_bits", 8), mantissaBits = attrOr(c.op, "mantissa_bits", 23);
  if (exponentBits < 1 || mantissaBits < 0)
    return c.fail("no such format");
  // A format with as many bits of exponent as the type has all of its range: only digits are lost. Numbers below the
  // least normal one have the last digit where that has it.
  const DType type = c.need(1) ? c.in[0].dtype() : DType::Unknown;
  const int ownBits = type == DType::F16 ? 5 : type == DType::F64 ? 11 : 8, leastNormal = 2 - (1 << (ownBits - 1));
  const bool isWide = exponentBits >= ownBits;
  double greatest = exponentBits > 11 ? 2000 : std::ldexp(1.0, int(exponentBits) - 1) - 1; // exponent
  int bits = int(std::min<int64_t>(mantissaBits, 60)) + 1;
  return eachFloat(c, [=](auto v) {
    double x = double(v);
    if (std::isnan(x) && mantissaBits == 0) // no bit is left to tell it by
      return decltype(v)(std::copysign(INFINITY, x));
    if (!std::isfinite(x) || x == 0)
      return v;
    int exponent;
    double fraction = std::frexp(x, &exponent);
    if (isWide && exponent - 1 < leastNormal)
      return decltype(v)(
          bits > 53 ? x : std::ldexp(std::nearbyint(std::ldexp(x, bits - 1 - leastNormal)), leastNormal + 1 - bits));
    double rounded = bits > 53 ? x : std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
    if (mantissaBits == 0 && std::fabs(fraction) == 0.75 && exponent % 2 == 0) // the last bit kept is the exponent's
      rounded = std::ldexp(std::copysign(0.5, x), exponent);
    int reached = std::ilogb(rounded);
    if (isWide)
      return decltype(v)(rounded);
    if (reached > greatest)
      return decltype(v)(std::copysign(INFINITY, x));
    return decltype(v)(reached < 1 - greatest ? std::copysign(0.0, x) : rounded);
  });
}

/// Where integers of 4 bits, the lower ones first, become others or are made of them.
bool bitcastHalves(Call &c, DType to) {
  const Tensor &x = c.in[0];
  Shape shape = x.shape();
  size_t from = isInteger4(x.dtype()) ? 1 : 2 * x.width(), width = isInteger4(to) ? 1 : 2 * Tensor::widthOf(to);
  if (width < from)
    shape.push_back(int64_t(from));
  else if (width > from && (shape.empty() || shape.back() != int64_t(width)))
    return c.fail("the last dimension does not make whole elements");
  else if (width > from)
    shape.pop_back();
  Tensor *y = c.result(0, to, shape);
  if (!y)
    return false;
  auto half = [](const Tensor &t, size_t i) {
    return isInteger4(t.dtype()) ? t.data<uint8_t>()[i] & 15 : t.data<uint8_t>()[i / 2] >> (i % 2 * 4) & 15;
  };
  for (size_t i = 0; i < x.size() * from; ++i) {
    if (isInteger4(to))
      y->mutableData<uint8_t>()[i] = uint8_t(half(x, i));
    else
      y->mutableData<uint8_t>()[i / 2] |= uint8_t(half(x, i) << (i % 2 * 4));
  }
  return true; // the evaluator makes numbers of 4 bits of what is above
}

bool bitcast(Call &c) {
  std::optional<DType> to = c.dtypeAttr("dtype");
  if (!c.need(1) || !to)
    return c.fail("the element type is missing");
  const Tensor &x = c.in[0];
  if ((isInteger4(x.dtype()) || isInteger4(*to)) && x.dtype() != DType::Bool && *to != DType::Bool && x.width() &&
      Tensor::widthOf(*to))
    return bitcastHalves(c, *to);
  size_t from = x.width(), width = dtypeBytes(*to);
  bool bits = x.dtype() == DType::Bool || *to == DType::Bool;
  if (from == 0 || width == 0 || (bits && x.dtype() != *to))
    return c.fail("elements of less than a byte are not looked into");
  Shape shape = x.shape();
  if (width < from)
    shape.push_back(int64_t(from / width));
  else if (width > from && (shape.empty() || shape.back() != int64_t(width / from)))
    return c.fail("the last dimension does not make whole elements");
  else if (width > from)
    shape.pop_back();
  Tensor *y = c.result(0, *to, shape);
  if (!y)
    return false;
  if (x.byteSize() != 0)
    std::memcpy(y->mutableData<std::byte>(), x.data<std::byte>(), x.byteSize());
  return true;
}

bool dimensionSize(Call &c) {
  int64_t d = attrOr(c.op, "dimension", -1);
  if (!c.need(1) || d < 0 || size_t(d) >= c.in[0].rank())
    return c.fail("there is no such dimension");
  Tensor *y = c.result(0, DType::I32, {});
  if (y)
    *y->mutableData<int32_t>() = int32_t(c.in[0].dim(size_t(d)));
  return y;
}

bool barrier(Call &c) {
  if (!c.need(c.in.size()) || c.out.size() < c.in.size())
    return c.fail("operands and results differ in number");
  std::copy(c.in.begin(), c.in.end(), c.out.begin());
  return true;
}

bool gather(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &x = c.in[0], &starts = c.in[1];
  auto list = [&](std::string_view name) { return c.intsAttr(name).value_or(std::vector<int64_t>()); };
  std::vector<int64_t> offsetDims = list("offset_dims"), collapsed = list("collapsed_slice_dims"),
                       batching = list("operand_batching_dims"), startBatching = list("start_indices_batching_dims"),
                       map = list("start_index_map"),
                       sizes = c.has(2) ? c.in[2].ints() : list("slice_sizes"); // the third operand of dynamic_gather
  size_t vectorDim = size_t(attrOr(c.op, "index_vector_dim", 0));
  auto holds = [](const std::vector<int64_t> &v, int64_t i) { return std::ranges::find(v, i) != v.end(); };
  auto inside = [](const std::vector<int64_t> &v, size_t rank) {
    return std::ranges::all_of(v, [&](int64_t i) { return i >= 0 && size_t(i) < rank; });
  };
  if (sizes.size() != x.rank() || vectorDim > starts.rank() || !inside(map, x.rank()) || !inside(collapsed, x.rank()) ||
      !inside(batching, x.rank()) || !inside(startBatching, starts.rank()) || batching.size() != startBatching.size() ||
      offsetDims.size() + collapsed.size() + batching.size() != x.rank() || !isInteger(starts.dtype()))
    return c.fail("the dimensions do not go together");
  for (size_t d = 0; d < x.rank(); ++d)
    if (sizes[d] < 0 || sizes[d] > x.dim(d))
      return c.fail("a slice is larger than the operand");
    else if (sizes[d] != 1 && (holds(collapsed, int64_t(d)) || holds(batching, int64_t(d))))
      return c.fail("a slice is not of one element in a dimension that is left out");
  Shape outer, shape;
  for (size_t d = 0; d < starts.rank(); ++d)
    if (d != vectorDim)
      outer.push_back(starts.dim(d));
  std::vector<size_t> inner; // operand dimensions that a slice keeps
  for (size_t d = 0; d < x.rank(); ++d)
    if (!holds(collapsed, int64_t(d)) && !holds(batching, int64_t(d)))
      inner.push_back(d);
  size_t rank = outer.size() + offsetDims.size();
  if (inner.size() != offsetDims.size() || !inside(offsetDims, rank) || !std::ranges::is_sorted(offsetDims))
    return c.fail("the dimensions do not go together");
  std::vector<int> role(rank, -1); // the slice's dimension, or none
  for (size_t i = 0; i < offsetDims.size(); ++i)
    role[size_t(offsetDims[i])] = int(i);
  for (size_t d = 0, b = 0; d < rank; ++d) {
    if (role[d] < 0 && b >= outer.size())
      return c.fail("the dimensions do not go together");
    shape.push_back(role[d] >= 0 ? sizes[inner[size_t(role[d])]] : outer[b++]);
  }
  std::optional<size_t> count = c.elements(shape);
  if (!count || !c.charge(*count * (x.rank() + 1)))
    return c.fail("the result is too large");
  Shape xStrides = stridesOf(x.shape()), startStrides = stridesOf(starts.shape());
  std::vector<int64_t> sources(*count), index(rank, 0), batch(outer.size()), at(x.rank());
  for (size_t n = 0; n < *count; ++n) {
    std::ranges::fill(at, 0);
    for (size_t d = 0, b = 0; d < rank; ++d)
      (role[d] >= 0 ? at[inner[size_t(role[d])]] : batch[b++]) = index[d];
    int64_t base = 0;
    for (size_t d = 0, b = 0; d < starts.rank(); ++d)
      if (d != vectorDim)
        base += batch[b++] * startStrides[d];
    for (size_t i = 0; i < map.size(); ++i) {
      size_t d = size_t(map[i]);
      int64_t step = vectorDim < starts.rank() ? startStrides[vectorDim] : 0;
      size_t place = size_t(base + int64_t(i) * step);
      if (place >= starts.size())
        return c.fail("an index vector is too short");
      int64_t start = starts.intAt(place);
      if (starts.dtype() == DType::U64 && start < 0)
        start = INT64_MAX;
      at[d] += std::clamp<int64_t>(start, 0, x.dim(d) - sizes[d]);
    }
    for (size_t i = 0; i < batching.size(); ++i) {
      size_t d = size_t(startBatching[i]);
      if (d == vectorDim || batch[d - (d < vectorDim ? 0 : 1)] >= x.dim(size_t(batching[i])))
        return c.fail("batching dimensions differ");
      at[size_t(batching[i])] += batch[d - (d < vectorDim ? 0 : 1)];
    }
    int64_t source = 0;
    for (size_t d = 0; d < x.rank(); ++d)
      source += at[d] * xStrides[d];
    sources[n] = source;
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return c.give(moveIndexed(c, x, shape, sources));
}

bool dynamicReshape(Call &c) {
  if (!c.need(2))
    return false;
  Shape shape = c.in[1].ints();
  std::optional<size_t> count = c.elements(shape);
  if (!count || *count != c.in[0].size())
    return c.fail("the elements do not go into " + shapeText(shape));
  c.out[0] = c.in[0].withShape(shape);
  return true;
}

bool dynamicIota(Call &c) {
  std::optional<DType> dtype = c.dtypeAttr("dtype");
  if (!c.need(1) || !dtype)
    return c.fail("the element type is missing");
  Shape shape = c.in[0].ints();
  int64_t d = attrOr(c.op, "iota_dimension", 0);
  if (d < 0 || size_t(d) >= shape.size())
    return c.fail("there is no such dimension");
  Tensor *y = c.result(0, *dtype, shape);
  if (!y || y->size() == 0)
    return y;
  size_t step = size_t(stridesOf(shape)[size_t(d)]), length = size_t(shape[size_t(d)]);
  return visitNumber(*dtype,
                     [&]<class T>(T) {
                       for (size_t i = 0; i < y->size(); ++i)
                         y->mutableData<T>()[i] = convertElement<T>(int64_t(i / step % length));
                       return true;
                     }) ||
         c.fail("not defined on " + std::string(dtypeName(*dtype)));
}

bool dynamicBroadcast(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &x = c.in[0];
  Shape shape = c.in[1].ints(), own = stridesOf(x.shape()), strides(shape.size(), 0);
  std::vector<int64_t> dims = c.intsAttr("broadcast_dimensions").value_or(std::vector<int64_t>());
  if (dims.size() != x.rank())
    return c.fail("broadcast_dimensions does not go with the operand");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || size_t(dims[i]) >= shape.size() || (x.dim(i) != 1 && x.dim(i) != shape[size_t(dims[i])]))
      return c.fail("the operand does not stretch to " + shapeText(shape));
    strides[size_t(dims[i])] = x.dim(i) == 1 ? 0 : own[i];
  }
  return c.give(moveStrided(c, x, shape, strides));
}

bool dynamicPad(Call &c) {
  if (!c.need(5))
    return false;
  Shape low = c.in[2].ints(), high = c.in[3].ints(), between = c.in[4].ints();
  size_t rank = c.in[0].rank();
  if (low.size() != rank || high.size() != rank || between.size() != rank || c.in[1].size() != 1 ||
      c.in[1].dtype() != c.in[0].dtype())
    return c.fail("the amounts do not go with the operand");
  return c.give(padded(c, c.in[0], low, high, between, c.in[1]));
}

bool realDynamicSlice(Call &c) {
  if (!c.need(4))
    return false;
  const Tensor &x = c.in[0];
  Shape start = c.in[1].ints(), limit = c.in[2].ints(), stride = c.in[3].ints(), shape, own = stridesOf(x.shape());
  if (start.size() != x.rank() || limit.size() != x.rank() || stride.size() != x.rank())
    return c.fail("the slice does not go with the operand");
  int64_t offset = 0;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (start[d] < 0 || start[d] > limit[d] || limit[d] > x.dim(d) || stride[d] <= 0)
      return c.fail("the slice reaches outside");
    shape.push_back((limit[d] - start[d] + std::min(stride[d], x.dim(d) + 1) - 1) / std::min(stride[d], x.dim(d) + 1));
    offset += start[d] * own[d];
    own[d] *= std::min(stride[d], x.dim(d) + 1);
  }
  return c.give(moveStrided(c, x, shape, own, offset));
}

/// Any layout, padding, dilation and grouping, one product after another.
bool convolution(Call &c) {
  if (!c.need(2))
    return false;
  bool dynamic = c.has(2); // dynamic_conv: the padding is computed
  const Tensor &x = c.in[0], &w = c.in[1];
  size_t rank = x.rank(), spatial = rank - 2;
  auto list = [&](std::string_view name, int64_t otherwise) {
    return c.intsAttr(name).value_or(std::vector<int64_t>(spatial, otherwise));
  };
  if (rank < 2 || w.rank() != rank || x.dtype() != w.dtype())
    return c.fail("operands do not go together");
  std::vector<int64_t> xs = list("input_spatial_dimensions", -1), ws = list("kernel_spatial_dimensions", -1),
                       ys = list("output_spatial_dimensions", -1), strides = list("window_strides", 1),
                       dilations = list("lhs_dilation", 1), reaches = list("rhs_dilation", 1), padding;
  if (dynamic) {
    padding = c.in[2].ints();
  } else if (c.op.attrNamed("padding")) {
    for (auto [low, high] : pairsOf(c.op, "padding"))
      padding.insert(padding.end(), {low, high});
  } else {
    padding.assign(2 * spatial, 0);
  }
  std::vector<char> reversed(spatial, 0);
  auto reversals = attrOr(c.op, "window_reversal", InlineList<bool>());
  std::copy_n(reversals.begin(), std::min(spatial, reversals.size()), reversed.begin());
  auto dim = [&](std::string_view name) { return size_t(attrOr(c.op, name, -1)); };
  size_t xb = dim("input_batch_dimension"), xf = dim("input_feature_dimension"),
         wi = dim("kernel_input_feature_dimension"), wo = dim("kernel_output_feature_dimension"),
         yb = dim("output_batch_dimension"), yf = dim("output_feature_dimension");
  auto isAll = [&](size_t a, size_t b, std::vector<int64_t> rest) {
    rest.push_back(int64_t(a));
    rest.push_back(int64_t(b));
    std::ranges::sort(rest);
    for (size_t i = 0; i < rest.size(); ++i)
      if (rest[i] != int64_t(i))
        return false;
    return rest.size() == rank;
  };
  int64_t groups = attrOr(c.op, "feature_group_count", 1), batches = attrOr(c.op, "batch_group_count", 1);
  constexpr int64_t kMost = 1 << 30;
  auto small = [](const std::vector<int64_t> &v) {
    return std::ranges::all_of(v, [](int64_t i) { return i > 0 && i < kMost; });
  };
  if (!isAll(xb, xf, xs) || !isAll(wi, wo, ws) || !isAll(yb, yf, ys) || padding.size() != 2 * spatial ||
      strides.size() != spatial || dilations.size() != spatial || reaches.size() != spatial || !small(strides) ||
      !small(dilations) || !small(reaches) || groups <= 0 || batches <= 0 || w.dim(wi) * groups != x.dim(xf) ||
      x.dim(xb) % batches || w.dim(wo) % (groups * batches) ||
      std::ranges::any_of(padding, [](int64_t i) { return i <= -kMost || i >= kMost; }))
    return c.fail("dimensions and groups do not go together");
  Shape shape(rank);
  shape[yb] = x.dim(xb) / batches;
  shape[yf] = w.dim(wo);
  uint64_t products = uint64_t(w.dim(wi));
  for (size_t i = 0; i < spatial; ++i) {
    int64_t size = x.dim(size_t(xs[i])), window = w.dim(size_t(ws[i]));
    int64_t padded = (size == 0 ? 0 : (size - 1) * dilations[i] + 1) + padding[2 * i] + padding[2 * i + 1];
    int64_t reach = window == 0 ? 0 : (window - 1) * reaches[i] + 1;
    shape[size_t(ys[i])] = padded <= 0 || reach > padded ? 0 : (padded - reach) / strides[i] + 1;
    products *= uint64_t(window);
  }
  std::optional<DType> dtype = c.dtypeAttr("dtype");
  Tensor *made = c.result(0, x.dtype(), shape);
  if (!made || !c.charge(made->size() * std::max<uint64_t>(products, 1)))
    return false;
  Tensor y = *made;
  Shape xStrides = stridesOf(x.shape()), wStrides = stridesOf(w.shape()), index(rank, 0);
  // The zeros that stand beside elements and between them are multiplied as these are (StableHLO, convolution: the
  // windows of the padded input are multiplied).
  // Sums are of the result's type: wider integers are summed as such.
  bool known = visitNumber(x.dtype(), [&]<class T>(T) {
    using S = Sum<T>;
    std::vector<S> sums(y.size());
    for (size_t p = 0; p < y.size(); ++p) {
      int64_t feature = index[yf], perGroup = w.dim(wo) / groups, perBatch = w.dim(wo) / batches;
      int64_t batch = index[yb] + (batches > 1 ? feature / perBatch * (x.dim(xb) / batches) : 0),
              group = groups > 1 ? feature / perGroup : 0;
      S sum = S(0);
      Shape k(spatial, 0);
      bool any = products != 0;
      while (any) {
        int64_t xAt = batch * xStrides[xb] + group * w.dim(wi) * xStrides[xf], wAt = feature * wStrides[wo];
        bool inside = true;
        for (size_t i = 0; i < spatial; ++i) {
          int64_t q = index[size_t(ys[i])] * strides[i] + k[i] * reaches[i] - padding[2 * i];
          inside = inside && q >= 0 && q % dilations[i] == 0 && q / dilations[i] < x.dim(size_t(xs[i]));
          xAt += inside ? q / dilations[i] * xStrides[size_t(xs[i])] : 0;
          wAt += (reversed[i] ? w.dim(size_t(ws[i])) - 1 - k[i] : k[i]) * wStrides[size_t(ws[i])];
        }
        for (int64_t f = 0; f < w.dim(wi); ++f) // outside lie zeros
          sum += (inside ? S(x.data<T>()[xAt + f * xStrides[xf]]) : S(0)) * S(w.data<T>()[wAt + f * wStrides[wi]]);
        any = false;
        for (size_t i = spatial; i-- > 0 && !any;) {
          any = ++k[i] < w.dim(size_t(ws[i]));
          if (!any)
            k[i] = 0;
        }
      }
      sums[p] = sum;
      for (size_t d = rank; d-- > 0;) {
        if (++index[d] < shape[d])
          break;
        index[d] = 0;
      }
    }
    if (!dtype || *dtype == x.dtype()) {
      for (size_t p = 0; p < y.size(); ++p)
        y.mutableData<T>()[p] = storeElement<T>(sums[p]);
      return true;
    }
    Tensor *wide = c.result(0, *dtype, shape);
    return wide && visitNumber(*dtype, [&]<class R>(R) {
             for (size_t p = 0; p < sums.size(); ++p)
               if constexpr (kIsInt<T> && kIsInt<R>)
                 wide->mutableData<R>()[p] = R(sums[p]); // which wrapped as they do
               else if constexpr (kIsInt<T>)
                 wide->mutableData<R>()[p] = convertElement<R>(int64_t(sums[p]));
               else
                 wide->mutableData<R>()[p] = convertElement<R>(sums[p]);
             return true;
           });
  });
  return known || c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

// Functions -----------------------------------------------------------------------------------------------------------

/// In double, so that rounding to smaller floats is what is lost.
template <double (*f)(double)> bool inDouble(Call &c) {
  return eachFloat(c, [](auto x) { return decltype(x)(f(double(x))); });
}

/// By Newton's steps from an approximation; where the result is near 1, of the complement.
double inverseErf(double y) {
  if (std::isnan(y) || std::fabs(y) > 1)
    return NAN;
  if (std::fabs(y) == 1)
    return std::copysign(INFINITY, y);
  double a = 0.147, l = std::log1p(-y * y), h = 2 / (M_PI * a) + l / 2;
  double x = std::copysign(std::sqrt(std::sqrt(h * h - l / a) - h), y), complement = 1 - std::fabs(y);
  for (int i = 0; i < 4 && x != 0; ++i) {
    double slope = 2 / std::sqrt(M_PI) * std::exp(-x * x);
    double error = std::fabs(y) < 0.5 ? std::erf(x) - y : (x < 0 ? -1 : 1) * (complement - std::erfc(std::fabs(x)));
    double step = error / slope;
    x -= step / (1 + x * step); // the second derivative, too
  }
  return y == 0 ? y : x;
}

/// Reflected, and moved up to where the asymptotic series is exact.
double digammaOf(double x) {
  if (x == 0)
    return std::copysign(INFINITY, -x);
  if (x < 0 && x == std::floor(x))
    return NAN;
  double sum = 0;
  if (x < 0) {
    double fraction = x - std::floor(x);
    sum = -M_PI / std::tan(M_PI * fraction);
    x = 1 - x;
  }
  for (; x < 12; x += 1)
    sum -= 1 / x;
  double y = 1 / (x * x);
  double series =
      y *
      (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y / 12))))));
  return sum + std::log(x) - 0.5 / x - series;
}

/// I1(x) * exp(-|x|).
double besselI1e(double x) {
  double a = std::fabs(x), sum = 0;
  if (std::isnan(x) || a == INFINITY)
    return std::isnan(x) ? x : std::copysign(0.0, x);
  if (a < 20) { // the power series, whose terms are all of one sign
    double term = a / 2;
    for (int k = 1; k < 200 && term > sum * 1e-18; ++k) {
      sum += term;
      term *= a * a / 4 / (double(k) * (k + 1));
    }
    return std::copysign(sum * std::exp(-a), x);
  }
  double term = 1;
  for (int k = 1; k < 30; ++k) { // the asymptotic one
    sum += term;
    double next = -term * (4 - double(2 * k - 1) * (2 * k - 1)) / (8 * a * k);
    if (std::fabs(next) > std::fabs(term))
      break;
    term = next;
  }
  return std::copysign(sum / std::sqrt(2 * M_PI * a), x);
}

// CHLO's sinh and cosh are sums of exponentials in the element type, so that they end where these do.
bool sinhOf(Call &c) {
  return eachFloat(c, []<class T>(T x) -> T {
    T half = std::log(T(0.5)), small = std::expm1(x);
    return std::fabs(x) < 1 ? T(0.5) * (small + small / (small + 1)) : std::exp(x + half) - std::exp(-x + half);
  });
}
bool coshOf(Call &c) {
  return eachFloat(c, []<class T>(T x) -> T {
    T half = std::log(T(0.5));
    return std::exp(x + half) + std::exp(-x + half);
  });
}

/// Of floats of 32 bits by Giles' polynomials, as other implementations have it.
bool erfInv(Call &c) {
  return eachFloat(c, []<class T>(T x) -> T {
    if constexpr (std::is_same_v<T, double>) {
      return inverseErf(x);
    } else {
      static constexpr float kNear[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                        -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                        -0.00417768164f,  0.246640727f,    1.50140941f};
      static constexpr float kFar[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                                       -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                       0.00943887047f,   1.00167406f,     2.83297682f};
      if (std::fabs(x) == 1)
        return std::copysign(T(INFINITY), x);
      float w = -std::log1p(-x * x);
      bool near = w < 5;
      w = near ? w - 2.5f : std::sqrt(w) - 3;
      float sum = 0;
      for (size_t i = 0; i < std::size(kNear); ++i)
        sum = (near ? kNear : kFar)[i] + sum * w;
      return sum * x;
    }
  });
}

/// Along one dimension, result[k] = sum of x[n] * exp(-+2 pi i n k / N).
void transformAlong(std::vector<std::complex<double>> &x, const Shape &shape, size_t axis, bool inverse) {
  size_t length = size_t(shape[axis]), step = size_t(stridesOf(shape)[axis]);
  std::vector<std::complex<double>> roots(length), line(length);
  for (size_t i = 0; i < length; ++i)
    roots[i] = std::polar(1.0, (inverse ? 2 : -2) * M_PI * double(i) / double(length));
  for (size_t first = 0; length != 0 && first < x.size(); ++first) {
    if (first / step % length != 0)
      continue;
    for (size_t k = 0; k < length; ++k) {
      line[k] = 0;
      for (size_t n = 0; n < length; ++n)
        line[k] += x[first + n * step] * roots[n * k % length];
      if (inverse)
        line[k] /= double(length);
    }
    for (size_t k = 0; k < length; ++k)
      x[first + k * step] = line[k];
  }
}

/// Transforms of the last dimensions. Of real ones half the last dimension is there, the rest being its conjugates.
bool fft(Call &c) {
  std::string_view type = attrOr(c.op, "fft_type", "");
  std::vector<int64_t> lengths = c.intsAttr("fft_length").value_or(std::vector<int64_t>());
  if (!c.need(1) || lengths.empty() || lengths.size() > c.in[0].rank())
    return c.fail("fft_length does not go with the operand");
  const Tensor &x = c.in[0];
  bool real = type == "RFFT", toReal = type == "IRFFT", inverse = toReal || type == "IFFT";
  bool isDouble = x.dtype() == DType::F64 || x.dtype() == DType::C128;
  if (real ? x.dtype() != DType::F32 && x.dtype() != DType::F64 : !isComplex(x.dtype()))
    return c.fail("not defined on " + std::string(dtypeName(x.dtype())));
  size_t first = x.rank() - lengths.size(), last = x.rank() - 1;
  Shape full = x.shape();
  for (size_t i = 0; i < lengths.size(); ++i) {
    bool half = toReal && first + i == last;
    if (lengths[i] < 0 || x.dim(first + i) != (half ? (lengths[i] == 0 ? 0 : lengths[i] / 2 + 1) : lengths[i]))
      return c.fail("fft_length does not go with the operand");
    full[first + i] = lengths[i];
  }
  std::optional<size_t> count = elementsIn(full);
  uint64_t steps = 0;
  for (int64_t l : lengths)
    steps += uint64_t(l);
  if (!count || !c.charge(*count * (steps + 1) * 4) || !c.make(DType::C128, full))
    return c.fail("the transform is too large");
  std::vector<std::complex<double>> values(*count);
  auto load = [&](size_t i) {
    switch (x.dtype()) {
    case DType::F32:
      return std::complex<double>(x.data<float>()[i]);
    case DType::F64:
      return std::complex<double>(x.data<double>()[i]);
    case DType::C64:
      return std::complex<double>(x.data<std::complex<float>>()[i]);
    default:
      return x.data<std::complex<double>>()[i];
    }
  };
  size_t length = full.empty() ? 1 : size_t(full[last]), held = size_t(x.dim(last));
  for (size_t i = 0; !toReal && i < values.size(); ++i)
    values[i] = load(i);
  if (toReal) { // other dimensions first, on what is there; then each line with its conjugates
    std::vector<std::complex<double>> lines(x.size());
    for (size_t i = 0; i < lines.size(); ++i)
      lines[i] = load(i);
    for (size_t d = first; d < last; ++d)
      transformAlong(lines, x.shape(), d, true);
    for (size_t i = 0; i < values.size(); ++i) {
      size_t row = i / length, k = i % length;
      std::complex<double> v = k < held ? lines[row * held + k] : std::conj(lines[row * held + (length - k)]);
      values[i] = k == 0 || 2 * k == length ? v.real() : v;
    }
    transformAlong(values, full, last, true);
  } else {
    for (size_t d = first; d <= last; ++d)
      transformAlong(values, full, d, inverse);
  }
  Shape shape = full;
  if (real)
    shape[last] = length == 0 ? 0 : int64_t(length / 2 + 1);
  DType dtype = toReal ? (isDouble ? DType::F64 : DType::F32) : isDouble ? DType::C128 : DType::C64;
  Tensor *y = c.result(0, dtype, shape);
  if (!y)
    return false;
  size_t kept = size_t(shape[last]);
  for (size_t i = 0; i < y->size(); ++i) {
    std::complex<double> v = values[i / kept * length + i % kept];
    if (dtype == DType::F32)
      y->mutableData<float>()[i] = float(v.real());
    else if (dtype == DType::F64)
      y->mutableData<double>()[i] = v.real();
    else if (dtype == DType::C64)
      y->mutableData<std::complex<float>>()[i] = std::complex<float>(v);
    else
      y->mutableData<std::complex<double>>()[i] = v;
  }
  return true;
}

bool nextAfter(Call &c) {
  if (!c.need(2) || c.in[0].dtype() != c.in[1].dtype() || c.in[0].shape() != c.in[1].shape())
    return c.fail("operands do not go together");
  const Tensor &x = c.in[0], &y = c.in[1];
  Tensor *r = c.result(0, x.dtype(), x.shape());
  if (!r)
    return false;
  auto step = [&]<class T>(T) {
    for (size_t i = 0; i < x.size(); ++i)
      r->mutableData<T>()[i] = std::nextafter(x.data<T>()[i], y.data<T>()[i]);
    return true;
  };
  /// Of 16 bits: the bits, as numbers of their own, are in the order of the floats.
  auto stepInBits = [&] {
    for (size_t i = 0; i < x.size(); ++i) {
      double from = x.floatAt(i), to = y.floatAt(i);
      uint16_t bits = x.data<uint16_t>()[i];
      if (std::isnan(from) || std::isnan(to) || from == to)
        bits = std::isnan(from) ? bits : y.data<uint16_t>()[i];
      else if (from == 0)
        bits = to > 0 ? 0x0001 : 0x8001;
      else
        bits = uint16_t(bits + ((to > from) == (from > 0) ? 1 : -1));
      r->mutableData<uint16_t>()[i] = bits;
    }
    return true;
  };
  return x.dtype() == DType::F32   ? step(float())
         : x.dtype() == DType::F64 ? step(double())
         : x.dtype() == DType::F16 || x.dtype() == DType::BF16
             ? stepInBits()
             : c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

/// The sum of 1 / (q + k)^x for k = 0, 1, …, by its first terms and Euler and Maclaurin's formula for the rest.
double zetaOf(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1)
    return NAN;
  if (x == 1)
    return INFINITY;
  if (q <= 0) {
    if (q == std::floor(q))
      return INFINITY;
    if (x != std::floor(x))
      return NAN; // a power of a negative number
    if (q < -1e6) // the terms before are too many to add up
      return NAN;
  }
  double sum = 0;
  constexpr int kTerms = 12;
  for (; q < kTerms; ++q)
    sum += std::pow(q, -x);
  if (std::isinf(q))
    return sum;
  // Bernoulli's numbers by factorials: B2 / 2!, B4 / 4!, …
  constexpr double kNumbers[] = {1.0 / 12,          -1.0 / 720,
                                 1.0 / 30240,       -1.0 / 1209600,
                                 1.0 / 47900160,    -691.0 / 1307674368000,
                                 1.0 / 74724249600, -3617.0 / 10670622842880000};
  double power = std::pow(q, -x);
  sum += power * q / (x - 1) + power / 2;
  double factor = x * power / q;
  for (int i = 0; i < int(std::size(kNumbers)); ++i) {
    sum += kNumbers[i] * factor;
    factor *= (x + 2 * i + 1) * (x + 2 * i + 2) / (q * q);
  }
  return sum;
}
/// The derivative of digamma of order n.
double polygammaOf(double n, double x) {
  if (n < 0 || n != std::floor(n) || std::isnan(x))
    return NAN;
  if (n == 0)
    return digammaOf(x);
  double z = std::exp(std::lgamma(n + 1)) * zetaOf(n + 1, x);
  return std::fmod(n, 2) == 0 ? -z : z;
}
template <double (*f)(double, double)> bool inDoubles(Call &c) {
  if (!c.need(2) || c.in[0].dtype() != c.in[1].dtype() || c.in[0].shape() != c.in[1].shape())
    return c.fail("operands do not go together");
  const Tensor &x = c.in[0], &y = c.in[1];
  Tensor *r = c.charge(x.size() * 20) ? c.result(0, x.dtype(), x.shape()) : nullptr;
  return r && (visitFloat(x.dtype(),
                          [&]<class T>(T) {
                            for (size_t i = 0; i < x.size(); ++i)
                              r->mutableData<T>()[i] =
                                  storeElement<T>(f(double(x.data<T>()[i]), double(y.data<T>()[i])));
                            return true;
                          }) ||
               c.fail("not defined on " + std::string(dtypeName(x.dtype()))));
}

/// L of L * L^H, or U of U^H * U, from the triangle that is meant alone; the other one becomes 0. Of a matrix that has
/// no such root, NaN.
bool cholesky(Call &c) {
  if (!c.need(1) || c.in[0].rank() < 2 || c.in[0].dim(c.in[0].rank() - 1) != c.in[0].dim(c.in[0].rank() - 2))
    return c.fail("not of square matrices");
  const Tensor &x = c.in[0];
  bool lower = attrOr(c.op, "lower", 0) != 0;
  size_t n = size_t(x.shape().back());
  Tensor *y = c.charge(x.size() * (n + 1)) ? c.result(0, x.dtype(), x.shape()) : nullptr;
  auto run = [&]<class T, class C>(T, C) {
    auto conjugate = [](C v) {
      if constexpr (kIsComplex<C>)
        return std::conj(v);
      else
        return v;
    };
    std::vector<C> l(n * n);
    for (size_t at = 0; n != 0 && at < x.size(); at += n * n) {
      const T *from = x.data<T>() + at;
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
          C sum = lower ? C(from[i * n + j]) : conjugate(C(from[j * n + i]));
          for (size_t k = 0; k < j; ++k)
            sum -= l[i * n + k] * conjugate(l[j * n + k]);
          l[i * n + j] = i == j ? C(std::sqrt(std::real(sum))) : sum / l[j * n + j];
        }
      for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
          C v = lower ? (j <= i ? l[i * n + j] : C(0)) : (i <= j ? conjugate(l[j * n + i]) : C(0));
          y->mutableData<T>()[at + i * n + j] = T(v);
        }
    }
    return true;
  };
  if (!y)
    return false;
  if (x.dtype() == DType::C64)
    return run(std::complex<float>(), std::complex<double>());
  if (x.dtype() == DType::C128)
    return run(std::complex<double>(), std::complex<double>());
  return visitFloat(x.dtype(), [&]<class T>(T v) { return run(v, double()); }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

/// Whether a stands before b, greatest first: NaN is greater than all.
template <class T> bool isGreater(T a, T b) {
  if constexpr (kIsInt<T>)
    return a > b;
  else
    return double(a) > double(b) || (std::isnan(double(a)) && !std::isnan(double(b)));
}

bool topK(Call &c) {
  int64_t k = attrOr(c.op, "k", 0);
  if (!c.need(1) || c.in[0].rank() == 0 || k < 0 || k > c.in[0].shape().back())
    return c.fail("there are not so many elements");
  const Tensor &x = c.in[0];
  size_t length = size_t(x.shape().back());
  Shape shape = x.shape();
  shape.back() = k;
  Tensor *made = c.result(0, x.dtype(), shape);
  if (!made || !c.result(1, DType::I32, shape))
    return false;
  Tensor values = c.out[0], places = c.out[1];
  bool largest = attrOr(c.op, "largest", 1) != 0;
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     std::vector<int32_t> order(length);
                     auto isFirst = [&](T a, T b) { return largest ? isGreater(a, b) : isGreater(b, a); };
                     for (size_t row = 0; length != 0 && row < x.size() / length; ++row) {
                       const T *from = x.data<T>() + row * length;
                       for (size_t i = 0; i < length; ++i)
                         order[i] = int32_t(i);
                       std::ranges::stable_sort(order, [&](int32_t a, int32_t b) { return isFirst(from[a], from[b]); });
                       for (size_t i = 0; i < size_t(k); ++i) {
                         values.mutableData<T>()[row * size_t(k) + i] = from[order[i]];
                         places.mutableData<int32_t>()[row * size_t(k) + i] = order[i];
                       }
                     }
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

// Checks --------------------------------------------------------------------------------------------------------------

/// How many floats of the type lie between two; of NaNs and others more than any number.
template <class T> uint64_t floatsBetween(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  bool nanA = std::isnan(double(a)), nanB = std::isnan(double(b));
  if (nanA || nanB)
    return nanA && nanB ? 0 : UINT64_MAX;
  auto place = [](T v) { // in order of value, both zeros at one place
    Bits bits = std::bit_cast<Bits>(v);
    constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(T) - 1));
    return bits & kSign ? -int64_t(bits & Bits(~kSign)) : int64_t(bits);
  };
  int64_t x = place(a), y = place(b);
  return x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
}

enum class Near { Equal, Almost, Close };

/// Whether element i of both is near enough.
template <class T> bool isNear(T a, T b, Near how, double tolerance, uint64_t least, uint64_t most) {
  if constexpr (kIsComplex<T>) {
    return isNear(a.real(), b.real(), how, tolerance, least, most) &&
           isNear(a.imag(), b.imag(), how, tolerance, least, most);
  } else if constexpr (kIsFloat<T>) {
    double x = double(a), y = double(b);
    if (how == Near::Close) {
      uint64_t between = floatsBetween(a, b);
      return between >= least && between <= most;
    }
    return x == y || (x != x && y != y) || (how == Near::Almost && std::fabs(x - y) <= tolerance);
  } else {
    return a == b;
  }
}

bool compareNear(Call &c, const Tensor &a, const Tensor &b, Near how, bool &same) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return c.fail("what is expected is of another type");
  double tolerance = c.floatAttr("tolerance", 0.001);
  uint64_t least = uint64_t(std::max<int64_t>(attrOr(c.op, "min_ulp_difference", 0), 0));
  uint64_t most = uint64_t(std::max<int64_t>(attrOr(c.op, "max_ulp_difference", 3), 0));
  same = true;
  return c.charge(a.size()) && (visitAny(a.dtype(),
                                         [&]<class T>(T) {
                                           for (size_t i = 0; i < a.size() && same; ++i)
                                             same = isNear(a.data<T>()[i], b.data<T>()[i], how, tolerance, least, most);
                                           return true;
                                         }) ||
                                c.fail("not defined on " + std::string(dtypeName(a.dtype()))));
}

template <Near how> bool expect(Call &c) {
  bool same = false;
  return c.need(2) && compareNear(c, c.in[0], c.in[1], how, same) &&
         (same || c.fail("the operand is not what is expected"));
}
template <Near how> bool expectConstant(Call &c) {
  std::optional<Tensor> value = Tensor::fromAttr(c.op.context(), c.op.attrNamed("value"), c.budget.memory);
  bool same = false;
  return c.need(1) && (value || c.fail("what is expected cannot be read")) &&
         compareNear(c, c.in[0], *value, how, same) && (same || c.fail("the operand is not what is expected"));
}

/// Of what is outside the program, the checks that tests make are known.
bool customCall(Call &c) {
  std::string_view target = attrOr(c.op, "call_target_name", "");
  if (target == "check.expect_eq")
    return expect<Near::Equal>(c);
  if (target == "check.expect_almost_eq")
    return expect<Near::Almost>(c);
  if (target == "check.expect_close")
    return expect<Near::Close>(c);
  if (calledFor(target) == NamedCall::Place)
    return barrier(c);
  if (calledFor(target) == NamedCall::ThreeFry)
    return threeFryCall(c);
  if (calledFor(target) == NamedCall::Assert)
    return c.op.resultCount() == 0 || c.fail("it gives something");
  return c.fail("nothing is known of `" + std::string(target) + "`");
}

/// One number in the operand's shape.
bool constantLike(Call &c) {
  Tensor *r = c.need(1) ? c.result(0, c.in[0].dtype(), c.in[0].shape()) : nullptr;
  AttrId id = c.op.attrNamed("value");
  if (!r || !id)
    return false;
  const AttrData &value = c.op.context().attr(id);
  if (value.kind != AttrKind::Int && value.kind != AttrKind::Float)
    return c.fail("its value is no number");
  return visitReal(r->dtype(),
                   [&]<class T>(T) {
                     T element = value.kind == AttrKind::Int ? convertElement<T>(value.i) : convertElement<T>(value.f);
                     std::fill_n(r->mutableData<T>(), r->size(), element);
                     return true;
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(r->dtype())));
}

/// The first elements along a dimension, as many as the second operand says.
bool setDimensionSize(Call &c) {
  int64_t dim = attrOr(c.op, "dimension", -1);
  if (!c.need(2) || dim < 0 || dim >= int64_t(c.in[0].rank()) || c.in[1].size() != 1 || c.in[1].dtype() != DType::I32)
    return c.fail("operands do not go together");
  const Tensor &x = c.in[0];
  int64_t size = *c.in[1].data<int32_t>(), all = x.dim(size_t(dim)), inner = 1, outer = 1;
  if (size < 0 || size > all)
    return c.fail("there are not so many elements");
  Shape shape(x.shape().begin(), x.shape().end());
  shape[size_t(dim)] = size;
  for (int64_t i = 0; i < int64_t(x.rank()); ++i)
    (i < dim ? outer : inner) *= i == dim ? 1 : x.dim(size_t(i));
  Tensor *r = c.result(0, x.dtype(), shape);
  return r && visitAny(x.dtype(), [&]<class T>(T) {
           for (int64_t o = 0; o < outer; ++o)
             std::copy_n(x.data<T>() + o * all * inner, size * inner, r->mutableData<T>() + o * size * inner);
           return true;
         });
}

/// Slices along a dimension at indices, which are held between its first and last one.
bool indexSelect(Call &c) {
  if (!c.need(2))
    return false;
  const Tensor &x = c.in[0], &index = c.in[1];
  int64_t dim = attrOr(c.op, "dim", 0), batch = attrOr(c.op, "batch_dims", 0);
  bool fits = batch >= 0 && batch <= dim && dim < int64_t(x.rank()) && batch <= int64_t(index.rank());
  for (size_t i = 0; fits && i < size_t(batch); ++i)
    fits = x.dim(i) == index.dim(i);
  if (!fits)
    return c.fail("operands do not go together");
  Shape shape(x.shape().begin(), x.shape().begin() + dim);
  shape.insert(shape.end(), index.shape().begin() + batch, index.shape().end());
  shape.insert(shape.end(), x.shape().begin() + dim + 1, x.shape().end());
  auto product = [](const Shape &s, int64_t from, int64_t to) {
    int64_t all = 1;
    for (int64_t i = from; i < to; ++i)
      all *= s[size_t(i)];
    return all;
  };
  Tensor *r = c.result(0, x.dtype(), shape);
  if (!r)
    return false;
  int64_t outer = product(x.shape(), 0, batch), middle = product(x.shape(), batch, dim), n = x.dim(size_t(dim)),
          inner = product(x.shape(), dim + 1, int64_t(x.rank())),
          count = product(index.shape(), batch, int64_t(index.rank()));
  if (n == 0 && r->size() != 0)
    return c.fail("there is nothing to choose from");
  bool known = visitInt(index.dtype(), [&]<class I>(I) {
    return visitAny(x.dtype(), [&]<class T>(T) {
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t m = 0; m < middle; ++m)
          for (int64_t k = 0; k < count; ++k) {
            I wanted = index.data<I>()[o * count + k];
            int64_t at = std::cmp_less(wanted, 0) ? 0 : std::cmp_less(wanted, n) ? int64_t(wanted) : n - 1;
            std::copy_n(x.data<T>() + ((o * middle + m) * n + at) * inner, inner,
                        r->mutableData<T>() + ((o * middle + m) * count + k) * inner);
          }
      return true;
    });
  });
  return known || c.fail("the indices are no integers");
}

int leadingZeros(auto bits) { return std::countl_zero(bits); }

} // namespace

void addStablehloKernels(KernelTable &t) {
  t.add("stablehlo.is_finite", isFinite);
  t.add("stablehlo.cbrt", [](Call &c) { return eachFloat(c, [](auto x) { return std::cbrt(x); }); });
  t.add("stablehlo.tan", [](Call &c) { return eachFloat(c, [](auto x) { return std::tan(x); }); });
  t.add("stablehlo.round_nearest_afz", [](Call &c) { return eachFloat(c, [](auto x) { return std::round(x); }); });
  t.add("stablehlo.popcnt", [](Call &c) { return eachInt(c, [](auto x, int) { return std::popcount(x); }); });
  t.add("stablehlo.count_leading_zeros",
        [](Call &c) { return eachInt(c, [](auto x, int above) { return leadingZeros(x) - above; }); });
  t.add("stablehlo.reduce_precision", reducePrecision);
  t.add("stablehlo.bitcast_convert", bitcast);
  t.add("stablehlo.get_dimension_size", dimensionSize);
  t.add("stablehlo.optimization_barrier", barrier);
  t.add("stablehlo.gather", gather);
  t.add("stablehlo.dynamic_gather", gather);
  t.add("stablehlo.dynamic_reshape", dynamicReshape);
  t.add("stablehlo.dynamic_iota", dynamicIota);
  t.add("stablehlo.dynamic_broadcast_in_dim", dynamicBroadcast);
  t.add("stablehlo.dynamic_pad", dynamicPad);
  t.add("stablehlo.real_dynamic_slice", realDynamicSlice);
  t.add("stablehlo.convolution", convolution);
  t.add("stablehlo.dynamic_conv", convolution);
  t.add("stablehlo.fft", fft);
  t.add("chlo.acos", inDouble<std::acos>);
  t.add("chlo.acosh", inDouble<std::acosh>);
  t.add("chlo.asin", inDouble<std::asin>);
  t.add("chlo.asinh", inDouble<std::asinh>);
  t.add("chlo.atan", inDouble<std::atan>);
  t.add("chlo.atanh", inDouble<std::atanh>);
  t.add("chlo.bessel_i1e", inDouble<besselI1e>);
  t.add("chlo.cosh", coshOf);
  t.add("chlo.digamma", inDouble<digammaOf>);
  t.add("chlo.erf_inv", erfInv);
  t.add("chlo.erfc", inDouble<std::erfc>);
  t.add("chlo.lgamma", inDouble<std::lgamma>);
  t.add("chlo.next_after", nextAfter);
  t.add("chlo.polygamma", inDoubles<polygammaOf>);
  t.add("chlo.zeta", inDoubles<zetaOf>);
  t.add("stablehlo.cholesky", cholesky);
  t.add("chlo.sinh", sinhOf);
  t.add("chlo.tan", inDouble<std::tan>);
  t.add("chlo.top_k", topK);
  t.add("stablehlo.custom_call", customCall);
  t.add("stablehlo.torch_index_select", indexSelect);
  t.add("stablehlo.set_dimension_size", setDimensionSize);
  t.add("chlo.constant_like", constantLike);
  t.add("check.expect_eq", expect<Near::Equal>);
  t.add("check.expect_almost_eq", expect<Near::Almost>);
  t.add("check.expect_close", expect<Near::Close>);
  t.add("check.expect_eq_const", expectConstant<Near::Equal>);
  t.add("check.expect_almost_eq_const", expectConstant<Near::Almost>);
}

} // namespace rw
