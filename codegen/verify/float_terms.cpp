#include "codegen/verify/float_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace rw::verify {
namespace {

/// The bits of the exponent, and of the significand with the one that is not written.
std::pair<int, int> widthsOf(DType t) {
  switch (t) {
  case DType::F16:
    return {5, 11};
  case DType::BF16:
    return {8, 8};
  case DType::F32:
    return {8, 24};
  default:
    return {11, 53};
  }
}

/// The greatest (or least) of two, named x and y: NaN wins, and -0 lies below 0.
std::string extremeOf(bool greatest, const std::string &x, const std::string &y) {
  const std::string_view sign = greatest ? "fp.isNegative" : "fp.isPositive", compares = greatest ? "fp.gt" : "fp.lt";
  return fmt::format("(ite (fp.isNaN {0}) {0} (ite (fp.isNaN {1}) {1} (ite (fp.eq {0} {1}) (ite ({2} {0}) {1} {0}) "
                     "(ite ({3} {0} {1}) {0} {1}))))",
                     x, y, sign, compares);
}

} // namespace

bool isFloatOfSolver(DType t) { return t == DType::F16 || t == DType::BF16 || t == DType::F32 || t == DType::F64; }

std::string floatSort(DType t) {
  const auto [exponent, significand] = widthsOf(t);
  return fmt::format("(_ FloatingPoint {} {})", exponent, significand);
}

std::string floatNumber(DType t, double v) {
  const auto [exponent, significand] = widthsOf(t);
  const std::string type = fmt::format("{} {}", exponent, significand);
  if (std::isnan(v))
    return fmt::format("(_ NaN {})", type);
  if (std::isinf(v))
    return fmt::format("(_ {}oo {})", v < 0 ? '-' : '+', type);
  if (v == 0)
    return fmt::format("(_ {}zero {})", std::signbit(v) ? '-' : '+', type);
  // A float of 64 bits with the same value, which the type holds: rounded, it stays what it is.
  return fmt::format("((_ to_fp {}) RNE ((_ to_fp 11 53) (_ bv{} 64)))", type, std::bit_cast<uint64_t>(v));
}

std::string floatExpression(const TermTable &t, const TermNode &n, const std::function<std::string(Term)> &write) {
  const std::string_view f = n.text;
  const DType first = t.node(n.args[0]).dtype;
  const bool ofFloats = std::ranges::all_of(n.args, [&](Term a) { return isFloatOfSolver(t.node(a).dtype); });
  if (f == "cast" && isFloatOfSolver(n.dtype)) {
    const auto [exponent, significand] = widthsOf(n.dtype);
    const std::string x = write(n.args[0]);
    if (first == DType::Bool)
      return fmt::format("(ite {} {} {})", x, floatNumber(n.dtype, 1), floatNumber(n.dtype, 0));
    if (isFloatOfSolver(first) || isInteger(first))
      return fmt::format("((_ {} {} {}) RNE {})", isFloat(first) || isSigned(first) ? "to_fp" : "to_fp_unsigned",
                         exponent, significand, x);
    return "";
  }
  if (!ofFloats)
    return "";
  if (f == "cast" && n.dtype == DType::Bool)
    return fmt::format("(not (fp.isZero {}))", write(n.args[0]));
  if (f == "isnan" && n.dtype == DType::Bool)
    return fmt::format("(fp.isNaN {})", write(n.args[0]));
  if (n.dtype == DType::Bool && n.args.size() == 2 && (f == "less" || f == "lessorequal" || f == "equal"))
    return fmt::format("({} {} {})",
                       f == "less"    ? "fp.lt"
                       : f == "equal" ? "fp.eq"
                                      : "fp.leq",
                       write(n.args[0]), write(n.args[1]));
  if (first != n.dtype)
    return "";
  if (n.args.size() == 1) {
    static constexpr std::pair<std::string_view, std::string_view> ofOne[] = {
        {"neg", "fp.neg"},
        {"abs", "fp.abs"},
        {"sqrt", "fp.sqrt RNE"},
        {"floor", "fp.roundToIntegral RTN"},
        {"ceil", "fp.roundToIntegral RTP"},
        {"round", "fp.roundToIntegral RNE"},
        {"round_nearest_even", "fp.roundToIntegral RNE"}};
    for (auto [ours, theirs] : ofOne)
      if (f == ours)
        return fmt::format("({} {})", theirs, write(n.args[0]));
    return f == "reciprocal" ? fmt::format("(fp.div RNE {} {})", floatNumber(n.dtype, 1), write(n.args[0])) : "";
  }
  if (f == "max" || f == "min") {
    std::string out = write(n.args[0]);
    for (size_t i = 1; i < n.args.size(); ++i)
      out = fmt::format("(let ((m {})) {})", out, extremeOf(f == "max", "m", write(n.args[i])));
    return out;
  }
  if (n.args.size() != 2 || (f != "add" && f != "mul" && f != "div"))
    return "";
  return fmt::format("(fp.{} RNE {} {})", f, write(n.args[0]), write(n.args[1]));
}

} // namespace rw::verify
