// --reproducer and --reproduce: the settings of a run in a file, and back.
//
// In:  options. Out: settings to store; or the options that a stored file asks for.
// Elsewhere: the file is rw/passes/reproducer.h.
#pragma once

#include "rw/opt/options.h"
#include "rw/support/diagnostics.h"

#include <utility>

namespace rw::opt {

/// What must be the same when the run is repeated.
std::vector<std::pair<std::string, std::string>> settingsOf(const Options &, int opset);
/// Sets the options that the reproducer at `options.input` names. A pipeline given on the command line wins, and so do
/// --patterns and --plugin, which are sought where the first run sought them.
bool applyReproducer(Options &options, SourceManager &, Diagnostics &);

} // namespace rw::opt
