#include "frontend/check/imports.h"

#include "frontend/check/checked_bodies.h"
#include "rw/support/nearest_name.h"

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

static void loadImport(CheckContext &c, const ast::ImportDecl &import, uint32_t importer,
                       std::vector<uint32_t> &stack) {
  SourceRange range = import.name.range ? import.name.range : import.range;
  if (import.name.text.empty() || import.name.text.find('\0') != std::string::npos) {
    c.error("import-missing", range, "an import names a file: `import \"ops.rw\";`");
    return;
  }
  const FoundImport found = findImport(c.loaded[importer].folder, import.name.text, c.options);
  if (found.path.empty()) {
    c.importMissing = true;
    if (!found.directory.empty() || fs::path(import.name.text).lexically_normal() == ".") {
      Report report =
          c.error("import-missing", range, fmt::format("`{}` is a folder: an import names a file", import.name.text));
      const std::string all = fs::path(import.name.text).filename().string() + ".rw"; // of a dialect
      std::error_code ignored;
      if (fs::exists(fs::path(found.directory) / all, ignored))
        report.fixIt(range, fmt::format("\"{}\"", (fs::path(import.name.text) / all).generic_string()));
      else
        report.note(fmt::format("as in `import \"{}\";`",
                                (fs::path(import.name.text) / "ops.rw").lexically_normal().generic_string()));
      return;
    }
    Report report = c.error("import-missing", range, fmt::format("there is no file `{}` to import", import.name.text));
    for (const std::string &path : found.tried)
      report.note(fmt::format("looked for {}", path));
    if (std::string near = nearestFile(found.tried); !near.empty())
      report.note(fmt::format("there is {}", near));
    else if (std::string builtin = nearestBuiltin(c.options.builtinDir, import.name.text); !builtin.empty())
      report.note(fmt::format("there is the built-in `import \"{}\";`", builtin));
    report.note(c.options.builtinDir.empty()
                    ? "an import is searched in the folder of the importing file, then in the import folders; this "
                      "program knows no folder of built-in files"
                    : "an import is searched in the folder of the importing file, then in the -I folders, then among "
                      "the built-in files");
    return;
  }
  const std::string &canonical = found.canonical;
  if (!c.options.project.empty() && llvm::StringRef(canonical).starts_with(c.options.project + "/") &&
      !c.options.compiledFiles.contains(canonical))
    c.error("import-not-compiled", range,
            fmt::format("`{}` is imported here, but the project does not compile it", import.name.text))
        .note(fmt::format("list {} among the SOURCES of an rw_add_patterns, of this target or of one it links",
                          canonical));
  for (uint32_t i = 0; i < c.loaded.size(); ++i) {
    if (c.loaded[i].canonical != canonical)
      continue;
    c.module.files[importer].imports.push_back(i);
    auto open = std::find(stack.begin(), stack.end(), i);
    if (open == stack.end())
      return;
    std::string path;
    for (auto it = open; it != stack.end(); ++it)
      path += c.module.files[*it].path + " -> ";
    c.error("import-cycle", range, fmt::format("`{}` imports itself", import.name.text))
        .note(fmt::format("{}{}", path, c.module.files[i].path))
        .note("move what both files need into a third one that both import");
    return;
  }
  if (stack.size() >= kMaxImportDepth) {
    c.error("import-too-deep", range, fmt::format("imports are nested more than {} deep", kMaxImportDepth))
        .note("import the files at the end of the chain directly");
    return;
  }
  std::shared_ptr<const ast::Module> tree;
  bool settled = false;
  FileId file;
  if (c.options.parsed)
    if (auto it = c.options.parsed->byPath.find(canonical); it != c.options.parsed->byPath.end())
      tree = it->second.tree, settled = it->second.settled, file = it->second.id;
  if (!tree) {
    if (!file) {
      Result<FileId> added = c.sources.addFile(found.path, ast::kMaxSourceBytes + 1);
      if (!added) {
        c.importMissing = true;
        c.error("import-missing", range, fmt::format("cannot read `{}`: {}", found.path, added.error()));
        return;
      }
      file = *added;
    }
    tree = c.options.parse ? c.options.parse(file) : nullptr;
    if (!tree)
      return;
    if (c.options.parsed)
      c.options.parsed->byPath[canonical] = {file, tree, settled};
  }
  c.trees.push_back(tree);
  c.module.files[importer].imports.push_back(uint32_t(c.loaded.size()));
  // Where all patterns of imports run, all of their bodies are needed.
  const bool isRight = c.trusted && !c.options.wholeImports && isTrusted(canonical, c.options);
  const Trust trust = settled ? Trust::Settled : isRight ? Trust::Right : Trust::None;
  loadFile(c, *tree, canonical, trust, stack);
}

