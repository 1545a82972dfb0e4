// Suggestions: restricted Damerau-Levenshtein distance (insert, delete, replace, swap of neighbours).
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace rw {
namespace {

/// The distance, or limit + 1 when it is larger than `limit`.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  size_t lengths = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (lengths > limit)
    return limit + 1;
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, previous);
    std::swap(previous, row);
    row[0] = i;
    size_t smallest = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > limit)
      return limit + 1;
  }
  return row[b.size()];
}

} // namespace

std::string_view nearestName(std::string_view name, const std::vector<std::string_view> &candidates) {
  // One slip in three letters is a misspelling; more is another word. Long garbage is not worth the time.
  if (name.size() > 200)
    return {};
  auto isSameLetter = [](char a, char b) { return std::tolower(uint8_t(a)) == std::tolower(uint8_t(b)); };
  for (std::string_view candidate : candidates) // `relu` is `Relu` rather than `Celu`
    if (name.size() > 1 && candidate != name && std::ranges::equal(candidate, name, isSameLetter))
      return candidate;
  size_t limit = (name.size() + 1) / 3;
  std::string_view best;
  for (std::string_view candidate : candidates) {
    if (candidate == name || candidate.empty())
      continue;
    size_t d = distance(name, candidate, limit);
    if (d <= limit && d > 0) {
      best = candidate;
      limit = d - 1;
      if (limit == 0)
        break;
    }
  }
  return best;
}

std::string didYouMean(std::string_view near) {
  return near.empty() ? std::string() : fmt::format("; did you mean `{}`?", near);
}

} // namespace rw
