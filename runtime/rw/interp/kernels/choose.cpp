// Ops that choose or reorder what stands along one axis: Compress, ReverseSequence, Unique.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <numeric>

namespace rw {
namespace {

/// The slices of `x` along `axis` that `places` name, in their order.
std::optional<Tensor> takeSlices(Call &c, const Tensor &x, size_t axis, std::span<const int64_t> places) {
  Shape shape = x.shape();
  int64_t n = shape[axis];
  shape[axis] = int64_t(places.size());
  size_t inner = size_t(stridesOf(x.shape())[axis]), count = elementsIn(shape).value_or(SIZE_MAX);
  if (!c.holdsPlaces(count) || !c.charge(count)) {
    c.fail("the result is too large");
    return std::nullopt;
  }
  std::vector<int64_t> sources(count);
  for (size_t i = 0; i < count; ++i)
    sources[i] = (int64_t(i / inner / places.size()) * n + places[i / inner % places.size()]) * int64_t(inner) +
                 int64_t(i % inner);
  return moveIndexed(c, x, shape, sources);
}

bool compress(Call &c) {
  if (!c.need(2) ||
      ((c.in[1].dtype() != DType::Bool || c.in[1].rank() != 1) && !c.fail("the condition is no list of bools")))
    return false;
  Tensor x = c.in[0];
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.op.attrNamed("axis"))
    x = x.withShape({int64_t(x.size())});
  if (!c.wrap(axis, x.rank()))
    return false;
  std::vector<int64_t> places;
  for (size_t i = 0; i < c.in[1].size(); ++i)
    if (c.in[1].intAt(i)) {
      if (int64_t(i) >= x.dim(size_t(axis)))
        return c.fail("the condition is longer than the axis");
      places.push_back(int64_t(i));
    }
  return c.give(takeSlices(c, x, size_t(axis), places));
}

bool reverseSequence(Call &c) {
  int64_t batch = attrOr(c.op, "batch_axis", 1), time = attrOr(c.op, "time_axis", 0);
  if (!c.need(2) || !c.wrap(batch, c.in[0].rank()) || !c.wrap(time, c.in[0].rank()))
    return false;
  const Tensor &x = c.in[0], &lengths = c.in[1];
  if (batch == time || lengths.rank() != 1 || lengths.dim(0) != x.dim(size_t(batch)) || !isInteger(lengths.dtype()))
    return c.fail("the lengths do not fit the batch axis");
  for (int64_t n : lengths.ints())
    if (n < 0 || n > x.dim(size_t(time)))
      return c.fail("a length of " + std::to_string(n) + " lies outside the time axis");
  if (!c.holdsPlaces(x.size()) || !c.charge(x.size()))
    return c.fail("the result is too large");
  Shape own = stridesOf(x.shape());
  std::vector<int64_t> sources(x.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    int64_t step = own[size_t(time)], at = int64_t(i) / step % x.dim(size_t(time));
    int64_t n = lengths.intAt(size_t(int64_t(i) / own[size_t(batch)] % x.dim(size_t(batch))));
    sources[i] = int64_t(i) + (at < n ? n - 1 - 2 * at : 0) * step;
  }
  return c.give(moveIndexed(c, x, x.shape(), sources));
}

/// Slices of `run` elements each, compared element by element; calls f(before) with such an order of slice numbers.
template <class F> bool withOrder(Call &c, const Tensor &x, size_t run, F f) {
  auto order = [run](const auto *data) {
    return [data, run](size_t a, size_t b) {
      return std::lexicographical_compare(data + a * run, data + (a + 1) * run, data + b * run, data + (b + 1) * run,
                                          [](const auto &v, const auto &w) { return v < w; });
    };
  };
  if (x.isString())
    return f(order(x.strings().data()));
  if (x.dtype() == DType::Bool)
    return f(order(x.data<uint8_t>()));
  return visitReal(x.dtype(),
                   [&]<class T>(T) {
                     if constexpr (kIsFloat<T>)
                       for (size_t i = 0; i < x.size(); ++i)
                         if (std::isnan(float(x.data<T>()[i])))
                           return c.fail("NaN has no place in an order");
                     return f(order(x.data<T>()));
                   }) ||
         c.fail("not defined on " + std::string(dtypeName(x.dtype())));
}

/// What slices there are: the first place of each, which of them each slice is, how often each is there.
struct Distinct {
  std::vector<int64_t> first, which, counts;
};
template <class Before> Distinct distinctSlices(size_t n, bool sorted, Before before) {
  Distinct d;
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, before);
  d.which.resize(n);
  for (size_t i = 0; i < n; ++i) {
    if (i == 0 || before(order[i - 1], order[i])) {
      d.first.push_back(int64_t(order[i]));
      d.counts.push_back(0);
    }
    d.which[order[i]] = int64_t(d.first.size()) - 1;
    ++d.counts.back();
  }
  if (sorted)
    return d;
  std::vector<size_t> seen(d.first.size()), place(d.first.size()); // in the order in which they appear
  std::iota(seen.begin(), seen.end(), size_t(0));
  std::ranges::sort(seen, [&](size_t a, size_t b) { return d.first[a] < d.first[b]; });
  Distinct e;
  for (size_t i = 0; i < seen.size(); ++i) {
    place[seen[i]] = i;
    e.first.push_back(d.first[seen[i]]);
    e.counts.push_back(d.counts[seen[i]]);
  }
  for (int64_t w : d.which)
    e.which.push_back(int64_t(place[size_t(w)]));
  return e;
}

bool unique(Call &c) {
  if (!c.need(1))
    return false;
  Tensor x = c.in[0];
  int64_t axis = attrOr(c.op, "axis", 0);
  if (!c.op.attrNamed("axis"))
    x = x.withShape({int64_t(x.size())});
  if (!c.wrap(axis, x.rank()) || !c.charge(x.size() * 20))
    return false;
  std::vector<int64_t> front(x.rank()); // the axis first, so that slices are runs
  std::iota(front.begin(), front.end(), 0);
  std::rotate(front.begin(), front.begin() + axis, front.begin() + axis + 1);
  std::optional<Tensor> slices = transposed(c, x, front);
  size_t n = size_t(x.dim(size_t(axis)));
  if (!slices || (n == 0 && !c.fail("of no element")))
    return false;
  Distinct d;
  if (!withOrder(c, *slices, slices->size() / n, [&](auto before) {
        d = distinctSlices(n, attrOr(c.op, "sorted", 1) != 0, before);
        return true;
      }))
    return false;
  c.out.resize(std::max<size_t>(c.out.size(), 1));
  auto list = [&](size_t i, const std::vector<int64_t> &numbers) {
    if (i >= c.out.size())
      return true;
    Tensor *t = c.result(i, DType::I64, {int64_t(numbers.size())});
    if (t)
      std::ranges::copy(numbers, t->mutableData<int64_t>());
    return t != nullptr;
  };
  return c.give(takeSlices(c, x, size_t(axis), d.first)) && list(1, d.first) && list(2, d.which) && list(3, d.counts);
}

} // namespace

void addChooseKernels(KernelTable &t) {
  t.add("onnx.Compress", compress);
  t.add("onnx.ReverseSequence", reverseSequence);
  t.add("onnx.Unique", unique);
}

} // namespace rw
