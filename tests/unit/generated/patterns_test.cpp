// Patterns of g.rw, compiled and run: each fires, and each condition stops it.
#include "g.rw.h"
#include "rewritten.h"

using namespace rw;

namespace {
std::string rewrittenByG(std::string_view only, std::string_view text, bool fastmath = true) {
  return rewrittenBothWays(test::generated::register_g, only, text, fastmath);
}
} // namespace

TEST_CASE("merge: the composed permutation, resolved defaults") {
  CHECK(rewrittenByG("Merge", R"(func @f(%x: f32[2, 3, 4]) -> f32[4, 2, 3] {
    %0 = g.transpose(%x) {perm = [1, 2, 0]} : f32[3, 4, 2]
    %1 = g.transpose(%0) {perm = [1, 2, 0]} : f32[4, 2, 3]
    return %1
  })") == "  %0 = g.transpose(%x) {perm = [2, 0, 1]} : f32[4, 2, 3]\n  return %0\n");
  // A left-out perm is its default: dimensions reversed.
  CHECK(rewrittenByG("Merge", R"(func @f(%x: f32[4, 4, 4]) -> f32[4, 4, 4] {
    %0 = g.transpose(%x) {perm = [1, 2, 0]} : f32[4, 4, 4]
    %1 = g.transpose(%0) : f32[4, 4, 4]
    return %1
  })") == "  %0 = g.transpose(%x) {perm = [0, 2, 1]} : f32[4, 4, 4]\n  return %0\n");
  // An attribute that the op does not declare blocks the match.
  CHECK(rewrittenByG("Merge", R"(func @f(%x: f32[2, 3, 4]) -> f32[4, 2, 3] {
    %0 = g.transpose(%x) {perm = [1, 2, 0], mark = 1} : f32[3, 4, 2]
    %1 = g.transpose(%0) {perm = [1, 2, 0]} : f32[4, 2, 3]
    return %1
  })") == "unchanged");
}

TEST_CASE("a condition") {
  CHECK(rewrittenByG("DropIdentity", R"(func @f(%x: f32[2, 3]) -> f32[2, 3] {
    %0 = g.transpose(%x) {perm = [0, 1]} : f32[2, 3]
    return %0
  })") == "  return %x\n");
  CHECK(rewrittenByG("DropIdentity", R"(func @f(%x: f32[2, 2]) -> f32[2, 2] {
    %0 = g.transpose(%x) {perm = [1, 0]} : f32[2, 2]
    return %0
  })") == "unchanged");
}

TEST_CASE("commutative operands and constants") {
  auto add = [](const char *constant, const char *operands) {
    return rewrittenByG("AddZero", std::string("func @f(%x: f32[2]) -> f32[2] {\n %c = g.constant() {value = ") +
                                       constant + "} : f32[2]\n %0 = g.add(" + operands + ") : f32[2]\n return %0\n}");
  };
  CHECK(add("dense<f32[2]: 0.0>", "%x, %c") == "  return %x\n");
  CHECK(add("dense<f32[2]: 0.0>", "%c, %x") == "  return %x\n");
  CHECK(add("dense<f32[2]: -0.0>", "%x, %c") == "unchanged");
  CHECK(add("dense<f32[2]: [0.0, 1.0]>", "%x, %c") == "unchanged");
}

TEST_CASE("a name used twice is the same value") {
  auto exp = [](const char *operands) {
    return rewrittenByG("ExpOfDouble", std::string("func @f(%x: f32[2], %y: f32[2]) -> f32[2] {\n %0 = g.add(") +
                                           operands + ") : f32[2]\n %1 = g.exp(%0) : f32[2]\n return %1\n}");
  };
  CHECK(exp("%x, %x") == "  %0 = g.relu(%x) : f32[2]\n  return %0\n");
  CHECK(exp("%x, %y") == "unchanged");
}

