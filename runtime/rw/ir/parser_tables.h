// The hash tables of the text reader: names of values in scope, and texts whose meaning is known already.
//
// In:  pieces of the text, which must outlive the tables. Out: values, ids.
// Elsewhere: used by parser_*.cpp alone. Nothing here allocates per op, only when a table grows.
#pragma once

#include "rw/ir/ids.h"
#include "rw/ir/intern.h"

#include <cstdint>
#include <string_view>
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
  std::string_view name; // of a numbered value its digits
  uint32_t rank = 0;
  bool numbered = false;
  uint32_t number = 0; // if it fits
  const char *from = nullptr, *to = nullptr;
};

/// The values in scope. Definitions are released last in, first out, when a region closes.
class ValueScope {
public:
  struct Entry {
    ValueName name;
    ValueId value;
    uint32_t hash = 0;
  };

  /// The definition in scope, or null. Valid until the next define.
  const Entry *find(const ValueName &n) const {
    if (n.numbered && n.number < byNumber_.size() && byNumber_[n.number] != kNone)
      return &entries_[byNumber_[n.number]];
    if (slots_.empty())
      return nullptr;
    uint32_t hash = hashOf(n);
    for (size_t i = hash & (slots_.size() - 1); slots_[i] != kNone; i = (i + 1) & (slots_.size() - 1)) {
      const Entry &e = entries_[slots_[i]];
      if (e.hash == hash && e.name.rank == n.rank && e.name.numbered == n.numbered && e.name.name == n.name)
        return &e;
    }
    return nullptr;
  }
  /// `n` must not be in scope.
  void define(const ValueName &n, ValueId value) {
    uint32_t index = uint32_t(entries_.size());
    entries_.push_back({n, value, 0});
    if (direct(n)) {
      if (n.number >= byNumber_.size())
        byNumber_.resize(n.number + n.number / 2 + 64, kNone);
      byNumber_[n.number] = index;
      return;
    }
    if ((hashed_ + 1) * 2 > slots_.size())
      grow();
    entries_[index].hash = hashOf(n);
    ++hashed_;
    insert(index);
  }
  size_t mark() const { return entries_.size(); }
  void release(size_t mark) {
    for (; entries_.size() > mark; entries_.pop_back()) {
      const Entry &e = entries_.back();
      uint32_t index = uint32_t(entries_.size() - 1);
      if (e.name.numbered && e.name.number < byNumber_.size() && byNumber_[e.name.number] == index) {
        byNumber_[e.name.number] = kNone;
        continue;
      }
      // The last one inserted: emptying its slot undoes the insertion, no chain runs through it.
      size_t i = e.hash & (slots_.size() - 1);
      while (slots_[i] != index)
        i = (i + 1) & (slots_.size() - 1);
      slots_[i] = kNone;
      --hashed_;
    }
  }

private:
  static constexpr uint32_t kNone = UINT32_MAX;
  /// Numbers index an array unless they are far larger than there are definitions: then they are hashed as text.
  bool direct(const ValueName &n) const {
    return n.numbered && (n.number < byNumber_.size() || n.number < 2 * entries_.size() + 1024);
  }
  static uint32_t hashOf(const ValueName &n) { return uint32_t(hashText(n.name, n.rank * 2 + n.numbered) >> 20); }
  void insert(uint32_t index) {
    size_t i = entries_[index].hash & (slots_.size() - 1);
    while (slots_[i] != kNone)
      i = (i + 1) & (slots_.size() - 1);
    slots_[i] = index;
  }
  void grow() {
    size_t size = slots_.empty() ? 64 : slots_.size() * 2;
    slots_.assign(size, kNone);
    for (uint32_t index = 0; index + 1 < entries_.size(); ++index) { // in order of definition: release relies on it
      const ValueName &n = entries_[index].name;
      bool inArray = n.numbered && n.number < byNumber_.size() && byNumber_[n.number] == index;
      if (!inArray)
        insert(index);
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> byNumber_, slots_; // indexes of entries
  size_t hashed_ = 0;
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

} // namespace rw::text
