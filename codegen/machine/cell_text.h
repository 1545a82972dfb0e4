// What a register holds, as text: for messages and reports.
//
// In:  a register, and what kind of thing it holds. Out: the text that the language writes for it: "[0, 1]", "f32", "3
//      * B".
//
//   textOf(machine.context(), Elem::Dim, /*isList=*/true, machine.cell(r));
#pragma once

#include "codegen/machine/code.h"
#include "rw/ir/context.h"

#include <string>

namespace rw::interpret {

/// `elem` is what it holds, or of a list what that holds.
std::string textOf(Context &, Elem elem, bool isList, const Cell &);

} // namespace rw::interpret
