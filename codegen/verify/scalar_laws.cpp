#include "codegen/verify/scalar_laws.h"

#include "codegen/verify/casts.h"
#include "codegen/verify/term_evaluator.h"
#include "codegen/verify/term_numbers.h"
#include "rw/interp/element.h"
#include "rw/support/numbers.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <tuple>

namespace rw::verify {
namespace {

bool isMinusZero(const TermTable &t, Term x) {
  std::optional<double> v = numberOf(t, x);
  return v && *v == 0 && std::signbit(*v);
}
bool isOne(const TermTable &t, Term x) { return numberOf(t, x) == 1.0; }

/// A real number that is a fraction of small whole numbers; nothing of other terms.
std::optional<std::pair<int64_t, int64_t>> fractionOf(const TermTable &t, DType type, Term x) {
  const TermNode &n = t.node(x);
  if (n.kind != TermKind::Polynomial || n.dtype != type || !isFloat(type) || n.numbers.size() != 2 || n.numbers[1] != 0)
    return std::nullopt;
  constexpr int64_t kMostDenominator = 256, kMostNumerator = int64_t(1) << 24;
  for (int64_t denominator = 1; denominator <= kMostDenominator; ++denominator) {
    const int64_t product = int64_t(__int128(n.numbers[0]) * denominator % TermTable::kPrime);
    const int64_t numerator = product > TermTable::kPrime / 2 ? product - TermTable::kPrime : product;
    if (std::abs(numerator) < kMostNumerator)
      return std::pair(numerator, denominator);
  }
  return std::nullopt;
}
Term fraction(TermTable &t, DType type, int64_t numerator, int64_t denominator) {
  return t.ringMul(type, t.ringNumber(type, numerator), t.ringInverse(type, t.ringNumber(type, denominator)));
}

/// A number in another type, as a cast op has it.
Term castNumber(TermTable &t, DType to, DType from, Term x) {
  Term out = kNoTerm;
  if (std::optional<int64_t> n = wholeNumber(t, x)) {
    visitInt(from, [&]<class F>(F) {
      return visitAny(to, [&]<class T>(T) {
        if constexpr (kIsInt<T>)
          out = t.literal(to, uint64_t(int64_t(convertElement<T>(F(*n)))));
        else if constexpr (kIsFloat<T>)
          out = literalTerm(t, to, double(convertElement<T>(F(*n))));
        else if constexpr (std::is_same_v<T, Bool>)
          out = t.literal(to, bool(convertElement<T>(F(*n))));
        return true;
      });
    });
  } else if (std::optional<double> v = numberOf(t, x); v && t.level() == Level::Exact) {
    visitAny(to, [&]<class T>(T) {
      if constexpr (kIsInt<T>)
        out = t.literal(to, uint64_t(int64_t(convertElement<T>(*v))));
      else if constexpr (kIsFloat<T>)
        out = literalTerm(t, to, double(convertElement<T>(*v)));
      else if constexpr (std::is_same_v<T, Bool>)
        out = t.literal(to, *v != 0);
      return true;
    });
  }
  return out;
}

/// Whether x is an element of a Range of integers whose ends another type holds, with all that lies between.
bool isOfRangeWithin(const TermTable &t, Term x, DType type) {
  const TermNode &n = t.node(x);
  if (n.kind != TermKind::Apply || n.text != "op onnx.Range" || !isInteger(n.dtype) || n.args.size() < 2)
    return false;
  for (Term end : {n.args[0], n.args[1]}) {
    const TermNode &all = t.node(end);
    const std::optional<int64_t> number =
        isApply(t, end, "whole of") && all.args.size() == 1 ? wholeNumber(t, all.args[0]) : std::nullopt;
    if (!number || !holdsUpTo(type, *number))
      return false;
  }
  return true;
}

Term cast(TermTable &t, DType to, DType from, Term x) {
  if (to == from)
    return x;
  if (t.level() != Level::Plain)
    if (Term number = castNumber(t, to, from, x); number != kNoTerm)
      return number;
  if (isFloat(from) && isFloat(to))
    if (auto number = fractionOf(t, from, x)) {
      const double v = double(number->first) / double(number->second);
      bool isHeld = false;
      visitAny(to, [&]<class T>(T) {
        if constexpr (kIsFloat<T>)
          isHeld = convertElement<double>(convertElement<T>(v)) == v;
        return true;
      });
      if (isHeld && std::has_single_bit(uint64_t(number->second)))
        return fraction(t, to, number->first, number->second);
    }
  const TermNode made = t.node(x);
  // Integers that lose digits: sums and products are those of what is left.
  if (t.level() != Level::Plain && isInteger(from) && isInteger(to) && made.kind == TermKind::Polynomial &&
      dtypeBytes(from) >= dtypeBytes(to) && dtypeBytes(to)) {
    Term sum = t.ringNumber(to, 0);
    for (size_t i = 0; i < made.numbers.size(); i += 2 + size_t(made.numbers[i + 1])) {
      Term monomial = t.ringNumber(to, made.numbers[i]);
      for (int64_t k = 0; k < made.numbers[i + 1]; ++k)
        monomial = t.ringMul(to, monomial, cast(t, to, from, Term(made.numbers[i + 2 + size_t(k)])));
      sum = t.ringAdd(to, sum, monomial);
    }
    return sum;
  }
  // What keeps all values keeps their order.
  if (t.level() != Level::Plain && holdsAll(from, to) && to != DType::Bool && !isComplex(to)) {
    const bool isExtreme = made.text == "max" || made.text == "min";
    if (made.kind == TermKind::Apply && isExtreme) {
      std::vector<Term> args;
      for (Term a : made.args)
        args.push_back(cast(t, to, from, a));
      return extreme(t, made.text, to, std::move(args));
    }
    if (made.kind == TermKind::Reduce && isExtreme) {
      TermNode n = made;
      n.dtype = to;
      n.args.back() = cast(t, to, from, n.args.back());
      return t.make(std::move(n));
    }
  }
  if (t.level() != Level::Plain && isApply(t, x, "cast")) {
    const TermNode &n = made;
    const DType source = DType(n.numbers[0]);
    // What survives the type between may leave it out; but for integers, which wrap where floats are held to the range.
    if (holdsAll(source, from) && (!isInteger(source) || isInteger(from) || !isInteger(to) || holdsAll(source, to)))
      return cast(t, to, source, n.args[0]);
    // Integers keep their last digits: what is cut off twice may be cut off once.
    if (isInteger(source) && isInteger(from) && isInteger(to) && dtypeBytes(from) >= dtypeBytes(to) && dtypeBytes(to))
      return cast(t, to, source, n.args[0]);
    if (mayLeaveOut(source, from, to) || (source == to && isOfRangeWithin(t, n.args[0], from)))
      return cast(t, to, source, n.args[0]);
  }
  return t.apply("cast", to, {x}, {int64_t(from)});
}

/// 1 / x of real numbers.
Term reciprocal(TermTable &t, DType type, Term x) {
  if (Term inverse = t.ringInverse(type, x); inverse != kNoTerm)
    return inverse;
  if (isApply(t, x, "recip"))
    return t.node(x).args[0];
  const TermNode n = t.node(x);
  // Of a product the product of the reciprocals.
  if (n.kind == TermKind::Polynomial && n.dtype == type &&
      n.numbers.size() == 2 + size_t(n.numbers.empty() ? 0 : n.numbers[1]) && !n.numbers.empty()) {
    Term out = t.ringInverse(type, t.ringNumber(type, n.numbers[0]));
    for (int64_t k = 0; k < n.numbers[1]; ++k)
      out = t.ringMul(type, out, reciprocal(t, type, Term(n.numbers[2 + size_t(k)])));
    return out;
  }
  return t.apply("recip", type, {x});
}

/// Of a real number or its negative the one that stands for both, and whether it is the negative: x and -x, whatever
/// signs they have.
std::pair<Term, bool> withoutSign(TermTable &t, DType type, Term x) {
  const TermNode &n = t.node(x);
  if (t.level() != Level::Reals) {
    if (std::optional<double> v = numberOf(t, x); v && isFloat(type) && std::signbit(*v) && *v == *v)
      return {literalTerm(t, type, -*v), true};
    return isApply(t, x, "neg") ? std::pair(n.args[0], true) : std::pair(x, false);
  }
  if (n.kind != TermKind::Polynomial || n.dtype != type || n.numbers.empty() || n.numbers[0] <= TermTable::kPrime / 2)
    return {x, false};
  return {t.ringScale(type, x, -1), true};
}

/// Whether a real number is known to be above 0.
bool isPositive(const TermTable &t, Term x) {
  const TermNode &n = t.node(x);
  if (n.kind == TermKind::Apply &&
      (n.text == "exp" || ((n.text == "recip" || n.text == "sqrt") && isPositive(t, n.args[0]))))
    return true;
  if (n.kind == TermKind::Reduce || (n.kind == TermKind::Apply && n.text == "sum of"))
    return (n.text == "sum" || n.text == "sum of") && isPositive(t, n.args.back());
  if (n.kind != TermKind::Polynomial || n.numbers.empty() || !isFloat(n.dtype))
    return false;
  for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
    if (n.numbers[i] <= 0 || n.numbers[i] > (int64_t(1) << 32)) // a whole number, as it is
      return false;
    for (int64_t k = 0; k < n.numbers[i + 1]; ++k)
      if (!isPositive(t, Term(n.numbers[i + 2 + size_t(k)])))
        return false;
  }
  return true;
}
/// Whether a symmetric matrix of n rows is positive semidefinite, by elimination without fractions; false where numbers
/// grow too large for that.
bool isSemidefinite(std::vector<std::vector<__int128>> m) {
  __int128 before = 1;
  for (size_t k = 0; k < m.size(); ++k) {
    if (m[k][k] < 0)
      return false;
    if (m[k][k] == 0) { // then all of its row is 0, and the rest stays as it is
      if (std::ranges::any_of(m[k].begin() + std::ptrdiff_t(k), m[k].end(), [](__int128 v) { return v != 0; }))
        return false;
      continue;
    }
    for (size_t i = k + 1; i < m.size(); ++i)
      for (size_t j = k + 1; j < m.size(); ++j) {
        __int128 a, b, difference;
        if (__builtin_mul_overflow(m[k][k], m[i][j], &a) || __builtin_mul_overflow(m[i][k], m[k][j], &b) ||
            __builtin_sub_overflow(a, b, &difference))
          return false;
        m[i][j] = difference / before; // which goes without a rest
      }
    before = m[k][k];
  }
  return true;
}

/// Whether a real number is at least 0 whatever its parts are: a sum of squares, of differences as well, as the
/// variance E(x²) - E(x)² is one.
bool isSumOfSquares(const TermTable &t, DType type, Term x) {
  const TermNode &n = t.node(x);
  if (n.kind != TermKind::Polynomial || n.dtype != type || !isFloat(type))
    return false;
  constexpr int64_t kMostDenominator = 256, kMostCoefficient = int64_t(1) << 22;
  constexpr size_t kMostParts = 16;
  std::vector<int64_t> coefficients;
  std::vector<std::pair<Term, Term>> factors; // none of a number alone
  std::vector<Term> parts;
  auto placeOf = [&](Term part) { return size_t(std::ranges::find(parts, part) - parts.begin()); };
  for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
    const int64_t degree = n.numbers[i + 1];
    if (degree != 0 && degree != 2)
      return false;
    coefficients.push_back(n.numbers[i]);
    factors.emplace_back(degree ? Term(n.numbers[i + 2]) : kNoTerm, degree ? Term(n.numbers[i + 3]) : kNoTerm);
    for (Term part : {factors.back().first, factors.back().second})
      if (degree && placeOf(part) == parts.size())
        parts.push_back(part);
  }
  if (parts.size() > kMostParts)
    return false;
  // As whole numbers: what they are divided by is small.
  for (int64_t denominator = 1; denominator <= kMostDenominator; ++denominator) {
    std::vector<int64_t> whole;
    for (int64_t c : coefficients) {
      const int64_t scaled = int64_t(__int128(c) * denominator % TermTable::kPrime);
      whole.push_back(scaled > TermTable::kPrime / 2 ? scaled - TermTable::kPrime : scaled);
    }
    if (std::ranges::any_of(whole, [](int64_t c) { return c > kMostCoefficient || c < -kMostCoefficient; }))
      continue;
    // Twice the form.
    std::vector<std::vector<__int128>> form(parts.size(), std::vector<__int128>(parts.size(), 0));
    for (size_t i = 0; i < whole.size(); ++i) {
      if (factors[i].first == kNoTerm) {
        if (whole[i] < 0)
          return false;
        continue;
      }
      const size_t a = placeOf(factors[i].first), b = placeOf(factors[i].second);
      form[a][b] += whole[i];
      form[b][a] += whole[i];
    }
    return isSemidefinite(std::move(form));
  }
  return false;
}

