#include "codegen/verify/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rw::verify {

namespace {
constexpr int64_t kPrime = TermTable::kPrime;

int64_t modPrime(__int128 v) {
  v %= kPrime;
  return int64_t(v < 0 ? v + kPrime : v);
}
int64_t powerModPrime(int64_t base, int64_t exponent) {
  int64_t out = 1;
  for (; exponent; exponent >>= 1, base = modPrime(__int128(base) * base))
    if (exponent & 1)
      out = modPrime(__int128(out) * base);
  return out;
}
} // namespace

Term TermTable::make(TermNode n) {
  forEachPart(n, [&](Term part) { n.bound = std::max(n.bound, nodes_[part].bound); });
  if (n.kind == TermKind::Bound)
    n.bound = std::max(n.bound, unsigned(n.numbers[0]));
  auto [text, isNew] = texts_.try_emplace(std::string(n.text), std::string(n.text));
  n.text = text->second;
  std::string key;
  auto put = [&](const auto &value) { key.append(reinterpret_cast<const char *>(&value), sizeof value); };
  put(n.kind);
  put(n.dtype);
  put(n.text.data());
  put(n.args.size());
  for (Term a : n.args)
    put(a);
  for (int64_t v : n.numbers)
    put(v);
  auto [it, fresh] = known_.try_emplace(std::move(key), Term(nodes_.size()));
  if (!fresh)
    return it->second;
  cells_ += 1 + n.args.size() + n.numbers.size();
  if (nodes_.size() >= kMost || cells_ > kMostCells) {
    known_.erase(it);
    throw Undecided{"the terms grow too large"};
  }
  nodes_.push_back(std::move(n));
  return it->second;
}

bool TermTable::isRing(DType t) const {
  return level_ != Level::Plain && (isInteger(t) || (level_ == Level::Reals && (isFloat(t) || isComplex(t))));
}

int64_t TermTable::normal(DType ring, int64_t v) const {
  if (ring == DType::Unknown)
    return v;
  if (!isInteger(ring))
    return modPrime(v);
  const unsigned bits = elementBits(ring);
  return bits >= 64 || bits == 0 ? v : int64_t(uint64_t(v) << (64 - bits)) >> (64 - bits);
}
int64_t TermTable::product(DType ring, int64_t a, int64_t b) const {
  if (ring != DType::Unknown && !isInteger(ring))
    return modPrime(__int128(a) * b);
  return normal(ring, int64_t(uint64_t(a) * uint64_t(b)));
}
int64_t TermTable::sum(DType ring, int64_t a, int64_t b) const {
  if (ring != DType::Unknown && !isInteger(ring))
    return modPrime(__int128(a) + b);
  return normal(ring, int64_t(uint64_t(a) + uint64_t(b)));
}

TermTable::Polynomial TermTable::polynomialOf(DType ring, Term t) const {
  const TermNode &n = nodes_[t];
  if (n.kind != TermKind::Polynomial || n.dtype != ring)
    return {{{t}, 1}};
  Polynomial out;
  for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
    Monomial m;
    for (int64_t k = 0; k < n.numbers[i + 1]; ++k)
      m.push_back(Term(n.numbers[i + 2 + size_t(k)]));
    out.emplace(std::move(m), n.numbers[i]);
  }
  return out;
}

Term TermTable::fromPolynomial(DType ring, const Polynomial &p) {
  if (p.size() == 1 && p.begin()->second == 1 && p.begin()->first.size() == 1)
    return p.begin()->first[0];
  TermNode n;
  n.kind = TermKind::Polynomial;
  n.dtype = ring;
  for (const auto &[monomial, coefficient] : p) {
    if (coefficient == 0)
      continue;
    n.numbers.push_back(coefficient);
    n.numbers.push_back(int64_t(monomial.size()));
    for (Term t : monomial)
      n.numbers.push_back(t);
  }
  // After zeros have gone it may be one atom.
  if (n.numbers.size() == 3 && n.numbers[0] == 1 && n.numbers[1] == 1)
    return Term(n.numbers[2]);
  return make(std::move(n));
}

Term TermTable::ringAdd(DType ring, Term a, Term b) {
  Polynomial p = polynomialOf(ring, a);
  for (const auto &[m, c] : polynomialOf(ring, b)) {
    int64_t &to = p[m];
    to = sum(ring, to, c);
  }
  std::erase_if(p, [](const auto &entry) { return entry.second == 0; });
  return fromPolynomial(ring, p);
}

