#include "rw/interp/input_search.h"

#include "rw/interp/element.h"
#include "rw/ir/float8.h"

#include <algorithm>

namespace rw {

static bool hasFiniteElement(const Tensor &t) {
  if (t.isTuple())
    return std::ranges::any_of(t.elements(), hasFiniteElement);
  if (!isFloat(t.dtype()) && !isComplex(t.dtype()))
    return t.size() != 0;
  bool found = false;
  for (size_t i = 0; isFloat8(t.dtype()) && i < t.size() && !found; ++i)
    found = std::isfinite(fromFloat8(t.dtype(), t.data<uint8_t>()[i]));
  visitAny(t.dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < t.size() && !found; ++i)
      if constexpr (kIsComplex<T>)
        found = std::isfinite(t.data<T>()[i].real()) && std::isfinite(t.data<T>()[i].imag());
      else
        found = std::isfinite(double(t.data<T>()[i]));
    return true;
  });
  return found;
}

bool comparesSomething(Function &fn, size_t i, const Tensor &value) {
  if (hasFiniteElement(value))
    return true;
  Op end = fn.terminator(fn.body());
  Value result = end && i < end.operandCount() ? end.operand(unsigned(i)) : Value();
  return result && std::ranges::count(result.type().dims, Dim(0)) != 0;
}

size_t InputSearch::tellingResults(const Found &found) const {
  size_t n = 0;
  for (size_t i = 0; i < found.results.values.size(); ++i)
    n += comparesSomething(fn_, i, found.results.values[i]);
  return n;
}

/// Whether a tensor has the rank and the known sizes of a type.
static bool fits(const TypeData &type, const Tensor &t) {
  if (!t || t.isTuple() || type.kind != TypeKind::Tensor || !type.ranked)
    return true;
  if (type.dims.size() != t.rank())
    return false;
  for (size_t i = 0; i < type.dims.size(); ++i)
    if (type.dims[i].isKnown() && type.dims[i].size() != t.dim(i))
      return false;
  return true;
}

InputSearch::Found InputSearch::attempt(const InputChoice &choice, uint64_t work) {
  Found found{.choice = choice};
  found.inputs = randomInputs(fn_, seed_, found.choice);
  EvalOptions options = options_;
  options.maxWork = work;
  options.observer = [&](Op op, std::span<const Tensor> values) {
    for (unsigned i = 0; i < op.resultCount() && i < values.size(); ++i)
      found.fitsTypes = found.fitsTypes && (!op.result(i).typeId() || fits(op.result(i).type(), values[i]));
    if (options_.observer)
      options_.observer(op, values);
  };
  found.results = evaluate(fn_, found.inputs, options);
  return found;
}

InputSearch::Found InputSearch::further(const InputChoice &choice) {
  Found found = attempt(choice, work_);
  constexpr uint64_t kStepsToDraw = 32; // an element
  uint64_t used = found.results.work;
  for (const Tensor &t : found.inputs)
    used += t.size() * kStepsToDraw;
  work_ -= std::min(work_, used + 1);
  return found;
}

/// All ways to draw numbers that differ for the parameters there are, most likely ones first.
static std::vector<InputChoice> waysToDraw(const InputChoice &from, unsigned firstFloats) {
  std::vector<InputChoice> ways;
  auto add = [&](unsigned integers, unsigned floats) {
    if ((integers && !from.anyInteger) || (floats && !from.anyFloat))
      return;
    ways.push_back({.round = from.round, .integers = integers, .floats = floats});
  };
  add(from.integers, firstFloats);
  for (unsigned i = 0; i < InputChoice::kUniform; ++i)
    add(i, 0);
  for (unsigned f = 1; f < InputChoice::kFloats; ++f)
    add(0, f);
  for (unsigned i = InputChoice::kUniform; i < InputChoice::kIntegers; ++i)
    add(i, 0);
  return ways;
}

/// Looks for inputs on which the function can be evaluated, and its values have the sizes that types say. Where there
/// are only some of the first kind, they have to do.
void InputSearch::searchFitting(Found &found, unsigned firstFloats) {
  constexpr uint64_t kShareForSizes = 8; // types that a model states may be wrong: then nothing fits
  const InputChoice start = found.choice;
  const uint64_t least = found.results.ok ? work_ - work_ / kShareForSizes : 0;
  unsigned sizes = start.anySize ? InputChoice::kSizes : 1;
  for (InputChoice way : waysToDraw(start, firstFloats)) {
    // Floats decide no sizes.
    if (found.results.ok && way.floats != found.choice.floats && way.integers == found.choice.integers)
      continue;
    for (unsigned s = 0; s < sizes && work_ > least; ++s) {
      way.sizes = (start.sizes + s) % InputChoice::kSizes;
      if (way.sizes == start.sizes && way.integers == start.integers && way.floats == start.floats)
        continue;
      Found other = further(way);
      if (other.results.unsupported || (other.results.ok && (other.fitsTypes || !found.results.ok)))
        found = std::move(other);
      if (found.results.unsupported || (found.results.ok && found.fitsTypes))
        return;
    }
  }
}

void InputSearch::searchTelling(Found &found) {
  const InputChoice start = found.choice;
  size_t all = found.results.values.size(), most = tellingResults(found);
  auto consider = [&](const InputChoice &choice) {
    if (most == all || !work_)
      return;
    Found other = further(choice);
    const bool isWorse = !other.results.ok || (found.fitsTypes && !other.fitsTypes);
    if (size_t n = isWorse ? 0 : tellingResults(other); n > most) {
      most = n;
      found = std::move(other);
    }
  };
  InputChoice choice = start;
  for (choice.floats = 0; start.anyFloat && choice.floats < InputChoice::kFloats; ++choice.floats)
    consider(choice);
  choice = start;
  for (choice.sizes = 0; start.anySize && choice.sizes < InputChoice::kSizes; ++choice.sizes)
    consider(choice);
  choice = start;
  for (choice.integers = 0; start.anyInteger && choice.integers < InputChoice::kIntegers; ++choice.integers)
    consider(choice);
}

InputSearch::Found InputSearch::find(unsigned round) {
  InputChoice start = best_;
  start.round = round;
  // Numbers around 0 tell more than others where they will do.
  if (round % 2)
    start.floats = 0;
  Found found = attempt(start, options_.maxWork);
  const bool anyChoice = found.choice.anySize || found.choice.anyInteger;
  if (found.results.unsupported)
    return found;
  if (!found.results.ok || (!found.fitsTypes && anyChoice))
    searchFitting(found, best_.floats);
  if (!found.results.ok)
    return found;
  if (!searched_) {
    searched_ = true;
    searchTelling(found);
    best_ = found.choice;
  } else {
    best_.sizes = found.choice.sizes;
    best_.integers = found.choice.integers;
  }
  return found;
}

} // namespace rw
