// Names that several libraries have: what they mean where they are used, and what is said where that is not clear.

#include "pass_fixture.h"

#include "rw/rewrite/qualified_name.h"

using namespace toy;

namespace {

/// What each library of a file adds: a pattern, a pass of it, a pipeline of that.
void addLibrary(Registry &registry, std::string_view space, const char *file, unsigned line) {
  Registry::Scope scope(registry, space, file);
  registry.patterns.add({{.name = "Mine", .file = file, .line = line}, makePattern<0>});
  registry.addPass({.name = "tidy", .patterns = {"Mine"}, .file = file, .line = line + 1});
  registry.addPipeline({"all", "tidy", "", file, line + 2});
}
/// The patterns of the first pass of a pipeline text, or the diagnostic.
std::string patternsOf(PassFixture &t, std::string text) {
  Diagnostics diags(t.sources);
  PassManager manager(t.registry);
  if (!manager.parse(text, t.sources, diags))
    return diags.renderText();
  std::string out;
  const FrozenPatternSet *set = manager.items().front().pass->patterns();
  for (size_t i = 0; i < set->size(); ++i)
    out += (i ? " " : "") + std::string(set->info(i).shownName());
  return out;
}

} // namespace

TEST_CASE("a name is written with as much of the full name as tells it apart") {
  Declared mine{"my::opt", "fusion.rw", "Merge", 12}, theirs{"rw::builtin", "transpose.rw", "Merge", 20},
      cpp{"", "", "Merge"};
  CHECK(fullName(mine) == "my::opt::fusion::Merge");
  for (const char *written : {"Merge", "fusion::Merge", "opt::Merge", "my::opt::Merge", "opt::fusion::Merge",
                              "my::opt::fusion::Merge", "::my::opt::fusion::Merge", "M*", "my::*::M?rge"})
    CHECK_MESSAGE(isNamed(mine, written), written);
  for (const char *written : {"merge", "my::Merge", "my::fusion::Merge", "usion::Merge", "::Merge", "::fusion::Merge",
                              "::my::opt::Merge", "x::*"})
    CHECK_MESSAGE(!isNamed(mine, written), written);
  CHECK(isNamed(cpp, "::Merge"));
  std::vector<Declared> all{mine, theirs};
  CHECK(shownName(mine, all) == "my::opt::Merge");
  CHECK(shownName(mine, std::vector<Declared>{mine}) == "Merge");
  CHECK(shownName(mine, std::vector<Declared>{mine, {"my::opt", "algebra.rw", "Merge", 3}}) == "fusion::Merge");
  CHECK(shownName(cpp, std::vector<Declared>{mine, cpp}) == "::Merge");
  using Found = std::vector<uint32_t>;
  CHECK(findMeant("Merge", {}, all) == Found{0, 1});
  CHECK(findMeant("opt::Merge", {}, all) == Found{0});
  CHECK(findMeant("Merge", {"rw::builtin", "pipelines.rw"}, all) == Found{1});                // its namespace
  CHECK(findMeant("Merge", {"my::opt::inner", "x.rw"}, all) == Found{0});                     // one around its own
  CHECK(findMeant({"Merge", "transpose.rw", 20}, {"my::opt", "fusion.rw"}, all) == Found{1}); // a declaration
  CHECK(findMeant({"Merge", "transpose.rw", 21}, {"my::opt", "fusion.rw"}, all).empty());
}

TEST_CASE("patterns, passes and pipelines of one name live side by side; a pass means its own file's") {
  PassFixture t;
  addLibrary(t.registry, "one", "a.rw", 3);
  addLibrary(t.registry, "two", "b.rw", 14);
  CHECK(t.registry.check(t.diags));
  CHECK(t.diags.all().empty());
  CHECK(patternsOf(t, "one::tidy") == "one::Mine");
  CHECK(patternsOf(t, "b::tidy") == "two::Mine");
  CHECK(patternsOf(t, "two::all") == "two::Mine"); // the text of a pipeline means its own file's pass
  PassManager manager(t.registry);
  REQUIRE(manager.parse("one::all,two::all", t.sources, t.diags));
  CHECK(printPipeline(manager.items()) == "one::tidy,two::tidy"); // which can be read again
  CHECK(patternsOf(t, "fxx") == "FXX");
}

