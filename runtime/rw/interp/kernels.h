// Kernels: what each op computes, by the op's full name.
//
// In:  an op (for its attributes) and the tensors of its operands (null: an optional one left out).
// Out: the tensors of its results, or why it cannot be computed.
// Elsewhere: evaluator.h walks functions.
//
// A kernel must not trust its op: shapes and attributes may be anything. It fails with a reason.
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/function.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace rw {

struct KernelCall {
  Op op;
  std::vector<const Tensor *> inputs;
  std::vector<Tensor> outputs;
  std::string error;

  bool fail(std::string why) {
    error = std::move(why);
    return false;
  }
  const Tensor *input(size_t k) const { return k < inputs.size() ? inputs[k] : nullptr; }
  bool needs(size_t count); ///< at least so many operands that are there, else fails
  void result(Tensor t) { outputs.push_back(std::move(t)); }

  // Attributes by name, declared or not; the fallback if they are left out.
  AttrId attr(std::string_view name) const;
  int64_t intAttr(std::string_view name, int64_t fallback) const;
  double floatAttr(std::string_view name, double fallback) const;
  std::string_view stringAttr(std::string_view name, std::string_view fallback) const;
  std::optional<std::vector<int64_t>> intsAttr(std::string_view name) const; ///< of ints, or of known dims
};

using Kernel = bool (*)(KernelCall &);
using KernelTable = std::unordered_map<std::string_view, Kernel>;

/// All kernels, by full name.
const KernelTable &kernels();

// One per family.
void addElementwiseKernels(KernelTable &);
void addShapeKernels(KernelTable &);
void addReduceKernels(KernelTable &);
void addMatrixKernels(KernelTable &);

/// The shape two operands broadcast to, aligned at the end; false if they do not fit.
bool broadcastDims(const std::vector<int64_t> &a, const std::vector<int64_t> &b, std::vector<int64_t> &out);
/// Strides of `from` seen as a tensor of shape `to`: 0 where a dimension stretches.
std::vector<int64_t> broadcastStrides(const std::vector<int64_t> &from, const std::vector<int64_t> &to);
/// Calls `body(index of the result, offsets…)` for every element in row-major order.
template <size_t N, class Body>
void forEachElement(const std::vector<int64_t> &dims, const std::vector<int64_t> (&strides)[N], Body body) {
  std::vector<int64_t> at(dims.size());
  int64_t offsets[N] = {};
  size_t count = elementCountOf(dims).value_or(0);
  for (size_t k = 0; k < count; ++k) {
    body(k, offsets);
    for (size_t d = dims.size(); d-- > 0;) {
      ++at[d];
      for (size_t s = 0; s < N; ++s)
        offsets[s] += strides[s][d];
      if (at[d] < dims[d])
        break;
      for (size_t s = 0; s < N; ++s)
        offsets[s] -= strides[s][d] * dims[d];
      at[d] = 0;
    }
  }
}
/// -1 … for axes counted from the end; false if outside.
bool normalizeAxis(int64_t &axis, size_t rank);

} // namespace rw
