// Lowering: slots, shapes and bounds, last uses; on random programs against a slow computation of its own.
#include "../support/tensor_programs.h"
#include "exec_fixture.h"

using namespace rw;
using test::registry;
using test::TextProgram;

TEST_CASE("slots are numbered in the order of parameters and results, each freed at its last use") {
  TextProgram text("func @main(%x: f32[2, 3], %w: f32[3], %dead: f32[]) -> (f32[2, 3], f32[2, 3]) {\n"
                   "  %a = tensor.add(%x, %w)\n  %b = tensor.mul(%a, %a)\n  %c = tensor.neg(%w)\n  return %b, %x\n}\n");
  ExecProgram exec = text.lowered();
  CHECK(exec.slots == 6);
  CHECK(exec.unusedInputs == std::vector<bool>{false, false, true});
  REQUIRE(exec.instructions.size() == 3);
  CHECK(exec.instructions[0].inputs == std::vector<ExecSlot>{0, 1});
  CHECK(exec.instructions[0].outputs == std::vector<ExecSlot>{3});
  CHECK(exec.instructions[0].lastUse == std::vector<bool>{false, false}); // x is a result, w is read again
  CHECK(exec.instructions[1].lastUse == std::vector<bool>{false, true});  // read twice, freed once
  CHECK(exec.instructions[2].lastUse == std::vector<bool>{true});
  CHECK(exec.instructions[2].unused == std::vector<bool>{true}); // nothing reads it
  CHECK(exec.instructions[0].dtype == DType::F32);
  CHECK(exec.instructions[0].outputShapes[0].dims == std::vector<Dim>{Dim(2), Dim(3)});
  CHECK(exec.results == std::vector<ExecSlot>{4, 0});
}

TEST_CASE("what a region reads from around its op is an input of the instruction") {
  TextProgram text(
      "func @main(%p: bool[], %x: f32[2], %y: f32[2]) -> f32[2] {\n"
      "  %0 = tensor.neg(%x)\n  %1 = tensor.cond(%p) : f32[2] on_true {\n"
      "    %2 = tensor.cond(%p) : f32[2] on_true {\n      return %0\n    } on_false {\n      return %y\n    }\n"
      "    return %2\n  } on_false {\n    %3 = tensor.add(%0, %0)\n    return %3\n  }\n  return %1\n}\n");
  ExecProgram exec = text.lowered();
  const ExecInstruction &cond = exec.instructions[1];
  CHECK(cond.operands == 1);
  CHECK(cond.inputs == std::vector<ExecSlot>{0, 0, 3, 2}); // the inner cond reads p as well
  CHECK(cond.lastUse == std::vector<bool>{false, true, true, true});
}

TEST_CASE("shapes have bounds as far as their symbols have") {
  TextProgram text("func @main(%x: f32[B, 4], %y: f32[C], %z: f32[?], %i: i64[2]) -> (f32[4 * B], f32[C], f32[?], "
                   "f32[B, 2], f32[2 * B, 4]) {\n"
                   "  %0 = tensor.reshape(%x) {shape = [B * 4]}\n  %1 = tensor.neg(%y)\n  %2 = tensor.neg(%z)\n"
                   "  %3 = tensor.gather(%x, %i) {axis = 1} : f32[B, 2]\n  %4 = tensor.concat(%x, %x) {axis = 0}\n"
                   "  return %0, %1, %2, %3, %4\n}\n");
  auto bounds = [&](const SymbolBounds &given, size_t at) {
    return text.lowered(given).instructions[at].outputShapes[0].bounds;
  };
  constexpr int64_t kNone = ExecShape::kUnbounded;
  CHECK(bounds({}, 0) == std::vector<int64_t>{kNone});
  CHECK(bounds({{"B", 7}}, 0) == std::vector<int64_t>{28});
  CHECK(bounds({{"B", 7}}, 1) == std::vector<int64_t>{kNone});
  CHECK(bounds({{"B", 7}}, 2) == std::vector<int64_t>{kNone}); // an unknown dimension has none
  CHECK(bounds({{"B", 7}}, 3) == std::vector<int64_t>{7, 2});
  CHECK(bounds({{"B", 7}}, 4) == std::vector<int64_t>{14, 4});
  CHECK(text.lowered({{"B", 7}}).instructions[0].outputShapes[0].isBounded());
  CHECK_FALSE(text.lowered({{"B", 7}}).instructions[1].outputShapes[0].isBounded());
}

