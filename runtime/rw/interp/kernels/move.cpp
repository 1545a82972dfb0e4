// Ops that move elements without computing: transpose, broadcast, slice, concat, split, pad, tile, …
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <numeric>

namespace rw {
namespace {

bool transpose(Call &c) {
  if (!c.need(1))
    return false;
  std::optional<std::vector<int64_t>> perm = c.intsAttr("perm");
  size_t rank = c.in[0].rank();
  if (!perm) {
    perm.emplace(rank);
    std::iota(perm->rbegin(), perm->rend(), 0);
  }
  if (perm->size() != rank)
    return c.fail("perm is no permutation of the dimensions");
  return c.wrapAll(*perm, rank) && c.give(transposed(c, c.in[0], *perm));
}

bool broadcastTo(Call &c, const Shape &shape) {
  const Tensor &x = c.in[0];
  std::optional<Shape> both = broadcastShapes(x.shape(), shape);
  if (!both || *both != shape)
    return c.fail(shapeText(x.shape()) + " does not broadcast to " + shapeText(shape));
  return c.give(moveStrided(c, x, shape, broadcastStrides(x.shape(), shape)));
}
bool broadcast(Call &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  return c.need(1) && (shape || c.fail("the shape is not known")) && broadcastTo(c, *shape);
}
bool broadcastInDim(Call &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape"), dims = c.intsAttr("dims");
  if (!c.need(1) || ((!shape || !dims) && !c.fail("the shape is not known")) || !c.wrapAll(*dims, shape->size()))
    return false;
  const Tensor &x = c.in[0];
  if (dims->size() != x.rank())
    return c.fail("dims do not fit the rank");
  Shape own = stridesOf(x.shape()), strides(shape->size(), 0);
  for (size_t d = 0; d < x.rank(); ++d) {
    size_t to = size_t((*dims)[d]);
    if (x.dim(d) != 1 && x.dim(d) != (*shape)[to])
      return c.fail(shapeText(x.shape()) + " does not broadcast to " + shapeText(*shape));
    strides[to] = x.dim(d) == 1 ? 0 : own[d];
  }
  return c.give(moveStrided(c, x, *shape, strides));
}
bool expand(Call &c) {
  std::optional<std::vector<int64_t>> shape = c.intsFrom("", 1);
  if (!c.need(1) || (!shape && !c.fail("the shape is no list of integers")))
    return false;
  std::optional<Shape> both = broadcastShapes(c.in[0].shape(), *shape);
  return both ? broadcastTo(c, *both) : c.fail("the shapes do not broadcast");
}

/// Elements start, start + step, … of each dimension, count of them.
bool sliced(Call &c, const Shape &start, const Shape &count, const Shape &step) {
  const Tensor &x = c.in[0];
  Shape strides = stridesOf(x.shape());
  int64_t offset = 0;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (count[d] > 0)
      offset += start[d] * strides[d];
    strides[d] = count[d] > 1 ? strides[d] * step[d] : 0;
  }
  return c.give(moveStrided(c, x, count, strides, offset));
}
bool slice(Call &c) {
  std::optional<std::vector<int64_t>> start = c.intsAttr("start"), limit = c.intsAttr("limit"),
                                      stride = c.intsAttr("stride");
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  if (!stride)
    stride.emplace(x.rank(), 1);
  if (!start || !limit || start->size() != x.rank() || limit->size() != x.rank() || stride->size() != x.rank())
    return c.fail("start, limit and stride do not fit the rank");
  Shape count(x.rank());
  for (size_t d = 0; d < x.rank(); ++d) {
    int64_t from = (*start)[d], to = (*limit)[d], by = (*stride)[d];
    if (from < 0 || from > to || to > x.dim(d) || by <= 0)
      return c.fail("the slice lies outside the operand");
    count[d] = from == to ? 0 : (to - from - 1) / by + 1;
  }
  return sliced(c, *start, count, *stride);
}
/// The starts, operands from `first` on, held to where `count` elements lie inside operand 0; false if they do not fit.
bool heldStarts(Call &c, size_t first, const Shape &count, Shape &start) {
  const Tensor &x = c.in[0];
  if (count.size() != x.rank() || c.in.size() != first + x.rank())
    return c.fail("not one start and size for each dimension");
  for (size_t d = 0; d < x.rank(); ++d) {
    const Tensor &s = c.in[first + d];
    if (count[d] < 0 || count[d] > x.dim(d))
      return c.fail("the slice does not fit the operand");
    if (!s || !isInteger(s.dtype()) || s.size() != 1)
      return c.fail("a start is not one integer");
    bool huge = s.dtype() == DType::U64 && s.intAt(0) < 0; // read as signed
    start.push_back(huge ? x.dim(d) - count[d] : std::clamp<int64_t>(s.intAt(0), 0, x.dim(d) - count[d]));
  }
  return true;
}
bool dynamicSlice(Call &c) {
  std::optional<std::vector<int64_t>> sizes = c.intsAttr("sizes");
  Shape start;
  return c.need(1) && (sizes || c.fail("the sizes are not known")) && heldStarts(c, 1, *sizes, start) &&
         sliced(c, start, *sizes, Shape(start.size(), 1));
}
bool dynamicUpdateSlice(Call &c) {
  Shape start;
  if (!c.need(2) || !heldStarts(c, 2, c.in[1].shape(), start))
    return false;
  const Tensor &update = c.in[1];
  if (update.dtype() != c.in[0].dtype())
    return c.fail("the update is of another element type");
  Shape strides = stridesOf(c.in[0].shape());
  std::optional<Tensor> r = moveStrided(c, c.in[0], c.in[0].shape(), strides);
  if (!r || !c.charge(update.size()))
    return false;
  auto write = [&](const auto *from, auto *to) {
    forEachRow<1>(update.shape(), {strides}, [&](int64_t n, size_t at, const std::array<int64_t, 1> &place) {
      for (int64_t i = 0; i < n; ++i)
        to[place[0] + i] = from[at + size_t(i)];
    });
    return true;
  };
  int64_t offset = 0;
  for (size_t d = 0; d < start.size(); ++d)
    offset += start[d] * strides[d];
  if (update.size() && update.isString())
    write(update.strings().data(), r->mutableStrings().data() + offset);
  else if (update.size())
    visitWidth(update.width(), [&]<class T>(T) { return write(update.data<T>(), r->mutableData<T>() + offset); });
  return c.give(std::move(r));
}
bool onnxSlice(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  std::optional<std::vector<int64_t>> starts = c.intsFrom("starts", 1), ends = c.intsFrom("ends", 2),
                                      axes = c.intsFrom("axes", 3), steps = c.intsFrom("steps", 4);
  if (!starts || !ends || starts->size() != ends->size())
    return c.fail("starts and ends do not fit");
  if (!axes) {
    axes.emplace(starts->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps)
    steps.emplace(starts->size(), 1);
  if (axes->size() != starts->size() || steps->size() != starts->size())
    return c.fail("axes or steps do not fit starts");
  if (!c.wrapAll(*axes, x.rank()))
    return false;
  Shape start(x.rank(), 0), count = x.shape(), step(x.rank(), 1);
  for (size_t i = 0; i < axes->size(); ++i) {
    size_t d = size_t((*axes)[i]);
    int64_t n = x.dim(d), from = (*starts)[i], to = (*ends)[i], by = (*steps)[i];
    if (by == 0 || by == INT64_MIN)
      return c.fail("a step of 0");
    from = from < 0 ? from + n : from;
    to = to < 0 ? to + n : to;
    from = std::clamp<int64_t>(from, 0, by > 0 ? n : n - 1);
    to = std::clamp<int64_t>(to, by > 0 ? 0 : -1, n);
    int64_t distance = by > 0 ? to - from : from - to, size = by > 0 ? by : -by;
    start[d] = from;
    step[d] = by;
    count[d] = distance > 0 ? (distance - 1) / size + 1 : 0;
  }
  return sliced(c, start, count, step);
}

bool concat(Call &c) {
  if (!c.need(std::max<size_t>(c.in.size(), 1)))
    return false;
  int64_t axis = attrOr(c.op, "axis", c.version() < 4 ? 1 : 0);
  if (!c.wrap(axis, c.in[0].rank()))
    return false;
  size_t a = size_t(axis);
  Shape shape = c.in[0].shape();
  shape[a] = 0;
  for (const Tensor &t : c.in) {
    Shape other = t.shape();
    if (t.dtype() != c.in[0].dtype() || other.size() != shape.size())
      return c.fail("operands of different rank or element type");
    shape[a] += other[a];
    other[a] = shape[a];
    if (other != shape)
      return c.fail("operands of different shape");
  }
  Tensor *r = c.result(0, c.in[0].dtype(), shape);
  if (!r)
    return false;
  size_t inner = size_t(stridesOf(shape)[a]), outer = 1, at = 0;
  for (size_t d = 0; d < a; ++d)
    outer *= size_t(shape[d]);
  for (size_t o = 0; o < outer && r->size(); ++o)
    for (const Tensor &t : c.in) {
      size_t run = size_t(t.dim(a)) * inner;
      if (r->isString())
        std::copy_n(t.strings().begin() + long(o * run), run, r->mutableStrings().begin() + long(at));
      else
        std::copy_n(t.data<std::byte>() + o * run * t.width(), run * t.width(),
                    r->mutableData<std::byte>() + at * t.width());
      at += run;
    }
  return true;
}

bool split(Call &c) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.wrap(axis, x.rank()))
    return false;
  size_t a = size_t(axis);
  std::optional<std::vector<int64_t>> sizes = c.intsFrom("split", 1);
  int64_t parts = int64_t(c.out.size());
  if (!sizes) {
    sizes.emplace();
    int64_t each = (x.dim(a) + parts - 1) / std::max<int64_t>(parts, 1), left = x.dim(a);
    for (int64_t i = 0; i < parts; ++i, left -= sizes->back())
      sizes->push_back(std::min(each, left));
  }
  int64_t sum = 0;
  for (int64_t s : *sizes)
    if (s < 0 || (sum += s) > x.dim(a))
      return c.fail("the parts do not fit the dimension");
  if (sum != x.dim(a) || int64_t(sizes->size()) != parts)
    return c.fail("the parts do not make up the dimension");
  Shape strides = stridesOf(x.shape());
  int64_t at = 0;
  for (size_t i = 0; i < sizes->size(); ++i) {
    Shape shape = x.shape();
    shape[a] = (*sizes)[i];
    std::optional<Tensor> part = moveStrided(c, x, shape, strides, shape[a] ? at * strides[a] : 0);
    if (!part)
      return false;
    c.out[i] = std::move(*part);
    at += (*sizes)[i];
  }
  return true;
}

