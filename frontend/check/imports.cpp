// Loads what a file imports: every file once, cycles reported with their path.
#include "frontend/check/checked_bodies.h"
#include "frontend/check/checker.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

namespace rw::sema {

namespace fs = std::filesystem;

static constexpr size_t kMaxImportDepth = 100;

/// Asks the file system about each part of the path.
static fs::path resolved(const fs::path &path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : canonical;
}

std::string canonicalPath(const std::string &path, const CheckOptions &options) {
  if (!options.parsed)
    return resolved(path).string();
  std::map<std::string, std::string> &known = options.parsed->canonical;
  if (auto it = known.find(path); it != known.end())
    return it->second;
  const fs::path whole(path), folder = whole.parent_path(), name = whole.filename();
  std::error_code error;
  std::string out;
  // Of a folder that has many files it is enough to ask once.
  if (folder.empty() || name.empty() || name == "." || name == ".." ||
      fs::symlink_status(whole, error).type() != fs::file_type::regular) {
    out = resolved(whole).string();
  } else {
    auto [there, isNew] = known.try_emplace(folder.string());
    if (isNew)
      there->second = resolved(folder).string();
    out = (fs::path(there->second) / name).string();
  }
  known[path] = out;
  return out;
}

bool isTrusted(const std::string &canonical, const CheckOptions &options) {
  const std::string &folder = options.builtinDir;
  return options.trustBuiltin && !folder.empty() && canonical.size() > folder.size() &&
         canonical[folder.size()] == '/' && canonical.starts_with(folder);
}

FoundImport findImport(const std::string &folder, const std::string &text, const CheckOptions &options) {
  FoundImport out;
  if (options.parsed)
    if (auto of = options.parsed->found.find(folder); of != options.parsed->found.end())
      if (auto it = of->second.find(text); it != of->second.end()) {
        out.path = it->second.first, out.canonical = it->second.second;
        return out;
      }
  auto look = [&](const fs::path &dir) {
    fs::path path = (dir / text).lexically_normal();
    std::error_code error;
    out.tried.push_back(path.string());
    const fs::file_status status = fs::status(path.empty() ? "." : path, error);
    if (fs::is_directory(status))
      out.directory = path.string();
    else if (out.path.empty() && fs::exists(status))
      out.path = path.string();
  };
  look(folder);
  if (out.path.empty() && fs::path(text).is_relative())
    for (const std::string &dir : options.importDirs)
      if (out.path.empty())
        look(dir);
  if (out.path.empty() && fs::path(text).is_relative() && !options.builtinDir.empty()) {
    fs::path path = (fs::path(options.builtinDir) / text).lexically_normal();
    if (std::error_code error; fs::is_regular_file(path, error))
      out.path = path.string();
  }
  if (out.path.empty())
    return out;
  out.canonical = canonicalPath(out.path, options);
  if (options.parsed)
    options.parsed->found[folder][text] = {out.path, out.canonical};
  return out;
}

/// Of the folders' .rw files the one whose name is nearest.
static std::string nearestFile(const std::vector<std::string> &tried) {
  for (const std::string &path : tried) {
    fs::path folder = fs::path(path).parent_path();
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".rw")
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    std::string wanted = fs::path(path).filename().string();
    auto sameLetter = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    for (const std::string &name : names)
      if (std::ranges::equal(name, wanted, sameLetter))
        return (folder / name).string();
    if (std::string_view near = nearestName(wanted, {names.begin(), names.end()}); !near.empty())
      return (folder / near).string();
  }
  return {};
}

/// A built-in file that may have been meant, as an import writes it: of this name in another folder, or of a similar
/// name.
static std::string nearestBuiltin(const std::string &dir, const std::string &text) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".rw")
      files.push_back(it->path().lexically_relative(dir).generic_string());
  std::sort(files.begin(), files.end());
  for (const std::string &file : files)
    if (fs::path(file).filename() == fs::path(text).filename())
      return file;
  return std::string(nearestName(text, {files.begin(), files.end()}));
}

