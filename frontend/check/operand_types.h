// Types of operands in op declarations, `op matmul(a: _[m, k], b: _[k, n])`.
//
// In:  the declaration; a body in which the op's operands are declared.
// Out: `require` clauses of what the types ask, and the dimensions that names in them stand for.
// Elsewhere: types of what is matched and built are value_types.h.
//
//   checkOperandTypes(b, op, decl);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// All operands of an op.
void checkOperandTypes(BodyContext &b, Op &op, const ast::OpDecl &decl);

} // namespace rw::sema