Term TermTable::ringMul(DType ring, Term a, Term b) {
  Polynomial p, x = polynomialOf(ring, a), y = polynomialOf(ring, b);
  if (x.size() * y.size() > 4096) // a product that nobody multiplies out
    return make({TermKind::Apply, ring, "product", a < b ? std::vector<Term>{a, b} : std::vector<Term>{b, a}, {}, 0});
  for (const auto &[m, c] : x)
    for (const auto &[n, d] : y) {
      Monomial both;
      std::ranges::merge(m, n, std::back_inserter(both));
      if (level_ == Level::Reals && isFloat(ring)) // x / x is 1, where it is a number
        for (size_t i = 0; i < both.size();) {
          const TermNode &node = nodes_[both[i]];
          auto other =
              node.kind == TermKind::Apply && node.text == "recip" ? std::ranges::find(both, node.args[0]) : both.end();
          if (other == both.end()) {
            ++i;
            continue;
          }
          const Term undone = *other;
          both.erase(both.begin() + long(i));
          both.erase(std::ranges::find(both, undone));
          i = 0;
        }
      // |x| · |x| is x · x, and √x · √x of real numbers x.
      Term multiplied = kNoTerm;
      for (size_t i = 0; i + 1 < both.size() && multiplied == kNoTerm; ++i) {
        const TermNode &node = nodes_[both[i]];
        const bool isAbs = node.kind == TermKind::Apply && node.text == "abs" && nodes_[node.args[0]].dtype == ring;
        if (both[i] != both[i + 1] ||
            (!isAbs && !(node.kind == TermKind::Apply && node.text == "sqrt" && isFloat(ring))))
          continue;
        const Term inner = node.args[0];
        multiplied = isAbs ? ringMul(ring, inner, inner) : inner;
        both.erase(both.begin() + long(i), both.begin() + long(i) + 2);
      }
      if (multiplied != kNoTerm) {
        const Term rest = fromPolynomial(ring, {{both, product(ring, c, d)}});
        for (const auto &[m2, c2] : polynomialOf(ring, ringMul(ring, rest, multiplied))) {
          int64_t &to = p[m2];
          to = sum(ring, to, c2);
        }
        continue;
      }
      int64_t &to = p[both];
      to = sum(ring, to, product(ring, c, d));
    }
  std::erase_if(p, [](const auto &entry) { return entry.second == 0; });
  return fromPolynomial(ring, p);
}

Term TermTable::ringNumber(DType ring, int64_t v) {
  v = normal(ring, v);
  return fromPolynomial(ring, v ? Polynomial{{{}, v}} : Polynomial{});
}
Term TermTable::ringScale(DType ring, Term t, int64_t by) { return ringMul(ring, t, ringNumber(ring, by)); }

Term TermTable::ringLiteral(DType ring, double v) {
  if (!std::isfinite(v))
    return kNoTerm;
  int exponent = 0;
  const double mantissa = std::frexp(v, &exponent);
  const int64_t whole = int64_t(std::ldexp(mantissa, 53));
  exponent -= 53;
  const int64_t two = exponent >= 0 ? 2 : (kPrime + 1) / 2;
  return ringNumber(ring, modPrime(__int128(modPrime(whole)) * powerModPrime(two, std::abs(exponent))));
}

std::pair<Term, Term> TermTable::balanced(DType ring, Term a, Term b) {
  Polynomial left, right;
  int64_t sign = 0; // that of the first monomial that is no number
  for (const auto &[monomial, coefficient] : polynomialOf(ring, ringAdd(ring, a, ringScale(ring, b, -1)))) {
    if (sign == 0 && !monomial.empty())
      sign = coefficient < 0 ? -1 : 1;
    // A number comes first, when the sign is not known yet.
    const int64_t c = sign == 0 ? coefficient : product(ring, coefficient, sign);
    if (!monomial.empty() && c > 0)
      left.emplace(monomial, c);
    else
      right.emplace(monomial, product(ring, c, -1));
  }
  if (auto number = right.find({}); number != right.end() && sign < 0)
    number->second = product(ring, number->second, -1);
  return {fromPolynomial(ring, left), fromPolynomial(ring, right)};
}

