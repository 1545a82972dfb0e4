// Ops declared for several ranges of versions: versions.rw.
#include "rewritten.h"
#include "versions.rw.h"

using namespace rw;

namespace {
/// The body of a function of %x whose last op gives %y, after `only` ran on a program of version `version` of the
/// dialect.
std::string rewritten(std::string_view only, int64_t version, const std::string &ops) {
  return rewrittenBothWays(test::generated::register_versions, only,
                           "func @f(%x: f32[2, 3]) -> f32[2, 3] {\n" + ops + "return %y\n}", true, {"v", version});
}
} // namespace

TEST_CASE("the version that the program has is built") {
  const std::string older = "%0 = v.soft@1(%x) {axis = 0} : f32[2, 3]\n%y = v.log(%0) : f32[2, 3]\n";
  const std::string newer = "%0 = v.soft(%x) {axis = 0} : f32[2, 3]\n%y = v.log(%0) : f32[2, 3]\n";
  CHECK(rewritten("LogOfSoft", 12, older) == "  %y = v.logsoft@1(%x) {axis = 0} : f32[2, 3]\n  return %y\n");
  CHECK(rewritten("LogOfSoft", 13, newer) == "  %y = v.logsoft(%x) {axis = 0} : f32[2, 3]\n  return %y\n");
  CHECK(rewritten("LogOfSoft", 0, newer) == "  %y = v.logsoft(%x) {axis = 0} : f32[2, 3]\n  return %y\n");
  CHECK(rewritten("LogOfSoft", 21, newer) == "unchanged");
}

TEST_CASE("a default of one version is not what another leaves out") {
  const std::string older = "%0 = v.soft@1(%x) {axis = -1} : f32[2, 3]\n%y = v.log(%0) : f32[2, 3]\n";
  const std::string byDefault = "%0 = v.soft@1(%x) : f32[2, 3]\n%y = v.log(%0) : f32[2, 3]\n";
  CHECK(rewritten("LogOfSoft", 5, older) == "  %y = v.logsoft@1(%x) {axis = -1} : f32[2, 3]\n  return %y\n");
  CHECK(rewritten("LogOfSoft", 5, byDefault) == "  %y = v.logsoft@1(%x) {axis = 1} : f32[2, 3]\n  return %y\n");
}

TEST_CASE("an attribute that one version has says that this one is meant") {
  const std::string twice = "%0 = v.soft@1(%x) {axis = 0} : f32[2, 3]\n%y = v.soft@1(%0) {axis = 0} : f32[2, 3]\n";
  CHECK(rewritten("TwoParts", 12, twice) == "unchanged");
  CHECK(rewritten("TwoParts", 0, twice).find("v.parts") != std::string::npos);
}
