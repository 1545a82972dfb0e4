// Element types of tensors.
//
//   DType::F32; dtypeName(DType::BF16) == "bf16"; dtypeBytes(DType::C64) == 8
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rw {

enum class DType : uint8_t {
  Unknown, // not stated: written `?`
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  C64,
  C128, // complex of two f32, of two f64
  String,
  // Floats of 8 bits are cast and no more, integers of 4 bits computed in 8; the last passes through untouched.
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  I4,
  U4,
  F4E2M1,
};
inline constexpr unsigned kDTypeCount = unsigned(DType::F4E2M1) + 1;

/// The name in `.rw` and `.rwir` text: "f32", "bool", "str", "?" for Unknown.
std::string_view dtypeName(DType);
std::optional<DType> dtypeFromName(std::string_view);
/// Bytes per element in a dense attribute; 0 for Unknown, String and the 4-bit types.
unsigned dtypeBytes(DType);
bool isFloat(DType);  // f8 to f64
bool isSigned(DType); // i4 to i64
bool isUnsigned(DType);
inline bool isInteger(DType t) { return isSigned(t) || isUnsigned(t); } // bool is not an integer
bool isComplex(DType);
inline bool isInteger4(DType t) { return t == DType::I4 || t == DType::U4; } // two to a byte in a dense attribute

} // namespace rw
