// Types of what ONNX's Loop and Scan give, by what their bodies give.
//
// In:  the op, whose body has been looked at, and the symbols that stand for unknown sizes inside it.
// Out: the type of a result; none if nothing is known. Elsewhere: the results of If are infer_shapes.cpp.
//
// What a Loop carries may change its shape from round to round, and there may be no round at all: then a size that the body's type has
// as a symbol is 0. So of a Loop only what both its operand and its body say is said, and of what is gathered only numbers.
//
//   TypeId type = loopResultType(fn, op, 0, names);
#pragma once

#include "rw/infer/local_symbols.h"

namespace rw {

TypeId loopResultType(Function &, Op, unsigned result, const LocalSymbols &);

} // namespace rw
