// The text form: what is read and written, and that both agree.
#include "../support/random_program.h"
#include "../support/test_dialect.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
struct Reader {
  test::Registry ops;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;

  bool read(const std::string &text, ParseOptions options = {}) {
    program = parseProgram(sources.addText("in.rwir", text), sources, diags, ops, options);
    return bool(program);
  }
  std::string print() { return printProgram(*program); }
};

/// `body` between the braces of a function with parameters %x, %y: f32[2, 3].
std::string inFunction(const std::string &body) {
  return "func @main(%x: f32[2, 3], %y: f32[2, 3]) -> f32[2, 3] {\n" + body + "  return %x\n}\n";
}
/// Read and written again unchanged.
void checkSame(const std::string &text) {
  Reader r;
  bool ok = r.read(text);
  INFO(r.diags.renderText());
  REQUIRE(ok);
  CHECK(r.print() == text);
  CHECK(verifyProgram(*r.program, r.diags));
  CHECK(r.diags.renderText() == "");
}
void checkOp(const std::string &line) { checkSame(inFunction("  " + line + "\n")); }
/// An attribute is written as it was read.
void checkAttr(const std::string &attr) {
  INFO(attr);
  checkOp("%0 = foo.bar() {a = " + attr + "} : ?");
}
void checkDeclared(const std::string &list) { checkOp("%0 = t.attrs() {" + list + "} : ?"); }
} // namespace

TEST_CASE("a function as in the manual") {
  checkSame("func @main(%x: f32[B, 3, 8, 8], %w: param(7) f32[4, 3], %b: f32[] = dense<f32[]: 0>, %p: param f32[2])"
            " -> (y: f32[B, 8, 8, 3], i64[*]) {\n"
            "  %0 = t.transpose(%x) as Transpose_0 {perm = [0, 2, 3, 1], note = \"kept\"} : f32[B, 8, 8, 3]\n"
            "  %a, %\"odd name\" = foo.bar(%0, _, %w) as \"/a/b\" : i64[*], (f32[2], ?)\n"
            "  t.print(%a)\n"
            "  %1 = t.cond(%b) : f32[2] then {\n"
            "    %inner = t.relu(%p) : f32[2]\n"
            "    return %inner\n"
            "  } else {\n"
            "    return %p\n"
            "  }\n"
            "  %2 = t.loop(%1) : f32[2] body(%i: i32[], %c: f32[2]) {\n"
            "    return %c\n"
            "  }\n"
            "  return %0, %a\n"
            "}\n"
            "\n"
            "func @\"odd function\"() -> () {\n"
            "  return\n"
            "}\n");
}

TEST_CASE("types") {
  for (const char *type :
       {"f32[]", "f32[*]", "?", "?[2]", "?[?, B]", "none", "opaque<\"onnx.seq<\\\"x\\\\\">", "(f32[2], ())", "bool[0]",
        "i64[B*196 + 3]", "f16[-B + N]", "bf16[floordiv(B, 2), mod(B, 3)]", "c64[\"batch size\"]",
        "f8e4m3fn[A*B - B*2 + 7]", "(?[1])"})
    checkOp(std::string("%0 = foo.bar(%x) : ") + type);
  checkSame("func @f(%t: (f32[2], i64[])) -> ((f32[2], i64[])) {\n  return %t\n}\n");
}

TEST_CASE("dims are read in any form and written in one") {
  Reader r;
  REQUIRE(r.read(inFunction("%0 = foo.bar() : f32[2 * (B + 1), 6 / 2 + mod(7, 4), B * B / B]\n")));
  CHECK(r.print() == inFunction("  %0 = foo.bar() : f32[B*2 + 2, 6, B]\n"));
}

