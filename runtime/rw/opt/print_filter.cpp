#include "rw/opt/print_filter.h"

#include "rw/support/failure.h"
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw::opt {
namespace {

bool matchesAny(const std::vector<std::string> &globs, std::string_view pass) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string &glob) { return matchesGlob(glob, pass); });
}

} // namespace

Result<void> checkPrintFilter(const Options &options, const Registry &registry) {
  std::vector<std::string> shown; // as runs of passes are called
  for (const PassEntry &pass : registry.passes())
    shown.push_back(registry.shownName(pass));
  std::vector<std::string_view> names(shown.begin(), shown.end());
  for (const std::vector<std::string> *globs : {&options.printBefore, &options.printAfter})
    for (const std::string &glob : *globs) {
      if (std::any_of(names.begin(), names.end(), [&](std::string_view name) { return matchesGlob(glob, name); }))
        continue;
      std::string_view near = nearestName(glob, names);
      return failure("no pass is named `{}`{}", glob, didYouMean(near));
    }
  return {};
}

bool printsBefore(const Options &options, std::string_view pass) { return matchesAny(options.printBefore, pass); }
bool printsAfter(const Options &options, std::string_view pass) { return matchesAny(options.printAfter, pass); }

} // namespace rw::opt
