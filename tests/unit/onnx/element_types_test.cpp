// Which ops stay in f32 when a program goes to f16 (rw/convert/to_f16.h), held against ONNX's own schemas.
#include "rw/convert/to_f16.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <doctest/doctest.h>

using namespace rw;

namespace {
bool allows(const onnx::OpSchema::FormalParameter &part, const char *type) {
  return std::ranges::any_of(part.GetTypes(), [&](onnx::DataType one) { return *one == type; });
}
bool isF32Alone(const onnx::OpSchema::FormalParameter &part) {
  return allows(part, "tensor(float)") && !allows(part, "tensor(float16)");
}
} // namespace

TEST_CASE("each operand and result that ONNX has in f32 and not in f16 stays, and no other op") {
  size_t seen = 0;
  std::set<std::string> stay;
  for (const onnx::OpSchema &schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty() || schema.Deprecated())
      continue;
    ++seen;
    INFO(schema.Name() << " " << schema.SinceVersion());
    for (size_t i = 0; i < schema.inputs().size(); ++i)
      if (isF32Alone(schema.inputs()[i])) {
        CHECK(keepsOperand(schema.Name(), unsigned(i)));
        stay.insert(schema.Name());
      }
    for (const onnx::OpSchema::FormalParameter &result : schema.outputs())
      if (isF32Alone(result)) {
        // whose further results are looked at
        CHECK((staysInF32(schema.Name()) || schema.Name() == "LayerNormalization"));
        stay.insert(schema.Name());
      }
  }
  CHECK(seen > 200);
  for (const char *name : {"Conv", "MatMul", "Add", "Softmax", "LayerNormalization", "Cast", "Where", "Resize"})
    CHECK(!staysInF32(name));
  for (const char *name : {"Celu", "CumSum", "DequantizeLinear", "DynamicQuantizeLinear", "IsInf", "NonMaxSuppression",
                           "QLinearConv", "QLinearMatMul", "QuantizeLinear", "Range", "TfIdfVectorizer"}) {
    CHECK(staysInF32(name));
    CHECK(stay.contains(name));
  }
}

TEST_CASE("a result that may be f32 has the type of an operand, or an attribute says it") {
  for (const onnx::OpSchema &schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty() || schema.Deprecated() || staysInF32(schema.Name()) || !schema.inputs().size())
      continue;
    INFO(schema.Name() << " " << schema.SinceVersion());
    bool takesFloats =
        std::ranges::any_of(schema.inputs(), [](const auto &input) { return allows(input, "tensor(float)"); });
    for (const onnx::OpSchema::FormalParameter &result : schema.outputs()) {
      if (!takesFloats || !allows(result, "tensor(float)"))
        continue;
      bool same = std::ranges::any_of(schema.inputs(),
                                      [&](const auto &input) { return input.GetTypeStr() == result.GetTypeStr(); });
      bool said = schema.attributes().contains("dtype") || schema.attributes().contains("output_datatype") ||
                  // whose result has a letter of its own, and the type of what is sampled
                  schema.Name() == "GridSample" || schema.attributes().contains("to") ||
                  schema.Name() == "LayerNormalization" || schema.attributes().contains("body") ||
                  schema.attributes().contains("then_branch");
      CHECK((same || said));
    }
  }
}
