#include "rw/ir/attr_values.h"

#include "rw/ir/expr_helpers.h"

namespace rw {

static const AttrData *get(Context &ctx, AttrId id, AttrKind kind) {
  if (!id)
    return nullptr;
  const AttrData &a = ctx.attr(id);
  return a.kind == kind ? &a : nullptr;
}

template <> std::optional<double> attrOfKind(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Float);
  return a ? std::optional(a->f) : std::nullopt;
}
template <> std::optional<std::string_view> attrOfKind(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::String);
  return a ? std::optional(a->text) : std::nullopt;
}

template <> std::optional<int64_t> attrAs(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Int);
  return a ? std::optional(a->i) : std::nullopt;
}
template <> std::optional<double> attrAs(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Int)) {
    double d = double(a->i);
    return d >= -9007199254740992.0 && d <= 9007199254740992.0 ? std::optional(d) : std::nullopt;
  }
  return attrOfKind<double>(ctx, id);
}
template <> std::optional<bool> attrAs(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Bool);
  return a ? std::optional(a->i != 0) : std::nullopt;
}
template <> std::optional<std::string_view> attrAs(Context &ctx, AttrId id) {
  const AttrData *symbol = get(ctx, id, AttrKind::Symbol);
  return symbol ? std::optional(symbol->text) : attrOfKind<std::string_view>(ctx, id);
}
template <> std::optional<DType> attrAs(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::DType);
  return a ? std::optional(a->dtype) : std::nullopt;
}
template <> std::optional<TypeId> attrAs(Context &ctx, AttrId id) {
  const AttrData *a = get(ctx, id, AttrKind::Type);
  return a ? std::optional(a->type) : std::nullopt;
}
template <> std::optional<Dim> attrAs(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Dim))
    return a->dims[0];
  const AttrData *number = get(ctx, id, AttrKind::Int);
  return number ? dimOf(number->i) : std::nullopt;
}
template <> std::optional<AttrId> attrAs(Context &, AttrId id) { return id ? std::optional(id) : std::nullopt; }
template <> std::optional<std::span<const int64_t>> attrAs(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Ints)) [[likely]]
    return a->ints;
  const AttrData *dims = get(ctx, id, AttrKind::Dims);
  return dims && dims->dims.empty() ? std::optional(std::span<const int64_t>()) : std::nullopt;
}
/// An empty list reads as a list of any kind.
static bool isEmptyList(Context &ctx, AttrId id) {
  std::optional<std::span<const int64_t>> ints = attrAs<std::span<const int64_t>>(ctx, id);
  return ints && ints->empty();
}
template <> std::optional<std::span<const double>> attrAs(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Floats))
    return a->floats;
  return isEmptyList(ctx, id) ? std::optional(std::span<const double>()) : std::nullopt;
}
template <> std::optional<std::span<const Dim>> attrAs(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Dims))
    return a->dims;
  const AttrData *ints = get(ctx, id, AttrKind::Ints);
  if (!ints)
    return std::nullopt;
  std::optional<Dims> dims = dimsFrom(ints->ints);
  // Interned, so that the view stays.
  return dims ? std::optional(ctx.attr(ctx.dimsAttr(*dims)).dims) : std::nullopt;
}
template <> std::optional<std::vector<int64_t>> attrAs(Context &ctx, AttrId id) {
  if (const AttrData *a = get(ctx, id, AttrKind::Ints))
    return std::vector<int64_t>(a->ints.begin(), a->ints.end());
  const AttrData *a = get(ctx, id, AttrKind::Dims);
  if (!a)
    return std::nullopt;
  std::vector<int64_t> out;
  for (Dim d : a->dims) {
    if (!d.isKnown() && !d.isNegative())
      return std::nullopt;
    out.push_back(d.isKnown() ? d.size() : d.negative());
  }
  return out;
}
/// A list of which `read` gives every element.
template <class T, class Read> static std::optional<ListOf<T>> listAs(Context &ctx, AttrId id, const Read &read) {
  ListOf<T> out;
  const AttrData *a = get(ctx, id, AttrKind::List);
  if (!a)
    return isEmptyList(ctx, id) ? std::optional(out) : std::nullopt;
  for (AttrId e : a->elements) {
    auto element = read(ctx, e);
    if (!element)
      return std::nullopt;
    out.push_back(T(*element));
  }
  return out;
}
template <> std::optional<InlineList<bool>> attrAs(Context &ctx, AttrId id) {
  return listAs<bool>(ctx, id, attrAs<bool>);
}
template <> std::optional<InlineList<std::string_view>> attrAs(Context &ctx, AttrId id) {
  return listAs<std::string_view>(ctx, id, attrOfKind<std::string_view>);
}
template <> std::optional<InlineList<DType>> attrAs(Context &ctx, AttrId id) {
  return listAs<DType>(ctx, id, attrAs<DType>);
}
template <> std::optional<InlineList<TypeId>> attrAs(Context &ctx, AttrId id) {
  return listAs<TypeId>(ctx, id, attrAs<TypeId>);
}
template <> std::optional<ListOf<Ints>> attrAs(Context &ctx, AttrId id) {
  return listAs<Ints>(ctx, id, attrAs<std::span<const int64_t>>);
}

template <> std::optional<int64_t> attrOf(Op op, std::string_view name) {
  AttrId id = op.attrNamed(name);
  const AttrData *a = get(op.context(), id, AttrKind::Bool);
  return a ? std::optional(a->i) : attrAs<int64_t>(op.context(), id);
}
template <> std::optional<bool> attrOf(Op op, std::string_view name) {
  std::optional<int64_t> number = attrOf<int64_t>(op, name);
  return number ? std::optional(*number != 0) : std::nullopt;
}

std::vector<int64_t> intsOf(Op op, std::string_view name) {
  return attrOf<std::vector<int64_t>>(op, name).value_or(std::vector<int64_t>());
}
std::vector<std::pair<int64_t, int64_t>> pairsOf(Op op, std::string_view name) {
  std::vector<std::pair<int64_t, int64_t>> out;
  if (AttrId id = op.attrNamed(name))
    for (AttrId e : op.context().attr(id).elements)
      if (std::span<const int64_t> pair = op.context().attr(e).ints; pair.size() == 2)
        out.emplace_back(pair[0], pair[1]);
  return out;
}

} // namespace rw
