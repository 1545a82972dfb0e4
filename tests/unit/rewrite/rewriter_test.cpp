// The rewriter alone: what listeners hear, and edits that are refused.

#include "toy.h"

#include "rw/ir/program.h"
#include "rw/rewrite/listeners.h"

#include <doctest/doctest.h>

using namespace toy;

namespace {

struct Hears : RewriteListener {
  std::vector<std::string> heard;
  bool reasons = false;
  static std::string name(Op op) { return std::string(op.fullName()) + "#" + std::to_string(op.id.raw); }
  void created(Op op) override { heard.push_back("created " + name(op)); }
  void erasing(Op op) override { heard.push_back("erasing " + name(op)); }
  void modified(Op op) override { heard.push_back("modified " + name(op)); }
  void replacing(Value from, Value to) override {
    heard.push_back("replacing " + name(from.definingOp()) + " by " +
                    (to.isParam() ? "a parameter" : name(to.definingOp())));
  }
  void patternBegin(const PatternInfo &p, Op root) override {
    heard.push_back("begin " + std::string(p.name) + " at " + name(root));
  }
  void patternEnd(const PatternInfo &p, bool applied) override {
    heard.push_back("end " + std::string(p.name) + (applied ? " applied" : " failed"));
  }
  void folding(Op op) override { heard.push_back("folding " + name(op)); }
  bool wantsReasons() const override { return reasons; }
  void noMatch(Op at, const char *condition, unsigned) override {
    heard.push_back("no match at " + name(at) + ": " + condition);
  }
};
using Strings = std::vector<std::string>;

std::string lines(const Strings &all) {
  std::string text;
  for (const std::string &line : all)
    text += line + "\n";
  return text;
}

struct RewriterFixture {
  OpRegistry ops;
  std::unique_ptr<Program> program;
  Function *fn = nullptr;
  Value x;
  RewriterFixture() {
    registerToy(ops);
    program = std::make_unique<Program>(ops);
    fn = &program->addFunction("main");
    x = fn->addParam(program->context().tensorType(DType::F32, {Dim(2)}));
  }
  Value un(const OpSchema &s, Value v) { return OpBuilder(*fn, fn->body()).create(s, {v}).result(); }
  void ret(Value v) { OpBuilder(*fn, fn->body()).createReturn({&v.id, 1}); }
};

} // namespace

TEST_CASE("a listener hears every edit of a run in order") {
  RewriterFixture t;
  t.ret(t.un(b, t.un(a, t.un(a, t.x))));
  Hears hears;
  hears.reasons = true;
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  config.listener = &hears;
  applyPatternsGreedily(*t.fn, makeSet(t.ops, 1 << 0 | 1 << 1), config); // AA, BA
  CHECK(lines(hears.heard) == R"(begin BA at t.b#2
created t.b#4
created t.a#5
replacing t.b#2 by t.a#5
erasing t.b#2
end BA applied
erasing t.a#1
begin AA at t.a#5
no match at t.a#5: no a below
end AA failed
begin BA at t.b#4
created t.b#6
created t.a#7
replacing t.b#4 by t.a#7
erasing t.b#4
end BA applied
erasing t.a#0
begin AA at t.a#5
replacing t.a#5 by t.b#6
erasing t.a#5
end AA applied
erasing t.a#7
begin BA at t.b#6
end BA failed
)");
}

TEST_CASE("a root that is replaced by a new op of its shape becomes it, unless someone listens") {
  for (bool listened : {false, true}) {
    CAPTURE(listened);
    RewriterFixture t;
    Value root = t.un(b, t.un(a, t.x));
    StringId name = t.fn->context().intern("y");
    t.fn->setValueName(root.id, name);
    t.ret(root);
    Hears hears;
    GreedyRewriteConfig config;
    config.listener = listened ? &hears : nullptr;
    CHECK(applyPatternsGreedily(*t.fn, makeSet(t.ops, 1 << 1), config).rewrites == 1); // BA
    Op made = t.fn->terminator(t.fn->body()).operand(0).definingOp();
    CHECK(made.is(a));
    CHECK((made.id == root.definingOp().id) == !listened);
    CHECK(t.fn->valueName(made.result().id) == name);
    CHECK(made.operand(0).definingOp().is(b));
    CHECK(t.fn->liveOps() == 3);
    CHECK(t.fn->opCapacity() == (listened ? 5 : 4));
  }
}

TEST_CASE("replacing by a new op whose type does not go with the old one changes nothing") {
  RewriterFixture t;
  Value other = t.fn->addParam(t.program->context().tensorType(DType::F32, {Dim(3)}));
  Op root = t.un(b, t.x).definingOp();
  t.ret(root.result());
  PatternRewriter rewriter(*t.fn);
  rewriter.begin(root);
  Value inner = rewriter.create(a, {other}).result();
  CHECK(!rewriter.replaceOpWithNew(root, b, {inner}));
  CHECK(!rewriter.changed());
  CHECK(t.fn->liveOps() == 2);
  CHECK(root.operand(0) == t.x);
  CHECK(rewriter.replaceOpWithNew(root, a, {t.x}));
  CHECK(t.fn->terminator(t.fn->body()).operand(0).definingOp().is(a));
}