void Checker::load(const ast::Module &tree, std::string canonical, Trust trust, std::vector<uint32_t> &stack) {
  uint32_t index = uint32_t(loaded_.size());
  std::string path(sources.name(tree.file));
  loaded_.push_back({&tree, std::move(canonical), fs::path(path).parent_path().string(), index});
  module.files.push_back({tree.file, std::move(path), {}});
  stack.push_back(index);
  for (const ast::DeclPtr &decl : tree.decls)
    if (const auto *import = decl->as<ast::ImportDecl>())
      loadImport(*import, index, stack);
  stack.pop_back();
  collect(tree, trust);
}

void Checker::loadImport(const ast::ImportDecl &import, uint32_t importer, std::vector<uint32_t> &stack) {
  SourceRange range = import.name.range ? import.name.range : import.range;
  if (import.name.text.empty() || import.name.text.find('\0') != std::string::npos) {
    error("import-missing", range, "an import names a file: `import \"ops.rw\";`");
    return;
  }
  const FoundImport found = findImport(loaded_[importer].folder, import.name.text, options);
  if (found.path.empty()) {
    importMissing_ = true;
    if (!found.directory.empty() || fs::path(import.name.text).lexically_normal() == ".") {
      Report report =
          error("import-missing", range, fmt::format("`{}` is a folder: an import names a file", import.name.text));
      const std::string all = fs::path(import.name.text).filename().string() + ".rw"; // of a dialect
      std::error_code ignored;
      if (fs::exists(fs::path(found.directory) / all, ignored))
        report.fixIt(range, fmt::format("\"{}\"", (fs::path(import.name.text) / all).generic_string()));
      else
        report.note(fmt::format("as in `import \"{}\";`",
                                (fs::path(import.name.text) / "ops.rw").lexically_normal().generic_string()));
      return;
    }
    Report report = error("import-missing", range, fmt::format("there is no file `{}` to import", import.name.text));
    for (const std::string &path : found.tried)
      report.note(fmt::format("looked for {}", path));
    if (std::string near = nearestFile(found.tried); !near.empty())
      report.note(fmt::format("there is {}", near));
    else if (std::string builtin = nearestBuiltin(options.builtinDir, import.name.text); !builtin.empty())
      report.note(fmt::format("there is the built-in `import \"{}\";`", builtin));
    report.note("an import is searched in the folder of the importing file, then in the -I folders, then among the "
                "built-in files");
    return;
  }
  const std::string &canonical = found.canonical;
  if (!options.project.empty() && llvm::StringRef(canonical).starts_with(options.project + "/") &&
      !options.compiledFiles.contains(canonical))
    error("import-not-compiled", range,
          fmt::format("`{}` is imported here, but the project does not compile it", import.name.text))
        .note(fmt::format("list {} among the SOURCES of an rw_add_patterns, of this target or of one it links",
                          canonical));
  for (uint32_t i = 0; i < loaded_.size(); ++i) {
    if (loaded_[i].canonical != canonical)
      continue;
    module.files[importer].imports.push_back(i);
    auto open = std::find(stack.begin(), stack.end(), i);
    if (open == stack.end())
      return;
    std::string path;
    for (auto it = open; it != stack.end(); ++it)
      path += module.files[*it].path + " -> ";
    error("import-cycle", range, fmt::format("`{}` imports itself", import.name.text))
        .note(fmt::format("{}{}", path, module.files[i].path))
        .note("move what both files need into a third one that both import");
    return;
  }
  if (stack.size() >= kMaxImportDepth) {
    error("import-too-deep", range, fmt::format("imports are nested more than {} deep", kMaxImportDepth))
        .note("import the files at the end of the chain directly");
    return;
  }
  std::shared_ptr<const ast::Module> tree;
  bool settled = false;
  FileId file;
  if (options.parsed)
    if (auto it = options.parsed->byPath.find(canonical); it != options.parsed->byPath.end())
      tree = it->second.tree, settled = it->second.settled, file = it->second.id;
  if (!tree) {
    std::string reason;
    if (!file)
      file = sources.addFile(found.path, reason, ast::kMaxSourceBytes + 1);
    if (!file) {
      importMissing_ = true;
      error("import-missing", range, fmt::format("cannot read `{}`: {}", found.path, reason));
      return;
    }
    tree = options.parse ? options.parse(file) : nullptr;
    if (!tree)
      return;
    if (options.parsed)
      options.parsed->byPath[canonical] = {file, tree, settled};
  }
  trees_.push_back(tree);
  module.files[importer].imports.push_back(uint32_t(loaded_.size()));
  // Where all patterns of imports run, all of their bodies are needed.
  const bool isRight = trusted_ && !options.wholeImports && isTrusted(canonical, options);
  const Trust trust = settled ? Trust::Settled : isRight ? Trust::Right : Trust::None;
  load(*tree, canonical, trust, stack);
}

