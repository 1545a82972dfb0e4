// The TokenList as ANTLR's parser wants to see it: all of it in memory, nothing hidden.
//
//   ListStream stream(tokens);   antlr::RwParser parser(&stream);   stream.seek(start);   parser.declaration();
#pragma once

#include "frontend/parse/tokens.h"

namespace rw::parse {

class ListStream final : public antlr4::TokenStream {
public:
  explicit ListStream(const TokenList &list) : list_(list) {}

  Token *LT(ssize_t k) override {
    if (k < 0) return size_t(-k) > at_ ? nullptr : list_.tokens[at_ - size_t(-k)];
    size_t i = at_ + size_t(k) - 1;
    return list_.tokens[i < list_.size() ? i : list_.size() - 1];
  }
  size_t LA(ssize_t k) override {
    Token *token = LT(k);
    return token ? token->getType() : size_t(Token::INVALID_TYPE);
  }
  Token *get(size_t index) const override { return list_.tokens[index]; }
  void consume() override {
    if (at_ + 1 < list_.size()) ++at_;
  }
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = index < list_.size() ? index : list_.size() - 1; }
  size_t size() override { return list_.size(); }
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
  const TokenList &list_;
  size_t at_ = 0;
};

} // namespace rw::parse
