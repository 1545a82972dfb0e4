#include "rw/stablehlo/attribute_reader.h"

#include "rw/stablehlo/structures.h"

#include <algorithm>
#include <utility>

namespace rw::stablehlo {

namespace {
bool isOwnDialect(std::string_view name) {
  return name == "stablehlo" || name == "mhlo" || name == "chlo" || name == "arith";
}

/// Whether an attribute is named after a dialect that is not read.
bool isForeign(std::string_view attribute) {
  size_t dot = attribute.find('.');
  return dot != attribute.npos && !isOwnDialect(attribute.substr(0, dot));
}
} // namespace

bool AttributeReader::readValue(AttrId &out, std::vector<NamedValue> *fields) {
  Nested nested(*this);
  if (!nested)
    return false;
  char c = peek();
  if (c == '[')
    return readListValue(out);
  if (c == '#')
    return readHash(out, fields);
  if (c == '"') {
    std::string_view text;
    if (!readString(text))
      return false;
    out = ctx_.stringAttr(text);
    return true;
  }
  if (c == '{') {
    ++p_;
    std::vector<NamedValue> entries;
    if (!readAttributes('}', entries))
      return false;
    out = pairs(entries);
    return true;
  }
  if (c == '@') {
    std::string_view name;
    if (!readSymbol(name))
      return false;
    out = ctx_.symbolAttr(name);
    return true;
  }
  if (c == '(') { // a function's type
    TypeList operands;
    functionResults_ = {};
    if (!readFunctionType(operands, functionResults_))
      return false;
    out = ctx_.typeAttr(ctx_.tupleType(operands));
    return true;
  }
  if (c == '!') {
    TypeId type;
    if (!readType(type))
      return false;
    out = ctx_.typeAttr(type);
    return true;
  }
  if (text::isDigit(c) || c == '-')
    return readNumber(out);
  return readWord(out);
}

/// `: i64`, if it stands there. What else a colon is followed by is the op's: `iota dim = 0 : tensor<4xi32>`.
bool AttributeReader::readNumberType(DType &out) {
  out = DType::Unknown;
  const char *colon = (skipSpace(), p_);
  if (!eat(':'))
    return true;
  if (!readElementType(out))
    return false;
  if (out == DType::Unknown)
    p_ = colon;
  return true;
}

bool AttributeReader::readNumber(AttrId &out) {
  const char *from = p_;
  text::Number n;
  if (!Scanner::readNumber(n))
    return false;
  DType dtype;
  if (!readNumberType(dtype))
    return false;
  if (n.isInt && !isFloat(dtype)) {
    if (n.overflow || n.magnitude > uint64_t(INT64_MAX) + n.negative)
      return error("too-large", from, p_, "this number does not fit a signed 64-bit integer");
    out = ctx_.intAttr(int64_t(n.negative ? 0 - n.magnitude : n.magnitude));
    return true;
  }
  double value = n.value;
  bool hex = n.isInt && n.spelling.find('x') != n.spelling.npos;
  if (hex) { // the bits of a float
    std::vector<std::byte> bytes;
    const char *after = p_;
    p_ = from;
    if (!readNumberElement(dtype, bytes))
      return false;
    p_ = after;
    if (dtype == DType::F32) {
      float f;
      std::memcpy(&f, bytes.data(), sizeof f);
      value = f;
    } else if (dtype == DType::F64) {
      std::memcpy(&value, bytes.data(), sizeof value);
    } else {
      return error("bad-attribute", from, p_, "bits are read of numbers of type f32 and f64");
    }
  }
  out = ctx_.floatAttr(value);
  return true;
}

bool AttributeReader::readWord(AttrId &out) {
  std::string_view word = peekIdentifier();
  const char *from = p_;
  if (word.empty())
    return errorHere("syntax", "expected an attribute's value, found " + found());
  if (word == "dense")
    return readDense(out);
  if (word == "array")
    return readArray(out);
  if (word == "true" || word == "false") {
    p_ += word.size();
    out = ctx_.boolAttr(word == "true");
    DType ignored;
    return readNumberType(ignored);
  }
  if (word == "unit") {
    p_ += word.size();
    out = ctx_.unitAttr();
    return true;
  }
  if (word == "loc") {
    out = ctx_.unitAttr();
    return skipLocation();
  }
  if (word == "dense_resource")
    return unsupported(from, from + word.size(), "the elements of this constant are not in the text (`dense_resource`)",
                       "export the program with its constants, not elided, or make parameters of them");
  if (word == "sparse" || word == "affine_map" || word == "affine_set" || word == "strided" || word == "distinct" ||
      word == "opaque")
    return unsupported(from, from + word.size(), "attributes of the kind `" + std::string(word) + "` are not read",
                       "programs of StableHLO do without");
  DType dtype;
  if (word != "tensor" && word != "tuple" && word != "vector" && word != "memref") {
    if (!readElementType(dtype))
      return false;
    if (dtype != DType::Unknown)
      out = ctx_.dtypeAttr(dtype);
    else { // the value of an enumeration, as short forms have it
      p_ += word.size();
      out = ctx_.stringAttr(word);
    }
    return true;
  }
  TypeId type;
  if (!readType(type))
    return false;
  out = ctx_.typeAttr(type);
  return true;
}

/// At `[`: ints and floats if all elements are.
bool AttributeReader::readListValue(AttrId &out) {
  ++p_;
  std::vector<AttrId> elements;
  bool ok = readList(']', [&] {
    AttrId value;
    if (!readValue(value))
      return false;
    elements.push_back(value);
    return true;
  });
  if (!ok)
    return false;
  auto all = [&](AttrKind kind) {
    return std::ranges::all_of(elements, [&](AttrId e) { return ctx_.attr(e).kind == kind; });
  };
  if (all(AttrKind::Int)) {
    std::vector<int64_t> ints;
    for (AttrId e : elements)
      ints.push_back(ctx_.attr(e).i);
    out = ctx_.intsAttr(std::span<const int64_t>(ints));
  } else if (all(AttrKind::Float)) {
    std::vector<double> floats;
    for (AttrId e : elements)
      floats.push_back(ctx_.attr(e).f);
    out = ctx_.floatsAttr(floats);
  } else {
    out = ctx_.listAttr(elements);
  }
  return true;
}

/// `array<i64: 1, 2>`.
bool AttributeReader::readArray(AttrId &out) {
  p_ += std::string_view("array").size();
  if (!expect('<', "after `array`"))
    return false;
  skipSpace();
  const char *from = p_;
  DType dtype;
  if (!readElementType(dtype))
    return false;
  if (dtype == DType::Unknown || isComplex(dtype))
    return error("unknown-type", from, endOfToken(from), "expected the type of the array's elements, such as i64");
  std::vector<AttrId> elements;
  auto item = [&] {
    AttrId value;
    skipSpace();
    const char *at = p_;
    if (!readValue(value))
      return false;
    AttrKind kind = ctx_.attr(value).kind;
    if (dtype == DType::Bool && kind == AttrKind::Int)
      value = ctx_.boolAttr(ctx_.attr(value).i != 0);
    else if (isFloat(dtype) && kind == AttrKind::Int)
      value = ctx_.floatAttr(double(ctx_.attr(value).i));
    else if (kind != (dtype == DType::Bool ? AttrKind::Bool : isFloat(dtype) ? AttrKind::Float : AttrKind::Int))
      return error("bad-attribute", at, p_, "this is no " + std::string(dtypeName(dtype)));
    elements.push_back(value);
    return true;
  };
  if (!eat('>') && (!expect(':', "after the elements' type") || !readList('>', item)))
    return false;
  if (dtype == DType::Bool) {
    out = ctx_.listAttr(elements);
  } else if (isFloat(dtype)) {
    std::vector<double> floats;
    for (AttrId e : elements)
      floats.push_back(ctx_.attr(e).f);
    out = ctx_.floatsAttr(floats);
  } else {
    std::vector<int64_t> ints;
    for (AttrId e : elements)
      ints.push_back(ctx_.attr(e).i);
    out = ctx_.intsAttr(std::span<const int64_t>(ints));
  }
  return true;
}

AttrId AttributeReader::pairs(std::span<const NamedValue> entries) {
  std::vector<AttrId> list;
  for (const NamedValue &e : entries) {
    AttrId pair[] = {ctx_.stringAttr(e.name), e.value};
    list.push_back(ctx_.listAttr(pair));
  }
  return ctx_.listAttr(list);
}

/// At `#`: an alias, `#dialect<kind VALUE>` or `#dialect.name<…>`.
bool AttributeReader::readHash(AttrId &out, std::vector<NamedValue> *fields) {
  const char *from = p_++;
  std::string_view name = readIdentifier();
  if (auto it = aliases_.find(name); it != aliases_.end() && *p_ != '<') {
    const Alias &alias = it->second;
    if (!alias.unreadable.empty())
      return unsupported(from, p_,
                         "`#" + std::string(name) + "` stands for an attribute that is not read, `" +
                             std::string(alias.unreadable) + "`",
                         "programs of StableHLO do without");
    if (alias.value)
      out = alias.value;
    else if (fields)
      fields->insert(fields->end(), alias.fields.begin(), alias.fields.end());
    else
      out = pairs(alias.fields);
    return true;
  }
  size_t dot = name.find('.');
  std::string_view dialect = name.substr(0, dot);
  std::string shown = "`#" + std::string(name) + "`";
  mustTell_ |= dialect == "vhlo" || dialect == "sdy";
  if (dialect == "vhlo")
    return unsupported(from, p_, "VHLO, the versioned form of StableHLO, is not read: here the attribute " + shown,
                       "stablehlo-translate --deserialize makes StableHLO text of it");
  if (dialect == "sdy")
    return unsupported(from, p_, "shardings over several devices are not read: here " + shown + " of the dialect sdy",
                       "export the program for one device");
  if (!isOwnDialect(dialect)) {
    if (dot == name.npos && *p_ != '<')
      return error("unknown-attribute", from, p_, "no attribute is named " + shown + " above");
    return unsupported(from, p_, "attributes of the dialect `" + std::string(dialect) + "` are not read: here " + shown,
                       "read are those of stablehlo, chlo and mhlo");
  }
  if (dot == name.npos) { // #stablehlo<comparison_direction LT>
    if (!expect('<', "after the attribute's dialect"))
      return false;
    std::string_view kind, value;
    if (peek() == '"') { // <"comparison_direction LT">, the older spelling
      if (!readString(kind))
        return false;
      value = kind.substr(std::min(kind.find(' '), kind.size()));
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    } else {
      kind = readIdentifier();
      value = readIdentifier();
    }
    if (kind.empty() || value.empty())
      return errorHere("syntax", "expected a kind and a value, as in `<comparison_direction LT>`, found " + found());
    out = ctx_.stringAttr(value);
    return expect('>', "after the value");
  }
  return readStructured(name.substr(dot + 1), from, out, fields);
}

/// At `<` after `#stablehlo.gather`.
bool AttributeReader::readStructured(std::string_view structure, const char *from, AttrId &out,
                                     std::vector<NamedValue> *fields) {
  if (!expect('<', "after the attribute's name"))
    return false;
  std::vector<NamedValue> own;
  if (peek() == '[') {
    if (structure != "conv")
      return errorHere("syntax", "expected the attribute's fields, found " + found());
    if (!readConvolutionDimensions(own) || !expect('>', "after the dimensions"))
      return false;
  } else {
    if (structure == "conv" && !eatIdentifier("raw"))
      return errorHere("syntax", "expected `[` or `raw`, found " + found());
    std::string_view word = peekIdentifier();
    const char *after = p_ + word.size();
    while (*after == ' ')
      ++after;
    if (!word.empty() && *after == '>') { // #stablehlo.result_accuracy_mode<HIGHEST>
      p_ = after + 1;
      out = ctx_.stringAttr(word);
      return true;
    }
    if (!readAttributes('>', own))
      return false;
  }
  for (NamedValue &f : own) {
    f.name = attributeOfField(structure, f.name);
    f.from = from;
    f.to = p_;
  }
  if (fields && isFlattened(structure))
    fields->insert(fields->end(), own.begin(), own.end());
  else
    out = pairs(own);
  return true;
}

/// The value of an attribute that is foreign, and so says nothing of what is computed: one that is not understood, such
/// as `#tf_type.shape<?>`, is left out.
bool AttributeReader::readForeignEntry(AttrId &out, std::vector<NamedValue> &fields) {
  const char *from = p_;
  size_t before = fields.size();
  bool outer = std::exchange(quiet_, true);
  mustTell_ = false;
  bool read = readValue(out, &fields) && (skipSpace(), *p_ == ',' || *p_ == '}' || *p_ == '>');
  quiet_ = outer;
  if (read)
    return true;
  p_ = from;
  out = AttrId();
  fields.resize(before);
  return mustTell_ ? readValue(out, &fields) : skipValue();
}

/// Up to what ends an entry of a list. Brackets in strings do not count.
bool AttributeReader::skipValue() {
  const char *from = p_;
  constexpr std::string_view kEnds = ",}>])", kOpening = "([{<";
  while (!atEnd() && kEnds.find(*p_) == kEnds.npos) {
    std::string_view ignored;
    if (*p_ == '"') {
      if (!readString(ignored))
        return false;
    } else if (kOpening.find(*p_) != kOpening.npos) {
      if (!skipBalanced())
        return false;
    } else {
      p_ += *p_ == '-' && p_[1] == '>' ? 2 : 1;
    }
  }
  return p_ != from || errorHere("syntax", "expected an attribute's value, found " + found());
}

bool AttributeReader::readAttributes(char close, std::vector<NamedValue> &out) {
  return readList(close, [&] {
    skipSpace();
    const char *from = p_;
    std::string_view name;
    if (*p_ == '"') {
      if (!readString(name))
        return false;
    } else {
      name = readIdentifier();
      if (name.empty())
        return errorHere("syntax", "expected an attribute's name, found " + found());
    }
    AttrId value;
    size_t before = out.size();
    if (!eat('='))
      value = ctx_.unitAttr();
    else if (isForeign(name) ? !readForeignEntry(value, out) : !readValue(value, &out))
      return false;
    if (value)
      out.push_back({name, value, from, p_});
    else
      for (size_t i = before; i < out.size(); ++i)
        out[i].from = from;
    return true;
  });
}

bool AttributeReader::readIntegers(InlineList<int64_t, 8> &out) {
  return expect('[', "before the numbers") && readList(']', [&] {
           int64_t value = 0;
           bool read = readInteger(value, "a number");
           out.push_back(value);
           return read;
         });
}

/// One side of a convolution's dimensions: `[b, 0, 1, f]`.
bool AttributeReader::readConvolutionSide(std::string_view side, std::string_view first, std::string_view second,
                                          char firstLabel, char secondLabel, std::vector<NamedValue> &out) {
  skipSpace();
  const char *from = p_;
  if (!expect('[', "before dimensions"))
    return false;
  InlineList<int64_t, 8> spatial; // by label: the position
  int64_t firstAt = -1, secondAt = -1, position = 0;
  bool ok = readList(']', [&] {
    skipSpace();
    const char *at = p_;
    int64_t *slot = nullptr;
    if (*p_ == firstLabel || *p_ == secondLabel) {
      slot = *p_ == firstLabel ? &firstAt : &secondAt;
      ++p_;
    } else {
      int64_t label = 0;
      if (!readInteger(label, "a dimension")) // most such lists are short: a label beyond is an error
        return false;
      if (label < 0 || label >= 64)
        return error("bad-attribute", at, p_, "no convolution has so many dimensions");
      while (int64_t(spatial.size()) <= label)
        spatial.push_back(-1);
      slot = &spatial[size_t(label)];
    }
    if (*slot != -1)
      return error("bad-attribute", at, p_, "this dimension stands here twice");
    *slot = position++;
    return true;
  });
  if (!ok)
    return false;
  if (firstAt < 0 || secondAt < 0 || std::ranges::find(spatial, -1) != spatial.end())
    return error("bad-attribute", from, p_,
                 std::string("dimensions are `") + firstLabel + "`, `" + secondLabel + "` and 0, 1, … once each");
  std::string prefix = std::string(side) + "_";
  auto add = [&](std::string name, AttrId value) { out.push_back({ctx_.text(ctx_.intern(name)), value, from, p_}); };
  add(prefix + std::string(first), ctx_.intAttr(firstAt));
  add(prefix + std::string(second), ctx_.intAttr(secondAt));
  add(prefix + "spatial_dimensions", ctx_.intsAttr(std::span<const int64_t>(spatial.data(), spatial.size())));
  return true;
}

bool AttributeReader::readConvolutionDimensions(std::vector<NamedValue> &out) {
  return readConvolutionSide("input", "batch_dimension", "feature_dimension", 'b', 'f', out) &&
         expectText("x", "between dimensions") &&
         readConvolutionSide("kernel", "output_feature_dimension", "input_feature_dimension", 'o', 'i', out) &&
         expectText("->", "between dimensions") &&
         readConvolutionSide("output", "batch_dimension", "feature_dimension", 'b', 'f', out);
}

bool AttributeReader::readAttributeAlias() {
  const char *from = p_++; // `#`
  std::string_view name = readIdentifier();
  if (name.empty())
    return errorHere("syntax", "expected a name after `#`, found " + found());
  if (peek() != '=') { // an attribute, where an op was expected
    p_ = from;
    return errorHere("syntax", "expected an op or a function, found " + found());
  }
  ++p_;
  Alias alias;
  skipSpace();
  const char *at = p_;
  std::string_view word = *p_ == '#' ? (++p_, readIdentifier()) : peekIdentifier();
  std::string_view dialect = word.substr(0, word.find('.'));
  bool known = *at != '#' || isOwnDialect(dialect) || dialect == "vhlo" || dialect == "sdy" || aliases_.contains(word);
  if (!known || word == "affine_map" || word == "affine_set" || word == "loc") {
    p_ = at + (*at == '#') + word.size();
    alias.unreadable = slice(at, p_);
    bool bracket = peek() == '<' || (*p_ == '(' && word == "loc");
    if (bracket && !skipBalanced())
      return false;
  } else {
    p_ = at;
    if (!readValue(alias.value, &alias.fields))
      return false;
  }
  aliases_[name] = std::move(alias);
  return true;
}

// What a declaration makes of a value ---------------------------------------------------------------------------------

std::optional<std::vector<int64_t>> AttributeReader::integersOf(AttrId id) const {
  const DenseData &dense = *ctx_.attr(id).dense;
  const TypeData &type = ctx_.type(dense.type);
  std::optional<int64_t> count = ctx_.elementCount(dense.type);
  unsigned bytes = dtypeBytes(type.dtype);
  constexpr int64_t kMost = 1 << 16;
  if (!count || *count > kMost || bytes == 0 || !(isInteger(type.dtype) || type.dtype == DType::Bool))
    return std::nullopt;
  std::vector<int64_t> out;
  for (int64_t i = 0; i < *count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, dense.bytes.data() + (dense.splat ? 0 : size_t(i) * bytes), bytes);
    if (isSigned(type.dtype) && bytes < 8 && (bits >> (8 * bytes - 1)) != 0)
      bits |= ~uint64_t(0) << (8 * bytes);
    out.push_back(int64_t(bits));
  }
  return out;
}

