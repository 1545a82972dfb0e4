#include "rw/testing/run_tests.h"

#include "rw/interp/compare.h"
#include "rw/interp/constant_folder.h"
#include "rw/ir/expr_helpers.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/passes/pass_manager.h"
#include "rw/rewrite/effects.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/match_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <unordered_map>

namespace rw {
namespace {

/// Whether two functions compute the same by the same ops, and have the same effects in the same order.
class SameGraph {
public:
  SameGraph(Function &expected, Function &actual) : expected_(expected), actual_(actual) {}

  bool compare() {
    Op a = expected_.terminator(expected_.body()), b = actual_.terminator(actual_.body());
    if (!a || !b || a.operandCount() != b.operandCount())
      return false;
    operands(a, b);
    std::vector<Op> effects = effectsOf(expected_), others = effectsOf(actual_);
    if (effects.size() != others.size())
      return false;
    for (size_t i = 0; i < effects.size(); ++i)
      if (!ops(effects[i], others[i]))
        return false;
    while (!pending_.empty()) {
      auto [x, y] = pending_.back();
      pending_.pop_back();
      if (!values(x, y))
        return false;
    }
    return true;
  }

private:
  /// The ops that do more than give results, in order: those count though nothing reads them.
  static std::vector<Op> effectsOf(Function &fn) {
    std::vector<Op> effects;
    for (Op op : fn.ops(fn.body()))
      if (op.kind() != kReturnKind && !isRemovableIfUnused(op))
        effects.push_back(op);
    return effects;
  }
  bool ops(Op x, Op y) {
    if (auto [it, isNew] = knownOps_.try_emplace(x.id.raw, y.id.raw); !isNew)
      return it->second == y.id.raw;
    if (x.kind() != y.kind() || x.operandCount() != y.operandCount() || x.resultCount() != y.resultCount() ||
        !attributes(x, y) || !x.regions().empty() || !y.regions().empty())
      return false;
    operands(x, y);
    return true;
  }
  void operands(Op a, Op b) {
    for (unsigned i = 0; i < a.operandCount(); ++i)
      pending_.push_back({a.operand(i), b.operand(i)});
  }
  bool values(Value a, Value b) {
    if (!a || !b)
      return !a && !b;
    if (!a.context().compatible(a.typeId(), b.typeId()))
      return false;
    auto [it, isNew] = known_.try_emplace(a.id.raw, b.id.raw);
    auto [back, isOther] = knownBack_.try_emplace(b.id.raw, a.id.raw);
    if (!isNew || !isOther)
      return it->second == b.id.raw && back->second == a.id.raw;
    if (a.isParam() || b.isParam())
      return a.isParam() && b.isParam() && indexOfParam(expected_, a) == indexOfParam(actual_, b);
    Op x = a.definingOp(), y = b.definingOp();
    return a.resultIndex() == b.resultIndex() && ops(x, y);
  }
  static ptrdiff_t indexOfParam(Function &fn, Value v) {
    std::span<const ValueId> params = fn.params(fn.body());
    return std::find(params.begin(), params.end(), v.id) - params.begin();
  }
  static bool attributes(Op a, Op b) {
    for (unsigned i = 0; i < a.schema().attrs.size(); ++i)
      if (a.attrOrDefault(i) != b.attrOrDefault(i))
        return false;
    return hasExtraAttrs(a) == hasExtraAttrs(b);
  }

