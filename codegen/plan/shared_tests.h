// The tests of a plan as rows of data: what the pattern asks first, and what else the patterns of a set can share.
//
// In:  a MatchPlan and the module it was made from.
// Out: rows that look at slots alone, each behind those that set the slots it looks at. Slot numbers are the plan's.
//      First the opening: rows that say all that their steps say, from before the plan's first choice, or behind it if
//      that is the order of two operands; both readers leave these steps to Attempt::opens. Then what every match must
//      pass, whichever way its choices go: that the pattern asks again, and what depends on variables, conditions and
//      choices is not among it.
// Elsewhere: rw/rewrite/shared_tests.h is the same at run time, kind by kind; the emitter prints these rows as a static
//            table, the interpreter makes a table of them when it loads a file.
//
//   transpose(transpose(x, perm = p), perm = q)
//
//   operand 0 of slot 0 -> slot 1
//   slot 1 is made by {tensor.transpose} -> slot 2
#pragma once

#include "codegen/plan/plan.h"

namespace rw::plan {

/// As rw::kOpeningSlots (tests/unit/plan holds the two together).
inline constexpr Slot kOpeningSlots = 256;

struct SharedTestRow {
  /// As SharedTest::Kind, in the same order (tests/unit/plan holds the two together).
  enum Kind : uint8_t {
    Operand,
    OperandAtEnd,
    Def,
    Attr,
    AttrOrDefault,
    AttrDefault,
    AttrAbsent,
    AttrInt,
    AttrBool,
    AttrDType,
    AttrString,
    Count,
    Absent,
    OneUse,
    Constant,
    SplatInt,
    SplatNumber,
    DTypeIs,
    FloatType,
    IntegerType,
    Same,
    Commute,
    NoExtras,
  };
  Kind kind = Operand;
  bool required = false;
  uint16_t in = 0, out = 0, index = 0;
  uint32_t most = 0;
  int64_t number = 0;
  double real = 0;
  std::string text;           // AttrString; AttrDType, DTypeIs: the dtype's name, in place of `number`
  OpSet ops;                  // Def: one op is SharedTest::op, anything else a KindSet
  const Step *step = nullptr; // of the opening: the step that it is
  bool sets() const { return kind <= AttrOrDefault || kind == Commute; }
  /// It never fails.
  bool setsOnly() const { return sets() && kind != Def && !required; }
};

struct SharedTests {
  std::vector<SharedTestRow> rows;
  size_t opening = 0; // how many, from the first, are the pattern's opening
  /// Whether the opening takes two operands in either order: what follows runs for each.
  bool swaps = false;
  /// By step of the plan: whether the opening says all that it says.
  std::vector<bool> covered;
};

/// "AttrOrDefault".
std::string_view name(SharedTestRow::Kind);
/// Good as long as the plan is.
SharedTests sharedTests(const MatchPlan &, const sema::Module &);

} // namespace rw::plan
