// What the parts of the ONNX component share: the messages, and what is kept of a model beside its program.
//
// In:  messages of onnx.proto. Out: names, texts for messages, types, tensors and attributes of the IR.
// Elsewhere: the graph itself is importer.h and exporter.h.
#pragma once

#include "rw/ir/text_format.h"
#include "rw/onnx/onnx.h"

#include <climits>
#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

namespace rw {
namespace onnxio {

class Lending;

/// The body of a function of the model, seen as a graph whose ops are those of the function's message: they are lent,
/// so that the message stays as it was read.
class FunctionBody {
public:
  explicit FunctionBody(onnx::FunctionProto &);
  ~FunctionBody();
  FunctionBody(const FunctionBody &) = delete;

  const onnx::GraphProto &graph() const { return graph_; }

private:
  onnx::GraphProto graph_;
};

} // namespace onnxio

namespace onnxio {
inline constexpr uint64_t kMissingFile = UINT64_MAX; // the size of one that is not there
}

/// The message as it was read, which the program's tensors point into, and what import found out about parts of it.
struct OnnxModel::Rest {
  std::shared_ptr<onnx::ModelProto> proto;
  std::string path;
  /// Attributes made from tensors.
  std::unordered_map<const onnx::TensorProto *, AttrId> tensors;
  /// The types that values had after import. A recorded type is rewritten only if it has changed since.
  std::unordered_map<const onnx::ValueInfoProto *, TypeId> types;
  /// Files beside the model that hold tensors, and their sizes; only --check opens them.
  std::map<std::string, uint64_t> external;
  bool onDisk = false; // whether `path` is a file that was read
  /// What ONNX's checker has against the model, once tensors have been taken out of the message; empty before.
  std::optional<std::string> fault;
  /// By the name of the program's function: the functions of the model whose bodies are in the program.
  std::map<std::string, std::unique_ptr<onnxio::FunctionBody>, std::less<>> bodies;
};

namespace onnxio {

inline constexpr std::string_view kDialect = "onnx";
inline constexpr std::string_view kInitializer = "onnx.initializer";
inline constexpr std::string_view kKeptInitializer = "onnx.kept_initializer";
// Undeclared attributes that are no attributes of the model. A model's own attributes whose names begin with `$` get
// one more.
inline constexpr std::string_view kRegionsAttr = "$regions"; // the attributes that the regions are the values of
inline constexpr std::string_view kOriginAttr = "$origin";   // of an op without named results: its place in the graph
inline constexpr std::string_view kTensorAttr = "tensor";    // of a kept initializer: the message's bytes
inline constexpr std::string_view kListOfGraphs = "[]";      // ends the name of an attribute that holds several graphs

/// Deepest nesting of graphs, of types in types.
inline constexpr unsigned kMaxDepth = 64;

inline bool isMainDomain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }
/// "`conv1` (Conv)", or for an op without name "#7 (Conv, output `y`)".
std::string describe(const onnx::NodeProto &, int index);
/// What stands in front of messages about the body of a function.
std::string inFunction(const std::string &name);
std::string inBackticks(std::string_view);

// Types.
DType dtypeOf(int32_t dataType);
int32_t dataTypeOf(DType); ///< 0 if ONNX has none
TypeId typeOf(Context &, const onnx::TypeProto &);
/// False if ONNX cannot say it (the message is left empty).
bool writeType(Context &, TypeId, onnx::TypeProto &);

// Tensors.
enum class TensorForm : uint8_t {
  Dense,   // an attribute was made
  Special, // external, a segment, an element type we do not know: keep the message
  Wrong,   // sizes that do not fit: `why`
};
struct TensorResult {
  TensorForm form = TensorForm::Wrong;
  AttrId attr;
  std::string why;
};
/// The attribute shares the message's bytes and is remembered in `tensors`.
TensorResult tensorOf(Context &, OnnxModel::Rest &, const onnx::TensorProto &);
/// The most that a model's format (Protobuf) can hold.
inline constexpr uint64_t kMostModelBytes = INT_MAX;
/// What the elements take when they are written one by one; 0 of what is no splat, UINT64_MAX beyond 64 bits.
uint64_t bytesOfSplat(const Context &, const DenseData &);
/// With a lending, large bytes are lent and not copied. False for a splat of more elements than a model can hold.
bool writeTensor(Context &, const DenseData &, onnx::TensorProto &, Lending * = nullptr);

/// Takes the elements of tensors out of the message whose attributes, sorted, no op has any more (rw/ir/dense_sweep.h).
void dropTensors(OnnxModel::Rest &, std::span<const AttrId> gone);
/// A message as a model; none and diagnostics if it is none. `parsed`: whether it could be read at all; `onDisk`: the
/// path is a file that was read, beside which others may stand.
std::optional<OnnxModel> modelFrom(std::shared_ptr<onnx::ModelProto>, bool parsed, const std::string &path, bool onDisk,
                                   const OpRegistry &, Diagnostics &, MissingFiles);

/// Where tensors in files of their own are looked for.
std::string folderOf(const OnnxModel::Rest &);

// Attributes that are no graphs.
struct AttrResult {
  AttrId attr; // none: wrong
  std::string why;
};
onnx::AttributeProto_AttributeType kindOf(const onnx::AttributeProto &);
/// Whether the attribute's value is a graph or several. One that refers to an attribute of the function around it has
/// none.
bool holdsGraphs(const onnx::AttributeProto &);
/// What is declared of the attribute says what a number or a text is; where nothing is, it stays a number or a text.
AttrResult attributeOf(Context &, OnnxModel::Rest &, const onnx::AttributeProto &, AttrType declared = AttrType::Any);
/// What attributeOf reads as just this. Where ONNX has nothing like it, it is a text if it may be; false if it may not.
bool writeAttribute(Context &, AttrId, std::string_view name, AttrType declared, bool mayBeText,
                    onnx::AttributeProto &);

} // namespace onnxio
} // namespace rw
