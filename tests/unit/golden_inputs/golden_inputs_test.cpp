// Every built-in pattern, alone, on every input of the goldens of the passes and on the left side of every `test` of a
// pattern. Where it fires, the program verifies, computes the same (bit for bit if the pattern is exact), keeps its
// results' types, and a second run changes nothing. The same after the operands of each commutative op were swapped: it
// fires as often; and where each value has one more use. Each pattern fires somewhere, and somewhere where not all
// sizes are known, but for those of uncovered.txt.
#include "../support/builtin_passes.h"
#include "../support/pattern_inputs.h"
#include "rw/interp/compare.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace rw;
namespace fs = std::filesystem;

namespace {
/// Files of patterns for what conversions from other dialects leave: the goldens hold no such programs, and the files'
/// own `test`s and the unit tests of lowerings say what they do.
constexpr std::string_view kAfterConversions[] = {"as_written.rw", "as_written_vectors.rw", "as_written_softmax.rw",
                                                  "simplify_stretch.rw", "fuse_softmax.rw"};

/// A pattern alone, ready to run.
struct Alone {
  const PatternEntry *entry = nullptr;
  FrozenPatternSet set;
  bool exact = true;
};

std::vector<Alone> patternsAlone() {
  std::vector<Alone> all;
  const OpRegistry &ops = test::builtins().ops;
  for (const PatternEntry &entry : test::builtins().patterns.all()) {
    if (std::ranges::find(entry.info.labels, "jax_to_stablehlo") != entry.info.labels.end())
      continue; // what is lowered computes nothing before: tests/unit/jaxpr says what it computes then
    if (std::ranges::find(entry.info.labels, "onnx_to_stablehlo") != entry.info.labels.end())
      continue; // softmax and means are rounded otherwise there: goldens of stablehlo compare them
    if (std::ranges::any_of(kAfterConversions, [&](std::string_view file) { return entry.info.file.ends_with(file); }))
      continue;
    PatternSet set(ops);
    set.add(entry.make(ops));
    bool reorders = std::ranges::find(entry.info.labels, "reorder") != entry.info.labels.end();
    // Lowerings are for programs of other dialects than the goldens': unit.stablehlo_to_onnx draws those.
    bool lowers = std::ranges::find(entry.info.labels, "stablehlo_to_onnx") != entry.info.labels.end();
    if (!lowers)
      all.push_back({&entry, std::move(set).freeze(), !entry.info.fastmath && !reorders});
  }
  return all;
}

RewriteResult runAlone(Function &fn, const Alone &pattern) {
  GreedyRewriteConfig config;
  config.allowFastMath = true;
  config.enableFolding = false;
  config.expensiveChecks = true;
  return applyPatternsGreedily(fn, pattern.set, config);
}

void eachOp(Function &fn, RegionId region, const std::function<void(Op)> &visit) {
  for (Op op : fn.ops(region)) {
    visit(op);
    for (RegionId inner : op.regions())
      eachOp(fn, inner, visit);
  }
}

bool names(const Alone &pattern, Function &fn) {
  bool found = false;
  eachOp(fn, fn.body(), [&](Op op) { found |= !pattern.set.at(op.kind()).empty(); });
  return found;
}

/// Whether some size of a parameter is a symbol or not known, or its rank is not.
bool isDynamic(Function &fn) {
  for (ValueId param : fn.params(fn.body())) {
    const TypeData &type = fn.value(param).type();
    if (type.kind == TypeKind::Tensor &&
        (!type.ranked || std::ranges::any_of(type.dims, [](Dim d) { return !d.isKnown(); })))
      return true;
  }
  return false;
}

/// Whether the function computes what `before` computes, in the same types, could be told.
bool checkSame(Function &before, Function &after, const Alone &pattern) {
  Op a = before.terminator(before.body()), b = after.terminator(after.body());
  REQUIRE(a.operandCount() == b.operandCount());
  for (unsigned i = 0; i < a.operandCount(); ++i)
    CHECK(before.context().compatible(a.operand(i).typeId(), b.operand(i).typeId())); // one may say more than the other
  Comparison c = compareFunctions(before, after, pattern.exact ? 2 : 1, pattern.exact ? 0 : 1e-3);
  INFO(c.text);
  CHECK(c.outcome != Comparison::Differ);
  return c.outcome == Comparison::Agree;
}
/// Runs the pattern on a copy of the program, in one function; how often it applied. Checks what it did. Patterns of
/// which that was compared go into `compared`.
uint64_t checkPattern(Program &program, const SourceManager &sources, std::string_view name, const Alone &pattern,
                      std::set<std::string_view> &compared) {
  Program copy = program.clone();
  Function &before = *program.function(name), &after = *copy.function(name);
  RewriteResult result = runAlone(after, pattern);
  CHECK(result.changed == (printFunction(after) != printFunction(before)));
  CHECK(result.converged);
  if (!result.rewrites)
    return 0;
  Diagnostics diags(sources);
  std::string text = printFunction(after);
  CAPTURE(text);
  bool verifies = verifyProgram(copy, diags);
  CHECK_MESSAGE(verifies, diags.renderText());
  if (checkSame(before, after, pattern))
    compared.insert(pattern.entry->info.name);
  CHECK_FALSE(runAlone(after, pattern).changed);
  return result.rewrites;
}

/// The operands of each commutative op the other way round.
void swapCommutative(Function &fn) {
  eachOp(fn, fn.body(), [&](Op op) {
    if (!op.hasTrait(Trait::Commutative) || op.operandCount() != 2)
      return;
    ValueId swapped[] = {op.operand(1).id, op.operand(0).id};
    fn.setOperands(op.id, swapped);
  });
}

/// Each result of an op of the body is a result of the function as well.
void useOnceMore(Function &fn) {
  InlineList<ValueId, 8> results;
  Op end = fn.terminator(fn.body());
  for (unsigned i = 0; i < end.operandCount(); ++i)
    results.push_back(end.operand(i).id);
  for (Op op : fn.ops(fn.body()))
    for (unsigned i = 0; i < op.resultCount(); ++i)
      results.push_back(op.result(i).id);
  fn.setOperands(end.id, results);
  fn.setResultNames({});
}

/// The lines of uncovered.txt: `PATTERN: why`, for patterns that need all sizes.
std::set<std::string> explained() {
  std::ifstream in(std::string(RW_SOURCE_DIR) + "/tests/unit/golden_inputs/uncovered.txt");
  std::set<std::string> patterns;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#')
      patterns.insert(line.substr(0, line.find(':')));
  return patterns;
}
} // namespace

