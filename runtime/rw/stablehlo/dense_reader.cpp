// Constants of MLIR text: `dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>`, `dense<0.0>` (every element), `dense<"0x…">`
// (the bytes, little endian), `dense<>` (no element). Memory is taken only for elements that were read: a type alone
// takes none.
#include "rw/ir/float8.h"
#include "rw/stablehlo/attribute_reader.h"
#include "rw/support/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rw::stablehlo {

bool AttributeReader::readDense(AttrId &out) {
  p_ += std::string_view("dense").size();
  if (!expect('<', "after `dense`"))
    return false;
  // The type stands behind the elements, so they are passed over first.
  const char *literal = p_;
  while (p_ != end_ && *p_ != '>') {
    std::string_view ignored;
    if (*p_ == '"') {
      if (!readString(ignored))
        return false;
    } else if (*p_ == '/' && p_[1] == '/') {
      skipSpace();
    } else {
      ++p_;
    }
  }
  if (p_ == end_)
    return error("unterminated", literal - 1, literal, "nothing closes this bracket");
  const char *literalEnd = p_++;
  if (!expect(':', "and the type after the elements"))
    return false;
  skipSpace();
  const char *typeAt = p_;
  TypeId type;
  if (!readType(type))
    return false;
  const char *after = p_;
  if (ctx_.type(type).kind != TypeKind::Tensor || !ctx_.elementCount(type))
    return error("bad-attribute", typeAt, after, "a constant needs a type with known sizes");
  p_ = literal;
  if (!readElements(type, literal, literalEnd, out))
    return false;
  p_ = after;
  return true;
}

/// Of elements that were read one by one: those of 4 bits, a byte each, go two into one.
AttrId AttributeReader::makeDense(TypeId type, std::vector<std::byte> bytes) {
  DType dtype = ctx_.type(type).dtype;
  if (dtypeBytes(dtype) == 0) {
    std::vector<std::byte> pairs((bytes.size() + 1) / 2);
    for (size_t i = 0; i < bytes.size(); ++i)
      pairs[i / 2] |= (bytes[i] & std::byte(15)) << (i % 2 * 4);
    bytes = std::move(pairs);
  }
  if (bytes.size() <= Context::kLargeDense)
    return ctx_.denseAttr(type, bytes);
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return ctx_.denseAttr(type, *owner, owner);
}

/// After `dense<`: what stands before `literalEnd`, of a type.
bool AttributeReader::readElements(TypeId id, const char *literal, const char *literalEnd, AttrId &out) {
  const TypeData &type = ctx_.type(id);
  size_t count = size_t(*ctx_.elementCount(id));
  char c = peek();
  auto ends = [&] {
    skipSpace();
    return p_ == literalEnd ||
           error("bad-attribute", p_, endOfToken(p_), "expected `>` after the last element, found " + found());
  };
  if (p_ >= literalEnd) {
    if (count != 0)
      return error("bad-attribute", literal - 1, literalEnd + 1,
                   "here are no elements, and " + ctx_.typeToString(id) + " has " + std::to_string(count));
    out = makeDense(id, {});
    return true;
  }
  if (c == '"')
    return readDenseHex(id, count, out) && ends();
  std::vector<std::byte> bytes;
  if (c != '[') { // every element
    if (!readElement(type.dtype, bytes))
      return false;
    if (dtypeBytes(type.dtype) != 0) {
      out = ctx_.splatAttr(id, bytes);
      return ends();
    }
    constexpr size_t kMost = 1 << 20; // types of less than a byte are written out
    if (count > kMost)
      return error("too-large", literal, literalEnd,
                   "so many elements of " + std::string(dtypeName(type.dtype)) + " are not read");
    bytes.resize(count, bytes[0]);
    out = makeDense(id, std::move(bytes));
    return ends();
  }
  // Nested lists, without recursion: the rank is whatever the type says.
  InlineList<int64_t, 8> done; // elements so far, by open level
  auto wrongCount = [&](size_t level) {
    return error("bad-attribute", p_, endOfToken(p_),
                 "dimension " + std::to_string(level) + " of " + ctx_.typeToString(id) + " has " +
                     std::to_string(type.dims[level].size()) + " elements");
  };
  bool more = true;
  while (more) {
    if (peek() == '[') {
      if (done.size() == type.dims.size())
        return error("bad-attribute", p_, p_ + 1, "nested deeper than " + ctx_.typeToString(id) + " has dimensions");
      ++p_;
      done.push_back(0);
      if (peek() != ']')
        continue;
    } else {
      if (done.size() != type.dims.size())
        return error("bad-attribute", p_, endOfToken(p_),
                     ctx_.typeToString(id) + " has " + std::to_string(type.dims.size()) + " dimensions, here are " +
                         std::to_string(done.size()));
      if (!readElement(type.dtype, bytes))
        return false;
      ++done[done.size() - 1];
    }
    for (;;) { // behind an element, a list, or at the end of an empty one
      if (done.empty()) {
        more = false;
        break;
      }
      size_t level = done.size() - 1;
      if (peek() == ',') {
        if (done[level] >= type.dims[level].size())
          return wrongCount(level);
        ++p_;
        break;
      }
      if (*p_ != ']')
        return errorHere("syntax", "expected `,` or `]` after an element, found " + found());
      if (done[level] != type.dims[level].size())
        return wrongCount(level);
      ++p_;
      done.resize(level);
      if (level != 0)
        ++done[level - 1];
    }
  }
  out = makeDense(id, std::move(bytes));
  return ends();
}

