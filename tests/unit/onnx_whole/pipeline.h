// The built-in passes on models made here, as a user of the library runs them.
#pragma once

#include "rw/builtin.h"
#include "rw/onnx/optimize.h"

#include <onnx/onnx_pb.h>

#include <google/protobuf/text_format.h>

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace whole {

inline const rw::Registry &builtins() {
  static const rw::Registry all = [] {
    rw::Registry r;
    rw::registerAll(r);
    return r;
  }();
  return all;
}

/// A model in protobuf's text form, its bytes.
inline std::string modelBytes(const std::string &text) {
  onnx::ModelProto model;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &model));
  return model.SerializeAsString();
}

inline void runPipeline(rw::OnnxModel &model, const std::string &pipeline,
                        const std::function<void(rw::PassManagerOptions &)> &set = {}) {
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  auto done = rw::optimizeProgram(model.program, builtins(), {.pipeline = pipeline}, diags, int(model.opsetVersion()),
                                  "onnx", "test", set);
  REQUIRE_MESSAGE(done, diags.renderText());
  CHECK_FALSE(done->failed);
}

/// What a run writes for a model in protobuf's text form.
inline onnx::ModelProto optimised(const std::string &text, const std::string &pipeline) {
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  std::optional<rw::OnnxModel> model = rw::importOnnxBytes(modelBytes(text), "test", builtins().ops, diags);
  REQUIRE(model);
  runPipeline(*model, pipeline);
  std::string bytes;
  REQUIRE(rw::exportOnnxBytes(*model, bytes, diags));
  onnx::ModelProto out;
  REQUIRE(out.ParseFromString(bytes));
  return out;
}

inline unsigned countOf(rw::OnnxModel &model, std::string_view name) {
  unsigned count = 0;
  for (rw::Op op : model.main().ops(model.main().body()))
    count += op.schema().name == name;
  return count;
}

} // namespace whole
