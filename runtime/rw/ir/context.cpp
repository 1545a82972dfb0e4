#include "rw/ir/context.h"

#include "rw/ir/expr_helpers.h"
#include "rw/ir/schema.h"
#include "rw/ir/text_format.h"
#include "rw/support/intern.h"
#include "rw/support/numbers.h"

#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <deque>

namespace rw {

// Strings ---------------------------------------------------------------------------------------------------------

struct StringTable::Impl {
  Arena arena;
  IdTable table;
  std::vector<std::string_view> texts;
};

StringTable::StringTable() : impl_(new Impl) {}
StringTable::~StringTable() = default;

StringId StringTable::intern(std::string_view text) {
  Hasher h;
  h.addBytes(text.data(), text.size());
  uint32_t &id = impl_->table.findOrInsert(h.value(), [&](uint32_t i) { return impl_->texts[i] == text; });
  if (id == IdTable::kEmpty) {
    id = uint32_t(impl_->texts.size());
    impl_->texts.push_back(impl_->arena.copy(text));
  }
  return StringId(id);
}

std::string_view StringTable::text(StringId id) const { return id ? impl_->texts[id.raw] : std::string_view(); }
size_t StringTable::size() const { return impl_->texts.size(); }

// Context ---------------------------------------------------------------------------------------------------------

struct Context::Tables {
  Arena arena;
  IdTable types, attrs, lists;
  std::deque<DenseData> dense;
  /// Lists of whole numbers interned last, by their hash: patterns compute the same few over and over.
  AttrId recentInts[256];
};

void Context::setDialectVersion(std::string_view dialect, int64_t version) {
  auto it = std::ranges::find(versions_, dialect, &std::pair<std::string, int64_t>::first);
  if (it != versions_.end())
    it->second = version;
  else
    versions_.emplace_back(dialect, version);
}

int64_t Context::dialectVersion(std::string_view dialect) const {
  auto it = std::ranges::find(versions_, dialect, &std::pair<std::string, int64_t>::first);
  return it == versions_.end() ? 0 : it->second;
}

Context::Context(const OpRegistry &ops) : ops_(ops), dims_(strings_), tables_(new Tables) {
  attrs(std::span<const AttrId>()); // noAttrs() is list 0
}
Context::~Context() = default;

size_t Context::memoryUsed() const {
  return tables_->arena.memoryUsed() + tables_->types.memoryUsed() + tables_->attrs.memoryUsed() +
         tables_->lists.memoryUsed() + (types_.capacity() + attrs_.capacity() + lists_.capacity()) * sizeof(void *) +
         firsts_.capacity() * sizeof(AttrId);
}

// Types -----------------------------------------------------------------------------------------------------------

bool Context::isKnown(const TypeData &t) const {
  if (t.kind == TypeKind::Tuple)
    return std::ranges::all_of(t.elements, [&](TypeId e) { return type(e).known; });
  return t.kind != TypeKind::Tensor ||
         (t.dtype != DType::Unknown && t.ranked && std::ranges::none_of(t.dims, [](Dim d) { return d.isUnknown(); }));
}

TypeId Context::internType(const TypeData &t) {
  Hasher h;
  h.add(uint64_t(t.kind) | uint64_t(t.dtype) << 8 | uint64_t(t.ranked) << 16);
  h.addSpan(t.dims);
  h.addSpan(t.elements);
  h.addSpan(std::span(t.text.data(), t.text.size()));
  uint32_t &id = tables_->types.findOrInsert(h.value(), [&](uint32_t i) {
    const TypeData &o = *types_[i];
    return o.kind == t.kind && o.dtype == t.dtype && o.ranked == t.ranked && std::ranges::equal(o.dims, t.dims) &&
           std::ranges::equal(o.elements, t.elements) && o.text == t.text;
  });
  if (id == IdTable::kEmpty) {
    id = uint32_t(types_.size());
    TypeData kept = t;
    kept.known = isKnown(t);
    kept.dims = tables_->arena.copy(t.dims);
    kept.elements = tables_->arena.copy(t.elements);
    kept.text = tables_->arena.copy(t.text);
    types_.push_back(new (tables_->arena.allocate(sizeof kept, alignof(TypeData))) TypeData(kept));
  }
  return TypeId(id);
}

TypeId Context::tensorType(DType dtype, std::span<const Dim> dims) {
  if (std::ranges::any_of(dims, [](Dim d) { return d.isNegative(); })) {
    Dims sizes;
    for (Dim d : dims)
      sizes.push_back(d.isNegative() ? Dim::unknown() : d);
    return tensorType(dtype, std::span<const Dim>(sizes));
  }
  return internType({.kind = TypeKind::Tensor, .dtype = dtype, .ranked = true, .dims = dims});
}
TypeId Context::unrankedType(DType dtype) { return internType({.kind = TypeKind::Tensor, .dtype = dtype}); }
TypeId Context::tupleType(std::span<const TypeId> elements) {
  return internType({.kind = TypeKind::Tuple, .elements = elements});
}
TypeId Context::noneType() { return internType({.kind = TypeKind::None}); }
TypeId Context::opaqueType(std::string_view text) { return internType({.kind = TypeKind::Opaque, .text = text}); }

std::string Context::typeToString(TypeId id) const {
  const TypeData &t = type(id);
  std::string out;
  switch (t.kind) {
  case TypeKind::None:
    return "none";
  case TypeKind::Opaque:
    out = "opaque<";
    text::appendQuoted(out, t.text);
    return out + ">";
  case TypeKind::Tuple:
    for (TypeId e : t.elements)
      out += (out.empty() ? "" : ", ") + typeToString(e);
    return "(" + out + ")";
  case TypeKind::Tensor:
    break;
  }
  if (!t.ranked)
    return t.dtype == DType::Unknown ? "?" : std::string(dtypeName(t.dtype)) + "[*]";
  out = std::string(dtypeName(t.dtype)) + "[";
  for (size_t i = 0; i < t.dims.size(); ++i)
    out += (i ? ", " : "") + dims_.toString(t.dims[i]);
  return out + "]";
}

/// Whether nothing is known of values of this type, not even that they are tensors.
static bool isUnknown(const TypeData &t) {
  return t.kind == TypeKind::Tensor && !t.ranked && t.dtype == DType::Unknown;
}

bool Context::compatible(TypeId a, TypeId b) const {
  if (a == b)
    return true;
  const TypeData &x = type(a), &y = type(b);
  if (isUnknown(x) || isUnknown(y))
    return true;
  if (x.kind != y.kind)
    return false;
  if (x.kind == TypeKind::Tuple)
    return std::ranges::equal(x.elements, y.elements, [&](TypeId p, TypeId q) { return compatible(p, q); });
  if (x.kind != TypeKind::Tensor)
    return false; // texts differ
  if (x.dtype != y.dtype && x.dtype != DType::Unknown && y.dtype != DType::Unknown)
    return false;
  if (!x.ranked || !y.ranked)
    return true;
  return std::ranges::equal(x.dims, y.dims, [](Dim p, Dim q) { return !provablyDifferent(p, q); });
}

TypeId Context::meet(TypeId a, TypeId b) {
  if (a == b)
    return a;
  if (!compatible(a, b))
    return TypeId();
  const TypeData &x = type(a), &y = type(b);
  if (isUnknown(x) || isUnknown(y))
    return isUnknown(x) ? b : a;
  if (x.kind == TypeKind::Tuple) {
    InlineList<TypeId, 8> elements;
    for (size_t i = 0; i < x.elements.size(); ++i)
      elements.push_back(meet(x.elements[i], y.elements[i]));
    return tupleType(elements);
  }
  DType dtype = x.dtype == DType::Unknown ? y.dtype : x.dtype;
  if (!x.ranked && !y.ranked)
    return unrankedType(dtype);
  if (!x.ranked || !y.ranked)
    return tensorType(dtype, x.ranked ? x.dims : y.dims);
  Dims dims;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    // A number says more than a symbol, a symbol more than nothing; of two symbols the first stays.
    Dim p = x.dims[i], q = y.dims[i];
    dims.push_back(p.isKnown() ? p : q.isKnown() ? q : p.isUnknown() ? q : p);
  }
  return tensorType(dtype, dims);
}

