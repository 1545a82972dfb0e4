// A program with what its file holds beside it, and files of programs by their names.
//
// In:  a program that load_model.h or onnx_file.h has read.
// Out: a ModelFile: the program, whatever of the file the program does not hold, and how both are written: by the
//      extension .rwir text, .mlir text (StableHLO), or .onnx where the ONNX component is built in; capitals do not
//      matter, and .pb is taken for .onnx.
// Elsewhere: the text form is rw/ir/parser.h and printer.h, StableHLO is rw/stablehlo, ONNX is rw/onnx.
//
//   std::unique_ptr<ModelFile> model = loadModel("model.onnx", registry.ops, sources, diags); // load_model.h
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
/// Whether a file of this name is a model; MLIR text, or bytecode; .rwir text.
bool isOnnxName(std::string_view path);
bool isMlirName(std::string_view path);
bool isTextName(std::string_view path);

/// A digest of what would be written of the model, in its own format; none if it cannot be.
std::optional<Digest> digestOf(ModelFile &);

/// Text to a file, or to standard output for "-"; all or nothing, a diagnostic if it cannot be written.
bool writeText(const std::string &path, std::string_view text, Diagnostics &);
/// Writes a program as .rwir text, whatever it was read from.
bool saveAsText(const std::string &path, const Program &, Diagnostics &);
/// Writes a program of StableHLO as MLIR text; false and a diagnostic if something in it has no spelling there.
bool saveAsMlir(const std::string &path, Program &, Diagnostics &);
/// A program as .rwir text, or as StableHLO if the format is "mlir"; false and a diagnostic if something in it has no
/// spelling there. `name` is what diagnostics call it.
bool textBytes(std::string_view format, Program &, const std::string &name, std::string &out, Diagnostics &);

} // namespace rw::opt
