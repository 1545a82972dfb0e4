#include "codegen/verify/case_terms.h"

#include "codegen/verify/order_terms.h"
#include "codegen/verify/scalar_laws.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace rw::verify {
namespace {

constexpr size_t kMostTruths = 8, kMostBits = 10, kMostTerms = 2000;

bool isConnective(const TermNode &n) {
  return n.kind == TermKind::Apply && (n.text == "and" || n.text == "or" || n.text == "xor" || n.text == "not");
}
bool isSelect(const TermNode &n) { return n.kind == TermKind::Apply && n.text == "select" && n.args.size() == 3; }

std::vector<Term> partsOf(const TermNode &n) {
  std::vector<Term> out;
  forEachPart(n, [&](Term part) { out.push_back(part); });
  return out;
}

class Cases {
public:
  explicit Cases(TermTable &t) : t_(t) {}

  bool same(Term a, Term b) {
    if (!collect(a) || !collect(b) || truths_.empty() || truths_.size() > kMostTruths)
      return false;
    for (size_t bits = 0; bits < size_t(1) << truths_.size(); ++bits) {
      done_.clear();
      for (size_t i = 0; i < truths_.size(); ++i) {
        const bool holds = bits >> i & 1;
        done_[truths_[i]] =
            t_.node(truths_[i]).dtype == DType::Bool ? t_.literal(DType::Bool, holds) : t_.number(holds);
      }
      if (contradicts(bits))
        continue;
      const Term x = rebuilt(a), y = rebuilt(b);
      if (x != y && !sameByOrder(t_, x, y) && !sameByBits(t_, x, y))
        return false;
    }
    return true;
  }

private:
  bool addTruth(Term term) {
    const TermNode &n = t_.node(term);
    if (n.kind == TermKind::Literal || n.kind == TermKind::Polynomial)
      return true;
    if (isConnective(n) && n.dtype == DType::Bool)
      return std::ranges::all_of(std::vector<Term>(n.args), [&](Term a) { return addTruth(a); });
    // What depends on the variable of a sum is another truth at each of its values.
    if (n.bound == 0 && std::ranges::find(truths_, term) == truths_.end())
      truths_.push_back(term);
    return truths_.size() <= kMostTruths;
  }
  bool collect(Term term) {
    if (!seen_.insert(term).second)
      return true;
    if (seen_.size() > kMostTerms)
      return false;
    const TermNode n = t_.node(term);
    if ((isSelect(n) || n.kind == TermKind::Choice) && !addTruth(n.args[0]))
      return false;
    return std::ranges::all_of(partsOf(n), [&](Term a) { return collect(a); });
  }
  /// Whether two truths are taken to be as they never are both.
  bool contradicts(size_t bits) {
    // Of indices: 0 < d.
    auto distance = [&](size_t i) {
      return t_.node(truths_[i]).kind == TermKind::Below ? t_.node(truths_[i]).args[1] : kNoTerm;
    };
    for (size_t i = 0; i < truths_.size(); ++i)
      for (size_t k = i + 1; k < truths_.size(); ++k) {
        Term d = distance(i), e = distance(k);
        if (d == kNoTerm || e == kNoTerm)
          continue;
        const bool holdsD = bits >> i & 1, holdsE = bits >> k & 1;
        if (holdsD && holdsE ? t_.isNonNegative(t_.sub(t_.number(1), t_.add(d, e)))
            : holdsD         ? t_.isNonNegative(t_.sub(e, d))
            : holdsE         ? t_.isNonNegative(t_.sub(d, e))
                             : t_.isNonNegative(t_.sub(t_.add(d, e), t_.number(1))))
          return true;
      }
    auto comparison = [&](size_t i) -> const TermNode * {
      const TermNode &n = t_.node(truths_[i]);
      return n.kind == TermKind::Apply && (n.text == "less" || n.text == "lessorequal" || n.text == "equal") ? &n
                                                                                                             : nullptr;
    };
    for (size_t i = 0; i < truths_.size(); ++i)
      for (size_t k = 0; k < truths_.size(); ++k) {
        const TermNode *a = comparison(i), *b = comparison(k);
        if (i == k || !a || !b || !(bits >> i & 1) || a->text != "less")
          continue;
        const bool straight = a->args == b->args, turned = a->args[0] == b->args[1] && a->args[1] == b->args[0];
        const bool other = bits >> k & 1;
        if (other ? (turned || (straight && b->text == "equal")) : (straight && b->text == "lessorequal"))
          return true;
      }
    return false;
  }
  /// With the truths put in, by the laws.
  Term rebuilt(Term term) {
    if (auto it = done_.find(term); it != done_.end())
      return it->second;
    const TermNode n = t_.node(term); // a copy: the table grows
    Term out = term;
    if (n.kind == TermKind::Polynomial) {
      std::vector<Term> from, to;
      for (Term part : partsOf(n)) {
        from.push_back(part);
        to.push_back(rebuilt(part));
      }
      out = from == to ? term : t_.substitute(term, from, to);
    } else if (!n.args.empty()) {
      std::vector<Term> args;
      for (Term a : n.args)
        args.push_back(rebuilt(a));
      if (args != n.args)
        out = again(n, std::move(args));
    }
    done_.emplace(term, out);
    return out;
  }
  Term again(const TermNode &n, std::vector<Term> args) {
    switch (n.kind) {
    case TermKind::Quotient:
      return t_.div(args[0], args[1]);
    case TermKind::Below:
      return t_.below(args[0], args[1]);
    case TermKind::Choice:
      return t_.choice(n.dtype, args[0], args[1], args[2]);
    case TermKind::Apply: {
      static constexpr std::string_view lawful[] = {"select", "not",  "and",         "or",  "xor",  "add",
                                                    "mul",    "sub",  "div",         "neg", "abs",  "cast",
                                                    "equal",  "less", "lessorequal", "exp", "recip"};
      if (n.text == "max" || n.text == "min")
        return extreme(t_, n.text, n.dtype, std::move(args));
      const bool lawfully = std::ranges::find(lawful, n.text) != std::end(lawful);
      if (!lawfully || t_.node(args[0]).dtype == DType::Unknown)
        break;
      if (n.text == "recip")
        return scalar(t_, "reciprocal", n.dtype, n.dtype, std::move(args), n.numbers, false);
      const bool commutes = n.text == "add" || n.text == "mul" || n.text == "and" || n.text == "or" ||
                            n.text == "xor" || n.text == "equal";
      const DType first = t_.node(args[n.text == "select"]).dtype;
      return scalar(t_, n.text, n.dtype, n.text == "cast" ? DType(n.numbers[0]) : first, std::move(args),
                    n.text == "cast" ? std::vector<int64_t>{} : n.numbers, commutes);
    }
    default:
      break;
    }
    return t_.make({n.kind, n.dtype, n.text, std::move(args), n.numbers, 0});
  }

