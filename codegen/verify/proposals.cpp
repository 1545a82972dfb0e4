#include "codegen/verify/proposals.h"

#include "rw/interp/element.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rw::verify {
namespace {

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}
/// Contracted and batch dimensions of either operand.
bool isPairedDims(std::string_view n) {
  return isOneOf(n, {"lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract", "lhs_batching_dimensions",
                     "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions", "lb", "rb",
                     "lc", "rc"});
}
bool isScaleName(std::string_view n) {
  return isOneOf(n, {"scale", "B", "bias", "mean", "var", "input_mean", "input_var", "offset", "variance"});
}

} // namespace

Tensor tensorOf(DType dtype, const Shape &shape, std::span<const double> numbers) {
  std::optional<Tensor> t = Tensor::make(dtype, shape);
  if (!t || isInteger4(dtype)) // few laws know these
    return {};
  visitAny(dtype, [&]<class T>(T) {
    for (size_t i = 0; i < t->size(); ++i)
      t->mutableData<T>()[i] = convertElement<T>(numbers[i]);
    return true;
  });
  return *t;
}

Tensor tensorOfInts(const Shape &shape, std::span<const int64_t> numbers) {
  std::optional<Tensor> t = Tensor::make(DType::I64, shape);
  if (!t || t->size() != numbers.size())
    return {};
  std::ranges::copy(numbers, t->mutableData<int64_t>());
  return *t;
}

void Proposals::startInstance() {
  wild_ = choices_.chance(25);
  static const std::vector<DType> dtypes = {DType::F32, DType::F32, DType::F32, DType::F32, DType::F32,  DType::F32,
                                            DType::I32, DType::I64, DType::F16, DType::F64, DType::BF16, DType::Bool,
                                            DType::U8,  DType::I8,  DType::I64, DType::C64};
  dtype_ = dtypes[choices_.below(dtypes.size())];
  static const std::vector<DType> rarer = {DType::U32, DType::U64, DType::I16, DType::U16, DType::C128};
  if (choices_.chance(8))
    dtype_ = choices_.pick(rarer);
  if (!literals_.dtypes.empty() && choices_.chance(30))
    if (std::optional<DType> t = dtypeFromName(choices_.pick(literals_.dtypes)); t && *t != DType::Unknown)
      dtype_ = *t;
  size_t rank = size_t(choices_.pick({2, 3, 4, 2, 3, 4, 2, 3, 4, 1, 1, 0, 5}));
  std::vector<int64_t> sizes = {2, 3, 4, 5, 1, 6};
  // what a pattern tests of a rank or a size is next to what it names
  if (!literals_.ints.empty() && choices_.chance(wild_ ? 30 : 12)) {
    const int64_t far = sizing_.namesNumbers && choices_.chance(50) ? named() : 0;
    const int64_t near = (far ? far : choices_.pick(literals_.ints)) + choices_.pick({0, 1, -1});
    if (near >= 0 && near <= 7 && choices_.chance(50))
      rank = size_t(near);
    else if (wild_ && near > 40 && near <= 1000) { // one long dimension, or two
      rank = near < 72 && choices_.chance(50) ? 2 : 1;
      sizes = {near + choices_.pick({0, 1, 2})};
      sizes.push_back(sizes[0] + choices_.pick({0, 1}));
    } else if (near >= 1 && near <= (rank <= 2 ? 40 : rank <= 4 ? 12 : 8)) // of few elements
      sizes[choices_.below(3)] = near;
  }
  // What places of a narrow type cannot say.
  const auto names = [&](std::initializer_list<std::string_view> types) {
    return std::ranges::any_of(literals_.dtypes,
                               [&](const std::string &t) { return std::ranges::find(types, t) != types.end(); });
  };
  const bool mayOutgrow = wild_ && sizing_.outgrowsNarrow;
  const unsigned counting = literals_.countsPlaces ? 15 : 0;
  const bool narrow8 = mayOutgrow && choices_.chance(names({"i8", "u8", "bf16"}) ? 40 : counting),
             half = mayOutgrow && !narrow8 && choices_.chance(names({"f16"}) ? 20 : counting / 5),
             narrow16 = mayOutgrow && !narrow8 && !half && choices_.chance(names({"i16", "u16"}) ? 20 : counting / 8);
  most_ = narrow16 ? kMostOfOneDim : kMostElements;
  const bool outgrows = narrow8 || half || narrow16;
  if (outgrows) {
    outgrowing_ = narrow16 ? choices_.pick({32770, 65540}) : half ? 2051 : choices_.pick({130, 260});
    rank = narrow8 && choices_.chance(20) ? 2 : 1;
    sizes = {outgrowing_, rank == 1 ? outgrowing_ + 1 : choices_.pick({1, 2, 3})};
    outgrown_ = narrow16 ? std::vector{DType::I16, DType::U16}
                : half   ? std::vector{DType::F16}
                         : std::vector{DType::I8, DType::U8, DType::BF16};
    if (choices_.chance(40))
      dtype_ = choices_.pick(outgrown_);
  }
  long_ = !outgrows && choices_.chance(sizing_.lengths);
  if (long_) {
    rank = size_t(choices_.pick({1, 1, 2}));
    sizes = {7, 9, 6, 8, 11, 5};
  }
  uniform_ = !long_ && !outgrows && choices_.chance(sizing_.coincidences);
  if (uniform_) // shapes that agree by chance: what is told by sizes alone is told wrong here
    base_.assign(rank, rank <= 2   ? choices_.pick({2, 3, 4, 5, 6})
                       : rank == 3 ? choices_.pick({2, 3, 4})
                                   : choices_.pick({2, 3}));
  alike_ = choices_.chance(10);
  for (size_t i = base_.size(); i < rank; ++i) {
    const size_t at = choices_.below(sizes.size());
    base_.push_back(sizes[at]);
    if (choices_.chance(85) && sizes.size() > 2)
      sizes.erase(sizes.begin() + long(at));
  }
  if (rank > 0 && choices_.chance(3)) // nothing at all
    base_[choices_.below(rank)] = 0;
}

void Proposals::startOp() {
  placed_.clear();
  cutsPlanned_ = false;
  alone_.reset();
  if (choices_.chance(20))
    alone_ = choices_.below(6);
}

void Proposals::made(const OpDraft &draft) {
  for (const auto &[name, list] : draft.ints)
    if (list.size() > 1 || name == "axes")
      earlier_.emplace_back(name, list);
  if (cutsPlanned_) {
    cutsBefore_ = cuts_;
    cutAlongBefore_ = cutAlong_;
  }
}

DType Proposals::otherDType() {
  if (!literals_.dtypes.empty() && choices_.chance(40))
    if (std::optional<DType> t = dtypeFromName(choices_.pick(literals_.dtypes)); t && *t != DType::Unknown)
      return *t;
  static const std::vector<DType> all = {DType::F32, DType::I64, DType::Bool, DType::I32,  DType::F16,
                                         DType::F64, DType::U8,  DType::I8,   DType::BF16, DType::I16,
                                         DType::U16, DType::U32, DType::U64};
  return choices_.pick(all);
}
void Proposals::dtypeFor(const OpDraft &draft, size_t index, std::string_view name, DType &dtype) {
  if (isOneOf(name, {"condition", "cond", "pred"}))
    dtype = DType::Bool;
  if (draft.attempt > 12 && choices_.chance(30))
    return;
  const bool dequantizes = draft.op == "DequantizeLinear";
  if (isOneOf(name, {"x_scale", "y_scale", "a_scale", "b_scale", "w_scale"}))
    dtype = !wild_ || choices_.chance(50) ? DType::F32 : choices_.chance(50) ? DType::F16 : DType::BF16;
  else if (name.ends_with("zero_point") || (dequantizes && index == 0)) {
    static const std::vector<DType> wide = {DType::I16, DType::U16, DType::I32};
    dtype = dequantizes && index > 0 && draft.data() ? draft.data()->dtype()
            : wild_ && choices_.chance(50)           ? choices_.pick(wide)
            : choices_.chance(50)                    ? DType::U8
                                                     : DType::I8;
  } else if (isOneOf(draft.op, {"QuantizeLinear", "DynamicQuantizeLinear"}) && index == 0)
    dtype = DType::F32;
  else if (name == "start_indices" && index > 0 && index < draft.operands.size() && draft.operands[index - 1] &&
           draft.operands[index - 1].rank() == 0 && isInteger(draft.operands[index - 1].dtype()))
    dtype = draft.operands[index - 1].dtype(); // all of one type
  else if (isOneOf(name, {"start_indices", "starts", "indices"}))
    dtype = DType::I64;
}

DType Proposals::dtypeAttr() {
  static const std::vector<DType> small = {DType::F8E4M3FN, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};
  if (!outgrown_.empty() && choices_.chance(60))
    return choices_.pick(outgrown_);
  if (wild_ && choices_.chance(30))
    return choices_.pick(small);
  return choices_.chance(30) ? dtype_ : otherDType();
}

Shape Proposals::freshShape() {
  const unsigned way = choices_.below(100);
  if (way < 60 || alike_)
    return base_;
  Shape shape = base_;
  if (way < 75 && uniform_ && !shape.empty() && shape[0] % 2 == 0) { // what is joined to the same size again
    shape[choices_.below(shape.size())] = shape[0] / 2;
  } else if (way < 75 && !shape.empty()) { // one dimension another
    shape[choices_.below(shape.size())] = choices_.pick({1, 1, 1, 2, 2, 3, 3, 4, 4, 0});
  } else if (way < 85 && shape.size() > 1) { // in another order
    const size_t a = choices_.below(shape.size());
    std::swap(shape[a], shape[choices_.below(shape.size())]);
  } else {
    shape.resize(choices_.below(5));
    for (int64_t &d : shape)
      d = choices_.pick({1, 2, 3, 4});
  }
  return shape;
}

