// Hoisting of what follows from model parameters: what moves, what stays, the ids, and what is computed in the end.
#include "params_fixture.h"

using namespace rw;
using rw::test::ParamsFixture;

namespace {

/// `text` with the id of the last parameter for `ID`.
std::string withId(std::string text, const Function &fn) {
  uint64_t id = fn.paramInfo(unsigned(fn.params(fn.body()).size() - 1)).stableId;
  return text.replace(text.find("ID"), 2, std::to_string(id));
}

TEST_CASE_FIXTURE(ParamsFixture, "a value that follows from parameters becomes one") {
  read(R"(func @main(%x: f32[2, 3], %w: param(7) f32[4, 3]) -> f32[2, 4] {
    %t = tensor.transpose(%w) {perm = [1, 0]}
    %y = tensor.dot_general(%x, %t) {lhs_contract = [1], rhs_contract = [0]}
    return %y
  })");
  HoistResult r = hoist();
  CHECK(r.derived == 1);
  CHECK(r.functions == 1);
  CHECK(r.erased == 1);
  CHECK(
      text() ==
      withId(
          R"(func @main(%x: f32[2, 3], %w: param(7) f32[4, 3], %t: param(ID) f32[3, 4] = [@main_params, 0]) -> f32[2, 4] {
  %y = tensor.dot_general(%x, %t) {lhs_contract = [1], rhs_contract = [0]} : f32[2, 4]
  return %y
}

func @main_params(%w: param(7) f32[4, 3]) -> f32[3, 4] {
  %t = tensor.transpose(%w) {perm = [1, 0]} : f32[3, 4]
  return %t
}
)",
          *main));
  CHECK(hoist().derived == 0); // again: nothing
  Function &params = *program->function("main_params");
  CHECK(hoistParams(*program, params).derived == 0); // and nothing in the function that derives
  CHECK(printProgram(*parse(text())) == text());
}

TEST_CASE_FIXTURE(ParamsFixture, "what hangs together is one function, evaluated once") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2], %v: param(8) f32[2], %u: param(9) f32[2]) {
    %a = tensor.exp(%w)
    %b = tensor.neg(%a)
    %c = tensor.add(%a, %v)
    %d = tensor.neg(%u)
    %1 = tensor.add(%x, %b)
    %2 = tensor.add(%1, %c)
    %3 = tensor.add(%2, %d)
    return %3
  })");
  HoistResult r = hoist();
  CHECK(r.derived == 3);
  CHECK(r.functions == 2);
  CHECK(r.erased == 4);
  Function &first = *program->function("main_params"), &second = *program->function("main_params1");
  CHECK(first.params(first.body()).size() == 2);
  CHECK(first.liveOps() == 4);
  CHECK(second.params(second.body()).size() == 1);

  InterpreterEvaluator evaluator;
  ParamStore store(*program, evaluator);
  Context &ctx = program->context();
  REQUIRE_FALSE(store.value(*main, 4));
  CHECK(store.value(*main, 4).error() == "parameter 1 of @main (id 7) has no value");
  for (uint64_t id : {7, 8, 9})
    store.set(id, f32(ctx, {2}, {0, float(id)}));
  for (int twice = 0; twice < 2; ++twice)
    for (unsigned i = 4; i < 7; ++i)
      CHECK(store.value(*main, i));
  CHECK(store.evaluations() == 2);
  CHECK(Tensor::fromAttr(ctx, *store.value(*main, 4))->data<float>()[0] == -1);
  CHECK(Tensor::fromAttr(ctx, *store.value(*main, 5))->data<float>()[0] == 1);
  CHECK(Tensor::fromAttr(ctx, *store.value(*main, 6))->data<float>()[1] == -9);
  store.set(9, f32(ctx, {2}, {3, 3}));
  CHECK(Tensor::fromAttr(ctx, *store.value(*main, 6))->data<float>()[1] == -3);
  CHECK(store.evaluations() == 3);
}

