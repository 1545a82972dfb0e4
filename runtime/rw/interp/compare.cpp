#include "rw/interp/compare.h"

#include "rw/interp/evaluator.h"
#include "rw/support/numbers.h"

#include <array>
#include <cmath>
#include <random>

namespace rw {
namespace {
/// The sizes symbols stand for in one round.
class Sizes {
public:
  Sizes(Context &ctx, unsigned round) : ctx_(ctx), round_(round) {}
  int64_t of(Dim d) {
    if (d.isKnown())
      return d.size();
    if (d.isUnknown())
      return 1 + round_ % 3;
    std::vector<StringId> symbols;
    ctx_.dims().collectSymbols(d, symbols);
    std::vector<std::pair<StringId, Dim>> map;
    for (StringId s : symbols)
      map.emplace_back(s, Dim(1 + int64_t(s.raw + round_) % 4));
    Dim size = ctx_.dims().substitute(d, map);
    return size.isKnown() ? size.size() : 1;
  }

private:
  Context &ctx_;
  unsigned round_;
};

std::optional<Tensor> randomInput(Context &ctx, TypeId id, Sizes &sizes, std::mt19937_64 &random, unsigned round) {
  const TypeData &type = ctx.type(id);
  if (type.kind != TypeKind::Tensor || !type.ranked || !isComputable(type.dtype))
    return std::nullopt;
  std::vector<int64_t> dims;
  for (Dim d : type.dims)
    dims.push_back(sizes.of(d));
  if (!elementCountOf(dims))
    return std::nullopt;
  Tensor t = Tensor::zeros(type.dtype, std::move(dims));
  std::normal_distribution<double> normal;
  for (size_t k = 0; k < t.count(); ++k)
    if (!t.isFloating())
      t.setInt(k, int64_t(random() % 5));
    else if (round >= 2 && random() % 64 == 0)
      t.set(k, std::array<double, 4>{-0.0, INFINITY, -INFINITY, NAN}[random() % 4]);
    else
      t.set(k, normal(random));
  return t;
}

/// Relative difference; infinite between a number and a NaN or an infinity.
double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  double d = std::fabs(a - b) / std::fmax(1, std::fmax(std::fabs(a), std::fabs(b)));
  return std::isnan(d) ? INFINITY : d;
}

bool agree(const Tensor &a, const Tensor &b, size_t result, double tolerance, Comparison &out) {
  std::string where = "result " + std::to_string(result);
  if (a.dtype != b.dtype || a.dims != b.dims) {
    out.text = where + " has another element type or shape";
    return false;
  }
  if (tolerance == 0 && a.sameAs(b))
    return true;
  for (size_t k = 0; k < a.count(); ++k) {
    double d = difference(a.number(k), b.number(k));
    bool signs = tolerance == 0 && a.isFloating() && std::signbit(a.f[k]) != std::signbit(b.f[k]) && !std::isnan(a.f[k]);
    out.largestDifference = std::fmax(out.largestDifference, d);
    if (d > tolerance || signs) {
      out.text = where + " differs at element " + std::to_string(k) + ": " + printFloat(a.number(k)) + " before, " +
                 printFloat(b.number(k)) + " after";
      return false;
    }
  }
  return true;
}
} // namespace

Comparison compareFunctions(Function &before, Function &after, unsigned rounds, double tolerance, uint64_t seed) {
  Comparison out;
  std::mt19937_64 random(seed);
  for (unsigned round = 0; round < rounds; ++round) {
    Sizes sizes(before.context(), round);
    std::vector<std::optional<Tensor>> inputs;
    for (size_t k = 0; k < before.params(before.body()).size(); ++k) {
      Value param = before.value(before.params(before.body())[k]);
      std::optional<Tensor> input = randomInput(before.context(), param.typeId(), sizes, random, round);
      bool defaulted = bool(before.paramInfo(unsigned(k)).defaultValue);
      if (!input && !defaulted && param.hasUses()) {
        out.outcome = Comparison::NotEvaluated;
        out.text = "no input can be made for parameter " + std::to_string(k) + " of type " + before.context().typeToString(param.typeId());
        return out;
      }
      inputs.push_back(defaulted && round == 0 ? std::nullopt : std::move(input)); // the default first, then other values
    }
    EvalResult a = evaluate(before, inputs);
    if (!a.error.empty()) {
      out.outcome = Comparison::NotEvaluated;
      out.text = a.error;
      return out;
    }
    EvalResult b = evaluate(after, inputs);
    if (!b.error.empty() || a.results.size() != b.results.size()) {
      out.outcome = Comparison::Differ;
      out.text = b.error.empty() ? "another number of results" : "only the result cannot be evaluated: " + b.error;
      return out;
    }
    for (size_t k = 0; k < a.results.size(); ++k)
      if (!agree(a.results[k], b.results[k], k, tolerance, out)) {
        out.outcome = Comparison::Differ;
        return out;
      }
    ++out.inputs;
  }
  return out;
}

} // namespace rw
