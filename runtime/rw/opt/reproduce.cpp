#include "rw/opt/reproduce.h"

#include "rw/passes/reproducer.h"
#include "rw/support/failure.h"

#include <charconv>
#include <fmt/format.h>

namespace rw::opt {
namespace {

template <class Number> bool readNumber(const std::string &text, Number &value) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

bool readBool(const std::string &text, bool &value) {
  value = text == "true";
  return value || text == "false";
}

/// False if the value is none for the key.
bool apply(Options &options, const std::string &key, const std::string &value, bool &known) {
  known = true;
  bool flag = false;
  if (key == "verify-each")
    return readBool(value, options.verifyEach);
  if (key == "strict")
    return readBool(value, options.strict);
  if (key == "fastmath") {
    std::string unknown;
    std::optional<FastMath> freedoms = FastMath::read(value, unknown);
    options.fastmath = freedoms.value_or(FastMath());
    return freedoms && !value.empty();
  }
  if (key == "expensive-checks") {
    bool good = readBool(value, flag);
    options.expensiveChecks = flag;
    return good;
  }
  if (key == "disable-pattern")
    return options.disabledPatterns.push_back(value), true;
  if (key == "only-pattern")
    return options.onlyPatterns.push_back(value), true;
  if (key == "patterns")
    return options.patternFiles.push_back(value), true;
  if (key == "I")
    return options.importDirs.push_back(value), true;
  if (key == "plugin")
    return options.plugins.push_back(value), true;
  if (key == "max-rewrites")
    return readNumber(value, options.maxRewrites.emplace());
  if (key == "max-fold-bytes")
    return readNumber(value, options.maxFoldBytes.emplace());
  if (key == "opset")
    return readNumber(value, options.opset);
  known = false;
  return false;
}

} // namespace

std::vector<std::pair<std::string, std::string>> settingsOf(const Options &options, int opset) {
  std::vector<std::pair<std::string, std::string>> settings;
  auto flag = [&](const char *name, bool value) {
    if (value)
      settings.emplace_back(name, "true");
  };
  flag("verify-each", options.verifyEach);
  flag("strict", options.strict);
  if (options.fastmath)
    settings.emplace_back("fastmath", options.fastmath->text());
  if (options.expensiveChecks)
    settings.emplace_back("expensive-checks", *options.expensiveChecks ? "true" : "false");
  for (const std::string &pattern : options.disabledPatterns)
    settings.emplace_back("disable-pattern", pattern);
  for (const std::string &pattern : options.onlyPatterns)
    settings.emplace_back("only-pattern", pattern);
  for (const std::string &library : options.plugins)
    settings.emplace_back("plugin", library);
  for (const std::string &file : options.patternFiles)
    settings.emplace_back("patterns", file);
  for (const std::string &folder : options.importDirs)
    settings.emplace_back("I", folder);
  if (options.maxFoldBytes)
    settings.emplace_back("max-fold-bytes", std::to_string(*options.maxFoldBytes));
  if (opset)
    settings.emplace_back("opset", std::to_string(opset));
  return settings;
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
    bool known = false;
    if (loadsOthers && (key == "patterns" || key == "I" || key == "plugin"))
      continue;
    if (apply(options, key, value, known))
      continue;
    diags.errorInFile("no-reproducer", options.input,
                      known ? fmt::format("the reproducer gives `{}` the value `{}`, which is none for it", key, value)
                            : fmt::format("the reproducer has a setting `{}`, which is none", key));
    return false;
  }
  if (!options.pipeline)
    options.pipeline = reproducer->pipeline;
  return true;
}

} // namespace rw::opt