static int worked = 0;

TEST_CASE("what depends on attributes alone is worked out once for each") {
  RewriterFixture t;
  Context &ctx = t.fn->context();
  PatternRewriter rewriter(*t.fn);
  worked = 0;
  auto less = [&](int64_t x, int64_t y) {
    return rewriter.recall(ctx.intAttr(x), ctx.intAttr(y), [](Context &ctx, AttrId x, AttrId y) -> bool {
      ++worked;
      return ctx.attr(x).i < ctx.attr(y).i;
    });
  };
  auto sum = [&](int64_t x, int64_t y) {
    return rewriter.recall(ctx.intAttr(x), ctx.intAttr(y), [](Context &ctx, AttrId x, AttrId y) -> AttrId {
      ++worked;
      return ctx.attr(x).i < 0 ? AttrId() : ctx.intAttr(ctx.attr(x).i + ctx.attr(y).i);
    });
  };
  for (int again = 0; again < 3; ++again) {
    CHECK(less(1, 2));
    CHECK(!less(2, 1));
    CHECK(sum(1, 2) == ctx.intAttr(3));
    CHECK(!sum(-1, 2));
  }
  CHECK(worked < 12); // four if none pushes another out
  for (int64_t i = 0; i < 1'000; ++i)
    CHECK(sum(i, 1) == ctx.intAttr(i + 1));
  CHECK(less(1, 2));
}

TEST_CASE("edits in place and folds are heard; reasons only by those who want them") {
  RewriterFixture t;
  Value tagged = t.un(b, t.x);
  t.ret(tagged);
  Hears one, two;
  two.reasons = true;
  RewriteListeners both;
  CHECK(both.get() == nullptr);
  both.add(&one);
  both.add(nullptr);
  CHECK(both.get() == &one);
  both.add(&two);
  CHECK(both.wantsReasons());
  PatternRewriter rewriter(*t.fn, both.get());
  rewriter.setExplain(true);
  CHECK(rewriter.setAttr(tagged.definingOp(), 0, t.fn->context().intAttr(1)));
  CHECK(!rewriter.setAttr(tagged.definingOp(), 0, t.fn->context().intAttr(1)));
  CHECK(!rewriter.noMatch(tagged.definingOp(), "why", 3));
  CHECK(one.heard == Strings{"modified t.b#0"});
  CHECK(two.heard == Strings{"modified t.b#0", "no match at t.b#0: why"});
}

TEST_CASE("erasing an op that is used is an error that names the users") {
  RewriterFixture t;
  Value root = t.un(a, t.x);
  t.fn->setValueName(root.id, t.fn->context().intern("root"));
  Value user = t.un(b, root);
  t.fn->setValueName(user.id, t.fn->context().intern("y"));
  t.ret(user);
  PatternRewriter rewriter(*t.fn);
  CHECK(!rewriter.erase(root.definingOp()));
  CHECK(rewriter.refusal() == "cannot erase t.a %root: it is used by t.b %y");
  CHECK(!root.definingOp().isErased());

  PatternRewriter second(*t.fn);
  CHECK(!second.erase(user.definingOp()));
  CHECK(second.refusal() == "cannot erase t.b %y: it is used by result 0 of @main");
  PatternRewriter third(*t.fn);
  CHECK(!third.erase(t.fn->terminator(t.fn->body())));
  CHECK(third.refusal() == "cannot erase return: every region ends in one");
  CHECK(!third.erase(root.definingOp()));
  CHECK(third.refusal() == "cannot erase return: every region ends in one"); // the first one
}

TEST_CASE("a refused edit fails the checks, and is told of without them") {
  RewriterFixture t;
  t.ret(t.un(a, t.x));
  PatternSet set(t.ops);
  set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Eraser"}, a,
                                   [](Op op, PatternRewriter &rw) { return rw.erase(op); }));
  FrozenPatternSet frozen = std::move(set).freeze();
  GreedyRewriteConfig config;
  config.expensiveChecks = true;
  RewriteResult checked = applyPatternsGreedily(*t.fn, frozen, config);
  CHECK(checked.checkFailure ==
        "pattern `Eraser` made an edit that was refused: cannot erase t.a: it is used by result 0 of @main");
  config.expensiveChecks = false;
  RewriteResult plain = applyPatternsGreedily(*t.fn, frozen, config);
  CHECK(plain.converged);
  CHECK(plain.refusal == "cannot erase t.a: it is used by result 0 of @main");
}