/// A dialect and its name in other formats go together: an op of a model has one meaning. ONNX's own ops have the
/// dialect `onnx`, whatever is declared: models call them `ai.onnx`, or say nothing.
void Checker::checkExternal(const ast::DialectDecl &d) {
  constexpr std::string_view kOnnx = "onnx";
  if (!d.externalRange)
    return;
  bool ofOnnx = d.externalName.empty() || d.externalName == "ai.onnx";
  if (ofOnnx != (d.name.text == kOnnx)) {
    if (ofOnnx)
      error("duplicate-domain", d.name.range,
            fmt::format("ONNX's own ops are those of the dialect `onnx`, so no op of a model would be of `{}`",
                        d.name.text))
          .fixIt(d.name.range, std::string(kOnnx))
          .note("of a dialect that models have no name for, it is left out: `dialect mine;`");
    else
      error("duplicate-domain", d.externalRange,
            fmt::format("the dialect `onnx` is that of ONNX's own ops, which models call `ai.onnx`, not `{}`",
                        d.externalName))
          .note(fmt::format("ops of `{}` are of another dialect: `dialect mine \"{}\";`", d.externalName,
                            d.externalName));
    return;
  }
  if (ofOnnx)
    return;
  const ast::DialectDecl &same = *externals_.try_emplace("=" + d.externalName, &d).first->second;
  const ast::DialectDecl &own = *externals_.try_emplace(d.name.text, &d).first->second;
  if (same.name.text != d.name.text)
    error("duplicate-domain", d.name.range,
          fmt::format("other formats call the dialect `{}` `{}`, too: no op of a model would be of `{}`",
                      same.name.text, d.externalName, d.name.text))
        .fixIt(d.name.range, same.name.text)
        .note(same.name.range, fmt::format("`{}` is declared here; dialects of one name are one", same.name.text));
  else if (own.externalName != d.externalName)
    error("duplicate-domain", d.name.range,
          fmt::format("other formats call the dialect `{}` both `{}` and `{}`", d.name.text, own.externalName,
                      d.externalName))
        .note(own.name.range,
              fmt::format("`{}` is called `{}` here; give one of the two another name", d.name.text, own.externalName));
}

