// Dense tensors of the text form: `dense<TYPE: elements>`. Memory is taken only for elements that were read: the type
// alone, whatever it claims, takes none.
#include "rw/ir/parser_impl.h"
#include "rw/support/numbers.h"

#include <charconv>
#include <cmath>

namespace rw::text {

struct AttrParser::DenseSink {
  std::vector<std::byte> bytes;
  std::vector<StringId> strings;
  template <class T> void put(T value) {
    const std::byte *p = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), p, p + sizeof value);
  }
};

/// At the `<` after `dense`.
bool AttrParser::readDenseAttr(AttrId &out) {
  ++p_;
  skipSpace();
  const char *from = p_;
  TypeId id;
  if (!readType(id))
    return false;
  const TypeData &type = ctx_.type(id);
  std::optional<int64_t> count = ctx_.elementCount(id);
  if (!count || type.dtype == DType::Unknown)
    return error("bad-attribute", from, p_, "a dense tensor needs a known dtype and known dimensions");
  if (!expect(':', "after the tensor's type"))
    return false;
  std::string_view word = peekWord();
  if (word == "hex" || word == "splat") {
    bool splat = eatWord("splat");
    if (!eatWord("hex"))
      return errorHere("syntax", "expected `hex` after `splat`; a number alone is a splat too");
    return readDenseHex(id, size_t(*count), splat, out) && expect('>', "after the tensor's elements");
  }
  if (peek() == '[') {
    if (!readDenseList(id, size_t(*count), out))
      return false;
    return expect('>', "after the tensor's elements");
  }
  const char *at = p_;
  DenseSink one;
  if (!readElement(type.dtype, one))
    return false;
  if (type.dtype != DType::String)
    out = ctx_.splatAttr(id, one.bytes);
  else if (type.dims.empty())
    out = ctx_.denseStringsAttr(id, one.strings);
  else
    return error("bad-attribute", at, p_, "the elements of a tensor of strings are all written");
  return expect('>', "after the tensor's elements");
}

bool AttrParser::readDenseHex(TypeId id, size_t count, bool splat, AttrId &out) {
  skipSpace();
  const char *from = p_;
  std::string digits;
  if (!readHex(digits))
    return false;
  DType dtype = ctx_.type(id).dtype;
  if (dtype == DType::String || (splat && dtypeBytes(dtype) == 0))
    return error("bad-attribute", from, p_,
                 "tensors of " + std::string(dtypeName(dtype)) + " are not written like this");
  size_t wanted = splat ? dtypeBytes(dtype) : denseBytes(dtype, count);
  if (digits.size() != wanted)
    return error("bad-attribute", from, p_,
                 "the type needs " + std::to_string(wanted) + " bytes, here are " + std::to_string(digits.size()));
  std::span<const std::byte> bytes = std::as_bytes(std::span<const char>(digits.data(), digits.size()));
  if (splat) {
    out = ctx_.splatAttr(id, bytes);
  } else if (bytes.size() <= Context::kLargeDense) {
    out = ctx_.denseAttr(id, bytes);
  } else {
    auto owner = std::make_shared<const std::string>(std::move(digits));
    out = ctx_.denseAttr(id, std::as_bytes(std::span<const char>(owner->data(), owner->size())), owner);
  }
  return true;
}

/// At `[`. Written without recursion: the rank is whatever the type says.
bool AttrParser::readDenseList(TypeId id, size_t count, AttrId &out) {
  const TypeData &type = ctx_.type(id);
  DenseSink sink;
  std::vector<int64_t> done; // elements so far, by open level
  if (type.dims.empty())
    return errorHere("bad-attribute", "a scalar is written without brackets");
  auto wrongCount = [&](const char *at, size_t level) {
    return error("bad-attribute", at, endOfToken(at),
                 "dimension " + std::to_string(level) + " of " + ctx_.typeToString(id) + " has " +
                     std::to_string(type.dims[level].size()) + " elements");
  };
  if (count == 0) {
    ++p_;
    if (!eat(']'))
      return errorHere("bad-attribute", "a tensor without elements is written `[]`");
  }
  while (count != 0) {
    if (done.size() < type.dims.size()) {
      if (!expect('[', "around the elements of a dimension"))
        return false;
      done.push_back(0);
      continue;
    }
    if (peek() == ']')
      return wrongCount(p_, done.size() - 1);
    if (!readElement(type.dtype, sink))
      return false;
    while (!done.empty()) {
      size_t level = done.size() - 1;
      if (++done.back() < type.dims[level].size()) {
        if (eat(','))
          break;
        return peek() == ']' ? wrongCount(p_, level) : expect(',', "between elements");
      }
      if (peek() == ',')
        return wrongCount(p_, level);
      if (!expect(']', "after the last element"))
        return false;
      done.pop_back();
    }
    if (done.empty())
      break;
  }
  if (type.dtype == DType::String)
    out = ctx_.denseStringsAttr(id, sink.strings);
  else if (sink.bytes.size() <= Context::kLargeDense)
    out = ctx_.denseAttr(id, sink.bytes);
  else {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(sink.bytes));
    out = ctx_.denseAttr(id, *owner, owner);
  }
  return true;
}

