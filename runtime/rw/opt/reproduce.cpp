#include "rw/opt/reproduce.h"

#include "rw/passes/reproducer.h"
#include "rw/support/failure.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <type_traits>
#include <variant>

namespace rw::opt {
namespace {

/// A setting of a reproducer: the flag that it is, and where its value is.
struct Setting {
  std::string_view flag;
  std::variant<bool Options::*, int Options::*, std::optional<bool> Options::*, std::optional<uint64_t> Options::*,
               std::optional<FastMath> Options::*, std::vector<std::string> Options::*>
      place;
  bool isWritten = true;
};
// In the order in which they are written.
constexpr Setting kSettings[] = {
    {"verify-each", &Options::verifyEach},
    {"strict", &Options::strict},
    {"fastmath", &Options::fastmath},
    {"expensive-checks", &Options::expensiveChecks},
    {"disable-pattern", &Options::disabledPatterns},
    {"only-pattern", &Options::onlyPatterns},
    {"plugin", &Options::plugins},
    {"patterns", &Options::patternFiles},
    {"I", &Options::importDirs},
    {"max-rewrites", &Options::maxRewrites, false}, // counted from the beginning of a run, not from a pass of it
    {"max-fold-bytes", &Options::maxFoldBytes},
    {"opset", &Options::opset},
};

// Each reads a value; false if it is none.
bool read(const std::string &text, bool &out) {
  out = text == "true";
  return out || text == "false";
}
template <class Number>
requires std::is_integral_v<Number>
bool read(const std::string &text, Number &out) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size();
}
bool read(const std::string &text, FastMath &out) {
  std::string unknown;
  std::optional<FastMath> freedoms = FastMath::read(text, unknown);
  out = freedoms.value_or(FastMath());
  return freedoms && !text.empty();
}
template <class T> bool read(const std::string &text, std::optional<T> &out) { return read(text, out.emplace()); }
bool read(const std::string &text, std::vector<std::string> &out) { return out.push_back(text), true; }

// The values to be written: none of what is left out.
using Texts = std::vector<std::string>;
Texts textsOf(bool value) { return value ? Texts{"true"} : Texts(); }
Texts textsOf(int value) { return value ? Texts{std::to_string(value)} : Texts(); }
Texts textsOf(std::optional<bool> value) { return value ? Texts{*value ? "true" : "false"} : Texts(); }
Texts textsOf(std::optional<uint64_t> value) { return value ? Texts{std::to_string(*value)} : Texts(); }
Texts textsOf(const std::optional<FastMath> &value) { return value ? Texts{value->text()} : Texts(); }
Texts textsOf(const Texts &values) { return values; }

} // namespace

std::vector<std::pair<std::string, std::string>> settingsOf(const Options &options, int opset) {
  Options said = options;
  said.opset = opset;
  std::vector<std::pair<std::string, std::string>> out;
  for (const Setting &setting : kSettings)
    if (setting.isWritten)
      for (std::string &text : std::visit([&](auto place) { return textsOf(said.*place); }, setting.place))
        out.emplace_back(setting.flag, std::move(text));
  return out;
}

bool applyReproducer(Options &options, SourceManager &sources, Diagnostics &diags) {
  Result<FileId> file =
      options.input == "-" ? failure("a reproducer is read from a file") : sources.addFile(options.input);
  if (!file) {
    diags.errorInFile("unreadable", options.input, file.error());
    return false;
  }
  std::optional<Reproducer> reproducer = readReproducer(sources.text(*file));
  if (!reproducer) {
    diags.errorInFile(
        "no-reproducer", options.input,
        "no reproducer: its first line would be `// rw-opt reproducer`; leave out --reproduce to read it as it is");
    return false;
  }
  // Who has the files elsewhere says so.
  const bool loadsOthers = !options.patternFiles.empty() || !options.plugins.empty();
  for (const auto &[key, value] : reproducer->settings) {
    if (loadsOthers && (key == "patterns" || key == "I" || key == "plugin"))
      continue;
    auto known = std::ranges::find(kSettings, key, &Setting::flag);
    const bool isKnown = known != std::end(kSettings);
    if (isKnown && std::visit([&](auto place) { return read(value, options.*place); }, known->place))
      continue;
    diags.errorInFile("no-reproducer", options.input,
                      isKnown
                          ? fmt::format("the reproducer gives `{}` the value `{}`, which is none for it", key, value)
                          : fmt::format("the reproducer has a setting `{}`, which is none", key));
    return false;
  }
  if (!options.pipeline)
    options.pipeline = reproducer->pipeline;
  return true;
}

} // namespace rw::opt
