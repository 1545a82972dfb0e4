// commonType: what two types have in common, for a value that is of the one or of the other.
//
// In:  two types. Out: the type that says what both say, and leaves the rest unknown.
// Elsewhere: Context::meet() puts together what two types say of the same value.
//
//   commonType(ctx, f32[2, B], f32[3, B])   // f32[?, B]
#pragma once

#include "rw/ir/context.h"

namespace rw {

TypeId commonType(Context &, TypeId, TypeId);

} // namespace rw
