#include "frontend/check/terms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace rw::sema {

/// Variables of maps have a bit each, by how deep they stand; the placeholders share what is left.
static constexpr unsigned kOwn = 48;
static constexpr uint64_t kOwnBits = ((uint64_t(1) << 63) - 1) & ~((uint64_t(1) << kOwn) - 1);
uint64_t Terms::bitOf(Label label, Term id) {
  if (label.head == Head::BoundVar && label.which < 63 - kOwn)
    return uint64_t(1) << (kOwn + label.which);
  return uint64_t(1) << id % kOwn;
}

Term Terms::make(Label label, std::span<const Term> args) {
  held_ += args.size();
  if (held_ > kMostHeld) { // lists of lists may double with each function that is called
    label = {Head::Unknown, int64_t(fresh_++)};
    args = {};
  }
  llvm::SmallVector<Term, 16> found;
  found.resize_for_overwrite(args.size());
  Hasher hasher;
  hasher.add(uint64_t(label.head) ^ uint64_t(label.which) << 8);
  for (size_t i = 0; i < args.size(); ++i) {
    found[i] = find(args[i]);
    hasher.add(found[i]);
  }
  uint32_t &id = known_.findOrInsert(hasher.value(), [&](uint32_t at) {
    const Node &node = nodes_[at];
    bool same = node.label == label && node.args.size() == found.size();
    for (size_t i = 0; same && i < found.size(); ++i) // mostly one or two: a call takes longer
      same = node.args[i] == found[i];
    return same;
  });
  if (id == IdTable::kEmpty) {
    id = Term(nodes_.size());
    bool isVariable = label.head == Head::Placeholder || label.head == Head::BoundVar;
    uint64_t holds = isVariable ? bitOf(label, id) : 0;
    for (Term arg : found)
      holds |= nodes_[arg].holds;
    if (label.head == Head::Map) // its own variable is not free in it, unless the source has one of that name
      holds = (holds & ~(nodes_[found[2]].holds & kOwnBits)) | nodes_[found[0]].holds | kMaps;
    nodes_.push_back({label, arena_->copy(std::span<const Term>(found)), holds, id, false, 0, 0});
  }
  return represented(id);
}

void Terms::clear() {
  nodes_.clear();
  known_.clear();
  arena_->clear();
  fresh_ = steps_ = held_ = unsure_ = 0;
  merges_ = 1;
  belated_ = false;
}

Term Terms::represented(Term t) {
  while (nodes_[t].same != t)
    t = nodes_[t].same = nodes_[nodes_[t].same].same;
  return t;
}

void Terms::same(Term a, Term b) {
  a = represented(a), b = represented(b);
  if (a == b || tooMany())
    return;
  // What says more stands for both: an index into a list is one of its elements.
  auto says = [&](Term t) {
    switch (nodes_[t].label.head) {
    case Head::Range:
      return 2;
    case Head::List:
    case Head::Map:
    case Head::Broadcast:
    case Head::Type:
    case Head::Number:
      return 1;
    default:
      return 0;
    }
  };
  if (says(b) > says(a) || (says(b) == says(a) && b < a))
    std::swap(a, b);
  belated_ |= nodes_[b].isSeen;
  nodes_[b].same = a;
  ++merges_;
  unsure_ |= nodes_[a].holds | nodes_[b].holds;
  const Node x = nodes_[a], y = nodes_[b];
  bool isOfParts = x.label.head == Head::Type || x.label.head == Head::List;
  if (isOfParts && x.label == y.label && x.args.size() == y.args.size())
    for (size_t i = 0; i < x.args.size(); ++i)
      same(x.args[i], y.args[i]);
}

std::optional<int64_t> Terms::numberOf(Term t) {
  const Label &label = nodes_[find(t)].label;
  return label.head == Head::Number ? std::optional(label.which) : std::nullopt;
}

Term Terms::index(Term list, Term at) {
  std::optional<int64_t> n = numberOf(at);
  if (head(list) == Head::List && n && *n >= 0 && size_t(*n) < args(list).size())
    return find(args(list)[size_t(*n)]);
  // Of what is said to be the same as a list made of itself, each element is one of another place of it, without end.
  constexpr unsigned kDeepest = 64;
  if (head(list) == Head::Map && depth_ < kDeepest) {
    const std::span<const Term> parts = args(list);
    const Term body = parts[1], bound = parts[2];
    ++depth_;
    const Term out = replaced(body, bound, index(parts[0], at));
    --depth_;
    return out;
  }
  if (head(list) == Head::Range && numberOf(args(list)[0]) == 0)
    return find(at);
  return make(Head::Index, {list, at});
}

