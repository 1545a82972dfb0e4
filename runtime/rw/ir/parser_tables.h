// The hash tables of the text reader: names of values in scope, and texts whose meaning is known already.
//
// In:  pieces of the text, which must outlive the tables. Out: values, ids.
// Elsewhere: used by parser_*.cpp alone. Nothing here allocates per op, only when a table grows.
#pragma once

#include "rw/ir/ids.h"
#include "rw/support/intern.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rw::text {

inline uint64_t hashText(std::string_view text, uint64_t salt) {
  Hasher h;
  h.add(salt);
  h.addBytes(text.data(), text.size());
  return h.value();
}

/// How a value is named in the text: `%12`, or `%name` with a rank (`~1`) that tells equal names apart.
struct ValueName {
  static constexpr uint32_t kNumbered = UINT32_MAX; // the rank of numbered values
  StringId name;                                    // of a value with a number that does not fit its digits
  uint32_t rank = 0;
  uint32_t number = 0;
  const char *from = nullptr, *to = nullptr;

  bool isNumbered() const { return rank == kNumbered; }
  friend bool operator==(const ValueName &a, const ValueName &b) {
    return a.name == b.name && a.rank == b.rank && a.number == b.number;
  }
};

/// The values in scope. Names are interned, so they index an array, as numbers do; definitions are undone when a
/// region closes.
class ValueScope {
public:
  struct Entry {
    ValueId value;
    uint32_t from = 0; // where it is defined: an offset into the text
  };

  /// The definition in scope, or null. Valid until the next define.
  const Entry *find(const ValueName &n) const {
    const std::vector<Entry> &table = n.isNumbered() ? byNumber_ : byName_;
    uint32_t index = n.isNumbered() ? n.number : n.name.raw;
    if (plain(n) && index < table.size())
      return table[index].value ? &table[index] : nullptr;
    if (rare_.empty())
      return nullptr;
    auto it = rare_.find(key(n));
    return it == rare_.end() ? nullptr : &it->second;
  }
  /// `n` must not be in scope.
  void define(const ValueName &n, Entry entry) {
    bool numbered = n.isNumbered();
    std::vector<Entry> &table = numbered ? byNumber_ : byName_;
    uint32_t index = numbered ? n.number : n.name.raw;
    // Numbers index an array unless they are far larger than there are definitions.
    bool direct = plain(n) && (!numbered || index < table.size() || index < 2 * log_.size() + 1024);
    if (!direct) {
      log_.push_back({kRare, uint32_t(rareKeys_.size())});
      rareKeys_.push_back(key(n));
      rare_[key(n)] = entry;
      return;
    }
    if (index >= table.size()) {
      size_t old = table.size();
      table.resize(std::max<size_t>(index + 1, old * 2));
      if (numbered && !rare_.empty())
        takeOver(old);
    }
    table[index] = entry;
    log_.push_back({numbered ? kNumber : kName, index});
  }
  size_t mark() const { return log_.size(); }
  void release(size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) {
      auto [where, index] = log_.back();
      if (where != kRare) {
        (where == kNumber ? byNumber_ : byName_)[index] = Entry();
        continue;
      }
      uint64_t k = rareKeys_[index];
      rare_.erase(k);
      if (uint32_t(k >> 32) == ValueName::kNumbered && uint32_t(k) < byNumber_.size())
        byNumber_[uint32_t(k)] = Entry(); // taken over since
      rareKeys_.pop_back();
    }
  }

