// What a text that cannot be parsed may have declared.
//
// In:  tokens from the keyword of a broken declaration, or from the first word of one with no keyword, to the next.
// Out: entries of ast::Module::damaged: the names it would have declared, as far as they can be guessed, so that one
//      mistake in a header is not an error at every use as well.
// Elsewhere: how parsing goes on is recovery.h and parse.cpp; who asks for the names is check/unknown_names.cpp.
//
//   rewrite wrap(v value) -> value [{ … }]      native wrap
//   op (x: tensor) -> tensor { … }              an op of any name
//   transpose(x: tensor) -> tensor { … }        transpose, of any kind
#pragma once

#include "frontend/ast/ast.h"
#include "frontend/parse/brackets.h"

namespace rw::parse {

/// Adds what the declaration in [start, end) would have declared, whose keyword is the token at `start` if `known`.
void addDamaged(const TokenList &, size_t start, size_t end, bool known, ast::Module &);
/// Adds what begins like a declaration in [begin, end), which is not parsed.
void addSkipped(const TokenList &, size_t begin, size_t end, ast::Module &);

} // namespace rw::parse
