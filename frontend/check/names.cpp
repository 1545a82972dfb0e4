// Names of ops, traits and functions, and what to say when there is none.
#include "frontend/check/checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

static bool isModuleOfPython(std::string_view name) {
  static constexpr std::string_view kModules[] = {"np", "numpy", "jnp", "math", "torch", "tf", "operator", "functools"};
  return std::ranges::find(kModules, name) != std::end(kModules);
}

bool Checker::hasConstantOp(std::string_view dialect) const {
  if (!constantDialects_) { // a file sees hundreds of ops, and each op that is built asks
    constantDialects_.emplace();
    for (const Op &op : module.ops)
      if ((op.traits & trait::constant) && std::ranges::any_of(op.attrs, [](const OpAttrDecl &attr) {
            return attr.name == "value" && attr.type == AttrType::Tensor;
          }))
        constantDialects_->push_back(op.dialect);
  }
  return std::ranges::find(*constantDialects_, dialect) != constantDialects_->end();
}

std::string Checker::constantsOf(const std::string &dialect, const std::string &around) const {
  if (dialect.empty() || hasConstantOp(dialect))
    return dialect;
  return hasConstantOp(around) ? around : dialect;
}

const std::vector<bool> &Checker::visibleFrom(FileId file) {
  auto [it, isNew] = visible_.try_emplace(file.index);
  if (!isNew)
    return it->second;
  std::vector<bool> &seen = it->second;
  seen.resize(module.files.size());
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < module.files.size(); ++i)
    if (module.files[i].id == file)
      seen[i] = true, open.push_back(i);
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    for (uint32_t import : module.files[next].imports)
      if (!seen[import])
        seen[import] = true, open.push_back(import);
  }
  return seen;
}

/// Those of the ops that are declared in files which `file` imports, or in itself.
Checker::OpList Checker::seenFrom(FileId file, const OpList &ops) {
  const std::vector<bool> &seen = visibleFrom(file);
  OpList out;
  for (OpIndex op : ops)
    for (uint32_t i = 0; i < module.files.size(); ++i)
      if (seen[i] && module.files[i].id == module.op(op).file)
        out.push_back(op);
  return out;
}

Checker::OpList Checker::lookupOp(const ast::QualifiedName &name, bool silent) {
  OpList ops = opsNamed(name, silent);
  for (OpIndex op : ops)
    want(op);
  return ops;
}

Checker::OpList Checker::opsNamed(const ast::QualifiedName &name, bool silent) {
  auto it = opsByName_.find(name.name.text);
  if (name.dialect) {
    OpList ops;
    if (it != opsByName_.end())
      for (OpIndex op : it->second)
        if (module.op(op).dialect == name.dialect.text)
          ops.push_back(op);
    if (ops.empty() && !silent)
      undefinedOp(name, false);
    return ops;
  }
  if (it == opsByName_.end()) {
    if (!silent)
      undefinedOp(name, false);
    return {};
  }
  OpList ops = it->second;
  auto sameDialect = [&](OpIndex op) { return module.op(op).dialect == module.op(ops.front()).dialect; };
  if (!std::all_of(ops.begin(), ops.end(), sameDialect)) { // what others declare does not concern this file
    const FileId file = sources.fileOf(name.range.begin);
    if (OpList seen = seenFrom(file, ops); !seen.empty())
      ops = std::move(seen);
    OpList own; // which hide imported ones, as a file's own functions do
    for (OpIndex op : ops)
      if (module.op(op).file == file)
        own.push_back(op);
    if (!own.empty())
      ops = std::move(own);
  }
  if (silent || std::all_of(ops.begin(), ops.end(), sameDialect))
    return ops;
  Report report = error("ambiguous-name", name.range, fmt::format("`{}` is an op of several dialects", name.name.text));
  for (OpIndex op : ops)
    report.note(module.op(op).nameRange, fmt::format("write `{}` for this one", module.op(op).fullName()));
  return {};
}

std::vector<std::string_view> Checker::dialectNames() const {
  std::vector<std::string_view> names;
  for (const auto &dialect : dialects_)
    names.push_back(dialect.getKey());
  std::sort(names.begin(), names.end());
  return names;
}

