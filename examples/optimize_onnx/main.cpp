// optimize_onnx IN.onnx OUT.onnx: what `rw-opt IN.onnx -o OUT.onnx` does.
#include "rw/builtin.h"
#include "rw/onnx/optimize.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 3)
    return std::fputs("usage: optimize_onnx IN.onnx OUT.onnx\n", stderr), 2;
  rw::Registry registry;
  rw::registerAll(registry);
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  rw::OptimizeOptions options;
  options.filter.disabled = {"label:slices_as_split"}; // our engine has no Split
  auto done = rw::optimizeOnnx(argv[1], argv[2], registry, options, diags);
  std::fputs(diags.renderText().c_str(), stderr); // warnings, if all went well
  for (const auto &use : done ? done->patterns : std::vector<rw::PassRecord::PatternUse>())
    if (use.counters.applied)
      std::printf("%d x %s\n", int(use.counters.applied), use.name.c_str());
  return done ? 0 : 1;
}
