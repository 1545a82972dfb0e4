// Left sides: names, alternatives, constants, types.
//
// In:  syntax of a match.
// Out: a Match; its names are variables of the body.
// Elsewhere: ops are match_ops.h, attributes match_attrs.h, regions regions.h, named matches named_matches.h, names
//      bindings.h.
//
//   pattern.roots.push_back(checkRoot(b, *root));
//   Match inner = checkMatch(b, *m.inner);
#pragma once

#include "frontend/check/body_context.h"

#include <functional>

namespace rw::sema {

/// What stands left of `=>`: an op, or several in alternatives.
Match checkRoot(BodyContext &b, const ast::Match &m);
/// A match where a value stands.
Match checkMatch(BodyContext &b, const ast::Match &m);
/// Likewise, added to what `out` asks already.
void matchInto(BodyContext &b, const ast::Match &m, Match &out);
/// `a | b`: `one` checks an alternative. Names that all of them bind are bound behind it, others perhaps.
void matchAlternatives(BodyContext &b, size_t count, Match &out, const std::function<void(size_t, Match &)> &one);
/// A literal, or a template name that stands for one, as `type`.
std::optional<Expr> matchLiteral(BodyContext &b, const ast::Match &m, Type type, What what);
/// Warns of one that is written as another before it.
void warnOfRepetition(BodyContext &b, const std::vector<SourceRange> &written, std::string_view what);

} // namespace rw::sema
