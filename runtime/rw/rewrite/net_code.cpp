// Rows of tests to a net's instructions; members of NetBuilder.
#include "rw/rewrite/net_builder.h"

#include <algorithm>
#include <bit>

namespace rw {

using Path = MatchingNet::Path;

static constexpr uint32_t kNoNumber = UINT32_MAX;

NetCode &NetBuilder::emit(NetCode::Op op, uint16_t in, uint16_t out, uint16_t index, uint32_t arg) {
  return net_.code_.emplace_back(NetCode{op, in, out, index, arg, 0});
}

void NetBuilder::reached(uint16_t path) {
  reached_[path] = true;
  reachedOrder_.push_back(path);
}

/// Forgets what has been reached since `mark`: the registers are set on one way only.
void NetBuilder::leave(size_t mark) {
  for (; reachedOrder_.size() > mark; reachedOrder_.pop_back())
    reached_[reachedOrder_.back()] = false;
}

/// Sets the path's register, unless it is.
void NetBuilder::reach(uint16_t id) {
  if (reached_[id])
    return;
  const Path p = paths_[id];
  if (p.kind == Path::Def && !reached_[p.parent] && paths_[p.parent].kind == Path::Operand) {
    const Path value = paths_[p.parent];
    reach(value.parent);
    emit(NetCode::GetOperandDef, value.parent, p.parent, value.index, id);
    reached(p.parent);
    return reached(id);
  }
  reach(p.parent);
  static constexpr NetCode::Op kGet[] = {NetCode::End,    NetCode::GetOperand, NetCode::GetOperandAtEnd,
                                         NetCode::GetDef, NetCode::GetAttr,    NetCode::GetAttrOrDefault};
  emit(kGet[p.kind], p.parent, id, p.index);
  reached(id);
}

/// Asks; where it goes on is still to be said.
uint32_t NetBuilder::ask(const Question &q) {
  reach(q.path);
  if (q.ask == Ask::Same)
    reach(q.other);
  switch (q.ask) {
  case Ask::Kind:
    emit(NetCode::KindSwitch, q.path);
    break;
  case Ask::Result:
    emit(NetCode::ResultSwitch, paths_[q.path].parent, q.path);
    break;
  case Ask::Int:
    emit(NetCode::IntSwitch, q.path);
    break;
  case Ask::String:
    emit(NetCode::StringSwitch, q.path);
    break;
  case Ask::SplatInt:
    emit(NetCode::SplatIntSwitch, q.path);
    break;
  case Ask::Splat:
    emit(NetCode::SplatSwitch, q.path);
    break;
  case Ask::DType:
    emit(NetCode::DTypeSwitch, q.path);
    break;
  case Ask::AttrDType:
    emit(NetCode::AttrDTypeSwitch, q.path);
    break;
  case Ask::KindIn:
    emit(NetCode::KindIn, q.path, 0, 0, q.arg);
    break;
  case Ask::Constant:
    emit(NetCode::Constant, q.path);
    break;
  case Ask::OneUse:
    emit(NetCode::OneUse, q.path);
    break;
  case Ask::Count:
    emit(NetCode::Count, q.path, 0, 0, q.arg);
    break;
  case Ask::Absent:
    emit(NetCode::Absent, q.path, 0, q.other);
    break;
  case Ask::Present:
  case Ask::AttrPresent:
    emit(NetCode::Present, q.path);
    break;
  case Ask::Same:
    emit(NetCode::Same, q.path, q.other);
    break;
  case Ask::FloatType:
    emit(NetCode::FloatType, q.path);
    break;
  case Ask::IntegerType:
    emit(NetCode::IntegerType, q.path);
    break;
  case Ask::AttrBool:
    emit(NetCode::AttrBool, q.path, 0, uint16_t(q.arg));
    break;
  case Ask::AttrAbsent:
    emit(NetCode::AttrAbsent, q.path, 0, q.other);
    break;
  case Ask::AttrDefault:
    emit(NetCode::AttrDefault, q.path, 0, q.other);
    break;
  }
  return uint32_t(net_.code_.size() - 1);
}

/// Says where the question at `at` goes on: for each answer its place, for all others `target`, which must be set.
void NetBuilder::answers(uint32_t at, const Question &q, std::vector<std::pair<uint32_t, uint32_t>> places) {
  if (!splits(q.ask))
    return;
  NetCode &code = net_.code_[at];
  if (q.ask == Ask::Kind && places.size() == 1) {
    code.op = NetCode::KindIs;
    code.index = uint16_t(places[0].first);
    return; // it goes on behind itself
  }
  NetTable table{.count = uint32_t(places.size()), .places = uint32_t(net_.places_.size())};
  auto sortBy = [&](const auto &key, auto &keys) {
    std::sort(places.begin(), places.end(), [&](const auto &a, const auto &b) { return key(a.first) < key(b.first); });
    table.first = uint32_t(keys.size());
    for (auto &[answer, place] : places)
      keys.emplace_back(key(answer));
  };
  if (q.ask == Ask::Splat) {
    sortBy([&](uint32_t answer) { return reals_[answer]; }, net_.reals_);
  } else if (q.ask == Ask::String) {
    sortBy([&](uint32_t answer) { return texts_[answer]; }, net_.texts_);
  } else {
    auto number = [&](uint32_t answer) {
      return q.ask == Ask::Int || q.ask == Ask::SplatInt ? numbers_[answer] : int64_t(answer);
    };
    std::sort(places.begin(), places.end(), [&](auto &a, auto &b) { return number(a.first) < number(b.first); });
    uint64_t least = uint64_t(number(places.front().first)), range = uint64_t(number(places.back().first)) - least;
    table.dense = range < 8 * places.size() + 64;
    if (table.dense) {
      table.least = int64_t(least);
      table.count = uint32_t(range + 1);
      net_.places_.resize(table.places + table.count, code.target);
      for (auto &[answer, place] : places)
        net_.places_[table.places + (uint64_t(number(answer)) - least)] = place;
    } else {
      sortBy(number, net_.numbers_);
    }
    if (q.ask == Ask::Kind && table.dense) {
      code.index = uint16_t(table.least);
      code.out = uint16_t(table.count);
      code.arg = table.places;
      return;
    }
    if (q.ask == Ask::Kind)
      code.op = NetCode::KindSearch;
  }
  if (!table.dense)
    for (auto &[answer, place] : places)
      net_.places_.push_back(place);
  code.arg = uint32_t(net_.tables_.size());
  net_.tables_.push_back(table);
}

/// The pattern at `place` is found here; with those before, where nothing is asked in between.
void NetBuilder::found(uint32_t place, bool asksNothing) {
  if (place >= 64) {
    emit(NetCode::Far, 0, 0, 0, place);
    return;
  }
  if (!asksNothing || nearFrom_ != net_.code_.size()) {
    emit(NetCode::Near);
    nearFrom_ = net_.code_.size();
  }
  NetCode &near = net_.code_.back();
  (place < 32 ? near.arg : near.target) |= 1u << place % 32;
}

/// The row's pattern is named here: what of its opening has been asked, and what is left to it.
void NetBuilder::settleOpening(const Row &row) {
  const TestList &list = patterns_[row.place];
  MatchingNet::OpeningPlaces &places = net_.openingPlaces_[firstOpening_ + row.place];
  if (places.known || list.opening == 0)
    return;
  // With either order it is named twice, on ways that ask different things.
  bool once = list.order != TestList::Either || !commutes(list);
  std::vector<uint16_t> &lists = net_.openingLists_;
  std::span<const OpenTest> tests(openTests_.data() + row.opening, list.opening);
  places.first = uint32_t(lists.size());
  auto slot = [&](uint16_t slot) -> uint16_t & {
    if (slot >= places.slots) {
      places.slots = slot + 1u;
      lists.resize(places.first + places.slots, 0);
    }
    return lists[places.first + slot];
  };
  auto isReached = [&](uint16_t path) { return path == 0 || reached_[path]; };
  slot(0) = 0;
  for (uint32_t i = 0; i < tests.size(); ++i) {
    bool swaps = list.tests[i].kind == SharedTest::Commute;
    if (!tests[i].known || (setsSlot(list.tests[i].kind) && tests[i].sets == 0) || (swaps && tests[i].also == 0)) {
      lists.resize(places.first); // no more registers
      return;
    }
    if (tests[i].sets)
      slot(list.tests[i].out) = tests[i].sets;
    if (swaps)
      slot(uint16_t(list.tests[i].out + 1)) = tests[i].also;
  }
  for (uint32_t i = 0; i < tests.size(); ++i)
    if (list.tests[i].kind == SharedTest::NoExtras) {
      lists.push_back(lists[places.first + list.tests[i].in]);
      ++places.plain;
    }
  for (uint32_t i = 0; i < tests.size(); ++i)
    if (list.tests[i].kind != SharedTest::NoExtras &&
        (!once || (tests[i].asks & row.left) || !isReached(tests[i].sets) || !isReached(tests[i].also))) {
      lists.push_back(uint16_t(i));
      ++places.rest;
    }
  places.known = true;
}

/// A row with the tests that nobody shares: the pattern, behind them.
void NetBuilder::leaf(Row &row) {
  std::vector<uint32_t> asked;
  size_t mark = SIZE_MAX; // what the first question looks at is there for those that follow, too
  for (uint64_t left = row.left; left; left &= left - 1) {
    const Test &t = tests_[row.first + uint32_t(std::countr_zero(left))];
    const Question &q = questions_[t.question];
    if (hardlyFails(q.ask)) // not worth asking for one pattern
      continue;
    uint32_t at = ask(q);
    answers(at, q, {{t.answer, uint32_t(net_.code_.size())}});
    asked.push_back(at);
    row.left &= ~(left & -left);
    if (mark == SIZE_MAX)
      mark = reachedOrder_.size();
  }
  settleOpening(row);
  found(row.place, asked.empty());
  for (uint32_t at : asked)
    net_.code_[at].target = uint32_t(net_.code_.size());
  if (!asked.empty())
    nearFrom_ = 0; // what follows is found without those tests
  leave(mark == SIZE_MAX ? reachedOrder_.size() : mark);
}

/// A question that all of `rows` ask, and what stands behind each answer.
void NetBuilder::branch(uint32_t question, std::span<uint32_t> rows) {
  const Question q = questions_[question];
  auto answer = [&](uint32_t r) { return rows_[r].answer; };
  for (uint32_t r : rows) {
    Row &row = rows_[r];
    uint32_t i = 0;
    while (tests_[row.first + i].question != question)
      ++i;
    row.left &= ~(uint64_t(1) << i);
    row.answer = tests_[row.first + i].answer;
  }
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return answer(a) < answer(b); });
  uint32_t at = ask(q);
  std::vector<std::pair<uint32_t, uint32_t>> places;
  std::vector<uint32_t> ends{at};
  for (size_t i = 0; i < rows.size();) {
    size_t end = i + 1;
    while (end < rows.size() && answer(rows[end]) == answer(rows[i]))
      ++end;
    places.push_back({answer(rows[i]), uint32_t(net_.code_.size())});
    size_t mark = reachedOrder_.size();
    build(rows.subspan(i, end - i)); // which may put these in another order
    leave(mark);
    nearFrom_ = 0;
    i = end;
    if (i < rows.size()) {
      ends.push_back(uint32_t(net_.code_.size()));
      emit(NetCode::Jump);
    }
  }
  for (uint32_t end : ends)
    net_.code_[end].target = uint32_t(net_.code_.size());
  answers(at, q, std::move(places));
}

