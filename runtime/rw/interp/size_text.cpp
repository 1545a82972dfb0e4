#include "rw/interp/size_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

namespace rw {
namespace {

/// Reads by descent. Values are doubles, so that ceil(S/2) sees the half; sizes are far below what those hold exactly.
class Reader {
public:
  Reader(std::string_view text, const std::function<std::optional<int64_t>(std::string_view)> &sizeOf)
      : text_(text), sizeOf_(sizeOf) {}

  std::optional<int64_t> whole() {
    double value = std::floor(sum());
    skip();
    if (!good_ || at_ != text_.size() || !operators_ || !(value >= 0 && value < 0x1p40))
      return std::nullopt;
    return int64_t(value);
  }

private:
  static constexpr unsigned kMostDepth = 64;

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token)
      return false;
    at_ += token.size();
    return true;
  }
  double sum() {
    double value = product();
    while (good_) {
      if (take("+"))
        value += operand();
      else if (take("-"))
        value -= operand();
      else
        break;
    }
    return value;
  }
  double operand() {
    ++operators_;
    return product();
  }
  double product() {
    double value = atom();
    while (good_) {
      if (take("//"))
        value = std::floor(value / divisor());
      else if (take("*"))
        value *= divisor();
      else if (take("/"))
        value /= divisor();
      else if (take("%"))
        value = modulo(value, divisor());
      else
        break;
    }
    return value;
  }
  double divisor() {
    ++operators_;
    return atom();
  }
  static double modulo(double a, double b) { return a - b * std::floor(a / b); }

  double fail() {
    good_ = false;
    return 0;
  }
  double atom() {
    if (++depth_ > kMostDepth)
      return fail();
    double value = take("(") ? inParentheses() : numberOrName();
    --depth_;
    return value;
  }
  double inParentheses() {
    double value = sum();
    return take(")") ? value : fail();
  }
  double numberOrName() {
    skip();
    size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    std::string name(text_.substr(from, at_ - from));
    if (name.empty())
      return fail();
    if (std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); }))
      return name.size() < 10 ? std::stod(name) : fail();
    if (std::optional<int64_t> size = sizeOf_(name))
      return double(*size);
    return take("(") ? call(name) : fail();
  }
  double call(std::string name) {
    ++operators_;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    std::vector<double> values;
    do
      values.push_back(sum());
    while (good_ && take(","));
    if (!take(")"))
      return fail();
    if (name == "floor" && values.size() == 1)
      return std::floor(values[0]);
    if ((name == "ceil" || name == "ceiling") && values.size() == 1)
      return std::ceil(values[0]);
    if (name == "max")
      return *std::ranges::max_element(values);
    if (name == "min")
      return *std::ranges::min_element(values);
    return fail();
  }

  std::string_view text_;
  const std::function<std::optional<int64_t>(std::string_view)> &sizeOf_;
  size_t at_ = 0;
  unsigned operators_ = 0, depth_ = 0;
  bool good_ = true;
};

} // namespace

std::optional<int64_t> sizeOfText(std::string_view text,
                                  const std::function<std::optional<int64_t>(std::string_view)> &sizeOf) {
  return Reader(text, sizeOf).whole();
}

} // namespace rw
