// Collective ops of StableHLO where each process is alone in its group: nothing is communicated, and the reduction of
// one operand is that operand.
#include "rw/interp/kernel.h"

#include <algorithm>
#include <cstring>

namespace rw {
namespace {

constexpr char kOthers[] = "it communicates with other processes, and the evaluator is one";

/// Lists of processes that an attribute has; a place that none fills is -1, and left out.
std::vector<std::vector<int64_t>> listsOf(const Call &c, std::string_view name) {
  std::vector<std::vector<int64_t>> lists;
  if (AttrId id = c.op.attrNamed(name))
    for (AttrId element : c.op.context().attr(id).elements) {
      std::vector<int64_t> &list = lists.emplace_back();
      for (int64_t process : c.op.context().attr(element).ints)
        if (process >= 0)
          list.push_back(process);
    }
  return lists;
}

bool hasChannel(const Call &c) { return attrOr(c.op, "channel_id", 0) > 0; }

/// Whether each group has one member. None, or an empty one, is all processes.
bool eachAlone(const Call &c, const std::vector<std::vector<int64_t>> &groups) {
  if (std::ranges::all_of(groups, [](const auto &g) { return g.empty(); }))
    return attrOr(c.op, "num_replicas", 1) == 1 && attrOr(c.op, "num_partitions", 1) == 1;
  return std::ranges::all_of(groups, [](const auto &g) { return g.size() == 1; });
}

/// Whether each of the processes that are told apart, by partitions where there is a channel, stands in a list that is
/// not empty.
bool holdAll(const Call &c, const std::vector<std::vector<int64_t>> &lists) {
  for (int64_t p = 0, n = attrOr(c.op, hasChannel(c) ? "num_partitions" : "num_replicas", 1); p < n; ++p)
    if (std::ranges::none_of(lists, [&](const auto &list) { return !list.empty() && list[0] == p; }))
      return false;
  return true;
}

/// The first operands as the results, of the types that the op states: a body may compute in a wider one.
bool operands(Call &c) {
  if (!c.need(c.op.resultCount()))
    return false;
  for (unsigned i = 0; i < c.op.resultCount(); ++i) {
    DType t = c.op.result(i).type().dtype;
    std::optional<Tensor> same = t == c.in[i].dtype() || t == DType::Unknown ? c.in[i] : castTo(c, c.in[i], t);
    if (!same)
      return false;
    c.out[i] = std::move(*same);
  }
  return c.charge(c.in.size());
}

/// all_reduce, all_gather and reduce_scatter, whose groups may be of replicas with all their partitions.
bool gathered(Call &c) {
  bool joined = hasChannel(c) && !attrOr(c.op, "use_global_device_ids", 0) && attrOr(c.op, "num_partitions", 1) != 1;
  return joined || !eachAlone(c, listsOf(c, "replica_groups")) ? c.fail(kOthers) : operands(c);
}

bool exchanged(Call &c) {
  return attrOr(c.op, "split_count", 1) != 1 || !eachAlone(c, listsOf(c, "replica_groups")) ? c.fail(kOthers)
                                                                                            : operands(c);
}

/// collective_broadcast and collective_reduce: the only member of a group is its root. Processes in no group get zeros.
bool fromRoot(Call &c) {
  std::vector<std::vector<int64_t>> groups = listsOf(c, "replica_groups");
  bool any = std::ranges::any_of(groups, [](const auto &g) { return !g.empty(); });
  return !eachAlone(c, groups) || (any && !holdAll(c, groups)) ? c.fail(kOthers) : operands(c);
}

/// What no process sends is zeros.
bool permuted(Call &c) {
  std::vector<std::vector<int64_t>> pairs = listsOf(c, "source_target_pairs");
  if (!pairs.empty()) {
    bool toItself = std::ranges::all_of(pairs, [](const auto &p) { return p.size() == 2 && p[0] == p[1]; });
    return toItself && holdAll(c, pairs) ? operands(c) : c.fail(kOthers);
  }
  if (!c.need(c.op.resultCount()))
    return false;
  for (unsigned i = 0; i < c.op.resultCount(); ++i) {
    Tensor *zeros = c.result(i, c.in[i].dtype(), c.in[i].shape());
    if (!zeros)
      return false;
    std::memset(zeros->mutableData<std::byte>(), 0, zeros->byteSize());
  }
  return true;
}

/// The number of a process among as many as the attribute says.
bool numbered(Call &c, std::string_view among) {
  if (attrOr(c.op, among, 1) != 1)
    return c.fail(kOthers);
  Tensor *number = c.result(0, DType::U32, {});
  if (number)
    number->mutableData<uint32_t>()[0] = 0;
  return number != nullptr;
}

} // namespace

void addDevicesKernels(KernelTable &t) {
  t.add("stablehlo.replica_id", [](Call &c) { return numbered(c, "num_replicas"); });
  t.add("stablehlo.partition_id", [](Call &c) { return numbered(c, "num_partitions"); });
  for (std::string_view name : {"stablehlo.all_reduce", "stablehlo.all_gather", "stablehlo.reduce_scatter"})
    t.add(name, gathered);
  t.add("stablehlo.all_to_all", exchanged);
  t.add("stablehlo.collective_broadcast", fromRoot);
  t.add("stablehlo.collective_reduce", fromRoot);
  t.add("stablehlo.collective_permute", permuted);
}

} // namespace rw
