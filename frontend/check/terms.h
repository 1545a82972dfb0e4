// Terms: what is known of sizes, element types and lists of them whatever the program, in one spelling each.
//
// In:  terms made of terms; what is known to be the same.
// Out: equal ids for what is provably the same.
// Elsewhere: the proofs that use them are same_types.cpp.
//
// Making a term brings it into a form of its own: sums are sorted and their terms collected, an index into a
// comprehension is its element, `broadcast` knows neither order nor repetition. What is the same by that form has the
// same id; what is the same for other reasons (a `require`, a condition) is recorded, and found through `find`. All
// of it is bounded: what takes too much is unknown.
//
//   Terms t;
//   Term n = t.make({Head::Variable, 0}), m = t.make({Head::Variable, 1});
//   t.areSame(t.sum(n, m), t.sum(m, n));   // true
#pragma once

#include "rw/support/intern.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rw::sema {

using Term = uint32_t;

/// What makes a term of its arguments.
enum class Head : uint8_t {
  // Without arguments; `which` says which one.
  Number,
  Float,
  True,
  False,
  String,
  DTypeName,
  Absent,
  Unknown,     // the same as nothing else
  Placeholder, // what a list is gone through with
  BoundVar,    // the same by how deep its map stands, so that equal maps are spelled alike
  Variable,
  Match,
  MatchedOp,
  // Lists and numbers.
  List,
  Index,
  Length,
  Concat,
  Broadcast,
  Map,
  Range,
  Where,
  Slice,
  Sum,   // of pairs: term, factor
  Times, // a term and its factor
  Product,
  If,
  Binary,
  Builtin,
  Convert,
  Property,
  Size,
  // Values, ops and their types.
  Type,
  DType,
  Shape,
  DTypeOf,
  ShapeOf,
  DTypes,
  Shapes,
  Result,
  Passed,
  Chain,
  Values,
  Operands,
  OneOf,
  Operand,
  Attr,
  Dim,
  OperandRest,
  AttrRest,
  AttrElement,
  RegionList,
};

struct Label {
  Head head;
  int64_t which = 0; // which number, variable, operand, …
  bool operator==(const Label &) const = default;
};

class Terms {
public:
  Terms() : arena_(std::make_shared<Arena>()) {}

  Term make(Label, std::span<const Term> args);
  Term make(Label label, std::initializer_list<Term> args = {}) {
    return make(label, std::span(args.begin(), args.end()));
  }
  Term make(Head head, std::initializer_list<Term> args = {}) { return make(Label{head}, args); }
  /// Nothing is the same as it.
  Term unknown() { return make({Head::Unknown, int64_t(fresh_++)}); }
  Term number(int64_t n) { return make({Head::Number, n}); }
  Term list(std::span<const Term> elements) { return make({Head::List}, elements); }
  Term list(std::initializer_list<Term> elements) { return make({Head::List}, elements); }
  Term index(Term list, Term at);
  Term length(Term list);
  Term concat(Term a, Term b);
  Term broadcast(Term a, Term b);
  Term sum(Term a, Term b) { return collected(a, b, 1); }
  Term difference(Term a, Term b) { return collected(a, b, -1); }
  Term product(Term a, Term b);
  /// `[body for bound in source]`; `bound` is what placeholder() gave.
  Term map(Term source, Term body, Term bound);
  Term placeholder() { return make({Head::Placeholder, int64_t(fresh_++)}); }

  Term find(Term t) {
    t = represented(t);
    nodes_[t].isSeen = true;
    return t;
  }
  void same(Term a, Term b);
  /// Whether something was the same as another only after somebody had looked at it: what was made of it before may be
  /// made otherwise now. Until it is forgotten.
  bool changedBelated() const { return belated_; }
  void forgetBelated() { belated_ = false; }
  bool areSame(Term a, Term b) { return !tooMany() && find(a) == find(b); }
  /// Beyond this nothing is proved.
  bool tooMany() const { return nodes_.size() > kMost || steps_ > kMost || held_ > kMostHeld; }
  Head head(Term t) { return nodes_[find(t)].label.head; }
  /// They stay where they are, whatever is made.
  std::span<const Term> args(Term t) { return nodes_[find(t)].args; }
  std::optional<int64_t> numberOf(Term);
  /// What has been done since clear().
  uint64_t steps() const { return nodes_.size() + steps_; }
  /// Forgets all, but keeps the memory for the next proof. There must be no copy.
  void clear();

private:
  static constexpr size_t kMost = 20'000, kMostHeld = 1'000'000;
  struct Node {
    Label label;
    std::span<const Term> args; // in the arena
    uint64_t holds; // kMaps if a map stands in it, and bits of the placeholders that are free in it; see mayHold()
    Term same;
    bool isSeen = false;             // find() gave it to somebody
    uint32_t depth = 0, depthAt = 0; // depthOf(), and for which `merges_`; 0: not computed
  };
  static constexpr uint64_t kMaps = uint64_t(1) << 63;
  /// Whether one of the placeholders, or with kMaps a map, may stand in the term: most do not, and need not be walked.
  bool mayHold(Term in, uint64_t what) const { return !what || (nodes_[in].holds | unsure_) & what; }
  static uint64_t bitOf(Label, Term);
  Term represented(Term); // find() for who does not look at it
  Term collected(Term a, Term b, int64_t sign);
  using Factors = llvm::SmallVector<std::pair<Term, int64_t>, 8>;
  void collect(Term t, int64_t factor, Factors &out);
  Term replaced(Term in, Term what, Term by);
  using Done = llvm::SmallDenseMap<Term, Term, 16>; // parts stand in a term many times over
  Term replaced(Term in, Term what, Term by, Done &done);
  unsigned depthOf(Term);

  std::vector<Node> nodes_;
  IdTable known_;
  std::shared_ptr<Arena> arena_;              // shared by copies: each only adds to it
  unsigned depth_ = 0;                        // of elements of mapped lists, one in another
  uint64_t fresh_ = 0, steps_ = 0, held_ = 0; // held_: arguments of all terms
  uint32_t merges_ = 1;                       // goes up when terms become the same
  bool belated_ = false;
  uint64_t unsure_ = 0; // what is held by terms that are the same as others: what is around these may hold it as well
};

} // namespace rw::sema
