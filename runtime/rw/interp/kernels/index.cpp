// Ops that address elements by indices in other tensors.
#include "rw/interp/element.h"
#include "rw/interp/extremes.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// Element `i` of the indices, counted from the front of `n`.
bool indexAt(Call &c, const Tensor &indices, size_t i, int64_t n, int64_t &out) {
  out = indices.intAt(i);
  if (out < 0)
    out += n;
  return (out >= 0 && out < n) ||
         c.fail("index " + std::to_string(indices.intAt(i)) + " lies outside 0.." + std::to_string(n));
}
bool areIndices(Call &c, size_t i) {
  return c.need(i + 1) && (isInteger(c.in[i].dtype()) || c.fail("the indices are no integers"));
}

bool gather(Call &c) {
  if (!areIndices(c, 1))
    return false;
  const Tensor &x = c.in[0], &indices = c.in[1];
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.wrap(axis, x.rank()))
    return false;
  Shape shape(x.shape().begin(), x.shape().begin() + axis), own = stridesOf(x.shape());
  shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), x.shape().begin() + axis + 1, x.shape().end());
  std::optional<size_t> count = c.elements(shape);
  if (!count || !c.charge(*count) || !c.holdsPlaces(*count))
    return c.fail("the result is too large");
  int64_t n = x.dim(size_t(axis)), inner = own[size_t(axis)];
  std::vector<int64_t> at(indices.size()), sources;
  for (size_t i = 0; i < at.size(); ++i)
    if (!indexAt(c, indices, i, n, at[i]))
      return false;
  sources.reserve(*count);
  size_t outer = 1;
  for (int64_t d = 0; d < axis; ++d)
    outer *= size_t(x.dim(size_t(d)));
  for (size_t o = 0; o < outer && *count; ++o)
    for (int64_t k : at)
      for (int64_t i = 0; i < inner; ++i)
        sources.push_back((int64_t(o) * n + k) * inner + i);
  return c.give(moveIndexed(c, x, shape, sources));
}

/// The place in `x` of each element of `indices`, whose element replaces the coordinate along `axis`.
bool elementPlaces(Call &c, const Tensor &x, const Tensor &indices, std::vector<int64_t> &places) {
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.wrap(axis, x.rank()))
    return false;
  if (indices.rank() != x.rank())
    return c.fail("indices of another rank");
  for (size_t d = 0; d < x.rank(); ++d)
    if (int64_t(d) != axis && indices.dim(d) > x.dim(d))
      return c.fail("more indices than elements");
  if (!c.charge(indices.size() * x.rank()))
    return false;
  Shape own = stridesOf(x.shape()), index(x.rank(), 0);
  places.resize(indices.size());
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t d = 0; d < x.rank(); ++d) {
      int64_t at = index[d];
      if (int64_t(d) == axis && !indexAt(c, indices, i, x.dim(d), at))
        return false;
      places[i] += at * own[d];
    }
    for (size_t d = x.rank(); d-- > 0 && ++index[d] == indices.dim(d);)
      index[d] = 0;
  }
  return true;
}
bool gatherElements(Call &c) {
  std::vector<int64_t> places;
  return areIndices(c, 1) && elementPlaces(c, c.in[0], c.in[1], places) &&
         c.give(moveIndexed(c, c.in[0], c.in[1].shape(), places));
}

/// result = x with `updates` put (added, …) at `places`, each a run of `run` elements.
bool scatter(Call &c, const Tensor &x, const Tensor &updates, std::span<const int64_t> places, size_t run) {
  if (updates.dtype() != x.dtype() || updates.size() != places.size() * run)
    return c.fail("updates that do not fit");
  std::optional<Tensor> r = moveStrided(c, x, x.shape(), stridesOf(x.shape()));
  if (!r)
    return false;
  std::string_view how = attrOr(c.op, "reduction", "none");
  if (how == "none") {
    if (r->isString()) {
      for (size_t i = 0; i < updates.size(); ++i)
        r->mutableStrings()[size_t(places[i / run]) + i % run] = updates.strings()[i];
      return c.give(r);
    }
    for (size_t i = 0; i < places.size() && run; ++i)
      std::copy_n(updates.data<std::byte>() + i * run * x.width(), run * x.width(),
                  r->mutableData<std::byte>() + size_t(places[i]) * x.width());
    return c.give(r);
  }
  bool ok = visitNumber(x.dtype(), [&]<class T>(T) {
    using C = std::conditional_t<kIsSmallFloat<T>, float, T>;
    if (kIsComplex<T> && how != "add" && how != "mul")
      return c.fail("complex numbers have no order");
    for (size_t i = 0; i < updates.size(); ++i) {
      T &to = r->mutableData<T>()[size_t(places[i / run]) + i % run];
      C a = C(to), b = C(updates.data<T>()[i]);
      if (how == "add" || how == "mul") {
        Compute<T> p = Compute<T>(a), q = Compute<T>(b);
        to = storeElement<T>(how == "add" ? p + q : p * q);
      } else if constexpr (!kIsComplex<T>) {
        to = storeElement<T>(how == "max" ? greaterOf(a, b) : lesserOf(a, b));
      }
    }
    return true;
  });
  return ok ? c.give(r) : c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}
