// Which tests of a plan are data that the patterns of a set share.
#include "../check/checked.h"
#include "codegen/plan/shared_tests.h"
#include "rw/rewrite/shared_tests.h"

#include <fmt/format.h>

using namespace rw;
using Row = plan::SharedTestRow;

namespace {

/// "Def 1 -> 2 relu", a row a line.
std::string rowsOf(std::string_view pattern) {
  std::string text =
      kOps +
      "op const() -> tensor { attr value: tensor; traits pure, constant; }\n"
      "op scale(x: tensor) -> tensor { attr by: int; attr mode: string?; traits pure, elementwise; type x.type; }\n"
      "op maybe(x: tensor, y: tensor?) -> tensor { traits pure; type x.type; }\n";
  Checked checked(text + "pattern P { " + std::string(pattern) + " => x }\n");
  REQUIRE_MESSAGE(!checked.diags.hasErrors(), checked.diags.renderText());
  plan::Module plans = plan::buildPlans(*checked.module, checked.sources, checked.diags);
  REQUIRE(plans.plans.size() == 1);
  std::string out;
  const plan::SharedTests tests = plan::sharedTests(plans.plans[0], *checked.module);
  for (const Row &r : tests.rows) {
    if (&r == tests.rows.data() + tests.opening)
      out += "-- the pattern asks again\n";
    out += fmt::format("{} {}", plan::name(r.kind), r.in);
    bool sets = r.kind <= Row::AttrOrDefault || r.kind == Row::Same || r.kind == Row::Commute;
    if (r.kind <= Row::AttrAbsent || r.kind == Row::Absent)
      out += fmt::format("[{}]", r.index);
    if (sets)
      out += fmt::format(" -> {}", r.out);
    if (r.required)
      out += " required";
    for (sema::OpIndex op : r.ops.ops)
      out += " " + checked.module->op(op).name;
    if (r.kind == Row::Count)
      out += fmt::format(" {} to {}", r.number, r.most);
    if (r.kind == Row::AttrInt)
      out += fmt::format(" {}", r.number);
    if (r.kind == Row::SplatInt)
      out += fmt::format(" {}", r.number);
    if (r.kind == Row::SplatNumber)
      out += fmt::format(" {}", r.real);
    out += (r.text.empty() ? "" : " " + r.text) + "\n";
  }
  return out;
}

} // namespace

TEST_CASE("rows are what every match must pass") {
  CHECK(rowsOf("relu(relu(x))") == "Operand 0[0] -> 1\nDef 1[0] -> 2 relu\nNoExtras 0\nNoExtras 2\n");
  CHECK(rowsOf("relu(single scale(x, by = 3, mode = \"up\"))") == "Operand 0[0] -> 1\n"
                                                                  "Def 1[0] -> 2 scale\n"
                                                                  "NoExtras 0\n"
                                                                  "OneUse 1\n"
                                                                  "NoExtras 2\n"
                                                                  "Attr 2[0] -> 3\n"
                                                                  "AttrInt 3 3\n"
                                                                  "Attr 2[1] -> 4 required\n"
                                                                  "AttrString 4 up\n");
  CHECK(rowsOf("maybe(x, y)") == "Operand 0[1] -> 2 required\nNoExtras 0\nCount 0 2 to 2\n");
}

TEST_CASE("what stands behind a choice counts where it looks at what was there before") {
  CHECK(rowsOf("add(relu(x), splat(2))") ==
        "NoExtras 0\nCommute 0 -> 1\nDef 1[0] -> 3 relu\nNoExtras 3\nSplatInt 2 2\n");
  CHECK(rowsOf("add(relu(x), splat(0.5))") == "NoExtras 0\nCommute 0 -> 1\nDef 1[0] -> 3 relu\nNoExtras 3\n"
                                              "-- the pattern asks again\nSplatNumber 2 0.5\n");
  CHECK(rowsOf("concat((relu(x) | scale(x, by = 1)), const y)") ==
        "Operand 0[0] -> 1 required\nNoExtras 0\nCount 0 2 to 2\nAttrDefault 0[0]\n-- the pattern asks again\nOperand "
        "0[1] -> 7 required\nConstant 7\n");
}

TEST_CASE("the kinds of rows are those of the runtime") {
  // The interpreter turns the one into the other.
  static_assert(int(Row::Operand) == int(SharedTest::Operand) &&
                int(Row::OperandAtEnd) == int(SharedTest::OperandAtEnd) && int(Row::Def) == int(SharedTest::Def) &&
                int(Row::Attr) == int(SharedTest::Attr) && int(Row::AttrOrDefault) == int(SharedTest::AttrOrDefault) &&
                int(Row::AttrDefault) == int(SharedTest::AttrDefault) &&
                int(Row::AttrAbsent) == int(SharedTest::AttrAbsent) && int(Row::AttrInt) == int(SharedTest::AttrInt) &&
                int(Row::AttrBool) == int(SharedTest::AttrBool) && int(Row::AttrDType) == int(SharedTest::AttrDType) &&
                int(Row::AttrString) == int(SharedTest::AttrString) && int(Row::Count) == int(SharedTest::Count) &&
                int(Row::Absent) == int(SharedTest::Absent) && int(Row::OneUse) == int(SharedTest::OneUse) &&
                int(Row::Constant) == int(SharedTest::Constant) && int(Row::SplatInt) == int(SharedTest::SplatInt) &&
                int(Row::SplatNumber) == int(SharedTest::SplatNumber) &&
                int(Row::DTypeIs) == int(SharedTest::DTypeIs) && int(Row::FloatType) == int(SharedTest::FloatType) &&
                int(Row::IntegerType) == int(SharedTest::IntegerType) && int(Row::Same) == int(SharedTest::Same) &&
                int(Row::Commute) == int(SharedTest::Commute) && int(Row::NoExtras) == int(SharedTest::NoExtras) &&
                plan::kOpeningSlots == kOpeningSlots);
  CHECK(plan::name(Row::SplatNumber) == "SplatNumber");
}
