// Patterns' tests to rows of questions with answers; what comes of them is net_code.cpp.
#include "rw/rewrite/net_builder.h"

#include <algorithm>
#include <bit>

namespace rw {

using Path = MatchingNet::Path;

static constexpr uint16_t kNoPath = UINT16_MAX;

NetBuilder::NetBuilder(const OpRegistry &ops) : ops_(ops) {
  net_.rootOf_.assign(ops.size(), 0);
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops.constantAttr(KindId{uint16_t(i)}) >= 0)
      constantKinds_.push_back(uint16_t(i));
}

MatchingNet NetBuilder::finish() && {
  // The lists do not move any more.
  for (MatchingNet::OpeningPlaces &o : net_.openingPlaces_) {
    Opening &opening = net_.openings_.emplace_back();
    opening.order = o.order;
    if (!o.known)
      continue;
    opening.registers = net_.openingLists_.data() + o.first;
    opening.slotCount = uint16_t(o.slots);
    opening.plainCount = uint16_t(o.plain);
    opening.restCount = uint16_t(o.rest);
    opening.pending = uint8_t((o.rest ? Opening::Rest : 0) | (o.plain ? Opening::Plain : 0));
  }
  for (MatchingNet::Root &root : net_.roots_) {
    root.kindsAt = root.kindCount > MatchingNet::kFewKinds ? net_.kinds_.data() + root.kinds : nullptr;
    root.answersAt = net_.answers_.data() + root.answers;
    root.openingsAt = net_.openings_.data() + root.openings;
  }
  return std::move(net_);
}

void NetBuilder::addSame(KindId kind, KindId as) { net_.rootOf_[kind.raw] = net_.rootOf_[as.raw]; }

// Rows ------------------------------------------------------------------------------------------------------------

uint64_t NetBuilder::keyOf(Path p) { return uint64_t(p.kind) << 32 | uint64_t(p.parent) << 16 | p.index; }

std::optional<uint16_t> NetBuilder::path(Path p) {
  if (paths_.size() >= kNoPath) { // no more registers
    std::optional<uint32_t> known = pathIds_.find(keyOf(p));
    return known ? std::optional(uint16_t(*known + 1)) : std::nullopt;
  }
  auto [number, isNew] = pathIds_.add(keyOf(p));
  if (isNew)
    paths_.push_back(p);
  return uint16_t(number + 1); // 0 is the root
}

uint32_t NetBuilder::question(Ask ask, uint16_t path, uint16_t other, uint32_t arg) {
  uint64_t key = uint64_t(ask) << 56 | uint64_t(path) << 40 | uint64_t(other) << 24 | arg;
  auto [number, isNew] = questionIds_.add(key);
  if (isNew)
    questions_.push_back({ask, path, other, arg});
  return number;
}

