// onnx_peer OUT_DIR [SEEDS]: programs, each as an ONNX model with random inputs and the outputs of the reference
// evaluator, for another engine to run. Of the tensor dialect one program per op that maps, and random ones of many
// ops; of ops that mean something (meanings.rw) some whose models have functions.
//
// NNNN.onnx, and NNNN.json: {"name", "inputs": [{"dtype", "dims", "data"}], "outputs": […]}, numbers as text.
#include "rw/interp/compare.h"
#include "rw/interp/element.h"
#include "rw/ir/parser.h"
#include "rw/load/load_patterns.h"
#include "rw/onnx/from_program.h"
#include "rw/passes/pass.h"
#include "rw/support/numbers.h"
#include "rw_builtin_register.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

using namespace rw;

namespace {

struct Case {
  std::string name, params, body, result; // `body` defines %r
};

std::vector<Case> singleOps() {
  std::vector<Case> out;
  auto add = [&](std::string name, std::string params, std::string body, std::string result) {
    out.push_back({name, params, "  %r = tensor." + body + "\n", result});
  };
  for (const char *op : {"neg", "abs", "sign", "floor", "ceil", "round", "exp", "tanh", "sigmoid", "relu", "erf", "sin",
                         "cos", "gelu", "swish", "expm1", "identity", "stop_gradient"})
    add(op, "%x: f32[3, 4]", std::string(op) + "(%x)", "f32[3, 4]");
  for (const char *op : {"log", "sqrt", "rsqrt", "log1p"}) // of what is positive
    out.push_back(
        {op, "%x: f32[3, 4]", "  %e = tensor.exp(%x)\n  %r = tensor." + std::string(op) + "(%e)\n", "f32[3, 4]"});
  for (const char *type : {"f32", "i32", "i64"})
    for (const char *op : {"add", "sub", "mul", "max", "min"}) {
      std::string t = type;
      add(op + ("_" + t), "%x: " + t + "[3, 4], %y: " + t + "[4]", std::string(op) + "(%x, %y)", t + "[3, 4]");
    }
  add("div", "%x: f32[3, 4], %y: f32[3, 1]", "div(%x, %y)", "f32[3, 4]");
  add("rem", "%x: f32[3, 4], %y: f32[3, 1]", "rem(%x, %y)", "f32[3, 4]");
  out.push_back(
      {"pow", "%x: f32[3, 4], %y: f32[4]", "  %e = tensor.exp(%x)\n  %r = tensor.pow(%e, %y)\n", "f32[3, 4]"});
  for (const char *op : {"and", "or", "xor"})
    add(op, "%x: bool[2, 3], %y: bool[3]", std::string(op) + "(%x, %y)", "bool[2, 3]");
  add("not", "%x: bool[4]", "not(%x)", "bool[4]");
  for (const char *d : {"eq", "ne", "lt", "le", "gt", "ge"})
    add("compare_" + std::string(d), "%x: i32[3, 4], %y: i32[4]",
        "compare(%x, %y) {direction = \"" + std::string(d) + "\"}", "bool[3, 4]");
  add("select", "%p: bool[3, 1], %x: f32[3, 4], %y: f32[]", "select(%p, %x, %y)", "f32[3, 4]");
  add("clamp", "%x: f32[3, 4], %l: f32[], %h: f32[4]", "clamp(%x, %l, %h)", "f32[3, 4]");
  for (const char *to : {"f64", "i32", "i64", "u8", "bool"})
    add("cast_i_" + std::string(to), "%x: i32[5]", "cast(%x) {dtype = " + std::string(to) + "}",
        std::string(to) + "[5]");
  add("cast_f", "%x: f64[5]", "cast(%x) {dtype = f32}", "f32[5]");
  add("transpose", "%x: f32[2, 3, 4]", "transpose(%x) {perm = [2, 0, 1]}", "f32[4, 2, 3]");
  add("reshape", "%x: f32[2, 6]", "reshape(%x) {shape = [3, 4]}", "f32[3, 4]");
  add("broadcast", "%x: f32[3, 1]", "broadcast(%x) {shape = [2, 3, 4]}", "f32[2, 3, 4]");
  add("slice", "%x: f32[5, 6]", "slice(%x) {start = [1, 0], limit = [5, 6], stride = [2, 3]}", "f32[2, 2]");
  add("reverse", "%x: f32[3, 4]", "reverse(%x) {axes = [1, 0]}", "f32[3, 4]");
  add("concat", "%x: f32[2, 3], %y: f32[2, 1]", "concat(%x, %y) {axis = 1}", "f32[2, 4]");
  add("pad", "%x: f32[2, 3], %v: f32[1]", "pad(%x, %v) {low = [1, 0], high = [0, 2]}", "f32[3, 5]");
  add("gather", "%x: f32[4, 5], %i: i64[2, 3]", "gather(%x, %i) {axis = 1}", "f32[4, 2, 3]");
  add("scatter", "%x: f32[4, 2], %i: i64[3], %u: f32[3, 2]", "scatter(%x, %i, %u) {reduction = \"add\"}", "f32[4, 2]");
  for (const char *op : {"sum", "max", "min", "prod", "mean"}) {
    add("reduce_" + std::string(op), "%x: f32[2, 3, 4]", "reduce_" + std::string(op) + "(%x) {axes = [0, 2]}",
        "f32[3]");
    add("reduce_keep_" + std::string(op), "%x: f32[2, 3, 4]",
        "reduce_" + std::string(op) + "(%x) {axes = [1], keepdims = true}", "f32[2, 1, 4]");
  }
  for (const char *op : {"and", "or"})
    add("reduce_" + std::string(op), "%x: bool[3, 2]", "reduce_" + std::string(op) + "(%x) {axes = [1]}", "bool[3]");
  add("reduce_argmax", "%x: f32[3, 4]", "reduce_argmax(%x) {axis = 1}", "i64[3]");
  add("cumsum", "%x: f32[3, 4]", "cumsum(%x) {axis = 1, exclusive = true, reverse = true}", "f32[3, 4]");
  add("softmax", "%x: f32[3, 4]", "softmax(%x) {axis = 0}", "f32[3, 4]");
  add("sort", "%x: f32[3, 4]", "sort(%x) {axis = 0}", "f32[3, 4]");
  add("sort_down", "%x: i64[9]", "sort(%x) {axis = 0, descending = true}", "i64[9]");
  out.push_back({"top_k", "%x: f32[3, 5]", "  %v, %r = tensor.top_k(%x) {k = 2, axis = 1}\n", "i64[3, 2]"});
  add("matmul", "%x: f32[3, 4], %y: f32[4, 5]", "dot_general(%x, %y) {lhs_contract = [1], rhs_contract = [0]}",
      "f32[3, 5]");
  add("dot_batch", "%x: f32[2, 3, 4, 5], %y: f32[5, 2, 6, 4]",
      "dot_general(%x, %y) {lhs_batch = [0], rhs_batch = [1], lhs_contract = [2, 3], rhs_contract = [3, 0]}",
      "f32[2, 3, 6]");
  add("dot_outer", "%x: f64[3], %y: f64[2]", "dot_general(%x, %y)", "f64[3, 2]");
  add("conv", "%x: f32[2, 3, 7, 6], %w: f32[4, 3, 3, 2], %b: f32[4]",
      "conv(%x, %w, %b) {strides = [2, 1], pads = [1, 0, 1, 2]}", "f32[2, 4, 4, 7]");
  add("conv_groups", "%x: f32[1, 4, 9], %w: f32[6, 2, 3]", "conv(%x, %w) {groups = 2, dilations = [2]}",
      "f32[1, 6, 5]");
  out.push_back({"constant", "%x: f32[2]",
                 "  %c = tensor.constant() {value = dense<f32[2]: [1.5, -2]>}\n  %r = tensor.add(%x, %c)\n", "f32[2]"});
  return out;
}

/// Ops whose models have functions: several bodies of one op, functions that call each other, several results, nested
/// graphs.
std::vector<Case> meanings() {
  return {
      {"means", "%x: f32[3, 4]", "  %r = peer.Gain(%x) {by = 2.5}\n", "f32[3, 4]"},
      {"means_bias", "%x: f32[3, 4], %b: f32[4]", "  %r = peer.Gain(%x, %b) {by = -1.5}\n", "f32[3, 4]"},
      {"means_forms", "%x: f32[3, 4], %b: f32[4]",
       "  %0 = peer.Gain(%x) {by = 2.0}\n  %1 = peer.Gain(%0, %b) {by = 0.5}\n  %2 = peer.Gain(%1) {by = 4.0, flag = "
       "true}\n"
       "  %r = peer.Gain(%2) {by = 2.0}\n",
       "f32[3, 4]"},
      {"means_nested", "%x: f32[3, 4]",
       "  %0 = peer.Softened(%x)\n  %1 = peer.Gain(%0) {by = 3.0}\n  %r = peer.Softened(%1)\n", "f32[3, 4]"},
      {"means_parts", "%x: f32[2, 3], %y: f32[1, 3]",
       "  %a, %b = peer.Parts(%x, %y, %x)\n  %0 = onnx.Neg(%b)\n  %r = peer.Centered(%0)\n", "f32[5, 3]"},
      {"means_if", "%x: f32[2, 3], %c: bool[]",
       "  %r = onnx.If(%c) : f32[2, 3] else_branch {\n    %1 = peer.Gain(%x) {by = 3.0}\n    return %1\n  } "
       "then_branch {\n"
       "    %2 = peer.Softened(%x)\n    return %2\n  }\n",
       "f32[2, 3]"},
  };
}

/// Twelve ops on what was computed before, all of shape [4, 4].
Case randomProgram(uint64_t seed) {
  std::mt19937_64 random(seed);
  Case c{"random " + std::to_string(seed), "%v0: f32[4, 4], %v1: f32[4, 4]", "", "f32[4, 4]"};
  unsigned made = 2;
  auto any = [&] { return "%v" + std::to_string(random() % made); };
  static constexpr const char *kUnary[] = {"neg", "abs", "tanh", "sigmoid", "relu", "erf", "sin", "cos", "gelu"};
  for (unsigned i = 0; i < 12; ++i, ++made) {
    std::string text;
    switch (random() % 10) {
    case 0:
      text = "transpose(" + any() + ") {perm = [1, 0]}";
      break;
    case 1:
      text = "softmax(" + any() + ") {axis = " + std::to_string(random() % 2) + "}";
      break;
    case 2:
      text = "dot_general(" + any() + ", " + any() + ") {lhs_contract = [" + std::to_string(random() % 2) +
             "], rhs_contract = [" + std::to_string(random() % 2) + "]}";
      break;
    case 3:
      text = "reverse(" + any() + ") {axes = [" + std::to_string(random() % 2) + "]}";
      break;
    case 4:
      text = "cumsum(" + any() + ") {axis = " + std::to_string(random() % 2) + "}";
      break;
    case 5:
      text = "max(" + any() + ", " + any() + ")";
      break;
    case 6:
      text = "add(" + any() + ", " + any() + ")";
      break;
    default:
      text = std::string(kUnary[random() % std::size(kUnary)]) + "(" + any() + ")";
    }
    c.body += "  %v" + std::to_string(made) + " = tensor." + text + "\n";
  }
  c.body += "  %r = tensor.tanh(%v" + std::to_string(made - 1) + ")\n";
  return c;
}

void writeTensor(std::ofstream &out, const Tensor &t) {
  out << "{\"dtype\": \"" << dtypeName(t.dtype()) << "\", \"dims\": " << shapeText(t.shape()) << ", \"data\": [";
  for (size_t i = 0; i < t.size(); ++i)
    out << (i ? ", " : "") << '"' << (isFloat(t.dtype()) ? printFloat(t.floatAt(i)) : std::to_string(t.intAt(i)))
        << '"';
  out << "]}";
}

int fail(const Case &c, const std::string &why) {
  fprintf(stderr, "%s: %s\n", c.name.c_str(), why.c_str());
  return 1;
}

int write(const Case &c, const std::string &base, uint64_t seed) {
  Registry registry;
  builtin::register_rw_builtin(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  if (!loadPatterns({{RW_PEER_MEANINGS}}, {.importDirs = {RW_PATTERN_SOURCES}}, sources, registry, diags))
    return fail(c, diags.renderText());
  std::string text = "func @main(" + c.params + ") -> (" + c.result + ") {\n" + c.body + "  return %r\n}\n";
  std::unique_ptr<Program> program = parseProgram(sources.addText(c.name, text), sources, diags, registry.ops);
  if (!program || diags.hasErrors())
    return fail(c, diags.renderText());
  Function &fn = *program->function("main");
  std::vector<Tensor> inputs = randomInputs(fn, seed);
  EvalResult r = evaluate(fn, inputs);
  if (!r.ok)
    return fail(c, r.opName + ": " + r.error);
  std::optional<OnnxModel> model = onnxFromProgram(*program, registry.ops, diags);
  if (!model || !exportOnnx(*model, base + ".onnx", diags))
    return fail(c, diags.renderText());
  std::ofstream json(base + ".json");
  json << "{\"name\": \"" << c.name << "\", \"inputs\": [";
  for (size_t i = 0; i < inputs.size(); ++i) {
    json << (i ? ", " : "");
    writeTensor(json, inputs[i]);
  }
  json << "], \"outputs\": [";
  writeTensor(json, r.values[0]);
  json << "]}\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return fprintf(stderr, "usage: onnx_peer OUT_DIR [SEEDS]\n"), 2;
  uint64_t seeds = argc > 2 ? strtoull(argv[2], nullptr, 10) : 50;
  std::vector<Case> cases = singleOps();
  for (Case &c : meanings())
    cases.push_back(std::move(c));
  for (uint64_t s = 1; s <= seeds; ++s)
    cases.push_back(randomProgram(s));
  int failed = 0;
  for (size_t i = 0; i < cases.size(); ++i)
    for (uint64_t round = 0; round < (i + seeds < cases.size() ? 3u : 1u); ++round) {
      char number[32];
      snprintf(number, sizeof number, "/%04zu-%d", i, int(round));
      failed += write(cases[i], argv[1] + std::string(number), 17 * i + round + 1);
    }
  printf("%zu programs, %d not written\n", cases.size(), failed);
  return failed != 0;
}