TEST_CASE("templates, tags, sets of ops") {
  const char *logOfExp = R"(func @f(%x: f32[2]) -> f32[2] {
    %0 = g.exp(%x) : f32[2]
    %1 = g.log(%0) : f32[2]
    return %1
  })";
  CHECK(rewrittenByG("Cancel_log_exp", logOfExp) == "  return %x\n");
  CHECK(rewrittenByG("Cancel_exp_log", logOfExp) == "unchanged");
  CHECK(rewrittenByG("Cancel_*", logOfExp, false) == "unchanged"); // fastmath must be allowed
  auto relu = [](const char *op) {
    return rewrittenByG("ReluOfEither", std::string("func @f(%x: f32[2]) -> f32[2] {\n %0 = g.") + op +
                                            "(%x) : f32[2]\n %1 = g.relu(%0) : f32[2]\n return %1\n}");
  };
  CHECK(relu("exp") == "  %0 = g.exp(%x) : f32[2]\n  return %0\n");
  CHECK(relu("relu") == "  %0 = g.exp(%x) : f32[2]\n  return %0\n");
  CHECK(relu("log") == "unchanged");
}

TEST_CASE("an optional op") {
  CHECK(rewrittenByG("ThroughCast", R"(func @f(%x: f16[2, 3], %w: f32[1]) -> f32[3, 2] {
    %0 = g.transpose(%x) {perm = [1, 0]} : f16[3, 2]
    %1 = g.cast(%0) {to = f32} : f32[3, 2]
    %2 = g.conv(%1, %w) {group = 2} : f32[3, 2]
    return %2
  })") == "unchanged"); // the types of the result do not go together
  CHECK(rewrittenByG("ThroughCast", R"(func @f(%x: f16[2, 2], %w: f32[1]) -> f32[2, 2] {
    %0 = g.transpose(%x) {perm = [1, 0]} : f16[2, 2]
    %1 = g.cast(%0) {to = f32} : f32[2, 2]
    %2 = g.conv(%1, %w) {group = 2} : f32[2, 2]
    return %2
  })") == "  %0 = g.cast(%x) {to = f32} : f32[2, 2]\n  %1 = g.conv(%0, %w) {group = 3} : f32[2, 2]\n  return %1\n");
  CHECK(rewrittenByG("ThroughCast", R"(func @f(%x: f32[2, 2], %w: f32[1]) -> f32[2, 2] {
    %0 = g.transpose(%x) {perm = [1, 0]} : f32[2, 2]
    %1 = g.conv(%0, %w) {group = 2} : f32[2, 2]
    return %1
  })") == "unchanged"); // there is no cast
}

TEST_CASE("chains: any number of links, types inferred anew") {
  CHECK(rewrittenByG("FoldPair", R"(func @f(%x: f32[2, 3, 4], %s: f16[1, 1]) -> f16[2, 3, 4] {
    %0 = g.transpose(%x) {perm = [1, 2, 0]} : f32[3, 4, 2]
    %1 = g.relu(%0) : f32[3, 4, 2]
    %2 = g.cast(%1) {to = f16} : f16[3, 4, 2]
    %3 = g.add(%s, %2) : f16[3, 4, 2]
    %4 = g.transpose(%3) {perm = [2, 0, 1]} : f16[2, 3, 4]
    return %4
  })") == "  %0 = g.relu(%x) : f32[2, 3, 4]\n  %1 = g.cast(%0) {to = f16} : f16[2, 3, 4]\n"
          "  %2 = g.add(%s, %1) : f16[2, 3, 4]\n  return %2\n");
  // No link at all.
  CHECK(rewrittenByG("FoldPair", R"(func @f(%x: f32[2, 3]) -> f32[2, 3] {
    %0 = g.transpose(%x) {perm = [1, 0]} : f32[3, 2]
    %1 = g.transpose(%0) {perm = [1, 0]} : f32[2, 3]
    return %1
  })") == "  return %x\n");
  auto through = [](const char *side, const char *op, const char *end = "%2") {
    return rewrittenByG("FoldPair",
                        std::string("func @f(%x: f32[2, 3], %s: ") + side + ") -> (f32[2, 3], f32[3, 2]) {\n" +
                            " %0 = g.transpose(%x) {perm = [1, 0]} : f32[3, 2]\n %1 = " + op +
                            " : f32[3, 2]\n %2 = g.relu(%0) : f32[3, 2]\n" +
                            " %3 = g.transpose(%1) {perm = [1, 0]} : f32[2, 3]\n return %3, " + end + "\n}");
  };
  CHECK(through("f32[1, 1]", "g.add(%0, %s)") != "unchanged");
  CHECK(through("f32[1]", "g.add(%0, %s)") != "unchanged");
  CHECK(through("f32[2]", "g.add(%0, %s)") == "unchanged"); // not a single element
  CHECK(through("f32[3, 2]", "g.add(%0, %s)") == "unchanged");
  CHECK(through("f32[1]", "g.check(%0)") == "unchanged");         // not elementwise
  CHECK(through("f32[1]", "g.add(%0, %s)", "%1") == "unchanged"); // the link has another use
  CHECK(rewrittenByG("FoldPair", R"(func @f(%x: f32[2, 2, 2]) -> f32[2, 2, 2] {
    %0 = g.transpose(%x) {perm = [1, 2, 0]} : f32[2, 2, 2]
    %1 = g.relu(%0) : f32[2, 2, 2]
    %2 = g.transpose(%1) {perm = [1, 2, 0]} : f32[2, 2, 2]
    return %2
  })") == "unchanged"); // equal permutations, but their composition is not the identity
}

