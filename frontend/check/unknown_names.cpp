#include "frontend/check/unknown_names.h"

#include "frontend/check/missing_imports.h"
#include "frontend/check/names.h"
#include "frontend/check/templates.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

static bool isModuleOfPython(std::string_view name) {
  static constexpr std::string_view kModules[] = {"np", "numpy", "jnp", "math", "torch", "tf", "operator", "functools"};
  return std::ranges::find(kModules, name) != std::end(kModules);
}

std::vector<std::string_view> dialectNames(const CheckContext &c) {
  std::vector<std::string_view> names;
  for (const auto &dialect : c.dialects)
    names.push_back(dialect.getKey());
  std::sort(names.begin(), names.end());
  return names;
}

static SourceRange declarationOf(const CheckContext &c, std::string_view name) {
  if (auto it = c.opsByName.find(name); it != c.opsByName.end())
    return c.module.op(it->second.front()).nameRange;
  if (FnIndex fn = fnNamed(c, name))
    return c.module.fn(fn).nameRange;
  if (NativeIndex native = nativeNamed(c, name))
    return c.module.native(native).nameRange;
  if (auto it = c.matchers.find(name); it != c.matchers.end())
    return c.declOf(it->second.front()).nameRange;
  if (auto it = c.rewrites.find(name); it != c.rewrites.end())
    return c.declOf(it->second.front()).nameRange;
  if (auto it = c.groups.find(name); it != c.groups.end())
    return c.declOf(it->second.front()).nameRange;
  return {};
}

void suggest(CheckContext &c, Report &report, SourceRange range, std::string_view name,
             const std::vector<std::string_view> &candidates, std::string_view dialect) {
  std::string_view nearest = c.nearestHint(name, candidates);
  if (nearest.empty())
    return;
  report.fixIt(range, std::string(nearest));
  SourceRange at = declarationOf(c, nearest);
  if (auto ops = c.opsByName.find(nearest); !dialect.empty() && ops != c.opsByName.end())
    for (OpIndex op : ops->second)
      if (c.module.op(op).dialect == dialect) {
        at = c.module.op(op).nameRange;
        break;
      }
  if (at)
    report.note(at, fmt::format("`{}` is declared here", nearest));
}

static bool sayPrivate(const CheckContext &c, Report &report, std::string_view name) {
  const Decl *decl = nullptr;
  for (const auto &[key, hidden] : c.privates)
    if (key.second == name)
      decl = hidden.fn ? static_cast<const Decl *>(&c.module.fn(hidden.fn)) : &c.module.native(hidden.native);
  auto look = [&](const auto &table) {
    if (auto it = table.find(name); it != table.end())
      for (auto index : it->second)
        if (!c.isSeen(index))
          decl = &c.declOf(index);
  };
  look(c.matchers), look(c.rewrites), look(c.groups);
  if (decl)
    report.note(decl->nameRange,
                fmt::format("`{}` is private to this file: without the word, files that import it see it", name));
  return decl != nullptr;
}

bool isDamaged(const CheckContext &c, ast::DeclKind kind, std::string_view name) {
  if (c.importMissing)
    return true;
  for (int of : {int(kind), kOfAnyKind})
    if (c.damaged.contains({of, std::string(name)}) || c.damaged.contains({of, std::string()}))
      return true;
  return false;
}

/// What builds or computes where something is matched, and the other way round: it is no misspelt name of an op.
static bool namesOtherThanOp(const CheckContext &c, const ast::Name &name) {
  auto seen = [&](const auto &named) {
    auto it = named.find(name.text);
    return it != named.end() && std::ranges::any_of(it->second, [&](auto i) { return c.isSeen(i); });
  };
  return fnNamed(c, name.text) || nativeNamed(c, name.text) || seen(c.matchers) || seen(c.rewrites) || seen(c.groups);
}

