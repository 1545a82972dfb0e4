// A program as JSON, for tools that look at dumps.
//
// In:  a program. Out: JSON text, always the same for the same program:
//
//   {"functions": [{"name": "main", "params": [{"name": "%x", "type": "f32[2]", "role": "arg"}],
//     "ops": [{"op": "tensor.relu", "operands": ["%x"], "attrs": {}, "results": [{"name": "%0", "type": "f32[2]"}],
//              "regions": [{"params": […], "ops": […]}]}, …]}]}
//
// Attributes and types are written as in .rwir, an operand left out as null. Elsewhere: the text form is ir/printer.h.
#pragma once

#include "rw/ir/program.h"

#include <string>

namespace rw {

std::string programToJson(const Program &);

} // namespace rw
