// A .rw text in its usual form: the same words and comments, space and indentation put right (`rwc --format`).
//
// In:  a text without syntax errors.
// Out: the text formatted. Line breaks stay where the author put them, as with gofmt: a break is meaning. Everything
//      else follows from the words: two columns a block, later lines of a bracket under its first word, `where` and
//      `=>` under the pattern, comments behind neighbouring lines in one column, one blank line at most. Formatting
//      again changes nothing.
// Elsewhere: words and comments come from frontend/parse/parse.h; spaces between two of them are spacing.h.
//
//   op relu(x:tensor)->tensor{traits pure ;}      gives      op relu(x: tensor) -> tensor { traits pure; }
#pragma once

#include "frontend/parse/parse.h"

#include <string>

namespace rw {

std::string formatText(std::string_view text, const std::vector<Lexeme> &);

} // namespace rw
