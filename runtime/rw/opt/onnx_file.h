// ONNX files for model_file.cpp; without the ONNX component, a diagnostic that says so.
#pragma once

#include "rw/opt/model_file.h"

namespace rw::opt {

std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &, Diagnostics &);
/// Writes a program of the tensor dialect that was read from text; false and a diagnostic if something in it does not map.
bool saveAsOnnx(const std::string &path, Program &, Diagnostics &);
/// Writes a program as .rwir text, whatever it was read from.
bool saveAsText(const std::string &path, const Program &, Diagnostics &);

} // namespace rw::opt
