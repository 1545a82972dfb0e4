// The tests of a pattern that other patterns may share, as data.
//
// In:  static tables that rwc generates for each pattern, or tables made when a pattern file is loaded
//      (PatternInfo::tests).
// Out: a FrozenPatternSet builds one matching net of the tests of all its patterns, wherever they come from, and asks each
//      shared question once per op (matching_net.h).
//
// A test is a necessary condition: if it does not hold, the pattern does not match. A pattern whose tests hold is tried
// by its own matchAndRewrite, which asks everything itself. So tests may be left out, and nothing may depend on them:
// what nearly always holds (an op has no undeclared attributes) is not among them.
//
// Tests look at slots: ops, values and attributes, numbered by the pattern; slot 0 is the root. Each test stands behind
// those that set the slots it looks at.
//
//   // transpose(transpose(x, perm = p), perm = q)
//   constexpr SharedTest kTests[] = {
//     {.kind = SharedTest::Operand, .in = 0, .out = 1, .index = 0},
//     {.kind = SharedTest::Def, .in = 1, .out = 2, .op = &transposeSchema},
//   };
#pragma once

#include "rw/ir/schema.h"

#include <span>
#include <string_view>

namespace rw {

/// Kinds of op: those named, and those with every trait of one of `traits`.
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
    SplatNumber,   // value `in` is a constant and splatNumber(it) == `real`
    DTypeIs,       // the dtype of value `in` is `number`
    FloatType,     // it is a floating-point type
    IntegerType,   // it is an integer type
    Same,          // slots `in` and `out` are the same value
    Commute,       // values `out`, `out` + 1 are operands 0 and 1 of op `in` as written, or swapped: what follows holds for
                   // one of the two orders. At most one per pattern
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
};

} // namespace rw
