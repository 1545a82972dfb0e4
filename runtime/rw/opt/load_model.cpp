#include "rw/opt/load_model.h"

#include "rw/ir/parser.h"
#include "rw/jaxpr/jaxpr.h"
#include "rw/opt/onnx_file.h"
#include "rw/stablehlo/stablehlo.h"
#include "rw/support/endless.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>

namespace rw::opt {

namespace {
bool isJaxprName(std::string_view path) {
  return llvm::StringRef(path.data(), path.size()).ends_with_insensitive(".jaxpr");
}

/// Whether these are the first bytes of no text: Protobuf begins each field with a byte that texts do not hold, or soon
/// has one.
bool isBinary(std::string_view bytes) {
  bytes = bytes.substr(0, 4096);
  return std::ranges::any_of(
      bytes, [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f'; });
}

class TextFile : public ModelFile {
public:
  TextFile(std::unique_ptr<Program> program, std::string_view format) : program_(std::move(program)), format_(format) {}
  Program &program() override { return *program_; }
  std::string_view format() const override { return format_; }
  std::string_view defaultPipeline() const override { return "default"; }
  bool save(const std::string &path, Diagnostics &diags) override {
    if (isMlirName(path))
      return saveAsMlir(path, *program_, diags);
    return isOnnxName(path) ? saveAsOnnx(path, *program_, writing, diags) : saveAsText(path, *program_, diags);
  }
  bool bytes(std::string_view format, const std::string &name, std::string &out, Diagnostics &diags) override {
    return format == "onnx" ? onnxBytes(*program_, name, writing.bareOps, out, diags)
                            : textBytes(format, *program_, name, out, diags);
  }

private:
  std::unique_ptr<Program> program_;
  std::string_view format_;
};
} // namespace

/// A text of a format: "mlir", "jaxpr" or "rwir".
static std::unique_ptr<ModelFile> loadText(std::string_view text, const std::string &name, std::string_view format,
                                           const OpRegistry &ops, SourceManager &sources, Diagnostics &diags) {
  FileId file = sources.addText(name, std::string(text));
  if (!file) {
    diags.errorInFile("unreadable", name, "the text is too large: all inputs together may have 4 GiB");
    return nullptr;
  }
  std::unique_ptr<Program> program = format == "mlir"    ? stablehlo::parseProgram(file, sources, diags, ops)
                                     : format == "jaxpr" ? jaxpr::parseProgram(file, sources, diags, ops)
                                                         : parseProgram(file, sources, diags, ops);
  return program && !diags.hasErrors() ? std::make_unique<TextFile>(std::move(program), format) : nullptr;
}

/// By how a text begins.
static std::string_view formatOf(std::string_view bytes) {
  return stablehlo::looksLikeMlir(bytes) ? "mlir" : jaxpr::looksLikeJaxpr(bytes) ? "jaxpr" : "rwir";
}

std::unique_ptr<ModelFile> loadModel(const std::string &path, const OpRegistry &ops, SourceManager &sources,
                                     Diagnostics &diags, bool whole) {
  if (std::string why = path == "-" ? "" : whyEndless(path); !why.empty()) {
    diags.errorInFile("unreadable", path, "cannot be read: " + why);
    return nullptr;
  }
  if (isOnnxName(path))
    return loadOnnxModel(path, ops, diags, whole);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    diags.errorInFile("unreadable", path, "cannot be read: " + buffer.getError().message());
    return nullptr;
  }
  std::string_view bytes((*buffer)->getBufferStart(), (*buffer)->getBufferSize());
  const bool isStream = path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/"); // no name, and read by now
  std::string_view format = isMlirName(path)    ? "mlir"
                            : isJaxprName(path) ? "jaxpr"
                            : isTextName(path)  ? "rwir"
                                                : formatOf(bytes);
  bool known = format != "rwir" || isTextName(path);
  if (!known && isBinary(bytes))
    return isStream ? loadOnnxBytes(bytes, path == "-" ? "<stdin>" : path, ops, diags)
                    : loadOnnxModel(path, ops, diags, whole);
  if (!known && !isStream) {
    diags.errorInFile("wrong-format", path,
                      "this is no model, and the extension does not say that it is text: .rwir, .mlir and .jaxpr are, "
                      "and .onnx is a model");
    return nullptr;
  }
  return loadText(bytes, path == "-" ? "<stdin>" : path, format, ops, sources, diags);
}

std::unique_ptr<ModelFile> loadModelBytes(std::string_view bytes, const std::string &name, const OpRegistry &ops,
                                          SourceManager &sources, Diagnostics &diags) {
  if (bytes.empty()) {
    diags.errorInFile("wrong-format", name, "there is nothing in it: no model, and no text of one");
    return nullptr;
  }
  std::string_view format = formatOf(bytes);
  return format == "rwir" && isBinary(bytes) ? loadOnnxBytes(bytes, name, ops, diags)
                                             : loadText(bytes, name, format, ops, sources, diags);
}

} // namespace rw::opt