Shape Proposals::stretching(const Shape &to) {
  Shape shape = to;
  const unsigned way = choices_.below(100);
  if (way < 45)
    return shape;
  if (way < 65) // one element
    return Shape(way < 55 ? 0 : choices_.below(to.size() + 1), 1);
  if (way < 80 && !shape.empty()) // the last dimensions
    shape.erase(shape.begin(), shape.begin() + choices_.below(shape.size() + 1));
  for (int64_t &d : shape)
    if (choices_.chance(50))
      d = 1;
  return shape;
}

std::vector<int64_t> Proposals::pairedDims(const OpDraft &draft, std::string_view name) {
  const bool isLeft = name.front() == 'l', isBatch = name.find('b') != name.npos;
  const size_t rank = draft.operands.size() > (isLeft ? 0u : 1u) && draft.operands[isLeft ? 0 : 1]
                          ? draft.operands[isLeft ? 0 : 1].rank()
                          : SIZE_MAX;
  auto known = [&](bool left, bool batch) -> const std::vector<int64_t> * {
    for (const auto &[n, list] : draft.ints)
      if (isPairedDims(n) && (n.front() == 'l') == left && (n.find('b') != n.npos) == batch)
        return &list;
    return nullptr;
  };
  const std::vector<int64_t> *other = known(!isLeft, isBatch), *taken = known(isLeft, !isBatch);
  const size_t count = other     ? other->size()
                       : isBatch ? choices_.pick({0, 0, 1, 1, 2})
                                 : choices_.pick({1, 1, 1, 2, 0, 2});
  const size_t least = count + (taken ? taken->size() : 0);
  const size_t places = rank != SIZE_MAX ? rank : std::max(least, size_t(choices_.pick({2, 3, 4, 3, 2})));
  std::vector<int64_t> free;
  for (int64_t i = 0; i < int64_t(places); ++i)
    if (!taken || std::ranges::find(*taken, i) == taken->end())
      free.push_back(i);
  const bool inOrder = choices_.chance(40);
  for (size_t i = free.size(); i > 1 && !inOrder; --i)
    std::swap(free[i - 1], free[choices_.below(i)]);
  free.resize(std::min(free.size(), count));
  // Where both operands are there, dimensions of one size.
  const Tensor *mine = rank != SIZE_MAX ? &draft.operands[isLeft ? 0 : 1] : nullptr;
  const Tensor *theirs =
      draft.operands.size() > 1 && draft.operands[isLeft ? 1 : 0] ? &draft.operands[isLeft ? 1 : 0] : nullptr;
  if (mine && theirs && other && choices_.chance(80)) {
    std::vector<int64_t> out;
    for (int64_t j : *other) {
      std::vector<int64_t> fitting;
      for (int64_t i = 0; i < int64_t(mine->rank()); ++i)
        if (j >= 0 && j < int64_t(theirs->rank()) && mine->dim(size_t(i)) == theirs->dim(size_t(j)) &&
            std::ranges::find(out, i) == out.end() && (!taken || std::ranges::find(*taken, i) == taken->end()))
          fitting.push_back(i);
      if (fitting.empty())
        return free;
      out.push_back(choices_.pick(fitting));
    }
    return out;
  }
  return free;
}

/// The shape of the operand whose dimensions are paired with those of another.
std::optional<Shape> Proposals::pairedShape(const OpDraft &draft, size_t index) {
  const Tensor *other = draft.operands.size() > 1 && draft.operands[1 - index] ? &draft.operands[1 - index] : nullptr;
  if (!other)
    return std::nullopt;
  Shape out;
  for (bool batch : {false, true}) {
    const std::vector<int64_t> *mine = nullptr, *theirs = nullptr;
    for (const auto &[n, list] : draft.ints)
      if (isPairedDims(n) && (n.find('b') != n.npos) == batch)
        ((n.front() == 'l') == (index == 0) ? mine : theirs) = &list;
    for (size_t i = 0; mine && theirs && i < mine->size() && i < theirs->size(); ++i) {
      const int64_t to = (*mine)[i], from = (*theirs)[i];
      if (to < 0 || to > 6 || from < 0 || from >= int64_t(other->rank()))
        return std::nullopt;
      if (out.size() <= size_t(to))
        out.resize(size_t(to) + 1, -1);
      out[size_t(to)] = other->dim(size_t(from));
    }
  }
  if (out.size() < 4)
    out.resize(out.size() + choices_.below(3), -1);
  const int64_t same = uniform_ && other->rank() ? other->dim(0) : 0;
  for (int64_t &d : out)
    if (d < 0)
      d = same ? same : choices_.pick({2, 3, 1, 4});
  return out;
}