void Checker::undefinedOp(const ast::QualifiedName &used, bool functionsToo) {
  ast::QualifiedName name = used;
  if (!name.dialect)
    name.range = name.name.range = writtenAt(name.name.text, name.range);
  if (isDamaged(ast::DeclKind::Op, name.name.text) ||
      (!functionsToo &&
       (isDamaged(ast::DeclKind::Matcher, name.name.text) || isDamaged(ast::DeclKind::Group, name.name.text))))
    return;
  if (functionsToo &&
      (isDamaged(ast::DeclKind::Fn, name.name.text) || isDamaged(ast::DeclKind::Native, name.name.text) ||
       isDamaged(ast::DeclKind::Rewrite, name.name.text)))
    return;
  std::vector<std::string_view> candidates;
  std::string file =
      namesOp({{}, name.name, name.name.range}) ? std::string() : fileWithOp(name.dialect.text, name.name.text);
  if (!file.empty() && !importsMissed_.insert(file).second)
    return; // one import is missing, and that was said
  auto sayFile = [&](Report &report) {
    report.note(fmt::format("an op of this name is declared by `import \"{}\";`", file));
  };
  if (name.dialect) {
    if (!dialects_.contains(name.dialect.text)) {
      if (isDamaged(ast::DeclKind::Dialect, name.dialect.text))
        return;
      candidates = dialectNames();
      Report report =
          error("undefined-dialect", name.dialect.range, fmt::format("no dialect named `{}`", name.dialect.text));
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
        suggest(report, name.dialect.range, name.dialect.text, candidates);
      return;
    }
    for (const auto &op : opsByName_)
      if (std::ranges::any_of(op.second, [&](OpIndex i) { return module.op(i).dialect == name.dialect.text; }))
        candidates.push_back(op.getKey());
  } else {
    for (const auto &op : opsByName_)
      candidates.push_back(op.getKey());
    if (!functionsToo) {
      candidates.insert(candidates.end(),
                        {"elementwise", "commutative"}); // traits and named matches stand where ops do
      for (const auto &matcher : matchers)
        if (std::ranges::any_of(matcher.second, [&](auto i) { return isSeen(i); }))
          candidates.push_back(matcher.getKey());
      for (const auto &group : groups)
        if (std::ranges::any_of(group.second, [&](auto i) { return isSeen(i); }))
          candidates.push_back(group.getKey());
    }
    if (functionsToo)
      for (const auto &fn : fns)
        candidates.push_back(fn.getKey());
    if (functionsToo)
      for (const auto &rewrite : rewrites)
        if (std::ranges::any_of(rewrite.second, [&](auto i) { return isSeen(i); }))
          candidates.push_back(rewrite.getKey());
  }
  if (!hintsAreOver())
    std::sort(candidates.begin(), candidates.end());
  Report report = error("undefined-op", name.range,
                        fmt::format("no op{} named `{}`", functionsToo ? " or function" : "", name.spelling()));
  if (!name.dialect && sayPrivate(report, name.name.text))
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
  const bool isElse = !name.dialect && namesOtherThanOp(name.name);
  if (!isElse)
    suggest(report, name.name.range, name.name.text, candidates, name.dialect.text);
  if (isElse || nearestHint(name.name.text, candidates).empty())
    sayWhatElse(report, name.name.text);
  if (functionsToo && traitNamed(name.name.text))
    report.note(fmt::format("`{0}` is a trait: name the op on the left, `f: {0}(x)`, and build it again by `f(y)`",
                            name.name.text));
  if (!file.empty())
    sayFile(report);
  else if (opsByName_.empty())
    report.note("no ops are known here: declare them, or import the file that does");
}

/// What builds or computes where something is matched, and the other way round: it is no misspelt name of an op.
bool Checker::namesOtherThanOp(const ast::Name &name) const {
  auto seen = [&](const auto &named) {
    auto it = named.find(name.text);
    return it != named.end() && std::ranges::any_of(it->second, [&](auto i) { return isSeen(i); });
  };
  return fnNamed(name.text) || nativeNamed(name.text) || seen(matchers) || seen(rewrites) || seen(groups);
}

