#include "rw/ir/dim.h"

#include "rw/ir/context.h"
#include "rw/ir/nameless_dims.h"
#include "rw/ir/text_format.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

// An expression is a sum of terms; a term is a coefficient times a product of atoms; an atom is a symbol, or a
// quotient or remainder that does not simplify. Terms are sorted by their atoms and have nonzero coefficients, so
// equal polynomials have equal encodings and get the same index.

namespace rw {
namespace {
struct Term {
  int64_t coefficient = 0;
  std::vector<uint32_t> atoms; // sorted; repeated for powers
};
using Polynomial = std::vector<Term>;

bool byAtoms(const Term &a, const Term &b) {
  if (a.atoms.size() != b.atoms.size())
    return a.atoms.size() > b.atoms.size(); // higher degrees first, the constant last
  return a.atoms < b.atoms;
}

/// Sorts, merges terms with equal atoms, drops zeros. False on overflow.
bool normalize(Polynomial &p) {
  std::sort(p.begin(), p.end(), byAtoms);
  size_t out = 0;
  for (size_t i = 0; i < p.size();) {
    Term t = std::move(p[i++]);
    for (; i < p.size() && p[i].atoms == t.atoms; ++i)
      if (__builtin_add_overflow(t.coefficient, p[i].coefficient, &t.coefficient))
        return false;
    if (t.coefficient != 0)
      p[out++] = std::move(t);
  }
  p.resize(out);
  return true;
}

std::string encode(const Polynomial &p) {
  std::string key;
  auto put = [&](const void *data, size_t n) { key.append(static_cast<const char *>(data), n); };
  for (const Term &t : p) {
    uint32_t n = uint32_t(t.atoms.size());
    put(&t.coefficient, sizeof t.coefficient);
    put(&n, sizeof n);
    put(t.atoms.data(), n * sizeof(uint32_t));
  }
  return key;
}

constexpr size_t kMaxTerms = 64, kMaxDegree = 16; // beyond: unknown, so that hostile shapes stay small
} // namespace

struct DimTable::Impl {
  enum AtomKind : uint8_t { Symbol, Quotient, Remainder };
  struct Atom {
    AtomKind kind;
    StringId name; // Symbol
    Dim a, b;      // Quotient, Remainder
  };
  StringTable &strings;
  std::vector<Atom> atoms;
  std::vector<Polynomial> polynomials;
  std::unordered_map<std::string, uint32_t> index;
  std::unordered_map<uint32_t, uint32_t> symbolAtoms; // StringId → atom
  std::unordered_map<std::string, uint32_t> pairAtoms;

  Polynomial of(Dim d) const {
    if (d.isExpression())
      return polynomials[d.expressionIndex()];
    Polynomial p;
    if (int64_t n = d.isNegative() ? d.negative() : d.size())
      p.push_back({n, {}});
    return p;
  }

  Dim make(Polynomial p) {
    if (!normalize(p) || p.size() > kMaxTerms)
      return Dim::unknown();
    if (p.empty())
      return Dim(0);
    if (p.size() == 1 && p[0].atoms.empty())
      return p[0].coefficient > 0 ? Dim(p[0].coefficient) : Dim::unknown();
    for (const Term &t : p)
      if (t.atoms.size() > kMaxDegree)
        return Dim::unknown();
    auto [it, isNew] = index.try_emplace(encode(p), uint32_t(polynomials.size()));
    if (isNew)
      polynomials.push_back(std::move(p));
    return Dim::expression(it->second);
  }

  Dim pairAtom(AtomKind kind, Dim a, Dim b) {
    std::string key(1, char(kind));
    int64_t bits[2] = {a.bits(), b.bits()};
    key.append(reinterpret_cast<const char *>(bits), sizeof bits);
    auto [it, isNew] = pairAtoms.try_emplace(key, uint32_t(atoms.size()));
    if (isNew)
      atoms.push_back({kind, {}, a, b});
    return make({Term{1, {it->second}}});
  }