Shape Proposals::shapeFor(const OpDraft &draft, size_t index, std::string_view name) {
  const Tensor *x = draft.data();
  if (index < 2 && draft.attempt < 30 && isOneOf(draft.op, {"dot_general", "dot", "contract"}))
    if (std::optional<Shape> shape = pairedShape(draft, index))
      return *shape;
  const std::string_view op = draft.op;
  if (name == "init_values")
    return {};
  if (index == 0 && (op.starts_with("reduce_") || op.starts_with("Reduce")) && !base_.empty() && choices_.chance(4)) {
    Shape s = base_; // nothing to reduce, in one dimension
    s[choices_.below(s.size())] = 0;
    return s;
  }
  auto channels = [&]() -> Shape {
    for (const auto &[n, v] : draft.ints) // numbers for each feature
      if (n == "spatial" && v == std::vector<int64_t>{0} && x && x->rank() > 1)
        return Shape(x->shape().begin() + 1, x->shape().end());
    return {x && x->rank() > 1 ? x->dim(1) : 2};
  };
  auto attr = [&](std::string_view wanted, int64_t otherwise) {
    for (const auto &[n, v] : draft.ints)
      if (n == wanted && v.size() == 1)
        return v[0];
    return otherwise;
  };
  const bool strict = draft.attempt < 20 || choices_.chance(60);
  auto spatialDims = [&]() -> size_t { return choices_.chance(55) ? 2 : choices_.chance(50) ? 1 : 3; };
  if (strict && isOneOf(op, {"Conv", "ConvInteger", "QLinearConv", "FusedConv", "ConvRelu", "conv"})) {
    const int64_t group = std::max<int64_t>(attr("group", attr("groups", 1)), 1);
    if (index == 0) {
      const int64_t channels = group * choices_.pick({1, 2, 3});
      if (!draft.operands.empty())
        for (const Tensor &t : draft.operands)
          if (t && t.rank() >= 3) {
            // The number of groups may follow from this.
            const bool makesTwo = group == 1 && t.dim(0) % 2 == 0 && choices_.chance(25);
            Shape s{choices_.pick({1, 2}), t.dim(1) * (makesTwo ? 2 : group)};
            for (size_t i = 2; i < t.rank(); ++i)
              s.push_back(t.dim(i) + choices_.pick({0, 1, 2, 3}));
            return s;
          }
      Shape s{choices_.pick({1, 2}), channels};
      const size_t spatial = spatialDims();
      for (size_t i = 0; i < spatial; ++i)
        s.push_back(spatial == 3 ? choices_.pick({1, 2, 3, 4}) : choices_.pick({3, 4, 5}));
      return s;
    }
    if (x && x->rank() >= 3 && (name == "W" || name == "w")) {
      Shape s{group * choices_.pick({1, 2, 3}), std::max<int64_t>(x->dim(1) / group, 1)};
      for (size_t i = 2; i < x->rank(); ++i)
        s.push_back(choices_.pick({1, 2, 3}));
      return s;
    }
    for (const Tensor &t : draft.operands)
      if (&t != x && t && t.rank() >= 3)
        return {t.dim(0)};
  }
  if (strict && op == "ConvTranspose") {
    if (index == 0) {
      Shape s{choices_.pick({1, 2}), draft.operands.size() > 1 && draft.operands[1] && draft.operands[1].rank() > 2
                                         ? draft.operands[1].dim(0)
                                         : choices_.pick({1, 2, 4})};
      const size_t spatial = draft.operands.size() > 1 && draft.operands[1] && draft.operands[1].rank() > 2
                                 ? draft.operands[1].rank() - 2
                                 : spatialDims();
      for (size_t i = 0; i < spatial; ++i)
        s.push_back(choices_.pick({2, 3}));
      return s;
    }
    if (index == 1 && x && x->rank() >= 3) {
      Shape s{x->dim(1), choices_.pick({1, 2, 3})};
      for (size_t i = 2; i < x->rank(); ++i)
        s.push_back(choices_.pick({1, 2}));
      return s;
    }
    if (draft.operands.size() > 1 && draft.operands[1] && draft.operands[1].rank() > 1)
      return {draft.operands[1].dim(1) * std::max<int64_t>(attr("group", 1), 1)};
  }
  if (strict && isOneOf(op, {"LSTM", "GRU", "RNN"})) {
    // Of all: directions, gates times hidden elements, elements of the input.
    const int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    const Tensor *w = draft.operands.size() > 1 && draft.operands[1] ? &draft.operands[1] : nullptr;
    const bool known = x && x->rank() == 3 && w && w->rank() == 3;
    const int64_t directions = known ? w->dim(0) : 1, hidden = known ? w->dim(1) / gates : attr("hidden_size", 2);
    const bool byBatch = attr("layout", 0) != 0;
    const int64_t batch = x && x->rank() == 3 ? x->dim(byBatch ? 0 : 1) : 1;
    if (index == 0)
      return {choices_.pick({1, 2, 3}), choices_.pick({1, 2}), choices_.pick({1, 2})};
    if (name == "W" && x && x->rank() == 3)
      return {choices_.pick({1, 1, 1, 2}), gates * attr("hidden_size", 2), x->dim(2)};
    if (name == "R")
      return {directions, gates * hidden, hidden};
    if (name == "B")
      return {directions, 2 * gates * hidden};
    if (name == "P")
      return {directions, 3 * hidden};
    if (name == "sequence_lens")
      return {batch};
    if (name == "initial_h" || name == "initial_c")
      return byBatch ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  }
  if (strict && op == "Resize" && (name == "roi" || name == "scales")) {
    size_t count = x ? x->rank() : base_.size();
    for (const auto &[n, v] : draft.ints)
      if (n == "axes")
        count = v.size();
    return {int64_t(name == "roi" ? 2 * count : count)};
  }
  if (strict && isOneOf(op, {"QuantizeLinear", "DequantizeLinear"}) && index > 0) {
    if (index == 2 && draft.operands.size() > 1 && draft.operands[1])
      return draft.operands[1].shape();
    if (const int64_t block = attr("block_size", 0); block > 0 && x && x->rank()) {
      Shape s = x->shape();
      const int64_t axis = attr("axis", 1), rank = int64_t(s.size());
      int64_t &along = s[size_t(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank - 1))];
      along = (along + block - 1) / block;
      return s;
    }
    if (!x || x->rank() == 0 || choices_.chance(45)) // one for all
      return choices_.chance(70) ? Shape{} : Shape{1};
    const int64_t rank = int64_t(x->rank()), axis = attr("axis", 1), place = axis < 0 ? axis + rank : axis;
    return {x->dim(size_t(std::clamp<int64_t>(place, 0, rank - 1)))};
  }
  if (strict && op.starts_with("batch_norm_") && isScaleName(name)) {
    const int64_t feature = attr("feature_index", -1);
    return {x && feature >= 0 && feature < int64_t(x->rank()) ? x->dim(size_t(feature)) : 2};
  }
  if (strict && isOneOf(op, {"BatchNormalization", "InstanceNormalization", "GroupNormalization"}) && index > 0 &&
      isScaleName(name))
    return channels();
  if (strict &&
      isOneOf(op,
              {"BatchNormalization", "InstanceNormalization", "MaxPool", "AveragePool", "LpPool", "GlobalAveragePool",
               "GlobalMaxPool", "LRN", "DepthToSpace", "SpaceToDepth", "Upsample", "Resize"}) &&
      index == 0 && base_.size() < 3) {
    Shape s{choices_.pick({1, 2}), choices_.pick({2, 3, 4})};
    const size_t spatial = spatialDims();
    for (size_t i = 0; i < spatial; ++i)
      s.push_back(choices_.pick({2, 3, 4}));
    return s;
  }
  if (strict && op == "LayerNormalization" && index > 0 && x && x->rank()) {
    int64_t axis = attr("axis", -1);
    axis = axis < 0 ? axis + int64_t(x->rank()) : axis;
    return axis >= 0 && axis < int64_t(x->rank()) ? Shape(x->shape().begin() + axis, x->shape().end())
                                                  : Shape{x->shape().back()};
  }
  if (strict && isOneOf(op, {"MatMul", "MatMulInteger", "QLinearMatMul", "matmul"}) &&
      isOneOf(name, {"A", "B", "a", "b", "lhs", "rhs"})) {
    const size_t other = index == 0 ? 1 : 0;
    const bool isLeft = isOneOf(name, {"A", "a", "lhs"});
    const Tensor *with = nullptr;
    for (size_t i = 0; i < draft.operands.size(); ++i)
      if (i != index && draft.operands[i] && (i == other || draft.operands[i].rank() > 1))
        with = &draft.operands[i];
    if (with && with->rank() >= 1) {
      const int64_t k = isLeft ? with->dim(with->rank() >= 2 ? with->rank() - 2 : 0) : with->shape().back();
      Shape s = isLeft ? Shape{choices_.pick({2, 3, 4, 1}), k} : Shape{k, choices_.pick({2, 3, 4, 5})};
      if (choices_.chance(10))
        return {k};
      if (with->rank() > 2 && choices_.chance(60)) {
        s.insert(s.begin(), with->shape().begin(), with->shape().end() - 2);
        if (choices_.chance(15)) // which stretches
          s[choices_.below(s.size() - 2)] = 1;
      } else if (choices_.chance(10)) { // more batches than the other has
        s.insert(s.begin(), choices_.pick({1, 2, 3}));
      }
      return s;
    }
    Shape s = freshShape();
    while (s.size() < 2)
      s.push_back(choices_.pick({2, 3}));
    return s;
  }
  if (strict && op == "DepthToSpace") // several channels of blocks, so that their order shows
    return {choices_.pick({1, 2}), choices_.pick({8, 12, 4, 18, 9}), choices_.pick({1, 2, 3}),
            choices_.pick({2, 1, 3})};
  if (strict && op == "SpaceToDepth")
    return {choices_.pick({1, 2}), choices_.pick({2, 3, 1}), choices_.pick({2, 4, 6, 3}), choices_.pick({4, 2, 3, 6})};
  if (strict && op == "Gemm") {
    const Tensor *a = x, *b = draft.operands.size() > 1 && draft.operands[1] ? &draft.operands[1] : nullptr;
    const bool ta = attr("transA", 0) != 0, tb = attr("transB", 0) != 0;
    if (index == 0)
      return b && b->rank() == 2
                 ? (ta ? Shape{b->dim(tb), choices_.pick({2, 3})} : Shape{choices_.pick({2, 3}), b->dim(tb)})
                 : Shape{choices_.pick({2, 3}), choices_.pick({3, 4, 2})};
    if (index == 1 && a && a->rank() == 2)
      return tb ? Shape{choices_.pick({2, 4, 5}), a->dim(!ta)} : Shape{a->dim(!ta), choices_.pick({2, 4, 5})};
    if (index == 2 && a && b && a->rank() == 2 && b->rank() == 2)
      return stretching({a->dim(ta), b->dim(!tb)});
  }
  // a start for each dimension
  if (strict && op.starts_with("dynamic_") && op.ends_with("slice") && isOneOf(name, {"x", "operand", "update"})) {
    const size_t rank = draft.operands.size() - (op == "dynamic_update_slice" ? 2 : 1);
    const Tensor *other = nullptr;
    if (op == "dynamic_update_slice" && draft.operands[1 - index])
      other = &draft.operands[1 - index];
    Shape s = other ? other->shape() : base_;
    while (s.size() < rank)
      s.push_back(choices_.pick({2, 3, 4}));
    s.resize(rank);
    for (int64_t &d : s)
      d = std::max<int64_t>(d + (!other             ? 0
                                 : name == "update" ? -choices_.pick({0, 0, 1, 2})
                                                    : choices_.pick({0, 0, 1, 2})),
                            0);
    return s;
  }
  if (strict && isOneOf(op, {"Gather", "gather", "GatherElements", "GatherND"}) && index == 1)
    return choices_.chance(40) ? Shape{} : choices_.chance(60) ? Shape{choices_.pick({1, 2})} : Shape{2, 2};
  if (strict && isOneOf(name, {"value",        "constant_value",  "init",    "min",
                               "max",          "ratio",           "x_scale", "y_scale",
                               "x_zero_point", "y_zero_point",    "a_scale", "a_zero_point",
                               "b_scale",      "b_zero_point",    "w_scale", "w_zero_point",
                               "init_values",  "training_mode",   "k",       "depth",
                               "trilu_k",      "condition_scalar"}))
    return choices_.chance(80) ? Shape{} : Shape{1};
  if (strict && isOneOf(op, {"concat", "Concat", "concatenate"}) && index > 0 && x && x->rank() &&
      choices_.chance(70)) {
    Shape s = x->shape(); // another size along the axis alone
    const int64_t rank = int64_t(s.size()), axis = attr("axis", attr("dimension", 0));
    if (axis >= -rank && axis < rank)
      s[size_t(axis < 0 ? axis + rank : axis)] = choices_.pick({1, 2, 3, 4, 2, 1, 3, 0});
    return s;
  }
  std::vector<const Tensor *> others;
  for (size_t i = 0; i < draft.operands.size(); ++i)
    if (i != index && draft.operands[i])
      others.push_back(&draft.operands[i]);
  if (!others.empty() && choices_.chance(85)) {
    Shape s = others.front()->shape();
    if (choices_.chance(40) || alike_)
      return s;
    const int64_t longest = s.empty() ? 0 : *std::ranges::max_element(s);
    if (longest < 2 || std::ranges::find(s, 1) == s.end() || choices_.chance(75))
      return stretching(s);
    std::ranges::replace(s, int64_t(1), longest); // which the other stretches to
    return s;
  }
  return freshShape();
}

bool Proposals::isSteering(std::string_view op, std::string_view name) {
  return op != "clamp" &&
         isOneOf(name, {"shape",      "axes",          "axis",         "perm",         "pads",         "starts",
                        "ends",       "steps",         "split",        "repeats",      "indices",      "k",
                        "K",          "depth",         "sizes",        "output_shape", "kernel_shape", "strides",
                        "dilations",  "start",         "limit",        "stride",       "low",          "high",
                        "interior",   "sequence_lens", "lc",           "rc",           "lb",           "rb",
                        "batch_dims", "position",      "start_indices"});
}

