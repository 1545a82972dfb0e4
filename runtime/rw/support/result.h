// Result: a value, or the reason why there is none.
//
// In:  what a function computes, or a Failure.
// Out: an object that is true if there is a value; else `error()` says why, in words that can stand behind a colon.
// Elsewhere: `failure("{} is odd", n)` words a reason (failure.h). What is wrong with a file or a source text is
//            reported with its place (diagnostics.h); what only a mistake of the program itself can break is asserted.
//
//   Result<FileId> file = sources.addFile("model.rwir");
//   if (!file)
//     return file.failure();                     // hands the reason on, whatever the caller's Result is of
//   std::string_view text = sources.text(*file);
//
// `Result<void>` is of what is done and gives nothing: `return {};` where it is done.
#pragma once

#include <cassert>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace rw {

/// Why there is no value. Converts to any Result.
struct Failure {
  std::string error;
};

template <class T> class [[nodiscard]] Result {
public:
  template <class U = T>
  requires std::convertible_to<U, T> &&(!std::same_as<std::remove_cvref_t<U>, Result>)Result(U &&value)
      : value_(std::in_place, std::forward<U>(value)) {}
  Result(Failure failure) : error_(std::move(failure.error)) {}

  explicit operator bool() const { return value_.has_value(); }
  /// The value, which must be there.
  T &operator*() & { return assert(value_), *value_; }
  T &&operator*() && { return assert(value_), *std::move(value_); }
  const T &operator*() const & { return assert(value_), *value_; }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  /// Why there is no value, which must be missing.
  const std::string &error() const { return assert(!value_), error_; }
  /// The reason, to hand it on.
  Failure failure() const { return {error()}; }

private:
  std::optional<T> value_;
  std::string error_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Failure failure) : done_(false), error_(std::move(failure.error)) {}

  explicit operator bool() const { return done_; }
  const std::string &error() const { return assert(!done_), error_; }
  Failure failure() const { return {error()}; }

private:
  bool done_ = true;
  std::string error_;
};

} // namespace rw
