// Random programs of branches, loops, scans, calls, draws and checks through the built-in pipelines.
//
// Oracles: the program verifies after each pass, so that branches, carried values and counts stay consistent; the
//          evaluator
// agrees before and after, bit for bit, draws included; no draw, check or call is gained, lost or merged; a second run
// changes nothing; result types stay.
#include "../support/builtin_passes.h"
#include "rw/interp/compare.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <doctest/doctest.h>
#include <map>
#include <random>

using namespace rw;
using test::runPipeline;

namespace {

/// Text of a program whose values are f32[2, 3] (kind 0) or f32[3, 2] (kind 1).
class RegionPrograms {
public:
  explicit RegionPrograms(uint64_t seed) : random_(seed) {
    text_ = "func @helper(%a: f32[2, 3]) -> f32[2, 3] {\n  %h = tensor.exp(%a)\n  %d = tensor.dropout(%h) {rate = "
            "0.25}\n  return %d\n}\n"
            "func @main(%x: f32[2, 3], %y: f32[2, 3], %p: bool[], %n: i32[]) -> (f32[2, 3], f32[2, 3], f32[2, 3]) {\n";
    scope_ = {{"%x", 0}, {"%y", 0}};
    ops(8, 0);
    text_ += "  return " + any(0) + ", " + any(0) + ", " + any(0) + "\n}\n";
  }
  const std::string &text() const { return text_; }

private:
  struct Named {
    std::string name;
    int kind;
  };
  static std::string typeOf(int kind) { return kind ? "f32[3, 2]" : "f32[2, 3]"; }
  std::string fresh() { return "%v" + std::to_string(next_++); }
  std::string any(int kind) {
    std::vector<std::string> fits;
    for (const Named &n : scope_)
      if (n.kind == kind)
        fits.push_back(n.name);
    return fits.empty() ? "" : fits[random_() % fits.size()];
  }
  void line(const std::string &text) { text_ += "  " + text + "\n"; }
  std::string define(const std::string &op, int kind) {
    std::string name = fresh();
    line(name + " = tensor." + op);
    scope_.push_back({name, kind});
    return name;
  }

  void ops(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) {
      int kind = any(1).empty() ? 0 : int(random_() % 2);
      std::string v = any(kind);
      switch (random_() % (depth < 2 ? 14 : 9)) {
      case 0:
      case 1:
      case 2:
        define("transpose(" + v + ") {perm = [1, 0]}", 1 - kind);
        break;
      case 3:
        define("exp(" + v + ")", kind);
        break;
      case 4:
        define("neg(" + v + ")", kind);
        break;
      case 5:
        define("add(" + v + ", " + any(kind) + ")", kind);
        break;
      case 6:
        define("rng_uniform() {shape = " + std::string(kind ? "[3, 2]" : "[2, 3]") + ", dtype = f32}", kind);
        break;
      case 7:
        define("constant() {value = dense<" + typeOf(kind) + ": " + std::to_string(random_() % 3) + ">}", kind);
        break;
      case 8: {
        std::string c = fresh();
        line(c + " = tensor.compare(" + v + ", " + v + ") {direction = \"le\"}");
        if (random_() % 4 == 0)
          line("tensor.assert(%p) {message = \"p\"}");
        break;
      }
      case 9:
        define("call(" + any(0) + ") {callee = @helper} : f32[2, 3]", 0);
        break;
      case 10:
      case 11:
        branch(depth);
        break;
      case 12:
        loop(depth);
        break;
      default:
        scan(depth);
      }
    }
  }
  /// A region: what it defines is not seen outside.
  void region(const std::string &head, const std::vector<Named> &params, unsigned depth,
              const std::vector<int> &kinds) {
    size_t mark = scope_.size();
    text_ += " " + head + " {\n";
    scope_.insert(scope_.end(), params.begin(), params.end());
    ops(1 + unsigned(random_() % 4), depth + 1);
    std::string results;
    for (int kind : kinds) {
      if (any(kind).empty())
        define("constant() {value = dense<" + typeOf(kind) + ": 1>}", kind);
      results += (results.empty() ? "" : ", ") + any(kind);
    }
    text_ += "  return " + results + "\n  }";
    scope_.resize(mark);
  }
  void branch(unsigned depth) {
    std::string a = fresh(), b = fresh();
    text_ += "  " + a + ", " + b + " = tensor.cond(%p) : f32[2, 3], f32[3, 2]";
    region("on_true", {}, depth, {0, 1});
    region("on_false", {}, depth, {0, 1});
    text_ += "\n";
    scope_.push_back({a, 0});
    scope_.push_back({b, 1});
  }
  void loop(unsigned depth) {
    std::string a = fresh(), i = fresh(), pa = fresh(), pi = fresh(), qa = fresh(), qi = fresh(), c = fresh(),
                zero = fresh(), one = fresh(), next = fresh();
    std::string params = "(" + pa + ": f32[2, 3], " + pi + ": i32[])",
                other = "(" + qa + ": f32[2, 3], " + qi + ": i32[])";
    text_ += "  " + a + ", " + i + " = tensor.while(" + any(0) + ", %n) : f32[2, 3], i32[] cond" + other + " {\n";
    line(zero + " = tensor.constant() {value = dense<i32[]: 0>}");
    line(c + " = tensor.compare(" + qi + ", " + zero + ") {direction = \"gt\"}");
    text_ += "  return " + c + "\n  } body" + params + " {\n";
    size_t mark = scope_.size();
    scope_.push_back({pa, 0});
    ops(1 + unsigned(random_() % 3), depth + 1);
    line(one + " = tensor.constant() {value = dense<i32[]: 1>}");
    line(next + " = tensor.sub(" + pi + ", " + one + ")");
    text_ += "  return " + any(0) + ", " + next + "\n  }\n";
    scope_.resize(mark);
    scope_.push_back({a, 0});
  }
  void scan(unsigned depth) {
    std::string s = fresh(), t = fresh(), carried = fresh(), slice = fresh(), sum = fresh();
    text_ += "  " + s + ", " + t + " = tensor.scan(" + any(0) + ", " + any(0) + ") {carries = 1" +
             (random_() % 2 ? ", reverse = true" : "") + "} : f32[2, 3], f32[2, 3] body(" + carried + ": f32[2, 3], " +
             slice + ": f32[3]) {\n";
    size_t mark = scope_.size();
    scope_.push_back({carried, 0});
    ops(unsigned(random_() % 3), depth + 1);
    std::string wide = define("add(" + any(0) + ", " + slice + ")", 0);
    line(sum + " = tensor.reduce_sum(" + wide + ") {axes = [0]}");
    text_ += "  return " + wide + ", " + sum + "\n  }\n";
    scope_.resize(mark);
    scope_.push_back({s, 0});
    scope_.push_back({t, 0});
  }

