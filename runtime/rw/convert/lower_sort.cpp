// Sorts. A comparator that compares keys one after another, each for less or for greater, is a stable sort by each key,
// the last one first: a key is an input, or what is computed of one in the same way on both sides. Any other comparator
// is asked of all pairs, and an element goes where as many stand before it.
#include "rw/convert/region_lowerings.h"
#include "rw/convert/scalar_region.h"

#include <algorithm>
#include <cmath>

namespace rw::convert {

namespace {

/// How an element is compared.
enum class Order {
  Plain,     // as numbers
  Total,     // -0 before 0, NaN last
  Canonical, // zeros are one, NaN last
};

struct Key {
  unsigned input = 0;
  bool descending = false;
  Order order = Order::Plain;
  Value computed = {}; // of the first element, in the comparator; none: the input as it is
};

/// Reads what a comparator says of its parameters.
class Comparator {
public:
  explicit Comparator(Op op) : fn_(*op.fn), region_(op.regions()[0]), params_(fn_.params(region_)) {}

  /// The keys, most important first; none if it is no such comparator.
  std::vector<Key> keys() const {
    Op end = fn_.terminator(region_);
    std::vector<Key> out;
    if (!end || end.operandCount() != 1 || !read(end.operand(0), out, 0))
      return {};
    return out;
  }

private:
  struct Side {
    unsigned param;
    bool canonical;
  };
  static bool isOp(Op op, std::string_view name) { return op && op.fullName() == name; }
  std::optional<unsigned> param(Value v) const {
    for (unsigned i = 0; i < params_.size(); ++i)
      if (params_[i] == v.id)
        return i;
    return std::nullopt;
  }
  static bool isCompare(Op op, std::string_view direction) {
    return isOp(op, "stablehlo.compare") && attrOf<std::string_view>(op, "comparison_direction") == direction;
  }
  static bool isTotal(Op op) { return attrOf<std::string_view>(op, "compare_type") == "TOTALORDER"; }
  static std::optional<double> number(Value v) {
    AttrId held = v ? v.constant() : AttrId();
    std::optional<InlineList<double>> list = held ? floatsOfTensor(v.context(), held) : std::nullopt;
    return list && list->size() == 1 ? std::optional((*list)[0]) : std::nullopt;
  }
  /// A parameter, or one whose zeros became 0 and whose NaNs became one NaN.
  std::optional<Side> side(Value v) const {
    if (auto p = param(v))
      return Side{*p, false};
    Op outer = v.definingOp();
    if (!isOp(outer, "stablehlo.select"))
      return std::nullopt;
    Op isNan = outer.operand(0).definingOp(), inner = outer.operand(2).definingOp();
    auto nan = number(outer.operand(1));
    if (!nan || *nan == *nan || !isCompare(isNan, "NE") || isNan.operand(0) != isNan.operand(1) ||
        !isOp(inner, "stablehlo.select"))
      return std::nullopt;
    Op isZero = inner.operand(0).definingOp();
    auto p = param(inner.operand(2));
    auto zero = number(inner.operand(1)), compared = isCompare(isZero, "EQ") ? number(isZero.operand(1)) : std::nullopt;
    if (!p || isNan.operand(0) != inner.operand(2) || !compared || *compared != 0 || !zero || *zero != 0 ||
        1 / *zero < 0 || isZero.operand(0) != inner.operand(2) || isTotal(isZero) || isTotal(isNan))
      return std::nullopt;
    return Side{*p, true};
  }
  /// Both sides of a comparison, the first element's and the second's of one input: swapped if they stand the other way
  /// round.
  std::optional<Key> sides(Op compare, bool &swapped) const {
    auto a = side(compare.operand(0)), b = side(compare.operand(1));
    if (!a && !b)
      return computedSides(compare, swapped);
    if (!a || !b || a->canonical != b->canonical || a->param / 2 != b->param / 2 || a->param == b->param)
      return std::nullopt;
    swapped = a->param % 2 == 1;
    bool isFloat = rw::isFloat(fn_.value(params_[a->param]).type().dtype);
    if (a->canonical && !isTotal(compare))
      return std::nullopt;
    Order order = !isFloat || !isTotal(compare) ? Order::Plain : a->canonical ? Order::Canonical : Order::Total;
    return Key{a->param / 2, false, order};
  }
  /// What is computed of one input in the same way on both sides, bits of floats in an order of integers for one.
  std::optional<Key> computedSides(Op compare, bool &swapped) const {
    Value left = compare.operand(0), right = compare.operand(1);
    std::optional<unsigned> of;
    unsigned looked = 0;
    if (!isAlike(left, right, true, of, looked) || !of)
      return std::nullopt;
    swapped = *of % 2 == 1;
    Order order = rw::isFloat(left.type().dtype) && isTotal(compare) ? Order::Total : Order::Plain;
    return Key{*of / 2, false, order, swapped ? right : left};
  }
  /// Whether two values are computed in the same way: of the same element of an input, or of both. `of`: the left
  /// one's.
  bool isAlike(Value left, Value right, bool ofBoth, std::optional<unsigned> &of, unsigned &looked) const {
    constexpr unsigned kMostLooked = 1000; // what is read twice is looked at twice
    if (++looked > kMostLooked)
      return false;
    auto l = param(left), r = param(right);
    if (l || r) {
      bool good = l && r && *r == (ofBoth ? *l ^ 1 : *l) && (!of || *of == *l);
      of = l;
      return good;
    }
    Op a = left.definingOp(), b = right.definingOp();
    bool isInside = a && b && a.region() == region_ && b.region() == region_;
    if (!isInside)
      return left == right && !(a && a.region() == region_); // captured
    if (a.kind() != b.kind() || a.resultCount() != 1 || b.resultCount() != 1 || a.operandCount() != b.operandCount() ||
        !a.regions().empty() || !b.regions().empty() || left.typeId() != right.typeId())
      return false;
    for (unsigned i = 0; i < a.schema().attrs.size(); ++i)
      if (a.attrOrDefault(i) != b.attrOrDefault(i))
        return false;
    for (unsigned i = 0; i < a.operandCount(); ++i)
      if (!isAlike(a.operand(i), b.operand(i), ofBoth, of, looked))
        return false;
    return true;
  }
  std::optional<Key> before(Value v) const {
    Op op = v.definingOp();
    bool less = isCompare(op, "LT"), greater = isCompare(op, "GT"), swapped = false;
    if (!less && !greater)
      return std::nullopt;
    auto key = sides(op, swapped);
    if (key)
      key->descending = greater != swapped;
    return key;
  }
  bool isTie(Value v, const Key &key) const {
    Op op = v.definingOp();
    bool swapped = false;
    if (!isCompare(op, "EQ"))
      return false;
    auto tie = sides(op, swapped);
    std::optional<unsigned> of;
    unsigned looked = 0;
    return tie && tie->input == key.input && tie->order == key.order && bool(tie->computed) == bool(key.computed) &&
           (!key.computed || isAlike(tie->computed, key.computed, false, of, looked));
  }
  bool read(Value v, std::vector<Key> &out, unsigned depth) const {
    if (depth > 64)
      return false;
    if (auto key = before(v)) {
      out.push_back(*key);
      return true;
    }
    Op op = v.definingOp();
    if (isOp(op, "stablehlo.or"))
      for (unsigned i = 0; i < 2; ++i) {
        auto key = before(op.operand(i));
        Op both = op.operand(1 - i).definingOp();
        for (unsigned j = 0; key && j < 2 && isOp(both, "stablehlo.and"); ++j)
          if (isTie(both.operand(j), *key)) {
            out.push_back(*key);
            return read(both.operand(1 - j), out, depth + 1);
          }
      }
    if (isOp(op, "stablehlo.select"))
      if (auto key = before(op.operand(2)); key && isTie(op.operand(0), *key)) {
        out.push_back(*key);
        return read(op.operand(1), out, depth + 1);
      }
    return false;
  }

