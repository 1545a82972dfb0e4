#include "rw/opt/onnx_file.h"

#if RW_ONNX
#include "rw/onnx/from_program.h"
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
  std::vector<std::pair<std::string, std::string>> properties() const override {
    std::vector<std::pair<std::string, std::string>> out;
    for (OnnxProperty &p : model_.properties())
      out.emplace_back(std::move(p.name), std::move(p.value));
    return out;
  }
  void dropTensors(std::span<const AttrId> gone) override { model_.dropTensors(gone); }
  bool save(const std::string &path, Diagnostics &diags) override {
    if (path.ends_with(".onnx"))
      return exportOnnx(model_, path, diags);
    return saveAsText(path, model_.program, diags);
  }

private:
  OnnxModel model_;
};
} // namespace

std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &ops, Diagnostics &diags) {
  std::optional<OnnxModel> model = importOnnx(path, ops, diags);
  return model ? std::make_unique<OnnxFile>(std::move(*model)) : nullptr;
}

bool saveAsOnnx(const std::string &path, Program &program, Diagnostics &diags) {
  if (!program.function("main")) {
    diags.errorInFile("onnx-export", path, "a model is made from the function @main, and there is none");
    return false;
  }
  std::optional<OnnxModel> model = onnxFromProgram(program, program.context().ops(), diags);
  return model && exportOnnx(*model, path, diags);
}
#else
bool saveAsOnnx(const std::string &path, Program &, Diagnostics &diags) {
  diags.errorInFile("wrong-format", path, "this build has no ONNX component; configure with -DRW_ONNX=ON");
  return false;
}
std::unique_ptr<ModelFile> loadOnnxModel(const std::string &path, const OpRegistry &, Diagnostics &diags) {
  diags.errorInFile("wrong-format", path, "this build has no ONNX component; configure with -DRW_ONNX=ON");
  return nullptr;
}
#endif

} // namespace rw::opt