std::vector<int64_t> Proposals::targetShape(const OpDraft &draft) {
  Shape s = draft.data() ? draft.data()->shape() : base_;
  const bool reshapes = isOneOf(draft.op, {"Reshape", "reshape"});
  if (reshapes && !s.empty() && s.back() > 0 && choices_.chance(12)) { // rows one behind another, and as they were
    const int64_t last = s.back(), count = std::accumulate(s.begin(), s.end() - 1, int64_t(1), std::multiplies<>());
    Shape rows = base_;
    if (!rows.empty())
      rows.pop_back();
    if (choices_.chance(50) && count == std::accumulate(rows.begin(), rows.end(), int64_t(1), std::multiplies<>())) {
      rows.push_back(last);
      if (choices_.chance(50)) // of any size
        rows[choices_.below(rows.size())] = -1;
      return rows;
    }
    return {choices_.chance(50) ? -1 : count, last};
  }
  if (reshapes && choices_.chance(15)) { // anything of as many elements
    int64_t left = std::accumulate(s.begin(), s.end(), int64_t(1), std::multiplies<>());
    Shape out(choices_.below(4) + 1, 1);
    for (int64_t f : {2, 3, 5, 7, 11, 13})
      for (; left > 0 && left % f == 0; left /= f)
        out[choices_.below(out.size())] *= f;
    if (left == 1)
      return out;
  }
  for (unsigned steps = choices_.below(3) + 1; steps > 0; --steps) {
    const unsigned way = choices_.below(8);
    const size_t at = choices_.below(s.size() + 1);
    if (!reshapes) { // Expand and others: a 1 stretches, dimensions in front
      if (way < 2)
        break;
      if (way < 5 && at < s.size() && s[at] == 1)
        s[at] = choices_.pick({2, 3});
      else if (way < 6)
        s.insert(s.begin(), choices_.pick({1, 2}));
      continue;
    }
    if (way == 0) {
      break;
    } else if (way <= 2 && at + 1 < s.size()) { // two become one
      s[at] *= s[at + 1];
      s.erase(s.begin() + long(at) + 1);
    } else if (way <= 4 && at < s.size()) { // one becomes two
      for (int64_t f : {2, 3})
        if (s[at] % f == 0) {
          s[at] /= f;
          s.insert(s.begin() + long(at), f);
          break;
        }
    } else if (way == 5) {
      s.insert(s.begin() + long(at), 1);
    } else if (at < s.size() && s[at] == 1) {
      s.erase(s.begin() + long(at));
    } else if (way == 7) {
      const int64_t n = std::accumulate(s.begin(), s.end(), int64_t(1), std::multiplies<>());
      s = {n};
    }
  }
  if (reshapes && s.size() > 1 && !literals_.ints.empty() && choices_.chance(12)) { // a size that the pattern names
    const size_t at = choices_.below(s.size()), rest = choices_.below(s.size());
    if (const int64_t named = choices_.pick(literals_.ints); named > 1 && at != rest) {
      s[at] = named;
      s[rest] = -1;
      return s;
    }
  }
  if (reshapes && choices_.chance(25) && !s.empty())
    s[choices_.below(s.size())] = -1;
  if (reshapes && choices_.chance(15) && draft.data())
    for (size_t i = 0; i < s.size() && i < draft.data()->rank(); ++i)
      if (s[i] == draft.data()->dim(i) && choices_.chance(50))
        s[i] = 0;
  return s;
}

/// A shape that the operand's dimensions go into, in some order, some stretched, with others between them; where they
/// go is kept for the list that says so.
std::vector<int64_t> Proposals::broadcastTarget(const OpDraft &draft) {
  const Shape own = draft.data() ? draft.data()->shape() : base_;
  const size_t rank = own.size() + size_t(uniform_ ? choices_.pick({0, 0, 0, 0, 1}) : choices_.pick({0, 0, 1, 1, 2}));
  for (const auto &[n, v] : draft.ints)
    if (n == "dims" || n == "broadcast_dimensions")
      placed_ = v;
  if (placed_.size() != own.size() || std::ranges::any_of(placed_, [&](int64_t p) { return p < 0 || p > 6; })) {
    std::vector<int64_t> places(rank);
    std::iota(places.begin(), places.end(), 0);
    const bool inOrder = choices_.chance(uniform_ ? 20 : 50);
    for (size_t i = rank; i > 1; --i)
      std::swap(places[i - 1], places[choices_.below(i)]);
    placed_.assign(places.begin(), places.begin() + long(own.size()));
    if (inOrder)
      std::ranges::sort(placed_);
  }
  size_t last = rank;
  for (int64_t p : placed_)
    last = std::max(last, size_t(p) + 1);
  Shape out(last);
  for (int64_t &d : out)
    d = outgrowing_ && rank == 1 ? outgrowing_ : choices_.pick({2, 3, 1, 2, 3, 4, 1, 0});
  for (size_t i = 0; i < own.size(); ++i)
    out[size_t(placed_[i])] = own[i] == 1 && choices_.chance(40) ? choices_.pick({2, 3}) : own[i];
  return out;
}

std::vector<int64_t> Proposals::counterpart(std::string_view name, size_t length, const Selectors &by) const {
  std::vector<const std::vector<int64_t> *> fitting;
  for (const auto &[n, list] : earlier_)
    if (n == name && list.size() == length)
      fitting.push_back(&list);
  if (fitting.empty())
    return {};
  const std::vector<int64_t> &other = *fitting[by.a % fitting.size()];
  std::vector<int64_t> out = other;
  const unsigned way = isOneOf(name, {"start", "limit", "stride", "starts", "ends", "steps", "start_indices",
                                      "limit_indices", "strides"})
                           ? 3
                           : by.b % 4;
  if (way == 0) // a permutation back again
    for (size_t i = 0; i < out.size(); ++i)
      if (other[i] >= 0 && other[i] < int64_t(out.size()))
        out[size_t(other[i])] = int64_t(i);
  if (way == 1) // amounts that are taken away again
    for (int64_t &v : out)
      v = -v;
  return out;
}

Proposals::Cut Proposals::cutOf(int64_t size, bool canTurn, const Cut *before, bool continues) {
  Cut c{0, size, 1};
  const bool takesStep = before && choices_.chance(70);
  c.step = takesStep ? before->step : long_ ? choices_.pick({2, 3, 1, 2}) : choices_.pick({1, 1, 1, 1, 1, 2, 2, 3});
  if (!takesStep && !literals_.ints.empty() && choices_.chance(8))
    if (const int64_t named = choices_.pick(literals_.ints); named > 1 && named < size)
      c.step = named;
  if (canTurn && c.step > 0 && choices_.chance(12))
    c.step = -c.step;
  if (size <= 0)
    return c;
  if (c.step < 0) { // from behind: to the first one, mostly
    c.start = choices_.chance(65) ? size - 1 : int64_t(choices_.below(size_t(size)));
    c.end = choices_.chance(65) ? -1 : int64_t(choices_.below(size_t(size))) - 1;
    return c;
  }
  if (continues && before && before->end >= 0 && before->end <= size)
    c.start = before->end;
  else if (choices_.chance(55))
    c.start = std::min<int64_t>(choices_.pick({0, 1, 1, 2}), size);
  if (choices_.chance(continues || c.start == 0 ? 65 : 40))
    c.end = c.start + (c.start < size ? 1 + int64_t(choices_.below(size_t(size - c.start))) : 0);
  if (choices_.chance(3)) // nothing
    c.end = c.start;
  return c;
}

void Proposals::planCuts(const OpDraft &draft) {
  const Shape shape = draft.data() ? draft.data()->shape() : base_;
  const int64_t rank = int64_t(shape.size());
  const bool whole = draft.op == "slice"; // of every dimension there is a start
  auto known = [&](std::initializer_list<std::string_view> names) -> const std::vector<int64_t> * {
    for (const auto &[n, list] : draft.ints)
      if (isOneOf(n, names))
        return &list;
    return nullptr;
  };
  const std::vector<int64_t> *starts = known({"starts", "start", "start_indices"}),
                             *ends = known({"ends", "limit", "limit_indices"}),
                             *steps = known({"steps", "stride", "strides"}), *axes = known({"axes"});
  cutAlong_.resize(size_t(rank));
  std::iota(cutAlong_.begin(), cutAlong_.end(), 0);
  if (!whole) {
    for (size_t i = cutAlong_.size(); i > 1; --i)
      std::swap(cutAlong_[i - 1], cutAlong_[choices_.below(i)]);
    const size_t count = starts  ? starts->size()
                         : ends  ? ends->size()
                         : steps ? steps->size()
                                 : size_t(choices_.pick({1, 1, 1, 2, rank, rank}));
    cutAlong_.resize(std::min(count, cutAlong_.size()));
    if (axes) {
      cutAlong_ = *axes;
      for (int64_t &a : cutAlong_)
        a = a < 0 ? a + rank : a;
    } else if (cutsBefore_.size() == shape.size() && count == cutAlongBefore_.size() && choices_.chance(40)) {
      cutAlong_ = cutAlongBefore_;
    } else if (choices_.chance(40)) {
      std::ranges::sort(cutAlong_);
    }
  }
  cuts_.clear();
  for (int64_t d : shape)
    cuts_.push_back({0, d, 1});
  const unsigned way = choices_.below(100);
  const bool goesOn = cutsBefore_.size() == cuts_.size() && choices_.chance(long_ ? 55 : 30);
  const size_t along = rank ? choices_.below(size_t(rank)) : 0;
  int64_t least = INT64_MAX;
  for (int64_t a : cutAlong_)
    if (a >= 0 && a < rank)
      least = std::min(least, shape[size_t(a)]);
  const int64_t window = least > 0 && least < INT64_MAX ? 1 + int64_t(choices_.below(size_t(least))) : 0;
  const bool alike = choices_.chance(35); // from one place in one step, whatever the dimension
  std::optional<Cut> first;
  for (size_t i = 0; i < cutAlong_.size(); ++i) {
    if (cutAlong_[i] < 0 || cutAlong_[i] >= rank)
      continue;
    const size_t a = size_t(cutAlong_[i]);
    Cut &c = cuts_[a];
    const Cut *before = goesOn || cutsBefore_.size() == cuts_.size() ? &cutsBefore_[a] : nullptr;
    if (goesOn && a != along) // as before in all other dimensions
      c = cutsBefore_[a];
    else if (!goesOn && way < (uniform_ || long_ ? 25 : 12) && window) { // as much of each, from other places
      c.end = window + (c.start = int64_t(choices_.below(size_t(shape[a] - window) + 1)));
      c.step = choices_.pick({1, 1, 2, 3});
    } else if (!goesOn && !whole && way < 37) // turned round or whole
      c = choices_.chance(60) ? Cut{shape[a] - 1, -1, -1} : c;
    else
      c = cutOf(shape[a], !whole, before, goesOn);
    if (alike && first && !goesOn && (c.step > 0) == (first->step > 0)) {
      c.start = std::min(first->start, shape[a]);
      c.step = first->step;
      c.end = c.step > 0 ? std::max(c.end, c.start) : c.end;
    }
    // From a place that the pattern names, or in steps of that size.
    if (const int64_t n = sizing_.namesNumbers ? named() : 0;
        n && n < shape[a] && c.step > 0 && !goesOn && choices_.chance(25)) {
      (choices_.chance(70) ? c.start : c.step) = n;
      c.end = std::max(c.end, c.start);
    }
    first = first ? first : c;
    if (steps && i < steps->size())
      c.step = (*steps)[i];
    if (starts && i < starts->size())
      c.start = (*starts)[i];
    if (ends && i < ends->size())
      c.end = (*ends)[i];
  }
  cutsPlanned_ = true;
}