/// The factors of a term that is one product, with its coefficient in front; nothing of sums.
std::optional<std::pair<int64_t, std::vector<Term>>> productOf(const TermTable &t, DType type, Term x) {
  const TermNode &n = t.node(x);
  if (n.kind != TermKind::Polynomial || n.dtype != type)
    return std::pair(int64_t(1), std::vector<Term>{x});
  if (n.numbers.empty() || n.numbers.size() != 2 + size_t(n.numbers[1]))
    return std::nullopt;
  std::vector<Term> factors;
  forEachPart(n, [&](Term part) { factors.push_back(part); });
  return std::pair(n.numbers[0], std::move(factors));
}

Term root(TermTable &t, DType type, Term x);

/// |x| of a real number: squares go out in front, what is positive does, and the sign goes.
Term absolute(TermTable &t, DType type, Term x) {
  if (auto number = fractionOf(t, type, x))
    return fraction(t, type, std::abs(number->first), number->second);
  x = withoutSign(t, type, x).first;
  if (isApply(t, x, "recip"))
    return reciprocal(t, type, absolute(t, type, t.node(x).args[0]));
  if (isPositive(t, x) || isApply(t, x, "abs") || isApply(t, x, "sqrt"))
    return x;
  auto product = productOf(t, type, x);
  if (!product)
    return t.apply("abs", type, {x});
  constexpr int64_t kSmall = int64_t(1) << 32; // a whole number, of known sign
  const bool isWhole = product->first > 0 && product->first <= kSmall;
  Term front = isWhole ? t.ringNumber(type, product->first) : t.ringNumber(type, 1),
       rest = isWhole ? t.ringNumber(type, 1) : t.ringNumber(type, product->first);
  const std::vector<Term> &factors = product->second;
  for (size_t i = 0; i < factors.size(); ++i) {
    const bool isSquare = i + 1 < factors.size() && factors[i + 1] == factors[i];
    if (isSquare || isPositive(t, factors[i]) || isApply(t, factors[i], "abs") || isApply(t, factors[i], "sqrt"))
      front = t.ringMul(type, front, isSquare ? t.ringMul(type, factors[i], factors[i]) : factors[i]);
    else
      rest = t.ringMul(type, rest, factors[i]);
    i += isSquare;
  }
  return rest == t.ringNumber(type, 1) ? front : t.ringMul(type, front, t.apply("abs", type, {rest}));
}

