// Types of variables, and the sizes in them: numbers, and expressions over symbols.
#include "rw/jaxpr/syntax_reader.h"
#include "rw/support/numbers.h"

namespace rw::jaxpr {

using text::isDigit;
using text::isNameChar;
using text::isNameStart;

namespace {
/// Element types that are called otherwise here. The others have the same names: f32, bf16, i64, u8, c64, bool.
struct ElementName {
  std::string_view name;
  DType dtype;
};
constexpr ElementName kElements[] = {{"f8_e4m3fn", DType::F8E4M3FN},
                                     {"f8_e4m3fnuz", DType::F8E4M3FNUZ},
                                     {"f8_e5m2", DType::F8E5M2},
                                     {"f8_e5m2fnuz", DType::F8E5M2FNUZ},
                                     {"f4_e2m1fn", DType::F4E2M1}};
} // namespace

/// `f32[2,3]`, `bool[]`, `key<fry>[]`, `f32<host>[3]`.
bool SyntaxReader::readType(SyntaxType &out) {
  skipSpace();
  const char *from = p_;
  if (*p_ == '~') // weakly typed: of no meaning for what is computed
    ++p_;
  std::string_view word = readWord();
  if (word.empty())
    return errorHere("syntax", "expected a type such as `f32[3]`, found " + found());
  if (word == "key") {
    std::string_view impl;
    if (eat('<')) {
      impl = readWord();
      if (!expect('>', "after what makes the random numbers"))
        return false;
    }
    if (impl != "fry" && !impl.empty())
      return unsupported(from, p_,
                         "keys of random numbers are read for threefry alone (`key<fry>`), not for `" +
                             std::string(impl) + "`",
                         "make the key by jax.random.key(seed, impl=\"threefry2x32\")");
    Dims dims;
    if (!readSizes(dims))
      return false;
    dims.push_back(Dim(2));
    out.type = ctx_.tensorType(DType::U32, dims);
    out.isKey = true;
    return true;
  }
  DType dtype = DType::Unknown;
  for (const ElementName &e : kElements)
    if (e.name == word)
      dtype = e.dtype;
  if (dtype == DType::Unknown && word != "str")
    dtype = dtypeFromName(word).value_or(DType::Unknown);
  if (dtype == DType::Unknown) {
    const char *to = p_;
    if (word == "Ref" || word == "MutableArrayRef" || word == "AbstractRef" || word == "MemRef" || word == "Tok" ||
        word == "Token")
      return unsupported(from, to, "variables of type `" + std::string(word) + "` are not read",
                         "only arrays are: trace a function without references, tokens and effects");
    return unsupported(from, to, "variables of type `" + std::string(word) + "` are not read",
                       "read are arrays of bool, i4 to i64, u4 to u64, bf16, f16, f32, f64, c64, c128 and some of f8");
  }
  if (*p_ == '<') { // the memory that it lies in
    const char *at = p_++;
    readWord();
    if (*p_ != '>')
      return error("unterminated", at, at + 1, "nothing closes this bracket");
    ++p_;
  }
  Dims dims;
  if (!readSizes(dims))
    return false;
  if (*p_ == '{')
    return unsupported(p_, p_ + 1, "variables that differ between devices (`{V:…}`) are not read",
                       "trace the function for one device, without shard_map");
  if (*p_ == '*') // weakly typed, as older versions say it
    ++p_;
  int64_t product = 1;
  bool fits = true, zero = false;
  for (Dim d : dims)
    if (d.isKnown()) {
      zero |= d.size() == 0;
      if (d.size() != 0)
        fits &= !__builtin_mul_overflow(product, d.size(), &product);
    }
  if (!fits && !zero)
    return error("too-large", from, p_, "the number of elements of this type does not fit 64 bits");
  out.type = ctx_.tensorType(dtype, dims);
  return true;
}

bool SyntaxReader::readSizes(Dims &out) {
  if (!expect('[', "before the sizes of a type"))
    return false;
  return readList(']', [&] {
    Dim d;
    if (peek() == ']') // behind a comma
      return true;
    if (!readSize(d, "a size"))
      return false;
    out.push_back(d);
    return true;
  });
}

bool SyntaxReader::readSize(Dim &out, std::string_view where) {
  skipSpace();
  const char *from = p_;
  if (!sum(out))
    return p_ == from ? errorHere("syntax", "expected " + std::string(where) + ", found " + found())
                      : error("syntax", from, endOfToken(p_), "this is no size");
  if (*p_ == '@')
    return unsupported(from, endOfToken(p_ + 1),
                       "arrays that lie on several devices are not read: a size with the axis of a mesh",
                       "trace the function for one device");
  return true;
}

bool SyntaxReader::atOperator() const {
  const char *q = p_;
  while (*q == ' ')
    ++q;
  if (*q == '*' || *q == '^')
    return true;
  return (*q == '+' || *q == '-') && (q[1] == ' ' || q[1] == '\n');
}

/// An expression over symbols; false, and nothing said, if none stands ahead. What a Dim does not hold is unknown.
bool SyntaxReader::sum(Dim &out) {
  Nested nested(*this);
  if (!nested)
    return false;
  DimTable &dims = ctx_.dims();
  InlineList<Dim, 4> plus, minus;
  bool negative = false;
  for (;;) {
    skipSpace();
    if (*p_ == '-') {
      negative = !negative;
      ++p_;
      continue;
    }
    Dim term;
    if (!product(term))
      return false;
    (negative ? minus : plus).push_back(term);
    while (*p_ == ' ')
      ++p_;
    if (*p_ != '+' && *p_ != '-')
      break;
    negative = *p_ == '-';
    ++p_;
  }
  out = plus.empty() ? Dim(0) : dims.sum(plus);
  if (plus.empty() && minus.size() == 1 && minus[0].isKnown())
    out = Dim::number(-minus[0].size());
  else if (!minus.empty())
    out = dims.sub(out, dims.sum(minus));
  return true;
}

bool SyntaxReader::product(Dim &out) {
  if (!factor(out))
    return false;
  for (;;) {
    while (*p_ == ' ')
      ++p_;
    if (*p_ != '*' || p_[1] == '*')
      return true;
    ++p_;
    Dim by;
    if (!factor(by))
      return false;
    out = ctx_.dims().mul(out, by);
  }
}

bool SyntaxReader::factor(Dim &out) {
  skipSpace();
  if (*p_ == '(') {
    ++p_;
    return sum(out) && eat(')');
  }
  if (isDigit(*p_)) {
    const char *from = p_;
    while (isDigit(*p_))
      ++p_;
    Parsed<int64_t> size = parseInt(slice(from, p_));
    if (!size)
      return error("too-large", from, p_, "a size is a whole number below 2^63");
    out = Dim(size.value);
  } else if (std::string_view word = readWord(); !word.empty()) {
    if (*p_ == '(') {
      ++p_;
      InlineList<Dim, 4> args;
      do {
        Dim arg;
        if (!sum(arg))
          return false;
        args.push_back(arg);
      } while (eat(','));
      if (!eat(')'))
        return false;
      out = applied(word, args);
    } else {
      out = word == "None" ? Dim::unknown() : ctx_.dims().symbol(ctx_.intern(word));
    }
  } else {
    return false;
  }
  if (*p_ == '^' && isDigit(p_[1])) {
    const char *from = ++p_;
    while (isDigit(*p_))
      ++p_;
    Parsed<int64_t> power = parseInt(slice(from, p_));
    constexpr int64_t kMost = 16;
    Dim base = out;
    out = power && power.value <= kMost ? Dim(1) : Dim::unknown();
    for (int64_t i = 0; power && power.value <= kMost && i < power.value; ++i)
      out = ctx_.dims().mul(out, base);
  }
  return true;
}

/// What a Dim holds of it; greatest and least of sizes that are not numbers are unknown.
Dim SyntaxReader::applied(std::string_view function, std::span<const Dim> args) {
  if (args.size() != 2)
    return Dim::unknown();
  if (function == "floordiv")
    return ctx_.dims().floorDiv(args[0], args[1]);
  if (function == "mod")
    return ctx_.dims().mod(args[0], args[1]);
  bool numbers = args[0].isKnown() && args[1].isKnown();
  if ((function == "max" || function == "min") && numbers)
    return (args[0].size() < args[1].size()) == (function == "max") ? args[1] : args[0];
  return Dim::unknown();
}

} // namespace rw::jaxpr
