// Patterns run from their source: the tests that .rw files declare, threads, hostile files.
#include "rw/infer/infer_shapes.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/load/load_patterns.h"
#include "rw/passes/pass_manager.h"
#include "rw/testing/run_tests.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace rw;

namespace {
/// A registry with what a text declares.
struct Loaded {
  SourceManager sources;
  Diagnostics diags{sources};
  Registry registry;
  std::optional<LoadedPatterns> names;

  explicit Loaded(PatternSource source) {
    registerCorePasses(registry);
    registerInferencePasses(registry);
    names = loadPatterns({std::move(source)}, {.importDirs = {RW_SOURCE_DIR "/patterns"}, .wholeImports = true},
                         sources, registry, diags);
  }
};

const char *const kDialect = R"(dialect d;
op f(x: tensor) -> tensor { traits pure, elementwise; type (x.dtype, x.shape); }
op g(a: tensor, b: tensor) -> tensor { traits pure, commutative; type (a.dtype, a.shape); }
)";

std::string optimized(const Registry &registry, std::string_view pass, std::string text) {
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText("in.rwir", std::move(text));
  std::unique_ptr<Program> program = parseProgram(file, sources, diags, registry.ops);
  PassManager manager(registry);
  if (!program || !manager.parse(pass, sources, diags))
    return diags.renderText();
  manager.run(*program, {});
  return printProgram(*program);
}
} // namespace

TEST_CASE("every construct of the language does what its declared tests say") {
  // The files are also compiled (tests/unit/generated), and the same tests run there.
  for (const char *name : {"absent", "constants", "floats", "forms", "names_and_limits", "versions"}) {
    CAPTURE(name);
    Loaded loaded({std::string(RW_SOURCE_DIR "/tests/unit/generated/") + name + ".rw"});
    REQUIRE_MESSAGE(loaded.names, loaded.diags.renderText());
    size_t run = 0;
    for (size_t i = loaded.names->firstTest; i < loaded.registry.tests().size(); ++i, ++run) {
      const TestEntry &test = loaded.registry.tests()[i];
      CAPTURE(test.name);
      CAPTURE(test.line);
      CHECK(runTest(loaded.registry, test) == "");
    }
    CHECK(run > 0);
  }
}

