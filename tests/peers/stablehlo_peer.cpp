// stablehlo_peer OUT_DIR PROGRAM.mlir...: programs of StableHLO with values, converted to ONNX, evaluated, and left for
// another engine.
//
// Beside a PROGRAM.mlir may stand PROGRAM.json: {"inputs", "expected": [{"type": "tensor<2x3xf32>", "hex"}], "checks"},
// elements as little-endian bytes. What the checks allow: expect_close 3 units in the last place, expect_almost_eq
// 1e-3, others nothing.
//
// Where it says "inputs" alone, what the program computes on them before it is converted is expected, to 32 units in
// the last place or 1e-5, or to the "ulps" and "tolerance" that it says. Without it inputs are drawn.
//
// Prints a line for each program, `name<TAB>equal|differs|refused|fails<TAB>why`, and leaves NAME.onnx and NAME.json:
// {"name", "inputs", "outputs": [{"dtype", "dims", "hex"}], "ulps", "tolerance"}. Each program has a process of its
// own, so that a crash is a line like any other.
#include "rw/builtin.h"
#include "rw/interp/evaluate.h"
#include "rw/interp/random_inputs.h"
#include "rw/onnx/from_program.h"
#include "rw/optimize/optimize.h"
#include "rw/passes/conversion.h"
#include "rw/stablehlo/stablehlo.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace rw;
using nlohmann::json;

