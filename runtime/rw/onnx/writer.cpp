// From models to files and bytes.
#include "rw/onnx/external_data.h"
#include "rw/onnx/external_writer.h"
#include "rw/onnx/model_check.h"
#include "rw/onnx/model_exporter.h"
#include "rw/onnx/proto.h"

#include "rw/support/atomic_file.h"
#include "rw/support/failure.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw {
namespace {
class FileSink : public google::protobuf::io::CopyingOutputStream {
public:
  explicit FileSink(AtomicFile &file) : file_(file) {}
  bool Write(const void *bytes, int size) override {
    file_.write({static_cast<const char *>(bytes), size_t(size)});
    return true; // a failure shows when the file is committed
  }

private:
  AtomicFile &file_;
};

bool serialize(const onnx::ModelProto &message, google::protobuf::io::ZeroCopyOutputStream &out) {
  google::protobuf::io::CodedOutputStream coded(&out);
  coded.SetSerializationDeterministic(true);
  return message.SerializeToCodedStream(&coded);
}

/// What splats in an attribute take when a model has their elements one by one: the largest, and all.
struct SplatBytes {
  uint64_t largest = 0, all = 0;
  TypeId type; // of the largest

  void add(const Context &ctx, AttrId id) {
    if (!id)
      return;
    const AttrData &a = ctx.attr(id);
    for (AttrId element : a.elements)
      add(ctx, element);
    if (!a.dense)
      return;
    const uint64_t bytes = onnxio::bytesOfSplat(ctx, *a.dense);
    if (bytes > largest)
      largest = bytes, type = a.dense->type;
    if (__builtin_add_overflow(all, bytes, &all))
      all = UINT64_MAX;
  }
};

bool tooLarge(const std::string &name, Diagnostics &diags) {
  diags.errorInFile("onnx-too-large", name, "the model would take more than 2 GiB, the most that its format can hold")
      .note("tensors in a file beside it do not count: --external-data=FILE");
  return false;
}

/// Whether the splats of a program fit into a model: asked before any is written out.
bool splatsFit(Program &program, const std::string &name, Diagnostics &diags) {
  const Context &ctx = program.context();
  SplatBytes splats;
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (Op op = fn.op(OpId(i)); !op.isErased()) {
        for (AttrId id : ctx.attrs(op.attrsId()).fixed)
          splats.add(ctx, id);
        for (const NamedAttr &extra : ctx.attrs(op.attrsId()).extra)
          splats.add(ctx, extra.value);
      }
  if (splats.all <= onnxio::kMostModelBytes)
    return true;
  diags.errorInFile("onnx-too-large", name, "the model would take more than 2 GiB, the most that its format can hold")
      .note(fmt::format(
          "constants of one number each, as {}, have all their elements in a model; .rwir has the number once",
          ctx.typeToString(splats.type)));
  return false;
}

/// The message, if it is as valid as what was read and, with its tensors or `apart` from them, one that a file can
/// hold.
const onnx::ModelProto *message(onnxio::ModelExporter &exporter, Program &program, const OnnxModel::Rest &rest,
                                const std::string &name, bool apart, Diagnostics &diags) {
  onnx::ModelProto *out = splatsFit(program, name, diags) ? exporter.run() : nullptr;
  if (!out)
    return nullptr;
  if (!apart && out->ByteSizeLong() > onnxio::kMostModelBytes) {
    tooLarge(name, diags);
    return nullptr;
  }
  std::set<std::string> notInOnnx;
  std::string fault = onnxio::newFault(rest, *out, notInOnnx);
  if (fault.empty()) {
    if (!notInOnnx.empty())
      diags
          .warningInFile("onnx-unknown-op", name,
                         fmt::format("ONNX itself has no op {}: only an engine that adds {} runs the model",
                                     fmt::join(notInOnnx, ", "), notInOnnx.size() == 1 ? "it" : "them"))
          .note("a dialect with a domain of its own, `dialect my \"com.example.my\";`, says whose ops they are");
    return out;
  }
  diags.errorInFile("onnx-invalid", name,
                    "the result is no valid model, and nothing was written; ONNX's checker says: " + fault);
  return nullptr;
}
} // namespace

/// Tensors in files of their own stay there, and are looked for beside the model that is written.
static void warnOfExternal(const OnnxModel::Rest &rest, const std::string &path, Diagnostics &diags) {
  namespace fs = std::filesystem;
  std::error_code failed;
  auto folder = [&](const std::string &file) { return fs::weakly_canonical(fs::path(file), failed).parent_path(); };
  std::string first;
  size_t there = 0; // that others are missing was said when the model was read
  for (const auto &[location, size] : rest.external)
    if ((size != onnxio::kMissingFile || !rest.onDisk) && there++ == 0)
      first = location;
  if (!there || folder(rest.path) == folder(path))
    return;
  if (there > 1)
    first += " and " + std::to_string(there - 1) + " more";
  diags.warningInFile("onnx-external", path,
                      "tensors of this model are in files that stay where they are: copy " + first + " beside it");
}

bool exportOnnx(OnnxModel &model, const std::string &path, Diagnostics &diags) {
  google::protobuf::LogSilencer silent;
  onnxio::ModelExporter exporter(model, diags);
  const bool apart = !model.externalData.file.empty();
  const onnx::ModelProto *out = message(exporter, model.program, *model.rest(), path, apart, diags);
  if (!out)
    return false;
  if (onnxio::isExternalFile(*model.rest(), path)) {
    diags.errorInFile(
        "onnx-external", path,
        "cannot be written: this file holds tensors of the model, which would be lost; choose another name");
    return false;
  }
  std::optional<onnxio::ExternalWriter> external;
  if (apart && !(out = external.emplace(*model.rest(), path, model.externalData).write(*out, diags)))
    return false;
  if (apart && out->ByteSizeLong() > onnxio::kMostModelBytes)
    return tooLarge(path, diags);
  AtomicFile file;
  Result<void> written = file.open(path);
  if (written) {
    FileSink sink(file);
    google::protobuf::io::CopyingOutputStreamAdaptor stream(&sink);
    if (!serialize(*out, stream) || !stream.Flush())
      written = failure("the model cannot be put into bytes");
  }
  if (written && external && !external->commit(diags)) // first, since the model is nothing without
    return false;
  if (written)
    written = file.commit();
  if (!written) {
    diags.errorInFile("onnx-file", path, "cannot be written: " + written.error());
    return false;
  }
  if (!external)
    warnOfExternal(*model.rest(), path, diags);
  return true;
}

bool exportOnnxBytes(OnnxModel &model, std::string &bytes, Diagnostics &diags) {
  google::protobuf::LogSilencer silent;
  onnxio::ModelExporter exporter(model, diags);
  const onnx::ModelProto *out = message(exporter, model.program, *model.rest(), model.rest()->path, false, diags);
  if (!out)
    return false;
  bytes.clear();
  google::protobuf::io::StringOutputStream stream(&bytes);
  return serialize(*out, stream);
}

} // namespace rw
