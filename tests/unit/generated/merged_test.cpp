// Patterns merged and on their own do the same: random programs, random sets of patterns in random order.
#include "merged.rw.h"
#include "rewritten.h"

#include "rw/rewrite/matching_net.h"

#include <fmt/format.h>

#include <random>

using namespace rw;

namespace {

using Random = std::mt19937;
unsigned pick(Random &random, unsigned n) { return unsigned(random() % n); }

/// A program in which most patterns of merged.rw find something.
std::string randomProgram(Random &random, unsigned ops) {
  static constexpr const char *dtypes[] = {"f32[2]", "f16[2]", "i32[2]"};
  std::string type = dtypes[pick(random, 3)];
  bool floats = type[0] == 'f';
  std::string text = fmt::format("func @f(%a: {0}, %b: {0}) -> ({0}, {0}) {{\n", type);
  std::vector<std::string> values{"%a", "%b"};
  static constexpr const char *orders[] = {"[0, 1]", "[1, 0]", "[0, 1, 2]", "[2, 0, 1]", "[1, 2, 0]"};
  auto any = [&] { return values[values.size() - 1 - pick(random, std::min<unsigned>(unsigned(values.size()), 4))]; };
  for (unsigned i = 0; i < ops; ++i) {
    std::string rhs;
    switch (pick(random, 16)) {
    case 0:
      rhs = fmt::format("m.constant() {{value = dense<{}: {}{}>}}", type, pick(random, 5), floats ? ".0" : "");
      break;
    case 1:
    case 2:
      rhs = fmt::format("m.f({})", any());
      break;
    case 3:
      rhs = fmt::format("m.g({}) {{axis = {}{}}}", any(), pick(random, 6), pick(random, 2) ? ", mode = \"deep\"" : "");
      break;
    case 4:
      rhs = fmt::format("m.g({}) {{axis = {}{}}}", any(), pick(random, 4),
                        pick(random, 3) ? "" : ", mode = \"flat\", note = 1");
      break;
    case 5:
      rhs = fmt::format("m.h({})", any());
      break;
    case 6:
    case 7:
      rhs = fmt::format("m.add({}, {})", any(), any());
      break;
    case 8:
      rhs = fmt::format("m.sub({}, {})", any(), any());
      break;
    case 9:
      rhs = pick(random, 2) ? fmt::format("m.pick({})", any()) : fmt::format("m.pick({}, {})", any(), any());
      break;
    case 10: {
      static constexpr const char *names[] = {"", "lib.a", "lib.b", "\\\\", "a\\n\\\"b\\\"", "other", "größe"};
      rhs = fmt::format("m.named({}) {{name = \"{}\"}}", any(), names[pick(random, 7)]);
      break;
    }
    case 11: {
      std::string operands = any();
      for (unsigned n = pick(random, 3); n > 0; --n)
        operands += ", " + any();
      rhs = fmt::format("m.many({})", operands);
      break;
    }
    case 12:
    case 13:
      rhs = fmt::format("m.turn({}) {{order = {}}}", any(), orders[pick(random, 5)]);
      break;
    case 14:
      rhs = pick(random, 3) ? fmt::format("m.late({}) {{order = {}}}", any(), orders[pick(random, 5)])
                            : fmt::format("m.late({})", any());
      break;
    default:
      text += fmt::format("  %{0}, %s{0} = m.two({1}) : {2}, {2}\n", i, any(), type);
      values.push_back(fmt::format("%{}", i));
      values.push_back(fmt::format("%s{}", i));
      continue;
    }
    text += fmt::format("  %{} = {} : {}\n", i, rhs, type);
    values.push_back(fmt::format("%{}", i));
  }
  return text + fmt::format("  return {}, {}\n}}\n", any(), any());
}

struct Outcome {
  std::string text;
  std::vector<uint64_t> applied;
  uint64_t tried = 0;
  bool converged = false;
};

Outcome run(const Registry &registry, const FrozenPatternSet &set, const std::string &text,
            GreedyRewriteConfig config) {
  SourceManager sources;
  Diagnostics diags(sources);
  auto program = parseProgram(sources.addText("in.rwir", text), sources, diags, registry.ops);
  INFO(text, diags.renderText());
  REQUIRE(program);
  RewriteResult result = applyPatternsGreedily(program->functions().front(), set, config);
  CHECK(result.checkFailure == "");
  Outcome out{printProgram(*program), {}, 0, result.converged};
  for (const PatternCounters &c : result.patterns) {
    out.applied.push_back(c.applied);
    out.tried += c.tried;
  }
  return out;
}

/// Every pattern of merged.rw with probability `part` of 4, in random order.
FrozenPatternSet randomSet(const Registry &registry, Random &random, unsigned part) {
  std::vector<const PatternEntry *> entries;
  for (const PatternEntry &entry : registry.patterns.all())
    if (pick(random, 4) < part)
      entries.push_back(&entry);
  if (pick(random, 2))
    std::shuffle(entries.begin(), entries.end(), random);
  PatternSet set(registry.ops);
  for (const PatternEntry *entry : entries)
    set.add(entry->make(registry.ops));
  return std::move(set).freeze();
}

Registry &merged() {
  static Registry registry;
  if (registry.patterns.all().empty())
    test::generated::register_merged(registry);
  return registry;
}

} // namespace

