// The clauses of an op: defaults, `require`, `type`, `fold`, `canonicalize`.
//
// In:  an op as declare.h has entered it.
// Out: the same with its clauses.
// Elsewhere: types of operands are operand_types.h; `means` is meanings.h.
//
//   checkOp(c, c.module.ops[i], decl);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// All clauses but `canonicalize` and `means`.
void checkOp(CheckContext &c, Op &op, const ast::OpDecl &decl);
/// The patterns that an op names.
void checkCanonicalize(CheckContext &c, Op &op, const ast::OpDecl &decl);

} // namespace rw::sema
