// Any float of 32 bits is the same attribute wherever it comes from: the bytes of an ONNX model, text, a pattern's
// literal, a condition, a default. What matches does not change when a model is written and read again.
#include "rw/infer/infer_shapes.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/load/load_patterns.h"
#include "rw/onnx/onnx.h"
#include "rw/passes/pass_manager.h"
#include "rw/support/numbers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <bit>
#include <cmath>
#include <random>

using namespace rw;

namespace {
constexpr std::string_view kPasses[] = {"literal", "list", "equal", "list_equal", "ordered", "by_default"};

/// Floats of all sizes, and what people write.
std::vector<float> someFloats() {
  std::vector<float> out = {0.1f,      0.2f,       0.7f,        0.01f, 0.9f,  1e-5f,    1e-12f,         0.16666667f,
                            0.044715f, 0.7978846f, 1.67326319f, 0.0f,  -0.0f, 1.4e-45f, -3.4028235e38f, 16777216.0f};
  std::mt19937 random(16);
  while (out.size() < 60) {
    float f = std::bit_cast<float>(uint32_t(random()));
    if (std::isfinite(f))
      out.push_back(f);
  }
  return out;
}

std::string patternsFor(const std::vector<float> &floats) {
  std::string text =
      "dialect p \"com.test.p\";\n"
      "op o(x: tensor) -> tensor { attr id: int; attr alpha: float; attr fs: [float]; traits pure; type x.type; }\n";
  for (size_t i = 0; i < floats.size(); ++i) {
    std::string f = printNumber(floats[i]);
    text += fmt::format(
        "op d{0}(x: tensor) -> tensor {{ attr alpha: float = {1}; traits pure; type x.type; }}\n"
        "pattern Literal{0} label \"literal\" {{ o(x, id = {0}, alpha = {1}, fs = _) => x }}\n"
        "pattern List{0} label \"list\" {{ o(x, id = {0}, alpha = _, fs = [{1}, 0.1]) => x }}\n"
        "pattern Equal{0} label \"equal\" {{ o(x, id = {0}, alpha = a, fs = _) where a == {1}, not a != {1} => x }}\n"
        "pattern ListEqual{0} label \"list_equal\" {{ o(x, id = {0}, alpha = _, fs = fs) where fs == [{1}, 0.1], "
        "contains(fs, {1}) => x }}\n"
        "pattern Ordered{0} label \"ordered\" {{ o(x, id = {0}, alpha = a, fs = _) where a <= {1}, a >= {1}, not a < "
        "{1}, not a > {1} => x }}\n"
        "pattern Default{0} label \"by_default\" {{ d{0}(x) => x }}\n",
        i, f);
  }
  for (std::string_view pass : kPasses)
    text += fmt::format("pass {0} = label \"{0}\";\n", pass);
  return text;
}

struct Loaded {
  SourceManager sources;
  Diagnostics diags{sources};
  Registry registry;

  explicit Loaded(const std::vector<float> &floats) {
    registerCorePasses(registry);
    registerInferencePasses(registry);
    auto names = loadPatterns({{"p.rw", patternsFor(floats)}}, {}, sources, registry, diags);
    REQUIRE_MESSAGE(names, diags.renderText());
  }

