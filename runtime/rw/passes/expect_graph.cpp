#include "rw/passes/expect_graph.h"

#include "rw/support/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <vector>

namespace rw {
namespace {

struct Step {
  std::string text, name;
  std::vector<std::string> dims;
  bool hasShape = false;
  bool gapBefore = false; // `..` stands before it
};

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\n'))
    s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n'))
    s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (size_t at; (at = text.find(by)) != std::string_view::npos; text.remove_prefix(at + by.size()))
    parts.push_back(trimmed(text.substr(0, at)));
  parts.push_back(trimmed(text));
  return parts;
}

bool isName(std::string_view s) {
  return !s.empty() &&
         std::ranges::all_of(s, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '@'; });
}

bool named(Op op, std::string_view name) {
  std::string_view full = op.fullName();
  size_t dot = full.rfind('.');
  return full == name || (dot != std::string_view::npos && full.substr(dot + 1) == name);
}

/// One item of the text against one function.
class Item {
public:
  Item(Function &fn, ExpectMode mode) : fn_(fn), exact_(mode == ExpectMode::Exact) {}
  ExpectResult check(std::string_view text);

private:
  ExpectResult malformed(std::string why) const { return {false, true, fmt::format("`{}`: {}", text_, why)}; }
  ExpectResult count(std::string_view name, std::string_view relation, std::string_view number);
  Result<void> parsePath();
  ExpectResult path();
  bool follow(Op op, size_t step);
  bool next(Op op, size_t step);
  bool fits(Op op, const Step &step);
  bool begins(Op op) const;
  bool ends(Op op) const;
  std::string where(Op op) const;
  std::vector<Op> usersOf(Op op) const;
  template <class F> void each(RegionId region, F f) {
    for (Op op : fn_.ops(region)) {
      f(op);
      for (RegionId inner : op.regions())
        each(inner, f);
    }
  }

  Function &fn_;
  bool exact_;
  std::string text_;
  std::vector<Step> steps_;
  using Symbols = std::map<std::string, int64_t>; // to Dim::bits
  Symbols symbols_;
  std::set<std::tuple<uint32_t, size_t, Symbols>> failed_;
  std::vector<Op> trail_, best_; // ops of the path so far, and of the longest seen
};

ExpectResult Item::count(std::string_view name, std::string_view relation, std::string_view number) {
  uint64_t wanted = 0, seen = 0;
  auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), wanted);
  if (code != std::errc() || end != number.data() + number.size() || !isName(name))
    return malformed("a count is NAME = NUMBER");
  each(fn_.body(), [&](Op op) { seen += named(op, name); });
  bool holds = relation == "<=" ? seen <= wanted : relation == ">=" ? seen >= wanted : seen == wanted;
  return {holds, false, holds ? "" : fmt::format("`{}`: there are {}", text_, seen)};
}

Result<void> Item::parsePath() {
  bool gap = false;
  for (std::string_view part : split(text_, "->")) {
    if (part == "..") {
      gap = true;
      continue;
    }
    Step step;
    step.text = part;
    step.gapBefore = gap;
    gap = false;
    size_t colon = part.find(':');
    step.name = trimmed(part.substr(0, colon));
    if (step.name.empty())
      return failure("an op is missing");
    if (!isName(step.name))
      return failure("`{}` is no name of an op", step.name);
    if (colon != std::string_view::npos) {
      step.hasShape = true;
      if (std::string_view shape = trimmed(part.substr(colon + 1)); !shape.empty())
        for (std::string_view dim : split(shape, "x")) {
          if (dim != "?" && !isName(dim))
            return failure("`{}` is no shape, such as Bx8x14x?", shape);
          step.dims.emplace_back(dim);
        }
    }
    steps_.push_back(std::move(step));
  }
  if (steps_.empty() || gap || steps_.front().gapBefore)
    return failure("`..` stands between two ops");
  return {};
}

bool Item::fits(Op op, const Step &step) {
  if (!named(op, step.name))
    return false;
  if (!step.hasShape)
    return true;
  if (op.resultCount() == 0)
    return false;
  const TypeData &type = op.result().type();
  if (type.kind != TypeKind::Tensor || type.dims.size() != step.dims.size())
    return false;
  for (size_t i = 0; i < step.dims.size(); ++i) {
    const std::string &wanted = step.dims[i];
    Dim dim = type.dims[i];
    if (wanted == "?")
      continue;
    int64_t number = 0;
    auto [end, code] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (code == std::errc() && end == wanted.data() + wanted.size()) {
      if (!(dim == Dim(number)))
        return false;
      continue;
    }
    if (dim.isUnknown())
      return false;
    if (auto [it, added] = symbols_.try_emplace(wanted, dim.bits()); !added && it->second != dim.bits())
      return false;
  }
  return true;
}