/// A dialect and its name in other formats go together: an op of a model has one meaning. ONNX's own ops have the
/// dialect `onnx`, whatever is declared: models call them `ai.onnx`, or say nothing.
static void checkExternal(CheckContext &c, const ast::DialectDecl &d) {
  constexpr std::string_view kOnnx = "onnx";
  if (!d.externalRange)
    return;
  bool ofOnnx = d.externalName.empty() || d.externalName == "ai.onnx";
  if (ofOnnx != (d.name.text == kOnnx)) {
    if (ofOnnx)
      c.error("duplicate-domain", d.name.range,
              fmt::format("ONNX's own ops are those of the dialect `onnx`, so no op of a model would be of `{}`",
                          d.name.text))
          .fixIt(d.name.range, std::string(kOnnx))
          .note("of a dialect that models have no name for, it is left out: `dialect mine;`");
    else
      c.error("duplicate-domain", d.externalRange,
              fmt::format("the dialect `onnx` is that of ONNX's own ops, which models call `ai.onnx`, not `{}`",
                          d.externalName))
          .note(fmt::format("ops of `{}` are of another dialect: `dialect mine \"{}\";`", d.externalName,
                            d.externalName));
    return;
  }
  if (ofOnnx)
    return;
  const ast::DialectDecl &same = *c.externals.try_emplace("=" + d.externalName, &d).first->second;
  const ast::DialectDecl &own = *c.externals.try_emplace(d.name.text, &d).first->second;
  if (same.name.text != d.name.text)
    c.error("duplicate-domain", d.name.range,
            fmt::format("other formats call the dialect `{}` `{}`, too: no op of a model would be of `{}`",
                        same.name.text, d.externalName, d.name.text))
        .fixIt(d.name.range, same.name.text)
        .note(same.name.range, fmt::format("`{}` is declared here; dialects of one name are one", same.name.text));
  else if (own.externalName != d.externalName)
    c.error("duplicate-domain", d.name.range,
            fmt::format("other formats call the dialect `{}` both `{}` and `{}`", d.name.text, own.externalName,
                        d.externalName))
        .note(own.name.range,
              fmt::format("`{}` is called `{}` here; give one of the two another name", d.name.text, own.externalName));
}

static void collectDecls(CheckContext &c, const ast::Module &tree, Trust trust) {
  std::string_view dialect, external;
  bool isRoot = tree.file == c.module.files[0].id;
  for (const ast::Module::Damaged &damaged : tree.damaged) {
    c.damaged.emplace(damaged.kind ? int(*damaged.kind) : kOfAnyKind, damaged.name.text);
    c.importMissing |= damaged.kind == ast::DeclKind::Import;
    // What stands for the `dialect` declaration, as far as one can tell.
    if (damaged.kind == ast::DeclKind::Dialect || (!damaged.kind && dialect.empty())) {
      dialect = damaged.name ? std::string_view(damaged.name.text) : "_";
      c.dialects.insert(dialect);
    }
  }
  for (const ast::DeclPtr &decl : tree.decls) {
    if (const auto *d = decl->as<ast::DialectDecl>()) {
      dialect = d->name.text;
      external = d->externalName == "ai.onnx" ? std::string_view() : d->externalName;
      c.dialects.insert(dialect);
      checkExternal(c, *d);
    } else if (isRoot && c.trusted && (decl->kind == ast::DeclKind::Test || decl->kind == ast::DeclKind::Expect)) {
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
      c.items.push_back({decl.get(), tree.file, dialect, external, !isRoot, 0, deferred && hasBody, settled});
      if (const auto *op = decl->as<ast::OpDecl>()) {
        uint32_t of = uint32_t(c.items.size() - 1);
        for (const auto &meaning : op->means)
          c.items.push_back({meaning.get(), tree.file, dialect, external, !isRoot, 0, deferred, settled, of});
      }
    }
  }
}

void loadFile(CheckContext &c, const ast::Module &tree, std::string canonical, Trust trust,
              std::vector<uint32_t> &stack) {
  uint32_t index = uint32_t(c.loaded.size());
  std::string path(c.sources.name(tree.file));
  c.loaded.push_back({&tree, std::move(canonical), fs::path(path).parent_path().string(), index});
  c.module.files.push_back({tree.file, std::move(path), {}});
  stack.push_back(index);
  for (const ast::DeclPtr &decl : tree.decls)
    if (const auto *import = decl->as<ast::ImportDecl>())
      loadImport(c, *import, index, stack);
  stack.pop_back();
  collectDecls(c, tree, trust);
}

Result<std::shared_ptr<const ast::Module>> parseRoot(const std::string &path, const CheckOptions &options,
                                                     SourceManager &sources) {
  std::string canonical = canonicalPath(path, options);
  FileId file;
  if (options.parsed)
    if (auto it = options.parsed->byPath.find(canonical); it != options.parsed->byPath.end()) {
      if (it->second.tree)
        return it->second.tree;
      file = it->second.id;
    }
  if (!file) {
    Result<FileId> added = sources.addFile(path, ast::kMaxSourceBytes + 1);
    if (!added)
      return added.failure();
    file = *added;
  }
  std::shared_ptr<const ast::Module> tree = options.parse(file);
  if (options.parsed)
    options.parsed->byPath[canonical] = {file, tree};
  return tree;
}

bool isSettled(const CheckContext &c, const std::string &canonical) {
  if (!c.options.parsed)
    return false;
  auto file = c.options.parsed->byPath.find(canonical);
  return file != c.options.parsed->byPath.end() && file->second.settled;
}

} // namespace rw::sema
