#include "rw/interp/compare.h"

#include "rw/interp/element.h"
#include "rw/interp/input_search.h"
#include "rw/ir/float8.h"

#include <algorithm>
#include <cstring>

namespace rw {
namespace {

/// The coordinates of element `i`.
std::string placeText(size_t i, const Shape &shape) {
  Shape at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = int64_t(i) % std::max<int64_t>(shape[d], 1);
    i /= size_t(std::max<int64_t>(shape[d], 1));
  }
  return shapeText(at);
}

template <class T> std::string elementText(T v) {
  if constexpr (std::is_same_v<T, float>)
    return printFloat(v);
  else if constexpr (kIsFloat<T>)
    return printFloat(double(v));
  else if constexpr (kIsComplex<T>)
    return printFloat(v.real()) + " + " + printFloat(v.imag()) + "i";
  else
    return std::to_string(v);
}

/// The same numbers as f32.
Tensor fromFloats8(const Tensor &t) {
  Tensor wide = *Tensor::make(DType::F32, t.shape());
  for (size_t i = 0; i < t.size(); ++i)
    wide.mutableData<float>()[i] = float(fromFloat8(t.dtype(), t.data<uint8_t>()[i]));
  return wide;
}

} // namespace

std::string differenceOf(const Tensor &a, const Tensor &b, double tolerance, double &largest) {
  if (bool(a) != bool(b))
    return "is there only once";
  if (!a)
    return {};
  if (a.isTuple() != b.isTuple() || (a.isTuple() && a.elements().size() != b.elements().size()))
    return "is a tuple of another form";
  for (size_t i = 0; a.isTuple() && i < a.elements().size(); ++i)
    if (std::string text = differenceOf(a.elements()[i], b.elements()[i], tolerance, largest); !text.empty())
      return "element " + std::to_string(i) + " " + text;
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return "is " + std::string(dtypeName(a.dtype())) + shapeText(a.shape()) + " before, " +
           std::string(dtypeName(b.dtype())) + shapeText(b.shape()) + " after";
  std::string text;
  if (a.isString()) {
    for (size_t i = 0; i < a.size() && text.empty(); ++i)
      if (a.strings()[i] != b.strings()[i])
        text = "differs at " + placeText(i, a.shape()) + ": \"" + a.strings()[i] + "\" before, \"" + b.strings()[i] +
               "\" after";
    return text;
  }
  if (isFloat8(a.dtype()))
    return differenceOf(fromFloats8(a), fromFloats8(b), tolerance, largest);
  visitAny(a.dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < a.size(); ++i) {
      T x = a.data<T>()[i], y = b.data<T>()[i];
      if (std::memcmp(&x, &y, sizeof x) == 0)
        continue;
      double difference = INFINITY;
      if constexpr (std::is_same_v<T, Bool>) {
        if (bool(x) == bool(y))
          continue;
      } else if constexpr (kIsComplex<T>) {
        auto same = [&](auto p, auto q) {
          return (p != p && q != q) || (p == q && (tolerance > 0 || std::signbit(p) == std::signbit(q)));
        };
        if (same(x.real(), y.real()) && same(x.imag(), y.imag()))
          continue;
        difference = std::abs(x - y) / std::max({1.0, double(std::abs(x)), double(std::abs(y))});
      } else {
        double p = double(x), q = double(y);
        if (p != p && q != q)
          continue;
        if (p == q && tolerance > 0)
          continue; // zeros of either sign
        difference = std::abs(p - q) / std::max({1.0, std::abs(p), std::abs(q)});
      }
      largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
      if (!(difference <= tolerance) || tolerance == 0)
        if (text.empty())
          text =
              "differs at " + placeText(i, a.shape()) + ": " + elementText(x) + " before, " + elementText(y) + " after";
    }
    return true;
  });
  return text;
}

