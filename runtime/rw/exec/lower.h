// Lowering: a function of a program as an ExecProgram, its ops as they are.
//
// In:  a program that verifies, the name of a function; how large symbols get, where that is known.
// Out: the ExecProgram, which owns a copy of the program: slots in the order of the results, and on these instructions,
//      which are final, the last use of each slot.
// Elsewhere: optimising first is compile.h.
//
//   std::optional<ExecProgram> exec = lowerToExec(program, "main", diags, {{"B", 64}});
#pragma once

#include "rw/exec/exec_program.h"
#include "rw/support/diagnostics.h"

#include <optional>
#include <string_view>
#include <utility>

namespace rw {

/// The greatest size of a symbol, by its name.
using SymbolBounds = std::vector<std::pair<std::string, int64_t>>;

/// Nothing and a diagnostic if there is no such function, or a bound is negative.
std::optional<ExecProgram> lowerToExec(const Program &, std::string_view function, Diagnostics &,
                                       const SymbolBounds & = {});

/// Works out lastUse, unused and unusedInputs anew: for whoever has changed the instructions.
void assignLastUse(ExecProgram &);

} // namespace rw
