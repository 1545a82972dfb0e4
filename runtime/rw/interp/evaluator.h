// The evaluator of one function, shared by evaluate*.cpp.
//
// In:  see evaluate.h. Out: values of all ops in order. Elsewhere: kernels are kernel.h, ops with regions and calls
//      evaluate_regions.cpp, for ONNX evaluate_onnx.cpp, for StableHLO evaluate_stablehlo.cpp.
#pragma once

#include "rw/interp/evaluate.h"
#include "rw/interp/kernel.h"

#include <functional>

namespace rw::detail {

inline constexpr unsigned kMaxDepth = 100;    // of regions
inline constexpr unsigned kMaxCalls = 100;    // of functions within functions
inline constexpr uint64_t kStepsPerOp = 5000; // what an op on a few elements takes beside computing them

class Evaluator {
public:
  /// `budget` is shared with the functions that call this one, `calls` of them.
  Evaluator(Function &fn, const EvalOptions &options, EvalResult &result, EvalBudget &budget, unsigned calls = 0)
      : fn_(fn), options_(options), result_(result), budget_(budget), calls_(calls), values_(fn.valueCapacity()) {}
  bool run(std::span<const Tensor> inputs);

  // For OpEvaluator, where someone else keeps the values.
  /// One tensor per parameter, defaults filled in; what symbols stand for is known from then on.
  bool completeInputs(std::span<const Tensor> given, std::vector<Tensor> &inputs);
  bool single(Op, std::span<const ValueId> reads, std::span<const Tensor> values, std::vector<Tensor> &results);

  /// What runs ops of this name, which hold regions; null if they are not evaluated.
  using RegionStep = bool (Evaluator::*)(Op, unsigned depth);
  static RegionStep regionStep(std::string_view name);
  /// Whether ops of this name run a function of the program.
  static bool isCall(std::string_view name);

private:
  void bindSymbols(const TypeData &, const Tensor &);
  bool bindParams(RegionId, std::vector<Tensor> &&);
  bool region(RegionId, std::vector<Tensor> &results, unsigned depth);
  bool stored(Op, StringId attr, unsigned depth);
  bool operation(Op, unsigned depth);
  bool steps(Op);
  /// Runs a region on inputs; it must have `results` of them.
  bool nested(Op, unsigned regionIndex, std::vector<Tensor> inputs, std::vector<Tensor> &results, size_t count,
              unsigned depth);
  void give(Op, std::span<Tensor> results);
  std::vector<Tensor> operandsOf(Op) const;

  bool withRegions(Op, std::string_view name, unsigned depth);
  bool cond(Op, unsigned depth);
  bool whileLoop(Op, unsigned depth);
  bool scan(Op, unsigned depth);
  bool sameShapes(Op, std::span<const Tensor>);
  bool makeLike(Op, std::span<const Tensor> like, const Shape &, std::vector<Tensor> &out);
  bool accumulate(Op, std::span<const Tensor> elements, std::vector<Tensor> &state, unsigned depth);
  /// Takes an element into a result; and what does so with all of them, one after another.
  using TakesPlace = std::function<bool(int64_t place, size_t to)>;
  using Places = std::function<bool(const TakesPlace &)>;
  bool reducePlaces(Op, std::span<const Tensor> inputs, std::span<const Tensor> inits, std::vector<Tensor> &out,
                    const Places &, unsigned depth);
  bool reduceElements(Op, unsigned depth);
  bool reduceWindows(Op, unsigned depth);
  bool mapElements(Op, unsigned depth);
  bool sortElements(Op, unsigned depth);
  bool scatterElements(Op, unsigned depth);
  bool selectAndScatter(Op, unsigned depth);
  bool call(Op);
  bool call(Op, Function &callee);
  /// Computes what the op means, in an evaluator of its own.
  bool meaning(Op);

  bool conditional(Op, unsigned depth);
  bool loop(Op, unsigned depth);
  bool onnxScan(Op, unsigned depth);
  bool scanRounds(Op, RegionId body, std::vector<Tensor> state, std::span<const Tensor> inputs,
                  std::span<const int64_t> backwards, std::span<const int64_t> backwardsOut, int64_t length,
                  std::vector<Tensor> &results, unsigned depth);
  bool sequenceMap(Op, unsigned depth);
  bool iterate(Op, RegionId, std::vector<Tensor> &state, std::vector<std::vector<Tensor>> &scans, unsigned depth);
  RegionId regionNamed(Op, std::string_view name);
  void forget(RegionId);
  void countUses(RegionId, unsigned depth, OpId top);
  bool fail(Op, std::string why);

  Function &fn_;
  const EvalOptions &options_;
  EvalResult &result_;
  EvalBudget &budget_;
  unsigned calls_;
  std::vector<Tensor> values_; // by ValueId
  std::vector<OpId> lastUse_;  // by ValueId: the last op of the body that reads it, itself or inside
  bool keepsAll_ = false;      // results are wanted though nothing may read them
};

/// Several tensors of one shape along a new first dimension; fails if they differ or do not fit.
Result<Tensor> stacked(std::span<const Tensor>, DType ifNone, const Shape &shapeIfNone, EvalBudget &);
/// Slice `i` along the first dimension: shares no elements, so that it may be small.
std::optional<Tensor> sliceOf(const Tensor &, int64_t i, EvalBudget &);

} // namespace rw::detail
