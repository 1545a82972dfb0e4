#include "rw/interp/compare.h"

#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace rw {
namespace {

int64_t sizeOf(size_t symbol, const SizeChoice &choice) {
  static constexpr int64_t kSmall[] = {2, 3, 1, 5, 4, 7}, kEven[] = {4, 8, 16, 32, 64, 12};
  return choice.attempt == 0 ? kSmall[(symbol + choice.round) % std::size(kSmall)]
                             : kEven[(choice.attempt - 1 + choice.round) % std::size(kEven)];
}

Shape shapeOf(Context &ctx, const TypeData &type, SizeChoice &choice) {
  Shape shape;
  for (Dim d : type.dims) {
    std::vector<StringId> symbols;
    ctx.dims().collectSymbols(d, symbols);
    for (StringId s : symbols)
      if (std::ranges::none_of(choice.known, [&](const auto &k) { return k.first == s; }))
        choice.known.emplace_back(s, Dim(sizeOf(choice.known.size(), choice)));
    Dim size = d.isExpression() ? ctx.dims().substitute(d, choice.known) : d;
    choice.any |= !d.isKnown();
    shape.push_back(size.isKnown() ? size.size() : choice.attempt == 0 ? 2 : sizeOf(0, choice));
  }
  return shape;
}

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

} // namespace

Tensor randomTensor(DType dtype, Shape shape, uint64_t seed, bool special) {
  std::optional<Tensor> t = Tensor::make(dtype, std::move(shape));
  if (!t)
    return {};
  std::mt19937_64 random(seed);
  // By hand: the library's distributions differ from one library to the next.
  auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  if (t->isString()) {
    for (std::string &s : t->mutableStrings())
      s = std::string(1, char('a' + random() % 26));
    return *t;
  }
  visitAny(dtype, [&]<class T>(T) {
    for (size_t i = 0; i < t->size(); ++i) {
      T &e = t->mutableData<T>()[i];
      if constexpr (std::is_same_v<T, Bool>)
        e = Bool(random() % 2);
      else if constexpr (kIsInt<T>)
        e = T(random() % 4);
      else if constexpr (kIsComplex<T>) {
        double re = unit() * 2 - 1, im = unit() * 2 - 1;
        e = T(typename T::value_type(re), typename T::value_type(im));
      } else
        e = storeElement<T>((unit() + unit() + unit() - 1.5) * 2);
      if constexpr (kIsFloat<T>) {
        static constexpr double kSpecial[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.0};
        if (special && random() % 64 == 0)
          e = storeElement<T>(kSpecial[random() % std::size(kSpecial)]);
      }
    }
    return true;
  });
  return *t;
}

std::vector<Tensor> randomInputs(Function &fn, uint64_t seed, unsigned round) {
  SizeChoice choice{.round = round};
  return randomInputs(fn, seed, choice);
}

std::vector<Tensor> randomInputs(Function &fn, uint64_t seed, SizeChoice &choice) {
  std::vector<Tensor> out;
  std::span<const ValueId> params = fn.params(fn.body());
  for (unsigned i = 0; i < params.size(); ++i) {
    Value v = fn.value(params[i]);
    if (fn.paramInfo(i).defaultValue) {
      out.emplace_back(); // evaluate takes it
      continue;
    }
    Shape shape = shapeOf(fn.context(), v.type(), choice);
    std::optional<size_t> n = elementsIn(shape);
    bool tooLarge = !n || *n > (size_t(1) << 28);
    out.push_back(tooLarge ? Tensor() : randomTensor(v.type().dtype, shape, seed * 1000003 + choice.round * 1009 + i, choice.round >= 2));
  }
  return out;
}

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
        text = "differs at " + placeText(i, a.shape()) + ": \"" + a.strings()[i] + "\" before, \"" + b.strings()[i] + "\" after";
    return text;
  }
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
          text = "differs at " + placeText(i, a.shape()) + ": " + elementText(x) + " before, " + elementText(y) + " after";
    }
    return true;
  });
  return text;
}