TEST_CASE_FIXTURE(ParamsFixture, "equal computations are one") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2]) {
    %a = tensor.exp(%w)
    %b = tensor.exp(%w)
    %c = tensor.neg(%b)
    %1 = tensor.add(%x, %a)
    %2 = tensor.add(%1, %b)
    %3 = tensor.add(%2, %c)
    return %3
  })");
  HoistResult r = hoist();
  CHECK(r.derived == 2);
  CHECK(r.functions == 1);
  CHECK(r.erased == 3);
  CHECK(program->function("main_params")->liveOps() == 3); // exp, neg, return
}

TEST_CASE_FIXTURE(ParamsFixture, "constants come along, those alone stay") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2]) {
    %c = tensor.constant() {value = dense<f32[2]: [1, 2]>}
    %k = tensor.neg(%c)
    %a = tensor.add(%w, %k)
    %1 = tensor.add(%x, %a)
    %2 = tensor.add(%1, %k)
    return %2
  })");
  CHECK(hoist().derived == 1);
  CHECK(text().find("%k = tensor.neg(%c) : f32[2]\n  %0 = tensor.add(%x, %a)") != std::string::npos);
  CHECK(program->function("main_params")->liveOps() == 4);

  read(R"(func @main(%x: f32[2], %w: param(7) f32[2]) {
    %c = tensor.constant() {value = dense<f32[2]: [1, 2]>}
    %k = tensor.neg(%c)
    %1 = tensor.add(%x, %k)
    return %1, %w
  })");
  std::string before = text();
  CHECK(hoist().derived == 0);
  CHECK(text() == before);
}

TEST_CASE_FIXTURE(ParamsFixture, "what has effects, is unknown or follows from arguments stays") {
  for (const char *body : {
           "%r = tensor.rng_uniform() {shape = [2], dtype = f32}\n%a = tensor.add(%w, %r)\n%b = tensor.add(%a, %x)",
           "%a = foo.bar(%w) : f32[2]\n%b = tensor.add(%a, %x)",
           "%a = t.attrs() : f32[2]\n%c = tensor.add(%a, %w)\n%b = tensor.add(%c, %x)",
           "%a = tensor.add(%w, %x)\n%b = tensor.exp(%a)",
           "%dead = tensor.exp(%w)\n%b = tensor.neg(%x)",
           "%b = tensor.add(%x, %w)",
           "%b = t.cond(%w) : f32[2] then { return %w } else { return %w }",
       }) {
    CAPTURE(body);
    read(std::string("func @main(%x: f32[2], %w: param(7) f32[2]) -> f32[2] {\n") + body + "\nreturn %b }");
    std::string before = text();
    HoistResult r = hoist();
    CHECK(r.derived + r.functions + r.erased == 0);
    CHECK(text() == before);
  }
}

TEST_CASE_FIXTURE(ParamsFixture, "values leave nested regions") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2]) {
    %b = t.cond(%x) : f32[2] then {
      %a = tensor.exp(%w)
      %s = tensor.add(%a, %x)
      return %s
    } else {
      %a = tensor.exp(%w)
      return %a
    }
    return %b
  })");
  HoistResult r = hoist();
  CHECK(r.derived == 1);
  CHECK(r.erased == 2);
  CHECK(program->function("main_params")->liveOps() == 2);
}

TEST_CASE_FIXTURE(ParamsFixture, "a result may be a derived parameter; results keep their types and names") {
  read("func @main(%w: param(7) f32[B, 3]) -> (y: f32[B, 3], f32[B, 3]) { %a = tensor.exp(%w)  return %a, %a }");
  CHECK(hoist().derived == 1);
  CHECK(text().find("-> (y: f32[B, 3], f32[B, 3])") != std::string::npos);
}

TEST_CASE_FIXTURE(ParamsFixture, "functions that others name are left alone") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2]) {
    %a = tensor.exp(%w)
    %b = tensor.add(%a, %x)
    return %b
  }
  func @caller(%x: f32[2]) {
    %r = foo.call(%x) {fns = [[@main]]} : f32[2]
    return %r
  })");
  CHECK(hoist().derived == 0);
}

