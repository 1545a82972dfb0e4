// gather and scatter: index vectors become the indices of GatherND and ScatterND.
//
// Dimensions of the operand are of three kinds: those that an index names (`places`), and those of which each window
// has all (`rows`), which are moved behind; of `places` some have more than one element in a window (`spans`), for
// which there are so many indices. Where a window of a scatter reaches outside, it is written into a slice beyond the
// operand's last one, which is cut off again.
#include "rw/convert/region_lowerings.h"
#include "rw/convert/scalar_region.h"

#include <algorithm>
#include <numeric>

namespace rw::convert {

namespace {

using Ints = std::vector<int64_t>;

bool holds(std::span<const int64_t> list, int64_t x) { return std::ranges::find(list, x) != list.end(); }
int64_t placeIn(std::span<const int64_t> list, int64_t x) { return std::ranges::find(list, x) - list.begin(); }
Ints upTo(int64_t n) {
  Ints out(size_t(std::max<int64_t>(n, 0)));
  std::iota(out.begin(), out.end(), int64_t(0));
  return out;
}

/// Index vectors as i64, their components in the last dimension.
Value indexVectors(Build &b, Value starts, int64_t vectorDim) {
  int64_t rank = int64_t(starts.type().dims.size());
  if (starts.type().dtype == DType::U64) { // what i64 has not lies outside, too
    TypeId scalar = b.tensor(DType::U64, {});
    AttrId most = tensorOf(b.ctx, std::span<const int64_t>(std::initializer_list<int64_t>{INT64_MAX}), scalar);
    starts = b.op("stablehlo.minimum", {starts, b.spread(b.rw.materializeConstant("stablehlo", most, scalar), starts)});
  }
  starts = b.convert(starts, DType::I64);
  if (vectorDim == rank)
    return b.unsqueeze(starts, size_t(rank));
  Ints perm = upTo(rank);
  perm.erase(perm.begin() + vectorDim);
  perm.push_back(vectorDim);
  return b.transpose(starts, perm);
}

/// Sizes of dimensions, as a list: constant where they are known.
Value sizes(Build &b, Value x, std::span<const int64_t> dims) {
  Ints known;
  for (int64_t d : dims)
    if (Dim size = x.type().dims[size_t(d)]; size.isKnown())
      known.push_back(size.size());
  if (known.size() == dims.size())
    return b.ints(known);
  return b.op("onnx.Gather", {b.op("onnx.Shape", {x}), b.ints(dims)}, {},
              b.tensor(DType::I64, {Dim(int64_t(dims.size()))}));
}

/// The last start at which a window lies inside, of each component.
Value lastStarts(Build &b, Value x, std::span<const int64_t> map, std::span<const int64_t> window) {
  Ints known;
  for (size_t i = 0; i < map.size(); ++i)
    if (Dim size = x.type().dims[size_t(map[i])]; size.isKnown())
      known.push_back(size.size() - window[i]);
  if (known.size() == map.size())
    return b.ints(known);
  return b.op("onnx.Sub", {sizes(b, x, map), b.ints(window)});
}

/// Some components of index vectors, in this order.
Value components(Build &b, Value vectors, std::span<const int64_t> which) {
  size_t last = vectors.type().dims.size() - 1;
  if (std::ranges::equal(which, upTo(vectors.type().dims[last].size())))
    return vectors;
  return b.op("onnx.Gather", {vectors, b.ints(which)}, {{"axis", b.ctx.intAttr(int64_t(last))}});
}

/// What is added to index vectors for each element of a window: of shape spans + [components].
Value spanGrid(Build &b, std::span<const int64_t> places, std::span<const int64_t> spans,
               std::span<const int64_t> spanSizes) {
  Ints shape(spanSizes.begin(), spanSizes.end()), grid;
  int64_t count = 1;
  constexpr int64_t kMost = int64_t(1) << 24;
  for (int64_t s : spanSizes)
    if (s > kMost || (count *= s) > kMost)
      return b.fail("windows have at most 2^24 elements");
  Ints at(spans.size(), 0);
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t p : places)
      grid.push_back(holds(spans, p) ? at[size_t(placeIn(spans, p))] : 0);
    for (size_t d = spans.size(); d-- > 0;) {
      if (++at[d] < spanSizes[d])
        break;
      at[d] = 0;
    }
  }
  shape.push_back(int64_t(places.size()));
  return b.ints(grid, shape);
}

