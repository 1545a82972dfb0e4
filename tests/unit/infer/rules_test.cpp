// What ops of any dialect may say to inference (rules.h), by ops that no part of rw knows: ruled.rw.
#include "ruled.rw.h"

#include "rw/infer/infer_shapes.h"
#include "rw/infer/rules.h"
#include "rw/infer/type_flow.h"
#include "rw/ir/common_type.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass_manager.h"
#include "rw/rewrite/rewriter.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {

std::optional<RegionLayout> timesLayout(Op op) {
  return RegionLayout{.carried = op.operandCount() - 1, .operands = 1, .changesTypes = true};
}
TypeId timesResult(Op op, unsigned i, const LocalSymbols &names) {
  Op end = op.fn->terminator(op.regions()[0]);
  return commonType(op.context(), names.without(op.operand(1 + i).typeId()), names.without(end.operand(i).typeId()));
}
TypeId eitherResult(Op op, unsigned i, const LocalSymbols &) {
  return op.fn->terminator(op.regions()[0]).operand(i).typeId();
}
/// The first region, whatever the condition is, as long as it is constant.
std::optional<RegionId> eitherTaken(Op op) {
  return op.operand(0).constant() ? std::optional(op.regions()[0]) : std::nullopt;
}
bool note(Op op, Contents &contents, PatternRewriter &rewriter) {
  const Content *held = contents.of(op.operand(0));
  if (!held || !held->isNumbers() || op.attr(0))
    return false;
  rewriter.begin(op);
  rewriter.setAttr(op, 0, op.context().intAttr(held->elements[0].value()));
  return true;
}

struct Ruled {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};

  Ruled() {
    registerCorePasses(registry);
    registerInferencePasses(registry);
    test::infer::register_ruled(registry);
    addInferenceRules("ruled.times", {.regions = {.layout = timesLayout, .resultType = timesResult}});
    addInferenceRules("ruled.either", {.regions = {.layout = [](Op) { return std::optional(RegionLayout()); },
                                                   .resultType = eitherResult,
                                                   .taken = eitherTaken}});
    addInferenceRules("ruled.like", {.keepsAll = [](Op, Contents &) { return true; }});
    addInferenceRules("ruled.noted", {.simplify = note});
  }
  std::unique_ptr<Program> read(const std::string &text) {
    std::unique_ptr<Program> program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    REQUIRE_MESSAGE(program, diags.renderText());
    return program;
  }
  /// What the passes make of a function.
  std::string after(std::string_view passes, const std::string &text) {
    std::unique_ptr<Program> program = read(text);
    PassManager manager(registry);
    REQUIRE_MESSAGE(manager.parse(passes, sources, diags), diags.renderText());
    manager.run(*program, {});
    return printProgram(*program);
  }
};

const std::string kTwo = "%c = ruled.constant() {value = dense<i64[1]: [2]>} : i64[1]\n";

} // namespace

TEST_CASE("an op has rules once, and kinds without any have none") {
  Ruled ruled;
  CHECK(!addInferenceRules("ruled.times", {}));
  const OpRegistry &ops = ruled.registry.ops;
  const RulesByKind rules(ops);
  CHECK((rules.of(ops.lookup("ruled.times")).regions.layout == timesLayout));
  CHECK(!rules.of(ops.lookup("ruled.neg")).regions.layout);
  CHECK(!rules.of(kOpaqueKind).types);
  CHECK(!rules.of(KindId{uint16_t(ops.size())}).types); // of a kind that came later
}

TEST_CASE("results of ops with regions are of the types that their rules say") {
  const std::string text = Ruled().after("infer_shapes", R"(func @main(%n: i64[], %x: f32[2, 3], %y: f32[4]) -> (?, ?) {
    %0, %1 = ruled.times(%n, %x, %y) : f32[*], f32[*] body(%a: f32[2, 3], %b: f32[?]) {
      %2 = ruled.neg(%a)
      return %2, %b
    }
    return %0, %1
  })");
  CHECK(text.find("%0, %1 = ruled.times(%n, %x, %y) : f32[2, 3], f32[?] body") != std::string::npos);
}

TEST_CASE("carried values and outputs that nobody reads are left out") {
  Ruled ruled;
  const std::string loop = ruled.after("drop_dead_results", R"(func @main(%n: i64[], %x: f32[2], %y: f32[4]) -> f32[4] {
    %0, %1 = ruled.times(%n, %x, %y) : f32[2], f32[4] body(%a: f32[2], %b: f32[4]) {
      return %a, %b
    }
    return %1
  })");
  CHECK(loop.find("= ruled.times(%n, %y) : f32[4] body(%b: f32[4])") != std::string::npos);
  const std::string branches = ruled.after("drop_dead_results", R"(func @main(%n: i64[], %x: f32[2]) -> f32[2] {
    %0, %1 = ruled.either(%n) : f32[2], f32[2] yes { return %x, %x } no { return %x, %x }
    return %1
  })");
  CHECK(branches.find("= ruled.either(%n) : f32[2] yes") != std::string::npos);
}

TEST_CASE("the region that is known to run takes the place of its op") {
  Ruled ruled;
  const std::string op = "%0 = ruled.either(%c) : f32[2] yes {\n%1 = ruled.neg(%x)\nreturn %1\n} no {\nreturn %x\n}\n";
  CHECK(ruled.after("inline_if,dce", "func @main(%x: f32[2]) -> f32[2] {\n" + kTwo + op + "return %0\n}") ==
        "func @main(%x: f32[2]) -> f32[2] {\n  %0 = ruled.neg(%x) : f32[2]\n  return %0\n}\n");
  CHECK(ruled.after("inline_if", "func @main(%c: i64[1], %x: f32[2]) -> f32[2] {\n" + op + "return %0\n}")
            .find("ruled.either") != std::string::npos);
}

TEST_CASE("fold_shapes leaves out what keeps all, and writes more simply what a rule does") {
  Ruled ruled;
  const std::string like = kTwo + "%0 = ruled.like(%x, %c)\nreturn %0\n}";
  CHECK(ruled.after("fold_shapes,dce", "func @main(%x: f32[2]) -> f32[2] {\n" + like) ==
        "func @main(%x: f32[2]) -> f32[2] {\n  return %x\n}\n");
  CHECK(ruled.after("fold_shapes,dce", "func @main(%x: f32[3]) -> f32[2] {\n" + like).find("ruled.like") !=
        std::string::npos);
  CHECK(ruled.after("fold_shapes", "func @main() -> i64[1] {\n" + kTwo + "%0 = ruled.noted(%c)\nreturn %0\n}")
            .find("ruled.noted(%c) {note = 2}") != std::string::npos);
}

TEST_CASE("of what a loop carries is believed what each round agrees with") {
  Ruled ruled;
  std::unique_ptr<Program> program = ruled.read(R"(func @main(%n: i64[], %x: f32[2], %y: f32[3]) -> ? {
    %0 = ruled.times(%n, %x) : f32[*] body(%a: f32[*]) {
      %1 = ruled.neg(%y)
      return %1
    }
    return %0
  })");
  Function &fn = *program->function("main");
  Op loop = fn.op(fn.data(fn.body()).firstOp);
  ValueId carried = fn.params(loop.regions()[0])[0];
  TypeFlow flow(fn);
  flow.record(carried, program->context().tensorType(DType::F32, {Dim(2)}));
  flow.region(fn.body());
  flow.finish();
  CHECK(program->context().typeToString(fn.value(carried).typeId()) == "f32[?]");
  CHECK(program->context().typeToString(loop.result(0).typeId()) == "f32[?]");
  CHECK(flow.untrue().size() == 1);
}