bool AttrParser::readElement(DType dtype, DenseSink &sink) {
  char c = peek();
  if (dtype == DType::String) {
    std::string_view text;
    if (c != '"')
      return errorHere("bad-attribute", "expected a quoted string, found " + found());
    if (!readQuoted(text))
      return false;
    sink.strings.push_back(ctx_.intern(text));
    return true;
  }
  if (dtype == DType::Bool) {
    bool isTrue = eatWord("true");
    if (!isTrue && !eatWord("false"))
      return errorHere("bad-attribute", "expected `true` or `false`, found " + found());
    sink.put(uint8_t(isTrue));
    return true;
  }
  if (!isComplex(dtype))
    return readNumberElement(dtype, sink);
  DType part = dtype == DType::C64 ? DType::F32 : DType::F64;
  return expect('(', "before a complex number's parts") && readNumberElement(part, sink) &&
         expect(',', "between a complex number's parts") && readNumberElement(part, sink) &&
         expect(')', "after a complex number's parts");
}

/// Whether the whole number fits an integer of `bytes` bytes.
static bool fitsInteger(const Number &n, unsigned bytes, bool isSigned) {
  if (n.overflow)
    return false;
  uint64_t top = bytes == 8 ? UINT64_MAX : (uint64_t(1) << (8 * bytes)) - 1;
  if (isSigned)
    return n.magnitude <= (top >> 1) + n.negative;
  return n.negative ? n.magnitude == 0 : n.magnitude <= top;
}

bool AttrParser::readNumberElement(DType dtype, DenseSink &sink) {
  skipSpace();
  const char *from = p_;
  unsigned bytes = dtypeBytes(dtype);
  if (bytes == 0 || (isFloat(dtype) && bytes == 1))
    return error("bad-attribute", from, endOfToken(from),
                 "tensors of " + std::string(dtypeName(dtype)) + " are written in hex: `dense<TYPE: hex \"…\">`");
  Number n;
  if (!readNumber(n))
    return false;
  auto tooLarge = [&] {
    return error("too-large", from, p_, "this number does not fit " + std::string(dtypeName(dtype)));
  };
  if (isInteger(dtype)) {
    if (!n.isInt)
      return error("bad-attribute", from, p_, "expected a whole number");
    if (!fitsInteger(n, bytes, isSigned(dtype)))
      return tooLarge();
    uint64_t bits = n.negative ? 0 - n.magnitude : n.magnitude; // little endian: the low bytes come first
    const std::byte *p = reinterpret_cast<const std::byte *>(&bits);
    sink.bytes.insert(sink.bytes.end(), p, p + bytes);
    return true;
  }
  if (n.hasBits) {
    if (!fitsInteger(n, bytes, false))
      return tooLarge();
    const std::byte *p = reinterpret_cast<const std::byte *>(&n.magnitude);
    sink.bytes.insert(sink.bytes.end(), p, p + bytes);
    return true;
  }
  if (dtype == DType::F64) {
    sink.put(n.value);
    return true;
  }
  if (dtype == DType::F32) {
    float value = float(n.value);
    bool hex = n.isInt && n.spelling.find('x') != std::string_view::npos;
    if (std::isfinite(n.value) && !hex) // not by way of a double: that would round twice
      if (std::from_chars(n.spelling.data(), n.spelling.data() + n.spelling.size(), value).ec != std::errc())
        return tooLarge();
    if (std::isnan(n.value) && !n.negative)
      return sink.put(uint32_t(0x7fc00000)), true;
    sink.put(value);
    return true;
  }
  bool half = dtype == DType::F16;
  uint16_t bits = half ? toHalf(n.value) : toBFloat16(n.value);
  if (std::isfinite(n.value) && !std::isfinite(half ? fromHalf(bits) : fromBFloat16(bits)))
    return tooLarge();
  sink.put(bits);
  return true;
}

} // namespace rw::text