Term Terms::length(Term list) {
  if (head(list) == Head::List)
    return number(int64_t(args(list).size()));
  if (head(list) == Head::Map)
    return length(args(list)[0]);
  if (head(list) == Head::Range && numberOf(args(list)[0]) == 0)
    return find(args(list)[1]);
  if (head(list) == Head::Concat) {
    const std::span<const Term> parts = args(list);
    Term all = number(0);
    for (Term part : parts)
      all = sum(all, length(part));
    return all;
  }
  return make(Head::Length, {list});
}

Term Terms::concat(Term a, Term b) {
  llvm::SmallVector<Term, 8> parts;
  for (Term t : {find(a), find(b)}) {
    const std::span<const Term> more = head(t) == Head::Concat ? args(t) : std::span<const Term>(&t, 1);
    for (Term part : more) {
      if (head(part) == Head::List && args(part).empty())
        continue;
      if (!parts.empty() && head(part) == Head::List && head(parts.back()) == Head::List) {
        llvm::SmallVector<Term, 8> joined(args(parts.back()).begin(), args(parts.back()).end());
        joined.append(args(part).begin(), args(part).end());
        parts.back() = list(joined);
        continue;
      }
      parts.push_back(part);
    }
  }
  if (parts.empty())
    return list({});
  return parts.size() == 1 ? parts[0] : make({Head::Concat}, parts);
}

/// Where it is defined it is associative, commutative and idempotent, and a shape without dimensions adds nothing.
Term Terms::broadcast(Term a, Term b) {
  llvm::SmallVector<Term, 8> parts;
  for (Term t : {find(a), find(b)}) {
    const std::span<const Term> more = head(t) == Head::Broadcast ? args(t) : std::span<const Term>(&t, 1);
    for (Term part : more)
      if (!(head(part) == Head::List && args(part).empty()))
        parts.push_back(find(part));
  }
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty())
    return list({});
  return parts.size() == 1 ? parts[0] : make({Head::Broadcast}, parts);
}

void Terms::collect(Term t, int64_t factor, Factors &out) {
  if (head(t) == Head::Sum) { // of pairs: term, factor
    const std::span<const Term> parts = args(t);
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      out.push_back({find(parts[i]), factor * numberOf(parts[i + 1]).value_or(0)});
    return;
  }
  if (head(t) == Head::Times) {
    const std::span<const Term> parts = args(t);
    return collect(parts[0], factor * numberOf(parts[1]).value_or(0), out);
  }
  if (std::optional<int64_t> n = numberOf(t))
    out.push_back({number(1), factor * *n});
  else
    out.push_back({find(t), factor});
}

Term Terms::collected(Term a, Term b, int64_t sign) {
  constexpr int64_t kLarge = int64_t(1) << 30; // nothing overflows below
  Factors parts, together;
  collect(a, 1, parts);
  collect(b, sign, parts);
  std::ranges::sort(parts);
  for (auto [term, factor] : parts) {
    if (factor > kLarge || factor < -kLarge)
      return unknown();
    if (!together.empty() && together.back().first == term)
      together.back().second += factor;
    else
      together.push_back({term, factor});
  }
  llvm::erase_if(together, [](const auto &part) { return part.second == 0; });
  if (together.empty())
    return number(0);
  if (together.size() == 1 && numberOf(together[0].first) == 1)
    return number(together[0].second);
  if (together.size() == 1 && together[0].second == 1)
    return together[0].first;
  llvm::SmallVector<Term, 8> flat;
  for (auto [term, factor] : together) {
    flat.push_back(term);
    flat.push_back(number(factor));
  }
  return make({Head::Sum}, flat);
}