TEST_CASE("an unknown function and a negative bound are told") {
  TextProgram text("func @main(%x: f32[B]) -> f32[B] {\n  return %x\n}\n");
  CHECK_FALSE(lowerToExec(*text.program, "mian", text.diags));
  CHECK(text.diags.renderText().find("no function is named `mian`; did you mean `main`?") != std::string::npos);
  CHECK_FALSE(lowerToExec(*text.program, "main", text.diags, {{"B", -2}}));
  CHECK(text.diags.renderText().find("the bound -2 of `B` is negative: say its greatest size [bad-bound]") !=
        std::string::npos);
}

namespace {
/// By looking, for each slot, for the last instruction that mentions it.
void checkLiveness(const ExecProgram &exec) {
  for (ExecSlot slot = 0; slot < exec.slots; ++slot) {
    bool result = false;
    size_t born = SIZE_MAX, last = SIZE_MAX, freed = 0, freedAt = SIZE_MAX;
    for (ExecSlot s : exec.results)
      result |= s == slot;
    for (size_t at = 0; at < exec.instructions.size(); ++at) {
      const ExecInstruction &i = exec.instructions[at];
      for (size_t k = 0; k < i.outputs.size(); ++k)
        if (i.outputs[k] == slot) {
          born = at;
          if (i.unused[k])
            ++freed, freedAt = at;
        }
      for (size_t k = 0; k < i.inputs.size(); ++k)
        if (i.inputs[k] == slot) {
          last = at;
          if (i.lastUse[k])
            ++freed, freedAt = at;
        }
    }
    if (slot < exec.unusedInputs.size() && exec.unusedInputs[slot])
      ++freed, freedAt = SIZE_MAX;
    CHECK(freed == (result ? 0 : 1));
    if (!result)
      CHECK(freedAt == (last != SIZE_MAX ? last : born)); // a parameter that nothing reads: before all instructions
  }
}
} // namespace

TEST_CASE("random programs: each slot is freed once, where it is mentioned last, results never") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    Program program(registry().ops);
    if (seed % 2)
      test::TensorPrograms(program, registry().ops, seed);
    else
      test::RandomPrograms(seed).addFunction(program, "main", {.ops = 25}); // of all ops, with regions
    SourceManager sources;
    Diagnostics diags(sources);
    std::optional<ExecProgram> exec = lowerToExec(program, "main", diags);
    REQUIRE(exec);
    CHECK(checkExec(*exec) == "");
    checkLiveness(*exec);
  }
}

TEST_CASE("the check finds slots that are freed too early, twice, or never") {
  TextProgram text("func @main(%x: f32[2], %y: f32[2]) -> f32[2] {\n"
                   "  %a = tensor.add(%x, %y)\n  %b = tensor.add(%a, %x)\n  %c = tensor.neg(%b)\n  return %c\n}\n");
  ExecProgram exec = text.lowered();
  ExecProgram early = exec, twice = exec, never = exec, missing = exec;
  early.instructions[0].lastUse[0] = true;
  CHECK(checkExec(early) == "instruction 1 reads slot 0, which is freed already");
  twice.instructions[2].inputs.push_back(twice.instructions[2].inputs[0]);
  twice.instructions[2].lastUse.push_back(true);
  CHECK(checkExec(twice) == "instruction 2 frees slot 3, which holds nothing");
  never.instructions[0].lastUse[1] = false;
  CHECK(checkExec(never) == "slot 1 is never freed and no result");
  missing.instructions[0].inputs[0] = 4;
  CHECK(checkExec(missing) == "instruction 0 reads slot 4, which holds nothing yet");
  missing = exec;
  missing.results[0] = 99;
  CHECK(checkExec(missing) == "the return reads slot 99, which there is none of");
  assignLastUse(early);
  CHECK(checkExec(early) == "");
}
