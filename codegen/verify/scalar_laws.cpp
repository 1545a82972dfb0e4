#include "codegen/verify/scalar_laws.h"

#include "codegen/verify/term_evaluator.h"
#include "rw/interp/element.h"
#include "rw/support/numbers.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>

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
bool isPlusZero(const TermTable &t, Term x) {
  std::optional<double> v = numberOf(t, x);
  return v && *v == 0 && !std::signbit(*v);
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
    // Integers other than 0 stay so in a type that has all of them.
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
  if (isFloat(type)) {
    if (f == "div")
      return t.ringMul(type, a[0], reciprocal(t, type, a[1]));
    if (f == "reciprocal")
      return reciprocal(t, type, a[0]);
    if (f == "rsqrt")
      return reciprocal(t, type, t.apply("sqrt", type, {a[0]}));
    if (f == "sigmoid" || f == "logistic") // 1 / (1 + exp(-x))
      return reciprocal(t, type, t.ringAdd(type, number(1), t.apply("exp", type, {t.ringScale(type, a[0], -1)})));
    if (f == "softplus")
      return t.apply("log", type, {t.ringAdd(type, number(1), t.apply("exp", type, {a[0]}))});
    if (f == "log1p")
      return t.apply("log", type, {t.ringAdd(type, number(1), a[0])});
    if (f == "expm1")
      return t.ringAdd(type, t.apply("exp", type, {a[0]}), number(-1));
    if (f == "pow") {
      if (a[1] == number(1))
        return a[0];
      if (a[1] == number(2))
        return t.ringMul(type, a[0], a[0]);
      if (a[1] == number(0.5))
        return t.apply("sqrt", type, {a[0]});
      if (a[1] == number(-1))
        return reciprocal(t, type, a[0]);
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
  if ((f == "relu" || f == "floor" || f == "ceil" || f == "round" || f == "sign" || f == "abs") && isApply(t, a[0], f) && operandType == type)
    return a[0];
  if ((f == "floor" || f == "ceil" || f == "round") && (isApply(t, a[0], "floor") || isApply(t, a[0], "ceil") || isApply(t, a[0], "round")))
    return a[0];
  if (isFloat(type) && operandType == type) { // bit for bit
    if (f == "neg" && isApply(t, a[0], "neg"))
      return t.node(a[0]).args[0];
    if (f == "sub") // x - y is x + (-y)
      return scalar(t, "add", type, type, {a[0], scalar(t, "neg", type, type, {a[1]}, {}, false)}, {}, true);
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
      Term out = (f == "mul" && isOne(t, a[0])) ? a[1] : (isOne(t, a[1])) ? a[0] : t.apply(f, type, a, numbers);
      return negative ? scalar(t, "neg", type, type, {out}, {}, false) : out;
    }
    if (f == "abs" && isApply(t, a[0], "neg"))
      return scalar(t, "abs", type, type, {t.node(a[0]).args[0]}, {}, false);
    if (f == "pow" && isOne(t, a[1]))
      return a[0];
    (void)isPlusZero;
  }
  if (commutative && a.size() == 2 && a[0] > a[1])
    std::swap(a[0], a[1]);
  return t.apply(f, type, std::move(a), numbers);
}

} // namespace rw::verify
