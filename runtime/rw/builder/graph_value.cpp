// The formulas over values: each checks element types, axes and dimensions and then emits its op.
#include "rw/builder/graph_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace rw {
namespace {

std::string typeText(const GraphValue &v) { return v.value().context().typeToString(v.value().typeId()); }

/// "operand is ?, of unknown element type": what must be known before anything can be checked.
std::string checkKnown(const GraphValue &v, bool shape) {
  const TypeData &t = v.value().type();
  if (t.kind != TypeKind::Tensor)
    return fmt::format("an operand is {}, not a tensor", typeText(v));
  if (t.dtype == DType::Unknown)
    return fmt::format("the element type of an operand ({}) is not known; state it by importSpec", typeText(v));
  if (shape && !t.ranked)
    return fmt::format("the rank of an operand ({}) is not known; state it by importSpec", typeText(v));
  return "";
}

bool isNumber(DType t) { return isFloat(t) || isInteger(t) || isComplex(t); }

/// Whether two shapes broadcast to one, as far as is known; else the pair that does not.
std::string checkBroadcast(const GraphValue &a, const GraphValue &b) {
  std::span<const Dim> x = a.dims(), y = b.dims();
  if (!a.rank() || !b.rank())
    return "";
  for (size_t i = 1; i <= std::min(x.size(), y.size()); ++i) {
    Dim d = x[x.size() - i], e = y[y.size() - i];
    if (provablyDifferent(d, e) && d != Dim(1) && e != Dim(1))
      return fmt::format("{} and {} do not broadcast: dimension {} from the end is {} and {}", typeText(a), typeText(b),
                         i, d.size(), e.size());
  }
  return "";
}

/// Axes within the rank, none twice.
std::string checkAxes(std::string_view what, std::span<const int64_t> axes, const GraphValue &v) {
  int64_t rank = int64_t(v.dims().size());
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= rank)
      return fmt::format("{} {} lies outside 0..{} of {}", what, axes[i], rank, typeText(v));
    if (std::find(axes.begin(), axes.begin() + ptrdiff_t(i), axes[i]) != axes.begin() + ptrdiff_t(i))
      return fmt::format("{} {} is named twice", what, axes[i]);
  }
  return "";
}

} // namespace

std::string_view GraphValue::error() const {
  return value_     ? ""
         : error_   ? std::string_view(*error_)
         : builder_ ? "an operand left out is no value"
                    : "there is no value";
}
DType GraphValue::dtype() const {
  return value_ && value_.type().kind == TypeKind::Tensor ? value_.type().dtype : DType::Unknown;
}
std::optional<size_t> GraphValue::rank() const {
  if (!value_ || value_.type().kind != TypeKind::Tensor || !value_.type().ranked)
    return std::nullopt;
  return value_.type().dims.size();
}
std::span<const Dim> GraphValue::dims() const { return rank() ? value_.type().dims : std::span<const Dim>(); }

GraphValue GraphValue::add(const GraphValue &rhs) const { return binary("add", rhs); }
GraphValue GraphValue::sub(const GraphValue &rhs) const { return binary("sub", rhs); }
GraphValue GraphValue::mul(const GraphValue &rhs) const { return binary("mul", rhs); }
GraphValue GraphValue::div(const GraphValue &rhs) const { return binary("div", rhs); }

GraphValue GraphValue::binary(std::string_view op, const GraphValue &rhs) const {
  if (!*this)
    return *this;
  if (!rhs)
    return rhs;
  auto wrong = [&](const std::string &why) { return builder_->fail(fmt::format("{}: {}", op, why)); };
  for (const GraphValue *v : {this, &rhs})
    if (std::string why = checkKnown(*v, false); !why.empty())
      return wrong(why);
  if (dtype() != rhs.dtype())
    return wrong(
        fmt::format("the operands are {} and {}; cast one of them", dtypeName(dtype()), dtypeName(rhs.dtype())));
  if (!isNumber(dtype()))
    return wrong(fmt::format("needs numbers, not {}", dtypeName(dtype())));
  if (std::string why = checkBroadcast(*this, rhs); !why.empty())
    return wrong(why);
  return builder_->emit(op, {*this, rhs}).intoValue();
}

GraphValue GraphValue::exp() const {
  if (!*this)
    return *this;
  if (std::string why = checkKnown(*this, false); !why.empty())
    return builder_->fail("exp: " + why);
  if (!isFloat(dtype()) && !isComplex(dtype()))
    return builder_->fail(
        fmt::format("exp: needs a float or complex element type, not {}; cast it first", dtypeName(dtype())));
  return builder_->emit("exp", {*this}).intoValue();
}

GraphValue GraphValue::cast(DType to) const {
  if (!*this)
    return *this;
  if (to == DType::Unknown)
    return builder_->fail("cast: the element type to cast to is not known");
  return builder_->emit("cast", {*this}, {{"dtype", builder_->context().dtypeAttr(to)}}).intoValue();
}

GraphValue GraphValue::reduceMax(std::vector<int64_t> axes, bool keepDims) const {
  if (*this && (isComplex(dtype()) || dtype() == DType::Bool))
    return builder_->fail(fmt::format("reduce_max: {} has no greatest element", dtypeName(dtype())));
  return reduce("reduce_max", std::move(axes), keepDims);
}
GraphValue GraphValue::reduceSum(std::vector<int64_t> axes, bool keepDims) const {
  return reduce("reduce_sum", std::move(axes), keepDims);
}

