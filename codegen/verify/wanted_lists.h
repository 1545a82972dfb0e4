// Wanted lists: what an equation of the `where` says that a list of numbers is, where that is known before the op is
// made that holds it.
//
// In:  the conditions of a pattern; what is known of the program so far: shapes of values, lists of attributes.
// Out: the list, or nothing.
// Elsewhere: a guess only. Whether a pattern matches is found out by running it (trial.h).
//
//   where t == [2] ++ x.shape    wantedList(…, t, …) of an x of shape [3, 4] is [2, 3, 4]
#pragma once

#include "frontend/sema/module.h"

#include <functional>
#include <optional>
#include <vector>

namespace rw::verify {

struct KnownLists {
  std::function<std::optional<std::vector<int64_t>>(sema::VarId)> shape; // of a value
  std::function<std::optional<std::vector<int64_t>>(sema::VarId)> list;  // of an attribute; of a number: one element
};

std::optional<std::vector<int64_t>> wantedList(const sema::Module &, const sema::Pattern &, sema::VarId,
                                               const KnownLists &);

} // namespace rw::verify