TEST_CASE("each pattern alone keeps its promises on every input of goldens and tests, its variants included") {
  std::vector<Alone> patterns = patternsAlone();
  std::set<std::string_view> fires, dynamic, compared;
  unsigned inputs = 0;
  const fs::path golden = fs::path(RW_SOURCE_DIR) / "tests" / "golden";
  auto tryAll = [&](const std::string &file, Program &program) {
    ++inputs;
    CAPTURE(file);
    SourceManager sources;
    Program swapped = program.clone(), shared = program.clone();
    for (Function &fn : program.functions()) {
      std::string name(fn.name());
      CAPTURE(name);
      swapCommutative(*swapped.function(name));
      useOnceMore(*shared.function(name));
      for (const Alone &pattern : patterns) {
        if (!names(pattern, fn))
          continue;
        std::string_view called = pattern.entry->info.name;
        CAPTURE(std::string(called));
        uint64_t times = checkPattern(program, sources, name, pattern, compared);
        if (!times)
          continue;
        fires.insert(called);
        if (isDynamic(fn))
          dynamic.insert(called);
        CHECK(checkPattern(swapped, sources, name, pattern, compared) == times);
        checkPattern(shared, sources, name, pattern, compared);
      }
    }
  };
  test::forEachPatternInput(test::builtins(), {golden / "passes", golden / "tenferro"}, tryAll);
  CHECK(inputs > 1000);
  std::set<std::string> known = explained();
  for (const Alone &pattern : patterns) {
    std::string called(pattern.entry->info.name);
    CHECK_MESSAGE(fires.count(called), called, " fires in no golden and no test");
    CHECK_MESSAGE(compared.count(called), called, " is evaluated before and after on no golden and no test");
    CHECK_MESSAGE((dynamic.count(called) || known.count(called)), called,
                  " fires in no golden or test where a size is a symbol or unknown");
    CHECK_MESSAGE(!(dynamic.count(called) && known.count(called)), called,
                  " does fire where a size is unknown: uncovered.txt says not");
  }
}