void reportUndefinedOp(CheckContext &c, const ast::QualifiedName &used, bool functionsToo) {
  ast::QualifiedName name = used;
  if (!name.dialect)
    name.range = name.name.range = writtenAt(c, name.name.text, name.range);
  if (isDamaged(c, ast::DeclKind::Op, name.name.text) ||
      (!functionsToo &&
       (isDamaged(c, ast::DeclKind::Matcher, name.name.text) || isDamaged(c, ast::DeclKind::Group, name.name.text))))
    return;
  if (functionsToo &&
      (isDamaged(c, ast::DeclKind::Fn, name.name.text) || isDamaged(c, ast::DeclKind::Native, name.name.text) ||
       isDamaged(c, ast::DeclKind::Rewrite, name.name.text)))
    return;
  std::vector<std::string_view> candidates;
  std::string file =
      namesOp(c, {{}, name.name, name.name.range}) ? std::string() : fileWithOp(c, name.dialect.text, name.name.text);
  if (!file.empty() && !c.importsMissed.insert(file).second)
    return; // one import is missing, and that was said
  auto sayFile = [&](Report &report) {
    report.note(fmt::format("an op of this name is declared by `import \"{}\";`", file));
  };
  if (name.dialect) {
    if (!c.dialects.contains(name.dialect.text)) {
      if (isDamaged(c, ast::DeclKind::Dialect, name.dialect.text))
        return;
      candidates = dialectNames(c);
      Report report =
          c.error("undefined-dialect", name.dialect.range, fmt::format("no dialect named `{}`", name.dialect.text));
      if (!file.empty())
        return sayFile(report);
      if (name.dialect.text == "op") // onnxscript
        report.note("an op stands alone, or behind its dialect: `Relu(x)`, `onnx.Relu(x)`");
      else if (isModuleOfPython(name.dialect.text)) {
        if (std::string_view ours = functionOfOthers(name.name.text); !ours.empty())
          report.fixIt({name.dialect.range.begin, name.name.range.end}, std::string(ours));
        else
          report.note(
              "functions stand alone: those of the language, `len(p)`, `product(p)`, `abs(n)`, or the file's own, "
              "`fn name(n: int) -> int = n + 1;`");
      } else
        suggest(c, report, name.dialect.range, name.dialect.text, candidates);
      return;
    }
    for (const auto &op : c.opsByName)
      if (std::ranges::any_of(op.second, [&](OpIndex i) { return c.module.op(i).dialect == name.dialect.text; }))
        candidates.push_back(op.getKey());
  } else {
    for (const auto &op : c.opsByName)
      candidates.push_back(op.getKey());
    if (!functionsToo) {
      candidates.insert(candidates.end(),
                        {"elementwise", "commutative"}); // traits and named matches stand where ops do
      for (const auto &matcher : c.matchers)
        if (std::ranges::any_of(matcher.second, [&](auto i) { return c.isSeen(i); }))
          candidates.push_back(matcher.getKey());
      for (const auto &group : c.groups)
        if (std::ranges::any_of(group.second, [&](auto i) { return c.isSeen(i); }))
          candidates.push_back(group.getKey());
    }
    if (functionsToo)
      for (const auto &fn : c.fns)
        candidates.push_back(fn.getKey());
    if (functionsToo)
      for (const auto &rewrite : c.rewrites)
        if (std::ranges::any_of(rewrite.second, [&](auto i) { return c.isSeen(i); }))
          candidates.push_back(rewrite.getKey());
  }
  if (!c.hintsAreOver())
    std::sort(candidates.begin(), candidates.end());
  Report report = c.error("undefined-op", name.range,
                          fmt::format("no op{} named `{}`", functionsToo ? " or function" : "", name.spelling()));
  if (!name.dialect && sayPrivate(c, report, name.name.text))
    return;
  if (!name.dialect && name.name.text == "const") {
    report.note(functionsToo ? "a constant is made by `splat(0, x.type)`, or by `constant(list, type)`"
                             : "`const c` is any constant, `splat(0)` one all of whose elements are that");
    return;
  }
  bool chooses = name.name.text == "any" || name.name.text == "all" || name.name.text == "or"; // of other languages
  std::string_view theirs = wordOfOthers(chooses && name.name.text != "all" ? "OrValue" : name.name.text);
  if (!name.dialect && !functionsToo && !theirs.empty()) {
    report.note(std::string(theirs));
    return;
  }
  const bool isElse = !name.dialect && namesOtherThanOp(c, name.name);
  if (!isElse)
    suggest(c, report, name.name.range, name.name.text, candidates, name.dialect.text);
  if (isElse || c.nearestHint(name.name.text, candidates).empty())
    sayWhatElse(c, report, name.name.text);
  if (functionsToo && traitNamed(name.name.text))
    report.note(fmt::format("`{0}` is a trait: name the op on the left, `f: {0}(x)`, and build it again by `f(y)`",
                            name.name.text));
  if (!file.empty())
    sayFile(report);
  else if (c.opsByName.empty())
    report.note("no ops are known here: declare them, or import the file that does");
}

