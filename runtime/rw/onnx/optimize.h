// An ONNX file to an optimised one, in one call.
//
// In:  the path of a model, where the result goes, a registry with the patterns (rw/builtin.h has those that come with
//      rw), options.
// Out: the file, whole or not at all, and what the passes did; or diagnostics.
// Elsewhere: reading and writing are onnx.h, the recipe itself is rw/optimize/optimize.h, with every flag it is rw-opt.
//
//   rw::Registry registry;
//   rw::registerAll(registry);
//   rw::SourceManager sources;
//   rw::Diagnostics diags(sources);
//   auto done = rw::optimizeOnnx("a.onnx", "b.onnx", registry, {.filter = {.disabled = {"label:layout"}}}, diags);
//   std::fputs(done ? rw::renderStatistics(*done).c_str() : diags.renderText().c_str(), stderr);
#pragma once

#include "rw/onnx/onnx.h"
#include "rw/optimize/optimize.h"

namespace rw {

/// Runs the pipeline `onnx` unless the options name another one.
std::optional<PassManagerResult> optimizeOnnx(const std::string &in, const std::string &out, const Registry &,
                                              const OptimizeOptions &, Diagnostics &);
/// The same in memory. Constants of the model that nothing needs any more are let go of while the passes run: keep no
/// copy of its program.
std::optional<PassManagerResult> optimizeOnnx(OnnxModel &, const Registry &, const OptimizeOptions &, Diagnostics &,
                                              std::string_view file = "");

} // namespace rw
