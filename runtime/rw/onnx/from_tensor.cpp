#include "rw/onnx/from_tensor.h"

#include "rw/ir/attr_values.h"
#include "rw/ir/builder.h"
#include "rw/onnx/from_program.h"
#include "rw/onnx/proto.h"

#include <array>
#include <unordered_map>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rw::onnxio {
namespace {

constexpr int kKindsOpset = 17; // whose kinds of ops are built

/// Ops that are the same but for their name; none has attributes, whose names and defaults could be others.
constexpr std::pair<std::string_view, std::string_view> kSame[] = {
    {"neg", "Neg"},
    {"abs", "Abs"},
    {"sign", "Sign"},
    {"floor", "Floor"},
    {"ceil", "Ceil"},
    {"round", "Round"},
    {"exp", "Exp"},
    {"log", "Log"},
    {"sqrt", "Sqrt"},
    {"tanh", "Tanh"},
    {"sigmoid", "Sigmoid"},
    {"relu", "Relu"},
    {"erf", "Erf"},
    {"sin", "Sin"},
    {"cos", "Cos"},
    {"not", "Not"},
    {"add", "Add"},
    {"sub", "Sub"},
    {"mul", "Mul"},
    {"div", "Div"},
    {"pow", "Pow"},
    {"max", "Max"},
    {"min", "Min"},
    {"and", "And"},
    {"or", "Or"},
    {"xor", "Xor"},
    {"select", "Where"},
    {"identity", "Identity"},
    {"stop_gradient", "Identity"},
};

using Ints = std::vector<int64_t>;

class Converter {
public:
  Converter(Function &from, OnnxModel &model, Diagnostics &diags, const MeantBy &meantBy)
      : from_(from), model_(model), to_(model.main()), source_(from.context()), ctx_(to_.context()), diags_(diags),
        meantBy_(meantBy) {}

  bool run() {
    if (Op end = to_.terminator(to_.body()))
      to_.erase(end.id);
    for (ValueId p : from_.params(from_.body()))
      values_[p.raw] = named(to_.addParam(copied(from_.value(p).typeId())), from_.valueName(p)).id;
    for (Op op : from_.ops(from_.body())) {
      if (op.kind() == kReturnKind) {
        std::vector<ValueId> results;
        for (unsigned i = 0; i < op.operandCount(); ++i) // of an op: a graph's output is not its input
          results.push_back(named(make("Identity", {value(op.operand(i))}, op.operand(i).typeId()),
                                  i < from_.resultNames().size() ? from_.resultNames()[i] : StringId())
                                .id);
        to_.appendOp(to_.body(), kReturnKind, results, ctx_.noAttrs(), {});
        return true;
      }
      if (!convert(op)) {
        refuse(op);
        return false;
      }
    }
    return false;
  }

private:
  /// Says which op it is that ONNX has no op for, and which op of the program means it.
  void refuse(Op op) {
    std::string message(op.fullName());
    message += op.schema().dialect == kDialect
                   ? " stands beside ops of the dialect tensor: a model is made from the one or the other"
                   : " does not map to ONNX";
    SourceRange at = text::wordAt(diags_.sources(), op.loc());
    Diagnostics::Builder report =
        at ? diags_.error("onnx-export", at, message) : diags_.errorInFile("onnx-export", "@" + from_.name(), message);
    if (auto by = meantBy_.find(op.id.raw); by != meantBy_.end()) {
      report.note(fmt::format("it is in what {} means", fmt::join(by->second, " means, in what ")));
      report.note("say there what it means in ops that ONNX has");
    }
  }
  TypeId copied(TypeId id) {
    const TypeData &t = source_.type(id);
    if (!t.ranked)
      return ctx_.unrankedType(t.dtype);
    std::vector<Dim> dims; // sizes and symbols; expressions belong to the other context
    for (Dim d : t.dims) {
      std::optional<StringId> symbol = d.isExpression() ? source_.dims().asSymbol(d) : std::nullopt;
      dims.push_back(d.isKnown() ? d
                     : symbol    ? ctx_.dims().symbol(ctx_.intern(source_.text(*symbol)))
                                 : Dim::unknown());
    }
    return ctx_.tensorType(t.dtype, dims);
  }
  Value named(Value v, StringId name) {
    if (name)
      to_.setValueName(v.id, ctx_.intern(source_.text(name)));
    return v;
  }
  Value value(Value v) { return to_.value(values_.at(v.id.raw)); }