TEST_CASE("merged or not: the same program, and each pattern applied as often") {
  Registry &registry = merged();
  Random random(7);
  uint64_t rewrites = 0, attempts = 0, attemptsMerged = 0;
  for (unsigned round = 0; round < 400; ++round) {
    FrozenPatternSet set = randomSet(registry, random, 2 + round % 3);
    std::string text = randomProgram(random, 5 + pick(random, 40));
    PatternFilter filter;
    GreedyRewriteConfig config;
    config.expensiveChecks = round % 4 == 0;
    config.order = round % 3 == 0 ? RewriteOrder::TopDown : RewriteOrder::BottomUp;
    if (round % 5 == 0)
      config.maxRewrites = 1 + pick(random, 6);
    if (round % 7 == 0) {
      filter.disabled = {"Add*", "GZero", "F?"};
      config.filter = &filter;
    }
    Outcome together = run(registry, set, text, config);
    config.merge = false;
    Outcome alone = run(registry, set, text, config);
    INFO("round ", round, "\n", text);
    REQUIRE(together.text == alone.text);
    REQUIRE(together.applied == alone.applied);
    REQUIRE(together.converged == alone.converged);
    for (uint64_t n : alone.applied)
      rewrites += n;
    attempts += alone.tried;
    attemptsMerged += together.tried;
  }
  CHECK(rewrites > 1000);
  CHECK(attemptsMerged * 2 < attempts);
}

