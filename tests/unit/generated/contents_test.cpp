// What `type` clauses read of operands, with and without somebody who infers: contents.rw.
#include "contents.rw.h"

#include "rw/builtin.h"
#include "rw/infer/type_rules.h"
#include "rw/ir/parser.h"
#include "rw/ir/program.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
/// The type of what the function's last op makes.
std::string typeOfLast(const std::string &text, bool infers = true) {
  Registry registry;
  registerAll(registry);
  test::generated::register_contents(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  std::unique_ptr<Program> program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
  INFO(diags.renderText());
  REQUIRE(program);
  Function &fn = *program->function("main");
  Contents contents(fn);
  TypeRules rules(fn, contents);
  std::string last;
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind)
      break;
    if (infers && !op.hasTrait(Trait::Constant)) {
      fn.setType(op.result().id, rules.infer(op)[0]);
      contents.visit(op);
    }
    last = op.result() ? program->context().typeToString(op.result().typeId()) : "";
  }
  CHECK(!fn.knownContents());
  return last;
}
std::string body(const std::string &params, const std::string &ops) {
  return "func @main(" + params + ") -> ? {\n" + ops + "\nreturn %y\n}";
}
const std::string kConstant = "%c = onnx.initializer() {value = dense<i64[2]: [-2, 3]>}\n";
} // namespace

TEST_CASE("sizes that the program computes are read by a type clause") {
  const std::string computed = "%s = onnx.Shape@1(%x)\n%t = onnx.Add(%s, %s)\n";
  CHECK(typeOfLast(body("%x: f32[B, 3]", computed + "%y = held.filled(%t, %x)")) == "f32[B*2, 6]");
  CHECK(typeOfLast(body("%x: f32[B, 3]", computed + "%y = held.padded(%x, %t)")) == "f32[B*3, 9]");
  CHECK(typeOfLast(body("%x: f32[B, 3]", computed + "%y = held.rows(%x, %t)")) == "f32[B*2, 1]");
  CHECK(typeOfLast(body("%x: f32[B, 3]", computed + "%y = held.filled(%t, %x)"), false) == "f32[*]");
}

TEST_CASE("numbers below 0 are contents and no sizes") {
  CHECK(typeOfLast(body("%x: f32[B, 8]", kConstant + "%y = held.padded(%x, %c)")) == "f32[B - 2, 11]");
  CHECK(typeOfLast(body("%x: f32[B, 8]", kConstant + "%y = held.filled(%c, %x)")) == "f32[?, 3]");
  // What may be below 0 is no size either, and is right as an amount.
  const std::string less = kConstant + "%s = onnx.Shape@1(%x)\n%t = onnx.Sub(%s, %c)\n%u = onnx.Sub(%t, %s)\n"
                                       "%v = onnx.Sub(%s, %u)\n%w = onnx.Sub(%v, %c)\n";
  CHECK(typeOfLast(body("%x: f32[B, 8]", less + "%y = held.filled(%v, %x)")) == "f32[?, 11]");
  CHECK(typeOfLast(body("%x: f32[B, 8]", less + "%y = held.padded(%x, %v)")) == "f32[B*2 - 2, 19]");
}

TEST_CASE("a constant is read though nobody infers") {
  CHECK(typeOfLast(body("%x: f32[B, 8]", kConstant + "%y = held.padded(%x, %c)"), false) == "f32[B - 2, 11]");
  const std::string ends = "%c = onnx.initializer() {value = dense<i64[2]: [-1, 0]>}\n%y = held.picked(%x, %c)";
  CHECK(typeOfLast(body("%x: f32[B, 8]", ends), false) == "f32[8, B]");
}

TEST_CASE("a list of which only the length is known has unknown elements, and only where somebody infers") {
  CHECK(typeOfLast(body("%x: f32[B, 8], %n: i64[2]", "%y = held.padded(%x, %n)")) == "f32[?, ?]");
  CHECK(typeOfLast(body("%x: f32[B, 8], %n: i64[3]", "%y = held.filled(%n, %x)")) == "f32[?, ?, ?]");
  CHECK(typeOfLast(body("%x: f32[B, 8], %n: i64[3]", "%y = held.filled(%n, %x)"), false) == "f32[*]");
  CHECK(typeOfLast(body("%x: f32[B, 8], %n: i64[?]", "%y = held.filled(%n, %x)")) == "f32[*]");
  // No integers.
  CHECK(typeOfLast(body("%x: f32[B, 8], %n: f32[3]", "%y = held.filled(%n, %x)")) == "f32[*]");
}

TEST_CASE("shapes of any number of operands stretch to one") {
  CHECK(typeOfLast(body("%a: f32[B, 1], %b: f32[3], %c: f32[1, 3]", "%y = held.all(%a, %b, %c, %a, %b, %c, %a)")) ==
        "f32[B, 3]");
}

TEST_CASE("which operands' elements an op moves is in its schema") {
  Registry registry;
  test::generated::register_contents(registry);
  const OpSchema &all = registry.ops.schema(registry.ops.lookup("held.all")),
                 &swapped = registry.ops.schema(registry.ops.lookup("held.swapped"));
  CHECK(all.hasTrait(Trait::MovesElements));
  CHECK(all.moved == 1);
  CHECK(swapped.moved == 5);
  CHECK(registry.ops.schema(registry.ops.lookup("held.rows")).moved == 0);
}
