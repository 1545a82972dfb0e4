#include "rw/ir/expr_helpers.h"

#include "rw/ir/nameless_dims.h"
#include "rw/support/numbers.h"

#include <cmath>
#include <numeric>

namespace rw {

// Numbers ---------------------------------------------------------------------------------------------------------

bool divFails(int64_t a, int64_t b, int64_t &out) {
  if (b == 0 || (b == -1 && a == INT64_MIN))
    return true;
  out = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return false;
}

bool modFails(int64_t a, int64_t b, int64_t &out) {
  if (b == 0)
    return true;
  if (b == -1) {
    out = 0;
    return false;
  }
  out = a % b;
  if (out != 0 && (out < 0) != (b < 0))
    out += b;
  return false;
}

// Dimensions ------------------------------------------------------------------------------------------------------

std::optional<Dim> dimOf(int64_t n) {
  Dim d = Dim::number(n);
  return d.isUnknown() ? std::nullopt : std::optional(d);
}

/// a - b if that is a number whatever the symbols stand for.
static std::optional<int64_t> difference(Context &ctx, Dim a, Dim b) {
  if (a.isUnknown() || b.isUnknown())
    return std::nullopt;
  if (a.isKnown() && b.isKnown())
    return a.size() - b.size(); // both are between 0 and the largest int
  if (a == b)
    return 0;
  if (Dim d = ctx.dims().sub(a, b); d.isKnown())
    return d.size();
  if (Dim d = ctx.dims().sub(b, a); d.isKnown())
    return -d.size();
  return std::nullopt;
}

/// Whether a <= b whatever the symbols stand for: sizes, which are never below 0.
static bool neverGreater(Context &ctx, Dim a, Dim b) { return ctx.dims().upperBound(ctx.dims().sub(a, b), {}) == 0; }
static bool alwaysLess(Context &ctx, Dim a, Dim b) {
  return b.isExpression() ? neverGreater(ctx, a, ctx.dims().sub(b, Dim(1)))
                          : neverGreater(ctx, ctx.dims().add(a, Dim(1)), b);
}

std::optional<bool> equal(Context &ctx, Dim a, Dim b) {
  if (std::optional<int64_t> d = difference(ctx, a, b))
    return *d == 0;
  return alwaysLess(ctx, a, b) || alwaysLess(ctx, b, a) ? std::optional(false) : std::nullopt;
}
std::optional<bool> less(Context &ctx, Dim a, Dim b) {
  if (std::optional<int64_t> d = difference(ctx, a, b))
    return *d < 0;
  return alwaysLess(ctx, a, b) ? std::optional(true) : neverGreater(ctx, b, a) ? std::optional(false) : std::nullopt;
}
std::optional<bool> lessOrEqual(Context &ctx, Dim a, Dim b) {
  if (std::optional<int64_t> d = difference(ctx, a, b))
    return *d <= 0;
  return neverGreater(ctx, a, b) ? std::optional(true) : alwaysLess(ctx, b, a) ? std::optional(false) : std::nullopt;
}
std::optional<Dim> divide(Context &ctx, Dim a, Dim b) {
  return b == Dim(0) ? std::nullopt : std::optional(ctx.dims().floorDiv(a, b));
}
std::optional<Dim> modulo(Context &ctx, Dim a, Dim b) {
  return b == Dim(0) ? std::nullopt : std::optional(ctx.dims().mod(a, b));
}

std::optional<bool> equal(Context &ctx, TypeId a, TypeId b) {
  if (!a || !b)
    return std::nullopt;
  if (a == b)
    return ctx.type(a).known ? std::optional(true) : std::nullopt;
  return ctx.compatible(a, b) ? std::nullopt : std::optional(false);
}

// Lists -----------------------------------------------------------------------------------------------------------

std::optional<Ints> range(int64_t begin, int64_t end) {
  Ints out;
  if (end <= begin)
    return out;
  if (uint64_t(end) - uint64_t(begin) > kMaxList)
    return std::nullopt;
  for (int64_t i = begin; i < end; ++i)
    out.push_back(i);
  return out;
}

Ints sorted(std::span<const int64_t> list) {
  Ints out(list);
  std::sort(out.begin(), out.end());
  return out;
}

Ints argsort(std::span<const int64_t> list) {
  Ints order(list.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return list[size_t(a)] < list[size_t(b)]; });
  return order;
}

bool isSorted(std::span<const int64_t> list) { return std::ranges::is_sorted(list); }

bool isUnique(std::span<const int64_t> list) {
  Ints s = sorted(list);
  return std::adjacent_find(s.begin(), s.end()) == s.end();
}

