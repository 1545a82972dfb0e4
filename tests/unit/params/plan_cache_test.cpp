// Plans: what counts as the same program, what does not, hits and misses, and the programs that come out.
#include "params_fixture.h"

#include "rw/passes/plan_cache.h"
#include "rw/passes/structure_digest.h"

using namespace rw;
using rw::test::ParamsFixture;

namespace {

const char *kProgram = R"(func @main(%x: f32[2, 3], %w: param(7) f32[4, 3]) -> f32[2, 4] {
  %t = tensor.transpose(%w) {perm = [1, 0]}
  %c = tensor.constant() {value = dense<f32[]: 2>}
  %y = tensor.dot_general(%x, %t) {lhs_contract = [1], rhs_contract = [0]}
  %z = tensor.mul(%y, %c)
  return %z
})";

struct PlanFixture : ParamsFixture {
  PlanCache cache{3};
  PassManagerOptions options;

  PlanLookup optimize(std::string text, std::string pipeline = "canonicalize,hoist_params",
                      std::string_view more = {}) {
    std::unique_ptr<Program> p = parse(std::move(text));
    return optimize(*p, pipeline, more);
  }
  PlanLookup optimize(const Program &p, std::string pipeline = "canonicalize,hoist_params",
                      std::string_view more = {}) {
    PassManager manager(rw::test::builtins());
    REQUIRE_MESSAGE(manager.parse(pipeline, sources, diags), diags.renderText());
    return optimizeCached(manager, p, options, cache, more);
  }
  static std::string changed(std::string what, std::string into) {
    std::string text = kProgram;
    size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), into);
  }
};

TEST_CASE_FIXTURE(PlanFixture, "the same program is optimised once") {
  PlanLookup first = optimize(kProgram), second = optimize(kProgram);
  CHECK_FALSE(first.hit);
  CHECK(second.hit);
  CHECK(first.plan == second.plan);
  CHECK(first.plan->program.functions().size() == 2);
  CHECK(first.plan->key.text().size() == 16);
  CHECK(first.plan->result.records.size() >= 2);
  CHECK(renderStatistics(cache) == "hits 1, misses 1, evicted 0, plans 1");
  cache.clear();
  CHECK_FALSE(optimize(kProgram).hit);
}

TEST_CASE_FIXTURE(PlanFixture, "names of inner values, locations and contexts do not count") {
  optimize(kProgram);
  CHECK(optimize(changed("%t = tensor", "%other = tensor")
                     .replace(changed("%t = tensor", "%other = tensor").find("%x, %t)"), 7, "%x, %other)"))
            .hit);
  CHECK(optimize("\n\n// a comment\n" + std::string(kProgram)).hit);
  std::unique_ptr<Program> p = parse(kProgram);
  p->context().intern("something else first");
  CHECK(optimize(*p).hit);
  Program copy = p->clone();
  copy.function("main")->compact();
  CHECK(optimize(copy).hit);
}

TEST_CASE_FIXTURE(PlanFixture, "everything that matters counts") {
  Digest same = structureOf(*parse(kProgram));
  CHECK(same == structureOf(*parse(kProgram)));
  const std::pair<const char *, const char *> edits[] = {
      {"@main", "@other"},
      {"param(7)", "param(8)"},
      {"param(7) f32[4, 3]", "f32[4, 3]"},
      {"%x: f32[2, 3]", "%x: f32[B, 3]"},
      {"f32[]: 2>", "f32[]: 3>"},
      {"f32[]: 2>", "f32[1]: 2>"},
      {"tensor.mul", "tensor.div"},
      {"(%y, %c)", "(%c, %y)"},
      {"{lhs_contract = [1], rhs_contract = [0]}", "{lhs_contract = [1], rhs_contract = [0], note = 1}"},
      {"-> f32[2, 4]", "-> (out: f32[2, 4])"},
      {"%w: param", "%v: param"},
      {"return %z", "return %y"},
      {"param(7) f32[4, 3]", "param(7) f32[4, 3] = dense<f32[4, 3]: 0>"},
  };
  std::vector<Digest> all{same};
  for (auto [what, into] : edits) {
    CAPTURE(into);
    std::string text = changed(what, into);
    if (std::string(what) == "%w: param")
      text.replace(text.find("(%w)"), 4, "(%v)");
    if (std::string(into).find("f32[B") != std::string::npos || std::string(what).find("->") == 0)
      text = std::string(into).find("f32[B") != std::string::npos
                 ? text.replace(text.find("-> f32[2, 4]"), 12, "-> f32[B, 4]")
                 : text;
    Digest d = structureOf(*parse(text));
    for (const Digest &other : all)
      CHECK(d != other);
    all.push_back(d);
  }
}

