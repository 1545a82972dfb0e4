// Attributes of the text form, dense tensors apart (parser_dense.cpp).
#include "rw/ir/parser_impl.h"
#include "rw/support/numbers.h"

namespace rw::text {

bool AttrParser::readAttr(AttrType declared, AttrId &out) {
  Nested nested(*this);
  if (!nested)
    return false;
  char c = peek();
  if (c == '[')
    return readBracketAttr(declared, out);
  if (c == '@') {
    ++p_;
    std::string_view name;
    if (!readName(name, "a function's name"))
      return false;
    out = ctx_.symbolAttr(name);
    return true;
  }
  // What a bare name, number or `?` means depends on the declaration, unless the kind is said: `int<3>`.
  std::string_view word = peekWord();
  bool kindSaid = !word.empty() && word.data()[word.size()] == '<' && word != "opaque"; // which is a type
  if (!kindSaid && declared == AttrType::Dim) {
    Dim dim;
    if (!readAmount(dim))
      return false;
    out = ctx_.dimAttr(dim);
    return true;
  }
  if (!kindSaid && declared == AttrType::Type) {
    TypeId type;
    if (!readType(type))
      return false;
    out = ctx_.typeAttr(type);
    return true;
  }
  if (c == '"') {
    std::string_view text;
    if (!readQuoted(text))
      return false;
    out = ctx_.stringAttr(text);
    return true;
  }
  if (isDigit(c) || c == '-' || word == "nan" || word == "inf")
    return readNumberAttr(declared, out);
  if (c == '?' && declared == AttrType::DType) {
    ++p_;
    out = ctx_.dtypeAttr(DType::Unknown);
    return true;
  }
  if (c == '?')
    return errorHere("bad-attribute", "unknown what: write `dim<?>`, `dtype<?>` or `type<?>`");
  return readWordAttr(declared, out);
}

bool AttrParser::readNumberAttr(AttrType declared, AttrId &out) {
  if (declared == AttrType::Float) {
    double value;
    if (!readFloat(value))
      return false;
    out = ctx_.floatAttr(value);
    return true;
  }
  const char *from = p_;
  Number n;
  if (!readNumber(n))
    return false;
  p_ = from; // read again as what it turned out to be
  if (n.isInt) {
    int64_t value;
    if (!readInt(value))
      return false;
    out = ctx_.intAttr(value);
    return true;
  }
  double value;
  if (!readFloat(value))
    return false;
  out = ctx_.floatAttr(value);
  return true;
}

bool AttrParser::readInt(int64_t &out) {
  skipSpace();
  const char *from = p_;
  Number n;
  if (!readNumber(n))
    return false;
  if (!n.isInt)
    return error("bad-attribute", from, p_, "expected a whole number");
  if (n.overflow || n.magnitude > uint64_t(INT64_MAX) + n.negative)
    return error("too-large", from, p_, "this number does not fit a signed 64-bit integer");
  out = int64_t(n.negative ? 0 - n.magnitude : n.magnitude);
  return true;
}

bool AttrParser::readFloat(double &out) {
  skipSpace();
  const char *from = p_;
  Number n;
  if (!readNumber(n))
    return false;
  out = n.value;
  if (!fitsFloat32(out))
    return error("too-large", from, p_, "this number does not fit a 32-bit float, which is what an attribute holds", {},
                 "a constant holds it: `dense<f64[]: 1e300>`");
  if (n.hasBits)
    std::memcpy(&out, &n.magnitude, sizeof out);
  return true;
}

bool AttrParser::readWordAttr(AttrType declared, AttrId &out) {
  const char *from = p_;
  std::string_view word = readWord();
  if (word.empty())
    return errorHere("syntax", "expected an attribute value, found " + found());
  if (word == "true" || word == "false") {
    out = ctx_.boolAttr(word == "true");
    return true;
  }
  if (*p_ == '<')
    return readKindAttr(word, out);
  if (std::optional<DType> dtype = dtypeFromName(word)) {
    if (*p_ != '[' || declared == AttrType::DType) {
      out = ctx_.dtypeAttr(*dtype);
      return true;
    }
    p_ = from;
    TypeId type;
    if (!readType(type))
      return false;
    out = ctx_.typeAttr(type);
    return true;
  }
  return error("bad-attribute", from, p_,
               "`" + std::string(word) + "` is no attribute value; a string is written \"" + std::string(word) + "\"");
}

/// At the `<` after a word that says the kind.
bool AttrParser::readKindAttr(std::string_view kind, AttrId &out) {
  if (kind == "dense")
    return readDenseAttr(out);
  const char *from = kind.data();
  ++p_;
  bool ok = true;
  if (kind == "int") {
    int64_t value;
    if ((ok = readInt(value)))
      out = ctx_.intAttr(value);
  } else if (kind == "float") {
    double value;
    if ((ok = readFloat(value)))
      out = ctx_.floatAttr(value);
  } else if (kind == "dim") {
    Dim value;
    if ((ok = readAmount(value)))
      out = ctx_.dimAttr(value);
  } else if (kind == "type") {
    TypeId value;
    if ((ok = readType(value)))
      out = ctx_.typeAttr(value);
  } else if (kind == "dtype") {
    skipSpace();
    const char *at = p_;
    std::string_view word = *p_ == '?' ? std::string_view(p_, 1) : peekWord();
    p_ += word.size();
    std::optional<DType> value = dtypeFromName(word);
    if (!value)
      return error("unknown-type", at, endOfToken(at), "no dtype is written like this");
    out = ctx_.dtypeAttr(*value);
  } else if (kind == "bytes") {
    std::string value;
    if ((ok = readHex(value)))
      out = ctx_.bytesAttr(value);
  } else if (kind == "unit") {
    out = ctx_.unitAttr();
  } else if (kind == "ints") {
    return readInts('>', out);
  } else if (kind == "floats") {
    return readFloats('>', out);
  } else if (kind == "dims") {
    return readDims('>', out);
  } else if (kind == "list") {
    std::vector<AttrId> elements;
    if (!readElements('>', elements))
      return false;
    out = ctx_.listAttr(elements);
    return true;
  } else {
    return error("bad-attribute", from, p_ - 1, "no kind of attribute is named `" + std::string(kind) + "`");
  }
  return ok && expect('>', "after the value");
}

bool AttrParser::readInts(char close, AttrId &out) {
  InlineList<int64_t, 8> values;
  bool ok = readList(close, [&] {
    int64_t value = 0;
    bool read = readInt(value);
    values.push_back(value);
    return read;
  });
  if (ok)
    out = ctx_.intsAttr(std::span<const int64_t>(values.data(), values.size()));
  return ok;
}

bool AttrParser::readFloats(char close, AttrId &out) {
  InlineList<double, 8> values;
  bool ok = readList(close, [&] {
    double value = 0;
    bool read = readFloat(value);
    values.push_back(value);
    return read;
  });
  if (ok)
    out = ctx_.floatsAttr({values.data(), values.size()});
  return ok;
}

/// At `-3`, but not at `-3*B`.
bool AttrParser::isNegativeNumber() {
  const char *q = peek() == '-' ? p_ + 1 : p_;
  if (q == p_ || !isDigit(*q))
    return false;
  while (isDigit(*q))
    ++q;
  while (*q == ' ')
    ++q;
  return *q == ',' || *q == ']' || *q == '>' || *q == '}' || *q == 0;
}

/// A dim of an attribute: a size, or a number below 0.
bool AttrParser::readAmount(Dim &out) {
  skipSpace();
  const char *from = p_;
  if (!isNegativeNumber())
    return readDim(out);
  int64_t number;
  if (!readInt(number))
    return false;
  out = Dim::number(number);
  return !out.isUnknown() || error("too-large", from, p_, "this number has more than 60 bits");
}

bool AttrParser::readDims(char close, AttrId &out) {
  Dims values;
  bool ok = readList(close, [&] {
    Dim value;
    bool read = readAmount(value);
    values.push_back(value);
    return read;
  });
  if (ok)
    out = ctx_.dimsAttr({values.data(), values.size()});
  return ok;
}

bool AttrParser::readElements(char close, std::vector<AttrId> &out) {
  return readList(close, [&] {
    AttrId value;
    bool read = readAttr(AttrType::Any, value);
    out.push_back(value);
    return read;
  });
}

/// At `[`: ints, floats or dims if they are declared or all elements are; otherwise a list.
bool AttrParser::readBracketAttr(AttrType declared, AttrId &out) {
  const char *from = p_++;
  if (declared == AttrType::Ints)
    return readInts(']', out);
  if (declared == AttrType::Floats)
    return readFloats(']', out);
  if (declared == AttrType::Dims)
    return readDims(']', out);
  if (declared == AttrType::Dim || declared == AttrType::Type)
    return error("bad-attribute", from, p_, "expected a " + std::string(attrTypeName(declared)) + ", found a list");
  std::vector<AttrId> elements;
  if (!readElements(']', elements))
    return false;
  auto all = [&](AttrKind kind) {
    for (AttrId e : elements)
      if (ctx_.attr(e).kind != kind)
        return false;
    return true;
  };
  bool isList = holdsList(declared);
  if (!isList && all(AttrKind::Int)) {
    std::vector<int64_t> ints;
    for (AttrId e : elements)
      ints.push_back(ctx_.attr(e).i);
    out = ctx_.intsAttr(std::span<const int64_t>(ints));
  } else if (!isList && all(AttrKind::Float)) {
    std::vector<double> floats;
    for (AttrId e : elements)
      floats.push_back(ctx_.attr(e).f);
    out = ctx_.floatsAttr(floats);
  } else {
    out = ctx_.listAttr(elements);
  }
  return true;
}

} // namespace rw::text