void Checker::undefinedFunction(const ast::Name &name) {
  if (isDamaged(ast::DeclKind::Fn, name.text) || isDamaged(ast::DeclKind::Native, name.text))
    return;
  static constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
      {"map", "[f(x) for x in list]"},        {"filter", "[x for x in list if x > 0]"}, {"range", "0..n"},
      {"forall", "all(d > 0 for d in list)"}, {"exists", "any(d > 0 for d in list)"},   {"length", "len(list)"}};
  for (auto [word, ours] : kElsewhere)
    if (name.text == word) {
      error("undefined-function", name.range, fmt::format("no function named `{}`", name.text))
          .note(fmt::format("here it is written `{}`", ours));
      return;
    }
  std::vector<std::string_view> candidates;
  for (const auto &fn : fns)
    candidates.push_back(fn.getKey());
  for (const auto &native : natives)
    candidates.push_back(native.getKey());
  for (const BuiltinInfo &builtin : builtins())
    candidates.push_back(builtin.name);
  if (!hintsAreOver())
    std::sort(candidates.begin(), candidates.end());
  SourceRange at = writtenAt(name.text, name.range);
  Report report = error("undefined-function", at, fmt::format("no function named `{}`", name.text));
  if (sayPrivate(report, name.text))
    return;
  suggest(report, at, name.text, candidates);
  if (nearestHint(name.text, candidates).empty())
    sayWhatElse(report, name.text);
}

void Checker::suggest(Report &report, SourceRange range, std::string_view name,
                      const std::vector<std::string_view> &candidates, std::string_view dialect) {
  std::string_view nearest = nearestHint(name, candidates);
  if (nearest.empty())
    return;
  report.fixIt(range, std::string(nearest));
  SourceRange at = declarationOf(nearest);
  if (auto ops = opsByName_.find(nearest); !dialect.empty() && ops != opsByName_.end())
    for (OpIndex op : ops->second)
      if (module.op(op).dialect == dialect) {
        at = module.op(op).nameRange;
        break;
      }
  if (at)
    report.note(at, fmt::format("`{}` is declared here", nearest));
}

SourceRange Checker::declarationOf(std::string_view name) const {
  if (auto it = opsByName_.find(name); it != opsByName_.end())
    return module.op(it->second.front()).nameRange;
  if (FnIndex fn = fnNamed(name))
    return module.fn(fn).nameRange;
  if (NativeIndex native = nativeNamed(name))
    return module.native(native).nameRange;
  if (auto it = matchers.find(name); it != matchers.end())
    return declOf(it->second.front()).nameRange;
  if (auto it = rewrites.find(name); it != rewrites.end())
    return declOf(it->second.front()).nameRange;
  if (auto it = groups.find(name); it != groups.end())
    return declOf(it->second.front()).nameRange;
  return {};
}

const Checker::Private *Checker::privateNamed(std::string_view name) const {
  if (privates.empty())
    return nullptr;
  auto it = privates.find(std::pair<uint32_t, std::string>(from.index, name));
  return it == privates.end() ? nullptr : &it->second;
}

bool Checker::sayPrivate(Report &report, std::string_view name) const {
  const Decl *decl = nullptr;
  for (const auto &[key, hidden] : privates)
    if (key.second == name)
      decl = hidden.fn ? static_cast<const Decl *>(&module.fn(hidden.fn)) : &module.native(hidden.native);
  auto look = [&](const auto &table) {
    if (auto it = table.find(name); it != table.end())
      for (auto index : it->second)
        if (!isSeen(index))
          decl = &declOf(index);
  };
  look(matchers), look(rewrites), look(groups);
  if (decl)
    report.note(decl->nameRange,
                fmt::format("`{}` is private to this file: without the word, files that import it see it", name));
  return decl != nullptr;
}

FnIndex Checker::fnNamed(std::string_view name) const {
  if (const Private *own = privateNamed(name))
    return own->fn;
  if (!imported && ownFns.contains(name))
    return ownFns.lookup(name);
  return !imported && ownNatives.contains(name) ? FnIndex() : fns.lookup(name);
}

NativeIndex Checker::nativeNamed(std::string_view name) const {
  if (const Private *own = privateNamed(name))
    return own->native;
  if (!imported && ownNatives.contains(name))
    return ownNatives.lookup(name);
  return !imported && ownFns.contains(name) ? NativeIndex() : natives.lookup(name);
}

bool Checker::isDamaged(ast::DeclKind kind, std::string_view name) const {
  if (importMissing_)
    return true;
  for (int of : {int(kind), kOfAnyKind})
    if (damaged_.contains({of, std::string(name)}) || damaged_.contains({of, std::string()}))
      return true;
  return false;
}

std::optional<uint32_t> Checker::traitNamed(std::string_view name) {
  if (name == "pure")
    return trait::pure;
  if (name == "elementwise")
    return trait::elementwise;
  if (name == "commutative")
    return trait::commutative;
  if (name == "constant")
    return trait::constant;
  return std::nullopt;
}

} // namespace rw::sema