GraphValue GraphValue::reduce(std::string_view op, std::vector<int64_t> axes, bool keepDims) const {
  if (!*this)
    return *this;
  auto wrong = [&](const std::string &why) { return builder_->fail(fmt::format("{}: {}", op, why)); };
  if (std::string why = checkKnown(*this, true); !why.empty())
    return wrong(why);
  if (!isNumber(dtype()))
    return wrong(fmt::format("needs numbers, not {}", dtypeName(dtype())));
  if (std::string why = checkAxes("axis", axes, *this); !why.empty())
    return wrong(why);
  Context &ctx = builder_->context();
  return builder_->emit(op, {*this}, {{"axes", ctx.intsAttr(axes)}, {"keepdims", ctx.boolAttr(keepDims)}}).intoValue();
}

GraphValue GraphValue::broadcastLike(const GraphValue &other) const {
  if (!*this)
    return *this;
  if (!other)
    return other;
  auto wrong = [&](const std::string &why) { return builder_->fail("broadcast: " + why); };
  for (const GraphValue *v : {this, &other})
    if (std::string why = checkKnown(*v, true); !why.empty())
      return wrong(why);
  std::span<const Dim> from = dims(), to = other.dims();
  if (std::any_of(to.begin(), to.end(), [](Dim d) { return d.isUnknown(); }))
    return wrong(fmt::format("{} has a dimension that is not known", typeText(other)));
  bool fits = from.size() <= to.size();
  for (size_t i = 1; fits && i <= from.size(); ++i)
    fits = from[from.size() - i] == Dim(1) || !provablyDifferent(from[from.size() - i], to[to.size() - i]);
  if (!fits)
    return wrong(fmt::format("{} does not stretch to the shape of {}", typeText(*this), typeText(other)));
  return builder_->emit("broadcast", {*this}, {{"shape", builder_->context().dimsAttr(to)}}).intoValue();
}

GraphValue GraphValue::dotGeneral(const GraphValue &rhs, const DotDims &d, const DotAttrs &attrs) const {
  if (!*this)
    return *this;
  if (!rhs)
    return rhs;
  auto wrong = [&](const std::string &why) { return builder_->fail("dot_general: " + why); };
  for (const GraphValue *v : {this, &rhs})
    if (std::string why = checkKnown(*v, true); !why.empty())
      return wrong(why);
  if (dtype() != rhs.dtype())
    return wrong(
        fmt::format("the operands are {} and {}; cast one of them", dtypeName(dtype()), dtypeName(rhs.dtype())));
  if (!isNumber(dtype()))
    return wrong(fmt::format("needs numbers, not {}", dtypeName(dtype())));
  auto joined = [](std::vector<int64_t> batch, const std::vector<int64_t> &contract) {
    batch.insert(batch.end(), contract.begin(), contract.end());
    return batch;
  };
  if (std::string why = checkAxes("lhs dimension", joined(d.lhsBatch, d.lhsContract), *this); !why.empty())
    return wrong(why);
  if (std::string why = checkAxes("rhs dimension", joined(d.rhsBatch, d.rhsContract), rhs); !why.empty())
    return wrong(why);
  auto paired = [&](const char *what, const std::vector<int64_t> &l, const std::vector<int64_t> &r) -> std::string {
    if (l.size() != r.size())
      return fmt::format("{} {} dimensions of lhs and {} of rhs", l.size(), what, r.size());
    for (size_t i = 0; i < l.size(); ++i)
      if (provablyDifferent(dims()[size_t(l[i])], rhs.dims()[size_t(r[i])]))
        return fmt::format("{} dimensions differ: lhs {} is {}, rhs {} is {}", what, l[i], dims()[size_t(l[i])].size(),
                           r[i], rhs.dims()[size_t(r[i])].size());
    return "";
  };
  for (const std::string &why :
       {paired("batch", d.lhsBatch, d.rhsBatch), paired("contracted", d.lhsContract, d.rhsContract)})
    if (!why.empty())
      return wrong(why);
  for (std::optional<DType> t : {attrs.accumDtype, attrs.outDtype})
    if (t && !isNumber(*t))
      return wrong(fmt::format("cannot compute in {}", dtypeName(*t)));

  DType out = attrs.outDtype.value_or(dtype());
  return builder_->capture([&](GraphBuilder &g) {
    GraphValue l = *this, r = rhs;
    if (attrs.conjugateLhs && isComplex(dtype()))
      l = g.emit("conj", {l}).intoValue();
    if (attrs.conjugateRhs && isComplex(rhs.dtype()))
      r = g.emit("conj", {r}).intoValue();
    if (attrs.accumDtype && *attrs.accumDtype != dtype())
      l = l.cast(*attrs.accumDtype), r = r.cast(*attrs.accumDtype);
    Context &ctx = g.context();
    GraphValue dot = g.emit("dot_general", {l, r},
                            {{"lhs_batch", ctx.intsAttr(d.lhsBatch)},
                             {"rhs_batch", ctx.intsAttr(d.rhsBatch)},
                             {"lhs_contract", ctx.intsAttr(d.lhsContract)},
                             {"rhs_contract", ctx.intsAttr(d.rhsContract)}})
                         .intoValue();
    return dot && dot.dtype() != out ? dot.cast(out) : dot;
  });
}

} // namespace rw
