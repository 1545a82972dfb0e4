// ONNX's ops whose body runs once per element: Scan (both forms) and SequenceMap.
#include "rw/interp/evaluator.h"

#include <algorithm>
#include <numeric>

namespace rw::detail {
namespace {

/// `t` with axis `from` moved to `to`.
std::optional<Tensor> withAxisMoved(Call &c, const Tensor &t, size_t from, size_t to) {
  if (from == to)
    return t;
  std::vector<int64_t> perm(t.rank());
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + long(from));
  perm.insert(perm.begin() + long(to), int64_t(from));
  return transposed(c, t, perm);
}

} // namespace

/// What is carried starts as `state`; `inputs` have their slices along the first dimension. Results: what is carried at
/// last, then all that each round gave, stacked.
bool Evaluator::scanRounds(Op op, RegionId body, std::vector<Tensor> state, std::span<const Tensor> inputs,
                           std::span<const int64_t> backwards, std::span<const int64_t> backwardsOut, int64_t length,
                           std::vector<Tensor> &results, unsigned depth) {
  size_t carried = state.size(), count = op.resultCount();
  std::vector<std::vector<Tensor>> gathered(count - carried);
  for (int64_t round = 0; round < length; ++round) {
    std::vector<Tensor> given = std::move(state), got;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::optional<Tensor> slice =
          sliceOf(inputs[i], i < backwards.size() && backwards[i] ? inputs[i].dim(0) - 1 - round : round, budget_);
      if (!slice)
        return fail(op, "a slice does not fit the memory allowed");
      given.push_back(std::move(*slice));
    }
    if (!steps(op) || !bindParams(body, std::move(given)) || !region(body, got, depth + 1))
      return fail(op, "the body does not fit");
    if (got.size() != count)
      return fail(op, "the body returns another number of values");
    state.assign(got.begin(), got.begin() + long(carried));
    for (size_t i = 0; i < gathered.size(); ++i)
      gathered[i].push_back(got[carried + i]);
  }
  results = std::move(state);
  for (size_t i = 0; i < gathered.size(); ++i) {
    if (i < backwardsOut.size() && backwardsOut[i])
      std::ranges::reverse(gathered[i]);
    // Of no round the shape is what the body's type says, if it does.
    Value v = fn_.terminator(body).operand(unsigned(carried + i));
    Shape shape;
    for (Dim d : v.type().dims)
      shape.push_back(d.isKnown() ? d.size() : 0);
    Result<Tensor> all = stacked(gathered[i], v.type().dtype, shape, budget_);
    if (!all)
      return fail(op, "a scan output " + all.error());
    results.push_back(std::move(*all));
  }
  return true;
}

