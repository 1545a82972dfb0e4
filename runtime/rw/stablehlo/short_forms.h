// The short forms of ops, as data: what the words of `stablehlo.transpose %x, dims = [1, 0]` are called in the generic
// form.
//
// In:  an op's name and a key (`dims`). Out: the attribute it stands for (`permutation`).
// Elsewhere: forms with a syntax of their own (slice, reduce, while, …) are read by short_form_reader.cpp.
//
//   transpose  dims -> permutation          dot_general  batching_dims -> lhs_batching_dimensions,
//   rhs_batching_dimensions
#pragma once

#include <cstdint>
#include <string_view>

namespace rw::stablehlo {

/// How the short form of an op is read.
enum class Syntax : uint8_t {
  Items, // `%a, %b, key = value, WORD {attributes} : types`
  Constant,
  Slice,
  TupleElement,
  ReducePrecision,
  CustomCall,
  Composite,
  Convolution,
  While,
  Reduce,
};

Syntax syntaxOf(std::string_view op);

struct KeyName {
  std::string_view op, key;
  std::string_view attribute;
  std::string_view second; // of `[0] x [1]`: the attribute of the second list
};
/// What `key = …` is of an op; null if its short form has no such key.
const KeyName *keyOf(std::string_view op, std::string_view key);
/// What word number `index` without a key is of an op, as LT in `compare LT, %a, %b`; empty if there is none.
std::string_view wordOf(std::string_view op, unsigned index);

} // namespace rw::stablehlo
