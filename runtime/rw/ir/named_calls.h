// Calls by name, `stablehlo.custom_call`, that are known here: they say where values lie, or how they are laid out, or
// check something; and those of which it is known what they compute.
//
// In:  the name of what is called. Out: what such a call does.
//
//   calledFor("Sharding") == NamedCall::Place;  // every operand is a result again
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace rw {

enum class NamedCall : uint8_t { Other, Place, Assert, ThreeFry };

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
  // JAX's random numbers on GPUs: two words of keys, two words of counts.
  constexpr std::string_view kThreeFry[] = {"cu_threefry2x32", "cu_threefry2x32_ffi", "hip_threefry2x32",
                                            "hip_threefry2x32_ffi"};
  if (std::ranges::count(kThreeFry, target))
    return NamedCall::ThreeFry;
  return target == "shape_assertion" ? NamedCall::Assert : NamedCall::Other;
}

} // namespace rw
