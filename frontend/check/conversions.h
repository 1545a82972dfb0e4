// `conversion` declarations: which ops are legal afterwards, and the patterns that get there.
//
// In:  a declaration.
// Out: a Pass that is a conversion.
//
//   checkConversion(c, c.module.passes[i], decl);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// All clauses of a conversion.
void checkConversion(CheckContext &c, Pass &pass, const ast::ConversionDecl &decl);

} // namespace rw::sema