namespace {

/// "B = 2, 3, 1; S = 3, 1, 5"
class SizeList {
public:
  void add(const Context &ctx, const InputChoice &choice) {
    for (const auto &[symbol, size] : choice.known) {
      std::string name(ctx.text(symbol));
      auto at = std::ranges::find(rows_, name, [](const auto &row) { return row.first; });
      if (at == rows_.end())
        at = rows_.insert(at, {name, ""});
      at->second += (at->second.empty() ? "" : ", ") + std::to_string(size.size());
    }
  }
  std::string text() const {
    std::string out;
    for (const auto &[name, sizes] : rows_)
      out += (out.empty() ? "" : "; ") + name + " = " + sizes;
    return out;
  }

private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

/// What may be off in results of a dtype: rounding once more or once less is no difference, however coarse the dtype.
double allowed(double tolerance, DType dtype) {
  constexpr double kUnits = 4;          // in the last place
  if (tolerance > 0 && isFloat8(dtype)) // one unit: four would be all there is
    return std::max(tolerance, dtype == DType::F8E4M3FN || dtype == DType::F8E4M3FNUZ ? 0x1p-3 : 0x1p-2);
  if (tolerance == 0 || (dtype != DType::F16 && dtype != DType::BF16))
    return tolerance;
  return std::max(tolerance, kUnits * (dtype == DType::F16 ? 0x1p-10 : 0x1p-7));
}

/// "result 1 (y)"
std::string resultText(const Function &fn, size_t i) {
  bool named = i < fn.resultNames().size() && fn.resultNames()[i];
  return "result " + std::to_string(i) +
         (named ? " (" + std::string(fn.context().text(fn.resultNames()[i])) + ")" : "");
}

/// The first difference of the results, in words; empty if there is none.
std::string differenceOfResults(const Function &fn, const EvalResult &x, const EvalResult &y, double tolerance,
                                double &largest) {
  if (x.values.size() != y.values.size())
    return std::to_string(x.values.size()) + " results before, " + std::to_string(y.values.size()) + " after";
  std::string text;
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::string what = differenceOf(x.values[i], y.values[i], allowed(tolerance, x.values[i].dtype()), largest);
    if (!what.empty() && text.empty())
      text = resultText(fn, i) + " " + what;
  }
  return text;
}

/// What was seen of each result on all inputs so far.
class Seen {
public:
  explicit Seen(Function &fn) : fn_(fn) {}
  void add(const EvalResult &x) {
    results_.resize(std::max(results_.size(), x.values.size()));
    for (size_t i = 0; i < x.values.size(); ++i) {
      results_[i].compared |= comparesSomething(fn_, i, x.values[i]);
      results_[i].elements |= x.values[i].size() != 0;
    }
  }
  /// Results that had nothing to compare on any input.
  std::vector<std::string> notCompared(unsigned inputs) const {
    std::vector<std::string> out;
    for (size_t i = 0; i < results_.size(); ++i)
      if (!results_[i].compared)
        out.push_back(resultText(fn_, i) + (results_[i].elements ? " had no finite number on " : " was empty on ") +
                      (inputs == 1   ? "the only input"
                       : inputs == 2 ? "both inputs"
                                     : "all " + std::to_string(inputs) + " inputs"));
    return out;
  }
  size_t count() const { return results_.size(); }

private:
  struct Result {
    bool compared = false, elements = false;
  };
  Function &fn_;
  std::vector<Result> results_;
};

} // namespace

Comparison compareFunctions(Function &before, Function &after, unsigned rounds, double tolerance, uint64_t seed,
                            const EvalOptions &options, const CompleteInputs &complete) {
  Comparison c;
  SizeList sizes;
  InputSearch search(before, seed, options);
  Seen seen(before);
  std::string notEvaluated; // why, of the first round that could not be
  for (unsigned round = 0; round < rounds; ++round) {
    InputSearch::Found found = search.find(round);
    const EvalResult &x = found.results;
    auto because = [](const EvalResult &bad) { return (bad.opName.empty() ? "" : bad.opName + ": ") + bad.error; };
    if (!x.ok && !x.unsupported) {
      notEvaluated = notEvaluated.empty() ? because(x) : notEvaluated; // another round may do
      continue;
    }
    EvalResult y;
    if (Result<void> completed = x.ok && complete ? complete(found.inputs) : Result<void>(); !completed)
      y = {.ok = false, .error = completed.error()};
    else if (x.ok)
      y = evaluate(after, found.inputs, options);
    if (!x.ok || !y.ok) {
      c.text = because(x.ok ? y : x);
      // What could be evaluated before must be so after.
      c.outcome = x.ok && !y.unsupported ? Comparison::Differ : Comparison::NotEvaluated;
      return c;
    }
    sizes.add(before.context(), found.choice);
    seen.add(x);
    ++c.inputs;
    if (std::string what = differenceOfResults(before, x, y, tolerance, c.largestDifference);
        !what.empty() && c.outcome == Comparison::Agree) {
      c.outcome = Comparison::Differ;
      c.text = what + " (input " + std::to_string(round) + ")";
    }
  }
  c.sizes = sizes.text();
  c.results = unsigned(seen.count());
  c.notCompared = seen.notCompared(c.inputs);
  if (!c.inputs && !notEvaluated.empty()) {
    c.outcome = Comparison::NotEvaluated;
    c.text = notEvaluated;
  } else if (c.outcome == Comparison::Agree && c.results && c.notCompared.size() == c.results) {
    c.outcome = Comparison::Vacuous;
    c.text = c.notCompared[0];
  }
  return c;
}

} // namespace rw
