// From .rw text to tokens and to the syntax tree. The only way into frontend/parse, and free of ANTLR.
//
// In:  a text that the SourceManager holds; any bytes at all.
// Out: an ast::Module with every declaration that is free of syntax errors, and diagnostics for the others. When the
//      text is wrong anywhere there is at least one error; when there is none the module is complete.
// Elsewhere: the grammar is grammar/RwLexer.g4 and RwParser.g4, the tree frontend/ast/ast.h.
//
//   std::unique_ptr<ast::Module> module = parseModule(file, sources, diags);
//   if (diags.hasErrors()) return 1;
#pragma once

#include "frontend/ast/ast.h"
#include "rw/support/diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rw {

/// Texts with more than these, or than ast::kMaxSourceBytes, are refused (`too-large`).
inline constexpr size_t kMaxTokens = 1'000'000;

/// Never null. Tags: syntax, unclosed, unopened, unexpected-character, invalid-utf8, bad-number, bad-escape, bad-name,
/// unknown-declaration, unknown-clause, unknown-tag, misplaced, duplicate-clause, too-deep, too-large.
/// With two `threads` or more a long text is parsed by two; what comes out does not depend on it. Without `tests` those
/// are passed over, whatever stands in them.
std::unique_ptr<ast::Module> parseModule(FileId, const SourceManager &, Diagnostics &, unsigned threads = 1,
                                         bool tests = true);

/// The tokens, one a line with position and kind, contextual keywords told apart from names (`rwc --dump=tokens`).
void dumpTokens(FileId, const SourceManager &, Diagnostics &, std::string &out);

/// One word, sign, literal or comment: the bytes [begin, end) of its text.
struct Lexeme {
  enum class Kind : uint8_t { Name, Keyword, Literal, Native, Sign, Comment };
  Kind kind;
  uint32_t begin, end;
};

/// Every lexeme of a text in order, comments included; nothing but space lies between them. For tools that work on the
/// text itself (`rwc --format`). Empty when a character is wrong; that is reported.
std::vector<Lexeme> lexemes(FileId, const SourceManager &, Diagnostics &);

} // namespace rw