Term TermTable::ringInverse(DType ring, Term t) {
  const TermNode &n = nodes_[t];
  if (isInteger(ring) || n.kind != TermKind::Polynomial || n.numbers.size() != 2 || n.numbers[1] != 0)
    return kNoTerm;
  return ringNumber(ring, powerModPrime(n.numbers[0], kPrime - 2));
}

Term TermTable::number(int64_t v) { return ringNumber(DType::Unknown, v); }
Term TermTable::size(std::string_view symbol) { return make({TermKind::Size, DType::Unknown, symbol, {}, {}, 0}); }
Term TermTable::variable(Term extent) {
  if (asNumber(extent) == 1) // it can be nothing else
    return number(0);
  return make({TermKind::Variable, DType::Unknown, "", {extent}, {variables_++}, 0});
}
Term TermTable::add(Term a, Term b) { return ringAdd(DType::Unknown, a, b); }
Term TermTable::sub(Term a, Term b) { return ringAdd(DType::Unknown, a, ringScale(DType::Unknown, b, -1)); }
Term TermTable::mul(Term a, Term b) { return ringMul(DType::Unknown, a, b); }

Term TermTable::start(Term element, Term most) {
  return asNumber(most) == 0 ? most : make({TermKind::Apply, DType::Unknown, "start", {element, most}, {}, 0});
}

std::optional<int64_t> TermTable::asNumber(Term t) const {
  const TermNode &n = nodes_[t];
  if (n.kind != TermKind::Polynomial || n.dtype != DType::Unknown)
    return std::nullopt;
  if (n.numbers.empty())
    return 0;
  return n.numbers.size() == 2 && n.numbers[1] == 0 ? std::optional(n.numbers[0]) : std::nullopt;
}

/// The least value that the term has whatever the variables are, as a polynomial of sizes: each variable at the end of
/// its range that makes its monomial smaller. None where that cannot be told.
Term TermTable::upper(Term t) {
  Term out = number(0);
  for (const auto &[monomial, coefficient] : polynomialOf(DType::Unknown, t)) {
    Term product = number(coefficient);
    bool isZero = false;
    for (Term atom : monomial) {
      const TermNode n = nodes_[atom];
      switch (n.kind) {
      case TermKind::Size:
        product = mul(product, atom);
        break;
      case TermKind::Variable:
      case TermKind::Bound:
        if (coefficient > 0)
          isZero = true; // at 0
        else
          product = mul(product, sub(n.args[0], number(1)));
        break;
      case TermKind::Quotient: // of what is not negative, by what is positive
        if (coefficient > 0) {
          isZero = isNonNegative(n.args[0]);
          if (!isZero)
            return kNoTerm;
        } else if (asNumber(n.args[1]) && isNonNegative(n.args[0])) {
          // At most the greatest numerator, divided.
          Term greatest = upper(ringScale(DType::Unknown, n.args[0], -1));
          if (greatest == kNoTerm)
            return kNoTerm;
          product = mul(product, div(ringScale(DType::Unknown, greatest, -1), n.args[1]));
        } else {
          return kNoTerm;
        }
        break;
      case TermKind::Apply: // a start
        if (n.text != "start")
          return kNoTerm;
        if (coefficient > 0)
          isZero = true;
        else
          product = mul(product, n.args[1]);
        break;
      default:
        return kNoTerm;
      }
    }
    if (!isZero)
      out = add(out, product);
  }
  return out;
}

bool TermTable::isNonNegative(Term t) {
  if (std::optional<int64_t> n = asNumber(t))
    return *n >= 0;
  const Term least = upper(t);
  if (least == kNoTerm)
    return false;
  // Sizes are 1 and something: then no coefficient may be negative.
  std::vector<Term> from, to;
  for (const auto &[monomial, coefficient] : polynomialOf(DType::Unknown, least))
    for (Term atom : monomial)
      if (nodes_[atom].kind == TermKind::Size && std::ranges::find(from, atom) == from.end()) {
        from.push_back(atom);
        to.push_back(add(atom, number(1)));
      }
  Term shifted = from.empty() ? least : substitute(least, from, to);
  for (const auto &[monomial, coefficient] : polynomialOf(DType::Unknown, shifted)) {
    if (coefficient < 0)
      return false;
    for (Term atom : monomial)
      if (nodes_[atom].kind != TermKind::Size &&
          !(nodes_[atom].kind == TermKind::Quotient && isNonNegative(nodes_[atom].args[0])))
        return false;
  }
  return true;
}

