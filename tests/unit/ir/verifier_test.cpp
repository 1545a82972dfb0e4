// The verifier: each kind of violation is found and named, all of them in one run, and nothing else is.
#include "../support/random_program.h"
#include "../support/test_dialect.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {
/// A program to break. `op(i)` is the i-th op of the body.
struct Broken {
  test::Registry ops;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  Function *fn = nullptr;
  Context *ctx = nullptr;

  explicit Broken(const std::string &body = kBody)
      : program(parseProgram(sources.addText("in.rwir", body), sources, diags, ops)) {
    INFO(diags.renderText());
    REQUIRE(program);
    fn = program->function("main");
    ctx = &program->context();
    REQUIRE(verifyProgram(*program, diags));
  }
  Op op(unsigned i) {
    Op at{fn, fn->data(fn->body()).firstOp};
    while (i-- > 0)
      at = at.next();
    return at;
  }
  Value param(unsigned i) { return fn->value(fn->params(fn->body())[i]); }
  OpData &raw(Op o) { return const_cast<OpData &>(fn->data(o.id)); }
  SlotData &slot(Op o, unsigned i) { return const_cast<SlotData &>(fn->data(SlotId(raw(o).firstOperand.raw + i))); }

  /// "line tag" of every violation.
  std::string found() {
    CHECK_FALSE(verifyProgram(*program, diags));
    std::string out;
    for (const Diagnostic &d : diags.all())
      out += (out.empty() ? "" : " ") + std::to_string(sources.lineColumn(d.range.begin).line) + ":" + d.tag;
    return out;
  }
  std::string text() { return diags.renderText(); }

  static constexpr const char *kBody =
      "func @main(%x: f32[2, 3], %y: f32[2, 3], %p: f32[]) -> (f32[2, 3], f32[3, 2]) {\n"
      "  %a = t.relu(%x) : f32[2, 3]\n"                      // 2: op 0
      "  %b = t.add(%a, %y) : f32[2, 3]\n"                   // 3: op 1
      "  %c = t.transpose(%b) {perm = [1, 0]} : f32[3, 2]\n" // 4: op 2
      "  %d = t.cond(%p) : f32[2, 3] then {\n"               // 5: op 3
      "    %e = t.relu(%b) : f32[2, 3]\n"
      "    return %e\n"
      "  } else {\n"
      "    return %a\n"
      "  }\n"
      "  return %d, %c\n" // 11: op 4
      "}\n";
};
} // namespace

TEST_CASE("operands and dominance") {
  SUBCASE("a later value") {
    Broken p;
    p.fn->setOperand(p.op(0).id, 0, p.op(1).result().id);
    CHECK(p.found() == "2:verify-dominance");
    CHECK(p.text().find("in.rwir:2:8: error: %b is used where it is not defined: its definition comes later") == 0);
  }
  SUBCASE("its own value") {
    Broken p;
    p.fn->setOperand(p.op(0).id, 0, p.op(0).result().id);
    CHECK(p.found() == "2:verify-dominance");
  }
  SUBCASE("a value of a region that is closed") {
    Broken p;
    Op inner{p.fn, p.fn->data(p.op(3).regions()[0]).firstOp};
    p.fn->setOperand(p.op(4).id, 0, inner.result().id);
    CHECK(p.found() == "11:verify-dominance");
    CHECK(p.text().find("%e is used where it is not defined: its region does not enclose the op") != std::string::npos);
  }
  SUBCASE("a value of a sibling region") {
    Broken p;
    Op inner{p.fn, p.fn->data(p.op(3).regions()[0]).firstOp};
    Op other{p.fn, p.fn->data(p.op(3).regions()[1]).firstOp};
    p.fn->setOperand(other.id, 0, inner.result().id);
    CHECK(p.found() == "9:verify-dominance");
  }
  SUBCASE("an op's result in its own region") {
    Broken p;
    Op inner{p.fn, p.fn->data(p.op(3).regions()[0]).firstOp};
    p.fn->setOperand(inner.id, 0, p.op(3).result().id);
    CHECK(p.found() == "6:verify-dominance");
  }
  SUBCASE("order after a move") {
    Broken p;
    p.fn->moveBefore(p.op(2).id, p.op(0).id);
    CHECK(p.found() == "4:verify-dominance");
  }
  SUBCASE("an erased op's result") {
    Broken p;
    Op relu = p.op(0);
    p.fn->setOperand(p.op(1).id, 0, p.param(0).id);
    Op other{p.fn, p.fn->data(p.op(3).regions()[1]).firstOp};
    p.fn->setOperand(other.id, 0, p.param(0).id);
    ValueId dead = relu.result().id;
    p.fn->erase(relu.id);
    REQUIRE(verifyProgram(*p.program, p.diags));
    p.fn->setOperand(p.op(0).id, 1, dead);
    CHECK(p.found() == "3:verify-dominance");
    CHECK(p.text().find("operand 1 is a result of an erased op") != std::string::npos);
  }
  SUBCASE("missing and surplus operands") {
    Broken p;
    p.fn->setOperands(p.op(0).id, {});
    ValueId two[] = {p.param(0).id, ValueId()};
    p.fn->setOperands(p.op(1).id, two);
    ValueId many[] = {p.op(1).result().id, p.param(0).id};
    p.fn->setOperands(p.op(2).id, many);
    CHECK(p.found() == "2:verify-operands 3:verify-operands 4:verify-operands");
    CHECK(p.text().find("operand `y` is left out but not optional") != std::string::npos);
  }
}