void Checker::collect(const ast::Module &tree, Trust trust) {
  std::string_view dialect, external;
  bool isRoot = tree.file == module.files[0].id;
  for (const ast::Module::Damaged &damaged : tree.damaged) {
    damaged_.emplace(damaged.kind ? int(*damaged.kind) : kOfAnyKind, damaged.name.text);
    importMissing_ |= damaged.kind == ast::DeclKind::Import;
    // What stands for the `dialect` declaration, as far as one can tell.
    if (damaged.kind == ast::DeclKind::Dialect || (!damaged.kind && dialect.empty())) {
      dialect = damaged.name ? std::string_view(damaged.name.text) : "_";
      dialects_.insert(dialect);
    }
  }
  for (const ast::DeclPtr &decl : tree.decls) {
    if (const auto *d = decl->as<ast::DialectDecl>()) {
      dialect = d->name.text;
      external = d->externalName == "ai.onnx" ? std::string_view() : d->externalName;
      dialects_.insert(dialect);
      checkExternal(*d);
    } else if (isRoot && trusted_ && (decl->kind == ast::DeclKind::Test || decl->kind == ast::DeclKind::Expect)) {
      continue;
    } else if (decl->kind != ast::DeclKind::Import) {
      bool hasBody = decl->kind == ast::DeclKind::Op || decl->kind == ast::DeclKind::Fn ||
                     decl->kind == ast::DeclKind::Pattern || decl->kind == ast::DeclKind::Matcher ||
                     decl->kind == ast::DeclKind::Rewrite || decl->kind == ast::DeclKind::Group ||
                     decl->kind == ast::DeclKind::Test;
      // Of a file that is right the ops, with what they mean, come along with the root; of a root that is settled they
      // came along with a file before it, and its patterns are left.
      const bool settled = trust == Trust::Settled,
                 needed = decl->kind == (isRoot ? ast::DeclKind::Pattern : ast::DeclKind::Op),
                 deferred = settled ? !isRoot || !needed : trust == Trust::Right && !needed;
      items_.push_back({decl.get(), tree.file, dialect, external, !isRoot, 0, deferred && hasBody, settled});
      if (const auto *op = decl->as<ast::OpDecl>()) {
        uint32_t of = uint32_t(items_.size() - 1);
        for (const auto &meaning : op->means)
          items_.push_back({meaning.get(), tree.file, dialect, external, !isRoot, 0, deferred, settled, of});
      }
    }
  }
}

std::shared_ptr<const ast::Module> parseRoot(const std::string &path, const CheckOptions &options,
                                             SourceManager &sources, std::string &reason) {
  std::string canonical = canonicalPath(path, options);
  FileId file;
  if (options.parsed)
    if (auto it = options.parsed->byPath.find(canonical); it != options.parsed->byPath.end()) {
      if (it->second.tree)
        return it->second.tree;
      file = it->second.id;
    }
  if (!file)
    file = sources.addFile(path, reason, ast::kMaxSourceBytes + 1);
  if (!file)
    return nullptr;
  std::shared_ptr<const ast::Module> tree = options.parse(file);
  if (options.parsed)
    options.parsed->byPath[canonical] = {file, tree};
  return tree;
}

std::unique_ptr<Module> check(const ast::Module &root, const CheckOptions &options, SourceManager &sources,
                              Diagnostics &diags) {
  auto module = std::make_unique<Module>();
  Checker(*module, options, sources, diags).run(root);
  return module;
}

bool Checker::trusts(FileId file) const {
  if (!trusted_) // what another root uses is checked by itself
    return false;
  for (size_t i = 0; i < loaded_.size(); ++i)
    if (module.files[i].id == file)
      return isTrusted(loaded_[i].canonical, options);
  return false;
}

bool Checker::isSettled(const std::string &canonical) const {
  if (!options.parsed)
    return false;
  auto file = options.parsed->byPath.find(canonical);
  return file != options.parsed->byPath.end() && file->second.settled;
}

