// Patterns loaded by several threads: what is registered and what is said do not depend on how many.

#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"
#include "rw/passes/pass.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

using namespace rw;
namespace fs = std::filesystem;

namespace {

/// A folder that goes when the test ends.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("rw_load_threads_" + std::to_string(std::random_device{}()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

/// What loading came to, in words.
std::string loaded(const std::vector<std::string> &files, const LoadOptions &options) {
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  std::vector<PatternSource> patterns;
  for (const std::string &file : files)
    patterns.push_back({file});
  const std::optional<LoadedPatterns> names = loadPatterns(patterns, options, sources, registry, diags);
  std::string out = diags.renderText();
  auto line = [&](auto &&...parts) { ((out += parts), ..., (out += "\n")); };
  if (names)
    for (const NameRef &name : names->patterns)
      line("its pattern ", name.name, " of ", name.file, ":", std::to_string(name.line));
  for (const PatternEntry &entry : registry.patterns.all()) {
    line("pattern ", entry.info.name, " of ", entry.info.file, ":", std::to_string(entry.info.line), " benefit ",
         std::to_string(entry.info.benefit));
    for (const auto &label : entry.info.labels)
      line("  label ", std::string(label));
  }
  for (uint32_t i = 0; i < registry.ops.size(); ++i) {
    const OpSchema &schema = registry.ops.schema(KindId{uint16_t(i)});
    line("op ", std::string(schema.dialect), ".", std::string(schema.name));
  }
  for (const PassEntry &pass : registry.passes())
    line("pass ", std::string(pass.name));
  for (const TestEntry &test : registry.tests())
    line("test ", test.name, ":", std::to_string(test.line));
  return out;
}

/// Files that import each other and name what others declare; enough text and patterns that threads are worth it.
std::vector<std::string> project(const Folder &folder) {
  std::vector<std::string> files;
  std::string ops = "dialect t;\n";
  for (int i = 0; i < 40; ++i)
    ops += "op f" + std::to_string(i) + "(x: tensor) -> tensor { traits pure; type x.type; canonicalize Twice" +
           std::to_string(i) + "; }\n" + "pattern Twice" + std::to_string(i) + " { f" + std::to_string(i) + "(f" +
           std::to_string(i) + "(x)) => f" + std::to_string(i) + "(x) }\n";
  files.push_back(folder.write(
      "a_last_of_its_imports.rw",
      "import \"ops.rw\";\nimport \"deep.rw\";\npattern A label \"own\" { t.f0(t.f1(x)) => deeper(x) }\n"));
  files.push_back(folder.write("ops.rw", ops));
  // comes along with others
  folder.write("deep.rw", "import \"ops.rw\";\nrewrite deeper(x: value) -> value = t.f1(t.f2(x));\n");
  for (int n = 0; n < 8; ++n) {
    std::string text = "import \"ops.rw\";\nimport \"deep.rw\";\n";
    for (int i = 0; i < 80; ++i)
      text += "pattern P" + std::to_string(n) + "_" + std::to_string(i) + " benefit " + std::to_string(2 + i % 3) +
              " { t.f" + std::to_string(i % 40) + "(t.f" + std::to_string((i + n + 1) % 40) +
              "(x)) where x.rank == " + std::to_string(i) + " => t.f" + std::to_string(i % 7) + "(x) }\n";
    text += "pass p" + std::to_string(n) + " { label \"own\"; P" + std::to_string(n) + "_0; }\n";
    if (n)
      // of the file before
      text += "pipeline all" + std::to_string(n) + " = p" + std::to_string(n) + ", p" + std::to_string(n - 1) + ";\n";
    files.push_back(folder.write("p" + std::to_string(n) + ".rw", text));
  }
  return files;
}

} // namespace

TEST_CASE("what is loaded does not depend on threads") {
  Folder folder;
  const std::vector<std::string> files = project(folder);
  const std::string one = loaded(files, {.threads = 1});
  CHECK_MESSAGE(one.find("[") == one.npos, one); // no error and no warning
  CHECK(one.find("its pattern P7_79 of p7.rw") != one.npos);
  for (unsigned threads : {2u, 3u, 8u})
    CHECK(loaded(files, {.threads = threads}) == one);
  // In another order other files bring the imports along.
  std::vector<std::string> backwards(files.rbegin(), files.rend());
  CHECK(loaded(backwards, {.threads = 3}) == loaded(backwards, {.threads = 1}));
}

