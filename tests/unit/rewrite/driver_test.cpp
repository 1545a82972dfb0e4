// The greedy driver case by case: order, re-queueing, budgets, checks, counts of work.

#include "toy.h"

#include "rw/ir/program.h"

#include <doctest/doctest.h>

#include <utility>

using namespace toy;

namespace {

struct Fixture {
  OpRegistry ops;
  std::unique_ptr<Program> program;
  Function *fn = nullptr;
  TypeId type;
  Value x;
  GreedyRewriteConfig config;

  Fixture() {
    registerToy(ops);
    program = std::make_unique<Program>(ops);
    fn = &program->addFunction("main");
    type = program->context().tensorType(DType::F32, {Dim(2)});
    x = fn->addParam(type);
    config.expensiveChecks = false;
  }
  Value un(const OpSchema &s, Value v) { return OpBuilder(*fn, fn->body()).create(s, {v}).result(); }
  Value bin(const OpSchema &s, Value v, Value w) { return OpBuilder(*fn, fn->body()).create(s, {v, w}).result(); }
  void ret(std::initializer_list<Value> values) {
    std::vector<ValueId> ids;
    for (Value v : values)
      ids.push_back(v.id);
    OpBuilder(*fn, fn->body()).createReturn(ids);
  }
  Value result(unsigned i = 0) { return fn->terminator(fn->body()).operand(i); }
  RewriteResult run(std::initializer_list<unsigned> patterns) {
    uint32_t mask = 0;
    for (unsigned p : patterns)
      mask |= 1u << p;
    return applyPatternsGreedily(*fn, makeSet(ops, mask), config);
  }
  RewriteResult run(PatternInfo info, const OpSchema &root, Lambda::Body body) {
    PatternSet set(ops);
    set.add(std::make_unique<Lambda>(ops, info, root, std::move(body)));
    return applyPatternsGreedily(*fn, std::move(set).freeze(), config);
  }
};

} // namespace

TEST_CASE("a chain's end is tried again when its beginning comes about") {
  Fixture t;
  Value v = t.un(b, t.un(b, t.x));
  for (int i = 0; i < 10; ++i)
    v = t.un(toy::link, v);
  t.ret({t.un(c, v)});
  RewriteResult r = t.run({6, 12});
  CHECK(r.converged);
  CHECK(r.rewrites == 2);
  CHECK(t.fn->liveOps() == 11); // ten links and the return
}

TEST_CASE("a change is seen through links with several users where chains walk across them") {
  Fixture t;
  Value v = t.un(toy::link, t.un(toy::link, t.un(b, t.un(b, t.x))));
  t.ret({t.un(folds, v), v, t.un(eff, v)});
  RewriteResult r = t.run({12, 13});
  CHECK(r.converged);
  CHECK(r.rewrites == 2);
  CHECK(t.result(0).definingOp().is(toy::link));
}

TEST_CASE("several roots: a sibling is tried again when the other comes to read the same value") {
  Fixture t;
  Value f1 = t.un(a, t.bin(f, t.x, t.x));
  Value a2 = t.un(a, t.x);
  t.ret({f1, a2});
  RewriteResult r = t.run({4, 9});
  CHECK(r.converged);
  CHECK(t.result(0) == t.result(1));
}

TEST_CASE("dead ops go first, also with an empty set, and only if free of effects") {
  Fixture t;
  t.un(a, t.un(b, t.x));
  t.un(eff, t.x);
  t.ret({t.x});
  SUBCASE("on") {
    RewriteResult r = t.run({});
    CHECK(r.changed);
    CHECK(r.erased == 2);
    CHECK(t.fn->liveOps() == 2);
  }
  SUBCASE("off") {
    t.config.enableDce = false;
    RewriteResult r = t.run({});
    CHECK(!r.changed);
    CHECK(t.fn->liveOps() == 4);
  }
}

TEST_CASE("a region op goes only if all in it may") {
  for (bool effect : {false, true}) {
    Fixture t;
    Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
    RegionId inner = t.fn->addRegion(h.id);
    Value captured = t.x;
    Value v = OpBuilder(*t.fn, inner).create(effect ? eff : a, {captured}).result();
    OpBuilder(*t.fn, inner).createReturn({&v.id, 1});
    t.ret({t.x});
    RewriteResult r = t.run({});
    CHECK(r.erased == (effect ? 0 : 1));
    CHECK(t.fn->liveOps() == (effect ? 4 : 1));
  }
}

