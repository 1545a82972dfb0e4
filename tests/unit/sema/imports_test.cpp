#include "checked.h"

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
    Checked c(text, entry.path().string());
    CHECK_MESSAGE(c.reports().empty(), c.diags.renderText());
    CHECK_FALSE(c.dump().empty());
  }
  CHECK(count > 0);
}
