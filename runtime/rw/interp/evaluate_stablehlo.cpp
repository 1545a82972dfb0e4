// StableHLO's ops that hold regions: these are run on scalars, an element of each operand.
#include "rw/interp/element.h"
#include "rw/interp/evaluator.h"
#include "rw/interp/extremes.h"

#include <algorithm>
#include <cstring>

namespace rw::detail {

namespace {
/// A list of whole numbers that an op has by this name; none if it is left out and has no default.

/// Element i as a tensor without dimensions.
Tensor elementOf(const Tensor &t, size_t i) {
  Tensor out = *Tensor::make(t.dtype(), {});
  std::memcpy(out.mutableData<std::byte>(), t.data<std::byte>() + i * t.width(), t.width());
  return out;
}
void putElement(Tensor &t, size_t i, const Tensor &element) {
  std::memcpy(t.mutableData<std::byte>() + i * t.width(), element.data<std::byte>(), t.width());
}
/// Whether a region's results are one element each, of these tensors' types.
bool areElements(std::span<const Tensor> results, std::span<const Tensor> of) {
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].isTuple() || results[i].size() != 1 || results[i].dtype() != of[i].dtype())
      return false;
  return true;
}
/// Steps to the next index in row-major order; false at the end.
bool advance(Shape &index, const Shape &shape) {
  for (size_t d = index.size(); d-- > 0;) {
    if (++index[d] < shape[d])
      return true;
    index[d] = 0;
  }
  return false;
}
size_t placeOf(const Shape &index, const Shape &strides) {
  int64_t place = 0;
  for (size_t d = 0; d < index.size(); ++d)
    place += index[d] * strides[d];
  return size_t(place);
}

/// What a body does with what is accumulated and an element, if one op of both is all it does.
enum class Fold { Other, Add, Multiply, Greater, Lesser };
Fold foldOf(Function &fn, RegionId body) {
  std::span<const ValueId> params = fn.params(body);
  Op end = fn.terminator(body);
  if (params.size() != 2 || !end || end.operandCount() != 1 || !end.operand(0))
    return Fold::Other;
  unsigned others = 0;
  Op only;
  for (Op op : fn.ops(body))
    if (op.id != end.id) {
      only = op;
      ++others;
    }
  if (others != 1 || only.operandCount() != 2 || only.resultCount() != 1 || end.operand(0).id != only.result(0).id ||
      !only.operand(0) || !only.operand(1))
    return Fold::Other;
  ValueId a = only.operand(0).id, b = only.operand(1).id;
  if (!(a == params[0] && b == params[1]) && !(a == params[1] && b == params[0]))
    return Fold::Other;
  static constexpr std::pair<std::string_view, Fold> kFolds[] = {{"stablehlo.add", Fold::Add},
                                                                 {"stablehlo.multiply", Fold::Multiply},
                                                                 {"stablehlo.maximum", Fold::Greater},
                                                                 {"stablehlo.minimum", Fold::Lesser}};
  auto it = std::ranges::find(kFolds, only.fullName(), &std::pair<std::string_view, Fold>::first);
  return it == std::end(kFolds) ? Fold::Other : it->second;
}
/// What is accumulated in: floats of 16 bits as double, so that they are rounded once; others as they are, which is
/// how compilers add them up.
template <class T> using Folded = std::conditional_t<kIsSmallFloat<T>, double, Compute<T>>;
template <class T> Folded<T> folded(Fold fold, Folded<T> sum, T x) {
  switch (fold) {
  case Fold::Add:
    return sum + Folded<T>(x);
  case Fold::Multiply:
    return sum * Folded<T>(x);
  default:
    if constexpr (kIsInt<T>) // what integers are accumulated in has no sign
      return Folded<T>(fold == Fold::Greater ? greaterOf(T(sum), x) : lesserOf(T(sum), x));
    else
      return fold == Fold::Greater ? greaterOf(sum, Folded<T>(x)) : lesserOf(sum, Folded<T>(x));
  }
}
} // namespace

/// Tensors to write results into, and operands that are all of one shape and of elements with a size.
bool Evaluator::sameShapes(Op op, std::span<const Tensor> tensors) {
  for (const Tensor &t : tensors)
    if (t.isTuple() || t.isString() || t.width() == 0 || t.shape() != tensors[0].shape())
      return fail(op, "operands are not tensors of numbers of one shape");
  return !tensors.empty() || fail(op, "operands are missing");
}

