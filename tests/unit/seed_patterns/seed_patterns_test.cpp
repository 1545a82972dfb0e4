// The patterns of the seed documents' examples, generated and by hand: the same rewrites on every program, alone and
// mixed in one set.
#include "hand_patterns.h"

#include "../support/builtin_passes.h"
#include "../support/random_program.h"
#include "rw/interp/compare.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "seed_pattern_set_register.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace rw;

namespace {

const Registry &registry() {
  static Registry r;
  static bool filled = (registerAll(r), seed::gen::register_seed_pattern_set(r), seed::registerHandPatterns(r), true);
  (void)filled;
  return r;
}

PassManagerResult run(Program &program, const char *pipeline) {
  PassManagerResult result = test::runPipeline(program, pipeline, true, registry());
  for (const PassRecord &record : result.records)
    REQUIRE_MESSAGE(!record.failed, record.message);
  return result;
}

/// How often the pattern of that name applied, by whichever implementation.
uint64_t applied(const PassManagerResult &r, std::string_view name) {
  uint64_t count = 0;
  for (const PassRecord::PatternUse &use : r.patterns)
    if (use.name == name || use.name == "Hand" + std::string(name))
      count += use.counters.applied;
  return count;
}

Program read(const std::string &text) {
  SourceManager sources;
  Diagnostics diags(sources);
  std::unique_ptr<Program> p = parseProgram(sources.addText("test.rwir", text), sources, diags, registry().ops);
  REQUIRE_MESSAGE(p, diags.renderText());
  return p->clone();
}

TEST_CASE("each fires, and all three ways give the same") {
  const std::pair<const char *, const char *> cases[] = {
      {"RemoveNoOpCast", "%0 = tensor.cast(%x) {dtype = f32}"},
      {"FuseUnaryThroughBroadcast", "%b = tensor.broadcast(%x) {shape = [4, 2, 3]}\n%0 = tensor.exp(%b)"},
      {"FoldTransposeOfTranspose",
       "%t = tensor.transpose(%x) {perm = [1, 0]}\n%0 = tensor.transpose(%t) {perm = [1, 0]}"},
      {"FoldMulByOne", "%c = tensor.constant() {value = dense<f32[]: 1>}\n%0 = tensor.mul(%x, %c)"},
      {"FoldMulByOne", "%c = tensor.constant() {value = dense<f32[1, 3]: 1>}\n%0 = tensor.mul(%c, %x)"},
      {"FoldAddOfZero",
       "%c = tensor.constant() {value = dense<i32[]: 0>}\n%i = tensor.cast(%x) {dtype = i32}\n%0 = tensor.add(%c, %i)"},
  };
  for (auto [name, body] : cases) {
    CAPTURE(body);
    std::string text = std::string("func @main(%x: f32[2, 3]) {\n") + body + "\nreturn %0 }", first;
    for (const char *pass : {"seed_generated", "seed_hand", "seed_mixed"}) {
      CAPTURE(pass);
      Program program = read(text);
      CHECK(applied(run(program, pass), name) == 1);
      if (first.empty())
        first = printProgram(program);
      CHECK(printProgram(program) == first);
    }
  }
}

TEST_CASE("none fires where a condition fails") {
  for (const char *body : {
           "%0 = tensor.cast(%x) {dtype = f64}",
           "%0 = tensor.cast(%x) {dtype = f32, note = 1}",
           "%0 = tensor.cast(%u) {dtype = f32}",
           "%b = tensor.broadcast(%x) {shape = [4, 2, 3]}\n%0 = tensor.cast(%b) {dtype = f16}",
           "%b = tensor.broadcast(%x) {shape = [4, 2, 3], note = 1}\n%0 = tensor.exp(%b)",
           "%b = tensor.broadcast(%x) {shape = [4, 2, 3]}\n%0 = tensor.add(%b, %b)",
           "%b = tensor.broadcast(%x) {shape = [4, 2, 3]}\n%0 = tensor.softmax(%b) {axis = 0}",
           "%t = tensor.transpose(%y) {perm = [1, 2, 0]}\n%0 = tensor.transpose(%t) {perm = [1, 2, 0]}",
           "%t = tensor.transpose(%x) {perm = [1, 0], note = 1}\n%0 = tensor.transpose(%t) {perm = [1, 0]}",
           "%t = tensor.transpose(%x) {perm = [1, 0]}\n%e = tensor.exp(%t)\n%0 = tensor.transpose(%e) {perm = [1, 0]}",
           "%c = tensor.constant() {value = dense<f32[]: 2>}\n%0 = tensor.mul(%x, %c)",
           "%c = tensor.constant() {value = dense<f32[4, 2, 3]: 1>}\n%0 = tensor.mul(%x, %c)",
           "%c = tensor.constant() {value = dense<f32[2]: 1>}\n%0 = tensor.mul(%q, %c)",
           "%c = tensor.constant() {value = dense<f32[]: 1>}\n%0 = tensor.mul(%x, %c) {note = 1}",
           "%c = tensor.constant() {value = dense<f32[]: 0>}\n%0 = tensor.add(%x, %c)",
           "%c = tensor.constant() {value = dense<f32[]: 0>}\n%0 = tensor.sub(%x, %c)",
       }) {
    CAPTURE(body);
    std::string text =
        std::string("func @main(%x: f32[2, 3], %y: f32[4, 4, 4], %q: f32[?], %u: ?) {\n") + body + "\nreturn %0 }";
    for (const char *pass : {"seed_generated{fold=false}", "seed_hand{fold=false}", "seed_mixed{fold=false}"}) {
      CAPTURE(pass);
      Program program = read(text);
      std::string before = printProgram(program);
      CHECK_FALSE(run(program, pass).changed);
      CHECK(printProgram(program) == before);
    }
  }
}

/// A program dense in what the five patterns look at.
Program randomProgram(uint64_t seed) {
  test::RandomPrograms random(seed);
  Program program(registry().ops);
  Context &ctx = program.context();
  Function &fn = program.addFunction("main");
  OpBuilder b(fn, fn.body());
  auto op = [&](std::string_view name) -> const OpSchema & { return ctx.ops().schema(ctx.ops().lookup(name)); };
  std::vector<Value> values{fn.addParam(ctx.tensorType(DType::F32, {Dim(2), Dim(3)})),
                            fn.addParam(ctx.tensorType(DType::I32, {Dim(2), Dim(3)})),
                            fn.addParam(ctx.tensorType(DType::F32, {ctx.dims().symbol(ctx.intern("B")), Dim(3)}))};
  for (size_t i = 0, n = 3 + random.below(20); i < n; ++i) {
    Value x = random.chance(60) ? values.back() : values[random.below(values.size())];
    DType dtype = x.type().dtype;
    switch (random.below(6)) {
    case 0:
      values.push_back(
          b.create(op("tensor.cast"), {x}, {ctx.dtypeAttr(random.chance(70) ? dtype : DType::F32)}).result());
      break;
    case 1: {
      Dims dims(x.type().dims);
      if (random.chance(50) && dims.size() < 4)
        dims = Dims{Dim(2), dims[0], dims[1]};
      if (dims.size() == 3 && x.type().dims.size() == 3)
        dims = Dims(x.type().dims);
      values.push_back(b.create(op("tensor.broadcast"), {x}, {ctx.dimsAttr({dims.data(), dims.size()})}).result());
      break;
    }
    case 2: {
      std::vector<int64_t> perm(x.type().dims.size());
      for (size_t k = 0; k < perm.size(); ++k)
        perm[k] = int64_t(k);
      std::swap(perm[random.below(perm.size())], perm[random.below(perm.size())]);
      values.push_back(b.create(op("tensor.transpose"), {x}, {ctx.intsAttr(perm)}).result());
      break;
    }
    case 3:
    case 4: {
      bool isFloat = dtype == DType::F32, one = random.chance(50);
      float f = one ? 1 : 0;
      int32_t k = one ? 1 : 0;
      TypeId type = random.chance(70) ? ctx.tensorType(dtype, {}) : ctx.tensorType(dtype, {Dim(1), Dim(3)});
      AttrId element = ctx.splatAttr(type, isFloat ? std::as_bytes(std::span(&f, 1)) : std::as_bytes(std::span(&k, 1)));
      Value c = b.createConstant("tensor", element, type);
      if (type == ctx.tensorType(dtype, {}) || x.type().dims.back() == Dim(3))
        values.push_back(b.create(op(random.chance(50) ? "tensor.mul" : "tensor.add"), {x, c}).result());
      break;
    }
    default:
      values.push_back(b.create(op(random.chance(50) ? "tensor.neg" : "tensor.abs"), {x}).result());
    }
  }
  std::vector<ValueId> results{values.back().id};
  for (size_t i = random.below(3); i > 0; --i)
    results.push_back(values[random.below(values.size())].id);
  b.createReturn(results);
  return program;
}

TEST_CASE("random programs come out the same all three ways, and compute what they did") {
  uint64_t total = 0, agreed = 0;
  const char *names[] = {"RemoveNoOpCast", "FuseUnaryThroughBroadcast", "FoldTransposeOfTranspose", "FoldMulByOne",
                         "FoldAddOfZero"};
  uint64_t each[5] = {};
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Program before = randomProgram(seed);
    std::string first;
    for (const char *pass : {"seed_generated", "seed_hand", "seed_mixed"}) {
      CAPTURE(pass);
      Program program = before.clone();
      PassManagerResult r = run(program, pass);
      if (first.empty())
        first = printProgram(program);
      CHECK(printProgram(program) == first);
      for (size_t i = 0; i < 5; ++i) {
        each[i] += applied(r, names[i]);
        total += applied(r, names[i]);
      }
      Comparison c = compareFunctions(*before.function("main"), *program.function("main"), 2, 0, seed);
      CHECK_MESSAGE(c.outcome != Comparison::Differ, c.text); // a broadcast to a symbol cannot be evaluated
      agreed += c.outcome == Comparison::Agree;
    }
  }
  CHECK(total > 600);
  CHECK(agreed > 200);
  for (size_t i = 0; i < 5; ++i) {
    CAPTURE(names[i]);
    CHECK(each[i] > 30);
  }
}

TEST_CASE("the pipeline of the fifth example") {
  Program program = read(R"(func @main(%x: f32[2, 3]) {
    %c = tensor.constant() {value = dense<f32[]: 1>}
    %0 = tensor.cast(%x) {dtype = f32}
    %1 = tensor.mul(%0, %c)
    %2 = tensor.broadcast(%1) {shape = [4, 2, 3]}
    %3 = tensor.exp(%2)
    %4 = tensor.exp(%2)
    %5 = tensor.add(%3, %4)
    return %5 })");
  run(program, "repeat(4){seed_mixed,cse,dce}");
  CHECK(printProgram(program) == R"(func @main(%x: f32[2, 3]) -> f32[4, 2, 3] {
  %0 = tensor.exp(%x) : f32[2, 3]
  %1 = tensor.broadcast(%0) {shape = [4, 2, 3]} : f32[4, 2, 3]
  %2 = tensor.add(%1, %1) : f32[4, 2, 3]
  return %2
}
)");
}

} // namespace
