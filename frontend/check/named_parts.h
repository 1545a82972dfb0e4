// What is put in where it is used, named matches and named rewrites: each is checked by itself once, when something
// first uses it or when its own turn comes.
//
// In:  a declaration, and where it is used.
// Out: what it is, or null if there is something wrong with it, which is said once.
// Elsewhere: how matches are put in is named_matches.h, how rewrites are named_rewrites.h.
//
//   const Matcher *named = checkedMatcher(c, index, m.range);
//   if (!named) return;
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// A named match, checked; null if there is something wrong with it, which was said.
const Matcher *checkedMatcher(CheckContext &c, MatcherIndex index, SourceRange used);
/// Likewise a named rewrite.
const NamedRewrite *checkedRewrite(CheckContext &c, RewriteIndex index, SourceRange used);
/// Whether what is checked by itself when it is first used may be checked now: not while it is being checked already.
bool mayOpen(CheckContext &c, const Decl &decl, SourceRange used, std::string_view tag, std::string_view what,
             bool isOpen);
/// The name stands for something else in the same file.
void reportClashes(CheckContext &c, const Decl &decl, const ast::Name &name);

} // namespace rw::sema