TEST_CASE("attributes, checks, types") {
  Broken p("func @main(%x: f32[2, 3], %y: f32[3, 2]) -> () {\n"
           "  %a = t.relu(%x) : f32[2, 3]\n"
           "  %b = t.add(%x, %x) : f32[2, 3]\n"
           "  %c = t.transpose(%x) {perm = [1, 0]} : f32[3, 2]\n"
           "  %d = t.const() {value = dense<f32[]: 1>} : f32[]\n"
           "  %e = t.concat(%x) {axis = 0} : ?\n"
           "  %f = foo.bar() : ?\n"
           "  %g = t.attrs() {sym = @main} : ?\n"
           "  return\n}\n");
  SUBCASE("each on its own op, all reported") {
    p.fn->setType(p.op(0).result().id, p.ctx->tensorType(DType::F32, {Dim(2), Dim(4)}));
    p.fn->setOperand(p.op(1).id, 1, p.param(1).id);
    p.fn->setAttrs(p.op(2).id, p.ctx->withAttr(p.ctx->noAttrs(), 0, p.ctx->intsAttr({1, 1})));
    p.fn->setAttrs(p.op(3).id, p.ctx->noAttrs());
    p.fn->setAttrs(p.op(4).id, p.ctx->withAttr(p.ctx->noAttrs(), 0, p.ctx->floatAttr(1)));
    p.fn->setAttrs(p.op(5).id, p.ctx->noAttrs());
    CHECK(p.found() ==
          "2:verify-type 3:verify-check 4:verify-check 5:verify-attribute 6:verify-attribute 7:verify-attribute");
    std::string text = p.text();
    CHECK(text.find("%a is recorded as f32[2, 4], inferred as f32[2, 3]") != text.npos);
    CHECK(text.find("x and y have different types") != text.npos);
    CHECK(text.find("the attribute `axis` must be a whole number") != text.npos);
    CHECK(text.find("in: %c = t.transpose(%x) {perm = [1, 1]} : f32[3, 2]") != text.npos);
  }
  SUBCASE("a declared attribute among the undeclared; more than are declared") {
    p.fn->setAttrs(p.op(2).id, p.ctx->withExtra(p.ctx->noAttrs(), p.ctx->intern("perm"), p.ctx->intsAttr({1, 0})));
    p.fn->setAttrs(p.op(0).id, p.ctx->withAttr(p.ctx->noAttrs(), 1, p.ctx->unitAttr()));
    CHECK(p.found() == "2:verify-attribute 4:verify-attribute");
  }
  SUBCASE("a function that is not there") {
    p.fn->setAttrs(p.op(6).id, p.ctx->withAttr(p.ctx->noAttrs(), 6, p.ctx->symbolAttr("gone")));
    CHECK(p.found() == "8:verify-symbol");
  }
  SUBCASE("options leave checks out") {
    p.fn->setType(p.op(0).result().id, p.ctx->tensorType(DType::F32, {Dim(2), Dim(4)}));
    p.fn->setOperand(p.op(1).id, 1, p.param(1).id);
    CHECK(verifyProgram(*p.program, p.diags, {.types = false, .checks = false}));
    CHECK_FALSE(verifyProgram(*p.program, p.diags, {.types = true, .checks = false}));
    CHECK(p.diags.errorCount() == 1);
  }
  SUBCASE("unknown types agree with everything") {
    p.fn->setType(p.op(0).result().id, p.ctx->unknownType());
    p.fn->setType(p.op(2).result().id,
                  p.ctx->tensorType(DType::Unknown, {p.ctx->dims().symbol(p.ctx->intern("B")), Dim::unknown()}));
    CHECK(verifyProgram(*p.program, p.diags));
  }
}

