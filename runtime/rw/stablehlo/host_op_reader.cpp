// Ops that stand around those of StableHLO where sizes are computed: `arith` on numbers and lists, `tensor.dim`,
// `tensor.extract`, `tensor.from_elements`, `shape.shape_of`. They are read as ops of StableHLO; a single number,
// `index` or `i1`, is a tensor without dimensions.
#include "rw/stablehlo/reader.h"

#include <algorithm>

namespace rw::stablehlo {

namespace {
enum class Form : uint8_t { Binary, Cast, Compare, Select, Extract, Dim, FromElements, ShapeOf, Broadcast };
struct HostOp {
  std::string_view name;
  Form form;
  std::string_view becomes = {};
};
constexpr HostOp kHostOps[] = {
    {"arith.addi", Form::Binary, "stablehlo.add"},
    {"arith.addf", Form::Binary, "stablehlo.add"},
    {"arith.subi", Form::Binary, "stablehlo.subtract"},
    {"arith.subf", Form::Binary, "stablehlo.subtract"},
    {"arith.muli", Form::Binary, "stablehlo.multiply"},
    {"arith.mulf", Form::Binary, "stablehlo.multiply"},
    {"arith.divsi", Form::Binary, "stablehlo.divide"},
    {"arith.divf", Form::Binary, "stablehlo.divide"},
    {"arith.remsi", Form::Binary, "stablehlo.remainder"},
    {"arith.maxsi", Form::Binary, "stablehlo.maximum"},
    {"arith.maximumf", Form::Binary, "stablehlo.maximum"},
    {"arith.minsi", Form::Binary, "stablehlo.minimum"},
    {"arith.minimumf", Form::Binary, "stablehlo.minimum"},
    {"arith.andi", Form::Binary, "stablehlo.and"},
    {"arith.ori", Form::Binary, "stablehlo.or"},
    {"arith.xori", Form::Binary, "stablehlo.xor"},
    {"arith.index_cast", Form::Cast},
    {"arith.extsi", Form::Cast},
    {"arith.extui", Form::Cast},
    {"arith.trunci", Form::Cast},
    {"arith.sitofp", Form::Cast},
    {"arith.uitofp", Form::Cast},
    {"arith.fptosi", Form::Cast},
    {"arith.extf", Form::Cast},
    {"arith.truncf", Form::Cast},
    {"arith.cmpi", Form::Compare},
    {"arith.select", Form::Select},
    {"tensor.extract", Form::Extract},
    {"tensor.dim", Form::Dim},
    {"tensor.from_elements", Form::FromElements},
    {"shape.shape_of", Form::ShapeOf},
    {"shape.broadcast", Form::Broadcast},
};
const HostOp *hostOp(std::string_view name) {
  const HostOp *found = std::ranges::find(kHostOps, name, &HostOp::name);
  return found == std::end(kHostOps) ? nullptr : found;
}

struct Predicate {
  std::string_view word, direction;
};
/// In the order of their numbers in the generic form. Those without a direction compare as unsigned numbers.
constexpr Predicate kPredicates[] = {{"eq", "EQ"},  {"ne", "NE"}, {"slt", "LT"}, {"sle", "LE"}, {"sgt", "GT"},
                                     {"sge", "GE"}, {"ult", ""},  {"ule", ""},   {"ugt", ""},   {"uge", ""}};

/// Casts of i1: whether true is 1, as a conversion has it.
bool trueIsOne(std::string_view op) { return op != "arith.extsi" && op != "arith.sitofp"; }
} // namespace

bool Reader::isHostOp(std::string_view name) { return hostOp(name) != nullptr; }

/// An op whose declared shape and element type are those of its result.
ValueId Reader::emit(RegionId region, std::string_view op, std::span<const ValueId> operands,
                     std::initializer_list<std::pair<std::string_view, AttrId>> attributes, TypeId type,
                     const char *at) {
  KindId kind = ctx_.ops().lookup(op);
  const OpSchema &schema = ctx_.ops().schema(kind);
  InlineList<AttrId, 24> fixed(schema.attrs.size(), AttrId());
  auto set = [&](std::string_view name, AttrId value) {
    if (int i = schema.attrIndex(name); i >= 0)
      fixed[size_t(i)] = value;
  };
  set("shape", ctx_.dimsAttr(ctx_.type(type).dims));
  set("dtype", ctx_.dtypeAttr(ctx_.type(type).dtype));
  for (auto [name, value] : attributes)
    set(name, value);
  return fn_->appendOp(region, kind, operands, ctx_.attrs(fixed), {&type, 1}, locAt(at)).result().id;
}

/// One more name for a value.
bool Reader::bindName(const text::ValueName &name, ValueId value) {
  if (const text::ValueScope::Entry *old = scope_.find(name)) {
    const char *at = begin_ + old->from;
    return error("redefined-value", name.from, name.to,
                 "`" + std::string(slice(name.from, name.to)) + "` is in scope already", range(at, endOfToken(at)),
                 "defined here");
  }
  scope_.define(name, {value, uint32_t(name.from - begin_)});
  return true;
}

/// The op's operands and types, in either form; of a comparison its direction.
bool Reader::readHostParts(Draft &d, bool generic, std::string_view &direction) {
  Form form = hostOp(d.name.canonical)->form;
  auto setDirection = [&](const Predicate *p) {
    if (p == std::end(kPredicates) || p->direction.empty())
      return unsupported(d.nameAt, p_, "this comparison is not read", "read are eq, ne, slt, sle, sgt and sge");
    direction = p->direction;
    return true;
  };
  if (generic) {
    size_t first = attrs_.size();
    if (!expect('(', "before the operands") || !readList(')', [&] { return readOperand(d.operands); }) ||
        (eatText("<{") && (!readAttributes('}', attrs_) || !expect('>', "after properties"))) ||
        (eat('{') && !readAttributes('}', attrs_)) || !expect(':', "and the op's type") ||
        !readFunctionType(d.operandTypes, d.resultTypes))
      return false;
    for (size_t i = first; i < attrs_.size(); ++i)
      if (const AttrData &a = ctx_.attr(attrs_[i].value); attrs_[i].name == "predicate" && a.kind == AttrKind::Int)
        if (!setDirection(a.i >= 0 && a.i < std::ssize(kPredicates) ? kPredicates + a.i : std::end(kPredicates)))
          return false;
    return form != Form::Compare || !direction.empty() || setDirection(std::end(kPredicates));
  }
  if (form == Form::Compare) {
    skipSpace();
    std::string_view word = readIdentifier();
    if (!setDirection(std::ranges::find(kPredicates, word, &Predicate::word)) || !expect(',', "after the comparison"))
      return false;
  }
  if (peek() == '%') {
    if (!readOperand(d.operands))
      return false;
    if (form == Form::Extract &&
        (!expect('[', "before the indices") || !readList(']', [&] { return readOperand(d.operands); })))
      return false;
    while (eat(','))
      if (!readOperand(d.operands))
        return false;
  }
  for (std::string_view word : {"overflow", "fastmath"})
    if (eatIdentifier(word))
      while (!atEnd() && *p_++ != '>')
        ;
  if (!readOptionalAttributes() || !expect(':', "and the op's type"))
    return false;
  do {
    TypeId type;
    if (!readType(type))
      return false;
    d.operandTypes.push_back(type);
  } while (eat(','));
  if (form == Form::Cast)
    return (eatIdentifier("to") || errorHere("syntax", "expected `to` and a type, found " + found())) &&
           readTypes(d.resultTypes);
  if (form == Form::ShapeOf || form == Form::Broadcast)
    return expectText("->", "before the result's type") && readTypes(d.resultTypes);
  d.resultTypes = {d.operandTypes[d.operandTypes.size() - 1]};
  return true;
}

/// A list of numbers from numbers: as many as the result has elements.
ValueId Reader::listOf(RegionId region, std::span<const ValueId> numbers, const char *at) {
  Operands parts;
  DType dtype = ctx_.type(fn_->data(numbers[0]).type).dtype;
  Dim one(1), all(int64_t(numbers.size()));
  for (ValueId v : numbers)
    parts.push_back(emit(region, "stablehlo.reshape", {&v, 1}, {}, ctx_.tensorType(dtype, {&one, 1}), at));
  if (parts.size() == 1)
    return parts[0];
  return emit(region, "stablehlo.concatenate", parts, {{"dimension", ctx_.intAttr(0)}},
              ctx_.tensorType(dtype, {&all, 1}), at);
}

/// The size of a dimension as an index.
ValueId Reader::sizeOf(RegionId region, ValueId x, int64_t axis, const char *at) {
  ValueId size = emit(region, "stablehlo.get_dimension_size", {&x, 1}, {{"dimension", ctx_.intAttr(axis)}},
                      ctx_.tensorType(DType::I32, {}), at);
  return emit(region, "stablehlo.convert", {&size, 1}, {}, ctx_.tensorType(DType::I64, {}), at);
}

bool Reader::readHostOp(Draft &d, bool generic) {
  ScalarTypes scalars(*this);
  const HostOp &op = *hostOp(d.name.canonical);
  std::string_view direction;
  if (!readHostParts(d, generic, direction) || !skipLocation())
    return false;
  auto typeOf = [&](ValueId v) -> const TypeData & { return ctx_.type(fn_->data(v).type); };
  size_t operands = d.operands.size();
  bool fits = d.resultTypes.size() == 1 && d.results.size() <= 1 && d.resultCount <= 1;
  switch (op.form) {
  case Form::Cast:
  case Form::ShapeOf:
    fits &= operands == 1;
    break;
  case Form::Select:
    fits &= operands == 3;
    break;
  case Form::Extract:
    fits &= operands > 0 && typeOf(d.operands[0]).ranked && operands == typeOf(d.operands[0]).dims.size() + 1;
    break;
  case Form::FromElements:
    fits &= operands > 0;
    break;
  default:
    fits &= operands == 2;
  }
  for (ValueId v : d.operands)
    fits &= typeOf(v).kind == TypeKind::Tensor;
  auto refuse = [&](std::string what) {
    return unsupported(d.nameAt, d.nameEnd, std::move(what), "write it with ops of StableHLO");
  };
  if (!fits)
    return error("wrong-operand-count", d.nameAt, d.nameEnd,
                 "`" + std::string(d.name.shown) + "` has other operands, or not one result");
  ValueId first = d.operands[0], result = first;
  TypeId stated = d.resultTypes[0], firstType = fn_->data(first).type;
  const TypeData type = typeOf(first); // types are added below
  const char *at = d.nameAt;
  switch (op.form) {
  case Form::Binary:
    if (fn_->data(d.operands[1]).type != firstType)
      return error("type-mismatch", d.nameAt, d.nameEnd, "both operands must be of one type");
    result = emit(d.region, op.becomes, d.operands, {}, firstType, at);
    break;
  case Form::Cast: {
    const TypeData &to = ctx_.type(stated);
    if (type.dtype == DType::Bool && !trueIsOne(op.name))
      return refuse("a cast in which true is -1 is not read");
    if ((op.name == "arith.extui" || op.name == "arith.uitofp") && type.dtype != DType::Bool)
      return refuse("casts of numbers taken for unsigned are not read");
    if (op.name == "arith.trunci" && to.dtype == DType::Bool)
      return refuse("a cast to the lowest bit is not read");
    if (to.dtype != type.dtype)
      result = emit(d.region, "stablehlo.convert", d.operands, {}, stated, at);
    break;
  }
  case Form::Compare:
    result = emit(d.region, "stablehlo.compare", d.operands, {{"comparison_direction", ctx_.stringAttr(direction)}},
                  ctx_.tensorType(DType::Bool, type.dims), at);
    break;
  case Form::Select:
    result = emit(d.region, "stablehlo.select", d.operands, {}, fn_->data(d.operands[1]).type, at);
    break;
  case Form::Extract: {
    if (operands == 1)
      break;
    std::vector<int64_t> ones(operands - 1, 1);
    Dims dims(operands - 1, Dim(1));
    ValueId one =
        emit(d.region, "stablehlo.dynamic_slice", d.operands,
             {{"slice_sizes", ctx_.intsAttr(std::span<const int64_t>(ones))}}, ctx_.tensorType(type.dtype, dims), at);
    result = emit(d.region, "stablehlo.reshape", {&one, 1}, {}, ctx_.tensorType(type.dtype, {}), at);
    break;
  }
  case Form::Dim: {
    Value index = fn_->value(d.operands[1]);
    Op made = index.isParam() ? Op() : index.definingOp();
    AttrId value = made && made.kind() == ctx_.ops().lookup("stablehlo.constant") ? made.attr(0) : AttrId();
    std::optional<std::vector<int64_t>> number = value ? integersOf(value) : std::nullopt;
    if (!number || number->size() != 1 || !type.ranked || (*number)[0] < 0 || (*number)[0] >= int64_t(type.dims.size()))
      return refuse("the size of a dimension that is no constant is not read");
    result = sizeOf(d.region, first, (*number)[0], at);
    break;
  }
  case Form::FromElements:
    for (ValueId v : d.operands)
      if (fn_->data(v).type != ctx_.tensorType(type.dtype, {}))
        return error("type-mismatch", d.nameAt, d.nameEnd, "the elements must be numbers of one type");
    result = listOf(d.region, d.operands, at);
    if (fn_->data(result).type != stated)
      result = emit(d.region, "stablehlo.reshape", {&result, 1}, {}, stated, at);
    break;
  case Form::ShapeOf: {
    Operands sizes;
    for (size_t i = 0; type.ranked && i < type.dims.size(); ++i)
      sizes.push_back(sizeOf(d.region, first, int64_t(i), at));
    if (sizes.empty())
      return refuse("the shape of a value without known dimensions is not read");
    result = listOf(d.region, sizes, at);
    break;
  }
  case Form::Broadcast: {
    if (fn_->data(d.operands[1]).type != firstType)
      return refuse("shapes of different ranks, broadcast, are not read");
    int64_t one = 1;
    AttrId ones = ctx_.denseAttr(ctx_.tensorType(DType::I64, {}), std::as_bytes(std::span(&one, 1)));
    ValueId number = emit(d.region, "stablehlo.constant", {}, {{"value", ones}}, ctx_.tensorType(DType::I64, {}), at);
    ValueId list = emit(d.region, "stablehlo.broadcast_in_dim", {&number, 1},
                        {{"broadcast_dimensions", ctx_.intsAttr(std::span<const int64_t>())}}, firstType, at);
    ValueId pair[] = {first, list};
    ValueId isOne = emit(d.region, "stablehlo.compare", pair, {{"comparison_direction", ctx_.stringAttr("EQ")}},
                         ctx_.tensorType(DType::Bool, type.dims), at);
    ValueId choice[] = {isOne, d.operands[1], first};
    result = emit(d.region, "stablehlo.select", choice, {}, firstType, at);
    break;
  }
  }
  if (fn_->data(result).type != stated && op.form != Form::Extract && op.form != Form::Compare && op.form != Form::Dim)
    return error("type-mismatch", d.nameAt, d.nameEnd,
                 "the result is stated as " + ctx_.typeToString(stated) + ", and is " +
                     ctx_.typeToString(fn_->data(result).type));
  return d.results.empty() || bindName(d.results[0].name, result);
}

/// `"arith.constant"() <{value = 0 : i32}> : () -> i32`: the number as a tensor.
void Reader::numberToTensor(Draft &d) {
  for (size_t i = d.firstAttr; i < attrs_.size() && d.resultTypes.size() == 1; ++i) {
    const TypeData &type = ctx_.type(d.resultTypes[0]);
    const AttrData &a = ctx_.attr(attrs_[i].value);
    bool isNumber = a.kind == AttrKind::Int || a.kind == AttrKind::Bool || a.kind == AttrKind::Float;
    if (attrs_[i].name != "value" || !isNumber || type.kind != TypeKind::Tensor || !type.ranked || !type.dims.empty())
      continue;
    auto set = [&](auto number, size_t bytes) {
      attrs_[i].value = ctx_.denseAttr(d.resultTypes[0], std::as_bytes(std::span(&number, 1)).first(bytes));
    };
    if (a.kind != AttrKind::Float && (isInteger(type.dtype) || type.dtype == DType::Bool))
      set(a.i, dtypeBytes(type.dtype)); // little endian
    else if (a.kind == AttrKind::Float && type.dtype == DType::F32)
      set(float(a.f), sizeof(float));
    else if (a.kind == AttrKind::Float && type.dtype == DType::F64)
      set(a.f, sizeof(double));
  }
}

/// `arith.constant true`, `0 : index`, `1.0 : f32`: after the attributes.
bool Reader::readNumberConstant(Draft &d) {
  ScalarTypes scalars(*this);
  skipSpace();
  const char *from = p_;
  std::string_view word = peekIdentifier();
  TypeId type = ctx_.tensorType(DType::Bool, {});
  std::vector<std::byte> bytes;
  if (word == "true" || word == "false") {
    p_ += word.size();
    bytes.push_back(std::byte(word == "true"));
    if (eat(':') && !readType(type))
      return false;
  } else {
    text::Number ignored;
    if (!Scanner::readNumber(ignored) || !expect(':', "and the constant's type") || !readType(type))
      return false;
    const char *after = p_;
    p_ = from;
    if (!readNumberElement(ctx_.type(type).dtype, bytes))
      return false;
    p_ = after;
  }
  AttrId value = ctx_.denseAttr(type, bytes);
  add("value", value, from);
  d.resultTypes = {type};
  return skipLocation();
}

} // namespace rw::stablehlo
