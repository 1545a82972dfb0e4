// The matching net of a pattern set: which patterns are worth trying at an op, found by asking each question once.
//
// In:  the shared tests (shared_tests.h) of all patterns that may match at one kind of op, whatever they were made by.
// Out: at an op the patterns whose tests hold, by their place in order of priority, and for each what of its opening
//      the net has asked and found, so that the pattern need not ask it again. Which one fires is the same as if every
//      pattern had been tried in that order.
// Elsewhere: FrozenPatternSet builds one net when it is made (net_builder.h), and the driver walks it at each op. The
//            driver tries patterns without it where there is a cost model, and where someone asks why a pattern does
//            not match.
//
// A net is a list of instructions that only jump forwards. Those of one kind of op begin at its root: they follow paths
// from the op (`the op that makes operand 0`) into registers, ask questions about them, and name the patterns. Where
// answers exclude each other (which op, which number, which string, which dtype) one look-up tells all patterns apart,
// so that a thousand cost little more than ten. Walking allocates nothing and calls nothing virtual. The first
// question, which op makes an operand, has its answers worked out as far as no other question comes up: most ops are
// asked no more.
//
//   NetRoom room(net);
//   FoundPatterns found = net.find(op, net.rootOf(op.kind()), room);
//   for (uint64_t left = found.near; left; left &= left - 1) attempt(std::countr_zero(left), found.openings);
//   for (uint32_t place : found.far) attempt(place, found.openings);
//
// Places are those of forEachOrder (pattern.h) over the patterns at the kind: one for each pattern, two where its
// opening swaps operands.
#pragma once

#include "rw/ir/function.h"
#include "rw/rewrite/shared_tests.h"

#include <memory>
#include <string>
#include <vector>

namespace rw {

struct NetCode {
  enum Op : uint8_t {
    End,  // with the patterns whose bits are set in `arg` and `target`: places 0 to 31, 32 to 63
    Near, // these patterns, and more
    Far,  // the pattern at place `arg`, which is 64 or more
    Jump, // to `target`
    // Paths: register `out` =
    GetOperand,      // operand `index` of op `in`
    GetOperandAtEnd, // the same, counted from the end
    GetDef,          // the op that makes value `in`
    GetOperandDef,   // operand `index` of op `in`; and register `arg` = the op that makes it
    GetAttr,         // declared attribute `index` of op `in`
    GetAttrOrDefault,
    // Questions with several answers: on to the answer's place, or to `target` if it is none of them.
    KindSwitch,      // op `in`; the places from `arg`, for `out` kinds from kind `index`
    KindSearch,      // op `in`; `arg` is a NetTable, as of all below
    ResultSwitch,    // which result of op `out` is value `in`
    IntSwitch,       // attribute `in`
    AttrDTypeSwitch, // attribute `in`
    DTypeSwitch,     // of value `in`
    StringSwitch,    // attribute `in`
    SplatIntSwitch,  // the int that the constant `in` repeats
    SplatSwitch,     // the number that the constant `in` repeats
    // Questions that hold, or not: then on to `target`.
    KindIs,      // op `in` is of kind `index`
    KindIn,      // op `in` is of a kind whose bit is set; the words from `arg`
    Present,     // value or attribute `in` is there
    Absent,      // operand `index` of op `in` is left out
    Count,       // op `in` has so many operands: counts[arg] to counts[arg + 1]
    AttrBool,    // attribute `in` is the bool `index`
    AttrAbsent,  // of op `in`
    AttrDefault, // of op `in`
    OneUse,      // value `in`
    Constant,
    FloatType,
    IntegerType,
    Same, // values `in` and `out`
  };
  Op op = End;
  uint16_t in = 0, out = 0, index = 0;
  uint32_t arg = 0, target = 0;

  uint64_t bits() const { return arg | uint64_t(target) << 32; } ///< of End and Near
};
static_assert(sizeof(NetCode) == 16);

/// Answers with the place where each goes on. `places` has one for each key, or each number from `least` on.
struct NetTable {
  uint32_t first = 0, count = 0; // of the keys: numbers, texts or reals of the net; and of places
  uint32_t places = 0;
  bool dense = false; // numbers from `least` on, without keys
  int64_t least = 0;
};

/// Places of patterns, in order and each once: those below 64 as bits, then the others.
inline constexpr uint32_t kNearPlaces = 64;
struct FoundPatterns {
  uint64_t near = 0;
  std::span<const uint32_t> far{};
  const Opening *openings = nullptr; ///< of all patterns at the root, by place: what has been asked of them
  uint32_t def = UINT32_MAX; ///< the op whose kind was asked first, which makes an operand; none if there is none
};

class NetRoom;

class MatchingNet {
public:
  MatchingNet() = default;
  MatchingNet(MatchingNet &&) = default; // openings point into its lists
  MatchingNet &operator=(MatchingNet &&) = default;
  /// What a register holds.
  struct Path {
    enum Kind : uint8_t { Root, Operand, OperandAtEnd, Def, Attr, AttrOrDefault } kind = Root;
    uint16_t parent = 0, index = 0;
  };

  /// The part for ops of a kind; 0: there is nothing to share, and all patterns are to be tried.
  uint32_t rootOf(KindId kind) const { return kind.raw < rootOf_.size() ? rootOf_[kind.raw] : 0; }
  /// The patterns to try at `op`. Good until `room` is used again.
  FoundPatterns find(Op op, uint32_t root, NetRoom &room) const;

  /// Which operand it is whose op is asked for first.
  uint32_t firstOperandOf(uint32_t root) const { return roots_[root].operand; }