Term TermTable::div(Term a, Term b) {
  if (std::optional<int64_t> n = asNumber(b)) {
    if (*n == 1)
      return a;
    if (std::optional<int64_t> m = asNumber(a); m && *n > 0)
      return number((*m - (((*m % *n) + *n) % *n)) / *n);
  }
  if (a == b && isNonNegative(sub(b, number(1))))
    return number(1);
  // Of a sum the monomials that are multiples of b go out, if the rest lies in 0 … b - 1.
  const Polynomial divisor = polynomialOf(DType::Unknown, b);
  if (divisor.size() == 1 && divisor.begin()->second > 0) {
    const auto &[by, factor] = *divisor.begin();
    Polynomial quotient, rest;
    for (const auto &[monomial, coefficient] : polynomialOf(DType::Unknown, a)) {
      Monomial left;
      std::ranges::set_difference(monomial, by, std::back_inserter(left));
      const bool divides = monomial.size() - left.size() == by.size();
      if (!divides) {
        rest.emplace(monomial, coefficient);
        continue;
      }
      int64_t q = coefficient / factor, r = coefficient % factor;
      if (r < 0) {
        r += factor;
        --q;
      }
      if (q)
        quotient.emplace(left, q);
      if (r)
        rest.emplace(monomial, r);
    }
    const Term r = fromPolynomial(DType::Unknown, rest), q = fromPolynomial(DType::Unknown, quotient);
    if (isNonNegative(r) && isBelow(r, b))
      return q;
    // (x / c) / d is x / (c * d).
    if (nodes_[a].kind == TermKind::Quotient)
      return div(nodes_[a].args[0], mul(nodes_[a].args[1], b));
    if (!quotient.empty() && !rest.empty())
      return add(q, make({TermKind::Quotient, DType::Unknown, "", {r, b}, {}, 0}));
  }
  return make({TermKind::Quotient, DType::Unknown, "", {a, b}, {}, 0});
}

Term TermTable::literal(DType dtype, uint64_t bits, uint64_t more) {
  if (isRing(dtype) && isInteger(dtype))
    return ringNumber(dtype, int64_t(bits));
  return make({TermKind::Literal, dtype, "", {}, {int64_t(bits), int64_t(more)}, 0});
}
Term TermTable::element(DType dtype, unsigned param, std::vector<Term> indices) {
  return make({TermKind::Element, dtype, "", std::move(indices), {int64_t(param)}, 0});
}
Term TermTable::below(Term a, Term b) {
  if (isBelow(a, b))
    return number(1);
  if (isNonNegative(sub(a, b)))
    return number(0);
  // One form of each: 0 < what.
  return make({TermKind::Below, DType::Unknown, "", {number(0), sub(b, a)}, {}, 0});
}
Term TermTable::choice(DType dtype, Term condition, Term yes, Term no) {
  if (std::optional<int64_t> c = asNumber(condition))
    return *c ? yes : no;
  if (yes == no)
    return yes;
  return make({TermKind::Choice, dtype, "", {condition, yes, no}, {}, 0});
}
Term TermTable::apply(std::string_view function, DType dtype, std::vector<Term> args, std::vector<int64_t> numbers) {
  return make({TermKind::Apply, dtype, function, std::move(args), std::move(numbers), 0});
}

bool TermTable::contains(Term t, Term what) {
  if (t < what) // a term is made of earlier ones
    return false;
  bool found = false;
  forEachIn(t, [&](Term at) { found |= at == what; });
  return found;
}

Term TermTable::substitute(Term t, std::span<const Term> from, std::span<const Term> to) {
  std::unordered_map<Term, Term> done;
  for (size_t i = 0; i < from.size(); ++i)
    done.emplace(from[i], to[i]);
  auto visit = [&](auto &self, Term at) -> Term {
    if (auto it = done.find(at); it != done.end())
      return it->second;
    const TermNode n = nodes_[at]; // a copy: the table grows
    Term out = at;
    switch (n.kind) {
    case TermKind::Polynomial: {
      out = ringNumber(n.dtype, 0);
      for (const auto &[monomial, coefficient] : polynomialOf(n.dtype, at)) {
        Term product = ringNumber(n.dtype, coefficient);
        for (Term atom : monomial)
          product = ringMul(n.dtype, product, self(self, atom));
        out = ringAdd(n.dtype, out, product);
      }
      break;
    }
    case TermKind::Size:
    case TermKind::Literal:
      break;
    default: {
      std::vector<Term> args;
      for (Term a : n.args)
        args.push_back(self(self, a));
      if (args == n.args)
        break;
      if (n.kind == TermKind::Quotient)
        out = div(args[0], args[1]);
      else if (n.kind == TermKind::Below)
        out = below(args[0], args[1]);
      else if (n.kind == TermKind::Choice)
        out = choice(n.dtype, args[0], args[1], args[2]);
      else
        out = make({n.kind, n.dtype, n.text, std::move(args), n.numbers, 0});
    }
    }
    done.emplace(at, out);
    return out;
  };
  return visit(visit, t);
}

