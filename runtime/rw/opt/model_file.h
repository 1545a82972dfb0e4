// Programs from files and back, by extension.
//
// In:  a path: .rwir text, .mlir text (StableHLO), .jaxpr text (JAX's own), or .onnx where the ONNX component is built
//      in; capitals do not matter, and .pb is taken for .onnx. What stands on standard input ("-"), or in a file of
//      another name, is StableHLO or a jaxpr if it begins as such a text does, and a model if its bytes are no text.
// Out: a ModelFile: the program, and whatever of the file the program does not hold.
// Elsewhere: the text form is rw/ir/parser.h and printer.h, StableHLO is rw/stablehlo, ONNX is rw/onnx.
//
//   std::unique_ptr<ModelFile> model = loadModel("model.onnx", registry.ops, sources, diags);
//   if (!model) return 1;
//   model->save("out.onnx", diags);
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"
#include "rw/support/digest.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rw::opt {

/// How a program becomes an ONNX model.
struct OnnxWriting {
  /// Leave ops of other domains bare, without the functions that say what they mean.
  bool bareOps = false;
  /// The file beside the model that tensors of so many bytes or more go to; empty: they are in the model, but for those
  /// that are in files already.
  std::string externalData;
  uint64_t externalBytes = 1024;
};

class ModelFile {
public:
  virtual ~ModelFile() = default;
  virtual Program &program() = 0;
  /// "rwir", "mlir", "jaxpr" or "onnx".
  virtual std::string_view format() const = 0;
  /// The pipeline to run if none is asked for.
  virtual std::string_view defaultPipeline() const = 0;
  /// The version of ONNX's operator set that undeclared ops are evaluated by; 0 if the format has none.
  virtual int opsetVersion() const { return 0; }
  /// The bytes of the elements of an op that holds what only the file's format can read, such as a tensor in another
  /// file.
  virtual Result<std::string> stored(Op) const { return Failure{"what it holds is known to no format"}; }
  /// Whether the file at `path` is read as well, since it holds tensors of the model.
  virtual bool reads(const std::string &) const { return false; }
  /// What the file says beside the program, by name: metadata, operator sets, …
  virtual std::vector<std::pair<std::string, std::string>> properties() const { return {}; }
  /// Lets go of tensors of the file that no op of the program has any more; sorted.
  virtual void dropTensors(std::span<const AttrId>) {}
  OnnxWriting writing;
  /// Before the program is changed. Of a model: the one that is the same in another version of ONNX's operator set, and
  /// the one with all its tensors in memory. False and a diagnostic if that cannot be.
  virtual bool convertOpset(int, const OpRegistry &, Diagnostics &) { return true; }
  virtual bool readTensors(const OpRegistry &, Diagnostics &) { return true; }
  /// Writes the program to `path` in the format of its extension ("-": text to standard output); all or nothing.
  virtual bool save(const std::string &path, Diagnostics &) = 0;
  /// What save() would write to a file of this format: "rwir", "mlir" or "onnx"; `name` is what diagnostics call it.
  virtual bool bytes(std::string_view format, const std::string &name, std::string &out, Diagnostics &) = 0;
};

/// Whether a model can be written to a path with this extension; a diagnostic if not. Empty and "-" can, and a device,
/// as text.
bool canSave(const std::string &path, Diagnostics &);
/// Whether a file could be written there: its folder is there, and neither it nor the file is read-only; a diagnostic
/// if not. Empty and "-" can.
bool canWrite(const std::string &path, Diagnostics &);

/// Where no function is called @main, the only one that no other names, if there is one, gets that name: it is what a
/// model is made from.
void nameEntry(Program &);
/// Whether what is written there is a model, or StableHLO.
bool writesModel(const std::string &path);
bool writesMlir(const std::string &path);

/// A digest of what would be written of the model, in its own format; none if it cannot be.
std::optional<Digest> digestOf(ModelFile &);

/// Text to a file, or to standard output for "-"; all or nothing, a diagnostic if it cannot be written.
bool writeText(const std::string &path, std::string_view text, Diagnostics &);

/// Null and a diagnostic if the file cannot be read. `whole`: nor if files that belong to it are not there, else a
/// warning says so.
std::unique_ptr<ModelFile> loadModel(const std::string &path, const OpRegistry &, SourceManager &, Diagnostics &,
                                     bool whole = false);
/// Likewise of bytes: a model if they are no text, StableHLO if they begin so, else .rwir; `name` is what diagnostics
/// call them.
std::unique_ptr<ModelFile> loadModelBytes(std::string_view bytes, const std::string &name, const OpRegistry &,
                                          SourceManager &, Diagnostics &);

} // namespace rw::opt
