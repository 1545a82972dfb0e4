#include "rw/builtin.h"

#include "rw/convert/from_onnx_lowerings.h"
#include "rw/convert/jax_lowerings.h"
#include "rw/convert/stablehlo_lowerings.h"
#include "rw/convert/to_f16.h"
#include "rw/infer/infer_shapes.h"
#include "rw/onnx_infer/onnx_infer.h"
#include "rw_builtin_register.h"

void rw::registerAll(Registry &registry) {
  registerCorePasses(registry);
  registerInferencePasses(registry);
  registerOnnxInference();
  registerStablehloLowerings(registry);
  registerJaxLowerings(registry);
  registerFromOnnxLowerings(registry);
  registerToF16Pass(registry);
  builtin::register_rw_builtin(registry);
}
