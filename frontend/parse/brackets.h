// Brackets: which belong together, which are left over, and whether they nest too deep to be parsed.
//
// In:  tokens and the starts of declarations. Brackets are matched within one declaration, so that a missing one
//      cannot upset the next.
// Out: the partner of every bracket; declarations that must not be parsed.
// Elsewhere: an unmatched bracket is reported where the parser trips over it (syntax_error.cpp).
//
//   f(a, [b)      `(` and `)` are partners, `[` has none
#pragma once

#include "frontend/parse/keywords.h"

namespace rw::parse {

class Outline {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Reports `too-deep`.
  Outline(const TokenList &, DeclStarts, Diagnostics &);

  uint32_t partner(size_t token) const { return partners_[token]; }
  /// The first start of a declaration at or after the token; the end of the file if there is none.
  uint32_t nextStart(size_t token) const;
  /// The start of the declaration that the token lies in or behind; 0 before the first.
  uint32_t startBefore(size_t token) const;
  bool startsAt(size_t token) const { return nextStart(token) == token && token + 1 < partners_.size(); }
  /// The innermost bracket open before the token, kNone if there is none; unmatched ones count.
  uint32_t enclosing(size_t token) const { return enclosing_[token]; }
  bool isTooDeep(size_t start) const;

private:
  void match(const TokenList &, size_t begin, size_t end, Diagnostics &);

  DeclStarts starts_;
  std::vector<uint32_t> tooDeep_;
  std::vector<uint32_t> partners_; // kNone for unmatched brackets and other tokens
  std::vector<uint32_t> enclosing_;
  uint32_t behind_ = kNone; // the innermost bracket left open by the declaration matched last
};

} // namespace rw::parse
