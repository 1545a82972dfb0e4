// Suggestions for a name that nothing bears.
//
// In:  the name as it was written, and those that there are.
// Out: the one that was probably meant, and the words that suggest it at the end of a message.
//
//   std::string_view near = nearestName("canonicalise", {"canonicalize", "cse"});
//   std::string said = "no pass is named `canonicalise`" + didYouMean(near); // …; did you mean `canonicalize`?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rw {

/// The candidate nearest to `name` by edit distance, if one is near enough to be worth suggesting; ties go to
/// the first candidate. Empty if there is none.
std::string_view nearestName(std::string_view name, const std::vector<std::string_view> &candidates);

/// "; did you mean `near`?", or nothing without a name.
std::string didYouMean(std::string_view near);

} // namespace rw
