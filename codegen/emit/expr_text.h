// Small questions about C++ expressions as text. For the expression emitter's files alone.
//
//   bare("(a == b)") == "a == b"; negated("!found") == "found"
#pragma once

#include "codegen/emit/expr_emitter.h"

#include <algorithm>
#include <utility>

namespace rw::emit {

/// A name, or "(*name)".
inline bool isAtom(std::string_view text) {
  if (text.starts_with("(*") && text.ends_with(")"))
    text = text.substr(2, text.size() - 3);
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// "(a == b)" as the condition of an `if`.
inline std::string bare(std::string text) {
  if (!text.starts_with('(') || !text.ends_with(')'))
    return text;
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return text;
  }
  return text.substr(1, text.size() - 2);
}

inline std::string negated(const std::string &text) {
  if (text.starts_with('!') && !text.starts_with("!="))
    return text.substr(1);
  return "!" + text;
}

} // namespace rw::emit
