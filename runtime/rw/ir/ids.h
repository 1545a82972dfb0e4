// 32-bit ids of everything the IR stores in flat arrays. An id is an index; the largest value means "none".
//
// Ids of ops, values, operand slots and regions belong to one Function; ids of types, attributes and strings to
// one Context. Elsewhere: what they index is in function.h and context.h.
//
//   OpId op;                 // none
//   if (op) use(op.raw);     // false for none
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rw {

template <class Tag> struct Id {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t raw = kNone;
  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : raw(index) {}
  constexpr explicit operator bool() const { return raw != kNone; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

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

template <class Tag> struct std::hash<rw::Id<Tag>> {
  size_t operator()(rw::Id<Tag> id) const noexcept { return id.raw * size_t{0x9e3779b97f4a7c15u}; }
};
