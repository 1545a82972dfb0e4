// Ops with several variadic groups of operands: `op reduce(inputs: tensor..., inits: tensor...)`.
//
// In:  what is written in the parentheses of such an op, on either side.
// Out: on the left, the groups' elements one by one where their number is written; else conditions on `d.inputs`,
//      `d.inits`, which the runtime takes apart (rw::operandGroup). On the right, lists that fail unless they are
//      equally long.
// Elsewhere: ops with one group or none are match_ops.h and built_ops.h.
//
//   std::vector<size_t> sizes = fitGroups(b, op, e.range, given);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// The operands of a match; false after a report.
bool matchOperandGroups(BodyContext &b, const ast::OpMatch &m, const Op &op,
                        const std::vector<const ast::MatchArg *> &args, Match &out);
/// How many of `given` are each declared operand's, lists one each; nothing if that was reported.
std::vector<size_t> fitGroups(BodyContext &b, const Op &op, SourceRange range, std::vector<Expr> &given);

} // namespace rw::sema