  /// The most questions that one op is asked, and the most patterns that it may have to try.
  struct Work {
    size_t questions = 0, patterns = 0;
  };
  Work worst(uint32_t root) const;
  /// An instruction a line: "3 kind of def(root.0): tensor.transpose -> 4, else 9".
  std::string describe(uint32_t root, const OpRegistry &) const;
  /// How many instructions there are.
  size_t size() const { return code_.size(); }

private:
  friend class NetBuilder;
  friend class NetRoom;
  /// Where an answer to the first question leads: patterns, and the instruction that asks the next question; 0: there
  /// is none.
  struct Answer {
    uint64_t near = 0;
    uint32_t next = 0;
  };
  /// So many kinds have an answer each: one look-up less.
  static constexpr uint32_t kFewKinds = 64;
  /// The first question of a root: which op makes operand `operand`. Kinds from `least` on have their answers by
  /// number; answer 0 is that of all others, and the only one where a root does not begin so.
  struct Root {
    uint16_t operand = 0, least = 0;
    uint16_t value = 0, def = 0; // registers of the operand and of its op; 0: it has none
    uint32_t kinds = 0, kindCount = 0, answers = 0;
    uint32_t openings = 0; // that of the first pattern
    // Where these are, once the lists do not move any more.
    const uint16_t *kindsAt = nullptr; // null: kind `least` + k has answer k + 1
    const Answer *answersAt = nullptr;
    const Opening *openingsAt = nullptr;
  };
  /// An opening while the net is made: places of its lists, one behind the other.
  struct OpeningPlaces {
    uint32_t first = 0, slots = 0, plain = 0, rest = 0; // of openingLists_
    bool known = false;
    TestList::Order order = TestList::Either;
  };

  [[gnu::noinline, gnu::cold]] static uint32_t laterOperand(const Function &, const OpData &, uint32_t index);
  FoundPatterns walk(Op op, const Answer &from, NetRoom &room, const Opening *openings) const;
  uint32_t ask(const NetCode &, Op op, const uint32_t *registers) const;
  uint32_t askSplatInt(const NetCode &, Op op, const uint32_t *registers) const;
  static uint32_t insert(uint32_t *far, uint32_t count, uint32_t place);
  AttrId constant(const Function &fn, uint32_t value) const;
  uint32_t placeOf(const NetTable &t, int64_t number, uint32_t otherwise) const;
  uint32_t placeOf(const NetTable &t, std::string_view text, uint32_t otherwise) const;
  uint32_t placeOf(const NetTable &t, double real, uint32_t otherwise) const;
  std::string pathText(uint32_t root, uint16_t reg) const;
  uint32_t endOf(uint32_t root) const; // of its instructions

  std::vector<uint32_t> rootOf_;    // by kind
  std::vector<Root> roots_{Root()}; // 0 is none
  std::vector<uint16_t> kinds_;     // numbers of answers
  std::vector<Answer> answers_;
  std::vector<NetCode> code_{NetCode()};
  std::vector<NetTable> tables_;
  std::vector<uint32_t> places_;
  std::vector<int64_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<double> reals_;
  std::vector<uint32_t> counts_;
  std::vector<uint64_t> kindBits_;
  std::vector<Opening> openings_;
  std::vector<OpeningPlaces> openingPlaces_;
  std::vector<uint16_t> openingLists_;
  struct Text {
    uint32_t entry = 0;      // where the root's instructions begin
    std::vector<Path> paths; // by register
  };
  std::vector<Text> rootTexts_{Text()};   // by root, for people
  uint32_t registers_ = 1, patterns_ = 0; // the most of any root
};

/// What walking needs, made once for a run.
class NetRoom {
public:
  explicit NetRoom(const MatchingNet &net)
      : registers_(std::make_unique<uint32_t[]>(net.registers_)), found_(std::make_unique<uint32_t[]>(net.patterns_)) {}

  uint32_t *registers() { return registers_.get(); }

private:
  friend class MatchingNet;
  std::unique_ptr<uint32_t[]> registers_, found_;
};

inline FoundPatterns MatchingNet::find(Op op, uint32_t root, NetRoom &room) const {
  const Root &r = roots_[root];
  const Function &fn = *op.fn;
  const OpData &d = fn.data(op.id);
  uint32_t value = ValueId::kNone, def = OpId::kNone, kind = 0;
  // Nearly always operand 0. Where to look must not wait for what the root says: it would make each op wait for a chain
  // of loads that is a third longer, while a branch is guessed.
  if (r.operand == 0) [[likely]]
    value = d.operandCount ? fn.data(d.firstOperand).value.raw : ValueId::kNone;
  else if (r.operand < d.operandCount)
    value = laterOperand(fn, d, r.operand);
  if (value != ValueId::kNone && !(fn.data(ValueId(value)).def & ValueData::kParam)) [[likely]] {
    def = fn.data(ValueId(value)).def;
    kind = fn.data(OpId(def)).kind.raw - r.least;
    kind = kind >= r.kindCount ? 0 : r.kindsAt ? r.kindsAt[kind] : kind + 1;
  }
  const Answer &answer = r.answersAt[kind];
  if (!answer.near && !answer.next)
    return {};
  uint32_t *reg = room.registers_.get();
  reg[r.value] = value;
  reg[r.def] = def;
  reg[0] = op.id.raw; // last: what has no register was written there
  if (!answer.next)
    return {answer.near, {}, r.openingsAt, def};
  FoundPatterns found = walk(op, answer, room, r.openingsAt);
  found.def = def;
  return found;
}

} // namespace rw