/// Index vectors with as many dimensions of 1 before the components.
Value spread(Build &b, Value vectors, size_t spans) {
  if (!b.ok())
    return {};
  Ints axes;
  for (size_t i = 0; i < spans; ++i)
    axes.push_back(int64_t(vectors.type().dims.size() - 1 + i));
  return spans == 0 ? vectors : b.op("onnx.Unsqueeze", {vectors}, {{"axes", b.ctx.intsAttr(axes)}});
}

/// Whole numbers that have the shape of index vectors once they are stretched, with one component each.
Value stretchedTo(Build &b, Value numbers, Value vectors) {
  if (!b.ok())
    return {};
  Dims dims;
  Ints target;
  for (Dim d : vectors.type().dims)
    dims.push_back(d);
  dims[dims.size() - 1] = Dim(1);
  for (Dim d : dims)
    if (d.isKnown())
      target.push_back(d.size());
  Value to;
  if (target.size() == dims.size()) {
    to = b.ints(target);
  } else {
    Value shapeOf = b.op("onnx.Shape", {vectors});
    Value outer = b.op("onnx.Slice", {shapeOf, b.ints({0}), b.ints({-1}), b.ints({0})}, {},
                       b.tensor(DType::I64, {Dim(int64_t(dims.size()) - 1)}));
    Value parts[] = {outer, b.ints({1})};
    to = b.concat(parts, 0, Dim(int64_t(dims.size())));
  }
  return b.op("onnx.Expand", {numbers, to}, {}, b.tensor(DType::I64, dims));
}

/// 0 for each index vector.
Value zeroFor(Build &b, Value vectors) {
  Ints target;
  for (size_t i = 0; b.ok() && i + 1 < vectors.type().dims.size() && vectors.type().dims[i].isKnown(); ++i)
    target.push_back(vectors.type().dims[i].size());
  if (!b.ok() || target.size() + 1 != vectors.type().dims.size())
    return stretchedTo(b, b.ints({0}), vectors);
  target.push_back(1);
  int64_t count = std::accumulate(target.begin(), target.end(), int64_t(1), std::multiplies<>());
  return b.ints(Ints(size_t(count), 0), target);
}

/// 0, 1, … along one of the dimensions before the components, of which there is one.
Value counted(Build &b, Value vectors, int64_t along) {
  if (!b.ok())
    return {};
  Dim length = vectors.type().dims[size_t(along)];
  if (!length.isKnown())
    return b.fail("batching dimensions have known sizes");
  Ints shape(vectors.type().dims.size(), 1);
  shape[size_t(along)] = length.size();
  Value numbers = b.ints(upTo(length.size()), shape);
  bool isAll = true;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    isAll = isAll && vectors.type().dims[i] == Dim(shape[i]);
  return isAll ? numbers : stretchedTo(b, numbers, vectors);
}