TEST_CASE("regions and terminators") {
  SUBCASE("no return") {
    Broken p;
    p.fn->erase(p.op(4).id);
    CHECK(p.found() == "5:verify-structure"); // at the last op
  }
  SUBCASE("return in the middle") {
    Broken p;
    p.fn->moveBefore(p.op(4).id, p.op(3).id);
    CHECK(p.found() == "11:verify-dominance 11:verify-structure 5:verify-structure");
  }
  SUBCASE("an empty region, a region too many") {
    Broken p;
    p.fn->addRegion(p.op(3).id);
    CHECK(p.found() == "5:verify-structure 5:verify-regions");
  }
  SUBCASE("results of the wrong number") {
    Broken p;
    p.raw(p.op(3)).kind = p.ops.lookup("t.print");
    CHECK(p.found() == "5:verify-results 5:verify-regions");
  }
}

TEST_CASE("signatures") {
  Broken p("func @main(%x: param(3) f32[2], %y: param(4) f32[2]) -> (a: f32[2], b: f32[2]) {\n  return %x, %y\n}\n"
           "func @other() -> () {\n  return\n}\n");
  p.fn->paramInfo(1).stableId = 3;
  p.fn->paramInfo(0).defaultValue =
      p.ctx->splatAttr(p.ctx->tensorType(DType::F32, {Dim(9)}), std::as_bytes(std::span("abc")));
  p.fn->setResultNames({p.ctx->intern("a"), p.ctx->intern("a")});
  p.program->function("other")->setName("main");
  CHECK_FALSE(verifyProgram(*p.program, p.diags));
  std::string text = p.text();
  for (const char *part :
       {"%y and %x have the same id 3 [verify-params]", "the default of %x is of another type [verify-params]",
        "two results are named `a` [verify-results]", "two functions are named `main` [verify-symbol]"})
    CHECK(text.find(part) != text.npos);
  p.fn->setResultNames({p.ctx->intern("a")});
  CHECK_FALSE(verifyProgram(*p.program, p.diags));
  CHECK(p.text().find("1 result names for 2 results") != std::string::npos);
  CHECK_FALSE(verifyProgram(*p.program, p.diags, {.file = "m.onnx"}));
  CHECK(p.text().find("m.onnx: error: %y and %x have the same id 3") != std::string::npos);
}

TEST_CASE("broken links are reported and never followed") {
  auto breaks = [](auto change, const char *message) {
    Broken p;
    change(p);
    CHECK_FALSE(verifyProgram(*p.program, p.diags));
    std::string text = p.text();
    INFO(text);
    CHECK(text.find("verify-structure") != text.npos);
    CHECK(text.find(message) != text.npos);
  };
  breaks([](Broken &p) { p.raw(p.op(1)).next = p.op(0).id; }, "linked twice");
  breaks([](Broken &p) { p.raw(p.op(1)).next = OpId(999); }, "does not exist");
  breaks([](Broken &p) { p.raw(p.op(1)).prev = OpId(); }, "not linked both ways");
  breaks([](Broken &p) { p.raw(p.op(2)).next = OpId(); }, "the region names another as its last");
  breaks([](Broken &p) { p.raw(p.op(1)).order = 0; }, "order number does not grow");
  breaks([](Broken &p) { p.raw(p.op(1)).region = RegionId(1); }, "says it stands in another");
  breaks([](Broken &p) { p.raw(p.op(1)).kind = KindId{999}; }, "no op is registered for its kind");
  breaks([](Broken &p) { p.raw(p.op(1)).operandCount = 99; }, "operand slots do not exist");
  breaks([](Broken &p) { p.raw(p.op(4)).firstOperand = SlotId(0); }, "belongs to another op");
  breaks([](Broken &p) { p.raw(p.op(1)).firstResult = ValueId(999); }, "results do not exist");
  breaks([](Broken &p) { p.raw(p.op(1)).firstResult = ValueId(0); }, "belongs to another op");
  breaks([](Broken &p) { p.raw(p.op(1)).flags |= kErased; }, "an erased op is still linked");
  breaks([](Broken &p) { p.slot(p.op(1), 0).owner = p.op(0).id; }, "belongs to another op");
  breaks([](Broken &p) { p.slot(p.op(1), 0).value = ValueId(999); }, "does not exist");
  breaks([](Broken &p) { p.slot(p.op(1), 0).value = p.param(0).id; }, "holds what is no use of it");
  breaks([](Broken &p) { p.slot(p.op(1), 0).next = SlotId(p.raw(p.op(1)).firstOperand.raw); }, "in a circle");
  breaks([](Broken &p) { const_cast<ValueData &>(p.fn->data(p.param(1).id)).firstUse = SlotId(); },
         "not in the use list");
  breaks([](Broken &p) { const_cast<RegionData &>(p.fn->data(p.op(3).regions()[0])).parent = p.op(0).id; },
         "belongs to another op");
  breaks([](Broken &p) { const_cast<RegionData &>(p.fn->data(p.fn->body())).parent = p.op(0).id; }, "has a parent op");
  breaks([](Broken &p) { const_cast<RegionData &>(p.fn->data(p.fn->body())).params.push_back(p.op(0).result().id); },
         "not marked as one");
}

