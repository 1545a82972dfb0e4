// Plugins taken in: shared libraries of `rw_add_patterns(… PLUGIN)`, loaded while a program runs.
//
// In:  paths of libraries; a registry with the ops, patterns and passes that there are already.
// Out: everything that the libraries register, in the registry; or diagnostics, and the registry as it was.
// Elsewhere: what a plugin is is plugin.h; `rw-opt --plugin` is rw/opt.
//
// A plugin is code, and trusted like the program itself. It uses the program's copy of rw, which must therefore have
// all of rw and show it: `rw_allow_plugins(TARGET)` in CMake sees to that. Libraries stay loaded until the program
// ends.
//
//   Diagnostics diags(sources);
//   if (!loadPlugins({"libmy.so"}, registry, diags)) std::cerr << diags.renderText();
#pragma once

#include "rw/passes/pass.h"
#include "rw/support/diagnostics.h"

#include <string>
#include <vector>

namespace rw {

/// False after an error: a file that is missing, no library, no plugin, made for another version of rw, given twice, or
/// that uses what the program does not have.
bool loadPlugins(const std::vector<std::string> &paths, Registry &, Diagnostics &);

} // namespace rw
