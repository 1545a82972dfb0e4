// One declaration, whatever it is, when its turn comes.
//
// In:  an item that declare.h has entered.
// Out: its body in the Module.
// Elsewhere: which items have a turn at all is deferred.h and check.cpp.
//
//   for (DeclItem &item : c.items)
//     if (!item.deferred) checkItem(c, item);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Once; a second time does nothing.
void checkItem(CheckContext &c, DeclItem &item);
/// Before its turn, where something depends on what an op's body says. An op's body asks for no other op's.
void checkNow(CheckContext &c, OpIndex op);

} // namespace rw::sema