const std::vector<uint16_t> &NetBuilder::kindsOf(const KindSet &set) {
  auto [it, isNew] = kindSets_.try_emplace(&set);
  std::vector<uint16_t> &kinds = it->second;
  if (!isNew)
    return kinds;
  for (const OpSchema *op : set.ops)
    if (KindId kind = ops_.kindOf(*op); kind != kOpaqueKind)
      kinds.push_back(kind.raw);
  for (size_t i = kFirstDeclaredKind; i < ops_.size(); ++i)
    for (Traits traits : set.traits)
      if ((ops_.schema(KindId{uint16_t(i)}).traits & traits) == traits)
        kinds.push_back(uint16_t(i));
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

uint32_t NetBuilder::bitsOf(const std::vector<uint16_t> &kinds) {
  auto [it, isNew] = bitsIds_.try_emplace(kinds, uint32_t(net_.kindBits_.size()));
  if (isNew) {
    net_.kindBits_.resize(net_.kindBits_.size() + (ops_.size() + 63) / 64);
    for (uint16_t kind : kinds)
      net_.kindBits_[it->second + kind / 64] |= uint64_t(1) << kind % 64;
  }
  return it->second;
}

uint32_t NetBuilder::intern(int64_t number) {
  auto [it, isNew] = numberIds_.try_emplace(number, uint32_t(numbers_.size()));
  if (isNew)
    numbers_.push_back(number);
  return it->second;
}
uint32_t NetBuilder::intern(double real) {
  auto [it, isNew] = realIds_.try_emplace(std::bit_cast<uint64_t>(real == 0 ? 0.0 : real), uint32_t(reals_.size()));
  if (isNew)
    reals_.push_back(real);
  return it->second;
}
uint32_t NetBuilder::intern(std::string_view text) {
  auto [it, isNew] = textIds_.try_emplace(text, uint32_t(texts_.size()));
  if (isNew)
    texts_.push_back(text);
  return it->second;
}

/// What a question costs, in classes: of a row's own those that cost less come first.
static unsigned cost(SharedTest::Kind kind) {
  switch (kind) {
  case SharedTest::Def:
    return 0;
  case SharedTest::DTypeIs:
  case SharedTest::FloatType:
  case SharedTest::IntegerType:
    return 2;
  case SharedTest::AttrInt:
  case SharedTest::AttrBool:
  case SharedTest::AttrDType:
  case SharedTest::AttrString:
    return 3;
  case SharedTest::SplatInt:
  case SharedTest::SplatNumber:
    return 4;
  default:
    return 1;
  }
}

/// Adds the row, unless no op of the registry can pass its tests.
bool NetBuilder::addRow(uint32_t place, const TestList &list, bool swapped) {
  std::vector<Found> &found = found_;
  const size_t firstOpen = openTests_.size();
  std::vector<std::pair<uint32_t, uint32_t>> asked; // tests of the opening, and the questions that stand for them
  std::vector<uint16_t> &slots = slots_;
  found.clear();
  slots.assign(1, 0);
  auto at = [&](uint16_t slot) { return slot < slots.size() ? slots[slot] : kNoPath; };
  auto set = [&](uint16_t slot, std::optional<uint16_t> path) {
    if (slot >= slots.size())
      slots.resize(slot + 1u, kNoPath);
    slots[slot] = path.value_or(kNoPath);
    return path.has_value();
  };
  bool never = false;
  uint32_t nth = 0; // test
  auto ask = [&](const SharedTest &t, uint32_t q, uint32_t answer = 0) {
    if (nth < list.opening)
      asked.push_back({nth, q});
    for (const Found &f : found)
      if (f.question == q) {
        never |= f.answer != answer;
        return;
      }
    found.push_back({q, answer, cost(t.kind)});
  };
  openTests_.resize(firstOpen + list.opening);
  for (nth = 0; nth < list.tests.size(); ++nth) {
    const SharedTest &t = list.tests[nth];
    uint16_t in = at(t.in);
    if (in == kNoPath)
      continue;
    if (found.size() + 2 > kMaxTests) // what is left out is asked by the pattern
      break;
    if (nth < list.opening)
      openTests_[firstOpen + nth].known = true;
    switch (t.kind) {
    case SharedTest::Operand:
    case SharedTest::OperandAtEnd:
      if (set(t.out, path({t.kind == SharedTest::Operand ? Path::Operand : Path::OperandAtEnd, in, t.index})) &&
          t.required)
        ask(t, question(Ask::Present, at(t.out)));
      break;
    case SharedTest::Def: {
      std::vector<uint16_t> one;
      if (t.op && ops_.kindOf(*t.op) != kOpaqueKind)
        one.push_back(ops_.kindOf(*t.op).raw);
      const std::vector<uint16_t> &kinds = t.kinds ? kindsOf(*t.kinds) : one;
      if (kinds.empty()) // of this registry
        return false;
      if (!set(t.out, path({Path::Def, in, 0})))
        break;
      uint16_t op = at(t.out);
      if (kinds.size() == 1)
        ask(t, question(Ask::Kind, op), kinds[0]);
      else
        ask(t, question(Ask::KindIn, op, 0, bitsOf(kinds)));
      bool oneResult = std::all_of(kinds.begin(), kinds.end(), [&](uint16_t kind) {
        std::span<const ResultSchema> results = ops_.schema(KindId{kind}).results;
        return results.size() == 1 && results[0].arity == Arity::Single;
      });
      if (oneResult && t.index != 0)
        return false;
      if (!oneResult)
        ask({.kind = SharedTest::Count}, question(Ask::Result, op), t.index);
      break;
    }
    case SharedTest::Attr:
    case SharedTest::AttrOrDefault:
      if (set(t.out, path({t.kind == SharedTest::Attr ? Path::Attr : Path::AttrOrDefault, in, t.index})) && t.required)
        ask(t, question(Ask::AttrPresent, at(t.out)));
      break;
    case SharedTest::AttrDefault:
      ask(t, question(Ask::AttrDefault, in, t.index));
      break;
    case SharedTest::AttrAbsent:
      ask(t, question(Ask::AttrAbsent, in, t.index));
      break;
    case SharedTest::AttrInt:
      ask(t, question(Ask::Int, in), intern(t.number));
      break;
    case SharedTest::AttrBool:
      ask(t, question(Ask::AttrBool, in, 0, t.number != 0));
      break;
    case SharedTest::AttrDType:
      ask(t, question(Ask::AttrDType, in), uint32_t(t.number));
      break;
    case SharedTest::AttrString:
      ask(t, question(Ask::String, in), intern(t.text));
      break;
    case SharedTest::Count: {
      std::pair counts(uint32_t(std::min<int64_t>(t.number, UINT32_MAX)), t.most);
      auto [it, isNew] = countIds_.try_emplace(counts, uint32_t(net_.counts_.size()));
      if (isNew)
        net_.counts_.insert(net_.counts_.end(), {counts.first, counts.second});
      ask(t, question(Ask::Count, in, 0, it->second));
      break;
    }
    case SharedTest::Absent:
      ask(t, question(Ask::Absent, in, t.index));
      break;
    case SharedTest::OneUse:
      ask(t, question(Ask::OneUse, in));
      break;
    case SharedTest::Constant:
      ask(t, question(Ask::Constant, in));
      break;
    case SharedTest::SplatInt:
      ask(t, question(Ask::SplatInt, in), intern(t.number));
      break;
    case SharedTest::SplatNumber:
      ask(t, question(Ask::Splat, in), intern(t.real));
      break;
    case SharedTest::DTypeIs:
      ask(t, question(Ask::DType, in), uint32_t(t.number));
      break;
    case SharedTest::FloatType:
      ask(t, question(Ask::FloatType, in));
      break;
    case SharedTest::IntegerType:
      ask(t, question(Ask::IntegerType, in));
      break;
    case SharedTest::Same:
      if (uint16_t other = at(t.out); other != kNoPath && other != in)
        ask(t, question(Ask::Same, std::min(in, other), std::max(in, other)));
      break;
    case SharedTest::Commute:
      set(t.out, path({Path::Operand, in, uint16_t(swapped)}));
      set(uint16_t(t.out + 1), path({Path::Operand, in, uint16_t(!swapped)}));
      break;
    case SharedTest::NoExtras:
      break;
    }
    if (never)
      return false;
    if (nth < list.opening && setsSlot(t.kind))
      openTests_[firstOpen + nth].sets = at(t.out) == kNoPath ? 0 : at(t.out);
    if (nth < list.opening && t.kind == SharedTest::Commute) {
      uint16_t also = at(uint16_t(t.out + 1));
      openTests_[firstOpen + nth].also = also == kNoPath ? 0 : also;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found &a, const Found &b) { return a.cost < b.cost; });

  Row row{.place = place,
          .first = uint32_t(tests_.size()),
          .count = uint32_t(found.size()),
          .left = 0,
          .opening = uint32_t(firstOpen)};
  for (auto [test, question] : asked)
    for (uint32_t i = 0; i < found.size(); ++i)
      if (found[i].question == question)
        openTests_[firstOpen + test].asks |= uint64_t(1) << i;
  // Behind which tests a path is known to be there: that of the kind of the nearest op on it.
  auto needs = [&](uint16_t from) -> uint64_t {
    while (paths_[from].kind != Path::Def && paths_[from].kind != Path::Root)
      from = paths_[from].parent;
    for (uint32_t i = 0; i < found.size() && from != 0; ++i)
      if (const Question &q = questions_[found[i].question];
          q.path == from && (q.ask == Ask::Kind || q.ask == Ask::KindIn))
        return uint64_t(1) << i;
    return 0;
  };
  for (uint32_t i = 0; i < found.size(); ++i) {
    const Question &q = questions_[found[i].question];
    bool asksKind = q.ask == Ask::Kind || q.ask == Ask::KindIn;
    uint64_t behind = needs(asksKind ? paths_[q.path].parent : q.path);
    if (q.ask == Ask::Same)
      behind |= needs(q.other);
    tests_.push_back({found[i].question, found[i].answer, behind});
    row.left |= uint64_t(1) << i;
  }
  rows_.push_back(row);
  return true;
}

bool NetBuilder::commutes(const TestList &list) {
  return std::any_of(list.tests.begin(), list.tests.end(), [](auto &t) { return t.kind == SharedTest::Commute; });
}

void NetBuilder::add(KindId kind, std::span<const TestList> patterns) {
  patterns_ = patterns;
  openTests_.clear();
  paths_.assign(1, Path());
  reached_.clear();
  reachedOrder_.clear();
  nearFrom_ = 0;
  pathIds_.clear();
  questions_.clear();
  questionIds_.clear();
  tests_.clear();
  rows_.clear();
  for (uint32_t place = 0; place < patterns.size(); ++place) {
    const TestList &list = patterns[place];
    if (list.order != TestList::Swapped)
      addRow(place, list, false);
    if (list.order == TestList::Swapped || (list.order == TestList::Either && commutes(list)))
      addRow(place, list, true);
  }
  bool asks = std::any_of(questions_.begin(), questions_.end(), [](const Question &q) { return !hardlyFails(q.ask); });
  bool opens = std::any_of(patterns.begin(), patterns.end(), [](const TestList &p) { return p.opening > 1; });
  if (!opens && (patterns.size() < 2 || (!asks && patterns.size() <= kNearPlaces && rows_.size() == patterns.size())))
    return; // one pattern, or all of them always
  firstOpening_ = net_.openingPlaces_.size();
  for (const TestList &list : patterns)
    net_.openingPlaces_.push_back({.order = list.order});
  reached_.assign(paths_.size(), false);
  reached_[0] = true;
  number_.assign(questions_.size(), UINT32_MAX);
  uint32_t entry = uint32_t(net_.code_.size());
  std::vector<uint32_t> all(rows_.size());
  for (uint32_t i = 0; i < all.size(); ++i)
    all[i] = i;
  build(all);
  emit(NetCode::End);
  threadJumps(entry);
  net_.rootOf_[kind.raw] = uint32_t(net_.roots_.size());
  net_.roots_.push_back(firstQuestion(entry));
  net_.roots_.back().openings = uint32_t(firstOpening_);
  net_.registers_ = std::max(net_.registers_, uint32_t(paths_.size()));
  net_.patterns_ = std::max(net_.patterns_, uint32_t(patterns.size()));
  net_.rootTexts_.push_back({entry, paths_});
}

} // namespace rw