TEST_CASE("what a file imports is meant by its place, whatever else has the name") {
  PassFixture t;
  addLibrary(t.registry, "one", "a.rw", 3);
  addLibrary(t.registry, "two", "b.rw", 14);
  Registry::Scope scope(t.registry, "three", "c.rw");
  t.registry.addPass({.name = "imported", .patterns = {{"Mine", "b.rw", 14}}, .file = "c.rw", .line = 1});
  t.registry.addPass({.name = "gone", .patterns = {{"Mine", "b.rw", 15}}, .file = "c.rw", .line = 2});
  t.registry.addPipeline({"through", "tidy", "", "c.rw", 3, {{"tidy", "a.rw", 4}}});
  CHECK(patternsOf(t, "imported") == "two::Mine");
  CHECK(patternsOf(t, "through") == "one::Mine");
  CHECK(patternsOf(t, "gone").find("names the pattern `Mine`, which is not registered") != std::string::npos);
  t.registry.addCanonicalization({"Mine", "a.rw", 3});
  CHECK(patternsOf(t, "canonicalize") == "AA one::Mine");
}

TEST_CASE("a clash is told where the name is used, with the names to choose from") {
  PassFixture t;
  addLibrary(t.registry, "one", "a.rw", 3);
  addLibrary(t.registry, "two", "b.rw", 14);
  CHECK(patternsOf(t, "cse,tidy") == "<pipeline>:1:5: error: `tidy` is the name of 2 passes and pipelines: `one::tidy` "
                                     "(a.rw:4), `two::tidy` (b.rw:15); write one of "
                                     "these names [name-clash]\ncse,tidy\n    ^~~~\n");
  t.registry.addPass({.name = "third", .patterns = {"Mine"}});
  CHECK(
      patternsOf(t, "third")
          .find("error: in pass `third` `Mine` is the name of 2 patterns: `one::Mine` (a.rw:3), `two::Mine` (b.rw:14); "
                "write one of these names") != std::string::npos);
  CHECK(checkFilter({.disabled = {"Mine"}}, t.registry)->tag == "name-clash");
  CHECK_FALSE(checkFilter({.disabled = {"two::Mine"}}, t.registry));
  CHECK_FALSE(checkFilter({.disabled = {"Min*"}}, t.registry)); // means all
  CHECK(PatternFilter{.disabled = {"two::Mine"}}.allows(t.registry.patterns.all().front().info));
  CHECK(t.registry.pass("tidy") == nullptr);
  CHECK(t.registry.pass("two::tidy")->line == 15);
}

TEST_CASE("what is registered twice is there once; two in one file of a namespace have no names apart") {
  PassFixture t;
  size_t patterns = t.registry.patterns.all().size(), passes = t.registry.passes().size();
  addLibrary(t.registry, "one", "a.rw", 3);
  addLibrary(t.registry, "one", "a.rw", 3);
  registerCorePasses(t.registry);
  CHECK(t.registry.patterns.all().size() == patterns + 1);
  CHECK(t.registry.passes().size() == passes + 1);
  CHECK(patternsOf(t, "tidy") == "Mine");
  t.registry.addPass({.name = "tidy", .patterns = {"AA"}, .file = "a.rw", .line = 9, .space = "one"});
  CHECK(patternsOf(t, "tidy").find("rename one of them [name-clash]") != std::string::npos);
}

TEST_CASE("a built-in pass means the built-in ones, whatever a user's are called; a user's means their own first") {
  PassFixture t;
  {
    Registry::Scope scope(t.registry, "rw::builtin", "pipelines.rw");
    t.registry.addPipeline({"ours", "cse,dce", "", "pipelines.rw", 1});
  }
  Registry::Scope scope(t.registry, "my", "m.rw");
  t.registry.addPass({.name = "dce", .patterns = {"AA"}, .file = "m.rw", .line = 2});
  t.registry.addPipeline({"mine", "cse,dce", "", "m.rw", 3});
  PassManager manager(t.registry);
  REQUIRE(manager.parse("ours,mine", t.sources, t.diags));
  CHECK(printPipeline(manager.items()) == "cse,rw::dce,cse,my::dce");
  CHECK(patternsOf(t, "dce").find("`rw::dce` (C++), `my::dce` (m.rw:2)") != std::string::npos);
}