bool isPermutation(std::span<const int64_t> list, int64_t n) {
  if (n < 0 || list.size() != uint64_t(n))
    return false;
  if (n <= 64) {
    uint64_t seen = 0;
    for (int64_t i : list) {
      if (!inRange(i, list.size()) || (seen >> i & 1))
        return false;
      seen |= uint64_t(1) << i;
    }
    return true;
  }
  Ints s = sorted(list);
  for (size_t i = 0; i < s.size(); ++i)
    if (s[i] != int64_t(i))
      return false;
  return true;
}

bool allOf(std::span<const bool> list) { return std::ranges::all_of(list, std::identity()); }
bool anyOf(std::span<const bool> list) { return std::ranges::any_of(list, std::identity()); }

std::optional<int64_t> sum(Context &, std::span<const int64_t> list) {
  int64_t total = 0;
  for (int64_t x : list)
    if (addFails(total, x, total))
      return std::nullopt;
  return total;
}
std::optional<int64_t> product(Context &, std::span<const int64_t> list) {
  int64_t total = 1;
  for (int64_t x : list)
    if (mulFails(total, x, total))
      return std::nullopt;
  return total;
}
InlineList<double> unrounded(std::span<const double> list, std::span<const double> meant) {
  InlineList<double> out;
  for (size_t i = 0; i < list.size(); ++i)
    out.push_back(i < meant.size() ? unrounded(list[i], meant[i]) : list[i]);
  return out;
}
InlineList<double> unrounded(std::span<const double> list, double meant) {
  InlineList<double> out;
  for (double v : list)
    out.push_back(unrounded(v, meant));
  return out;
}
double unrounded(double v, std::span<const double> meant) {
  for (double m : meant)
    if (unrounded(v, m) == m)
      return m;
  return v;
}

std::optional<double> sum(Context &, std::span<const double> list) {
  return std::accumulate(list.begin(), list.end(), 0.0);
}
std::optional<double> product(Context &, std::span<const double> list) {
  return std::accumulate(list.begin(), list.end(), 1.0, std::multiplies<>());
}
std::optional<Dim> sum(Context &ctx, std::span<const Dim> list) { return ctx.dims().sum(list); }
std::optional<Dim> product(Context &ctx, std::span<const Dim> list) {
  Dim total(1);
  for (Dim d : list)
    total = ctx.dims().mul(total, d);
  return total;
}

std::optional<double> least(Context &, double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nullopt : std::optional(std::min(a, b));
}
std::optional<double> greatest(Context &, double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nullopt : std::optional(std::max(a, b));
}
std::optional<Dim> least(Context &ctx, Dim a, Dim b) {
  if (std::optional<bool> aIsLess = lessOrEqual(ctx, a, b))
    return *aIsLess ? a : b;
  // s0 and 0: that s0 is at most 0 can be neither proved nor refuted, that 0 is at most s0 can be proved
  return lessOrEqual(ctx, b, a) == std::optional(true) ? std::optional(b) : std::nullopt;
}
std::optional<Dim> greatest(Context &ctx, Dim a, Dim b) {
  std::optional<Dim> l = least(ctx, a, b);
  return l ? std::optional(*l == a ? b : a) : std::nullopt;
}

// Operands and results -------------------------------------------------------------------------------------------

InlineList<Value> operandsOf(Op op, unsigned first, unsigned end) {
  InlineList<Value> values;
  for (unsigned i = first; i < end; ++i)
    values.push_back(op.operand(i));
  return values;
}

InlineList<Value> operandGroupOf(Op op, unsigned group) {
  OperandGroup g = operandGroup(op.schema(), op.operandCount(), group);
  return operandsOf(op, g.first, g.first + g.count);
}

InlineList<Value> resultsOf(Op op) {
  InlineList<Value> values;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values.push_back(op.result(i));
  return values;
}

/// Calls `visit(name, attribute)`.
template <class F> static void forEachAttr(Op op, const F &visit) {
  const AttrsData &attrs = op.context().attrs(op.attrsId());
  const OpSchema &schema = op.schema();
  for (size_t i = 0; i < attrs.fixed.size() && i < schema.attrs.size(); ++i)
    if (attrs.fixed[i])
      visit(schema.attrs[i].name, attrs.fixed[i]);
  for (const NamedAttr &extra : attrs.extra)
    if (std::string_view name = op.context().text(extra.name); !name.starts_with('$'))
      visit(name, extra.value);
}

ListOf<std::string_view> attrNamesOf(Op op) {
  ListOf<std::string_view> names;
  forEachAttr(op, [&](std::string_view name, AttrId) { names.push_back(name); });
  return names;
}

ListOf<AttrId> attrsOf(Op op) {
  ListOf<AttrId> attrs;
  forEachAttr(op, [&](std::string_view, AttrId attr) { attrs.push_back(attr); });
  return attrs;
}