TEST_CASE_FIXTURE(ParamsFixture, "ids follow from what is computed, and from nothing else") {
  auto idOf = [&](const char *text) {
    read(text);
    REQUIRE(hoist().derived >= 1);
    std::span<const ValueId> params = main->params(main->body());
    return main->paramInfo(unsigned(params.size() - 1)).stableId;
  };
  uint64_t id =
      idOf("func @main(%x: f32[2], %w: param(7) f32[2]) { %a = tensor.exp(%w)  %b = tensor.add(%a, %x)  return %b }");
  // Other names, other arguments, other ops around, another place: the same id.
  CHECK(id == idOf(R"(func @main(%p: param(3) f32[2], %q: param(7) f32[2], %x: f32[9, 2], %y: f32[2]) {
    %u = tensor.neg(%x)  %odd = tensor.exp(%q)  %b = tensor.mul(%u, %odd)  return %b })"));
  // Another id, type, op or attribute: another one.
  CHECK(
      id !=
      idOf("func @main(%x: f32[2], %w: param(8) f32[2]) { %a = tensor.exp(%w)  %b = tensor.add(%a, %x)  return %b }"));
  CHECK(
      id !=
      idOf("func @main(%x: f32[3], %w: param(7) f32[3]) { %a = tensor.exp(%w)  %b = tensor.add(%a, %x)  return %b }"));
  CHECK(
      id !=
      idOf("func @main(%x: f32[2], %w: param(7) f32[2]) { %a = tensor.log(%w)  %b = tensor.add(%a, %x)  return %b }"));
  uint64_t axis0 = idOf("func @main(%x: f32[2], %w: param(7) f32[2, 2]) { %a = tensor.reduce_sum(%w) {axes = [0]}  %b "
                        "= tensor.add(%a, %x)  return %b }");
  CHECK(axis0 != idOf("func @main(%x: f32[2], %w: param(7) f32[2, 2]) { %a = tensor.reduce_sum(%w) {axes = [1]}  %b = "
                      "tensor.add(%a, %x)  return %b }"));
}

TEST_CASE_FIXTURE(ParamsFixture, "a parameter without an id gets one from its name") {
  auto idOf = [&](const char *text) {
    read(text);
    REQUIRE(hoist().derived == 1);
    return main->paramInfo(0).stableId;
  };
  uint64_t w =
      idOf("func @main(%w: param f32[2], %x: f32[2]) { %a = tensor.exp(%w)  %b = tensor.add(%a, %x)  return %b }");
  CHECK(w != 0);
  CHECK(w ==
        idOf("func @main(%w: param f32[2], %y: f32[2]) { %a = tensor.neg(%w)  %b = tensor.add(%a, %y)  return %b }"));
  CHECK(w !=
        idOf("func @main(%v: param f32[2], %x: f32[2]) { %a = tensor.exp(%v)  %b = tensor.add(%a, %x)  return %b }"));
  CHECK(idOf("func @main(%0: param f32[2], %x: f32[2]) { %a = tensor.exp(%0)  %b = tensor.add(%a, %x)  return %b }") !=
        w);
}

TEST_CASE_FIXTURE(ParamsFixture, "derived parameters are derived from") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2], %d: param(8) f32[2] = [@one, 0]) {
    %a = tensor.neg(%d)
    %b = tensor.add(%a, %x)
    return %b
  }
  func @one(%w: param(7) f32[2]) { %e = tensor.exp(%w)  return %e })");
  CHECK(hoist().derived == 1);
  InterpreterEvaluator evaluator;
  ParamStore store(*program, evaluator);
  store.set(7, f32(program->context(), {2}, {0, 0}));
  Result<AttrId> value = store.value(*main, 3);
  REQUIRE_MESSAGE(value, value.error());
  CHECK(Tensor::fromAttr(program->context(), *value)->data<float>()[1] == -1);
  CHECK(store.evaluations() == 2);
}

