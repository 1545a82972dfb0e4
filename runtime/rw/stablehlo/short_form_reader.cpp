// Ops in the short form that tools print.
#include "rw/ir/verifier.h"
#include "rw/stablehlo/reader.h"

#include <algorithm>

namespace rw::stablehlo {

bool Reader::readShortForm(Draft &d) {
  if (d.name.role == OpName::Call)
    return readCall(d);
  if (d.name.role == OpName::Case)
    return error("syntax", d.nameAt, d.nameEnd,
                 "`case` has no short form: write `\"stablehlo.case\"(%index) ({…}, {…}) : (tensor<i32>) -> T`");
  switch (d.name.syntax) {
  case Syntax::Items:
    return readItems(d);
  case Syntax::Constant:
    return readConstant(d);
  case Syntax::Slice:
    return readSlice(d);
  case Syntax::TupleElement:
    return readTupleElement(d);
  case Syntax::ReducePrecision:
    return readReducePrecision(d);
  case Syntax::CustomCall:
    return readCustomCall(d);
  case Syntax::Composite:
    return readComposite(d);
  case Syntax::Convolution:
    return readConvolution(d);
  case Syntax::While:
    return readWhile(d);
  case Syntax::Reduce:
    return readReduce(d);
  }
  return false;
}

bool Reader::readOptionalAttributes() { return !eat('{') || readAttributes('}', attrs_); }

/// `%a, %b, key = value, WORD {attributes} : types`, in brackets or not.
bool Reader::readItems(Draft &d) {
  unsigned words = 0;
  bool read = true;
  if (eat('(')) {
    if (!readList(')', [&] {
          return readItem(d, words, read) && (read || errorHere("syntax", "expected an operand, found " + found()));
        }))
      return false;
  } else {
    if (!readItem(d, words, read))
      return false;
    while (read && eat(','))
      if (!readItem(d, words, read) ||
          (!read && !errorHere("syntax", "expected an operand or `key = value`, found " + found())))
        return false;
  }
  return readOptionalAttributes() && readTypesOfOp(d);
}

/// `read` is false, and nothing read, if what stands ahead is no part of the op.
bool Reader::readItem(Draft &d, unsigned &words, bool &read) {
  read = true;
  if (peek() == '%')
    return readOperand(d.operands);
  const char *from = p_;
  std::string_view word = peekIdentifier();
  if (word == "dense") {
    AttrId value;
    if (!readDense(value))
      return false;
    add("value", value, from);
    return true;
  }
  if (!word.empty() && word != "loc") {
    const char *after = p_ + word.size();
    while (*after == ' ' || *after == '\n' || *after == '\t' || *after == '\r')
      ++after;
    if (*after == '=') {
      const KeyName *key = keyOf(d.name.canonical, word);
      if (!key)
        return error("unknown-attribute", from, from + word.size(),
                     "the short form of `" + std::string(d.name.shown) + "` has no `" + std::string(word) + "`");
      p_ = after + 1;
      return readKey(d, *key, from);
    }
    if (std::string_view attribute = wordOf(d.name.canonical, words); !attribute.empty()) {
      ++words;
      p_ += word.size();
      add(attribute, ctx_.stringAttr(word), from);
      return true;
    }
  }
  read = false;
  return true;
}

/// After `=`.
bool Reader::readKey(Draft &, const KeyName &key, const char *from) {
  AttrId value;
  if (peek() == '<') { // algorithm = <lhs_precision_type = tf32, …>
    ++p_;
    return readAttributes('>', attrs_);
  }
  if (!readValue(value))
    return false;
  add(key.attribute, value, from);
  if (key.second.empty())
    return true;
  AttrId other;
  if (!expectText("x", "between the dimensions of both operands") || !readValue(other))
    return false;
  add(key.second, other, from);
  return true;
}

/// `call @f(%a) : (T) -> T`.
bool Reader::readCall(Draft &d) {
  skipSpace();
  const char *from = p_;
  std::string_view callee;
  if (!readSymbol(callee))
    return false;
  add("callee", ctx_.symbolAttr(callee), from);
  return expect('(', "before the operands") && readList(')', [&] { return readOperand(d.operands); }) &&
         readOptionalAttributes() && readTypesOfOp(d);
}

/// `constant {attributes} dense<…> : T`.
bool Reader::readConstant(Draft &d) {
  if (peek() == '(') // as the generic form goes on, for types that the elements do not have
    return readGenericOp(d);
  if (!readOptionalAttributes())
    return false;
  skipSpace();
  const char *from = p_;
  std::string_view word = peekIdentifier();
  if (word != "dense") {
    if (word == "dense_resource") {
      AttrId never;
      return readValue(never);
    }
    if (d.name.shown == kNumberConstant)
      return readNumberConstant(d);
    return unsupported(from, endOfToken(from), "a constant that is no tensor is not read",
                       "write `dense<1> : tensor<i32>`");
  }
  AttrId value;
  if (!readDense(value))
    return false;
  add("value", value, from);
  d.resultTypes = {ctx_.attr(value).dense->type};
  return skipLocation();
}

/// `slice %x [0:10, 2:8:3] : (T) -> T`.
bool Reader::readSlice(Draft &d) {
  if (!readOperand(d.operands))
    return false;
  skipSpace();
  const char *from = p_;
  InlineList<int64_t, 8> starts, limits, strides;
  auto dimension = [&] {
    int64_t start = 0, limit = 0, stride = 1;
    if (!readInteger(start, "where the slice starts") || !expect(':', "before where the slice ends") ||
        !readInteger(limit, "where the slice ends") || (eat(':') && !readInteger(stride, "a stride")))
      return false;
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
    return true;
  };
  if (!expect('[', "before the slice") || !readList(']', dimension))
    return false;
  auto ints = [&](const InlineList<int64_t, 8> &list) {
    return ctx_.intsAttr(std::span<const int64_t>(list.data(), list.size()));
  };
  add("start_indices", ints(starts), from);
  add("limit_indices", ints(limits), from);
  add("strides", ints(strides), from);
  return readOptionalAttributes() && readTypesOfOp(d);
}

/// `get_tuple_element %x[0] : (T) -> T`.
bool Reader::readTupleElement(Draft &d) {
  if (!readOperand(d.operands))
    return false;
  skipSpace();
  const char *from = p_;
  int64_t index;
  if (!expect('[', "before the element's number") || !readInteger(index, "the element's number") ||
      !expect(']', "after the element's number"))
    return false;
  add("index", ctx_.intAttr(index), from);
  return readOptionalAttributes() && readTypesOfOp(d);
}

/// `reduce_precision %x, format = e8m10 : T`.
bool Reader::readReducePrecision(Draft &d) {
  if (!readOperand(d.operands) || !expect(',', "after the operand"))
    return false;
  skipSpace();
  const char *from = p_;
  if (!eatIdentifier("format") || !expect('=', "after `format`"))
    return errorHere("syntax", "expected `format = e8m10`, found " + found());
  std::string_view word = readIdentifier();
  int64_t bits[2] = {-1, -1};
  size_t at = 0;
  for (int part = 0; part < 2; ++part) {
    if (at >= word.size() || word[at] != "em"[part])
      break;
    for (++at; at < word.size() && text::isDigit(word[at]) && bits[part] < 100000; ++at)
      bits[part] = std::max<int64_t>(bits[part], 0) * 10 + (word[at] - '0');
  }
  if (at != word.size() || bits[0] < 0 || bits[1] < 0)
    return error("bad-attribute", from, p_, "a format is written `e8m10`: so many bits of exponent, and of mantissa");
  add("exponent_bits", ctx_.intAttr(bits[0]), from);
  add("mantissa_bits", ctx_.intAttr(bits[1]), from);
  return readOptionalAttributes() && readTypesOfOp(d);
}

/// `custom_call @target(%a) {attributes} : types`.
bool Reader::readCustomCall(Draft &d) {
  skipSpace();
  const char *from = p_;
  std::string_view target;
  if (!readSymbol(target))
    return false;
  add("call_target_name", ctx_.stringAttr(target), from);
  return expect('(', "before the operands") && readList(')', [&] { return readOperand(d.operands); }) &&
         readOptionalAttributes() && readTypesOfOp(d);
}

/// `composite "name" %a, %b {attributes} : types`.
bool Reader::readComposite(Draft &d) {
  skipSpace();
  const char *from = p_;
  std::string_view name;
  if (*p_ != '"')
    return errorHere("syntax", "expected the composite's name in quotes, found " + found());
  if (!readString(name))
    return false;
  add("name", ctx_.stringAttr(name), from);
  return readItems(d);
}

/// `convolution(%a, %b) dim_numbers = […]x[…]->[…], window = {…} {attributes} : types`.
bool Reader::readConvolution(Draft &d) {
  if (peek() != '(')
    return expect('(', "before the operands");
  ++p_;
  if (!readList(')', [&] { return readOperand(d.operands); }))
    return false;
  if (!eatIdentifier("dim_numbers") || !expect('=', "after `dim_numbers`"))
    return errorHere("syntax", "expected `dim_numbers = […]x[…]->[…]`, found " + found());
  if (!readConvolutionDimensions(attrs_) || !expect(',', "after the dimensions"))
    return false;
  if (!eatIdentifier("window") || !expect('=', "after `window`") || !expect('{', "before the window"))
    return errorHere("syntax", "expected `window = {…}`, found " + found());
  return readWindow() && readOptionalAttributes() && readTypesOfOp(d);
}

/// After `{`: `stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = …, rhs_dilate = …, reverse = …}`.
bool Reader::readWindow() {
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {{"stride", "window_strides"},
                                                                      {"pad", "padding"},
                                                                      {"lhs_dilate", "lhs_dilation"},
                                                                      {"rhs_dilate", "rhs_dilation"},
                                                                      {"reverse", "window_reversal"}};
  return readList('}', [&] {
    skipSpace();
    const char *from = p_;
    std::string_view word = readIdentifier();
    auto part = std::ranges::find_if(kParts, [&](const auto &p) { return p.first == word; });
    if (part == std::end(kParts))
      return error("unknown-attribute", from, endOfToken(from),
                   "a window has stride, pad, lhs_dilate, rhs_dilate and reverse");
    AttrId value;
    if (!expect('=', "after the window's attribute") || !readValue(value))
      return false;
    add(part->second, value, from);
    return true;
  });
}

/// `while(%a = %x, %b = %y) : T, T attributes {…} cond {…} do {…}`.
bool Reader::readWhile(Draft &d) {
  std::vector<Parameter> params;
  if (!expect('(', "before what the loop carries"))
    return false;
  bool listed = readList(')', [&] {
    Parameter p;
    if (!readValueName(p.name) || !expect('=', "after the parameter's name") || !readOperand(d.operands))
      return false;
    p.type = fn_->data(d.operands.back()).type;
    params.push_back(p);
    return true;
  });
  if (!listed)
    return false;
  if (!readTypesOfOp(d))
    return false;
  d.resultTypes.clear();
  for (const Parameter &p : params)
    d.resultTypes.push_back(p.type);
  if (eatIdentifier("attributes") && (peek() != '{' || !readOptionalAttributes()))
    return errorHere("syntax", "expected attributes, found " + found());
  makeOp(d, d.resultCount);
  if (!eatIdentifier("cond"))
    return errorHere("syntax", "expected `cond {…}`, found " + found());
  if (!readRegion(d.op, params))
    return false;
  if (!eatIdentifier("do"))
    return errorHere("syntax", "expected `do {…}`, found " + found());
  return readRegion(d.op, params) && skipLocation();
}

/// `reduce(%x init: %i), (%y init: %j) across dimensions = [0] {attributes} : types reducer(%a: T, %b: T) (%c: U, %d:
/// U) {…}`, or `reduce(%x init: %i) applies stablehlo.add across dimensions = [0] {attributes} : types`.
bool Reader::readReduce(Draft &d) {
  Operands inits;
  do {
    if (!expect('(', "before an input") || !readOperand(d.operands))
      return false;
    if (!eatIdentifier("init") || !expect(':', "after `init`"))
      return errorHere("syntax", "expected `init: %value`, found " + found());
    if (!readOperand(inits) || !expect(')', "after an initial value"))
      return false;
  } while (eat(','));
  for (ValueId init : inits)
    d.operands.push_back(init);
  std::string_view applied;
  const char *appliedAt = p_, *appliedEnd = p_;
  if (eatIdentifier("applies")) {
    skipSpace();
    appliedAt = p_;
    applied = readIdentifier();
    appliedEnd = p_;
    if (applied.empty())
      return errorHere("syntax", "expected the op that is applied, found " + found());
    if (!skipLocation())
      return false;
  }
  if (!eatIdentifier("across") || !eatIdentifier("dimensions") || !expect('=', "after `dimensions`"))
    return errorHere("syntax", "expected `across dimensions = […]`, found " + found());
  skipSpace();
  const char *from = p_;
  AttrId dimensions;
  if (!readValue(dimensions))
    return false;
  add("dimensions", dimensions, from);
  if (!readOptionalAttributes() || !readTypesOfOp(d))
    return false;
  makeOp(d, d.resultCount);
  return applied.empty() ? readReducer(d) : applyInReduce(d, applied, appliedAt, appliedEnd);
}

/// The region of `applies`: one op on two scalars.
bool Reader::applyInReduce(Draft &d, std::string_view op, const char *from, const char *to) {
  OpName name;
  if (!resolveName(op, from, to, name))
    return false;
  if (d.operands.size() != 2 || name.role != OpName::Plain || !operandCounts(*name.schema).contains(2))
    return error("wrong-operand-count", from, to, "`applies` takes an op of two operands, and reduces one input");
  TypeId type = ctx_.tensorType(ctx_.type(fn_->data(d.operands[0]).type).dtype, {});
  RegionId region = fn_->addRegion(d.op);
  ValueId operands[] = {fn_->addRegionParam(region, type).id, ValueId()};
  operands[1] = fn_->addRegionParam(region, type).id;
  ValueId result = fn_->appendOp(region, name.kind, operands, ctx_.noAttrs(), {&type, 1}, locAt(from)).result().id;
  fn_->appendOp(region, kReturnKind, {&result, 1}, ctx_.noAttrs(), {}, locAt(from));
  return true;
}

/// The region's parameters stand in pairs, what is accumulated and an element; the region has the first of all, then
/// the second.
bool Reader::readReducer(Draft &d) {
  if (!eatIdentifier("reducer"))
    return errorHere("syntax", "expected `reducer(…)`, found " + found());
  std::vector<Parameter> params, seconds;
  while (peek() == '(') {
    const char *pairAt = p_++;
    size_t inPair = 0;
    bool listed = readList(')', [&] {
      Parameter p;
      if (!readValueName(p.name) || !expect(':', "after the parameter's name") || !readType(p.type) || !skipLocation())
        return false;
      (inPair++ % 2 == 0 ? params : seconds).push_back(p);
      return true;
    });
    if (!listed)
      return false;
    if (inPair != 2)
      return error("syntax", pairAt, p_, "the parameters of a reducer stand in pairs, one pair for each input");
  }
  params.insert(params.end(), seconds.begin(), seconds.end());
  return readRegion(d.op, params) && skipLocation();
}

} // namespace rw::stablehlo