/// stablehlo.gather.
std::vector<Value> gathered(Build &b, Op op) {
  Context &ctx = b.ctx;
  Value x = op.operand(0), starts = op.operand(1);
  if (!x.type().ranked || !starts.type().ranked || !op.result().type().ranked)
    return {};
  Ints offsets = intsOf(op, "offset_dims"), collapsed = intsOf(op, "collapsed_slice_dims"),
       batching = intsOf(op, "operand_batching_dims"), startBatching = intsOf(op, "start_indices_batching_dims"),
       map = intsOf(op, "start_index_map"), window = intsOf(op, "slice_sizes");
  int64_t vectorDim = attrOr(op, "index_vector_dim", 0), rank = int64_t(x.type().dims.size()),
          startRank = int64_t(starts.type().dims.size());
  if (window.size() != size_t(rank))
    return {};
  for (const Ints *left : {&collapsed, &batching})
    for (int64_t d : *left)
      if (window[size_t(d)] == 0)
        return nothing(b, "dimensions that are left out have elements");
  std::span<const Dim> shape = x.type().dims;
  auto isWhole = [&](int64_t d) { return shape[size_t(d)].isKnown() && shape[size_t(d)].size() == window[size_t(d)]; };
  Dims resultDims;
  for (Dim d : op.result().type().dims)
    resultDims.push_back(d);
  Ints places, used, rows, spans, spanSizes, kept;
  for (size_t i = 0; i < map.size(); ++i) // where a window has all there is, it starts at 0
    if (!isWhole(map[i]) || (holds(collapsed, map[i]) && map.size() == 1)) {
      places.push_back(map[i]);
      used.push_back(int64_t(i));
    }
  for (int64_t d = 0; d < rank; ++d) {
    if (!holds(collapsed, d) && !holds(batching, d))
      kept.push_back(d);
    if (holds(places, d) || holds(batching, d))
      continue;
    rows.push_back(d);
    if (!isWhole(d)) // starts at 0
      x = b.slice(x, size_t(d), 0, window[size_t(d)], 1, Dim(window[size_t(d)]));
  }
  for (int64_t d : kept)
    if (holds(places, d)) {
      spans.push_back(d);
      spanSizes.push_back(window[size_t(d)]);
    }
  // Vectors with the batching dimensions first, as the operand has them.
  Value vectors = indexVectors(b, starts, vectorDim);
  if (!b.ok())
    return {};
  auto outerOf = [&](int64_t d) { return d - (d < vectorDim ? 0 : 1); }; // a dimension of starts among those of vectors
  Ints outer;
  for (int64_t d : startBatching)
    outer.push_back(outerOf(d));
  int64_t outerRank = startRank - (vectorDim < startRank ? 1 : 0);
  for (int64_t d = 0; d < outerRank; ++d)
    if (!holds(std::span(outer).first(batching.size()), d))
      outer.push_back(d);
  Ints vectorPerm = outer;
  vectorPerm.push_back(outerRank);
  vectors = b.transpose(vectors, vectorPerm);
  Ints perm = batching, limits;
  for (int64_t d : places)
    perm.push_back(d), limits.push_back(window[size_t(d)]);
  for (int64_t d : rows)
    perm.push_back(d);
  Value data = b.transpose(x, perm);
  Value indices;
  if (places.empty()) { // one place there is: a dimension of 1 that all indices name
    data = b.unsqueeze(data, batching.size());
    indices = zeroFor(b, vectors);
    places.push_back(-1);
  } else {
    vectors = components(b, vectors, used);
    Value last = lastStarts(b, op.operand(0), places, limits);
    indices = b.op("onnx.Min", {b.op("onnx.Max", {vectors, b.ints({0})}), last});
    indices = spread(b, indices, spans.size());
    if (!spans.empty())
      indices = b.op("onnx.Add", {indices, spanGrid(b, places, spans, spanSizes)});
  }
  // GatherND gives outer dimensions, spans, rows.
  Dims madeDims(size_t(outerRank) + spans.size() + rows.size(), Dim());
  Ints order; // of result dimensions among those
  Ints gone;  // rows that are left out
  for (size_t i = 0; i < rows.size(); ++i)
    if (!holds(kept, rows[i]))
      gone.push_back(outerRank + int64_t(spans.size() + i));
  Ints keptRows;
  for (int64_t d : rows)
    if (holds(kept, d))
      keptRows.push_back(d);
  for (size_t i = 0, o = 0; i < resultDims.size(); ++i) {
    if (holds(offsets, int64_t(i))) {
      int64_t d = kept[size_t(placeIn(offsets, int64_t(i)))];
      order.push_back(holds(spans, d) ? outerRank + placeIn(spans, d)
                                      : outerRank + int64_t(spans.size()) + placeIn(keptRows, d));
    } else {
      order.push_back(placeIn(outer, int64_t(o++)));
    }
  }
  Dims shortDims(order.size(), Dim());
  for (size_t i = 0; i < order.size(); ++i)
    shortDims[size_t(order[i])] = resultDims[i];
  for (size_t i = 0, s = 0; i < madeDims.size(); ++i)
    madeDims[i] =
        holds(gone, int64_t(i)) ? Dim(window[size_t(rows[i - size_t(outerRank) - spans.size()])]) : shortDims[s++];
  Value made = b.op("onnx.GatherND", {data, indices}, {{"batch_dims", ctx.intAttr(int64_t(batching.size()))}},
                    b.shaped(op.operand(0), madeDims));
  if (!gone.empty())
    made = b.op("onnx.Squeeze", {made}, {{"axes", ctx.intsAttr(gone)}}, b.shaped(op.operand(0), shortDims));
  made = b.transpose(made, order);
  return b.ok() ? std::vector<Value>{made} : std::vector<Value>();
}

