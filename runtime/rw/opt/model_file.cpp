#include "rw/opt/model_file.h"

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/opt/onnx_file.h"
#include "rw/support/atomic_file.h"

#include <cstdio>

namespace rw::opt {

bool writeText(const std::string &path, std::string_view text, Diagnostics &diags) {
  std::string error;
  if (path == "-") {
    if (fwrite(text.data(), 1, text.size(), stdout) == text.size() && fflush(stdout) == 0)
      return true;
    diags.errorInFile("write-failed", "standard output", "could not be written");
    return false;
  }
  if (writeFile(path, text, error))
    return true;
  diags.errorInFile("write-failed", path, error);
  return false;
}

namespace {
bool hasExtension(std::string_view path, std::string_view extension) { return path.ends_with(extension); }

bool saveText(const std::string &path, const Program &program, Diagnostics &diags) {
  return writeText(path, printProgram(program), diags);
}

class TextFile : public ModelFile {
public:
  explicit TextFile(std::unique_ptr<Program> program) : program_(std::move(program)) {}
  Program &program() override { return *program_; }
  std::string_view format() const override { return "rwir"; }
  std::string_view defaultPipeline() const override { return "default"; }
  bool save(const std::string &path, Diagnostics &diags) override {
    return hasExtension(path, ".onnx") ? saveAsOnnx(path, *program_, diags) : saveText(path, *program_, diags);
  }

private:
  std::unique_ptr<Program> program_;
};
} // namespace

bool saveAsText(const std::string &path, const Program &program, Diagnostics &diags) { return saveText(path, program, diags); }

bool canSave(const ModelFile &, const std::string &path, Diagnostics &diags) {
  if (path.empty() || path == "-" || hasExtension(path, ".rwir") || hasExtension(path, ".onnx"))
    return true;
  diags.errorInFile("wrong-format", path, "the extension says what to write: .rwir (text) or .onnx");
  return false;
}

std::unique_ptr<ModelFile> loadModel(const std::string &path, const OpRegistry &ops, SourceManager &sources, Diagnostics &diags) {
  if (hasExtension(path, ".onnx"))
    return loadOnnxModel(path, ops, diags);
  if (path != "-" && !hasExtension(path, ".rwir")) {
    diags.errorInFile("wrong-format", path, "the extension says what a file holds: .rwir (text) or .onnx");
    return nullptr;
  }
  std::string error;
  FileId file = sources.addFile(path, error);
  if (!file) {
    diags.errorInFile("unreadable", path, error);
    return nullptr;
  }
  std::unique_ptr<Program> program = parseProgram(file, sources, diags, ops);
  return program && !diags.hasErrors() ? std::make_unique<TextFile>(std::move(program)) : nullptr;
}

} // namespace rw::opt