TEST_CASE("folds come before patterns, and their operands wake them") {
  Fixture t;
  Value k1 = OpBuilder(*t.fn, t.fn->body()).createConstant("t", t.fn->context().intAttr(1), t.type);
  Value v = t.un(folds, t.un(folds, k1));
  t.ret({v});
  RewriteResult r = t.run({});
  CHECK(r.folds == 2);
  CHECK(t.result() == k1);
  SUBCASE("switched off") {
    Fixture u;
    u.config.enableFolding = false;
    Value k2 = OpBuilder(*u.fn, u.fn->body()).createConstant("t", u.fn->context().intAttr(1), u.type);
    u.ret({u.un(folds, k2)});
    CHECK(!u.run({}).changed);
  }
}

TEST_CASE("benefit decides, then order of registration; a cost model overrides") {
  auto run = [](std::function<int(Op, size_t)> cost) {
    Fixture t;
    t.ret({t.un(c, t.x)});
    t.config.costModel = std::move(cost);
    PatternSet set(t.ops);
    std::string fired;
    auto add = [&](std::string_view name, unsigned benefit) {
      set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = name, .benefit = benefit}, c,
                                       [&, name](Op op, PatternRewriter &rw) {
                                         fired += name;
                                         return rw.replaceOp(op, op.operand(0));
                                       }));
    };
    add("P", 1);
    add("Q", 5);
    add("R", 5);
    applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config);
    return fired;
  };
  CHECK(run(nullptr) == "Q");
  CHECK(run([](Op, size_t index) { return index == 0 ? 9 : 1; }) == "P");
  CHECK(run([](Op, size_t index) { return index == 2 ? 0 : -1; }) == "R");
  CHECK(run([](Op, size_t) { return -1; }) == "");
}

TEST_CASE("fastmath patterns and filters") {
  Fixture t;
  t.ret({t.un(c, t.x)});
  auto drop = [](Op op, PatternRewriter &rw) { return rw.replaceOp(op, op.operand(0)); };
  CHECK(!t.run({.name = "Fast", .fastmath = true}, c, drop).changed);
  PatternFilter filter;
  t.config.filter = &filter;
  filter.disabled = {"Dr*"};
  CHECK(!t.run({.name = "Drop"}, c, drop).changed);
  filter.disabled.clear();
  filter.only = {"Other", "D?op"};
  CHECK(t.run({.name = "Drop"}, c, drop).changed);
}

TEST_CASE("two patterns that undo each other stop at the budget and are named") {
  Fixture t;
  t.ret({t.un(a, t.x)});
  PatternSet set(t.ops);
  set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "AtoB"}, a, [](Op op, PatternRewriter &rw) {
    return rw.replaceOp(op, rw.create(b, {op.operand(0)}));
  }));
  set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "BtoA"}, b, [](Op op, PatternRewriter &rw) {
    return rw.replaceOp(op, rw.create(a, {op.operand(0)}));
  }));
  RewriteResult r = applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config);
  CHECK(!r.converged);
  CHECK(r.rewrites <= 2000);
  CHECK(r.cycleRepeats);
  CHECK(r.stop == RewriteStop::Rewrites);
  CHECK(r.cyclePatterns == std::vector<uint32_t>{0, 1});
  CHECK(r.cycle == std::vector<std::string>{"AtoB", "BtoA"});
  CHECK(describeNonConvergence(r) ==
        "did not converge: after 2000 rewrites these patterns still undo each other: AtoB, BtoA");
}

TEST_CASE("growth without end stops early, growth that ends does not") {
  Fixture t;
  t.ret({t.un(a, t.x)});
  auto grow = [](Op op, PatternRewriter &rw) {
    return rw.replaceOp(op, rw.create(b, {rw.create(a, {op.operand(0)}).result()}));
  };
  SUBCASE("without end") {
    RewriteResult r = t.run({.name = "Grow"}, a, grow);
    CHECK(!r.converged);
    CHECK(r.stop == RewriteStop::Growth);
    CHECK(r.opsBefore == 1);
    CHECK(r.opsAfter < 400);
    CHECK(r.opsAfter == t.fn->liveOps() - 1);
    CHECK(r.cycle == std::vector<std::string>{"Grow"});
  }
  SUBCASE("as long as somebody wants") {
    t.config.maxGrowth = 0;
    t.config.maxRewrites = 900;
    RewriteResult r = t.run({.name = "Grow"}, a, grow);
    CHECK(r.stop == RewriteStop::Asked);
    CHECK(t.fn->liveOps() == 902);
  }
  SUBCASE("one op that becomes a thousand, each of which becomes two") {
    PatternSet set(t.ops);
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Many"}, a, [](Op op, PatternRewriter &rw) {
      Value v = op.operand(0);
      for (int i = 0; i < 1000; ++i)
        v = rw.create(b, {v}).result();
      return rw.replaceOp(op, v);
    }));
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Two"}, b, [](Op op, PatternRewriter &rw) {
      return rw.replaceOp(op, rw.create(c, {rw.create(c, {op.operand(0)}).result()}));
    }));
    RewriteResult r = applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config);
    CHECK(r.converged);
    CHECK(t.fn->liveOps() == 2001);
  }
}

