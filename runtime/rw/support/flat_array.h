// A growable array of trivially copyable elements that grows without copying where the system can move pages.
//
// std::vector copies everything into fresh memory when it grows; for arrays of tens of megabytes that costs more than
// what is then written. This one takes blocks whose pages move, and which are huge pages from 2 MiB on
// (growing_block.h).
//
//   FlatArray<OpData> ops;
//   OpData &d = ops.emplace_back();
#pragma once

#include "rw/support/growing_block.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace rw {

template <class T> class FlatArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

public:
  FlatArray() = default;
  FlatArray(const FlatArray &other) { append(other.data_, other.size_); }
  FlatArray(FlatArray &&other) noexcept { swap(other); }
  FlatArray &operator=(const FlatArray &other) {
    if (this != &other) {
      size_ = 0;
      append(other.data_, other.size_);
    }
    return *this;
  }
  FlatArray &operator=(FlatArray &&other) noexcept {
    swap(other);
    return *this;
  }
  ~FlatArray() { freeBlock(data_, capacity_ * sizeof(T)); }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  T &back() { return data_[size_ - 1]; }
  const T &back() const { return data_[size_ - 1]; }

  void push_back(const T &value) {
    T kept = value; // it may be an element
    if (size_ == capacity_) [[unlikely]]
      grow(size_ + 1);
    data_[size_++] = kept;
  }
  T &emplace_back() {
    if (size_ == capacity_) [[unlikely]]
      grow(size_ + 1);
    return *new (data_ + size_++) T();
  }
  T &emplace_back(const T &value) {
    push_back(value);
    return back();
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void reserve(size_t count) {
    if (count > capacity_)
      reallocate(count);
  }
  void resize(size_t count, const T &fill = T()) {
    T kept = fill;
    if (count > capacity_)
      grow(count);
    for (size_t i = size_; i < count; ++i)
      data_[i] = kept;
    size_ = count;
  }
  /// Makes it `count` elements long; those that are new hold anything.
  void resizeForOverwrite(size_t count) {
    reserve(count);
    size_ = count;
  }
  /// Takes the first `count` elements away.
  void dropFront(size_t count) {
    size_ -= count;
    if (count && size_)
      std::memmove(static_cast<void *>(data_), data_ + count, size_ * sizeof(T));
  }
  void append(const T *from, size_t count) {
    if (!count)
      return;
    if (size_ + count > capacity_)
      reallocate(size_ + count);
    std::memcpy(static_cast<void *>(data_ + size_), from, count * sizeof(T));
    size_ += count;
  }
  void swap(FlatArray &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  void grow(size_t atLeast) { reallocate(std::max({atLeast, capacity_ + capacity_ / 2, size_t(16)})); }
  void reallocate(size_t capacity) {
    data_ = static_cast<T *>(growBlock(data_, capacity_ * sizeof(T), capacity * sizeof(T)));
    capacity_ = capacity;
  }

  T *data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

} // namespace rw
