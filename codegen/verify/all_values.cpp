#include "codegen/verify/all_values.h"

#include "codegen/verify/term_numbers.h"
#include "rw/interp/element.h"
#include "rw/interp/extremes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_map>

namespace rw::verify {
namespace {

/// Thrown where a term is more than is looked at here.
struct TooMuch {};

constexpr unsigned kMostBitsOfAtoms = 17;
constexpr size_t kMostTermsOfAQuestion = 60;

/// The float of 8 bits next to v: ties to even, infinite above 240, spaced evenly below 2^-6.
double roundedToEight(double v) {
  constexpr int kDigits = 4, kLeastExponent = -6;
  constexpr double kMost = 240, kFirstInfinite = 248;
  if (v == 0 || !std::isfinite(v))
    return v;
  int exponent = 0;
  std::frexp(v, &exponent); // v is at least 2^(exponent - 1)
  const int unit = std::max(exponent - 1, kLeastExponent) - (kDigits - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
  if (std::fabs(v) >= kFirstInfinite)
    return std::copysign(std::numeric_limits<double>::infinity(), v);
  return std::fabs(rounded) > kMost ? std::copysign(kMost, v) : rounded;
}

std::vector<double> floatsOfEightBits() {
  std::vector<double> out{std::numeric_limits<double>::quiet_NaN()};
  for (double sign : {1.0, -1.0}) {
    out.push_back(sign * std::numeric_limits<double>::infinity());
    for (int exponent = 0; exponent < 15; ++exponent)
      for (int digits = 0; digits < 8; ++digits)
        out.push_back(sign * std::ldexp(digits + (exponent ? 8 : 0), std::max(exponent, 1) - 10));
  }
  return out;
}

/// A term at each of the values: of floats as `real`, which holds every float exactly, of integers and bools as
/// `whole`.
struct Column {
  std::vector<double> real;
  std::vector<int64_t> whole;
};

class AllValues {
public:
  AllValues(const TermTable &t, bool atEightBits) : t_(t), atEightBits_(atEightBits) {}

  /// What is compared, whatever numbers its terms have. Throws TooMuch, and so may `same`.
  std::string question(Term a, Term b) {
    collect(a);
    collect(b);
    if (!knowsSomething_)
      throw TooMuch{};
    std::string out;
    writeOut(a, out);
    writeOut(b, out);
    return out;
  }

  bool same(Term a, Term b) {
    layOut();
    const Column &x = at(a), &y = at(b);
    for (size_t i = 0; i < x.real.size(); ++i)
      if (!(std::isnan(x.real[i]) && std::isnan(y.real[i])) &&
          !(x.real[i] == y.real[i] && std::signbit(x.real[i]) == std::signbit(y.real[i])))
        return false;
    return x.whole == y.whole;
  }

private:
  static bool isHeld(DType t) { // computed with here
    return t == DType::Bool || (isInteger(t) && dtypeBytes(t) && dtypeBytes(t) <= 4) ||
           (isFloat(t) && dtypeBytes(t) >= 2);
  }
  std::optional<double> numberAt(Term term) const {
    if (std::optional<int64_t> n = wholeNumber(t_, term))
      return double(*n);
    return numberOf(t_, term);
  }

  bool isComputed(const TermNode &n) const {
    if (!isHeld(n.dtype))
      return false;
    if (n.kind == TermKind::Polynomial)
      return isInteger(n.dtype);
    if (n.kind != TermKind::Apply || n.args.empty())
      return false;
    for (Term a : n.args)
      if (!isHeld(t_.node(a).dtype))
        return false;
    const std::string_view f = n.text;
    const DType first = t_.node(n.args[0]).dtype;
    if (f == "cast")
      return !(atEightBits_ && isFloat(first) && isFloat(n.dtype));
    if (f == "select")
      return n.args.size() == 3 && first == DType::Bool;
    if (f == "less" || f == "lessorequal" || f == "equal" || f == "max" || f == "min")
      return true;
    if (f == "and" || f == "or" || f == "xor" || f == "not")
      return n.dtype == DType::Bool && first == DType::Bool;
    if (f == "isnan")
      return isFloat(first);
    static constexpr std::string_view ofFloats[] = {
        "add", "mul", "div", "neg", "abs", "sqrt", "floor", "ceil", "round", "round_nearest_even", "reciprocal"};
    return isFloat(n.dtype) && first == n.dtype && std::ranges::find(ofFloats, f) != std::end(ofFloats);
  }

  void collect(Term term) {
    if (!seen_.emplace(term, seen_.size()).second)
      return;
    if (seen_.size() > kMostTermsOfAQuestion)
      throw TooMuch{};
    const TermNode &n = t_.node(term);
    if (numberAt(term))
      return;
    if (isComputed(n)) {
      knowsSomething_ |= n.kind == TermKind::Apply;
      forEachPart(n, [&](Term part) { collect(part); });
      return;
    }
    if (!isHeld(n.dtype) || (isInteger(n.dtype) && dtypeBytes(n.dtype) > 2))
      throw TooMuch{};
    // That two terms differ is said of what nothing more is known of: a solver knows these.
    static constexpr std::string_view known[] = {"cast", "and", "or", "xor", "not", "div", "rem", "abs", "sign"};
    if (atEightBits_ && (n.kind == TermKind::Choice || n.text.starts_with("shift") ||
                         (n.kind == TermKind::Apply && std::ranges::find(known, n.text) != std::end(known))))
      throw TooMuch{};
    bits_ += n.dtype == DType::Bool ? 1 : atEightBits_ && isFloat(n.dtype) ? 8 : 8 * dtypeBytes(n.dtype);
    if (bits_ > kMostBitsOfAtoms)
      throw TooMuch{};
    atoms_.push_back(term);
  }

  /// Gives each atom all values of its type, beside all of the others.
  void layOut() {
    static const std::vector<double> kEight = floatsOfEightBits();
    std::vector<Column> domains;
    for (Term atom : atoms_) {
      const DType type = t_.node(atom).dtype;
      Column &domain = domains.emplace_back();
      if (type == DType::Bool)
        domain.whole = {0, 1};
      else if (isFloat(type) && atEightBits_)
        domain.real = kEight;
      else
        for (unsigned bits = 0; bits < 1u << (8 * dtypeBytes(type)); ++bits)
          if (isFloat(type))
            domain.real.push_back(type == DType::F16 ? fromHalf(uint16_t(bits)) : fromBFloat16(uint16_t(bits)));
          else
            domain.whole.push_back(wrapped(type, bits));
    }
    for (const Column &domain : domains)
      count_ *= std::max(domain.real.size(), domain.whole.size());
    size_t repeated = 1;
    for (size_t i = 0; i < atoms_.size(); ++i) {
      Column &column = columns_[atoms_[i]];
      for (size_t k = 0; k < count_; ++k) {
        const Column &domain = domains[i];
        const size_t place = k / repeated;
        if (domain.real.empty())
          column.whole.push_back(domain.whole[place % domain.whole.size()]);
        else
          column.real.push_back(domain.real[place % domain.real.size()]);
      }
      repeated *= std::max(domains[i].real.size(), domains[i].whole.size());
    }
  }

  static int64_t wrapped(DType type, uint64_t bits) {
    int64_t out = 0;
    visitInt(type, [&]<class T>(T) {
      out = int64_t(T(bits));
      return true;
    });
    return out;
  }
  /// In the type that kernels compute in; f of numbers of that type.
  template <class F> double computed(DType type, const F &f) const {
    double out = 0;
    if (atEightBits_)
      return roundedToEight(f(double()));
    visitFloat(type, [&]<class T>(T) {
      out = double(storeElement<T>(f(Compute<T>())));
      return true;
    });
    return out;
  }

  const Column &at(Term term) {
    if (auto it = columns_.find(term); it != columns_.end())
      return it->second;
    const TermNode &n = t_.node(term);
    Column out;
    if (std::optional<double> v = numberAt(term)) {
      if (isFloat(n.dtype)) {
        if (atEightBits_ && *v == *v && roundedToEight(*v) != *v)
          throw TooMuch{};
        out.real.assign(count_, *v);
      } else {
        out.whole.assign(count_, n.dtype == DType::Bool ? int64_t(*v) : wrapped(n.dtype, uint64_t(int64_t(*v))));
      }
    } else if (n.kind == TermKind::Polynomial) {
      out.whole = polynomial(n);
    } else {
      std::vector<const Column *> args;
      for (Term a : n.args)
        args.push_back(&at(a));
      out = apply(n, args);
    }
    return columns_[term] = std::move(out);
  }

  std::vector<int64_t> polynomial(const TermNode &n) {
    std::vector<uint64_t> sum(count_, 0);
    for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
      std::vector<uint64_t> product(count_, uint64_t(n.numbers[i]));
      for (int64_t k = 0; k < n.numbers[i + 1]; ++k) {
        const Column &factor = at(Term(n.numbers[i + 2 + size_t(k)]));
        for (size_t p = 0; p < count_; ++p)
          product[p] *= uint64_t(factor.whole[p]);
      }
      for (size_t p = 0; p < count_; ++p)
        sum[p] += product[p];
    }
    std::vector<int64_t> out;
    for (uint64_t v : sum)
      out.push_back(wrapped(n.dtype, v));
    return out;
  }

  Column apply(const TermNode &n, const std::vector<const Column *> &args) const {
    const std::string_view f = n.text;
    const DType first = t_.node(n.args[0]).dtype;
    Column out;
    auto reals = [&](const auto &g) {
      for (size_t p = 0; p < count_; ++p)
        out.real.push_back(computed(n.dtype, [&](auto c) {
          using C = decltype(c);
          return C(g(C(args[0]->real[p]), C(args.size() > 1 ? args[1]->real[p] : 0)));
        }));
      return out;
    };
    auto wholes = [&](const auto &g) {
      for (size_t p = 0; p < count_; ++p)
        out.whole.push_back(g(p));
      return out;
    };
    auto compares = [&](const auto &g) {
      return wholes([&](size_t p) {
        return int64_t(isFloat(first) ? g(args[0]->real[p], args[1]->real[p])
                                      : g(args[0]->whole[p], args[1]->whole[p]));
      });
    };
    if (f == "add")
      return reals([](auto x, auto y) { return x + y; });
    if (f == "mul")
      return reals([](auto x, auto y) { return x * y; });
    if (f == "div")
      return reals([](auto x, auto y) { return x / y; });
    if (f == "neg")
      return reals([](auto x, auto) { return -x; });
    if (f == "abs")
      return reals([](auto x, auto) { return std::fabs(x); });
    if (f == "sqrt")
      return reals([](auto x, auto) { return std::sqrt(x); });
    if (f == "floor")
      return reals([](auto x, auto) { return std::floor(x); });
    if (f == "ceil")
      return reals([](auto x, auto) { return std::ceil(x); });
    if (f == "round" || f == "round_nearest_even")
      return reals([](auto x, auto) { return std::nearbyint(x); });
    if (f == "reciprocal")
      return reals([](auto x, auto) { return decltype(x)(1) / x; });
    if (f == "less")
      return compares([](auto x, auto y) { return x < y; });
    if (f == "lessorequal")
      return compares([](auto x, auto y) { return x <= y; });
    if (f == "equal")
      return compares([](auto x, auto y) { return x == y; });
    if (f == "isnan")
      return wholes([&](size_t p) { return int64_t(std::isnan(args[0]->real[p])); });
    if (f == "not")
      return wholes([&](size_t p) { return int64_t(!args[0]->whole[p]); });
    if (f == "and" || f == "or" || f == "xor")
      return wholes([&](size_t p) {
        int64_t v = args[0]->whole[p];
        for (size_t i = 1; i < args.size(); ++i)
          v = f == "and" ? v & args[i]->whole[p] : f == "or" ? v | args[i]->whole[p] : v ^ args[i]->whole[p];
        return v;
      });
    if (f == "select") {
      for (size_t p = 0; p < count_; ++p) {
        const Column &taken = *args[args[0]->whole[p] ? 1 : 2];
        if (isFloat(n.dtype))
          out.real.push_back(taken.real[p]);
        else
          out.whole.push_back(taken.whole[p]);
      }
      return out;
    }
    if (f == "max" || f == "min") {
      for (size_t p = 0; p < count_; ++p) {
        auto extremeOf = [&](auto v, auto values) {
          for (size_t i = 1; i < args.size(); ++i)
            v = f == "max" ? greaterOf(v, values(i)) : lesserOf(v, values(i));
          return v;
        };
        if (isFloat(n.dtype))
          out.real.push_back(extremeOf(args[0]->real[p], [&](size_t i) { return args[i]->real[p]; }));
        else
          out.whole.push_back(extremeOf(args[0]->whole[p], [&](size_t i) { return args[i]->whole[p]; }));
      }
      return out;
    }
    return cast(n.dtype, first, *args[0]);
  }

  Column cast(DType to, DType from, const Column &x) const {
    Column out;
    auto convert = [&](const auto &values) {
      visitAny(to, [&]<class T>(T) {
        if constexpr (!kIsComplex<T>)
          for (auto v : values) {
            const T element = convertElement<T>(v);
            if constexpr (std::is_same_v<T, Bool>)
              out.whole.push_back(bool(element));
            else if constexpr (kIsInt<T>)
              out.whole.push_back(int64_t(element));
            else
              out.real.push_back(atEightBits_ ? roundedToEight(double(v)) : double(element));
          }
        return true;
      });
    };
    if (isFloat(from))
      convert(x.real);
    else
      convert(x.whole);
    return out;
  }

  void writeOut(Term term, std::string &out) {
    if (auto [it, isNew] = written_.emplace(term, written_.size()); !isNew) {
      out += fmt::format("#{}", it->second);
      return;
    }
    const TermNode &n = t_.node(term);
    out += fmt::format("({} ", int(n.dtype));
    if (std::optional<double> v = numberAt(term)) {
      out += fmt::format("{}", *v);
    } else if (isComputed(n)) {
      out += n.text;
      for (size_t i = 0; n.kind == TermKind::Polynomial && i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1]))
        out += fmt::format(" {}*{}", n.numbers[i], n.numbers[i + 1]);
      forEachPart(n, [&](Term part) { writeOut(part, out); });
    }
    out += ')';
  }

