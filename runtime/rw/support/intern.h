// What the interning tables are made of: an arena for content and a hash table of ids.
//
// In:  content, hashed by the caller. Out: ids and stable spans. Elsewhere: the IR's types and attributes
//      (ir/context.cpp)
// and the terms of proofs (frontend/check/terms.cpp) are kept in these.
//
//   Arena arena;  std::span<const int64_t> kept = arena.copy(ints);
//   uint32_t &slot = table.findOrInsert(hash, [&](uint32_t id) { return equals(id); });   // kEmpty if new: set it
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rw {

/// Bump allocation of trivially destructible content; addresses are stable.
class Arena {
public:
  template <class T> std::span<const T> copy(std::span<const T> from) {
    if (from.empty())
      return {};
    T *to = static_cast<T *>(allocate(from.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void *>(to), from.data(), from.size_bytes());
    return {to, from.size()};
  }
  std::string_view copy(std::string_view from) {
    auto kept = copy(std::span<const char>(from.data(), from.size()));
    return {kept.data(), kept.size()};
  }
  void *allocate(size_t bytes, size_t alignment) {
    size_t start = (used_ + alignment - 1) & ~(alignment - 1);
    if (chunks_.empty() || start + bytes > size_) {
      // Small programs have small chunks: many of them are made one after another where programs are drawn at random.
      const size_t chunk = std::clamp(total_, kFirstChunk, kChunk);
      size_ = bytes > chunk / 4 ? bytes : chunk;
      chunks_.emplace_back(new std::max_align_t[(size_ + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)]);
      total_ += size_;
      start = 0;
    }
    used_ = start + bytes;
    return reinterpret_cast<char *>(chunks_.back().get()) + start;
  }
  size_t memoryUsed() const { return total_; }
  /// What was allocated is gone; the last chunk serves again.
  void clear() {
    if (chunks_.size() > 1)
      chunks_.erase(chunks_.begin(), chunks_.end() - 1);
    used_ = 0;
    total_ = chunks_.empty() ? 0 : size_;
  }

private:
  static constexpr size_t kFirstChunk = 2 * 1024, kChunk = 64 * 1024;
  std::vector<std::unique_ptr<std::max_align_t[]>> chunks_;
  size_t used_ = 0, size_ = 0, total_ = 0;
};

/// Mixes 64-bit words into a hash (a multiply-xorshift mixer).
class Hasher {
public:
  void add(uint64_t word) {
    state_ = (state_ ^ word) * 0x9fb21c651e98df25u;
    state_ ^= state_ >> 32;
  }
  void addBytes(const void *data, size_t n) {
    const char *p = static_cast<const char *>(data);
    const size_t size = n;
    add(n);
    for (; n >= 8; p += 8, n -= 8)
      add(load<uint64_t>(p));
    // The bytes left over as a number, without a copy of a size that only shows here.
    if (n == 0)
      add(0);
    else if (size >= 8)
      add(load<uint64_t>(p + n - 8) >> (8 * (8 - n)));
    else if (n >= 4)
      add(load<uint32_t>(p) | uint64_t(load<uint32_t>(p + n - 4)) >> (8 * (8 - n)) << 32);
    else
      add(uint64_t(load<uint8_t>(p)) | uint64_t(load<uint8_t>(p + n / 2)) << (8 * (n / 2)) |
          uint64_t(load<uint8_t>(p + n - 1)) << (8 * (n - 1)));
  }
  template <class T> void addSpan(std::span<const T> s) { addBytes(s.data(), s.size_bytes()); }
  uint64_t value() const { return state_ * 0x9e3779b97f4a7c15u; }

private:
  static_assert(std::endian::native == std::endian::little);
  template <class T> static T load(const char *p) {
    T word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }
  uint64_t state_ = 0x2545f4914f6cdd1du;
};

/// Open addressing over (hash, id) pairs; the content lives with the ids.
class IdTable {
public:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  template <class Equals> uint32_t &findOrInsert(uint64_t hash, Equals equals) {
    if ((count_ + 1) * 4 > slots_.size() * 3)
      grow();
    uint32_t tag = uint32_t(hash >> 32);
    for (size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
      Slot &slot = slots_[i];
      if (slot.id == kEmpty) {
        slot.tag = tag;
        slot.low = uint32_t(hash);
        ++count_;
        return slot.id; // the caller sets it
      }
      if (slot.tag == tag && slot.low == uint32_t(hash) && equals(slot.id))
        return slot.id;
    }
  }
  size_t memoryUsed() const { return slots_.size() * sizeof(Slot); }
  void clear() {
    if (count_)
      std::fill(slots_.begin(), slots_.end(), Slot());
    count_ = 0;
  }

private:
  struct Slot {
    uint32_t id = kEmpty, tag = 0, low = 0;
  };
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot &s : old)
      if (s.id != kEmpty) {
        size_t i = s.low & (slots_.size() - 1);
        while (slots_[i].id != kEmpty)
          i = (i + 1) & (slots_.size() - 1);
        slots_[i] = s;
      }
  }
  std::vector<Slot> slots_;
  size_t count_ = 0;
};

} // namespace rw