/// The slices along `axis` that the indices name, each replaced by one of the updates: the places a gather reads.
bool scatterSlices(Call &c) {
  if (!areIndices(c, 1) || !c.need(3))
    return false;
  const Tensor &x = c.in[0], &indices = c.in[1];
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.wrap(axis, x.rank()))
    return false;
  size_t inner = size_t(stridesOf(x.shape())[size_t(axis)]), outer = 1;
  for (int64_t d = 0; d < axis; ++d)
    outer *= size_t(x.dim(size_t(d)));
  std::vector<int64_t> at(indices.size()), places;
  for (size_t i = 0; i < at.size(); ++i)
    if (!indexAt(c, indices, i, x.dim(size_t(axis)), at[i]))
      return false;
  if (x.size() == 0 || at.empty())
    return c.give(x);
  if (!c.holdsPlaces(outer * at.size()) || !c.charge(outer * at.size()))
    return c.fail("too many indices");
  for (size_t o = 0; o < outer; ++o)
    for (int64_t k : at)
      places.push_back((int64_t(o) * x.dim(size_t(axis)) + k) * int64_t(inner));
  return scatter(c, x, c.in[2], places, inner);
}
bool scatterElements(Call &c) {
  std::vector<int64_t> places;
  return areIndices(c, 1) && c.need(3) && elementPlaces(c, c.in[0], c.in[1], places) &&
         (c.in[1].shape() == c.in[2].shape() || c.fail("indices and updates of different shapes")) &&
         scatter(c, c.in[0], c.in[2], places, 1);
}

/// The place in `x` of each row of `indices`, and how many elements follow there, past `batch` leading dimensions.
bool rowPlaces(Call &c, const Tensor &x, const Tensor &indices, size_t batch, std::vector<int64_t> &places,
               size_t &run) {
  if (indices.rank() < 1 || indices.rank() <= batch || x.rank() <= batch)
    return c.fail("the ranks do not fit");
  size_t depth = size_t(indices.shape().back());
  if (depth > x.rank() - batch)
    return c.fail("indices longer than the rank");
  size_t groups = 1;
  for (size_t d = 0; d < batch; ++d) {
    if (indices.dim(d) != x.dim(d))
      return c.fail("the batch dimensions differ");
    groups *= size_t(x.dim(d));
  }
  Shape own = stridesOf(x.shape());
  size_t group = 1, rows = 1;
  run = 1;
  for (size_t d = batch; d < x.rank(); ++d) {
    group *= size_t(x.dim(d));
    if (d >= batch + depth)
      run *= size_t(x.dim(d));
  }
  for (size_t d = 0; d + 1 < indices.rank(); ++d)
    rows *= size_t(indices.dim(d));
  if (!c.charge(rows * (depth + 1)) || !c.holdsPlaces(rows))
    return c.fail("too many indices");
  places.resize(rows);
  for (size_t r = 0; r < rows; ++r) {
    places[r] = int64_t(r / (rows / groups) * group);
    for (size_t i = 0; i < depth; ++i) {
      int64_t at = 0;
      if (!indexAt(c, indices, r * depth + i, x.dim(batch + i), at))
        return false;
      places[r] += at * own[batch + i];
    }
  }
  return true;
}
bool gatherNd(Call &c) {
  int64_t batch = attrOr(c.op, "batch_dims", 0);
  std::vector<int64_t> places, sources;
  size_t run = 1;
  if (!areIndices(c, 1) || ((batch < 0 || batch > 64) && !c.fail("batch_dims is out of range")) ||
      !rowPlaces(c, c.in[0], c.in[1], size_t(batch), places, run))
    return false;
  const Tensor &x = c.in[0], &indices = c.in[1];
  Shape shape(indices.shape().begin(), indices.shape().end() - 1);
  shape.insert(shape.end(), x.shape().begin() + batch + indices.shape().back(), x.shape().end());
  std::optional<size_t> count = c.elements(shape);
  if (!count || !c.charge(*count) || !c.holdsPlaces(*count))
    return c.fail("the result is too large");
  for (int64_t p : places)
    for (size_t i = 0; i < run; ++i)
      sources.push_back(p + int64_t(i));
  return c.give(moveIndexed(c, x, shape, sources));
}
bool scatterNd(Call &c) {
  std::vector<int64_t> places;
  size_t run = 1;
  if (!areIndices(c, 1) || !c.need(3) || !rowPlaces(c, c.in[0], c.in[1], 0, places, run))
    return false;
  const Shape &indices = c.in[1].shape(), &data = c.in[0].shape();
  Shape wanted(indices.begin(), indices.end() - 1);
  wanted.insert(wanted.end(), data.begin() + indices.back(), data.end());
  return (c.in[2].shape() == wanted || c.fail("updates that do not fit the indices")) &&
         scatter(c, c.in[0], c.in[2], places, run);
}