/// √x of a real number: of a square |x|.
Term root(TermTable &t, DType type, Term x) {
  if (auto number = fractionOf(t, type, x); number && number->first >= 0) {
    const int64_t above = std::llround(std::sqrt(double(number->first))),
                  below = std::llround(std::sqrt(double(number->second)));
    if (above * above == number->first && below * below == number->second)
      return fraction(t, type, above, below);
  }
  if (isApply(t, x, "recip") && isPositive(t, t.node(x).args[0]))
    return reciprocal(t, type, root(t, type, t.node(x).args[0]));
  if (isApply(t, x, "exp"))
    return exponential(t, type, t.ringMul(type, t.node(x).args[0], t.ringInverse(type, t.ringNumber(type, 2))));
  auto product = productOf(t, type, x);
  bool squares = product && product->first == 1 && product->second.size() % 2 == 0 && !product->second.empty();
  for (size_t i = 0; squares && i < product->second.size(); i += 2)
    squares = product->second[i] == product->second[i + 1];
  if (!squares)
    return t.apply("sqrt", type, {x});
  Term out = t.ringNumber(type, 1);
  for (size_t i = 0; i < product->second.size(); i += 2)
    out = t.ringMul(type, out, product->second[i]);
  return absolute(t, type, out);
}

/// Of a product of positive numbers the sum of the logarithms.
Term logarithm(TermTable &t, DType type, Term x) {
  if (x == t.ringNumber(type, 1))
    return t.ringNumber(type, 0);
  const TermNode n = t.node(x);
  if (n.kind == TermKind::Apply && n.text == "exp")
    return n.args[0];
  if (n.kind == TermKind::Apply && n.text == "recip") // neither has one of what is not above 0
    return t.ringScale(type, logarithm(t, type, n.args[0]), -1);
  if (n.kind == TermKind::Apply && n.text == "sqrt")
    return t.ringMul(type, logarithm(t, type, n.args[0]), t.ringInverse(type, t.ringNumber(type, 2)));
  if (auto number = fractionOf(t, type, x); number && number->first == 1 && number->second > 1)
    return t.ringScale(type, logarithm(t, type, t.ringNumber(type, number->second)), -1);
  // Factors may be 0: then neither side is a number. Of an even power the base may be below 0.
  const auto product = n.kind == TermKind::Polynomial ? productOf(t, type, x) : std::nullopt;
  if (!product || product->first != 1 || product->second.size() < 2)
    return t.apply("log", type, {x});
  const std::vector<Term> &factors = product->second; // equal ones side by side
  Term out = t.ringNumber(type, 0);
  for (size_t i = 0; i < factors.size();) {
    const auto next = std::find_if(factors.begin() + std::ptrdiff_t(i), factors.end(),
                                   [&](Term other) { return other != factors[i]; });
    const int64_t times = next - factors.begin() - std::ptrdiff_t(i);
    const bool isAtLeastZero =
        isPositive(t, factors[i]) || isApply(t, factors[i], "abs") || isApply(t, factors[i], "sqrt");
    if (!isAtLeastZero && times % 2 != 0)
      return t.apply("log", type, {x});
    const Term base = isAtLeastZero ? factors[i] : absolute(t, type, factors[i]);
    out = t.ringAdd(type, out, t.ringScale(type, logarithm(t, type, base), times));
    i += size_t(times);
  }
  return out;
}

} // namespace

