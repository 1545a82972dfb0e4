// Einsum: sums of products over named dimensions, as its definition says.
#include "rw/interp/einsum_equation.h"
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>

namespace rw {
namespace {

/// One operand or result: a label per dimension. Letters are themselves; dimensions under an ellipsis are -1, -2, …,
/// counted from its end.
using Labels = std::vector<int>;

/// The dimensions under the ellipsis are `hidden` many.
Labels labelsOf(const EinsumEquation::Term &term, size_t hidden) {
  Labels out;
  for (size_t i = 0; i <= term.letters.size(); ++i) {
    if (term.ellipsis == i)
      for (size_t d = hidden; d > 0; --d)
        out.push_back(-int(d));
    if (i < term.letters.size())
      out.push_back(term.letters[i]);
  }
  return out;
}

struct Equation {
  std::vector<Labels> operands;
  Labels result;
  std::vector<std::pair<int, int64_t>> sizes; // by label: those of the result first

  bool read(Call &c);
  int64_t sizeOf(int label) const { return std::ranges::find(sizes, label, &std::pair<int, int64_t>::first)->second; }

private:
  bool measure(Call &c);
};

bool Equation::read(Call &c) {
  // StableHLO's or ONNX's
  Result<EinsumEquation> said =
      readEinsumEquation(attrOr(c.op, c.op.attrNamed("einsum_config") ? "einsum_config" : "equation", ""));
  if (!said)
    return c.fail(said.error());
  if (said->operands.size() != c.in.size())
    return c.fail("the equation has another number of operands");
  size_t widest = 0;
  for (size_t i = 0; i < c.in.size(); ++i) {
    const EinsumEquation::Term &term = said->operands[i];
    const size_t letters = term.letters.size(), rank = c.in[i].rank();
    if (letters > rank || (!term.ellipsis && letters != rank))
      return c.fail("operand " + std::to_string(i) + " has another rank than the equation says");
    widest = std::max(widest, rank - letters);
    operands.push_back(labelsOf(term, rank - letters));
  }
  result = labelsOf(said->result, widest);
  return measure(c);
}

bool Equation::measure(Call &c) {
  for (int label : result)
    if (std::ranges::find(sizes, label, &std::pair<int, int64_t>::first) == sizes.end())
      sizes.emplace_back(label, -1);
    else
      return c.fail("a dimension of the result is named twice");
  for (size_t i = 0; i < operands.size(); ++i)
    for (size_t d = 0; d < operands[i].size(); ++d) {
      int64_t n = c.in[i].dim(d);
      auto known = std::ranges::find(sizes, operands[i][d], &std::pair<int, int64_t>::first);
      if (known == sizes.end())
        sizes.emplace_back(operands[i][d], n);
      else if (known->second < 0 || known->second == 1)
        known->second = n;
      else if (known->second != n && n != 1)
        return c.fail("dimensions of one name have different sizes");
    }
  for (auto [label, n] : sizes)
    if (n < 0)
      return c.fail("the result has a dimension that no operand has");
  return true;
}

bool einsum(Call &c) {
  Equation e;
  if (!c.need(std::max<size_t>(c.in.size(), 1)) || !e.read(c))
    return false;
  Shape all, shape;
  double steps = double(c.in.size());
  for (auto [label, n] : e.sizes) {
    all.push_back(n);
    steps *= double(n);
  }
  for (int label : e.result)
    shape.push_back(e.sizeOf(label));
  std::vector<Shape> strides(c.in.size(), Shape(all.size(), 0)); // a label that an operand has twice is its diagonal
  for (size_t i = 0; i < c.in.size(); ++i) {
    if (c.in[i].dtype() != c.in[0].dtype())
      return c.fail("operands of different element types");
    Shape own = stridesOf(c.in[i].shape());
    for (size_t d = 0; d < own.size(); ++d)
      for (size_t k = 0; k < e.sizes.size(); ++k)
        if (e.sizes[k].first == e.operands[i][d] && c.in[i].dim(d) != 1)
          strides[i][k] += own[d];
  }
  Tensor *y = c.result(0, c.in[0].dtype(), shape);
  if (!y || !c.charge(uint64_t(std::min(1e18, steps))))
    return false;
  size_t results = shape.size();
  size_t terms = elementsIn(Shape(all.begin() + long(results), all.end())).value_or(0);
  return visitNumber(y->dtype(),
                     [&]<class T>(T) {
                       Shape index(all.size(), 0);
                       std::vector<int64_t> at(c.in.size(), 0);
                       auto advance = [&] {
                         for (size_t d = all.size(); d-- > 0;) {
                           bool rolls = ++index[d] == all[d];
                           for (size_t i = 0; i < at.size(); ++i)
                             at[i] += strides[i][d] * (rolls ? 1 - all[d] : 1);
                           if (!rolls)
                             return;
                           index[d] = 0;
                         }
                       };
                       for (size_t r = 0; r < y->size(); ++r) {
                         Sum<T> sum{};
                         for (size_t k = 0; k < terms; ++k) {
                           Sum<T> product(c.in[0].data<T>()[at[0]]);
                           for (size_t i = 1; i < at.size(); ++i)
                             product *= Sum<T>(c.in[i].data<T>()[at[i]]);
                           sum = k == 0 ? product : sum + product; // of one product that itself, -0 as well
                           advance();
                         }
                         y->mutableData<T>()[r] = storeElement<T>(sum);
                       }
                       return true;
                     }) ||
         c.fail("not defined on " + std::string(dtypeName(y->dtype())));
}

} // namespace

void addEinsumKernels(KernelTable &t) {
  t.add("onnx.Einsum", einsum);
  t.add("stablehlo.einsum", einsum);
  t.add("stablehlo.unary_einsum", einsum);
}

} // namespace rw
