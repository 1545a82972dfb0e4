#include "rw/infer/local_symbols.h"

#include <algorithm>
#include <unordered_map>

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
  if (type.kind != TypeKind::Tensor || !type.ranked ||
      std::ranges::none_of(type.dims, [](Dim d) { return d.isUnknown(); }))
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
    bool open = isOpen(d);
    some |= open && !d.isUnknown();
    dims.push_back(open ? Dim::unknown() : d);
  }
  return some ? ctx.tensorType(type.dtype, dims) : id;
}

bool LocalSymbols::isOpen(Dim d) const {
  if (!d.isExpression() || own_.empty())
    return d.isUnknown();
  std::vector<StringId> symbols;
  fn_.context().dims().collectSymbols(d, symbols);
  return std::ranges::any_of(symbols, [this](StringId s) { return own_.contains(s); });
}

void LocalSymbols::forget() {
  if (own_.empty())
    return;
  std::unordered_map<uint32_t, TypeId> known;
  for (uint32_t i = 0; i < fn_.valueCapacity(); ++i) {
    TypeId type = fn_.value(ValueId{i}).typeId();
    auto [it, isNew] = known.try_emplace(type.raw, type);
    if (isNew)
      it->second = without(type);
    if (it->second != type)
      fn_.setType(ValueId{i}, it->second);
  }
  own_.clear();
  next_ = 0;
}

} // namespace rw
