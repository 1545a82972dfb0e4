// What element types hold, and whether a cast may leave out the type between, found by trying every value.
//
// In:  element types, integers.
// Out: whether casting each value of the first type through the second gives the same as casting it at once (false also
//      where there are too many values); whether a type has all values of another, or all integers of a range; the ends
//      of integer types.
//
//   holdsAll(DType::U8, DType::I16)     // true
//   endOf(DType::I8, false)             // -128
#pragma once

#include "rw/ir/dtype.h"

#include <optional>

namespace rw::verify {

bool mayLeaveOut(DType source, DType between, DType to);
/// Whether every value of `from` is one of `to`.
bool holdsAll(DType from, DType to);
/// Whether every integer from 0 to `end` is one of `type`, an integer, or a float of at least 16 bits.
bool holdsUpTo(DType type, int64_t end);
/// The least integer of a type, or the greatest one, if 63 bits hold it.
std::optional<int64_t> endOf(DType type, bool greatest);

} // namespace rw::verify
