// LoadedUnit: the code of a file as ops, patterns, passes and tests of a registry.
//
// In:  a Unit.
// Out: entries of a Registry, which keeps the unit. The patterns are ordinary Patterns: drivers, reports and filters do not
//      see that they are interpreted.
// Elsewhere: compiling is compiler.h, running machine.h; reading files rw/load/load_patterns.h.
//
//   registerUnit(compile(plans, sources, {}, diags), registry);
#pragma once

#include "codegen/interpret/machine.h"
#include "rw/passes/pass.h"

namespace rw::interpret {

void registerUnit(Unit, Registry &);

/// Puts the unit's patterns in the place of those of the same name and file that the registry has; gives how many there were.
size_t substitutePatterns(Unit, Registry &);

} // namespace rw::interpret