/// Splits variables that are used as x / b and x % b alone into two; puts what does not depend on them in front.
Term TermTable::reduce(std::string_view function, DType dtype, std::vector<Term> variables, Term body) {
  // A variable of one value is a number already.
  std::erase_if(variables, [&](Term v) { return nodes_[v].kind != TermKind::Variable; });
  if (variables.empty() &&
      (function == "sum" || function == "prod" || function == "max" || function == "min" || function == "mean"))
    return body;
  // Mixed radix: x = b * y + z where only x / b and the rest are used.
  for (size_t at = 0; at < variables.size(); ++at) {
    const Term x = variables[at], extent = nodes_[x].args[0];
    Term by = kNoTerm;
    forEachIn(body, [&](Term t) {
      if (by == kNoTerm && nodes_[t].kind == TermKind::Quotient && nodes_[t].args[0] == x)
        by = nodes_[t].args[1];
    });
    if (by == kNoTerm)
      continue;
    const Term outer = div(extent, by);
    if (nodes_[outer].kind == TermKind::Quotient || mul(outer, by) != extent)
      continue;
    const Term y = variable(outer), z = variable(by);
    const Term from[] = {x}, to[] = {add(mul(by, y), z)};
    body = substitute(body, from, to);
    variables[at] = y;
    variables.insert(variables.begin() + long(at) + 1, z);
    std::erase_if(variables, [&](Term v) { return nodes_[v].kind != TermKind::Variable; });
    --at;
    if (variables.size() > 12)
      break;
  }
  return reduceOne(function, dtype, variables, body);
}

/// A reduction's body with variables of its own in place of bound ones; none if it does not use all of them.
std::pair<std::vector<Term>, Term> TermTable::withFreshVariables(Term reduction) {
  const TermNode n = nodes_[reduction];
  std::vector<Term> from, to;
  forEachIn(n.args.back(), [&](Term t) {
    if (nodes_[t].kind == TermKind::Bound && nodes_[t].numbers[1] == n.numbers[1])
      from.push_back(t);
  });
  if (from.size() != n.args.size() - 1)
    return {};
  for (Term b : from)
    to.push_back(variable(nodes_[b].args[0]));
  return {to, substitute(n.args.back(), from, to)};
}

/// Bools: whether something holds and also one of several is whether one of several does, each with that.
void TermTable::mergeNestedOr(std::vector<Term> &variables, Term &body) {
  for (bool merged = true; merged;) {
    merged = false;
    const TermNode n = nodes_[body];
    std::vector<Term> parts = n.kind == TermKind::Apply && n.text == "and" ? n.args : std::vector<Term>{body};
    for (size_t i = 0; i < parts.size() && !merged; ++i) {
      if (nodes_[parts[i]].kind != TermKind::Reduce || nodes_[parts[i]].text != "or")
        continue;
      auto [fresh, inner] = withFreshVariables(parts[i]);
      if (fresh.empty())
        continue;
      variables.insert(variables.end(), fresh.begin(), fresh.end());
      parts.erase(parts.begin() + long(i));
      if (const TermNode &m = nodes_[inner]; m.kind == TermKind::Apply && m.text == "and")
        parts.insert(parts.end(), m.args.begin(), m.args.end());
      else
        parts.push_back(inner);
      std::ranges::sort(parts);
      parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
      body = parts.size() == 1 ? parts[0] : apply("and", DType::Bool, std::move(parts));
      merged = true;
    }
  }
}

/// A product of equal factors.
Term TermTable::power(DType ring, Term base, Term times) {
  constexpr int64_t kMostTimes = 8;
  const std::optional<int64_t> n = asNumber(times);
  if (base == ringNumber(ring, 1))
    return base;
  if (!n || *n > kMostTimes)
    return apply("power", ring, {base, times});
  Term out = ringNumber(ring, 1);
  for (int64_t i = 0; i < *n; ++i)
    out = ringMul(ring, out, base);
  return out;
}

