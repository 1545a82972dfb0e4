// ONNX files for load_model.h, and programs of other formats as models; without the ONNX component, a diagnostic that
// says so.
#pragma once

#include "rw/opt/model_file.h"

namespace rw::opt {

std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &, Diagnostics &, bool whole);
/// `name` stands for the file in diagnostics.
std::unique_ptr<ModelFile> loadOnnxBytes(std::string_view bytes, const std::string &name, const OpRegistry &,
                                         Diagnostics &);
/// Gives the program the ops that a model of it has beside (rw/onnx/result_copies.h).
void addOpsOfModel(Program &);
/// Writes a program of the tensor dialect that was read from text; false and a diagnostic if something in it does not
/// map.
bool saveAsOnnx(const std::string &path, Program &, const OnnxWriting &, Diagnostics &);
/// Likewise to bytes; `name` is what diagnostics call them.
bool onnxBytes(Program &, const std::string &name, bool bareOps, std::string &out, Diagnostics &);

} // namespace rw::opt
