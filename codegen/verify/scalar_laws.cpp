#include "codegen/verify/scalar_laws.h"

#include "codegen/verify/casts.h"
#include "codegen/verify/term_evaluator.h"
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

/// The number that a literal is, of floats and integers.
std::optional<double> numberOf(const TermTable &t, Term term) {
  const TermNode &n = t.node(term);
  if (n.kind != TermKind::Literal)
    return std::nullopt;
  switch (n.dtype) {
  case DType::F32: return double(std::bit_cast<float>(uint32_t(n.numbers[0])));
  case DType::F64: return std::bit_cast<double>(n.numbers[0]);
  case DType::F16: return double(fromHalf(uint16_t(n.numbers[0])));
  case DType::BF16: return double(fromBFloat16(uint16_t(n.numbers[0])));
  case DType::Bool: return double(n.numbers[0] != 0);
  default: return std::nullopt;
  }
}
bool isMinusZero(const TermTable &t, Term x) {
  std::optional<double> v = numberOf(t, x);
  return v && *v == 0 && std::signbit(*v);
}
bool isOne(const TermTable &t, Term x) { return numberOf(t, x) == 1.0; }
bool isApply(const TermTable &t, Term x, std::string_view f) {
  const TermNode &n = t.node(x);
  return n.kind == TermKind::Apply && n.text == f;
}

/// Whether every value of `from` is one of `to`.
bool holdsAll(DType from, DType to) {
  auto digits = [](DType x) -> std::pair<int, int> { // of the significand, and the exponent's bits
    switch (x) {
    case DType::F16: return {11, 5};
    case DType::BF16: return {8, 8};
    case DType::F32: return {24, 8};
    case DType::F64: return {53, 11};
    default: return {0, 0};
    }
  };
  if (from == to)
    return true;
  if (from == DType::Bool)
    return isInteger(to) || digits(to).first;
  const int bits = int(dtypeBytes(from)) * 8, wide = int(dtypeBytes(to)) * 8;
  if (isInteger(from) && isInteger(to) && bits && wide)
    return isSigned(from) == isSigned(to) ? wide >= bits : isSigned(to) && wide > bits;
  if (isInteger(from) && bits && digits(to).first)
    return bits - (isSigned(from) ? 1 : 0) <= digits(to).first && to != DType::F16;
  if (digits(from).first && digits(to).first)
    return digits(to).first >= digits(from).first && digits(to).second >= digits(from).second;
  return false;
}