void NetBuilder::build(std::span<uint32_t> rows) {
  if (rows.size() == 1) // as most are
    return leaf(rows_[rows[0]]);
  if (depth_ == levels_.size())
    levels_.emplace_back();
  Level &l = levels_[depth_++];
  l.clear();
  // Which questions may be asked here, and by how many rows. Numbered anew, so that room and time are those of these
  // rows.
  for (uint32_t r : rows) {
    const Row &row = rows_[r];
    l.rows.push_back(r);
    l.firstAsked.push_back(uint32_t(l.asked.size()));
    for (uint64_t left = row.left; left; left &= left - 1) {
      uint32_t i = uint32_t(std::countr_zero(left));
      if (!mayAsk(row, i))
        continue;
      uint32_t q = tests_[row.first + i].question;
      if (number_[q] == kNoNumber) {
        number_[q] = uint32_t(l.questions.size());
        l.questions.push_back(q);
        l.counts.push_back(0);
      }
      l.asked.push_back(number_[q]);
      ++l.counts[number_[q]];
    }
  }
  l.firstAsked.push_back(uint32_t(l.asked.size()));
  for (uint32_t q : l.questions)
    number_[q] = kNoNumber;
  // The rows of each question.
  l.first.push_back(0);
  for (uint32_t count : l.counts)
    l.first.push_back(l.first.back() + count);
  l.next = l.first;
  l.askers.resize(l.asked.size());
  for (uint32_t i = 0; i < rows.size(); ++i)
    for (uint32_t a = l.firstAsked[i]; a < l.firstAsked[i + 1]; ++a)
      l.askers[l.next[l.asked[a]]++] = i;

  auto offer = [&](uint32_t number) {
    if (l.counts[number] > 1) {
      l.best.push_back({questions_[l.questions[number]].rank(), l.counts[number], number});
      std::push_heap(l.best.begin(), l.best.end());
    }
  };
  for (uint32_t i = 0; i < l.questions.size(); ++i)
    offer(i);
  l.taken.assign(rows.size(), false);
  size_t done = 0; // rows at the front that have been taken
  while (!l.best.empty()) {
    Shared top = l.best.front();
    std::pop_heap(l.best.begin(), l.best.end());
    l.best.pop_back();
    if (l.counts[top.number] != top.count) { // some have been taken since
      offer(top.number);
      continue;
    }
    size_t from = done;
    for (uint32_t a = l.first[top.number]; a < l.first[top.number + 1]; ++a) {
      uint32_t i = l.askers[a];
      if (l.taken[i])
        continue;
      l.taken[i] = true;
      rows[done++] = l.rows[i];
      for (uint32_t b = l.firstAsked[i]; b < l.firstAsked[i + 1]; ++b)
        --l.counts[l.asked[b]];
    }
    branch(l.questions[top.number], rows.subspan(from, done - from));
  }
  for (uint32_t i = 0; i < l.rows.size(); ++i)
    if (!l.taken[i])
      leaf(rows_[l.rows[i]]);
  --depth_;
}