AttrId AttributeReader::fit(AttrId value, AttrType declared) {
  const AttrData &a = ctx_.attr(value);
  bool isDense = a.kind == AttrKind::Dense;
  std::span<const Dim> dims;
  std::optional<std::vector<int64_t>> ints;
  if (isDense && declared != AttrType::Tensor && declared != AttrType::Any) {
    ints = integersOf(value);
    dims = ctx_.type(a.dense->type).dims;
    if (!ints)
      return {};
  }
  bool empty = (a.kind == AttrKind::Ints && a.ints.empty()) || (ints && ints->empty());
  auto bools = [&](std::span<const int64_t> from) {
    std::vector<AttrId> list;
    for (int64_t i : from)
      list.push_back(ctx_.boolAttr(i != 0));
    return ctx_.listAttr(list);
  };
  switch (declared) {
  case AttrType::Ints:
    if (ints && dims.size() <= 1)
      return ctx_.intsAttr(std::span<const int64_t>(*ints));
    break;
  case AttrType::Dims: {
    if (a.kind != AttrKind::Ints)
      break;
    Dims out;
    for (int64_t i : a.ints)
      out.push_back(Dim::number(i));
    return ctx_.dimsAttr(out);
  }
  case AttrType::Bools:
    if (ints && dims.size() <= 1)
      return bools(*ints);
    if (a.kind == AttrKind::Ints)
      return bools(a.ints);
    break;
  case AttrType::IntLists: {
    if (!ints) {
      if (empty)
        return ctx_.listAttr({});
      break;
    }
    if (dims.size() != 2)
      return {};
    size_t rows = size_t(dims[0].size()), columns = size_t(dims[1].size());
    if (rows > (1 << 16)) // of no columns
      return {};
    std::vector<AttrId> list;
    for (size_t i = 0; i < rows; ++i)
      list.push_back(ctx_.intsAttr(std::span<const int64_t>(ints->data() + i * columns, columns)));
    return ctx_.listAttr(list);
  }
  case AttrType::Strings:
    if (empty)
      return ctx_.listAttr({});
    break;
  case AttrType::Int:
    if (ints && ints->size() == 1)
      return ctx_.intAttr((*ints)[0]);
    break;
  case AttrType::Bool:
    if (a.kind == AttrKind::Unit)
      return ctx_.boolAttr(true);
    if (a.kind == AttrKind::Int && (a.i == 0 || a.i == 1))
      return ctx_.boolAttr(a.i == 1);
    if (ints && ints->size() == 1)
      return ctx_.boolAttr((*ints)[0] != 0);
    break;
  case AttrType::Float:
    if (a.kind == AttrKind::Int)
      return ctx_.floatAttr(double(a.i));
    break;
  case AttrType::String:
    if (a.kind == AttrKind::Symbol)
      return ctx_.stringAttr(a.text);
    if (a.kind == AttrKind::DType) // a name that happens to be an element type's
      return ctx_.stringAttr(dtypeName(a.dtype));
    break;
  case AttrType::Symbol:
    if (a.kind == AttrKind::String)
      return ctx_.symbolAttr(a.text);
    break;
  default:
    break;
  }
  return value;
}

} // namespace rw::stablehlo