  std::mt19937_64 random_;
  std::string text_;
  std::vector<Named> scope_;
  unsigned next_ = 0;
};

/// How many ops with effects there are, by name.
std::map<std::string, unsigned> effects(Program &program) {
  std::map<std::string, unsigned> out;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (Op op = fn.op(OpId(i)); !op.isErased() && !op.schema().isPure() && op.kind() != kReturnKind)
        ++out[std::string(op.fullName())];
  return out;
}

bool run(Program &program, const char *pipeline) {
  PassManagerResult result = runPipeline(program, pipeline);
  REQUIRE_FALSE(result.failed);
  return result.changed;
}

} // namespace

TEST_CASE("branches, loops, scans, calls and draws stay consistent through every pipeline") {
  unsigned changed = 0, evaluated = 0;
  for (const char *pipeline : {"canonicalize", "cse", "dce", "layout", "repeat(3){layout,canonicalize,cse,dce}"})
    for (uint64_t seed = 0; seed < 120; ++seed) {
      CAPTURE(pipeline);
      RegionPrograms generated(seed);
      CAPTURE(generated.text());
      SourceManager sources;
      Diagnostics diags(sources);
      std::unique_ptr<Program> program =
          parseProgram(sources.addText("random.rwir", generated.text()), sources, diags, test::builtins().ops);
      INFO(diags.renderText());
      REQUIRE(program);
      REQUIRE(verifyProgram(*program, diags));
      Program before = program->clone();
      changed += run(*program, pipeline);
      REQUIRE(verifyProgram(*program, diags));
      CHECK(effects(*program) == effects(before));
      Function &was = *before.function("main"), &is = *program->function("main");
      Op a = was.terminator(was.body()), b = is.terminator(is.body());
      REQUIRE(a.operandCount() == b.operandCount());
      for (unsigned k = 0; k < a.operandCount(); ++k)
        CHECK(a.operand(k).typeId() == b.operand(k).typeId());
      // Half of the inputs do not satisfy the checks: then both sides must refuse.
      for (unsigned round = 0; round < 3; ++round) {
        std::vector<Tensor> inputs = randomInputs(was, seed + 1, round);
        EvalResult x = evaluate(was, inputs, {.program = &before}),
                   y = evaluate(is, inputs, {.program = program.get()});
        REQUIRE(x.ok == y.ok);
        CHECK(x.error == y.error);
        double largest = 0;
        for (size_t k = 0; k < x.values.size(); ++k)
          CHECK(differenceOf(x.values[k], y.values[k], 0, largest) == "");
        evaluated += x.ok;
      }
      std::string once = printProgram(*program);
      CHECK_FALSE(run(*program, pipeline));
      CHECK(printProgram(*program) == once);
    }
  CHECK(changed > 300);
  CHECK(evaluated > 600);
}