TEST_CASE("what a right side builds of constants alone is folded before what reads it is matched") {
  Fixture t;
  t.ret({t.un(b, t.x)});
  bool seen = false, settled = false;
  PatternSet set(t.ops);
  set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Build"}, b, [&](Op op, PatternRewriter &rw) {
    Value k = rw.materializeConstant("t", op.context().intAttr(1), t.type);
    return rw.replaceOp(op, rw.create(a, {rw.create(folds, {rw.create(folds, {k}).result()}).result()}));
  }));
  set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Look", .depth = 2}, a, [&](Op op, PatternRewriter &) {
    seen |= op.operand(0).definingOp().is(folds);
    settled |= bool(op.operand(0).constant());
    return false;
  }));
  RewriteResult r = applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config);
  CHECK(r.converged);
  CHECK(r.folds == 2);
  CHECK(!seen);
  CHECK(settled);
}

TEST_CASE("a budget of rewrites, alone and shared") {
  Fixture t;
  Value v = t.x;
  for (int i = 0; i < 10; ++i)
    v = t.un(c, v);
  t.ret({v});
  auto drop = [](Op op, PatternRewriter &rw) { return rw.replaceOp(op, op.operand(0)); };
  t.config.maxRewrites = 3;
  CHECK(t.run({.name = "Drop"}, c, drop).rewrites == 3);
  CHECK(t.fn->liveOps() == 8);
  t.config.maxRewrites = 0;
  uint64_t shared = 4;
  t.config.sharedBudget = &shared;
  CHECK(t.run({.name = "Drop"}, c, drop).rewrites == 4);
  CHECK(shared == 0);
  CHECK(t.run({.name = "Drop"}, c, drop).rewrites == 0);
  CHECK(t.fn->liveOps() == 4);
}

TEST_CASE("expensive checks catch a lying pattern and name it") {
  Fixture t;
  t.ret({t.un(a, t.un(c, t.x))});
  t.config.expensiveChecks = true;
  SUBCASE("true without a change") {
    RewriteResult r = t.run({.name = "Lies"}, c, [](Op, PatternRewriter &) { return true; });
    CHECK(r.checkFailure == "pattern `Lies` reports a rewrite but changed nothing");
  }
  SUBCASE("false after a change") {
    RewriteResult r = t.run({.name = "Lies"}, c, [](Op op, PatternRewriter &rw) {
      rw.create(a, {op.operand(0)});
      return false;
    });
    CHECK(r.checkFailure == "pattern `Lies` reports no match but changed the IR");
    CHECK(!r.converged);
  }
  SUBCASE("false after a change behind the rewriter's back") {
    RewriteResult r = t.run({.name = "Lies"}, a, [](Op op, PatternRewriter &rw) {
      rw.function().setOperand(op.id, 0, op.operand(0).definingOp().operand(0).id);
      return false;
    });
    CHECK(r.checkFailure == "pattern `Lies` reports no match but changed the IR");
  }
  SUBCASE("broken IR left behind") {
    RewriteResult r =
        t.run({.name = "Breaks"}, a, [](Op op, PatternRewriter &rw) { return rw.setOperand(op, 0, op.result()); });
    CHECK(r.checkFailure.find("pattern `Breaks` leaves broken IR: ") == 0);
  }
  SUBCASE("abandoned creations are no change") {
    RewriteResult r = t.run({.name = "Honest"}, c, [](Op op, PatternRewriter &rw) {
      Op one = rw.create(a, {op.operand(0)});
      rw.create(b, {one.result()});
      return rw.abandon();
    });
    CHECK(r.checkFailure == "");
    CHECK(!r.changed);
    CHECK(t.fn->liveOps() == 3);
  }
}

