// Types in the bodies of a model's functions, which ONNX does not record.
//
// In:  a program as imported, with what is recorded of the values of each function; the names of the functions that
//      opaque ops of that name call.
// Out: parameters with what is true of them at every call, values with what follows, calls with the types of what is
//      returned.
// Elsewhere: types within one function are refined by passes/refine_types.h once passes ran.
#pragma once

#include "rw/infer/type_flow.h"
#include "rw/ir/program.h"

namespace rw::onnxio {

void inferFunctionTypes(Program &, const std::function<bool(std::string_view)> &isCallee,
                        const std::function<TypeFlow &(Function &)> &flowOf);

} // namespace rw::onnxio
