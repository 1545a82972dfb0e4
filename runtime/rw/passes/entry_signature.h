// EntrySignature: how a function is entered. Two functions of one signature take the same arguments and the same model
// parameters and give results of the same types.
//
// In:  a function. Out: the role, stable id and type of each parameter and the types of the results, comparable between
//      contexts and the same in every run.
// Elsewhere: what the function does is structure_digest.h; plans are kept by both (plan_cache.h).
//
//   EntrySignature s = EntrySignature::of(fn);
//   s.text();     // "(arg f32[B, 3], param(7) f32[3, 4]) -> (f32[B, 4])"
#pragma once

#include "rw/ir/program.h"
#include "rw/support/digest.h"

#include <string>
#include <vector>

namespace rw {

struct EntryParam {
  ParamRole role = ParamRole::Arg;
  uint64_t stableId = 0; // of a Param
  std::string type;
  friend bool operator==(const EntryParam &, const EntryParam &) = default;
};

struct EntrySignature {
  std::vector<EntryParam> params;
  std::vector<std::string> results; // types

  static EntrySignature of(const Function &);
  friend bool operator==(const EntrySignature &, const EntrySignature &) = default;
  std::string text() const;
  Digest digest() const;
};

/// The ids that name the model parameters in every run, one per parameter (0 for arguments): their own, or for those
/// without, one that follows from its name (its place, if it has none) and that no other parameter has.
std::vector<uint64_t> stableIdsOf(const Function &);

} // namespace rw
