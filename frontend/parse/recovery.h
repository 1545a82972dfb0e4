// What the parser does when it is stuck: report once, then go on where the next part begins.
//
// In:  ANTLR's parser calls it.
// Out: each independent error is reported once. Inside the braces of an op, a pass or a pattern's right side parsing
//      goes on behind the next `;`; anywhere else the declaration is given up and the caller goes on with the next.
// Elsewhere: the words of the errors are syntax_error.h.
#pragma once

#include "frontend/parse/syntax_error.h"

namespace rw::parse {

class Recovery final : public antlr4::ANTLRErrorStrategy {
public:
  Recovery(const TokenList &tokens, const Outline &outline, SyntaxErrors &errors)
      : tokens_(tokens), outline_(outline), errors_(errors) {}

  /// Errors met since `begin`.
  size_t errorCount() const { return errorCount_; }
  /// One of them was more than a missing `;`, which is as good as there.
  bool isBroken() const { return errorCount_ != semicolons_; }
  void begin() {
    errorCount_ = semicolons_ = 0;
    givingUp_ = false;
  }

  void reset(antlr4::Parser *) override { begin(); }
  Token *recoverInline(antlr4::Parser *) override;
  void recover(antlr4::Parser *, std::exception_ptr) override;
  void sync(antlr4::Parser *) override;
  bool inErrorRecoveryMode(antlr4::Parser *) override { return givingUp_; }
  void reportMatch(antlr4::Parser *) override {}
  void reportError(antlr4::Parser *, const antlr4::RecognitionException &) override;

private:
  bool skipToEnd(antlr4::Parser *, size_t begin, bool consumeEnd);
  bool isNew(size_t token);

  const TokenList &tokens_;
  const Outline &outline_;
  SyntaxErrors &errors_;
  size_t errorCount_ = 0, semicolons_ = 0;
  size_t lastError_ = SIZE_MAX;   // token of the last report
  size_t semicolonAt_ = SIZE_MAX; // token before which a `;` was missing
  size_t wentOnAt_ = SIZE_MAX;    // token at which parsing went on behind what was wrong
  bool givingUp_ = false;         // an exception is on its way to a place from which parsing can go on
};

} // namespace rw::parse
