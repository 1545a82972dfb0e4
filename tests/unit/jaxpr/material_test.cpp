// Jaxprs of others, where RW_STABLEHLO_DIR names a folder with `jaxpr/`: each is read and lowered, or refused for what
// it is.
#include "jaxpr_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

using namespace test;
namespace fs = std::filesystem;

TEST_CASE("texts of others are read and lowered, or refused by name" *
          doctest::skip(!std::getenv("RW_STABLEHLO_DIR"))) {
  std::vector<fs::path> texts;
  for (const fs::directory_entry &e : fs::directory_iterator(fs::path(std::getenv("RW_STABLEHLO_DIR")) / "jaxpr"))
    texts.push_back(e.path());
  std::sort(texts.begin(), texts.end());
  REQUIRE(!texts.empty());
  size_t read = 0, refused = 0;
  for (const fs::path &path : texts) {
    INFO(path.filename().string());
    std::ifstream in(path, std::ios::binary);
    std::ostringstream contents;
    contents << in.rdbuf();
    JaxprText text(contents.str());
    bool devices = contents.str().find("xla_pmap") != std::string::npos;
    if (devices) {
      ++refused;
      CHECK(text.error().find("no lowering for primitive \"xla_pmap\"") != std::string::npos);
      continue;
    }
    ++read;
    REQUIRE_MESSAGE(text.program, text.error());
    CHECK(text.lower() == "");
  }
  MESSAGE(read << " read and lowered, " << refused << " refused by name");
}
