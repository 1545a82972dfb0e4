#include "rw/rewrite/order_search.h"

namespace rw {

bool OrderSearch::tries(unsigned i, unsigned count, unsigned choice) {
  if (i > 0)
    return i < count && goesBack(choice);
  begin(choice);
  return !gaveUp_;
}

} // namespace rw
