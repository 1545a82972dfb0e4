// Random programs of the tensor dialect, dense in what its canonicalizations and the contraction passes look at.
//
// In:  a seed, and how much of each kind. Out: `main` in a Program, which verifies. Dimensions are 1, 2, 3 or the
//      symbol B.
//
//   Program program(ops);
//   test::TensorPrograms(program, ops, 42, {.contractions = 40});
#pragma once

#include "random_program.h"
#include "rw/support/numbers.h"

#include <algorithm>

namespace rw::test {

struct TensorProgramOptions {
  std::vector<DType> dtypes = {DType::F32, DType::I32, DType::I8, DType::F16}; // of the parameters
  unsigned contractions = 5;                                                   // of a hundred ops
  bool elementwise = true; // else only what moves elements, and contractions
  size_t ops = 20;         // at most, beside constants
};

class TensorPrograms {
public:
  TensorPrograms(Program &program, const OpRegistry &ops, uint64_t seed, const TensorProgramOptions &options = {})
      : random_(seed), options_(options), ops_(ops), ctx_(program.context()), fn_(program.addFunction("main")),
        b_(fn_, fn_.body()) {
    batch_ = ctx_.dims().symbol(ctx_.intern("B"));
    for (unsigned i = 0; i < 3; ++i)
      values_.push_back(fn_.addParam(ctx_.tensorType(random_.pick(options_.dtypes), dims(random_.below(4)))));
    values_.push_back(fn_.addParam(ctx_.tensorType(random_.pick(options_.dtypes), {batch_}))); // so that B is some size
    for (size_t i = 0, n = 3 + random_.below(options_.ops - 2); i < n; ++i)
      step();
    std::vector<ValueId> results{values_.back().id};
    for (size_t i = random_.below(3); i > 0; --i)
      results.push_back(random_.pick(values_).id);
    b_.createReturn(results);
  }

private:
  using Shape = std::vector<Dim>;

  const OpSchema &op(std::string_view name) { return ops_.schema(ops_.lookup(name)); }
  Dim dim() { return random_.chance(15) ? batch_ : Dim(int64_t(1 + random_.below(3))); }
  Shape dims(size_t rank) {
    Shape out;
    for (size_t i = 0; i < rank; ++i)
      out.push_back(dim());
    return out;
  }
  static Shape shapeOf(Value v) { return {v.type().dims.begin(), v.type().dims.end()}; }
  static bool isSmall(const Shape &shape) {
    int64_t n = 1;
    for (Dim d : shape)
      n *= d.isKnown() ? d.size() : 4;
    return n <= 400 && shape.size() <= 6;
  }
  AttrId ints(const std::vector<int64_t> &list) { return ctx_.intsAttr(list); }
  AttrId shapeAttr(const Shape &shape) { return ctx_.dimsAttr(shape); }
  void add(std::string_view name, std::initializer_list<Value> operands, std::initializer_list<AttrId> attrs = {}) {
    Op made = b_.create(op(name), operands, attrs);
    if (isSmall(shapeOf(made.result()))) // what grows is left without users
      values_.push_back(made.result());
  }

  void step() {
    Value x = random_.chance(65) ? values_.back() : random_.pick(values_);
    if (random_.chance(options_.contractions))
      return contract(x);
    switch (random_.below(options_.elementwise ? 11 : 5)) {
    case 0:
      return transpose(x);
    case 1:
      return reshape(x);
    case 2:
      return broadcast(x);
    case 3:
      return slice(x);
    case 4:
      return random_.chance(50) ? spread(x) : reverse(x);
    case 5:
      return cast(x);
    case 6:
      return unary(x);
    case 7:
    case 8:
      return withConstant(x);
    case 9:
      return withAnother(x);
    default:
      return reduce(x);
    }
  }

