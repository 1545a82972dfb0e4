// rng_bit_generator: its rounds written out, as runtime/rw/interp/kernels/random.cpp computes them.
#include "rw/convert/build.h"
#include "rw/convert/region_lowerings.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace rw::convert {
namespace {

using Ints = std::vector<int64_t>;

/// Arithmetic on words of 32 bits.
struct Words {
  Build &b;

  Value cast(Value x, DType to) { return b.convert(x, to); }
  Value constant(uint64_t word, DType t = DType::U32) {
    TypeId type = b.tensor(t, {});
    std::span<const std::byte> bytes = std::as_bytes(std::span(&word, 1)).first(dtypeBytes(t));
    return b.rw.materializeConstant("onnx", b.ctx.denseAttr(type, bytes), type);
  }
  Value add(Value x, Value y) { return cast(b.op("onnx.Add", {cast(x, DType::I64), cast(y, DType::I64)}), DType::U32); }
  Value exclusive(Value x, Value y) { return b.op("onnx.BitwiseXor", {x, y}); }
  Value shifted(Value x, unsigned by, const char *direction) {
    return b.op("onnx.BitShift", {x, constant(by, b.ok() ? x.type().dtype : DType::U32)},
                {{"direction", b.ctx.stringAttr(direction)}});
  }
  Value turned(Value x, unsigned by) {
    return b.op("onnx.BitwiseOr", {shifted(x, by, "LEFT"), shifted(x, 32 - by, "RIGHT")});
  }
  /// The lower and the upper half of numbers of 64 bits, and back.
  std::array<Value, 2> halves(Value x) { return {cast(x, DType::U32), cast(shifted(x, 32, "RIGHT"), DType::U32)}; }
  Value whole(Value low, Value high) {
    return b.op("onnx.BitwiseOr", {cast(low, DType::U64), shifted(cast(high, DType::U64), 32, "LEFT")});
  }

  std::array<Value, 2> threeFry(std::array<Value, 2> x, std::array<Value, 2> key) {
    constexpr unsigned kTurns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    Value keys[3] = {key[0], key[1], exclusive(exclusive(key[0], key[1]), constant(0x1BD11BDA))};
    x = {add(x[0], keys[0]), add(x[1], keys[1])};
    for (unsigned i = 0; i < 5 && b.ok(); ++i) {
      for (unsigned turn : kTurns[i % 2]) {
        x[0] = add(x[0], x[1]);
        x[1] = exclusive(turned(x[1], turn), x[0]);
      }
      x = {add(x[0], keys[(i + 1) % 3]), add(x[1], add(keys[(i + 2) % 3], constant(i + 1)))};
    }
    return x;
  }

