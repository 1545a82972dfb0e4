// The check that a program makes of its own values.
#include "rw/interp/kernel.h"

namespace rw {
namespace {

bool check(Call &c) {
  if (!c.need(1) || (c.in[0].dtype() != DType::Bool && !c.fail("the condition is not bool")) ||
      !c.charge(c.in[0].size()))
    return false;
  for (size_t i = 0; i < c.in[0].size(); ++i)
    if (!c.in[0].intAt(i)) {
      std::string_view message = attrOr(c.op, "message", "");
      return c.fail(message.empty() ? "the assertion does not hold"
                                    : "the assertion does not hold: " + std::string(message));
    }
  return true;
}

} // namespace

void addCheckKernels(KernelTable &t) { t.add("tensor.assert", check); }

} // namespace rw
