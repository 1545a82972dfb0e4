// The matching net against asking each pattern's tests one by one: random tests, random functions; and how much an op
// is asked, and how large nets get, with few and with many patterns.
#include "random_tests.h"
#include "rw/rewrite/attempt.h"
#include "rw/rewrite/greedy_driver.h"
#include "rw/rewrite/net_builder.h"

#include <doctest/doctest.h>

#include <bit>
#include <deque>
#include <functional>
#include <random>

using namespace rw;
using namespace rw::net_test;

namespace {

std::vector<uint32_t> placesOf(const FoundPatterns &found) {
  std::vector<uint32_t> places;
  for (uint64_t left = found.near; left; left &= left - 1)
    places.push_back(uint32_t(std::countr_zero(left)));
  places.insert(places.end(), found.far.begin(), found.far.end());
  return places;
}

std::vector<TestList> listsOf(const std::vector<std::vector<SharedTest>> &patterns) {
  std::vector<TestList> lists;
  for (const auto &tests : patterns)
    lists.push_back({tests});
  return lists;
}

/// A pattern of tests that turns its root into an op of another kind. Some of its tests, from the first, are its
/// opening.
struct Tested final : MultiOpPattern {
  Tested(PatternInfo info, std::vector<KindId> roots, std::vector<SharedTest> tests, const OpSchema *to)
      : MultiOpPattern(info, std::move(roots)), tests_(std::move(tests)), to_(to) {
    if (!info_.fastmath && info_.benefit == 3) { // as if written by hand
      info_.opening = 0;
      return;
    }
    info_.tests = tests_;
    auto isOpen = [](const SharedTest &t) { return t.kind != SharedTest::SplatNumber; };
    auto end = std::find_if_not(tests_.begin(), tests_.end(), isOpen);
    info_.opening = std::min(info_.opening, uint32_t(end - tests_.begin()));
  }
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    Attempt match(root, rw);
    TestList list{info_.tests, info_.opening};
    if (!list.opensSwapping())
      return opens(match, root, 0) && holds(root, tests_, true) && rewrite(root, rw);
    for (unsigned order = match.firstOrder(); order < match.endOrder(); ++order)
      if (opens(match, root, order) && holds(root, tests_, true, order))
        return rewrite(root, rw);
    return false;
  }
  /// Whatever a net has asked of it, the opening opens where all of it holds, and its slots are what it looks at.
  bool opens(Attempt &match, Op root, unsigned order) const {
    std::span<const SharedTest> opening(tests_.data(), info_.opening);
    std::vector<uint32_t> slots;
    bool all = holds(root, opening, true, order, &slots);
    bool opens = match.opens(info_, order);
    CHECK(opens == all);
    opened += opens && !opening.empty();
    for (const SharedTest &t : opening)
      if (opens && setsSlot(t.kind))
        CHECK(match.raw(t.out) == slots[t.out]);
    return opens;
  }
  bool rewrite(Op root, PatternRewriter &rw) const {
    if (to_)
      return rw.replaceOpWithNew(root, *to_, {root.operand(0)});
    return rw.replaceOp(root, root.operand(0));
  }
  std::vector<SharedTest> tests_;
  const OpSchema *to_;
  static inline size_t opened = 0;
};

} // namespace