  Function &fn_;
  RegionId region_;
  std::span<const ValueId> params_;
};

/// The same order in a type that engines sort.
Value sortable(Build &b, Value x) {
  DType t = x.type().dtype;
  if (t == DType::U64)
    return b.op("onnx.Add", {b.convert(x, DType::I64), b.ints(std::vector<int64_t>{INT64_MIN}, {})}); // wraps
  if (t == DType::U32)
    return b.convert(x, DType::I64);
  if (t == DType::F16 || t == DType::BF16)
    return b.convert(x, DType::F32);
  return t == DType::F32 || t == DType::F64 || t == DType::I32 || t == DType::I64 ? x : b.convert(x, DType::I32);
}

struct Sorter {
  Build &b;
  Value like; // an input
  size_t axis;
  Value order; // places in the order so far; none: as they stand

  Value inOrder(Value x) {
    return order ? b.op("onnx.GatherElements", {x, order}, {{"axis", b.ctx.intAttr(int64_t(axis))}}) : x;
  }

  void by(Value key, bool descending) {
    Value x = inOrder(sortable(b, key));
    if (!b.ok())
      return;
    Value count;
    if (Dim d = x.type().dims[axis]; d.isKnown())
      count = b.ints({d.size()});
    else
      count = b.op("onnx.Slice", {b.op("onnx.Shape", {x}), b.ints({int64_t(axis)}), b.ints({int64_t(axis) + 1})}, {},
                   b.tensor(DType::I64, {Dim(1)}));
    TypeId types[] = {x.typeId(), b.typed(x, DType::I64)};
    NamedSetting attrs[] = {{"axis", b.ctx.intAttr(int64_t(axis))}, {"largest", b.ctx.intAttr(descending ? 1 : 0)}};
    Value operands[] = {x, count};
    Op top = b.ops("onnx.TopK", operands, attrs, types);
    if (top)
      order = order ? b.op("onnx.GatherElements", {order, top.result(1)}, {{"axis", b.ctx.intAttr(int64_t(axis))}})
                    : top.result(1);
  }

