// Around the passes: knobs from the environment, backends, reproducers, filters by label, late overrides.

#include "pass_fixture.h"

#include "rw/ir/parser.h"
#include "rw/passes/knobs.h"
#include "rw/passes/late_overrides.h"
#include "rw/passes/reproducer.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace toy;

namespace {

PipelineKnobs knobsOf(std::map<std::string, std::string> environment) {
  return readKnobs([&](const char *name) -> const char * {
    auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  });
}

std::vector<std::string> passesRun(const PassManagerResult &result) {
  std::vector<std::string> names;
  for (const PassRecord &record : result.records)
    names.push_back(record.pass);
  return names;
}

struct TempFile {
  std::string folder, path;
  TempFile() {
    char name[] = "/tmp/rw-services-XXXXXX";
    folder = mkdtemp(name);
    path = folder + "/reproducer.rwir";
  }
  ~TempFile() { std::filesystem::remove_all(folder); }
  std::string read() const {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
};

/// Fails in the function's `failAt`-th run.
struct Fails : FunctionPass {
  std::string_view name() const override { return "fails"; }
  PassResult run(Function &fn, PassContext &context) override {
    PatternRewriter rewriter(fn, context.rewriteConfig.listener);
    Op first = *fn.ops(fn.body()).begin();
    rewriter.begin(first);
    rewriter.replaceOp(first, rewriter.create(b, {first.operand(0)}));
    PassResult result;
    result.failed = true;
    result.message = "on purpose";
    return result;
  }
};

} // namespace

TEST_CASE("knobs: unset, 0, spaces, garbage") {
  PipelineKnobs unset = knobsOf({});
  CHECK(unset.preIterations == 2);
  CHECK(unset.postIterations == 4);
  CHECK(!unset.passStats);
  CHECK(unset.warnings.empty());

  PipelineKnobs set = knobsOf({{"RW_OPT_PRE_ITERS", " 3 "}, {"RW_OPT_POST_ITERS", "0"}, {"RW_PASS_STATS", "1\n"}});
  CHECK(set.preIterations == 3);
  CHECK(set.postIterations == 1);
  CHECK(set.passStats);
  CHECK(set.warnings.empty());

  for (const char *garbage : {"", "many", "-1", "3x", "3 4", "0x10", "99999999999", "1000001"}) {
    CAPTURE(garbage);
    PipelineKnobs bad = knobsOf({{"RW_OPT_PRE_ITERS", garbage}, {"RW_OPT_POST_ITERS", garbage}});
    CHECK(bad.preIterations == 2);
    CHECK(bad.postIterations == 4);
    REQUIRE(bad.warnings.size() == 2);
    CHECK(bad.warnings[1].variable == "RW_OPT_POST_ITERS");
    CHECK(bad.warnings[1].text.find("the default 4 is taken") != std::string::npos);
  }
  CHECK(knobsOf({{"RW_PASS_STATS", "yes"}}).warnings.size() == 1);
  CHECK(!knobsOf({{"RW_PASS_STATS", "0"}}).passStats);
}

TEST_CASE("a backend's hooks run in their order: pre in the first loop, legalize, fuse, clean-up in the last loop") {
  PassFixture t;
  for (const char *name : {"pre", "legal", "fuse", "tidy"})
    t.registry.addPass({.name = name, .patterns = {"FXX"}});
  BackendPipeline npu{.name = "npu", .populatePre = "pre", .legalize = "legal", .fuse = "fuse,fuse", .cleanup = "tidy"};
  t.registry.addBackend(npu);
  constexpr std::string_view full = "repeat(pre) { canonicalize, backend-pre }, backend-legalize, backend-fuse, "
                                    "repeat(post) { backend-cleanup, dce }";
  t.ret({t.x});
  auto run = [&](PipelineSettings settings) {
    PassManager pm(t.registry, settings);
    REQUIRE_MESSAGE(pm.parse(full, t.sources, t.diags), t.diags.renderText());
    return pm.run(*t.program, t.options);
  };
  using Names = std::vector<std::string>;
  CHECK(passesRun(run({.backend = t.registry.backend("npu")})) ==
        Names{"canonicalize", "pre", "legal", "fuse", "fuse", "tidy", "dce"});
  CHECK(passesRun(run({})) == Names{"canonicalize", "dce"});
  PassManager pm(t.registry, {.preIterations = 7, .postIterations = 9, .backend = t.registry.backend("npu")});
  REQUIRE(pm.parse(full, t.sources, t.diags));
  CHECK(printPipeline(pm.items()) == "repeat(7){canonicalize,pre},legal,fuse,fuse,repeat(9){tidy,dce}");
  CHECK(t.registry.backend("gpu") == nullptr);
}

TEST_CASE("a backend's text is read like any other, and its mistakes are shown in it") {
  PassFixture t;
  t.registry.addBackend({.name = "npu", .fuse = "fxy"});
  PassManager pm(t.registry, {.backend = t.registry.backend("npu")});
  CHECK(!pm.parse("backend-fuse", t.sources, t.diags));
  CHECK(t.diags.all().front().message == "no pass or pipeline named `fxy`");
  BackendPipeline itself{.name = "loop", .cleanup = "backend-cleanup"};
  PassManager loop(t.registry, {.backend = &itself});
  CHECK(!loop.parse("backend-cleanup", t.sources, t.diags));
}

TEST_CASE("a reproducer is read as it was written") {
  PassFixture t;
  t.ret({t.un(a, t.x)});
  Reproducer written{"repeat(2){canonicalize}", {{"strict", "true"}, {"only-pattern", "A*"}}, "two\nlines"};
  std::string text = printReproducer(written, *t.program);
  std::optional<Reproducer> read = readReproducer(text);
  REQUIRE(read);
  CHECK(read->pipeline == written.pipeline);
  CHECK(read->settings == written.settings);
  CHECK(read->failure == "two lines");
  FileId file = t.sources.addText("r.rwir", text);
  CHECK(parseProgram(file, t.sources, t.diags, t.registry.ops));
  CHECK(!readReproducer("func @main() -> () {\n  return\n}\n"));
  CHECK(!readReproducer(""));
  CHECK(readReproducer("// rw-opt reproducer")->pipeline.empty());
}

TEST_CASE("the reproducer of the first pass that fails stays, with the program before it; else none does") {
  PassFixture t;
  t.ret({t.un(a, t.un(a, t.un(a, t.x)))});
  t.registry.addPass({.name = "fails", .make = [](const Registry &, const PassOptions &) -> MadePass {
                        return std::make_unique<Fails>();
                      }});
  TempFile file;
  t.options.reproducer = file.path;
  t.options.reproducerSettings = {{"fastmath", "true"}};
  t.run("dce");
  CHECK(!std::filesystem::exists(file.path));
  uint64_t budget = 5;
  t.options.rewriteConfig.sharedBudget = &budget;
  PassManagerResult result = t.run("canonicalize,fails,dce,fails");
  CHECK(result.failed);
  std::string text = file.read();
  CHECK(text.find("// rw-opt reproducer\n// pipeline: fails\n// fastmath: true\n// max-rewrites: 4\n"
                  "// failed: fails in @main: on purpose\nfunc @main") == 0);
  CHECK(text.find("t.a(") != std::string::npos);
  CHECK(text.find("t.b(") == std::string::npos);
  t.options.reproducer = file.folder + "/missing/r.rwir";
  CHECK(!t.run("dce").reproducerError.empty());
}

TEST_CASE("filters: names, globs, labels") {
  PatternInfo info{.name = "FoldPair", .labels = kLabels};
  auto allows = [&](std::vector<std::string> disabled, std::vector<std::string> only) {
    return PatternFilter{std::move(disabled), std::move(only)}.allows(info);
  };
  CHECK(allows({}, {}));
  CHECK(!allows({"Fold*"}, {}));
  CHECK(!allows({"label:small"}, {}));
  CHECK(!allows({"label:sm?ll"}, {}));
  CHECK(allows({"label:large"}, {}));
  CHECK(allows({"small"}, {}));
  CHECK(allows({}, {"label:small"}));
  CHECK(!allows({}, {"label:large"}));
  CHECK(!allows({"FoldPair"}, {"label:small"}));
  PassFixture t;
  CHECK_FALSE(checkFilter({{"label:small"}, {}}, t.registry));
  CHECK(checkFilter({{}, {"label:smalll"}}, t.registry)->message ==
        "no pattern is labelled `smalll`; did you mean `small`?");
}

TEST_CASE("late overrides follow replaced roots; entries of ops that are gone are skipped and counted") {
  PassFixture t;
  t.registry.patterns.add({{.name = "BA"}, makePattern<1>});
  t.registry.addPass({.name = "ba", .patterns = {"BA", "AA"}});
  Value inner = t.un(a, t.x), root = t.un(b, inner), kept = t.un(c, root);
  Value gone = t.un(c, t.x);
  t.ret({kept});
  LateOverrides table;
  table.set(root.definingOp(), "tag", t.ctx().intAttr(7)); // b(a(x)) => a(b(x)): goes to the outer a
  table.set(kept.definingOp(), "tag", t.ctx().intAttr(8));
  table.set(kept.definingOp(), "tog", t.ctx().intAttr(9));      // no such attribute
  table.set(kept.definingOp(), "tag", t.ctx().stringAttr("s")); // not of its kind
  table.set(gone.definingOp(), "tag", t.ctx().intAttr(1));      // dead
  table.set(inner.definingOp(), "tag", t.ctx().intAttr(2));     // dead once the root is replaced
  t.options.lateOverrides = &table;
  t.run("ba,dce");
  CHECK(table.size() == 6);
  LateOverrides::Outcome outcome = table.apply();
  CHECK(outcome.applied == 2);
  CHECK(outcome.skipped == 4);
  std::string reasons;
  for (const std::string &reason : outcome.reasons)
    reasons += reason + "\n";
  CHECK(reasons ==
        "`tog` of t.c: t.c has no attribute `tog`\n`tag` of t.c: attribute `tag` of t.c is declared as whole number\n"
        "`tag` of t.c: the op is gone\n`tag` of t.a: the op is gone\n");
  Op last = t.fn->terminator(t.fn->body()).operand(0).definingOp();
  CHECK(t.ctx().attr(last.attr(0)).i == 8);
  Op outer = last.operand(0).definingOp();
  CHECK(outer.is(a));
  CHECK(t.ctx().attr(outer.attr(0)).i == 7);
  CHECK(!outer.operand(0).definingOp().attr(0));
  CHECK(table.size() == 0);
}

TEST_CASE("late overrides: a pass that is rolled back takes back where entries went") {
  PassFixture t;
  t.registry.addPass({.name = "fails", .make = [](const Registry &, const PassOptions &) -> MadePass {
                        return std::make_unique<Fails>();
                      }});
  Value root = t.un(a, t.x);
  t.ret({root});
  LateOverrides table;
  table.set(root.definingOp(), "tag", t.ctx().intAttr(7));
  t.options.lateOverrides = &table;
  t.run("fails");
  CHECK(table.apply().applied == 1);
  Op op = t.fn->terminator(t.fn->body()).operand(0).definingOp();
  CHECK(op.is(a));
  CHECK(t.ctx().attr(op.attr(0)).i == 7);
}

TEST_CASE("late overrides: an op that was there before inherits nothing") {
  PassFixture t;
  Value first = t.un(a, t.x), second = t.un(a, t.x);
  t.ret({first, second});
  LateOverrides table;
  table.set(second.definingOp(), "tag", t.ctx().intAttr(7));
  t.options.lateOverrides = &table;
  t.run("cse");
  LateOverrides::Outcome outcome = table.apply();
  CHECK(outcome.skipped == 1);
  CHECK(!first.definingOp().attr(0));
}
