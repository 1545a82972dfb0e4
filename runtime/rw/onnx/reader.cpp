// From files and bytes to models.
#include "rw/onnx/importer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rw {
using namespace onnxio;

OnnxModel::OnnxModel(Program p, std::shared_ptr<Rest> rest) : program(std::move(p)), rest_(std::move(rest)) {}
OnnxModel::OnnxModel(OnnxModel &&) noexcept = default;
OnnxModel &OnnxModel::operator=(OnnxModel &&) noexcept = default;
OnnxModel::~OnnxModel() = default;
OnnxModel OnnxModel::clone() const { return {program.clone(), rest_}; }
int64_t OnnxModel::irVersion() const { return rest_->proto->ir_version(); }
int64_t OnnxModel::opsetVersion(std::string_view domain) const { return importedVersion(*rest_->proto, domain); }

namespace {
// Nested graphs take three messages a level.
constexpr int kMessageDepth = int(kMaxDepth) * 4 + 40;

bool parse(google::protobuf::io::ZeroCopyInputStream &in, onnx::ModelProto &model) {
  google::protobuf::LogSilencer silent;
  google::protobuf::io::CodedInputStream coded(&in);
  coded.SetTotalBytesLimit(INT_MAX);
  coded.SetRecursionLimit(kMessageDepth);
  return model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

std::optional<OnnxModel> build(std::shared_ptr<onnx::ModelProto> proto, bool parsed, const std::string &path,
                               const OpRegistry &ops, Diagnostics &diags) {
  auto fail = [&](const char *tag, std::string message) {
    diags.errorInFile(tag, path, std::move(message));
    return std::nullopt;
  };
  if (!parsed)
    return fail("onnx-parse", "this is not an ONNX model, or it is cut off, damaged, or nested deeper than " +
                                  std::to_string(kMaxDepth) + " graphs");
  if (!proto->has_graph())
    return fail("onnx-parse", "this is not an ONNX model: it holds no graph");
  for (const onnx::OperatorSetIdProto &opset : proto->opset_import())
    if (opset.version() < 0)
      return fail("onnx-opset", "version " + std::to_string(opset.version()) + " of the operator set " +
                                    quoted(opset.domain()) + " is imported");
  auto rest = std::make_shared<OnnxModel::Rest>();
  rest->proto = proto;
  rest->path = path;
  OnnxModel model(Program(ops), rest);
  Context &ctx = model.program.context();
  GraphOrder order(ctx, path, diags);
  if (!order.analyze(proto->graph()))
    return std::nullopt;
  Function &fn = model.program.addFunction("main");
  size_t count = size_t(proto->graph().node_size() + proto->graph().initializer_size());
  fn.reserve(count, count + count / 8, count * 2);
  OpKinds kinds(ops, *proto);
  if (!Importer(fn, *rest, kinds, order, diags).run(proto->graph()))
    return std::nullopt;
  return model;
}

/// An open file, closed again.
struct File {
  int fd;
  explicit File(const std::string &path) : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd >= 0)
      ::close(fd);
  }
};
} // namespace

std::optional<OnnxModel> importOnnx(const std::string &path, const OpRegistry &ops, Diagnostics &diags) {
  auto fail = [&](const char *tag, std::string message) {
    diags.errorInFile(tag, path, std::move(message));
    return std::nullopt;
  };
  File file(path);
  struct stat status;
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0)
    return fail("onnx-file", std::string("cannot be read: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode))
    return fail("onnx-file", "cannot be read: this is a folder");
  if (status.st_size > INT_MAX)
    return fail("onnx-too-large",
                "the file is larger than 2 GiB, which is the most that its format (Protobuf) can hold; "
                "models of that size keep their tensors as external data");
  auto proto = std::make_shared<onnx::ModelProto>();
  google::protobuf::io::FileInputStream in(file.fd);
  bool parsed = parse(in, *proto);
  if (in.GetErrno())
    return fail("onnx-file", std::string("cannot be read: ") + std::strerror(in.GetErrno()));
  return build(std::move(proto), parsed, path, ops, diags);
}

std::optional<OnnxModel> importOnnxBytes(std::string_view bytes, const std::string &name, const OpRegistry &ops,
                                         Diagnostics &diags) {
  auto proto = std::make_shared<onnx::ModelProto>();
  if (bytes.size() > INT_MAX) {
    diags.errorInFile("onnx-too-large", name, "the model is larger than 2 GiB");
    return std::nullopt;
  }
  google::protobuf::io::ArrayInputStream in(bytes.data(), int(bytes.size()));
  bool parsed = parse(in, *proto);
  return build(std::move(proto), parsed, name, ops, diags);
}

} // namespace rw