  void transpose(Value x) {
    std::vector<int64_t> perm;
    for (size_t i = 0; i < x.type().dims.size(); ++i)
      perm.push_back(int64_t(i));
    for (size_t i = perm.size(); i > 1 && random_.below(6); --i)
      std::swap(perm[i - 1], perm[random_.below(i)]);
    add("tensor.transpose", {x}, {ints(perm)});
  }
  void reshape(Value x) {
    Shape to = shapeOf(x);
    if (random_.chance(60) && to.size() > 1) { // two neighbours become one
      size_t at = random_.below(to.size() - 1);
      Dim product = ctx_.dims().mul(to[at], to[at + 1]);
      to.erase(to.begin() + int64_t(at));
      to[at] = product;
    } else if (random_.chance(70)) {
      to.insert(to.begin() + int64_t(random_.below(to.size() + 1)), Dim(1));
    }
    add("tensor.reshape", {x}, {shapeAttr(to)});
  }
  void broadcast(Value x) {
    Shape to = shapeOf(x);
    for (Dim &d : to)
      if (d == Dim(1) && random_.chance(50))
        d = dim();
    if (random_.chance(40))
      to.insert(to.begin(), dim());
    add("tensor.broadcast", {x}, {shapeAttr(to)});
  }
  void slice(Value x) {
    Shape start, limit, stride;
    for (Dim d : x.type().dims) {
      int64_t first = d.isKnown() && random_.chance(40) ? int64_t(random_.below(size_t(d.size()))) : 0;
      start.push_back(Dim(first));
      limit.push_back(d.isKnown() && random_.chance(15) && first < d.size() ? Dim(d.size() - 1) : d);
      stride.push_back(Dim(d.isKnown() && random_.chance(30) ? 2 : 1));
    }
    add("tensor.slice", {x}, {shapeAttr(start), shapeAttr(limit), shapeAttr(stride)});
  }
  void reverse(Value x) {
    bool none = random_.chance(50) || x.type().dims.empty();
    add("tensor.reverse", {x}, {ints(none ? std::vector<int64_t>{} : std::vector<int64_t>{0})});
  }
  /// Another shape around the same elements, or a part of them.
  void spread(Value x) {
    Shape shape = shapeOf(x);
    if (random_.chance(40)) {
      Shape low, high, between;
      for (Dim d : shape) {
        low.push_back(Dim::number(int64_t(random_.below(4)) - 1));
        bool crops = d.isKnown() && d.size() > 1 && random_.chance(40);
        high.push_back(crops ? Dim::number(-1) : random_.chance(30) ? batch_ : Dim(0));
        between.push_back(Dim(d.isKnown() ? random_.below(2) : 0));
        if (low.back().isNegative() && (!d.isKnown() || d.size() < 2 || high.back().isNegative()))
          low.back() = Dim(0);
      }
      TypeId type = ctx_.tensorType(x.type().dtype, std::span<const Dim>());
      std::vector<std::byte> zero(dtypeBytes(x.type().dtype));
      Value fill = b_.createConstant("tensor", ctx_.splatAttr(type, zero), type);
      return add("tensor.pad", {x, fill}, {shapeAttr(low), shapeAttr(high), shapeAttr(between)});
    }
    std::vector<size_t> order = shuffled(shape.size() + 1);
    if (random_.chance(50))
      std::ranges::sort(order);
    Shape to(shape.size() + 1, dim());
    std::vector<int64_t> dims;
    for (size_t i = 0; i < shape.size(); ++i) {
      dims.push_back(int64_t(order[i]));
      to[order[i]] = shape[i] == Dim(1) && random_.chance(30) ? dim() : shape[i];
    }
    if (random_.chance(50) && order.back() == shape.size()) // no dimension is new
      to.pop_back();
    add("tensor.broadcast_in_dim", {x}, {shapeAttr(to), ints(dims)});
  }
  void cast(Value x) {
    static const DType to[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8,
                               DType::I16, DType::I32, DType::I64, DType::U8,   DType::Bool};
    DType dtype = random_.chance(20) ? x.type().dtype : to[random_.below(std::size(to))];
    add("tensor.cast", {x}, {ctx_.dtypeAttr(dtype)});
    if (random_.chance(50)) // and, as like as not, back again
      add("tensor.cast", {values_.back()}, {ctx_.dtypeAttr(x.type().dtype)});
  }
  void unary(Value x) {
    DType t = x.type().dtype;
    if (t == DType::Bool) {
      add("tensor.not", {x});
      return add("tensor.not", {random_.chance(60) ? values_.back() : x});
    }
    static const std::string_view real[] = {"tensor.neg",  "tensor.abs",  "tensor.neg",
                                            "tensor.sign", "tensor.relu", "tensor.identity"};
    static const std::string_view floats[] = {"tensor.exp", "tensor.floor", "tensor.tanh"};
    add(isFloat(t) && random_.chance(30) ? floats[random_.below(3)] : real[random_.below(6)], {x});
    if (random_.chance(30))
      add("tensor.neg", {values_.back()});
  }
  /// 0, -0, 1 or another number as one element, a vector or the whole of x's shape.
  Value constant(Value x) {
    DType t = x.type().dtype;
    static const double numbers[] = {0, -0.0, 1, -1, 2};
    Shape shape = shapeOf(x);
    if (random_.chance(40) || !std::ranges::all_of(shape, [](Dim d) { return d.isKnown(); }))
      shape = random_.chance(70) ? Shape{} : Shape{Dim(1), Dim(1)};
    else if (random_.chance(30))
      shape.insert(shape.begin(), Dim(2));
    double number = numbers[random_.below(5)];
    std::vector<std::byte> element(dtypeBytes(t));
    storeNumber(t, number, element.data());
    TypeId type = ctx_.tensorType(t, shape);
    return b_.createConstant("tensor", ctx_.splatAttr(type, element), type);
  }
  static void storeNumber(DType t, double number, std::byte *to) {
    auto put = [&](auto v) { std::copy_n(reinterpret_cast<const std::byte *>(&v), sizeof v, to); };
    switch (t) {
    case DType::F16:
      return put(toHalf(number));
    case DType::BF16:
      return put(toBFloat16(number));
    case DType::F32:
      return put(float(number));
    case DType::F64:
      return put(number);
    default: {
      int64_t whole = int64_t(number); // little endian: the low bytes first
      std::copy_n(reinterpret_cast<const std::byte *>(&whole), dtypeBytes(t), to);
    }
    }
  }
  void withConstant(Value x) {
    if (x.type().dtype == DType::Bool)
      return unary(x);
    static const std::string_view names[] = {"tensor.add", "tensor.sub", "tensor.mul", "tensor.div", "tensor.max"};
    std::string_view name = names[random_.below(5)];
    Value c = constant(x);
    if (name == "tensor.div" && isInteger(x.type().dtype)) // by nothing that may be 0
      name = "tensor.mul";
    if (random_.chance(60))
      add(name, {x, c});
    else if (name != "tensor.div")
      add(name, {c, x});
  }
  void withAnother(Value x) {
    std::vector<Value> same;
    for (Value v : values_)
      if (v.typeId() == x.typeId() && x.type().dtype != DType::Bool)
        same.push_back(v);
    static const std::string_view names[] = {"tensor.add", "tensor.sub", "tensor.mul", "tensor.max"};
    if (!same.empty())
      add(names[random_.below(4)], {x, random_.pick(same)});
  }
  void reduce(Value x) {
    if (x.type().dims.empty() || x.type().dtype == DType::Bool)
      return;
    add("tensor.reduce_max", {x},
        {ints({int64_t(random_.below(x.type().dims.size()))}), ctx_.boolAttr(random_.chance(50))});
  }

