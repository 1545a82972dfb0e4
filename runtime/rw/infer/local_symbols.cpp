#include "rw/infer/local_symbols.h"

#include <algorithm>

namespace rw {

Dim LocalSymbols::fresh() {
  Context &ctx = fn_.context();
  if (own_.empty()) {
    std::unordered_set<uint32_t> seen;
    std::vector<StringId> symbols;
    for (uint32_t i = 0; i < fn_.valueCapacity(); ++i) {
      TypeId type = fn_.value(ValueId{i}).typeId();
      if (type && seen.insert(type.raw).second && ctx.type(type).kind == TypeKind::Tensor)
        for (Dim d : ctx.type(type).dims)
          ctx.dims().collectSymbols(d, symbols);
    }
    taken_.insert(symbols.begin(), symbols.end());
  }
  StringId name;
  do
    name = ctx.intern("?" + std::to_string(next_++));
  while (taken_.contains(name));
  own_.insert(name);
  return ctx.dims().symbol(name);
}

TypeId LocalSymbols::named(TypeId id) {
  const TypeData &type = fn_.context().type(id);
  if (type.kind != TypeKind::Tensor || !type.ranked || std::ranges::none_of(type.dims, [](Dim d) { return d.isUnknown(); }))
    return id;
  DType dtype = type.dtype;
  Dims dims;
  for (Dim d : type.dims)
    dims.push_back(d.isUnknown() ? fresh() : d);
  return fn_.context().tensorType(dtype, dims);
}

TypeId LocalSymbols::without(TypeId id) const {
  Context &ctx = fn_.context();
  if (own_.empty() || !id || ctx.type(id).kind != TypeKind::Tensor || !ctx.type(id).ranked)
    return id;
  const TypeData &type = ctx.type(id);
  Dims dims;
  bool some = false;
  for (Dim d : type.dims) {
    std::vector<StringId> symbols;
    ctx.dims().collectSymbols(d, symbols);
    bool isOwn = std::ranges::any_of(symbols, [this](StringId s) { return own_.contains(s); });
    some |= isOwn;
    dims.push_back(isOwn ? Dim::unknown() : d);
  }
  return some ? ctx.tensorType(type.dtype, dims) : id;
}

} // namespace rw
