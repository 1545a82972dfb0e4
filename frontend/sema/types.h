// Types of expressions in .rw text.
//
//   Type t = Type::listOf(Base::Int);   t.text() == "[int]"
#pragma once

#include <cstdint>
#include <string>

namespace rw::sema {

enum class Base : uint8_t {
  Error, // something wrong was reported already: agrees with everything
  Empty, // the element type of `[]`
  Int,   // 64 bits
  Float, // double
  Bool,
  String,
  DType,
  Dim,    // a size, an expression over symbols, or unknown
  Type,   // of a value
  Attr,   // an attribute of any kind
  Tensor, // a dense constant
  Value,  // an op's result or a parameter; may be absent if optional
  Op,
};

struct Type {
  Base base = Base::Error;
  uint8_t list = 0; // levels of list around the base

  static Type listOf(Base b) { return {b, 1}; }
  Type element() const { return {base, uint8_t(list ? list - 1 : 0)}; }
  Type inList() const { return {base, uint8_t(list + 1)}; }
  bool isList() const { return list != 0; }
  bool isError() const { return base == Base::Error; }
  bool is(Base b) const { return base == b && !list; }
  std::string text() const;
  friend bool operator==(Type, Type) = default;
};

} // namespace rw::sema