bool Evaluator::makeLike(Op op, std::span<const Tensor> like, const Shape &shape, std::vector<Tensor> &out) {
  for (const Tensor &t : like) {
    std::optional<Tensor> made = Tensor::make(t.dtype(), shape, budget_.memory);
    if (!made)
      return fail(op, "a result does not fit the memory allowed");
    out.push_back(std::move(*made));
  }
  return true;
}

/// What the body makes of what is accumulated and of element `place` of each input.
bool Evaluator::accumulate(Op op, std::span<const Tensor> elements, std::vector<Tensor> &state, unsigned depth) {
  std::vector<Tensor> arguments = state, results;
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  if (!nested(op, 0, std::move(arguments), results, state.size(), depth))
    return false;
  if (!areElements(results, elements))
    return fail(op, "the body returns something else than elements");
  state = std::move(results);
  return true;
}

/// Results begin as initial values; `places` says which element each of them takes in, one after another, -1 being an
/// initial value.
bool Evaluator::reducePlaces(Op op, std::span<const Tensor> inputs, std::span<const Tensor> inits,
                             std::vector<Tensor> &out, const Places &places, unsigned depth) {
  size_t n = inputs.size();
  Fold fold = n == 1 ? foldOf(fn_, op.regions()[0]) : Fold::Other;
  auto foldAll = [&]<class T>(T) {
    T init = inits[0].data<T>()[0];
    std::vector<Folded<T>> sums(out[0].size(), Folded<T>(init));
    if (!places([&](int64_t place, size_t to) {
          if (!budget_.spend(1))
            return fail(op, "the evaluation takes more steps than allowed");
          sums[to] = folded<T>(fold, sums[to], place < 0 ? init : inputs[0].data<T>()[place]);
          return true;
        }))
      return false;
    for (size_t i = 0; i < sums.size(); ++i)
      out[0].mutableData<T>()[i] = storeElement<T>(sums[i]);
    return true;
  };
  DType dtype = inputs[0].dtype();
  auto isKnown = [](auto) { return true; };
  if (fold != Fold::Other && (visitFloat(dtype, isKnown) || visitInt(dtype, isKnown))) {
    if (!visitFloat(dtype, foldAll) && !visitInt(dtype, foldAll))
      return false;
    give(op, out);
    return true;
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t p = 0; p < out[i].size(); ++p)
      putElement(out[i], p, inits[i]);
  std::vector<Tensor> state, elements;
  if (!places([&](int64_t place, size_t to) {
        state.clear();
        elements.clear();
        for (size_t i = 0; i < n; ++i) {
          state.push_back(elementOf(out[i], to));
          elements.push_back(place < 0 ? inits[i] : elementOf(inputs[i], size_t(place)));
        }
        if (!accumulate(op, elements, state, depth))
          return false;
        for (size_t i = 0; i < n; ++i)
          putElement(out[i], to, state[i]);
        return true;
      }))
    return false;
  give(op, out);
  return true;
}

bool Evaluator::reduceElements(Op op, unsigned depth) {
  std::vector<Tensor> operands = operandsOf(op), out;
  size_t n = operands.size() / 2;
  std::span<const Tensor> inputs(operands.data(), n), inits(operands.data() + n, n);
  if (op.resultCount() != n || !sameShapes(op, inputs) || !areElements(inits, inputs))
    return fail(op, "inputs and initial values do not go together");
  std::vector<int64_t> dims = intsOf(op, "dimensions");
  const Shape &shape = inputs[0].shape();
  Shape kept, strides = stridesOf(shape), outStrides(shape.size(), 0);
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::ranges::find(dims, int64_t(d)) == dims.end())
      kept.push_back(shape[d]);
  Shape keptStrides = stridesOf(kept);
  for (size_t d = 0, k = 0; d < shape.size(); ++d)
    if (std::ranges::find(dims, int64_t(d)) == dims.end())
      outStrides[d] = keptStrides[k++];
  if (!makeLike(op, inputs, kept, out))
    return false;
  auto places = [&](const TakesPlace &take) {
    Shape index(shape.size(), 0);
    if (inputs[0].size() != 0)
      do
        if (!take(int64_t(placeOf(index, strides)), placeOf(index, outStrides)))
          return false;
      while (advance(index, shape));
    return true;
  };
  return reducePlaces(op, inputs, inits, out, places, depth);
}