TEST_CASE("attributes of every kind") {
  for (const char *attr : {"0",
                           "-3",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "1.5",
                           "1.0",
                           "-0.0",
                           "nan",
                           "inf",
                           "-inf",
                           "1e+30",
                           "nan(0x7ff8000020000000)",
                           "nan(0xfff8000000000000)",
                           "1e-45",
                           "true",
                           "false",
                           "\"\"",
                           "\"a\\nb\\t\\\"\\\\\\x00\\xff\"",
                           "\"größe\"",
                           "f32",
                           "dtype<?>",
                           "f32[2]",
                           "f32[*]",
                           "type<?>",
                           "type<(f32[2])>",
                           "type<none>",
                           "@main",
                           "@\"odd name\"",
                           "dim<B*2>",
                           "dim<3>",
                           "dim<?>",
                           "[]",
                           "[1, 2]",
                           "[1.0, nan]",
                           "floats<>",
                           "dims<B, 2, ?>",
                           "dims<-3, B>",
                           "dim<-3>",
                           "dims<>",
                           "list<>",
                           "list<1, 2>",
                           "list<1.0>",
                           "[1, 2.0]",
                           "[[1, 2], [], [\"a\", f32], unit<>]",
                           "[unit<>]",
                           "bytes<\"00ff\">",
                           "bytes<\"\">",
                           "[dense<f32[]: 1>, dense<f32[]: 1>]"})
    checkAttr(attr);
}

TEST_CASE("the short forms depend on the declaration") {
  checkDeclared(
      "i = 1, f = 1.5, b = true, s = \"x\", dt = ?, ty = ?, sym = @main, d = B*2, is = [1], fs = [1.0], bs = [true],"
      " ss = [\"a\"], ds = [B, 2], t = dense<i8[2]: [1, 2]>, any = dim<B>");
  checkDeclared("d = -3, ds = [-1]");
  checkDeclared("dt = f32, ty = none, d = 3, is = [], fs = [], bs = [], ss = [], ds = [], any = []");
  Reader r;
  REQUIRE(r.read(inFunction("%0 = t.attrs() {f = 1, fs = [1, -2], ds = [2, 3], d = N} : ?\n")));
  CHECK(r.print() == inFunction("  %0 = t.attrs() {f = 1.0, d = N, fs = [1.0, -2.0], ds = [2, 3]} : ?\n"));
}

TEST_CASE("dense tensors of every dtype") {
  for (const char *dense : {"f32[2, 2]: [[1, 2.5], [-0.0, nan]]",
                            "f32[2]: [inf, nan(0x7fc00001)]",
                            "f32[3]: [1e-45, 3.4028235e+38, 16777216]",
                            "f64[2]: [0.1, 123456789012345683968]",
                            "f16[3]: [65504, 6e-08, 0.3333]",
                            "bf16[2]: [1, 3.02]",
                            "f16[2]: [nan, nan(0xfe00)]",
                            "i8[2]: [-128, 127]",
                            "u64[2]: [0, 18446744073709551615]",
                            "i64[2]: [-9223372036854775808, 1]",
                            "bool[2]: [true, false]",
                            "c64[2]: [(1, 2), (0, -inf)]",
                            "c128[]: (0.5, nan)",
                            "str[2]: [\"a\", \"\\x00\"]",
                            "str[]: \"one\"",
                            "str[1]: [\"one\"]",
                            "f32[0]: []",
                            "f32[2, 0, 3]: []",
                            "f32[1000, 1000]: 0",
                            "f32[4]: 1.5",
                            "f8e5m2[2]: hex \"3c3d\"",
                            "f8e5m2[2]: splat hex \"3c\"",
                            "i4[3]: hex \"2103\"",
                            "bool[2]: hex \"0002\"",
                            "f32[2, 1, 2]: [[[1, 2]], [[3, 4]]]"})
    checkAttr(std::string("dense<") + dense + ">");
  std::string many = "dense<u8[65]: hex \"";
  for (int i = 0; i < 65; ++i)
    many += i % 2 ? "1a" : "00";
  checkAttr(many + "\">");
  checkAttr("dense<u8[70000]: hex \"" + std::string(140000, '7') + "\">"); // too long to be made a splat
  checkAttr("dense<u8[9000000000000000000]: 1>");
}

TEST_CASE("a splat of no elements is a tensor of none, however it is written") {
  Reader r;
  REQUIRE(r.read(inFunction("%0 = foo.bar() {a = dense<f32[2, 0]: 7>} : ?")));
  CHECK(r.print().find("dense<f32[2, 0]: []>") != std::string::npos);
}