std::optional<int64_t> Context::elementCount(TypeId id) const {
  const TypeData &t = type(id);
  if (t.kind != TypeKind::Tensor || !t.ranked)
    return std::nullopt;
  int64_t count = 1;
  bool fits = true;
  for (Dim d : t.dims) {
    if (!d.isKnown())
      return std::nullopt;
    fits &= !__builtin_mul_overflow(count, d.size(), &count);
  }
  return fits ? std::optional(count) : std::nullopt;
}

// Attributes ------------------------------------------------------------------------------------------------------

AttrId Context::internAttr(const AttrData &a) {
  Hasher h;
  h.add(uint64_t(a.kind) | uint64_t(a.dtype) << 8 | uint64_t(a.type.raw) << 16);
  h.add(uint64_t(a.i) ^ std::bit_cast<uint64_t>(a.f)); // one of them is zero
  h.addSpan(std::span(a.text.data(), a.text.size()));
  h.addSpan(a.ints);
  h.addSpan(a.floats);
  h.addSpan(a.dims);
  h.addSpan(a.elements);
  const DenseData *d = a.dense;
  if (d) {
    h.add(uint64_t(d->type.raw) << 1 | d->splat);
    h.addSpan(d->strings);
    h.add(llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(d->bytes.data()), d->bytes.size()})); // weights are long
  }
  auto bitsEqual = [](double p, double q) { return std::bit_cast<uint64_t>(p) == std::bit_cast<uint64_t>(q); };
  uint32_t &id = tables_->attrs.findOrInsert(h.value(), [&](uint32_t i) {
    const AttrData &o = *attrs_[i];
    if (o.kind != a.kind || o.dtype != a.dtype || o.i != a.i || !bitsEqual(o.f, a.f) || o.type != a.type ||
        o.text != a.text || !std::ranges::equal(o.ints, a.ints) || !std::ranges::equal(o.dims, a.dims) ||
        !std::ranges::equal(o.elements, a.elements) || !std::ranges::equal(o.floats, a.floats, bitsEqual))
      return false;
    if (!d)
      return true;
    const DenseData &e = *o.dense;
    return e.type == d->type && e.splat == d->splat && std::ranges::equal(e.strings, d->strings) &&
           e.bytes.size() == d->bytes.size() &&
           (e.bytes.data() == d->bytes.data() || std::ranges::equal(e.bytes, d->bytes));
  });
  if (id == IdTable::kEmpty) {
    id = uint32_t(attrs_.size());
    AttrData kept = a;
    kept.text = tables_->arena.copy(a.text);
    kept.ints = tables_->arena.copy(a.ints);
    kept.floats = tables_->arena.copy(a.floats);
    kept.dims = tables_->arena.copy(a.dims);
    kept.elements = tables_->arena.copy(a.elements);
    if (d) {
      DenseData &dense = tables_->dense.emplace_back(*d);
      if (!d->owner)
        dense.bytes = tables_->arena.copy(d->bytes);
      dense.strings = tables_->arena.copy(d->strings);
      kept.dense = &dense;
      if (dense.owner && dense.bytes.size() > kLargeDense) {
        largeDense_.push_back(AttrId(id));
        largeDenseMade_ += dense.bytes.size();
      }
    }
    attrs_.push_back(new (tables_->arena.allocate(sizeof kept, alignof(AttrData))) AttrData(kept));
  }
  return AttrId(id);
}

