// `axis = 1`, `perm = [0, rest...]`, `mode = "same" | "valid"`, `..`: what a left side asks of attributes.
//
// In:  the arguments of a match that have a name.
// Out: AttrMatches of a Match whose ops are known.
//
//   matchAttrs(b, m, out);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// All attributes that a match mentions, and what `..` leaves out.
void matchAttrs(BodyContext &b, const ast::OpMatch &m, Match &out);

} // namespace rw::sema
