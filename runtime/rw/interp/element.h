// Element types as C++ types, and the step from a dtype to one of them.
//
// In:  a DType and a generic callable.
// Out: the callable called with a value of the element's C++ type; false if the dtype is not of the family.
//
//   visitFloat(t.dtype(), [&]<class T>(T) { use(t.data<T>()); return true; });
#pragma once

#include "rw/ir/dtype.h"
#include "rw/support/numbers.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rw {

/// A float of 16 bits: computed with as a float, rounded when stored.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(double v) : bits(toHalf(v)) {}
  operator float() const { return fromHalf(bits); }
};
struct BFloat {
  uint16_t bits = 0;
  BFloat() = default;
  explicit BFloat(double v) : bits(toBFloat16(v)) {}
  operator float() const { return fromBFloat16(bits); }
};
/// A bool of any byte: whoever wrote the file chose it.
struct Bool {
  uint8_t byte = 0;
  Bool() = default;
  explicit Bool(bool v) : byte(v) {}
  operator bool() const { return byte != 0; }
};

template <class T> inline constexpr bool kIsSmallFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;
template <class T> inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsSmallFloat<T>;
template <class T> inline constexpr bool kIsInt = std::is_integral_v<T>;
template <class T> struct IsComplex : std::false_type {};
template <class T> struct IsComplex<std::complex<T>> : std::true_type {};
template <class T> inline constexpr bool kIsComplex = IsComplex<T>::value;

/// What elements are computed in: floats of 16 bits as float, integers as 64 bits without sign (so that they wrap).
template <class T>
using Compute = std::conditional_t<kIsSmallFloat<T>, float, std::conditional_t<kIsInt<T>, uint64_t, T>>;
/// What sums are kept in.
template <class T>
using Sum = std::conditional_t<
    kIsFloat<T>, double,
    std::conditional_t<kIsInt<T>, uint64_t, std::conditional_t<kIsComplex<T>, std::complex<double>, T>>>;

/// `From` as `To`, as a cast op does: floats to integers towards zero, held to the range; NaN to 0.
template <class To, class From> To convertElement(From v) {
  if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(typename To::value_type(v.real()), typename To::value_type(v.imag()));
  } else if constexpr (kIsComplex<From>) {
    return convertElement<To>(v.real());
  } else if constexpr (kIsComplex<To>) {
    return To(convertElement<typename To::value_type>(v), 0);
  } else if constexpr (kIsSmallFloat<From> && !std::is_same_v<To, From>) {
    return convertElement<To>(float(v));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool(v != From(0));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return To(bool(v) ? 1 : 0);
  } else if constexpr (kIsSmallFloat<To>) {
    return To(double(v));
  } else if constexpr (kIsInt<To> && std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(v))
      return 0;
    if (double(v) <= double(Limits::min()))
      return Limits::min();
    if (double(v) >= double(Limits::max()))
      return Limits::max();
    return To(v);
  } else {
    return To(v);
  }
}
template <> inline Bool convertElement<Bool, Bool>(Bool v) { return v; }

/// Result of a computation in Compute<T> or Sum<T> as an element.
template <class T, class C> T storeElement(C v) {
  if constexpr (kIsSmallFloat<T>)
    return T(double(v));
  else
    return T(v);
}

template <class F> bool visitFloat(DType t, F f) {
  switch (t) {
  case DType::F16:
    return f(Half());
  case DType::BF16:
    return f(BFloat());
  case DType::F32:
    return f(float());
  case DType::F64:
    return f(double());
  default:
    return false;
  }
}
template <class F> bool visitInt(DType t, F f) {
  switch (t) {
  case DType::I4: // computed in a byte each, and wrapped then: see Tensor::holdTo4Bits
  case DType::I8:
    return f(int8_t());
  case DType::I16:
    return f(int16_t());
  case DType::I32:
    return f(int32_t());
  case DType::I64:
    return f(int64_t());
  case DType::U4:
  case DType::U8:
    return f(uint8_t());
  case DType::U16:
    return f(uint16_t());
  case DType::U32:
    return f(uint32_t());
  case DType::U64:
    return f(uint64_t());
  default:
    return false;
  }
}
template <class F> bool visitComplex(DType t, F f) {
  switch (t) {
  case DType::C64:
    return f(std::complex<float>());
  case DType::C128:
    return f(std::complex<double>());
  default:
    return false;
  }
}
/// Numbers that have an order.
template <class F> bool visitReal(DType t, F f) { return isInteger(t) ? visitInt(t, f) : visitFloat(t, f); }
template <class F> bool visitNumber(DType t, F f) { return isComplex(t) ? visitComplex(t, f) : visitReal(t, f); }
template <class F> bool visitAny(DType t, F f) { return t == DType::Bool ? f(Bool()) : visitNumber(t, f); }

/// Elements that are only moved: by their width.
struct Wide {
  uint64_t a, b;
};
template <class F> bool visitWidth(size_t width, F f) {
  switch (width) {
  case 1:
    return f(uint8_t());
  case 2:
    return f(uint16_t());
  case 4:
    return f(uint32_t());
  case 8:
    return f(uint64_t());
  case 16:
    return f(Wide());
  default:
    return false;
  }
}

} // namespace rw
