// Calls by name, `stablehlo.custom_call`, that compute nothing: they say where values lie, or how they are laid out, or
// check something.
//
// In:  the name of what is called. Out: what such a call does.
//
//   calledFor("Sharding") == NamedCall::Place;  // every operand is a result again
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace rw {

enum class NamedCall : uint8_t { Other, Place, Assert };

inline NamedCall calledFor(std::string_view target) {
  constexpr std::string_view kPlacements[] = {"Sharding",
                                              "SPMDFullToShardShape",
                                              "SPMDShardToFullShape",
                                              "annotate_device_placement",
                                              "LayoutConstraint",
                                              "MoveToHost",
                                              "MoveToDevice",
                                              "xla.sdy.GlobalToLocalShape",
                                              "xla.sdy.LocalToGlobalShape",
                                              "xla.sdy.FuncResultSharding"};
  if (std::ranges::count(kPlacements, target))
    return NamedCall::Place;
  return target == "shape_assertion" ? NamedCall::Assert : NamedCall::Other;
}

} // namespace rw