/// The integer that a term is, if it is one number.
std::optional<int64_t> wholeNumber(const TermTable &t, Term x) {
  const TermNode &n = t.node(x);
  if (n.kind != TermKind::Polynomial || !isInteger(n.dtype))
    return std::nullopt;
  if (n.numbers.empty())
    return 0;
  return n.numbers.size() == 2 && n.numbers[1] == 0 ? std::optional(n.numbers[0]) : std::nullopt;
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

Term cast(TermTable &t, DType to, DType from, Term x) {
  if (to == from)
    return x;
  if (t.level() != Level::Plain)
    if (Term number = castNumber(t, to, from, x); number != kNoTerm)
      return number;
  if (t.level() != Level::Plain && isApply(t, x, "cast")) {
    const TermNode n = t.node(x);
    const DType source = DType(n.numbers[0]);
    // What survives the type between may leave it out.
    if (holdsAll(source, from))
      return cast(t, to, source, n.args[0]);
    // Integers keep their last digits: what is cut off twice may be cut off once.
    if (isInteger(source) && isInteger(from) && isInteger(to) && dtypeBytes(from) >= dtypeBytes(to) && dtypeBytes(to))
      return cast(t, to, source, n.args[0]);
    if (mayLeaveOut(source, from, to))
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
  if (n.kind == TermKind::Polynomial && n.dtype == type && n.numbers.size() == 2 + size_t(n.numbers.empty() ? 0 : n.numbers[1]) && !n.numbers.empty()) {
    Term out = t.ringInverse(type, t.ringNumber(type, n.numbers[0]));
    for (int64_t k = 0; k < n.numbers[1]; ++k)
      out = t.ringMul(type, out, reciprocal(t, type, Term(n.numbers[2 + size_t(k)])));
    return out;
  }
  return t.apply("recip", type, {x});
}

/// Whether a real number is known to be above 0.
bool isPositive(const TermTable &t, Term x) {
  const TermNode &n = t.node(x);
  if (n.kind == TermKind::Apply && (n.text == "exp" || ((n.text == "recip" || n.text == "sqrt") && isPositive(t, n.args[0]))))
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
/// Of a product of positive numbers the sum of the logarithms.
Term logarithm(TermTable &t, DType type, Term x) {
  const TermNode n = t.node(x);
  if (n.kind == TermKind::Apply && n.text == "exp")
    return n.args[0];
  if (n.kind == TermKind::Apply && n.text == "recip" && isPositive(t, n.args[0]))
    return t.ringScale(type, logarithm(t, type, n.args[0]), -1);
  if (n.kind == TermKind::Polynomial && n.dtype == type && !n.numbers.empty() && n.numbers.size() == 2 + size_t(n.numbers[1]) && n.numbers[0] == 1 &&
      isPositive(t, x) && n.numbers[1] > 1) {
    Term out = t.ringNumber(type, 0);
    for (int64_t k = 0; k < n.numbers[1]; ++k)
      out = t.ringAdd(type, out, logarithm(t, type, Term(n.numbers[2 + size_t(k)])));
    return out;
  }
  return t.apply("log", type, {x});
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
    // Of a coefficient and its negative one is a power, the other what is divided by. A small whole number says how often.
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
  return flat.size() == 1 ? flat[0] : t.apply(f, type, flat);
}

namespace {

Term real(TermTable &t, std::string_view f, DType type, const std::vector<Term> &a, const std::vector<int64_t> &numbers, bool &known) {
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
      return reciprocal(t, type, t.apply("sqrt", type, {a[0]}));
    if (f == "exp")
      return exponential(t, type, a[0]);
    if (isComplex(type)) {
      known = false;
      return kNoTerm;
    }
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
      if (a[1] == number(0.5))
        return t.apply("sqrt", type, {a[0]});
      for (int n = 0; n <= 8; ++n)
        if (a[1] == number(n) || (n && a[1] == number(-n))) {
          Term out = number(1);
          for (int k = 0; k < n; ++k)
            out = t.ringMul(type, out, a[0]);
          return a[1] == number(n) ? out : reciprocal(t, type, out);
        }
      // Where it has a logarithm. Of other bases the power is a real number only for some exponents.
      if (t.node(a[1]).kind != TermKind::Polynomial || t.ringInverse(type, a[1]) == kNoTerm)
        return exponential(t, type, t.ringMul(type, a[1], logarithm(t, type, a[0])));
    }
  }
  (void)numbers;
  known = false;
  return kNoTerm;
}

} // namespace

std::string_view commonName(std::string_view opName, std::string &buffer) {
  buffer.assign(opName);
  std::ranges::transform(buffer, buffer.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"subtract", "sub"},   {"multiply", "mul"}, {"divide", "div"},   {"negate", "neg"},        {"maximum", "max"},       {"minimum", "min"},
      {"power", "pow"},      {"where", "select"}, {"convert", "cast"}, {"exponential", "exp"},   {"logistic", "sigmoid"},  {"log_plus_one", "log1p"},
      {"castlike", "cast"},  {"abs", "abs"},      {"cosine", "cos"},   {"sine", "sin"},          {"exponential_minus_one", "expm1"},
      {"silu", "swish"}};
  for (auto [from, to] : others)
    if (buffer == from)
      return to;
  return buffer;
}

