// Casts, and ops that hand their operand on.
#include "rw/interp/element.h"
#include "rw/interp/kernel.h"
#include "rw/ir/float8.h"

#include <charconv>
#include <system_error>

namespace rw {

/// Texts as numbers: decimal, with or without an exponent; of floats also NaN and infinities in any case.
static bool readNumbers(const Tensor &in, Tensor &out) {
  auto read = [&]<class T>(T) {
    for (size_t i = 0; i < in.size(); ++i) {
      std::string_view text = in.strings()[i];
      if (text.starts_with('+'))
        text.remove_prefix(1);
      std::conditional_t<kIsFloat<T>, double, T> v{};
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
      if (error != std::errc() || end != text.data() + text.size())
        return false;
      out.mutableData<T>()[i] = T(v);
    }
    return true;
  };
  return visitReal(out.dtype(), read);
}

/// Numbers as texts: the fewest digits that say which number it is, with an exponent below 1e-4 and from 1e16 on.
static bool writeNumbers(const Tensor &in, Tensor &out) {
  auto text = []<class T>(T v) -> std::string {
    char buffer[400];
    if constexpr (kIsInt<T>) {
      return std::string(buffer, std::to_chars(buffer, std::end(buffer), v).ptr);
    } else if constexpr (std::is_same_v<T, Bool>) {
      return v ? "True" : "False";
    } else {
      using F = std::conditional_t<std::is_same_v<T, double>, double, float>;
      F f = F(v), size = std::abs(f);
      if (std::isnan(f))
        return "NaN";
      if (std::isinf(f))
        return f < 0 ? "-INF" : "INF";
      bool plain = size == 0 || (size >= F(1e-4) && size < F(1e16));
      std::string s(buffer, std::to_chars(buffer, std::end(buffer), f,
                                          plain ? std::chars_format::fixed : std::chars_format::scientific)
                                .ptr);
      return plain && s.find('.') == std::string::npos ? s + ".0" : s;
    }
  };
  return visitAny(in.dtype(), [&]<class T>(T) {
    if constexpr (kIsComplex<T>) {
      return false;
    } else {
      for (size_t i = 0; i < in.size(); ++i)
        out.mutableStrings()[i] = text(in.data<T>()[i]);
      return true;
    }
  });
}

static bool fromFloats8(const Tensor &in, Tensor &out) {
  return visitAny(out.dtype(), [&]<class To>(To) {
    for (size_t i = 0; i < in.size(); ++i)
      out.mutableData<To>()[i] = convertElement<To>(fromFloat8(in.dtype(), in.data<uint8_t>()[i]));
    return true;
  });
}

static bool toFloats8(const Tensor &in, Tensor &out, bool saturate) {
  return visitAny(in.dtype(), [&]<class From>(From) {
    for (size_t i = 0; i < in.size(); ++i)
      out.mutableData<uint8_t>()[i] = toFloat8(out.dtype(), convertElement<double>(in.data<From>()[i]), saturate);
    return true;
  });
}

std::optional<Tensor> castTo(Call &c, const Tensor &in, DType to, bool saturate) {
  if (in.dtype() == to)
    return in;
  if (isFloat8(in.dtype()) && isFloat8(to)) {
    std::optional<Tensor> wide = castTo(c, in, DType::F32);
    return wide ? castTo(c, *wide, to, saturate) : std::nullopt;
  }
  std::optional<Tensor> r = c.make(to, in.shape());
  if (!r)
    return std::nullopt;
  if ((isFloat8(in.dtype()) && fromFloats8(in, *r)) || (isFloat8(to) && toFloats8(in, *r, saturate)))
    return r;
  if (in.isString() || to == DType::String) {
    bool done = in.isString() ? readNumbers(in, *r) : writeNumbers(in, *r);
    if (!done)
      c.fail("no cast from " + std::string(dtypeName(in.dtype())) + " to " + std::string(dtypeName(to)) +
             " of what is given");
    return done ? r : std::nullopt;
  }
  bool ok = visitAny(in.dtype(), [&]<class From>(From) {
    return visitAny(to, [&]<class To>(To) {
      for (size_t i = 0; i < in.size(); ++i)
        r->mutableData<To>()[i] = convertElement<To>(in.data<From>()[i]);
      return true;
    });
  });
  if (!ok)
    c.fail("no cast from " + std::string(dtypeName(in.dtype())) + " to " + std::string(dtypeName(to)));
  r->holdTo4Bits(!isInteger(in.dtype())); // floats are held to the range, as in convertElement
  return ok ? r : std::nullopt;
}

namespace {

bool castOrFail(Call &c, std::optional<DType> to) {
  if (!c.need(1) || (!to && !c.fail("casts to an element type that nothing is computed with")))
    return false;
  std::optional<Tensor> r = castTo(c, c.in[0], *to, attrOr(c.op, "saturate", 1) != 0);
  if (r)
    c.out[0] = std::move(*r);
  return bool(r);
}
bool cast(Call &c) { return castOrFail(c, c.dtypeAttr("dtype")); }
bool onnxCast(Call &c) {
  // ONNX numbers them from 17 on
  static constexpr DType kFloats8[] = {DType::F8E4M3FN, DType::F8E4M3FNUZ, DType::F8E5M2, DType::F8E5M2FNUZ};
  int64_t to = attrOr(c.op, "to", 0);
  return castOrFail(c, to >= 17 && to < 21 ? kFloats8[to - 17] : c.dtypeAttr("to"));
}
bool castLike(Call &c) { return c.need(2) && castOrFail(c, c.in[1].dtype()); }

bool identity(Call &c) {
  if (!c.need(1))
    return false;
  c.out[0] = c.in[0];
  return true;
}

/// As in inference: the operand, and a mask that keeps all.
bool dropout(Call &c) {
  if (!c.need(1))
    return false;
  if (c.has(2) && c.in[2].size() == 1 && c.in[2].intAt(0) &&
      !(c.has(1) && c.in[1].size() == 1 && c.in[1].floatAt(0) == 0))
    return c.fail("draws random numbers in training mode");
  c.out[0] = c.in[0];
  if (c.out.size() < 2)
    return true;
  Tensor *mask = c.result(1, c.version() >= 10 ? DType::Bool : c.in[0].dtype(), c.in[0].shape());
  return mask && visitAny(mask->dtype(), [&]<class T>(T) {
           for (size_t i = 0; i < mask->size(); ++i)
             mask->mutableData<T>()[i] = convertElement<T>(1.0);
           return true;
         });
}

bool constant(Call &c) {
  Context &ctx = c.op.context();
  if (AttrId value = c.op.attrNamed("value")) {
    std::optional<Tensor> t = Tensor::fromAttr(ctx, value, c.budget.memory);
    if (!t)
      return c.fail("the value is no tensor that fits the memory allowed");
    c.out[0] = std::move(*t);
    return c.charge(1);
  }
  if (c.op.attrNamed("value_float"))
    c.out[0] = Tensor::scalar(DType::F32, float(c.floatAttr("value_float", 0)));
  else if (c.op.attrNamed("value_int"))
    c.out[0] = Tensor::scalar(DType::I64, attrOr(c.op, "value_int", 0));
  else if (c.op.attrNamed("value_string")) {
    Tensor *t = c.result(0, DType::String, {});
    if (!t)
      return false;
    t->mutableStrings()[0] = std::string(attrOr(c.op, "value_string", ""));
  } else if (std::optional<std::vector<int64_t>> ints = c.intsAttr("value_ints")) {
    Tensor *t = c.result(0, DType::I64, {int64_t(ints->size())});
    if (!t)
      return false;
    std::copy(ints->begin(), ints->end(), t->mutableData<int64_t>());
  } else if (c.op.attrNamed("value_floats")) {
    auto floats = attrOr(c.op, "value_floats", std::span<const double>());
    Tensor *t = c.result(0, DType::F32, {int64_t(floats.size())});
    if (!t)
      return false;
    std::copy(floats.begin(), floats.end(), t->mutableData<float>());
  } else if (c.op.attrNamed("value_strings")) {
    auto strings = attrOr(c.op, "value_strings", InlineList<std::string_view>());
    Tensor *t = c.result(0, DType::String, {int64_t(strings.size())});
    if (!t)
      return false;
    t->mutableStrings().assign(strings.begin(), strings.end());
  } else {
    return c.fail("a constant in a form that is not evaluated");
  }
  return true;
}

} // namespace

void addCastKernels(KernelTable &t) {
  t.add("tensor.constant", constant);
  t.add("stablehlo.constant", constant);
  t.add("chlo.constant", constant);
  t.add("onnx.Constant", constant);
  t.add("onnx.initializer", constant);
  t.add("tensor.cast", cast);
  t.add("onnx.Cast", onnxCast);
  t.add("onnx.CastLike", castLike);
  t.add("tensor.identity", identity);
  t.add("tensor.stop_gradient", identity);
  t.add("onnx.Identity", identity);
  t.add("onnx.Dropout", dropout);
}

} // namespace rw
