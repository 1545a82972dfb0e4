// The core passes and the pass manager.

#include "pass_fixture.h"

#include <stdexcept>

using namespace toy;

TEST_CASE("cse: equal pure ops are one, commutative operands in either order") {
  PassFixture t;
  Value y = t.un(c, t.x);
  Value f1 = t.bin(f, t.x, y), f2 = t.bin(f, y, t.x);
  Value g1 = t.bin(g, t.x, y), g2 = t.bin(g, y, t.x), g3 = t.bin(g, t.x, y);
  t.ret({f1, f2, g1, g2, g3});
  PassManagerResult r = t.run("cse");
  CHECK(r.changed);
  Op end = t.fn->terminator(t.fn->body());
  CHECK(end.operand(0) == end.operand(1));
  CHECK(end.operand(2) == end.operand(4));
  CHECK(end.operand(2).id != end.operand(3).id);
  CHECK(t.fn->liveOps() == 5);
  CHECK(!t.run("cse").changed);
}

TEST_CASE("cse: attributes, types, effects and float bits count") {
  PassFixture t;
  Op a1 = OpBuilder(*t.fn, t.fn->body()).create(a, {t.x}, {t.ctx().intAttr(1)});
  Op a2 = OpBuilder(*t.fn, t.fn->body()).create(a, {t.x}, {t.ctx().intAttr(2)});
  Value c1 = t.un(c, t.x), c2 = t.un(c, t.x);
  t.fn->setType(c2.id, t.ctx().tensorType(DType::F32, {Dim::unknown()}));
  Value e1 = t.un(eff, t.x), e2 = t.un(eff, t.x);
  Value plus = t.constant(t.ctx().floatAttr(0.0)), minus = t.constant(t.ctx().floatAttr(-0.0));
  t.ret({a1.result(), a2.result(), c1, c2, e1, e2, plus, minus});
  CHECK(!t.run("cse").changed);
}

TEST_CASE("cse: an outer op serves inner regions, a region never its sibling or what follows") {
  PassFixture t;
  Value outer = t.un(a, t.x);
  auto holder = [&](const OpSchema &s) {
    Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
    RegionId r = t.fn->addRegion(h.id);
    Value v = t.un(s, t.x, r);
    t.ret({v}, r);
    return h;
  };
  Op h1 = holder(a), h2 = holder(b), h3 = holder(b);
  Value after = t.un(b, t.x);
  t.ret({outer, h1.result(), h2.result(), h3.result(), after});
  PassManagerResult r = t.run("cse");
  CHECK(r.records[0].rewrites == 1);
  auto inside = [&](Op h) { return t.fn->terminator(h.regions()[0]).operand(0); };
  CHECK(inside(h1) == outer);
  CHECK(inside(h2).definingOp().is(b));
  CHECK(inside(h2).id != inside(h3).id);
  CHECK(after.definingOp().is(b));
}

TEST_CASE("cse: two regions of one op, and many nested ones, leave the table as it was") {
  PassFixture t;
  std::vector<Value> results;
  for (int i = 0; i < 300; ++i) {
    Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
    for (int k = 0; k < 2; ++k) {
      RegionId r = t.fn->addRegion(h.id);
      Value v = t.x;
      for (int n = 0; n < i % 7; ++n)
        v = OpBuilder(*t.fn, r).create(a, {v}, {t.ctx().intAttr(n)}).result();
      t.ret({v}, r);
    }
    results.push_back(t.un(c, h.result()));
    results.push_back(t.un(c, h.result())); // the only duplicates
  }
  std::vector<ValueId> ids;
  for (Value v : results)
    ids.push_back(v.id);
  OpBuilder(*t.fn, t.fn->body()).createReturn(ids);
  CHECK(t.run("cse").records[0].rewrites == 300);
}

TEST_CASE("cse: operands in one order on request") {
  PassFixture t;
  Value y = t.un(c, t.x);
  Value v = t.bin(f, y, t.x);
  t.ret({v});
  CHECK(!t.run("cse").changed);
  CHECK(t.run("cse{order-operands=true}").changed);
  CHECK(v.definingOp().operand(0) == t.x);
  CHECK(!t.run("cse{order-operands=true}").changed);
}

TEST_CASE("dce: chains, region ops and captures go; effects stay") {
  PassFixture t;
  Value captured = t.un(b, t.un(a, t.x));
  Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
  RegionId r = t.fn->addRegion(h.id);
  t.ret({t.un(c, captured, r)}, r);
  Value kept = t.un(eff, t.un(a, t.x));
  Op h2 = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
  RegionId r2 = t.fn->addRegion(h2.id);
  t.un(c, t.x, r2); // dead inside an op that is used
  t.ret({t.x}, r2);
  t.ret({h2.result()});
  PassManagerResult result = t.run("dce");
  CHECK(result.records[0].erased == 4); // hold, b, a, and the dead c
  CHECK(t.fn->liveOps() == 5);
  CHECK(kept.definingOp().operand(0).definingOp().is(a));
  CHECK(!t.run("dce").changed);
}