/// What ScatterND does for a result of the region: puts, adds, …; none if it has no such way.
std::optional<std::string_view> reductionOf(Op op, size_t i, size_t n) {
  RegionId region = op.regions()[0];
  Op end = op.fn->terminator(region);
  std::span<const ValueId> params = op.fn->params(region);
  if (!end || end.operandCount() != n || params.size() != 2 * n)
    return std::nullopt;
  Value result = end.operand(unsigned(i));
  if (result.typeId() != op.fn->value(params[i]).typeId() ||
      result.type().dtype != op.operand(unsigned(i)).type().dtype)
    return std::nullopt;
  if (result.id == params[n + i])
    return "none";
  Op body = result.definingOp();
  if (!body || body.region() != region || body.operandCount() != 2 || isComplex(result.type().dtype))
    return std::nullopt;
  bool fits = (body.operand(0).id == params[i] && body.operand(1).id == params[n + i]) ||
              (body.operand(1).id == params[i] && body.operand(0).id == params[n + i]);
  if (!fits)
    return std::nullopt;
  std::string_view name = body.fullName();
  bool isBool = result.type().dtype == DType::Bool;
  if (name == "stablehlo.maximum" || (isBool && (name == "stablehlo.or" || name == "stablehlo.add")))
    return "max";
  if (name == "stablehlo.minimum" || (isBool && (name == "stablehlo.and" || name == "stablehlo.multiply")))
    return "min";
  if (name == "stablehlo.add")
    return "add";
  if (name == "stablehlo.multiply")
    return "mul";
  return std::nullopt;
}

/// The type that engines have such sums, products and extremes of.
DType computedIn(DType t, std::string_view how) {
  if (t == DType::BF16 || (t == DType::F16 && how != "none"))
    return DType::F32;
  return t == DType::Bool && how != "none" ? DType::I32 : t;
}

