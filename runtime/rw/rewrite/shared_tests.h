// The tests of a pattern as data: what it asks first, and what else every match must pass.
//
// In:  static tables that rwc generates for each pattern, or tables made when a pattern file is loaded
//      (PatternInfo::tests).
// Out: a FrozenPatternSet builds one matching net of the tests of all its patterns, wherever they come from, and asks
//      each shared question once per op (matching_net.h). Patterns read what it has found (Attempt::opens in
//      attempt.h).
//
// Tests look at slots: ops, values and attributes, numbered by the pattern; slot 0 is the root. Each test stands behind
// those that set the slots it looks at.
//
// The first PatternInfo::opening tests are the pattern's opening: it asks them nowhere else, so they stand for all that
// they say. Those behind it are necessary conditions that the pattern asks again: they may be left out.
//
//   // transpose(transpose(x, perm = p), perm = q)
//   constexpr SharedTest kTests[] = {
//     {.kind = SharedTest::Operand, .out = 1},
//     {.kind = SharedTest::Def, .in = 1, .out = 2, .op = &transposeSchema, .why = "`x` is made by …", .line = 7},
//     {.kind = SharedTest::NoExtras, .in = 2, .why = "the inner transpose has no undeclared attributes", .line = 7},
//   };
#pragma once

#include "rw/ir/schema.h"

#include <span>
#include <string_view>

namespace rw {

/// Kinds of op: those named, and those with every trait of one of `traits`; an element of no trait (0) is any op that a
/// dialect declares.
struct KindSet {
  std::span<const OpSchema *const> ops;
  std::span<const Traits> traits;
};

struct SharedTest {
  enum Kind : uint8_t {
    Operand,       // value `out` = operand `index` of op `in`; it is there if `required`
    OperandAtEnd,  // the same, counted from the end: 1 is the last
    Def,           // op `out` makes value `in` as its result `index`, and is `op`, or one of `kinds`
    Attr,          // attribute `out` = declared attribute `index` of op `in`; it is there if `required`
    AttrOrDefault, // the same, its default where it is left out
    AttrDefault,   // declared attribute `index` of op `in` is left out or equals its default
    AttrAbsent,    // declared attribute `index` of op `in` is left out
    AttrInt,       // attribute `in` is the int `number`
    AttrBool,      // attribute `in` is the bool `number`
    AttrDType,     // attribute `in` is the DType `number`
    AttrString,    // attribute `in` is the string `text`
    Count,         // op `in` has `number` to `most` operands
    Absent,        // operand `index` of op `in` is left out
    OneUse,        // value `in` has exactly one use
    Constant,      // value `in` is a constant
    SplatInt,      // value `in` is a constant and isSplat(it, `number`)
    SplatNumber,   // value `in` is a constant and splatNumber(it) == `real`: necessary, never of an opening
    DTypeIs,       // the dtype of value `in` is `number`
    FloatType,     // it is a floating-point type
    IntegerType,   // it is an integer type
    Same,          // slots `in` and `out` are the same value
    // values `out`, `out` + 1 are operands 0 and 1 of op `in` as written, or swapped: what follows holds for
    Commute,
    // one of the two orders. At most one per pattern
    NoExtras, // op `in` has no undeclared attributes. Nearly always holds: the net leaves it to the pattern
  };
  Kind kind = Operand;
  bool required = false;
  uint16_t in = 0, out = 0, index = 0;
  uint32_t most = 0;
  int64_t number = 0;
  double real = 0;
  std::string_view text;
  const OpSchema *op = nullptr;
  const KindSet *kinds = nullptr;
  // Of the opening: what is asked, in words, and its line in the .rw file.
  const char *why = "";
  uint32_t line = 0;
};

/// Whether tests of the kind set slot `out`.
inline bool setsSlot(SharedTest::Kind kind) {
  switch (kind) {
  case SharedTest::Operand:
  case SharedTest::OperandAtEnd:
  case SharedTest::Def:
  case SharedTest::Attr:
  case SharedTest::AttrOrDefault:
  case SharedTest::Commute:
    return true;
  default:
    return false;
  }
}

/// A pattern's tests: those of its opening first. Where these swap operands, a set tries the pattern once for each
/// order.
struct TestList {
  std::span<const SharedTest> tests;
  uint32_t opening = 0;
  /// Operands as written, swapped, or whichever holds.
  enum Order : uint8_t { Written, Swapped, Either } order = Either;
  /// Whether the opening swaps operands.
  bool opensSwapping() const {
    for (const SharedTest &t : tests.first(opening))
      if (t.kind == SharedTest::Commute)
        return true;
    return false;
  }
};
/// The slots of an opening are numbered below this.
inline constexpr uint16_t kOpeningSlots = 256;

/// What a matching net has found out of a pattern's opening where it names the pattern.
struct Opening {
  const uint16_t *registers = nullptr; // where the net has each slot; null: the pattern asks all by itself
  uint16_t slotCount = 0, plainCount = 0, restCount = 0;
  TestList::Order order = TestList::Either; // of the operands that it swaps
  /// Registers of ops that must have no undeclared attributes.
  std::span<const uint16_t> plain() const { return {registers + slotCount, plainCount}; }
  /// The other tests that the net has not asked, in order.
  std::span<const uint16_t> rest() const { return {registers + slotCount + plainCount, restCount}; }
  /// What is still to be asked, if anything: Rest, and Plain only in programs where some op has undeclared attributes.
  enum Pending : uint8_t { Rest = 1, Plain = 2 };
  uint8_t pending = Rest;
};
static_assert(sizeof(Opening) == 16);

} // namespace rw