/// A jump to a jump goes where that goes, a jump to the end is one, and patterns right before the end are named there.
void NetBuilder::threadJumps(uint32_t entry) {
  std::vector<NetCode> &code = net_.code_;
  auto last = [&](uint32_t place) {
    while (code[place].op == NetCode::Jump)
      place = code[place].target;
    return place;
  };
  auto thread = [&](uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      net_.places_[first + i] = last(net_.places_[first + i]);
  };
  for (uint32_t i = entry; i < code.size(); ++i) {
    NetCode &c = code[i];
    if (c.op == NetCode::KindSwitch)
      thread(c.arg, c.out);
    else if (c.op >= NetCode::KindSearch && c.op <= NetCode::SplatSwitch)
      thread(net_.tables_[c.arg].places, net_.tables_[c.arg].count);
    if (c.target && c.op != NetCode::Near)
      c.target = last(c.target);
  }
  for (uint32_t i = uint32_t(code.size()); i-- > entry;) { // from the end, since jumps only go forwards
    NetCode &c = code[i];
    if (c.op == NetCode::Jump && code[c.target].op == NetCode::End) {
      c = code[c.target];
    } else if (c.op == NetCode::Near && code[i + 1].op == NetCode::End) {
      c.op = NetCode::End;
      c.arg |= code[i + 1].arg;
      c.target |= code[i + 1].target;
    }
  }
}