bool Item::begins(Op op) const {
  for (unsigned i = 0; i < op.operandCount(); ++i)
    if (Value v = op.operand(i); v && v.isParam() && v.paramRegion() == fn_.body())
      return true;
  return false;
}

bool Item::ends(Op op) const {
  for (unsigned i = 0; i < op.resultCount(); ++i)
    for (Use use : op.result(i).uses())
      if (use.owner == fn_.terminator(fn_.body()))
        return true;
  return false;
}

std::vector<Op> Item::usersOf(Op op) const {
  std::vector<Op> users;
  for (unsigned i = 0; i < op.resultCount(); ++i)
    for (Use use : op.result(i).uses())
      if (std::ranges::find(users, use.owner) == users.end())
        users.push_back(use.owner);
  std::ranges::reverse(users); // uses come newest first
  return users;
}

/// The steps from `step` on, somewhere behind `op`.
bool Item::next(Op op, size_t step) {
  std::vector<Op> behind = usersOf(op);
  std::set<uint32_t> seen;
  if (steps_[step].gapBefore)
    for (size_t i = 0; i < behind.size(); ++i)
      for (Op user : usersOf(behind[i]))
        if (seen.insert(user.id.raw).second)
          behind.push_back(user);
  return std::ranges::any_of(behind, [&](Op user) { return follow(user, step); });
}

bool Item::follow(Op op, size_t step) {
  auto key = std::tuple(op.id.raw, step, symbols_);
  if (failed_.contains(key))
    return false;
  Symbols saved = symbols_;
  if (fits(op, steps_[step])) {
    trail_.push_back(op);
    if (trail_.size() > best_.size())
      best_ = trail_;
    bool last = step + 1 == steps_.size();
    if (last ? !exact_ || ends(op) : next(op, step + 1))
      return true;
    trail_.pop_back();
  }
  symbols_ = std::move(saved);
  failed_.insert(std::move(key));
  return false;
}

std::string Item::where(Op op) const {
  std::string name;
  if (op.resultCount())
    if (StringId id = fn_.valueName(op.result().id))
      name = fmt::format(" %{}", fn_.context().text(id));
  return fmt::format("{}{}", op.fullName(), name);
}

ExpectResult Item::path() {
  std::vector<Op> starts;
  each(fn_.body(), [&](Op op) {
    if (!exact_ || begins(op))
      starts.push_back(op);
  });
  for (Op op : starts)
    if (follow(op, 0))
      return {true, false, ""};
  std::string report = fmt::format("`{}`: no such path", text_);
  if (best_.empty())
    return {false, false,
            report + fmt::format("; no op fits `{}`{}", steps_[0].text, exact_ ? " and uses a parameter" : "")};
  std::vector<std::string> after;
  for (Op user : usersOf(best_.back()))
    after.push_back(where(user));
  if (best_.size() == steps_.size())
    report += fmt::format("; it ends at {}, which is no result", where(best_.back()));
  else
    report += fmt::format("; `{}` is found up to {}, where {} should follow but {}", steps_[0].text,
                          where(best_.back()), steps_[best_.size()].text,
                          after.empty() ? "nothing does" : fmt::format("there is {}", fmt::join(after, ", ")));
  return {false, false, report};
}

ExpectResult Item::check(std::string_view text) {
  text_ = trimmed(text);
  if (text_.find("->") == std::string::npos)
    for (std::string_view relation : {"<=", ">=", "="})
      if (size_t at = text_.find(relation); at != std::string::npos)
        return count(trimmed(std::string_view(text_).substr(0, at)), relation,
                     trimmed(std::string_view(text_).substr(at + relation.size())));
  if (Result<void> parsed = parsePath(); !parsed)
    return malformed(parsed.error());
  return path();
}

} // namespace

ExpectResult expectGraph(Function &fn, std::string_view items, ExpectMode mode) {
  ExpectResult result{true, false, ""};
  for (std::string_view item : split(items, ";")) {
    if (item.empty() && trimmed(items) != "")
      continue;
    ExpectResult one = Item(fn, mode).check(item);
    result.holds &= one.holds;
    result.malformed |= one.malformed;
    if (!one.report.empty())
      result.report += (result.report.empty() ? "" : "\n") + one.report;
  }
  return result;
}

} // namespace rw
