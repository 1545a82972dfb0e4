// Constants on both sides of patterns, and values taken apart: constants.rw.
#include "constants.rw.h"
#include "rewritten.h"
#include "rw/testing/run_tests.h"

using namespace rw;

namespace {
std::string rewrittenByConstants(std::string_view only, std::string_view text) {
  return rewrittenBothWays(test::generated::register_constants, only, text);
}
/// A function of `type` that computes `op` of two constants.
std::string ofConstants(std::string_view only, std::string op, std::string type, std::string a, std::string b = "") {
  std::string text =
      "func @f() -> " + type + " {\n %a = t.constant() {value = dense<" + a + ">} : " + a.substr(0, a.find(':')) + "\n";
  if (!b.empty())
    text += " %b = t.constant() {value = dense<" + b + ">} : " + b.substr(0, b.find(':')) + "\n";
  text += " %0 = t." + op + (b.empty() ? "(%a) : " : "(%a, %b) : ") + type + "\n return %0\n}";
  return rewrittenByConstants(only, text);
}
std::string constant(std::string value, std::string type) {
  return "  %0 = t.constant() {value = dense<" + value + ">} : " + type + "\n  return %0\n";
}
} // namespace

TEST_CASE("the element of a splat is bound, computed with and built again") {
  auto addAdd = [](std::string type, std::string a, std::string b) {
    std::string dtype = type.substr(0, type.find('['));
    return rewrittenByConstants("AddAdd",
                                "func @f(%x: " + type + ") -> " + type + " {\n %a = t.constant() {value = dense<" + a +
                                    ">} : " + a.substr(0, a.find(':')) + "\n %b = t.constant() {value = dense<" + b +
                                    ">} : " + b.substr(0, b.find(':')) + "\n %0 = t.add(%x, %a) : " + type +
                                    "\n %1 = t.add(%b, %0) : " + type + "\n return %1\n}");
  };
  CHECK(addAdd("f32[2]", "f32[2]: 1.5", "f32[]: 2.0") ==
        "  %0 = t.constant() {value = dense<f32[]: 3.5>} : f32[]\n  %1 = t.add(%x, %0) : f32[2]\n  return %1\n");
  CHECK(addAdd("i32[2]", "i32[2]: [3, 3]", "i32[2]: 5") ==
        "  %0 = t.constant() {value = dense<i32[]: 8>} : i32[]\n  %1 = t.add(%x, %0) : i32[2]\n  return %1\n");
  CHECK(addAdd("i32[2]", "i32[2]: 3", "i32[2]: 4") == "unchanged");             // the condition
  CHECK(addAdd("i32[2]", "i32[2]: [3, 4]", "i32[2]: 5") == "unchanged");        // not one element
  CHECK(addAdd("i32[2]", "i32[2]: 2147483647", "i32[2]: 1") == "unchanged");    // does not fit
  CHECK(addAdd("f16[2]", "f16[2]: 60000.0", "f16[2]: 60000.0") == "unchanged"); // nor does that
  auto mul = [](std::string type, std::string a) {
    return rewrittenByConstants(
        "MulInt", "func @f(%x: " + type + ") -> " + type + " {\n %a = t.constant() {value = dense<" + a +
                      ">} : " + a.substr(0, a.find(':')) + "\n %0 = t.mul(%a, %x) : " + type + "\n return %0\n}");
  };
  CHECK(mul("i64[2]", "i64[2]: 2").find("dense<i64[]: 1>") != std::string::npos);
  CHECK(mul("f32[2]", "f32[2]: 2.0") == "unchanged"); // `a: int`
  CHECK(mul("i64[2]", "i64[2]: 1") == "unchanged");
  CHECK(ofConstants("SameSplat", "mul", "f32[2]", "f32[2]: 2.0", "f32[2]: 2.0") != "unchanged");
  CHECK(ofConstants("SameSplat", "mul", "f32[2]", "f32[2]: 2.0", "f32[2]: 3.0") == "unchanged");
  CHECK(ofConstants("NotTrue", "not", "bool[2]", "bool[2]: true") == constant("bool[2]: false", "bool[2]"));
  CHECK(ofConstants("Clamp", "relu", "f32[2]", "f32[2]: -2.0") == constant("f32[2]: 0", "f32[2]"));
  CHECK(ofConstants("Clamp", "relu", "f32[2]", "f32[2]: 2.5") == constant("f32[2]: 2.5", "f32[2]"));
}