  /// Divides every term of `a` by the single term of `b`, if that leaves no remainder.
  std::optional<Polynomial> divideExactly(const Polynomial &a, const Polynomial &b) const {
    if (b.size() != 1)
      return std::nullopt;
    Polynomial out;
    for (Term t : a) {
      if (t.coefficient % b[0].coefficient != 0 || (b[0].coefficient == -1 && t.coefficient == INT64_MIN))
        return std::nullopt;
      t.coefficient /= b[0].coefficient;
      for (uint32_t atom : b[0].atoms) {
        auto it = std::find(t.atoms.begin(), t.atoms.end(), atom);
        if (it == t.atoms.end())
          return std::nullopt;
        t.atoms.erase(it);
      }
      out.push_back(std::move(t));
    }
    return out;
  }

  /// From where to where a value lies; an end that is not there is open.
  struct Interval {
    std::optional<int64_t> low, high;
  };
  using Greatest = std::vector<std::pair<StringId, int64_t>>;

  using End = std::optional<int64_t>;
  static End times(End a, End b) {
    int64_t r;
    return a && b && !__builtin_mul_overflow(*a, *b, &r) ? End(r) : std::nullopt;
  }
  static End plus(End a, End b) {
    int64_t r;
    return a && b && !__builtin_add_overflow(*a, *b, &r) ? End(r) : std::nullopt;
  }

  Interval rangeOf(const Atom &atom, const Greatest &greatest) const {
    if (atom.kind == Symbol) {
      auto it = std::find_if(greatest.begin(), greatest.end(), [&](auto &entry) { return entry.first == atom.name; });
      return {0, it == greatest.end() ? std::nullopt : std::optional(it->second)};
    }
    Interval a = rangeOf(atom.a, greatest), b = rangeOf(atom.b, greatest);
    if (atom.kind == Remainder) // of a divisor, which is at least 1
      return {0, b.high ? std::optional(std::max<int64_t>(*b.high - 1, 0)) : std::nullopt};
    int64_t divisor = std::max<int64_t>(b.low.value_or(1), 1);
    return {a.low ? std::optional(std::min<int64_t>(*a.low, 0)) : std::nullopt,
            a.high ? std::optional(std::max<int64_t>(*a.high, 0) / divisor) : std::nullopt};
  }

  Interval rangeOf(const Term &t, const Greatest &greatest) const {
    Interval product{1, 1};
    if (t.atoms.size() == 1)
      product = rangeOf(atoms[t.atoms[0]], greatest);
    for (size_t i = 0; t.atoms.size() > 1 && i < t.atoms.size(); ++i) {
      Interval factor = rangeOf(atoms[t.atoms[i]], greatest);
      if (factor.low.value_or(-1) < 0)
        return {};
      product = {0, times(product.high, factor.high)};
    }
    Interval scaled{times(product.low, t.coefficient), times(product.high, t.coefficient)};
    return t.coefficient < 0 ? Interval{scaled.high, scaled.low} : scaled;
  }

  Interval rangeOf(Dim d, const Greatest &greatest) const {
    if (d.isUnknown())
      return {0, std::nullopt};
    Interval sum{0, 0};
    for (const Term &t : of(d)) {
      Interval term = rangeOf(t, greatest);
      sum = {plus(sum.low, term.low), plus(sum.high, term.high)};
    }
    return sum;
  }

