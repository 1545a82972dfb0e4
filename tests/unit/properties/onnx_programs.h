// Random programs of ONNX's dialect, dense in what layout, reshape, cast and dropout patterns look at.
//
// In:  a seed. Out: `main` in a Program. Floats are small whole numbers' neighbours, so that sums in another order
//      still agree closely.
#pragma once

#include "../support/random_program.h"

#include <algorithm>

namespace rw::test {

class OnnxPrograms {
public:
  OnnxPrograms(Program &program, const OpRegistry &ops, uint64_t seed)
      : random_(seed), ops_(ops), ctx_(program.context()), fn_(program.addFunction("main")), b_(fn_, fn_.body()) {
    Dim batch = ctx_.dims().symbol(ctx_.intern("B"));
    first_ = random_.chance(30) ? batch : Dim(2);
    for (unsigned i = 0; i < 2; ++i)
      values_.push_back(fn_.addParam(tensor({first_, Dim(3), Dim(4)})));
    values_.push_back(fn_.addParam(tensor({first_, Dim(4), Dim(3)})));
    for (size_t i = 0, n = 5 + random_.below(25); i < n; ++i)
      step();
    std::vector<ValueId> results{values_.back().id};
    for (size_t i = random_.below(3); i > 0; --i)
      results.push_back(values_[random_.below(values_.size())].id);
    b_.createReturn(results);
  }

private:
  TypeId tensor(std::initializer_list<Dim> dims) { return ctx_.tensorType(DType::F32, dims); }
  const OpSchema &op(std::string_view name, int version = 13) { return ops_.schema(ops_.lookup(name, version)); }
  Value add(Op made) {
    values_.push_back(made.result());
    return values_.back();
  }
  Value ints(std::initializer_list<int64_t> list) {
    Dim count(int64_t(list.size()));
    TypeId type = ctx_.tensorType(DType::I64, {&count, 1});
    std::vector<int64_t> elements(list);
    return b_.createConstant("onnx", ctx_.denseAttr(type, std::as_bytes(std::span(elements))), type);
  }
  Value floats(std::vector<Dim> dims) {
    size_t count = 1;
    for (Dim d : dims)
      count *= size_t(d.size());
    std::vector<float> elements;
    for (size_t i = 0; i < count; ++i)
      elements.push_back(float(random_.below(5)) - 2);
    TypeId type = ctx_.tensorType(DType::F32, dims);
    return b_.createConstant("onnx", ctx_.denseAttr(type, std::as_bytes(std::span(elements))), type);
  }
  void step() {
    Value x = random_.chance(65) ? values_.back() : values_[random_.below(values_.size())];
    const TypeData &type = x.type();
    std::vector<Dim> dims(type.dims.begin(), type.dims.end());
    if (type.dtype != DType::F32 || dims.empty())
      return;
    int64_t rank = int64_t(dims.size());
    static const std::string_view unary[] = {"onnx.Relu", "onnx.Neg", "onnx.Abs", "onnx.Identity", "onnx.Sigmoid"};
    static const std::string_view binary[] = {"onnx.Add", "onnx.Mul", "onnx.Sub"};
    switch (random_.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      std::vector<int64_t> perm;
      for (int64_t i = 0; i < rank; ++i)
        perm.push_back(i);
      if (rank > 2 && random_.chance(70))
        std::swap(perm[1], perm[2]);
      else
        std::swap(perm[random_.below(size_t(rank))], perm[random_.below(size_t(rank))]);
      add(b_.create(op("onnx.Transpose"), {x}, {ctx_.intsAttr(perm)}));
      return;
    }
    case 4:
    case 5:
      add(b_.create(op(unary[random_.below(5)]), {x}));
      return;
    case 6: {
      Value c = random_.chance(40) ? floats({}) : dims.back().isKnown() ? floats({dims.back()}) : floats({Dim(1)});
      if (random_.chance(50))
        add(b_.create(op(binary[random_.below(3)]), {x, c}));
      else
        add(b_.create(op(binary[random_.below(3)]), {c, x}));
      return;
    }
    case 7: {
      std::vector<Value> same;
      for (Value v : values_)
        if (v.typeId() == x.typeId())
          same.push_back(v);
      add(b_.create(op(binary[random_.below(3)]), {x, same[random_.below(same.size())]}));
      return;
    }
    case 8: { // the greatest along an axis, kept, beside what it is of
      int64_t axis = int64_t(random_.below(size_t(rank)));
      std::vector<Dim> reduced = dims;
      reduced[size_t(axis)] = Dim(1);
      TypeId result[] = {ctx_.tensorType(DType::F32, reduced)};
      ValueId operand[] = {x.id};
      AttrId attrs[] = {ctx_.intsAttr({axis}), ctx_.intAttr(1)};
      Op max = b_.createTyped(ops_.kindOf(op("onnx.ReduceMax")), operand, ctx_.attrs(attrs), result);
      add(b_.create(op("onnx.Sub"), {x, max.result()}));
      return;
    }
    case 9: {
      TypeId result[] = {x.typeId()};
      ValueId operand[] = {x.id};
      AttrId axis[] = {ctx_.intAttr(int64_t(random_.below(size_t(rank))))};
      add(b_.createTyped(ops_.kindOf(op("onnx.Softmax")), operand, ctx_.attrs(axis), result));
      return;
    }
    case 10: {
      if (!std::ranges::all_of(dims, [](Dim d) { return d.isKnown(); }))
        return;
      int64_t count = 1;
      for (Dim d : dims)
        count *= d.size();
      add(b_.create(op("onnx.Reshape"),
                    {x, random_.chance(50) || count % 6 ? ints({count}) : ints({2, count / 6, 3})}));
      return;
    }
    default: {
      static constexpr int64_t codes[] = {11, 1, 1};
      Op wide = b_.create(op("onnx.Cast"), {x}, {ctx_.intAttr(codes[random_.below(3)])});
      add(b_.create(op("onnx.Cast"), {wide.result()}, {ctx_.intAttr(1)}));
    }
    }
  }

  RandomPrograms random_;
  const OpRegistry &ops_;
  Context &ctx_;
  Function &fn_;
  OpBuilder b_;
  Dim first_;
  std::vector<Value> values_;
};

} // namespace rw::test
