// What fusion.rw declares `extern`; the signature is in the generated acme.rw.h.
#include "fusion.rw.h"

namespace acme::fusion {

bool fits(rw::Context &ctx, rw::Value x) {
  constexpr int64_t kBytes = 1 << 20;
  std::optional<int64_t> count = ctx.elementCount(x.typeId()); // nothing if a dimension is unknown
  return !count || *count * rw::dtypeBytes(x.type().dtype) <= kBytes;
}

} // namespace acme::fusion
