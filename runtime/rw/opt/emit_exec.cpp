#include "rw/opt/emit_exec.h"

#include "rw/exec/lower.h"
#include "rw/opt/model_file.h"

#include <charconv>
#include <fmt/format.h>

namespace rw::opt {
namespace {
/// "B=64".
bool readBound(const std::string &text, SymbolBounds &bounds) {
  size_t equals = text.find('=');
  int64_t most = 0;
  const char *end = text.data() + text.size(), *from = equals == std::string::npos ? end : text.data() + equals + 1;
  auto [stopped, error] = std::from_chars(from, end, most);
  if (equals == 0 || from == end || error != std::errc() || stopped != end || most < 0)
    return false;
  bounds.emplace_back(text.substr(0, equals), most);
  return true;
}
} // namespace

bool emitExec(const Options &options, const Program &program, const std::string &path, Diagnostics &diags) {
  SymbolBounds bounds;
  for (const std::string &text : options.bounds)
    if (!readBound(text, bounds)) {
      diags.errorInFile("bad-bound", "command line", fmt::format("`{}` is no bound: write SYMBOL=N, e.g. B=64", text));
      return false;
    }
  std::string out;
  for (const Function &fn : program.functions()) {
    std::optional<ExecProgram> exec = lowerToExec(program, fn.name(), diags, bounds);
    if (!exec)
      return false;
    out += (out.empty() ? "" : "\n") + printExec(*exec);
  }
  return writeText(path, out, diags);
}

} // namespace rw::opt
