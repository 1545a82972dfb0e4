// Windows that slide over the spatial dimensions of an image [batch, channels, …]: what Conv and the pools share.
//
// In:  the attributes kernel_shape, strides, dilations, pads, auto_pad, ceil_mode of a call.
// Out: sizes of the result, and for each of its places the places of the operand under the window.
#pragma once

#include "rw/interp/kernel.h"

namespace rw {

struct Window {
  Shape kernel, strides, dilations, low, high; // one entry per spatial dimension; low, high: padding
  Shape input, output;                         // spatial sizes

  /// Reads the attributes; `kernel` is what stands in for a kernel_shape left out. Fails where no window fits. The
  /// input `isPadded` where the pads are in its shape.
  bool read(Call &c, const Shape &inputShape, Shape kernelShape, bool isPadded = false);
  /// Calls visit(kernel place, input place) for each place under the window at output `index` that lies inside.
  template <class Visit> void each(const Shape &index, Visit visit) const {
    Shape k(kernel.size(), 0);
    size_t place = 0;
    for (int64_t d : kernel)
      if (d == 0)
        return;
    while (true) {
      int64_t at = 0;
      bool inside = true;
      for (size_t d = 0; d < kernel.size() && inside; ++d) {
        int64_t i = index[d] * strides[d] - low[d] + k[d] * dilations[d];
        inside = i >= 0 && i < input[d];
        at = at * input[d] + i;
      }
      if (inside)
        visit(place, size_t(at));
      ++place;
      size_t d = kernel.size();
      while (d > 0 && ++k[d - 1] == kernel[d - 1])
        k[--d] = 0;
      if (d == 0)
        return;
    }
  }
};
/// Moves `index` on in row-major order; false after the last one.
bool nextIndex(Shape &index, const Shape &shape);

} // namespace rw
