#include "rw/ir/dtype.h"

#include <array>

namespace rw {
namespace {
struct Row {
  std::string_view name;
  uint8_t bytes;
  char family; // f, i, u, c, or - for the rest
};
constexpr std::array<Row, kDTypeCount> kRows = {{
    {"?", 0, '-'},          {"bool", 1, '-'}, {"i8", 1, 'i'},       {"i16", 2, 'i'},        {"i32", 4, 'i'},
    {"i64", 8, 'i'},        {"u8", 1, 'u'},   {"u16", 2, 'u'},      {"u32", 4, 'u'},        {"u64", 8, 'u'},
    {"f16", 2, 'f'},        {"bf16", 2, 'f'}, {"f32", 4, 'f'},      {"f64", 8, 'f'},        {"c64", 8, 'c'},
    {"c128", 16, 'c'},      {"str", 0, '-'},  {"f8e4m3fn", 1, 'f'}, {"f8e4m3fnuz", 1, 'f'}, {"f8e5m2", 1, 'f'},
    {"f8e5m2fnuz", 1, 'f'}, {"i4", 0, 'i'},   {"u4", 0, 'u'},       {"f4e2m1", 0, 'f'},
}};
const Row &row(DType t) { return kRows[size_t(t)]; }
} // namespace

std::string_view dtypeName(DType t) { return row(t).name; }

std::optional<DType> dtypeFromName(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == name)
      return DType(i);
  return std::nullopt;
}

unsigned dtypeBytes(DType t) { return row(t).bytes; }
bool isFloat(DType t) { return row(t).family == 'f'; }
bool isSigned(DType t) { return row(t).family == 'i'; }
bool isUnsigned(DType t) { return row(t).family == 'u'; }
bool isComplex(DType t) { return row(t).family == 'c'; }

} // namespace rw