TEST_CASE("the net tells apart what has one name: attributes at different places, ops of different versions") {
  Registry &registry = merged();
  PatternSet set(registry.ops);
  for (std::string_view name : {"HLeft", "HRight", "HAged", "HAgedOld"})
    set.add(registry.patterns.find(name)->make(registry.ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  std::string text = "func @f(%a: f32[2]) -> (f32[2], f32[2], f32[2], f32[2], f32[2], f32[2]) {\n";
  unsigned next = 0;
  for (const char *op :
       {"left(%a) {axis = 2, keep = 1}", "right(%a) {axis = 2, keep = 1}", "left(%a) {axis = 1, keep = 2}",
        "right(%a) {axis = 2, keep = 1, mode = 1}", "aged(%a, %a)", "aged@2(%a) {keep = 1}"}) {
    text += fmt::format("  %{} = m.{} : f32[2]\n  %{} = m.h(%{}) : f32[2]\n", next, op, next + 1, next);
    next += 2;
  }
  text += "  return %1, %3, %5, %7, %9, %11\n}\n";
  GreedyRewriteConfig config;
  Outcome together = run(registry, frozen, text, config);
  config.merge = false;
  Outcome alone = run(registry, frozen, text, config);
  CHECK(together.text == alone.text);
  CHECK(together.applied == std::vector<uint64_t>{1, 1, 1, 1});
}

TEST_CASE("a cost model has its way whether patterns are merged or not") {
  Registry &registry = merged();
  Random random(11);
  FrozenPatternSet set = randomSet(registry, random, 4);
  for (unsigned round = 0; round < 40; ++round) {
    std::string text = randomProgram(random, 30);
    GreedyRewriteConfig config;
    config.costModel = [](Op, size_t index) { return int(index * 7 % 5) - 1; };
    Outcome together = run(registry, set, text, config);
    config.merge = false;
    Outcome alone = run(registry, set, text, config);
    CHECK(together.text == alone.text);
    CHECK(together.applied == alone.applied);
    CHECK(together.tried == alone.tried);
  }
}

TEST_CASE("a set has one net, whichever way its patterns are made") {
  Registry &registry = merged();
  struct ByHand final : MultiOpPattern {
    explicit ByHand(KindId root) : MultiOpPattern({.name = "ByHand", .benefit = 3}, {root}) {}
    bool matchAndRewrite(Op, PatternRewriter &) const override { return false; }
  };
  PatternSet set(registry.ops);
  for (std::string_view name : {"GTwo", "GOne", "FF"})
    set.add(registry.patterns.find(name)->make(registry.ops));
  KindId g = registry.ops.lookup("m.g");
  set.add(std::make_unique<ByHand>(g));
  set.add(registry.patterns.find("GThree")->make(registry.ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  const MatchingNet &net = frozen.net();
  // the one written by hand, and one of those that ask for different numbers
  CHECK(net.worst(net.rootOf(g)).patterns == 2);
  CHECK(net.rootOf(registry.ops.lookup("m.f")) != 0); // one pattern alone is asked for its opening, too
  Outcome out = run(
      registry, frozen,
      "func @f(%a: f32[2]) -> f32[2] {\n  %0 = m.h(%a) : f32[2]\n  %1 = m.g(%0) {axis = 2} : f32[2]\n  return %1\n}\n",
      {});
  CHECK(out.applied == std::vector<uint64_t>{1, 0, 0, 0, 0});
  CHECK(out.tried == 2);
}

TEST_CASE("a hundred patterns of one root are tried no more often than ten") {
  Registry &registry = merged();
  auto tried = [&](std::string_view glob, std::string_view op) {
    PatternSet set(registry.ops);
    size_t count = 0;
    for (const PatternEntry &entry : registry.patterns.all())
      if (matchesGlob(glob, entry.info.name)) {
        set.add(entry.make(registry.ops));
        ++count;
      }
    FrozenPatternSet frozen = std::move(set).freeze();
    CHECK(frozen.net().rootOf(registry.ops.lookup(op)) != 0);
    std::string text = "func @f(%a: f32[2]) -> f32[2] {\n  %c = m.constant() {value = dense<f32[2]: 105.0>} : f32[2]\n";
    for (unsigned i = 0; i < 20; ++i)
      text += op == "m.add" ? fmt::format("  %{} = m.add(%{}, {}) : f32[2]\n", i, i ? fmt::format("{}", i - 1) : "a",
                                          i % 2 ? "%c" : "%a")
                            : fmt::format("  %{} = m.number(%{}) {{axis = {}}} : f32[2]\n", i,
                                          i ? fmt::format("{}", i - 1) : "a", i % 4 ? i % 10 : 100 + i);
    text += "  return %19\n}\n";
    Outcome out = run(registry, frozen, text, {});
    uint64_t applied = 0;
    for (uint64_t n : out.applied)
      applied += n;
    CHECK(out.tried == applied); // no attempt in vain
    return std::pair(count, applied);
  };
  CHECK(tried("Few_*", "m.number") == std::pair<size_t, uint64_t>(10, 15));
  CHECK(tried("Lots_*", "m.number") == std::pair<size_t, uint64_t>(100, 5));
  CHECK(tried("LotsOfSums_*", "m.add") == std::pair<size_t, uint64_t>(20, 10));
}

TEST_CASE("what attributes rule out is tried once for all ops with the same") {
  Registry &registry = merged();
  PatternSet set(registry.ops);
  for (std::string_view name : {"TurnNone", "TurnBack", "TurnLate"})
    set.add(registry.patterns.find(name)->make(registry.ops));
  FrozenPatternSet frozen = std::move(set).freeze();
  auto tried = [&](const std::string &ops, unsigned count) {
    std::string text = "func @f(%a: f32[2], %b: f32[2, 2]) -> (f32[2], f32[2, 2]) {\n";
    std::string last[2] = {"%a", "%b"};
    for (unsigned i = 0; i < count; ++i)
      for (unsigned k : {0u, 1u}) {
        text += fmt::format(fmt::runtime(ops), fmt::arg("n", 2 * i + k), fmt::arg("x", last[k]),
                            fmt::arg("type", k ? "f32[2, 2]" : "f32[2]"));
        last[k] = fmt::format("%{}", 2 * i + k);
      }
    GreedyRewriteConfig config;
    config.expensiveChecks = false; // which try patterns one by one
    Outcome out = run(registry, frozen, text + fmt::format("  return {}, {}\n}}\n", last[0], last[1]), config);
    return std::pair(out.tried, out.applied);
  };
  using Applied = std::vector<uint64_t>;
  // Neither alone nor with the one before: each pattern once. Loaded patterns see it the second time.
  const auto [many, applied] = tried("  %{n} = m.turn({x}) {{order = [1, 2, 0]}} : {type}\n", 2);
  CHECK(applied == Applied{0, 0, 0});
  CHECK(tried("  %{n} = m.turn({x}) {{order = [1, 2, 0]}} : {type}\n", 40).first <= many + 2);
  // What stands for an attribute that is left out depends on the operand: rank 1 and rank 2 are asked apart.
  CHECK(tried("  %l{n} = m.late({x}) : {type}\n  %{n} = m.turn(%l{n}) {{order = [1]}} : {type}\n", 3).second ==
        Applied{0, 0, 3});
  CHECK(tried("  %l{n} = m.late({x}) : {type}\n  %{n} = m.turn(%l{n}) {{order = [2]}} : {type}\n", 3).second ==
        Applied{0, 0, 3});
}

TEST_CASE("one who asks why patterns do not match hears of every one") {
  Registry &registry = merged();
  struct Reasons : RewriteListener {
    bool wantsReasons() const override { return true; }
    void noMatch(Op, const char *, unsigned) override { ++count; }
    size_t count = 0;
  } reasons;
  Random random(3);
  FrozenPatternSet set = randomSet(registry, random, 4);
  GreedyRewriteConfig config;
  config.listener = &reasons;
  Outcome out = run(registry, set,
                    "func @f(%a: f32[2]) -> f32[2] {\n  %0 = m.g(%a) {axis = 9} : f32[2]\n  return %0\n}\n", config);
  CHECK(out.tried == 7);
  CHECK(reasons.count >= 7);
}