/// At the quote. Bytes of all elements, or of one that all are. Bools take a byte each, in older texts a bit.
bool AttributeReader::readDenseHex(TypeId id, size_t count, AttrId &out) {
  const char *from = p_;
  std::string_view digits;
  if (!readString(digits))
    return false;
  if (!digits.starts_with("0x") && !digits.starts_with("0X"))
    return error("bad-attribute", from, p_, "elements in quotes are hex digits after `0x`");
  digits.remove_prefix(2);
  if (digits.size() % 2 != 0)
    return error("bad-attribute", from, p_, "an odd number of hex digits: two make a byte");
  DType dtype = ctx_.type(id).dtype;
  bool nibbles = dtypeBytes(dtype) == 0; // elements of 4 bits take a byte each here
  size_t size = digits.size() / 2, wanted = nibbles ? count : text::denseBytes(dtype, count),
         element = dtypeBytes(dtype);
  bool bits = dtype == DType::Bool && size != count && size == (count + 7) / 8 && count != 0;
  bool splat = !bits && size != wanted && element != 0 && size == element;
  if (size != wanted && !bits && !splat)
    return error("bad-attribute", from, p_,
                 ctx_.typeToString(id) + " needs " + std::to_string(wanted) + " bytes, here are " +
                     std::to_string(size));
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    int high = hexDigit(digits[2 * i]), low = hexDigit(digits[2 * i + 1]);
    if (high < 0 || low < 0)
      return error("bad-attribute", from, p_,
                   "only hex digits may stand here, and `" + std::string(digits.substr(2 * i, 2)) + "` are none");
    bytes[i] = std::byte(high * 16 + low);
  }
  if (bits) {
    std::vector<std::byte> each(count);
    for (size_t i = 0; i < count; ++i)
      each[i] = (bytes[i / 8] >> (i % 8)) & std::byte(1);
    bytes = std::move(each);
  } else if (dtype == DType::Bool) {
    for (std::byte &b : bytes)
      b = std::byte(b != std::byte(0));
  }
  out = splat ? ctx_.splatAttr(id, bytes) : makeDense(id, std::move(bytes));
  return true;
}

bool AttributeReader::readElement(DType dtype, std::vector<std::byte> &bytes) {
  if (dtype == DType::Bool) {
    std::string_view word = peekIdentifier();
    bool isDigit = *p_ == '0' || *p_ == '1'; // as some write them
    if (word != "true" && word != "false" && !isDigit)
      return errorHere("bad-attribute", "expected `true` or `false`, found " + found());
    bytes.push_back(std::byte(word == "true" || *p_ == '1'));
    p_ += isDigit ? 1 : word.size();
    return true;
  }
  if (!isComplex(dtype))
    return readNumberElement(dtype, bytes);
  DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
  return expect('(', "before a complex number's parts") && readNumberElement(part, bytes) &&
         expect(',', "between a complex number's parts") && readNumberElement(part, bytes) &&
         expect(')', "after a complex number's parts");
}

/// A number, or the bits of one in hex.
bool AttributeReader::readNumberElement(DType dtype, std::vector<std::byte> &out) {
  skipSpace();
  const char *from = p_;
  bool nibble = dtype == DType::I4 || dtype == DType::U4; // a byte each at first: see makeDense
  unsigned bytes = nibble ? 1 : dtypeBytes(dtype);
  if (bytes == 0)
    return unsupported(from, endOfToken(from),
                       "elements of " + std::string(dtypeName(dtype)) + " are read as bytes alone",
                       "write `dense<\"0x…\">`");
  if (!text::isDigit(*p_) && *p_ != '-')
    return errorHere("syntax", "expected a number, found " + found());
  text::Number n;
  if (!Scanner::readNumber(n))
    return false;
  auto tooLarge = [&] {
    return error("too-large", from, p_, "this number does not fit " + std::string(dtypeName(dtype)));
  };
  auto put = [&](uint64_t bits) { // little endian: the low bytes come first
    const std::byte *p = reinterpret_cast<const std::byte *>(&bits);
    out.insert(out.end(), p, p + bytes);
    return true;
  };
  uint64_t top = bytes == 8 ? UINT64_MAX : nibble ? 15 : (uint64_t(1) << (8 * bytes)) - 1;
  bool hex = n.isInt && n.spelling.find('x') != n.spelling.npos;
  if (hex) {
    if (n.negative)
      return error("bad-attribute", from, p_, "bits have no sign");
    return n.overflow || n.magnitude > top ? tooLarge() : put(n.magnitude);
  }
  if (isInteger(dtype)) {
    if (!n.isInt)
      return error("bad-attribute", from, p_, "expected a whole number");
    bool fits = !n.overflow && (isSigned(dtype) ? n.magnitude <= (top >> 1) + n.negative
                                : n.negative    ? n.magnitude == 0
                                                : n.magnitude <= top);
    return fits ? put(n.negative ? 0 - n.magnitude : n.magnitude) : tooLarge();
  }
  if (bytes == 1) {
    uint8_t bits = toFloat8(dtype, n.value, false);
    return std::isfinite(fromFloat8(dtype, bits)) ? put(bits) : tooLarge();
  }
  if (dtype == DType::F64) {
    uint64_t bits;
    std::memcpy(&bits, &n.value, sizeof bits);
    return put(bits);
  }
  if (dtype == DType::F32) { // not by way of a double: that would round twice
    Parsed<float> value = parseFloat(n.spelling);
    if (value.status == NumberStatus::TooLarge)
      return tooLarge();
    uint32_t bits;
    std::memcpy(&bits, &value.value, sizeof bits);
    return put(bits);
  }
  bool half = dtype == DType::F16;
  uint16_t bits = half ? toHalf(n.value) : toBFloat16(n.value);
  if (std::isfinite(n.value) && !std::isfinite(half ? fromHalf(bits) : fromBFloat16(bits)))
    return tooLarge();
  return put(bits);
}

} // namespace rw::stablehlo