namespace {

std::string read(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string hexOf(const Tensor &t) {
  std::string out;
  char two[3];
  for (size_t i = 0; i < t.byteSize(); ++i)
    snprintf(two, sizeof two, "%02x", unsigned(t.data<uint8_t>()[i])), out += two;
  return out;
}

/// "tensor<2x3xf32>" and its bytes.
Tensor tensorOf(const json &value) {
  std::string type = value.at("type"), hex = value.at("hex");
  type = type.substr(7, type.size() - 8);
  Shape shape;
  for (size_t x; (x = type.find('x')) != type.npos; type = type.substr(x + 1))
    shape.push_back(std::stoll(type.substr(0, x)));
  static const std::map<std::string, DType> kTypes = {
      {"i1", DType::Bool}, {"i8", DType::I8},     {"i16", DType::I16},  {"i32", DType::I32},  {"i64", DType::I64},
      {"ui8", DType::U8},  {"ui16", DType::U16},  {"ui32", DType::U32}, {"ui64", DType::U64}, {"f16", DType::F16},
      {"f32", DType::F32}, {"bf16", DType::BF16}, {"f64", DType::F64}};
  Tensor t = *Tensor::make(kTypes.at(type), shape);
  for (size_t i = 0; i < t.byteSize(); ++i)
    t.mutableData<uint8_t>()[i] = uint8_t(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  return t;
}

json jsonOf(const Tensor &t) {
  return {{"dtype", std::string(dtypeName(t.dtype()))}, {"dims", t.shape()}, {"hex", hexOf(t)}};
}

/// How far apart two floats of 32 or 64 bits are, counted in floats between them.
template <class Float, class Bits> uint64_t distance(Float a, Float b) {
  auto place = [](Float f) {
    Bits bits = std::bit_cast<Bits>(f);
    return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
  };
  Bits x = place(a), y = place(b);
  return x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
}

/// Empty if they agree.
std::string difference(const Tensor &seen, const Tensor &wanted, unsigned ulps, double tolerance) {
  if (seen.dtype() != wanted.dtype() || seen.shape() != wanted.shape())
    return std::string(dtypeName(seen.dtype())) + shapeText(seen.shape()) + " instead of " +
           std::string(dtypeName(wanted.dtype())) + shapeText(wanted.shape());
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!isFloat(seen.dtype())) {
      if (seen.intAt(i) != wanted.intAt(i))
        return "[" + std::to_string(i) + "]: " + std::to_string(seen.intAt(i)) + " instead of " +
               std::to_string(wanted.intAt(i));
      continue;
    }
    double a = seen.floatAt(i), b = wanted.floatAt(i);
    bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance;
    if (!same && ulps)
      same = seen.dtype() == DType::F64 ? distance<double, int64_t>(a, b) <= ulps
                                        : distance<float, int32_t>(float(a), float(b)) <= ulps;
    if (!same)
      return "[" + std::to_string(i) + "]: " + std::to_string(a) + " instead of " + std::to_string(b);
  }
  return {};
}

std::string firstLine(std::string text) {
  for (char &c : text)
    if (c == '\t')
      c = ' ';
  return text.substr(0, text.find('\n'));
}

/// The first line says what is wrong; of notes those that say why patterns do not match follow.
std::string reasons(const std::string &text) {
  std::string out = firstLine(text);
  for (size_t at = 0; (at = text.find("note: ", at)) != text.npos; at += 6)
    out += " | " + firstLine(text.substr(at + 6));
  return out;
}

std::string run(const std::string &path, const std::string &base) {
  Registry registry;
  registerAll(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  std::unique_ptr<Program> program =
      stablehlo::parseProgram(sources.addText(path, read(path)), sources, diags, registry.ops);
  if (!program)
    return "unread\t" + reasons(diags.renderText());
  if (program->functions().size() == 1)
    program->functions().front().setName("main");
  std::vector<Tensor> inputs, expected;
  unsigned ulps = 32;
  double tolerance = 1e-5;
  json values = json::object();
  if (std::string stated = read(path.substr(0, path.size() - 4) + "json"); !stated.empty())
    values = json::parse(stated);
  Function *main = program->function("main");
  if (!main)
    return "unread\tthere is no @main";
  for (const json &v : values.value("inputs", json::array()))
    inputs.push_back(tensorOf(v));
  if (!values.contains("inputs"))
    inputs = randomInputs(*main, 1);
  if (values.contains("expected")) {
    for (const json &v : values.at("expected"))
      expected.push_back(tensorOf(v));
    std::string check = values.at("checks").empty() ? "" : std::string(values.at("checks")[0]);
    ulps = check == "expect_close" ? 3 : 0;
    tolerance = check == "expect_almost_eq" ? 1e-3 : 0;
  } else {
    EvalResult before = evaluate(*main, inputs, {.program = program.get()});
    if (!before.ok)
      return "unread\tis not evaluated: " + before.opName + ": " + firstLine(before.error);
    expected = before.values;
    ulps = values.value("ulps", ulps);
    tolerance = values.value("tolerance", tolerance);
  }
  std::string passes;
  for (const PassEntry *conversion : conversionsTo(registry, *program, "onnx", "stablehlo"))
    passes += registry.shownName(*conversion) + ",";
  if (!optimizeProgram(*program, registry, {.pipeline = passes + "onnx"}, diags, 0, "none", path))
    return "refused\t" + reasons(diags.renderText());
  std::optional<OnnxModel> model = onnxFromProgram(*program, registry.ops, diags);
  if (!model || !exportOnnx(*model, base + ".onnx", diags))
    return "refused\t" + reasons(diags.renderText());
  EvalResult r = evaluate(model->main(), inputs, {.opset = int(model->opsetVersion())});
  if (!r.ok)
    return "fails\t" + r.opName + ": " + firstLine(r.error);
  json left{
      {"name", path}, {"inputs", json::array()}, {"outputs", json::array()}, {"ulps", ulps}, {"tolerance", tolerance}};
  for (const Tensor &t : inputs)
    left["inputs"].push_back(jsonOf(t));
  for (const Tensor &t : expected)
    left["outputs"].push_back(jsonOf(t));
  std::ofstream(base + ".json") << left;
  if (r.values.size() != expected.size())
    return "differs\t" + std::to_string(r.values.size()) + " results instead of " + std::to_string(expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::string d = difference(r.values[i], expected[i], ulps, tolerance); !d.empty())
      return "differs\tresult " + std::to_string(i) + " " + d;
  return "equal\toperator set " + std::to_string(model->opsetVersion());
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return fprintf(stderr, "usage: stablehlo_peer OUT_DIR PROGRAM.mlir...\n"), 2;
  for (int i = 2; i < argc; ++i) {
    std::string path = argv[i], name = path.substr(path.rfind('/') + 1);
    name = name.substr(0, name.rfind('.'));
    printf("%s\t", name.c_str());
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      std::string line = run(path, argv[1] + ("/" + name));
      printf("%s\n", line.c_str());
      fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0)
      printf("crash\tstatus %d\n", status);
  }
  return 0;
}