/// A list of the slice that was planned; ONNX counts from behind as well, and takes what lies outside.
std::vector<int64_t> Proposals::cutList(const OpDraft &draft, std::string_view name) {
  if (!cutsPlanned_)
    planCuts(draft);
  const Shape shape = draft.data() ? draft.data()->shape() : base_;
  const int64_t rank = int64_t(shape.size());
  const bool whole = draft.op == "slice";
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> out;
  for (int64_t a : cutAlong_) {
    if (a < 0 || a >= rank || size_t(a) >= cuts_.size()) {
      out.push_back(0);
      continue;
    }
    const Cut &c = cuts_[size_t(a)];
    const int64_t size = shape[size_t(a)];
    if (name == "axes")
      out.push_back(choices_.chance(15) ? a - rank : a);
    else if (isOneOf(name, {"steps", "stride", "strides"}))
      out.push_back(c.step);
    else if (isOneOf(name, {"starts", "start", "start_indices"}))
      out.push_back(whole                                                      ? c.start
                    : c.start < size && choices_.chance(20)                    ? c.start - size
                    : c.start == 0 && c.step > 0 && choices_.chance(5)         ? -1000
                    : c.start == size - 1 && c.step < 0 && choices_.chance(30) ? choices_.pick({1000, kMost})
                                                                               : c.start);
    else if (whole)
      out.push_back(c.end);
    else if (c.step < 0)
      out.push_back(c.end < 0 ? choices_.pick({-1 - size, -1000, kLeast, -kMost}) : c.end);
    else
      out.push_back(c.end >= size                      ? choices_.pick({size, 1000, kMost, size})
                    : c.end > 0 && choices_.chance(20) ? c.end - size
                                                       : c.end);
  }
  return out;
}

Tensor Proposals::indices(const OpDraft &draft) {
  const Tensor *x = draft.data();
  const Shape shape = x ? x->shape() : base_;
  const int64_t rank = int64_t(shape.size());
  int64_t axis = 0;
  for (const auto &[n, v] : draft.ints)
    if (n == "axis" && v.size() == 1)
      axis = v[0] < 0 ? v[0] + rank : v[0];
  const bool hasAxis = axis >= 0 && axis < rank;
  int64_t size = hasAxis ? shape[size_t(axis)] : 2;
  Shape out;
  if (isOneOf(draft.op, {"GatherElements", "ScatterElements"})) {
    out = shape;
    if (rank && choices_.chance(40)) {
      int64_t &d = out[choices_.below(size_t(rank))];
      d = std::max<int64_t>(d - 1, 0);
    }
  } else if (isOneOf(draft.op, {"GatherND", "ScatterND"})) {
    int64_t batches = 0;
    for (const auto &[n, v] : draft.ints)
      if (n == "batch_dims" && v.size() == 1 && v[0] > 0 && v[0] < rank)
        batches = v[0];
    const int64_t places = rank ? 1 + int64_t(choices_.below(size_t(rank - batches))) : 0;
    out.assign(shape.begin(), shape.begin() + batches);
    if (batches == 0 || choices_.chance(50))
      out.push_back(choices_.pick({1, 2, 3}));
    out.push_back(places);
    size = places ? std::numeric_limits<int64_t>::max() : 2;
    for (int64_t i = batches; i < batches + places; ++i)
      size = std::min(size, shape[size_t(i)]);
  } else if (const unsigned way = choices_.below(100); way < 30) {
    out = {};
  } else if (way < 62) {
    out = {choices_.pick({1, 2, 2, 0, 3})};
  } else if (way < 82) { // as many as there are: the shape stays
    out = {size};
  } else if (way < 95) {
    out = {choices_.pick({1, 2}), choices_.pick({1, 2, 3})};
  } else {
    out = {choices_.pick({1, 2}), choices_.pick({1, 2}), 2};
  }
  std::vector<double> places(elementsIn(out).value_or(0));
  if (places.size() > 2048)
    return {};
  const bool counted = choices_.chance(8);
  const bool fromBehind = choices_.chance(25);
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = size <= 0 ? 0 : double(counted ? int64_t(i) % size : int64_t(choices_.below(size_t(size))));
    if (fromBehind && choices_.chance(50) && size > 0)
      places[i] -= double(size);
  }
  DType dtype = choices_.chance(10) ? DType::I32 : DType::I64;
  if (wild_ && draft.attempt < 12 && choices_.chance(40)) // which most ops refuse
    if (const DType other = otherDType(); isInteger(other))
      dtype = other;
  return tensorOf(dtype, out, places);
}

void Proposals::disturb(std::vector<int64_t> &list, const Selectors &by) {
  const size_t a = by.a % list.size(), b = by.b % list.size();
  switch (by.c % 6) {
  case 0:
    std::swap(list[a], list[b]);
    break;
  case 1: // the sum stays
    ++list[a];
    --list[b];
    break;
  case 2:
    list[a] = -list[a];
    break;
  case 3:
    list[a] += by.b % 3 == 0 ? -1 : int64_t(by.b % 3);
    break;
  case 4:
    list[a] = list[b];
    break;
  default:
    std::ranges::reverse(list);
    break;
  }
}

std::vector<int64_t> Proposals::ints(const OpDraft &draft, std::string_view name, bool isOperand) {
  // Drawn in any case, so that what is drawn later is the same whichever way is taken.
  const unsigned way = choices_.below(100);
  Selectors by;
  for (uint32_t *n : {&by.a, &by.b, &by.c})
    *n = choices_.below(60);
  std::vector<int64_t> list = likelyInts(draft, name, isOperand);
  if (list.empty())
    return list;
  if (way < 10) {
    if (std::vector<int64_t> other = counterpart(name, list.size(), by); !other.empty())
      return other;
  } else if (way < 15) {
    disturb(list, by);
  } else if (way >= 88 && sizing_.namesNumbers) {
    nameIn(list, name);
  }
  return list;
}

/// A number that the pattern names and that is hardly met otherwise; 0 if there is none.
int64_t Proposals::named() {
  std::vector<int64_t> all;
  for (int64_t n : literals_.ints)
    if (n > 3 && n <= 1000)
      all.push_back(n);
  return all.empty() ? 0 : choices_.pick(all);
}

/// Puts a number that the pattern names, or one next to it, into a list that is none of axes.
void Proposals::nameIn(std::vector<int64_t> &list, std::string_view name) {
  const bool ofAxes = std::ranges::any_of(std::initializer_list<std::string_view>{"axes", "axis", "dim", "perm"},
                                          [&](std::string_view part) { return name.find(part) != name.npos; });
  if (const int64_t n = ofAxes ? 0 : named())
    list[choices_.below(list.size())] = n + choices_.pick({0, 0, 1, -1, 2});
}

