#include "rw/ir/context_transfer.h"

namespace rw {

ContextTransfer::ContextTransfer(const Context &from, Context &to)
    : from_(from), to_(to), dims_(to.dims().import(from.dims())) {
  for (const auto &[dialect, version] : from.dialectVersions())
    to.setDialectVersion(dialect, version);
  to.hasWideFloats_ |= from.hasWideFloats_;
}

// What a function uses -----------------------------------------------------------------------------------------------

void ContextTransfer::use(TypeId id) {
  if (types_.use(id))
    for (TypeId element : from_.type(id).elements)
      use(element);
}

/// Lists of attributes are no deeper than the text or model they were read from.
void ContextTransfer::use(AttrId id) {
  if (!attrs_.use(id))
    return;
  const AttrData &a = from_.attr(id);
  use(a.type);
  for (AttrId element : a.elements)
    use(element);
  if (!a.dense)
    return;
  use(a.dense->type);
  for (StringId text : a.dense->strings)
    strings_.use(text);
}

void ContextTransfer::use(AttrsId id) {
  if (!lists_.use(id))
    return;
  const AttrsData &list = from_.attrs(id);
  for (AttrId attr : list.fixed)
    use(attr);
  for (const NamedAttr &attr : list.extra) {
    strings_.use(attr.name);
    use(attr.value);
  }
}

void ContextTransfer::collect(const Function &fn) {
  use(from_.noAttrs());
  for (uint32_t i = 0; i < fn.ops_.size(); ++i)
    if (!(fn.ops_[i].flags & kErased)) // what an erased op had may be gone
      use(fn.ops_[i].attrs);
  for (uint32_t i = 0; i < fn.values_.size(); ++i)
    use(fn.values_[i].type);
  for (const ParamInfo &param : fn.paramInfos_)
    use(param.defaultValue);
  for (const std::vector<StringId> *names : {&fn.resultNames_, &fn.valueNames_, &fn.opNames_})
    for (StringId name : *names)
      strings_.use(name);
}

// In the other context -----------------------------------------------------------------------------------------------

AttrId ContextTransfer::interned(const AttrData &a) {
  AttrData copy = a;
  copy.type = types_[a.type];
  Dims dims;
  for (Dim d : a.dims)
    dims.push_back(moved(d));
  copy.dims = dims;
  InlineList<AttrId, 8> elements;
  for (AttrId element : a.elements)
    elements.push_back(attrs_[element]);
  copy.elements = elements;
  DenseData dense;
  std::vector<StringId> strings;
  if (a.dense) {
    dense = *a.dense;
    dense.type = types_[dense.type];
    for (StringId text : dense.strings)
      strings.push_back(strings_[text]);
    dense.strings = strings;
    copy.dense = &dense;
  }
  return to_.internAttr(copy);
}

/// In the order of ids: what something is made of was interned before it.
void ContextTransfer::intern() {
  auto each = [](auto &map, auto &&make) {
    map.to.resize(map.used.size());
    for (uint32_t i = 0; i < map.used.size(); ++i)
      if (map.used[i])
        map.to[i] = make(i);
  };
  each(strings_, [&](uint32_t i) { return to_.intern(from_.text(StringId(i))); });
  each(types_, [&](uint32_t i) {
    TypeData copy = from_.type(TypeId(i));
    Dims dims;
    for (Dim d : copy.dims)
      dims.push_back(moved(d));
    copy.dims = dims;
    InlineList<TypeId, 4> elements;
    for (TypeId element : copy.elements)
      elements.push_back(types_[element]);
    copy.elements = elements;
    return to_.internType(copy);
  });
  each(attrs_, [&](uint32_t i) { return interned(from_.attr(AttrId(i))); });
  each(lists_, [&](uint32_t i) {
    const AttrsData &list = from_.attrs(AttrsId(i));
    InlineList<AttrId, 8> fixed;
    for (AttrId attr : list.fixed)
      fixed.push_back(attrs_[attr]);
    InlineList<NamedAttr, 8> extra;
    for (const NamedAttr &attr : list.extra)
      extra.push_back({strings_[attr.name], attrs_[attr.value]});
    return to_.attrs(fixed, extra);
  });
}

Function ContextTransfer::copy(const Function &fn) {
  collect(fn);
  intern();
  Function out(fn);
  out.ctx_ = &to_;
  for (uint32_t i = 0; i < out.ops_.size(); ++i)
    out.ops_[i].attrs = out.ops_[i].flags & kErased ? to_.noAttrs() : lists_[out.ops_[i].attrs];
  for (uint32_t i = 0; i < out.values_.size(); ++i)
    out.values_[i].type = types_[out.values_[i].type];
  for (ParamInfo &param : out.paramInfos_)
    param.defaultValue = attrs_[param.defaultValue];
  for (std::vector<StringId> *names : {&out.resultNames_, &out.valueNames_, &out.opNames_})
    for (StringId &name : *names)
      name = strings_[name];
  return out;
}

} // namespace rw
