// Literals: numbers and small arrays that stand where an operand is read, as constants.
#include "rw/jaxpr/program_maker.h"
#include "rw/support/numbers.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace rw::jaxpr {

namespace {
/// What a literal is that states no type, as JAX takes it unless 64 bits are switched on.
DType defaultOf(const SyntaxValue &v) {
  switch (v.kind) {
  case ValueKind::Bool:
    return DType::Bool;
  case ValueKind::Complex:
    return DType::C64;
  default:
    return v.text.find_first_of(".eni") == std::string_view::npos ? DType::I32 : DType::F32;
  }
}

template <class Bits> void put(std::vector<std::byte> &out, Bits bits) { // little endian
  const std::byte *p = reinterpret_cast<const std::byte *>(&bits);
  out.insert(out.end(), p, p + sizeof bits);
}

double numberIn(std::string_view spelling) {
  bool negative = spelling.starts_with("-");
  if (spelling.ends_with("nan"))
    return std::copysign(std::nan(""), negative ? -1.0 : 1.0);
  if (spelling.ends_with("inf"))
    return negative ? -HUGE_VAL : HUGE_VAL;
  std::string text(spelling); // Python prints 1. and .5 where numpy does
  if (text.ends_with("."))
    text += '0';
  if (size_t point = text.find('.'); point == size_t(negative))
    text.insert(point, 1, '0');
  if (size_t point = text.find(".e"); point != text.npos)
    text.insert(point + 1, 1, '0');
  return parseDouble(text).value;
}
} // namespace

/// Whether elements are left out, `[...]`.
bool ProgramMaker::isLost(const SyntaxValue &v) const {
  if (v.kind != ValueKind::Sequence)
    return false;
  if (v.isLost)
    return true;
  for (const SyntaxValue &item : syntax_.items(v))
    if (isLost(item))
      return true;
  return false;
}

bool ProgramMaker::literal(const Atom &a, RegionId region, TypeId expected, Known &out) {
  const SyntaxValue &value = syntax_.values[a.literal];
  isOld_ |= !a.type.type;
  TypeId id = a.type.type ? a.type.type : expected ? expected : TypeId();
  if (a.type.isKey)
    return error("unsupported", a.from, a.to, "literals that are keys of random numbers are not read");
  bool isList = value.kind == ValueKind::Sequence;
  if (isList && !a.type.type)
    return error("bad-literal", a.from, a.to, "this array states no type",
                 "write it behind the elements: `[1. 2.]:f32[2]`");
  if (!id)
    id = ctx_.tensorType(defaultOf(value), {});
  const TypeData &type = ctx_.type(id);
  if (isLost(value)) {
    auto [it, isNew] = lostAt_.try_emplace(&a, uint32_t(lost_.size()));
    if (isNew)
      lost_.push_back({id, "constant", a.from, a.to});
    out = {lostValue(it->second), false};
    return true;
  }
  std::optional<int64_t> count = ctx_.elementCount(id);
  if (type.kind != TypeKind::Tensor || !count)
    return error("bad-literal", a.from, a.to, "a literal needs a type with known sizes, not " + ctx_.typeToString(id));
  if (type.dtype == DType::I4 || type.dtype == DType::U4 || type.dtype == DType::String ||
      (isFloat(type.dtype) && dtypeBytes(type.dtype) < 2))
    return error("unsupported", a.from, a.to, "literals of " + std::string(dtypeName(type.dtype)) + " are not read",
                 "convert from a type of more bits");
  std::vector<std::byte> bytes;
  if (!elements(value, type, bytes))
    return false;
  size_t one = dtypeBytes(type.dtype);
  AttrId dense;
  if (bytes.size() == one && !isList)
    dense = ctx_.splatAttr(id, bytes);
  else if (bytes.size() == one * size_t(*count))
    dense = ctx_.denseAttr(id, bytes);
  else
    return error("bad-literal", a.from, a.to,
                 ctx_.typeToString(id) + " has " + std::to_string(*count) + " elements, here are " +
                     std::to_string(bytes.size() / one));
  out = {
      made_->fn->appendOp(region, kindOf("jax.constant"), {}, ctx_.attrs(dense), {&id, 1}, locAt(a.from)).result().id,
      false};
  return true;
}

bool ProgramMaker::elements(const SyntaxValue &v, const TypeData &type, std::vector<std::byte> &out) {
  if (v.kind != ValueKind::Sequence)
    return element(v, type.dtype, out);
  for (const SyntaxValue &item : syntax_.items(v))
    if (!elements(item, type, out))
      return false;
  return true;
}

bool ProgramMaker::element(const SyntaxValue &v, DType dtype, std::vector<std::byte> &out) {
  std::string name(dtypeName(dtype));
  auto wrong = [&] { return error("bad-literal", v.from, v.to, "this is no element of " + name); };
  if (isComplex(dtype)) {
    double real = 0, imaginary = 0;
    if (v.kind == ValueKind::Complex) { // `a+bj` or `bj`
      std::string_view text = v.text;
      if (!text.ends_with("j"))
        return wrong();
      text.remove_suffix(1);
      size_t sign = text.find_last_of("+-");
      while (sign != text.npos && sign != 0 && (text[sign - 1] == 'e' || text[sign - 1] == 'E'))
        sign = text.find_last_of("+-", sign - 1);
      bool two = sign != text.npos && sign != 0;
      real = two ? numberIn(text.substr(0, sign)) : 0;
      std::string_view rest = two ? text.substr(sign) : text;
      imaginary = numberIn(rest.starts_with("+") ? rest.substr(1) : rest);
    } else if (v.kind == ValueKind::Number) {
      real = numberIn(v.text);
    } else {
      return wrong();
    }
    if (dtype == DType::C64) {
      put(out, float(real));
      put(out, float(imaginary));
    } else {
      put(out, real);
      put(out, imaginary);
    }
    return true;
  }
  bool truth = v.kind == ValueKind::Bool;
  if (!truth && v.kind != ValueKind::Number)
    return wrong();
  if (dtype == DType::Bool) {
    if (!truth && v.text != "0" && v.text != "1")
      return wrong();
    put(out, uint8_t(truth ? v.text == "True" : v.text == "1"));
    return true;
  }
  if (isInteger(dtype)) {
    uint64_t bits = 0;
    bool fits = true;
    unsigned width = 8 * dtypeBytes(dtype);
    if (truth) {
      bits = v.text == "True";
    } else if (v.text.find_first_of(".eni") != v.text.npos) {
      return wrong();
    } else if (isSigned(dtype)) {
      Parsed<int64_t> n = parseInt(v.text);
      int64_t top = width == 64 ? INT64_MAX : (int64_t(1) << (width - 1)) - 1;
      fits = n && n.value <= top && n.value >= -top - 1;
      bits = uint64_t(n.value);
    } else {
      Parsed<uint64_t> n = parseUInt(v.text);
      fits = n && (width == 64 || n.value >> width == 0);
      bits = n.value;
    }
    if (!fits)
      return error("too-large", v.from, v.to, "this number does not fit " + name);
    const std::byte *p = reinterpret_cast<const std::byte *>(&bits);
    out.insert(out.end(), p, p + width / 8);
    return true;
  }
  double n = truth ? v.text == "True" : numberIn(v.text);
  switch (dtype) {
  case DType::F64:
    put(out, n);
    return true;
  case DType::F32:
    put(out, float(n));
    return true;
  case DType::F16:
    put(out, toHalf(n));
    return true;
  case DType::BF16:
    put(out, toBFloat16(n));
    return true;
  default:
    return wrong();
  }
}

} // namespace rw::jaxpr