/// What is around elements, before, behind and between them, are initial values, as many as a padding makes.
bool Evaluator::reduceWindows(Op op, unsigned depth) {
  std::vector<Tensor> operands = operandsOf(op), out;
  size_t n = operands.size() / 2;
  std::span<const Tensor> inputs(operands.data(), n), inits(operands.data() + n, n);
  if (op.resultCount() != n || !sameShapes(op, inputs) || !areElements(inits, inputs))
    return fail(op, "inputs and initial values do not go together");
  const Shape &shape = inputs[0].shape();
  size_t rank = shape.size();
  std::vector<int64_t> window = intsOf(op, "window_dimensions"), stride = intsOf(op, "window_strides"),
                       base = intsOf(op, "base_dilations"), dilation = intsOf(op, "window_dilations");
  std::vector<std::pair<int64_t, int64_t>> padding = pairsOf(op, "padding");
  auto fits = [&](const std::vector<int64_t> &v) {
    return v.size() == rank && std::ranges::all_of(v, [](int64_t i) { return i > 0 && i < (1 << 30); });
  };
  if (!fits(window) || !fits(stride) || !fits(base) || !fits(dilation) || padding.size() != rank)
    return fail(op, "windows do not go with the operands");
  Shape windows(rank), strides = stridesOf(shape);
  for (size_t d = 0; d < rank; ++d) {
    int64_t spread = shape[d] == 0 ? 0 : (shape[d] - 1) * base[d] + 1, reach = (window[d] - 1) * dilation[d] + 1;
    int64_t padded = spread + padding[d].first + padding[d].second;
    windows[d] = padded <= 0 || reach > padded ? 0 : (padded - reach) / stride[d] + 1;
  }
  if (!makeLike(op, inputs, windows, out))
    return false;
  auto places = [&](const TakesPlace &take) {
    Shape at(rank, 0), inWindow(rank), windowShape(window.begin(), window.end());
    for (size_t to = 0; to < out[0].size(); ++to, advance(at, windows)) {
      std::ranges::fill(inWindow, 0);
      do {
        int64_t place = 0;
        for (size_t d = 0; d < rank && place >= 0; ++d) {
          int64_t p = at[d] * stride[d] + inWindow[d] * dilation[d] - padding[d].first;
          bool inside = p >= 0 && p % base[d] == 0 && p / base[d] < shape[d];
          place = inside ? place + p / base[d] * strides[d] : -1;
        }
        if (!take(place, to))
          return false;
      } while (advance(inWindow, windowShape));
    }
    return true;
  };
  return reducePlaces(op, inputs, inits, out, places, depth);
}

bool Evaluator::mapElements(Op op, unsigned depth) {
  std::vector<Tensor> inputs = operandsOf(op), results, out;
  if (op.resultCount() != 1 || !sameShapes(op, inputs))
    return fail(op, "operands do not go together");
  DType dtype = op.result().type().dtype;
  std::optional<Tensor> made = Tensor::make(dtype, inputs[0].shape(), budget_.memory);
  if (!made)
    return fail(op, "the result does not fit the memory allowed");
  out.push_back(std::move(*made));
  for (size_t p = 0; p < out[0].size(); ++p) {
    std::vector<Tensor> elements;
    for (const Tensor &t : inputs)
      elements.push_back(elementOf(t, p));
    if (!nested(op, 0, std::move(elements), results, 1, depth))
      return false;
    if (!areElements(results, out))
      return fail(op, "the computation returns something else than an element");
    putElement(out[0], p, results[0]);
  }
  give(op, out);
  return true;
}

