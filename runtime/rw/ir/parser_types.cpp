// Types and dims of the text form.
#include "rw/ir/parser_impl.h"
#include "rw/support/nearest_name.h"

namespace rw::text {

bool TypeParser::readType(TypeId &out) {
  skipSpace();
  // Programs repeat few types very often: `word[…]` on one line is looked up as text first.
  const char *from = p_, *q = p_;
  while (isNameChar(*q) || *q == '?')
    ++q;
  if (*q != '[')
    return readTypeSlow(out);
  const char *limit = std::min(end_, from + TextCache::kLongest);
  while (q < limit && *q != ']' && *q != '"' && *q != '\n')
    ++q;
  if (q >= limit || *q != ']')
    return readTypeSlow(out);
  std::string_view text(from, size_t(q + 1 - from));
  uint64_t hash;
  if (uint32_t known = types_.find(text, 0, hash); known != UINT32_MAX) {
    p_ = q + 1;
    out = TypeId(known);
    return true;
  }
  if (!readTypeSlow(out))
    return false;
  if (p_ == q + 1)
    types_.add(text, 0, hash, out.raw);
  return true;
}

bool TypeParser::readTypeSlow(TypeId &out) {
  char c = peek();
  const char *from = p_;
  if (c == '?') {
    ++p_;
    if (*p_ == '[')
      return readShape(DType::Unknown, from, out);
    out = ctx_.unknownType();
    return true;
  }
  if (c == '(') {
    Nested nested(*this);
    ++p_;
    InlineList<TypeId, 4> elements;
    if (!nested || !readTypeList(')', elements))
      return false;
    out = ctx_.tupleType(elements);
    return true;
  }
  std::string_view word = readWord();
  if (word.empty())
    return errorHere("syntax", "expected a type, found " + found());
  if (word == "none") {
    out = ctx_.noneType();
    return true;
  }
  if (word == "opaque") {
    std::string_view text;
    if (!expect('<', "after `opaque`"))
      return false;
    if (peek() != '"')
      return errorHere("syntax", "expected the opaque type's text in quotes, found " + found());
    if (!readQuoted(text) || !expect('>', "after the opaque type's text"))
      return false;
    out = ctx_.opaqueType(text);
    return true;
  }
  std::optional<DType> dtype = dtypeFromName(word);
  if (!dtype) {
    std::vector<std::string_view> names = {"none", "opaque"};
    for (unsigned i = 0; i < kDTypeCount; ++i)
      names.push_back(dtypeName(DType(i)));
    std::string_view near = nearestName(word, names);
    return error("unknown-type", from, p_, "no type is named `" + std::string(word) + "`", {},
                 near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
  }
  if (*p_ != '[')
    return error("syntax", from, p_,
                 "a tensor type needs a shape: `" + std::string(word) + "[]` is a scalar, `" + std::string(word) +
                     "[*]` any tensor");
  return readShape(*dtype, from, out);
}

bool TypeParser::readTypeList(char close, InlineList<TypeId, 4> &out) {
  return readList(close, [&] {
    TypeId type;
    if (!readType(type))
      return false;
    out.push_back(type);
    return true;
  });
}

/// At `[`; `from` is where the type starts.
bool TypeParser::readShape(DType dtype, const char *from, TypeId &out) {
  ++p_;
  if (eat('*')) {
    out = ctx_.unrankedType(dtype);
    return expect(']', "after `*`");
  }
  Dims dims;
  bool ok = readList(']', [&] {
    Dim dim;
    if (!readDim(dim))
      return false;
    dims.push_back(dim);
    return true;
  });
  if (!ok)
    return false;
  int64_t product = 1;
  bool fits = true, zero = false;
  for (Dim d : dims) {
    zero |= d == Dim(0);
    if (d.isKnown() && d.size() != 0)
      fits &= !__builtin_mul_overflow(product, d.size(), &product);
  }
  if (!fits && !zero)
    return error("too-large", from, p_, "the number of elements of this type does not fit 64 bits");
  out = ctx_.tensorType(dtype, dims);
  return true;
}

// Dims: sums of products; `floordiv(a, b)` and `mod(a, b)` as the writer spells them; `/` is floordiv.

bool TypeParser::readDim(Dim &out) {
  skipSpace();
  if (isDigit(*p_)) { // a plain size, by far the most common
    const char *q = p_;
    int64_t size = 0;
    while (isDigit(*q) && q - p_ < 18)
      size = size * 10 + (*q++ - '0');
    const char *after = q;
    while (*after == ' ')
      ++after;
    if (*after == ',' || *after == ']') {
      p_ = q;
      out = Dim(size);
      return true;
    }
  }
  dimOperators_ = 0;
  return readSum(out);
}

bool TypeParser::dimResult(const char *from, Dim a, Dim b, Dim result, Dim &out) {
  constexpr unsigned kMaxOperators = 256; // nested products grow much faster than their text
  if (++dimOperators_ > kMaxOperators)
    return error("too-large", from, p_, "this dimension has more than 256 operators");
  if (result.isUnknown() && !a.isUnknown() && !b.isUnknown())
    return error("bad-dimension", from, p_, "this is no size: it is negative, divides by zero, or is too large");
  out = result;
  return true;
}

bool TypeParser::readSum(Dim &out) {
  Nested nested(*this);
  if (!nested)
    return false;
  skipSpace();
  const char *from = p_;
  bool negative = eat('-');
  if (!readProduct(out))
    return false;
  if (negative && !dimResult(from, Dim(0), out, ctx_.dims().sub(Dim(0), out), out))
    return false;
  for (char op; (op = peek()) == '+' || op == '-';) {
    ++p_;
    Dim other;
    if (!readProduct(other))
      return false;
    Dim result = op == '+' ? ctx_.dims().add(out, other) : ctx_.dims().sub(out, other);
    if (!dimResult(from, out, other, result, out))
      return false;
  }
  return true;
}

bool TypeParser::readProduct(Dim &out) {
  skipSpace();
  const char *from = p_;
  if (!readDimAtom(out))
    return false;
  for (char op; (op = peek()) == '*' || op == '/';) {
    ++p_;
    Dim other;
    if (!readDimAtom(other))
      return false;
    DimTable &dims = ctx_.dims();
    Dim result = op == '*' ? dims.mul(out, other) : dims.floorDiv(out, other);
    if (!dimResult(from, out, other, result, out))
      return false;
  }
  return true;
}

bool TypeParser::readDimAtom(Dim &out) {
  char c = peek();
  const char *from = p_;
  if (c == '?') {
    ++p_;
    out = Dim::unknown();
    return true;
  }
  if (c == '(') {
    ++p_;
    return readSum(out) && expect(')', "after the dimension");
  }
  if (isDigit(c)) {
    Number n;
    if (!readNumber(n))
      return false;
    if (!n.isInt || n.overflow || n.magnitude > INT64_MAX)
      return error("bad-dimension", from, p_, "a size is a whole number below 2^63");
    out = Dim(int64_t(n.magnitude));
    return true;
  }
  std::string_view name;
  if (c == '"') {
    if (!readQuoted(name))
      return false;
  } else {
    name = readWord();
    if (name.empty())
      return errorHere("syntax", "expected a dimension, found " + found());
    if ((name == "floordiv" || name == "mod") && eat('(')) {
      Dim a, b;
      if (!readSum(a) || !expect(',', "between the two dimensions") || !readSum(b) ||
          !expect(')', "after the dimension"))
        return false;
      return dimResult(from, a, b, name == "mod" ? ctx_.dims().mod(a, b) : ctx_.dims().floorDiv(a, b), out);
    }
  }
  out = ctx_.dims().symbol(ctx_.intern(name));
  return true;
}

} // namespace rw::text
