// What to say beside an error: what a name was most likely meant as, and how a value becomes what is asked for.
//
// In:  what does not fit here.
// Out: notes and fixes of a Report, or a report of its own where the mistake is known: then the answer is true, and
//      nothing more needs saying.
// Elsewhere: names that are declared nowhere are unknown_names.h.
//
//   if (reportNamedOperand(b, op, arg.name, arg.range)) return;  // `add(lhs = x)`
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// How `e` becomes what is wanted.
void addHint(const BodyContext &b, Report &report, const Expr &e, Type wanted);
/// Of a name for a value, where an op was asked for.
void sayWhyValue(const BodyContext &b, Report &report, VarId id);
/// A name that is bound, but where this place does not see it.
void sayWhereBound(const BodyContext &b, Report &report, std::string_view name);
/// `y = relu(x)` of a match, for `y: relu(x)`.
bool isNamedMatch(const Op &op, const ast::MatchArg &arg);
/// A name of an op's match or build that is one of its operands, not an attribute.
bool reportNamedOperand(BodyContext &b, const Op &op, const ast::Name &name, SourceRange arg);
/// `k: 1` of a match, for `k = 1`.
bool reportColonAttribute(BodyContext &b, const Op &op, const ast::Match &written);
/// `perm[1, 0]` for `perm = [1, 0]`.
bool reportIndexedAttribute(BodyContext &b, const Op &op, const ast::CallArg &arg);
/// More operands than the op has, and an attribute that it needs is not there.
bool reportUnnamedAttribute(BodyContext &b, const Op &op, const std::vector<std::string_view> &given, SourceRange arg);

} // namespace rw::sema
