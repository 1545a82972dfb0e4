// A list of tokens as ANTLR's parser wants to see it: all of it in memory, nothing hidden.
//
// In:  the tokens of a TokenList (tokens.h).
// Out: a stream. The parser knows its class (lean_parser.h), so that looking at a token is a load and not two virtual
//      calls.
//
//   ListStream stream(tokens.tokens);   antlr::RwParser parser(&stream);   stream.seek(start);   parser.declaration();
#pragma once

#include "antlr4-runtime.h"

#include <vector>

namespace rw::parse {

using antlr4::Token;

/// A token as ANTLR's parser wants to see it, in bytes.
class SourceToken final : public Token {
public:
  SourceToken(size_t type, size_t begin, size_t end, size_t index)
      : type_(uint32_t(type)), begin_(uint32_t(begin)), end_(uint32_t(end)), index_(uint32_t(index)) {}
  void setType(size_t type) { type_ = uint32_t(type); }

  size_t getType() const override { return type_ == uint32_t(EOF) ? EOF : type_; }
  size_t getStartIndex() const override { return begin_; }
  size_t getStopIndex() const override { return end_; }
  size_t getTokenIndex() const override { return index_; }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  // Only ANTLR's own messages would use these.
  std::string getText() const override { return {}; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  antlr4::CharStream *getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

private:
  uint32_t type_, begin_, end_, index_;
};

class ListStream final : public antlr4::TokenStream {
public:
  /// The last is EOF.
  explicit ListStream(const std::vector<SourceToken *> &tokens) : tokens_(tokens) {}

  SourceToken *LT(ssize_t k) override {
    if (k < 0)
      return size_t(-k) > at_ ? nullptr : tokens_[at_ - size_t(-k)];
    size_t i = at_ + size_t(k) - 1;
    return tokens_[i < tokens_.size() ? i : tokens_.size() - 1];
  }
  size_t LA(ssize_t k) override {
    SourceToken *token = LT(k);
    return token ? token->getType() : size_t(Token::INVALID_TYPE);
  }
  Token *get(size_t index) const override { return tokens_[index]; }
  void consume() override {
    if (at_ + 1 < tokens_.size())
      ++at_;
  }
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = index < tokens_.size() ? index : tokens_.size() - 1; }
  size_t size() override { return tokens_.size(); }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  // Only ANTLR's own messages would use these.
  std::string getText(const antlr4::misc::Interval &) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext *) override { return {}; }
  std::string getText(Token *, Token *) override { return {}; }

private:
  const std::vector<SourceToken *> &tokens_;
  size_t at_ = 0;
};

} // namespace rw::parse
