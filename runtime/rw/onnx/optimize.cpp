#include "rw/onnx/optimize.h"

#include "rw/ir/dense_sweep.h"

namespace rw {

std::optional<PassManagerResult> optimizeOnnx(OnnxModel &model, const Registry &registry,
                                              const OptimizeOptions &options, Diagnostics &diags,
                                              std::string_view file) {
  DenseSweep sweep(model.program, [&](std::span<const AttrId> gone) { model.dropTensors(gone); });
  return optimizeProgram(model.program, registry, options, diags, int(model.opsetVersion()), "onnx", file,
                         [&](PassManagerOptions &run) { run.rewriteConfig.sweep = &sweep; });
}

std::optional<PassManagerResult> optimizeOnnx(const std::string &in, const std::string &out, const Registry &registry,
                                              const OptimizeOptions &options, Diagnostics &diags) {
  std::optional<OnnxModel> model =
      importOnnx(in, registry.ops, diags, options.strict ? MissingFiles::Error : MissingFiles::Warning);
  if (!model)
    return std::nullopt;
  std::optional<PassManagerResult> result = optimizeOnnx(*model, registry, options, diags, in);
  return result && exportOnnx(*model, out, diags) ? std::move(result) : std::nullopt;
}

} // namespace rw