Term exponential(TermTable &t, DType type, Term x) {
  if (t.level() != Level::Reals || !t.isRing(type))
    return t.apply("exp", type, {x});
  const TermNode n = t.node(x);
  if (n.kind == TermKind::Apply && n.text == "log") // of what has a logarithm
    return n.args[0];
  if (n.kind != TermKind::Polynomial || n.dtype != type)
    return t.apply("exp", type, {x});
  constexpr int64_t kMostTimes = 8;
  Term out = t.ringNumber(type, 1);
  for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
    Term monomial = t.ringNumber(type, 1);
    for (int64_t k = 0; k < n.numbers[i + 1]; ++k)
      monomial = t.ringMul(type, monomial, Term(n.numbers[i + 2 + size_t(k)]));
    // Of a coefficient and its negative one is a power, the other what is divided by. A small whole number says how
    // often.
    const bool divides = n.numbers[i] > TermTable::kPrime / 2;
    const int64_t coefficient = divides ? TermTable::kPrime - n.numbers[i] : n.numbers[i];
    const bool whole = coefficient <= kMostTimes;
    const Term scaled = whole ? monomial : t.ringScale(type, monomial, coefficient);
    const bool undone = isApply(t, scaled, "log");
    const Term one = undone ? t.node(scaled).args[0] : t.apply("exp", type, {scaled});
    Term power = one;
    for (int64_t k = 1; whole && k < coefficient; ++k)
      power = t.ringMul(type, power, one);
    out = t.ringMul(type, out, divides ? reciprocal(t, type, power) : power);
  }
  return out;
}

namespace {

/// Of several numbers one is left, none where it is the least and the greatest is asked for, or the other way round.
/// min(a, max(a, x)) is a, and so it is with a greater number inside.
std::vector<Term> extremeOfIntegers(TermTable &t, std::string_view f, DType type, std::vector<Term> args) {
  const bool isMax = f == "max";
  if (!t.isRing(type))
    return args;
  std::optional<int64_t> number;
  for (Term a : args)
    if (std::optional<int64_t> n = wholeNumber(t, a)) {
      if (*n < 0 && !isSigned(type)) // more than 63 bits
        return args;
      number = !number ? *n : isMax ? std::max(*number, *n) : std::min(*number, *n);
    }
  auto isHeld = [&](Term a) { // by one of the others
    const TermNode &n = t.node(a);
    return n.kind == TermKind::Apply && n.text == (isMax ? "min" : "max") && n.dtype == type &&
           std::ranges::any_of(n.args, [&](Term inside) {
             const std::optional<int64_t> w = wholeNumber(t, inside);
             return std::ranges::count(args, inside) != 0 ||
                    (w && number && (*w >= 0 || isSigned(type)) && (isMax ? *w <= *number : *w >= *number));
           });
  };
  std::vector<Term> out;
  for (Term a : args)
    if (!wholeNumber(t, a) && !isHeld(a))
      out.push_back(a);
  if (number && number == endOf(type, isMax)) // nothing is beyond
    return {t.ringNumber(type, *number)};
  if (number && (out.empty() || number != endOf(type, !isMax)))
    out.push_back(t.ringNumber(type, *number));
  std::ranges::sort(out);
  return out;
}

/// The greatest of numbers and -infinity is that of the numbers, NaN as well.
std::vector<Term> withoutInfinity(TermTable &t, std::string_view f, DType type, std::vector<Term> args) {
  const double end = f == "max" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  std::vector<Term> out;
  if (isFloat(type))
    std::ranges::copy_if(args, std::back_inserter(out), [&](Term a) { return numberOf(t, a) != end; });
  return out.empty() ? args : out;
}

} // namespace

Term extreme(TermTable &t, std::string_view f, DType type, std::vector<Term> args) {
  std::vector<Term> flat;
  for (Term a : args) {
    const TermNode &n = t.node(a);
    if (t.level() != Level::Plain && n.kind == TermKind::Apply && n.text == f && n.dtype == type)
      flat.insert(flat.end(), n.args.begin(), n.args.end());
    else
      flat.push_back(a);
  }
  std::ranges::sort(flat);
  if (t.level() != Level::Plain)
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (t.level() != Level::Plain && flat.size() > 1)
    flat =
        isInteger(type) ? extremeOfIntegers(t, f, type, std::move(flat)) : withoutInfinity(t, f, type, std::move(flat));
  // 0 is not the greatest beside what is not below it.
  if (f == "max" && t.level() == Level::Reals && flat.size() > 1 && t.isRing(type)) {
    const Term zero = t.ringNumber(type, 0);
    if (std::ranges::any_of(flat, [&](Term x) { return x != zero && isSumOfSquares(t, type, x); }))
      std::erase(flat, zero);
  }
  return flat.size() == 1 ? flat[0] : t.apply(f, type, flat);
}