/// Where element `i` of a dimension of `n`, outside it, is taken from; -1 for the fill.
int64_t outside(int64_t i, int64_t n, std::string_view mode) {
  if (i >= 0 && i < n)
    return i;
  if (n == 0 || mode == "constant")
    return -1;
  if (mode == "edge")
    return i < 0 ? 0 : n - 1;
  if (mode == "wrap")
    return ((i % n) + n) % n;
  if (n == 1)
    return 0;
  int64_t period = 2 * (n - 1), at = ((i % period) + period) % period;
  return at < n ? at : period - at;
}
std::optional<Tensor> padded(Call &c, const Tensor &x, const Shape &low, const Shape &high, const Shape &between,
                             std::string_view mode, const Tensor &fill) {
  auto fail = [&](const char *why) {
    c.fail(why);
    return std::nullopt;
  };
  if (fill && fill.dtype() != x.dtype())
    return fail("what is put around it is of another element type");
  Shape shape(x.rank()), own = stridesOf(x.shape());
  constexpr int64_t kMost = int64_t(1) << 40;
  for (size_t d = 0; d < x.rank(); ++d) {
    int64_t n = x.dim(d), spread = n ? n + (n - 1) * between[d] : 0;
    if (std::abs(low[d]) > kMost || std::abs(high[d]) > kMost || between[d] < 0 || between[d] > kMost / (n + 1) ||
        spread + low[d] + high[d] < 0)
      return fail("the padding is out of range");
    shape[d] = spread + low[d] + high[d];
  }
  std::optional<size_t> count = c.elements(shape);
  if (!count || !c.charge(*count * (x.rank() + 1)) || !c.holdsPlaces(*count))
    return fail("the result is too large");
  if (*count == 0)
    return moveIndexed(c, x, shape, std::vector<int64_t>(), fill);
  // Of each dimension by itself: how far from the first element the one of each index is; -1 for the fill.
  std::vector<std::vector<int64_t>> offsets(x.rank());
  for (size_t d = 0; d < x.rank(); ++d) {
    const int64_t step = between[d] + 1;
    for (int64_t place = 0; place < shape[d]; ++place) {
      const int64_t i = place - low[d];
      const bool isGap = step > 1 && i % step != 0;
      const int64_t from = isGap || (i < 0 && mode == "constant") ? -1 : outside(i / step, x.dim(d), mode);
      offsets[d].push_back(from < 0 ? -1 : from * own[d]);
    }
  }
  std::vector<int64_t> sources(*count);
  Shape index(x.rank(), 0);
  for (int64_t &source : sources) {
    source = 0;
    for (size_t d = 0; d < x.rank() && source >= 0; ++d) {
      const int64_t offset = offsets[d][size_t(index[d])];
      source = offset < 0 ? -1 : source + offset;
    }
    for (size_t d = x.rank(); d-- > 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
  return moveIndexed(c, x, shape, sources, fill);
}
bool pad(Call &c) {
  if (!c.need(1))
    return false;
  size_t rank = c.in[0].rank();
  std::optional<std::vector<int64_t>> low = c.intsAttr("low"), high = c.intsAttr("high"),
                                      interior = c.intsAttr("interior");
  if (!low || !high || low->size() != rank || high->size() != rank || (interior && interior->size() != rank))
    return c.fail("low and high do not fit the rank");
  return c.give(padded(c, c.in[0], *low, *high, interior.value_or(Shape(rank, 0)), c.has(1) ? c.in[1] : Tensor()));
}
bool onnxPad(Call &c) {
  if (!c.need(1))
    return false;
  size_t rank = c.in[0].rank();
  std::optional<std::vector<int64_t>> pads = c.intsFrom("pads", 1), axes = c.intsFrom("", 3);
  if (!pads)
    pads = c.intsAttr("paddings");
  if (!axes) {
    axes.emplace(rank);
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!pads || pads->size() != 2 * axes->size())
    return c.fail("pads do not fit the rank");
  if (!c.wrapAll(*axes, rank))
    return false;
  Shape low(rank, 0), high(rank, 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    low[size_t((*axes)[i])] = (*pads)[i];
    high[size_t((*axes)[i])] = (*pads)[i + axes->size()];
  }
  Tensor fill = c.has(2) ? c.in[2] : Tensor();
  if (!fill && c.op.attrNamed("value")) {
    std::optional<Tensor> value = castTo(c, Tensor::scalar(DType::F64, c.floatAttr("value", 0)), c.in[0].dtype());
    if (!value)
      return false;
    fill = std::move(*value);
  }
  return c.give(padded(c, c.in[0], low, high, Shape(rank, 0), attrOr(c.op, "mode", "constant"), fill));
}

bool tile(Call &c) {
  std::optional<std::vector<int64_t>> repeats = c.intsFrom("repeats", 1);
  if (!c.need(1) || ((!repeats || repeats->size() != c.in[0].rank()) && !c.fail("repeats do not fit the rank")))
    return false;
  const Tensor &x = c.in[0];
  // Two dimensions for each: the repetition, and the dimension itself.
  Shape shape, strides, own = stridesOf(x.shape()), last;
  for (size_t d = 0; d < x.rank(); ++d) {
    int64_t n = (*repeats)[d];
    if (n < 0 || n > (int64_t(1) << 40) / std::max<int64_t>(x.dim(d), 1))
      return c.fail("a repetition is out of range");
    shape.insert(shape.end(), {n, x.dim(d)});
    strides.insert(strides.end(), {0, own[d]});
    last.push_back(n * x.dim(d));
  }
  std::optional<Tensor> r = moveStrided(c, x, shape, strides);
  return r && c.give(r->withShape(last));
}

bool reverse(Call &c) {
  std::optional<std::vector<int64_t>> axes = c.intsAttr("axes");
  if (!c.need(1) || (!axes && !c.fail("the axes are not known")) || !c.wrapAll(*axes, c.in[0].rank()))
    return false;
  Shape start(c.in[0].rank(), 0), step(c.in[0].rank(), 1);
  for (int64_t a : *axes) {
    start[size_t(a)] = c.in[0].dim(size_t(a)) - 1;
    step[size_t(a)] = -1;
  }
  return sliced(c, start, c.in[0].shape(), step);
}

/// [b, c, h, w] between blocks of the image and channels.
bool blocks(Call &c, bool toDepth) {
  if (!c.need(1))
    return false;
  const Tensor &x = c.in[0];
  int64_t k = attrOr(c.op, "blocksize", 0);
  if (x.rank() != 4 || k < 1 || k > (1 << 20))
    return c.fail("not of rank 4, or no blocksize");
  int64_t b = x.dim(0), ch = x.dim(1), h = x.dim(2), w = x.dim(3);
  Shape inner, last;
  std::vector<int64_t> perm;
  if (toDepth) {
    if (h % k || w % k)
      return c.fail("the blocks do not fit");
    inner = {b, ch, h / k, k, w / k, k};
    perm = {0, 3, 5, 1, 2, 4};
    last = {b, ch * k * k, h / k, w / k};
  } else {
    if (ch % (k * k))
      return c.fail("the blocks do not fit");
    bool dcr = attrOr(c.op, "mode", "DCR") == "DCR";
    inner = dcr ? Shape{b, k, k, ch / (k * k), h, w} : Shape{b, ch / (k * k), k, k, h, w};
    perm = dcr ? Shape{0, 3, 4, 1, 5, 2} : Shape{0, 1, 4, 2, 5, 3};
    last = {b, ch / (k * k), h * k, w * k};
  }
  std::optional<Tensor> r = transposed(c, x.withShape(inner), perm);
  return r && c.give(r->withShape(last));
}

} // namespace

std::optional<Tensor> padded(Call &c, const Tensor &x, const Shape &low, const Shape &high, const Shape &between,
                             const Tensor &fill) {
  return padded(c, x, low, high, between, "constant", fill);
}

void addMoveKernels(KernelTable &t) {
  t.add("tensor.transpose", transpose);
  t.add("onnx.Transpose", transpose);
  t.add("tensor.broadcast", broadcast);
  t.add("tensor.broadcast_in_dim", broadcastInDim);
  t.add("onnx.Expand", expand);
  t.add("tensor.slice", slice);
  t.add("tensor.dynamic_slice", dynamicSlice);
  t.add("tensor.dynamic_update_slice", dynamicUpdateSlice);
  t.add("onnx.Slice", onnxSlice);
  t.add("tensor.concat", concat);
  t.add("onnx.Concat", concat);
  t.add("onnx.Split", split);
  t.add("tensor.pad", pad);
  t.add("onnx.Pad", onnxPad);
  t.add("onnx.Tile", tile);
  t.add("tensor.reverse", reverse);
  t.add("onnx.SpaceToDepth", [](Call &c) { return blocks(c, true); });
  t.add("onnx.DepthToSpace", [](Call &c) { return blocks(c, false); });
}

} // namespace rw
