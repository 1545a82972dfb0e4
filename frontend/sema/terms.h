// Terms: what is known of sizes, element types and lists of them whatever the program, in one spelling each.
//
// In:  terms made of terms; what is known to be the same.
// Out: equal ids for what is provably the same.
// Elsewhere: the proofs that use them are same_types.cpp.
//
// Making a term brings it into a form of its own: sums are sorted and their terms collected, an index into a
// comprehension is its element, `broadcast` knows neither order nor repetition. What is the same by that form has the
// same id; what is the same for other reasons (a `require`, a condition) is told, and found again through `find`. All
// of it is bounded: what takes too much is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rw::sema {

using Term = uint32_t;

class Terms {
public:
  Term make(std::string head, std::vector<Term> args = {});
  /// Nothing is the same as it.
  Term unknown() { return make("?" + std::to_string(fresh_++)); }
  Term number(int64_t n) { return make("#" + std::to_string(n)); }
  Term list(std::vector<Term> elements) { return make("list", std::move(elements)); }
  Term index(Term list, Term at);
  Term length(Term list);
  Term concat(Term a, Term b);
  Term broadcast(Term a, Term b);
  Term sum(Term a, Term b) { return collected(a, b, 1); }
  Term difference(Term a, Term b) { return collected(a, b, -1); }
  Term product(Term a, Term b);
  /// `[body for bound in source]`; `bound` is what placeholder() gave.
  Term map(Term source, Term body, Term bound);
  Term placeholder() { return make("." + std::to_string(fresh_++)); }

  Term find(Term);
  void same(Term a, Term b);
  bool areSame(Term a, Term b) { return !tooMany() && find(a) == find(b); }
  /// Beyond this nothing is proved.
  bool tooMany() const { return nodes_.size() > kMost || steps_ > kMost || held_ > kMostHeld; }
  std::string_view head(Term t) { return nodes_[find(t)].head; }
  const std::vector<Term> &args(Term t) { return nodes_[find(t)].args; }
  std::optional<int64_t> numberOf(Term);

private:
  static constexpr size_t kMost = 20'000, kMostHeld = 1'000'000;
  struct Node {
    std::string head;
    std::vector<Term> args;
    Term same;
    uint64_t holds; // kMaps if a map stands in it, and bits of the placeholders that are free in it; see mayHold()
  };
  static constexpr uint64_t kMaps = uint64_t(1) << 63;
  /// Whether one of the placeholders, or with kMaps a map, may stand in the term: most do not, and need not be walked.
  bool mayHold(Term in, uint64_t what) const { return !what || (nodes_[in].holds | unsure_) & what; }
  static uint64_t bitOf(std::string_view placeholder, Term);
  Term collected(Term a, Term b, int64_t sign);
  void collect(Term t, int64_t factor, std::vector<std::pair<Term, int64_t>> &out);
  Term replaced(Term in, Term what, Term by);
  using Done = std::unordered_map<Term, Term>; // parts stand in a term many times over
  Term replaced(Term in, Term what, Term by, Done &done);
  unsigned depthOf(Term, Done &);

  std::vector<Node> nodes_;
  std::unordered_map<std::string, Term> known_;
  uint64_t fresh_ = 0, steps_ = 0, held_ = 0; // held_: arguments of all terms
  uint64_t unsure_ = 0; // what is held by terms that are the same as others: what is around these may hold it as well
};

} // namespace rw::sema
