// What two libraries may not both bring, and what takes the place of something else.

#include "pass_fixture.h"

using namespace toy;

namespace {

/// The tags of what is reported beyond what the fixture brings about: its `full` takes the place of ours.
std::string tags(const Registry &registry, bool &good) {
  SourceManager sources;
  Diagnostics diags(sources);
  good = registry.check(diags);
  std::string out;
  for (const Diagnostic &d : diags.all())
    if (d.message.find("`full`") == std::string::npos)
      out += (out.empty() ? "" : " ") + d.tag;
  return out;
}
std::string reported(const Registry &registry) {
  SourceManager sources;
  Diagnostics diags(sources);
  registry.check(diags);
  return diags.renderText();
}

} // namespace

TEST_CASE("two patterns of one name are an error that says where both are, and nothing runs") {
  PassFixture t;
  bool good = false;
  t.registry.patterns.add({{.name = "Mine", .file = "a.rw", .line = 3}, makePattern<0>});
  CHECK(tags(t.registry, good) == "");
  CHECK(good);
  t.registry.patterns.add({{.name = "Mine", .file = "b.rw", .line = 14}, makePattern<4>});
  t.registry.patterns.add({{.name = "AA", .file = "b.rw", .line = 20}, makePattern<4>});
  CHECK(tags(t.registry, good) == "duplicate-pattern duplicate-pattern");
  CHECK_FALSE(good);
  CHECK(reported(t.registry).find("b.rw:20: error: there already is a pattern named `AA` [duplicate-pattern]\n"
                                  "note: the first is declared in C++\n"
                                  "note: passes, filters and reports know patterns by name: rename either\n"
                                  "b.rw:14: error: there already is a pattern named `Mine` [duplicate-pattern]\n"
                                  "note: the first is declared in a.rw:3\n") == 0);
  PassManager manager(t.registry);
  CHECK_FALSE(manager.parse("cse", t.sources, t.diags));
  CHECK(t.diags.hasErrors());
}

TEST_CASE("an op that is there already is an error") {
  PassFixture t;
  OpSchema again{.dialect = t.registry.ops.schema(KindId{2}).dialect, .name = t.registry.ops.schema(KindId{2}).name};
  CHECK(t.registry.ops.add(again) == kOpaqueKind);
  bool good = true;
  CHECK(tags(t.registry, good) == "duplicate-op");
  CHECK_FALSE(good);
}

TEST_CASE("a pass or pipeline that takes the place of another is a warning, unless it is the same or what a tool runs unasked") {
  PassFixture t;
  bool good = false;
  t.registry.addPipeline({"default", "cse", ""});
  t.registry.addPipeline({"onnx", "cse", ""});
  t.registry.addPipeline({"onnx", "dce", ""});
  t.registry.addPass(PassEntry(*t.registry.pass("cse"))); // registered twice
  t.registry.addPipeline({"mine", "cse", "", "a.rw", 1});
  t.registry.addPipeline({"mine", "cse", "", "a.rw", 1});
  CHECK(tags(t.registry, good) == "");
  t.registry.addPass({.name = "cse", .patterns = {"AA"}, .file = "a.rw", .line = 7});
  t.registry.addPass({.name = "fxx", .patterns = {"AA"}, .file = "a.rw", .line = 8});
  t.registry.addPipeline({"mine", "dce", "", "b.rw", 2});
  CHECK(tags(t.registry, good) == "replaced-pass replaced-pass replaced-pass");
  CHECK(good);
  std::string text = reported(t.registry);
  CAPTURE(text);
  CHECK(text.find("a.rw:7: warning: this pass takes the place of the pass `cse` in every pipeline that names it [replaced-pass]\n"
                  "note: which is written in C++\nnote: if that is not meant, give it another name\n") != std::string::npos);
  CHECK(text.find("b.rw:2: warning: this pipeline takes the place of the pipeline `mine` in every pipeline that names it "
                  "[replaced-pass]\nnote: which is declared in a.rw:1\n") != std::string::npos);
}
