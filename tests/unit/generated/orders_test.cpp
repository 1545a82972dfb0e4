// Many commutative ops in one match: orders.rw. How many tests fail is counted, not how long they take; the counts hold
// for patterns that are compiled and for those that are interpreted.
#include "orders.rw.h"
#include "rewritten.h"

#include "rw/rewrite/order_search.h"
#include "rw/rewrite/rewriter.h"

#include <fmt/format.h>

using namespace rw;

namespace {

struct Reasons : RewriteListener {
  size_t count = 0, gaveUp = 0;
  bool wantsReasons() const override { return true; }
  void noMatch(Op, const char *condition, unsigned) override {
    ++count;
    gaveUp += std::string_view(condition) == OrderSearch::kGaveUp;
  }
};

/// A function of `params` values, %p0 and so on.
std::string function(unsigned params, const std::string &ops, std::string_view returned) {
  std::string head = "func @f(";
  for (unsigned i = 0; i < params; ++i)
    head += fmt::format("{}%p{}: f32[2]", i ? ", " : "", i);
  return fmt::format("{}) -> f32[2] {{\n{}  return {}\n}}", head, ops, returned);
}

struct Tried {
  bool fired = false;
  size_t failures = 0;
  size_t gaveUp = 0;
};

/// The pattern is tried once, at the op before the `return`.
Tried tryOnce(std::string_view pattern, const std::string &text) {
  Registry registry;
  test::generated::register_orders(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  auto program = parseProgram(sources.addText("in.rwir", text), sources, diags, registry.ops);
  REQUIRE_MESSAGE(program, diags.renderText());
  Function &fn = program->functions().front();
  Op last = fn.terminator(fn.body()).operand(0).definingOp();
  Tried out;
  for (const PatternEntry &entry : registry.patterns.all()) {
    if (entry.info.name != pattern)
      continue;
    PatternSet set(registry.ops);
    set.add(entry.make(registry.ops));
    FrozenPatternSet frozen = std::move(set).freeze();
    Reasons reasons;
    PatternRewriter rewriter(fn, &reasons);
    rewriter.setExplain(true);
    rewriter.begin(last);
    out.fired = frozen.pattern(0).matchAndRewrite(last, rewriter);
    out.failures = reasons.count;
    out.gaveUp = reasons.gaveUp;
  }
  return out;
}

/// `n` additions, the sum so far on the left or on the right of each, on top of `bottom`.
std::string sums(unsigned n, bool left, const std::string &bottom, const std::string &other) {
  std::string text = bottom;
  for (unsigned i = 1; i <= n; ++i) {
    std::string before = i == 1 ? "%s0" : fmt::format("%s{}", i - 1), side = fmt::format("%p{}", i);
    if (!other.empty()) {
      text += fmt::format("  %o{0} = {1}(%p{0}) : f32[2]\n", i, other);
      side = fmt::format("%o{}", i);
    }
    text += fmt::format("  %s{} = o.add({}, {}) : f32[2]\n", i, left ? before : side, left ? side : before);
  }
  return text;
}

/// A sum of products of two parameters each, as a chain; the last product is of %p0 and %p1, if `same`.
std::string products(unsigned n, bool same) {
  std::string text;
  for (unsigned i = 0; i < n; ++i) {
    bool first = same && i + 1 == n;
    text += fmt::format("  %m{} = o.mul(%p{}, %p{}) : f32[2]\n", i, first ? 0 : 2 * i, first ? 1 : 2 * i + 1);
  }
  for (unsigned i = 1; i < n; ++i)
    text += fmt::format("  %s{} = o.add({}, %m{}) : f32[2]\n", i,
                        i == 1 ? std::string("%m0") : fmt::format("%s{}", i - 1), i);
  return text;
}

} // namespace

TEST_CASE("twenty commutative ops: failures are as many as ops, whatever the order of operands") {
  const std::string relu = "  %s0 = o.relu(%p0) : f32[2]\n", exp = "  %s0 = o.exp(%p0) : f32[2]\n";
  for (bool left : {true, false}) {
    CAPTURE(left);
    Tried fires = tryOnce("Chain", function(21, sums(20, left, relu, ""), "%s20"));
    CHECK(fires.fired);
    CHECK(fires.failures <= 20);
    Tried fails = tryOnce("Chain", function(21, sums(20, left, exp, ""), "%s20"));
    CHECK(!fails.fired);
    CHECK(fails.failures <= 60);
    CHECK(fails.gaveUp == 0);
    Tried kinds = tryOnce("Kinds", function(21, sums(20, left, relu, "o.exp"), "%s20"));
    CHECK(kinds.fired);
    CHECK(kinds.failures <= 20);
    CHECK(tryOnce("Kinds", function(21, sums(20, left, relu, "o.neg"), "%s20")).failures <= 2);
  }
}

TEST_CASE("one value twice stands in one order") {
  std::string text = "  %s0 = o.exp(%p0) : f32[2]\n";
  for (unsigned i = 1; i <= 20; ++i)
    text += fmt::format("  %s{0} = o.add(%s{1}, %s{1}) : f32[2]\n", i, i - 1);
  Tried fails = tryOnce("Chain", function(1, text, "%s20"));
  CHECK(!fails.fired);
  CHECK(fails.failures <= 2); // the root as written and swapped
}

TEST_CASE("what a condition does not depend on is not tried again") {
  Tried fires = tryOnce("Products", function(22, products(11, true), "%s10"));
  CHECK(fires.fired); // a0 = p0, b10 = p0: the last product swapped
  CHECK(fires.failures <= 15);
  Tried fails = tryOnce("Products", function(22, products(11, false), "%s10"));
  CHECK(!fails.fired);
  CHECK(fails.failures <= 30);
  CHECK(fails.gaveUp == 0);
}

TEST_CASE("orders are tried up to a limit, and the reason says so") {
  std::string text;
  std::vector<std::string> level;
  for (unsigned i = 0; i < 17; ++i) {
    text += fmt::format("  %m{} = o.mul(%p{}, %p{}) : f32[2]\n", i, 2 * i, 2 * i + 1);
    level.push_back(fmt::format("%m{}", i));
  }
  for (unsigned n = 0; level.size() > 1;) {
    std::vector<std::string> next;
    for (size_t i = 0; i < level.size(); i += 2) {
      if (i + 1 == level.size()) {
        next.push_back(level[i]);
        continue;
      }
      text += fmt::format("  %s{} = o.add({}, {}) : f32[2]\n", n, level[i], level[i + 1]);
      next.push_back(fmt::format("%s{}", n++));
    }
    level = next;
  }
  Tried hopeless = tryOnce("Hopeless", function(34, text, level[0]));
  CHECK(!hopeless.fired);
  CHECK(hopeless.gaveUp == 1);
  CHECK(hopeless.failures > OrderSearch::kMostTries / 2);
  CHECK(hopeless.failures < 4 * OrderSearch::kMostTries);
}

TEST_CASE("the first assignment in written order is found") {
  auto rewritten = [](std::string_view only, const std::string &text) {
    return rewrittenBothWays(test::generated::register_orders, only, text);
  };
  std::string text = "  %s0 = o.relu(%p0) : f32[2]\n";
  for (unsigned i = 1; i <= 7; ++i) {
    text += fmt::format("  %o{} = o.{}(%p{}) : f32[2]\n", i, i % 2 ? "neg" : "exp", i == 7 ? 1 : i);
    text += fmt::format("  %s{} = o.add(%o{}, %s{}) : f32[2]\n", i, i, i - 1);
  }
  CHECK(rewritten("Alternatives", function(8, text, "%s7")) == "  %s7 = o.add(%p0, %p1) : f32[2]\n  return %s7\n");
  text.replace(text.rfind("(%p1)"), 5, "(%p7)");
  CHECK(rewritten("Alternatives", function(8, text, "%s7")) == "unchanged");

  auto behind = [](std::string_view product, std::string_view last) {
    return function(
        8,
        fmt::format("  %0 = o.mul({}) : f32[2]\n  %1 = o.add(%p2, %0) : f32[2]\n  %2 = o.neg(%1) : f32[2]\n"
                    "  %3 = o.add(%p3, %2) : f32[2]\n  %4 = o.add(%3, %p4) : f32[2]\n  %5 = o.add(%p5, %4) : f32[2]\n"
                    "  %6 = o.add(%5, {}) : f32[2]\n  %7 = o.exp(%6) : f32[2]\n",
                    product, last),
        "%7");
  };
  // `up` is one neg long, and the product is taken swapped.
  CHECK(rewritten("Behind", behind("%p0, %p1", "%p1")) ==
        "  %0 = o.mul(%p0, %p4) : f32[2]\n  %1 = o.neg(%0) : f32[2]\n  %2 = o.add(%1, %p5) : f32[2]\n  return %2\n");
  CHECK(rewritten("Behind", behind("%p0, %p1", "%p6")) == "unchanged");
}
