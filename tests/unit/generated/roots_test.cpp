// Several roots, several results, alternatives of every kind: roots.rw.
#include "rewritten.h"
#include "roots.rw.h"

#include <algorithm>

using namespace rw;

namespace {
std::string rewrittenByRoots(std::string_view only, std::string_view text) {
  return rewrittenBothWays(test::generated::register_roots, only, text);
}
/// A function of %x and %y (f32[2, 2]) and %s (f32[]) that returns what `returns` says.
std::string body(std::string_view only, std::string text, std::string returns, std::string types = "f32[2, 2]") {
  return rewrittenByRoots(only, "func @f(%x: f32[2, 2], %y: f32[2, 2], %s: f32[]) -> " + types + " {\n" + text +
                                    "return " + returns + "\n}");
}
} // namespace

TEST_CASE("siblings are found among the users of a value") {
  const char *program = R"(func @f(%x: f32[4, 2]) -> (f32[4, 3], f32[4, 5]) {
    %w1 = r.constant() {value = dense<f32[2, 3]: 1.0>} : f32[2, 3]
    %w2 = r.constant() {value = dense<f32[2, 5]: 2.0>} : f32[2, 5]
    %0 = r.matmul(%x, %w1) : f32[4, 3]
    %1 = r.matmul(%x, %w2) : f32[4, 5]
    return %0, %1
  })";
  CHECK(rewrittenByRoots("MergeSiblings", program) ==
        "  %w1 = r.constant() {value = dense<f32[2, 3]: 1>} : f32[2, 3]\n"
        "  %w2 = r.constant() {value = dense<f32[2, 5]: 2>} : f32[2, 5]\n"
        "  %0 = r.concat(%w2, %w1) {axis = 1} : f32[2, 8]\n" // the last one is looked at first
        "  %1 = r.matmul(%x, %0) : f32[4, 8]\n"
        "  %2 = r.slice(%1) {axis = 1, begin = 0, end = 5} : f32[4, 5]\n"
        "  %3 = r.slice(%1) {axis = 1, begin = 5, end = 8} : f32[4, 3]\n"
        "  return %3, %2\n");
  // One matmul is not two, and %w2 must be constant.
  CHECK(rewrittenByRoots("MergeSiblings", R"(func @f(%x: f32[4, 2], %w2: f32[2, 5]) -> (f32[4, 3], f32[4, 5]) {
    %w1 = r.constant() {value = dense<f32[2, 3]: 1.0>} : f32[2, 3]
    %0 = r.matmul(%x, %w1) : f32[4, 3]
    %1 = r.matmul(%x, %w2) : f32[4, 5]
    return %0, %1
  })") == "unchanged");
  // The first product is used before the second weight exists: nothing can stand in both places.
  CHECK(rewrittenByRoots("MergeSiblings", R"(func @f(%x: f32[4, 2]) -> (f32[4, 3], f32[4, 5]) {
    %w1 = r.constant() {value = dense<f32[2, 3]: 1.0>} : f32[2, 3]
    %0 = r.matmul(%x, %w1) : f32[4, 3]
    %r = r.tanh(%0) : f32[4, 3]
    %w2 = r.constant() {value = dense<f32[2, 5]: 2.0>} : f32[2, 5]
    %1 = r.matmul(%x, %w2) : f32[4, 5]
    return %r, %1
  })") == "unchanged");
  // Used before the second product, but below all that is needed: the new ops go above the use.
  std::string early = rewrittenByRoots("MergeSiblings", R"(func @f(%x: f32[4, 2]) -> (f32[4, 3], f32[4, 5]) {
    %w1 = r.constant() {value = dense<f32[2, 3]: 1.0>} : f32[2, 3]
    %w2 = r.constant() {value = dense<f32[2, 5]: 2.0>} : f32[2, 5]
    %0 = r.matmul(%x, %w1) : f32[4, 3]
    %r = r.tanh(%0) : f32[4, 3]
    %1 = r.matmul(%x, %w2) : f32[4, 5]
    return %r, %1
  })");
  CHECK(early.find("r.tanh") > early.find("r.slice"));
  CHECK(early.find("r.slice") != std::string::npos);
}

