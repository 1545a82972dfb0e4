// Whose op holds a constant: a value of a tensor that a right side makes needs one.
//
// In:  a dialect, or a left side.
// Out: the dialect whose constant op is meant.
//
//   b.constantDialect = dialectOf(c, pattern.roots[0]);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Whether the dialect has an op that holds a constant.
bool hasConstantOp(const CheckContext &c, std::string_view dialect);
/// The dialect whose op holds the constants of an op: its own or, if that has none, `around`, that of what it is in.
std::string constantsOf(const CheckContext &c, const std::string &dialect, const std::string &around);
/// The dialect of all ops that a root may be; empty if they are of several.
std::string dialectOf(const CheckContext &c, const Match &root);
/// A constant that no op of the dialect could hold.
Report reportNoConstant(BodyContext &b, std::string_view dialect, SourceRange range);

} // namespace rw::sema