TEST_CASE_FIXTURE(PlanFixture, "regions, opaque ops and attributes of every kind are part of the structure") {
  auto digest = [&](std::string body) { return structureOf(*parse("func @main(%x: f32[2]) {\n" + body + "\n}")); };
  std::vector<std::string> bodies = {
      "%r = t.cond(%x) : f32[2] then { return %x } else { return %x } return %r",
      "%e = tensor.exp(%x) %r = t.cond(%x) : f32[2] then { return %e } else { return %x } return %r",
      "%e = tensor.exp(%x) %r = t.cond(%x) : f32[2] then { return %x } else { return %e } return %r",
      "%r = t.cond(%x) : f32[2] then { %e = tensor.exp(%x) return %e } else { return %x } return %r",
      "%r = t.cond(%x) : f32[2] then { return %x } else { %e = tensor.exp(%x) return %e } return %r",
      "%r = foo.bar(%x) : f32[2] return %r",
      "%r = foo.baz(%x) : f32[2] return %r",
      "%r = foo.bar(%x) {a} : f32[2] return %r",
      "%r = t.attrs() {any = dense<f32[]: 0>} : f32[2] return %r",
      "%r = t.attrs() {any = dense<f32[]: -0.0>} : f32[2] return %r",
      "%r = t.attrs() {any = dense<str[1]: [\"a\"]>} : f32[2] return %r",
      "%r = t.attrs() {any = dense<str[1]: [\"b\"]>} : f32[2] return %r",
      "%r = t.attrs() {any = 1} : f32[2] return %r",
      "%r = t.attrs() {any = 1.0} : f32[2] return %r",
      "%r = t.attrs() {any = true} : f32[2] return %r",
      "%r = t.attrs() {any = \"1\"} : f32[2] return %r",
      "%r = t.attrs() {any = f32} : f32[2] return %r",
      "%r = t.attrs() {any = f32[2]} : f32[2] return %r",
      "%r = t.attrs() {any = ints<1, 2>} : f32[2] return %r",
      "%r = t.attrs() {any = dims<1, 2>} : f32[2] return %r",
      "%r = t.attrs() {any = list<1, 2>} : f32[2] return %r",
      "%r = t.attrs() {any = floats<1, 2>} : f32[2] return %r",
      "%r = t.attrs() {any = dim<B>} : f32[2] return %r",
      "%r = t.attrs() {any = bytes<\"00\">} : f32[2] return %r",
  };
  std::vector<Digest> all;
  for (const std::string &body : bodies) {
    CAPTURE(body);
    Digest d = digest(body);
    CHECK(d == digest(body));
    CHECK(std::find(all.begin(), all.end(), d) == all.end());
    all.push_back(d);
  }
}

TEST_CASE_FIXTURE(PlanFixture, "the specialisation counts") {
  optimize(kProgram);
  CHECK_FALSE(optimize(kProgram, "canonicalize").hit);
  CHECK_FALSE(optimize(kProgram, "canonicalize,hoist_params", "target=a").hit);
  CHECK(optimize(kProgram, "canonicalize,hoist_params", "target=a").hit);
  options.rewriteConfig.allowFastMath = true;
  CHECK_FALSE(optimize(kProgram).hit);
  PatternFilter filter{{"MergeTransposes_tensor"}, {}};
  options.rewriteConfig.filter = &filter;
  CHECK_FALSE(optimize(kProgram).hit);
  uint64_t budget = 1000;
  options.rewriteConfig.sharedBudget = &budget;
  size_t size = cache.size();
  CHECK_FALSE(optimize(kProgram).hit);
  CHECK_FALSE(optimize(kProgram).hit);
  CHECK(cache.size() == size); // not kept: what is left of the budget differs from run to run
}

