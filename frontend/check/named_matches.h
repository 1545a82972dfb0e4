// Named matches: `match scaled(x, by) = mul(x, splat(by))`, used as `scaled(relu(y), 2.0)`.
//
// In:  a declaration, or a use of one.
// Out: what its parameters are; where it is used, a Match that is put in.
// Elsewhere: that each is checked once by itself is named_parts.h.
//
//   if (MatcherIndex named = matcherOf(b, head)) return matchNamed(b, m, named, out, bind);
#pragma once

#include "frontend/check/body_context.h"

namespace rw::sema {

/// Enters the declaration.
void declareMatcher(CheckContext &c, DeclItem &item);
/// Checks a named match by itself: what its parameters are.
void checkDefinition(BodyContext &b, const ast::MatcherDecl &decl, Matcher &out);
/// The named match that a head says, or none.
MatcherIndex matcherOf(const BodyContext &b, const ast::QualifiedName &written);
/// Puts it in where it is used. `bind` is a name for its op, or null.
void matchNamed(BodyContext &b, const ast::OpMatch &m, MatcherIndex index, Match &out, const ast::Name *bind);
/// `let n = e` of a parameter: binds it or, where the use says what it is, compares with that. False if the name is
/// none.
bool bindLetParam(BodyContext &b, const ast::Name &name, const ast::Condition &item, std::vector<Condition> &out);
/// Of a parameter, while its named match is checked by itself: a place that binds or compares it.
void countSite(BodyContext &b, VarId id, bool wholeAttr = false);
/// Whether a name stands for nothing here although it is known elsewhere: another case binds it. A parameter whose type
/// is stated is given by the use then.
bool isUnboundHere(BodyContext &b, VarId id);

} // namespace rw::sema
