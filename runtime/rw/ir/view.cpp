#include "rw/ir/view.h"

namespace rw {

static const AttrData *get(Context &ctx, AttrId id, AttrKind kind) {
  if (!id)
    return nullptr;
  const AttrData &a = ctx.attr(id);
  return a.kind == kind ? &a : nullptr;
}

std::optional<int64_t> intOf(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Int);
  return a ? std::optional(a->i) : std::nullopt;
}
std::optional<double> floatOf(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Float);
  return a ? std::optional(a->f) : std::nullopt;
}
std::optional<bool> boolOf(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Bool);
  return a ? std::optional(a->i != 0) : std::nullopt;
}
std::optional<std::string_view> stringOf(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::String);
  return a ? std::optional(a->text) : std::nullopt;
}
std::optional<DType> dtypeOf(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::DType);
  return a ? std::optional(a->dtype) : std::nullopt;
}
std::optional<std::span<const int64_t>> intsOf(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Ints))
    return a->ints;
  const AttrData *dims = get(ctx, id, AttrKind::Dims);
  return dims && dims->dims.empty() ? std::optional(std::span<const int64_t>()) : std::nullopt;
}
std::optional<std::span<const Dim>> dimsOf(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Dims);
  return a ? std::optional(a->dims) : std::nullopt;
}

} // namespace rw
