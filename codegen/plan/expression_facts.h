// What readers of a plan must agree on about expressions, so that a pattern means the same compiled and interpreted.
//
// In:  checked expressions. Out: facts that decide what is asked, remembered and left out.
//
//   if (!plan::looksAround(e) && plan::isWork(e)) remember(e);
#pragma once

#include "frontend/sema/module.h"

#include <vector>

namespace rw::plan {

/// Variables an expression mentions are set.
void collectVars(const sema::Expr &, std::vector<bool> &used);
/// Whether a range is known to be as short as a list that exists: then its length is not limited.
bool isShortRange(const sema::Expr &begin, const sema::Expr &end);
/// Whether ops are built to evaluate it.
bool builds(const sema::Expr &);
/// Whether it looks at anything but variables.
bool looksAround(const sema::Expr &);
/// Whether working it out costs more than looking it up.
bool isWork(const sema::Expr &);
/// Whether it is the same for every op: such a default is left out of ops that are built.
bool isLiteral(const sema::Expr &);
/// Whether its value may be an operand or attribute that is left out: then what is built leaves it out, too, where it
/// may.
bool mayBeAbsent(const sema::Expr &, const sema::Body &);
/// The `x` of the type `(x.dtype, x.shape)`: the type is that of x, no need to take it apart. Else null.
const sema::Expr *typeOfOne(const sema::Expr &type);

} // namespace rw::plan
