#include "rw/opt/onnx_file.h"

#if RW_ONNX
#include "rw/onnx/from_program.h"
#include "rw/onnx/result_copies.h"
#endif

namespace rw::opt {

#if RW_ONNX
namespace {
class OnnxFile : public ModelFile {
public:
  explicit OnnxFile(OnnxModel model) : model_(std::move(model)) {}
  Program &program() override { return model_.program; }
  std::string_view format() const override { return "onnx"; }
  std::string_view defaultPipeline() const override { return "onnx"; }
  int opsetVersion() const override { return int(model_.opsetVersion()); }
  Result<std::string> stored(Op op) const override { return readStored(model_, op); }
  bool reads(const std::string &path) const override { return hasTensorsIn(model_, path); }
  std::vector<std::pair<std::string, std::string>> properties() const override {
    std::vector<std::pair<std::string, std::string>> out;
    for (OnnxProperty &p : model_.properties())
      out.emplace_back(std::move(p.name), std::move(p.value));
    return out;
  }
  void dropTensors(std::span<const AttrId> gone) override { model_.dropTensors(gone); }
  bool save(const std::string &path, Diagnostics &diags) override {
    model_.writesMeanings = !writing.bareOps;
    model_.externalData = {writing.externalData, writing.externalBytes};
    if (isOnnxName(path))
      return exportOnnx(model_, path, diags);
    if (isMlirName(path))
      return saveAsMlir(path, model_.program, diags);
    return saveAsText(path, model_.program, diags);
  }
  bool bytes(std::string_view format, const std::string &name, std::string &out, Diagnostics &diags) override {
    model_.writesMeanings = !writing.bareOps;
    return format == "onnx" ? exportOnnxBytes(model_, out, diags) : textBytes(format, model_.program, name, out, diags);
  }
  bool convertOpset(int version, const OpRegistry &ops, Diagnostics &diags) override {
    return version == model_.opsetVersion() || take(rw::convertOpset(model_, version, ops, diags));
  }
  bool readTensors(const OpRegistry &ops, Diagnostics &diags) override {
    return take(rw::readTensors(model_, ops, diags));
  }

private:
  bool take(std::optional<OnnxModel> model) {
    if (model)
      model_ = std::move(*model);
    return bool(model);
  }

  OnnxModel model_;
};
} // namespace

void addOpsOfModel(Program &program) { addResultCopies(program); }

std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &ops, Diagnostics &diags,
                                         bool whole) {
  std::optional<OnnxModel> model = importOnnx(path, ops, diags, whole ? MissingFiles::Error : MissingFiles::Warning);
  return model ? std::make_unique<OnnxFile>(std::move(*model)) : nullptr;
}

std::unique_ptr<ModelFile> loadOnnxBytes(std::string_view bytes, const std::string &name, const OpRegistry &ops,
                                         Diagnostics &diags) {
  std::optional<OnnxModel> model = importOnnxBytes(bytes, name, ops, diags);
  return model ? std::make_unique<OnnxFile>(std::move(*model)) : nullptr;
}

static std::optional<OnnxModel> toModel(Program &program, const std::string &name, bool bareOps, Diagnostics &diags) {
  nameEntry(program);
  if (!program.function("main")) {
    diags.errorInFile("onnx-export", name,
                      "a model is made from the function @main, or from the only one that no other calls; there are "
                      "several, and none of that name");
    return std::nullopt;
  }
  std::optional<OnnxModel> model = onnxFromProgram(program, program.context().ops(), diags);
  if (model)
    model->writesMeanings = !bareOps;
  return model;
}

bool saveAsOnnx(const std::string &path, Program &program, const OnnxWriting &writing, Diagnostics &diags) {
  std::optional<OnnxModel> model = toModel(program, path, writing.bareOps, diags);
  if (model)
    model->externalData = {writing.externalData, writing.externalBytes};
  return model && exportOnnx(*model, path, diags);
}

bool onnxBytes(Program &program, const std::string &name, bool bareOps, std::string &out, Diagnostics &diags) {
  std::optional<OnnxModel> model = toModel(program, name, bareOps, diags);
  return model && exportOnnxBytes(*model, out, diags);
}
#else
void addOpsOfModel(Program &) {}
bool saveAsOnnx(const std::string &path, Program &, const OnnxWriting &, Diagnostics &diags) {
  diags.errorInFile("wrong-format", path, "this build has no ONNX component; configure with -DRW_ONNX=ON");
  return false;
}
bool onnxBytes(Program &program, const std::string &name, bool bareOps, std::string &, Diagnostics &diags) {
  return saveAsOnnx(name, program, {.bareOps = bareOps, .externalData = {}}, diags);
}
std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &, Diagnostics &diags, bool) {
  diags.errorInFile("wrong-format", path, "this build has no ONNX component; configure with -DRW_ONNX=ON");
  return nullptr;
}
std::unique_ptr<ModelFile> loadOnnxBytes(std::string_view, const std::string &name, const OpRegistry &ops,
                                         Diagnostics &diags) {
  return loadOnnxModel(name, ops, diags, false);
}
#endif

} // namespace rw::opt