TEST_CASE("built-in files may leave out their tests, others do not") {
  std::vector<std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(builtinPatternDir()))
    if (entry.path().extension() == ".rw")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  REQUIRE(!files.empty());
  LoadOptions options{.importDirs = {builtinPatternDir()}, .skipNatives = true, .threads = 2};
  const std::string whole = loaded(files, options);
  CHECK(whole.find("\ntest ") != whole.npos);
  std::string without = whole;
  for (size_t at; (at = without.find("\ntest ")) != without.npos;)
    without.erase(at, without.find('\n', at + 1) - at);
  options.builtinTests = false;
  for (unsigned threads : {1u, 2u}) {
    options.threads = threads;
    CHECK((loaded(files, options) == without)); // too long to be shown
  }

  Folder folder;
  const std::string own =
      folder.write("own.rw", "import \"tensor/tensor.rw\";\nimport \"layout/transpose.rw\";\n"
                             "pattern Relu { tensor.relu(tensor.relu(x)) => tensor.relu(x) }\n"
                             "pattern Twin { tensor.relu(tensor.relu(x)) => tensor.relu(x) }\n"
                             "test Relu (x: f32[2]) { tensor.relu(tensor.relu(x)) => tensor.relu(x) }\n");
  const std::string right = loaded({own}, {.builtinTests = false});
  CHECK(right == loaded({own}, {}));
  CHECK(right.find("[shadowed-pattern]") != right.npos);
  CHECK(right.find("\ntest Relu") != right.npos);
  const std::string wrong = folder.write("wrong.rw", "import \"tensor/tensor.rw\";\n"
                                                     "pattern Relu { tensor.relu(tensor.relu(x)) => tensor.relu(x) }\n"
                                                     "test Relu (x: f32[2]) { tensor.relu(y) => unchanged }\n");
  CHECK(loaded({wrong}, {.builtinTests = false}).find("[unbound-name]") != std::string::npos);
}

TEST_CASE("what is said does not depend on threads") {
  Folder folder;
  std::vector<std::string> files = project(folder);
  auto same = [&] {
    const std::string one = loaded(files, {.threads = 1});
    CHECK(loaded(files, {.threads = 3}) == one);
    return one;
  };
  SUBCASE("a wrong pattern") {
    files.push_back(folder.write("z.rw", "import \"ops.rw\";\npattern Wrong { t.f0(t.missing(x)) => x }\n"));
    CHECK(same().find("[undefined-op]") != std::string::npos);
  }
  SUBCASE("a warning") {
    files.push_back(folder.write(
        "z.rw",
        "import \"ops.rw\";\npattern Twin { t.f0(t.f0(x)) => t.f0(x) }\npattern Twin2 { t.f0(t.f0(x)) => t.f0(x) }\n"));
    CHECK(same().find("warning") != std::string::npos);
  }
  SUBCASE("wrong text in an import that comes along") {
    folder.write("deep.rw", "import \"ops.rw\";\nrewrite deeper(x: value) -> value = = t.f1(x);\n");
    CHECK(same().find("[syntax]") != std::string::npos);
  }
  SUBCASE("an import that is missing") {
    files.push_back(folder.write("z.rw", "import \"nowhere.rw\";\n"));
    CHECK(same().find("[import-missing]") != std::string::npos);
  }
  SUBCASE("a file that is missing, and one that is there twice") {
    files.push_back((folder.path / "none.rw").string());
    files.push_back(files.front());
    CHECK(same().find("[cannot-read]") != std::string::npos);
  }
  SUBCASE("a pass of a file that comes later") {
    files.insert(files.begin(), folder.write("first.rw", "pipeline early = p3;\n"));
    same();
  }
  SUBCASE("a pattern that cannot be planned, among many") {
    files.assign(1, folder.write("z.rw", [&] {
      std::string text;
      std::ifstream in(folder.path / "p0.rw");
      text.assign(std::istreambuf_iterator<char>(in), {});
      return text + "pattern Apart { a: t.f0(x), b: t.f1(y), c: t.f2(z) where x.rank == 1 => replace a with x }\n";
    }()));
    CHECK(same().find("[unconnected-root]") != std::string::npos);
  }
}

TEST_CASE("the built-in files") {
  std::vector<std::string> files;
  const fs::path folder = fs::path(RW_SOURCE_DIR) / "patterns";
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".rw")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  const LoadOptions one{.importDirs = {folder.string()}, .skipNatives = true, .threads = 1},
      two{.importDirs = {folder.string()}, .skipNatives = true, .threads = 2};
  const std::string text = loaded(files, one);
  CHECK(text.find("error") == text.npos);
  CHECK(loaded(files, two) == text);
}
