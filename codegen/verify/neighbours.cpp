#include "codegen/verify/neighbours.h"

#include "codegen/verify/witness.h"
#include "rw/ir/verifier.h"

#include <algorithm>

namespace rw::verify {
namespace {

constexpr size_t kLongest = 12; // of a list

/// The lists next to one.
std::vector<std::vector<int64_t>> listsNextTo(const std::vector<int64_t> &list) {
  std::vector<std::vector<int64_t>> out;
  for (size_t i = 0; i < list.size(); ++i)
    for (int64_t by : {1, -1}) {
      int64_t changed = 0;
      if (__builtin_add_overflow(list[i], by, &changed))
        continue;
      out.push_back(list);
      out.back()[i] = changed;
    }
  for (size_t i = 0; i < list.size(); ++i) // a place that is in no list of so many
    if (list[i] != int64_t(list.size())) {
      out.push_back(list);
      out.back()[i] = int64_t(list.size());
    }
  for (size_t i = 0; i + 1 < list.size(); ++i)
    if (list[i] != list[i + 1]) {
      out.push_back(list);
      std::swap(out.back()[i], out.back()[i + 1]);
    }
  return out;
}

bool isList(const Tensor &t) {
  return t && !t.isTuple() && isInteger(t.dtype()) && t.rank() <= 1 && t.size() > 0 && t.size() <= kLongest;
}

/// A tensor of the same type that holds other numbers.
Tensor withNumbers(const Tensor &like, const std::vector<int64_t> &numbers) {
  return tensorOf(like.dtype(), like.shape(), std::vector<double>(numbers.begin(), numbers.end()));
}

Instance copyOf(const Instance &from) {
  Instance out;
  out.program = std::make_unique<Program>(from.program->clone());
  out.inputs = from.inputs;
  out.steers = from.steers;
  out.branches = from.branches;
  return out;
}

/// Gives all values the types of what is computed; false where an op refuses what it is given now.
bool settleAll(const Instance &instance, const KernelTable &kernels) {
  Function &fn = instance.function();
  std::vector<Tensor> contents;
  const auto know = [&](Value v, const Tensor &t) {
    if (contents.size() <= v.id.raw)
      contents.resize(v.id.raw + 1);
    contents[v.id.raw] = t;
  };
  std::span<const ValueId> params = fn.params(fn.body());
  for (size_t i = 0; i < params.size(); ++i)
    know(fn.value(params[i]), instance.inputs[i]);
  const int version = int(fn.context().dialectVersion("onnx"));
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind)
      continue;
    if (op.kind() == kOpaqueKind || !op.regions().empty())
      return false;
    std::vector<Tensor> operands;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      operands.push_back(op.operand(i) ? contents[op.operand(i).id.raw] : Tensor());
    const std::optional<std::vector<Tensor>> results = settle(op, operands, kernels, version);
    if (!results)
      return false;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      know(op.result(i), (*results)[i]);
  }
  SourceManager sources;
  Diagnostics unread(sources);
  return verifyProgram(*instance.program, unread);
}

/// A list of a program: of an input that steers, or of an attribute.
struct Place {
  std::optional<size_t> input;
  OpId op;
  unsigned attr = 0;
};

std::vector<Place> placesOf(const Instance &instance) {
  std::vector<Place> out;
  for (size_t i = 0; i < instance.inputs.size(); ++i)
    if (instance.steers[i])
      out.push_back({i, {}, 0});
  Function &fn = instance.function();
  for (Op op : fn.ops(fn.body()))
    if (op.kind() != kReturnKind && op.kind() != kOpaqueKind)
      for (unsigned a = 0; a < op.schema().attrs.size(); ++a)
        if (op.attr(a) || op.schema().attrs[a].type == AttrType::Ints)
          out.push_back({std::nullopt, op.id, a});
  return out;
}

/// The numbers that stand there; nothing where there is no short list of integers.
std::vector<int64_t> listAt(const Instance &instance, const Place &place) {
  Function &fn = instance.function();
  Tensor value;
  if (place.input) {
    value = instance.inputs[*place.input];
  } else {
    const AttrId id = Op{&fn, place.op}.attr(place.attr);
    if (!id)
      return {};
    const AttrData &attr = fn.context().attr(id);
    if (attr.kind == AttrKind::Int)
      return {attr.i};
    if (attr.kind == AttrKind::Ints && attr.ints.size() <= kLongest)
      return {attr.ints.begin(), attr.ints.end()};
    if (attr.kind == AttrKind::Dense)
      value = Tensor::fromAttr(fn.context(), id).value_or(Tensor());
  }
  return isList(value) ? value.ints() : std::vector<int64_t>();
}