// The first question ----------------------------------------------------------------------------------------------

/// What the instructions from `place` on find before they ask more than which op makes operand `root.operand`: one of
/// `kind`, or none that is registered.
MatchingNet::Answer NetBuilder::answerAt(uint32_t place, const MatchingNet::Root &root, KindId kind) const {
  MatchingNet::Answer answer;
  for (;;) {
    const NetCode &c = net_.code_[place];
    bool ofValue = c.in == root.value && c.in != 0, ofDef = c.in == root.def && c.in != 0;
    uint32_t known = UINT32_MAX;
    switch (c.op) {
    case NetCode::End:
      answer.near |= c.bits();
      break;
    case NetCode::Near:
      answer.near |= c.bits();
      known = place + 1;
      break;
    case NetCode::Jump:
      known = c.target;
      break;
    case NetCode::GetOperand:
    case NetCode::GetOperandDef:
      if (c.in == 0 && c.out == root.value)
        known = place + 1;
      break;
    case NetCode::GetDef:
      if (ofValue)
        known = place + 1;
      break;
    case NetCode::KindSwitch:
      if (ofDef)
        known =
            kind.raw >= c.index && kind.raw - c.index < c.out ? net_.places_[c.arg + (kind.raw - c.index)] : c.target;
      break;
    case NetCode::KindSearch:
      if (ofDef)
        known = net_.placeOf(net_.tables_[c.arg], int64_t(kind.raw), c.target);
      break;
    case NetCode::KindIs:
      if (ofDef)
        known = kind.raw == c.index ? place + 1 : c.target;
      break;
    case NetCode::KindIn:
      if (ofDef)
        known = net_.kindBits_[c.arg + kind.raw / 64] >> kind.raw % 64 & 1 ? place + 1 : c.target;
      break;
    case NetCode::SplatIntSwitch:
    case NetCode::SplatSwitch:
    case NetCode::Constant:
      if (ofValue && ops_.constantAttr(kind) < 0)
        known = c.target;
      break;
    default:
      break;
    }
    if (known == UINT32_MAX) {
      answer.next = c.op == NetCode::End ? 0 : place;
      return answer;
    }
    place = known;
  }
}

