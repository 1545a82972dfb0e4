// Trace sinks: what events come in which order, and what the sinks make of them.

#include "../passes/pass_fixture.h"

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/trace/chrome_sink.h"
#include "rw/trace/file_sink.h"
#include "rw/trace/program_json.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace toy;
using nlohmann::json;

namespace {

/// Every event as a line.
struct Lines : TraceSink {
  std::vector<std::string> lines;
  bool rewrites = false;
  std::string graph, target, backend, pipeline;
  std::optional<bool> hit;

  void beforeProgram(const ProgramEvent &e) override {
    lines.push_back("program {");
    graph = e.run.graph, target = e.run.target, backend = e.run.backend, pipeline = e.run.pipeline,
    hit = e.run.planCacheHit;
  }
  void afterProgram(const ProgramEvent &e) override {
    lines.push_back(std::string("} program") + (e.changed ? " changed" : "") + (e.failed ? " failed" : ""));
  }
  void beforeSpan(const SpanEvent &e) override { lines.push_back(e.name + " {"); }
  void afterSpan(const SpanEvent &e) override { lines.push_back("} " + e.name); }
  void beforePass(const PassEvent &e) override { lines.push_back(e.pass + " {"); }
  void afterPass(const PassEvent &e) override {
    lines.push_back("} " + e.pass + " " + std::to_string(e.opsBefore) + " -> " + std::to_string(e.opsAfter));
  }
  void rewrite(const RewriteEvent &e) override {
    std::string line = e.kind == RewriteEvent::Pattern ? e.pattern : e.kind == RewriteEvent::Fold ? "fold" : "erase";
    line += " " + e.root + ":";
    for (const std::string &in : e.in)
      line += " " + in;
    line += " =>";
    for (const std::string &out : e.out)
      line += " " + out;
    lines.push_back(line);
  }
  bool wantsRewrites() const override { return rewrites; }
};

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/rw-trace-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string read(const std::string &name) const {
    std::ifstream in(path + "/" + name);
    REQUIRE_MESSAGE(in, name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
};

using Strings = std::vector<std::string>;

} // namespace

TEST_CASE("passes nest in rounds, rounds in the run; events name the run") {
  PassFixture t;
  t.ret({t.un(a, t.un(a, t.x))});
  Lines sink;
  t.options.trace = &sink;
  t.options.traceRun.backend = "toy";
  t.run("repeat(3){canonicalize},dce");
  CHECK(sink.lines == Strings{"program {", "round 1 of 3 {", "canonicalize {", "} canonicalize 2 -> 0",
                              "} round 1 of 3", "round 2 of 3 {", "canonicalize {", "} canonicalize 0 -> 0",
                              "} round 2 of 3", "dce {", "} dce 0 -> 0", "} program changed"});
  CHECK(sink.graph.size() == 16);
  CHECK(sink.target == "@main %2");
  CHECK(sink.backend == "toy");
  CHECK(sink.pipeline == "repeat(3){canonicalize},dce");
  CHECK(!sink.hit);
}

TEST_CASE("rewrite events: pattern, ops in and ops out; folds and dead ops") {
  PassFixture t;
  t.registry.patterns.add({{.name = "BA"}, makePattern<1>});
  t.registry.addPass({.name = "ba", .patterns = {"BA"}});
  Value dead = t.un(c, t.x);
  Value k1 = t.constant(t.ctx().intAttr(1));
  (void)dead;
  t.ret({t.un(b, t.un(a, t.x)), t.un(folds, k1)});
  Lines sink;
  sink.rewrites = true;
  t.options.trace = &sink;
  t.run("ba");
  CHECK(sink.lines == Strings{"program {", "ba {", "erase t.c %1: t.c %1 =>", "fold t.folds %5: t.folds %5 =>",
                              "BA t.b %4: t.b %4 => t.b #6 t.a #7", "erase t.a %3: t.a %3 =>", "} ba 4 -> 2",
                              "} program changed"});
}

TEST_CASE("a guard installs a sink for the scope and restores the previous one") {
  PassFixture t;
  t.ret({t.x});
  Lines outer, inner;
  CHECK(currentTraceSink() == nullptr);
  {
    TraceSinkGuard first(outer);
    CHECK(currentTraceSink() == &outer);
    {
      TraceSinkGuard second(inner);
      t.run("dce");
      CHECK(currentTraceSink() == &inner);
    }
    CHECK(currentTraceSink() == &outer);
    CHECK(outer.lines.empty());
    t.run("dce");
    t.options.trace = &outer; // the same sink twice is told once
    t.run("dce");
  }
  CHECK(currentTraceSink() == nullptr);
  CHECK(inner.lines.size() == 4);
  CHECK(outer.lines.size() == 8);
}

TEST_CASE("a run that is left early counts as failed; a plan cache says whether it was hit") {
  PassFixture t;
  t.ret({t.x});
  Lines sink;
  { ProgramTrace trace({.graph = "g7", .target = "@main %x", .planCacheHit = true}, *t.program, &sink); }
  CHECK(sink.lines == Strings{"program {", "} program failed"});
  CHECK(sink.graph == "g7");
  CHECK(sink.hit == true);
  CHECK(sink.backend == "none");
}

TEST_CASE("the graph id follows the program, not the process") {
  PassFixture t, u, v;
  t.ret({t.un(a, t.x)});
  u.ret({u.un(a, u.x)});
  v.ret({v.un(b, v.x)});
  CHECK(graphIdOf(*t.program) == graphIdOf(*u.program));
  CHECK(graphIdOf(*t.program) != graphIdOf(*v.program));
}

TEST_CASE("the Chrome trace is JSON, and what holds others begins before and ends after them") {
  PassFixture t;
  t.ret({t.un(a, t.un(a, t.x))});
  ChromeTraceSink sink;
  t.options.trace = &sink;
  t.run("repeat(2){canonicalize},dce");
  json trace = json::parse(sink.json());
  std::vector<std::pair<std::string, json>> seen;
  for (const json &event : trace["traceEvents"]) {
    CHECK(event["ph"] == "X");
    seen.push_back({event["name"], event});
  }
  REQUIRE(seen.size() == 6);
  CHECK(seen[0].second["cat"] == "run");
  Strings names;
  for (auto &[name, event] : seen)
    names.push_back(name);
  CHECK(names == Strings{names[0], "round 1 of 2", "canonicalize", "round 2 of 2", "canonicalize", "dce"});
  auto inside = [](const json &inner, const json &outer) {
    double begin = outer["ts"], end = begin + double(outer["dur"]);
    return double(inner["ts"]) >= begin && double(inner["ts"]) + double(inner["dur"]) <= end + 0.001;
  };
  CHECK(inside(seen[1].second, seen[0].second));
  CHECK(inside(seen[2].second, seen[1].second));
  CHECK(inside(seen[4].second, seen[3].second));
  CHECK(inside(seen[5].second, seen[0].second));
  CHECK(seen[2].second["args"]["rewrites"] == 1);
  CHECK(json::parse(ChromeTraceSink().json())["traceEvents"].empty());
}

TEST_CASE("the file sink writes one set per run and never over an earlier one") {
  PassFixture t;
  t.registry.patterns.add({{.name = "BA"}, makePattern<1>});
  t.registry.addPass({.name = "ba", .patterns = {"BA"}});
  t.ret({t.un(b, t.un(a, t.x))});
  std::string before = printProgram(*t.program);
  Folder folder;
  std::string dumps = folder.path + "/a/b";
  {
    FileTraceSink sink(dumps);
    t.options.trace = &sink;
    t.run("ba");
    t.run("dce");
    CHECK(sink.error() == "");
  }
  FileTraceSink again(dumps);
  t.options.trace = &again;
  t.run("dce");
  CHECK(std::filesystem::is_directory(dumps + "/run-0003"));
  CHECK(folder.read("a/b/run-0001/input.rwir") == before);
  std::string after = folder.read("a/b/run-0001/program.rwir");
  CHECK(after == printProgram(*t.program));
  json meta = json::parse(folder.read("a/b/run-0001/meta.json"));
  CHECK(meta["pipeline"] == "ba");
  CHECK(meta["changed"] == true);
  CHECK(meta["plan_cache_hit"].is_null());
  CHECK(meta["duration_ns"].is_number_unsigned());
  json stats = json::parse(folder.read("a/b/run-0001/stats.json"));
  CHECK(stats["rewrites"] == 1);
  CHECK(stats["steps"][0]["pass"] == "ba");
  std::string rewrites = folder.read("a/b/run-0001/rewrites.jsonl");
  json rewrite = json::parse(rewrites.substr(0, rewrites.find('\n')));
  CHECK(rewrite["pattern"] == "BA");
  CHECK(rewrite["in"] == json({"t.b %2"}));
  CHECK(rewrite["out"] == json({"t.b #3", "t.a #4"}));
  CHECK(json::parse(folder.read("a/b/run-0002/stats.json"))["steps"][0]["changed"] == false);
}

TEST_CASE("a folder that cannot be made is said once and stops nothing") {
  PassFixture t;
  t.ret({t.un(a, t.un(a, t.x))});
  Folder folder;
  std::ofstream(folder.path + "/file") << "in the way";
  FileTraceSink sink(folder.path + "/file");
  t.options.trace = &sink;
  CHECK(t.run("canonicalize").changed);
  CHECK(sink.error().find(folder.path + "/file") == 0);
}

TEST_CASE("a program as JSON: parameters, attributes, regions, and names that are not UTF-8") {
  PassFixture t;
  Op h = OpBuilder(*t.fn, t.fn->body()).create(hold, {t.x});
  RegionId region = t.fn->addRegion(h.id);
  Value p = t.fn->addRegionParam(region, t.type);
  t.ret({p}, region);
  Op tagged = OpBuilder(*t.fn, t.fn->body()).create(a, {h.result()}, {t.ctx().intAttr(3)});
  t.fn->setValueName(tagged.result().id, t.ctx().intern("caf\xff"));
  t.fn->addParam(t.type, {.role = ParamRole::Param, .stableId = UINT64_MAX});
  t.ret({tagged.result()});
  json program = json::parse(programToJson(*t.program));
  json main = program["functions"][0];
  CHECK(main["name"] == "main");
  CHECK(main["params"][0] == json({{"name", "%0"}, {"type", "f32[2]"}, {"role", "arg"}}));
  CHECK(main["params"][1]["stable_id"] == "18446744073709551615");
  CHECK(main["ops"][0]["op"] == "t.hold");
  CHECK(main["ops"][0]["regions"][0]["params"][0]["type"] == "f32[2]");
  CHECK(main["ops"][0]["regions"][0]["ops"][0]["op"] == "return");
  CHECK(main["ops"][1]["attrs"]["tag"] == "3");
  CHECK(main["ops"][2]["operands"].size() == 1);
  CHECK(programToJson(*t.program) == programToJson(*t.program));
}
