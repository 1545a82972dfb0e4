// Types of what ONNX's If, Loop and Scan give, by what their regions give, and of what they pass to these.
//
// In:  the op, whose regions have been looked at, and the symbols that stand for unknown sizes inside them.
// Out: the type of a result, of a region's parameter; none if nothing is known. Elsewhere: who asks is infer_shapes.cpp
//      and type_flow.h.
//
// What a Loop carries may change its shape from round to round, and there may be no round at all: then a size that the
// body's type has as a symbol is 0. So of a Loop only what both its operand and its body say is said, and of what is
// gathered only numbers. If gives what its branches have in common.
//
//   TypeId type = regionResultType(fn, op, 0, names);
#pragma once

#include "rw/infer/local_symbols.h"

namespace rw {

TypeId regionResultType(Function &, Op, unsigned result, const LocalSymbols &);

/// Of parameter `i` of the body of a Scan, by the op's operands.
TypeId regionParamType(Op, unsigned i);

/// What a parameter of a Loop's body is: `first` in the first round, `next` in the others. None of other parameters.
struct Carried {
  Value first, next;
};
Carried carriedAt(Op, unsigned i);

} // namespace rw
