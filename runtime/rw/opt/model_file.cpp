#include "rw/opt/model_file.h"

#include "rw/ir/printer.h"
#include "rw/stablehlo/stablehlo.h"
#include "rw/support/atomic_file.h"

#include <llvm/ADT/StringRef.h>

#include <cstdio>
#include <filesystem>
#include <unistd.h>
#include <unordered_set>

namespace rw::opt {

bool writeText(const std::string &path, std::string_view text, Diagnostics &diags) {
  if (path == "-") {
    if (fwrite(text.data(), 1, text.size(), stdout) == text.size() && fflush(stdout) == 0)
      return true;
    diags.errorInFile("write-failed", "standard output", "could not be written");
    return false;
  }
  if (Result<void> written = writeFile(path, text); !written) {
    diags.errorInFile("write-failed", path, written.error());
    return false;
  }
  return true;
}

bool isMlirName(std::string_view path) {
  llvm::StringRef name(path.data(), path.size());
  return name.ends_with_insensitive(".mlir") || name.ends_with_insensitive(".mlirbc");
}

bool isOnnxName(std::string_view path) {
  llvm::StringRef name(path.data(), path.size());
  return name.ends_with_insensitive(".onnx") || name.ends_with_insensitive(".pb");
}

void nameEntry(Program &program) {
  if (program.function("main"))
    return;
  const Context &ctx = program.context();
  std::unordered_set<std::string_view> named; // by the ops of other functions
  for (Function &fn : program.functions())
    for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
      Op op = fn.op(OpId(i));
      for (unsigned a = 0; !op.isErased() && a < op.schema().attrs.size(); ++a)
        if (AttrId attr = op.attr(a);
            attr && ctx.attr(attr).kind == AttrKind::Symbol && ctx.attr(attr).text != fn.name())
          named.insert(ctx.attr(attr).text);
    }
  Function *entry = nullptr;
  for (Function &fn : program.functions())
    if (!named.contains(fn.name())) {
      if (entry)
        return;
      entry = &fn;
    }
  if (entry)
    entry->setName("main");
}

bool saveAsMlir(const std::string &path, Program &program, Diagnostics &diags) {
  std::string text;
  return stablehlo::writeProgram(program, text, path, diags) && writeText(path, text, diags);
}

bool isTextName(std::string_view path) {
  return llvm::StringRef(path.data(), path.size()).ends_with_insensitive(".rwir");
}

bool textBytes(std::string_view format, Program &program, const std::string &name, std::string &out,
               Diagnostics &diags) {
  if (format == "mlir")
    return stablehlo::writeProgram(program, out, name, diags);
  out = printProgram(program);
  return true;
}

bool saveAsText(const std::string &path, const Program &program, Diagnostics &diags) {
  return writeText(path, printProgram(program), diags);
}

/// /dev/null, a pipe: what has no extension to go by is given text.
static bool isDevice(const std::string &path) {
  std::error_code failed;
  std::filesystem::file_status status = std::filesystem::status(path, failed);
  return !failed && std::filesystem::is_other(status);
}

bool canSave(const std::string &path, Diagnostics &diags) {
  bool mlir = llvm::StringRef(path).ends_with_insensitive(".mlir");
  if (path.empty() || path == "-" || isTextName(path) || mlir || isOnnxName(path) || isDevice(path))
    return true;
  diags.errorInFile("wrong-format", path, "the extension says what to write: .rwir (text), .mlir (StableHLO) or .onnx");
  return false;
}

bool canWrite(const std::string &path, Diagnostics &diags) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-")
    return true;
  auto fail = [&](std::string why) {
    diags.errorInFile("write-failed", path, "cannot be written: " + std::move(why));
    return false;
  };
  std::error_code failed;
  fs::path target = fs::weakly_canonical(path, failed); // what a link names
  if (failed)
    target = path;
  fs::file_status status = fs::status(target, failed);
  if (fs::is_directory(status))
    return fail("this is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status))
    return true; // a pipe, /dev/null
  constexpr fs::perms kWrite = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if (fs::exists(status) && ((status.permissions() & kWrite) == fs::perms::none || ::access(target.c_str(), W_OK) != 0))
    return fail("it is there and read-only; allow writing (chmod +w), or choose another name");
  fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  std::string shown = fs::path(path).parent_path().string();
  if (!fs::is_directory(folder, failed))
    return fail("the folder `" + shown + "` is not there; make it, or write elsewhere");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return fail("nothing can be written in the folder `" + (shown.empty() ? "." : shown) + "`");
  return true;
}

std::optional<Digest> digestOf(ModelFile &model) {
  SourceManager sources;
  Diagnostics diags(sources);
  std::string bytes;
  bool text = model.format() != "onnx" && model.format() != "mlir";
  if (!model.bytes(text ? "rwir" : model.format(), "model", bytes, diags) || diags.hasErrors())
    return std::nullopt;
  return Digester().add(std::string_view(bytes)).take();
}

} // namespace rw::opt
