// Programs from files and back, by extension.
//
// In:  a path: .rwir text ("-" is standard input), or .onnx where the ONNX component is built in.
// Out: a ModelFile: the program, and whatever of the file the program does not hold.
// Elsewhere: the text form is rw/ir/parser.h and printer.h, ONNX is rw/onnx.
//
//   std::unique_ptr<ModelFile> model = loadModel("model.onnx", registry.ops, sources, diags);
//   if (!model) return 1;
//   model->save("out.onnx", diags);
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rw::opt {

class ModelFile {
public:
  virtual ~ModelFile() = default;
  virtual Program &program() = 0;
  /// "rwir" or "onnx".
  virtual std::string_view format() const = 0;
  /// The pipeline to run if none is asked for.
  virtual std::string_view defaultPipeline() const = 0;
  /// The version of ONNX's operator set that undeclared ops are evaluated by; 0 if the format has none.
  virtual int opsetVersion() const { return 0; }
  /// What the file says beside the program, by name: metadata, operator sets, …
  virtual std::vector<std::pair<std::string, std::string>> properties() const { return {}; }
  /// Lets go of tensors of the file that no op of the program has any more; sorted.
  virtual void dropTensors(std::span<const AttrId>) {}
  /// Writes the program to `path` in the format of its extension ("-": text to standard output); all or nothing.
  virtual bool save(const std::string &path, Diagnostics &) = 0;
};

/// Whether `model` can be written to a path with this extension; a diagnostic if not. Empty and "-" can.
bool canSave(const ModelFile &model, const std::string &path, Diagnostics &);

/// Text to a file, or to standard output for "-"; all or nothing, a diagnostic if it cannot be written.
bool writeText(const std::string &path, std::string_view text, Diagnostics &);

/// Null and a diagnostic if the file cannot be read.
std::unique_ptr<ModelFile> loadModel(const std::string &path, const OpRegistry &, SourceManager &, Diagnostics &);

} // namespace rw::opt
