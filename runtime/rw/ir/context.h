// Context: the interning tables that programs share. Equal content has equal ids, so comparing types or attributes
// compares 32-bit numbers.
//
// In:  parts of types and attributes.
// Out: ids; and from an id the parts again. References, spans and views stay valid as long as the context does.
// Elsewhere: what the parts are is attributes.h; op schemas are schema.h. A Context is used by one thread at a time;
//            programs that are optimised in parallel each have their own. The OpRegistry is shared and constant.
//
//   Context ctx(registry);
//   TypeId t = ctx.tensorType(DType::F32, {Dim(2), ctx.dims().symbol(ctx.intern("B"))});
//   AttrId perm = ctx.intsAttr({1, 0});
#pragma once

#include "rw/ir/attributes.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rw {

class OpRegistry;

class StringTable {
public:
  StringTable();
  ~StringTable();
  StringId intern(std::string_view);
  std::string_view text(StringId) const;
  size_t size() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Context {
public:
  explicit Context(const OpRegistry &);
  ~Context();
  Context(const Context &) = delete;

  const OpRegistry &ops() const { return ops_; }

  StringId intern(std::string_view text) { return strings_.intern(text); }
  std::string_view text(StringId id) const { return strings_.text(id); }
  /// The version of a dialect that programs of this context are written in (ONNX: the operator set); 0: any. Patterns
  /// that make ops of a newer one leave such programs alone: they have a label that says so, `onnx17`.
  void setDialectVersion(std::string_view dialect, int64_t version);
  int64_t dialectVersion(std::string_view dialect) const;
  std::span<const std::pair<std::string, int64_t>> dialectVersions() const { return versions_; }

  DimTable &dims() { return dims_; }
  const DimTable &dims() const { return dims_; }

  // Types.
  TypeId tensorType(DType, std::span<const Dim>);
  TypeId tensorType(DType t, std::initializer_list<Dim> dims) {
    return tensorType(t, std::span(dims.begin(), dims.size()));
  }
  TypeId unrankedType(DType);
  TypeId unknownType() { return unrankedType(DType::Unknown); } ///< nothing is known of it
  TypeId tupleType(std::span<const TypeId>);
  TypeId noneType();
  TypeId opaqueType(std::string_view);
  const TypeData &type(TypeId id) const { return *types_[id.raw]; }
  std::string typeToString(TypeId) const;

  /// Whether values of the two types can be the same: no known part differs.
  bool compatible(TypeId, TypeId) const;
  /// The two types together, each filling what the other leaves unknown; none if they are not compatible.
  TypeId meet(TypeId, TypeId);
  /// What TypeData::known says of an interned type.
  bool isKnown(const TypeData &) const;
  /// Number of elements if every dim is known and the product fits.
  std::optional<int64_t> elementCount(TypeId) const;

  // Attributes.
  AttrId unitAttr();
  AttrId intAttr(int64_t);
  /// The nearest number of 32 bits, which is what ONNX keeps: so a literal, a default, a computed number and what was
  /// read from a file are the same attribute if they are the same 32-bit number.
  AttrId floatAttr(double);
  /// The element of a constant, as it is: patterns compare and compute with it. In the attributes of an op it becomes a
  /// floatAttr.
  AttrId elementAttr(double);
  AttrId boolAttr(bool);
  AttrId stringAttr(std::string_view);
  AttrId symbolAttr(std::string_view);
  AttrId bytesAttr(std::string_view);
  AttrId dtypeAttr(DType);
  AttrId typeAttr(TypeId);
  AttrId dimAttr(Dim);
  AttrId intsAttr(std::span<const int64_t>);
  AttrId intsAttr(std::initializer_list<int64_t> v) { return intsAttr(std::span(v.begin(), v.size())); }
  AttrId floatsAttr(std::span<const double>); ///< each rounded as by floatAttr
  AttrId dimsAttr(std::span<const Dim>);
  AttrId listAttr(std::span<const AttrId>);
  /// Dense tensors. `type` must be a tensor type with known dims. The bytes are shared through `owner`, or copied if
  /// `owner` is null; `whole` is DenseData::whole. Tensors of one repeated element up to kLargeDense bytes become
  /// splats by themselves.
  AttrId denseAttr(TypeId type, std::span<const std::byte> bytes, std::shared_ptr<const void> owner = nullptr,
                   const std::string *whole = nullptr);
  /// One element, repeated; of no elements it is a tensor of none, which is no splat of anything.
  AttrId splatAttr(TypeId type, std::span<const std::byte> element);
  AttrId denseStringsAttr(TypeId type, std::span<const StringId>);
  const AttrData &attr(AttrId id) const { return *attrs_[id.raw]; }

  /// Dense tensors of more bytes are counted, and can be let go of (rw/ir/dense_sweep.h).
  static constexpr size_t kLargeDense = 64 * 1024;
  std::span<const AttrId> largeDense() const { return largeDense_; } ///< those that have their bytes
  uint64_t largeDenseMade() const { return largeDenseMade_; }        ///< bytes of all that were ever made
  /// Lets go of the bytes of the large tensors that `goes` says. Nothing may read such an attribute again; one of the
  /// same content that is made later is another one.
  void releaseLargeDense(const std::function<bool(AttrId)> &goes);

  // Attribute lists.
  AttrsId noAttrs() const { return AttrsId(0); }
  AttrsId attrs(std::span<const AttrId> fixed, std::span<const NamedAttr> extra = {});
  /// The list of one declared attribute, the most common kind.
  AttrsId attrs(AttrId only) {
    AttrsId known = only.raw < singles_.size() ? singles_[only.raw] : AttrsId();
    return known ? known : attrs(std::span(&only, 1));
  }
  const AttrsData &attrs(AttrsId id) const { return *lists_[id.raw]; }
  /// By list: its first declared attribute, or none.
  const AttrId *firstAttrs() const { return firsts_.data(); }
  /// Declared attribute `index` of a list, none if it is left out. The first is asked for most, and is one look-up.
  AttrId attr(AttrsId id, unsigned index) const {
    if (index == 0)
      return firsts_[id.raw];
    std::span<const AttrId> fixed = lists_[id.raw]->fixed;
    return index < fixed.size() ? fixed[index] : AttrId();
  }
  /// The list with declared attribute `index` set (none removes it).
  AttrsId withAttr(AttrsId, unsigned index, AttrId);
  /// The list with the undeclared attribute `name` set (none removes it).
  AttrsId withExtra(AttrsId, StringId name, AttrId);
  AttrId extra(AttrsId, std::string_view name) const;
  /// Whether some list has undeclared attributes but for bookkeeping (names that begin with `$`). Most programs have
  /// none, so that nothing need be asked about an op's.
  bool hasExtras() const { return hasExtras_; }

  /// Types worked out of what ops mean (rewrite/meaning.h), by all that they depend on; empty: they do not follow.
  std::map<std::vector<uint32_t>, std::vector<TypeId>> &meantTypes() { return meantTypes_; }

  /// Bytes held by the tables, dense data not counted.
  size_t memoryUsed() const;

private:
  friend class ContextTransfer;
  struct Tables;
  AttrId internAttr(const AttrData &);
  TypeId internType(const TypeData &);

  const OpRegistry &ops_;
  StringTable strings_;
  DimTable dims_;
  std::vector<const TypeData *> types_; // in the arena: references stay valid
  std::vector<const AttrData *> attrs_;
  std::vector<const AttrsData *> lists_;
  std::vector<AttrId> firsts_;                            // by list: its first declared attribute
  std::vector<AttrsId> singles_;                          // by attribute: the list of it alone; none: not interned yet
  std::vector<std::pair<std::string, int64_t>> versions_; // of dialects
  std::vector<AttrId> largeDense_;
  std::map<std::vector<uint32_t>, std::vector<TypeId>> meantTypes_;
  uint64_t largeDenseMade_ = 0;
  bool hasExtras_ = false;
  bool hasWideFloats_ = false;     // whether there is a Float that 32 bits do not hold
  std::unique_ptr<Tables> tables_; // hash tables and arenas
};

} // namespace rw
