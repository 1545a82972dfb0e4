// Parts that most expressions do not have, in the eight bytes of a pointer: expressions are moved, cleared and given
// back far more often than these are looked at.
//
// In:  what a std::string or a std::vector takes.
// Out: what they give; empty ones take no memory of their own. Copies share nothing.
// Elsewhere: expr.h has them.
//
//   RareText text;              // text.empty()
//   text = "f32";               // text == "f32", text.str() is a std::string
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rw::sema {

/// What the two below have in common. T is a string or a vector.
template <class T> class Rare {
public:
  Rare() = default;
  Rare(const Rare &other) : is_(other.is_ ? std::make_unique<T>(*other.is_) : nullptr) {}
  Rare(Rare &&) noexcept = default;
  Rare &operator=(const Rare &other) {
    is_ = other.is_ ? std::make_unique<T>(*other.is_) : nullptr;
    return *this;
  }
  Rare &operator=(Rare &&) noexcept = default;
  ~Rare() = default;

  bool empty() const { return !is_ || is_->empty(); }
  size_t size() const { return is_ ? is_->size() : 0; }

protected:
  const T &all() const {
    static const T none;
    return is_ ? *is_ : none;
  }
  void set(T is) {
    if (is.empty())
      is_.reset();
    else if (is_)
      *is_ = std::move(is);
    else
      is_ = std::make_unique<T>(std::move(is));
  }
  T &here() {
    if (!is_)
      is_ = std::make_unique<T>();
    return *is_;
  }

private:
  std::unique_ptr<T> is_;
};

class RareText : public Rare<std::string> {
public:
  static constexpr size_t npos = std::string::npos;
  RareText &operator=(std::string text) {
    set(std::move(text));
    return *this;
  }
  RareText &operator=(std::string_view text) { return *this = std::string(text); }
  RareText &operator=(const char *text) { return *this = std::string(text); }
  const std::string &str() const { return all(); }
  operator const std::string &() const { return all(); }
  operator std::string_view() const { return all(); }
  friend bool operator==(const RareText &a, const RareText &b) { return a.all() == b.all(); }
  friend bool operator==(const RareText &a, std::string_view b) { return a.all() == b; }
  friend bool operator==(const RareText &a, const std::string &b) { return a.all() == b; }
  friend bool operator==(const RareText &a, const char *b) { return a.all() == b; }
};

template <class T> class RareList : public Rare<std::vector<T>> {
public:
  RareList &operator=(std::vector<T> list) {
    this->set(std::move(list));
    return *this;
  }
  RareList &operator=(std::initializer_list<T> list) { return *this = std::vector<T>(list); }
  void clear() { this->set({}); }
  void push_back(T item) { this->here().push_back(std::move(item)); }
  auto begin() const { return this->all().begin(); }
  auto end() const { return this->all().end(); }
  const T &operator[](size_t i) const { return this->all()[i]; }
  T &operator[](size_t i) { return this->here()[i]; }
  const T &back() const { return this->all().back(); }
  friend bool operator==(const RareList &a, const RareList &b) { return a.all() == b.all(); }
};

} // namespace rw::sema