Term scalar(TermTable &t, std::string_view f, DType type, DType operandType, std::vector<Term> a, const std::vector<int64_t> &numbers,
            bool commutative) {
  if (t.level() == Level::Plain) {
    if (commutative && a.size() == 2 && a[0] > a[1])
      std::swap(a[0], a[1]);
    return t.apply(f, type, std::move(a), numbers);
  }
  if (f == "identity")
    return a[0];
  if (f == "cast")
    return cast(t, type, operandType, a[0]);
  if (isInteger(type) && operandType == type && (f == "div" || f == "pow") && a[1] == t.ringNumber(type, 1))
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
  if (f == "neg" && isComplex(type) && isApply(t, a[0], "neg"))
    return t.node(a[0]).args[0];
  if (f == "not" && type == DType::Bool)
    if (std::optional<double> c = numberOf(t, a[0]))
      return t.literal(type, *c == 0);
  if (t.isRing(type) && operandType == type) {
    bool known = false;
    Term out = real(t, f, type, a, numbers, known);
    if (known)
      return out;
  }
  if (a.size() == 1 && (f == "max" || f == "min" || f == "sum" || f == "mean"))
    return a[0];
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
  if (f == "greater" || f == "greaterorequal")
    return scalar(t, f == "greater" ? "less" : "lessorequal", type, operandType, {a[1], a[0]}, {}, false);
  if ((f == "less" || f == "lessorequal" || f == "equal") && isInteger(operandType)) {
    const std::optional<int64_t> x = wholeNumber(t, a[0]), y = wholeNumber(t, a[1]);
    if (x && y) {
      const bool below = isSigned(operandType) ? *x < *y : uint64_t(*x) < uint64_t(*y);
      return t.literal(type, f == "equal" ? *x == *y : f == "less" ? below : below || *x == *y);
    }
    if (f == "equal") // what is added on both sides goes
      std::tie(a[0], a[1]) = t.withoutCommon(operandType, a[0], a[1]);
  }
  if ((f == "less" || f == "lessorequal") && isFloat(operandType) && isApply(t, a[0], "neg") && isApply(t, a[1], "neg"))
    return scalar(t, f, type, operandType, {t.node(a[1]).args[0], t.node(a[0]).args[0]}, {}, false);
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
        return scalar(t, "shift_right_logical", type, type, {a[0], t.ringNumber(type, std::countr_zero(uint64_t(*y)))}, {}, false);
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
    std::vector<Term> args{a[0]};
    if (isApply(t, a[0], "max") && t.node(a[0]).dtype == type)
      args = t.node(a[0]).args;
    args.push_back(literalTerm(t, type, 0));
    std::ranges::sort(args);
    args.erase(std::unique(args.begin(), args.end()), args.end());
    return args.size() == 1 ? args[0] : t.apply("max", type, args);
  }
  if ((f == "relu" || f == "floor" || f == "ceil" || f == "round" || f == "sign" || f == "abs") && isApply(t, a[0], f) && operandType == type)
    return a[0];
  if ((f == "floor" || f == "ceil" || f == "round") && (isApply(t, a[0], "floor") || isApply(t, a[0], "ceil") || isApply(t, a[0], "round")))
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
    if (f == "neg" && t.node(a[0]).kind == TermKind::Reduce && (t.node(a[0]).text == "max" || t.node(a[0]).text == "min")) {
      TermNode n = t.node(a[0]);
      n.text = n.text == "max" ? "min" : "max";
      n.args.back() = scalar(t, "neg", type, type, {n.args.back()}, {}, false);
      return t.make(std::move(n));
    }
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
    if (f == "pow" && isOne(t, a[1]))
      return a[0];
    if (f == "pow" && numberOf(t, a[1]) == 0.0) // of NaN, too
      return literalTerm(t, type, 1);
  }
  if (commutative && a.size() == 2 && a[0] > a[1])
    std::swap(a[0], a[1]);
  return t.apply(f, type, std::move(a), numbers);
}

} // namespace rw::verify
