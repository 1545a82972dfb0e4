// From files and bytes to models.
#include "rw/onnx/function_types.h"
#include "rw/onnx/importer.h"
#include "rw/onnx/tensor_room.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rw {
using namespace onnxio;

OnnxModel::OnnxModel(Program p, std::shared_ptr<Rest> rest) : program(std::move(p)), rest_(std::move(rest)) {}
OnnxModel::OnnxModel(OnnxModel &&) noexcept = default;
OnnxModel &OnnxModel::operator=(OnnxModel &&) noexcept = default;
OnnxModel::~OnnxModel() = default;
OnnxModel OnnxModel::clone() const {
  OnnxModel copy(program.clone(), rest_);
  copy.writesMeanings = writesMeanings;
  return copy;
}
void OnnxModel::dropTensors(std::span<const AttrId> gone) { onnxio::dropTensors(*rest_, gone); }
int64_t OnnxModel::irVersion() const { return rest_->proto->ir_version(); }
int64_t OnnxModel::opsetVersion(std::string_view domain) const {
  return importedVersion(importsOf(*rest_->proto), domain);
}

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

void warnOfUntrue(const std::deque<Importer> &importers, const OnnxModel::Rest &rest, Diagnostics &diags) {
  std::string first;
  std::set<std::pair<const Importer *, uint32_t>> values;
  for (const Importer &importer : importers)
    for (const TypeFlow::Untrue &untrue : importer.untrue())
      if (values.emplace(&importer, untrue.value.raw).second && first.empty())
        first = importer.untrueText(untrue);
  if (values.empty())
    return;
  std::string more = values.size() == 1 ? "" : fmt::format(", and of {} more the record is wrong", values.size() - 1);
  diags.warningInFile("onnx-type", rest.path,
                      first + more +
                          "; what is recorded stays in the file, and nothing relies on it: clear it and infer the "
                          "shapes anew to be rid of it");
}

/// The model's graph and the bodies of its functions. Of these are left alone those that a name does not tell apart,
/// those that list an output twice, and those that import ONNX's ops in another version than the model: one program has
/// ops of one version.
bool importAll(OnnxModel &model, const GraphOrder &order, const OpKinds &kinds, Diagnostics &diags) {
  OnnxModel::Rest &rest = *model.rest();
  const onnx::GraphProto &graph = rest.proto->graph();
  Function &main = model.program.addFunction("main");
  size_t count = size_t(graph.node_size() + graph.initializer_size());
  main.reserve(count, count + count / 8, count * 2);
  std::deque<Importer> importers;
  if (!importers.emplace_back(main, rest, kinds, order, diags).run(graph))
    return false;
  std::map<std::string, int> named;
  for (const onnx::FunctionProto &f : rest.proto->functions())
    if (!kinds.isForm(f))
      ++named[kinds.fullName(f.domain(), f.name())];
  for (onnx::FunctionProto &f : *rest.proto->mutable_functions()) {
    std::string name = kinds.fullName(f.domain(), f.name()), where = inFunction(f.name());
    if (kinds.isForm(f) || named[name] > 1 || importedVersion(f.opset_import(), "") != model.opsetVersion())
      continue;
    if (std::set<std::string_view> outputs(f.output().begin(), f.output().end());
        outputs.size() != size_t(f.output_size()))
      continue; // calls know outputs by their places, results are one each
    const onnx::GraphProto &body = rest.bodies.emplace(name, std::make_unique<FunctionBody>(f)).first->second->graph();
    GraphOrder inside(model.program.context(), rest.path, diags, where);
    OpKinds own(kinds, f.opset_import());
    if (!inside.analyze(body) ||
        !importers
             .emplace_back(model.program.addFunction(name), rest, own, inside, diags, where, &importers.front().flow())
             .run(body))
      return false;
  }
  if (!rest.bodies.empty())
    inferFunctionTypes(
        model.program, [&](std::string_view name) { return rest.bodies.find(name) != rest.bodies.end(); },
        [&](Function &fn) -> TypeFlow & {
          return std::ranges::find(importers, &fn, [](Importer &i) { return &i.function(); })->flow();
        });
  for (Importer &importer : importers)
    importer.rememberTypes();
  warnOfUntrue(importers, rest, diags);
  return true;
}

/// Whether all files are there, or need not be.
bool checkMissing(const OnnxModel::Rest &rest, MissingFiles missing, Diagnostics &diags) {
  std::string first;
  size_t more = 0;
  for (const auto &[location, size] : rest.external)
    if (size == kMissingFile)
      first.empty() ? void(first = inBackticks(location)) : void(++more);
  if (!rest.onDisk || first.empty())
    return true;
  std::string text =
      "tensors of this model are in " +
      (more ? first + " and " + std::to_string(more) + " more files, which are" : first + ", a file that is") +
      " not there: no engine loads the model without; put " + (more ? "them" : "it") + " beside the model";
  if (missing == MissingFiles::Error)
    diags.errorInFile("onnx-external", rest.path, text);
  else
    diags.warningInFile("onnx-external", rest.path, text);
  return missing == MissingFiles::Warning;
}

} // namespace

std::optional<OnnxModel> onnxio::modelFrom(std::shared_ptr<onnx::ModelProto> proto, bool parsed,
                                           const std::string &path, bool onDisk, const OpRegistry &ops,
                                           Diagnostics &diags, MissingFiles missing) {
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
    if (opset.version() < 0 && isMainDomain(opset.domain())) // of others nobody asks
      return fail("onnx-opset", "version " + std::to_string(opset.version()) + " of the operator set " +
                                    inBackticks(opset.domain()) + " is imported");
  auto rest = std::make_shared<OnnxModel::Rest>();
  rest->proto = proto;
  rest->path = path;
  rest->onDisk = onDisk;
  OnnxModel model(Program(ops), rest);
  Context &ctx = model.program.context();
  ctx.setDialectVersion("onnx", model.opsetVersion());
  GraphOrder order(ctx, path, diags);
  if (!order.analyze(proto->graph()))
    return std::nullopt;
  OpKinds kinds(ops, *proto);
  if (!importAll(model, order, kinds, diags))
    return std::nullopt;
  if (!checkMissing(*rest, missing, diags))
    return std::nullopt;
  return model;
}

namespace {
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

std::optional<OnnxModel> importOnnx(const std::string &path, const OpRegistry &ops, Diagnostics &diags,
                                    MissingFiles missing) {
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
  makeRoom(file.fd, status.st_size, *proto);
  google::protobuf::io::FileInputStream in(file.fd);
  bool parsed = parse(in, *proto);
  if (in.GetErrno())
    return fail("onnx-file", std::string("cannot be read: ") + std::strerror(in.GetErrno()));
  return modelFrom(std::move(proto), parsed, path, true, ops, diags, missing);
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
  return modelFrom(std::move(proto), parsed, name, false, ops, diags, MissingFiles::Warning);
}

} // namespace rw