  /// An op of the main domain with one result, which has the type that the value of the source has.
  Value make(std::string_view name, std::vector<Value> operands, TypeId type,
             std::vector<std::pair<std::string_view, AttrId>> attrs = {}) {
    return makeAll(name, operands, {copied(type)}, attrs)[0];
  }
  std::vector<Value> makeAll(std::string_view name, const std::vector<Value> &operands, std::vector<TypeId> types,
                             const std::vector<std::pair<std::string_view, AttrId>> &attrs) {
    KindId kind = ctx_.ops().lookup("onnx." + std::string(name), kKindsOpset);
    AttrsId list = ctx_.noAttrs();
    for (auto [attr, id] : attrs)
      if (int index = ctx_.ops().schema(kind).attrIndex(attr); index >= 0)
        list = ctx_.withAttr(list, unsigned(index), id);
    std::vector<ValueId> ids;
    for (Value v : operands)
      ids.push_back(v.id);
    Op op = to_.appendOp(to_.body(), kind, ids, list, types);
    std::vector<Value> out;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      out.push_back(op.result(i));
    return out;
  }
  /// A step between, of the dtype of `like` and no stated shape.
  Value step(std::string_view name, std::vector<Value> operands, DType dtype,
             std::vector<std::pair<std::string_view, AttrId>> attrs = {}) {
    return makeAll(name, operands, {ctx_.unrankedType(dtype)}, attrs)[0];
  }
  Value constant(DType dtype, const std::vector<Dim> &dims, std::span<const std::byte> bytes) {
    TypeId type = ctx_.tensorType(dtype, dims);
    return makeAll("Constant", {}, {type}, {{"value", ctx_.denseAttr(type, bytes)}})[0];
  }
  Value ints(const Ints &list) {
    return constant(DType::I64, {Dim(int64_t(list.size()))}, std::as_bytes(std::span(list)));
  }
  Value number(double v, DType dtype) {
    Value d = constant(DType::F64, {}, std::as_bytes(std::span(&v, 1)));
    return dtype == DType::F64 ? d : step("Cast", {d}, dtype, {{"to", ctx_.intAttr(dataTypeOf(dtype))}});
  }

  /// Known sizes of an operand or result of the source.
  static std::optional<Ints> shapeOf(Value v) {
    Ints out;
    for (Dim d : v.type().dims) {
      if (!d.isKnown())
        return std::nullopt;
      out.push_back(d.size());
    }
    return v.type().ranked ? std::optional(out) : std::nullopt;
  }

  bool give(Value v, unsigned i = 0) {
    values_[op_.result(i).id.raw] = v.id;
    return true;
  }
  bool convert(Op op);
  bool elementwise(std::string_view name);
  bool compare();
  bool movement(std::string_view name);
  bool reduction(std::string_view name);
  bool ordering(std::string_view name);
  bool dotGeneral();
  bool conv();

