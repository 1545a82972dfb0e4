// Ids of everything the IR stores in flat arrays (support/id.h): 32-bit indices, of which the largest means "none".
//
// Ids of ops, values, operand slots and regions belong to one Function; ids of types, attributes and strings to
// one Context. Elsewhere: what they index is in function.h and context.h.
//
//   OpId op;                 // none
//   if (op) use(op.raw);     // false for none
#pragma once

#include "rw/support/id.h"

namespace rw {

using OpId = Id<struct OpTag>;         ///< an op of a Function
using ValueId = Id<struct ValueTag>;   ///< an op's result or a region's parameter
using SlotId = Id<struct SlotTag>;     ///< an operand slot: one use of a value by an op
using RegionId = Id<struct RegionTag>; ///< a region of a Function; 0 is its body
using StringId = Id<struct StringTag>; ///< an interned string
using TypeId = Id<struct TypeTag>;     ///< an interned type
using AttrId = Id<struct AttrTag>;     ///< an interned attribute
using AttrsId = Id<struct AttrsTag>;   ///< an interned attribute list: all attributes of an op

/// What an op is: an index into the registry's op schemas.
struct KindId {
  uint16_t raw = 0;
  friend constexpr bool operator==(KindId, KindId) = default;
  friend constexpr auto operator<=>(KindId, KindId) = default;
};
/// An op that no registered dialect defines; its full name is kept with its attributes.
inline constexpr KindId kOpaqueKind{0};
/// The last op of every region; its operands are the region's results, so that being a result is a use.
inline constexpr KindId kReturnKind{1};
/// From here on kinds are of ops that a dialect declares.
inline constexpr uint16_t kFirstDeclaredKind = 2;

} // namespace rw
