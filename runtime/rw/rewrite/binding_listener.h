// What the names of a pattern stand for where it matches: for reports.
//
// In:  patterns that were read from a file and run with PatternRewriter::setExplain. Compiled ones do not know their
//      names any more.
// Out: one call per name, once the pattern has applied.
// Elsewhere: who asks is opt/why_not.h.
//
//   struct Names : BindingListener {
//     void bound(const MatchedName &binding) override { all.emplace_back(binding.name); }
//     std::vector<std::string> all;
//   } names;
//   PatternRewriter rewriter(fn, &names);
//   rewriter.setExplain(true);
#pragma once

#include "rw/rewrite/rewriter.h"

namespace rw {

/// A value, several, an op, or something else as text ("[0, 1]").
struct MatchedName {
  enum Kind : uint8_t { OfValue, OfValues, OfOp, OfText };
  std::string_view name;
  Kind kind = OfText;
  InlineList<Value> values; // one may be none: an operand left out
  Op op;
  std::string text;
};

class BindingListener : public RewriteListener {
public:
  bool wantsReasons() const override { return true; }
  virtual void bound(const MatchedName &) = 0;
};

} // namespace rw
