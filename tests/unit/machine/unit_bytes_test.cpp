// Units as bytes: what is written is read, and nothing else is.
#include "codegen/machine/unit_bytes.h"

#include "rw/load/embedded_patterns.h"

#include <doctest/doctest.h>

#include <limits>

using namespace rw;
using namespace rw::interpret;

namespace {
/// Something in most tables, with numbers of all sizes and signs.
Unit sample() {
  Unit unit;
  unit.file = "many.rw";
  unit.code.push_back(
      {.op = Opcode::Operand, .elem = Elem::List, .a = 0, .b = kNoReg, .c = 300, .d = -1, .onFail = 70000});
  unit.code.push_back({.op = Opcode::RegionResults, .d = std::numeric_limits<int32_t>::min()});
  unit.reasonOf = {0, 1, 0};
  unit.reasons.push_back({"a reason with \"quotes\", \n and \x01", 12});
  unit.numbers = {0, -1, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  unit.strings = {"", std::string("a\0b", 3)};
  unit.opNames = {{"onnx", "Add", 14}};
  unit.kindSets = {{{0}, {1, 0x80000000u}}};
  unit.attrPlaces = {{{{0, -1}}}};
  unit.builds = {{.schemas = {0}, .operands = {1, kNoReg}, .settings = {{1, kNoReg}}, .plain = true}};
  unit.replays = {{1, kNoReg, 5}};
  unit.chainTests = {{0, 1, kNoReg, 2, 0}};
  unit.placements = {{{0}, {1, 2}}};
  unit.fns = {{1, 2, 3}};
  PatternCode &pattern = unit.patterns.emplace_back();
  pattern.name = "P";
  pattern.file = "many.rw";
  pattern.line = 7;
  pattern.labels = {"x", "y"};
  pattern.tests = {{.test = {.kind = SharedTest::SplatNumber, .required = true, .in = 1, .number = -5, .real = -0.0},
                    .text = "t",
                    .op = 0,
                    .kinds = {}}};
  pattern.entry = 1;
  OpCode &op = unit.ops.emplace_back();
  op.dialect = "d";
  op.until = -3;
  op.operands = {{"x", 2}};
  op.attrs = {{"by", 3, true, {1, 2}}};
  op.requirements = {{{1, 2}, {{"text", {1, 1}, Elem::Dim, true}}}};
  op.folds = {{{1, 2}, {}, true}};
  op.types = {{OpCode::TypeRule::Group, {1, 2}, {}}};
  unit.passes = {{"p", "doc", {{"P", "", 0}}, {"x"}, 3, 9}};
  unit.pipelines = {{"q", "p, dce", "", 1, {{"a", "b.rw", 2}}}};
  unit.tests = {{.name = "P",
                 .target = {"P", "a.rw", 1},
                 .kind = 1,
                 .line = 3,
                 .unchanged = true,
                 .before = {1, 1},
                 .registers = 2}};
  unit.canonicalizations = {{"P", "", 0}};
  return unit;
}
} // namespace

TEST_CASE("what is written is read") {
  std::string bytes = toBytes(sample());
  Result<Unit> unit = fromBytes(bytes);
  REQUIRE_MESSAGE(unit, unit.error());
  CHECK(toBytes(*unit) == bytes);
  CHECK(unit->code[1].op == Opcode::Operand);
  CHECK(unit->code[1].b == kNoReg);
  CHECK(unit->code[1].onFail == 70000);
  CHECK(unit->numbers == sample().numbers);
  CHECK(unit->strings == sample().strings);
  CHECK(unit->patterns[0].tests[0].test.number == -5);
  CHECK(unit->ops[0].until == -3);
  CHECK(unit->tests[0].target.file == "a.rw");
  CHECK(toBytes(*fromBytes(toBytes(Unit{.reasonOf = {0}}))) == toBytes(Unit{.reasonOf = {0}}));
}

TEST_CASE("what was cut, changed or written by another version is refused") {
  const std::string bytes = toBytes(sample());
  std::string error;
  auto refused = [&](std::string_view damaged) {
    Result<Unit> unit = fromBytes(damaged);
    error = unit ? "" : unit.error();
    return !error.empty();
  };
  for (size_t n = 0; n < bytes.size(); ++n)
    REQUIRE(refused(std::string_view(bytes).substr(0, n)));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ 1 << bit);
      REQUIRE(refused(damaged));
      std::string_view why = at < 8 ? "do not begin" : at < 16 ? "another version" : at < 24 ? "" : "were changed";
      CHECK(error.find(why) != std::string::npos);
    }
  CHECK(refused(bytes + " "));
  CHECK(error == "something stands behind their end");
  Unit torn = sample(); // a table that does not fit another
  torn.reasonOf.pop_back();
  CHECK(refused(toBytes(torn)));
  CHECK(error == "their tables are malformed");
}

TEST_CASE("what a registry is told is read without the code, and the code when it is needed") {
  const std::string bytes = toBytes(sample());
  Result<UnitHead> head = headOf(bytes);
  REQUIRE_MESSAGE(head, head.error());
  CHECK(head->unit.patterns[0].labels == sample().patterns[0].labels);
  CHECK(head->unit.tests[0].name == "P");
  CHECK(head->unit.code.size() == Unit().code.size());
  CHECK(head->unit.ops.empty());
  REQUIRE(readCode(head->code, head->unit));
  CHECK(toBytes(head->unit) == bytes);
}

TEST_CASE("a pattern whose code is malformed matches nothing") {
  Unit torn = sample();
  torn.reasonOf.pop_back();
  const std::string bytes = toBytes(torn);
  Registry registry;
  {
    const Registry::Scope scope(registry, "my::opt", "many.rw");
    const EmbeddedPatterns embedded(registry, "many.rw", bytes);
    embedded.addPatterns(0, 1);
    embedded.addTests();
  }
  REQUIRE(registry.patterns.all().size() == 1);
  const NamedPattern made = registry.patterns.make(registry.patterns.all()[0], registry.ops);
  REQUIRE(made.pattern);
  CHECK(made.pattern->info().name == "P");
}

TEST_CASE("patterns that cannot be read are not registered, and the registry says so") {
  SourceManager sources;
  Diagnostics diags(sources);
  Registry registry;
  {
    const Registry::Scope scope(registry, "my::opt", "many.rw");
    const EmbeddedPatterns embedded(registry, "many.rw", toBytes(sample()).substr(1));
    embedded.addPatterns(0, 1);
    embedded.addTests();
  }
  CHECK(registry.patterns.all().empty());
  CHECK(registry.tests().empty());
  CHECK_FALSE(registry.check(diags));
  REQUIRE(diags.all().size() == 1);
  CHECK(diags.all().front().tag == "unreadable-patterns");
}

TEST_CASE("what is registered twice is there once") {
  const std::string bytes = toBytes(sample());
  Registry registry;
  for (int i = 0; i < 2; ++i) {
    const Registry::Scope scope(registry, "my::opt", "many.rw");
    const EmbeddedPatterns embedded(registry, "many.rw", bytes);
    embedded.addPatterns(0, 1);
    embedded.addTests();
  }
  CHECK(registry.patterns.all().size() == 1);
  CHECK(registry.patterns.find("my::opt::many::P"));
  CHECK(registry.tests().size() == 1);
}