TEST_CASE_FIXTURE(ParamsFixture, "defaults of parameters are values until others are set") {
  read(R"(func @main(%x: f32[2], %w: param(7) f32[2] = dense<f32[2]: [1, 2]>) {
    %a = tensor.neg(%w)
    %b = tensor.add(%a, %x)
    return %b
  })");
  CHECK(hoist().derived == 1);
  InterpreterEvaluator evaluator;
  ParamStore store(*program, evaluator);
  auto second = [&] { return Tensor::fromAttr(program->context(), *store.value(*main, 2))->data<float>()[1]; };
  CHECK(second() == -2);
  store.set(7, f32(program->context(), {2}, {5, 6}));
  CHECK(second() == -6);
}

TEST_CASE_FIXTURE(ParamsFixture, "derivations that cannot be are refused") {
  auto with = [](std::string derivation, std::string more) {
    return "func @main(%w: param(7) f32[2], %d: param(8) f32[2] = " + derivation + ") { return %d }\n" + more;
  };
  refuses(with("[@none, 0]", ""), "parameter 1 is derived by @none, which is not there");
  refuses(with("[@f, 1]", "func @f(%w: param(7) f32[2]) { return %w }"),
          "parameter 1 is derived by result 1 of @f, which has no such result");
  refuses(with("[@f, 0]", "func @f(%w: param(7) f32[3]) { return %w }"),
          "parameter 1 is derived by @f as f32[3], but is f32[2]");
  refuses(with("[@f, 0]", "func @f(%w: param(9) f32[2]) { return %w }"),
          "whose parameter 0 is none of the model parameters of @main");
  refuses(with("[@f, 0]", "func @f(%w: f32[2]) { return %w }"),
          "whose parameter 0 is none of the model parameters of @main");
  refuses(with("[@f, 0]", "func @f(%d: param(8) f32[2]) { return %d }"),
          "parameter 1 is derived by @f, which needs it");
  refuses(R"(func @main(%a: param(7) f32[2] = [@f, 0], %b: param(8) f32[2] = [@g, 0]) { return %a }
    func @f(%b: param(8) f32[2]) { return %b }
    func @g(%a: param(7) f32[2]) { return %a })",
          "parameter 1 is derived by @g, which needs it");
}

TEST_CASE_FIXTURE(ParamsFixture, "the store gives reasons, also where nothing was verified") {
  InterpreterEvaluator evaluator;
  auto reason = [&](const char *text, unsigned index) {
    program = parseProgram(sources.addText("test.rwir", text), sources, diags, rw::test::builtins().ops);
    REQUIRE(program);
    ParamStore store(*program, evaluator);
    Result<AttrId> value = store.value(*program->function("main"), index);
    REQUIRE_FALSE(value);
    return value.error();
  };
  CHECK(reason("func @main(%d: param(8) f32[2] = [@none, 0]) { return %d }", 0) ==
        "parameter 0 of @main is derived by @none, which is not there");
  CHECK(reason("func @main(%d: param(8) f32[2] = [@f, 0]) { return %d } func @f(%d: param(8) f32[2]) { return %d }",
               0) == "@f derives its own parameters");
  CHECK(reason("func @main(%d: param(8) f32[2] = [@f, 0]) { return %d } func @f(%d: param(9) f32[2]) { return %d }",
               0) == "parameter 0 of @f is no parameter of @main");
  CHECK(reason("func @main(%d: param(8) f32[2] = [@f, 3]) { return %d } func @f() { %c = tensor.constant() {value = "
               "dense<f32[2]: 0>}  return %c }",
               0) == "parameter 0 of @main is result 3 of @f, which has 1");
  CHECK(
      reason("func @main(%d: param(8) f32[2] = [@f, 0]) { return %d } func @f() { %c = foo.bar() : f32[2]  return %c }",
             0)
          .find("@f: foo.bar: ") == 0);
}

} // namespace
