// Words of messages. Inside frontend/check only.
//
// In:  numbers, names, types, what an expression is to whoever asks for it.
// Out: text as it stands in a message.
//
//   c.error(tag, range, fmt::format("this has {}", counted(results, "result")));  // "this has 2 results"
#pragma once

#include "frontend/sema/module.h"

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace rw::sema {

/// What a message calls an expression: "the argument `p` of `compose`". Hardly any expression is wrong, so this is put
/// into words where a message is made: it refers to a text, or to a function that makes one, of whoever calls.
class What {
public:
  What(std::string_view text) : text_(text) {}
  What(const char *text) : text_(text) {}
  template <std::invocable Words>
  What(const Words &words)
      : words_(&words), call_([](const void *of) { return (*static_cast<const Words *>(of))(); }) {}
  std::string text() const { return call_ ? call_(words_) : std::string(text_); }

private:
  std::string_view text_;
  const void *words_ = nullptr;
  std::string (*call_)(const void *) = nullptr;
};

/// How a value of the type is written, for a note: "an int is a number without a point, `3`, …".
std::string exampleOf(Type);
/// "`a`, `b` or `c`"
std::string listed(const std::vector<std::string> &, std::string_view last = "or");
/// "1 operand", "2 operands"
std::string counted(size_t n, std::string_view noun);
std::string inBackticks(std::string_view name); // "`name`"
/// "2 operands", "2 or 3 operands", "at least 1 operand"
std::string operandCount(const Op &);

} // namespace rw::sema