std::vector<int64_t> Proposals::likelyInts(const OpDraft &draft, std::string_view name, bool isOperand) {
  const Tensor *x = draft.data();
  const size_t rank = x ? x->rank() : base_.size();
  const bool broadcasts = isOneOf(draft.op, {"broadcast_in_dim", "dynamic_broadcast_in_dim"});
  if (broadcasts && name == "shape" && choices_.chance(90))
    return broadcastTarget(draft);
  if (broadcasts && (name == "dims" || name == "broadcast_dimensions") && choices_.chance(90)) {
    if (placed_.size() != rank ||
        std::ranges::none_of(draft.ints, [](const auto &known) { return known.first == "shape"; }))
      broadcastTarget(draft);
    return placed_;
  }
  if (!literals_.lists.empty() && choices_.chance(draft.attempt > 30 ? 30 : 12))
    return choices_.pick(literals_.lists);
  if (isOneOf(draft.op, {"slice", "Slice"}))
    return cutList(draft, name);
  if (isPairedDims(name) && choices_.chance(90))
    return pairedDims(draft, name);
  auto permutation = [&](size_t n) {
    std::vector<int64_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    if (n >= 4 && choices_.chance(40)) { // the customary ones: channels behind, and in front again
      const bool behind = choices_.chance(50);
      std::rotate(p.begin() + 1, behind ? p.begin() + 2 : p.end() - 1, p.end());
      return p;
    }
    for (size_t i = n; i > 1; --i)
      std::swap(p[i - 1], p[choices_.below(i)]);
    return p;
  };
  auto all = [&](size_t n, std::initializer_list<int64_t> values) {
    std::vector<int64_t> out(n);
    const bool same = choices_.chance(60);
    const int64_t first = choices_.pick(values);
    for (int64_t &v : out)
      v = choices_.pick(values);
    if (alone_ && n > 1) { // in one dimension alone
      const int64_t other = out[0] != *values.begin() ? out[0] : *(values.end() - 1);
      out.assign(n, *values.begin());
      out[*alone_ % n] = other;
    } else if (same) {
      out.assign(n, first);
    }
    return out;
  };
  auto find = [&](std::string_view wanted) -> const std::vector<int64_t> * {
    for (const auto &[n, v] : draft.ints)
      if (n == wanted)
        return &v;
    return nullptr;
  };
  const size_t spatial = rank > 2 ? rank - 2 : 1;
  if (name == "perm" || name == "permutation")
    return permutation(rank);
  if (name == "axes" || name == "dimensions" || name == "dims" || name == "batch_dims") {
    const bool inserts = isOneOf(draft.op, {"Unsqueeze", "unsqueeze", "expand_dims"});
    const bool squeezes = isOneOf(draft.op, {"Squeeze", "squeeze"});
    std::vector<int64_t> out;
    const size_t count = inserts ? (choices_.chance(15) ? 3 : choices_.below(2) + 1) : 0, total = rank + count;
    if (!inserts && !squeezes && choices_.chance(3))
      return {};
    if (inserts) {
      std::vector<int64_t> p = permutation(total);
      p.resize(count);
      std::ranges::sort(p);
      out = p;
    } else {
      for (size_t i = 0; i < rank; ++i)
        if (squeezes ? x && x->dim(i) == 1 && choices_.chance(80) : choices_.chance(45))
          out.push_back(int64_t(i));
    }
    if (out.empty() && rank && !squeezes)
      out.push_back(int64_t(choices_.below(rank)));
    if (choices_.chance(15))
      for (int64_t &v : out)
        v -= int64_t(total);
    if (out.size() > 1 && choices_.chance(30))
      for (size_t i = out.size(); i > 1; --i)
        std::swap(out[i - 1], out[choices_.below(i)]);
    return out;
  }
  if (name == "pads") {
    const std::vector<int64_t> *size = draft.op == "ConvTranspose" ? find("output_shape") : nullptr;
    if (size && x && rank == 2 + spatial && size->size() == spatial && choices_.chance(60)) {
      const Tensor w = draft.operands.size() > 1 ? draft.operands[1] : Tensor();
      std::vector<int64_t> out(2 * spatial); // what that size leaves, at either end
      for (size_t i = 0; i < spatial; ++i) {
        const int64_t length = w && w.rank() > 2 + i ? w.dim(2 + i) : choices_.pick({1, 2}); // of the filter
        const int64_t left = x->dim(2 + i) - 1 + length - (*size)[i];
        out[i] = left > 0 ? int64_t(choices_.below(size_t(left) + 1)) : 0;
        out[spatial + i] = std::max<int64_t>(left, 0) - out[i];
      }
      return out;
    }
    const bool window = !isOneOf(draft.op, {"Pad", "pad"});
    const size_t n = 2 * (window ? spatial : rank);
    std::vector<int64_t> out = choices_.chance(45) ? all(n, {0}) : all(n, {0, 0, 1, 1, 2});
    if (!window && choices_.chance(50) && rank > 2) // nothing in the first two dimensions
      for (size_t i : {size_t(0), size_t(1), rank, rank + 1})
        out[i] = 0;
    if (!window && choices_.chance(6) && n)
      out[choices_.below(n)] = -1;
    if (!window && choices_.chance(12) && rank) { // what is added at one place is taken away at another
      const size_t i = choices_.below(rank), k = choices_.chance(70) ? i : choices_.below(rank);
      const int64_t amount = choices_.pick({1, 2, -1, -2});
      out.assign(n, 0);
      out[i] = amount;
      out[rank + k] = -amount;
    }
    if (!window && choices_.chance(8)) // of each dimension something is taken away
      for (int64_t &v : out)
        v = choices_.pick({0, -1, 0, -2, -1});
    if (!window && choices_.chance(rank <= 3 ? 12 : 3)) { // every dimension grows by as much, at other ends
      const int64_t amount = choices_.pick({1, 2, 3});
      for (size_t i = 0; i < rank; ++i)
        out[rank + i] = amount - (out[i] = int64_t(choices_.below(size_t(amount) + 1)));
    }
    return out;
  }
  if (isOneOf(name, {"low", "high", "interior", "edge_padding_low", "edge_padding_high", "interior_padding"})) {
    const int64_t other = name.find("interior") == name.npos ? -1 : 1; // what is taken away
    const unsigned way = choices_.below(100);
    std::vector<int64_t> out = way < 60 || (rank > 3 && choices_.chance(97)) ? std::vector<int64_t>(rank, 0)
                                                                             : all(rank, {0, 0, 0, 1, 2, 0, 1, other});
    const std::vector<int64_t> *low = find(name == "high"                ? "low"
                                           : name == "edge_padding_high" ? "edge_padding_low"
                                                                         : "");
    if (low && choices_.chance(12)) { // what is added at one end is taken away at the other
      out = *low;
      for (int64_t &v : out)
        v = -v;
      return out;
    }
    if (choices_.chance(8)) { // something is taken away
      for (int64_t &v : out)
        v = other < 0 ? choices_.pick({0, -1, 0, -2, -1}) : choices_.pick({0, 1, 2});
      return out;
    }
    if (low && !low->empty() && choices_.chance(rank <= 3 ? 15 : 3)) { // all grow by as much, at other ends
      const int64_t amount = *std::ranges::max_element(*low) + choices_.pick({0, 1});
      out = *low;
      for (int64_t &v : out)
        v = amount - v;
      return out;
    }
    // The same of an image's places alone: which end and which place is which, no size tells.
    if (low && rank > 3 && low->size() == rank && (*low)[0] == 0 && (*low)[1] == 0 && choices_.chance(15)) {
      const int64_t amount = std::max<int64_t>(*std::ranges::max_element(*low), 1);
      out.assign(rank, 0);
      for (size_t i = 2; i < rank; ++i)
        out[i] = amount - (*low)[i];
      return out;
    }
    if (way < 40 && rank) // one dimension alone, the last one mostly
      out[choices_.chance(60) ? rank - 1 : choices_.below(rank)] = choices_.pick({1, 2, 1, other});
    return out;
  }
  if (name == "kernel_shape")
    return all(spatial, {1, 2, 2, 3});
  if (name == "strides" || name == "dilations" || name == "input_dilations" || name == "window_strides" ||
      name == "lhs_dilation" || name == "rhs_dilation") {
    // What is spread already is spread once more.
    const bool isSpread = std::ranges::any_of(earlier_, [](const auto &known) {
      return known.first.starts_with("interior") && std::ranges::any_of(known.second, [](int64_t i) { return i > 0; });
    });
    return isSpread ? all(spatial, {1, 2, 2, 3}) : all(spatial, {1, 1, 1, 1, 2, 2, 3});
  }
  if (name.ends_with("_spatial_dimensions")) { // mostly the last ones
    std::vector<int64_t> out(spatial);
    std::iota(out.begin(), out.end(), int64_t(rank - spatial));
    return choices_.chance(80) ? out : permutation(spatial);
  }
  if (isOneOf(name, {"starts", "start", "start_indices"}))
    return all(rank, {0, 0, 1, 2, -1});
  if (draft.op.starts_with("dynamic") && (name == "sizes" || name == "slice_sizes")) {
    std::vector<int64_t> out;
    for (size_t i = 0; i < rank; ++i) {
      // Of long dimensions so little is left that a place lies far behind, near the end of what a narrow type holds.
      const bool isFar = outgrowing_ && choices_.chance(60);
      const int64_t less = isFar ? choices_.pick({127, 120, 100, 64}) : choices_.pick({0, 0, 1});
      out.push_back(x ? std::max<int64_t>(x->dim(i) - less, x->dim(i) > 0) : 1);
    }
    return out;
  }
  if (name == "split" || name == "sizes") {
    if (isOneOf(draft.op, {"Resize", "Upsample"})) {
      const Shape own = x ? x->shape() : base_;
      std::vector<int64_t> out(own.begin(), own.end());
      if (const std::vector<int64_t> *axes = find("axes")) {
        out.clear();
        for (int64_t a : *axes)
          if (const int64_t at = a < 0 ? a + int64_t(own.size()) : a; at >= 0 && at < int64_t(own.size()))
            out.push_back(own[size_t(at)]);
      }
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] *= i < 2 ? choices_.pick({1, 1, 1, 2}) : choices_.pick({1, 2});
        if (choices_.chance(20)) // smaller
          out[i] = (out[i] + 1) / 2;
      }
      return out;
    }
    const std::vector<int64_t> *axis = find("axis");
    int64_t at = axis && axis->size() == 1 ? (*axis)[0] : 0;
    at = at < 0 ? at + int64_t(rank) : at;
    int64_t left = x && at >= 0 && at < int64_t(rank) ? x->dim(size_t(at)) : 2;
    std::vector<int64_t> out;
    if (choices_.chance(40) && left % 2 == 0)
      return {left / 2, left / 2};
    if (choices_.chance(15))
      return {left};
    while (left > 0 && out.size() < 4) {
      const int64_t part = out.size() == 3 ? left : int64_t(choices_.below(size_t(left))) + 1;
      out.push_back(part);
      left -= part;
    }
    return out;
  }
  if (name == "sequence_lens") { // as many as there are steps, or fewer
    const std::vector<int64_t> *layout = find("layout");
    const bool byBatch = layout && *layout == std::vector<int64_t>{1};
    std::vector<int64_t> out(x && rank == 3 ? size_t(x->dim(byBatch ? 0 : 1)) : 1);
    for (int64_t &v : out)
      v = x && rank == 3 ? x->dim(byBatch ? 1 : 0) - choices_.pick({0, 0, 1}) : 1;
    return out;
  }
  if (name == "repeats")
    return all(rank, {1, 1, 2});
  if (name == "output_shape" && draft.op == "ConvTranspose" && x) {
    std::vector<int64_t> out;
    for (size_t i = 2; i < rank; ++i)
      out.push_back(x->dim(i) + choices_.pick({0, 1, 2, 3}));
    return out;
  }
  if (name == "shape" || name == "output_shape")
    return isOneOf(draft.op, {"ConstantOfShape", "iota", "random", "RandomNormal", "RandomUniform", "draw"})
               ? freshShape()
           : outgrowing_ && isOneOf(draft.op, {"broadcast", "Expand"}) && x && x->size() == 1 && choices_.chance(60)
               ? Shape{outgrowing_}
               : targetShape(draft);
  if (isOperand && (name == "k" || name == "K" || name == "depth" || name == "axis"))
    return {choices_.pick({1, 2, 0, 3})};
  // Contracted and batch dimensions, and what else has places of dimensions.
  std::vector<int64_t> out = choices_.chance(60) ? permutation(std::max<size_t>(rank, 1)) : all(rank, {0, 1, 2});
  out.resize(choices_.chance(40) ? out.size() : choices_.below(out.size() + 1));
  return out;
}

