#include "codegen/verify/stand_in_kernels.h"

#include "codegen/verify/proposals.h"
#include "rw/interp/element.h"

#include <algorithm>
#include <bit>

namespace rw::verify {
namespace {

uint64_t mixed(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h ^= h >> 31;
  return h * 0xbf58476d1ce4e5b9u;
}

bool uninterpreted(Call &c) {
  const Op op = c.op;
  uint64_t seed = 14695981039346656037u;
  for (char ch : op.fullName())
    seed = mixed(seed, uint64_t(ch));
  seed = mixed(seed, op.attrsId().raw);
  auto bitsAt = [](const Tensor &t, size_t i) {
    uint64_t bits = uint64_t(t.dtype());
    if (t.isString()) {
      for (char ch : t.strings()[i])
        bits = mixed(bits, uint64_t(ch));
      return bits;
    }
    const auto *bytes = t.data<unsigned char>() + i * t.width();
    for (size_t k = 0; k < t.width(); ++k)
      bits = mixed(bits, bytes[k]);
    return bits;
  };
  for (unsigned r = 0; r < op.resultCount(); ++r) {
    const TypeData &type = op.result(r).type();
    DType dtype = type.dtype;
    Shape shape;
    const bool elementwise = op.hasTrait(Trait::Elementwise) && op.resultCount() == 1 && !c.in.empty() && c.in[0];
    if (elementwise) {
      shape = c.in[0].shape();
      for (const Tensor &t : c.in)
        if (t) {
          std::optional<Shape> both = broadcastShapes(shape, t.shape());
          if (!both)
            return c.fail("the shapes do not broadcast");
          shape = *both;
        }
    } else {
      if (!type.ranked)
        return c.fail("the shape of a result is not known");
      for (Dim d : type.dims) {
        if (!d.isKnown())
          return c.fail("the shape of a result is not known");
        shape.push_back(d.size());
      }
    }
    if (dtype == DType::Unknown && elementwise) // of types that its declaration does not know
      dtype = c.in[0].dtype();
    if (dtype == DType::Unknown || dtype == DType::String)
      return c.fail("the element type of a result is not known");
    Tensor *out = c.result(r, dtype, shape);
    if (!out)
      return false;
    uint64_t whole = mixed(seed, r);
    std::vector<Shape> strides;
    for (const Tensor &t : c.in) {
      strides.push_back(elementwise && t ? broadcastStrides(t.shape(), shape) : Shape());
      if (t && !elementwise)
        for (size_t i = 0; i < t.size(); ++i)
          whole = mixed(whole, bitsAt(t, i));
      if (t)
        for (int64_t d : t.shape())
          whole = elementwise ? whole : mixed(whole, uint64_t(d));
    }
    std::vector<double> numbers(out->size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      uint64_t h = whole;
      if (elementwise) {
        std::vector<uint64_t> read;
        for (size_t k = 0; k < c.in.size(); ++k) {
          if (!c.in[k])
            continue;
          size_t rest = i, at = 0;
          for (size_t d = shape.size(); d > 0; --d) {
            at += size_t(int64_t(rest % size_t(shape[d - 1])) * strides[k][d - 1]);
            rest /= size_t(shape[d - 1]);
          }
          read.push_back(bitsAt(c.in[k], at));
        }
        if (op.hasTrait(Trait::Commutative))
          std::ranges::sort(read);
        for (uint64_t bits : read)
          h = mixed(h, bits);
      } else {
        h = mixed(h, i);
      }
      numbers[i] = isInteger(dtype) || dtype == DType::Bool ? double(h % 5) : double(int64_t(h % 201) - 100) / 16;
    }
    *out = tensorOf(dtype, shape, numbers);
  }
  return true;
}

/// A random draw. The evaluator refuses it; here it depends on the op's attributes and limits, and on how many ops with
/// effects stand before it, so that two draws differ. The type is computed here, since declarations do not state it.
bool drawn(Call &c) {
  const bool isHlo = c.op.schema().dialect == "stablehlo", isLike = !isHlo && c.has(0);
  Shape shape;
  if (isLike) {
    shape = c.in[0].shape();
  } else {
    const std::vector<int64_t> sizes = isHlo && c.has(2) ? c.in[2].ints() : c.intsAttr("shape").value_or(Shape());
    shape.assign(sizes.begin(), sizes.end());
  }
  DType dtype = c.has(0) ? c.in[0].dtype() : DType::F32;
  if (const int64_t named = isHlo ? 0 : attrOr(c.op, "dtype", 0); named)
    dtype = named == 1 ? DType::F32 : named == 10 ? DType::F16 : named == 11 ? DType::F64 : DType::Unknown;
  const std::optional<size_t> count = c.elements(shape);
  if (!count || !c.charge(*count) || !isFloat(dtype))
    return c.fail("a draw of this type");
  uint64_t draw = 1;
  for (Op other : c.op.fn->ops(c.op.fn->body())) {
    if (other == c.op)
      break;
    draw += !other.hasTrait(Trait::Pure) && other.kind() != kReturnKind;
  }
  uint64_t h = mixed(mixed(14695981039346656037u, draw), c.op.attrsId().raw);
  if (isHlo)
    for (size_t limit = 0; limit < 2; ++limit)
      if (c.has(limit) && c.in[limit].size() == 1)
        h = mixed(h, std::bit_cast<uint64_t>(c.in[limit].floatAt(0)));
  std::vector<double> numbers(*count);
  for (double &v : numbers)
    v = double((h = mixed(h, 1)) >> 11) * 0x1p-53; // of 0 to 1
  Tensor *out = c.result(0, dtype, shape);
  if (out)
    *out = tensorOf(dtype, shape, numbers);
  return out;
}

/// A dropout that trains. What it draws depends on its seed and on the place, so that the same draw gives the same
/// mask, and hardly ever keeps all elements. The evaluator refuses it: there no draw is the right one, here any shows
/// that a result depends on it.
bool drawnDropout(Call &c) {
  const bool trains = c.has(2) && c.in[2].size() == 1 && c.in[2].intAt(0);
  const double ratio = c.has(1) && c.in[1].size() == 1 ? c.in[1].floatAt(0) : 0.5;
  if (!trains || ratio == 0 || !c.has(0))
    return kernels().find("onnx.Dropout")(c);
  if (!(ratio > 0 && ratio < 1))
    return c.fail("the ratio lies outside 0..1");
  const Tensor &x = c.in[0];
  std::vector<double> numbers(x.size()), kept(x.size());
  uint64_t h = mixed(14695981039346656037u, c.op.attrsId().raw);
  for (size_t i = 0; i < numbers.size(); ++i) {
    h = mixed(h, i);
    kept[i] = double(h >> 11) * 0x1p-53 >= ratio;
    numbers[i] = kept[i] != 0 ? x.floatAt(i) / (1 - ratio) : 0;
  }
  c.out[0] = tensorOf(x.dtype(), x.shape(), numbers);
  if (c.out.size() > 1)
    c.out[1] = tensorOf(DType::Bool, x.shape(), kept);
  return true;
}

} // namespace

bool isUninterpreted(const OpSchema &schema) {
  return !schema.expand && schema.regions.empty() && schema.dialect != "onnx" && schema.dialect != "stablehlo" &&
         schema.dialect != "tensor" && !kernels().find(schema.fullName());
}

const KernelTable &withStandIns(const OpRegistry &ops, KernelTable &table) {
  table.add("onnx.Dropout", drawnDropout);
  for (std::string_view name : {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli"})
    table.addOwned("onnx." + std::string(name), drawn);
  table.addOwned("stablehlo.rng", drawn);
  for (std::string_view name : kernels().names()) // but where there is one already
    table.add(name, kernels().find(name));
  for (uint32_t i = 2; i < ops.size(); ++i) {
    const OpSchema &schema = ops.schema(KindId{uint16_t(i)});
    if (isUninterpreted(schema))
      table.addOwned(schema.fullName(), uninterpreted);
  }
  return table;
}

} // namespace rw::verify
