// load_patterns FILE.rw IN.onnx OUT.onnx: reads patterns while the program runs, and applies those of the file's pass
// `main`, then the usual ones.
#include "rw/builtin.h"
#include "rw/load/load_patterns.h"
#include "rw/onnx/optimize.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fputs("usage: load_patterns FILE.rw IN.onnx OUT.onnx\n", stderr), 2;
  rw::Registry registry;
  rw::registerAll(registry);
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  std::optional<rw::PassManagerResult> done;
  if (rw::loadPatterns({{argv[1]}}, {.importDirs = {PATTERN_DIR}}, sources, registry, diags))
    done = rw::optimizeOnnx(argv[2], argv[3], registry, {.pipeline = "main,onnx"}, diags);
  std::fputs(diags.renderText().c_str(), stderr);
  for (const auto &use : done ? done->patterns : std::vector<rw::PassRecord::PatternUse>())
    if (use.counters.applied && use.name.starts_with("Fuse"))
      std::printf("%d x %s\n", int(use.counters.applied), use.name.c_str());
  return done ? 0 : 1;
}