namespace {

Term real(TermTable &t, std::string_view f, DType type, const std::vector<Term> &a, bool &known) {
  known = true;
  auto number = [&](double v) { return literalTerm(t, type, v); };
  if (f == "add")
    return t.ringAdd(type, a[0], a[1]);
  if (f == "sub")
    return t.ringAdd(type, a[0], t.ringScale(type, a[1], -1));
  if (f == "mul")
    return t.ringMul(type, a[0], a[1]);
  if (f == "neg")
    return t.ringScale(type, a[0], -1);
  if (f == "sum") {
    Term out = a[0];
    for (size_t i = 1; i < a.size(); ++i)
      out = t.ringAdd(type, out, a[i]);
    return out;
  }
  if (isFloat(type) || isComplex(type)) {
    if (f == "div")
      return t.ringMul(type, a[0], reciprocal(t, type, a[1]));
    if (f == "reciprocal")
      return reciprocal(t, type, a[0]);
    if (f == "rsqrt")
      return isComplex(type) ? reciprocal(t, type, t.apply("sqrt", type, {a[0]}))
                             : reciprocal(t, type, root(t, type, a[0]));
    if (f == "exp")
      return exponential(t, type, a[0]);
    if (isComplex(type)) {
      known = false;
      return kNoTerm;
    }
    if (f == "abs")
      return absolute(t, type, a[0]);
    if (f == "sqrt")
      return root(t, type, a[0]);
    if (f == "sigmoid" || f == "logistic") // 1 / (1 + exp(-x))
      return reciprocal(t, type, t.ringAdd(type, number(1), exponential(t, type, t.ringScale(type, a[0], -1))));
    if (f == "softplus")
      return logarithm(t, type, t.ringAdd(type, number(1), exponential(t, type, a[0])));
    if (f == "log1p")
      return logarithm(t, type, t.ringAdd(type, number(1), a[0]));
    if (f == "log")
      return logarithm(t, type, a[0]);
    if (f == "expm1")
      return t.ringAdd(type, exponential(t, type, a[0]), number(-1));
    if (f == "pow") {
      const DType own = t.node(a[1]).dtype; // an exponent has a type of its own
      auto isExponent = [&](double v) {
        return isInteger(own) ? double(wholeNumber(t, a[1]).value_or(INT64_MAX)) == v
                              : a[1] == literalTerm(t, own == DType::Unknown ? type : own, v);
      };
      if (isExponent(0.5))
        return root(t, type, a[0]);
      if (isExponent(-0.5))
        return reciprocal(t, type, root(t, type, a[0]));
      for (int n = 0; n <= 8; ++n)
        if (isExponent(n) || (n && isExponent(-n))) {
          Term out = number(1);
          for (int k = 0; k < n; ++k)
            out = t.ringMul(type, out, a[0]);
          return isExponent(n) ? out : reciprocal(t, type, out);
        }
      // Where it has a logarithm. Of other bases the power is a real number only for some exponents.
      if (isPositive(t, a[0]) || isApply(t, a[0], "abs") || isApply(t, a[0], "sqrt") ||
          t.node(a[1]).kind != TermKind::Polynomial || t.ringInverse(type, a[1]) == kNoTerm)
        return exponential(t, type, t.ringMul(type, a[1], logarithm(t, type, a[0])));
    }
  }
  known = false;
  return kNoTerm;
}

} // namespace

namespace {

Term remainderOf(TermTable &t, DType type, Term x, Term y) {
  const Term quotient = scalar(t, "div", type, type, {x, y}, {}, false);
  return t.ringAdd(type, x, t.ringScale(type, scalar(t, "mul", type, type, {y, quotient}, {}, true), -1));
}

/// Whether x is what is left of some term that is divided by y, which is no number.
bool isRemainder(TermTable &t, DType type, Term x, Term y) {
  const TermNode n = t.node(x);
  if (n.kind != TermKind::Polynomial || n.dtype != type || wholeNumber(t, y))
    return false;
  bool found = false;
  forEachPart(n, [&](Term part) {
    const TermNode factor = t.node(part);
    found |= factor.kind == TermKind::Apply && factor.text == "div" && factor.args[1] == y && factor.args[0] != x &&
             remainderOf(t, type, factor.args[0], y) == x;
  });
  return found;
}

} // namespace

