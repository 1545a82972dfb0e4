#include "rw/ir/dense_sweep.h"

#include <algorithm>

namespace rw {
namespace {
/// What the ops and parameters of a program have as attributes.
class Marker {
public:
  explicit Marker(const Context &ctx) : ctx_(ctx) {}

  void mark(const Function &fn) {
    for (uint32_t i = 0; i < fn.opCapacity(); ++i)
      if (const OpData &op = fn.data(OpId(i)); !(op.flags & kErased))
        mark(op.attrs);
    for (unsigned i = 0; i < fn.params(fn.body()).size(); ++i)
      mark(fn.paramInfo(i).defaultValue);
  }
  bool has(AttrId id) const { return id.raw < attrs_.size() && attrs_[id.raw]; }

private:
  static bool first(std::vector<bool> &seen, uint32_t id) {
    if (id >= seen.size())
      seen.resize(id + id / 2 + 64);
    bool known = seen[id];
    seen[id] = true;
    return !known;
  }
  void mark(AttrsId list) {
    if (!first(lists_, list.raw))
      return;
    for (AttrId id : ctx_.attrs(list).fixed)
      mark(id);
    for (const NamedAttr &a : ctx_.attrs(list).extra)
      mark(a.value);
  }
  void mark(AttrId id) {
    if (id && first(attrs_, id.raw))
      for (AttrId element : ctx_.attr(id).elements)
        mark(element);
  }

  const Context &ctx_;
  std::vector<bool> lists_, attrs_;
};

// Sweeping after each sixteenth of what there is costs sixteen looks at the program for weights that are all replaced;
// programs whose weights are no larger than kLeastStep in all are not looked at.
constexpr uint64_t kPart = 16, kLeastStep = uint64_t(4) << 20;
} // namespace

DenseSweep::DenseSweep(Program &program, std::function<void(std::span<const AttrId>)> dropped)
    : program_(program), ctx_(program.context()), dropped_(std::move(dropped)) {
  schedule();
}

void DenseSweep::schedule() {
  uint64_t held = 0;
  for (AttrId id : ctx_.largeDense())
    held += ctx_.attr(id).dense->bytes.size();
  next_ = ctx_.largeDenseMade() + std::max(held / kPart, kLeastStep);
}

void DenseSweep::run() {
  Marker marker(ctx_);
  for (const Function &fn : program_.functions())
    marker.mark(fn);
  std::vector<AttrId> gone;
  ctx_.releaseLargeDense([&](AttrId id) {
    bool goes = !marker.has(id);
    if (goes)
      gone.push_back(id);
    return goes;
  });
  std::ranges::sort(gone, {}, &AttrId::raw);
  if (!gone.empty())
    dropped_(gone);
  schedule();
}

} // namespace rw
