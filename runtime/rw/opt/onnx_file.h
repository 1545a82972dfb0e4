// ONNX files for model_file.cpp, and what both do with files of other names; without the ONNX component, a diagnostic
// that says so.
#pragma once

#include "rw/opt/model_file.h"

namespace rw::opt {

std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &, Diagnostics &, bool whole);
/// `name` stands for the file in diagnostics.
std::unique_ptr<ModelFile> loadOnnxBytes(std::string_view bytes, const std::string &name, const OpRegistry &,
                                         Diagnostics &);
/// Whether a file of this name is a model.
bool isOnnxName(std::string_view path);
/// Gives the program the ops that a model of it has beside (rw/onnx/result_copies.h).
void addOpsOfModel(Program &);
/// Writes a program of the tensor dialect that was read from text; false and a diagnostic if something in it does not
/// map.
bool saveAsOnnx(const std::string &path, Program &, const OnnxWriting &, Diagnostics &);
/// Likewise to bytes; `name` is what diagnostics call them.
bool onnxBytes(Program &, const std::string &name, bool bareOps, std::string &out, Diagnostics &);
/// A program as .rwir text, or as StableHLO if the format is "mlir"; false and a diagnostic if something in it has no
/// spelling there.
bool textBytes(std::string_view format, Program &, const std::string &name, std::string &out, Diagnostics &);
/// Whether a file of this name is MLIR text, or bytecode.
bool isMlirName(std::string_view path);
/// Writes a program of StableHLO as MLIR text; false and a diagnostic if something in it has no spelling there.
bool saveAsMlir(const std::string &path, Program &, Diagnostics &);
/// Writes a program as .rwir text, whatever it was read from.
bool saveAsText(const std::string &path, const Program &, Diagnostics &);

} // namespace rw::opt
