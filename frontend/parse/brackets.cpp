#include "frontend/parse/brackets.h"

#include "llvm/ADT/SmallVector.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::parse {
namespace {

using L = Lexer;

size_t closerOf(size_t type) {
  return type == L::LPAREN ? L::RPAREN : type == L::LBRACK ? L::RBRACK : type == L::LBRACE ? L::RBRACE : 0;
}
bool isCloser(size_t type) { return type == L::RPAREN || type == L::RBRACK || type == L::RBRACE; }

/// Words and signs that make the parser descend without a bracket: `if a then b else if c …`, `a: b: c`.
bool descends(size_t type) {
  switch (type) {
  case L::IF:
  case L::LET:
  case L::SINGLE:
  case L::ORDERED:
  case L::EACH:
  case L::CONST:
  case L::COLON:
    return true;
  default:
    return false;
  }
}

struct Open {
  uint32_t token;
  unsigned descents = 0; // since the last `,` or `;` at this level
};

} // namespace

Outline::Outline(const TokenList &tokens, DeclStarts starts, Diagnostics &diags)
    : starts_(std::move(starts)), partners_(tokens.size(), kNone), enclosing_(tokens.size(), kNone) {
  size_t end = tokens.size() - 1, begin = 0;
  for (uint32_t start : starts_) {
    match(tokens, begin, start, diags);
    begin = start;
  }
  match(tokens, begin, end, diags);
  enclosing_[end] = behind_;
}

void Outline::match(const TokenList &tokens, size_t begin, size_t end, Diagnostics &diags) {
  llvm::SmallVector<Open, 32> stack{{kNone}};
  size_t depth = 0; // brackets and descents now open
  bool reported = false;
  for (size_t i = begin; i < end; ++i) {
    const size_t type = tokens.tokens[i]->getType();
    enclosing_[i] = i == begin ? behind_ : stack.back().token;
    if (closerOf(type)) {
      stack.push_back({uint32_t(i)});
      ++depth;
    } else if (isCloser(type)) {
      // The innermost bracket it can close; those between stay unmatched.
      size_t at = stack.size() - 1;
      while (at > 0 && closerOf(tokens.type(stack[at].token)) != type)
        --at;
      if (at == 0)
        continue;
      partners_[i] = stack[at].token;
      partners_[stack[at].token] = uint32_t(i);
      for (size_t k = at; k < stack.size(); ++k)
        depth -= 1 + stack[k].descents;
      stack.resize(at);
    } else if (type == L::COMMA || type == L::SEMI) {
      depth -= stack.back().descents;
      stack.back().descents = 0;
    } else if (descends(type)) {
      ++stack.back().descents;
      ++depth;
    }
    if (depth > ast::kMaxNesting && !reported) {
      reported = true;
      tooDeep_.push_back(uint32_t(begin));
      diags
          .error("too-deep", tokens.rangeOf(tokens.tokens[i]),
                 fmt::format("this is nested more than {} levels deep", ast::kMaxNesting))
          .note("give a part of it a name: with `let`, or as a function");
    }
  }
  // What begins the next declaration, or ends the file, still stands inside what was never closed.
  behind_ = stack.back().token;
}

uint32_t Outline::nextStart(size_t token) const {
  auto at = std::lower_bound(starts_.begin(), starts_.end(), uint32_t(token));
  return at == starts_.end() ? uint32_t(partners_.size() - 1) : *at;
}

uint32_t Outline::startBefore(size_t token) const {
  auto at = std::upper_bound(starts_.begin(), starts_.end(), uint32_t(token));
  return at == starts_.begin() ? 0 : *(at - 1);
}

bool Outline::isTooDeep(size_t start) const {
  return std::find(tooDeep_.begin(), tooDeep_.end(), start) != tooDeep_.end();
}

} // namespace rw::parse
