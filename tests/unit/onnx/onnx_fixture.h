// A small dialect `onnx`, and models for the tests of import and export.
#pragma once

#include "rw/onnx/onnx.h"

#include <onnx/onnx_pb.h>

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace onnxtest {

inline constexpr rw::OperandSchema kX[] = {{"x"}};
inline constexpr rw::OperandSchema kXY[] = {{"x"}, {"y"}};
inline constexpr rw::OperandSchema kConvOperands[] = {{"X"}, {"W"}, {"B", rw::Arity::Optional}};
inline constexpr rw::OperandSchema kXs[] = {{"xs", rw::Arity::Variadic}};
inline constexpr rw::ResultSchema kY[] = {{"y"}};
inline constexpr rw::ResultSchema kYMask[] = {{"y"}, {"mask"}};
inline constexpr rw::ResultSchema kYs[] = {{"ys", rw::Arity::Variadic}};
inline constexpr rw::AttrSchema kValue[] = {{"value", rw::AttrType::Tensor}};
inline constexpr rw::AttrSchema kMaybeValue[] = {{"value", rw::AttrType::Tensor, false}};
inline constexpr rw::AttrSchema kPerm[] = {{"perm", rw::AttrType::Ints, false}};
inline constexpr rw::AttrSchema kAxis[] = {{"axis", rw::AttrType::Int}};
inline constexpr rw::AttrSchema kConvAttrs[] = {{"group", rw::AttrType::Int, false},
                                                {"pads", rw::AttrType::Ints, false}};
inline constexpr std::string_view kBranches[] = {"then_branch", "else_branch"};

inline bool sameType(const rw::OpInputs &in, std::span<rw::TypeId> types);

inline const rw::OpRegistry &registry() {
  using rw::Trait;
  static const rw::OpSchema schemas[] = {
      {.dialect = "onnx",
       .name = "initializer",
       .results = kY,
       .attrs = kValue,
       .traits = Trait::Pure | Trait::Constant},
      {.dialect = "onnx",
       .name = "Constant",
       .results = kY,
       .attrs = kMaybeValue,
       .traits = Trait::Pure | Trait::Constant},
      {.dialect = "onnx",
       .name = "Relu",
       .operands = kX,
       .results = kY,
       .traits = Trait::Pure | Trait::Elementwise,
       .inferTypes = sameType},
      {.dialect = "onnx",
       .name = "Identity",
       .operands = kX,
       .results = kY,
       .traits = Trait::Pure | Trait::Elementwise},
      {.dialect = "onnx",
       .name = "Transpose",
       .operands = kX,
       .results = kY,
       .attrs = kPerm,
       .traits = uint32_t(Trait::Pure)},
      {.dialect = "onnx", .name = "Add", .operands = kXY, .results = kY, .traits = uint32_t(Trait::Pure), .since = 7},
      {.dialect = "onnx",
       .name = "Concat",
       .operands = kXs,
       .results = kY,
       .attrs = kAxis,
       .traits = uint32_t(Trait::Pure),
       .since = 4},
      {.dialect = "onnx",
       .name = "Conv",
       .operands = kConvOperands,
       .results = kY,
       .attrs = kConvAttrs,
       .traits = uint32_t(Trait::Pure)},
      {.dialect = "engine",
       .name = "Gelu",
       .operands = kX,
       .results = kY,
       .traits = uint32_t(Trait::Pure),
       .since = 2,
       .domain = "com.example.engine"},
      {.dialect = "onnx", .name = "Dropout", .operands = kXs, .results = kYMask, .since = 12},
      {.dialect = "onnx", .name = "TopK", .operands = kXY, .results = kYMask},
      {.dialect = "onnx", .name = "If", .operands = kX, .results = kYs, .regions = kBranches},
      {.dialect = "other", .name = "Relu", .operands = kX, .results = kY},
  };
  static const rw::OpRegistry ops = [] {
    rw::OpRegistry r;
    for (const rw::OpSchema &s : schemas)
      r.add(s);
    return r;
  }();
  return ops;
}

/// One import and what it said.
struct Imported {
  rw::SourceManager sources;
  rw::Diagnostics diags{sources};
  std::optional<rw::OnnxModel> model;

  explicit Imported(std::string_view bytes) : model(rw::importOnnxBytes(bytes, "m.onnx", registry(), diags)) {}
  explicit Imported(const onnx::ModelProto &m) : Imported(m.SerializeAsString()) {}
  std::string tag() const { return diags.all().empty() ? "" : diags.all()[0].tag; }
  std::string message() const { return diags.all().empty() ? "" : diags.all()[0].message; }
  onnx::ModelProto exported() {
    std::string bytes;
    onnx::ModelProto out;
    REQUIRE(model);
    bool ok = rw::exportOnnxBytes(*model, bytes, diags);
    INFO(diags.renderText());
    REQUIRE(ok);
    REQUIRE(out.ParseFromString(bytes));
    return out;
  }
};

inline std::string readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

inline bool equal(const onnx::ModelProto &a, const onnx::ModelProto &b, std::string *report = nullptr) {
  google::protobuf::util::MessageDifferencer differencer;
  if (report)
    differencer.ReportDifferencesToString(report);
  return differencer.Compare(a, b);
}

/// A model from the text form of its graph.
inline onnx::ModelProto modelOf(const std::string &graph, int version = 15) {
  onnx::ModelProto m;
  m.set_ir_version(8);
  onnx::OperatorSetIdProto *opset = m.add_opset_import();
  opset->set_domain("");
  opset->set_version(version);
  REQUIRE(google::protobuf::TextFormat::ParseFromString(graph, m.mutable_graph()));
  if (m.graph().name().empty())
    m.mutable_graph()->set_name("g");
  return m;
}

} // namespace onnxtest

#include "rw/ir/builder.h"

inline bool onnxtest::sameType(const rw::OpInputs &in, std::span<rw::TypeId> types) {
  types[0] = in.operand(0).typeId();
  return true;
}
