// --why-not: why a pattern does not match.
//
// In:  a program, the name of a pattern, perhaps an op or value to look at.
// Out: one line per op that the pattern could match at: whether it matches there, or the first condition that fails and
//      where it is written. The program stays as it is.
// Elsewhere: patterns give their reasons through PatternRewriter::noMatch.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/binding_listener.h"

#include <functional>
#include <string>
#include <vector>

namespace rw::opt {

/// What a name of a pattern stands for: values by name and type as they are before the rewrite ("" and "" for an
/// operand that is left out), an op ("onnx.Mul %m"), or something else as text ("[0, 1]").
struct BoundTo {
  std::string name;
  MatchedName::Kind kind = MatchedName::OfText;
  std::vector<std::pair<std::string, std::string>> values;
  std::string text; // of an op as well
};

/// What a pattern says of one op.
struct MatchAnswer {
  struct Reason {
    std::string condition, file; // file and line: where it is written, if that is known
    unsigned line = 0;
  };
  std::string function, op; // "tensor.relu %3"
  bool matches = false;
  std::vector<BoundTo> bound; // of a match: the pattern's names, if it was read from a file
  // of a miss: the first condition that fails, then those of other orders of operands, longer chains
  std::vector<Reason> reasons;
  std::vector<std::string> startsAt; // of an op that the pattern cannot start at: the kinds that it can
};
struct MatchAnswers {
  std::vector<MatchAnswer> ops;
  size_t leftOut = 0;              // beyond the limit
  std::vector<std::string> values; // that `at` could have meant, where it was given
};
/// The answers of a pattern at all ops that it can start at, or only at the op or value named `at`.
MatchAnswers answersOf(const Program &, const NamedPattern &, std::string_view at, size_t limit);

/// Whether --why-not names a pattern; a diagnostic if not.
bool isKnownPattern(const Registry &, const Options &, Diagnostics &);
bool explainNoMatch(const Program &, const Registry &, const Options &, Diagnostics &,
                    const std::function<void(std::string_view)> &print);

} // namespace rw::opt