  TermTable &t_;
  std::unordered_set<Term> seen_;
  std::vector<Term> truths_;
  std::unordered_map<Term, Term> done_;
};

class Bits {
public:
  explicit Bits(TermTable &t) : t_(t) {}

  bool same(Term a, Term b) {
    type_ = t_.node(a).dtype;
    if ((type_ != DType::Bool && !isInteger(type_)) || t_.node(b).dtype != type_ || !collect(a) || !collect(b) ||
        atoms_.size() > kMostBits)
      return false;
    for (size_t bits = 0; bits < size_t(1) << atoms_.size(); ++bits) {
      known_.clear();
      if (value(a, bits) != value(b, bits))
        return false;
    }
    return true;
  }

private:
  /// 0, or a number all of whose bits are set.
  std::optional<bool> constant(Term term) const {
    const TermNode &n = t_.node(term);
    if (n.kind == TermKind::Literal && n.dtype == DType::Bool)
      return n.numbers[0] != 0;
    if (n.kind == TermKind::Polynomial && n.dtype == type_ && n.numbers.empty())
      return false;
    if (n.kind == TermKind::Polynomial && n.dtype == type_ && n.numbers.size() == 2 && n.numbers[1] == 0 &&
        n.numbers[0] == -1)
      return true;
    return std::nullopt;
  }
  bool collect(Term term) {
    if (constant(term) || !seen_.insert(term).second)
      return true;
    const TermNode n = t_.node(term);
    if (n.dtype != type_)
      return false;
    if (isConnective(n) || (isSelect(n) && type_ == DType::Bool))
      return std::ranges::all_of(n.args, [&](Term a) { return collect(a); });
    atoms_.push_back(term);
    return atoms_.size() <= kMostBits;
  }
  bool value(Term term, size_t bits) {
    if (auto it = known_.find(term); it != known_.end())
      return it->second;
    return known_[term] = computed(term, bits);
  }
  bool computed(Term term, size_t bits) {
    if (std::optional<bool> c = constant(term))
      return *c;
    if (auto at = std::ranges::find(atoms_, term); at != atoms_.end())
      return bits >> (at - atoms_.begin()) & 1;
    const TermNode &n = t_.node(term);
    if (n.text == "not")
      return !value(n.args[0], bits);
    if (isSelect(n))
      return value(n.args[value(n.args[0], bits) ? 1 : 2], bits);
    bool out = value(n.args[0], bits);
    for (size_t i = 1; i < n.args.size(); ++i) {
      const bool next = value(n.args[i], bits);
      out = n.text == "and" ? out && next : n.text == "or" ? out || next : out != next;
    }
    return out;
  }