void reportUndefinedFunction(CheckContext &c, const ast::Name &name) {
  if (isDamaged(c, ast::DeclKind::Fn, name.text) || isDamaged(c, ast::DeclKind::Native, name.text))
    return;
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"map", "[f(x) for x in list]"},        {"filter", "[x for x in list if x > 0]"}, {"range", "0..n"},
      {"forall", "all(d > 0 for d in list)"}, {"exists", "any(d > 0 for d in list)"},   {"length", "len(list)"}};
  for (auto [word, ours] : kElsewhere)
    if (name.text == word) {
      c.error("undefined-function", name.range, fmt::format("no function named `{}`", name.text))
          .note(fmt::format("here it is written `{}`", ours));
      return;
    }
  std::vector<std::string_view> candidates;
  for (const auto &fn : c.fns)
    candidates.push_back(fn.getKey());
  for (const auto &native : c.natives)
    candidates.push_back(native.getKey());
  for (const BuiltinInfo &builtin : builtins())
    candidates.push_back(builtin.name);
  if (!c.hintsAreOver())
    std::sort(candidates.begin(), candidates.end());
  SourceRange at = writtenAt(c, name.text, name.range);
  Report report = c.error("undefined-function", at, fmt::format("no function named `{}`", name.text));
  if (sayPrivate(c, report, name.text))
    return;
  suggest(c, report, at, name.text, candidates);
  if (c.nearestHint(name.text, candidates).empty())
    sayWhatElse(c, report, name.text);
}

void sayWhatElse(const CheckContext &c, Report &report, std::string_view name) {
  auto say = [&](SourceRange at, std::string text) {
    at ? report.note(at, std::move(text)) : report.note(std::move(text));
  };
  if (auto it = c.opsByName.find(name); it != c.opsByName.end())
    return say(c.module.op(it->second.front()).nameRange,
               fmt::format("`{0}` is an op: where one is meant, its operands are written, `{0}(..)`", name));
  if (FnIndex fn = fnNamed(c, name))
    return say(c.module.fn(fn).nameRange,
               fmt::format("`{}` is a function: it is called in conditions, and right of `=>`", name));
  if (NativeIndex id = nativeNamed(c, name)) {
    const Native &native = c.module.native(id);
    return say(native.nameRange, native.isConstraint
                                     ? fmt::format("`{}` is a constraint: it stands in the `where`", name)
                                     : fmt::format("`{}` builds ops: it is called right of `=>`", name));
  }
  if (auto it = c.matchers.find(name); it != c.matchers.end())
    return say(c.declOf(it->second.front()).nameRange,
               fmt::format("`{}` is a named match: it stands on left sides, and right of `is`", name));
  if (auto it = c.rewrites.find(name); it != c.rewrites.end())
    return say(c.declOf(it->second.front()).nameRange,
               fmt::format("`{}` builds ops: it is called right of `=>`; a left side is named by `match`", name));
  if (auto it = c.groups.find(name); it != c.groups.end())
    return say(c.declOf(it->second.front()).nameRange,
               fmt::format("`{}` stands for ops: in heads, chains and `for` clauses", name));
  if (auto it = c.patterns.find(name); it != c.patterns.end())
    return say(c.declOf(it->second.front()).nameRange,
               fmt::format("`{0}` is a pattern; a pass runs patterns: `pass p {{ {0}; }}`", name));
  if (auto it = c.passes.find(name); it != c.passes.end())
    return say(c.declOf(it->second.front()).nameRange,
               fmt::format("`{0}` is a pass; a pipeline runs passes: `pipeline p = {0}, dce;`", name));
  if (auto it = c.pipelines.find(name); it != c.pipelines.end())
    return say(c.declOf(it->second.front()).nameRange, fmt::format("`{}` is a pipeline", name));
  for (const Pattern &pattern : c.module.patterns)
    if (std::ranges::find(pattern.labels, name) != pattern.labels.end())
      return say(pattern.nameRange,
                 fmt::format("`{0}` is a label: `pass p = label \"{0}\";` runs the patterns that have it", name));
  for (std::string_view member : {"shape", "rank", "dtype", "type", "size", "ints", "floats", "value", "uses"})
    if (member == name)
      return say({}, fmt::format("`{0}` is a member of values: `x.{0}`", name));
  for (const BuiltinInfo &builtin : builtins())
    if (builtin.name == name)
      return say(
          {}, fmt::format("`{}` is a function of the language: it is called in conditions, and right of `=>`", name));
  if (std::string_view ours = wordOfOthers(name); !ours.empty())
    say({}, std::string(ours));
}

} // namespace rw::sema
