// Types in the bodies of a model's functions, which ONNX does not record.
//
// In:  a program as imported; the names of the functions that opaque ops of that name call.
// Out: parameters with what is true of them at every call, values with what follows, calls with the types of what is
//      returned. Nothing becomes less known than it was.
// Elsewhere: types within one function are refined by passes/refine_types.h once passes ran.
#pragma once

#include "rw/ir/program.h"

#include <functional>

namespace rw::onnxio {

void inferFunctionTypes(Program &, const std::function<bool(std::string_view)> &isCallee);

} // namespace rw::onnxio
