#include "workloads.h"

#include <algorithm>

namespace rw::bench {
namespace {

struct SplitMix64 {
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

class Generator {
public:
  Generator(Program &program, std::string_view name, size_t ops)
      : fn_(program.addFunction("main")), ctx_(program.context()) {
    fn_.reserve(ops + 8, ops + 8, size_t(double(ops) * operandsPerOp(name)) + 64);
    const OpRegistry &registry = ctx_.ops();
    auto kind = [&](std::string_view name) { return registry.lookup("bench." + std::string(name)); };
    constant_ = kind("constant"), relu_ = kind("relu"), tanh_ = kind("tanh"), neg_ = kind("neg"), exp_ = kind("exp");
    cast_ = kind("cast"), add_ = kind("add"), mul_ = kind("mul"), sub_ = kind("sub"), transpose_ = kind("transpose");
    reshape_ = kind("reshape"), dot_ = kind("dot_general"), sink_ = kind("sink");
    auto tensor = [&](std::initializer_list<int64_t> sizes) {
      Dims dims;
      for (int64_t s : sizes)
        dims.push_back(Dim(s));
      return ctx_.tensorType(DType::F32, dims);
    };
    square_ = tensor({8, 8, 8, 8});
    flat_ = tensor({64, 64});
    rect_[0] = tensor({2, 3, 4, 5}), rect_[1] = tensor({3, 4, 5, 2});
    rect_[2] = tensor({4, 5, 2, 3}), rect_[3] = tensor({5, 2, 3, 4});
    auto list = [&](AttrId attr) { return ctx_.attrs({&attr, 1}); };
    p_ = list(ctx_.intsAttr({1, 2, 3, 0}));
    inverse_ = list(ctx_.intsAttr({3, 0, 1, 2}));
    Dim flatDims[] = {Dim(64), Dim(64)}, squareDims[] = {Dim(8), Dim(8), Dim(8), Dim(8)};
    toFlat_ = list(ctx_.dimsAttr(flatDims));
    toSquare_ = list(ctx_.dimsAttr(squareDims));
    AttrId batch = ctx_.intsAttr({0, 1}), contract = ctx_.intsAttr({3});
    AttrId dot[] = {batch, batch, contract, contract};
    dotAttrs_ = ctx_.attrs(dot);
  }

  size_t build(std::string_view name, size_t n) {
    bool rectangular = name == "W1" || name == "W4" || name == "W4inv" || name == "W5";
    TypeId type = rectangular ? rect_[0] : square_;
    x_ = fn_.addParam(type).id;
    y_ = fn_.addParam(type).id;
    if (name == "W1")
      pingPong(n);
    else if (name == "W2" || name == "W2c" || name == "print" || name == "parse")
      algebra(n, name == "W2c");
    else if (name == "W3")
      nothingMatches(n);
    else if (name == "W4" || name == "W4inv")
      cascade(n, name == "W4inv");
    else if (name == "W5")
      fanOut(n);
    else if (name == "W5q")
      castsThenSinks(n);
    else if (name == "W6")
      duplicates(n);
    else
      dead(n, name == "W7chain");
    fn_.appendOp(fn_.body(), kReturnKind, {}, ctx_.noAttrs(), {});
    return made_;
  }

private:
  /// What a graph has, so that bytes_per_op is what it takes rather than what growth sets aside.
  static double operandsPerOp(std::string_view name) {
    if (name == "W1")
      return 1.25;
    if (name == "W2" || name == "print" || name == "parse")
      return 1.36;
    if (name == "W2c")
      return 1.13;
    if (name == "W3")
      return 1.37;
    return name == "W6" ? 2 : 1;
  }
  ValueId op(KindId kind, std::span<const ValueId> operands, AttrsId attrs, TypeId type) {
    ++made_;
    return fn_.appendOp(fn_.body(), kind, operands, attrs, {&type, 1}).result().id;
  }
  TypeId typeOf(ValueId v) const { return fn_.data(v).type; }
  ValueId unary(KindId kind, ValueId x) { return op(kind, {&x, 1}, ctx_.noAttrs(), typeOf(x)); }
  ValueId binary(KindId kind, ValueId x, ValueId y) {
    ValueId operands[] = {x, y};
    return op(kind, operands, ctx_.noAttrs(), typeOf(x));
  }
  ValueId transpose(ValueId x, AttrsId perm, TypeId type) { return op(transpose_, {&x, 1}, perm, type); }
  ValueId reshape(ValueId x, AttrsId shape, TypeId type) { return op(reshape_, {&x, 1}, shape, type); }
  void sink(ValueId x) {
    ++made_;
    fn_.appendOp(fn_.body(), sink_, {&x, 1}, ctx_.noAttrs(), {});
  }
  ValueId splat(float value) {
    AttrId attr = ctx_.splatAttr(square_, std::as_bytes(std::span(&value, 1)));
    return op(constant_, {}, ctx_.attrs({&attr, 1}), square_);
  }

  void pingPong(size_t n) {
    ValueId x = x_;
    for (size_t i = 0; i < n / 4; ++i) {
      ValueId up = transpose(unary(relu_, transpose(x, p_, rect_[1])), inverse_, rect_[0]);
      x = binary(add_, up, x);
    }
    sink(x);
  }