/// Operator set 8 has a batch in front of all and may say how long each is; from 9 on axes are named.
bool Evaluator::onnxScan(Op op, unsigned depth) {
  RegionId body = regionNamed(op, "body");
  std::vector<Tensor> operands = operandsOf(op), none;
  Call c(op, operands, none, budget_, options_.opset); // for its attributes
  bool batched = c.version() < 9;
  size_t first = batched ? 1 : 0;
  int64_t scans = attrOr(c.op, "num_scan_inputs", 0);
  if (!body || !fn_.terminator(body) || operands.size() < first || scans < 1 ||
      scans > int64_t(operands.size() - first) || fn_.terminator(body).operandCount() != op.resultCount())
    return fail(op, "body or operands do not fit");
  size_t carried = operands.size() - first - size_t(scans),
         outputs = op.resultCount() - std::min<size_t>(op.resultCount(), carried);
  if (op.resultCount() < carried || fn_.params(body).size() != carried + size_t(scans))
    return fail(op, "body or operands do not fit");
  std::vector<Tensor> state(operands.begin() + long(first), operands.begin() + long(first + carried)), results;
  std::span<const Tensor> inputs = std::span<const Tensor>(operands).subspan(first + carried);
  using Ints = std::vector<int64_t>;
  Ints directions = c.intsAttr(batched ? "directions" : "scan_input_directions").value_or(Ints());
  for (const Tensor &t : operands)
    if (t.isTuple() || (&t != &operands[0] && batched && t.rank() == 0))
      return fail(op, "an operand of another kind");
  if (batched) {
    std::vector<std::vector<Tensor>> perBatch(op.resultCount());
    int64_t batch = inputs[0].dim(0);
    if (operands[0] && (!isInteger(operands[0].dtype()) || operands[0].size() != size_t(batch)))
      return fail(op, "the lengths do not fit the batch");
    for (int64_t b = 0; b < batch; ++b) {
      std::vector<Tensor> own, ownInputs;
      for (const Tensor &t : std::span<const Tensor>(operands).subspan(1)) {
        std::optional<Tensor> slice = t.dim(0) == batch ? sliceOf(t, b, budget_) : std::nullopt;
        if (!slice)
          return fail(op, "batches of different sizes");
        (own.size() < carried ? own : ownInputs).push_back(std::move(*slice));
      }
      int64_t length = operands[0] ? operands[0].intAt(size_t(b)) : ownInputs[0].rank() ? ownInputs[0].dim(0) : 0;
      for (const Tensor &t : ownInputs)
        if (t.rank() == 0 || length < 0 || length > t.dim(0))
          return fail(op, "inputs of different lengths");
      if (!scanRounds(op, body, std::move(own), ownInputs, directions, {}, length, results, depth))
        return false;
      for (size_t i = 0; i < results.size(); ++i)
        perBatch[i].push_back(results[i]);
    }
    results.clear();
    for (const std::vector<Tensor> &parts : perBatch) {
      Result<Tensor> all = stacked(parts, DType::F32, {}, budget_);
      if (!all)
        return fail(op, "a result " + all.error());
      results.push_back(std::move(*all));
    }
    give(op, results);
    return true;
  }
  Ints axes = c.intsAttr("scan_input_axes").value_or(Ints()), axesOut = c.intsAttr("scan_output_axes").value_or(Ints());
  axes.resize(size_t(scans), 0), axesOut.resize(outputs, 0);
  std::vector<Tensor> turned;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::optional<Tensor> t =
        c.wrap(axes[i], inputs[i].rank()) ? withAxisMoved(c, inputs[i], size_t(axes[i]), 0) : std::nullopt;
    if (!t || (i && t->dim(0) != turned[0].dim(0)))
      return fail(op, c.reason.empty() ? "inputs of different lengths" : c.reason);
    turned.push_back(std::move(*t));
  }
  if (!scanRounds(op, body, std::move(state), turned, directions, c.intsAttr("scan_output_directions").value_or(Ints()),
                  turned[0].dim(0), results, depth))
    return false;
  for (size_t i = 0; i < outputs; ++i) {
    Tensor &r = results[carried + i];
    std::optional<Tensor> t = c.wrap(axesOut[i], r.rank()) ? withAxisMoved(c, r, 0, size_t(axesOut[i])) : std::nullopt;
    if (!t)
      return fail(op, c.reason);
    r = std::move(*t);
  }
  give(op, results);
  return true;
}

/// Elements of the first sequence, and of others beside it, go through the body one by one; tensors as they are.
bool Evaluator::sequenceMap(Op op, unsigned depth) {
  RegionId body = regionNamed(op, "body");
  std::vector<Tensor> operands = operandsOf(op), results;
  if (!body || operands.empty() || !operands[0].isTuple())
    return fail(op, "the first operand is no sequence");
  std::vector<std::vector<Tensor>> gathered(op.resultCount());
  for (size_t i = 0; i < operands[0].elements().size(); ++i) {
    std::vector<Tensor> given;
    for (const Tensor &t : operands) {
      if (t.isTuple() && t.elements().size() <= i)
        return fail(op, "sequences of different lengths");
      given.push_back(t.isTuple() ? t.elements()[i] : t);
    }
    if (!steps(op) || !bindParams(body, std::move(given)) || !region(body, results, depth + 1))
      return fail(op, "the body does not fit");
    if (results.size() != gathered.size())
      return fail(op, "the body returns another number of values");
    for (size_t k = 0; k < results.size(); ++k)
      gathered[k].push_back(results[k]);
  }
  results.clear();
  for (std::vector<Tensor> &g : gathered)
    results.push_back(Tensor::tuple(std::move(g)));
  give(op, results);
  return true;
}

} // namespace rw::detail
