// The tests that other patterns may share, as a static table (rw/rewrite/shared_tests.h). Members of PatternEmitter.
#include "codegen/emit/pattern_emitter.h"

namespace rw::emit {

using plan::SharedTestRow;

/// The name of a static table of the elements: `name`, unless one of the file that says the same is there already.
std::string PatternEmitter::table(std::string_view type, std::string name, const std::string &elements) {
  auto [known, isNew] = tables_->try_emplace(fmt::format("{} {}", type, elements), std::move(name));
  if (isNew)
    w_.line("constexpr {}{}{}[] = {{{}}};", type, type.ends_with('*') ? "" : " ", known->second, elements);
  return known->second;
}

/// `{.ops = nameOps, .traits = nameTraits}`, whose arrays are written.
std::string PatternEmitter::kindSet(const sema::OpSet &set, const std::string &name) {
  std::string ops, traits;
  for (sema::OpIndex i : set.byTrait() ? set.otherOps : set.ops)
    ops += fmt::format("{}&{}", ops.empty() ? "" : ", ", refs_.schema(i));
  if (set.byTrait()) {
    traits = std::to_string(set.traits);
    for (uint32_t more : set.otherTraits)
      traits += fmt::format(", {}", more);
  }
  std::string text;
  if (!ops.empty()) {
    text = fmt::format(".ops = {}", table("const OpSchema *", name + "Ops", ops));
  }
  if (!traits.empty()) {
    text += fmt::format("{}.traits = {}", text.empty() ? "" : ", ", table("Traits", name + "Traits", traits));
  }
  return "{" + text + "}";
}

/// Writes `k<class>Tests`; false if there are none.
bool PatternEmitter::emitSharedTests(const std::string &className) {
  std::vector<std::string> rows;
  for (const SharedTestRow &r : tests_.rows) {
    std::string text = fmt::format("{{.kind = SharedTest::{}", plan::name(r.kind));
    if (r.required)
      text += ", .required = true";
    for (auto [field, value] : {std::pair("in", r.in), {"out", r.out}, {"index", r.index}})
      if (value != 0)
        text += fmt::format(", .{} = {}", field, value);
    if (r.most != 0)
      text += fmt::format(", .most = {}", r.most);
    if (r.kind == SharedTestRow::AttrDType || r.kind == SharedTestRow::DTypeIs)
      text += fmt::format(", .number = int64_t({})", cppDType(r.text));
    else if (r.number != 0)
      text += fmt::format(", .number = {}", r.number == INT64_MIN ? "INT64_MIN" : std::to_string(r.number));
    if (r.kind == SharedTestRow::SplatNumber)
      text += fmt::format(", .real = {}", floatLiteral(r.real));
    if (r.kind == SharedTestRow::AttrString)
      text += fmt::format(", .text = {{{}, {}}}", cppString(r.text), r.text.size());
    if (r.kind == SharedTestRow::Def && r.ops.ops.size() == 1 && !r.ops.byTrait()) {
      text += fmt::format(", .op = &{}", refs_.schema(r.ops.ops[0]));
    } else if (r.kind == SharedTestRow::Def) {
      std::string kinds = fmt::format("k{}Ops{}", className, rows.size());
      std::string set = kindSet(r.ops, kinds);
      w_.line("constexpr KindSet {}{};", kinds, set);
      text += fmt::format(", .kinds = &{}", kinds);
    }
    if (r.step && !r.setsOnly())
      text += fmt::format(", .why = {}, .line = {}", cppString(describe_(*r.step)), r.step->line);
    rows.push_back(text + "},");
  }
  if (rows.empty())
    return false;
  w_.open(fmt::format("constexpr SharedTest k{}Tests[] = {{", className));
  for (const std::string &row : rows)
    w_.text(row);
  w_.close("};");
  return true;
}

} // namespace rw::emit
