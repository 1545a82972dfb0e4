// Models come out as they went in: those of tests/models, and ONNX's own test data where it is installed.
#include "onnx_fixture.h"

#include "rw/ir/verifier.h"

#include <onnx/checker.h>

#include <algorithm>
#include <filesystem>

using namespace onnxtest;
namespace fs = std::filesystem;

static std::vector<std::string> modelsBelow(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
    if (it->path().extension() == ".onnx")
      paths.push_back(it->path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static bool roundTrips(const std::string &path, std::string &why, bool check) {
  std::string bytes = readAll(path), out;
  Imported m(bytes);
  onnx::ModelProto before, after;
  if (!m.model || !rw::exportOnnxBytes(*m.model, out, m.diags)) {
    why = m.diags.renderText();
    return false;
  }
  REQUIRE(before.ParseFromString(bytes));
  REQUIRE(after.ParseFromString(out));
  if (!equal(before, after, &why))
    return false;
  if (before.SerializeAsString() != out) { // unknown fields and presence too
    why = "the bytes differ";
    return false;
  }
  rw::VerifyOptions structure;
  if (check && !rw::verifyProgram(m.model->program, m.diags, structure)) {
    why = m.diags.renderText();
    return false;
  }
  if (check)
    onnx::checker::check_model(after);
  return true;
}

TEST_CASE("The tree's models come out as they went in") {
  std::vector<std::string> paths = modelsBelow(RW_SOURCE_DIR "/tests/models");
  CHECK(paths.size() >= 15);
  for (const std::string &path : paths) {
    std::string why;
    bool same = roundTrips(path, why, true);
    INFO(path, "\n", why.substr(0, 2000));
    CHECK(same);
  }
}

TEST_CASE("ONNX's own models come out as they went in") {
  std::vector<std::string> paths = modelsBelow("/usr/share/libonnx-testdata/data");
  if (paths.empty()) {
    MESSAGE("skipped: the package libonnx-testdata is not installed");
    return;
  }
  size_t same = 0;
  for (const std::string &path : paths) {
    std::string why;
    bool ok = roundTrips(path, why, false);
    same += ok;
    INFO(path, "\n", why.substr(0, 2000));
    CHECK(ok);
  }
  MESSAGE(same << " of " << paths.size() << " models are equal");
}
