// Reductions, windows and maps with any body of elementwise ops: the body is applied to slices that hold many elements
// each.
//
// A reduction takes elements together in pairs, and these in pairs again: so few ops do it, in the order in which the
// elements stand. Where the body's results depend on how elements are grouped, or how many there are is not known, they
// are taken one after another: a few of them by ops of their own, more in a Loop. A small window is taken element by
// element, as it is defined; a large one dimension by dimension, the last one first, from what windows of 1, 2, 4, …
// elements give: each element takes part once, in order.
#include "rw/convert/associative.h"
#include "rw/convert/region_lowerings.h"
#include "rw/convert/scalar_region.h"

#include <algorithm>
#include <numeric>

namespace rw::convert {

namespace {

/// What is done to all inputs alike.
template <class F> std::vector<Value> each(std::span<const Value> values, F f) {
  std::vector<Value> out;
  for (Value v : values)
    out.push_back(f(v));
  return out;
}

std::vector<Value> joined(std::span<const Value> a, std::span<const Value> b) {
  std::vector<Value> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

std::vector<Value> operandsOf(Op op, size_t first, size_t count) {
  std::vector<Value> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(op.operand(unsigned(first + i)));
  return out;
}

/// The region's element types: what inputs become first.
std::vector<Value> asParams(Build &b, Op op, unsigned region, std::span<const Value> values, size_t firstParam) {
  std::vector<Value> out;
  for (size_t i = 0; i < values.size(); ++i) {
    std::span<const ValueId> params = b.rw.function().params(op.regions()[region]);
    if (firstParam + i >= params.size())
      return b.fail("the region takes two values for each operand"), out;
    DType to = b.rw.function().value(params[firstParam + i]).type().dtype;
    out.push_back(b.convert(values[i], to));
  }
  return out;
}

bool isReady(Build &b, std::span<const Value> values) {
  return b.ok() && std::ranges::all_of(values, [](Value v) { return bool(v) && v.type().ranked; });
}

std::vector<Value> given(Build &b, const std::vector<Value> &values) {
  return isReady(b, values) ? values : std::vector<Value>();
}

/// One dimension of all values, taken together until one element is left: it goes.
std::vector<Value> foldAxis(Build &b, Op op, std::vector<Value> values, size_t axis, int64_t length) {
  while (length > 1 && isReady(b, values)) {
    int64_t pairs = length / 2, even = 2 * pairs;
    auto lower = each(values, [&](Value v) { return b.slice(v, axis, 0, even, 2, Dim(pairs)); });
    auto upper = each(values, [&](Value v) { return b.slice(v, axis, 1, even, 2, Dim(pairs)); });
    auto made = onTensors(b, op, 0, joined(lower, upper));
    if (!isReady(b, made))
      return {};
    for (size_t i = 0; i < made.size() && length % 2; ++i) {
      Value parts[] = {made[i], b.slice(values[i], axis, length - 1, Build::kToEnd, 1, Dim(1))};
      made[i] = b.concat(parts, axis, Dim(pairs + 1));
    }
    values = std::move(made);
    length = pairs + length % 2;
  }
  return each(values, [&](Value v) { return b.ok() && v ? b.squeeze(v, axis) : Value(); });
}

/// The initial values, each in the shape `dims`, that of these dimensions of `like`.
std::vector<Value> initially(Build &b, std::span<const Value> inits, Value like, std::span<const int64_t> places,
                             std::span<const Dim> dims) {
  return each(inits, [&](Value v) {
    if (dims.empty())
      return v;
    if (std::ranges::all_of(dims, [](Dim d) { return d.isKnown(); }))
      return b.op("stablehlo.broadcast_in_dim", {v},
                  {{"broadcast_dimensions", b.ctx.intsAttr({})}, {"shape", b.ctx.dimsAttr(dims)}});
    Value sizes = b.op("onnx.Gather", {b.op("onnx.Shape", {like}), b.ints(places)}, {},
                       b.tensor(DType::I64, {Dim(int64_t(dims.size()))}));
    return b.op("onnx.Expand", {v, sizes}, {}, b.shaped(v, dims));
  });
}

Value oneInt(Build &b, int64_t n) { return b.ints(std::span<const int64_t>(&n, 1), std::span<const int64_t>()); }

/// Elements along the last dimension, one after another, from `state` on.
std::vector<Value> oneAfterAnother(Build &b, Op op, std::span<const Value> values, std::vector<Value> state) {
  if (!isReady(b, values) || !isReady(b, state))
    return {};
  size_t axis = values[0].type().dims.size() - 1;
  NamedSetting along{"axis", b.ctx.intAttr(int64_t(axis))};
  Dim length = values[0].type().dims[axis];
  constexpr int64_t kWrittenOut = 16;
  if (length.isKnown() && length.size() <= kWrittenOut) {
    for (int64_t i = 0; i < length.size() && isReady(b, state); ++i) {
      auto parts = each(values, [&](Value v) {
        Value operands[] = {v, oneInt(b, i)};
        return b.op("onnx.Gather", operands, {&along, 1});
      });
      state = onTensors(b, op, 0, joined(state, parts));
    }
    return state;
  }
  Value count = length.isKnown() ? oneInt(b, length.size())
                                 : b.op("onnx.Gather", {b.op("onnx.Shape", {values[0]}), oneInt(b, int64_t(axis))});
  std::vector<Value> operands{count, Value()};
  std::vector<TypeId> types;
  for (Value v : state) {
    operands.push_back(v);
    types.push_back(v.typeId());
  }
  Op loop = b.ok() ? b.lowering.emit("Loop", operands, {}, types) : Op();
  if (!loop)
    return nothing(b, "the target has Loop");
  b.lowering.openRegion(loop);
  Value step = b.lowering.addParam(b.tensor(DType::I64, {})), going = b.lowering.addParam(b.tensor(DType::Bool, {}));
  std::vector<Value> inner;
  for (TypeId type : types)
    inner.push_back(b.lowering.addParam(type));
  auto parts = each(values, [&](Value v) {
    Value taken[] = {v, step};
    return b.op("onnx.Gather", taken, {&along, 1});
  });
  std::vector<Value> results{b.op("onnx.Identity", {going})};
  for (Value v : onTensors(b, op, 0, joined(inner, parts)))
    results.push_back(v);
  b.lowering.closeRegion(results);
  b.rw.setInsertionPoint(op); // behind the loop
  if (!b.ok() || results.size() != state.size() + 1)
    return {};
  std::vector<Value> out;
  for (unsigned i = 0; i < state.size(); ++i)
    out.push_back(loop.result(i));
  return out;
}

/// stablehlo.reduce.
std::vector<Value> folded(Build &b, Op op) {
  size_t n = op.operandCount() / 2;
  std::vector<int64_t> gone = intsOf(op, "dimensions");
  std::ranges::sort(gone);
  std::vector<Value> values = asParams(b, op, 0, operandsOf(op, 0, n), n),
                     inits = asParams(b, op, 0, operandsOf(op, n, n), 0);
  if (!isReady(b, values))
    return {};
  std::span<const Dim> shape = values[0].type().dims;
  int64_t length = 1;
  Dims dims;
  std::vector<int64_t> perm, target;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!std::ranges::binary_search(gone, int64_t(d))) {
      perm.push_back(int64_t(d));
      target.push_back(0);
      dims.push_back(shape[d]);
    }
  bool isKnown = true;
  for (int64_t d : gone) {
    perm.push_back(d);
    isKnown = isKnown && shape[size_t(d)].isKnown();
    if (isKnown && __builtin_mul_overflow(length, shape[size_t(d)].size(), &length))
      return nothing(b, "what is reduced is no larger than memory");
  }
  if (isKnown && length == 0) // nothing but initial values
    return given(b, initially(b, inits, values[0], std::span(perm).first(dims.size()), dims));
  size_t axis = dims.size();
  target.push_back(isKnown ? length : -1);
  Dims flat = dims;
  flat.push_back(isKnown ? Dim(length) : gone.size() == 1 ? shape[size_t(gone[0])] : Dim::unknown());
  values = each(values, [&](Value v) { return b.reshape(b.transpose(v, perm), target, flat); });
  if (!isReady(b, values))
    return {};
  if (!isKnown || !isAssociative(op, 0)) {
    std::vector<int64_t> inFront(dims.size());
    std::iota(inFront.begin(), inFront.end(), int64_t(0));
    return given(b, oneAfterAnother(b, op, values, initially(b, inits, values[0], inFront, dims)));
  }
  values = foldAxis(b, op, std::move(values), axis, length);
  if (!isReady(b, values))
    return {};
  SingleOp single = n == 1 ? singleOp(op, 0) : SingleOp();
  if (single.op && isNeutral(single.op, op.operand(1)))
    return given(b, values);
  inits = each(inits, [&](Value v) { return b.spread(v, values[0]); });
  return given(b, onTensors(b, op, 0, joined(inits, values)));
}

/// stablehlo.map.
std::vector<Value> onTensorsOf(Build &b, Op op) {
  return given(b, onTensors(b, op, 0, operandsOf(op, 0, op.operandCount())));
}

struct Windows {
  std::vector<int64_t> size, stride, base, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
};

/// Elements that windows begin with: offset `at` of each dimension.
Value windowPart(Build &b, Value x, const Windows &w, std::span<const int64_t> at, std::span<const Dim> windows) {
  std::vector<int64_t> starts, ends, axes, steps;
  for (size_t d = 0; d < w.size.size(); ++d)
    if (w.size[d] != 1 || w.stride[d] != 1) {
      int64_t behind = (w.size[d] - 1 - at[d]) * w.dilation[d];
      starts.push_back(at[d] * w.dilation[d]);
      ends.push_back(behind == 0 ? Build::kToEnd : -behind);
      axes.push_back(int64_t(d));
      steps.push_back(w.stride[d]);
    }
  return axes.empty() ? x
                      : b.op("onnx.Slice", {x, b.ints(starts), b.ints(ends), b.ints(axes), b.ints(steps)}, {},
                             b.shaped(x, windows));
}

/// Windows along one dimension.
std::vector<Value> foldWindows(Build &b, Op op, std::vector<Value> powers, size_t axis, int64_t size, int64_t stride,
                               int64_t dilation, Dim from, Dim windows) {
  std::vector<Value> result;
  DimTable &dims = b.ctx.dims();
  int64_t covered = 0;
  for (int64_t p = 1; p <= size && isReady(b, powers); p *= 2) {
    if (size & p) {
      int64_t behind = (size - p - covered) * dilation;
      auto parts = each(powers, [&](Value v) {
        return b.slice(v, axis, covered * dilation, behind == 0 ? Build::kToEnd : -behind, stride, windows);
      });
      result = covered == 0 ? parts : onTensors(b, op, 0, joined(result, parts));
      covered += p;
    }
    if (2 * p <= size) {
      Dim next = dims.sub(from, Dim((2 * p - 1) * dilation));
      auto lower = each(powers, [&](Value v) { return b.slice(v, axis, 0, -p * dilation, 1, next); });
      auto upper = each(powers, [&](Value v) { return b.slice(v, axis, p * dilation, Build::kToEnd, 1, next); });
      powers = onTensors(b, op, 0, joined(lower, upper));
    }
  }
  return result;
}

/// stablehlo.reduce_window.
std::vector<Value> windowsFolded(Build &b, Op op) {
  size_t n = op.operandCount() / 2;
  Windows w{intsOf(op, "window_dimensions"), intsOf(op, "window_strides"), intsOf(op, "base_dilations"),
            intsOf(op, "window_dilations"), pairsOf(op, "padding")};
  std::vector<Value> values = asParams(b, op, 0, operandsOf(op, 0, n), n),
                     inits = asParams(b, op, 0, operandsOf(op, n, n), 0);
  if (!isReady(b, values))
    return {};
  size_t rank = values[0].type().dims.size();
  std::span<const Dim> out = op.result().type().dims;
  if (w.size.size() != rank || w.padding.size() != rank || out.size() != rank)
    return {};
  constexpr int64_t kMost = int64_t(1) << 40; // of what is computed below
  for (size_t d = 0; d < rank; ++d)
    if (w.size[d] >= kMost / w.dilation[d] || w.stride[d] >= kMost)
      return nothing(b, "windows are no larger than tensors");
  // Without windows there is nothing to take elements of.
  auto sizes = sizesOf(op.result());
  if (sizes && std::ranges::find(*sizes, 0) != sizes->end())
    return given(b, each(inits, [&](Value v) {
                   return b.op("stablehlo.broadcast_in_dim", {v},
                               {{"broadcast_dimensions", b.ctx.intsAttr({})}, {"shape", b.ctx.dimsAttr(out)}});
                 }));
  bool isPadded = false;
  std::vector<int64_t> low, high, between;
  for (size_t d = 0; d < rank; ++d) {
    low.push_back(w.padding[d].first);
    high.push_back(w.padding[d].second);
    between.push_back(w.base[d] - 1);
    isPadded = isPadded || low[d] != 0 || high[d] != 0 || between[d] != 0;
  }
  for (size_t i = 0; i < n && isPadded && b.ok(); ++i)
    values[i] = b.op("stablehlo.pad", {values[i], inits[i]},
                     {{"edge_padding_low", b.ctx.intsAttr(low)},
                      {"edge_padding_high", b.ctx.intsAttr(high)},
                      {"interior_padding", b.ctx.intsAttr(between)}});
  if (!isReady(b, values))
    return {};
  SingleOp single = n == 1 ? singleOp(op, 0) : SingleOp();
  bool isNothing = single.op && isNeutral(single.op, op.operand(1));
  int64_t elements = 1;
  constexpr int64_t kSmallWindow = 16, kWrittenOut = 1024;
  for (int64_t size : w.size)
    elements = elements > kWrittenOut ? elements : elements * size;
  bool inAnyGrouping = elements <= kSmallWindow || isAssociative(op, 0);
  if (!inAnyGrouping && elements > kWrittenOut)
    return nothing(b, "windows are small, or their body takes elements together in any grouping");
  if (elements <= kSmallWindow || !inAnyGrouping) {
    std::vector<Value> state;
    std::vector<int64_t> at(rank, 0);
    for (int64_t k = 0; k < elements && b.ok(); ++k) {
      auto parts = each(values, [&](Value v) { return windowPart(b, v, w, at, out); });
      if (k == 0 && b.ok() && !isNothing)
        state = each(inits, [&](Value v) { return b.spread(v, parts[0]); });
      state = k == 0 && isNothing ? parts : onTensors(b, op, 0, joined(state, parts));
      for (size_t d = rank; d-- > 0;) {
        if (++at[d] < w.size[d])
          break;
        at[d] = 0;
      }
    }
    return given(b, state);
  }
  for (size_t d = rank; d-- > 0;)
    if (w.size[d] != 1 || w.stride[d] != 1)
      values = foldWindows(b, op, std::move(values), d, w.size[d], w.stride[d], w.dilation[d],
                           isReady(b, values) ? values[0].type().dims[d] : Dim(), out[d]);
  if (!isReady(b, values))
    return {};
  if (isNothing)
    return given(b, values);
  inits = each(inits, [&](Value v) { return b.spread(v, values[0]); });
  return given(b, onTensors(b, op, 0, joined(inits, values)));
}

} // namespace

bool lowerReduce(LoweringContext &ctx) { return lowerBy<folded>(ctx); }
bool lowerReduceWindow(LoweringContext &ctx) { return lowerBy<windowsFolded>(ctx); }
bool lowerMap(LoweringContext &ctx) { return lowerBy<onTensorsOf>(ctx); }

} // namespace rw::convert
