// ONNX files as programs, and back, without losing anything.
//
// In:  a `.onnx` file or its bytes; a registry in which the ops of the main domain are dialect `onnx`.
// Out: an OnnxModel: a Program whose function `main` is the model's graph, its other functions the bodies of the
//      model's functions, and the rest of the model, kept for writing.
//      Or nothing, and diagnostics that name the op at fault. Exporting an unedited model gives the same model.
// Elsewhere: the IR is rw/ir; ops are declared in patterns/onnx.
//
//   std::optional<OnnxModel> model = importOnnx("a.onnx", registry.ops, diags);
//   if (model && optimizeOnnx(*model, registry, {}, diags)) exportOnnx(*model, "b.onnx", diags);   // optimize.h
//
// How a model maps:
//   op of the main domain      `onnx.TYPE`, of the kind the registry has for the model's opset version; else opaque
//   op of another domain       of the dialect that is declared with it (`dialect acme "com.acme";`); else opaque,
//                              `DOMAIN.TYPE` (`@DOMAIN.TYPE` where DOMAIN is the name of a registered dialect)
//   attribute                  ints, floats, strings, tensors as such, or as what the op declares (a bool, a dtype, a
//                              dim, ...: docs/onnx.md); a graph as a region; else bytes. One that was left out stays
//                              out; a default written down stays written down
//   initializer                `onnx.initializer`, a constant; one that is also an input: a parameter with a default
//   initializer not in the file, sparse, in an unusual encoding, or that a quantization annotation refers to: opaque
//                              `onnx.kept_initializer`, which no pass removes
//   function                   a function `DOMAIN.NAME` (`onnx.NAME` of the main domain), its calls opaque ops of that
//                              name. Its name, inputs, outputs and attributes stay; its constants are written as
//                              Constant ops. Left as it was read if it imports another version of the main domain than
//                              the model, or none, or if several have its name
//   op that means something    a call of a function of its name and domain that says what, so that the model runs
//                              where nobody knows the op; read as the op, if that is known and means something
//   attribute of a function    what refers to one (`ref_attr_name`) makes its op opaque
//   omitted input or output    none operand, unnamed result
//   output listed twice        one result; written twice again
//   recorded types             of inputs: believed. Of other values: where inference leaves something open; symbols are
//                              labels
//   what contradicts itself    a recorded shape: what the op makes. Two initializers of one name: the last one. An op
//                              that its schema refuses: opaque, unless ONNX refuses it too
//   dimension parameter        symbol
//   op and tensor names        Function::opName, valueName, resultNames
// Everything else (metadata, doc strings, unknown fields, …) stays with the model and is found again by the
// names of values. Tensors are not copied: attributes point into the model that was read.
//
// Tensors in files of their own stay there unread. A path out of the model's folder is refused, and so are sizes and
// places that cannot be true; a file that is not there, or one that a result leaves behind in another folder, gets a
// warning.
//
// Diagnostics: onnx-file, onnx-external, onnx-parse, onnx-too-large, onnx-nesting, onnx-opset, onnx-op, onnx-type,
//              onnx-attribute,
// onnx-tensor, onnx-initializer, onnx-arity, onnx-duplicate-name, onnx-undefined-value, onnx-cycle, onnx-export,
// onnx-invalid, onnx-convert.
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rw {

/// Something that a model says of itself beside its graph: "metadata KEY", "operator set DOMAIN", "function
/// DOMAIN.NAME", "recorded type of VALUE".
struct OnnxProperty {
  std::string name, value; // of what is no text: its bytes
};

class OnnxModel {
public:
  /// What of the model the program does not hold.
  struct Rest;

  OnnxModel(Program program, std::shared_ptr<Rest> rest);
  OnnxModel(OnnxModel &&) noexcept;
  OnnxModel &operator=(OnnxModel &&) noexcept;
  ~OnnxModel();

  Program program;
  /// Whether ops of other domains that mean something are written with functions that say what; else they are just
  /// called.
  bool writesMeanings = true;
  /// Where tensors of the graph go when the model is written to a file.
  struct ExternalData {
    // its name beside the model; empty: tensors are in the model, but for those that are in files already
    std::string file;
    uint64_t leastBytes = 1024; // smaller ones stay in the model
  };
  ExternalData externalData;

  Function &main() { return *program.function("main"); }
  int64_t irVersion() const;
  /// The imported version of a domain ("" is the main one); 0 if it is not imported.
  int64_t opsetVersion(std::string_view domain = "") const;

  std::vector<OnnxProperty> properties() const;

  /// Lets go of what the model holds of tensors that no op of the program has any more (rw/ir/dense_sweep.h); `gone` is
  /// sorted.
  void dropTensors(std::span<const AttrId> gone);
  /// The same model with a copy of the program.
  OnnxModel clone() const;
  const std::shared_ptr<Rest> &rest() const { return rest_; }

private:
  std::shared_ptr<Rest> rest_;
};

/// What it is that a file with tensors of the model is not there: engines load no such model, but it can be rewritten.
enum class MissingFiles : uint8_t { Warning, Error };

std::optional<OnnxModel> importOnnx(const std::string &path, const OpRegistry &, Diagnostics &,
                                    MissingFiles = MissingFiles::Warning);
/// `name` stands for the file in diagnostics.
std::optional<OnnxModel> importOnnxBytes(std::string_view bytes, const std::string &name, const OpRegistry &,
                                         Diagnostics &);

/// The model in another version of ONNX's operator set (opset.cpp says how); none and a diagnostic if that cannot be.
/// The model is one that was just read: its tensors go to the new one, and it can only be let go of; where there is
/// none, it is as it was.
std::optional<OnnxModel> convertOpset(const OnnxModel &, int version, const OpRegistry &, Diagnostics &);

/// Likewise the model with the tensors of other files in it; none and a diagnostic if one cannot be read.
std::optional<OnnxModel> readTensors(const OnnxModel &, const OpRegistry &, Diagnostics &);

/// The bytes of the elements of a tensor that stays in another file (or in another form that is kept as it is), read
/// now. None and the reason, as a sentence about the tensor, if that cannot be or is too much.
Result<std::string> readStored(const OnnxModel &, Op);

/// Whether the file at `path` holds tensors of the model as it was read.
bool hasTensorsIn(const OnnxModel &, const std::string &path);

/// Writes the whole file or none of it. The same model gives the same bytes. What ONNX's checker has something against
/// is not written, unless it had so already when the model was read.
bool exportOnnx(OnnxModel &, const std::string &path, Diagnostics &);
bool exportOnnxBytes(OnnxModel &, std::string &bytes, Diagnostics &);

} // namespace rw
