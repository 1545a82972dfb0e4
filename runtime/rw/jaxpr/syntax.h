// What a jaxpr's text says, before anything is made of it: binders, equations, their keys and values, literals.
//
// In:  filled by SyntaxReader (syntax_reader.h). Out: read by ProgramMaker (program_maker.h).
//
// Everything lies in flat arrays of one Syntax; a Range is a stretch of one of them. Views point into the text.
#pragma once

#include "rw/ir/context.h"

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rw::jaxpr {

struct Range {
  uint32_t first = 0, count = 0;
};

enum class ValueKind : uint8_t {
  Opaque,   // printed text that is not read: `<function f at 0x7f…>`
  Empty,    // None
  Bool,     // True, False
  Number,   // 3, -1.5, nan: `text` is its spelling
  Complex,  // (1+2j): `text` is what stands in the parentheses
  Name,     // float32, GatherScatterMode.CLIP
  String,   // 'axis': `text` is what stands between the quotes
  Sequence, // (1, 0), [1, 0], ({ lambda … } { lambda … }): `items` are values
  Call,     // GatherDimensionNumbers(offset_dims=(1,), …): `text` is what is called, `items` are params
  Size,     // 2*b + 1: `dim`
  Jaxpr,    // { lambda … }: `jaxpr`
};

/// What stands behind a key, or as a literal.
struct SyntaxValue {
  ValueKind kind = ValueKind::Opaque;
  bool isLost = false; // a sequence with `…` in it: its elements are not in the text
  const char *from = nullptr, *to = nullptr;
  std::string_view text;
  Range items;
  uint32_t jaxpr = 0;
  Dim dim;
};

/// `key=value`; without a key in a call's list.
struct Param {
  std::string_view key;
  const char *from = nullptr;
  uint32_t value = 0;
};

/// A type as written. A key of random numbers is what it holds, two words of u32 along a last dimension.
struct SyntaxType {
  TypeId type; // none: not stated
  bool isKey = false;
};

/// `a:f32[3]`.
struct Binder {
  std::string_view name; // "_": it is not used
  const char *from = nullptr, *to = nullptr;
  SyntaxType type;
};

/// An operand: a variable, or a literal with its type or without.
struct Atom {
  const char *from = nullptr, *to = nullptr;
  std::string_view name; // also of `nan` and `inf` without a type, which may be variables
  bool isLiteral = false;
  uint32_t literal = 0; // a value
  SyntaxType type;
};

struct Equation {
  const char *from = nullptr, *nameEnd = nullptr;
  std::string_view primitive;
  Range binders, params, atoms;
  bool hasJaxprs = false; // in its values
};

struct Jaxpr {
  const char *from = nullptr, *to = nullptr;
  Range constants, inputs, equations, results;
  bool isLeaf = true; // no equation has a jaxpr
};

struct Syntax {
  std::vector<SyntaxValue> values;
  std::vector<Param> params;
  std::vector<Binder> binders;
  std::vector<Atom> atoms;
  std::vector<Equation> equations;
  std::vector<Jaxpr> jaxprs;
  /// By `let NAME = jaxpr in`: a name given twice is the later jaxpr from there on.
  struct Shared {
    std::string_view name;
    uint32_t jaxpr;
  };
  std::vector<Shared> shared;
  uint32_t main = 0;

  std::span<const SyntaxValue> items(const SyntaxValue &v) const {
    return std::span(values).subspan(v.items.first, v.items.count);
  }
  std::span<const Param> fields(const SyntaxValue &v) const {
    return std::span(params).subspan(v.items.first, v.items.count);
  }
  std::span<const Param> paramsOf(const Equation &e) const {
    return std::span(params).subspan(e.params.first, e.params.count);
  }
  std::span<const Binder> bindersOf(Range r) const { return std::span(binders).subspan(r.first, r.count); }
  std::span<const Atom> atomsOf(Range r) const { return std::span(atoms).subspan(r.first, r.count); }
  std::span<const Equation> equationsOf(const Jaxpr &j) const {
    return std::span(equations).subspan(j.equations.first, j.equations.count);
  }
};

} // namespace rw::jaxpr
