// Attributes and types as plain data. They are interned by a Context; this header says what they are made of.
//
// In:  -
// Out: `TypeData`, `AttrData`: what `Context::type(id)` and `Context::attr(id)` show.
// Elsewhere: interning and construction are in context.h.
#pragma once

#include "rw/ir/dim.h"
#include "rw/ir/dtype.h"
#include "rw/ir/ids.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rw {

enum class TypeKind : uint8_t {
  Tensor, // dtype and, if ranked, dims
  Tuple,  // elements
  None,   // the type of an absent value
  Opaque, // text that the core does not look into, e.g. "onnx.seq<...>"
};

/// A type. `TypeId`s of one Context are equal exactly if the types are.
struct TypeData {
  TypeKind kind = TypeKind::None;
  DType dtype = DType::Unknown;
  bool ranked = false;
  // nothing of it is unknown, symbols aside: two values of such a type are alike. Set where it is interned
  bool known = false;
  std::span<const Dim> dims;        // Tensor, if ranked
  std::span<const TypeId> elements; // Tuple
  std::string_view text;            // Opaque
};

enum class AttrKind : uint8_t {
  Unit,   // present, no value
  Int,    // i
  Float,  // f, compared and interned by bits: a number that 32 bits hold, wherever it comes from (Context::floatAttr)
  Bool,   // i
  String, // text; any bytes
  DType,  // dtype
  Type,   // type
  Symbol, // text: the name of a function
  Dim,    // dims[0]
  Ints,   // ints
  Floats, // floats, likewise
  Dims,   // dims
  List,   // elements: attributes of any kind
  Dense,  // a tensor: type and bytes
  Bytes,  // text: bytes that are not interpreted
};

/// The bytes of a dense attribute: shared, never copied on rewriting, kept alive by `owner` (a buffer, a message that
/// was read).
struct DenseData {
  TypeId type;                       // a ranked tensor type with known dims
  std::span<const std::byte> bytes;  // row-major, little endian; one element if `splat`; empty for strings
  std::span<const StringId> strings; // for DType::String
  bool splat = false;                // all elements are equal and `bytes` holds one of them
  // of a splat: the int that each element is, if it is one exactly; what matching asks most
  std::optional<int64_t> repeatedInt;
  std::shared_ptr<const void> owner;
  const std::string *whole = nullptr; // a string of just these bytes, if `owner` keeps one: writers can lend it
};

/// An attribute. `AttrId`s of one Context are equal exactly if kind and content are.
struct AttrData {
  AttrKind kind = AttrKind::Unit;
  rw::DType dtype = rw::DType::Unknown;
  int64_t i = 0;
  double f = 0;
  TypeId type;
  std::string_view text;
  std::span<const int64_t> ints;
  std::span<const double> floats;
  std::span<const rw::Dim> dims;
  std::span<const AttrId> elements;
  const DenseData *dense = nullptr;
};

/// An attribute that an op carries without declaring it.
struct NamedAttr {
  StringId name;
  AttrId value;
  friend bool operator==(const NamedAttr &, const NamedAttr &) = default;
};

/// All attributes of an op: `fixed[i]` is the i-th declared one (none if it was left out), `extra` the undeclared
/// ones sorted by the text of their names.
struct AttrsData {
  std::span<const AttrId> fixed;
  std::span<const NamedAttr> extra;
};

} // namespace rw