TEST_CASE("one op at a time") {
  Broken p;
  for (unsigned i = 0; i < 5; ++i)
    CHECK(verifyOp(p.op(i), p.diags));
  CHECK(verifyOp(Op{p.fn, p.fn->data(p.op(3).regions()[0]).firstOp}, p.diags)); // reads %b from outside
  p.fn->setOperand(p.op(0).id, 0, p.op(1).result().id);
  CHECK_FALSE(verifyOp(p.op(0), p.diags));
  CHECK(verifyOp(p.op(2), p.diags));
  p.slot(p.op(2), 0).next = p.slot(p.op(2), 0).prev = SlotId();
  p.raw(p.op(4)).prev = OpId();
  CHECK_FALSE(verifyOp(p.op(4), p.diags));
}

TEST_CASE("every violation up to the limit") {
  std::string body;
  for (int i = 0; i < 50; ++i)
    body += "  %" + std::to_string(i) + " = t.const() {value = dense<f32[]: 1>} : f32[]\n";
  Broken p("func @main() -> () {\n" + body + "  return\n}\n");
  for (unsigned i = 0; i < 50; ++i)
    p.fn->setAttrs(p.op(i).id, p.ctx->noAttrs());
  CHECK_FALSE(verifyProgram(*p.program, p.diags));
  CHECK(p.diags.errorCount() == 50);
  p.diags.clear();
  CHECK_FALSE(verifyProgram(*p.program, p.diags, {.maxErrors = 10}));
  CHECK(p.diags.errorCount() == 11); // and one that says so
}

TEST_CASE("random edits of random programs: the verifier answers, and what it accepts round-trips") {
  test::Registry ops;
  size_t accepted = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Program program(ops);
    test::RandomPrograms random(seed + 5000);
    Function &fn = random.addFunction(program, "main", {.ops = 20});
    for (size_t n = random.below(3) + 1; n-- > 0;) {
      Op op{&fn, OpId(uint32_t(random.below(fn.opCapacity())))};
      ValueId value(uint32_t(random.below(fn.valueCapacity())));
      switch (random.below(6)) {
      case 0:
        if (op.operandCount())
          fn.setOperand(op.id, unsigned(random.below(op.operandCount())), value);
        break;
      case 1:
        fn.setType(value, random.anyType(0));
        break;
      case 2:
        fn.setKind(op.id, KindId{uint16_t(random.below(ops.size()))});
        break;
      case 3:
        fn.setOperands(op.id, std::span(&value, 1));
        break;
      case 4:
        fn.setAttrs(op.id, program.context().noAttrs());
        break;
      default: {
        Op before{&fn, OpId(uint32_t(random.below(fn.opCapacity())))};
        if (before.region() == op.region() && before.id != op.id)
          fn.moveBefore(op.id, before.id);
      }
      }
    }
    SourceManager sources;
    Diagnostics diags(sources);
    bool ok = verifyProgram(program, diags);
    CHECK(ok == !diags.hasErrors());
    std::string text = printProgram(program); // of a broken one too
    if (!ok)
      continue;
    ++accepted;
    auto again = parseProgram(sources.addText("in.rwir", text), sources, diags, ops);
    INFO(diags.renderText());
    REQUIRE(again);
    CHECK(printProgram(*again) == text);
  }
  CHECK(accepted > 20);
  CHECK(accepted < 250);
}
