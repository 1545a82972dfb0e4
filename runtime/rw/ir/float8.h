// Floats of 8 bits: their bits as numbers, and back.
//
// In:  a dtype F8…, bits or a number.
// Out: the number exactly; the nearest float of 8 bits, ties to even.
// Elsewhere: floats of 16 bits are rw/support/numbers.h. Nothing is computed with floats of 8 bits; they are only cast.
//
//   fromFloat8(DType::F8E4M3FN, 0x7E) == 448; toFloat8(DType::F8E4M3FN, 1000, true) == 0x7E
//
// The formats, and what a cast does beyond the greatest number, are those of ONNX's Cast-19: E4M3FN has no infinities
// and one NaN of each sign; E4M3FNUZ and E5M2FNUZ have a single zero, and NaN is what a negative one would be; E5M2 is
// as IEEE 754 would have it.
#pragma once

#include "rw/ir/dtype.h"

namespace rw {

bool isFloat8(DType);
double fromFloat8(DType, uint8_t bits);
/// What, rounded, lies beyond the greatest number becomes that if `saturate`, else an infinity, or NaN where there are
/// none. Infinities do the same, but with a single zero they are always NaN.
uint8_t toFloat8(DType, double value, bool saturate);

} // namespace rw
