#include "rwc.h"

#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"
#include "rw/onnx_infer/onnx_infer.h"
#include "rw/testing/run_tests.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace rw {

std::optional<int> testCommand(const RwcOptions &options, const std::string &text) {
  if (!options.cppFiles.empty() || !options.outDir.empty()) // C++ of the file's own; a project to keep
    return std::nullopt;
  SourceManager sources;
  Diagnostics diags(sources);
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  registerOnnxInference();
  LoadOptions load{.importDirs = options.importDirs, .wholeImports = true};
  std::optional<LoadedPatterns> loaded = loadPatterns({{options.input, text}}, load, sources, registry, diags);
  if (!loaded && std::ranges::any_of(diags.all(), [](const Diagnostic &d) { return d.tag == "native-not-loadable"; }))
    return std::nullopt;
  bool none = loaded && loaded->firstTest == registry.tests().size();
  if (none)
    diags.errorInFile("no-tests", options.input, "the file declares no tests")
        .note("`test NAME (x: f32[2]) { before(x) => after(x) }` tests a pattern, a pass or a pipeline");
  if (loaded && !none)
    registry.check(diags);
  if (options.json)
    llvm::errs() << diags.renderJson();
  else
    llvm::errs() << diags.renderText(llvm::sys::Process::StandardErrHasColors());
  return diags.hasErrors() ? 1 : runTests(registry, "*", loaded->firstTest);
}

} // namespace rw