TEST_CASE("a root is replaced by another; order decides which") {
  CHECK(body("Same", "%0 = r.relu(%x) : f32[2, 2]\n%1 = r.relu(%x) : f32[2, 2]\n%2 = r.sub(%0, %1) : f32[2, 2]\n",
             "%2") == "  %0 = r.relu(%x) : f32[2, 2]\n  %1 = r.sub(%0, %0) : f32[2, 2]\n  return %1\n");
  CHECK(body("Same", "%0 = r.relu(%x) : f32[2, 2]\n%1 = r.relu(%y) : f32[2, 2]\n%2 = r.sub(%0, %1) : f32[2, 2]\n",
             "%2") == "unchanged");
  CHECK(body("Further",
             "%0 = r.exp(%x) : f32[2, 2]\n%1 = r.log(%x) : f32[2, 2]\n%2 = r.sub(%1, %y) : f32[2, 2]\n%3 = r.tanh(%0) "
             ": f32[2, 2]\n",
             "%3, %2", "(f32[2, 2], f32[2, 2])") == "  %0 = r.log(%x) : f32[2, 2]\n  %1 = r.sub(%0, %y) : f32[2, 2]\n  "
                                                    "%2 = r.tanh(%y) : f32[2, 2]\n  return %2, %1\n");
  CHECK(body("BelowOp", "%0 = r.tanh(%x) : f32[2, 2]\n%1 = r.exp(%0) : f32[2, 2]\n", "%1") ==
        "  %0 = r.relu(%x) : f32[2, 2]\n  return %0\n");
  // The op beside the root has a use above the root: what replaces it goes above that.
  CHECK(body("Inner", "%0 = r.tanh(%x) : f32[2, 2]\n%1 = r.log(%0) : f32[2, 2]\n%2 = r.sub(%0, %y) : f32[2, 2]\n",
             "%1, %2", "(f32[2, 2], f32[2, 2])") == "  %0 = r.exp(%x) : f32[2, 2]\n  %1 = r.relu(%0) : f32[2, 2]\n  %2 "
                                                    "= r.log(%1) : f32[2, 2]\n  %3 = r.sub(%1, %y) : f32[2, 2]\n"
                                                    "  return %2, %3\n");
}

TEST_CASE("results of ops on either side") {
  const std::string svd = "%u, %v, %w = r.svd(%x) : f32[2, 2], f32[2], f32[2, 2]\n";
  CHECK(body("SvdTwice", svd + "%0 = r.add(%u, %u) : f32[2, 2]\n", "%0") ==
        "  %u, %v, %w = r.svd(%x) : f32[2, 2], f32[2], f32[2, 2]\n  %0 = r.exp(%u) : f32[2, 2]\n  return %0\n");
  CHECK(body("SvdTwice", svd + "%0 = r.add(%w, %w) : f32[2, 2]\n", "%0") == "unchanged"); // another result
  CHECK(body("Vt", svd + "%0 = r.relu(%w) : f32[2, 2]\n", "%0").find("r.svd2(%x)") != std::string::npos);
  CHECK(body("Vt", svd + "%0 = r.relu(%u) : f32[2, 2]\n", "%0") == "unchanged");
  CHECK(body("OnlyS", svd + "%0 = r.exp(%v) : f32[2]\n", "%0", "f32[2]").find("r.relu(%v)") != std::string::npos);
  CHECK(body("OnlyS", svd + "%0 = r.exp(%u) : f32[2, 2]\n", "%0") == "unchanged");
  CHECK(body("Values", svd + "%0 = r.exp(%w) : f32[2, 2]\n", "%0").find("r.svd2(%x)") != std::string::npos);
  CHECK(body("Values", svd + "%0 = r.exp(%u) : f32[2, 2]\n", "%0") == "unchanged");
  CHECK(body("Whole", "%u, %v, %w = r.svd2(%x) : f32[2, 2], f32[2], f32[2, 2]\n", "%w, %u", "(f32[2, 2], f32[2, 2])")
            .find("r.svd(%x)") != std::string::npos);
}

TEST_CASE("blocks choose among values") {
  CHECK(body("Choose", "%0 = r.sub(%x, %y) : f32[2, 2]\n", "%0") ==
        "  %0 = r.exp(%x) : f32[2, 2]\n  %1 = r.add(%0, %y) : f32[2, 2]\n  return %1\n");
  CHECK(body("Choose", "%0 = r.sub(%x, %s) : f32[2, 2]\n", "%0") == "  %0 = r.exp(%x) : f32[2, 2]\n  return %0\n");
}

TEST_CASE("alternatives: ops and traits, whole roots") {
  auto through = [](const char *op) {
    return body("AnyOf", std::string("%0 = ") + op + " : f32[2, 2]\n%1 = r.exp(%0) : f32[2, 2]\n", "%1");
  };
  CHECK(through("r.relu(%x)") == "  %0 = r.exp(%x) : f32[2, 2]\n  return %0\n");
  CHECK(through("r.log(%x)") == "  %0 = r.exp(%x) : f32[2, 2]\n  return %0\n");
  CHECK(through("r.tanh(%x)") == "unchanged");
  auto roots = [](const char *op, const char *more) {
    return body("Roots",
                std::string("%0 = r.tanh(%x) : f32[2, 2]\n%1 = ") + op + "(%0) : f32[2, 2]\n%2 = r.sub(%1, " + more +
                    ") : f32[2, 2]\n",
                "%2");
  };
  CHECK(roots("r.relu", "%y") != "unchanged");
  CHECK(roots("r.relu", "%0") == "unchanged"); // not single
  CHECK(roots("r.log", "%0") != "unchanged");
  CHECK(roots("r.exp", "%y") == "unchanged");
  CHECK(body("SingleRoot", "%0 = r.tanh(%x) : f32[2, 2]\n", "%0") == "  %0 = r.exp(%x) : f32[2, 2]\n  return %0\n");
  CHECK(body("SingleRoot", "%0 = r.tanh(%x) : f32[2, 2]\n", "%0, %0", "(f32[2, 2], f32[2, 2])") == "unchanged");
}