  void algebra(size_t n, bool fresh) {
    ValueId x = x_, one = splat(1), zero = splat(0);
    ValueId ring[16];
    std::fill(ring, ring + 16, y_);
    for (size_t k = 0; made_ < n; ++k) {
      uint64_t r = rng_.next();
      ValueId v = x, other = ring[(r >> 32) % 16];
      switch (r % 8) {
      case 0:
        x = binary(mul_, v, fresh ? splat(1) : one);
        break;
      case 1:
        x = binary(add_, v, fresh ? splat(0) : zero);
        break;
      case 2:
        x = unary(cast_, v);
        break;
      case 3:
        x = transpose(transpose(v, p_, square_), inverse_, square_);
        break;
      case 4:
        x = reshape(reshape(v, toFlat_, flat_), toSquare_, square_);
        break;
      default:
        switch ((r >> 8) % 6) {
        case 0:
          x = unary(relu_, v);
          break;
        case 1:
          x = unary(tanh_, v);
          break;
        case 2:
          x = unary(exp_, v);
          break;
        case 3:
          x = binary(add_, v, other);
          break;
        case 4:
          x = binary(mul_, v, other);
          break;
        default:
          x = binary(sub_, v, other);
          break;
        }
      }
      ring[k % 16] = x;
    }
    sink(x);
  }

  void nothingMatches(size_t n) {
    ValueId x = x_;
    ValueId ring[16];
    std::fill(ring, ring + 16, y_);
    size_t last = 99;
    for (size_t k = 0; made_ < n; ++k) {
      uint64_t r = rng_.next();
      ValueId v = x, other = ring[(r >> 32) % 16];
      size_t kind = r % 11;
      if (kind == last)
        kind = (kind + 1) % 11;
      last = kind;
      ValueId both[] = {v, other};
      switch (kind) {
      case 0:
        x = unary(relu_, v);
        break;
      case 1:
        x = unary(tanh_, v);
        break;
      case 2:
        x = unary(neg_, v);
        break;
      case 3:
        x = unary(exp_, v);
        break;
      case 4:
        x = unary(cast_, v);
        break;
      case 5:
        x = transpose(v, p_, square_);
        break;
      case 6:
        x = reshape(v, toSquare_, square_);
        break;
      case 7:
        x = binary(add_, v, other);
        break;
      case 8:
        x = binary(mul_, v, other);
        break;
      case 9:
        x = binary(sub_, v, other);
        break;
      default:
        x = op(dot_, both, dotAttrs_, square_);
        break;
      }
      ring[k % 16] = x;
    }
    sink(x);
  }

  void cascade(size_t n, bool inverse) {
    ValueId x = x_;
    for (size_t i = 0; i < n; ++i) {
      if (inverse)
        x = i % 2 ? transpose(x, inverse_, rect_[0]) : transpose(x, p_, rect_[1]);
      else
        x = transpose(x, p_, rect_[(i + 1) % 4]);
    }
    sink(x);
  }

  void fanOut(size_t n) {
    ValueId x = unary(cast_, x_);
    for (size_t i = 0; i < n / 3; ++i)
      sink(transpose(transpose(x, p_, rect_[1]), inverse_, rect_[0]));
  }

  void castsThenSinks(size_t n) {
    ValueId x = x_;
    for (size_t i = 0; i < n / 2; ++i)
      x = unary(cast_, x);
    for (size_t i = 0; i < n / 2; ++i)
      sink(x);
  }

  void duplicates(size_t n) {
    ValueId x = x_, c = y_;
    for (size_t i = 0; i < n / 2; ++i) {
      KindId kind = i % 3 == 0 ? add_ : i % 3 == 1 ? mul_ : sub_;
      ValueId first = binary(kind, x, c), second = binary(kind, x, c);
      x = first;
      c = second;
    }
    sink(binary(add_, x, c));
  }

  void dead(size_t n, bool chain) {
    ValueId x = x_;
    for (size_t i = 0; i < n; ++i) {
      ValueId made = unary(relu_, x);
      if (chain)
        x = made;
    }
  }

  Function &fn_;
  Context &ctx_;
  SplitMix64 rng_{42};
  size_t made_ = 0;
  ValueId x_, y_;
  KindId constant_, relu_, tanh_, neg_, exp_, cast_, add_, mul_, sub_, transpose_, reshape_, dot_, sink_;
  TypeId square_, flat_, rect_[4];
  AttrsId p_, inverse_, toFlat_, toSquare_, dotAttrs_;
};

} // namespace

size_t buildWorkload(std::string_view name, size_t ops, Program &program) {
  return Generator(program, name, ops).build(name, ops);
}

size_t expectedLeft(std::string_view name, size_t n) {
  if (name == "W1")
    return n / 4 * 2 + 1;
  if (name == "W4inv")
    return n % 2 + 1;
  if (name == "W4")
    return (n % 4 ? 1 : 0) + 1;
  if (name == "W5")
    return n / 3;
  if (name == "W5q")
    return n / 2;
  if (name == "W6")
    return n / 2 + 2;
  return 0;
}

} // namespace rw::bench
