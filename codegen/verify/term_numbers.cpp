#include "codegen/verify/term_numbers.h"

#include "rw/interp/element.h"
#include "rw/support/numbers.h"

#include <bit>

namespace rw::verify {

std::optional<double> numberOf(const TermTable &t, Term term) {
  const TermNode &n = t.node(term);
  if (n.kind != TermKind::Literal)
    return std::nullopt;
  switch (n.dtype) {
  case DType::F32:
    return double(std::bit_cast<float>(uint32_t(n.numbers[0])));
  case DType::F64:
    return std::bit_cast<double>(n.numbers[0]);
  case DType::F16:
    return double(fromHalf(uint16_t(n.numbers[0])));
  case DType::BF16:
    return double(fromBFloat16(uint16_t(n.numbers[0])));
  case DType::Bool:
    return double(n.numbers[0] != 0);
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> wholeNumber(const TermTable &t, Term term) {
  const TermNode &n = t.node(term);
  if (!isInteger(n.dtype))
    return std::nullopt;
  if (n.kind == TermKind::Literal)
    return n.numbers[0];
  if (n.kind != TermKind::Polynomial)
    return std::nullopt;
  if (n.numbers.empty())
    return 0;
  return n.numbers.size() == 2 && n.numbers[1] == 0 ? std::optional(n.numbers[0]) : std::nullopt;
}

} // namespace rw::verify
