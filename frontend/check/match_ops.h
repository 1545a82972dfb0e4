// `add(x, y)`, `d: onnx.Conv(x, w, group = 1)`, `(exp | log)(x)`, `elementwise*(x)`: ops that a left side looks for.
//
// In:  syntax: a head, arguments, perhaps a name.
// Out: a Match of an op or a chain of ops, with its operands, attributes and regions.
// Elsewhere: attributes are match_attrs.h, ops with several variadic operands operand_groups.h, regions regions.h.
//
//   matchOp(b, m, out, &bind.name);  // d: conv(x, w)
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// An op, a chain, or a named match that is put in. `bind` is a name for it, or null.
void matchOp(BodyContext &b, const ast::OpMatch &m, Match &out, const ast::Name *bind);

} // namespace rw::sema