/// Whether an attribute of ONNX is yes or no: it has no other numbers.
static bool isFlag(std::string_view name) {
  return isOneOf(name, {"allowzero",
                        "antialias",
                        "ceil_mode",
                        "count_include_pad",
                        "detect_negative",
                        "detect_positive",
                        "exclude_outside",
                        "exclusive",
                        "fmod",
                        "input_forget",
                        "is_causal",
                        "keepdims",
                        "largest",
                        "layout",
                        "linear_before_reset",
                        "noop_with_empty_axes",
                        "onesided",
                        "reverse",
                        "select_last_index",
                        "sorted",
                        "storage_order",
                        "training_mode",
                        "transA",
                        "transB",
                        "upper"});
}

int64_t Proposals::oneInt(const OpDraft &draft, std::string_view name) {
  const int64_t rank = draft.data() ? int64_t(draft.data()->rank()) : int64_t(base_.size());
  if (!outgrown_.empty() && name == "to" && choices_.chance(40)) // u8, i8, bf16, f16, u16, i16
    return choices_.pick(outgrowing_ > kMostElements ? std::vector<int64_t>{4, 5}
                         : outgrowing_ > 1000        ? std::vector<int64_t>{10}
                                                     : std::vector<int64_t>{2, 3, 16});
  if (name == "to" || name == "dtype" || name == "saturate") // ONNX's numbers of element types
    return wild_ && name == "to" && choices_.chance(30) ? choices_.pick({17, 18, 19, 20})
                                                        : choices_.pick({1, 10, 11, 6, 7, 9, 2, 3, 16, 5, 4, 12, 13});
  if (name == "precision" || (name == "output_dtype" && draft.op == "DequantizeLinear")) // floats
    return choices_.pick({1, 1, 10, 16, 0});
  if (name == "output_dtype") // of quantized numbers
    return choices_.pick({2, 3, 2, 3, 4, 5, 0});
  if (!literals_.ints.empty() && choices_.chance(15)) {
    const int64_t literal = choices_.pick(literals_.ints);
    return (wild_ && choices_.chance(40) ? -literal : literal) + choices_.pick({0, 0, 0, 1, -1});
  }
  if (name.find("axis") != name.npos || isOneOf(name, {"dimension", "dim", "feature_index"}))
    return rank ? int64_t(choices_.below(size_t(rank))) - (choices_.chance(25) ? rank : 0) : 0;
  if (name.ends_with("_dimension") && draft.op.find("conv") != draft.op.npos) // of images and filters
    return choices_.chance(75) ? int64_t(name.find("batch") == name.npos && name != "kernel_output_feature_dimension")
                               : int64_t(choices_.below(3));
  if ((name == "group" || name == "groups") && draft.operands.size() > 1 && draft.operands[0] && draft.operands[1] &&
      draft.operands[0].rank() > 1 && draft.operands[1].rank() > 1 && draft.operands[1].dim(1) > 0 &&
      choices_.chance(70)) // what the operands have features for
    return std::max<int64_t>(draft.operands[0].dim(1) / draft.operands[1].dim(1), 1);
  if (name == "group" || name == "groups" || name == "num_groups" || name == "blocksize" ||
      name.ends_with("_group_count"))
    return choices_.pick({1, 1, 1, 2, 2, 3});
  if (name == "num_outputs")
    return choices_.pick({1, 2, 3});
  if (name == "size" || name == "hidden_size")
    return choices_.pick({1, 2, 3});
  if (isFlag(name))
    return int64_t(choices_.below(2));
  return choices_.pick({0, 0, 1, 1, 2, -1});
}

double Proposals::number() {
  double out = likelyNumber();
  if (!numbers_.empty() && choices_.chance(20)) { // conditions compare one with another
    static const std::vector<double> factors = {1, 2, 0.5, -1}, exact = {0.5, 1, 2, -1};
    const double other = choices_.pick(numbers_);
    out = !plain_                 ? other * choices_.pick(factors) + double(choices_.pick({0, 1, -1}))
          : std::fabs(other) <= 8 ? other * choices_.pick(exact)
                                  : other;
  }
  numbers_.push_back(out);
  return out;
}

/// A number near one that the pattern names, as limits and tolerances let it be: `s > 0.99, s < 1.01`, or
/// `abs(s - 6.0) < 0.1`.
double Proposals::nearNamed() {
  static const std::vector<double> parts = {0.25, 0.5, 0.75, 0.9}, factors = {1.125, 0.875, 1.015625, 0.99609375};
  const auto pick = [&] {
    return !literals_.floats.empty() && (literals_.ints.empty() || choices_.chance(80))
               ? choices_.pick(literals_.floats)
               : double(choices_.pick(literals_.ints));
  };
  const double a = pick(), b = pick();
  const unsigned way = choices_.below(3);
  const double out = way == 0   ? a + (b - a) * choices_.pick(parts)
                     : way == 1 ? a + b * choices_.pick(parts) * double(choices_.pick({1, -1}))
                                : a * choices_.pick(factors);
  // Where numbers stand for real ones, nothing is said of those that are so large that products overflow.
  constexpr double kModerate = 1e6;
  return plain_ && !(std::fabs(out) < kModerate && std::fabs(out) > 1 / kModerate) ? 1 : out;
}

double Proposals::likelyNumber() {
  if (sizing_.nearFloats && !literals_.floats.empty() && choices_.chance(40))
    return nearNamed();
  if (wild_ && !plain_ && choices_.chance(40))
    return wildNumber();
  if (plain_) { // what a pattern computes of them is exact
    static const std::vector<double> exact = {0.5, 1, 2, -1, 4, 0.25, -2, -0.5, 0, 8};
    if (literals_.floats.empty() || choices_.chance(85))
      return choices_.pick(exact);
    const double literal = choices_.pick(literals_.floats);
    return std::fabs(literal) <= 16 && literal * 4 == std::floor(literal * 4) ? literal : powerNear(literal);
  }
  if (!literals_.floats.empty() && choices_.chance(45)) { // or between two of them, or of their size
    static const std::vector<double> factors = {2, 0.5, 4, 3, -1, 1.5, 8, 0.9};
    const double literal = choices_.pick(literals_.floats);
    const unsigned way = choices_.below(100);
    const double other = way >= 60 ? choices_.pick(literals_.floats) : 1;
    return way < 60   ? literal
           : way < 72 ? (literal + other) / 2
           : way < 80 ? (other == 0 ? 1 : literal / other)
                      : literal * choices_.pick(factors);
  }
  if (!literals_.ints.empty() && choices_.chance(15))
    return double(choices_.pick(literals_.ints)) * double(choices_.pick({1, 1, 1, 2})) +
           double(choices_.pick({0, 0, 0, 1, -1}));
  static const std::vector<double> numbers = {0.5, 1,   2, -1,  0, 3,  0.25, -0.0,
                                              -2,  1.5, 6, 0.1, 4, 10, -3,   std::numeric_limits<double>::infinity()};
  return choices_.pick(numbers);
}

double Proposals::wholeNumber(DType dtype) {
  const unsigned bits = std::max(dtypeBytes(dtype), 1u) * 8;
  const bool isNegative = isSigned(dtype) && choices_.chance(20);
  double v = 0;
  switch (choices_.below(4)) {
  case 0: // a power of two, or next to one
    v = std::ldexp(1, int(choices_.below(bits - (isSigned(dtype) ? 1 : 0)))) + double(choices_.pick({0, 0, 0, 1, -1}));
    break;
  case 1: // by which numbers can be shifted
    v = choices_.below(bits);
    break;
  default: // anything of up to 8 bits
    v = choices_.below(isSigned(dtype) && bits == 8 ? 128 : 256);
  }
  return isNegative ? -v : v;
}