AttrId Context::unitAttr() { return internAttr({.kind = AttrKind::Unit}); }
AttrId Context::intAttr(int64_t v) { return internAttr({.kind = AttrKind::Int, .i = v}); }
AttrId Context::floatAttr(double v) { return internAttr({.kind = AttrKind::Float, .f = toFloat32(v)}); }
AttrId Context::elementAttr(double v) {
  hasWideFloats_ |= std::bit_cast<uint64_t>(v) != std::bit_cast<uint64_t>(toFloat32(v));
  return internAttr({.kind = AttrKind::Float, .f = v});
}
AttrId Context::boolAttr(bool v) { return internAttr({.kind = AttrKind::Bool, .i = v}); }
AttrId Context::stringAttr(std::string_view v) { return internAttr({.kind = AttrKind::String, .text = v}); }
AttrId Context::symbolAttr(std::string_view v) { return internAttr({.kind = AttrKind::Symbol, .text = v}); }
AttrId Context::bytesAttr(std::string_view v) { return internAttr({.kind = AttrKind::Bytes, .text = v}); }
AttrId Context::dtypeAttr(DType v) { return internAttr({.kind = AttrKind::DType, .dtype = v}); }
AttrId Context::typeAttr(TypeId v) { return internAttr({.kind = AttrKind::Type, .type = v}); }
AttrId Context::dimAttr(Dim v) { return internAttr({.kind = AttrKind::Dim, .dims = {&v, 1}}); }
AttrId Context::intsAttr(std::span<const int64_t> v) {
  uint64_t hash = v.size();
  for (int64_t i : v)
    hash = (hash + uint64_t(i)) * 0x9e3779b97f4a7c15u;
  AttrId &recent = tables_->recentInts[hash >> 56];
  if (!recent || !std::ranges::equal(attr(recent).ints, v))
    recent = internAttr({.kind = AttrKind::Ints, .ints = v});
  return recent;
}
AttrId Context::floatsAttr(std::span<const double> v) {
  InlineList<double, 8> rounded;
  for (double f : v)
    rounded.push_back(toFloat32(f));
  return internAttr({.kind = AttrKind::Floats, .floats = rounded});
}
AttrId Context::dimsAttr(std::span<const Dim> v) { return internAttr({.kind = AttrKind::Dims, .dims = v}); }
AttrId Context::listAttr(std::span<const AttrId> v) { return internAttr({.kind = AttrKind::List, .elements = v}); }