TEST_CASE("of the pipelines that tools run unasked the last one is meant: a tool's own win") {
  PassFixture t;
  t.registry.addPipeline({"onnx", "cse", "", "pipelines.rw", 1, {}, "rw::builtin"});
  t.registry.addPipeline({"onnx", "dce", "", "mine.rw", 7, {}, "my"});
  t.registry.addPipeline({"both", "onnx,rw::builtin::onnx", "", "mine.rw", 8, {}, "my"});
  for (const char *text : {"onnx", "my::onnx"}) {
    PassManager manager(t.registry);
    REQUIRE(manager.parse(text, t.sources, t.diags));
    CHECK(printPipeline(manager.items()) == "dce");
  }
  PassManager manager(t.registry);
  REQUIRE(manager.parse("both", t.sources, t.diags));
  CHECK(printPipeline(manager.items()) == "dce,cse");
}

TEST_CASE("run_patterns runs patterns that no pass names") {
  PassFixture t;
  addLibrary(t.registry, "one", "a.rw", 3);
  CHECK(patternsOf(t, "run_patterns{names=\"one::Mine,FX*\"}") == "FXX Mine");
  CHECK(patternsOf(t, "run_patterns{names=Nine}").find("no pattern is named `Nine`; did you mean `Mine`?") !=
        std::string::npos);
  CHECK(patternsOf(t, "run_patterns").find("which patterns?") != std::string::npos);
}

TEST_CASE("an op that is there already is an error") {
  PassFixture t;
  OpSchema again{.dialect = t.registry.ops.schema(KindId{2}).dialect, .name = t.registry.ops.schema(KindId{2}).name};
  CHECK(t.registry.ops.add(again) == kOpaqueKind);
  CHECK_FALSE(t.registry.check(t.diags));
  CHECK(t.diags.all().front().tag == "duplicate-op");
  PassManager manager(t.registry);
  CHECK_FALSE(manager.parse("cse", t.sources, t.diags));
}

TEST_CASE("a dialect and its name in other formats go together") {
  static constexpr OpSchema kOne{.dialect = "one", .name = "op", .domain = "com.d"};
  static constexpr OpSchema kSame{.dialect = "one", .name = "more", .domain = "com.d"};
  static constexpr OpSchema kPlain{.dialect = "one", .name = "plain"};
  static constexpr OpSchema kTwo{.dialect = "two", .name = "op", .domain = "com.d"};
  static constexpr OpSchema kMoved{.dialect = "one", .name = "moved", .domain = "com.e"};
  auto tagOf = [](std::initializer_list<const OpSchema *> ops) -> std::string {
    PassFixture t;
    for (const OpSchema *op : ops)
      t.registry.ops.add(*op);
    return t.registry.check(t.diags) ? "" : t.diags.all().front().tag;
  };
  CHECK(tagOf({&kOne, &kSame, &kPlain}) == "");
  CHECK(tagOf({&kOne, &kTwo}) == "duplicate-domain");
  CHECK(tagOf({&kOne, &kMoved}) == "duplicate-domain");
  // ONNX's own ops have one dialect, which has no other ops.
  static constexpr OpSchema kOnnx{.dialect = "onnx", .name = "mine"};
  static constexpr OpSchema kNamed{.dialect = "onnx", .name = "named", .domain = "ai.onnx"};
  static constexpr OpSchema kAlias{.dialect = "one", .name = "alias", .domain = "ai.onnx"};
  static constexpr OpSchema kForeign{.dialect = "onnx", .name = "foreign", .domain = "com.d"};
  CHECK(tagOf({&kOnnx, &kNamed}) == "");
  CHECK(tagOf({&kAlias}) == "duplicate-domain");
  CHECK(tagOf({&kForeign}) == "duplicate-domain");
}
