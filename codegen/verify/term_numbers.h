// Terms that are one number, read.
//
// In:  a term of a table.
// Out: the number, if it is one.
#pragma once

#include "codegen/verify/terms.h"

#include <optional>

namespace rw::verify {

/// Of floats as bits, and of bools: 0 or 1.
std::optional<double> numberOf(const TermTable &, Term);
/// Of integers.
std::optional<int64_t> wholeNumber(const TermTable &, Term);

/// Whether a term is that function of something.
inline bool isApply(const TermTable &t, Term x, std::string_view function) {
  const TermNode &n = t.node(x);
  return n.kind == TermKind::Apply && n.text == function;
}

} // namespace rw::verify