  void by(const Key &key, Value x) {
    if (key.order == Order::Plain)
      return by(x, key.descending);
    auto scalar = [&](double v) {
      TypeId type = b.tensor(x.type().dtype, {});
      AttrId held = splatOf(b.ctx, b.ctx.elementAttr(v), type);
      return held ? b.spread(b.rw.materializeConstant("stablehlo", held, type), x)
                  : b.fail("the number is one of the type");
    };
    auto compare = [&](Value l, Value r, const char *how) {
      return b.op("stablehlo.compare", {l, r}, {{"comparison_direction", b.ctx.stringAttr(how)}});
    };
    Value isNan = compare(x, x, "NE");
    if (key.order == Order::Total) { // of zeros, which sign
      Value zero = scalar(0), one = scalar(1);
      Value below = compare(b.op("stablehlo.divide", {one, x}), zero, "LT");
      Value isZero = compare(x, zero, "EQ");
      Value isMinus = b.op("stablehlo.and", {isZero, below});
      by(b.op("stablehlo.not", {isMinus}), key.descending);
    }
    by(b.select(isNan, scalar(INFINITY), x), key.descending);
    by(isNan, key.descending);
  }
};

std::vector<Value> sortedByKeys(Build &b, Op op, std::vector<Key> keys) {
  int64_t axis = attrOr(op, "dimension", 0), rank = int64_t(op.operand(0).type().dims.size());
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    return {};
  Sorter sorter{b, op.operand(0), size_t(axis), {}};
  while (!keys.empty() && b.ok()) {
    const Key key = keys.back();
    keys.pop_back();
    Value x = op.operand(key.input);
    if (isComplex(x.type().dtype))
      return {};
    if (key.computed) {
      std::vector<Value> arguments;
      for (unsigned i = 0; i < 2 * op.operandCount(); ++i)
        arguments.push_back(op.operand(i / 2));
      x = onTensors(b, op, 0, arguments, key.computed);
    }
    if (!b.ok())
      return {};
    sorter.by(key, x);
  }
  std::vector<Value> out;
  for (unsigned i = 0; i < op.operandCount() && b.ok(); ++i)
    out.push_back(sorter.inOrder(op.operand(i)));
  return b.ok() ? out : std::vector<Value>();
}

/// A list of places along a dimension of `like`: 0, 1, … before its size.
Value placesAlong(Build &b, Value like, size_t axis) {
  Dim size = like.type().dims[axis];
  std::vector<int64_t> list;
  for (int64_t i = 0; size.isKnown() && i < size.size(); ++i)
    list.push_back(i);
  if (size.isKnown())
    return b.ints(list);
  Value at = b.ints(std::vector<int64_t>{int64_t(axis)}, {});
  Value end = b.op("onnx.Gather", {b.op("onnx.Shape", {like}), at}, {}, b.tensor(DType::I64, {}));
  return b.op("onnx.Range", {b.ints(std::vector<int64_t>{0}, {}), end, b.ints(std::vector<int64_t>{1}, {})}, {},
              b.tensor(DType::I64, {size}));
}

std::vector<Value> sortedByCounting(Build &b, Op op) {
  Context &ctx = b.ctx;
  Value like = op.operand(0);
  int64_t axis = attrOr(op, "dimension", 0), rank = int64_t(like.type().dims.size());
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    return {};
  Dims whole, square;
  for (int64_t d = 0; d < rank; ++d) {
    whole.push_back(like.type().dims[size_t(d)]);
    for (int i = 0; i < (d == axis ? 2 : 1); ++i)
      square.push_back(whole.back());
  }
  int64_t pairs = 1;
  constexpr int64_t kMostPairs = int64_t(1) << 26;
  for (Dim d : square)
    if (d.isKnown() && (d.size() > kMostPairs || (pairs *= std::max<int64_t>(d.size(), 1)) > kMostPairs))
      return nothing(b, "there are few enough pairs of elements to compare all");
  std::vector<int64_t> swapped; // rows and columns of a table of pairs
  for (int64_t d = 0; d <= rank; ++d)
    swapped.push_back(d == axis ? axis + 1 : d == axis + 1 ? axis : d);
  // An element of a row is compared with all of its columns.
  Value places = placesAlong(b, like, size_t(axis));
  std::vector<int64_t> ones(size_t(rank) + 1, 1), asRow = ones, asColumn = ones;
  asRow[size_t(axis)] = asColumn[size_t(axis) + 1] = -1;
  Dims rowDims(size_t(rank) + 1, Dim(1)), columnDims = rowDims;
  rowDims[size_t(axis)] = columnDims[size_t(axis) + 1] = whole[size_t(axis)];
  Value row = b.reshape(places, asRow, rowDims), column = b.reshape(places, asColumn, columnDims);
  Value length = b.op("onnx.Shape", {like});
  auto spreadOver = [&](Value x, int64_t at) { // a dimension of 1 becomes as long as the other
    if (!b.ok())
      return Value();
    Value sizes = b.op(
        "onnx.Concat",
        {b.op("onnx.Slice", {length, b.ints({0}), b.ints({axis + 1})}, {}, b.tensor(DType::I64, {Dim(axis + 1)})),
         b.op("onnx.Slice", {length, b.ints({axis}), b.ints({rank})}, {}, b.tensor(DType::I64, {Dim(rank - axis)}))},
        {{"axis", ctx.intAttr(0)}});
    return b.op("onnx.Expand", {b.unsqueeze(x, size_t(at)), sizes}, {}, b.shaped(x, square));
  };
  std::vector<Value> arguments;
  for (unsigned i = 0; i < op.operandCount() && b.ok(); ++i)
    for (int64_t at : {axis, axis + 1})
      arguments.push_back(spreadOver(op.operand(i), at));
  std::vector<Value> made = onTensors(b, op, 0, arguments);
  if (made.size() != 1 || !b.ok())
    return {};
  // Row i, column j: whether j stands before i. A later one does if the comparator says so, an earlier one unless it
  // says the opposite.
  Value later = b.op("onnx.Greater", {column, row}), earlier = b.op("onnx.Less", {column, row});
  Value opposite = b.op("onnx.Not", {b.op("onnx.Transpose", {made[0]}, {{"perm", ctx.intsAttr(swapped)}})});
  Value before = b.op("onnx.Or", {b.op("onnx.And", {made[0], later}), b.op("onnx.And", {opposite, earlier})});
  Value counts = b.op("onnx.ReduceSum", {b.convert(before, DType::I64)},
                      {{"axes", ctx.intsAttr({axis + 1})}, {"keepdims", ctx.intAttr(0)}}, b.tensor(DType::I64, whole));
  std::vector<Value> out;
  for (unsigned i = 0; i < op.operandCount() && b.ok(); ++i)
    out.push_back(b.op("onnx.ScatterElements", {op.operand(i), counts, op.operand(i)}, {{"axis", ctx.intAttr(axis)}}));
  return b.ok() ? out : std::vector<Value>();
}

/// stablehlo.sort.
std::vector<Value> sorted(Build &b, Op op) {
  if (op.regions().size() != 1 || op.operandCount() == 0 || !op.operand(0).type().ranked)
    return {};
  std::vector<Key> keys = Comparator(op).keys();
  return keys.empty() ? sortedByCounting(b, op) : sortedByKeys(b, op, std::move(keys));
}

} // namespace

bool lowerSort(LoweringContext &ctx) { return lowerBy<sorted>(ctx); }

} // namespace rw::convert
