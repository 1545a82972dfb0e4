// Tuples: several values as one.
#include "rw/interp/kernel.h"

namespace rw {
namespace {

bool tuple(Call &c) {
  std::vector<Tensor> elements(c.in.begin(), c.in.end());
  c.out[0] = Tensor::tuple(std::move(elements));
  return c.charge(c.in.size() + 1);
}

bool get(Call &c) {
  if (!c.need(1) || (!c.in[0].isTuple() && !c.fail("the operand is no tuple")))
    return false;
  int64_t index = attrOr(c.op, "index", -1);
  if (index < 0 || size_t(index) >= c.in[0].elements().size())
    return c.fail("the tuple has " + std::to_string(c.in[0].elements().size()) + " elements, none with index " +
                  std::to_string(index));
  c.out[0] = c.in[0].elements()[size_t(index)];
  return true;
}

} // namespace

void addTupleKernels(KernelTable &t) {
  t.add("tensor.tuple", tuple);
  t.add("tensor.get", get);
}

} // namespace rw