/// On where the index is, off elsewhere; the new dimension stands at `axis`.
bool oneHot(Call &c) {
  if (!c.need(3) || ((c.in[1].size() != 1 || c.in[2].size() != 2) && !c.fail("depth or values do not fit")))
    return false;
  const Tensor &indices = c.in[0];
  int64_t depth = c.in[1].intAt(0), axis = attrOr(c.op, "axis", -1);
  if (depth < 0 || !c.wrap(axis, indices.rank() + 1))
    return c.fail("depth or axis is out of range");
  Shape shape = indices.shape();
  shape.insert(shape.begin() + axis, depth);
  std::optional<size_t> count = c.elements(shape);
  if (!count || !c.charge(*count) || !c.holdsPlaces(*count))
    return c.fail("the result is too large");
  std::vector<int64_t> sources(*count, 0);
  size_t inner = size_t(stridesOf(shape)[size_t(axis)]);
  for (size_t i = 0; i < indices.size(); ++i) {
    int64_t at = indices.intAt(i);
    at = at < 0 ? at + depth : at;
    if (at >= 0 && at < depth)
      sources[(i / inner * size_t(depth) + size_t(at)) * inner + i % inner] = 1;
  }
  return c.give(moveIndexed(c, c.in[2], shape, sources));
}

bool triangle(Call &c) {
  if (!c.need(1) || (c.in[0].rank() < 2 && !c.fail("of rank below 2")))
    return false;
  const Tensor &x = c.in[0];
  int64_t k = c.has(1) && c.in[1].size() == 1 ? c.in[1].intAt(0) : 0;
  bool upper = attrOr(c.op, "upper", 1) != 0;
  int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  if (!c.charge(x.size()) || !c.holdsPlaces(x.size()))
    return c.fail("the result is too large");
  k = std::clamp<int64_t>(k, -rows - 1, columns + 1);
  std::vector<int64_t> sources(x.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    int64_t column = int64_t(i) % columns, row = int64_t(i) / columns % rows;
    sources[i] = (upper ? column >= row + k : column <= row + k) ? int64_t(i) : -1;
  }
  return c.give(moveIndexed(c, x, x.shape(), sources));
}

} // namespace

void addIndexKernels(KernelTable &t) {
  t.add("tensor.gather", gather);
  t.add("onnx.Gather", gather);
  t.add("tensor.scatter", scatterSlices);
  t.add("onnx.GatherElements", gatherElements);
  t.add("onnx.GatherND", gatherNd);
  t.add("onnx.Scatter", scatterElements);
  t.add("onnx.ScatterElements", scatterElements);
  t.add("onnx.ScatterND", scatterNd);
  t.add("onnx.OneHot", oneHot);
  t.add("onnx.Trilu", triangle);
}

} // namespace rw