private:
  enum Where : uint32_t { kName, kNumber, kRare };
  static bool plain(const ValueName &n) { return n.rank == 0 || (n.isNumbered() && !n.name); }
  static uint64_t key(const ValueName &n) {
    if (n.isNumbered() && n.name) // digits: apart from all numbers and ranks
      return uint64_t(ValueName::kNumbered - 1) << 32 | n.name.raw;
    return uint64_t(n.rank) << 32 | (n.isNumbered() ? n.number : n.name.raw);
  }
  /// The array of numbers has grown: those from `old` on are found there from now on.
  void takeOver(size_t old) {
    for (uint64_t k : rareKeys_) {
      uint32_t number = uint32_t(k);
      if (uint32_t(k >> 32) == ValueName::kNumbered && number >= old && number < byNumber_.size())
        byNumber_[number] = rare_[k];
    }
  }

  std::vector<Entry> byName_, byNumber_;
  std::unordered_map<uint64_t, Entry> rare_; // by key: ranks from 1, and large numbers
  std::vector<uint64_t> rareKeys_;
  std::vector<std::pair<Where, uint32_t>> log_;
};

/// Texts read before, with what they mean. Only short ones are worth keeping.
class TextCache {
public:
  static constexpr size_t kLongest = 256;
  /// What `text` means under `salt`, or UINT32_MAX; `hash` is for add.
  uint32_t find(std::string_view text, uint32_t salt, uint64_t &hash) const {
    hash = hashText(text, salt);
    if (slots_.empty())
      return UINT32_MAX;
    for (size_t i = hash & (slots_.size() - 1); slots_[i].text; i = (i + 1) & (slots_.size() - 1)) {
      const Slot &s = slots_[i];
      if (s.tag == uint32_t(hash >> 32) && s.salt == salt && std::string_view(s.text, s.length) == text)
        return s.value;
    }
    return UINT32_MAX;
  }
  void add(std::string_view text, uint32_t salt, uint64_t hash, uint32_t value) {
    if ((count_ + 1) * 2 > slots_.size())
      grow();
    ++count_;
    place({text.data(), uint32_t(text.size()), salt, uint32_t(hash >> 32), value, hash});
  }

private:
  struct Slot {
    const char *text = nullptr;
    uint32_t length = 0, salt = 0, tag = 0, value = 0;
    uint64_t hash = 0;
  };
  void place(const Slot &slot) {
    size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].text)
      i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot &s : old)
      if (s.text)
        place(s);
  }
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

/// Lines of ops read before, by what stands before and behind their operands: programs repeat these very often.
class LineTable {
public:
  struct Line {
    uint32_t spelling = 0; // of the op's name
    AttrsId attrs;
    TypeId type;                // of its one result, as stated
    uint32_t typeAt = 0;        // where that begins in what stands behind the operands
    std::string_view name, end; // "tensor.add", " : f32[2]"
    uint64_t hash = 0;
  };
  /// Null if it was not read before; `hash` is for add.
  const Line *find(std::string_view name, std::string_view end, uint64_t &hash) const {
    Hasher h;
    h.addBytes(name.data(), name.size());
    h.addBytes(end.data(), end.size());
    hash = h.value();
    if (slots_.empty())
      return nullptr;
    for (size_t i = hash & (slots_.size() - 1); slots_[i] != UINT32_MAX; i = (i + 1) & (slots_.size() - 1)) {
      const Line &line = lines_[slots_[i]];
      if (line.hash == hash && line.name == name && line.end == end)
        return &line;
    }
    return nullptr;
  }
  /// Where every line is another, keeping them is of no use.
  bool full() const { return lines_.size() >= size_t(1) << 16; }
  void add(const Line &line) {
    lines_.push_back(line);
    if (lines_.size() * 2 > slots_.size()) {
      slots_.assign(std::max<size_t>(64, slots_.size() * 2), UINT32_MAX);
      for (uint32_t i = 0; i + 1 < lines_.size(); ++i)
        place(i);
    }
    place(uint32_t(lines_.size() - 1));
  }

private:
  void place(uint32_t line) {
    size_t i = lines_[line].hash & (slots_.size() - 1);
    while (slots_[i] != UINT32_MAX)
      i = (i + 1) & (slots_.size() - 1);
    slots_[i] = line;
  }
  std::vector<Line> lines_;
  std::vector<uint32_t> slots_; // of lines_
};

} // namespace rw::text