void Checker::checkItem(Item &item) {
  imported = item.imported;
  const ast::Decl &decl = *item.decl;
  from = item.file;
  if (item.index == UINT32_MAX || std::exchange(item.isChecked, true))
    return;
  auto count = [&](uint64_t bodies) {
    if (options.work)
      options.work->bodies += bodies;
  };
  switch (decl.kind) {
  case ast::DeclKind::Op:
    if (!item.isTaken) {
      count(1);
      checkOp(module.ops[item.index], decl.get<ast::OpDecl>());
      keepChecked(item, module.ops[item.index], decl.get<ast::OpDecl>());
    }
    checkCanonicalize(module.ops[item.index], decl.get<ast::OpDecl>());
    if (!item.isSettled) // the op comes along with the root, and these patterns with it
      for (PatternIndex pattern : module.ops[item.index].canonicalize)
        want(pattern);
    break;
  case ast::DeclKind::Fn:
    if (!item.isSettled || !takeChecked(FnIndex{item.index}, decl.get<ast::FnDecl>())) {
      count(1);
      checkFn(module.fns[item.index], decl.get<ast::FnDecl>(), {item.index});
      keepChecked(item, module.fns[item.index], decl.get<ast::FnDecl>());
    }
    break;
  case ast::DeclKind::Pattern:
    for (uint32_t i = item.index; i < instances_.size() && instances_[i].decl == &decl; ++i)
      count(1), checkPattern(module.patterns[i], instances_[i]);
    break;
  case ast::DeclKind::Matcher:
    checkedMatcher({item.index}, {});
    break;
  case ast::DeclKind::Rewrite:
    checkedRewrite({item.index}, {});
    break;
  case ast::DeclKind::Group:
    checkGroup(decl.get<ast::GroupDecl>());
    break;
  case ast::DeclKind::Pass:
    checkPass(module.passes[item.index], decl.get<ast::PassDecl>());
    break;
  case ast::DeclKind::Conversion:
    checkConversion(module.passes[item.index], decl.get<ast::ConversionDecl>());
    break;
  case ast::DeclKind::Pipeline:
    checkPipeline(module.pipelines[item.index], decl.get<ast::PipelineDecl>());
    break;
  case ast::DeclKind::Test:
    checkTest(module.tests[item.index], decl.get<ast::TestDecl>());
    break;
  case ast::DeclKind::Expect:
    if (!item.imported)
      checkExpectation(module.expectations[item.index], decl.get<ast::ExpectDecl>());
    break;
  case ast::DeclKind::Dialect:
  case ast::DeclKind::Import:
  case ast::DeclKind::Native:
    break;
  }
}

void Checker::checkNow(OpIndex op) {
  if (op.raw >= opItems_.size() || opItems_[op.raw] == UINT32_MAX)
    return;
  want(op);
  const Aside aside(*this, module.op(op));
  checkItem(items_[opItems_[op.raw]]);
}

void Checker::noteDeferred() {
  auto note = [](std::vector<uint32_t> &items, uint32_t index, size_t item) {
    if (index >= items.size())
      items.resize(index + 1, UINT32_MAX);
    items[index] = uint32_t(item);
  };
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item &item = items_[i];
    if (item.index == UINT32_MAX)
      continue;
    if (item.decl->kind == ast::DeclKind::Op)
      note(opItems_, item.index, i);
    else if (!item.deferred)
      continue;
    else if (item.decl->kind == ast::DeclKind::Fn)
      note(fnItems_, item.index, i);
    else if (item.decl->kind == ast::DeclKind::Pattern)
      for (uint32_t p = item.index; p < instances_.size() && instances_[p].decl == item.decl; ++p)
        note(patternItems_, p, i);
  }
}

std::shared_ptr<CheckedBodies> keepBodies() { return std::make_shared<CheckedBodies>(); }

/// What another file's check came to, if it is kept: calls get the numbers that the functions have here, and these are
/// wanted.
template <class D, class Decl> std::optional<D> Checker::checkedBefore(const Decl &decl) {
  auto known = options.parsed && options.parsed->bodies ? options.parsed->bodies->find(decl) : nullptr;
  if (!known)
    return std::nullopt;
  if (!known->fns.empty() && fnOf_.empty())
    for (uint32_t i = 0; i < fnDecls_.size(); ++i)
      fnOf_.try_emplace(fnDecls_[i], FnIndex{i});
  if (!std::ranges::all_of(known->fns, [&](const ast::FnDecl *fn) { return fnOf_.contains(fn); }))
    return std::nullopt;
  D taken = known->checked;
  forEachExpr(taken, [&](Expr &whole) {
    forEachCall(whole, [&](Expr &call) { call.id = fnOf_.lookup(known->fns[call.id]).raw; });
  });
  for (const ast::FnDecl *fn : known->fns)
    want(fnOf_.lookup(fn));
  return taken;
}

