// Functions: `fn half(n: int) -> int = n / 2;`.
//
// In:  a function as declare.h has entered it.
// Out: the same with its value.
//
//   checkFn(c, c.module.fns[i], decl, FnIndex(i));
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Its value, as the type that it gives.
void checkFn(CheckContext &c, Fn &fn, const ast::FnDecl &decl, FnIndex id);
/// Functions that call themselves, perhaps through others: once all bodies are checked.
void reportRecursion(CheckContext &c);

} // namespace rw::sema
