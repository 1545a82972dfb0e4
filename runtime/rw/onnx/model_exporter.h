// The messages of a model from its program.
//
// In:  a model. Out: a ModelProto: the graph and the bodies of functions from the program, all else as it was read.
//      Large parts are lent, not copied: the result is valid while the exporter and the model are.
// Elsewhere: graphs are exporter.h; files are writer.cpp.
//
//   ModelExporter exporter(model, diags);
//   if (const onnx::ModelProto *out = exporter.run()) write(*out);
#pragma once

#include "rw/onnx/exporter.h"
#include "rw/onnx/meant_functions.h"

namespace rw::onnxio {

class ModelExporter {
public:
  ModelExporter(OnnxModel &model, Diagnostics &diags) : model_(model), rest_(*model.rest()), diags_(diags) {}
  ModelExporter(const ModelExporter &) = delete;

  /// Null, with diagnostics, if the program holds what ONNX cannot say.
  onnx::ModelProto *run();

private:
  bool function(const onnx::FunctionProto &origin, const OpKinds &kinds, const MeantFunctions *,
                onnx::FunctionProto &out);
  bool collect(const OpKinds &, MeantFunctions &);
  MeantFunctions::Names goneFrom(const OpKinds &, const MeantFunctions &) const;
  void add(const MeantFunctions &);
  void sayUnwritable(const MeantFunctions::Unwritable &);

  OnnxModel &model_;
  OnnxModel::Rest &rest_;
  Diagnostics &diags_;
  onnx::ModelProto out_;
  Lending lending_; // goes first: what is lent is taken out of `out_` before that goes
};

} // namespace rw::onnxio
