// Contextual keywords, and where declarations begin.
//
// In:  tokens as the lexer makes them: every word that can be a keyword is one.
// Out: the same list, in which those that do not stand where the keyword has its meaning are IDENT; and the starts of
//      the declarations, also behind brackets that were never closed.
// Elsewhere: the grammar relies on it, see grammar/RwParser.g4.
//
//   op while(init: tensor...) -> tensor... { region cond, body; }     `while` and `cond` are IDENT, `region` is not
#pragma once

#include "frontend/parse/tokens.h"

namespace rw::parse {

/// Indexes of the tokens that begin a declaration, ascending. A pattern with `for` clauses begins at the first of them.
using DeclStarts = std::vector<uint32_t>;

DeclStarts resolveKeywords(TokenList &);

/// What a value can end with; `and`, `is`, `then`, … are keywords only after it.
bool endsOperand(size_t type);

/// A keyword that begins a declaration (after resolveKeywords).
bool beginsDeclaration(size_t type);

/// A word that means something else where a name is used: `if`, `not`, `true`; in front of parentheses, where
/// functions, named matches and ops stand, `each` as well. Ops, operands and attributes, which other formats name, may
/// be called so; what a file names itself may not.
bool isReserved(std::string_view word, bool isCalled);

} // namespace rw::parse
