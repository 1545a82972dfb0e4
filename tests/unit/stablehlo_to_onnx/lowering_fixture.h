// What tests of the lowerings from StableHLO to ONNX share: programs of one op, drawn at random, are converted and must
// compute what they computed before, in all element types, on values that are chosen for their corners.
//
// In:  a function that draws a case: parameters, a body in MLIR text, how near floats must come.
// Out: doctest's checks, each with the program and the values in words.
// Elsewhere: where RW_LOWERING_DUMP names a folder, each case is written there as a model with inputs and outputs, for
//            tests/peers/run_lowerings.js to run in another engine.
//
//   checkLowerings("abs", 100, [](Draw &draw) {
//     LoweringCase c;
//     DType t = draw.pick(kSignedNumbers);
//     c.add(t, draw.shape());
//     return c.body("%r = stablehlo.abs %a0 : " + c.type(0), c.type(0));
//   });
#pragma once

#include "../support/random_program.h"
#include "rw/interp/tensor.h"
#include "rw/ir/dtype.h"

#include <functional>
#include <string>
#include <vector>

namespace test {

using rw::DType;
using rw::Shape;

inline const std::vector<DType> kFloats = {DType::F16, DType::BF16, DType::F32, DType::F64};
inline const std::vector<DType> kSignedIntegers = {DType::I8, DType::I16, DType::I32, DType::I64};
inline const std::vector<DType> kIntegers = {DType::I8, DType::I16, DType::I32, DType::I64,
                                             DType::U8, DType::U16, DType::U32, DType::U64};
inline const std::vector<DType> kSignedNumbers = {DType::F16, DType::BF16, DType::F32, DType::F64,
                                                  DType::I8,  DType::I16,  DType::I32, DType::I64};
inline const std::vector<DType> kNumbers = {DType::F16, DType::BF16, DType::F32, DType::F64, DType::I8,  DType::I16,
                                            DType::I32, DType::I64,  DType::U8,  DType::U16, DType::U32, DType::U64};
inline const std::vector<DType> kAll = {DType::Bool, DType::F16, DType::BF16, DType::F32, DType::F64,
                                        DType::I8,   DType::I16, DType::I32,  DType::I64, DType::U8,
                                        DType::U16,  DType::U32, DType::U64};

/// Which values a parameter gets.
enum class Values : uint8_t {
  Any,    // extremes, NaN, infinities and both zeros among them
  Finite, // no NaN and no infinities
  Few,    // halves from -2 to 2, or integers from -3 to 3 (without sign to 6): sums of products are exact in any order
  Unit,   // from -1 to 1
  Moderate, // from -20 to 20
  Positive, // from 0 to 20
  Nonzero,  // from 1 to 20
  Given,    // the integers that are given
};

/// Random numbers, the same everywhere.
class Draw : public rw::test::RandomPrograms {
public:
  using RandomPrograms::RandomPrograms;
  size_t between(size_t least, size_t most) { return least + below(most - least + 1); }
  /// Rank 0 to 4; sizes are mostly 1 to 4, now and then 0.
  Shape shape(size_t leastRank = 0, size_t mostRank = 4) {
    Shape s;
    for (size_t i = between(leastRank, mostRank); i > 0; --i)
      s.push_back(size());
    return s;
  }
  int64_t size() { return chance(6) ? 0 : int64_t(between(1, 4)); }
  std::vector<int64_t> permutation(size_t n) {
    std::vector<int64_t> p;
    for (size_t i = 0; i < n; ++i)
      p.insert(p.begin() + ptrdiff_t(below(p.size() + 1)), int64_t(i));
    return p;
  }
};

struct LoweringParam {
  DType dtype = DType::F32;
  Shape shape;
  std::vector<bool> unknown; // which dimensions the program's type leaves open, `?`; empty: none
  Values values = Values::Any;
  std::vector<int64_t> given = {};
};

/// `tensor<2x?xf32>`
std::string mlirType(DType, const Shape &, const std::vector<bool> &unknown = {});
std::string mlirElement(DType);
/// `[1, 2]`, and `array<i64: 1, 2>`.
std::string mlirList(const std::vector<int64_t> &);
std::string mlirArray(const std::vector<int64_t> &);
inline const std::string kOpen = "tensor<"; // of types that are written by hand

struct LoweringCase {
  std::vector<LoweringParam> params; // %a0, %a1, …
  std::string lines, result;         // what defines %r, and its type
  uint64_t units = 0;   // how many units in the last place floats may be apart; 0: bit for bit, NaN being NaN
  double absolute = 0;  // or so far apart
  bool refused = false; // no lowering is to be found, so that something of StableHLO is left

  /// Adds a parameter; with `chance` of 100 each of its dimensions is `?`.
  size_t add(DType t, Shape shape, Values values = Values::Any) {
    params.push_back({t, std::move(shape), {}, values});
    return params.size() - 1;
  }
  size_t addGiven(DType t, Shape shape, std::vector<int64_t> values) {
    params.push_back({t, std::move(shape), {}, Values::Given, std::move(values)});
    return params.size() - 1;
  }
  std::string type(size_t i) const { return mlirType(params[i].dtype, params[i].shape, params[i].unknown); }
  LoweringCase &body(std::string text, std::string resultType) {
    lines = std::move(text);
    result = std::move(resultType);
    return *this;
  }
};

/// Draws, converts and compares so many cases, each on two sets of values. `title` names the op in what fails.
void checkLowerings(const std::string &title, unsigned count, const std::function<LoweringCase(Draw &)> &make);

} // namespace test
