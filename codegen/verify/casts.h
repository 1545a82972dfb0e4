// Whether a cast may leave out the type between, found by trying every value.
//
// In:  three element types.
// Out: whether casting each value of the first through the second gives the same as casting it at once; false also
//      where there are too many values.
#pragma once

#include "rw/ir/dtype.h"

namespace rw::verify {

bool mayLeaveOut(DType source, DType between, DType to);
/// Whether every value of `from` is one of `to`.
bool holdsAll(DType from, DType to);
/// Whether every integer from 0 to `end` is one of `type`, an integer or float of at least 16 bits.
bool holdsUpTo(DType type, int64_t end);

} // namespace rw::verify