  void contract(Value l) {
    std::vector<Value> fit;
    for (Value v : values_)
      if (v.type().dtype == l.type().dtype && v.type().dims.size() <= 4 &&
          (l.type().dtype != DType::Bool || !options_.elementwise))
        fit.push_back(v);
    if (fit.empty() || l.type().dims.size() > 4)
      return;
    Value r = random_.pick(fit);
    if (random_.chance(50)) { // as layouts make them
      transpose(r);
      r = values_.back();
    }
    std::vector<int64_t> lb, rb, lc, rc;
    for (size_t i : shuffled(l.type().dims.size()))
      for (size_t j : shuffled(r.type().dims.size())) {
        bool taken = std::ranges::count(rb, int64_t(j)) || std::ranges::count(rc, int64_t(j));
        if (taken || !provablyEqual(l.type().dims[i], r.type().dims[j]) || random_.chance(25))
          continue;
        bool batch = random_.chance(35);
        (batch ? lb : lc).push_back(int64_t(i));
        (batch ? rb : rc).push_back(int64_t(j));
        break;
      }
    add("tensor.dot_general", {l, r}, {ints(lb), ints(rb), ints(lc), ints(rc), ctx_.boolAttr(random_.chance(30))});
  }
  std::vector<size_t> shuffled(size_t n) {
    std::vector<size_t> out;
    for (size_t i = 0; i < n; ++i)
      out.insert(out.begin() + int64_t(random_.below(i + 1)), i);
    return out;
  }

  RandomPrograms random_;
  TensorProgramOptions options_;
  const OpRegistry &ops_;
  Context &ctx_;
  Function &fn_;
  OpBuilder b_;
  Dim batch_;
  std::vector<Value> values_;
};

} // namespace rw::test
