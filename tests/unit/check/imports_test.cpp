#include "checked.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace rw;
namespace fs = std::filesystem;

namespace {
struct Folder {
  fs::path path = fs::temp_directory_path() / ("rw_sema_" + std::to_string(reinterpret_cast<uintptr_t>(this)));
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  void write(const std::string &name, const std::string &text) {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};
} // namespace

TEST_CASE("a diamond of imports loads each file once; the module lists them all") {
  Folder f;
  f.write("lib/base.rw", kOps);
  f.write("a.rw", "import \"lib/base.rw\"; fn fa() -> int = 1;");
  f.write("lib/b.rw", "import \"base.rw\"; fn fb() -> int = 2;");
  Checked c("import \"a.rw\"; import \"lib/../lib/b.rw\"; pattern P { relu(x) where fa() == fb() => x }",
            (f.path / "main.rw").string());
  CHECK_MESSAGE(c.reports().empty(), c.diags.renderText());
  REQUIRE(c.module->files.size() == 4);
  CHECK(c.module->files[0].imports.size() == 2);
  for (const sema::Op &op : c.module->ops)
    CHECK(op.imported);
  CHECK_FALSE(c.pattern("P").imported);
}

TEST_CASE("imports are searched beside the importing file, then in the folders given") {
  Folder f;
  f.write("x/ops.rw", "dialect x; op o(a: tensor) -> tensor { traits pure; }");
  f.write("y/ops.rw", "dialect y; op o(a: tensor) -> tensor { traits pure; }");
  std::vector<std::string> dirs = {(f.path / "x").string(), (f.path / "y").string()};
  CHECK(Checked("import \"ops.rw\";", (f.path / "t.rw").string(), dirs).module->ops[0].dialect == "x");
  CHECK(Checked("import \"ops.rw\";", (f.path / "y/t.rw").string(), dirs).module->ops[0].dialect == "y");
}

TEST_CASE("a file that imports itself, a folder, and a name with a zero byte") {
  Folder f;
  f.write("self.rw", "import \"self.rw\";");
  f.write("dir/in.rw", "");
  auto tags = [&](const std::string &text) {
    std::vector<std::string> out;
    Checked c(text, (f.path / "main.rw").string());
    for (const Diagnostic &d : c.diags.all())
      out.push_back(d.tag);
    return out;
  };
  CHECK(tags("import \"self.rw\";") == std::vector<std::string>{"import-cycle"});
  CHECK(tags("import \"dir\";") == std::vector<std::string>{"import-missing"});
  CHECK(tags("import \"\";") == std::vector<std::string>{"import-missing"});
}

TEST_CASE("the patterns of the project are free of errors and warnings") {
  size_t count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(fs::path(RW_SOURCE_DIR) / "patterns")) {
    if (entry.path().extension() != ".rw")
      continue;
    ++count;
    std::ifstream in(entry.path());
    std::string text((std::istreambuf_iterator<char>(in)), {});
    Checked c(text, entry.path().string(), {(fs::path(RW_SOURCE_DIR) / "patterns").string()});
    CHECK_MESSAGE(c.reports().empty(), c.diags.renderText());
    CHECK_FALSE(c.dump().empty());
  }
  CHECK(count > 0);
}

TEST_CASE(
    "of a settled import what a file refers to is checked, and no more; the file's own declarations are the same") {
  Folder f;
  f.write("ops.rw", kOps + R"(
    fn twice(n: int) -> int = n + n;
    fn fourfold(n: int) -> int = twice(twice(n));
    fn unused(n: int) -> int = n * 3;
    pattern Two { relu(relu(x)) => relu(x) }
    pattern Other { exp(exp(x)) => exp(x) }
  )");
  f.write("first.rw", "import \"ops.rw\"; pattern First { relu(x) => exp(x) }");
  const std::string second = "import \"ops.rw\"; pattern Second { softmax(relu(x), axis = 1) where fourfold(x.rank) == "
                             "8 => x } pass p { Two, Second; }";
  f.write("second.rw", second);

  SourceManager sources;
  Diagnostics diags(sources);
  sema::ParsedFiles parsed;
  sema::CheckOptions options;
  options.parse = [&](FileId file) { return parseModule(file, sources, diags); };
  options.parsed = &parsed;
  auto checkFile = [&](const std::string &name) {
    auto tree = sema::parseRoot((f.path / name).string(), options, sources);
    REQUIRE_MESSAGE(tree, tree.error());
    return sema::check(**tree, options, sources, diags);
  };
  auto dumped = [&](const sema::Module &module) {
    std::string out;
    sema::dump(module, sources, out);
    return out;
  };
  std::string whole = dumped(*checkFile("second.rw"));
  parsed.settle(*checkFile("first.rw"));
  std::unique_ptr<sema::Module> module = checkFile("second.rw");
  CHECK_MESSAGE(!diags.hasErrors(), diags.renderText());
  CHECK(dumped(*module) == whole);

  auto op = [&](const char *name) -> const sema::Op & {
    return *std::ranges::find(module->ops, name, &sema::Op::name);
  };
  CHECK(op("softmax").attrs.at(0).defaultValue);
  CHECK(op("concat").operands.empty());
  CHECK(op("concat").traits == sema::trait::pure);
  CHECK(op("check").traits == sema::trait::effectError);
  auto fn = [&](const char *name) -> const sema::Fn & {
    return *std::ranges::find(module->fns, name, &sema::Fn::name);
  };
  for (const char *name : {"fourfold", "twice"}) // the one through the other
    CHECK(fn(name).value.kind != sema::ExprKind::None);
  CHECK(fn("unused").value.kind == sema::Expr().kind);
  auto pattern = [&](const char *name) -> const sema::Pattern & {
    return *std::ranges::find(module->patterns, name, &sema::Pattern::name);
  };
  CHECK(pattern("Two").roots.size() == 1);
  CHECK(pattern("Other").roots.empty());
}

TEST_CASE("an error in a file that nobody settled is said again for the next that imports it") {
  Folder f;
  f.write("ops.rw", kOps + "fn wrong(n: int) -> int = missing(n);");
  f.write("a.rw", "import \"ops.rw\";");
  f.write("b.rw", "import \"ops.rw\";");
  SourceManager sources;
  Diagnostics diags(sources);
  sema::ParsedFiles parsed;
  sema::CheckOptions options;
  options.parse = [&](FileId file) { return parseModule(file, sources, diags); };
  options.parsed = &parsed;
  for (const char *name : {"a.rw", "b.rw"})
    sema::check(**sema::parseRoot((f.path / name).string(), options, sources), options, sources, diags);
  CHECK(diags.errorCount() == 2);
}
