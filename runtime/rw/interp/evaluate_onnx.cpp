// ONNX's ops with regions: If and Loop. Elsewhere: Scan and SequenceMap are evaluate_scan.cpp.
#include "rw/interp/evaluator.h"

#include <algorithm>

namespace rw::detail {

RegionId Evaluator::regionNamed(Op op, std::string_view name) {
  std::span<const RegionId> regions = op.regions();
  std::span<const std::string_view> declared = op.schema().regions;
  for (size_t i = 0; i < regions.size() && i < declared.size(); ++i)
    if (declared[i] == name)
      return regions[i];
  // Names that readers keep for ops nobody declared.
  const Context &ctx = op.context();
  if (AttrId list = op.extraAttr("$regions"); list && ctx.attr(list).kind == AttrKind::List)
    for (size_t i = 0; i < regions.size() && i < ctx.attr(list).elements.size(); ++i)
      if (const AttrData &a = ctx.attr(ctx.attr(list).elements[i]); a.kind == AttrKind::String && a.text == name)
        return regions[i];
  return {};
}

bool Evaluator::conditional(Op op, unsigned depth) {
  Value condition = op.operand(0);
  const Tensor &c = condition ? values_[condition.id.raw] : Tensor();
  if (!c || c.size() != 1 || c.dtype() != DType::Bool)
    return fail(op, "the condition is not one bool");
  RegionId branch = regionNamed(op, c.intAt(0) ? "then_branch" : "else_branch");
  if (!branch)
    return fail(op, "a branch is missing");
  std::vector<Tensor> results;
  if (!bindParams(branch, {}) || !region(branch, results, depth + 1))
    return fail(op, "the branch does not fit");
  if (results.size() < op.resultCount())
    return fail(op, "the branch has too few results");
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values_[op.result(i).id.raw] = results[i];
  if (options_.observer)
    options_.observer(op, results);
  return true;
}

/// Rounds of the body until the count or the condition says stop.
bool Evaluator::iterate(Op op, RegionId body, std::vector<Tensor> &state, std::vector<std::vector<Tensor>> &scans,
                        unsigned depth) {
  int64_t most = INT64_MAX;
  bool going = true;
  auto single = [&](unsigned i) { return op.operand(i) ? values_[op.operand(i).id.raw] : Tensor(); };
  if (Tensor t = single(0)) {
    if (t.size() != 1)
      return fail(op, "the trip count is not one number");
    most = t.intAt(0);
  }
  if (Tensor t = single(1)) {
    if (t.size() != 1)
      return fail(op, "the condition is not one bool");
    going = t.intAt(0) != 0;
  }
  for (int64_t round = 0; going && round < most; ++round) {
    if (!budget_.spend(kStepsPerOp))
      return fail(op, "the evaluation takes more steps than allowed");
    std::vector<Tensor> params = {Tensor::scalar(DType::I64, round), Tensor::scalar(DType::Bool, uint8_t(going))};
    params.insert(params.end(), state.begin(), state.end());
    std::vector<Tensor> results;
    if (!bindParams(body, std::move(params)) || !region(body, results, depth + 1))
      return fail(op, "the body does not fit");
    if (results.size() != 1 + state.size() + scans.size() || !results[0] || results[0].size() != 1)
      return fail(op, "the body's results do not fit");
    going = results[0].intAt(0) != 0;
    for (size_t i = 0; i < state.size(); ++i)
      state[i] = results[1 + i];
    for (size_t i = 0; i < scans.size(); ++i)
      scans[i].push_back(results[1 + state.size() + i]);
  }
  return true;
}

bool Evaluator::loop(Op op, unsigned depth) {
  RegionId body = regionNamed(op, "body");
  if (!body || op.operandCount() < 2)
    return fail(op, "body or operands are missing");
  std::vector<Tensor> state;
  for (unsigned i = 2; i < op.operandCount(); ++i)
    state.push_back(op.operand(i) ? values_[op.operand(i).id.raw] : Tensor());
  size_t bodyResults = fn_.terminator(body) ? fn_.terminator(body).operandCount() : 0;
  if (bodyResults < 1 + state.size())
    return fail(op, "the body has too few results");
  size_t carried = state.size();
  std::vector<std::vector<Tensor>> scans(bodyResults - 1 - carried);
  if (!iterate(op, body, state, scans, depth))
    return false;
  for (size_t i = 0; i < scans.size(); ++i) {
    const std::vector<Tensor> &rounds = scans[i];
    if (carried + i >= op.resultCount())
      break;
    // Of no round the shape is what the body's type says, if it does.
    Shape shape;
    DType dtype = DType::F32;
    if (Value v = fn_.terminator(body).operand(unsigned(1 + carried + i))) {
      dtype = v.type().dtype;
      for (Dim d : v.type().dims)
        shape.push_back(d.isKnown() ? d.size() : 0);
    }
    Result<Tensor> all = stacked(rounds, dtype, shape, budget_);
    if (!all)
      return fail(op, "a scan output " + all.error());
    state.push_back(std::move(*all));
  }
  if (state.size() < op.resultCount())
    return fail(op, "the body has too few results");
  for (unsigned i = 0; i < op.resultCount(); ++i)
    values_[op.result(i).id.raw] = state[i];
  if (options_.observer)
    options_.observer(op, state);
  return true;
}

} // namespace rw::detail
