// Types that are written behind parameters, results and attributes: `n: int`, `-> [dim]`.
//
// In:  syntax of a type.
// Out: the Type, or Error after a report.
// Elsewhere: types of values, `f32[2, n]`, are value_types.h.
//
//   param.type = typeOfAnnotation(c, *written.type, "parameter", false);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// `what` has the type, as messages call it: "parameter", "result". Only what is `native` may be an op.
Type typeOfAnnotation(CheckContext &c, const ast::TypeExpr &type, std::string_view what, bool native);

} // namespace rw::sema
