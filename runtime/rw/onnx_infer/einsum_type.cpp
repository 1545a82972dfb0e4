#include "rw/onnx_infer/einsum_type.h"

#include "rw/interp/einsum_equation.h"

#include <array>
#include <vector>

namespace rw {
namespace {
using Term = EinsumEquation::Term;

/// What two sizes of one letter are together: engines stretch 1.
Dim together(Dim a, Dim b) {
  if (a == b || b == Dim(1))
    return a;
  if (a == Dim(1))
    return b;
  bool aSays = a.isKnown(), bSays = b.isKnown();
  return aSays == bSays ? Dim::unknown() : aSays ? a : b; // a number that is not 1 is right, whatever the other is
}

class EinsumSizes {
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
  Result<EinsumEquation> equation = readEinsumEquation(text);
  if (!equation || equation->operands.size() != operands.size())
    return std::nullopt;
  EinsumSizes sizes;
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i] || !sizes.add(equation->operands[i], *operands[i]))
      return std::nullopt;
  return sizes.of(equation->result);
}

} // namespace rw