namespace {

/// "B = 2, 3, 1; S = 3, 1, 5"
class SizeList {
public:
  void add(const Context &ctx, const SizeChoice &choice) {
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

/// Evaluates `before` at the first sizes at which that is possible, beginning with those that were so last time.
EvalResult evaluateAtSomeSize(Function &before, uint64_t seed, const EvalOptions &options, SizeChoice &choice, std::vector<Tensor> &inputs) {
  EvalResult first;
  unsigned start = choice.attempt;
  for (unsigned i = 0; i < SizeChoice::kAttempts; ++i) {
    choice = {.round = choice.round, .attempt = (start + i) % SizeChoice::kAttempts};
    inputs = randomInputs(before, seed, choice);
    EvalResult x = evaluate(before, inputs, options);
    if (x.ok || x.unsupported || !choice.any)
      return x;
    if (i == 0)
      first = std::move(x);
  }
  choice.attempt = start;
  return first;
}

/// What may be off in results of a dtype: rounding once more or once less is no difference, however coarse the dtype.
double allowed(double tolerance, DType dtype) {
  constexpr double kUnits = 4; // in the last place
  if (tolerance == 0 || (dtype != DType::F16 && dtype != DType::BF16))
    return tolerance;
  return std::max(tolerance, kUnits * (dtype == DType::F16 ? 0x1p-10 : 0x1p-7));
}

/// The first difference of the results, in words; empty if there is none.
std::string differenceOfResults(const Function &fn, const EvalResult &x, const EvalResult &y, double tolerance, double &largest) {
  if (x.values.size() != y.values.size())
    return std::to_string(x.values.size()) + " results before, " + std::to_string(y.values.size()) + " after";
  std::string text;
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::string what = differenceOf(x.values[i], y.values[i], allowed(tolerance, x.values[i].dtype()), largest);
    if (what.empty() || !text.empty())
      continue;
    bool named = i < fn.resultNames().size() && fn.resultNames()[i];
    text = "result " + std::to_string(i) + (named ? " (" + std::string(fn.context().text(fn.resultNames()[i])) + ")" : "") + " " + what;
  }
  return text;
}

} // namespace

Comparison compareFunctions(Function &before, Function &after, unsigned rounds, double tolerance, uint64_t seed,
                            const EvalOptions &options, const CompleteInputs &complete) {
  Comparison c;
  SizeList sizes;
  SizeChoice choice;
  std::string notEvaluated;
  for (choice.round = 0; choice.round < rounds; ++choice.round) {
    std::vector<Tensor> inputs;
    EvalResult x = evaluateAtSomeSize(before, seed, options, choice, inputs), y;
    if (x.ok && complete && !complete(inputs, y.error))
      y.ok = false;
    else if (x.ok)
      y = evaluate(after, inputs, options);
    if (!x.ok || !y.ok) {
      const EvalResult &bad = x.ok ? y : x;
      std::string text = (bad.opName.empty() ? "" : bad.opName + ": ") + bad.error;
      if (!x.ok && !x.unsupported && choice.any && (c.inputs || choice.round + 1 < rounds)) {
        notEvaluated = notEvaluated.empty() ? text : notEvaluated; // other sizes may do
        continue;
      }
      c.text = text;
      // What could be evaluated before must be so after.
      c.outcome = x.ok && !y.unsupported ? Comparison::Differ : Comparison::NotEvaluated;
      return c;
    }
    sizes.add(before.context(), choice);
    ++c.inputs;
    if (std::string what = differenceOfResults(before, x, y, tolerance, c.largestDifference); !what.empty() && c.outcome == Comparison::Agree) {
      c.outcome = Comparison::Differ;
      c.text = what + " (input " + std::to_string(choice.round) + ")";
    }
  }
  c.sizes = sizes.text();
  if (!c.inputs && !notEvaluated.empty()) {
    c.outcome = Comparison::NotEvaluated;
    c.text = notEvaluated;
  }
  return c;
}

} // namespace rw