  Function &expected_, &actual_;
  std::vector<std::pair<Value, Value>> pending_;
  std::unordered_map<uint32_t, uint32_t> known_, knownBack_, knownOps_; // values and ops that correspond
};

/// The first thing that could not be built.
class Reason final : public RewriteListener {
public:
  void noMatch(Op, const char *condition, unsigned) override {
    if (text.empty())
      text = condition;
  }
  std::string text;
};

std::string notBuilt(std::string_view side, const Reason &why) {
  return fmt::format("what stands {} of `=>` cannot be built{}\n", side,
                     why.text.empty() ? ": an attribute or a type in it has no value" : "; it needs: " + why.text);
}

/// Both sides on random inputs: what differs by more than rounding, empty if nothing does. What has no kernel, or is
/// large, is not compared.
std::string differenceOf(Function &before, Function &after) {
  constexpr unsigned kInputs = 2;
  constexpr size_t kLargest = 64 << 20; // bytes: what is larger takes seconds, and shows no more
  constexpr double kTolerance = 1e-4;   // as of --check: patterns may round otherwise, if their tags say so
  EvalOptions options;
  options.maxWork = 10'000'000;
  options.maxBytes = kLargest;
  size_t inputs = 0;
  for (ValueId param : before.params(before.body())) {
    const Value x = before.value(param);
    const std::optional<int64_t> count = before.context().elementCount(x.typeId());
    if (count && size_t(*count) > kLargest)
      return "";
    inputs += count ? size_t(*count) * dtypeBytes(x.type().dtype) : 0;
  }
  if (inputs > kLargest)
    return "";
  const Comparison compared = compareFunctions(before, after, kInputs, kTolerance, 1, options);
  return compared.outcome == Comparison::Differ ? compared.text : "";
}

/// Runs what is tested; a reason why that cannot be.
std::string run(const Registry &registry, const TestEntry &test, Program &program, Diagnostics &diags,
                SourceManager &sources) {
  InterpreterFolder folder;
  if (test.kind != TestEntry::Kind::Pattern) {
    PassManager manager(registry);
    PassManagerOptions options;
    options.rewriteConfig.folder = &folder;
    PassOrPipeline tested = registry.stage(targetOf(test), {test.space, test.file});
    std::string name = tested.pass       ? registry.shownName(*tested.pass)
                       : tested.pipeline ? registry.shownName(*tested.pipeline)
                                         : std::string(test.name);
    if (!tested.clash.empty())
      return tested.clash;
    if (!manager.parse(name, sources, diags))
      return diags.renderText();
    PassManagerResult result = manager.run(program, options);
    for (const PassRecord &record : result.records)
      if (record.failed)
        return record.pass + " failed: " + record.message;
    for (const PassWarning &warning : result.warnings)
      if (warning.kind == PassWarning::NoEnd)
        return warning.message;
    return "";
  }
  std::vector<const PatternEntry *> meant = registry.patterns.meant(targetOf(test), {test.space, test.file});
  if (meant.size() != 1)
    return meant.empty() ? "there is no such pattern" : "there are several such patterns";
  PatternSet set(registry.ops);
  set.add(registry.patterns.make(*meant.front(), registry.ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  GreedyRewriteConfig config;
  config.allowFastMath = FastMath::every();
  config.expensiveChecks = true;
  config.enableFolding = false;
  RewriteResult result = applyPatternsGreedily(program.functions().front(), frozen, config);
  if (!result.checkFailure.empty() || result.converged)
    return result.checkFailure;
  return fmt::format("it does not come to an end: stopped after {} rewrites; does what it builds match again?",
                     result.rewrites);
}
} // namespace

NameRef targetOf(const TestEntry &test) { return *test.target.name ? NameRef(test.target) : NameRef(test.name); }

bool buildTestSide(Program &program, const TestEntry &test, bool after, RewriteListener *why) {
  Function &fn = program.addFunction("test");
  PatternRewriter rw(fn, why);
  rw.setExplain(why != nullptr);
  rw.setInsertionPointToEnd(fn.body());
  InlineList<Value> results;
  if (!test.build(rw, after, results))
    return false;
  InlineList<ValueId> ids;
  for (Value v : results)
    ids.push_back(v.id);
  fn.appendOp(fn.body(), kReturnKind, ids, program.context().noAttrs(), {});
  return true;
}

std::string runTest(const Registry &registry, const TestEntry &test) {
  SourceManager sources;
  Diagnostics diags(sources);
  Program program(registry.ops);
  Reason why;
  if (!buildTestSide(program, test, false, &why))
    return notBuilt("left", why);
  if (!verifyProgram(program, diags))
    return "what stands left of `=>` is no valid program:\n" + diags.renderText();
  Program expected(program.sharedContext());
  auto buildExpected = [&]() -> std::string {
    if (!buildTestSide(expected, test, !test.unchanged, &why))
      return notBuilt("right", why);
    if (!verifyProgram(expected, diags))
      return "what stands right of `=>` is no valid program:\n" + diags.renderText();
    return "";
  };
  std::string before = printFunction(program.functions().front());
  Program original = program.clone();
  std::string trouble;
  // A pass may choose the version of a dialect, as conversions do: then what should come is of that version.
  if (test.kind == TestEntry::Kind::Pattern && !(trouble = buildExpected()).empty())
    return trouble;
  if (std::string why = run(registry, test, program, diags, sources); !why.empty())
    return why + "\n";
  if (test.kind != TestEntry::Kind::Pattern && !(trouble = buildExpected()).empty())
    return trouble;
  if (!verifyProgram(program, diags))
    return "the result is no valid program:\n" + diags.renderText();
  std::string after = printFunction(program.functions().front()), wanted = printFunction(expected.functions().front());
  if (after == wanted || SameGraph(expected.functions().front(), program.functions().front()).compare()) {
    if (std::string differs =
            after == before ? "" : differenceOf(original.functions().front(), program.functions().front());
        !differs.empty())
      return fmt::format("it becomes what it should, but that computes something else on a random input: {}\n{}",
                         differs, before);
    return "";
  }
  if (test.unchanged)
    return fmt::format("it should stay unchanged:\n{}but became:\n{}", before, after);
  return fmt::format("from:\n{}came{}:\n{}but should come:\n{}", before, after == before ? " the same" : "", after,
                     wanted);
}

int runTests(const Registry &registry, std::string_view glob, size_t first) {
  unsigned passed = 0, failed = 0;
  for (const TestEntry &test : std::span(registry.tests()).subspan(std::min(first, registry.tests().size()))) {
    if (!matchesGlob(glob, test.name))
      continue;
    std::string why = runTest(registry, test);
    why.empty() ? ++passed : ++failed;
    if (!why.empty())
      fmt::print("{}:{}: test {} failed: {}", test.file, test.line, test.name, why);
  }
  if (passed + failed == 0 && glob == "*")
    fmt::print(
        "there are no tests: `test NAME (x: f32[2]) {{ before(x) => after(x) }}` in a pattern file declares one\n");
  else if (passed + failed == 0)
    fmt::print("no test of a name like {}\n", glob);
  else
    fmt::print("{} test{} passed{}\n", passed, passed == 1 ? "" : "s",
               failed ? fmt::format(", {} failed", failed) : "");
  std::fflush(stdout);
  return failed || !passed;
}

} // namespace rw