TEST_CASE("the net finds just the patterns whose tests hold") {
  Random random(1);
  size_t found = 0, asked = 0;
  for (unsigned round = 0; round < 600; ++round) {
    Dialect d(3 + round % 4);
    std::deque<KindSet> sets;
    std::deque<std::vector<const OpSchema *>> setOps;
    TestMaker maker{random, d, sets, setOps};
    std::vector<std::vector<SharedTest>> patterns(2 + pick(random, round % 10 == 0 ? 200 : 12));
    for (auto &tests : patterns)
      tests = maker.make(pick(random, 9), round % 2);
    NetBuilder builder(d.registry);
    std::vector<TestList> lists = listsOf(patterns);
    KindId kind = d.registry.kindOf(d.both);
    builder.add(kind, lists);
    MatchingNet net = std::move(builder).finish();
    uint32_t root = net.rootOf(kind);
    if (!root)
      continue;
    CHECK(!net.describe(root, d.registry).empty());
    NetRoom room(net);
    Program program(d.registry);
    Function &fn = program.addFunction("f");
    fill(random, d, fn, 40);
    for (Op op : fn.ops(fn.body())) {
      if (op.kind() != kind)
        continue;
      std::vector<uint32_t> places = placesOf(net.find(op, root, room));
      CHECK(places.size() <= net.worst(root).patterns);
      size_t at = 0;
      for (uint32_t i = 0; i < patterns.size(); ++i) {
        bool is = at < places.size() && places[at] == i;
        at += is;
        found += is;
        ++asked;
        std::string tests;
        for (const SharedTest &t : patterns[i])
          tests += "\n  kind " + std::to_string(t.kind) + " in " + std::to_string(t.in) + " out " +
                   std::to_string(t.out) + " index " + std::to_string(t.index);
        INFO("round ", round, ", pattern ", i, tests, "\n", net.describe(root, d.registry));
        if (holds(op, patterns[i], true))
          CHECK(is); // a pattern that may match is tried
        if (is)
          CHECK(holds(op, patterns[i], false)); // and no other, but for what hardly ever fails
      }
      CHECK(at == places.size()); // in order, each once
    }
  }
  CHECK(found > 5'000);
  CHECK(found * 2 < asked);
}

TEST_CASE("patterns of any origin do the same through the net as one by one") {
  Random random(2);
  uint64_t rewrites = 0, tried = 0, triedAlone = 0;
  for (unsigned round = 0; round < 200; ++round) {
    Dialect d(4);
    std::deque<KindSet> sets;
    std::deque<std::vector<const OpSchema *>> setOps;
    TestMaker maker{random, d, sets, setOps};
    PatternSet set(d.registry);
    static constexpr std::string_view kNames[] = {"A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7",
                                                  "A8", "A9", "B0", "B1", "B2", "B3", "B4", "B5"};
    for (std::string_view name : kNames) {
      std::vector<KindId> roots{d.registry.kindOf(d.both)};
      if (pick(random, 4) == 0)
        roots = kindsWithTraits(d.registry, Traits(Trait::Elementwise));
      // What replaces the root is no root of another, so that every set comes to an end.
      const OpSchema *to = pick(random, 2) ? &d.unary[pick(random, 2) * 2 + 1] : nullptr;
      PatternInfo info{.name = name,
                       .benefit = 1 + pick(random, 3),
                       .fastmath = pick(random, 8) == 0,
                       .depth = 10,
                       .looksAtUses = true};
      info.countsUses = true;
      info.opening = pick(random, 8);
      set.add(std::make_unique<Tested>(info, roots, maker.make(pick(random, 7), true), to));
    }
    FrozenPatternSet frozen = std::move(set).freeze();
    PatternFilter filter{.disabled = {"A3", "B*"}, .only = {}};
    auto run = [&](bool merge, Random same) {
      Program program(d.registry);
      Function &fn = program.addFunction("f");
      fill(same, d, fn, 60);
      GreedyRewriteConfig config;
      config.merge = merge;
      config.expensiveChecks = false;
      config.timePatterns = round % 5 == 0; // the slow way
      config.allowFastMath = round % 2;
      if (round % 3 == 0)
        config.filter = &filter;
      RewriteResult result = applyPatternsGreedily(fn, frozen, config);
      std::vector<uint64_t> applied;
      for (const PatternCounters &c : result.patterns) {
        applied.push_back(c.applied);
        (merge ? tried : triedAlone) += c.tried;
      }
      rewrites += result.rewrites;
      std::vector<std::array<uint32_t, 3>> ops;
      for (Op op : fn.ops(fn.body()))
        ops.push_back({op.id.raw, op.kind().raw, op.operand(0).id.raw});
      return std::pair(applied, ops);
    };
    Random same = random;
    CHECK(run(true, same) == run(false, same));
  }
  CHECK(rewrites > 1'000);
  CHECK(tried * 5 < triedAlone * 4);
  CHECK(Tested::opened > 500);
}

TEST_CASE("a pattern whose operands commute is tried once, whichever order holds") {
  Dialect d(2);
  std::vector<SharedTest> first{{.kind = SharedTest::Commute, .in = 0, .out = 1},
                                {.kind = SharedTest::Def, .in = 1, .out = 3, .op = &d.unary[0]}};
  std::vector<SharedTest> second{{.kind = SharedTest::Operand, .in = 0, .out = 1},
                                 {.kind = SharedTest::Def, .in = 1, .out = 2, .op = &d.unary[1]}};
  NetBuilder builder(d.registry);
  TestList lists[] = {{second}, {first}};
  KindId kind = d.registry.kindOf(d.both);
  builder.add(kind, lists);
  MatchingNet net = std::move(builder).finish();
  NetRoom room(net);
  Program program(d.registry);
  Function &fn = program.addFunction("f");
  Context &ctx = fn.context();
  TypeId type = ctx.tensorType(DType::F32, {});
  ValueId x = fn.addParam(type).id;
  auto make = [&](const OpSchema &s, std::vector<ValueId> operands) {
    return fn.appendOp(fn.body(), d.registry.kindOf(s), operands, ctx.noAttrs(), {&type, 1});
  };
  ValueId u0 = make(d.unary[0], {x}).result().id, u1 = make(d.unary[1], {x}).result().id;
  auto places = [&](ValueId a, ValueId b) { return placesOf(net.find(make(d.both, {a, b}), net.rootOf(kind), room)); };
  using List = std::vector<uint32_t>;
  CHECK(places(u0, u0) == List{1});
  CHECK(places(x, u0) == List{1});
  CHECK(places(u0, x) == List{1});
  CHECK(places(u1, u0) == List{0, 1});
  CHECK(places(x, u1) == List{});
}

TEST_CASE(
    "a thousand patterns of one root ask an op less than twice what ten ask it, and take a hundred times the room") {
  using Make = std::function<std::vector<SharedTest>(const Dialect &, unsigned)>;
  Dialect d(40);
  auto def = [&](unsigned slot, const OpSchema &op) {
    return std::vector<SharedTest>{
        {.kind = SharedTest::Def, .in = uint16_t(slot), .out = uint16_t(slot + 1), .op = &op},
        {.kind = SharedTest::Operand, .in = uint16_t(slot + 1), .out = uint16_t(slot + 2)}};
  };
  auto joined = [](std::initializer_list<std::vector<SharedTest>> parts) {
    std::vector<SharedTest> out;
    for (auto &p : parts)
      out.insert(out.end(), p.begin(), p.end());
    return out;
  };
  const SharedTest operand{.kind = SharedTest::Operand, .in = 0, .out = 1},
      commute{.kind = SharedTest::Commute, .in = 0, .out = 1};
  std::deque<std::string> texts;
  for (unsigned i = 0; i < 1'000; ++i)
    texts.push_back("lib.f" + std::to_string(i));
  auto attr = [&](unsigned op, unsigned index, SharedTest::Kind kind, unsigned i) {
    return std::vector<SharedTest>{
        {.kind = SharedTest::Attr, .in = uint16_t(op), .out = uint16_t(op + 9), .index = uint16_t(index)},
        {.kind = kind, .in = uint16_t(op + 9), .number = int64_t(i) * i, .text = texts[i]}};
  };
  const std::pair<const char *, Make> kinds[] = {
      {"numbers",
       [&](auto &, unsigned i) {
         return joined({{operand}, def(1, d.told), attr(2, 0, SharedTest::AttrInt, i)});
       }},
      {"strings",
       [&](auto &, unsigned i) {
         return joined({{operand}, def(1, d.told), attr(2, 1, SharedTest::AttrString, i)});
       }},
      {"constants",
       [&](auto &, unsigned i) {
         return std::vector<SharedTest>{commute, {.kind = SharedTest::SplatNumber, .in = 2, .real = double(i)}};
       }},
      {"ops",
       [&](auto &, unsigned i) {
         return joined({{operand}, def(1, d.unary[i % 10]), def(3, d.unary[i / 10 % 10]), def(5, d.unary[i / 100])});
       }},
      {"mixed",
       [&](auto &, unsigned i) {
         switch (i % 4) {
         case 0:
           return std::vector<SharedTest>{commute, {.kind = SharedTest::SplatNumber, .in = 2, .real = double(i)}};
         case 1:
           return joined({{commute}, def(1, d.told), attr(2, 0, SharedTest::AttrInt, i)});
         case 2:
           return joined({{commute}, def(1, d.unary[i % 40]), def(3, d.told), attr(4, 0, SharedTest::AttrInt, i)});
         default:
           return joined({{operand}, def(1, d.told), attr(2, 1, SharedTest::AttrString, i)});
         }
       }},
  };
  for (const auto &[name, make] : kinds) {
    CAPTURE(name);
    auto work = [&](unsigned count) {
      std::vector<std::vector<SharedTest>> patterns;
      for (unsigned i = 0; i < count; ++i)
        patterns.push_back(make(d, i));
      std::vector<TestList> lists = listsOf(patterns);
      NetBuilder builder(d.registry);
      KindId kind = d.registry.kindOf(d.both);
      builder.add(kind, lists);
      MatchingNet net = std::move(builder).finish();
      return std::pair(net.worst(net.rootOf(kind)), net.size());
    };
    auto [ten, tenSize] = work(10);
    auto [thousand, thousandSize] = work(1'000);
    CAPTURE(ten.questions);
    CAPTURE(thousand.questions);
    CHECK(thousand.questions <= 2 * ten.questions);
    CHECK(thousand.patterns <= ten.patterns + 2);
    CHECK(thousandSize <= 110 * tenSize);
  }
}
