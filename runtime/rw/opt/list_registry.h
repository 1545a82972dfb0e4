// What a tool knows, as text: --list-passes, --list-patterns, --list-ops.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/pass.h"

namespace rw::opt {

std::string describeRegistry(const Registry &, const Options &);

} // namespace rw::opt
