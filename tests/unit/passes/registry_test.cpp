// What two libraries may not both bring, and what takes the place of something else.

#include "pass_fixture.h"

using namespace toy;

namespace {

std::vector<std::string> tags(const Diagnostics &diags) {
  std::vector<std::string> out;
  for (const Diagnostic &d : diags.all())
    out.push_back(d.tag);
  return out;
}

} // namespace

TEST_CASE("two patterns of one name are an error that says where both are, and nothing runs") {
  PassFixture t;
  CHECK(t.registry.check(t.diags));
  t.registry.patterns.add({{.name = "Mine", .file = "a.rw", .line = 3}, makePattern<0>});
  CHECK(t.registry.check(t.diags));
  CHECK(t.diags.all().empty());
  t.registry.patterns.add({{.name = "Mine", .file = "b.rw", .line = 14}, makePattern<4>});
  t.registry.patterns.add({{.name = "AA", .file = "b.rw", .line = 20}, makePattern<4>});
  CHECK_FALSE(t.registry.check(t.diags));
  CHECK(t.diags.renderText() ==
        "b.rw:20: error: there already is a pattern named `AA` [duplicate-pattern]\n"
        "note: the first is declared in C++\n"
        "note: passes, filters and reports know patterns by name: rename either\n"
        "b.rw:14: error: there already is a pattern named `Mine` [duplicate-pattern]\n"
        "note: the first is declared in a.rw:3\n"
        "note: passes, filters and reports know patterns by name: rename either\n");
  PassManager manager(t.registry);
  Diagnostics found(t.sources);
  CHECK_FALSE(manager.parse("cse", t.sources, found));
  CHECK(tags(found) == std::vector<std::string>{"duplicate-pattern", "duplicate-pattern"});
}

TEST_CASE("an op that is there already is an error") {
  PassFixture t;
  OpSchema again{.dialect = t.registry.ops.schema(KindId{2}).dialect, .name = t.registry.ops.schema(KindId{2}).name};
  CHECK(t.registry.ops.add(again) == kOpaqueKind);
  CHECK_FALSE(t.registry.check(t.diags));
  CHECK(tags(t.diags) == std::vector<std::string>{"duplicate-op"});
}

TEST_CASE("a pass or pipeline that takes the place of another is a warning, unless it is the same or what a tool runs unasked") {
  PassFixture t;
  t.registry.addPipeline({"default", "cse", ""});
  t.registry.addPipeline({"onnx", "cse", ""});
  t.registry.addPass(PassEntry(*t.registry.pass("cse"))); // registered twice
  t.registry.addPipeline({"mine", "cse", "", "a.rw", 1});
  t.registry.addPipeline({"mine", "cse", "", "a.rw", 1});
  CHECK(t.registry.check(t.diags));
  CHECK(tags(t.diags) == std::vector<std::string>{"replaced-pass"}); // `full`, by the fixture
  t.registry.addPass({.name = "cse", .patterns = {"AA"}, .file = "a.rw", .line = 7});
  t.registry.addPass({.name = "fxx", .patterns = {"AA"}, .file = "a.rw", .line = 8});
  t.registry.addPipeline({"mine", "dce", "", "b.rw", 2});
  Diagnostics found(t.sources);
  CHECK(t.registry.check(found));
  CHECK(tags(found) == std::vector<std::string>{"replaced-pass", "replaced-pass", "replaced-pass", "replaced-pass"});
  CHECK(found.renderText().find("a.rw:7: warning: this pass takes the place of the pass `cse` in every pipeline that names it [replaced-pass]\n"
                                "note: which is written in C++\nnote: if that is not meant, give it another name\n") != std::string::npos);
  CHECK(found.renderText().find("b.rw:2: warning: this pipeline takes the place of the pipeline `mine` in every pipeline that names it "
                                "[replaced-pass]\nnote: which is declared in a.rw:1\n") != std::string::npos);
}
