#include "rw/passes/knobs.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace rw {
namespace {

std::optional<std::string_view> valueOf(const std::function<const char *(const char *)> &lookup, const char *name) {
  const char *text = lookup(name);
  if (!text)
    return std::nullopt;
  std::string_view value = text;
  while (!value.empty() && std::string_view(" \t\r\n").find(value.front()) != std::string_view::npos)
    value.remove_prefix(1);
  while (!value.empty() && std::string_view(" \t\r\n").find(value.back()) != std::string_view::npos)
    value.remove_suffix(1);
  return value;
}

} // namespace

PipelineKnobs readKnobs(const std::function<const char *(const char *)> &lookup) {
  PipelineKnobs knobs;
  auto rounds = [&](const char *name, unsigned &value) {
    std::optional<std::string_view> text = valueOf(lookup, name);
    if (!text)
      return;
    unsigned number = 0;
    auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (code != std::errc() || end != text->data() + text->size() || number > kMaxRepetitions)
      knobs.warnings.push_back(
          {name, fmt::format("expected a number of rounds up to {}, found `{}`; the default {} is taken",
                             kMaxRepetitions, *text, value)});
    else
      value = std::max(number, 1u);
  };
  rounds("RW_OPT_PRE_ITERS", knobs.preIterations);
  rounds("RW_OPT_POST_ITERS", knobs.postIterations);
  if (std::optional<std::string_view> text = valueOf(lookup, "RW_PASS_STATS")) {
    knobs.passStats = *text == "1";
    if (*text != "1" && *text != "0" && !text->empty())
      knobs.warnings.push_back(
          {"RW_PASS_STATS", fmt::format("expected 0 or 1, found `{}`; the default 0 is taken", *text)});
  }
  return knobs;
}

} // namespace rw