  std::string atomText(uint32_t id, const DimTable &table) const {
    const Atom &atom = atoms[id];
    if (atom.kind != Symbol)
      return (atom.kind == Quotient ? "floordiv(" : "mod(") + table.toString(atom.a) + ", " + table.toString(atom.b) +
             ")";
    if (NamelessDims::isNameless(atom.name))
      return "?"; // of a proof, which nobody is shown
    std::string spelled;
    text::appendName(spelled, strings.text(atom.name));
    return spelled;
  }
};

DimTable::DimTable(StringTable &strings) : impl_(new Impl{strings, {}, {}, {}, {}, {}}) {}
DimTable::~DimTable() = default;

Dim DimTable::symbol(StringId name) {
  auto [it, isNew] = impl_->symbolAtoms.try_emplace(name.raw, uint32_t(impl_->atoms.size()));
  if (isNew)
    impl_->atoms.push_back({Impl::Symbol, name, {}, {}});
  return impl_->make({Term{1, {it->second}}});
}

Dim DimTable::add(Dim a, Dim b) {
  if (a.isUnknown() || b.isUnknown())
    return Dim::unknown();
  Polynomial sum = impl_->of(a), other = impl_->of(b);
  sum.insert(sum.end(), other.begin(), other.end());
  return impl_->make(std::move(sum));
}

Dim DimTable::sum(std::span<const Dim> list) {
  Polynomial sum;
  for (Dim d : list) {
    if (d.isUnknown())
      return Dim::unknown();
    Polynomial next = impl_->of(d);
    sum.insert(sum.end(), next.begin(), next.end());
    if (!normalize(sum) || sum.size() > kMaxTerms)
      return Dim::unknown();
  }
  return impl_->make(std::move(sum));
}

Dim DimTable::sub(Dim a, Dim b) {
  if (a.isUnknown() || b.isUnknown())
    return Dim::unknown();
  Polynomial difference = impl_->of(a);
  for (Term t : impl_->of(b)) {
    if (t.coefficient == INT64_MIN)
      return Dim::unknown();
    t.coefficient = -t.coefficient;
    difference.push_back(std::move(t));
  }
  return impl_->make(std::move(difference));
}

Dim DimTable::mul(Dim a, Dim b) {
  if ((a.isKnown() && a.size() == 0) || (b.isKnown() && b.size() == 0))
    return Dim(0);
  if (a.isUnknown() || b.isUnknown())
    return Dim::unknown();
  Polynomial product;
  for (const Term &x : impl_->of(a))
    for (const Term &y : impl_->of(b)) {
      Term t;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &t.coefficient))
        return Dim::unknown();
      t.atoms.resize(x.atoms.size() + y.atoms.size());
      std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), t.atoms.begin());
      product.push_back(std::move(t));
    }
  return impl_->make(std::move(product));
}

Dim DimTable::floorDiv(Dim a, Dim b) {
  if (a.isUnknown() || b.isUnknown() || b == Dim(0) || a.isNegative() || b.isNegative())
    return Dim::unknown();
  if (a.isKnown() && b.isKnown())
    return Dim(a.size() / b.size());
  if (std::optional<Polynomial> quotient = impl_->divideExactly(impl_->of(a), impl_->of(b)))
    return impl_->make(std::move(*quotient));
  return impl_->pairAtom(Impl::Quotient, a, b);
}

Dim DimTable::mod(Dim a, Dim b) {
  if (a.isUnknown() || b.isUnknown() || b == Dim(0) || a.isNegative() || b.isNegative())
    return Dim::unknown();
  if (a.isKnown() && b.isKnown())
    return Dim(a.size() % b.size());
  if (impl_->divideExactly(impl_->of(a), impl_->of(b)))
    return Dim(0);
  return impl_->pairAtom(Impl::Remainder, a, b);
}

std::string DimTable::toString(Dim d) const {
  if (d.isUnknown())
    return "?";
  if (d.isKnown())
    return std::to_string(d.size());
  if (d.isNegative())
    return std::to_string(d.negative());
  // In order of the names, not of the atoms' ids: those tell which symbol was met first, the text must not.
  struct Part {
    size_t degree;
    std::string factors;
    int64_t coefficient;
  };
  std::vector<Part> parts;
  for (const Term &t : impl_->polynomials[d.expressionIndex()]) {
    std::vector<std::string> atoms;
    for (uint32_t atom : t.atoms)
      atoms.push_back(impl_->atomText(atom, *this));
    std::sort(atoms.begin(), atoms.end());
    Part &part = parts.emplace_back(Part{t.atoms.size(), {}, t.coefficient});
    for (const std::string &atom : atoms)
      part.factors += (part.factors.empty() ? "" : "*") + atom;
  }
  std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
    return a.degree != b.degree ? a.degree > b.degree : a.factors < b.factors;
  });
  std::string out;
  for (Part &part : parts) {
    uint64_t magnitude = part.coefficient < 0 ? 0 - uint64_t(part.coefficient) : uint64_t(part.coefficient);
    if (!out.empty())
      out += part.coefficient < 0 ? " - " : " + ";
    else if (part.coefficient < 0)
      out += "-";
    if (magnitude != 1 || part.factors.empty())
      part.factors += (part.factors.empty() ? "" : "*") + std::to_string(magnitude);
    out += part.factors;
  }
  return out;
}