  /// How many ops a pass leaves in a copy of the program.
  size_t leaves(const Program &program, std::string_view pass) {
    Program copy = program.clone();
    PassManager manager(registry);
    REQUIRE_MESSAGE(manager.parse(pass, sources, diags), diags.renderText());
    manager.run(copy, {});
    size_t count = 0;
    const std::string text = printProgram(copy);
    for (const char *kind : {"p.o(", "p.d"})
      for (size_t at = 0; (at = text.find(kind, at)) != text.npos; ++at)
        ++count;
    return count;
  }
};

onnx::ModelProto modelOf(const std::vector<float> &floats, float (*change)(float)) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  auto import = [&](const char *domain, int version) {
    onnx::OperatorSetIdProto &set = *model.add_opset_import();
    set.set_domain(domain);
    set.set_version(version);
  };
  import("", 17);
  import("com.test.p", 1);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("g");
  auto value = [&](onnx::ValueInfoProto &v, const std::string &name) {
    v.set_name(name);
    v.mutable_type()->mutable_tensor_type()->set_elem_type(1);
    v.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(2);
  };
  value(*graph.add_input(), "x");
  for (size_t i = 0; i < floats.size(); ++i)
    for (bool byDefault : {false, true}) {
      std::string name = fmt::format("{}{}", byDefault ? "d" : "o", i);
      onnx::NodeProto &node = *graph.add_node();
      node.set_domain("com.test.p");
      node.set_op_type(byDefault ? name : "o");
      node.add_input("x");
      node.add_output(name);
      value(*graph.add_output(), name);
      auto attribute = [&](const char *what, onnx::AttributeProto::AttributeType type) -> onnx::AttributeProto & {
        onnx::AttributeProto &a = *node.add_attribute();
        a.set_name(what);
        a.set_type(type);
        return a;
      };
      attribute("alpha", onnx::AttributeProto::FLOAT).set_f(change(floats[i]));
      if (byDefault)
        continue;
      attribute("id", onnx::AttributeProto::INT).set_i(int64_t(i));
      onnx::AttributeProto &list = attribute("fs", onnx::AttributeProto::FLOATS);
      list.add_floats(change(floats[i]));
      list.add_floats(0.1f);
    }
  return model;
}

OnnxModel imported(Loaded &loaded, const std::string &bytes) {
  std::optional<OnnxModel> model = importOnnxBytes(bytes, "m.onnx", loaded.registry.ops, loaded.diags);
  REQUIRE_MESSAGE(model, loaded.diags.renderText());
  return std::move(*model);
}
} // namespace

TEST_CASE("a float is one attribute, from a model, from text and in patterns") {
  const std::vector<float> floats = someFloats();
  Loaded loaded(floats);
  const size_t all = 2 * floats.size(), half = floats.size();
  auto checkAll = [&](const Program &program) {
    for (std::string_view pass : kPasses) {
      CAPTURE(pass);
      // The zeros are different literals, and the same by value; each default matches its own.
      CHECK(loaded.leaves(program, pass) == all - half);
    }
  };
  OnnxModel model = imported(loaded, modelOf(floats, [](float f) { return f; }).SerializeAsString());
  checkAll(model.program);

  std::string bytes; // written and read again
  REQUIRE(exportOnnxBytes(model, bytes, loaded.diags));
  OnnxModel again = imported(loaded, bytes);
  checkAll(again.program);

  std::string text = printProgram(model.program); // as text and read again
  FileId file = loaded.sources.addText("m.rwir", text);
  std::unique_ptr<Program> parsed = parseProgram(file, loaded.sources, loaded.diags, loaded.registry.ops);
  REQUIRE_MESSAGE(parsed, loaded.diags.renderText());
  checkAll(*parsed);
  CHECK(printProgram(*parsed) == text);
}

TEST_CASE("the next float is another attribute") {
  const std::vector<float> floats = someFloats();
  Loaded loaded(floats);
  OnnxModel model =
      imported(loaded, modelOf(floats, [](float f) { return std::nextafter(f, 1.0f); }).SerializeAsString());
  for (std::string_view pass : kPasses) {
    CAPTURE(pass);
    CHECK(loaded.leaves(model.program, pass) == 2 * floats.size());
  }
}

TEST_CASE("numbers are printed as they are read") {
  std::mt19937 random(4);
  for (int i = 0; i < 200'000; ++i) {
    float f = std::bit_cast<float>(uint32_t(random()));
    if (!std::isfinite(f))
      continue;
    std::string text = printNumber(f);
    double read = parseDouble(text).value;
    CHECK(std::bit_cast<uint32_t>(float(read)) == std::bit_cast<uint32_t>(f));
  }
  CHECK(printNumber(0.2f) == "0.2");
  CHECK(printNumber(0.2) == "0.2");
  CHECK(printNumber(0.1 + 0.2) == "0.30000000000000004");
}
