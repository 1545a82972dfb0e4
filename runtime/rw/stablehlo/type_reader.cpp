#include "rw/stablehlo/type_reader.h"

#include <algorithm>

namespace rw::stablehlo {

namespace {
struct ElementName {
  std::string_view name;
  DType dtype;
};
constexpr ElementName kElements[] = {{"f32", DType::F32},
                                     {"i32", DType::I32},
                                     {"i1", DType::Bool},
                                     {"i64", DType::I64},
                                     {"f64", DType::F64},
                                     {"bf16", DType::BF16},
                                     {"f16", DType::F16},
                                     {"i8", DType::I8},
                                     {"i16", DType::I16},
                                     {"ui8", DType::U8},
                                     {"ui16", DType::U16},
                                     {"ui32", DType::U32},
                                     {"ui64", DType::U64},
                                     {"i4", DType::I4},
                                     {"ui4", DType::U4},
                                     {"index", DType::I64},
                                     {"f8E4M3FN", DType::F8E4M3FN},
                                     {"f8E4M3FNUZ", DType::F8E4M3FNUZ},
                                     {"f8E5M2", DType::F8E5M2},
                                     {"f8E5M2FNUZ", DType::F8E5M2FNUZ},
                                     {"f4E2M1FN", DType::F4E2M1}};
} // namespace

bool TypeReader::readElementType(DType &out) {
  out = DType::Unknown;
  std::string_view word = peekIdentifier();
  if (word == "complex") {
    const char *from = p_;
    p_ += word.size();
    if (!expect('<', "after `complex`"))
      return false;
    std::string_view part = readIdentifier();
    if (part != "f32" && part != "f64")
      return error("unknown-type", from, endOfToken(p_), "complex numbers have parts of f32 or f64");
    out = part == "f32" ? DType::C64 : DType::C128;
    return expect('>', "after the parts' type");
  }
  for (const ElementName &e : kElements)
    if (e.name == word) {
      out = e.dtype;
      p_ += word.size();
      break;
    }
  return true;
}

bool TypeReader::readType(TypeId &out) {
  skipSpace();
  // Programs repeat few types very often: a type on one line is looked up as text first.
  const char *from = p_, *q = p_;
  const char *limit = std::min(end_, from + text::TextCache::kLongest);
  int depth = 0;
  for (; q < limit; ++q) {
    depth += *q == '<';
    if (*q == '>' && --depth <= 0)
      break;
    if (*q == '"' || *q == '\n' || *q == '#' || *q == '!' || *q == '(' || *q == ')' || (depth == 0 && *q == ','))
      break;
  }
  if (q >= limit || *q != '>' || depth != 0)
    return readTypeSlow(out);
  std::string_view text = slice(from, q + 1);
  uint64_t hash;
  if (uint32_t known = cache_.find(text, 0, hash); known != UINT32_MAX) {
    p_ = q + 1;
    out = TypeId(known);
    return true;
  }
  if (!readTypeSlow(out))
    return false;
  if (p_ == q + 1)
    cache_.add(text, 0, hash, out.raw);
  return true;
}

bool TypeReader::readTypeSlow(TypeId &out) {
  const char *from = (skipSpace(), p_);
  if (*p_ == '!')
    return readDialectType(out);
  std::string_view word = peekIdentifier();
  if (word.empty())
    return errorHere("syntax", "expected a type, found " + found());
  if (word == "tensor") {
    p_ += word.size();
    return expect('<', "after `tensor`") && readTensor(from, out);
  }
  if (word == "tuple") {
    Nested nested(*this);
    p_ += word.size();
    TypeList elements;
    auto element = [&] {
      TypeId type;
      if (!readType(type))
        return false;
      elements.push_back(type);
      return true;
    };
    if (!nested || !expect('<', "after `tuple`") || !readList('>', element))
      return false;
    out = ctx_.tupleType(elements);
    return true;
  }
  DType dtype;
  if (!readElementType(dtype))
    return false;
  if (dtype != DType::Unknown && scalars_) {
    out = ctx_.tensorType(dtype, {});
    return true;
  }
  if (dtype != DType::Unknown)
    return unsupported(from, p_, "values of type `" + std::string(slice(from, p_)) + "` are not read, only tensors",
                       "a single number is a tensor without dimensions: `tensor<" + std::string(slice(from, p_)) +
                           ">`");
  if (word == "vector" || word == "memref")
    return unsupported(from, from + word.size(), "`" + std::string(word) + "` is no type of StableHLO programs",
                       "the text is of a later stage of a compiler; export the program before that");
  return error("unknown-type", from, from + word.size(), "no type is named `" + std::string(word) + "`");
}

/// After `tensor<`.
bool TypeReader::readTensor(const char *from, TypeId &out) {
  Dims dims;
  bool ranked = true;
  int64_t product = 1;
  bool fits = true, zero = false;
  skipSpace();
  if (*p_ == '*') {
    ++p_;
    ranked = false;
    if (!expect('x', "after `*`"))
      return false;
  }
  for (; ranked && (text::isDigit(*p_) || *p_ == '?'); skipSpace()) {
    if (*p_ == '?') {
      dims.push_back(Dim::unknown());
      ++p_;
    } else {
      const char *at = p_;
      int64_t size = 0;
      for (; text::isDigit(*p_); ++p_)
        if (__builtin_mul_overflow(size, 10, &size) || __builtin_add_overflow(size, *p_ - '0', &size))
          return error("too-large", at, endOfToken(at), "a size is a whole number below 2^63");
      dims.push_back(Dim(size));
      zero |= size == 0;
      if (size != 0)
        fits &= !__builtin_mul_overflow(product, size, &product);
    }
    if (peek() != 'x')
      return errorHere("syntax", "expected `x` and the element type after a size, found " + found());
    ++p_;
  }
  if (!fits && !zero)
    return error("too-large", from, p_, "the number of elements of this type does not fit 64 bits");
  const char *element = p_;
  if (*p_ == '!') {
    TypeId refused;
    if (!readDialectType(refused))
      return false;
    return error("unknown-type", element, p_, "this is no type of elements");
  }
  DType dtype;
  if (!readElementType(dtype))
    return false;
  if (dtype == DType::Unknown) {
    std::string_view word = peekIdentifier();
    if (word.empty())
      return errorHere("syntax", "expected an element type, found " + found());
    return unsupported(
        element, element + word.size(), "elements of type `" + std::string(word) + "` are not read",
        "read are i1, i4 to i64, ui4 to ui64, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f4E2M1FN, bf16, f16, f32, f64, "
        "complex<f32> and complex<f64>");
  }
  if (eat(',') && !readEncoding())
    return false;
  if (!expect('>', "after the tensor's type"))
    return false;
  out = ranked ? ctx_.tensorType(dtype, dims) : ctx_.unrankedType(dtype);
  return true;
}

/// After the comma: what bounds unknown sizes says nothing of values.
bool TypeReader::readEncoding() {
  skipSpace();
  const char *from = p_;
  if (*p_ != '#')
    return errorHere("syntax", "expected an encoding, as in `#stablehlo.bounds<3, ?>`, found " + found());
  ++p_;
  std::string_view name = readIdentifier();
  const char *to = p_;
  if (name != "stablehlo.bounds" && name != "stablehlo.type_extensions" && name != "mhlo.type_extensions")
    return unsupported(from, to, "tensors with the encoding `#" + std::string(name) + "` are not read",
                       "only dense tensors are; leave the encoding out");
  return peek() == '<' ? skipBalanced() : expect('<', "after the encoding's name");
}

/// At `!`.
bool TypeReader::readDialectType(TypeId &out) {
  const char *from = p_++;
  std::string_view name = readIdentifier();
  if (name == "stablehlo.token" || name == "mhlo.token") {
    out = ctx_.opaqueType(kTokenType);
    return true;
  }
  if (auto it = aliases_.find(name); it != aliases_.end()) {
    out = it->second;
    return true;
  }
  std::string shown = "`!" + std::string(name) + "`";
  if (name.starts_with("quant."))
    return unsupported(from, p_, "quantised tensors, with elements of type " + shown + ", are not read",
                       "export the program with plain element types, or with quantisation as ops (stablehlo-opt "
                       "--stablehlo-legalize-quant-to-math)");
  if (name.starts_with("vhlo."))
    return unsupported(from, p_, "VHLO, the versioned form of StableHLO, is not read: here the type " + shown,
                       "stablehlo-translate --deserialize makes StableHLO text of it");
  if (name.find('.') != name.npos)
    return unsupported(from, p_, "values of type " + shown + " are not read", "read are tensors, tuples and tokens");
  return error("unknown-type", from, p_, "no type is named " + shown + " above");
}

bool TypeReader::readTypes(TypeList &out) {
  auto item = [&] {
    TypeId type;
    if (!readType(type))
      return false;
    out.push_back(type);
    return true;
  };
  return eat('(') ? readList(')', item) : item();
}

bool TypeReader::readFunctionType(TypeList &operands, TypeList &results) {
  return expect('(', "before the operands' types") &&
         readList(')',
                  [&] {
                    TypeId type;
                    if (!readType(type))
                      return false;
                    operands.push_back(type);
                    return true;
                  }) &&
         expectText("->", "before the results' types") && readTypes(results);
}

bool TypeReader::readTypeAlias() {
  ++p_; // `!`
  std::string_view name = readIdentifier();
  TypeId type;
  if (name.empty())
    return errorHere("syntax", "expected a name after `!`, found " + found());
  if (!expect('=', "after the type's name") || !readType(type))
    return false;
  aliases_[name] = type;
  return true;
}

} // namespace rw::stablehlo