TEST_CASE("names: kept as spelled, told apart where they repeat, numbers for the rest") {
  checkOp("%\"12\" = t.relu(%x) : f32[2, 3]");
  checkOp("%a.b = t.relu(%x) : f32[2, 3]");
  checkOp("%x~1 = t.relu(%x) : f32[2, 3]\n  %x~2 = t.add(%x~1, %x) : f32[2, 3]\n  %\"a b\" = t.relu(%x~2) : f32[2, 3]\n"
          "  %\"a b\"~1 = t.relu(%\"a b\") : f32[2, 3]");
  // A name is free again once its region is closed.
  checkOp("%0 = t.cond(%x) : ? then {\n    %a = t.relu(%x) : f32[2, 3]\n    return %a\n  } else {\n"
          "    %a = t.relu(%y) : f32[2, 3]\n    %1 = t.relu(%a) : f32[2, 3]\n    return %1\n  }");
  Reader r;
  REQUIRE(r.read(inFunction("%7 = t.relu(%x) : f32[2, 3]\n%4000000000 = t.relu(%7) : f32[2, 3]\n"
                            "%99999999999999999999 = t.relu(%4000000000) : f32[2, 3]\n"
                            "t.print(%99999999999999999999) t.print(%007)")));
  CHECK(r.print() == inFunction("  %0 = t.relu(%x) : f32[2, 3]\n  %1 = t.relu(%0) : f32[2, 3]\n"
                                "  %2 = t.relu(%1) : f32[2, 3]\n  t.print(%2)\n  t.print(%0)\n"));
  Op relu = r.program->function("main")->op(OpId(0));
  CHECK(!r.program->function("main")->valueName(relu.result().id));
}

TEST_CASE("versions, unregistered ops, regions of unregistered ops") {
  checkOp("%0 = t.versioned(%x) : f32[2, 3]");
  checkOp("%0 = t.versioned@1(%x) : f32[2, 3]");
  checkOp("%0 = \"t.relu\"(%x, %y) : ?"); // a look-alike
  checkOp("%0 = \"no dialect\"(_) : ?");
  checkOp("%0 = foo.bar(%x) : f32[2, 3] region {\n    return %x\n  } region(%a: ?) {\n    foo.baz()\n    return %a, "
          "%x\n  }");
  Reader r;
  REQUIRE(r.read(inFunction("%0 = t.versioned@12(%x) : f32[2, 3]\n%1 = t.versioned@14(%x) : f32[2, 3]\n")));
  CHECK(r.print() == inFunction("  %0 = t.versioned@1(%x) : f32[2, 3]\n  %1 = t.versioned(%x) : f32[2, 3]\n"));
}

TEST_CASE("optional and variadic operands") {
  checkOp("%0 = t.scale(%x) : f32[2, 3]\n  %1 = t.scale(%x, _, %y) : f32[2, 3]\n  %2 = t.scale(%x, %y) : f32[2, 3]");
  checkOp("%0 = t.mixed(%x, _, %y) : ?\n  %1 = t.mixed(%x, %y, %x, %x, %y) : ?\n  %2 = t.concat() {axis = 0} : ?");
  checkOp("t.split(%x) {axis = 0}\n  %0, %1, %2 = t.split(%x) {axis = 0} : f32[1], ?, f32[2]");
}

TEST_CASE("types are inferred where they are left out") {
  Reader r;
  REQUIRE(r.read("func @main(%x: f32[B, 3]) { %0 = t.transpose(%x) %1 = t.relu(%0) // a comment\n return %1, %x }"));
  CHECK(r.print() == "func @main(%x: f32[B, 3]) -> (f32[3, B], f32[B, 3]) {\n  %0 = t.transpose(%x) : f32[3, B]\n"
                     "  %1 = t.relu(%0) : f32[3, B]\n  return %1, %x\n}\n");
}

TEST_CASE("ops carry the position of their name") {
  Reader r;
  REQUIRE(r.read("func @main(%x: f32[2]) {\n  %0 = t.relu(%x)\n  return %0\n}\n"));
  CHECK(r.sources.describe(r.program->function("main")->op(OpId(0)).loc()) == "in.rwir:2:8");
}