TEST_CASE("what follows a choice runs again for each alternative, and with nothing left over of the one before") {
  Loaded loaded({"choices.rw", std::string(kDialect) + R"(
    pattern P { g(a, b) where a is (f(x) | x), b is (f(f(x)) | f(x)) => f(x) }
    pass main { P; }
    test P (x: f32[2]) { g(f(x), f(x)) => f(x) }
    test P (x: f32[2]) { g(x, f(f(x))) => f(x) }
    test P (x: f32[2], y: f32[2]) { g(f(x), f(y)) => unchanged }
  )"});
  REQUIRE_MESSAGE(loaded.names, loaded.diags.renderText());
  for (size_t i = loaded.names->firstTest; i < loaded.registry.tests().size(); ++i)
    CHECK(runTest(loaded.registry, loaded.registry.tests()[i]) == "");
}

TEST_CASE("a pattern goes on where its beginning is not straight any more, and leaves nothing behind where it fails") {
  Loaded loaded({"straight.rw", std::string(kDialect) + R"(
    op odd(x: tensor) -> tensor { traits pure; type (x.dtype, [7]); }
    op k(x: tensor) -> tensor { attr perm: [int]; attr axis: int; traits pure; type (x.dtype, x.shape); }
    fn reversed_twice(p: [int]) -> bool = reversed(reversed(p)) == p;

    pattern ToTheEnd { f(f(x)) => x }
    pattern Choice { g(f(x), k(y, axis = 1, ..)) => g(x, y) }
    pattern Works { k(f(x), perm = p, axis = a) where reversed_twice(p), a > 2 => f(x) }
    pattern Equals { k(k(x, perm = [1, 0], ..), perm = [1, 0], axis = 2) => x }
    pattern TypesDiffer { f(k(x, ..)) => odd(f(x)) }
    pass main { ToTheEnd, Choice, Works, Equals, TypesDiffer; }

    test ToTheEnd (x: f32[2]) { f(f(x)) => x }
    test Choice (x: f32[2], y: f32[2]) { g(f(x), k(y, perm = [0], axis = 1)) => g(x, y) }
    test Choice (x: f32[2], y: f32[2]) { g(k(y, perm = [0], axis = 1), f(x)) => g(x, y) }
    test Choice (x: f32[2], y: f32[2]) { g(f(x), k(y, perm = [0], axis = 3)) => unchanged }
    test Works (x: f32[2]) { k(f(x), perm = [0], axis = 3) => f(x) }
    test Works (x: f32[2]) { k(f(x), perm = [0], axis = 2) => unchanged }
    test Equals (x: f32[2, 2]) { k(k(x, perm = [1, 0], axis = 5), perm = [1, 0], axis = 2) => x }
    test Equals (x: f32[2, 2]) { k(k(x, perm = [0, 1], axis = 5), perm = [1, 0], axis = 2) => unchanged }
    test TypesDiffer (x: f32[2]) { f(k(x, perm = [0], axis = 0)) => unchanged }
  )"});
  REQUIRE_MESSAGE(loaded.names, loaded.diags.renderText());
  for (size_t i = loaded.names->firstTest; i < loaded.registry.tests().size(); ++i)
    CHECK(runTest(loaded.registry, loaded.registry.tests()[i]) == "");
}

TEST_CASE("a chain with sides may be built twice where only an alternative binds it") {
  // Asking for sides when the chain is built again must not forget that it was bound.
  Loaded loaded({"twice.rw", std::string(kDialect) + R"(
    op h(a: tensor, b: tensor) -> tensor { traits pure, elementwise; type (a.dtype, a.shape); }
    op e(a: tensor) -> tensor { traits pure; type (a.dtype, a.shape); }
    pattern P { e((c: h+(f(x), s: _[...]) | _)) where has(c) => g(c(x, s => f(s)), c(x, s => s)) }
    pass main { P; }
    test P (x: f32[2], y: f32[2]) { e(h(f(x), y)) => g(h(x, f(y)), h(x, y)) }
    test P (x: f32[2], y: f32[2]) { e(f(y)) => unchanged }
  )"});
  REQUIRE_MESSAGE(loaded.names, loaded.diags.renderText());
  for (size_t i = loaded.names->firstTest; i < loaded.registry.tests().size(); ++i)
    CHECK(runTest(loaded.registry, loaded.registry.tests()[i]) == "");
}

TEST_CASE("threads share loaded patterns") {
  Loaded loaded({"threads.rw", std::string(kDialect) + "pattern FF { f(f(x)) => x }\npass main { FF; }"});
  REQUIRE(loaded.names);
  std::string text = "func @main(%x: f32[2]) -> f32[2] {\n";
  for (int i = 0; i < 1000; ++i)
    text += "  %v" + std::to_string(i) + " = d.f(" + (i ? "%v" + std::to_string(i - 1) : "%x") + ")\n";
  text += "  return %v999\n}\n";
  std::vector<std::string> out(4);
  std::vector<std::thread> threads;
  for (std::string &result : out)
    threads.emplace_back([&] { result = optimized(loaded.registry, "main", text); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &result : out)
    CHECK(result == "func @main(%x: f32[2]) -> f32[2] {\n  return %x\n}\n");
}

TEST_CASE("hostile files end") {
  SUBCASE("functions that call functions, a thousand deep") {
    std::string text = kDialect;
    text += "fn f0(n: int) -> int = n;\n";
    for (int i = 1; i < 1000; ++i)
      text += "fn f" + std::to_string(i) + "(n: int) -> int = f" + std::to_string(i - 1) + "(n) + f" +
              std::to_string(i - 1) + "(n);\n";
    text += "pattern P { f(x) where f999(1) == 0 => x }\npass main { P; }\n";
    Loaded loaded({"deep.rw", text});
    if (loaded.names)
      CHECK(optimized(loaded.registry, "main", "func @main(%x: f32[2]) -> f32[2] {\n  %0 = d.f(%x)\n  return %0\n}\n")
                .find("d.f") != std::string::npos);
    else
      CHECK(loaded.diags.hasErrors());
  }
  SUBCASE("lists of lists of numbers") {
    Loaded loaded({"lists.rw", std::string(kDialect) +
                                   "fn big() -> [int] = [i + j for i in 0..60000 for j in 0..60000];\n"
                                   "pattern P { f(x) where len(big()) == 3 => x }\npass main { P; }\n"});
    REQUIRE_MESSAGE(loaded.names, loaded.diags.renderText());
    CHECK(optimized(loaded.registry, "main", "func @main(%x: f32[2]) -> f32[2] {\n  %0 = d.f(%x)\n  return %0\n}\n")
              .find("d.f") != std::string::npos);
  }
}

TEST_CASE("nothing is registered after an error") {
  Loaded good({"good.rw", std::string(kDialect) + "pattern FF { f(f(x)) => x }"});
  REQUIRE(good.names);
  size_t ops = good.registry.ops.size(), patterns = good.registry.patterns.all().size();
  CHECK_FALSE(
      loadPatterns({{"a.rw", "dialect e; op h(x: tensor) -> tensor { traits pure; }\npattern A { h(h(x)) => x }"},
                    {"b.rw", "pattern B { h( => x }"}},
                   {}, good.sources, good.registry, good.diags));
  CHECK(good.registry.ops.size() == ops);
  CHECK(good.registry.patterns.all().size() == patterns);
}
