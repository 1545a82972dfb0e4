// Terms: what an element of a tensor is, as a formula over elements of the parameters, indices and sizes. Equal
//        formulas have equal ids.
//
// In:  sizes, index variables, elements of parameters, functions of these.
// Out: `Term`, a number. Two terms of one table that are the same number have the same value, whatever values, sizes
//      and indices are: nothing is applied but laws that hold at the level of the table. Terms that differ may be equal
//      all the same.
// Elsewhere: programs as terms are term_evaluator.h; laws of the functions scalar_laws.cpp.
//
// Indices and sizes are integers: polynomials over sizes, variables, quotients. So are elements of integer types,
// modulo 2^n, and elements of floats where they are taken for real numbers: then coefficients are numbers modulo a
// prime of 61 bits, in which every quotient of integers has a place. (Two different coefficients fall together only if
// the prime divides their difference.)
//
//   TermTable t(Level::Exact);
//   Term n = t.size("n"), i = t.variable(n);                  // 0 <= i < n
//   t.div(t.add(t.mul(i, n), i), n) == i                      // (i * n + i) / n
#pragma once

#include "rw/ir/dtype.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rw::verify {

/// Of an element; 0 of strings and types that are not known.
inline unsigned elementBits(DType t) { return isInteger4(t) ? 4 : 8 * dtypeBytes(t); }

using Term = uint32_t;
inline constexpr Term kNoTerm = UINT32_MAX;

/// Which laws hold.
enum class Level : uint8_t {
  Plain, // none but those of equality: every function is unknown
  Exact, // those that hold bit for bit (of NaNs, whatever their bits)
  Reals, // floats are real numbers
};

enum class TermKind : uint8_t {
  Polynomial, // numbers: for each monomial its coefficient, how many factors, then these
  Size,       // a symbol: text
  Variable,   // numbers[0] tells it apart; args[0] is its extent
  Bound,      // of a reduction: numbers[0] levels; args[0] is its extent
  Quotient,   // of args, rounded down
  Literal,    // of an element type: numbers[0] are its bits (numbers[1] more)
  Element,    // of parameter numbers[0], at args
  Choice,     // args[1] where args[0] holds, else args[2]
  Below,      // index args[0] < args[1]
  Apply,      // text of args; numbers are attributes
  Reduce,     // text over numbers[0] bound variables, whose extents are args but the last; the last is what is reduced
};

/// Thrown where something cannot be said as a term, or would take more terms than there is room for.
struct Undecided {
  std::string why;
};

struct TermNode {
  TermKind kind = TermKind::Literal;
  DType dtype = DType::Unknown; // of elements; unknown: an index
  std::string_view text;
  std::vector<Term> args;
  std::vector<int64_t> numbers;
  unsigned bound = 0; // levels of bound variables in it
};

/// What a term is made of: the factors of all monomials of a polynomial, the arguments of others.
template <class Visit> void forEachPart(const TermNode &n, const Visit &visit) {
  for (Term a : n.args)
    visit(a);
  if (n.kind == TermKind::Polynomial)
    for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1]))
      for (int64_t k = 0; k < n.numbers[i + 1]; ++k)
        visit(Term(n.numbers[i + 2 + size_t(k)]));
}

class TermTable {
public:
  /// What coefficients of real numbers are counted modulo.
  static constexpr int64_t kPrime = (int64_t(1) << 61) - 1;

  explicit TermTable(Level level) : level_(level) {}
  TermTable(const TermTable &) = delete;
  Level level() const { return level_; }
  const TermNode &node(Term t) const { return nodes_[t]; }
  size_t size() const { return nodes_.size(); }
  /// Whether so many have been made that whoever can do without more should.
  bool exhausted() const { return nodes_.size() > kMost / 2 || cells_ > kMostCells / 2; }
  /// Calls `visit` for the term and for each that it is made of, once.
  template <class Visit> void forEachIn(Term t, const Visit &visit) const {
    std::vector<bool> seen(nodes_.size());
    std::vector<Term> stack{t};
    while (!stack.empty()) {
      const Term at = stack.back();
      stack.pop_back();
      if (seen[at])
        continue;
      seen[at] = true;
      visit(at);
      forEachPart(nodes_[at], [&](Term part) { stack.push_back(part); });
    }
  }

