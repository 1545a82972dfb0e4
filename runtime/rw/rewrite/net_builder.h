// NetBuilder: the patterns at each kind of op, as rows of tests, to a MatchingNet.
//
// In:  a registry; for each list of patterns in order of priority their tests (shared_tests.h). Those without tests are
//      in the net too: they are always worth trying.
// Out: the net, and what it has asked of each pattern's opening by the time that it names the pattern. Time and room
//      grow about linearly with the tests.
//
// A row is a pattern, or one order of its commutative operands: its tests as questions with answers. Questions ask
// about paths (`operand 0 of the op that makes operand 0 of the root`) and do not depend on each other beyond "the path
// exists". Of the rows at hand the builder takes the question that most share, those whose answers exclude each other
// first, gives each answer a branch and goes on below; then that of the others. What one alone asks comes last, row
// by row. Order is no matter: patterns that are found are tried in order of priority.
//
//   NetBuilder builder(ops);
//   builder.add(kind, patterns);
//   MatchingNet net = std::move(builder).finish();
#pragma once

#include "rw/rewrite/matching_net.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace rw {

/// Numbers from 0 for what is one 64-bit key each. Emptied in no time: roots are many, and most are small.
class KeyNumbers {
public:
  /// The key's number, and whether it is new.
  std::pair<uint32_t, bool> add(uint64_t key) {
    if (2 * (count_ + 1) > slots_.size())
      grow();
    Slot &slot = slotOf(key);
    bool isNew = slot.round != round_;
    if (isNew)
      slot = {key, count_++, round_};
    return {slot.number, isNew};
  }
  std::optional<uint32_t> find(uint64_t key) {
    if (slots_.empty() || slotOf(key).round != round_)
      return std::nullopt;
    return slotOf(key).number;
  }
  uint32_t size() const { return count_; }
  void clear() {
    ++round_;
    count_ = 0;
  }

private:
  struct Slot {
    uint64_t key = 0;
    uint32_t number = 0, round = 0;
  };
  Slot &slotOf(uint64_t key) {
    size_t at = size_t(key * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
    while (slots_[at].round == round_ && slots_[at].key != key)
      at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(std::max<size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot &s : old)
      if (s.round == round_)
        slotOf(s.key) = s;
  }
  std::vector<Slot> slots_;
  uint32_t count_ = 0, round_ = 1;
};

class NetBuilder {
public:
  explicit NetBuilder(const OpRegistry &ops);
  /// The patterns that may match at ops of `kind`.
  void add(KindId kind, std::span<const TestList> patterns);
  /// The same patterns as at another kind.
  void addSame(KindId kind, KindId as);
  MatchingNet finish() &&;

private:
  // Questions; up to `Splits` at most one answer holds.
  enum class Ask : uint8_t {
    Kind,
    Result,
    Int,
    String,
    SplatInt,
    Splat,
    DType,
    AttrDType,
    Splits = AttrDType,
    KindIn,
    Constant,
    OneUse,
    Count,
    Absent,
    Present,
    Same,
    FloatType,
    IntegerType,
    AttrBool,
    // Hardly ever fail:
    AttrPresent,
    AttrAbsent,
    AttrDefault
  };
  static bool splits(Ask ask) { return ask <= Ask::Splits; }
  static bool hardlyFails(Ask ask) { return ask >= Ask::AttrPresent; }
  struct Question {
    Ask ask;
    uint16_t path, other; // other: Same, and which attribute or operand of `path`
    uint32_t arg;         // Count, KindIn: of counts_, kindBits_; AttrBool: the bool
    unsigned rank() const { return splits(ask) ? 0 : hardlyFails(ask) ? 2 : 1; }
  };
  struct Test {
    uint32_t question;
    uint32_t answer;    // Kind: the kind; else of the answers interned
    uint64_t needs = 0; // tests of the row that must have been asked before
  };
  struct Found { // of the row being made
    uint32_t question, answer;
    unsigned cost;
  };
  struct Row {
    uint32_t place;
    uint32_t first, count; // of tests_
    uint64_t left;         // tests still to be asked, by bit
    uint32_t opening = 0;  // of openTests_: those of its opening
    uint32_t answer = 0;   // to the question of the branch it stands in
  };
  /// A test of an opening, as the net asks it.
  struct OpenTest {
    uint64_t asks = 0;  // tests of the row, by bit
    uint16_t sets = 0;  // the path of its `out` slot; 0: none
    uint16_t also = 0;  // and of the slot behind it
    bool known = false; // the net can look at it: otherwise it is left to the pattern
  };
  static constexpr size_t kMaxTests = 64;
  /// A question that several rows share; the best is the greatest.
  struct Shared {
    unsigned rank;
    uint32_t count, number;
    bool operator<(const Shared &o) const {
      return std::tuple(o.rank, count, o.number) < std::tuple(rank, o.count, number);
    }
  };
  /// What build() counts, kept from one use to the next: there are thousands, and most are small.
  struct Level {
    std::vector<uint32_t> rows, questions, counts; // counts: of rows that ask, by number of the question here
    std::vector<uint32_t> asked, firstAsked;       // numbers of the questions that each row asks
    std::vector<uint32_t> askers, first, next;     // rows that ask each question
    std::vector<Shared> best;                      // a heap
    std::vector<bool> taken;                       // rows
    void clear() {
      for (auto *list : {&rows, &questions, &counts, &asked, &firstAsked, &askers, &first, &next})
        list->clear();
      best.clear();
    }
  };