InlineList<Value> resultGroupOf(Op op, unsigned group) {
  std::span<const ResultSchema> declared = op.schema().results;
  InlineList<Value> values;
  if (declared.size() > op.resultCount() + 1 || group >= declared.size())
    return values; // does not verify
  unsigned first = 0;
  for (unsigned i = 0; i <= group; ++i) {
    unsigned count = declared[i].arity == Arity::Variadic ? op.resultCount() + 1 - unsigned(declared.size()) : 1;
    for (unsigned r = first; i == group && r < first + count; ++r)
      values.push_back(op.result(r));
    first += count;
  }
  return values;
}

InlineList<Value> valuesOf(const OpInputs &in, unsigned group) {
  InlineList<Value> values;
  for (ValueId v : in.group(group))
    values.push_back(in.function().value(v));
  return values;
}

// Types -----------------------------------------------------------------------------------------------------------

static const TypeData *tensorType(Context &ctx, TypeId id) {
  if (!id)
    return nullptr;
  const TypeData &t = ctx.type(id);
  return t.kind == TypeKind::Tensor ? &t : nullptr;
}

std::optional<std::span<const Dim>> shapeOf(Context &ctx, TypeId id) {
  const TypeData *t = tensorType(ctx, id);
  return t && t->ranked ? std::optional(t->dims) : std::nullopt;
}
std::optional<int64_t> rankOf(Context &ctx, TypeId id) {
  const TypeData *t = tensorType(ctx, id);
  return t && t->ranked ? std::optional(int64_t(t->dims.size())) : std::nullopt;
}
std::optional<DType> dtypeOf(Context &ctx, TypeId id) {
  const TypeData *t = tensorType(ctx, id);
  return t && t->dtype != DType::Unknown ? std::optional(t->dtype) : std::nullopt;
}
std::optional<Dim> sizeOf(Context &ctx, TypeId id) {
  std::optional<std::span<const Dim>> shape = shapeOf(ctx, id);
  return shape ? product(ctx, *shape) : std::nullopt;
}
bool isSingleElement(Context &ctx, TypeId id) {
  const TypeData *t = tensorType(ctx, id);
  return t && t->ranked && std::ranges::all_of(t->dims, [](Dim d) { return d == Dim(1); });
}

std::optional<int64_t> bitsOf(DType t) {
  switch (t) {
  case DType::Unknown:
  case DType::String:
    return std::nullopt;
  case DType::I4:
  case DType::U4:
  case DType::F4E2M1:
    return 4;
  default:
    return 8 * int64_t(dtypeBytes(t));
  }
}

std::optional<Dims> broadcastShapes(Context &, std::span<const Dim> a, std::span<const Dim> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims out(a);
  size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    Dim x = a[offset + i], y = b[i];
    Dim &both = out[offset + i];
    if (x == y || y == Dim(1))
      both = x; // two unknown ones: unknown
    else if (x == Dim(1))
      both = y;
    else if (x.isKnown() && y.isKnown())
      return std::nullopt;
    else if (x.isKnown() || y.isKnown())
      both = x.isKnown() ? x : y; // the other is equal or 1
    else
      both = NamelessDims::stretched(x, y);
  }
  return out;
}

std::optional<Dims> broadcastShapes(Context &ctx, std::span<const Dims> shapes) {
  std::optional<Dims> all = shapes.empty() ? std::nullopt : std::optional(shapes[0]);
  for (size_t i = 1; i < shapes.size() && all; ++i)
    all = broadcastShapes(ctx, *all, shapes[i]);
  return all;
}

bool inferredType(Context &ctx, std::optional<DType> dtype, const std::optional<Dims> &dims, TypeId &out) {
  if (!dtype && !dims)
    return false;
  out = dims ? ctx.tensorType(dtype.value_or(DType::Unknown), std::span<const Dim>(*dims)) : ctx.unrankedType(*dtype);
  return dtype && dims;
}

bool sameType(Context &ctx, Value v, TypeId &out) {
  const TypeData *t = v ? tensorType(ctx, v.typeId()) : nullptr;
  if (!t)
    return false;
  out = v.typeId();
  return t->ranked && t->dtype != DType::Unknown;
}

FoldResult foldTo(Op op, Value v) {
  if (!v || op.resultCount() != 1 || v.definingOp() == op || !op.context().compatible(op.result().typeId(), v.typeId()))
    return {};
  return {FoldResult::ReplacedBy, v.id, AttrId()};
}

FoldResult foldTo(Op op, AttrId dense) {
  TypeId type = typeOfTensor(op.context(), dense);
  if (!type || op.resultCount() != 1 || !op.context().compatible(op.result().typeId(), type))
    return {};
  return {FoldResult::Materialize, ValueId(), dense};
}

