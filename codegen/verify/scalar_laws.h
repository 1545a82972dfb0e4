// Laws of elementwise functions: one form for what is written in several ways.
//
// In:  an elementwise function by its name, without dialect and in small letters, its arguments as terms.
// Out: a term that has the same value at the level of the table.
//
//   const Id minus = scalar(t, "neg", DType::F32, {y}, {});
//   scalar(t, "sub", DType::F32, {x, y}, {}) == scalar(t, "add", DType::F32, {x, minus}, {})
#pragma once

#include "codegen/verify/terms.h"

namespace rw::verify {

/// `operandType` is the element type of the first argument, `numbers` what attributes hold.
Term scalar(TermTable &, std::string_view function, DType result, DType operandType, std::vector<Term> args,
            const std::vector<int64_t> &numbers, bool commutative);

/// The greatest ("max") or least ("min") of any number of arguments, in any order; nested ones are one.
Term extreme(TermTable &, std::string_view function, DType, std::vector<Term> args);
/// exp(x) of a real number: of a sum the product.
Term exponential(TermTable &, DType, Term x);

/// One name for what dialects call differently: "multiply" is "mul".
std::string_view commonName(std::string_view opName, std::string &buffer);

/// x, or something else where x is below 0.
Term belowZero(TermTable &, DType, Term x, Term otherwise);

} // namespace rw::verify
