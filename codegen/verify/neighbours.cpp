#include "codegen/verify/neighbours.h"

#include "codegen/verify/witness.h"
#include "rw/ir/verifier.h"

#include <algorithm>

namespace rw::verify {
namespace {

constexpr size_t kLongest = 12; // of a list

/// A list with a change.
struct Changed {
  std::vector<int64_t> list;
  std::optional<size_t> at; // of the number that grew or shrank by one, if that is the change
};

/// The lists next to one.
std::vector<Changed> listsNextTo(const std::vector<int64_t> &list) {
  std::vector<Changed> out;
  for (size_t i = 0; i < list.size(); ++i)
    for (int64_t by : {1, -1}) {
      int64_t changed = 0;
      if (__builtin_add_overflow(list[i], by, &changed))
        continue;
      out.push_back({list, i});
      out.back().list[i] = changed;
    }
  for (size_t i = 0; i < list.size(); ++i) // a place that is in no list of so many
    if (list[i] != int64_t(list.size())) {
      out.push_back({list, {}});
      out.back().list[i] = int64_t(list.size());
    }
  for (size_t i = 0; i + 1 < list.size(); ++i)
    if (list[i] != list[i + 1]) {
      out.push_back({list, {}});
      std::swap(out.back().list[i], out.back().list[i + 1]);
    }
  return out;
}

/// Whether two changes are of one dimension, as far as lengths tell: paddings have two numbers for each.
bool isOfOneDimension(const Changed &a, const Changed &b) {
  if (!a.at || !b.at)
    return false;
  const size_t dims = std::min(a.list.size(), b.list.size());
  return a.list.size() % dims == 0 && b.list.size() % dims == 0 && *a.at % dims == *b.at % dims;
}

bool isList(const Tensor &t) {
  return t && !t.isTuple() && isInteger(t.dtype()) && t.rank() <= 1 && t.size() > 0 && t.size() <= kLongest;
}

/// A tensor of the same type that holds other numbers.
Tensor withNumbers(const Tensor &like, const std::vector<int64_t> &numbers) {
  return tensorOf(like.dtype(), like.shape(), std::vector<double>(numbers.begin(), numbers.end()));
}

/// The shapes next to one, which as many elements have: two dimensions exchanged, one of 1 put in or taken out.
std::vector<Changed> shapesNextTo(const std::vector<int64_t> &shape) {
  constexpr size_t kMostRank = 5;
  std::vector<Changed> out;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    if (shape[i] != shape[i + 1]) {
      out.push_back({shape, {}});
      std::swap(out.back().list[i], out.back().list[i + 1]);
    }
  for (size_t i = 0; i <= shape.size() && shape.size() < kMostRank; ++i)
    if (i == 0 || shape[i - 1] != 1) { // beside one that is there it makes the same shape
      out.push_back({shape, {}});
      out.back().list.insert(out.back().list.begin() + long(i), 1);
    }
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 1 && (i == 0 || shape[i - 1] != 1)) {
      out.push_back({shape, {}});
      out.back().list.erase(out.back().list.begin() + long(i));
    }
  return out;
}

/// A list of a program: of an input that steers, or of an attribute; or the shape of an input or of a constant.
struct Place {
  std::optional<size_t> input;
  OpId op;
  unsigned attr = 0;
  bool isShape = false;
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

/// The tensors whose shapes may be others: inputs of values, and constants of more than one number.
std::vector<Place> shapesOf(const Instance &instance) {
  std::vector<Place> out;
  for (size_t i = 0; i < instance.inputs.size(); ++i)
    if (!instance.steers[i] && instance.inputs[i] && !instance.inputs[i].isTuple())
      out.push_back({i, {}, 0, true});
  Function &fn = instance.function();
  for (Op op : fn.ops(fn.body()))
    if (op.kind() != kReturnKind && op.kind() != kOpaqueKind && op.operandCount() == 0)
      for (unsigned a = 0; a < op.schema().attrs.size(); ++a)
        if (op.attr(a) && fn.context().attr(op.attr(a)).kind == AttrKind::Dense)
          if (const std::optional<Tensor> value = Tensor::fromAttr(fn.context(), op.attr(a));
              value && value->size() > 1)
            out.push_back({std::nullopt, op.id, a, true});
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
std::vector<Changed> othersAt(const Instance &instance, const Place &place) {
  if (place.isShape) {
    Function &fn = instance.function();
    const Shape shape = place.input ? instance.inputs[*place.input].shape()
                                    : Tensor::fromAttr(fn.context(), Op{&fn, place.op}.attr(place.attr))->shape();
    return shapesNextTo({shape.begin(), shape.end()});
  }
  const std::vector<int64_t> list = listAt(instance, place);
  const Op op{&instance.function(), place.op};
  if (!list.empty() || place.input || op.attr(place.attr))
    return listsNextTo(list);
  const size_t rank = op.operandCount() && op.operand(0) ? op.operand(0).type().dims.size() : 0;
  std::vector<Changed> out;
  if (rank < 3)
    return out;
  for (const std::vector<int64_t> &usual : {std::vector<int64_t>(rank - 2, 1), std::vector<int64_t>(2 * (rank - 2), 0)})
    for (size_t i = 0; i < usual.size(); ++i) {
      out.push_back({usual, i});
      ++out.back().list[i];
    }
  return out;
}

void putAt(Instance &instance, const Place &place, const std::vector<int64_t> &list) {
  Function &fn = instance.function();
  Context &ctx = fn.context();
  if (place.input) {
    Tensor &input = instance.inputs[*place.input];
    input = place.isShape ? input.withShape(Shape(list.begin(), list.end())) : withNumbers(input, list);
    if (place.isShape)
      fn.setType(fn.params(fn.body())[*place.input], input.type(ctx));
    return;
  }
  const Op op{&fn, place.op};
  std::vector<AttrId> attrs;
  for (unsigned k = 0; k < op.schema().attrs.size(); ++k)
    attrs.push_back(op.attr(k));
  AttrId &at = attrs[place.attr];
  if (place.isShape) {
    at = Tensor::fromAttr(ctx, at)->withShape(Shape(list.begin(), list.end())).toAttr(ctx);
    fn.setAttrs(op.id, ctx.attrs(attrs));
    return;
  }
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
  constexpr size_t kLargest = 6, kOthers = 6;
  Function &fn = instance.function();
  size_t rank = 0;
  for (ValueId p : fn.params(fn.body()))
    rank = std::max(rank, fn.value(p).type().dims.size());
  OfRank &known = byRank_[rank];
  known.largest.emplace(sizeOf(instance), std::move(instance));
  if (known.largest.size() <= kLargest)
    return;
  Instance other = std::move(known.largest.begin()->second);
  known.largest.erase(known.largest.begin());
  // Each of the others stays with the same probability.
  const size_t at = random_.next() % ++known.seen;
  if (known.others.size() < kOthers)
    known.others.push_back(std::move(other));
  else if (at < kOthers)
    known.others[at] = std::move(other);
}

std::vector<std::pair<size_t, const Instance *>> Examples::all() const {
  std::vector<std::pair<size_t, const Instance *>> out;
  for (auto rank = byRank_.rbegin(); rank != byRank_.rend(); ++rank) {
    for (auto one = rank->second.largest.rbegin(); one != rank->second.largest.rend(); ++one)
      out.emplace_back(rank->first, &one->second);
    for (const Instance &other : rank->second.others)
      out.emplace_back(rank->first, &other);
  }
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
    size_t number; // of the place
    Place place;
    Changed to;
  };
  std::vector<Change> changes;
  for (size_t number = 0; const Place &place : placesOf(instance)) {
    for (Changed &to : othersAt(instance, place))
      changes.push_back({number, place, std::move(to)});
    ++number;
  }
  const auto keep = [&](Instance made) {
    if (settleAll(made, kernels))
      out.push_back(std::move(made));
  };
  for (const Change &change : changes) {
    Instance made = copyOf(instance);
    putAt(made, change.place, change.to.list);
    keep(std::move(made));
  }
  for (const Place &place : shapesOf(instance))
    for (Changed &to : othersAt(instance, place)) {
      Instance made = copyOf(instance);
      putAt(made, place, to.list);
      keep(std::move(made));
    }
  for (const Change &first : changes)
    for (const Change &second : changes)
      if (pairs > 0 && first.number < second.number && isOfOneDimension(first.to, second.to)) {
        Instance made = copyOf(instance);
        putAt(made, first.place, first.to.list);
        putAt(made, second.place, second.to.list);
        keep(std::move(made));
        --pairs;
      }
  Choices random(seed);
  for (unsigned i = 0; i < pairs && changes.size() > 2; ++i) {
    const Change &first = changes[random.next() % changes.size()];
    Instance made = copyOf(instance);
    putAt(made, first.place, first.to.list);
    // Of what the program is then: both may stand in one list.
    const Place &place = changes[random.next() % changes.size()].place;
    const std::vector<Changed> lists = othersAt(made, place);
    if (lists.empty())
      continue;
    putAt(made, place, lists[random.next() % lists.size()].list);
    keep(std::move(made));
  }
  return out;
}

} // namespace rw::verify