/// By merging, so that equal elements keep their order and any comparator ends.
bool Evaluator::sortElements(Op op, unsigned depth) {
  std::vector<Tensor> inputs = operandsOf(op), out, results;
  if (op.resultCount() != inputs.size() || !sameShapes(op, inputs))
    return fail(op, "operands do not go together");
  const Shape &shape = inputs[0].shape();
  int64_t dim = attrOr(op, "dimension", 0), rank = int64_t(shape.size());
  dim += dim < 0 ? rank : 0;
  if (dim < 0 || dim >= rank)
    return fail(op, "there is no such dimension");
  if (!makeLike(op, inputs, shape, out))
    return false;
  size_t length = size_t(shape[size_t(dim)]), step = size_t(stridesOf(shape)[size_t(dim)]);
  for (size_t first = 0; length != 0 && first < inputs[0].size(); ++first) {
    if (first / step % length != 0)
      continue;
    std::vector<size_t> order(length), merged(length);
    for (size_t i = 0; i < length; ++i)
      order[i] = first + i * step;
    for (size_t run = 1; run < length; run *= 2) {
      for (size_t from = 0; from < length; from += 2 * run) {
        size_t a = from, middle = std::min(from + run, length), b = middle, end = std::min(from + 2 * run, length);
        for (size_t to = from; to < end; ++to) {
          bool second = a == middle;
          if (a < middle && b < end) { // the second comes first only if the comparator says so
            std::vector<Tensor> pairs;
            for (const Tensor &t : inputs) {
              pairs.push_back(elementOf(t, order[b]));
              pairs.push_back(elementOf(t, order[a]));
            }
            if (!nested(op, 0, std::move(pairs), results, 1, depth))
              return false;
            if (results[0].dtype() != DType::Bool || results[0].size() != 1)
              return fail(op, "the comparator does not return one bool");
            second = results[0].intAt(0) != 0;
          }
          merged[to] = second ? order[b++] : order[a++];
        }
      }
      order.swap(merged);
    }
    for (size_t k = 0; k < inputs.size(); ++k)
      for (size_t i = 0; i < length; ++i)
        putElement(out[k], first + i * step, elementOf(inputs[k], order[i]));
  }
  give(op, out);
  return true;
}

bool Evaluator::scatterElements(Op op, unsigned depth) {
  std::vector<Tensor> operands = operandsOf(op), results;
  size_t n = operands.size() / 2;
  if (operands.size() != 2 * n + 1 || op.resultCount() != n)
    return fail(op, "operands and results differ in number");
  std::span<const Tensor> inputs(operands.data(), n), updates(operands.data() + n + 1, n);
  const Tensor &indices = operands[n];
  if (!sameShapes(op, inputs) || !sameShapes(op, updates))
    return false;
  for (size_t i = 0; i < n; ++i)
    if (inputs[i].dtype() != updates[i].dtype())
      return fail(op, "updates are of other types than what they update");
  std::vector<int64_t> windowDims = intsOf(op, "update_window_dims"), inserted = intsOf(op, "inserted_window_dims"),
                       batching = intsOf(op, "input_batching_dims"),
                       startBatching = intsOf(op, "scatter_indices_batching_dims"),
                       map = intsOf(op, "scatter_dims_to_operand_dims");
  const Shape &shape = inputs[0].shape(), &updateShape = updates[0].shape();
  size_t rank = shape.size(), vectorDim = size_t(attrOr(op, "index_vector_dim", 0));
  auto holds = [](const std::vector<int64_t> &v, size_t i) { return std::ranges::find(v, int64_t(i)) != v.end(); };
  auto inside = [](const std::vector<int64_t> &v, size_t end) {
    return std::ranges::all_of(v, [&](int64_t i) { return i >= 0 && size_t(i) < end; });
  };
  std::vector<size_t> kept; // dimensions of the input that a window has
  for (size_t d = 0; d < rank; ++d)
    if (!holds(inserted, d) && !holds(batching, d))
      kept.push_back(d);
  size_t outer = updateShape.size() - windowDims.size(),
         indexRank = indices.rank() - (vectorDim < indices.rank() ? 1 : 0);
  if (kept.size() != windowDims.size() || !inside(windowDims, updateShape.size()) || !inside(map, rank) ||
      !inside(batching, rank) || !inside(startBatching, indices.rank()) || batching.size() != startBatching.size() ||
      outer != indexRank || !isInteger(indices.dtype()) || holds(startBatching, vectorDim))
    return fail(op, "the dimensions do not go together");
  Shape window(rank, 1); // how much of each dimension is updated at once
  for (size_t w = 0; w < kept.size(); ++w)
    window[kept[w]] = updateShape[size_t(windowDims[w])];
  Shape strides = stridesOf(shape), indexStrides = stridesOf(indices.shape());
  std::vector<Tensor> out;
  if (!makeLike(op, inputs, shape, out))
    return false;
  for (size_t i = 0; i < n; ++i)
    std::copy_n(inputs[i].data<std::byte>(), inputs[i].byteSize(), out[i].mutableData<std::byte>());
  Shape index(updateShape.size(), 0), at(rank), batch(outer);
  for (size_t p = 0; p < updates[0].size(); ++p, advance(index, updateShape)) {
    std::ranges::fill(at, 0);
    for (size_t d = 0, w = 0, b = 0; d < index.size(); ++d)
      (holds(windowDims, d) ? at[kept[w++]] : batch[b++]) = index[d];
    int64_t first = 0;
    for (size_t d = 0, b = 0; d < indices.rank(); ++d)
      if (d != vectorDim)
        first += batch[b++] * indexStrides[d];
    bool within = true;
    for (size_t i = 0; i < map.size(); ++i) {
      size_t place = size_t(first + int64_t(i) * (vectorDim < indices.rank() ? indexStrides[vectorDim] : 0));
      if (place >= indices.size())
        return fail(op, "an index vector is too short");
      int64_t start = indices.intAt(place), last = shape[size_t(map[i])] - window[size_t(map[i])];
      within = within && start >= 0 && start <= last; // the window as a whole; also keeps the sum from overflowing
      at[size_t(map[i])] += within ? start : 0;
    }
    for (size_t i = 0; i < batching.size(); ++i)
      at[size_t(batching[i])] += batch[size_t(startBatching[i]) - (size_t(startBatching[i]) < vectorDim ? 0 : 1)];
    for (size_t d = 0; d < rank; ++d)
      within = within && at[d] < shape[d];
    if (!within)
      continue;
    size_t to = placeOf(at, strides);
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < n; ++i)
      arguments.push_back(elementOf(out[i], to));
    for (size_t i = 0; i < n; ++i)
      arguments.push_back(elementOf(updates[i], p));
    if (!nested(op, 0, std::move(arguments), results, n, depth))
      return false;
    if (!areElements(results, out))
      return fail(op, "the computation returns something else than elements");
    for (size_t i = 0; i < n; ++i)
      putElement(out[i], to, results[i]);
  }
  give(op, out);
  return true;
}