std::optional<StringId> DimTable::asSymbol(Dim d) const {
  if (!d.isExpression())
    return std::nullopt;
  const Polynomial &p = impl_->polynomials[d.expressionIndex()];
  if (p.size() != 1 || p[0].coefficient != 1 || p[0].atoms.size() != 1)
    return std::nullopt;
  const Impl::Atom &atom = impl_->atoms[p[0].atoms[0]];
  return atom.kind == Impl::Symbol ? std::optional(atom.name) : std::nullopt;
}

Dim DimTable::substitute(Dim d, const std::vector<std::pair<StringId, Dim>> &map) {
  if (!d.isExpression())
    return d;
  Polynomial p = impl_->polynomials[d.expressionIndex()];
  Dim positive(0), negative(0); // apart, since a known dim cannot be negative on the way
  for (const Term &t : p) {
    Dim product = impl_->make({Term{t.coefficient < 0 ? -t.coefficient : t.coefficient, {}}});
    for (uint32_t id : t.atoms) {
      Impl::Atom atom = impl_->atoms[id];
      Dim factor;
      if (atom.kind == Impl::Symbol) {
        auto it = std::find_if(map.begin(), map.end(), [&](auto &entry) { return entry.first == atom.name; });
        factor = it == map.end() ? impl_->make({Term{1, {id}}}) : it->second;
      } else {
        Dim a = substitute(atom.a, map), b = substitute(atom.b, map);
        factor = atom.kind == Impl::Quotient ? floorDiv(a, b) : mod(a, b);
      }
      product = mul(product, factor);
    }
    Dim &sum = t.coefficient < 0 ? negative : positive;
    sum = add(sum, product);
  }
  return sub(positive, negative);
}

std::optional<int64_t> DimTable::upperBound(Dim d, const std::vector<std::pair<StringId, int64_t>> &greatest) const {
  std::optional<int64_t> high = impl_->rangeOf(d, greatest).high;
  return high ? std::optional(std::max<int64_t>(*high, 0)) : std::nullopt;
}

void DimTable::collectSymbols(Dim d, std::vector<StringId> &out) const {
  if (!d.isExpression())
    return;
  for (const Term &t : impl_->polynomials[d.expressionIndex()])
    for (uint32_t id : t.atoms) {
      const Impl::Atom &atom = impl_->atoms[id];
      if (atom.kind != Impl::Symbol) {
        collectSymbols(atom.a, out);
        collectSymbols(atom.b, out);
      } else if (std::find(out.begin(), out.end(), atom.name) == out.end()) {
        out.push_back(atom.name);
      }
    }
}

std::vector<Dim> DimTable::import(const DimTable &from) {
  if (from.impl_->polynomials.empty())
    return {};
  std::vector<Dim> dims(from.impl_->polynomials.size());
  std::vector<std::optional<uint32_t>> atoms(from.impl_->atoms.size());
  auto moved = [&](Dim d) { return d.isExpression() ? dims[d.expressionIndex()] : d; };
  // A quotient's parts were there before it, and so is what they are here.
  auto atom = [&](uint32_t index) {
    if (!atoms[index]) {
      const Impl::Atom &a = from.impl_->atoms[index];
      auto name = [&] {
        return NamelessDims::isNameless(a.name) ? a.name : impl_->strings.intern(from.impl_->strings.text(a.name));
      };
      Dim alone = a.kind == Impl::Symbol ? symbol(name()) : impl_->pairAtom(a.kind, moved(a.a), moved(a.b));
      atoms[index] = impl_->polynomials[alone.expressionIndex()][0].atoms[0];
    }
    return *atoms[index];
  };
  for (size_t i = 0; i < dims.size(); ++i) {
    Polynomial copy = from.impl_->polynomials[i];
    for (Term &term : copy)
      for (uint32_t &a : term.atoms)
        a = atom(a);
    for (Term &term : copy)
      std::sort(term.atoms.begin(), term.atoms.end());
    dims[i] = impl_->make(std::move(copy));
  }
  return dims;
}

} // namespace rw