AttrId Context::denseAttr(TypeId id, std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                          const std::string *whole) {
  size_t element = dtypeBytes(type(id).dtype);
  if (element && bytes.size() >= element && bytes.size() <= kLargeDense) {
    // All elements equal the first exactly if the bytes equal themselves shifted by one element.
    bool repeated =
        bytes.size() == element || std::memcmp(bytes.data(), bytes.data() + element, bytes.size() - element) == 0;
    if (repeated)
      return splatAttr(id, bytes.first(element));
  }
  DenseData d{.type = id, .bytes = bytes, .strings = {}, .splat = false, .owner = std::move(owner), .whole = whole};
  return internAttr({.kind = AttrKind::Dense, .dense = &d});
}

void Context::releaseLargeDense(const std::function<bool(AttrId)> &goes) {
  std::erase_if(largeDense_, [&](AttrId id) {
    if (!goes(id))
      return false;
    auto &dense = const_cast<DenseData &>(*attr(id).dense); // one of tables_->dense
    dense.bytes = {};
    dense.owner = nullptr;
    dense.whole = nullptr;
    return true;
  });
}

AttrId Context::splatAttr(TypeId id, std::span<const std::byte> element) {
  assert(element.size() == dtypeBytes(type(id).dtype));
  if (std::ranges::any_of(type(id).dims, [](Dim d) { return d.isKnown() && d.size() == 0; }))
    return denseAttr(id, {});
  DenseData d{.type = id, .bytes = element, .strings = {}, .splat = true, .owner = nullptr};
  if (!element.empty())
    d.repeatedInt = exactInt(type(id).dtype, element.data());
  return internAttr({.kind = AttrKind::Dense, .dense = &d});
}