/// Variables whose order does not matter in that of what is left of the body when all others are made alike.
void TermTable::inOneOrder(std::vector<Term> &variables, Term body) {
  std::vector<std::pair<Term, Term>> keyed;
  for (Term v : variables) {
    std::vector<Term> from, to;
    for (Term other : variables) {
      from.push_back(other);
      to.push_back(
          make({TermKind::Bound, DType::Unknown, "", {nodes_[other].args[0]}, {other == v ? 1000 : 1001, -1}, 0}));
    }
    keyed.emplace_back(substitute(body, from, to), v);
  }
  std::ranges::stable_sort(keyed, {}, [](const auto &k) { return k.first; });
  variables.clear();
  for (auto &[key, v] : keyed)
    variables.push_back(v);
}

/// Where the body asks whether a variable lies below a place that does not depend on variables, the parts before and
/// behind it, each with that answer: a sum over a concatenation is that of its operands, one over a padded tensor
/// leaves the padding out.
std::optional<Term> TermTable::splitReduce(std::string_view function, DType dtype, const std::vector<Term> &variables,
                                           Term body) {
  const bool sums = function == "sum" && isRing(dtype), extremes = function == "max" || function == "min";
  if (!sums && !extremes)
    return std::nullopt;
  std::vector<Term> questions;
  forEachIn(body, [&](Term t) {
    if (nodes_[t].kind == TermKind::Below)
      questions.push_back(t);
  });
  std::ranges::sort(questions);
  for (Term question : questions)
    for (size_t at = 0; at < variables.size(); ++at) {
      const Term v = variables[at], extent = nodes_[v].args[0];
      Polynomial p = polynomialOf(DType::Unknown, nodes_[question].args[1]); // 0 < p
      auto own = p.find({v});
      if (own == p.end() || (own->second != 1 && own->second != -1))
        continue;
      const bool rises = own->second == 1;
      p.erase(own);
      const Term rest = fromPolynomial(DType::Unknown, p);
      if (std::ranges::any_of(variables, [&](Term other) { return contains(rest, other); }))
        continue;
      const Term border = rises ? sub(number(1), rest) : rest; // the first v with the other answer
      const Term least = number(extremes ? 1 : 0);
      if (!isNonNegative(sub(border, least)) || !isNonNegative(sub(sub(extent, border), least)))
        continue;
      Term parts[2];
      for (unsigned behind = 0; behind < 2; ++behind) {
        const Term size = behind ? sub(extent, border) : border;
        if (asNumber(size) == 0) {
          parts[behind] = ringNumber(dtype, 0);
          continue;
        }
        std::vector<Term> left = variables;
        left[at] = variable(size);
        const Term from[] = {question, v},
                   to[] = {number((behind != 0) == rises), behind ? add(border, left[at]) : left[at]};
        const Term answered = substitute(body, std::span(from, 1), std::span(to, 1));
        parts[behind] =
            reduce(function, dtype, left, substitute(answered, std::span(from + 1, 1), std::span(to + 1, 1)));
      }
      if (sums)
        return ringAdd(dtype, parts[0], parts[1]);
      std::vector<Term> both;
      for (Term part : parts)
        if (const TermNode &n = nodes_[part]; n.kind == TermKind::Apply && n.text == function && n.dtype == dtype)
          both.insert(both.end(), n.args.begin(), n.args.end());
        else
          both.push_back(part);
      std::ranges::sort(both);
      both.erase(std::unique(both.begin(), both.end()), both.end());
      return both.size() == 1 ? both[0] : apply(function, dtype, std::move(both));
    }
  return std::nullopt;
}

