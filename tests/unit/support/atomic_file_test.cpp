#include "rw/support/atomic_file.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace rw;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    char name[] = "/tmp/rw_atomic_XXXXXX";
    REQUIRE(mkdtemp(name));
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  std::string at(const char *name) const { return (path / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string read(const std::string &path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// The error of a write that must fail.
std::string whyNotWritten(const std::string &path, std::string_view bytes) {
  Result<void> written = writeFile(path, bytes);
  return written ? "written" : written.error();
}
} // namespace

TEST_CASE("the file appears at commit, whole, and nothing else stays") {
  Folder folder;
  AtomicFile file;
  REQUIRE(file.open(folder.at("out")));
  file.write("one ");
  file.write("two");
  CHECK(!fs::exists(folder.at("out")));
  REQUIRE(file.commit());
  CHECK(read(folder.at("out")) == "one two");
  CHECK(folder.files() == 1);
  CHECK(!file.commit());
}

TEST_CASE("what is not committed leaves the old file alone") {
  Folder folder;
  REQUIRE(writeFile(folder.at("out"), "old"));
  {
    AtomicFile file;
    REQUIRE(file.open(folder.at("out")));
    file.write("half");
  }
  CHECK(read(folder.at("out")) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("failures give the system's reason") {
  Folder folder;
  CHECK(whyNotWritten(folder.at("no/such/out"), "x") == "No such file or directory");
  CHECK(whyNotWritten(folder.path.string(), "x") == "Is a directory");
  CHECK(writeFile("/dev/null", "x"));
  if (fs::exists("/dev/full")) {
    CHECK(whyNotWritten("/dev/full", "x") == "No space left on device");
  }
}

TEST_CASE("permissions and symbolic links stay") {
  Folder folder;
  REQUIRE(writeFile(folder.at("out"), "old"));
  fs::permissions(folder.at("out"), fs::perms::owner_all);
  fs::create_symlink("out", folder.at("link"));
  REQUIRE(writeFile(folder.at("link"), "new"));
  CHECK(fs::is_symlink(folder.at("link")));
  CHECK(read(folder.at("out")) == "new");
  CHECK(fs::status(folder.at("out")).permissions() == fs::perms::owner_all);
}

TEST_CASE("an unchanged file keeps its time") {
  Folder folder;
  std::string path = folder.at("out");
  CHECK(*writeFileIfChanged(path, "a") == WriteOutcome::Written);
  auto past = fs::last_write_time(path) - std::chrono::hours(1);
  fs::last_write_time(path, past);
  CHECK(*writeFileIfChanged(path, "a") == WriteOutcome::Unchanged);
  CHECK(fs::last_write_time(path) == past);
  CHECK(*writeFileIfChanged(path, "b") == WriteOutcome::Written);
  CHECK(read(path) == "b");
  CHECK(!writeFileIfChanged(folder.at("no/out"), "a"));
}