  /// Both halves of a product with a constant.
  std::array<Value, 2> product(Value x, uint64_t by) {
    Value y = b.op("onnx.Mul", {cast(x, DType::I64),
                                constant(by, DType::I64)}); // wraps: the bits are those of the unsigned product
    return halves(cast(y, DType::U64));
  }
  std::array<Value, 4> philox(std::array<Value, 4> x, std::array<Value, 2> key) {
    for (unsigned round = 0; round < 10 && b.ok(); ++round) {
      auto p = product(x[0], 0xD2511F53u), q = product(x[2], 0xCD9E8D57u);
      x = {exclusive(exclusive(q[1], x[1]), key[0]), q[0], exclusive(exclusive(p[1], x[3]), key[1]), p[0]};
      key = {add(key[0], constant(0x9E3779B9u)), add(key[1], constant(0xBB67AE85u))};
    }
    return x;
  }
};

std::vector<Value> randomBits(Build &b, Op op) {
  Context &ctx = b.ctx;
  Value state = op.operand(0);
  auto held = sizesOf(state), shape = sizesOf(op.result(1));
  bool isThreeFry = attrOr(op, "rng_algorithm", "") == "THREE_FRY";
  DType dtype = op.result(1).type().dtype;
  if (!held || !shape || held->size() != 1 || (*held)[0] < 2 || (*held)[0] > (isThreeFry ? 2 : 3) ||
      state.type().dtype != DType::U64) {
    b.fail("the state is of two numbers of type u64, or three of a counter with 128 bits, and the shape is known");
    return {};
  }
  if ((!isInteger(dtype) && !isFloat(dtype)) || dtypeBytes(dtype) < (isFloat(dtype) ? 2 : 1)) {
    b.fail("the bits become integers or floats");
    return {};
  }
  Words w{b};
  auto finished = [&](Value x) { // of floats they are the bits
    if (isInteger(dtype))
      return b.convert(x, dtype);
    DType plain = dtypeBytes(dtype) == 2 ? DType::U16 : dtypeBytes(dtype) == 4 ? DType::U32 : DType::U64;
    return b.op("stablehlo.bitcast_convert", {b.convert(x, plain)}, {{"dtype", ctx.dtypeAttr(dtype)}});
  };
  bool isWide = dtypeBytes(dtype) == 8;
  auto at = [&](int64_t i) { return b.op("onnx.Gather", {state, b.ints(Ints{i}, Ints{})}); };
  auto plus = [&](Value x, const Ints &list, std::span<const int64_t> dims) {
    return w.cast(b.op("onnx.Add", {w.cast(x, DType::I64), b.ints(list, dims)}), DType::U64);
  };
  auto one = [&](Value x) { return b.op("onnx.Unsqueeze", {x}, {{"axes", ctx.intsAttr({0})}}); };
  auto dimsOf = [](const Ints &sizes) {
    Dims dims;
    for (int64_t n : sizes)
      dims.push_back(Dim(n));
    return dims;
  };
  int64_t count = std::accumulate(shape->begin(), shape->end(), int64_t(1), std::multiplies<>());
  auto upTo = [](int64_t n) {
    Ints out(size_t(n), 0);
    std::iota(out.begin(), out.end(), int64_t(0));
    return out;
  };
  auto key = w.halves(at(0));
  Value counter = at(1), bits, next;
  if (isThreeFry && isWide) {
    auto x = w.threeFry(w.halves(plus(counter, upTo(count), *shape)), key);
    bits = w.whole(x[0], x[1]);
    next = plus(counter, {count}, {});
  } else if (isThreeFry) { // each counter gives two words: side by side along the first even dimension, or else the
                           // longest
    size_t split = shape->size();
    for (size_t d = shape->size(); d-- > 0;)
      if ((*shape)[d] % 2 == 0)
        split = d;
    if (split == shape->size() && !shape->empty())
      split = size_t(std::ranges::max_element(*shape) - shape->begin());
    Ints half = shape->empty() ? Ints{1} : *shape;
    split = shape->empty() ? 0 : split;
    int64_t length = half[split];
    half[split] = (length + 1) / 2;
    int64_t counters = std::accumulate(half.begin(), half.end(), int64_t(1), std::multiplies<>());
    half.insert(half.begin() + int64_t(split) + 1, 1);
    auto x = w.threeFry(w.halves(plus(counter, upTo(counters), half)), key);
    Ints pairs = half, joined = half;
    pairs[split + 1] = 2;
    joined.erase(joined.begin() + int64_t(split) + 1);
    joined[split] *= 2;
    Value both[] = {x[0], x[1]};
    bits = b.concat(both, split + 1, Dim(2));
    bits = b.reshape(bits, joined, dimsOf(joined));
    if (length % 2)
      bits = b.slice(bits, split, 0, length, 1, Dim(length));
    if (shape->empty())
      bits = b.reshape(bits, {}, {});
    next = plus(counter, {counters}, {});
  } else {
    int64_t each = isWide ? 2 : 4, vectors = (count + each - 1) / each;
    bool isLong = (*held)[0] == 3;
    Value high = at(isLong ? 2 : 0);
    auto carried =
        [&](Value sum) { // into the upper half: the sum is less, as a number without sign, than what it is a sum of
          Value least = b.ints(Ints{INT64_MIN}, Ints{});
          Value less = b.op("onnx.Less", {b.op("onnx.Add", {w.cast(sum, DType::I64), least}),
                                          b.op("onnx.Add", {w.cast(counter, DType::I64), least})});
          return w.cast(b.op("onnx.Add", {w.cast(high, DType::I64), w.cast(less, DType::I64)}), DType::U64);
        };
    Value low = plus(counter, upTo(vectors), Ints{vectors});
    auto a = w.halves(low), c = w.halves(carried(low));
    auto x = w.philox({a[0], a[1], c[0], c[1]}, key);
    std::vector<Value> columns;
    if (isWide)
      columns = {w.whole(x[0], x[1]), w.whole(x[2], x[3])};
    else
      columns.assign(x.begin(), x.end());
    for (Value &column : columns)
      column = b.unsqueeze(column, 1);
    bits = b.concat(columns, 1, Dim(each));
    bits = b.reshape(bits, Ints{vectors * each}, Dims{Dim(vectors * each)});
    bits = b.slice(bits, 0, 0, count, 1, Dim(count));
    bits = b.reshape(bits, *shape, dimsOf(*shape));
    next = plus(counter, {vectors}, {});
    if (isLong) {
      Value parts[] = {one(at(0)), one(next), one(carried(next))};
      return {b.concat(parts, 0, Dim(3)), finished(bits)};
    }
  }
  Value parts[] = {one(at(0)), one(next)};
  return {b.concat(parts, 0, Dim(2)), finished(bits)};
}

std::vector<Value> threeFryWords(Build &b, Op op) {
  if (op.operandCount() != 4)
    return nothing(b, "four operands: two words of keys, two words of counts");
  for (unsigned i = 0; i < 4; ++i)
    if (op.operand(i).type().dtype != DType::U32)
      return nothing(b, "keys and counts of type u32");
  Words w{b};
  auto y = w.threeFry({op.operand(2), op.operand(3)}, {op.operand(0), op.operand(1)});
  return {y[0], y[1]};
}

} // namespace

bool lowerThreeFryCall(LoweringContext &ctx) { return lowerBy<threeFryWords>(ctx); }

bool lowerRandomBits(LoweringContext &ctx) { return lowerBy<randomBits>(ctx); }

bool refuseRandom(LoweringContext &ctx) {
  return ctx.fail("random numbers that follow from a state: those of stablehlo.rng are other ones each time, and which "
                  "ones is not said");
}

} // namespace rw::convert
