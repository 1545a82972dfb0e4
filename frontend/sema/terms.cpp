#include "frontend/sema/terms.h"

#include <algorithm>
#include <charconv>

namespace rw::sema {

/// Variables of maps, `.d0` and so on, have a bit each; the others share what is left.
static constexpr unsigned kOwn = 48;
static constexpr uint64_t kOwnBits = ((uint64_t(1) << 63) - 1) & ~((uint64_t(1) << kOwn) - 1);
uint64_t Terms::bitOf(std::string_view placeholder, Term id) {
  unsigned depth = 63;
  if (placeholder.starts_with(".d"))
    std::from_chars(placeholder.data() + 2, placeholder.data() + placeholder.size(), depth);
  return uint64_t(1) << (depth < 63 - kOwn ? kOwn + depth : id % kOwn);
}

Term Terms::make(std::string head, std::vector<Term> args) {
  held_ += args.size();
  if (held_ > kMostHeld) { // lists of lists may double with each function that is called
    head = "?" + std::to_string(fresh_++);
    args.clear();
  }
  std::string key = head;
  for (Term &arg : args) {
    arg = find(arg);
    (key += ' ') += std::to_string(arg);
  }
  auto [it, isNew] = known_.try_emplace(std::move(key), Term(nodes_.size()));
  if (isNew) {
    uint64_t holds = head[0] == '.' ? bitOf(head, it->second) : 0;
    for (Term arg : args)
      holds |= nodes_[arg].holds;
    if (head == "map") // its own variable is not free in it, unless the source has one of that name
      holds = (holds & ~(nodes_[args[2]].holds & kOwnBits)) | nodes_[args[0]].holds | kMaps;
    nodes_.push_back({std::move(head), std::move(args), it->second, holds});
  }
  return find(it->second);
}

Term Terms::find(Term t) {
  while (nodes_[t].same != t)
    t = nodes_[t].same = nodes_[nodes_[t].same].same;
  return t;
}

void Terms::same(Term a, Term b) {
  a = find(a), b = find(b);
  if (a == b || tooMany())
    return;
  // What says more stands for both: an index into a list is one of its elements.
  auto says = [&](Term t) {
    const std::string &head = nodes_[t].head;
    return head == "range" ? 2
                           : head == "list" || head == "map" || head == "broadcast" || head == "type" || head[0] == '#';
  };
  if (says(b) > says(a) || (says(b) == says(a) && b < a))
    std::swap(a, b);
  nodes_[b].same = a;
  unsure_ |= nodes_[a].holds | nodes_[b].holds;
  const Node x = nodes_[a], y = nodes_[b];
  if (x.head == y.head && (x.head == "type" || x.head == "list") && x.args.size() == y.args.size())
    for (size_t i = 0; i < x.args.size(); ++i)
      same(x.args[i], y.args[i]);
}

std::optional<int64_t> Terms::numberOf(Term t) {
  std::string_view text = head(t);
  int64_t n = 0;
  if (text[0] != '#' || std::from_chars(text.data() + 1, text.data() + text.size(), n).ec != std::errc())
    return std::nullopt;
  return n;
}

Term Terms::index(Term list, Term at) {
  std::optional<int64_t> n = numberOf(at);
  if (head(list) == "list" && n && *n >= 0 && size_t(*n) < args(list).size())
    return find(args(list)[size_t(*n)]);
  if (head(list) == "map") {
    const std::vector<Term> parts = args(list);
    return replaced(parts[1], parts[2], index(parts[0], at));
  }
  if (head(list) == "range" && numberOf(args(list)[0]) == 0)
    return find(at);
  return make("index", {list, at});
}

Term Terms::length(Term list) {
  if (head(list) == "list")
    return number(int64_t(args(list).size()));
  if (head(list) == "map")
    return length(args(list)[0]);
  if (head(list) == "range" && numberOf(args(list)[0]) == 0)
    return find(args(list)[1]);
  if (head(list) == "concat") {
    const std::vector<Term> parts = args(list);
    Term all = number(0);
    for (Term part : parts)
      all = sum(all, length(part));
    return all;
  }
  return make("len", {list});
}

Term Terms::concat(Term a, Term b) {
  std::vector<Term> parts;
  for (Term t : {find(a), find(b)}) {
    const std::vector<Term> more = head(t) == "concat" ? args(t) : std::vector<Term>{t};
    for (Term part : more) {
      if (head(part) == "list" && args(part).empty())
        continue;
      if (!parts.empty() && head(part) == "list" && head(parts.back()) == "list") {
        std::vector<Term> joined = args(parts.back());
        joined.insert(joined.end(), args(part).begin(), args(part).end());
        parts.back() = list(std::move(joined));
        continue;
      }
      parts.push_back(part);
    }
  }
  if (parts.empty())
    return list({});
  return parts.size() == 1 ? parts[0] : make("concat", std::move(parts));
}

/// Where it is defined it is associative, commutative and idempotent, and a shape without dimensions adds nothing.
Term Terms::broadcast(Term a, Term b) {
  std::vector<Term> parts;
  for (Term t : {find(a), find(b)}) {
    const std::vector<Term> more = head(t) == "broadcast" ? args(t) : std::vector<Term>{t};
    for (Term part : more)
      if (!(head(part) == "list" && args(part).empty()))
        parts.push_back(find(part));
  }
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty())
    return list({});
  return parts.size() == 1 ? parts[0] : make("broadcast", std::move(parts));
}