Term TermTable::reduceOne(std::string_view function, DType dtype, std::vector<Term> &variables, Term body) {
  if (level_ != Level::Plain)
    if (std::optional<Term> split = splitReduce(function, dtype, variables, body))
      return *split;
  const bool sums = function == "sum" && isRing(dtype);
  if (sums) {
    // A sum of several is the sum of each; what does not depend on the variables goes out in front.
    Polynomial p = polynomialOf(dtype, body);
    Term out = ringNumber(dtype, 0);
    for (const auto &[monomial, coefficient] : p) {
      Term outside = ringNumber(dtype, coefficient), inside = ringNumber(dtype, 1);
      for (Term atom : monomial) {
        const bool depends = std::ranges::any_of(variables, [&](Term v) { return contains(atom, v); });
        (depends ? inside : outside) = ringMul(dtype, depends ? inside : outside, atom);
      }
      std::vector<Term> left;
      for (Term v : variables) {
        if (contains(inside, v)) {
          left.push_back(v);
          continue;
        }
        // As often as the variable has values.
        const Term extent = nodes_[v].args[0];
        if (std::optional<int64_t> n = asNumber(extent))
          outside = ringScale(dtype, outside, *n);
        else
          outside = ringMul(dtype, outside, make({TermKind::Apply, dtype, "count", {extent}, {}, 0}));
      }
      // Sums within sums are one: their variables are looked at together.
      if (!left.empty()) {
        bool merged = true;
        while (merged) {
          merged = false;
          for (const auto &[m, c] : polynomialOf(dtype, inside)) {
            for (Term atom : m) {
              const TermNode n = nodes_[atom];
              if (n.kind != TermKind::Reduce || n.text != "sum" || m.size() == 0)
                continue;
              auto [to, innerBody] = withFreshVariables(atom);
              if (to.empty())
                continue;
              Monomial others = m;
              others.erase(std::ranges::find(others, atom));
              Term product = ringScale(dtype, innerBody, 1);
              for (Term o : others)
                product = ringMul(dtype, product, o);
              if (polynomialOf(dtype, inside).size() == 1) {
                inside = ringMul(dtype, ringNumber(dtype, c), product);
                left.insert(left.end(), to.begin(), to.end());
                merged = true;
              }
              break;
            }
            break;
          }
        }
        if (polynomialOf(dtype, inside).size() > 1) {
          std::vector<Term> vars = left;
          inside = reduceOne(function, dtype, vars, inside);
          out = ringAdd(dtype, out, ringMul(dtype, outside, inside));
          continue;
        }
        Polynomial alone = polynomialOf(dtype, inside);
        if (!alone.empty()) {
          outside = ringMul(dtype, outside, ringNumber(dtype, alone.begin()->second));
          inside = ringNumber(dtype, 1);
          for (Term atom : alone.begin()->first)
            inside = ringMul(dtype, inside, atom);
        }
        inOneOrder(left, inside);
        std::vector<Term> vars = left, from = left, to;
        const int64_t depth = int64_t(nodes_[inside].bound % 1000) + 1;
        for (size_t i = 0; i < vars.size(); ++i)
          to.push_back(
              make({TermKind::Bound, DType::Unknown, "", {nodes_[vars[i]].args[0]}, {depth + int64_t(i), depth}, 0}));
        TermNode n{TermKind::Reduce, dtype, function, {}, {int64_t(vars.size()), depth}, 0};
        for (Term v : vars)
          n.args.push_back(nodes_[v].args[0]);
        n.args.push_back(substitute(inside, from, to));
        inside = make(std::move(n));
      }
      out = ringAdd(dtype, out, ringMul(dtype, outside, inside));
    }
    return out;
  }
  if (function == "prod" && isRing(dtype)) {
    // A product of products is that of each factor; of what does not depend on a variable a power.
    const Polynomial p = polynomialOf(dtype, body);
    if (p.size() == 1 && (p.begin()->first.size() != 1 || p.begin()->second != 1)) {
      Term out = ringNumber(dtype, p.begin()->second);
      for (Term v : variables)
        out = power(dtype, out, nodes_[v].args[0]);
      for (Term atom : p.begin()->first) {
        std::vector<Term> inside = variables;
        std::erase_if(inside, [&](Term v) { return !contains(atom, v); });
        Term factor = inside.empty() ? atom : reduceOne(function, dtype, inside, atom);
        for (Term v : variables)
          if (!contains(atom, v))
            factor = power(dtype, factor, nodes_[v].args[0]);
        out = ringMul(dtype, out, factor);
      }
      return out;
    }
  }
  if (level_ != Level::Plain && function == "or" && dtype == DType::Bool)
    mergeNestedOr(variables, body);
  // The greatest of what is the same at all values of a variable: extents are 1 at least.
  if (level_ != Level::Plain && (function == "max" || function == "min" || function == "and" || function == "or")) {
    std::erase_if(variables,
                  [&](Term v) { return !contains(body, v) && isNonNegative(sub(nodes_[v].args[0], number(1))); });
    if (variables.empty())
      return body;
  }
  if (function == "max" || function == "min" || function == "and" || function == "or" ||
      (isRing(dtype) && (function == "prod" || function == "logsumexp")))
    inOneOrder(variables, body);
  const int64_t depth = int64_t(nodes_[body].bound) + 1;
  std::vector<Term> to;
  for (size_t i = 0; i < variables.size(); ++i)
    to.push_back(
        make({TermKind::Bound, DType::Unknown, "", {nodes_[variables[i]].args[0]}, {depth + int64_t(i), depth}, 0}));
  TermNode n{TermKind::Reduce, dtype, function, {}, {int64_t(variables.size()), depth}, 0};
  for (Term v : variables)
    n.args.push_back(nodes_[v].args[0]);
  n.args.push_back(substitute(body, variables, to));
  return make(std::move(n));
}