  // Indices and sizes.
  Term number(int64_t);
  Term size(std::string_view symbol);
  Term variable(Term extent);
  Term add(Term, Term);
  Term sub(Term, Term);
  Term mul(Term, Term);
  Term div(Term, Term);
  Term mod(Term a, Term b) { return sub(a, mul(b, div(a, b))); }
  /// An element of integers held to 0 … `most`: where a slice begins whose place is computed.
  Term start(Term element, Term most);
  std::optional<int64_t> asNumber(Term) const;
  /// Whether it is so for all sizes (of at least 1) and all values of variables below their extents.
  bool isNonNegative(Term);
  bool isBelow(Term a, Term b) { return isNonNegative(sub(sub(b, a), number(1))); }

  // Elements.
  Term literal(DType, uint64_t bits, uint64_t more = 0);
  Term element(DType, unsigned param, std::vector<Term> indices);
  Term choice(DType, Term condition, Term yes, Term no);
  Term below(Term, Term);
  /// A function that nothing is known of.
  Term apply(std::string_view function, DType, std::vector<Term> args, std::vector<int64_t> numbers = {});
  /// `body` over all values of `variables`, which it contains, in row-major order of them.
  Term reduce(std::string_view function, DType, std::vector<Term> variables, Term body);
  // Sums and products where they obey the laws of a ring: isRing.
  bool isRing(DType) const;
  Term ringNumber(DType, int64_t);
  Term ringLiteral(DType, double); ///< of floats as real numbers: exactly that number
  Term ringAdd(DType, Term, Term);
  Term ringMul(DType, Term, Term);
  Term ringScale(DType, Term, int64_t);
  /// Two sides that are equal where `a` and `b` are, and the same ones for all that say so: what is added on both sides
  /// goes, what is subtracted on one is added on the other, numbers stand on the second. Of integers.
  std::pair<Term, Term> balanced(DType, Term a, Term b);
  /// The inverse of a number that is not 0; none of other terms.
  Term ringInverse(DType, Term);

  /// What a reduction reduces, with variables in place of the bound ones; none where it does not depend on all of them.
  std::pair<std::vector<Term>, Term> withFreshVariables(Term reduction);
  Term substitute(Term, std::span<const Term> from, std::span<const Term> to);
  bool contains(Term t, Term what);
  /// For people; cut off behind so many bytes.
  std::string toString(Term, size_t most = 240) const;

  /// Throws Undecided where there is no room for more.
  Term make(TermNode);

private:
  static constexpr size_t kMost = 400'000, kMostCells = 12'000'000; // terms; what they are made of, all together
  void print(std::string &out, Term, size_t most, unsigned depth) const;
  std::string coefficientText(const TermNode &, int64_t) const;
  using Monomial = std::vector<Term>;
  using Polynomial = std::map<Monomial, int64_t>;
  Polynomial polynomialOf(DType ring, Term) const;
  Term fromPolynomial(DType ring, const Polynomial &);
  int64_t normal(DType ring, int64_t) const;
  int64_t product(DType ring, int64_t, int64_t) const;
  int64_t sum(DType ring, int64_t, int64_t) const;
  Term upper(Term);
  Term power(DType ring, Term base, Term times);
  void mergeNestedOr(std::vector<Term> &variables, Term &body);
  void inOneOrder(std::vector<Term> &variables, Term body);
  std::optional<Term> splitReduce(std::string_view function, DType, const std::vector<Term> &variables, Term body);
  Term reduceOne(std::string_view function, DType, std::vector<Term> &variables, Term body);

  Level level_;
  std::deque<TermNode> nodes_; // which stay where they are
  std::unordered_map<std::string, Term> known_;
  std::map<std::string, std::string, std::less<>> texts_;
  int64_t variables_ = 0;
  size_t cells_ = 0;
};

} // namespace rw::verify