Term Terms::product(Term a, Term b) {
  a = find(a), b = find(b);
  if (numberOf(a) == 1)
    return b;
  if (numberOf(b) == 1)
    return a;
  llvm::SmallVector<Term, 8> parts;
  for (Term t : {a, b}) {
    const std::span<const Term> more = head(t) == Head::Product ? args(t) : std::span<const Term>(&t, 1);
    for (Term part : more)
      parts.push_back(find(part));
  }
  std::ranges::sort(parts);
  return make({Head::Product}, parts);
}

/// How deep comprehensions stand in it: their variables are called by that, so that equal ones are spelled alike.
unsigned Terms::depthOf(Term t) {
  t = find(t);
  if (!mayHold(t, kMaps))
    return 0;
  if (nodes_[t].depthAt == merges_)
    return nodes_[t].depth;
  if (++steps_ > kMost)
    return 0;
  unsigned depth = 0;
  for (Term part : nodes_[t].args)
    depth = std::max(depth, depthOf(part));
  nodes_[t].depthAt = merges_;
  return nodes_[t].depth = depth + (nodes_[t].label.head == Head::Map);
}

Term Terms::map(Term source, Term body, Term bound) {
  body = find(body), source = find(source), bound = find(bound);
  if (body == bound) // [x for x in list]
    return source;
  if (head(source) == Head::List) {
    const std::span<const Term> elements = args(source);
    llvm::SmallVector<Term, 8> out;
    for (Term element : elements)
      out.push_back(replaced(body, bound, element));
    return list(out);
  }
  if (head(source) == Head::Map) { // one behind the other
    const std::span<const Term> inner = args(source);
    Term each = placeholder();
    return map(inner[0], replaced(body, bound, replaced(inner[1], inner[2], each)), each);
  }
  if (head(source) != Head::Range) { // by index, whatever it is
    Term each = placeholder();
    return map(make(Head::Range, {number(0), length(source)}), replaced(body, bound, index(source, each)), each);
  }
  if (head(body) == Head::Index && numberOf(args(source)[0]) == 0) {
    const std::span<const Term> of = args(body);
    bool isFixed = find(replaced(of[0], bound, number(0))) == of[0];
    if (isFixed && find(args(source)[1]) == find(length(of[0]))) {
      if (of[1] == bound) // [list[i] for i in 0..len(list)]
        return find(of[0]);
      if (find(map(source, of[1], bound)) == find(source)) // the indexes are known to be these
        return find(of[0]);
    }
  }
  Term name = make({Head::BoundVar, depthOf(body)});
  return make(Head::Map, {source, replaced(body, bound, name), name});
}

/// `in` with `by` in place of `what`.
Term Terms::replaced(Term in, Term what, Term by) {
  Done done;
  return replaced(in, what, by, done);
}

Term Terms::replaced(Term in, Term what, Term by, Done &done) {
  in = find(in);
  if (in == what)
    return by;
  if (!mayHold(in, nodes_[what].holds) || nodes_[in].args.empty())
    return in;
  if (auto known = done.find(in); known != done.end())
    return find(known->second);
  if (++steps_ > kMost)
    return in;
  auto is = [&](Term t) { return done[in] = t; };
  const Node node = nodes_[in];
  if (node.label.head == Head::Map) {
    Term each = placeholder();
    Term body = replaced(replaced(node.args[1], node.args[2], each), what, by, done);
    return is(map(replaced(node.args[0], what, by, done), body, each));
  }
  llvm::SmallVector<Term, 8> parts;
  bool changed = false;
  for (Term arg : node.args) {
    parts.push_back(replaced(arg, what, by, done));
    changed |= parts.back() != find(arg);
  }
  if (!changed)
    return is(in);
  if (node.label.head == Head::Index)
    return is(index(parts[0], parts[1]));
  if (node.label.head == Head::Length)
    return is(length(parts[0]));
  if (node.label.head == Head::Broadcast || node.label.head == Head::Concat || node.label.head == Head::Product) {
    Term all = parts[0];
    for (size_t i = 1; i < parts.size(); ++i)
      all = node.label.head == Head::Broadcast ? broadcast(all, parts[i])
            : node.label.head == Head::Concat  ? concat(all, parts[i])
                                               : product(all, parts[i]);
    return is(all);
  }
  if (node.label.head == Head::Sum) {
    Term all = number(0);
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      all = sum(all, make(Head::Times, {parts[i], parts[i + 1]}));
    return is(all);
  }
  return is(make(node.label, parts));
}

} // namespace rw::sema