  const TermTable &t_;
  const bool atEightBits_;
  std::unordered_map<Term, size_t> seen_, written_;
  std::vector<Term> atoms_;
  unsigned bits_ = 0;
  size_t count_ = 1;
  bool knowsSomething_ = false;
  std::unordered_map<Term, Column> columns_; // whose elements stay where they are
};

/// The answer, which is remembered: of many instances of one pattern the question is mostly the same.
Sameness compared(const TermTable &t, Term a, Term b, bool atEightBits) {
  static std::mutex mutex;
  static std::map<std::string, Sameness> known[2];
  if (t.level() != Level::Exact || t.node(a).dtype != t.node(b).dtype)
    return Sameness::Unknown;
  try {
    AllValues all(t, atEightBits);
    const std::string question = all.question(a, b);
    std::lock_guard lock(mutex);
    auto [it, isNew] = known[atEightBits].try_emplace(question, Sameness::Unknown);
    if (isNew)
      it->second = all.same(a, b) ? Sameness::Same : Sameness::Different;
    return it->second;
  } catch (const TooMuch &) {
    return Sameness::Unknown;
  }
}

} // namespace

bool sameAtAllValues(const TermTable &t, Term a, Term b) { return compared(t, a, b, false) == Sameness::Same; }

Sameness compareAtEightBits(const TermTable &t, Term a, Term b) { return compared(t, a, b, true); }

} // namespace rw::verify
