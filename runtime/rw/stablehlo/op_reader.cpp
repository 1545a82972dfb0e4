// Ops in the generic form, regions, and what is done with an op of either form once it is read.
#include "rw/stablehlo/reader.h"

#include "rw/ir/verifier.h"
#include "rw/stablehlo/structures.h"
#include "rw/support/nearest_name.h"

#include <algorithm>

namespace rw::stablehlo {

namespace {
constexpr std::string_view kReturns[] = {"return",           "func.return", "std.return",
                                         "stablehlo.return", "mhlo.return", "chlo.return"};

/// "1 operand", "at least 2 operands".
std::string countText(CountRange r, std::string_view noun) {
  std::string number = r.least == r.most      ? std::to_string(r.least)
                       : r.most >= UINT16_MAX ? "at least " + std::to_string(r.least)
                                              : std::to_string(r.least) + " to " + std::to_string(r.most);
  return number + " " + std::string(noun) + (r.least == 1 && r.most == 1 ? "" : "s");
}
} // namespace

// Values --------------------------------------------------------------------------------------------------------------

/// `%x` or `%12`, without what follows.
bool Reader::readValueName(text::ValueName &out) {
  skipSpace();
  out = text::ValueName();
  out.from = p_;
  if (*p_ != '%')
    return errorHere("syntax", "expected a value, found " + found());
  const char *digits = ++p_;
  uint64_t number = 0;
  for (; text::isDigit(*p_); ++p_)
    number = std::min<uint64_t>(number * 10 + uint64_t(*p_ - '0'), UINT32_MAX);
  auto isPart = [](char c) { return text::isNameChar(c) || c == '$' || c == '.' || c == '-'; };
  if (p_ != digits && !isPart(*p_) && (number < UINT32_MAX) && (*digits != '0' || p_ == digits + 1)) {
    out.rank = text::ValueName::kNumbered;
    out.number = uint32_t(number);
  } else {
    while (isPart(*p_))
      ++p_;
    if (p_ == digits)
      return error("syntax", out.from, endOfToken(out.from), "expected a value's name after `%`");
    out.name = ctx_.intern(slice(digits, p_));
  }
  out.to = p_;
  return true;
}

bool Reader::readOperand(Operands &out) {
  text::ValueName name;
  if (!readValueName(name))
    return false;
  const text::ValueScope::Entry *entry = scope_.find(name);
  std::string shown(slice(name.from, name.to));
  if (!entry)
    return error("undefined-value", name.from, name.to, "no value named `" + shown + "` is in scope here");
  uint32_t part = 0;
  if (*p_ == '#') {
    ++p_;
    int64_t number;
    if (!readInteger(number, "the number of a result"))
      return false;
    auto group = groups_.find(entry->value.raw);
    uint32_t count = group == groups_.end() ? 1 : group->second;
    if (number < 0 || number >= int64_t(count))
      return error("undefined-value", name.from, p_,
                   "`" + shown + "` stands for " + std::to_string(count) + " results, numbered from 0");
    part = uint32_t(number);
  }
  if (out.size() >= kMaxOperands)
    return error("too-large", name.from, p_, "an op has at most " + std::to_string(kMaxOperands) + " operands");
  out.push_back(ValueId(entry->value.raw + part));
  return true;
}

bool Reader::define(const text::ValueName &name, ValueId first, uint32_t count) {
  if (const text::ValueScope::Entry *old = scope_.find(name)) {
    const char *at = begin_ + old->from;
    return error("redefined-value", name.from, name.to,
                 "`" + std::string(slice(name.from, name.to)) + "` is in scope already", range(at, endOfToken(at)),
                 "defined here");
  }
  if (!name.isNumbered())
    for (uint32_t i = 0; i < count; ++i)
      fn_->setValueName(ValueId(first.raw + i),
                        i == 0 ? name.name : ctx_.intern(std::string(ctx_.text(name.name)) + "#" + std::to_string(i)));
  if (count > 1)
    groups_[first.raw] = count;
  scope_.define(name, {first, uint32_t(name.from - begin_)});
  return true;
}

/// `%a, %b:2 =`, if results are named.
bool Reader::readResultNames(Draft &d) {
  if (peek() != '%')
    return true;
  do {
    ResultName r;
    if (!readValueName(r.name))
      return false;
    if (eat(':')) {
      const char *at = p_;
      int64_t count;
      if (!readInteger(count, "the number of results"))
        return false;
      if (count < 1 || count > int64_t(kMaxResults))
        return error("too-large", at, p_, "an op has 1 to " + std::to_string(kMaxResults) + " results");
      r.count = uint32_t(count);
    }
    d.resultCount += r.count;
    d.results.push_back(r);
    if (d.resultCount > kMaxResults)
      return error("too-large", r.name.from, p_, "an op has at most " + std::to_string(kMaxResults) + " results");
  } while (eat(','));
  return expect('=', "after the names of results");
}

// Regions -------------------------------------------------------------------------------------------------------------

/// At `{`: a region that `parent` holds.
bool Reader::readRegion(OpId parent, std::span<const Parameter> params) {
  if (!expect('{', "before a region's ops"))
    return false;
  Nested nested(*this);
  return nested && readBlock(fn_->addRegion(parent), params);
}

/// After `{`: ops up to `}`, in a region or a function's body. Names end with it.
bool Reader::readBlock(RegionId region, std::span<const Parameter> params) {
  size_t mark = scope_.mark();
  for (const Parameter &p : params)
    if (!define(p.name, fn_->addRegionParam(region, p.type).id))
      return false;
  if (peek() == '^' && !readLabel(region))
    return false;
  if (region == fn_->body()) {
    bodyAt_ = p_;
    blocks_.clear();
    openLoops_.clear();
    blockRegion_ = region;
    jump_ = Jump();
  }
  bool ended = false;
  while (!eat('}')) {
    if (atEnd())
      return errorHere("unterminated", "expected `}` after a region's ops, found the end of the text");
    if (*p_ == '^')
      return unsupported(p_, endOfToken(p_ + 1), "a second block that no jump of this function leads to is not read",
                         "StableHLO has `if`, `case` and `while` for that");
    if (!readOp(region, ended))
      return false;
    if (region == fn_->body() && jump_.count != 0) {
      if (!readBlocks())
        return false;
      jump_ = Jump();
    }
  }
  if (!ended)
    return error("missing-return", p_ - 1, p_, "a region ends with `stablehlo.return`, a function with `return`");
  if (region != fn_->body())
    scope_.release(mark);
  return true;
}

/// `^bb0(%a: T, %b: T):`.
bool Reader::readLabel(RegionId region) {
  ++p_;
  while (text::isNameChar(*p_))
    ++p_;
  auto param = [&] {
    text::ValueName name;
    TypeId type;
    if (!readValueName(name) || !expect(':', "after the parameter's name") || !readType(type) || !skipLocation())
      return false;
    Value value = region == fn_->body() ? fn_->addParam(type) : fn_->addRegionParam(region, type);
    return define(name, value.id);
  };
  return (!eat('(') || readList(')', param)) && expect(':', "after the block's parameters");
}

// Ops -----------------------------------------------------------------------------------------------------------------

bool Reader::readOp(RegionId region, bool &ended) {
  Draft d;
  d.region = region;
  d.firstAttr = attrs_.size();
  skipSpace();
  d.start = p_;
  if (!readResultNames(d))
    return false;
  skipSpace();
  d.nameAt = p_;
  bool generic = *p_ == '"';
  std::string_view shown;
  if (generic) {
    if (!readString(shown))
      return false;
  } else {
    shown = readIdentifier();
    if (shown.empty())
      return errorHere("syntax", "expected an op, found " + found());
  }
  d.nameEnd = p_;
  if (!resolveName(shown, d.nameAt, d.nameEnd, d.name))
    return false;
  if (ended)
    return error("op-after-return", d.start, d.nameEnd, "`return` is the last op of its region");
  if (d.name.role == OpName::Host)
    return readHostOp(d, generic);
  if (d.name.role == OpName::Jump) {
    if (region != blockRegion_)
      return unsupported(d.nameAt, d.nameEnd, "jumps inside of ops are not read",
                         "StableHLO has `if`, `case` and `while` for that");
    ended = true;
    return readJump(d, generic);
  }
  ended = d.name.role == OpName::Return;
  bool ok = generic ? readGenericOp(d) : readShortForm(d);
  if (!ok)
    return false;
  if (d.name.role != OpName::Case && !(ended ? finishReturn(d) : finish(d)))
    return false;
  attrs_.resize(d.firstAttr);
  return true;
}

/// What is not read is refused by its name.
bool Reader::unknownOp(std::string_view shown, const char *from, const char *to) {
  std::string_view dialect = shown.substr(0, shown.find('.')),
                   rest = shown.substr(std::min(dialect.size() + 1, shown.size()));
  std::string name = "`" + std::string(shown) + "`";
  if (dialect == "vhlo")
    return unsupported(from, to, "VHLO, the versioned form of StableHLO, is not read: here " + name,
                       "stablehlo-translate --deserialize makes StableHLO text of it");
  if (dialect == "sdy")
    return unsupported(from, to, "meshes and shardings of several devices (the dialect sdy) are not read: here " + name,
                       "export the program for one device");
  bool own = dialect == "stablehlo" || dialect == "mhlo" || dialect == "chlo" || dialect == "check";
  if (own && (rest == "uniform_quantize" || rest == "uniform_dequantize"))
    return unsupported(from, to, "quantised tensors are not read: here " + name,
                       "export the program with plain element types, or with quantisation as ops (stablehlo-opt "
                       "--stablehlo-legalize-quant-to-math)");
  if (own && (rest == "async_start" || rest == "async_done"))
    return unsupported(from, to, "ops that run beside others are not read: here " + name,
                       "export the program for one device");
  bool known = own || dialect == "func" || shown == "std.return" || dialect == "module" || dialect == "builtin" ||
               shown == "arith.constant" || shown.find('.') == shown.npos || shown == "cf.br" ||
               shown == "cf.cond_br" || isHostOp(shown);
  if (!known)
    return unsupported(from, to, "ops of the dialect `" + std::string(dialect) + "` are not read: here " + name,
                       "read are stablehlo, chlo, mhlo, check, func, and of arith, tensor, shape and cf what computes "
                       "sizes and jumps");
  return true;
}

bool Reader::resolveName(std::string_view shown, const char *from, const char *to, OpName &out) {
  if (auto it = names_.find(shown); it != names_.end()) {
    out = it->second;
    return true;
  }
  if (!unknownOp(shown, from, to))
    return false;
  OpName name;
  name.shown = shown;
  const OpRegistry &ops = ctx_.ops();
  std::string canonical(shown);
  if (std::ranges::find(kReturns, shown) != std::end(kReturns)) {
    name.role = OpName::Return;
    name.kind = kReturnKind;
  } else if (shown.starts_with("cf.") || isHostOp(shown)) {
    name.role = shown.starts_with("cf.") ? OpName::Jump : OpName::Host;
    name.canonical = shown;
    names_.emplace(shown, name);
    out = name;
    return true;
  } else {
    if (shown == "call" || shown == "func.call") {
      name.role = OpName::Call;
      canonical = "tensor.call";
    } else if (shown == "stablehlo.case" || shown == "mhlo.case") {
      name.role = OpName::Case;
      canonical = "stablehlo.if";
    } else if (shown == "arith.constant") {
      canonical = "stablehlo.constant";
    } else if (shown == "mhlo.copy") {
      canonical = "stablehlo.optimization_barrier"; // as it is, and somewhere else
    } else if (shown == "mhlo.topk") {
      canonical = "chlo.top_k";
    } else if (shown.starts_with("mhlo.")) {
      canonical = "stablehlo." + std::string(shown.substr(5));
      if (ops.lookup(canonical) == kOpaqueKind)
        canonical = "chlo." + std::string(shown.substr(5));
    }
    name.kind = ops.lookup(canonical);
    if (name.kind == kOpaqueKind) {
      std::vector<std::string_view> names = ops.names();
      std::string_view near = nearestName(canonical, names);
      return error("unknown-op", from, to, "no op is named `" + std::string(shown) + "`", {},
                   near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
    }
  }
  name.canonical = ctx_.text(ctx_.intern(canonical));
  name.syntax = syntaxOf(name.canonical);
  name.schema = &ops.schema(name.kind);
  name.shapeAttr = name.schema->attrIndex("shape");
  name.dtypeAttr = name.schema->attrIndex("dtype");
  names_.emplace(shown, name);
  out = name;
  return true;
}

/// `(%a, %b) <{properties}> ({regions}) {attributes} : types`, after the name in quotes.
bool Reader::readGenericOp(Draft &d) {
  ScalarTypes scalars(*this, d.name.shown == kNumberConstant);
  if (!expect('(', "before the operands") || !readList(')', [&] { return readOperand(d.operands); }))
    return false;
  if (peek() == '[')
    return unsupported(p_, p_ + 1, "jumps to other blocks are not read",
                       "StableHLO has `if`, `case` and `while` for that");
  if (eatText("<{") && (!readAttributes('}', attrs_) || !expect('>', "after properties")))
    return false;
  if (d.name.role == OpName::Case)
    return readCase(d);
  if (eat('(')) {
    if (d.name.role != OpName::Plain)
      return error("wrong-region-count", d.nameAt, d.nameEnd, "`" + std::string(d.name.shown) + "` has no regions");
    makeOp(d, d.resultCount);
    if (!readList(')', [&] { return readRegion(d.op); }))
      return false;
  }
  return readOptionalAttributes() && readTypesOfOp(d);
}

/// With results whose types come later.
void Reader::makeOp(Draft &d, size_t results) {
  TypeList types(results, ctx_.unknownType());
  d.op = fn_->appendOp(d.region, d.name.kind, d.operands, ctx_.noAttrs(), types, locAt(d.nameAt)).id;
}

/// `: T`, `: T, T`, `: (T, T) -> T` or `: T, T -> T`, if it stands there; and the op's location.
bool Reader::readTypesOfOp(Draft &d) {
  if (!eat(':'))
    return skipLocation();
  skipSpace();
  const char *from = p_;
  TypeList types;
  if (*p_ == '(') {
    if (!readFunctionType(d.operandTypes, d.resultTypes))
      return false;
    return checkOperandTypes(d) && skipLocation();
  }
  do {
    TypeId type;
    if (!readType(type))
      return false;
    types.push_back(type);
  } while (eat(','));
  if (eatText("->")) {
    d.operandTypes = types;
    if (!readTypes(d.resultTypes))
      return false;
  } else if (!splitTypes(d, types, from)) {
    return false;
  }
  return checkOperandTypes(d) && skipLocation();
}

/// Types of a short form that do not say which are operands' and which results'.
bool Reader::splitTypes(Draft &d, std::span<const TypeId> types, const char *from) {
  if (d.name.role == OpName::Return || d.resultCount == 0) {
    d.operandTypes = TypeList(types);
    if (types.size() == 1)
      d.operandTypes = TypeList(d.operands.size(), types[0]);
    CountRange results = resultCounts(*d.name.schema);
    if (d.name.role != OpName::Return && results.least == 1 && results.most == 1) // results that nothing uses
      d.resultTypes = TypeList{types.back()};
    return true;
  }
  if (d.name.canonical == "stablehlo.select" && types.size() == 2) {
    d.operandTypes = {types[0], types[1], types[1]};
    d.resultTypes = {types[1]};
    return true;
  }
  if (types.size() == 1) {
    d.resultTypes = TypeList(d.resultCount, types[0]);
    // Of these the type is the result's alone.
    if (d.name.canonical != "stablehlo.complex" && d.name.canonical != "stablehlo.tuple" &&
        d.name.role == OpName::Plain)
      d.operandTypes = TypeList(d.operands.size(), types[0]);
    return true;
  }
  if (types.size() != d.operands.size())
    return error("wrong-result-count", from, p_,
                 std::to_string(types.size()) + " types for " + std::to_string(d.operands.size()) +
                     " operands: state them as `(operands) -> results`");
  d.operandTypes = TypeList(types);
  d.resultTypes = TypeList(types);
  return true;
}

bool Reader::checkOperandTypes(const Draft &d) {
  if (d.operandTypes.empty() && d.operands.empty())
    return true;
  if (d.operandTypes.empty() && !d.resultTypes.empty() && d.name.syntax != Syntax::Items)
    return true;
  if (d.operandTypes.size() != d.operands.size()) {
    bool resultAlone =
        d.operandTypes.empty() && (d.name.canonical == "stablehlo.complex" || d.name.canonical == "stablehlo.tuple");
    return resultAlone || error("wrong-operand-count", d.nameAt, d.nameEnd,
                                "`" + std::string(d.name.shown) + "` has " + std::to_string(d.operands.size()) +
                                    " operands here, and types for " + std::to_string(d.operandTypes.size()));
  }
  for (size_t i = 0; i < d.operands.size(); ++i)
    if (TypeId actual = fn_->data(d.operands[i]).type; actual != d.operandTypes[i])
      return error("type-mismatch", d.nameAt, d.nameEnd,
                   "operand " + std::to_string(i) + " is stated as " + ctx_.typeToString(d.operandTypes[i]) +
                       ", and is " + ctx_.typeToString(actual));
  return true;
}

bool Reader::checkCounts(const Draft &d) {
  CountRange operands = operandCounts(*d.name.schema), results = resultCounts(*d.name.schema);
  std::string name = "`" + std::string(d.name.shown) + "`";
  if (!operands.contains(unsigned(d.operands.size())))
    return error("wrong-operand-count", d.nameAt, d.nameEnd,
                 name + " has " + countText(operands, "operand") + ", here are " + std::to_string(d.operands.size()));
  if (d.resultCount != 0 && d.resultCount != d.resultTypes.size())
    return error("wrong-result-count", d.start, d.nameEnd,
                 std::to_string(d.resultCount) + " results are named, and types stated for " +
                     std::to_string(d.resultTypes.size()));
  if (!results.contains(unsigned(d.resultTypes.size())))
    return error("wrong-result-count", d.start, d.nameEnd,
                 name + " has " + countText(results, "result") + ", here are " + std::to_string(d.resultTypes.size()));
  return true;
}

/// The op with all that was read of it.
bool Reader::finish(Draft &d) {
  if (d.name.canonical == "stablehlo.custom_call" && !becomeNamedOp(d))
    return false;
  if (d.name.shown == kNumberConstant)
    numberToTensor(d);
  if (!checkCounts(d))
    return false;
  if (!d.op) {
    makeOp(d, d.resultTypes.size());
  } else if (d.resultCount !=
             d.resultTypes.size()) { // made before it was known how many results it has, none of which is named
    OpId early = d.op;
    makeOp(d, d.resultTypes.size());
    fn_->moveRegions(early, d.op);
    fn_->erase(early);
  }
  Op op = fn_->op(d.op);
  for (unsigned i = 0; i < d.resultTypes.size(); ++i)
    fn_->setType(op.result(i).id, d.resultTypes[i]);
  size_t regions = d.name.schema->regions.size();
  if (op.regions().size() != regions)
    return error("wrong-region-count", d.nameAt, d.nameEnd,
                 "`" + std::string(d.name.shown) + "` has " + std::to_string(regions) +
                     (regions == 1 ? " region" : " regions") + ", here are " + std::to_string(op.regions().size()));
  if (!setAttributes(d))
    return false;
  uint32_t next = 0;
  for (const ResultName &r : d.results) {
    if (!define(r.name, op.result(next).id, r.count))
      return false;
    next += r.count;
  }
  return true;
}

/// `custom_call @mhlo.erf(%a) {mhlo.attributes = {…}}`: how an op of CHLO is called in a text that must be stable.
bool Reader::becomeNamedOp(Draft &d) {
  std::string_view target;
  AttrId given;
  for (size_t i = d.firstAttr; i < attrs_.size(); ++i)
    if (const AttrData &a = ctx_.attr(attrs_[i].value); attrs_[i].name == "call_target_name")
      target = a.text;
    else if (attrs_[i].name == "mhlo.attributes" && a.kind == AttrKind::List)
      given = attrs_[i].value;
  if (!target.starts_with("mhlo.") && !target.starts_with("chlo."))
    return true;
  std::string_view rest = target.substr(5);
  std::string canonical = "chlo." + std::string(rest == "topk" ? "top_k" : rest);
  KindId kind = ctx_.ops().lookup(canonical);
  if (kind == kOpaqueKind)
    return true;
  const OpSchema &schema = ctx_.ops().schema(kind);
  std::vector<NamedValue> own;
  if (given)
    for (AttrId entry : ctx_.attr(given).elements) {
      const AttrData &pair = ctx_.attr(entry);
      if (pair.elements.size() != 2)
        return true;
      std::string_view name = ctx_.attr(pair.elements[0]).text;
      if (schema.attrIndex(name) < 0)
        return true; // it is not known what this says
      own.push_back({name, pair.elements[1], d.nameAt, d.nameEnd});
    }
  if (!operandCounts(schema).contains(unsigned(d.operands.size())) || d.op)
    return true;
  attrs_.resize(d.firstAttr);
  attrs_.insert(attrs_.end(), own.begin(), own.end());
  OpName name;
  name.shown = d.name.shown;
  name.canonical = ctx_.text(ctx_.intern(canonical));
  name.kind = kind;
  name.schema = &schema;
  name.shapeAttr = schema.attrIndex("shape");
  name.dtypeAttr = schema.attrIndex("dtype");
  d.name = name;
  return true;
}

/// `dimension_numbers = {offset_dims = dense<1> : tensor<1xi64>, …}`, the older spelling of structured attributes: its
/// fields become attributes of the op.
void Reader::spreadStructures(Draft &d) {
  for (size_t i = d.firstAttr, count = attrs_.size(); i < count; ++i) {
    NamedValue a = attrs_[i];
    if (d.name.schema->attrIndex(a.name) >= 0 || ctx_.attr(a.value).kind != AttrKind::List)
      continue;
    for (const StructureUse &use : structureUses()) {
      if (use.attribute != a.name || (!use.op.empty() && use.op != d.name.canonical))
        continue;
      for (AttrId entry : ctx_.attr(a.value).elements)
        if (const AttrData &pair = ctx_.attr(entry); pair.kind == AttrKind::List && pair.elements.size() == 2)
          attrs_.push_back(
              {attributeOfField(use.structure, ctx_.attr(pair.elements[0]).text), pair.elements[1], a.from, a.to});
      attrs_.erase(attrs_.begin() + std::ptrdiff_t(i));
      --i, --count;
      break;
    }
  }
}

/// The declared attributes, in the form that the declaration wants, and what else there is for whoever looks for it;
/// without those that say what holds anyway.
bool Reader::setAttributes(Draft &d) {
  spreadStructures(d);
  const OpSchema &schema = *d.name.schema;
  InlineList<AttrId, 24> fixed(schema.attrs.size(), AttrId());
  InlineList<NamedAttr, 4> extras;
  std::string name = "`" + std::string(d.name.shown) + "`";
  for (size_t i = d.firstAttr; i < attrs_.size(); ++i) {
    const NamedValue &a = attrs_[i];
    int index = schema.attrIndex(a.name);
    if (index < 0) {
      if (a.name == "operandSegmentSizes" || a.name == "operand_segment_sizes" || a.name == "resultSegmentSizes")
        continue;
      StringId extra = ctx_.intern("$" + std::string(a.name)); // of no meaning for what is computed
      for (const NamedAttr &e : extras)
        if (e.name == extra)
          return error("duplicate-attribute", a.from, a.to,
                       "the attribute `" + std::string(a.name) + "` stands here twice");
      extras.push_back({extra, a.value});
      continue;
    }
    AttrId &slot = fixed[size_t(index)];
    if (slot)
      return error("duplicate-attribute", a.from, a.to,
                   "the attribute `" + std::string(a.name) + "` stands here twice");
    AttrType declared = schema.attrs[size_t(index)].type;
    slot = fit(a.value, declared);
    if (!slot || !attrFits(ctx_, slot, declared))
      return error("bad-attribute", a.from, a.to,
                   "the attribute `" + std::string(a.name) + "` of " + name + " is a " +
                       std::string(attrTypeName(declared)) + ", and this is none");
    if (declared == AttrType::Symbol) {
      if (!modulePath_.empty())
        slot = ctx_.symbolAttr(modulePath_ + std::string(ctx_.attr(slot).text));
      named_.insert(slot);
    }
  }
  if ((d.name.shapeAttr >= 0 || d.name.dtypeAttr >= 0) && !d.resultTypes.empty()) {
    const TypeData &type = ctx_.type(d.resultTypes[d.resultTypes.size() - 1]);
    if (type.kind != TypeKind::Tensor || !type.ranked)
      return error("type-mismatch", d.nameAt, d.nameEnd, "the result of " + name + " is a tensor of known rank");
    if (d.name.shapeAttr >= 0)
      fixed[size_t(d.name.shapeAttr)] = ctx_.dimsAttr(type.dims);
    if (d.name.dtypeAttr >= 0)
      fixed[size_t(d.name.dtypeAttr)] = ctx_.dtypeAttr(type.dtype);
  }
  for (size_t i = 0; i < fixed.size(); ++i)
    if (!fixed[i] && schema.attrs[i].required)
      return error("missing-attribute", d.nameAt, d.nameEnd,
                   name + " needs the attribute `" + std::string(schema.attrs[i].name) + "`");
  std::sort(extras.begin(), extras.end(),
            [&](const NamedAttr &a, const NamedAttr &b) { return ctx_.text(a.name) < ctx_.text(b.name); });
  // What a default is may depend on operands and on the attributes that are always there.
  InlineList<AttrId, 24> always = fixed;
  bool mayDrop = false;
  for (unsigned i = 0; i < fixed.size(); ++i)
    if (fixed[i] && schema.attrs[i].hasDefault) {
      always[i] = AttrId();
      mayDrop = true;
    }
  if (mayDrop) {
    fn_->setAttrs(d.op, ctx_.attrs(always));
    for (unsigned i = 0; i < fixed.size(); ++i)
      if (fixed[i] && !always[i] && fn_->op(d.op).attrDefault(i) == fixed[i])
        fixed[i] = AttrId();
  }
  fn_->setAttrs(d.op, ctx_.attrs(fixed, extras));
  return true;
}

bool Reader::finishReturn(Draft &d) {
  if (d.resultCount != 0 || !d.resultTypes.empty())
    return error("wrong-result-count", d.start, d.nameEnd, "`return` has no results");
  if (d.operandTypes.size() != d.operands.size())
    return error("wrong-operand-count", d.nameAt, d.nameEnd,
                 std::to_string(d.operands.size()) + " values are returned, and types stated for " +
                     std::to_string(d.operandTypes.size()));
  fn_->appendOp(d.region, kReturnKind, d.operands, ctx_.noAttrs(), {}, locAt(d.nameAt));
  return true;
}

// case ----------------------------------------------------------------------------------------------------------------
//
// `case %i` with branches 0 to n - 1 runs the last one wherever %i is none of 0 to n - 2. It becomes `if`s, one inside
// the other: where the branches stand is found first, and each is read where it belongs.

/// At the regions.
bool Reader::readCase(Draft &d) {
  std::vector<const char *> branches;
  if (!expect('(', "before the branches"))
    return false;
  bool listed = readList(')', [&] {
    if (peek() != '{')
      return expect('{', "before a branch's ops");
    branches.push_back(p_);
    return skipBalanced();
  });
  if (!listed || !readOptionalAttributes() || !readTypesOfOp(d))
    return false;
  const char *after = p_;
  const TypeData *selector = d.operands.size() == 1 ? &ctx_.type(fn_->data(d.operands[0]).type) : nullptr;
  if (!selector || selector->kind != TypeKind::Tensor || selector->dtype != DType::I32 || !selector->ranked ||
      !selector->dims.empty())
    return error("wrong-operand-count", d.nameAt, d.nameEnd,
                 "`" + std::string(d.name.shown) + "` has one operand, of type i32[]");
  if (branches.empty())
    return error("wrong-region-count", d.nameAt, d.nameEnd, "`" + std::string(d.name.shown) + "` needs a branch");
  if (d.resultCount != 0 && d.resultCount != d.resultTypes.size())
    return error("wrong-result-count", d.start, d.nameEnd,
                 std::to_string(d.resultCount) + " results are named, and types stated for " +
                     std::to_string(d.resultTypes.size()));
  OpId made;
  p_ = branches[0];
  if (branches.size() == 1 ? !inlineBranch(d, made) : !makeBranch(d, branches, 0, d.region, made))
    return false;
  p_ = after;
  uint32_t next = 0;
  for (const ResultName &r : d.results) {
    if (!define(r.name, fn_->op(made).result(next).id, r.count))
      return false;
    next += r.count;
  }
  return true;
}

/// A branch alone is what runs always: its ops stand here, and its results behind a barrier, which keeps them together.
bool Reader::inlineBranch(Draft &d, OpId &out) {
  Nested nested(*this);
  size_t mark = scope_.mark();
  if (!nested || !expect('{', "before a branch's ops"))
    return false;
  for (bool ended = false; !eat('}');) {
    if (*p_ == '^')
      return unsupported(p_, endOfToken(p_ + 1), "blocks of a branch are not read",
                         "a branch of `case` has neither parameters nor jumps");
    if (!readOp(d.region, ended))
      return false;
  }
  scope_.release(mark);
  Op ret = fn_->terminator(d.region);
  if (!ret)
    return error("missing-return", p_ - 1, p_, "a region ends with `stablehlo.return`");
  Operands results;
  for (unsigned i = 0; i < ret.operandCount(); ++i)
    results.push_back(ret.operand(i).id);
  fn_->erase(ret.id);
  if (results.size() != d.resultTypes.size())
    return error("wrong-result-count", d.start, d.nameEnd,
                 "the branch returns " + std::to_string(results.size()) + " values, and types are stated for " +
                     std::to_string(d.resultTypes.size()));
  out = fn_->appendOp(d.region, ctx_.ops().lookup("stablehlo.optimization_barrier"), results, ctx_.noAttrs(),
                      d.resultTypes, locAt(d.nameAt))
            .id;
  return true;
}

/// The `if` that chooses between branch `index` and those behind it.
bool Reader::makeBranch(Draft &d, std::span<const char *const> branches, size_t index, RegionId region, OpId &out) {
  Nested nested(*this);
  if (!nested)
    return false;
  Loc loc = locAt(d.nameAt);
  const OpRegistry &ops = ctx_.ops();
  KindId constant = ops.lookup("stablehlo.constant"), compare = ops.lookup("stablehlo.compare");
  TypeId selectorType = fn_->data(d.operands[0]).type, boolType = ctx_.tensorType(DType::Bool, {});
  int32_t number = int32_t(index);
  AttrId value = ctx_.denseAttr(selectorType, std::as_bytes(std::span(&number, 1)));
  ValueId chosen = fn_->appendOp(region, constant, {}, ctx_.attrs(value), {&selectorType, 1}, loc).result().id;
  ValueId compared[] = {d.operands[0], chosen};
  chosen = fn_->appendOp(region, compare, compared, ctx_.attrs(ctx_.stringAttr("EQ")), {&boolType, 1}, loc).result().id;
  out = fn_->appendOp(region, d.name.kind, {&chosen, 1}, ctx_.noAttrs(), d.resultTypes, loc).id;
  p_ = branches[index];
  if (!readRegion(out))
    return false;
  if (index + 2 == branches.size()) {
    p_ = branches[index + 1];
    return readRegion(out);
  }
  RegionId otherwise = fn_->addRegion(out);
  OpId inner;
  if (!makeBranch(d, branches, index + 1, otherwise, inner))
    return false;
  Operands results;
  for (unsigned i = 0; i < d.resultTypes.size(); ++i)
    results.push_back(fn_->op(inner).result(i).id);
  fn_->appendOp(otherwise, kReturnKind, results, ctx_.noAttrs(), {}, loc);
  return true;
}

} // namespace rw::stablehlo
