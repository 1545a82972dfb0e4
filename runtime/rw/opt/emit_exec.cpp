#include "rw/opt/emit_exec.h"

#include "rw/exec/lower.h"
#include "rw/opt/model_file.h"

#include <charconv>

namespace rw::opt {
namespace {
/// "B=64", as the command line was found to hold (options.cpp).
void readBound(const std::string &text, SymbolBounds &bounds) {
  size_t equals = text.find('=');
  int64_t most = 0;
  std::from_chars(text.data() + equals + 1, text.data() + text.size(), most);
  bounds.emplace_back(text.substr(0, equals), most);
}
} // namespace

bool emitExec(const Options &options, const Program &program, const std::string &path, Diagnostics &diags) {
  SymbolBounds bounds;
  for (const std::string &text : options.bounds)
    readBound(text, bounds);
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
