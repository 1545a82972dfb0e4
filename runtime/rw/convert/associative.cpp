#include "rw/convert/associative.h"

#include "rw/convert/scalar_region.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace rw::convert {
namespace {

/// The body applied to numbers; nothing if some op of it is none on numbers alone.
class Body {
public:
  Body(Op op, RegionId region) : fn_(*op.fn), region_(region) {}

  size_t width() const { return fn_.params(region_).size() / 2; }
  DType dtype(size_t i) const { return fn_.value(fn_.params(region_)[i]).type().dtype; }

  std::optional<std::vector<Tensor>> operator()(std::span<const Tensor> left, std::span<const Tensor> right) {
    std::span<const ValueId> params = fn_.params(region_);
    if (left.size() != width() || right.size() != width() || params.size() % 2 != 0)
      return std::nullopt;
    known_.clear();
    for (size_t i = 0; i < width(); ++i) {
      known_[params[i].raw] = left[i];
      known_[params[width() + i].raw] = right[i];
    }
    Op end = fn_.terminator(region_);
    if (!end)
      return std::nullopt;
    for (Op op : fn_.ops(region_))
      if (op != end && !step(op))
        return std::nullopt;
    std::vector<Tensor> results;
    for (unsigned i = 0; i < end.operandCount(); ++i) {
      const Tensor *t = valueOf(end.operand(i));
      if (!t || t->size() != 1 || t->dtype() != dtype(i))
        return std::nullopt;
      results.push_back(*t);
    }
    return results.size() == width() ? std::optional(std::move(results)) : std::nullopt;
  }

private:
  /// Of a constant outside of the body, too.
  const Tensor *valueOf(Value v) {
    auto it = known_.find(v.id.raw);
    if (it != known_.end())
      return &it->second;
    AttrId held = v.constant();
    std::optional<Tensor> constant = held ? Tensor::fromAttr(fn_.context(), held) : std::nullopt;
    return constant ? &(known_[v.id.raw] = *constant) : nullptr;
  }

  bool step(Op op) {
    if (!op.regions().empty())
      return false;
    std::vector<Tensor> operands;
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      const Tensor *t = valueOf(op.operand(i));
      if (!t || t->size() != 1)
        return false;
      operands.push_back(*t);
    }
    EvalResult r = evaluateOp(op, operands);
    if (!r.ok || r.values.size() != op.resultCount())
      return false;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      known_[op.result(i).id.raw] = r.values[i];
    return true;
  }

  Function &fn_;
  RegionId region_;
  std::unordered_map<uint32_t, Tensor> known_;
};

/// Small numbers, halves among floats: sums and products of a few are exact, and many are equal.
std::optional<Tensor> sample(DType dtype, unsigned which) {
  constexpr double kFloats[] = {0, 1, -1, 0.5, 2, -2, 3, -0.5, 1.5};
  constexpr int64_t kInts[] = {0, 1, 2, 3, 5, -1, -2, -3, -7};
  constexpr unsigned kCount = 9;
  std::optional<Tensor> made = Tensor::make(dtype, {});
  bool known = made && visitAny(dtype, [&]<class T>(T) {
                 if (isFloat(dtype))
                   *made->mutableData<T>() = convertElement<T>(kFloats[which % kCount]);
                 else
                   *made->mutableData<T>() =
                       convertElement<T>(dtype == DType::Bool ? kInts[which % 2] : kInts[which % kCount]);
                 return true;
               });
  return known ? made : std::nullopt;
}

/// Equal, or as near as rounding leaves floats.
bool areAlike(std::span<const Tensor> a, std::span<const Tensor> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (!isFloat(a[i].dtype())) {
      if (a[i].intAt(0) != b[i].intAt(0))
        return false;
      continue;
    }
    double x = a[i].floatAt(0), y = b[i].floatAt(0);
    constexpr double kRounding = 0.03; // that of three ops of 16 bits
    if (x != y && !(std::isnan(x) && std::isnan(y)) &&
        !(std::abs(x - y) <= kRounding * std::max({1.0, std::abs(x), std::abs(y)})))
      return false;
  }
  return true;
}

} // namespace

bool isAssociative(Op op, unsigned region) {
  constexpr std::string_view kKnown[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                         "stablehlo.minimum", "stablehlo.and",      "stablehlo.or",
                                         "stablehlo.xor"};
  if (SingleOp single = singleOp(op, region); single.op)
    return std::ranges::find(kKnown, single.op.fullName()) != std::end(kKnown);
  if (region >= op.regions().size())
    return false;
  Body body(op, op.regions()[region]);
  if (body.width() == 0)
    return false;
  constexpr unsigned kTrials = 160;
  uint32_t random = 1;
  auto drawn = [&] {
    std::vector<Tensor> values;
    for (size_t i = 0; i < body.width(); ++i) {
      random = random * 1664525u + 1013904223u;
      std::optional<Tensor> t = sample(body.dtype(i), random >> 16);
      if (t)
        values.push_back(*t);
    }
    return values;
  };
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    std::vector<Tensor> x = drawn(), y = drawn(), z = drawn();
    auto xy = body(x, y), yz = body(y, z);
    auto first = xy ? body(*xy, z) : std::nullopt, last = yz ? body(x, *yz) : std::nullopt;
    if (!first || !last || !areAlike(*first, *last))
      return false;
  }
  return true;
}

} // namespace rw::convert