TEST_CASE("a single walk looks at each op once, and never at what it made") {
  for (RewriteOrder order : {RewriteOrder::BottomUp, RewriteOrder::TopDown}) {
    RewriterFixture t;
    Value v = t.x;
    for (int i = 0; i < 4; ++i)
      v = t.un(b, v);
    Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {v});
    RegionId region = t.fn->addRegion(h.id);
    Value inner = OpBuilder(*t.fn, region).create(b, {v}).result();
    OpBuilder(*t.fn, region).createReturn({&inner.id, 1});
    t.ret(h.result());
    PatternSet set(t.ops);
    unsigned attempts = 0;
    set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Again"}, b, [&](Op op, PatternRewriter &rw) {
      ++attempts;
      return rw.replaceOp(op, rw.create(b, {op.operand(0)})); // applies to its own result
    }));
    GreedyRewriteConfig config;
    config.expensiveChecks = false;
    config.order = order;
    RewriteResult r = applyPatternsOnce(*t.fn, std::move(set).freeze(), config);
    CHECK(attempts == 5); // nested regions as well
    CHECK(r.rewrites == 5);
    CHECK(r.converged);
    CHECK(r.patterns[0].matched == 5);
    CHECK(t.fn->liveOps() == 8);
  }
}

TEST_CASE("a single walk folds, drops dead ops and keeps to its budget") {
  RewriterFixture t;
  Context &ctx = t.fn->context();
  Value k1 = OpBuilder(*t.fn, t.fn->body()).createConstant("t", ctx.intAttr(1), t.x.typeId());
  Value folded = t.un(folds, k1);
  t.un(c, t.x); // dead
  Value u = t.un(a, t.un(a, t.x)), w = t.un(a, t.un(a, u));
  std::vector<ValueId> results{folded.id, w.id};
  OpBuilder(*t.fn, t.fn->body()).createReturn(results);
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  RewriteResult r = applyPatternsOnce(*t.fn, makeSet(t.ops, 1), config);
  CHECK(r.folds == 1);
  CHECK(r.erased >= 1);
  CHECK(r.rewrites == 2);
  uint64_t none = 0;
  config.sharedBudget = &none;
  CHECK(!applyPatternsOnce(*t.fn, makeSet(t.ops, 1), config).converged);
}

TEST_CASE("folds that make the same constant share it within a region, in either order") {
  struct Nine : ConstantFolder {
    bool fold(Op op, size_t, std::vector<AttrId> &results) const override {
      results.push_back(op.context().intAttr(9));
      return true;
    }
  } nine;
  for (RewriteOrder order : {RewriteOrder::BottomUp, RewriteOrder::TopDown})
    for (bool share : {true, false}) {
      RewriterFixture t;
      Value one = OpBuilder(*t.fn, t.fn->body()).createConstant("t", t.fn->context().intAttr(1), t.x.typeId());
      Value first = t.un(a, one), used = t.un(eff, first), second = t.un(b, one);
      Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
      RegionId region = t.fn->addRegion(h.id);
      Value inner = OpBuilder(*t.fn, region).create(c, {one}).result();
      OpBuilder(*t.fn, region).createReturn({&inner.id, 1});
      std::vector<ValueId> results{second.id, used.id, h.result().id};
      OpBuilder(*t.fn, t.fn->body()).createReturn(results);
      GreedyRewriteConfig config;
      config.folder = &nine;
      config.order = order;
      config.cseConstants = share;
      RewriteResult r = applyPatternsGreedily(*t.fn, makeSet(t.ops, 0), config);
      CHECK(r.folds == 3);
      Op end = t.fn->terminator(t.fn->body());
      Op made = end.operand(0).definingOp(), effect = end.operand(1).definingOp();
      CHECK(made.is(k));
      CHECK((effect.operand(0) == end.operand(0)) == share);
      CHECK(effect.operand(0).definingOp().isBefore(effect));
      Op inside = t.fn->terminator(region).operand(0).definingOp();
      CHECK(inside.is(k));
      CHECK(inside.region() == region); // a region keeps its own
    }
}

TEST_CASE("counters: tried, matched and applied differ for a pattern that lies") {
  RewriterFixture t;
  t.ret(t.un(a, t.x));
  PatternSet set(t.ops);
  set.add(std::make_unique<Lambda>(t.ops, PatternInfo{.name = "Liar"}, a, [](Op, PatternRewriter &) { return true; }));
  GreedyRewriteConfig config;
  config.expensiveChecks = false;
  config.timePatterns = true;
  config.maxRewrites = 5;
  RewriteResult r = applyPatternsGreedily(*t.fn, std::move(set).freeze(), config);
  CHECK(!r.converged);
  CHECK(r.patterns[0].tried == 5);
  CHECK(r.patterns[0].matched == 5);
  CHECK(r.patterns[0].applied == 0);
  CHECK(describeNonConvergence(r) == "did not converge: after 5 rewrites Liar still applies to its own result");
}