/// What may stand there instead. Of a list that is not there: of images, what steps and paddings might be, one of which
/// is not as usual.
std::vector<std::vector<int64_t>> othersAt(const Instance &instance, const Place &place) {
  const std::vector<int64_t> list = listAt(instance, place);
  const Op op{&instance.function(), place.op};
  if (!list.empty() || place.input || op.attr(place.attr))
    return listsNextTo(list);
  const size_t rank = op.operandCount() && op.operand(0) ? op.operand(0).type().dims.size() : 0;
  std::vector<std::vector<int64_t>> out;
  if (rank < 3)
    return out;
  for (const std::vector<int64_t> &usual : {std::vector<int64_t>(rank - 2, 1), std::vector<int64_t>(2 * (rank - 2), 0)})
    for (size_t i = 0; i < usual.size(); ++i) {
      out.push_back(usual);
      ++out.back()[i];
    }
  return out;
}

void putAt(Instance &instance, const Place &place, const std::vector<int64_t> &list) {
  if (place.input) {
    instance.inputs[*place.input] = withNumbers(instance.inputs[*place.input], list);
    return;
  }
  Function &fn = instance.function();
  Context &ctx = fn.context();
  const Op op{&fn, place.op};
  std::vector<AttrId> attrs;
  for (unsigned k = 0; k < op.schema().attrs.size(); ++k)
    attrs.push_back(op.attr(k));
  AttrId &at = attrs[place.attr];
  const AttrKind kind = at ? ctx.attr(at).kind : AttrKind::Ints;
  if (kind == AttrKind::Ints)
    at = ctx.intsAttr(list);
  else if (kind == AttrKind::Int)
    at = ctx.intAttr(list.front());
  else
    at = withNumbers(*Tensor::fromAttr(ctx, at), list).toAttr(ctx);
  fn.setAttrs(op.id, ctx.attrs(attrs));
}

} // namespace

void Examples::add(Instance instance) {
  constexpr size_t kOfARank = 6;
  Function &fn = instance.function();
  size_t rank = 0;
  for (ValueId p : fn.params(fn.body()))
    rank = std::max(rank, fn.value(p).type().dims.size());
  std::multimap<size_t, Instance> &others = byRank_[rank];
  const size_t size = sizeOf(instance);
  if (others.size() == kOfARank && size <= others.begin()->first)
    return;
  others.emplace(size, std::move(instance));
  if (others.size() > kOfARank)
    others.erase(others.begin());
}

std::vector<std::pair<size_t, const Instance *>> Examples::greatest() const {
  std::vector<std::pair<size_t, const Instance *>> out;
  for (auto rank = byRank_.rbegin(); rank != byRank_.rend(); ++rank)
    for (const auto &[size, instance] : rank->second)
      out.emplace_back(rank->first, &instance);
  return out;
}

std::vector<Instance> neighboursOf(const Instance &instance, const KernelTable &kernels, unsigned pairs,
                                   uint64_t seed) {
  std::vector<Instance> out;
  Function &fn = instance.function();
  for (ValueId p : fn.params(fn.body()))
    if (!std::ranges::all_of(fn.value(p).type().dims, [](Dim d) { return d.isKnown(); }))
      return out; // of sizes that are symbols nothing is computed
  struct Change {
    Place place;
    std::vector<int64_t> list;
  };
  std::vector<Change> changes;
  for (const Place &place : placesOf(instance))
    for (std::vector<int64_t> &list : othersAt(instance, place))
      changes.push_back({place, std::move(list)});
  const auto keep = [&](Instance made) {
    if (settleAll(made, kernels))
      out.push_back(std::move(made));
  };
  for (const Change &change : changes) {
    Instance made = copyOf(instance);
    putAt(made, change.place, change.list);
    keep(std::move(made));
  }
  Choices random(seed);
  for (unsigned i = 0; i < pairs && changes.size() > 2; ++i) {
    const Change &first = changes[random.next() % changes.size()];
    Instance made = copyOf(instance);
    putAt(made, first.place, first.list);
    // Of what the program is then: both may stand in one list.
    const Place &place = changes[random.next() % changes.size()].place;
    const std::vector<std::vector<int64_t>> lists = othersAt(made, place);
    if (lists.empty())
      continue;
    putAt(made, place, lists[random.next() % lists.size()]);
    keep(std::move(made));
  }
  return out;
}

} // namespace rw::verify
