#include "rw/infer/einsum_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace rw {
namespace {
/// The letters of one operand or of the result. An ellipsis stands in front of letter `ellipsis`.
struct Term {
  std::string letters;
  std::optional<size_t> ellipsis;
};

std::optional<Term> parseTerm(std::string_view text) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "..." && !term.ellipsis) {
      term.ellipsis = term.letters.size();
      i += 2;
    } else if (std::isalpha(uint8_t(text[i]))) {
      term.letters += text[i];
    } else {
      return std::nullopt;
    }
  }
  return term;
}

struct Equation {
  std::vector<Term> operands;
  std::optional<Term> result;
};

std::optional<Equation> parseEquation(std::string_view given) {
  std::string text;
  std::ranges::copy_if(given, std::back_inserter(text), [](char c) { return c != ' '; });
  Equation equation;
  size_t arrow = text.find("->");
  if (arrow != std::string::npos)
    if (equation.result = parseTerm(std::string_view(text).substr(arrow + 2)); !equation.result)
      return std::nullopt;
  std::string_view left = std::string_view(text).substr(0, arrow);
  for (;;) {
    size_t comma = left.find(',');
    std::optional<Term> term = parseTerm(left.substr(0, comma));
    if (!term)
      return std::nullopt;
    equation.operands.push_back(std::move(*term));
    if (comma == std::string_view::npos)
      return equation;
    left.remove_prefix(comma + 1);
  }
}

/// Without an arrow: the ellipsis, then the letters that stand once, in the order of their codes.
Term implicitResult(const Equation &equation) {
  Term result;
  std::array<unsigned, 128> counts{};
  for (const Term &t : equation.operands) {
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

/// What two sizes of one letter are together: engines stretch 1.
Dim together(Dim a, Dim b) {
  if (a == b || b == Dim(1))
    return a;
  if (a == Dim(1))
    return b;
  bool aSays = a.isKnown(), bSays = b.isKnown();
  return aSays == bSays ? Dim::unknown() : aSays ? a : b; // a number that is not 1 is right, whatever the other is
}

class Sizes {
public:
  bool add(const Term &term, const Dims &dims) {
    if (term.ellipsis ? dims.size() < term.letters.size() : dims.size() != term.letters.size())
      return false;
    size_t skipped = dims.size() - term.letters.size(), front = term.ellipsis.value_or(term.letters.size());
    for (size_t i = 0; i < term.letters.size(); ++i)
      addLetter(term.letters[i], dims[i < front ? i : i + skipped]);
    if (term.ellipsis)
      addEllipsis({dims.data() + front, skipped});
    return true;
  }
  std::optional<Dims> of(const Term &term) const {
    Dims dims;
    for (size_t i = 0; i <= term.letters.size(); ++i) {
      if (term.ellipsis == i)
        for (Dim d : ellipsis_)
          dims.push_back(d);
      if (i == term.letters.size())
        break;
      if (!known_[size_t(term.letters[i])])
        return std::nullopt; // a letter that no operand has
      dims.push_back(sizes_[size_t(term.letters[i])]);
    }
    return dims;
  }

private:
  void addLetter(char letter, Dim d) {
    Dim &size = sizes_[size_t(letter)];
    size = known_[size_t(letter)] ? together(size, d) : d;
    known_[size_t(letter)] = true;
  }
  /// Aligned at the end, as shapes broadcast.
  void addEllipsis(std::span<const Dim> dims) {
    if (dims.size() > ellipsis_.size())
      ellipsis_.insert(ellipsis_.begin(), dims.size() - ellipsis_.size(), Dim(1));
    for (size_t i = 0; i < dims.size(); ++i) {
      Dim &size = ellipsis_[ellipsis_.size() - dims.size() + i];
      size = together(size, dims[i]);
    }
  }

  std::array<Dim, 128> sizes_{};
  std::array<bool, 128> known_{};
  std::vector<Dim> ellipsis_;
};
} // namespace

std::optional<Dims> einsumShape(std::string_view text, std::span<const std::optional<Dims>> operands) {
  std::optional<Equation> equation = parseEquation(text);
  if (!equation || equation->operands.size() != operands.size())
    return std::nullopt;
  Sizes sizes;
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i] || !sizes.add(equation->operands[i], *operands[i]))
      return std::nullopt;
  return sizes.of(equation->result ? *equation->result : implicitResult(*equation));
}

} // namespace rw