TEST_CASE("a type or an attribute alone") {
  Reader r;
  r.read("");
  Context &ctx = r.program->context();
  TypeId type = parseType(r.sources.addText("t", " f32[2, B] "), r.sources, r.diags, ctx);
  REQUIRE(type);
  CHECK(ctx.typeToString(type) == "f32[2, B]");
  AttrId attr = parseAttr(r.sources.addText("a", "[B, 2]"), r.sources, r.diags, ctx, AttrType::Dims);
  REQUIRE(attr);
  CHECK(printAttr(ctx, attr) == "dims<B, 2>");
  CHECK_FALSE(parseType(r.sources.addText("t", "f32[2] x"), r.sources, r.diags, ctx));
  CHECK_FALSE(parseAttr(r.sources.addText("a", "3"), r.sources, r.diags, ctx, AttrType::Bool));
  CHECK(r.diags.errorCount() == 2);
}

TEST_CASE("random programs: read back the same, and they verify") {
  test::Registry ops;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Program program(ops);
    test::RandomPrograms random(seed);
    random.addFunction(program, "main");
    random.addFunction(program, "a b", {.ops = 10, .params = 0});
    SourceManager sources;
    Diagnostics diags(sources);
    bool verified = verifyProgram(program, diags);
    std::string text = printProgram(program);
    INFO(text);
    INFO(diags.renderText());
    REQUIRE(verified);
    auto again = parseProgram(sources.addText("in.rwir", text), sources, diags, ops);
    INFO(diags.renderText());
    REQUIRE(again);
    REQUIRE(printProgram(*again) == text);
    REQUIRE(verifyProgram(*again, diags));
    // Into the same context: ids of types and attributes must come out the same.
    Program same(program.sharedContext());
    REQUIRE(parseProgram(sources.addText("in.rwir", text), sources, diags, same));
    REQUIRE(same.functions().size() == program.functions().size());
    for (size_t f = 0; f < same.functions().size(); ++f) {
      Function &a = program.functions()[f], &b = same.functions()[f];
      REQUIRE(a.liveOps() == b.liveOps());
      REQUIRE(a.valueCapacity() == b.valueCapacity());
      for (unsigned i = 0; i < a.params(a.body()).size(); ++i) {
        REQUIRE(a.paramInfo(i).stableId == b.paramInfo(i).stableId);
        REQUIRE(a.paramInfo(i).role == b.paramInfo(i).role);
        REQUIRE(a.paramInfo(i).defaultValue == b.paramInfo(i).defaultValue);
      }
      REQUIRE(a.resultNames() == b.resultNames());
      Op x{&a, a.data(a.body()).firstOp}, y{&b, b.data(b.body()).firstOp};
      for (; x && y; x = x.next(), y = y.next()) {
        REQUIRE(x.kind() == y.kind());
        REQUIRE(x.attrsId() == y.attrsId());
        REQUIRE(a.opName(x.id) == b.opName(y.id));
        for (unsigned i = 0; i < x.resultCount(); ++i) {
          REQUIRE(x.result(i).typeId() == y.result(i).typeId());
          REQUIRE(a.valueName(x.result(i).id) == b.valueName(y.result(i).id));
        }
      }
      REQUIRE(!x);
      REQUIRE(!y);
    }
  }
}

TEST_CASE("the limits of an op") {
  auto list = [](size_t count, const std::string &item) {
    std::string text = item;
    for (size_t i = 1; i < count; ++i)
      (text += ", ") += item;
    return text;
  };
  auto names = [](size_t count) {
    std::string text = "%r0";
    for (size_t i = 1; i < count; ++i)
      text += ", %r" + std::to_string(i);
    return text;
  };
  Reader most;
  CHECK(most.read(inFunction("  " + names(kMaxResults) + " = foo.bar(" + list(kMaxOperands, "%x") +
                             ") : " + list(kMaxResults, "?") + "\n")));
  REQUIRE(most.program);
  Op op{most.program->function("main"), OpId(0)};
  CHECK(op.resultCount() == kMaxResults);
  CHECK(op.operandCount() == kMaxOperands);
  CHECK(verifyProgram(*most.program, most.diags));
  Reader results;
  CHECK(!results.read(inFunction("  " + names(kMaxResults + 1) + " = foo.bar(%x)\n")));
  CHECK(results.diags.renderText().find("an op has at most 16383 results") != std::string::npos);
  Reader operands;
  CHECK(!operands.read(inFunction("  %r = foo.bar(" + list(kMaxOperands + 1, "%x") + ") : ?\n")));
  CHECK(operands.diags.renderText().find("an op has at most 262143 operands") != std::string::npos);
}