TEST_CASE("a value that builds on the root goes on reading it") {
  Fixture t;
  t.ret({t.un(c, t.x)});
  bool once = false;
  RewriteResult r = t.run({.name = "Wrap"}, c, [&](Op op, PatternRewriter &rw) {
    if (std::exchange(once, true))
      return false;
    return rw.replaceOp(op, rw.create(a, {op.result()}));
  });
  CHECK(r.converged);
  CHECK(t.result().definingOp().is(a));
  CHECK(t.result().definingOp().operand(0).definingOp().is(c));
}

TEST_CASE("replacing keeps names, locations and what types know") {
  Fixture t;
  Context &ctx = t.fn->context();
  Value v = t.un(c, t.x);
  Op root = v.definingOp();
  t.fn->setType(v.id, ctx.tensorType(DType::F32, {Dim(2)}));
  t.fn->setValueName(v.id, ctx.intern("v"));
  t.fn->setOpName(root.id, ctx.intern("the_op"));
  t.fn->setLoc(root.id, Loc{17});
  t.ret({v});
  TypeId vague = ctx.tensorType(DType::F32, {Dim::unknown()});
  t.run({.name = "New"}, c, [&](Op op, PatternRewriter &rw) {
    ValueId operand = op.operand(0).id;
    return rw.replaceOp(
        op, rw.createTyped(rw.context().ops().kindOf(a), {&operand, 1}, rw.context().noAttrs(), {&vague, 1}));
  });
  Value now = t.result();
  CHECK(now.definingOp().is(a));
  CHECK(now.definingOp().loc() == Loc{17});
  CHECK(ctx.text(t.fn->opName(now.definingOp().id)) == "the_op");
  CHECK(ctx.text(t.fn->valueName(now.id)) == "v");
  CHECK(ctx.typeToString(now.typeId()) == "f32[2]");
}

TEST_CASE(
    "what a pattern of depth 1 reads of its leaves wakes it: constants that hold something else, types that say more") {
  Fixture t;
  Context &ctx = t.fn->context();
  SUBCASE("a constant") { // a(k) => k where k holds 2, and k becomes 2 after the a was tried
    OpBuilder builder(*t.fn, t.fn->body());
    Value constant = builder.create(k, {}, {ctx.intAttr(1)}).result();
    t.fn->setType(constant.id, t.type);
    t.ret({t.un(eff, t.un(a, constant))});
    PatternSet set(t.ops);
    set.add(std::make_unique<Lambda>(
        t.ops, PatternInfo{.name = "AK", .depth = 1, .looksAtLeaves = false}, a, [&](Op op, PatternRewriter &rw) {
          return op.operand(0).constant() == ctx.intAttr(2) ? rw.replaceOp(op, op.operand(0)) : false;
        }));
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Two", .depth = 1, .looksAtLeaves = false}, k,
                                     [&](Op op, PatternRewriter &rw) { return rw.setAttr(op, 0, ctx.intAttr(2)); }));
    CHECK(applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config).rewrites == 2);
    CHECK(t.result().definingOp().operand(0) == constant);
  }
  SUBCASE("a type") { // c(x) => x, from the top: the a below gets the type of the c when it has been tried already
    Value wide = t.fn->addParam(ctx.unrankedType(DType::F32));
    Value inner = t.un(a, wide);
    Op outer = t.fn->appendOp(t.fn->body(), t.ops.kindOf(c), {{inner.id}}, ctx.noAttrs(), {{t.type}});
    t.ret({outer.result()});
    PatternSet set(t.ops);
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Known", .depth = 1, .looksAtLeaves = false}, a,
                                     [&](Op op, PatternRewriter &rw) {
                                       return op.result().typeId() == t.type && rw.setAttr(op, 0, ctx.intAttr(1));
                                     }));
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Drop", .depth = 1, .looksAtLeaves = false}, c,
                                     [](Op op, PatternRewriter &rw) { return rw.replaceOp(op, op.operand(0)); }));
    t.config.order = RewriteOrder::TopDown;
    CHECK(applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config).rewrites == 2);
    CHECK(t.result() == inner);
    CHECK(inner.definingOp().attr(0) == ctx.intAttr(1));
  }
}