TEST_CASE("pattern passes: by name, by label, canonicalize; counters per pattern") {
  PassFixture t;
  auto fill = [&] { return t.un(a, t.un(a, t.bin(f, t.x, t.x))); };
  t.ret({fill()});
  PassManagerResult r = t.run("fxx,small,canonicalize");
  REQUIRE(r.records.size() == 3);
  CHECK(r.records[0].rewrites == 1);
  CHECK(r.records[1].rewrites == 1);
  CHECK(!r.records[2].changed);
  REQUIRE(r.patterns.size() == 2);
  CHECK(r.patterns[0].name == "FXX");
  CHECK(r.patterns[0].counters.applied == 1);
  CHECK(r.patterns[1].name == "AA");
  CHECK(t.fn->liveOps() == 1);
  std::string text = renderStatistics(r);
  CHECK(text.find("FXX                                             1        1\n") != std::string::npos);
}

TEST_CASE("a pass that names an unknown pattern is refused") {
  PassFixture t;
  t.registry.addPass({.name = "broken", .patterns = {"Gone"}});
  PassManager pm(t.registry);
  CHECK(!pm.parse("broken", t.sources, t.diags));
  CHECK(t.diags.renderText().find("pass `broken` names the pattern `Gone`, which is not registered") !=
        std::string::npos);
}

TEST_CASE("filters switch patterns off by name or glob; unknown names are errors with a suggestion") {
  PassFixture t;
  PatternFilter filter;
  t.ret({t.un(a, t.un(a, t.x))});
  filter.disabled = {"A*"};
  CHECK_FALSE(checkFilter(filter, t.registry));
  t.options.rewriteConfig.filter = &filter;
  CHECK(!t.run("canonicalize").changed);
  filter = {.disabled = {}, .only = {"FXY"}};
  CHECK(checkFilter(filter, t.registry)->message == "no pattern is named `FXY`; did you mean `FXX`?");
}

TEST_CASE("repeat runs to a fixpoint, at most so often, and says when it stopped") {
  struct Counting : FunctionPass {
    int *runs, until;
    Counting(int *runs, int until) : runs(runs), until(until) {}
    std::string_view name() const override { return "counting"; }
    PassResult run(Function &, PassContext &) override { return {.changed = ++*runs < until}; }
  };
  for (auto [until, expected, remarks] : {std::tuple{3, 3, 0}, {100, 5, 1}}) {
    PassFixture t;
    t.ret({t.x});
    static int runs, limit;
    runs = 0;
    limit = until;
    t.registry.addPass({.name = "counting", .make = [](const Registry &, const PassOptions &) -> MadePass {
                          return std::make_unique<Counting>(&runs, limit);
                        }});
    PassManagerResult r = t.run("repeat(5){counting}");
    CHECK(runs == expected);
    CHECK(r.remarks.size() == size_t(remarks));
  }
}

namespace {
/// Adds an op each time, so that no round is like one before.
struct Growing : FunctionPass {
  static inline int runs;
  std::string_view name() const override { return "growing"; }
  PassResult run(Function &fn, PassContext &) override {
    ++runs;
    OpBuilder(fn, fn.body()).create(eff, {Value{&fn, fn.params(fn.body())[0]}});
    return {.changed = true, .rewrites = {.rewrites = 1}};
  }
};
} // namespace

