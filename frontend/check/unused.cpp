#include "frontend/check/unused.h"

#include "frontend/check/names.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace rw::sema {

static std::string lowered(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

static std::string_view dtypeMeant(std::string_view name) {
  if (std::string_view ours = dtypeOfOthers(name); !ours.empty())
    return ours;
  bool numbered = name.size() >= 3 && std::ranges::any_of(name, [](unsigned char c) { return std::isdigit(c); });
  auto names = dtypeNames();
  return numbered ? nearestName(lowered(name), {names.begin(), names.end()}) : std::string_view();
}

/// A constraint that a value alone satisfies: `x: single_element`.
static bool asksOfValue(const CheckContext &c, std::string_view name) {
  if (NativeIndex native = nativeNamed(c, name))
    return c.module.native(native).isConstraint && c.module.native(native).params.size() == 1 &&
           c.module.native(native).params[0].is(TypeKind::Value);
  return std::ranges::any_of(
      builtins(), [&](const BuiltinInfo &b) { return b.name == name && b.signature == "(x: value) -> bool"; });
}

/// A word by which a declaration says what an attribute is.
static bool isTypeWord(std::string_view name) {
  static constexpr std::string_view kWords[] = {"int", "float", "bool", "string", "dtype", "dim"};
  return std::ranges::count(kWords, name) != 0;
}

/// Reports a name that can only be meant as something else; false if it may just be needless.
static bool reportMisread(BodyContext &b, VarId id) {
  const Var &v = b.var(id);
  std::string cure;
  std::string_view fix;
  bool test = b.alwaysTrue.contains(id.raw);
  std::string lower = lowered(v.name);
  bool absent = lower == "none" || lower == "null" || lower == "nil";
  bool yes = lower == "true" || lower == "yes" || lower == "on",
       no = lower == "false" || lower == "no" || lower == "off";
  if (v.kind == VarKind::Value) {
    if (traitNamed(v.name))
      cure = fmt::format("`{}(…)` matches an op that has the trait", v.name);
    else if (asksOfValue(b.c, v.name))
      cure = test ? fmt::format("`{}(x)` is a condition of its own", v.name)
                  : fmt::format("`x: {}` asks it of a value", v.name);
    else if (v.name == "const" || v.name == "splat" || v.name == "single" || v.name == "each")
      cure = v.name == "splat" ? "`splat(_)` matches a constant whose elements are all the same"
                               : fmt::format("`{0}` stands before a match: `{0} x`", v.name);
    else if (absent && !test)
      fix = "none";
    else if (test)
      cure = namesOp(b.c, {{}, {v.name, v.range}, v.range})
                 ? fmt::format("`x is {}(…)` asks for the op", v.name)
                 : "`x is exp(_)` asks for an op; another name for x is `let y = x`";
  } else if (v.kind == VarKind::Bound && v.type.is(TypeKind::Bool) && (yes || no)) {
    fix = yes ? "true" : "false";
  } else if (v.kind == VarKind::Bound && v.type.is(TypeKind::DType) && !dtypeMeant(v.name).empty()) {
    fix = dtypeMeant(v.name);
  } else if (v.kind == VarKind::Bound && v.type.is(TypeKind::DType) && (v.name == "float" || v.name == "int")) {
    cure =
        fmt::format("of a class of element types ask `is_{}(d)` in the `where`", v.name == "int" ? "integer" : v.name);
  } else if (v.kind == VarKind::Bound && absent) {
    fix = "none";
  } else if (v.kind == VarKind::Bound && isTypeWord(v.name)) {
    cure = "what type an attribute has is said where its op is declared, and not asked for";
  }
  if (cure.empty() && fix.empty())
    return false;
  Report report = b.error(
      "misread-name", v.range,
      fmt::format("{}`{}` is a new name here, which stands for anything", test ? "this is always true: " : "", v.name));
  if (!fix.empty())
    report.fixIt(v.range, std::string(fix));
  else
    report.note(cure);
  return true;
}

static bool isBefore(std::string_view sign, const CheckContext &c, SourceRange name) {
  std::string_view text = c.sources.text(c.sources.fileOf(name.begin));
  size_t at = text.find_first_not_of(" \t\n\r", c.sources.offsetOf(name.end));
  return at != text.npos && text.substr(at).starts_with(sign);
}
/// `d: relu(x)`, but not `f(x, d)`, which names what the named match `f` says.
static bool hasColon(const CheckContext &c, SourceRange name) { return isBefore(":", c, name); }

void reportUnused(BodyContext &b) {
  if (b.c.errorsSeen != b.errorsBefore)
    return; // what is wrong may be why it is unused
  for (uint32_t i = 0; i < b.body.vars.size(); ++i) {
    const Var &var = b.body.vars[i];
    if (b.used[i] || var.name.empty() || var.name.starts_with("_") || var.type.isError()) // `_: i64` has no name
      continue;
    if (var.kind == VarKind::Operand || var.kind == VarKind::Attr || reportMisread(b, VarId(i)))
      continue;
    bool matched = var.kind == VarKind::Value || var.kind == VarKind::Bound || var.kind == VarKind::Region;
    bool isOp = var.kind == VarKind::Op || var.kind == VarKind::Chain, named = isOp && hasColon(b.c, var.range);
    Report report = b.warning("unused-name", var.range, fmt::format("`{}` is never used", var.name));
    if (var.kind == VarKind::Value && namesOp(b.c, {{}, {var.name, var.range}, var.range}))
      report.note(fmt::format("here it is a new name for any value; `{}(…)` is the op", var.name));
    if (std::ranges::find(var.choices, var.name) != var.choices.end())
      report.note(fmt::format("here it is a new name for any value; \"{0}\", in quotes, is that choice", var.name));
    if (auto kind = b.kindAsked.find(i); kind != b.kindAsked.end())
      report.note(fmt::format("write `_: {}` for what may be any of that kind", kind->second));
    else {
      if (matched && !hasColon(b.c, var.range) && !isBefore("...", b.c, var.range)) // a list needs its name: `rest...`
        report.fixIt(var.range, "_");
      report.note(named             ? "leave out the name and the colon"
                  : matched || isOp ? "write `_` for what may be anything"
                                    : "leave it out, or begin its name with `_`");
    }
  }
}

} // namespace rw::sema
