// What fusion.rw declares `extern`; the signatures are in the generated fusion.rw.h.
#include "fusion.rw.h"

namespace dsp::fusion {

bool fits_mixer(rw::Context &ctx, rw::Value signal) {
  constexpr int64_t kMixerBytes = 512;
  std::optional<int64_t> count = ctx.elementCount(signal.typeId()); // nothing if a dimension is unknown
  return count && *count * rw::dtypeBytes(signal.type().dtype) <= kMixerBytes;
}

} // namespace dsp::fusion