std::string TermTable::toString(Term t, size_t most) const {
  std::string out;
  print(out, t, most, 0);
  if (out.size() > most) {
    out.resize(most);
    out += " …";
  }
  return out;
}

/// A coefficient as one would write it: of real numbers a small fraction, if it is one, or the float that it is.
std::string TermTable::coefficientText(const TermNode &n, int64_t c) const {
  if (level_ == Level::Reals && isFloat(n.dtype)) {
    for (int64_t divisor = 1; divisor <= 256; ++divisor) {
      int64_t number = int64_t(__int128(c) * divisor % kPrime);
      number = number > kPrime / 2 ? number - kPrime : number;
      if (std::abs(number) < (int64_t(1) << 24))
        return divisor == 1 ? std::to_string(number) : fmt::format("{}/{}", number, divisor);
    }
    int64_t scaled = c; // by powers of 2
    for (int power = 1; power <= 60; ++power) {
      scaled = int64_t(__int128(scaled) * 2 % kPrime);
      const int64_t number = scaled > kPrime / 2 ? scaled - kPrime : scaled;
      if (std::abs(number) < (int64_t(1) << 25))
        return fmt::format("{:g}", std::ldexp(double(number), -power));
    }
  }
  return std::to_string(c);
}

void TermTable::print(std::string &out, Term t, size_t most, unsigned depth) const {
  if (out.size() > most) // what is shared is written wherever it is used: all of it might never end
    return;
  if (depth > 8) {
    out += "…";
    return;
  }
  const TermNode &n = nodes_[t];
  auto part = [&](Term p) { print(out, p, most, depth + 1); };
  auto list = [&] {
    for (size_t i = 0; i < n.args.size() && out.size() <= most; ++i) {
      out += i ? ", " : "";
      part(n.args[i]);
    }
  };
  switch (n.kind) {
  case TermKind::Polynomial: {
    if (n.numbers.empty()) {
      out += "0";
      return;
    }
    out += "(";
    for (size_t i = 0; i < n.numbers.size() && out.size() <= most; i += 2 + size_t(n.numbers[i + 1])) {
      const int64_t degree = n.numbers[i + 1];
      const std::string factor = coefficientText(n, n.numbers[i]);
      out += i ? " + " : "";
      if (degree == 0 || factor != "1")
        out += factor + (degree ? "*" : "");
      for (int64_t k = 0; k < degree; ++k) {
        out += k ? "*" : "";
        part(Term(n.numbers[i + 2 + size_t(k)]));
      }
    }
    out += ")";
    return;
  }
  case TermKind::Size:
    out += n.text;
    return;
  case TermKind::Variable:
    out += fmt::format("i{}", n.numbers[0]);
    return;
  case TermKind::Bound:
    out += fmt::format("r{}", n.numbers[0]);
    return;
  case TermKind::Quotient:
  case TermKind::Below:
    out += "(";
    part(n.args[0]);
    out += n.kind == TermKind::Below ? " < " : " / ";
    part(n.args[1]);
    out += ")";
    return;
  case TermKind::Literal:
    out += fmt::format("{}:{:x}", dtypeName(n.dtype), uint64_t(n.numbers[0]));
    return;
  case TermKind::Element:
    out += fmt::format("p{}[", n.numbers[0]);
    list();
    out += "]";
    return;
  case TermKind::Choice:
    out += "if(";
    list();
    out += ")";
    return;
  case TermKind::Apply:
  case TermKind::Reduce:
    out += n.text;
    out += n.kind == TermKind::Apply ? "(" : "{";
    list();
    out += n.kind == TermKind::Apply ? ")" : "}";
    return;
  }
}

} // namespace rw::verify