  // Rows.
  bool addRow(uint32_t place, const TestList &, bool swapped);
  static bool commutes(const TestList &);
  static uint64_t keyOf(MatchingNet::Path);
  std::optional<uint16_t> path(MatchingNet::Path);
  uint32_t question(Ask, uint16_t path, uint16_t other = 0, uint32_t arg = 0);
  const std::vector<uint16_t> &kindsOf(const KindSet &);
  uint32_t bitsOf(const std::vector<uint16_t> &kinds);
  uint32_t intern(int64_t);
  uint32_t intern(double);
  uint32_t intern(std::string_view);

  // Code.
  void build(std::span<uint32_t> rows);
  void branch(uint32_t question, std::span<uint32_t> rows);
  void leaf(Row &);
  void found(uint32_t place, bool asksNothing);
  void settleOpening(const Row &);
  uint32_t ask(const Question &);
  void answers(uint32_t at, const Question &, std::vector<std::pair<uint32_t, uint32_t>> places);
  void reach(uint16_t path);
  void reached(uint16_t path);
  void leave(size_t mark);
  NetCode &emit(NetCode::Op, uint16_t in = 0, uint16_t out = 0, uint16_t index = 0, uint32_t arg = 0);
  bool mayAsk(const Row &row, uint32_t i) const {
    return row.left >> i & 1 && !(tests_[row.first + i].needs & row.left);
  }
  void threadJumps(uint32_t entry);
  MatchingNet::Answer answerAt(uint32_t place, const MatchingNet::Root &, KindId) const;
  MatchingNet::Root firstQuestion(uint32_t entry);
  const std::vector<uint16_t> &kindsAsked(uint32_t entry, const MatchingNet::Root &);

  const OpRegistry &ops_;
  MatchingNet net_;
  std::vector<uint16_t> constantKinds_;
  std::deque<Level> levels_; // by depth
  size_t depth_ = 0;
  // Of all roots.
  std::unordered_map<int64_t, uint32_t> numberIds_;
  std::unordered_map<uint64_t, uint32_t> realIds_;
  std::unordered_map<std::string_view, uint32_t> textIds_; // the tests' own texts
  std::vector<int64_t> numbers_;
  std::vector<double> reals_;
  std::vector<std::string_view> texts_;
  std::unordered_map<const KindSet *, std::vector<uint16_t>> kindSets_;
  std::map<std::vector<uint16_t>, uint32_t> bitsIds_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> countIds_;
  // Of the root being built.
  std::vector<MatchingNet::Path> paths_;
  std::vector<uint8_t> reached_; // by path: whether its register is set here
  std::vector<uint16_t> reachedOrder_;
  KeyNumbers pathIds_;
  std::vector<Question> questions_;
  KeyNumbers questionIds_;
  std::vector<Test> tests_;
  std::vector<Row> rows_;
  std::vector<Found> found_;
  std::vector<uint16_t> slots_;
  std::vector<OpenTest> openTests_;
  std::span<const TestList> patterns_;
  size_t firstOpening_ = 0;      // of the net's openings: that of the first pattern
  std::vector<uint16_t> asked_;  // of kindsAsked
  std::vector<uint32_t> number_; // by question: its number at the level being counted
  size_t nearFrom_ = 0;          // behind the last instruction that named near patterns, if more may be added to it
};

} // namespace rw
