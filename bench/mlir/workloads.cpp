#include "workloads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace mlir;

namespace bench {
namespace {

struct SplitMix64 {
  uint64_t state = 42;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

} // namespace

Generator::Generator(MLIRContext *ctx) : b_(ctx), loc_(UnknownLoc::get(ctx)) {
  Type f32 = b_.getF32Type();
  square_ = RankedTensorType::get({8, 8, 8, 8}, f32);
  flat_ = RankedTensorType::get({64, 64}, f32);
  rect_[0] = RankedTensorType::get({2, 3, 4, 5}, f32);
  rect_[1] = RankedTensorType::get({3, 4, 5, 2}, f32);
  rect_[2] = RankedTensorType::get({4, 5, 2, 3}, f32);
  rect_[3] = RankedTensorType::get({5, 2, 3, 4}, f32);
  p_ = b_.getDenseI64ArrayAttr({1, 2, 3, 0});
  inverse_ = b_.getDenseI64ArrayAttr({3, 0, 1, 2});
  toFlat_ = b_.getDenseI64ArrayAttr({64, 64});
  toSquare_ = b_.getDenseI64ArrayAttr({8, 8, 8, 8});
  batch_ = b_.getDenseI64ArrayAttr({0, 1});
  contract_ = b_.getDenseI64ArrayAttr({3});
}

Value Generator::transpose(Value x, DenseI64ArrayAttr perm, Type type) {
  ++made_;
  return b_.create<TransposeOp>(loc_, type, x, perm);
}
Value Generator::reshape(Value x, DenseI64ArrayAttr shape, Type type) {
  ++made_;
  return b_.create<ReshapeOp>(loc_, type, x, shape);
}
void Generator::sink(Value x) {
  ++made_;
  b_.create<SinkOp>(loc_, x);
}
Value Generator::splat(float value) {
  ++made_;
  return b_.create<ConstantOp>(loc_, square_, cast<ElementsAttr>(DenseElementsAttr::get(square_, value)));
}

OwningOpRef<ModuleOp> Generator::build(const std::string &w, size_t n) {
  made_ = 0;
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc_);
  b_.setInsertionPointToStart(module->getBody());
  Type type = w == "W1" || w == "W4" || w == "W4inv" || w == "W5" ? rect_[0] : square_;
  auto function = b_.create<func::FuncOp>(loc_, "main", b_.getFunctionType({type, type}, {}));
  Block *body = function.addEntryBlock();
  b_.setInsertionPointToStart(body);
  x_ = body->getArgument(0), y_ = body->getArgument(1);
  if (w == "W1")
    pingPong(n);
  else if (w == "W2" || w == "W2c")
    algebra(n, w == "W2c");
  else if (w == "W3")
    nothingMatches(n);
  else if (w == "W4" || w == "W4inv")
    cascade(n, w == "W4inv");
  else if (w == "W5")
    fanOut(n);
  else if (w == "W5q")
    castsThenSinks(n);
  else if (w == "W6")
    duplicates(n);
  else
    dead(n, w == "W7chain");
  b_.create<func::ReturnOp>(loc_);
  return module;
}

void Generator::pingPong(size_t n) {
  Value x = x_;
  for (size_t i = 0; i < n / 4; ++i) {
    Value up = transpose(unary<ReluOp>(transpose(x, p_, rect_[1])), inverse_, rect_[0]);
    x = binary<AddOp>(up, x);
  }
  sink(x);
}

void Generator::algebra(size_t n, bool fresh) {
  SplitMix64 random;
  Value x = x_, one = splat(1), zero = splat(0);
  Value ring[16];
  std::fill(ring, ring + 16, y_);
  for (size_t k = 0; made_ < n; ++k) {
    uint64_t r = random.next();
    Value v = x, other = ring[(r >> 32) % 16];
    switch (r % 8) {
    case 0:
      x = binary<MulOp>(v, fresh ? splat(1) : one);
      break;
    case 1:
      x = binary<AddOp>(v, fresh ? splat(0) : zero);
      break;
    case 2:
      x = unary<CastOp>(v);
      break;
    case 3:
      x = transpose(transpose(v, p_, square_), inverse_, square_);
      break;
    case 4:
      x = reshape(reshape(v, toFlat_, flat_), toSquare_, square_);
      break;
    default:
      x = arithmetic(r >> 8, v, other);
    }
    ring[k % 16] = x;
  }
  sink(x);
}

Value Generator::arithmetic(uint64_t draw, Value x, Value other) {
  switch (draw % 6) {
  case 0:
    return unary<ReluOp>(x);
  case 1:
    return unary<TanhOp>(x);
  case 2:
    return unary<ExpOp>(x);
  case 3:
    return binary<AddOp>(x, other);
  case 4:
    return binary<MulOp>(x, other);
  default:
    return binary<SubOp>(x, other);
  }
}

void Generator::nothingMatches(size_t n) {
  SplitMix64 random;
  Value x = x_;
  Value ring[16];
  std::fill(ring, ring + 16, y_);
  size_t last = 99;
  for (size_t k = 0; made_ < n; ++k) {
    uint64_t r = random.next();
    size_t kind = r % 11;
    if (kind == last)
      kind = (kind + 1) % 11;
    last = kind;
    x = ofKind(kind, x, ring[(r >> 32) % 16]);
    ring[k % 16] = x;
  }
  sink(x);
}

Value Generator::ofKind(size_t kind, Value x, Value other) {
  switch (kind) {
  case 0:
    return unary<ReluOp>(x);
  case 1:
    return unary<TanhOp>(x);
  case 2:
    return unary<NegOp>(x);
  case 3:
    return unary<ExpOp>(x);
  case 4:
    return unary<CastOp>(x);
  case 5:
    return transpose(x, p_, square_);
  case 6:
    return reshape(x, toSquare_, square_);
  case 7:
    return binary<AddOp>(x, other);
  case 8:
    return binary<MulOp>(x, other);
  case 9:
    return binary<SubOp>(x, other);
  default:
    ++made_;
    return b_.create<DotGeneralOp>(loc_, square_, x, other, batch_, batch_, contract_, contract_);
  }
}

void Generator::cascade(size_t n, bool inverse) {
  Value x = x_;
  for (size_t i = 0; i < n; ++i) {
    if (inverse)
      x = i % 2 ? transpose(x, inverse_, rect_[0]) : transpose(x, p_, rect_[1]);
    else
      x = transpose(x, p_, rect_[(i + 1) % 4]);
  }
  sink(x);
}

void Generator::fanOut(size_t n) {
  Value x = unary<CastOp>(x_);
  for (size_t i = 0; i < n / 3; ++i)
    sink(transpose(transpose(x, p_, rect_[1]), inverse_, rect_[0]));
}

void Generator::castsThenSinks(size_t n) {
  Value x = x_;
  for (size_t i = 0; i < n / 2; ++i)
    x = unary<CastOp>(x);
  for (size_t i = 0; i < n / 2; ++i)
    sink(x);
}

void Generator::duplicates(size_t n) {
  Value x = x_, c = y_;
  auto pair = [&](auto make) {
    Value first = make(), second = make();
    x = first, c = second;
  };
  for (size_t i = 0; i < n / 2; ++i) {
    if (i % 3 == 0)
      pair([&] { return binary<AddOp>(x, c); });
    else if (i % 3 == 1)
      pair([&] { return binary<MulOp>(x, c); });
    else
      pair([&] { return binary<SubOp>(x, c); });
  }
  sink(binary<AddOp>(x, c));
}

void Generator::dead(size_t n, bool chain) {
  Value x = x_;
  for (size_t i = 0; i < n; ++i) {
    Value made = unary<ReluOp>(x);
    if (chain)
      x = made;
  }
}

} // namespace bench