TEST_CASE("repetitions in each other end together, and their records do not grow with the rounds") {
  PassFixture t;
  t.ret({t.x});
  t.registry.addPass({.name = "growing", .make = [](const Registry &, const PassOptions &) -> MadePass {
                        return std::make_unique<Growing>();
                      }});
  Growing::runs = 0;
  t.options.mostRounds = 12'000;
  PassManagerResult r = t.run("repeat(1000000){repeat(1000000){growing}}, repeat(3){growing}");
  CHECK(Growing::runs == 12'001); // and each repetition once
  CHECK(r.records.size() == 10'001);
  CHECK(r.records.back().runs == 2'001);
  CHECK(r.records.back().rewrites == 2'001);
  REQUIRE(r.remarks.size() == 1);
  CHECK(r.remarks[0].starts_with(
      "12000 rounds in all were not enough: in the last one growing still changed something."));
}

namespace {
struct Breaking : FunctionPass {
  std::string_view name() const override { return "breaking"; }
  PassResult run(Function &fn, PassContext &) override {
    Op end = fn.terminator(fn.body());
    fn.setOperand(end.id, 0, fn.params(fn.body())[0]);
    return {.changed = true, .failed = true, .message = "it says so"};
  }
};
} // namespace

TEST_CASE("a failing pass is rolled back; the next runs, unless strict") {
  for (bool strict : {false, true}) {
    PassFixture t;
    t.ret({t.un(a, t.un(a, t.un(c, t.x)))});
    std::string before = dump(*t.fn);
    t.options.strict = strict;
    std::vector<std::string> seen;
    t.options.afterPass = [&](const PassRecord &r, Function &) { seen.push_back(r.pass + (r.changed ? "+" : "-")); };
    PassManager pm(t.registry);
    pm.add(std::make_unique<Breaking>());
    REQUIRE(pm.parse("canonicalize", t.sources, t.diags));
    PassManagerResult r = pm.run(*t.program, t.options);
    CHECK(r.failed);
    CHECK(r.stopped == strict);
    if (strict) {
      CHECK(dump(*t.fn) == before);
      CHECK(seen == std::vector<std::string>{"breaking-"});
    } else {
      CHECK(seen == std::vector<std::string>{"breaking-", "canonicalize+"});
      CHECK(t.fn->liveOps() == 2);
    }
    CHECK(renderStatistics(r).find("failed, rolled back: it says so") != std::string::npos);
  }
}

namespace {
/// Half way through an edit it throws what it was made with.
template <class Thrown> struct Throwing : FunctionPass {
  std::string_view name() const override { return "throwing"; }
  PassResult run(Function &fn, PassContext &context) override {
    fn.setOperand(fn.terminator(fn.body()).id, 0, fn.params(fn.body())[0]);
    context.program.addFunction("half_done");
    throw Thrown{"no more memory"};
  }
};
struct Interruption {
  std::string why;
};
} // namespace

TEST_CASE("a pass that throws is rolled back like one that fails") {
  PassFixture t;
  t.ret({t.un(a, t.un(a, t.un(c, t.x)))});
  PassManager pm(t.registry);
  pm.add(std::make_unique<Throwing<std::runtime_error>>());
  REQUIRE(pm.parse("canonicalize", t.sources, t.diags));
  PassManagerResult r = pm.run(*t.program, t.options);
  CHECK(r.failed);
  CHECK(r.records[0].message == "it threw an exception: no more memory");
  CHECK(t.program->functions().size() == 1);
  CHECK(t.program->functions().front().liveOps() == 2); // what the next pass makes of the program as it was
}

TEST_CASE("what is thrown and is no error goes on to whoever threw it, and the program is as it was before the pass") {
  PassFixture t;
  t.ret({t.un(a, t.un(a, t.un(c, t.x)))});
  std::string before = dump(*t.fn);
  PassManager pm(t.registry);
  pm.add(std::make_unique<Throwing<Interruption>>());
  CHECK_THROWS_AS(pm.run(*t.program, t.options), Interruption);
  CHECK(t.program->functions().size() == 1);
  CHECK(dump(t.program->functions().front()) == before);
}

TEST_CASE("expensive checks find a pass that says what is not so of its changes, and undo it") {
  struct Liar : FunctionPass {
    Liar(bool edits, bool says) : edits(edits), says(says) {}
    std::string_view name() const override { return "liar"; }
    bool mayFail() const override { return false; }
    PassResult run(Function &fn, PassContext &) override {
      if (edits) // a name counts as well
        fn.setValueName((*fn.ops(fn.body()).begin()).result().id, fn.context().intern("changed"));
      return {.changed = says};
    }
    bool edits, says;
  };
  for (bool edits : {false, true})
    for (bool says : {false, true}) {
      PassFixture t;
      t.ret({t.un(a, t.x)});
      std::string before = dump(*t.fn);
      t.options.rewriteConfig.expensiveChecks = true;
      PassManager pm(t.registry);
      pm.add(std::make_unique<Liar>(edits, says));
      PassManagerResult r = pm.run(*t.program, t.options);
      CHECK(r.failed == (edits != says));
      CHECK(r.changed == (edits && says));
      if (edits != says) {
        CHECK(r.records[0].message ==
              (edits ? "it reports no change but changed the program" : "it reports a change but changed nothing"));
        CHECK(dump(*t.fn) == before);
      }
    }
}

TEST_CASE("verify-each catches a pass that breaks the IR, names what, and undoes it") {
  struct Vandal : FunctionPass {
    std::string_view name() const override { return "vandal"; }
    PassResult run(Function &fn, PassContext &) override {
      Op first = *fn.ops(fn.body()).begin();
      fn.setOperand(first.id, 0, first.result().id); // an op that reads itself
      return {.changed = true};
    }
  };
  PassFixture t;
  t.ret({t.un(a, t.x)});
  std::string before = dump(*t.fn);
  t.options.verifyEach = true;
  PassManager pm(t.registry);
  pm.add(std::make_unique<Vandal>());
  PassManagerResult r = pm.run(*t.program, t.options);
  CHECK(r.failed);
  CHECK(r.records[0].message.find("the result does not verify: ") == 0);
  CHECK(dump(*t.fn) == before);
}