/// stablehlo.scatter.
std::vector<Value> scattered(Build &b, Op op) {
  Context &ctx = b.ctx;
  PatternRewriter &rw = b.rw;
  size_t n = op.operandCount() / 2;
  if (op.operandCount() != 2 * n + 1 || op.regions().size() != 1)
    return {};
  Value first = op.operand(0), starts = op.operand(unsigned(n)), update = op.operand(unsigned(n) + 1);
  if (!first.type().ranked || !starts.type().ranked || !update.type().ranked)
    return {};
  Ints windowDims = intsOf(op, "update_window_dims"), inserted = intsOf(op, "inserted_window_dims"),
       batching = intsOf(op, "input_batching_dims"), startBatching = intsOf(op, "scatter_indices_batching_dims"),
       map = intsOf(op, "scatter_dims_to_operand_dims");
  int64_t vectorDim = attrOr(op, "index_vector_dim", 0), rank = int64_t(first.type().dims.size()),
          startRank = int64_t(starts.type().dims.size());
  std::span<const Dim> shape = first.type().dims;
  std::vector<Dim> updateShape(update.type().dims.begin(), update.type().dims.end());
  // Sizes of windows in all dimensions of the input.
  std::vector<Dim> window(size_t(rank), Dim(1));
  Ints kept;
  for (int64_t d = 0; d < rank; ++d)
    if (!holds(inserted, d) && !holds(batching, d))
      kept.push_back(d);
  if (kept.size() != windowDims.size())
    return {};
  for (size_t i = 0; i < kept.size(); ++i)
    window[size_t(kept[i])] = updateShape[size_t(windowDims[i])];
  auto unchanged = [&] {
    std::vector<Value> out;
    for (size_t i = 0; i < n; ++i) {
      if (op.operand(unsigned(i)).typeId() != op.result(unsigned(i)).typeId())
        return nothing(b, "results are of their inputs' types");
      out.push_back(op.operand(unsigned(i)));
    }
    return out;
  };
  for (Dim d : updateShape)
    if (d == Dim(0))
      return unchanged();
  auto isWhole = [&](int64_t d) { return provablyEqual(window[size_t(d)], shape[size_t(d)]); };
  Ints places, rows, spans, spanSizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (holds(kept, d) && isWhole(d)) {
      rows.push_back(d); // its window starts at 0, or lies outside
      continue;
    }
    places.push_back(d);
    if (holds(kept, d) && window[size_t(d)] != Dim(1)) {
      if (!window[size_t(d)].isKnown())
        return nothing(b, "windows have known sizes");
      spans.push_back(d);
      spanSizes.push_back(window[size_t(d)].size());
    }
  }
  // Windows must be smaller than what they go into.
  Ints limits;
  for (int64_t d : map) {
    if (!window[size_t(d)].isKnown()) {
      if (!isWhole(d))
        return nothing(b, "windows have known sizes");
      limits.push_back(-1);
      continue;
    }
    if (shape[size_t(d)].isKnown() && window[size_t(d)].size() > shape[size_t(d)].size())
      return unchanged();
    limits.push_back(window[size_t(d)].size());
  }
  for (int64_t d : places)
    if (!holds(map, d) && shape[size_t(d)] == Dim(0))
      return unchanged();
  Value vectors = indexVectors(b, starts, vectorDim);
  if (!b.ok())
    return {};
  int64_t outerRank = startRank - (vectorDim < startRank ? 1 : 0);
  // Which windows lie inside: none is asked of constants that all do.
  Value valid;
  {
    Ints asked;
    for (size_t i = 0; i < map.size(); ++i)
      asked.push_back(int64_t(i));
    bool allInside = asked.empty();
    auto held = starts.constant() ? intsOfTensor(ctx, starts.constant()) : std::nullopt;
    if (held && !asked.empty()) {
      int64_t inner = 1, length = vectorDim < startRank ? starts.type().dims[size_t(vectorDim)].size() : 1;
      for (int64_t d = vectorDim + 1; d < startRank; ++d)
        inner *= starts.type().dims[size_t(d)].size();
      allInside = true;
      for (size_t k = 0; k < held->size() && allInside; ++k) {
        int64_t c = int64_t(k) / std::max<int64_t>(inner, 1) % std::max<int64_t>(length, 1);
        Dim size = shape[size_t(map[size_t(c)])];
        int64_t last = limits[size_t(c)] < 0 ? 0 : size.isKnown() ? size.size() - limits[size_t(c)] : -1;
        allInside = (*held)[k] >= 0 && (*held)[k] <= last;
      }
    }
    if (!allInside) {
      bool someUnknown = std::ranges::any_of(limits, [](int64_t l) { return l < 0; });
      Value last;
      if (someUnknown) { // windows that have all there is: their start must be 0
        Ints zeros;
        for (size_t i = 0; i < map.size(); ++i) {
          if (limits[i] >= 0 && !shape[size_t(map[i])].isKnown())
            return nothing(b, "dimensions that are indexed have known sizes");
          zeros.push_back(limits[i] < 0 ? 0 : shape[size_t(map[i])].size() - limits[i]);
        }
        last = b.ints(zeros);
      } else {
        last = lastStarts(b, first, map, limits);
      }
      Value inside = b.op("onnx.Equal", {vectors, b.op("onnx.Min", {b.op("onnx.Max", {vectors, b.ints({0})}), last})});
      if (map.size() > 1) {
        Value all = b.op("onnx.ReduceMin", {b.op("onnx.Cast", {inside}, {{"to", ctx.intAttr(6)}})},
                         {{"axes", ctx.intsAttr({outerRank})}, {"keepdims", ctx.intAttr(1)}});
        inside = b.op("onnx.Cast", {all}, {{"to", ctx.intAttr(9)}});
      }
      valid = spread(b, inside, spans.size());
    }
  }
  if (!b.ok())
    return {};
  // An index for each place: a component, a number along a batching dimension, or 0.
  bool extra = places.empty(); // all is rows: a dimension of 1 before them
  Ints used;
  std::vector<Value> parts;
  for (int64_t d : places)
    if (holds(map, d))
      used.push_back(placeIn(map, d));
  Value base;
  if (!extra && used.size() == places.size()) {
    base = components(b, vectors, used);
  } else {
    for (int64_t d : places) {
      if (holds(map, d)) {
        Ints which{placeIn(map, d)};
        parts.push_back(components(b, vectors, which));
      } else if (holds(batching, d)) {
        int64_t along = startBatching[size_t(placeIn(batching, d))];
        parts.push_back(counted(b, vectors, along - (along < vectorDim ? 0 : 1)));
      } else {
        parts.push_back(zeroFor(b, vectors));
      }
    }
    if (extra)
      parts.push_back(zeroFor(b, vectors));
    base = b.concat(parts, size_t(outerRank), Dim(int64_t(parts.size())));
  }
  Ints named = places;
  if (extra)
    named.push_back(-1);
  Value indices = spread(b, base, spans.size());
  if (!spans.empty())
    indices = b.op("onnx.Add", {indices, spanGrid(b, named, spans, spanSizes)});
  if (!b.ok())
    return {};
  if (valid) { // those outside go beyond the end of the first place
    Ints beyond(named.size(), 0);
    Value to;
    if (extra || shape[size_t(places[0])].isKnown()) {
      beyond[0] = extra ? 1 : shape[size_t(places[0])].size();
      to = b.ints(beyond);
    } else {
      Ints one{places[0]};
      Value list[] = {sizes(b, first, one), b.ints(std::span(beyond).subspan(1))};
      to = beyond.size() == 1 ? list[0] : b.concat(list, 0, Dim(int64_t(beyond.size())));
    }
    indices = b.op("onnx.Where", {valid, indices, to});
  }
  // Inputs as places, rows; updates as outer dimensions, spans (and places of one element), rows.
  Ints perm = places;
  perm.insert(perm.end(), rows.begin(), rows.end());
  Ints updatePerm, ones;
  for (int64_t d = 0; d < int64_t(updateShape.size()); ++d)
    if (!holds(windowDims, d))
      updatePerm.push_back(d);
  auto windowDimOf = [&](int64_t d) { return windowDims[size_t(placeIn(kept, d))]; };
  for (int64_t d : spans)
    updatePerm.push_back(windowDimOf(d));
  for (int64_t d : places)
    if (holds(kept, d) && !holds(spans, d)) {
      ones.push_back(int64_t(updatePerm.size()));
      updatePerm.push_back(windowDimOf(d));
    }
  for (int64_t d : rows)
    updatePerm.push_back(windowDimOf(d));
  auto prepared = [&](Value x) {
    x = b.transpose(x, perm);
    if (extra)
      x = b.unsqueeze(x, 0);
    if (!valid || !b.ok())
      return x;
    Ints pads(2 * x.type().dims.size(), 0);
    pads[x.type().dims.size()] = 1;
    Dims dims;
    for (Dim d : x.type().dims)
      dims.push_back(d);
    Dim whole = dims[0];
    dims[0] = ctx.dims().add(whole, Dim(1));
    // A slice of whatever: the first one of the operand could be missing, so zeros.
    TypeId scalar = b.tensor(x.type().dtype, {});
    Value zero = rw.materializeConstant(
        "stablehlo", ctx.splatAttr(scalar, std::vector<std::byte>(dtypeBytes(x.type().dtype))), scalar);
    Ints low(dims.size(), 0), high(dims.size(), 0);
    high[0] = 1;
    return b.op("stablehlo.pad", {x, zero},
                {{"edge_padding_low", ctx.intsAttr(low)},
                 {"edge_padding_high", ctx.intsAttr(high)},
                 {"interior_padding", ctx.intsAttr(low)}},
                b.shaped(x, dims));
  };
  auto updatesOf = [&](Value u) {
    u = b.transpose(u, updatePerm);
    return ones.empty() ? u : b.op("onnx.Squeeze", {u}, {{"axes", ctx.intsAttr(ones)}});
  };
  auto restored = [&](Value y) {
    if (valid && b.ok())
      y = b.slice(y, 0, 0, -1, 1, extra ? Dim(1) : shape[size_t(places[0])]);
    if (extra)
      y = b.squeeze(y, 0);
    Ints back(perm.size());
    for (size_t i = 0; i < perm.size(); ++i)
      back[size_t(perm[i])] = int64_t(i);
    return b.transpose(y, back);
  };
  std::vector<Value> out;
  bool isSimple = true;
  for (size_t i = 0; i < n; ++i)
    isSimple = isSimple && reductionOf(op, i, n);
  if (isSimple) {
    for (size_t i = 0; i < n && b.ok(); ++i) {
      std::string_view how = *reductionOf(op, i, n);
      Value x = op.operand(unsigned(i)), u = op.operand(unsigned(n + 1 + i));
      DType dtype = x.type().dtype;
      if ((how == "max" || how == "min") && b.lowering.version() && b.lowering.version() < 18)
        return nothing(b, "the operator set is 18 or newer, where ScatterND takes the greater or the lesser");
      x = prepared(b.convert(x, computedIn(dtype, how)));
      u = updatesOf(b.convert(u, computedIn(dtype, how)));
      out.push_back(
          restored(b.convert(b.op("onnx.ScatterND", {x, indices, u}, {{"reduction", ctx.stringAttr(how)}}), dtype)));
    }
    return b.ok() ? out : std::vector<Value>();
  }
  // Any computation: of the elements there, all at once where no place is written twice, else of one window after
  // another.
  std::vector<Value> states, updates;
  for (size_t i = 0; i < n && b.ok(); ++i) {
    DType dtype = op.result(unsigned(i)).type().dtype; // what the computation makes
    states.push_back(prepared(b.convert(op.operand(unsigned(i)), dtype)));
    updates.push_back(updatesOf(b.convert(op.operand(unsigned(n + 1 + i)), dtype)));
  }
  if (!b.ok())
    return {};
  auto updated = [&](std::span<const Value> old, Value at, std::span<const Value> with) {
    std::vector<Value> arguments, made;
    for (size_t i = 0; i < n && b.ok(); ++i)
      arguments.push_back(b.op("onnx.GatherND", {old[i], at}, {}, with[i].typeId()));
    arguments.insert(arguments.end(), with.begin(), with.end());
    std::vector<Value> results = onTensors(b, op, 0, arguments);
    for (size_t i = 0; i < n && b.ok() && results.size() == n; ++i)
      made.push_back(b.op("onnx.ScatterND", {old[i], at, results[i]}));
    return made;
  };
  bool isOnce = attrOr(op, "unique_indices", false) || outerRank == 0;
  if (isOnce) {
    states = updated(states, indices, updates);
  } else {
    // Windows in one dimension, in order.
    auto flat = [&](Value v, size_t outerDims) {
      Dims dims;
      Ints target{-1};
      dims.push_back(Dim(1));
      for (size_t d = 0; d < v.type().dims.size(); ++d)
        if (d < outerDims)
          dims[0] = ctx.dims().mul(dims[0], v.type().dims[d]);
        else if (v.type().dims[d].isKnown())
          dims.push_back(v.type().dims[d]), target.push_back(v.type().dims[d].size());
        else
          return b.fail("windows have known sizes");
      if (dims[0].isKnown())
        target[0] = dims[0].size();
      return b.reshape(v, target, dims);
    };
    Value all = flat(indices, size_t(outerRank));
    for (Value &u : updates)
      u = flat(u, size_t(outerRank));
    if (!b.ok())
      return {};
    Ints zeroDim{0};
    Value shapeList = sizes(b, all, zeroDim);
    Value count = b.op("onnx.Squeeze", {shapeList}, {{"axes", ctx.intsAttr({0})}});
    if (!b.ok())
      return {};
    std::vector<TypeId> types;
    std::vector<Value> operands{count, Value()};
    for (Value v : states) {
      operands.push_back(v);
      types.push_back(v.typeId());
    }
    Op loop = b.lowering.emit("Loop", operands, {}, types);
    if (!loop)
      return {};
    b.lowering.openRegion(loop);
    Value step = b.lowering.addParam(b.tensor(DType::I64, {})), going = b.lowering.addParam(b.tensor(DType::Bool, {}));
    std::vector<Value> inner, with;
    for (TypeId type : types)
      inner.push_back(b.lowering.addParam(type));
    auto one = [&](Value list) { return b.op("onnx.Gather", {list, step}, {{"axis", ctx.intAttr(0)}}); };
    Value at = one(all);
    for (Value u : updates)
      with.push_back(one(u));
    std::vector<Value> results{b.op("onnx.Identity", {going})};
    for (Value v : b.ok() ? updated(inner, at, with) : std::vector<Value>())
      results.push_back(v);
    b.lowering.closeRegion(results);
    rw.setInsertionPoint(op); // behind the loop
    if (!b.ok() || results.size() != n + 1)
      return {};
    for (size_t i = 0; i < n; ++i)
      states[i] = loop.result(unsigned(i));
  }
  if (states.size() != n)
    return {};
  for (size_t i = 0; i < n && b.ok(); ++i)
    out.push_back(restored(states[i]));
  return b.ok() ? out : std::vector<Value>();
}

} // namespace

bool lowerGather(LoweringContext &ctx) { return lowerBy<gathered>(ctx); }
bool lowerScatter(LoweringContext &ctx) { return lowerBy<scattered>(ctx); }

} // namespace rw::convert