TEST_CASE("scope and strictness") {
  for (auto [strictness, left] : {std::pair{RewriteStrictness::AnyOp, 1u}, {RewriteStrictness::ExistingOps, 2u}}) {
    Fixture t;
    t.ret({t.un(b, t.un(a, t.x))}); // b(a(x)) => a(b(x)), then the new b would go if new ops may be touched
    t.config.strictness = strictness;
    PatternSet set(t.ops);
    addPattern(set, 1);
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "DropB"}, b, [](Op op, PatternRewriter &rw) {
      return op.operand(0).isParam() ? rw.replaceOp(op, op.operand(0)) : false;
    }));
    applyPatternsGreedily(*t.fn, std::move(set).freeze(), t.config);
    CHECK(t.fn->liveOps() == left + 1);
  }
  Fixture t;
  Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
  RegionId inner = t.fn->addRegion(h.id);
  OpBuilder in(*t.fn, inner);
  Value v = in.create(a, {in.create(a, {t.x}).result()}).result();
  in.createReturn({&v.id, 1});
  t.ret({t.un(a, t.un(a, h.result()))});
  t.config.scope = inner;
  CHECK(t.run({0}).rewrites == 1);
  CHECK(t.fn->terminator(inner).operand(0) == t.x);
  t.config.scope.reset();
  CHECK(t.run({0}).rewrites == 1);
}

// With many users: each of them is tried again when the value changes, so replacing a chain of n values from its end,
// which has n users, would try them n times.
TEST_CASE("work is linear: attempts and pushes per op do not grow with the graph") {
  auto work = [](unsigned n, bool manyUsers) {
    Fixture t;
    Value v = t.x;
    std::vector<ValueId> results;
    for (unsigned i = 0; i < n; ++i) {
      if (manyUsers) {
        v = t.un(c, v);
      } else {
        v = t.un(c, t.un(a, t.un(b, t.un(a, v))));
      }
    }
    for (unsigned i = 0; i < n; ++i)
      results.push_back(t.un(manyUsers ? folds : eff, v).id);
    OpBuilder(*t.fn, t.fn->body()).createReturn(results);
    auto drop = [](Op op, PatternRewriter &rw) { return rw.replaceOp(op, op.operand(0)); };
    RewriteResult r = manyUsers ? t.run({.name = "Drop"}, c, drop) : t.run({0, 1});
    CHECK(r.converged);
    uint64_t tried = 0;
    for (const PatternCounters &p : r.patterns)
      tried += p.tried;
    return double(tried + r.pushes + r.visits) / n;
  };
  for (bool manyUsers : {false, true}) {
    double small = work(500, manyUsers), large = work(5000, manyUsers);
    CHECK(large < small * 1.05 + 1);
  }
}

TEST_CASE("who asks for an unused result is tried again when its last use goes, at the producer and beyond") {
  for (RewriteOrder order : {RewriteOrder::BottomUp, RewriteOrder::TopDown})
    for (bool beyond : {false, true}) {
      Fixture t;
      t.config.order = order;
      Op split = OpBuilder(*t.fn, t.fn->body()).create(two, {t.x});
      Value first = beyond ? t.un(c, split.result(0)) : split.result(0);
      t.ret({t.bin(f, t.x, split.result(1)), first});
      PatternSet set(t.ops);
      addPattern(set, 17);
      set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "First"}, f,
                                       [](Op op, PatternRewriter &rw) { return rw.replaceOp(op, op.operand(0)); }));
      FrozenPatternSet frozen = std::move(set).freeze();
      CHECK(applyPatternsGreedily(*t.fn, frozen, t.config).converged);
      Op left = t.result(1).definingOp();
      CHECK(left.is(beyond ? c : a));
      if (beyond && left.operand(0) != t.x)
        CHECK(left.operand(0).definingOp().is(a));
    }
}

TEST_CASE("an attempt that is abandoned wakes nobody: the run comes to an end") {
  for (int looks = 0; looks < 3; ++looks) {
    CAPTURE(looks);
    Fixture t;
    Value v = t.x;
    for (int i = 0; i < 10; ++i)
      v = t.bin(g, t.un(a, v), t.x);
    t.ret({v});
    PatternSet set(t.ops);
    PatternInfo info{.name = "Abandons", .depth = 3, .looksAtUses = looks > 0, .countsUses = looks == 2};
    info.looksAtUsers = looks == 2;
    set.add(std::make_unique<Lambda>(t.ops, info, g, [](Op op, PatternRewriter &rw) {
      rw.create(b, {rw.create(g, {op.operand(0), op.operand(1)}).result()});
      return rw.abandon();
    }));
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "AtUnary", .depth = 3}, a,
                                     [](Op, PatternRewriter &) { return false; }));
    FrozenPatternSet frozen = std::move(set).freeze();
    RewriteResult result = applyPatternsGreedily(*t.fn, frozen, t.config);
    CHECK(result.converged);
    CHECK_FALSE(result.changed);
    CHECK(result.visits <= 20);
    CHECK(result.patterns[0].tried == 10);
  }
}