AttrId Context::denseStringsAttr(TypeId id, std::span<const StringId> strings) {
  DenseData d{.type = id, .bytes = {}, .strings = strings, .splat = false, .owner = nullptr};
  return internAttr({.kind = AttrKind::Dense, .dense = &d});
}

// Attribute lists ---------------------------------------------------------------------------------------------------

AttrsId Context::attrs(std::span<const AttrId> fixed, std::span<const NamedAttr> extra) {
  if (hasWideFloats_) [[unlikely]] { // elements of f64 constants that a pattern makes attributes of
    auto narrow = [&](AttrId id) { return id && attr(id).kind == AttrKind::Float ? floatAttr(attr(id).f) : id; };
    InlineList<AttrId, 8> rounded;
    InlineList<NamedAttr, 8> roundedExtra;
    bool changed = false;
    for (AttrId id : fixed)
      rounded.push_back(narrow(id)), changed |= rounded.back() != id;
    for (const NamedAttr &a : extra)
      roundedExtra.push_back({a.name, narrow(a.value)}), changed |= roundedExtra.back().value != a.value;
    if (changed)
      return attrs(rounded, roundedExtra);
  }
  while (!fixed.empty() && !fixed.back()) // trailing absences are not stored: one list has one encoding
    fixed = fixed.first(fixed.size() - 1);
  if (fixed.empty() && extra.empty() && !lists_.empty())
    return noAttrs();
  bool single = fixed.size() == 1 && extra.empty();
  if (single && fixed[0].raw < singles_.size() && singles_[fixed[0].raw])
    return singles_[fixed[0].raw];
  InlineList<NamedAttr, 8> sorted;
  if (extra.size() > 1) {
    sorted.append(extra.data(), extra.size());
    std::sort(sorted.begin(), sorted.end(),
              [&](const NamedAttr &a, const NamedAttr &b) { return text(a.name) < text(b.name); });
    extra = sorted;
  }
  Hasher h;
  h.addSpan(fixed);
  h.addSpan(extra);
  uint32_t &id = tables_->lists.findOrInsert(h.value(), [&](uint32_t i) {
    return std::ranges::equal(lists_[i]->fixed, fixed) && std::ranges::equal(lists_[i]->extra, extra);
  });
  if (id == IdTable::kEmpty) {
    id = uint32_t(lists_.size());
    for (const NamedAttr &a : extra)
      hasExtras_ |= !text(a.name).starts_with('$');
    AttrsData kept{tables_->arena.copy(fixed), tables_->arena.copy(extra)};
    lists_.push_back(new (tables_->arena.allocate(sizeof kept, alignof(AttrsData))) AttrsData(kept));
    firsts_.push_back(fixed.empty() ? AttrId() : fixed[0]);
  }
  if (single) {
    if (fixed[0].raw >= singles_.size())
      singles_.resize(attrs_.size());
    singles_[fixed[0].raw] = AttrsId(id);
  }
  return AttrsId(id);
}

AttrsId Context::withAttr(AttrsId list, unsigned index, AttrId value) {
  const AttrsData old = attrs(list);
  InlineList<AttrId, 8> fixed(old.fixed);
  if (fixed.size() <= index)
    fixed.resize(index + 1);
  fixed[index] = value;
  return attrs(fixed, old.extra);
}

AttrsId Context::withExtra(AttrsId list, StringId name, AttrId value) {
  const AttrsData old = attrs(list);
  InlineList<NamedAttr, 8> extra;
  for (const NamedAttr &a : old.extra)
    if (a.name != name)
      extra.push_back(a);
  if (value)
    extra.push_back({name, value});
  return attrs(old.fixed, extra);
}

AttrId Context::extra(AttrsId list, std::string_view name) const {
  for (const NamedAttr &a : attrs(list).extra)
    if (text(a.name) == name)
      return a.value;
  return AttrId();
}

} // namespace rw
