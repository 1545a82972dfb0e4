#include "codegen/verify/casts.h"

#include "rw/interp/element.h"
#include "rw/interp/tensor.h"

#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace rw::verify {
namespace {

Tensor castAll(const Tensor &x, DType to) {
  std::optional<Tensor> out = Tensor::make(to, x.shape());
  bool good = out && (isInteger(x.dtype()) || isFloat(x.dtype()) || x.dtype() == DType::Bool) && !isComplex(to);
  good = good && visitAny(x.dtype(), [&]<class From>(From) {
           return visitAny(to, [&]<class To>(To) {
             if constexpr (!kIsComplex<From> && !kIsComplex<To>)
               for (size_t i = 0; i < x.size(); ++i)
                 out->mutableData<To>()[i] = convertElement<To>(x.data<From>()[i]);
             return true;
           });
         });
  return good ? *out : Tensor();
}

/// The same bits but for NaNs.
bool sameElements(const Tensor &a, const Tensor &b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const bool nan = isFloat(a.dtype()) && a.floatAt(i) != a.floatAt(i) && b.floatAt(i) != b.floatAt(i);
    if (!nan && std::memcmp(a.data<char>() + i * a.width(), b.data<char>() + i * a.width(), a.width()) != 0)
      return false;
  }
  return true;
}

bool tried(DType source, DType between, DType to) {
  const unsigned bytes = dtypeBytes(source);
  if (bytes == 0 || bytes > 2 || source == DType::String)
    return false;
  std::optional<Tensor> all = Tensor::make(source, {source == DType::Bool ? 2 : bytes == 1 ? 256 : 65536});
  if (!all)
    return false;
  for (size_t i = 0; i < all->size(); ++i)
    std::memcpy(all->mutableData<char>() + i * bytes, &i, bytes);
  const Tensor middle = castAll(*all, between), once = castAll(*all, to);
  const Tensor twice = middle ? castAll(middle, to) : Tensor();
  return once && twice && sameElements(once, twice);
}

/// The bits of a float's significand, and those of its exponent; 0 of other types.
std::pair<int, int> digits(DType x) {
  switch (x) {
  case DType::F16:
    return {11, 5};
  case DType::BF16:
    return {8, 8};
  case DType::F32:
    return {24, 8};
  case DType::F64:
    return {53, 11};
  default:
    return {0, 0};
  }
}

} // namespace

bool holdsUpTo(DType type, int64_t end) {
  if (const int significand = digits(type).first)
    return end <= int64_t(1) << significand && end >= -(int64_t(1) << significand);
  const unsigned bits = 8 * dtypeBytes(type) - isSigned(type);
  if (!isInteger(type) || !dtypeBytes(type))
    return false;
  return (end >= 0 || (isSigned(type) && (bits == 63 || end >= -(int64_t(1) << bits)))) &&
         (bits >= 63 || end < int64_t(1) << bits);
}

std::optional<int64_t> endOf(DType type, bool greatest) {
  const unsigned bits = 8 * dtypeBytes(type);
  if (!bits || (greatest && bits == 64 && !isSigned(type)))
    return std::nullopt;
  if (!isSigned(type))
    return greatest ? int64_t((uint64_t(1) << bits) - 1) : 0;
  const int64_t most = int64_t((uint64_t(1) << (bits - 1)) - 1);
  return greatest ? most : -most - 1;
}

bool holdsAll(DType from, DType to) {
  if (from == to)
    return true;
  if (isComplex(to)) // as real parts
    return isComplex(from) ? from == DType::C64 && to == DType::C128
                           : holdsAll(from, to == DType::C64 ? DType::F32 : DType::F64);
  if (from == DType::Bool)
    return isInteger(to) || digits(to).first;
  const int bits = int(dtypeBytes(from)) * 8, wide = int(dtypeBytes(to)) * 8;
  if (isInteger(from) && isInteger(to) && bits && wide)
    return isSigned(from) == isSigned(to) ? wide >= bits : isSigned(to) && wide > bits;
  if (isInteger(from) && bits && digits(to).first)
    return bits - (isSigned(from) ? 1 : 0) <= digits(to).first && to != DType::F16;
  if (digits(from).first && digits(to).first)
    return digits(to).first >= digits(from).first && digits(to).second >= digits(from).second;
  return false;
}

bool mayLeaveOut(DType source, DType between, DType to) {
  static std::mutex mutex;
  static std::map<std::tuple<DType, DType, DType>, bool> known;
  std::lock_guard lock(mutex);
  auto [it, isNew] = known.try_emplace({source, between, to}, false);
  if (isNew)
    it->second = tried(source, between, to);
  return it->second;
}

} // namespace rw::verify
