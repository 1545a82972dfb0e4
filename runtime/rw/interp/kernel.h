// Kernels: how one op computes its results from its operands. One table by full name, filled per family.
//
// In:  a Call: the op, its operands as tensors, what is left of the budgets.
// Out: the results, or a reason why there are none.
// Elsewhere: the kernels are kernels/*.cpp, a file per family; walking a function is evaluate.h; ops with regions are
//      evaluate_regions.cpp and its neighbours.
//
//   bool negate(Call &c) { Tensor *y = c.result(0, c.in[0].dtype(), c.in[0].shape()); /* fill it */ return y; }
//   table.add("tensor.neg", negate);
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/attr_values.h"

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rw {

/// What an evaluation may still use.
struct EvalBudget {
  std::shared_ptr<MemoryBudget> memory = std::make_shared<MemoryBudget>();
  uint64_t work = 0;                             // elementary steps left
  bool overspent = false;                        // more steps were asked for than were left
  uint64_t seed = 0;                             // of random draws
  uint64_t draws = 0;                            // made so far, those with keys not counted
  std::vector<std::pair<StringId, Dim>> symbols; // what symbolic dimensions stand for, from the inputs' shapes

  /// Takes so many steps, if there are as many.
  bool spend(uint64_t steps) {
    overspent |= steps > work;
    if (steps > work)
      return false;
    work -= steps;
    return true;
  }
  /// Whether something was refused for want of steps or memory.
  bool exhausted() const { return overspent || memory->refused; }
};

/// One op being evaluated.
class Call {
public:
  Call(Op op, std::span<const Tensor> in, std::vector<Tensor> &out, EvalBudget &budget, int opset)
      : op(op), in(in), out(out), budget(budget), opset_(opset) {}

  Op op;
  std::span<const Tensor> in;
  std::vector<Tensor> &out; // one per result
  EvalBudget &budget;
  std::string reason;

  bool has(size_t i) const { return i < in.size() && bool(in[i]); }
  /// Whether the operands 0 … n - 1 are there; else fails.
  bool need(size_t n);
  bool fail(std::string why);
  /// Takes `steps` off the work that is left; fails if that is less.
  bool charge(uint64_t steps);
  /// How many elements a tensor of the shape has; nothing if no memory holds as many, or a size is negative.
  std::optional<size_t> elements(const Shape &);
  /// Whether a list of so many places fits the memory allowed.
  bool holdsPlaces(size_t);

  /// A tensor within the budget, charged for; nothing (and failed) otherwise.
  std::optional<Tensor> make(DType, Shape);
  /// The same as result `i`.
  Tensor *result(size_t i, DType, Shape);
  /// The first result is what a step has made; false if that is none, for then the step has failed and said why.
  bool give(std::optional<Tensor>);

  // Attributes by name where it takes more than attrOf and attrOr, which read all others: attrOr(c.op, "axis", 0).
  double floatAttr(std::string_view name, double otherwise) const; ///< `otherwise` in the precision of attributes
  std::optional<std::vector<int64_t>> intsAttr(std::string_view name) const; ///< dims too, if their symbols have sizes
  std::optional<DType> dtypeAttr(std::string_view name) const;               ///< also as the number that ONNX gives it

  /// Integers given as attribute `name` or as operand `i`; nothing if as neither.
  std::optional<std::vector<int64_t>> intsFrom(std::string_view name, size_t i) const;
  /// `axis` counted from the front; fails if it lies outside 0 … rank - 1.
  bool wrap(int64_t &axis, size_t rank);
  bool wrapAll(std::vector<int64_t> &axes, size_t rank); ///< and refuses repetition

  /// The version of the op's dialect.
  int version() const;

private:
  int opset_;
};

using Kernel = bool (*)(Call &);

class KernelTable {
public:
  void add(std::string_view fullName, Kernel kernel) {
    if (!fullName.empty())
      kernels_.emplace(fullName, kernel);
  }
  /// The same under a name without static storage; false if there is a kernel of that name.
  bool addOwned(std::string fullName, Kernel);
  Kernel find(std::string_view fullName) const;
  std::vector<std::string_view> names() const; ///< sorted

private:
  std::unordered_map<std::string_view, Kernel> kernels_; // names have static storage, or are in ownNames_
  std::deque<std::string> ownNames_;
};
/// All kernels there are: those of the built-in dialects, and those added.
const KernelTable &kernels();
/// Adds a kernel for an op of one's own, "acme.gelu": then it is evaluated, checked by `--check`, and folded where its
/// operands are constants. To be called while a tool or plugin registers its patterns, before anything is evaluated.
/// False if there is one already.
bool addKernel(std::string fullName, Kernel);

// The families, a file each in kernels/, which defines the function that adds its kernels. A new family is a name here.
// clang-format off
#define RW_KERNEL_FAMILIES(X) \
  X(Unary) X(Binary) X(Cast) X(Shape) X(Move) X(Index) X(Reduce) X(Product) X(Conv) X(Pool) X(Norm) X(Order) \
  X(Recurrent) X(Gru) X(Loss) X(Resize) X(ConvTranspose) X(Quantize) X(Random) X(Tuple) X(Check) X(Linalg) X(Choose) \
  X(Sample) X(Detection) X(Signal) X(Text) X(Einsum) X(Sequence) X(Training) X(ConvQuantized) X(ChannelNorm) \
  X(Stablehlo) X(Devices)
// clang-format on
#define RW_DECLARE_FAMILY(name) void add##name##Kernels(KernelTable &);
RW_KERNEL_FAMILIES(RW_DECLARE_FAMILY)
#undef RW_DECLARE_FAMILY

/// Two words of counts made random by two words of keys.
bool threeFryCall(Call &);

/// Whether the kernel of this name computes with tuples (ONNX: sequences and optional values).
bool takesTuples(std::string_view fullName);

// Shared steps -------------------------------------------------------------------------------------------------------

Shape stridesOf(const Shape &); ///< in elements, row-major
/// The shape both broadcast to, dimensions aligned at the end; nothing if they do not.
std::optional<Shape> broadcastShapes(const Shape &, const Shape &);
/// Strides of a tensor of shape `from` read as if it had shape `to`, which it broadcasts to.
Shape broadcastStrides(const Shape &from, const Shape &to);
/// result[i, j, …] = in[offset + i * strides[0] + j * strides[1] + …]
std::optional<Tensor> moveStrided(Call &, const Tensor &in, Shape shape, const Shape &strides, int64_t offset = 0);
/// result[i] = in[sources[i]]; where the source is negative, `fill`'s single element or zero.
std::optional<Tensor> moveIndexed(Call &, const Tensor &in, Shape shape, std::span<const int64_t> sources,
                                  const Tensor &fill = {});
std::optional<Tensor> transposed(Call &, const Tensor &in, std::span<const int64_t> perm);
/// `in` with `between` places between its elements, then `low` before and `high` behind in each dimension; where these
/// are negative, so many places less. In all of them `fill`'s single element or zero.
std::optional<Tensor> padded(Call &, const Tensor &in, const Shape &low, const Shape &high, const Shape &between,
                             const Tensor &fill = {});
/// `saturate`: of floats of 8 bits, see rw/ir/float8.h.
std::optional<Tensor> castTo(Call &, const Tensor &in, DType, bool saturate = true);

/// BatchNormalization with training_mode, its five operands there.
bool batchNormTraining(Call &);

/// c = a × b per batch: [batch, m, k] × [batch, k, n] in row-major order; rows of batch i start at the given offsets.
bool multiply(Call &, const Tensor &a, const Tensor &b, Tensor &c, size_t m, size_t k, size_t n,
              std::span<const std::pair<size_t, size_t>> offsets);

/// Runs along the last dimension of `shape`: row(n, position, offsets) for n elements, operand j's at
/// offsets[j] + i * strides[j].back().
template <size_t N, class Row> void forEachRow(const Shape &shape, const std::array<Shape, N> &strides, Row row) {
  size_t rank = shape.size(), position = 0;
  std::array<int64_t, N> at{};
  int64_t length = rank ? shape[rank - 1] : 1;
  for (int64_t d : shape)
    if (d == 0)
      return;
  Shape index(rank, 0);
  while (true) {
    row(length, position, at);
    position += size_t(length);
    size_t d = rank ? rank - 1 : 0;
    while (true) {
      if (d == 0)
        return;
      --d;
      for (size_t j = 0; j < N; ++j)
        at[j] += strides[j][d];
      if (++index[d] < shape[d])
        break;
      for (size_t j = 0; j < N; ++j)
        at[j] -= strides[j][d] * shape[d];
      index[d] = 0;
    }
  }
}

} // namespace rw