std::string_view commonName(std::string_view opName, std::string &buffer) {
  buffer.assign(opName);
  std::ranges::transform(buffer, buffer.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  static constexpr std::pair<std::string_view, std::string_view> others[] = {{"subtract", "sub"},
                                                                             {"multiply", "mul"},
                                                                             {"divide", "div"},
                                                                             {"negate", "neg"},
                                                                             {"maximum", "max"},
                                                                             {"minimum", "min"},
                                                                             {"power", "pow"},
                                                                             {"where", "select"},
                                                                             {"convert", "cast"},
                                                                             {"exponential", "exp"},
                                                                             {"logistic", "sigmoid"},
                                                                             {"log_plus_one", "log1p"},
                                                                             {"castlike", "cast"},
                                                                             {"abs", "abs"},
                                                                             {"cosine", "cos"},
                                                                             {"sine", "sin"},
                                                                             {"exponential_minus_one", "expm1"},
                                                                             {"silu", "swish"}};
  for (auto [from, to] : others)
    if (buffer == from)
      return to;
  return buffer;
}

Term scalar(TermTable &t, std::string_view f, DType type, DType operandType, std::vector<Term> a,
            const std::vector<int64_t> &numbers, bool commutative) {
  if (t.level() == Level::Plain) {
    if (commutative && a.size() == 2 && a[0] > a[1])
      std::swap(a[0], a[1]);
    // A product that does not overflow is a multiple of its factors: of 0, too, where a remainder by 0 is the dividend.
    if (f == "rem" && isInteger(type) && operandType == type && isApply(t, a[0], "mul") &&
        std::ranges::find(t.node(a[0]).args, a[1]) != t.node(a[0]).args.end())
      return literalTerm(t, type, 0);
    return t.apply(f, type, std::move(a), numbers);
  }
  if (f == "identity")
    return a[0];
  if (f == "cast")
    return cast(t, type, operandType, a[0]);
  if (isInteger(type) && operandType == type && (f == "div" || f == "pow") &&
      (wholeNumber(t, a[1]) == 1 || (dtypeBytes(type) <= 4 && isOne(t, a[1])))) // an exponent has a type of its own
    return a[0];
  if (f == "sum" && a.size() > 1 && !t.isRing(type)) {
    Term out = a[0];
    for (size_t i = 1; i < a.size(); ++i)
      out = scalar(t, "add", type, type, {out, a[i]}, {}, true);
    return out;
  }
  if (f == "conj" && !isComplex(type))
    return a[0];
  if (f == "conj" && isApply(t, a[0], "conj"))
    return t.node(a[0]).args[0];
  if (f == "real" && operandType == type) // of a real number
    return a[0];
  if ((f == "real" || f == "imag") && isApply(t, a[0], "complex"))
    return t.node(a[0]).args[f == "imag"];
  if ((f == "real" || f == "imag") && isApply(t, a[0], "conj")) {
    const Term part = scalar(t, f, type, operandType, {t.node(a[0]).args[0]}, numbers, false);
    return f == "real" ? part : scalar(t, "neg", type, type, {part}, {}, false);
  }
  if (f == "conj" && isApply(t, a[0], "complex")) {
    const TermNode n = t.node(a[0]);
    const DType part = t.node(n.args[1]).dtype;
    return t.apply("complex", type, {n.args[0], scalar(t, "neg", part, part, {n.args[1]}, {}, false)});
  }
  if (f == "conj" && t.level() == Level::Exact && (isApply(t, a[0], "add") || isApply(t, a[0], "neg"))) {
    TermNode n = t.node(a[0]);
    for (Term &x : n.args)
      x = scalar(t, "conj", type, type, {x}, {}, false);
    return scalar(t, n.text, type, type, n.args, {}, n.text == "add");
  }
  if (f == "abs" && isComplex(operandType)) { // of -z and of the conjugate as well
    while (isApply(t, a[0], "neg") || isApply(t, a[0], "conj"))
      a[0] = t.node(a[0]).args[0];
    if (t.level() == Level::Exact && isApply(t, a[0], "add")) {
      std::vector<Term> turned = t.node(a[0]).args;
      for (Term &x : turned)
        x = scalar(t, "neg", operandType, operandType, {x}, {}, false);
      a[0] = std::min(a[0], scalar(t, "add", operandType, operandType, turned, {}, true));
    }
  }
  if (f == "neg" && isComplex(type) && isApply(t, a[0], "neg"))
    return t.node(a[0]).args[0];
  if (f == "mul" && isComplex(type) && isApply(t, a[0], "neg") && isApply(t, a[1], "neg"))
    a = {t.node(a[0]).args[0], t.node(a[1]).args[0]};
  if (f == "not" && type == DType::Bool)
    if (std::optional<double> c = numberOf(t, a[0]))
      return t.literal(type, *c == 0);
  // x (x / x) is x, of 0 as well, whatever 0 / 0 is.
  if (f == "mul" && isInteger(type) && operandType == type && a.size() == 2)
    for (size_t i : {0, 1})
      if (isApply(t, a[i], "div") && t.node(a[i]).args[0] == a[1 - i] && t.node(a[i]).args[1] == a[1 - i])
        return a[1 - i];
  if (f == "pow" && isInteger(type) && t.isRing(type))
    if (std::optional<int64_t> n = wholeNumber(t, a[1]); n && *n >= 0 && *n <= 8) {
      Term out = t.ringNumber(type, 1);
      for (int64_t k = 0; k < *n; ++k)
        out = t.ringMul(type, out, a[0]);
      return out;
    }
  if (f == "pow" && isFloat(type) && isOne(t, a[0])) // of NaN, too
    return a[0];
  if (t.isRing(type) && operandType == type) {
    bool known = false;
    Term out = real(t, f, type, a, known);
    if (known)
      return out;
  }
  if (a.size() == 1 && (f == "max" || f == "min" || f == "sum" || f == "mean"))
    return a[0];
  if (a.size() == 1 && isFloat(type) && operandType == type) { // of a negative number
    static constexpr std::string_view odd[] = {"sin",   "tan",   "asin", "atan", "sinh", "tanh",
                                               "asinh", "atanh", "erf",  "cbrt", "round"};
    const bool isOdd = std::ranges::find(odd, f) != std::end(odd), isEven = f == "cos" || f == "cosh";
    const bool turns = f == "floor" || f == "ceil";
    if (isOdd || isEven || turns)
      if (auto [x, negative] = withoutSign(t, type, a[0]); negative) {
        const Term out = scalar(t, turns ? f == "floor" ? "ceil" : "floor" : f, type, type, {x}, numbers, false);
        return isEven ? out : scalar(t, "neg", type, type, {out}, {}, false);
      }
  }
  if (f == "select" && a.size() == 3) {
    if (a[1] == a[2])
      return a[1];
    if (std::optional<double> c = numberOf(t, a[0]))
      return *c != 0 ? a[1] : a[2];
    if (isApply(t, a[0], "not"))
      return scalar(t, "select", type, operandType, {t.node(a[0]).args[0], a[2], a[1]}, numbers, false);
  }
  if (f == "not" && isApply(t, a[0], "not"))
    return t.node(a[0]).args[0];
  if (f == "not" && type == DType::Bool && t.node(a[0]).kind == TermKind::Reduce &&
      (t.node(a[0]).text == "and" || t.node(a[0]).text == "or")) {
    const TermNode n = t.node(a[0]);
    auto [fresh, body] = t.withFreshVariables(a[0]);
    if (!fresh.empty())
      return t.reduce(n.text == "and" ? "or" : "and", type, fresh, scalar(t, "not", type, type, {body}, {}, false));
  }
  if (f == "not" && type == DType::Bool && (isApply(t, a[0], "and") || isApply(t, a[0], "or"))) { // De Morgan
    TermNode n = t.node(a[0]);
    for (Term &x : n.args)
      x = scalar(t, "not", type, type, {x}, {}, false);
    return scalar(t, n.text == "and" ? "or" : "and", type, type, n.args, {}, true);
  }
  if (f == "greater" || f == "greaterorequal")
    return scalar(t, f == "greater" ? "less" : "lessorequal", type, operandType, {a[1], a[0]}, {}, false);
  if ((f == "less" || f == "lessorequal" || f == "equal") && isInteger(operandType)) {
    const std::optional<int64_t> x = wholeNumber(t, a[0]), y = wholeNumber(t, a[1]);
    if (x && y) {
      const bool below = isSigned(operandType) ? *x < *y : uint64_t(*x) < uint64_t(*y);
      return t.literal(type, f == "equal" ? *x == *y : f == "less" ? below : below || *x == *y);
    }
    if (f == "equal" && t.isRing(operandType))
      std::tie(a[0], a[1]) = t.balanced(operandType, a[0], a[1]);
  }
  if ((f == "less" || f == "lessorequal") && isFloat(operandType) && isApply(t, a[0], "neg") && isApply(t, a[1], "neg"))
    return scalar(t, f, type, operandType, {t.node(a[1]).args[0], t.node(a[0]).args[0]}, {}, false);
  if ((f == "less" || f == "lessorequal") && t.level() == Level::Reals && t.isRing(operandType) &&
      isFloat(operandType)) {
    const Term zero = t.ringNumber(operandType, 0);
    if ((a[0] == zero && isPositive(t, a[1])) || (a[1] == zero && isPositive(t, a[0])))
      return t.literal(type, a[0] == zero);
  }
  if (f == "less" && a[0] == a[1]) // of NaN, too
    return t.literal(type, 0);
  if ((f == "equal" || f == "lessorequal") && a[0] == a[1] && !isFloat(operandType) && !isComplex(operandType))
    return t.literal(type, 1);
  if (f == "not" && isApply(t, a[0], "less")) { // unless one is NaN
    const TermNode n = t.node(a[0]);
    if (!isFloat(t.node(n.args[0]).dtype))
      return scalar(t, "lessorequal", type, t.node(n.args[0]).dtype, {n.args[1], n.args[0]}, {}, false);
  }
  if (f == "xor" && a[0] == a[1])
    return t.literal(type, 0);
  if (f == "complex" && isApply(t, a[0], "real") && isApply(t, a[1], "imag") && t.node(a[0]).args == t.node(a[1]).args)
    return t.node(a[0]).args[0];
  if (isInteger(type) && operandType == type && a.size() == 2) {
    const int64_t width = int64_t(dtypeBytes(type)) * 8;
    const std::optional<int64_t> x = wholeNumber(t, a[0]), y = wholeNumber(t, a[1]);
    // A shift to the left is a product.
    if (f == "shift_left" && y && width)
      return *y < 0 || *y >= width ? t.ringNumber(type, 0) : t.ringScale(type, a[0], int64_t(uint64_t(1) << *y));
    // Of numbers without sign a quotient by a power of two is a shift, what is left the last digits.
    if (!isSigned(type) && y && std::has_single_bit(uint64_t(*y))) {
      if (f == "div")
        return scalar(t, "shift_right_logical", type, type, {a[0], t.ringNumber(type, std::countr_zero(uint64_t(*y)))},
                      {}, false);
      if (f == "rem")
        return scalar(t, "and", type, type, {a[0], t.ringNumber(type, *y - 1)}, {}, true);
    }
    if (f == "shift_right_logical" && y == 0)
      return a[0];
    if (f == "shift_right_logical" && x && y && *y > 0 && *y < width)
      return t.ringNumber(type, int64_t((uint64_t(*x) & (~uint64_t(0) >> (64 - width))) >> *y));
    if (x && y && (f == "and" || f == "or" || f == "xor"))
      return t.ringNumber(type, f == "and" ? *x & *y : f == "or" ? *x | *y : *x ^ *y);
  }
  if (f == "rem" && isApply(t, a[0], "rem") && t.node(a[0]).args[1] == a[1])
    return a[0];
  if (f == "rem" && isInteger(type) && operandType == type && wholeNumber(t, a[0]) == 0) // by 0 as well
    return a[0];
  // What is left is x - y (x / y), by 0 as well: where dialects give something there, it is x.
  if (f == "rem" && isInteger(type) && operandType == type && t.isRing(type) && !wholeNumber(t, a[1]))
    return remainderOf(t, type, a[0], a[1]);
  if (f == "div" && isInteger(type) && operandType == type && t.isRing(type) && isRemainder(t, type, a[0], a[1]))
    return t.ringNumber(type, 0);
  if (f == "and" || f == "or") {
    std::vector<Term> all;
    for (Term x : a) {
      if (std::optional<double> c = numberOf(t, x); c && type == DType::Bool) {
        if ((*c != 0) == (f == "or"))
          return x;
        continue;
      }
      if (isApply(t, x, f))
        all.insert(all.end(), t.node(x).args.begin(), t.node(x).args.end());
      else
        all.push_back(x);
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.empty())
      return t.literal(type, f == "and");
    return all.size() == 1 ? all[0] : t.apply(f, type, all);
  }
  if (f == "relu" && operandType == type && (isFloat(type) || isInteger(type))) { // max(x, 0)
    return extreme(t, "max", type, {a[0], literalTerm(t, type, 0)});
  }
  if ((f == "relu" || f == "floor" || f == "ceil" || f == "round" || f == "sign" || f == "abs") &&
      isApply(t, a[0], f) && operandType == type)
    return a[0];
  if (f == "abs" && operandType == type && isInteger(type) && !isSigned(type))
    return a[0];
  if (f == "abs" && t.isRing(operandType) && (isInteger(type) || isComplex(operandType))) // of x and -x the same
    a[0] = std::min(a[0], t.ringScale(operandType, a[0], -1));
  if (f.starts_with("round") && isFloat(type) && t.level() == Level::Exact)
    if (std::optional<double> v = numberOf(t, a[0]); v && *v == std::floor(*v))
      return a[0];
  if ((f == "floor" || f == "ceil") && isFloat(type) && t.level() == Level::Exact)
    if (std::optional<double> v = numberOf(t, a[0]))
      return literalTerm(t, type, f == "floor" ? std::floor(*v) : std::ceil(*v));
  if ((f == "floor" || f == "ceil" || f.starts_with("round")) && isFloat(type) && isApply(t, a[0], "cast") &&
      isInteger(DType(t.node(a[0]).numbers[0])))
    return a[0];
  if ((f == "floor" || f == "ceil" || f == "round") &&
      (isApply(t, a[0], "floor") || isApply(t, a[0], "ceil") || isApply(t, a[0], "round")))
    return a[0];
  if (f == "sub" && (isFloat(type) || isComplex(type)) && operandType == type) // x - y is x + (-y)
    return scalar(t, "add", type, type, {a[0], scalar(t, "neg", type, type, {a[1]}, {}, false)}, {}, true);
  if (isFloat(type) && operandType == type) { // bit for bit
    if (f == "neg" && isApply(t, a[0], "neg"))
      return t.node(a[0]).args[0];
    if (f == "neg" && (isApply(t, a[0], "max") || isApply(t, a[0], "min"))) { // the least negative
      TermNode n = t.node(a[0]);
      for (Term &x : n.args)
        x = scalar(t, "neg", type, type, {x}, {}, false);
      return extreme(t, n.text == "max" ? "min" : "max", type, n.args);
    }
    if (f == "neg" && t.node(a[0]).kind == TermKind::Reduce &&
        (t.node(a[0]).text == "max" || t.node(a[0]).text == "min")) {
      TermNode n = t.node(a[0]);
      n.text = n.text == "max" ? "min" : "max";
      n.args.back() = scalar(t, "neg", type, type, {n.args.back()}, {}, false);
      return t.make(std::move(n));
    }
    // Of NaN all of these make NaN, of whatever bits.
    if (f == "neg" || f == "add" || f == "sub" || f == "mul" || f == "div")
      if (std::ranges::any_of(a, [&](Term x) { return std::isnan(numberOf(t, x).value_or(0)); }))
        return literalTerm(t, type, std::numeric_limits<double>::quiet_NaN());
    if (f == "neg")
      if (std::optional<double> v = numberOf(t, a[0]))
        return literalTerm(t, type, -*v);
    if (f == "add") {
      if (isMinusZero(t, a[0]))
        return a[1];
      if (isMinusZero(t, a[1]))
        return a[0];
      commutative = true;
    }
    if (f == "div") // by a power of two: its inverse is a number, and rounding the same
      if (std::optional<double> v = numberOf(t, a[1]); v && std::isfinite(*v) && *v != 0) {
        int exponent = 0;
        const bool isPower = std::fabs(std::frexp(*v, &exponent)) == 0.5;
        const int least = type == DType::F16 ? -14 : type == DType::F64 ? -1022 : -126;
        if (isPower && 1 - exponent >= least && exponent - 1 >= least)
          return scalar(t, "mul", type, type, {a[0], literalTerm(t, type, 1 / *v)}, {}, true);
      }
    if (f == "mul" || f == "div") {
      if (isOne(t, a[1]))
        return a[0];
      if (f == "mul" && isOne(t, a[0]))
        return a[1];
      // A sign goes out in front.
      bool negative = false;
      for (Term &x : a) {
        if (isApply(t, x, "neg")) {
          x = t.node(x).args[0];
          negative = !negative;
        } else if (std::optional<double> v = numberOf(t, x); v && std::signbit(*v) && *v == *v) {
          x = literalTerm(t, type, -*v);
          negative = !negative;
        }
      }
      if (f == "mul" && a[0] == a[1] && isApply(t, a[0], "abs")) // a square has no sign
        a = {t.node(a[0]).args[0], t.node(a[0]).args[0]};
      if (f == "mul" && a[0] > a[1])
        std::swap(a[0], a[1]);
      for (unsigned i = 0; f == "mul" && i < 2; ++i) // twice x is x + x, without rounding
        if (numberOf(t, a[i]) == 2.0) {
          const Term sum = scalar(t, "add", type, type, {a[1 - i], a[1 - i]}, {}, true);
          return negative ? scalar(t, "neg", type, type, {sum}, {}, false) : sum;
        }
      Term out = (f == "mul" && isOne(t, a[0])) ? a[1] : (isOne(t, a[1])) ? a[0] : t.apply(f, type, a, numbers);
      return negative ? scalar(t, "neg", type, type, {out}, {}, false) : out;
    }
    if (f == "abs" && isApply(t, a[0], "neg"))
      return scalar(t, "abs", type, type, {t.node(a[0]).args[0]}, {}, false);
    if (f == "abs" && isApply(t, a[0], "add")) { // of -x - y as of x + y
      std::vector<Term> turned = t.node(a[0]).args;
      for (Term &x : turned)
        x = scalar(t, "neg", type, type, {x}, {}, false);
      a[0] = std::min(a[0], scalar(t, "add", type, type, turned, {}, true));
      return t.apply(f, type, a);
    }
    if (f == "abs" && isFloat(type) && (isApply(t, a[0], "mul") || isApply(t, a[0], "div")) &&
        t.node(a[0]).args[0] != t.node(a[0]).args[1]) { // of each, before it is rounded
      const std::string g(isApply(t, a[0], "mul") ? "mul" : "div");
      const std::vector<Term> parts = t.node(a[0]).args;
      return scalar(
          t, g, type, type,
          {scalar(t, "abs", type, type, {parts[0]}, {}, false), scalar(t, "abs", type, type, {parts[1]}, {}, false)},
          {}, g == "mul");
    }
    if (f == "abs" &&
        (isApply(t, a[0], "exp") || (isApply(t, a[0], "mul") && t.node(a[0]).args[0] == t.node(a[0]).args[1])))
      return a[0];
    if (f == "pow" && (isOne(t, a[1]) || (isFloat(type) && wholeNumber(t, a[1]) == 1)))
      return a[0];
    if (f == "pow" && (numberOf(t, a[1]) == 0.0 || wholeNumber(t, a[1]) == 0)) // of NaN, too
      return literalTerm(t, type, 1);
  }
  if (commutative && a.size() == 2 && a[0] > a[1])
    std::swap(a[0], a[1]);
  return t.apply(f, type, std::move(a), numbers);
}

Term belowZero(TermTable &t, DType type, Term x, Term otherwise) {
  const Term below = scalar(t, "less", DType::Bool, type, {x, literalTerm(t, type, 0)}, {}, false);
  return scalar(t, "select", type, DType::Bool, {below, otherwise, x}, {}, false);
}

} // namespace rw::verify