  TermTable &t_;
  DType type_ = DType::Unknown;
  std::unordered_set<Term> seen_;
  std::vector<Term> atoms_;
  std::unordered_map<Term, bool> known_;
};

} // namespace

bool sameByFractions(TermTable &t, Term a, Term b) {
  const DType type = t.node(a).dtype;
  if (t.level() != Level::Reals || !isFloat(type) || t.node(b).dtype != type)
    return false;
  Term difference = t.ringAdd(type, a, t.ringScale(type, b, -1));
  constexpr unsigned kMostDenominators = 6;
  constexpr size_t kMostFactors = 4;
  for (unsigned round = 0; round < kMostDenominators && difference != t.ringNumber(type, 0); ++round) {
    const TermNode n = t.node(difference);
    std::vector<Term> parts = partsOf(
        n.kind == TermKind::Polynomial ? n : TermNode{TermKind::Polynomial, type, "", {}, {1, 1, difference}, 0});
    auto inverse = std::ranges::find_if(
        parts, [&](Term p) { return t.node(p).kind == TermKind::Apply && t.node(p).text == "recip"; });
    if (inverse == parts.end() || n.kind != TermKind::Polynomial)
      return false;
    const Term quotient = *inverse, denominator = t.node(quotient).args[0];
    // How often it is divided by at most; each monomial is multiplied by what it lacks.
    size_t most = 0;
    auto each = [&](auto &&visit) {
      for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
        size_t often = 0;
        Term rest = t.ringNumber(type, n.numbers[i]);
        for (int64_t k = 0; k < n.numbers[i + 1]; ++k) {
          const Term factor = Term(n.numbers[i + 2 + size_t(k)]);
          if (factor == quotient)
            ++often;
          else
            rest = t.ringMul(type, rest, factor);
        }
        visit(often, rest);
      }
    };
    each([&](size_t often, Term) { most = std::max(most, often); });
    if (most > kMostFactors || t.exhausted())
      return false;
    Term out = t.ringNumber(type, 0);
    each([&](size_t often, Term rest) {
      for (size_t k = often; k < most; ++k)
        rest = t.ringMul(type, rest, denominator);
      out = t.ringAdd(type, out, rest);
    });
    difference = out;
  }
  return difference == t.ringNumber(type, 0);
}

bool sameByCases(TermTable &t, Term a, Term b) { return t.node(a).dtype == t.node(b).dtype && Cases(t).same(a, b); }
bool sameByBits(TermTable &t, Term a, Term b) { return Bits(t).same(a, b); }

} // namespace rw::verify
