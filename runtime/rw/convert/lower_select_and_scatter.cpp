// select_and_scatter: of each window the place that is selected, then what the source has for windows, added there.
//
// There is one step for each place in a window: a window is where its element is, moved by the place; so all windows'
// elements of one place are a slice, and what they get is a padded one. Of two windows that meet in an element the
// first gives first.
#include "rw/convert/region_lowerings.h"
#include "rw/convert/scalar_region.h"

#include <algorithm>

namespace rw::convert {

namespace {

std::vector<Value> selectedAndScattered(Build &b, Op op) {
  PatternRewriter &rw = b.rw;
  Context &ctx = b.ctx;
  Value x = op.operand(0), source = op.operand(1), init = op.operand(2);
  if (!x.type().ranked || !source.type().ranked || x.type().dims.size() != source.type().dims.size())
    return {};
  size_t rank = x.type().dims.size();
  std::vector<int64_t> size = intsOf(op, "window_dimensions"), stride = intsOf(op, "window_strides");
  auto padding = pairsOf(op, "padding");
  if (size.size() != rank || stride.size() != rank || padding.size() != rank)
    return {};
  int64_t places = 1;
  constexpr int64_t kMostPlaces = 1024;
  for (int64_t n : size) {
    if (n > kMostPlaces || (places *= n) > kMostPlaces)
      return nothing(b, "a window has at most 1024 places");
  }
  std::vector<int64_t> none(rank, 0), shape, windows; // sizes that are not known count as 1: all is the same there
  std::vector<bool> isOpen;
  Dims outer;
  for (size_t d = 0; d < rank; ++d) {
    Dim n = x.type().dims[d], m = source.type().dims[d];
    isOpen.push_back(!n.isKnown() || !m.isKnown());
    if (isOpen[d] && (size[d] != 1 || stride[d] != 1 || padding[d] != std::pair<int64_t, int64_t>()))
      return nothing(b, "all sizes are known of dimensions in which windows lie next to each other");
    shape.push_back(isOpen[d] ? 1 : n.size());
    windows.push_back(isOpen[d] ? 1 : m.size());
    outer.push_back(m);
  }
  DType result = op.result().type().dtype;
  auto pad = [&](Value v, Value with, const std::vector<int64_t> &low, const std::vector<int64_t> &high,
                 const std::vector<int64_t> &between) {
    return b.op("stablehlo.pad", {v, with},
                {{"edge_padding_low", ctx.intsAttr(low)},
                 {"edge_padding_high", ctx.intsAttr(high)},
                 {"interior_padding", ctx.intsAttr(between)}});
  };
  init = b.convert(init, result);
  source = b.convert(source, result);
  Value all = b.spread(init, x);
  for (int64_t n : windows)
    if (n == 0)
      return b.ok() ? std::vector<Value>{all} : std::vector<Value>();
  for (int64_t n : shape)
    if (n == 0)
      return nothing(b, "each window has an element");
  // The operand that windows see: a place outside is never selected, whatever it holds.
  std::vector<int64_t> low, high;
  bool isPadded = false;
  for (size_t d = 0; d < rank; ++d) {
    low.push_back(padding[d].first);
    high.push_back(padding[d].second);
    isPadded = isPadded || low[d] != 0 || high[d] != 0;
  }
  Value seen = x;
  if (isPadded) {
    TypeId scalar = b.tensor(x.type().dtype, {});
    std::vector<std::byte> zero(dtypeBytes(x.type().dtype));
    seen = pad(x, rw.materializeConstant("stablehlo", ctx.splatAttr(scalar, zero), scalar), low, high, none);
  }
  std::vector<std::vector<int64_t>> offsets;
  std::vector<int64_t> at(rank, 0);
  do {
    offsets.push_back(at);
    size_t d = rank;
    while (d-- > 0) {
      if (++at[d] < size[d])
        break;
      at[d] = 0;
    }
    if (d == SIZE_MAX)
      break;
  } while (true);
  // For which windows a place lies inside.
  auto insideOf = [&](const std::vector<int64_t> &offset) {
    std::vector<bool> inside;
    std::vector<int64_t> window(rank, 0);
    int64_t count = 1;
    for (int64_t n : windows)
      count *= n;
    for (int64_t i = 0; i < count; ++i) {
      bool is = true;
      for (size_t d = 0; d < rank; ++d) {
        int64_t p = window[d] * stride[d] + offset[d] - low[d];
        is = is && p >= 0 && p < shape[d];
      }
      inside.push_back(is);
      for (size_t d = rank; d-- > 0;) {
        if (++window[d] < windows[d])
          break;
        window[d] = 0;
      }
    }
    return inside;
  };
  auto partOf = [&](const std::vector<int64_t> &offset) {
    std::vector<int64_t> starts, ends, axes, steps;
    for (size_t d = 0; d < rank; ++d) {
      starts.push_back(offset[d]);
      ends.push_back(isOpen[d] ? Build::kToEnd : offset[d] + (windows[d] - 1) * stride[d] + 1);
      axes.push_back(int64_t(d));
      steps.push_back(stride[d]);
    }
    return b.op("onnx.Slice", {seen, b.ints(starts), b.ints(ends), b.ints(axes), b.ints(steps)}, {},
                b.shaped(seen, outer));
  };
  auto numbered = [&](int64_t number) { // in the shape of windows
    TypeId scalar = b.tensor(DType::I64, {});
    AttrId held = ctx.denseAttr(scalar, std::as_bytes(std::span(&number, 1)));
    return b.spread(rw.materializeConstant("stablehlo", held, scalar), source);
  };
  Value chosen, place;     // what is selected so far, and where: the number of an offset
  std::vector<bool> found; // whether there is any
  for (size_t k = 0; k < offsets.size() && b.ok(); ++k) {
    std::vector<bool> inside = insideOf(offsets[k]);
    Value part = partOf(offsets[k]);
    Value here = numbered(int64_t(k));
    if (k == 0) {
      chosen = part, place = here, found = inside;
      continue;
    }
    std::vector<Value> keep = onTensors(b, op, 0, std::vector<Value>{chosen, part});
    if (keep.size() != 1)
      return {};
    // A place outside is passed by; the first place inside is taken whatever the selection says.
    std::vector<bool> passes, takes;
    bool anyPasses = false, anyTakes = false;
    for (size_t i = 0; i < inside.size(); ++i) {
      passes.push_back(!inside[i]);
      takes.push_back(!(inside[i] && !found[i]));
      anyPasses = anyPasses || passes[i];
      anyTakes = anyTakes || !takes[i];
      found[i] = found[i] || inside[i];
    }
    Value kept = keep[0];
    if (anyTakes)
      kept = b.op("onnx.And", {kept, b.bools(takes, windows)});
    if (anyPasses)
      kept = b.op("onnx.Or", {kept, b.bools(passes, windows)});
    chosen = b.select(kept, chosen, part);
    place = b.select(kept, place, here);
  }
  if (!b.ok() || std::ranges::find(found, false) != found.end())
    return nothing(b, "each window has an element"); // else it is unspecified what comes out
  Value no = rw.materializeConstant("stablehlo", ctx.splatAttr(b.tensor(DType::Bool, {}), std::vector<std::byte>(1)),
                                    b.tensor(DType::Bool, {}));
  for (size_t k = offsets.size(); k-- > 0 && b.ok();) {
    Value here = numbered(int64_t(k));
    Value is = b.op("stablehlo.compare", {place, here}, {{"comparison_direction", ctx.stringAttr("EQ")}});
    std::vector<int64_t> before, behind, between;
    for (size_t d = 0; d < rank; ++d) {
      int64_t first = offsets[k][d] - low[d];
      before.push_back(first);
      behind.push_back(shape[d] - first - ((windows[d] - 1) * stride[d] + 1));
      between.push_back(stride[d] - 1);
    }
    Value gives = pad(is, no, before, behind, between), what = pad(source, init, before, behind, between);
    std::vector<Value> sum = onTensors(b, op, 1, std::vector<Value>{all, what});
    if (sum.size() != 1)
      return {};
    all = b.select(gives, sum[0], all);
  }
  return b.ok() ? std::vector<Value>{all} : std::vector<Value>();
}

} // namespace

bool lowerSelectAndScatter(LoweringContext &ctx) { return lowerBy<selectedAndScattered>(ctx); }

} // namespace rw::convert
