// LeanParser: what the generated parser derives from, so that entering and leaving a rule costs little.
//
// In:  the generated code: it calls what is here by the names of antlr4::Parser's own members, which these hide.
// Out: contexts without a parse tree, in memory that is used again for the next declaration.
// Elsewhere: grammar/RwParser.g4 names it (`superClass`); parse.cpp runs it.
//
// ANTLR's runtime makes each context with `new`, leaves each rule through a std::function and a dynamic_cast, and asks
// for listeners and parse trees on each token: a third of parsing. Nothing of that is needed where labels are all that
// is read. What is left asks before every part of every rule which token is next, and the error strategy whether to go
// on: both are looked at here, by their classes.
#pragma once

#include "frontend/parse/token_stream.h"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace rw::parse {

/// Holds the contexts of one declaration.
class Contexts {
public:
  Contexts() = default;
  Contexts(const Contexts &) = delete;
  ~Contexts() { reset(); }

  template <class T, class... Args> T *createInstance(Args &&...args) {
    static_assert(sizeof(T) <= kBlock && alignof(T) <= alignof(std::max_align_t));
    constexpr size_t kSize =
        (sizeof(T) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
    if (kSize > left_) {
      if (next_ == blocks_.size())
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlock));
      at_ = blocks_[next_++].get();
      left_ = kBlock;
    }
    T *made = new (at_) T(std::forward<Args>(args)...);
    at_ += kSize;
    left_ -= kSize;
    made_.push_back(made);
    return made;
  }
  void reset() {
    for (antlr4::tree::ParseTree *context : made_)
      context->~ParseTree();
    made_.clear();
    next_ = left_ = 0;
  }

private:
  static constexpr size_t kBlock = 16 << 10;
  std::vector<std::unique_ptr<std::byte[]>> blocks_; // of kBlock bytes each
  std::vector<antlr4::tree::ParseTree *> made_;
  std::byte *at_ = nullptr;
  size_t left_ = 0, next_ = 0; // bytes behind at_; the block to be used then
};

class LeanParser : public antlr4::Parser {
public:
  /// A ListStream, and nothing else.
  explicit LeanParser(antlr4::TokenStream *input) : Parser(input), _input(static_cast<ListStream *>(input)) {
    setBuildParseTree(false);
  }

  /// `synced`: the rule in which the strategy wants to be asked before each part (`sync`), if it wants that in one.
  void setStrategy(const std::shared_ptr<antlr4::ANTLRErrorStrategy> &strategy, size_t synced = SIZE_MAX) {
    setErrorHandler(strategy);
    _errHandler.strategy = strategy.get();
    _errHandler.synced = synced;
  }

protected:
  void enterRule(antlr4::ParserRuleContext *context, size_t state, size_t rule) override {
    setState(state);
    _ctx = context;
    context->start = _input->LT(1);
    rules_.push_back(uint32_t(rule));
  }
  void exitRule() {
    _ctx->stop = _input->LT(-1);
    setState(_ctx->invokingState);
    _ctx = static_cast<antlr4::ParserRuleContext *>(_ctx->parent);
    rules_.pop_back();
  }
  void enterOuterAlt(antlr4::ParserRuleContext *context, size_t) override { _ctx = context; }
  antlr4::Token *match(size_t type) override {
    SourceToken *token = _input->LT(1);
    if (token->getType() != type)
      return _errHandler->recoverInline(this);
    _input->consume();
    return token;
  }
  antlr4::Token *consume() override {
    antlr4::Token *token = _input->LT(1);
    _input->consume();
    return token;
  }

  /// What the generated code asks of the strategy. It asks before every part of every rule.
  struct Strategy {
    antlr4::ANTLRErrorStrategy *strategy = nullptr;
    size_t synced = SIZE_MAX;

    Strategy *operator->() { return this; }
    void sync(LeanParser *parser) {
      if (parser->rules_.back() == synced) [[unlikely]]
        strategy->sync(parser);
    }
    antlr4::Token *recoverInline(LeanParser *parser) { return strategy->recoverInline(parser); }
    void recover(LeanParser *parser, std::exception_ptr e) { strategy->recover(parser, std::move(e)); }
    void reportError(LeanParser *parser, const antlr4::RecognitionException &e) { strategy->reportError(parser, e); }
    void reportMatch(LeanParser *) {}
  };

  /// Calls it when the rule is left, in whichever way.
  template <class F> class Finally {
  public:
    explicit Finally(F leave) : leave_(std::move(leave)) {}
    Finally(const Finally &) = delete;
    ~Finally() { leave_(); }

  private:
    F leave_;
  };
  template <class F> static Finally<F> finally(F leave) { return Finally<F>(std::move(leave)); }

  Contexts _tracker;
  // These hide the base's.
  Strategy _errHandler;
  ListStream *_input;

private:
  std::vector<uint32_t> rules_; // that are open
};

} // namespace rw::parse