void Terms::collect(Term t, int64_t factor, std::vector<std::pair<Term, int64_t>> &out) {
  if (head(t) == "sum") { // of pairs: term, factor
    const std::vector<Term> parts = args(t);
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      out.push_back({find(parts[i]), factor * numberOf(parts[i + 1]).value_or(0)});
    return;
  }
  if (head(t) == "times") {
    const std::vector<Term> parts = args(t);
    return collect(parts[0], factor * numberOf(parts[1]).value_or(0), out);
  }
  if (std::optional<int64_t> n = numberOf(t))
    out.push_back({number(1), factor * *n});
  else
    out.push_back({find(t), factor});
}

Term Terms::collected(Term a, Term b, int64_t sign) {
  constexpr int64_t kLarge = int64_t(1) << 30; // nothing overflows below
  std::vector<std::pair<Term, int64_t>> parts, together;
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
  std::erase_if(together, [](const auto &part) { return part.second == 0; });
  if (together.empty())
    return number(0);
  if (together.size() == 1 && numberOf(together[0].first) == 1)
    return number(together[0].second);
  if (together.size() == 1 && together[0].second == 1)
    return together[0].first;
  std::vector<Term> flat;
  for (auto [term, factor] : together) {
    flat.push_back(term);
    flat.push_back(number(factor));
  }
  return make("sum", std::move(flat));
}

Term Terms::product(Term a, Term b) {
  a = find(a), b = find(b);
  if (numberOf(a) == 1)
    return b;
  if (numberOf(b) == 1)
    return a;
  std::vector<Term> parts;
  for (Term t : {a, b}) {
    const std::vector<Term> more = head(t) == "product" ? args(t) : std::vector<Term>{t};
    for (Term part : more)
      parts.push_back(find(part));
  }
  std::ranges::sort(parts);
  return make("product", std::move(parts));
}

/// How deep comprehensions stand in it: their variables are called by that, so that equal ones are spelled alike.
unsigned Terms::depthOf(Term t, Done &done) {
  t = find(t);
  if (!mayHold(t, kMaps))
    return 0;
  if (auto known = done.find(t); known != done.end())
    return known->second;
  if (++steps_ > kMost)
    return 0;
  unsigned depth = 0;
  for (Term part : args(t))
    depth = std::max(depth, depthOf(part, done));
  return done[t] = depth + (head(t) == "map");
}

Term Terms::map(Term source, Term body, Term bound) {
  body = find(body), source = find(source), bound = find(bound);
  if (body == bound) // [x for x in list]
    return source;
  if (head(source) == "list") {
    const std::vector<Term> elements = args(source);
    std::vector<Term> out;
    for (Term element : elements)
      out.push_back(replaced(body, bound, element));
    return list(std::move(out));
  }
  if (head(source) == "map") { // one behind the other
    const std::vector<Term> inner = args(source);
    Term each = placeholder();
    return map(inner[0], replaced(body, bound, replaced(inner[1], inner[2], each)), each);
  }
  if (head(source) != "range") { // by index, whatever it is
    Term each = placeholder();
    return map(make("range", {number(0), length(source)}), replaced(body, bound, index(source, each)), each);
  }
  if (head(body) == "index" && numberOf(args(source)[0]) == 0) {
    const std::vector<Term> of = args(body);
    bool isFixed = replaced(of[0], bound, number(0)) == of[0];
    if (isFixed && find(args(source)[1]) == length(of[0])) {
      if (of[1] == bound) // [list[i] for i in 0..len(list)]
        return find(of[0]);
      if (find(map(source, of[1], bound)) == find(source)) // the indexes are known to be these
        return find(of[0]);
    }
  }
  Done done;
  Term name = make("." + std::string("d") + std::to_string(depthOf(body, done)));
  return make("map", {source, replaced(body, bound, name), name});
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
  if (node.head == "map") {
    Term each = placeholder();
    Term body = replaced(replaced(node.args[1], node.args[2], each), what, by, done);
    return is(map(replaced(node.args[0], what, by, done), body, each));
  }
  std::vector<Term> parts;
  bool changed = false;
  for (Term arg : node.args) {
    parts.push_back(replaced(arg, what, by, done));
    changed |= parts.back() != find(arg);
  }
  if (!changed)
    return is(in);
  if (node.head == "index")
    return is(index(parts[0], parts[1]));
  if (node.head == "len")
    return is(length(parts[0]));
  if (node.head == "broadcast" || node.head == "concat" || node.head == "product") {
    Term all = parts[0];
    for (size_t i = 1; i < parts.size(); ++i)
      all = node.head == "broadcast" ? broadcast(all, parts[i])
            : node.head == "concat"  ? concat(all, parts[i])
                                     : product(all, parts[i]);
    return is(all);
  }
  if (node.head == "sum") {
    Term all = number(0);
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      all = sum(all, make("times", {parts[i], parts[i + 1]}));
    return is(all);
  }
  return is(make(node.head, std::move(parts)));
}

} // namespace rw::sema
