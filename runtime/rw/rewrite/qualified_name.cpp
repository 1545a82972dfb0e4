#include "rw/rewrite/qualified_name.h"

#include "rw/rewrite/greedy_driver.h" // matchesGlob

#include <fmt/format.h>

#include <algorithm>

namespace rw {
namespace {

constexpr std::string_view kJoin = "::";

std::string_view stemOf(std::string_view file) {
  if (file.ends_with(".rw"))
    file.remove_suffix(3);
  return file;
}

std::string joined(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() ? std::string(a.empty() ? b : a) : fmt::format("{}{}{}", a, kJoin, b);
}

/// What stands in front of the name, if nothing is left out.
std::string qualifierOf(const Declared &d) { return joined(d.space, stemOf(d.file)); }

/// Whether `written` matches the qualifier or an end of it that begins behind a `::`.
bool isEndOf(std::string_view written, std::string_view qualifier) {
  for (;;) {
    if (!qualifier.empty() && matchesGlob(written, qualifier))
      return true;
    size_t next = qualifier.find(kJoin);
    if (next == std::string_view::npos)
      return false;
    qualifier.remove_prefix(next + kJoin.size());
  }
}

bool isSame(const Declared &a, const Declared &b) {
  return a.name == b.name && a.space == b.space && a.file == b.file && a.line == b.line;
}

} // namespace

std::string_view shortName(std::string_view written) {
  size_t at = written.rfind(kJoin);
  return at == std::string_view::npos ? written : written.substr(at + kJoin.size());
}

std::string fullName(const Declared &d) { return joined(qualifierOf(d), d.name); }

bool isGlob(std::string_view written) { return written.find_first_of("*?") != std::string_view::npos; }

bool isNamed(const Declared &d, std::string_view written) {
  std::string_view name = shortName(written);
  if (!matchesGlob(name, d.name))
    return false;
  if (name.size() == written.size())
    return true;
  std::string_view qualifier = written.substr(0, written.size() - name.size() - kJoin.size());
  if (written.starts_with(kJoin)) // nothing is left out
    return matchesGlob(qualifier.empty() ? qualifier : qualifier.substr(kJoin.size()), qualifierOf(d));
  return isEndOf(qualifier, d.space) || isEndOf(qualifier, qualifierOf(d));
}

std::vector<uint32_t> findMeant(const NameRef &ref, const NameScope &scope, std::span<const Declared> all) {
  std::vector<uint32_t> named;
  for (uint32_t i = 0; i < all.size(); ++i)
    if (ref.line ? all[i].name == ref.name && all[i].file == ref.file && all[i].line == ref.line
                 : isNamed(all[i], ref.name))
      named.push_back(i);
  if (named.size() < 2)
    return named;
  std::vector<uint32_t> nearer;
  auto keep = [&](auto condition) {
    std::ranges::copy_if(named, std::back_inserter(nearer), [&](uint32_t i) { return condition(all[i]); });
    return !nearer.empty();
  };
  if (!scope.file.empty() && keep([&](const Declared &d) { return d.file == scope.file && d.space == scope.space; }))
    return nearer;
  for (std::string_view space = scope.space; !space.empty();) {
    if (keep([&](const Declared &d) { return d.space == space; }))
      return nearer;
    size_t outer = space.rfind(kJoin);
    space = space.substr(0, outer == std::string_view::npos ? 0 : outer);
  }
  return named;
}

std::string shownName(const Declared &d, std::span<const Declared> others) {
  std::string_view stem = stemOf(d.file);
  auto tells = [&](const std::string &written) {
    return std::ranges::none_of(others, [&](const Declared &o) { return !isSame(d, o) && isNamed(o, written); });
  };
  for (std::string written : {std::string(d.name), joined(d.space, d.name), joined(stem, d.name)})
    if (tells(written))
      return written;
  // What has neither namespace nor file has no longer name: `::` tells that nothing is left out.
  std::string full = fullName(d);
  return tells(full) ? full : std::string(kJoin) + full;
}

std::string placeOf(const Declared &d) {
  if (d.file.empty())
    return "C++";
  return d.line ? fmt::format("{}:{}", d.file, d.line) : std::string(d.file);
}

std::string describeClash(std::string_view written, std::string_view kind, std::span<const Declared> candidates) {
  std::string list;
  std::vector<std::string> shown;
  for (const Declared &d : candidates) {
    shown.push_back(shownName(d, candidates));
    list += fmt::format("{}`{}` ({})", list.empty() ? "" : ", ", shown.back(), placeOf(d));
  }
  std::ranges::sort(shown);
  bool same = std::ranges::adjacent_find(shown) != shown.end(); // no way of writing tells them apart
  return fmt::format("`{}` is the name of {} {}: {}; {}", written, candidates.size(), kind, list,
                     same ? "rename one of them" : "write one of these names");
}

} // namespace rw
