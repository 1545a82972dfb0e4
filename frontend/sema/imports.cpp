// Loads what a file imports: every file once, cycles reported with their path.
#include "frontend/sema/checker.h"

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace rw::sema {

namespace fs = std::filesystem;

static constexpr size_t kMaxImportDepth = 100;

static std::string canonicalPath(const fs::path &path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal().string() : canonical.string();
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

void Checker::load(const ast::Module &tree, std::string canonical, std::vector<uint32_t> &stack) {
  uint32_t index = uint32_t(loaded_.size());
  loaded_.push_back({&tree, std::move(canonical), index});
  module.files.push_back({tree.file, std::string(sources.name(tree.file)), {}});
  stack.push_back(index);
  for (const ast::DeclPtr &decl : tree.decls)
    if (const auto *import = decl->as<ast::ImportDecl>())
      loadImport(*import, index, stack);
  stack.pop_back();
  collect(tree);
}

void Checker::loadImport(const ast::ImportDecl &import, uint32_t importer, std::vector<uint32_t> &stack) {
  SourceRange range = import.name.range ? import.name.range : import.range;
  if (import.name.text.empty() || import.name.text.find('\0') != std::string::npos) {
    error("import-missing", range, "an import names a file: `import \"ops.rw\";`");
    return;
  }
  std::vector<std::string> tried;
  fs::path found, directory;
  auto look = [&](fs::path folder) {
    fs::path path = (folder / import.name.text).lexically_normal();
    std::error_code error;
    tried.push_back(path.string());
    if (found.empty() && fs::is_regular_file(path, error))
      found = path;
    else if (fs::is_directory(path.empty() ? "." : path, error))
      directory = path;
  };
  look(fs::path(module.files[importer].path).parent_path());
  if (fs::path(import.name.text).is_relative())
    for (const std::string &dir : options.importDirs)
      if (found.empty())
        look(dir);
  if (found.empty()) {
    importMissing_ = true;
    if (!directory.empty() || fs::path(import.name.text).lexically_normal() == ".") {
      error("import-missing", range, fmt::format("`{}` is a folder: an import names a file", import.name.text));
      return;
    }
    Report report = error("import-missing", range, fmt::format("there is no file `{}` to import", import.name.text));
    for (const std::string &path : tried)
      report.note(fmt::format("looked for {}", path));
    if (std::string near = nearestFile(tried); !near.empty())
      report.note(fmt::format("there is {}", near));
    report.note("an import is searched in the folder of the importing file, then in the -I folders");
    return;
  }
  std::string canonical = canonicalPath(found);
  if (!options.project.empty() && llvm::StringRef(canonical).starts_with(options.project + "/") && !options.compiledFiles.contains(canonical))
    error("import-not-compiled", range, fmt::format("`{}` is imported here, but the project does not compile it", import.name.text))
        .note(fmt::format("list {} among the SOURCES of an rw_add_patterns, of this target or of one it links", canonical));
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
    error("import-too-deep", range, fmt::format("imports are nested more than {} deep", kMaxImportDepth));
    return;
  }
  std::shared_ptr<const ast::Module> tree;
  if (options.parsed)
    if (auto it = options.parsed->byPath.find(canonical); it != options.parsed->byPath.end())
      tree = it->second.tree;
  if (!tree) {
    std::string reason;
    FileId file = sources.addFile(found.string(), reason);
    if (!file) {
      importMissing_ = true;
      error("import-missing", range, fmt::format("cannot read `{}`: {}", found.string(), reason));
      return;
    }
    tree = options.parse ? options.parse(file) : nullptr;
    if (!tree)
      return;
    if (options.parsed)
      options.parsed->byPath[canonical] = {file, tree};
  }
  trees_.push_back(tree);
  module.files[importer].imports.push_back(uint32_t(loaded_.size()));
  load(*tree, std::move(canonical), stack);
}

void Checker::collect(const ast::Module &tree) {
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
      external = d->externalName;
      dialects_.insert(dialect);
    } else if (decl->kind != ast::DeclKind::Import) {
      items_.push_back({decl.get(), dialect, external, !isRoot, 0});
    }
  }
}

std::unique_ptr<Module> check(const ast::Module &root, const CheckOptions &options, SourceManager &sources,
                              Diagnostics &diags) {
  auto module = std::make_unique<Module>();
  Checker(*module, options, sources, diags).run(root);
  return module;
}

void Checker::run(const ast::Module &root) {
  std::vector<uint32_t> stack;
  load(root, canonicalPath(std::string(sources.name(root.file))), stack);
  declare();
  for (Item &item : items_) {
    imported = item.imported;
    const ast::Decl &decl = *item.decl;
    if (item.index == UINT32_MAX)
      continue;
    switch (decl.kind) {
    case ast::DeclKind::Op:
      checkOp(module.ops[item.index], decl.get<ast::OpDecl>());
      break;
    case ast::DeclKind::Fn:
      checkFn(module.fns[item.index], decl.get<ast::FnDecl>(), {item.index});
      break;
    case ast::DeclKind::Pattern:
      for (uint32_t i = item.index; i < instances_.size() && instances_[i].decl == &decl; ++i)
        checkPattern(module.patterns[i], instances_[i]);
      break;
    case ast::DeclKind::Pass:
      checkPass(module.passes[item.index], decl.get<ast::PassDecl>());
      break;
    case ast::DeclKind::Pipeline:
      checkPipeline(module.pipelines[item.index], decl.get<ast::PipelineDecl>());
      break;
    case ast::DeclKind::Test:
      checkTest(module.tests[item.index], decl.get<ast::TestDecl>());
      break;
    case ast::DeclKind::Dialect:
    case ast::DeclKind::Import:
    case ast::DeclKind::Native:
      break;
    }
  }
  imported = false;
  reportRecursion();
  if (!diags.hasErrors())
    lint();
  if (!diags.hasErrors() && options.warnOfUnnamed)
    reportUnnamed();
}

} // namespace rw::sema