TEST_CASE("each operand") {
  CHECK(rewrittenByG("Sink", R"(func @f(%x: f32[2, 3], %y: f32[2, 3]) -> f32[3, 2] {
    %0 = g.transpose(%x) {perm = [1, 0]} : f32[3, 2]
    %1 = g.transpose(%y) {perm = [1, 0]} : f32[3, 2]
    %2 = g.sub(%0, %1) : f32[3, 2]
    return %2
  })") == "  %0 = g.sub(%x, %y) : f32[2, 3]\n  %1 = g.transpose(%0) {perm = [1, 0]} : f32[3, 2]\n  return %1\n");
  auto sub = [](const char *type, const char *perm, const char *operands, const char *result = "f32[2, 2]") {
    return rewrittenByG("Sink", std::string("func @f(%x: f32[2, 2], %y: ") + type + ") -> " + result +
                                    " {\n %0 = g.transpose(%x) {perm = [1, 0]} : f32[2, 2]\n" +
                                    " %1 = g.transpose(%y) {perm = " + perm + "} : " + type + "\n %2 = g.sub(" +
                                    operands + ") : " + result + "\n return %2\n}");
  };
  CHECK(sub("f32[2, 2]", "[1, 0]", "%0, %1") != "unchanged");
  CHECK(sub("f32[2, 2]", "[0, 1]", "%0, %1") == "unchanged");                       // another permutation
  CHECK(sub("f32[2, 2]", "[1, 0]", "%0, %y") == "unchanged");                       // no transpose
  CHECK(sub("f32[2, 2]", "[1, 0]", "%0, %0") == "unchanged");                       // not its only use
  CHECK(sub("f32[1, 1]", "[1, 0]", "%0, %y") != "unchanged");                       // a single element
  CHECK(sub("f32[1, 1, 1]", "[1, 0, 2]", "%0, %y", "f32[1, 2, 2]") == "unchanged"); // which would add a dimension
  CHECK(sub("f32[1, 1]", "[1, 0]", "%y, %y", "f32[1, 1]") == "unchanged");          // nothing binds p
}

TEST_CASE("variadic and optional operands") {
  CHECK(rewrittenByG("ConcatOfOne", "func @f(%x: f32[2]) -> f32[2] {\n %0 = g.concat(%x) : f32[2]\n return %0\n}") ==
        "  return %x\n");
  CHECK(rewrittenByG("FlattenConcat", R"(func @f(%x: f32[2], %y: f32[3]) -> f32[12] {
    %0 = g.concat(%x, %y) : f32[5]
    %1 = g.concat(%x, %0, %y, %x) : f32[12]
    return %1
  })") == "  %0 = g.concat(%x, %x, %y, %y, %x) : f32[12]\n  return %0\n");
  CHECK(rewrittenByG("FlattenConcat", R"(func @f(%x: f32[2, 2]) -> f32[6, 2] {
    %0 = g.concat(%x, %x) {axis = 1} : f32[2, 4]
    %1 = g.concat(%x, %0) : f32[?, 2]
    return %1
  })") == "unchanged"); // another axis
  auto conv = [](const char *operands) {
    return rewrittenByG("DropBias", std::string("func @f(%x: f32[2]) -> f32[2] {\n %c = g.constant() {value = "
                                                "dense<f32[1]: 0.0>} : f32[1]\n %0 = g.conv(") +
                                        operands + ") : f32[2]\n return %0\n}");
  };
  CHECK(conv("%x, %x, %c") == "  %0 = g.conv(%x, %x) : f32[2]\n  return %0\n");
  CHECK(conv("%x, %x") == "unchanged");
  CHECK(conv("%x, %x, %x") == "unchanged");
}

