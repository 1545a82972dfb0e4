#include "rw/interp/einsum_equation.h"

#include "rw/support/failure.h"

#include <array>

namespace rw {
namespace {
using EinsumTerm = EinsumEquation::Term;

Result<EinsumTerm> readEinsumTerm(std::string_view text) {
  EinsumTerm term;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 3) == "..." && !term.ellipsis) {
      term.ellipsis = term.letters.size();
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      term.letters += c;
    } else {
      return failure("the equation has a `{}`", c);
    }
  }
  return term;
}

/// Without an arrow: the ellipsis, then the letters that stand once, in the order of their codes.
EinsumTerm implicitResult(const std::vector<EinsumTerm> &operands) {
  EinsumTerm result;
  std::array<unsigned, 128> counts{};
  for (const EinsumTerm &t : operands) {
    for (char c : t.letters)
      ++counts[size_t(c)];
    if (t.ellipsis)
      result.ellipsis = 0;
  }
  for (size_t c = 0; c < counts.size(); ++c)
    if (counts[c] == 1)
      result.letters += char(c);
  return result;
}
} // namespace

Result<EinsumEquation> readEinsumEquation(std::string_view given) {
  std::string text(given);
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  EinsumEquation equation;
  std::string_view left = std::string_view(text).substr(0, arrow);
  for (bool more = true; more;) {
    const size_t comma = left.find(',');
    Result<EinsumTerm> term = readEinsumTerm(left.substr(0, comma));
    if (!term)
      return term.failure();
    equation.operands.push_back(std::move(*term));
    more = comma != std::string_view::npos;
    left.remove_prefix(more ? comma + 1 : left.size());
  }
  if (arrow == std::string::npos) {
    equation.result = implicitResult(equation.operands);
    return equation;
  }
  Result<EinsumTerm> result = readEinsumTerm(std::string_view(text).substr(arrow + 2));
  if (!result)
    return result.failure();
  equation.result = std::move(*result);
  return equation;
}

} // namespace rw