bool Checker::takeChecked(OpIndex index, const ast::OpDecl &decl) {
  std::optional<Op> taken = checkedBefore<Op>(decl);
  if (!taken)
    return false;
  Op &op = module.ops[index.raw];
  static_cast<Decl &>(*taken) = std::move(static_cast<Decl &>(op));
  taken->dialect = std::move(op.dialect);
  taken->externalDialect = std::move(op.externalDialect);
  taken->means = std::move(op.means); // of this module
  op = std::move(*taken);
  return true;
}

bool Checker::takeChecked(FnIndex index, const ast::FnDecl &decl) {
  std::optional<Fn> taken = checkedBefore<Fn>(decl);
  if (!taken)
    return false;
  Fn &fn = module.fns[index.raw];
  static_cast<Decl &>(*taken) = std::move(static_cast<Decl &>(fn));
  fn = std::move(*taken);
  return true;
}

/// Only of imports: which of its own bodies others import a file does not know.
template <class D, class Decl> void Checker::keepChecked(const Item &item, const D &checked, const Decl &decl) {
  if (!item.imported || !options.parsed || !options.parsed->bodies || diags.hasErrors())
    return;
  auto tree = std::ranges::find(trees_, item.file, [](const auto &t) { return t->file; });
  if (tree != trees_.end())
    options.parsed->bodies->keep(decl, *tree, checked, fnDecls_);
}

void ParsedFiles::settle(const Module &module) {
  std::set<uint32_t> files;
  for (const sema::File &file : module.files)
    files.insert(file.id.index);
  for (auto &[path, file] : byPath)
    if (files.contains(file.id.index))
      file.settled = true;
}

/// Patterns that run where only this file is loaded: its own, and what its passes and ops name of its imports. What an
/// imported op means counts, too: it is where the op's type comes from.
std::vector<PatternIndex> Checker::usedPatterns() const {
  std::vector<bool> used(module.patterns.size());
  for (uint32_t i = 0; i < used.size(); ++i)
    used[i] = !module.patterns[i].imported || module.patterns[i].meaningOf || options.wholeImports;
  for (const Pass &pass : module.passes)
    for (const Pass::Member &member : pass.members)
      if (member.pattern && !pass.imported)
        used[member.pattern.raw] = true;
  for (const Op &op : module.ops)
    for (PatternIndex pattern : op.canonicalize)
      used[pattern.raw] = true;
  std::vector<PatternIndex> out;
  for (uint32_t i = 0; i < used.size(); ++i)
    if (used[i])
      out.push_back({i});
  return out;
}

void Checker::run(const ast::Module &root) {
  std::vector<uint32_t> stack;
  const std::string canonical = canonicalPath(std::string(sources.name(root.file)), options);
  trusted_ = isTrusted(canonical, options);
  load(root, canonical, trusted_ && isSettled(canonical) ? Trust::Settled : Trust::None, stack);
  declare();
  noteDeferred();
  for (Item &item : items_)
    if (!item.deferred)
      checkItem(item);
  while (!wanted_.empty()) {
    Item &item = items_[wanted_.back()];
    wanted_.pop_back();
    checkItem(item);
  }
  imported = false;
  reportRecursion();
  checkMeanings();
  // What a syntax error of an import hid may have left patterns unfinished, without a word: an editor keeps what is
  // wrong in imports elsewhere.
  auto isWhole = [&] { return !diags.hasErrors() && damaged_.empty(); };
  if (isWhole()) // what functions and ops of imports say is known by now
    proveTypes(usedPatterns());
  if (isWhole() && !trusted_)
    lint();
  if (isWhole() && options.warnOfUnnamed && !trusted_)
    reportUnnamed();
}

} // namespace rw::sema
