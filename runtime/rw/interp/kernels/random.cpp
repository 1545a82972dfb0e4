// Random draws. Element i of a draw is a mix of the draw's key with i, so that the same draw gives the same numbers on
// every machine. A draw without a key is numbered: those of one evaluation differ, and two evaluations of one seed
// agree.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numbers>

namespace rw {
namespace {

/// The finalizer of SplitMix64: each bit of the result depends on each bit of the operand.
uint64_t mixed(uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

/// The key of this draw: from operand `i` if it is there, else the next one of the evaluation.
bool keyOf(Call &c, size_t i, uint64_t &key) {
  if (!c.has(i)) {
    key = mixed(mixed(c.budget.seed) ^ ++c.budget.draws);
    return true;
  }
  if (!isInteger(c.in[i].dtype()))
    return c.fail("the key is not of integers");
  key = mixed(c.in[i].size());
  for (size_t e = 0; e < c.in[i].size(); ++e)
    key = mixed(key ^ uint64_t(c.in[i].intAt(e)));
  return c.charge(c.in[i].size());
}

/// A number of [0, 1) with `digits` bits: as many as the element type has, so that none rounds to 1.
double uniform(uint64_t key, uint64_t i, int digits) {
  return std::ldexp(double(mixed(key ^ mixed(i)) >> (64 - digits)), -digits);
}
double normal(uint64_t key, uint64_t i) {
  double u = uniform(key, 2 * i, 53), v = uniform(key, 2 * i + 1, 53);
  return std::sqrt(-2 * std::log1p(-u)) * std::cos(2 * std::numbers::pi * v);
}
template <class T> constexpr int digitsOf() {
  return std::is_same_v<T, Half> ? 11 : std::is_same_v<T, BFloat> ? 8 : std::is_same_v<T, float> ? 24 : 53;
}

template <class Element> bool draw(Call &c, Element element) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  std::optional<DType> dtype = c.dtypeAttr("dtype");
  uint64_t key = 0;
  if (!shape || !dtype)
    return c.fail("shape or element type is not known");
  Tensor *y = keyOf(c, 0, key) ? c.result(0, *dtype, *shape) : nullptr;
  if (!y)
    return false;
  return visitFloat(*dtype,
                    [&]<class T>(T) {
                      for (size_t i = 0; i < y->size(); ++i)
                        y->mutableData<T>()[i] = storeElement<T>(element(key, i, digitsOf<T>()));
                      return true;
                    }) ||
         c.fail("no floats");
}

bool dropout(Call &c) {
  double rate = c.floatAttr("rate", 0.5);
  uint64_t key = 0;
  if (!c.need(1))
    return false;
  if (!attrOr(c.op, "training", 1)) {
    c.out[0] = c.in[0];
    return true;
  }
  if (!(rate >= 0 && rate < 1))
    return c.fail("the rate lies outside 0..1");
  Tensor *y = keyOf(c, 1, key) ? c.result(0, c.in[0].dtype(), c.in[0].shape()) : nullptr;
  if (!y)
    return false;
  return visitFloat(y->dtype(),
                    [&]<class T>(T) {
                      for (size_t i = 0; i < y->size(); ++i)
                        if (uniform(key, i, 53) >= rate)
                          y->mutableData<T>()[i] = storeElement<T>(double(c.in[0].data<T>()[i]) / (1 - rate));
                      return true;
                    }) ||
         c.fail("no floats");
}

// Bits from a state alone ---------------------------------------------------------------------------------------------
//
// ThreeFry and Philox, laid out as XLA lays them out; the specification leaves that open. Source of both generators:
// Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC 2011).

using Words2 = std::array<uint32_t, 2>;
using Words4 = std::array<uint32_t, 4>;

Words2 threeFry(Words2 x, Words2 key) {
  constexpr int kTurns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  x[0] += keys[0];
  x[1] += keys[1];
  for (uint32_t i = 0; i < 5; ++i) {
    for (int turn : kTurns[i % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], turn) ^ x[0];
    }
    x[0] += keys[(i + 1) % 3];
    x[1] += keys[(i + 2) % 3] + i + 1;
  }
  return x;
}

Words4 philox(Words4 x, Words2 key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(x[0]) * 0xD2511F53u, b = uint64_t(x[2]) * 0xCD9E8D57u;
    x = {uint32_t(b >> 32) ^ x[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ x[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return x;
}

Words2 wordsOf(uint64_t v) { return {uint32_t(v), uint32_t(v >> 32)}; }
uint64_t joined(uint32_t low, uint32_t high) { return low | uint64_t(high) << 32; }

/// Words of 32 bits from ThreeFry, of which each counter gives two: side by side along the first even dimension, or
/// else the longest.
void threeFryWords(const Shape &shape, Words2 key, uint64_t counter, std::span<uint32_t> out) {
  size_t split = shape.size();
  for (size_t d = shape.size(); d-- > 0;)
    if (shape[d] % 2 == 0)
      split = d;
  if (split == shape.size() && !shape.empty())
    split = size_t(std::ranges::max_element(shape) - shape.begin());
  size_t length = shape.empty() ? 1 : size_t(shape[split]), inner = 1;
  for (size_t d = split + 1; d < shape.size(); ++d)
    inner *= size_t(shape[d]);
  size_t half = (length + 1) / 2;
  for (size_t i = 0; i < out.size(); ++i) {
    size_t outer = i / (inner * length), along = i / inner % length, within = i % inner;
    out[i] = threeFry(wordsOf(counter + (outer * half + along / 2) * inner + within), key)[along % 2];
  }
}

bool randomBits(Call &c) {
  std::string_view algorithm = attrOr(c.op, "rng_algorithm", "DEFAULT");
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  std::optional<DType> dtype = c.dtypeAttr("dtype");
  if (!c.need(1) || !shape || !dtype)
    return c.fail("the shape is not known");
  const Tensor &state = c.in[0];
  bool isThreeFry = algorithm == "THREE_FRY";
  if (state.dtype() != DType::U64 || state.rank() != 1 || state.dim(0) < 2 || state.dim(0) > (isThreeFry ? 2 : 3))
    return c.fail("the state does not go with the algorithm");
  Tensor *next = c.result(0, DType::U64, state.shape());
  Tensor *y = next ? c.result(1, *dtype, *shape) : nullptr;
  if (!y || !c.charge(y->size() * 20))
    return false;
  if ((!isInteger(*dtype) && !isFloat(*dtype)) || y->width() < (isFloat(*dtype) ? 2 : 1))
    return c.fail("not defined on " + std::string(dtypeName(*dtype)));
  const uint64_t *held = state.data<uint64_t>();
  std::copy_n(held, state.size(), next->mutableData<uint64_t>());
  Words2 key = wordsOf(held[0]);
  bool isWide = y->width() == 8;
  size_t n = y->size();
  std::vector<uint64_t> bits(n);
  if (isThreeFry) {
    uint64_t counter = held[1], taken = n;
    if (isWide) {
      for (size_t i = 0; i < n; ++i) {
        Words2 w = threeFry(wordsOf(counter + i), key);
        bits[i] = joined(w[0], w[1]);
      }
    } else {
      std::vector<uint32_t> words(n);
      threeFryWords(*shape, key, counter, words);
      std::copy(words.begin(), words.end(), bits.begin());
      taken = 1;
      size_t even = 0, longest = 0;
      for (size_t d = shape->size(); d-- > 0;) {
        taken *= uint64_t((*shape)[d]);
        even = (*shape)[d] % 2 == 0 ? 1 : even;
        longest = std::max(longest, size_t((*shape)[d]));
      }
      taken = even ? taken / 2 : shape->empty() ? 1 : taken / longest * ((longest + 1) / 2);
    }
    next->mutableData<uint64_t>()[1] = counter + taken;
  } else {
    // A counter of 128 bits: of a state of two numbers, the key is its upper half.
    uint64_t low = held[1], high = held[state.dim(0) == 3 ? 2 : 0], perVector = isWide ? 2 : 4;
    for (size_t i = 0; i < n; ++i) {
      uint64_t at = i / perVector, sum = low + at;
      Words2 a = wordsOf(sum), b = wordsOf(high + (sum < low ? 1 : 0));
      Words4 w = philox({a[0], a[1], b[0], b[1]}, key);
      size_t k = i % perVector;
      bits[i] = isWide ? joined(w[2 * k], w[2 * k + 1]) : w[k];
    }
    uint64_t vectors = (n + perVector - 1) / perVector, sum = low + vectors;
    next->mutableData<uint64_t>()[1] = sum;
    if (state.dim(0) == 3)
      next->mutableData<uint64_t>()[2] = high + (sum < low ? 1 : 0);
  }
  for (size_t i = 0; i < n; ++i) // the lowest bytes; of floats they are the bits
    std::memcpy(y->mutableData<std::byte>() + i * y->width(), &bits[i], y->width());
  return true;
}

} // namespace

bool threeFryCall(Call &c) {
  if (!c.need(4))
    return false;
  for (const Tensor &t : c.in)
    if (t.dtype() != DType::U32 || t.shape() != c.in[0].shape())
      return c.fail("keys and counts are four tensors of u32 of one shape");
  Tensor *first = c.result(0, DType::U32, c.in[0].shape());
  Tensor *second = first ? c.result(1, DType::U32, c.in[0].shape()) : nullptr;
  if (!second || !c.charge(first->size() * 20))
    return false;
  auto word = [&](size_t of, size_t i) { return c.in[of].data<uint32_t>()[i]; };
  for (size_t i = 0; i < first->size(); ++i) {
    Words2 y = threeFry({word(2, i), word(3, i)}, {word(0, i), word(1, i)});
    first->mutableData<uint32_t>()[i] = y[0];
    second->mutableData<uint32_t>()[i] = y[1];
  }
  return true;
}

void addRandomKernels(KernelTable &t) {
  t.add("tensor.rng_uniform", [](Call &c) { return draw(c, uniform); });
  t.add("tensor.rng_normal",
        [](Call &c) { return draw(c, [](uint64_t key, uint64_t i, int) { return normal(key, i); }); });
  t.add("tensor.dropout", dropout);
  t.add("stablehlo.rng_bit_generator", randomBits);
}

} // namespace rw