TEST_CASE("tests that look further, in-place updates, erasing, blocks") {
  CHECK(rewrittenByG("SplitBack", R"(func @f(%x: f32[2]) -> f32[2] {
    %0, %1 = g.split(%x) : f32[2], f32[2]
    %2 = g.add(%0, %1) : f32[2]
    return %2
  })") == "unchanged"); // %1 is the second result
  CHECK(rewrittenByG("SplitBack", R"(func @f(%x: f32[2]) -> f32[2] {
    %0, %1 = g.split(%x) : f32[2], f32[2]
    %2 = g.add(%0, %0) : f32[2]
    return %2
  })") == "  %0 = g.relu(%x) : f32[2]\n  return %0\n");
  CHECK(rewrittenByG("SortContraction", R"(func @f(%x: f32[2], %y: f32[2]) -> f32[2] {
    %0 = g.contract(%x, %y) {lc = [3, 1, 2], rc = [0, 5, 4]} : f32[2]
    return %0
  })") == "  %0 = g.contract(%x, %y) {lc = [1, 2, 3], rc = [5, 4, 0]} : f32[2]\n  return %0\n");
  CHECK(rewrittenByG("DropCheck", R"(func @f(%x: f32[2]) -> f32[2] {
    %c = g.constant() {value = dense<bool[2]: true>} : bool[2]
    %0 = g.check(%c) : bool[2]
    return %x
  })") == "  return %x\n");
  CHECK(rewrittenByG("DropCheck", R"(func @f(%x: f32[2]) -> bool[2] {
    %c = g.constant() {value = dense<bool[2]: true>} : bool[2]
    %0 = g.check(%c) : bool[2]
    return %0
  })") == "unchanged"); // it is used
  CHECK(rewrittenByG("Block", R"(func @f(%x: f32[2]) -> f32[2] {
    %c = g.constant() {value = dense<f32[1]: 3.0>} : f32[1]
    %0 = g.sub(%x, %c) : f32[2]
    return %0
  })") == "  %c = g.constant() {value = dense<f32[1]: 3>} : f32[1]\n  %0 = g.exp(%x) : f32[2]\n"
          "  %1 = g.add(%0, %c) : f32[2]\n  return %1\n");
}

TEST_CASE("views, builders, schemas, registration") {
  Registry registry;
  test::generated::register_g(registry);
  CHECK(registry.pass("g_pass")->maxIterations == 10);
  CHECK(registry.pass("g_pass")->patterns == std::vector<NameRef>{"Merge", "DropIdentity", "FoldPair"});
  CHECK(registry.pipeline("g_pipeline"));
  REQUIRE(registry.canonicalizations().size() == 1);
  CHECK(registry.canonicalizations()[0].pattern == NameRef("Merge"));
  CHECK(registry.patterns.find("FoldPair")->info.benefit == 2);
  CHECK(registry.patterns.find("FoldPair")->info.looksAtUses);
  CHECK(registry.patterns.find("Cancel_exp_log")->info.fastmath);
  CHECK(registry.patterns.find("Merge")->info.depth == 2);

  Context ctx(registry.ops);
  Function fn(ctx, "f");
  Value x = fn.addParam(ctx.tensorType(DType::F32, {Dim(2), Dim(3)}));
  OpBuilder builder(fn, fn.body());
  namespace v = test::generated::g;
  v::TransposeOp t(v::TransposeOp::build(builder, x));
  CHECK(t.x() == x);
  CHECK(t.result().typeId() == ctx.tensorType(DType::F32, {Dim(3), Dim(2)}));
  REQUIRE(t.perm());
  CHECK(std::vector<int64_t>(t.perm()->begin(), t.perm()->end()) == std::vector<int64_t>{1, 0});
  v::SplitOp s(v::SplitOp::build(builder, t.result()));
  CHECK(s.high() == s.op().result(1));
  CHECK(!dynCast<v::SplitOp>(t.op()));
  CHECK(definedBy<v::SplitOp>(s.low()).id() == s.id());
}
