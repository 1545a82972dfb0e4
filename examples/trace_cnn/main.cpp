// trace_cnn OUT.onnx: a small network for images of 28 x 28 pixels, written by calls of layers, as an ONNX model.
//
// The stages are those of a converter that traces programs: everything is registered, what layers become is made
// active, the network is traced, and the primitives are lowered to StableHLO and on to ONNX, optimised and written.
#include "layers.h"

#include "rw/builtin.h"
#include "rw/onnx/from_program.h"
#include "rw/optimize/optimize.h"

#include <cstdio>

namespace {
/// Numbers to have some: a real model has learned ones.
rw::GraphValue weights(rw::Tracer &t, std::vector<rw::Dim> shape) {
  rw::Context &ctx = t.context();
  rw::TypeId type = ctx.tensorType(rw::DType::F32, shape);
  std::vector<float> numbers(size_t(*ctx.elementCount(type)));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(int(i * 7 % 11) - 5) / 64;
  return t.constant(ctx.denseAttr(type, std::as_bytes(std::span(numbers))));
}

/// The network: two convolutions, each with a mean of four, and two products. What is wrong, or nothing.
rw::Result<void> trace(rw::Function &fn, const rw::Patches &patches) {
  using rw::Dim;
  rw::Tracer t(fn, patches);
  Dim batch = t.context().dims().symbol(t.context().intern("B"));
  rw::GraphValue x = t.input("image", {rw::DType::F32, {batch, Dim(28), Dim(28), Dim(1)}});
  int64_t in = 1;
  for (int64_t out : {32, 64}) {
    x = t.call("nn.conv", {x, weights(t, {Dim(3), Dim(3), Dim(in), Dim(out)}), weights(t, {Dim(out)})});
    x = t.call("nn.avg_pool", {t.call("nn.relu", {x})});
    in = out;
  }
  x = t.call("nn.flatten", {x});
  x = t.call("nn.relu", {t.call("nn.linear", {x, weights(t, {Dim(3136), Dim(256)}), weights(t, {Dim(256)})})});
  x = t.call("nn.linear", {x, weights(t, {Dim(256), Dim(10)}), weights(t, {Dim(10)})});
  return t.finish({x});
}

bool run(const char *path, rw::Diagnostics &diags) {
  rw::Registry registry;
  rw::registerAll(registry);
  rw::Program program(registry.ops);
  rw::Patches patches;
  {
    rw::ActivationScope active(patches, layers());
    if (rw::Result<void> traced = trace(program.addFunction("main"), patches); !traced) {
      diags.errorInFile("trace", "the network", traced.error());
      return false;
    }
  } // from here on "nn.conv" means nothing again
  if (!optimizeProgram(program, registry, {.pipeline = "jax_to_stablehlo, stablehlo_to_onnx, onnx"}, diags))
    return false;
  std::optional<rw::OnnxModel> model = rw::onnxFromProgram(program, registry.ops, diags);
  return model && rw::exportOnnx(*model, path, diags);
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fputs("usage: trace_cnn OUT.onnx\n", stderr), 2;
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  bool ok = run(argv[1], diags);
  std::fputs(diags.renderText().c_str(), stderr);
  return ok ? 0 : 1;
}
