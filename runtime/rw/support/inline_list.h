// A growable list that keeps its first N elements inside itself, for trivially copyable elements (numbers, ids).
// Generated code computes permutations and shapes in these: no allocation for tensors of usual rank.
//
//   InlineList<int64_t, 8> perm;
//   perm.push_back(1);
//   std::span<const int64_t> view = perm;
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>

namespace rw {

template <class T, size_t N = 8> class InlineList {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  using value_type = T;
  InlineList() = default;
  InlineList(std::initializer_list<T> init) { append(init.begin(), init.size()); }
  InlineList(std::span<const T> init) { append(init.data(), init.size()); }
  explicit InlineList(size_t count, T fill) { resize(count, fill); }
  InlineList(const InlineList &other) { append(other.data(), other.size()); }
  InlineList(InlineList &&other) noexcept { take(other); }
  InlineList &operator=(const InlineList &other) {
    if (this != &other) {
      size_ = 0;
      append(other.data(), other.size());
    }
    return *this;
  }
  InlineList &operator=(InlineList &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~InlineList() { release(); }

  size_t size() const { return size_; }
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

  void push_back(T value) {
    if (size_ == capacity_)
      grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t count, T fill = T()) {
    if (count > capacity_)
      grow(count);
    for (size_t i = size_; i < count; ++i)
      data_[i] = fill;
    size_ = count;
  }
  void append(const T *from, size_t count) {
    if (size_ + count > capacity_)
      grow(size_ + count);
    if (count)
      std::memcpy(static_cast<void *>(data_ + size_), from, count * sizeof(T));
    size_ += count;
  }

  friend bool operator==(const InlineList &a, const InlineList &b) {
    if (a.size_ != b.size_)
      return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (!(a.data_[i] == b.data_[i]))
        return false;
    return true;
  }

private:
  void grow(size_t atLeast) {
    size_t capacity = capacity_ * 2 > atLeast ? capacity_ * 2 : atLeast;
    T *bigger = static_cast<T *>(::operator new(capacity * sizeof(T)));
    std::memcpy(static_cast<void *>(bigger), data_, size_ * sizeof(T));
    release();
    data_ = bigger;
    capacity_ = capacity;
  }
  void release() {
    if (data_ != inlineData())
      ::operator delete(data_);
  }
  void take(InlineList &other) {
    if (other.data_ == other.inlineData()) {
      data_ = inlineData();
      capacity_ = N;
      size_ = other.size_;
      std::memcpy(static_cast<void *>(data_), other.data_, size_ * sizeof(T));
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      size_ = other.size_;
      other.data_ = other.inlineData();
      other.capacity_ = N;
    }
    other.size_ = 0;
  }
  T *inlineData() { return reinterpret_cast<T *>(storage_); }

  alignas(T) unsigned char storage_[N * sizeof(T)];
  T *data_ = inlineData();
  size_t size_ = 0;
  size_t capacity_ = N;
};

using Ints = InlineList<int64_t, 8>;

} // namespace rw
