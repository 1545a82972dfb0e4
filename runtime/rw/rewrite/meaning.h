// What ops mean: the `means` clauses of their declarations at work.
//
// In:  an op whose schema has a meaning (OpSchema::expand).
// Out: the ops that it stands for, in its place or as a function of its operands; the types of its results by them.
// Elsewhere: the evaluator and constant folding run what comes out (interp/evaluate.h), ONNX export writes it as a
//      function (onnx/onnx.h); the pass expand_meanings is passes/core_passes.cpp.
//
// A meaning depends on nothing but the types of operands, on constants among them, and on attributes. Nothing here goes
// deeper than the ops that a meaning is made of: what those mean, in turn, is for who looks at them.
//
//   if (std::optional<MeaningFunction> meant = meaningOf(*InputsOf(op), op.resultCount()))
//     evaluate(meant->function, tensorsOf(meant->operands));
#pragma once

#include "rw/ir/builder.h"
#include "rw/rewrite/rewriter.h"

#include <optional>
#include <vector>

namespace rw {

/// Meanings that ops of C++ make of each other may have no end: they are followed no further.
inline constexpr unsigned kMaxMeaningsDeep = 200;
/// As many ops a meaning may be of, with those of all that is in it put in: rwc sees to it.
inline constexpr unsigned kMaxMeaningOps = 10'000;

/// Puts what the op means in its place; false, and nothing is changed, if it means nothing or no meaning holds of it.
/// Between begin(op) and end() of the rewriter, as a pattern does it.
bool expandMeaning(Op, PatternRewriter &);

/// What becomes of operands that are constants, of which a meaning may ask what they hold: they stand in the function,
/// or are handed in like others, of whatever content made that the meaning.
enum class Constants : uint8_t { Stay, AsParams };

/// What an op means, by itself.
struct MeaningFunction {
  Function function;
  /// Operands of the op that its parameters stand for: all that are there, but for constants that stand in the function
  /// and those that nothing needs.
  std::vector<unsigned> operands;
};
/// Of an op of such inputs and `results` results; none if it means nothing or no meaning holds of it. `types` are those
/// of the operands where more is known of them than the inputs say: one each, or empty.
std::optional<MeaningFunction> meaningOf(const OpInputs &, size_t results, std::span<const TypeId> types = {},
                                         Constants = Constants::Stay);

/// OpSchema::meantTypes of every op that has a meaning. What was asked once is remembered by the context.
bool inferByMeaning(const OpInputs &, std::span<TypeId> types);

/// A pattern that replaces every op which means something, of the registry it is made for.
PatternPtr makeExpandMeanings(const OpRegistry &);

} // namespace rw