TEST_CASE("optional ops of two operands, operands behind variadic ones") {
  CHECK(body("ThroughAdd", "%0 = r.tanh(%x) : f32[2, 2]\n%1 = r.add(%0, %s) : f32[2, 2]\n%2 = r.exp(%1) : f32[2, 2]\n",
             "%2") == "  %0 = r.add(%x, %s) : f32[2, 2]\n  %1 = r.tanh(%0) : f32[2, 2]\n  return %1\n");
  CHECK(body("ThroughAdd", "%0 = r.tanh(%x) : f32[2, 2]\n%1 = r.exp(%0) : f32[2, 2]\n", "%1") ==
        "  %0 = r.tanh(%x) : f32[2, 2]\n  return %0\n");
  CHECK(body("ThroughAdd", "%0 = r.tanh(%x) : f32[2, 2]\n%1 = r.add(%0, %y) : f32[2, 2]\n%2 = r.exp(%1) : f32[2, 2]\n",
             "%2") == "unchanged");
  const std::string index = "%i = r.relu(%s) : f32[]\n";
  CHECK(body("LastOperand", index + "%0 = r.gather(%x, %y, %y, %i) : f32[2, 2]\n", "%0") ==
        "  %0 = r.gather(%y, %y, %x, %s) : f32[2, 2]\n  return %0\n");
  CHECK(body("LastOperand", index + "%0 = r.gather(%x, %i) : f32[2, 2]\n", "%0") == "unchanged"); // no rest
  CHECK(body("LastOperand", "%0 = r.gather(%x, %y, %s) : f32[2, 2]\n", "%0") == "unchanged");
}

TEST_CASE("types of operands are checked, and name dimensions") {
  auto product = [](const char *b, const char *type) {
    return rewrittenByRoots("TypedRoot", std::string("func @f(%a: f32[2, 3], %b: ") + b + ") -> " + type +
                                             " {\n%0 = r.product(%a, %b) : " + type + "\nreturn %0\n}");
  };
  CHECK(product("f32[3, 5]", "f32[2, 5]") == "unchanged");
  CHECK(product("f32[4, 5]", "f32[2, 5]").find("the operand `b` must be _[k, n], not f32[4, 5]") != std::string::npos);
  CHECK(product("f32[3]", "f32[2, 5]").find("the operand `b` must be _[k, n], not f32[3]") != std::string::npos);
  CHECK(product("f32[3, 5]", "f32[2, 6]").find("f32[2, 5]") != std::string::npos); // the inferred type
}

TEST_CASE("a value that one op alone uses, however often") {
  const char *twice = "%0 = r.tanh(%x) : f32[2, 2]\n%1 = r.add(%0, %0) : f32[2, 2]\n",
             *used = "%2 = r.exp(%0) : f32[2, 2]\n%3 = r.sub(%1, %2) : f32[2, 2]\n";
  CHECK(body("OneUser", twice, "%1") ==
        "  %0 = r.add(%x, %x) : f32[2, 2]\n  %1 = r.tanh(%0) : f32[2, 2]\n  return %1\n");
  CHECK(body("OneUser", std::string(twice) + used, "%3") == "unchanged");
  CHECK(body("OneUser", twice, "%1, %0", "(f32[2, 2], f32[2, 2])") == "unchanged");
  CHECK(body("NotOneUser", twice, "%1") == "unchanged");
  CHECK(body("NotOneUser", std::string(twice) + used, "%3")
            .starts_with("  %0 = r.tanh(%x) : f32[2, 2]\n  %1 = r.add(%x, %x)"));
}

TEST_CASE("patterns say what they ask of uses, in functions too") {
  Registry registry;
  test::generated::register_roots(registry);
  auto info = [&](std::string_view name) {
    return std::ranges::find_if(registry.patterns.all(), [&](const PatternEntry &e) { return e.info.name == name; })
        ->info;
  };
  CHECK(info("Twice").countsUses);
  CHECK(info("Twice").looksAtLeaves);
  CHECK(info("OneUser").looksAtUses);
  CHECK_FALSE(info("OneUser").countsUses);
  CHECK(info("NotOneUser").countsUses);
}
