// The tests of a plan that the patterns of a set can share, as rows of data.
//
// In:  a MatchPlan and the module it was made from.
// Out: what every match must pass, whichever way its choices go: rows that look at slots alone, each behind those that
//      set the slots it looks at. Slot numbers are the plan's. Rows may be left out, and the pattern asks all of it
//      again: what depends on variables, conditions and choices is not among them.
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
    SplatNumber,
    DTypeIs,
    FloatType,
    IntegerType,
    Same,
    Commute,
  };
  Kind kind = Operand;
  bool required = false;
  uint16_t in = 0, out = 0, index = 0;
  uint32_t most = 0;
  int64_t number = 0;
  double real = 0;
  std::string text; // AttrString; AttrDType, DTypeIs: the dtype's name, in place of `number`
  OpSet ops;        // Def: one op is SharedTest::op, anything else a KindSet
};

/// "AttrOrDefault".
std::string_view name(SharedTestRow::Kind);
std::vector<SharedTestRow> sharedTests(const MatchPlan &, const sema::Module &);

} // namespace rw::plan