TEST_CASE("constants are built of a type, and element by element") {
  CHECK(
      rewrittenByConstants("SubSelf", "func @f(%x: i32[3]) -> i32[3] {\n %0 = t.sub(%x, %x) : i32[3]\n return %0\n}") ==
      constant("i32[3]: 0", "i32[3]"));
  // No constant has a shape that is not known.
  CHECK(rewrittenByConstants(
            "SubSelf", "func @f(%x: i32[B]) -> i32[B] {\n %0 = t.sub(%x, %x) : i32[B]\n return %0\n}") == "unchanged");
  CHECK(ofConstants("SubConst", "sub", "i64[3]", "i64[3]: [5, 6, 7]", "i64[3]: [1, 2, 4]") ==
        constant("i64[3]: [4, 4, 3]", "i64[3]"));
  // `zip` of other lengths
  CHECK(ofConstants("SubConst", "sub", "i64[3]", "i64[3]: [5, 6, 7]", "i64[1]: [1]") == "unchanged");
  CHECK(ofConstants("SubConst", "sub", "u8[2]", "u8[2]: [1, 2]", "u8[2]: [2, 1]") == "unchanged"); // -1 is no u8
  CHECK(ofConstants("NegConst", "neg", "bf16[2]", "bf16[2]: [1.5, -2.0]") == constant("bf16[2]: [-1.5, 2]", "bf16[2]"));
}

TEST_CASE("rests of lists") {
  auto transpose = [](const char *only, const char *perm) {
    return rewrittenByConstants(
        only, std::string("func @f(%x: f32[2, 2, 2, 2]) -> f32[2, 2, 2, 2] {\n %0 = t.transpose(%x) {perm = ") + perm +
                  "} : f32[2, 2, 2, 2]\n return %0\n}");
  };
  CHECK(transpose("KeepFirst", "[0, 1, 2, 3]") == "  return %x\n");
  CHECK(transpose("KeepFirst", "[0, 1, 3, 2]") == "unchanged");
  CHECK(transpose("KeepFirst", "[1, 0, 2, 3]") == "unchanged");
  CHECK(transpose("KeepEnds", "[0, 2, 1, 3]") == "  %0 = t.relu(%x) : f32[2, 2, 2, 2]\n  return %0\n");
  CHECK(transpose("KeepEnds", "[0, 1, 2, 3]") == "unchanged");
  auto twice = [](const char *first, const char *second) {
    return rewrittenByConstants(
        "Palindrome", std::string("func @f(%x: f32[2, 2, 2]) -> f32[2, 2, 2] {\n %0 = t.transpose(%x) {perm = ") +
                          first + "} : f32[2, 2, 2]\n %1 = t.transpose(%0) {perm = " + second +
                          "} : f32[2, 2, 2]\n return %1\n}");
  };
  CHECK(twice("[0, 1, 2]", "[1, 2, 0]") != "unchanged");
  CHECK(twice("[0, 1, 2]", "[2, 1, 0]") == "unchanged");
}

TEST_CASE("let takes tuples, lists and results apart") {
  CHECK(rewrittenByConstants("Halves", R"(func @f(%x: f32[2]) -> f32[2] {
    %0, %1 = t.split(%x) : f32[2], f32[2]
    %2, %3 = t.split(%x) : f32[2], f32[2]
    %4 = t.sub(%0, %2) : f32[2]
    return %4
  })") == "  %0, %1 = t.split(%x) : f32[2], f32[2]\n  %2 = t.add(%0, %1) : f32[2]\n  return %2\n");
  Registry registry;
  test::generated::register_constants(registry);
  Context ctx(registry.ops);
  namespace fns = test::generated::constants;
  Ints some{1, 2, 3}, more{4, 5, 6}, mixed{-1, 3, 0, 2};
  std::vector<Ints> lists{{1, 2}, {3, 4}}, uneven{{1, 2}, {3}};
  CHECK(fns::pairs(ctx, lists) == Ints{12, 34});
  CHECK(!fns::pairs(ctx, uneven));
  CHECK(fns::apart(ctx, some) == 123);
  CHECK(!fns::apart(ctx, mixed)); // four are not three
  CHECK(fns::swapped(ctx, 3, 10) == 7);
  CHECK(fns::dot(ctx, some, more) == 32);
  CHECK(!fns::dot(ctx, some, mixed));
  CHECK(fns::positions(ctx, mixed) == Ints{1, 3});
  CHECK(fns::grid(ctx, some, Ints{1, 2}) == Ints{3, 13, 24, 25});
  CHECK(fns::some_pair(ctx, some, Ints{9, 2, 9}) == true);
  CHECK(fns::some_pair(ctx, some, Ints{9, 9, 9}) == false);
}

TEST_CASE("tests beside the patterns run, and fail where something else comes out") {
  Registry registry;
  registerCorePasses(registry);
  test::generated::register_constants(registry);
  REQUIRE(registry.tests().size() == 6);
  for (const TestEntry &test : registry.tests())
    CHECK(runTest(registry, test) == "");
  TestEntry wrong = registry.tests()[0]; // sub(x, x) becomes a constant
  wrong.name = "NegConst";
  CHECK(runTest(registry, wrong).find("came the same:\nfunc @test(") != std::string::npos);
  wrong = registry.tests()[1]; // sub(x, x) of unknown length
  wrong.name = "negate";
  wrong.kind = TestEntry::Kind::Pass;
  CHECK(runTest(registry, wrong) == "");
  wrong = registry.tests()[0];
  wrong.unchanged = true;
  CHECK(runTest(registry, wrong).starts_with("it should stay unchanged:\n"));
  wrong.name = "NoSuchPattern";
  CHECK(runTest(registry, wrong) == "there is no such pattern\n");
}
