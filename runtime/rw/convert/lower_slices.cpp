// Slices at computed places.
#include "rw/convert/build.h"
#include "rw/convert/region_lowerings.h"

namespace rw::convert {

namespace {

/// What a value's sizes along some dimensions are, as one list.
Value sizesAlong(Build &b, Value x, std::span<const int64_t> axes) {
  std::vector<int64_t> known;
  for (int64_t a : axes)
    if (Dim d = x.type().dims[size_t(a)]; d.isKnown())
      known.push_back(d.size());
  if (known.size() == axes.size())
    return b.ints(known);
  return b.op("onnx.Gather", {b.op("onnx.Shape", {x}), b.ints(axes)}, {},
              b.tensor(DType::I64, {Dim(int64_t(axes.size()))}));
}

/// Places along some dimensions as one list, moved inside: windows of these sizes.
Value placesInside(Build &b, Value x, std::span<const Value> starts, std::span<const int64_t> axes, Value sizes) {
  Context &ctx = b.ctx;
  PatternRewriter &rw = b.rw;
  std::vector<Value> parts;
  for (size_t i = 0; i < axes.size() && i < starts.size(); ++i) {
    Value start = starts[i];
    if (start.type().dtype == DType::U64) { // what i64 has not lies behind the end, too
      TypeId scalar = b.tensor(DType::U64, {});
      const int64_t most[] = {INT64_MAX};
      start = b.op(
          "stablehlo.minimum",
          {start, rw.materializeConstant("stablehlo", tensorOf(ctx, std::span<const int64_t>(most), scalar), scalar)});
    }
    parts.push_back(b.unsqueeze(b.convert(start, DType::I64), 0));
  }
  Value list = b.concat(parts, 0, Dim(int64_t(parts.size())));
  Value most = b.op("onnx.Sub", {sizesAlong(b, x, axes), sizes}); // a number, once constants are folded
  return b.op("onnx.Min", {b.op("onnx.Max", {list, b.ints({0})}), most});
}

/// stablehlo.dynamic_slice.
std::vector<Value> slicedAt(Build &b, Op op) {
  Value x = op.operand(0);
  std::vector<int64_t> window = intsOf(op, "slice_sizes"), axes, sizes;
  if (!x.type().ranked || window.size() != x.type().dims.size())
    return {};
  std::vector<Value> starts;
  Dims dims;
  for (size_t d = 0; d < window.size(); ++d) {
    dims.push_back(Dim(window[d]));
    if (x.type().dims[d] == Dim(window[d])) // all there is
      continue;
    axes.push_back(int64_t(d));
    sizes.push_back(window[d]);
    starts.push_back(op.operand(unsigned(1 + d)));
  }
  if (axes.empty())
    return {x};
  Value first = placesInside(b, x, starts, axes, b.ints(sizes));
  Value behind = b.op("onnx.Add", {first, b.ints(sizes)});
  return {b.op("onnx.Slice", {x, first, behind, b.ints(axes)}, {}, b.shaped(x, dims))};
}

/// stablehlo.dynamic_update_slice.
std::vector<Value> updatedAt(Build &b, Op op) {
  Value x = op.operand(0), update = op.operand(1);
  if (!x.type().ranked || !update.type().ranked)
    return {};
  std::vector<Dim> whole(x.type().dims.begin(), x.type().dims.end()),
      part(update.type().dims.begin(), update.type().dims.end());
  std::vector<Value> starts;
  std::vector<int64_t> axes;
  for (size_t d = 0; d < whole.size(); ++d) {
    if (part[d] == Dim(0))
      return {x}; // nothing is written
    if (provablyEqual(whole[d], part[d]))
      continue;
    axes.push_back(int64_t(d));
    starts.push_back(op.operand(unsigned(2 + d)));
  }
  if (axes.empty())
    return {update};
  Value sizes = sizesAlong(b, update, axes);
  Value first = placesInside(b, x, starts, axes, sizes);
  Value behind = b.op("onnx.Add", {first, sizes});
  if (!b.ok())
    return {};
  // The operand where the update goes in all dimensions before the i-th one: cut smaller and smaller.
  std::vector<Value> pieces{x}, from, to;
  auto cut = [&](Value v, size_t i, Value start, Value end, Dim size) {
    Dims dims;
    for (Dim d : v.type().dims)
      dims.push_back(d);
    dims[size_t(axes[i])] = size;
    return b.op("onnx.Slice", {v, start, end, b.ints({axes[i]})}, {}, b.shaped(v, dims));
  };
  for (size_t i = 0; i < axes.size() && b.ok(); ++i) {
    bool isOnly = axes.size() == 1;
    std::vector<int64_t> at{int64_t(i)};
    TypeId one = b.tensor(DType::I64, {Dim(1)});
    from.push_back(isOnly ? first : b.op("onnx.Gather", {first, b.ints(at)}, {}, one));
    to.push_back(isOnly ? behind : b.op("onnx.Gather", {behind, b.ints(at)}, {}, one));
    if (i + 1 < axes.size())
      pieces.push_back(cut(pieces.back(), i, from[i], to[i], part[size_t(axes[i])]));
  }
  Value y = update;
  for (size_t i = axes.size(); i-- > 0 && b.ok();) {
    Value before = cut(pieces[i], i, b.ints({0}), from[i], Dim::unknown());
    Value after = cut(pieces[i], i, to[i], b.ints({Build::kToEnd}), Dim::unknown());
    Value parts[] = {before, y, after};
    y = b.concat(parts, size_t(axes[i]), whole[size_t(axes[i])]);
  }
  return {y};
}

} // namespace

bool lowerDynamicSlice(LoweringContext &ctx) { return lowerBy<slicedAt>(ctx); }
bool lowerDynamicUpdateSlice(LoweringContext &ctx) { return lowerBy<updatedAt>(ctx); }

} // namespace rw::convert