/// The answers, by the kind of op that makes the operand that a root's instructions look at first.
MatchingNet::Root NetBuilder::firstQuestion(uint32_t entry) {
  MatchingNet::Root root{.kinds = uint32_t(net_.kinds_.size()), .answers = uint32_t(net_.answers_.size())};
  uint32_t first = entry;
  while (net_.code_[first].op == NetCode::Near)
    ++first;
  const NetCode &get = net_.code_[first];
  if (get.in == 0 && (get.op == NetCode::GetOperand || get.op == NetCode::GetOperandDef)) {
    root.operand = get.index;
    root.value = get.out;
    if (std::optional<uint32_t> def = pathIds_.find(keyOf({Path::Def, get.out, 0})))
      root.def = uint16_t(*def + 1);
  }
  net_.answers_.push_back(answerAt(entry, root, kOpaqueKind));
  if (!root.value) {
    root.operand = UINT16_MAX; // nothing to look at
    return root;
  }
  const std::vector<uint16_t> &kinds = kindsAsked(entry, root); // all others have the answer of none
  if (kinds.empty())
    return root;
  root.least = kinds.front();
  root.kindCount = kinds.back() - kinds.front() + 1u;
  const MatchingNet::Answer none = net_.answers_.back();
  if (root.kindCount <= MatchingNet::kFewKinds) {
    net_.answers_.resize(net_.answers_.size() + root.kindCount, none);
    for (uint16_t kind : kinds)
      net_.answers_[root.answers + 1u + (kind - root.least)] = answerAt(entry, root, KindId{kind});
    return root;
  }
  net_.kinds_.resize(root.kinds + root.kindCount, 0);
  using Key = std::pair<uint64_t, uint32_t>;
  std::map<Key, uint16_t> known{{Key(none.near, none.next), uint16_t(0)}};
  for (uint16_t kind : kinds) {
    MatchingNet::Answer answer = answerAt(entry, root, KindId{kind});
    auto [it, isNew] = known.try_emplace(Key(answer.near, answer.next), uint16_t(known.size()));
    if (isNew)
      net_.answers_.push_back(answer);
    net_.kinds_[root.kinds + (kind - root.least)] = it->second;
  }
  return root;
}

/// The kinds, in order, for which the instructions from `entry` on may tell the op of the first operand from others.
const std::vector<uint16_t> &NetBuilder::kindsAsked(uint32_t entry, const MatchingNet::Root &root) {
  std::vector<uint16_t> &kinds = asked_;
  kinds.clear();
  bool constants = false;
  for (uint32_t i = entry; i < net_.code_.size(); ++i) {
    const NetCode &c = net_.code_[i];
    constants |= c.in == root.value &&
                 (c.op == NetCode::SplatIntSwitch || c.op == NetCode::SplatSwitch || c.op == NetCode::Constant);
    if (c.in != root.def || c.in == 0)
      continue;
    if (c.op == NetCode::KindIs)
      kinds.push_back(c.index);
    for (uint32_t k = 0; c.op == NetCode::KindSwitch && k < c.out; ++k)
      if (net_.places_[c.arg + k] != c.target)
        kinds.push_back(uint16_t(c.index + k));
    if (c.op == NetCode::KindSearch)
      for (uint32_t k = 0; k < net_.tables_[c.arg].count; ++k)
        kinds.push_back(uint16_t(net_.numbers_[net_.tables_[c.arg].first + k]));
    for (size_t word = 0; c.op == NetCode::KindIn && 64 * word < ops_.size(); ++word)
      for (uint64_t left = net_.kindBits_[c.arg + word]; left; left &= left - 1)
        kinds.push_back(uint16_t(64 * word + size_t(std::countr_zero(left))));
  }
  if (constants)
    kinds.insert(kinds.end(), constantKinds_.begin(), constantKinds_.end());
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

} // namespace rw
