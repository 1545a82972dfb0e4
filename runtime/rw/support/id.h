// Ids: 32-bit indices into tables, of a type for each table, so that none is taken for another.
//
// In:  an index. Out: an id; the largest index means "none".
// Elsewhere: those of the IR are ir/ids.h, those of checked modules frontend/sema/type.h.
//
//   using OpId = Id<struct OpTag>;
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

} // namespace rw

template <class Tag> struct std::hash<rw::Id<Tag>> {
  size_t operator()(rw::Id<Tag> id) const noexcept { return id.raw * size_t{0x9e3779b97f4a7c15u}; }
};