  Function &from_;
  OnnxModel &model_;
  Function &to_;
  Context &source_, &ctx_;
  Diagnostics &diags_;
  const MeantBy &meantBy_;
  Op op_;
  std::vector<Value> in_;
  std::unordered_map<uint32_t, ValueId> values_;
};

bool Converter::convert(Op op) {
  op_ = op;
  in_.clear();
  std::string_view name = op.fullName();
  if (!name.starts_with("tensor.") || !op.regions().empty() || !op.resultCount())
    return false;
  name.remove_prefix(7);
  for (unsigned i = 0; i < op.operandCount(); ++i)
    in_.push_back(op.operand(i) ? value(op.operand(i)) : Value());
  if (op.hasTrait(Trait::Constant)) {
    const DenseData *dense = source_.attr(op_.attrNamed("value")).dense;
    std::vector<Dim> dims(source_.type(dense->type).dims.begin(), source_.type(dense->type).dims.end());
    TypeId type = ctx_.tensorType(source_.type(dense->type).dtype, dims);
    AttrId id = dense->splat ? ctx_.splatAttr(type, dense->bytes) : ctx_.denseAttr(type, dense->bytes);
    return give(makeAll("Constant", {}, {type}, {{"value", id}})[0]);
  }
  for (auto [tensor, onnx] : kSame)
    if (tensor == name) {
      bool bits = name == "not" || name == "and" || name == "or" || name == "xor";
      return op.schema().attrs.empty() && (!bits || op.result().type().dtype == DType::Bool) &&
             give(make(onnx, in_, op.result().typeId()));
    }
  return elementwise(name) || movement(name) || reduction(name) || ordering(name) ||
         (name == "dot_general" && dotGeneral()) || (name == "conv" && conv());
}

bool Converter::elementwise(std::string_view name) {
  TypeId type = op_.result().typeId();
  DType t = op_.result().type().dtype;
  if (name == "cast")
    return dataTypeOf(t) && give(make("Cast", in_, type, {{"to", ctx_.intAttr(dataTypeOf(t))}}));
  if (name == "log1p")
    return give(make("Log", {step("Add", {number(1, t), in_[0]}, t)}, type));
  if (name == "expm1")
    return give(make("Sub", {step("Exp", in_, t), number(1, t)}, type));
  if (name == "rsqrt")
    return give(make("Reciprocal", {step("Sqrt", in_, t)}, type));
  if (name == "swish")
    return give(make("Mul", {in_[0], step("Sigmoid", in_, t)}, type));
  if (name == "gelu") {
    Value e = step("Erf", {step("Mul", {in_[0], number(0.70710678118654752, t)}, t)}, t);
    return give(make("Mul", {step("Mul", {in_[0], number(0.5, t)}, t), step("Add", {e, number(1, t)}, t)}, type));
  }
  if (name == "rem")
    return give(make("Mod", in_, type, {{"fmod", ctx_.intAttr(1)}}));
  if (name == "clamp")
    return give(make("Min", {step("Max", {in_[0], in_[1]}, t), in_[2]}, type));
  return name == "compare" && compare();
}

bool Converter::compare() {
  std::string_view direction = attrOr(op_, "direction", "");
  TypeId type = op_.result().typeId();
  static constexpr std::pair<std::string_view, std::string_view> kOps[] = {
      {"eq", "Equal"}, {"lt", "Less"}, {"le", "LessOrEqual"}, {"gt", "Greater"}, {"ge", "GreaterOrEqual"}};
  for (auto [word, onnx] : kOps)
    if (word == direction)
      return give(make(onnx, in_, type));
  return direction == "ne" && give(make("Not", {step("Equal", in_, DType::Bool)}, type));
}

bool Converter::movement(std::string_view name) {
  TypeId type = op_.result().typeId();
  DType t = op_.result().type().dtype;
  std::optional<Ints> shape = op_.operandCount() ? shapeOf(op_.operand(0)) : Ints();
  size_t rank = shape ? shape->size() : 0;
  Ints axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (name == "transpose")
    return give(make("Transpose", in_, type, {{"perm", ctx_.intsAttr(intsOf(op_, "perm"))}}));
  if (name == "concat")
    return give(make("Concat", in_, type, {{"axis", ctx_.intAttr(attrOr(op_, "axis", 0))}}));
  if (name == "gather")
    return give(make("Gather", in_, type, {{"axis", ctx_.intAttr(attrOr(op_, "axis", 0))}}));
  if (name == "reshape" || name == "broadcast") {
    std::optional<Ints> target = attrOf<Ints>(op_, "shape");
    return target && give(make(name == "reshape" ? "Reshape" : "Expand", {in_[0], ints(*target)}, type,
                               {{"allowzero", ctx_.intAttr(1)}}));
  }
  if (!shape)
    return false;
  if (name == "slice") {
    std::optional<Ints> start = attrOf<Ints>(op_, "start"), limit = attrOf<Ints>(op_, "limit"),
                        stride = attrOf<Ints>(op_, "stride");
    return start && limit && stride &&
           give(make("Slice", {in_[0], ints(*start), ints(*limit), ints(axes), ints(*stride)}, type));
  }
  if (name == "reverse") {
    Ints which = intsOf(op_, "axes"), n = which;
    return give(
        make("Slice",
             {in_[0], ints(Ints(n.size(), -1)), ints(Ints(n.size(), INT64_MIN)), ints(which), ints(Ints(n.size(), -1))},
             type));
  }
  if (name == "pad") {
    std::optional<Ints> pads = attrOf<Ints>(op_, "low"), high = attrOf<Ints>(op_, "high"),
                        interior = attrOf<Ints>(op_, "interior");
    if (!pads || !high || !interior || std::ranges::any_of(*interior, [](int64_t p) { return p != 0; }))
      return false;
    pads->insert(pads->end(), high->begin(), high->end());
    return give(make("Pad", {in_[0], ints(*pads), step("Reshape", {in_[1], ints({})}, t)}, type));
  }
  if (name == "scatter") {
    std::string_view how = attrOr(op_, "reduction", "");
    std::optional<Ints> where = shapeOf(op_.operand(1));
    if (attrOr(op_, "axis", 0) != 0 || !where || how == "min" || how == "max")
      return false;
    where->push_back(1);
    Value at = step("Reshape",
                    {step("Cast", {in_[1]}, DType::I64, {{"to", ctx_.intAttr(dataTypeOf(DType::I64))}}), ints(*where)},
                    DType::I64);
    return give(make("ScatterND", {in_[0], at, in_[2]}, type, {{"reduction", ctx_.stringAttr(how)}}));
  }
  return false;
}

bool Converter::reduction(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOps[] = {{"reduce_max", "ReduceMax"},
                                                                           {"reduce_min", "ReduceMin"},
                                                                           {"reduce_prod", "ReduceProd"},
                                                                           {"reduce_mean", "ReduceMean"}};
  TypeId type = op_.result().typeId();
  if (name == "reduce_argmax")
    return give(
        make("ArgMax", in_, type,
             {{"axis", ctx_.intAttr(attrOr(op_, "axis", 0))}, {"keepdims", ctx_.intAttr(attrOr(op_, "keepdims", 0))}}));
  if (!name.starts_with("reduce_"))
    return false;
  Ints axes = intsOf(op_, "axes");
  AttrId keep = ctx_.intAttr(attrOr(op_, "keepdims", 0));
  if (axes.empty()) // which ONNX reads as all of them
    return give(make("Identity", in_, type));
  if (name == "reduce_sum")
    return give(make("ReduceSum", {in_[0], ints(axes)}, type, {{"keepdims", keep}}));
  if (name == "reduce_and" || name == "reduce_or") {
    Value numbers = step("Cast", in_, DType::I32, {{"to", ctx_.intAttr(dataTypeOf(DType::I32))}});
    Value r = step(name == "reduce_and" ? "ReduceMin" : "ReduceMax", {numbers}, DType::I32,
                   {{"axes", ctx_.intsAttr(axes)}, {"keepdims", keep}});
    return give(make("Cast", {r}, type, {{"to", ctx_.intAttr(dataTypeOf(DType::Bool))}}));
  }
  for (auto [word, onnx] : kOps)
    if (word == name)
      return give(make(onnx, in_, type, {{"axes", ctx_.intsAttr(axes)}, {"keepdims", keep}}));
  return false;
}

bool Converter::ordering(std::string_view name) {
  AttrId axis = op_.schema().attrIndex("axis") >= 0 ? ctx_.intAttr(attrOr(op_, "axis", 0)) : AttrId();
  TypeId type = op_.resultCount() ? op_.result().typeId() : TypeId();
  if (name == "softmax")
    return give(make("Softmax", in_, type, {{"axis", axis}}));
  if (name == "cumsum")
    return give(make("CumSum", {in_[0], ints({attrOr(op_, "axis", 0)})}, type,
                     {{"exclusive", ctx_.intAttr(attrOr(op_, "exclusive", 0))},
                      {"reverse", ctx_.intAttr(attrOr(op_, "reverse", 0))}}));
  if (name != "sort" && name != "top_k")
    return false;
  std::optional<Ints> shape = shapeOf(op_.operand(0));
  bool sort = name == "sort";
  if (sort && !shape)
    return false;
  std::vector<TypeId> types = {copied(type), sort ? ctx_.unrankedType(DType::I64) : copied(op_.result(1).typeId())};
  int64_t k = sort ? (*shape)[size_t(attrOr(op_, "axis", 0))] : attrOr(op_, "k", 0);
  std::vector<Value> r =
      makeAll("TopK", {in_[0], ints({k})}, types,
              {{"axis", axis}, {"largest", ctx_.intAttr(attrOr(op_, sort ? "descending" : "largest", 0))}});
  return give(r[0]) && (sort || give(r[1], 1));
}

/// Batch dimensions first, one free and one contracted dimension: a MatMul between reshapes.
bool Converter::dotGeneral() {
  DType t = op_.result().type().dtype;
  std::optional<Ints> result = shapeOf(op_.result());
  std::array<Value, 2> sides;
  Ints batch;
  for (size_t s = 0; s < 2; ++s) {
    std::optional<Ints> shape = shapeOf(op_.operand(unsigned(s)));
    Ints named = intsOf(op_, s ? "rhs_batch" : "lhs_batch"),
         contract = intsOf(op_, s ? "rhs_contract" : "lhs_contract"), free, perm = named;
    if (!shape || !result)
      return false;
    for (int64_t d = 0; d < int64_t(shape->size()); ++d)
      if (!std::ranges::count(named, d) && !std::ranges::count(contract, d))
        free.push_back(d);
    const Ints &first = s ? contract : free, &second = s ? free : contract;
    perm.insert(perm.end(), first.begin(), first.end());
    perm.insert(perm.end(), second.begin(), second.end());
    auto sizeOf = [&](const Ints &dims) {
      int64_t n = 1;
      for (int64_t d : dims)
        n *= (*shape)[size_t(d)];
      return n;
    };
    Ints target;
    for (int64_t d : named)
      target.push_back((*shape)[size_t(d)]);
    target.insert(target.end(), {sizeOf(first), sizeOf(second)});
    Value turned = step("Transpose", {in_[s]}, t, {{"perm", ctx_.intsAttr(perm)}});
    sides[s] = step("Reshape", {turned, ints(target)}, t, {{"allowzero", ctx_.intAttr(1)}});
  }
  const Value product = step("MatMul", {sides[0], sides[1]}, t);
  const size_t batches = intsOf(op_, "lhs_batch").size();
  if (!attrOr(op_, "batch_last", false) || batches == 0)
    return give(make("Reshape", {product, ints(*result)}, op_.result().typeId(), {{"allowzero", ctx_.intAttr(1)}}));
  // The batch stands at the front of the product, and goes behind the others.
  Ints target(result->end() - long(batches), result->end()), perm;
  target.insert(target.end(), result->begin(), result->end() - long(batches));
  for (size_t d = 0; d < target.size(); ++d)
    perm.push_back(int64_t((d + batches) % target.size()));
  const Value split = step("Reshape", {product, ints(target)}, t, {{"allowzero", ctx_.intAttr(1)}});
  return give(make("Transpose", {split}, op_.result().typeId(), {{"perm", ctx_.intsAttr(perm)}}));
}

/// ONNX's pads are not below 0, and nothing stands between the image's elements.
bool Converter::conv() {
  if (std::ranges::any_of(intsOf(op_, "pads"), [](int64_t p) { return p < 0; }) ||
      std::ranges::any_of(intsOf(op_, "input_dilations"), [](int64_t n) { return n != 1; }))
    return false;
  std::vector<std::pair<std::string_view, AttrId>> attrs = {{"group", ctx_.intAttr(attrOr(op_, "groups", 0))}};
  for (std::string_view name : {"strides", "pads", "dilations"})
    attrs.emplace_back(name, ctx_.intsAttr(intsOf(op_, name)));
  return give(make("Conv", in_, op_.result().typeId(), attrs));
}

} // namespace
} // namespace rw::onnxio

namespace rw {

std::optional<OnnxModel> onnxFromTensor(Function &fn, const OpRegistry &ops, Diagnostics &diags,
                                        const onnxio::MeantBy &meantBy) {
  std::optional<OnnxModel> model = onnxio::emptyModel("@" + fn.name(), ops, diags, onnxio::kKindsOpset);
  if (!model || !onnxio::Converter(fn, *model, diags, meantBy).run())
    return std::nullopt;
  return model;
}

} // namespace rw