bool Evaluator::selectAndScatter(Op op, unsigned depth) {
  std::vector<Tensor> operands = operandsOf(op), results, out;
  if (operands.size() != 3 || op.resultCount() != 1 || !sameShapes(op, {operands.data(), 1}) ||
      !sameShapes(op, {operands.data() + 1, 1}) || !areElements({operands.data() + 2, 1}, operands) ||
      operands[1].dtype() != operands[0].dtype())
    return fail(op, "operands do not go together");
  const Tensor &x = operands[0], &source = operands[1];
  size_t rank = x.rank();
  std::vector<int64_t> window = intsOf(op, "window_dimensions"), stride = intsOf(op, "window_strides");
  std::vector<std::pair<int64_t, int64_t>> padding = pairsOf(op, "padding");
  auto fits = [&](const std::vector<int64_t> &v) {
    return v.size() == rank && std::ranges::all_of(v, [](int64_t i) { return i > 0 && i < (1 << 30); });
  };
  if (!fits(window) || !fits(stride) || padding.size() != rank || source.rank() != rank)
    return fail(op, "windows do not go with the operands");
  if (!makeLike(op, {operands.data(), 1}, x.shape(), out))
    return false;
  for (size_t p = 0; p < out[0].size(); ++p)
    putElement(out[0], p, operands[2]);
  Shape at(rank, 0), inWindow(rank), windowShape(window.begin(), window.end()), strides = stridesOf(x.shape());
  for (size_t p = 0; p < source.size(); ++p, advance(at, source.shape())) {
    int64_t chosen = -1;
    std::ranges::fill(inWindow, 0);
    do {
      int64_t place = 0;
      for (size_t d = 0; d < rank && place >= 0; ++d) {
        int64_t q = at[d] * stride[d] + inWindow[d] - padding[d].first;
        place = q >= 0 && q < x.dim(d) ? place + q * strides[d] : -1;
      }
      if (place < 0)
        continue;
      if (chosen >= 0) {
        if (!nested(op, 0, {elementOf(x, size_t(chosen)), elementOf(x, size_t(place))}, results, 1, depth))
          return false;
        if (results[0].dtype() != DType::Bool || results[0].size() != 1)
          return fail(op, "the selection does not return one bool");
        if (results[0].intAt(0))
          continue;
      }
      chosen = place;
    } while (advance(inWindow, windowShape));
    if (chosen < 0)
      return fail(op, "a window has no element");
    if (!nested(op, 1, {elementOf(out[0], size_t(chosen)), elementOf(source, p)}, results, 1, depth))
      return false;
    if (!areElements(results, out))
      return fail(op, "the scatter returns something else than an element");
    putElement(out[0], size_t(chosen), results[0]);
  }
  give(op, out);
  return true;
}

} // namespace rw::detail