TEST_CASE_FIXTURE(PlanFixture, "the plan that was longest not asked for goes") {
  for (const char *more : {"a", "b", "c"})
    optimize(kProgram, "none", more);
  CHECK(optimize(kProgram, "none", "a").hit);
  CHECK_FALSE(optimize(kProgram, "none", "d").hit); // b goes
  CHECK(cache.size() == 3);
  CHECK(cache.statistics().evicted == 1);
  CHECK(optimize(kProgram, "none", "a").hit);
  CHECK(optimize(kProgram, "none", "c").hit);
  CHECK_FALSE(optimize(kProgram, "none", "b").hit);
  PlanCache one(0);
  CHECK(one.insert(Plan{planKeyOf(*parse(kProgram)), parse(kProgram)->clone(), {}}));
  CHECK(one.size() == 1);
}

TEST_CASE_FIXTURE(PlanFixture, "the program that is asked for stays as it is") {
  std::unique_ptr<Program> p = parse(kProgram);
  std::string before = printProgram(*p);
  PlanLookup found = optimize(*p);
  CHECK(printProgram(*p) == before);
  Program mine = found.plan->program.clone();
  mine.function("main")->setName("changed");
  CHECK(optimize(*p).plan->program.functions().front().name() == "main");
}

TEST_CASE_FIXTURE(PlanFixture, "traces say whether the plan was there") {
  struct Sink : TraceSink {
    std::vector<TraceRun> runs;
    unsigned passes = 0, over = 0;
    void beforeProgram(const ProgramEvent &e) override { runs.push_back(e.run); }
    void afterProgram(const ProgramEvent &e) override { over += e.changed && !e.failed; }
    void afterPass(const PassEvent &) override { ++passes; }
  } sink;
  options.trace = &sink;
  PlanLookup first = optimize(kProgram);
  unsigned passes = sink.passes;
  CHECK(passes > 0);
  optimize(kProgram);
  CHECK(sink.passes == passes);
  REQUIRE(sink.runs.size() == 2);
  CHECK(sink.over == 2);
  CHECK(sink.runs[0].planCacheHit == false);
  CHECK(sink.runs[1].planCacheHit == true);
  for (const TraceRun &run : sink.runs) {
    CHECK(run.graph == first.plan->key.text());
    CHECK(run.pipeline == "canonicalize,hoist_params");
    CHECK(run.target == sink.runs[0].target);
    CHECK(run.backend == "none");
  }
}

TEST_CASE_FIXTURE(PlanFixture, "signatures") {
  Program &p = read("func @main(%x: f32[B, 3], %w: param(7) f32[3, 4], %v: param ?) -> (y: f32[B, 3]) { return %x }");
  EntrySignature s = EntrySignature::of(*p.function("main"));
  CHECK(s.text() == "(arg f32[B, 3], param(7) f32[3, 4], param ?) -> (f32[B, 3])");
  CHECK(s == EntrySignature::of(*parse("func @other(%a: f32[B, 3], %b: param(7) f32[3, 4], %c: param ?) { return %a }")
                                     ->function("other")));
  EntrySignature t = s;
  t.params[1].stableId = 8;
  CHECK(s.digest() != t.digest());
  t = s;
  t.params[1].role = ParamRole::Arg;
  CHECK(s.digest() != t.digest());
  t = s;
  t.results.push_back("f32[]");
  CHECK(s.digest() != t.digest());
  CHECK(s.digest() == EntrySignature(s).digest());
  std::vector<uint64_t> ids = stableIdsOf(*p.function("main"));
  CHECK(ids[0] == 0);
  CHECK(ids[1] == 7);
  CHECK((ids[2] != 0 && ids[2] != 7));
}

TEST_CASE("digests tell apart what was added") {
  Digester d;
  Digest ab = d.add("ab").add("c").take();
  CHECK(ab == d.add("ab").add("c").take());
  CHECK(ab != d.add("a").add("bc").take());
  CHECK(d.take() == d.take());
  CHECK(d.add(uint64_t(1)).take() != d.add(uint64_t(2)).take());
  CHECK(ab.hex().size() == 64);
  CHECK(ab.hex(16) == ab.hex().substr(0, 16));
  // The empty digest as the BLAKE3 specification states it: the same on every machine.
  CHECK(d.take().hex(16) == "af1349b9f5f9a1a6");
}

} // namespace