double Proposals::wildNumber() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (choices_.chance(50) && (!literals_.floats.empty() || !literals_.ints.empty())) {
    const bool whole = literals_.floats.empty() || (!literals_.ints.empty() && choices_.chance(50));
    const double literal = whole ? double(choices_.pick(literals_.ints)) : choices_.pick(literals_.floats);
    return literal * double(choices_.pick({1, -1, 2, -2, -1})) + double(choices_.pick({0, 1, -1}));
  }
  static const std::vector<double> numbers = {std::numeric_limits<double>::quiet_NaN(),
                                              kInf,
                                              -kInf,
                                              -kInf,
                                              127,
                                              128,
                                              -128,
                                              255,
                                              300,
                                              -300,
                                              1000,
                                              -1000,
                                              65504,
                                              16777217,
                                              9007199254740993.0,
                                              -2147483648.0,
                                              0.3,
                                              1e-40,
                                              3.4e38,
                                              -3.4e38};
  return choices_.pick(numbers);
}

std::vector<std::string> Proposals::activations(const OpDraft &draft) {
  static const std::vector<std::string> names = {"Tanh", "Relu", "Sigmoid", "HardSigmoid", "Softsign", "Softplus"};
  std::vector<std::string> out(draft.op == "LSTM" ? 3 : draft.op == "GRU" ? 2 : 1);
  if (choices_.chance(25)) // in both directions
    out.resize(2 * out.size());
  for (std::string &name : out)
    name = choices_.pick(names);
  return out;
}

/// A power of two next to a number: sums and products of a few such are exact with 32 bits. Of less, or far away, 1.
double Proposals::powerNear(double number) {
  constexpr int kLeast = -6, kMost = 9;
  if (number == 0 || !std::isfinite(number) || std::abs(std::ilogb(number)) > 40 || dtypeBytes(dtype_) < 4)
    return 1;
  return std::copysign(
      std::ldexp(1, std::clamp(std::ilogb(number) + int(choices_.pick({0, 0, 1, 1, 2, -1})), kLeast, kMost)), number);
}

double Proposals::epsilon() {
  if (sizing_.nearFloats && !literals_.floats.empty() && choices_.chance(40))
    return std::fabs(nearNamed());
  if (!literals_.floats.empty() && choices_.chance(35))
    return std::fabs(powerNear(choices_.pick(literals_.floats)));
  static const std::vector<double> small = {0.00001, 0.001, 0.5, 1}, exact = {0.5, 0.25, 1};
  return choices_.pick(plain_ ? exact : small);
}

std::string Proposals::autoPad() {
  static const std::vector<std::string> all = {"NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
  return choices_.pick(all);
}
std::string Proposals::padMode() {
  static const std::vector<std::string> all = {"constant", "constant", "edge", "reflect", "wrap"};
  return choices_.pick(all);
}
/// What a string attribute may be where its op does not declare it; empty where that is not known.
static std::vector<std::string> wordsFor(std::string_view op, std::string_view name) {
  if (name == "direction" && op == "BitShift")
    return {"LEFT", "RIGHT"};
  if (name == "direction" && op == "compare")
    return {"eq", "ne", "lt", "le", "gt", "ge"};
  if (name == "direction")
    return {"forward", "reverse", "bidirectional"};
  if (name == "compare_type")
    return {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  if (name == "reduction" && op.ends_with("Loss"))
    return {"none", "sum", "mean"};
  if (name == "comparison_direction")
    return {"EQ", "NE", "LT", "LE", "GT", "GE"};
  if (name == "mode" && op == "DepthToSpace")
    return {"DCR", "CRD"};
  if (name == "mode" && isOneOf(op, {"Resize", "Upsample"}))
    return {"nearest", "linear", "cubic"};
  if (name == "mode" && op == "GridSample")
    return {"bilinear", "nearest", "bicubic", "linear", "cubic"};
  if (name == "mode" && op == "RoiAlign")
    return {"avg", "max"};
  if (name == "reduction")
    return {"none", "none", "add", "mul", "max", "min"};
  if (name == "approximate")
    return {"none", "tanh"};
  if (name == "coordinate_transformation_mode")
    return {"half_pixel",         "asymmetric",         "align_corners",
            "pytorch_half_pixel", "tf_crop_and_resize", "half_pixel_symmetric"};
  if (name == "keep_aspect_ratio_policy")
    return {"stretch", "stretch", "not_larger", "not_smaller"};
  if (name == "nearest_mode")
    return {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  if (name == "padding_mode")
    return {"zeros", "border", "reflection"};
  return {};
}

std::string Proposals::text(const OpDraft &draft, std::string_view name, const std::vector<std::string> &allowed) {
  if (!allowed.empty())
    return choices_.pick(allowed);
  const std::vector<std::string> words = wordsFor(draft.op, name);
  if (!words.empty() && choices_.chance(literals_.strings.empty() ? 95 : 60))
    return choices_.pick(words);
  if (!literals_.strings.empty() && choices_.chance(75))
    return choices_.pick(literals_.strings);
  static const std::vector<std::string> known = {"NOTSET", "constant", "none", "VALID", "SAME_UPPER", "same"};
  return choices_.pick(known);
}

std::string Proposals::equation(const OpDraft &draft) {
  struct Letter {
    char name;
    int64_t size;
    unsigned uses;
  };
  if (!literals_.strings.empty() && choices_.chance(40))
    return choices_.pick(literals_.strings);
  std::vector<Letter> letters;
  std::string out;
  const size_t from = choices_.below(26);
  for (size_t i = 0; i < draft.operands.size(); ++i) {
    if (!draft.operands[i])
      return out;
    std::string own;
    for (int64_t n : draft.operands[i].shape()) {
      std::vector<size_t> fitting;
      for (size_t k = 0; k < letters.size(); ++k)
        if ((letters[k].size == n || (wild_ && (n == 1 || letters[k].size == 1))) &&
            (own.find(letters[k].name) == own.npos || choices_.chance(8)))
          fitting.push_back(k);
      size_t at = letters.size();
      if (!fitting.empty() && choices_.chance(75))
        at = choices_.pick(fitting);
      else if (letters.size() < 26) // 7 and 26 have no factor in common
        letters.push_back({char('a' + (from + 7 * letters.size()) % 26), n, 0});
      else
        return out;
      ++letters[at].uses;
      own += letters[at].name;
    }
    out += (i ? "," : "") + own;
  }
  if (choices_.chance(15)) // what stands once, by the alphabet
    return out;
  std::string result;
  for (const Letter &letter : letters)
    if (choices_.chance(letter.uses == 1 ? 90 : 35))
      result += letter.name;
  for (size_t i = result.size(); i > 1; --i)
    if (choices_.chance(50))
      std::swap(result[i - 1], result[choices_.below(i)]);
  return out + "->" + result;
}

Tensor Proposals::contentsFor(const OpDraft &draft, std::string_view name, DType dtype, const Shape &shape,
                              bool plain) {
  const bool isRoi = draft.op == "Resize" && name == "roi", isFactor = draft.op == "Resize" && name == "scales",
             isScale = isOneOf(draft.op, {"QuantizeLinear", "DequantizeLinear"}) && name.ends_with("_scale");
  const std::optional<size_t> count = elementsIn(shape);
  if (!(isRoi || isFactor || isScale) || !isFloat(dtype) || !count || *count > most_ || choices_.chance(20))
    return contents(dtype, shape, plain);
  static const std::vector<double> factors = {1, 1, 1, 2, 0.5, 3, 1.25}, begins = {0, 0, 0.25, 0.5},
                                   ends = {1, 1, 0.75, 1.25};
  std::vector<double> numbers(*count);
  const bool isShifted = isRoi && choices_.chance(30); // a part as long as the whole, which may lie elsewhere
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = isScale    ? std::ldexp(double(8 + choices_.next() % 8), -int(choices_.next() % 6))
                 : isFactor ? choices_.pick(factors)
                            : choices_.pick(i < numbers.size() / 2 ? begins : ends); // of each dimension
  for (size_t half = numbers.size() / 2, i = half; isShifted && i < 2 * half; ++i)
    numbers[i] = numbers[i - half] + 1;
  return tensorOf(dtype, shape, numbers);
}

Tensor Proposals::contents(DType dtype, const Shape &shape, bool plain) {
  const std::optional<size_t> count = elementsIn(shape);
  if (!count || *count > most_)
    return {};
  if (dtype == DType::String) {
    std::optional<Tensor> t = Tensor::make(dtype, shape);
    for (std::string &s : t->mutableStrings())
      s = std::string(1, char('a' + choices_.next() % 3));
    return *t;
  }
  std::vector<double> numbers(*count);
  const bool small = isInteger(dtype) || dtype == DType::Bool;
  if (!plain && isInteger(dtype) && choices_.chance(wild_ ? 30 : 6)) {
    const bool all = choices_.chance(80);
    const double same = wholeNumber(dtype);
    for (double &v : numbers)
      v = all ? same : wholeNumber(dtype);
  } else if (!plain && wild_ && !plain_ && choices_.chance(35)) {
    const double same = wildNumber();
    const bool all = choices_.chance(60);
    for (double &v : numbers)
      v = all ? same : wildNumber();
  } else if (!plain && choices_.chance(55)) {
    std::fill(numbers.begin(), numbers.end(), number());
  } else if (!plain && choices_.chance(40)) { // above 0
    for (double &v : numbers)
      v = small    ? double(1 + choices_.next() % 5)
          : plain_ ? std::ldexp(1, int(choices_.next() % 5) - 2)
                   : double(1 + choices_.next() % 32) / 8;
  } else {
    for (double &v : numbers)
      v = plain_ && !small ? std::ldexp(choices_.next() % 2 ? 1 : -1, int(choices_.next() % 5) - 2)
          : small          ? double(choices_.next() % 7) - (isSigned(dtype) ? 3 : 0)
                           : double(int64_t(choices_.next() % 33) - 16) / 8;
  }
  return tensorOf(dtype, shape, numbers);
}

} // namespace rw::verify