// Conversions -----------------------------------------------------------------------------------------------------

AttrId tensorAttr(Context &ctx, AttrId id) { return id && ctx.attr(id).kind == AttrKind::Dense ? id : AttrId(); }

std::string_view joinedText(Context &ctx, std::string_view a, std::string_view b) {
  return ctx.text(ctx.intern(std::string(a).append(b)));
}

AttrId makeAttr(Context &ctx, int64_t v) { return ctx.intAttr(v); }
AttrId makeAttr(Context &ctx, double v) { return ctx.floatAttr(withOneNan(v)); }
AttrId makeAttr(Context &ctx, bool v) { return ctx.boolAttr(v); }
AttrId makeAttr(Context &ctx, std::string_view v) { return ctx.stringAttr(v); }
AttrId makeAttr(Context &ctx, DType v) { return ctx.dtypeAttr(v); }
AttrId makeAttr(Context &ctx, Dim v) { return ctx.dimAttr(v); }
AttrId makeAttr(Context &ctx, TypeId v) { return ctx.typeAttr(v); }
AttrId makeAttr(Context &ctx, std::span<const int64_t> v) { return ctx.intsAttr(v); }
AttrId makeAttr(Context &ctx, std::span<const double> v) {
  InlineList<double> computed;
  for (double f : v)
    computed.push_back(withOneNan(f));
  return ctx.floatsAttr(computed);
}
AttrId makeAttr(Context &ctx, std::span<const Dim> v) { return ctx.dimsAttr(v); }
template <class T, class Make> static AttrId listFrom(Context &ctx, std::span<const T> list, const Make &make) {
  InlineList<AttrId> elements;
  for (const T &element : list)
    elements.push_back(make(element));
  return ctx.listAttr(elements);
}
AttrId makeAttr(Context &ctx, std::span<const bool> v) {
  return listFrom(ctx, v, [&](bool b) { return ctx.boolAttr(b); });
}
AttrId makeAttr(Context &ctx, std::span<const std::string_view> v) {
  return listFrom(ctx, v, [&](std::string_view s) { return ctx.stringAttr(s); });
}
AttrId makeAttr(Context &ctx, std::span<const DType> v) {
  return listFrom(ctx, v, [&](DType t) { return ctx.dtypeAttr(t); });
}
AttrId makeAttr(Context &ctx, std::span<const TypeId> v) {
  return listFrom(ctx, v, [&](TypeId t) { return ctx.typeAttr(t); });
}
AttrId makeAttr(Context &ctx, std::span<const Ints> v) {
  return listFrom(ctx, v, [&](const Ints &list) { return ctx.intsAttr(std::span<const int64_t>(list)); });
}

std::optional<Dims> dimsFrom(std::span<const int64_t> list) {
  Dims out;
  for (int64_t n : list) {
    std::optional<Dim> d = dimOf(n);
    if (!d)
      return std::nullopt;
    out.push_back(*d);
  }
  return out;
}
std::optional<Ints> intsFrom(std::span<const Dim> list) {
  Ints out;
  for (Dim d : list) {
    if (!d.isNumber())
      return std::nullopt;
    out.push_back(d.value());
  }
  return out;
}
std::optional<Dims> unknownSizes(int64_t n) {
  return n < 0 || size_t(n) > kMaxList ? std::nullopt : std::optional(Dims(size_t(n), Dim::unknown()));
}
std::optional<Dims> contentsOf(Value v, bool asSizes) {
  if (!v)
    return std::nullopt;
  if (KnownContents *known = v.fn->knownContents())
    return known->contentsOf(v, asSizes);
  std::optional<Ints> ints = intsOfTensor(v.context(), v.constant());
  if (!ints)
    return std::nullopt;
  Dims out;
  for (int64_t n : *ints)
    out.push_back(asSizes && n < 0 ? Dim::unknown() : Dim::number(std::max(n, Dim::kLeast)));
  return out;
}
InlineList<double> floatsFrom(std::span<const int64_t> list) {
  InlineList<double> out;
  for (int64_t n : list)
    out.push_back(double(n));
  return out;
}

// Text ------------------------------------------------------------------------------------------------------------

std::string show(Context &, int64_t v) { return std::to_string(v); }
std::string show(Context &, double v) { return printNumber(v); }
std::string show(Context &, bool v) { return v ? "true" : "false"; }
std::string show(Context &, std::string_view v) { return std::string(v); }
std::string show(Context &, DType v) { return std::string(dtypeName(v)); }
std::string show(Context &ctx, Dim v) { return ctx.dims().toString(v); }
std::string show(Context &ctx, TypeId v) { return ctx.typeToString(v); }
std::string show(Context &, AttrId) { return "..."; }

} // namespace rw
