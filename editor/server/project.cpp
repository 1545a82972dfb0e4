#include "editor/server/project.h"

#include "frontend/check/checked_bodies.h"
#include "frontend/parse/parse.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

namespace rw::editor {

namespace fs = std::filesystem;

std::string_view Analysis::written(SourceRange range) const {
  const FileId file = sources.fileOf(range.begin);
  if (!file || range.end < range.begin)
    return {};
  const std::string_view all = sources.text(file);
  const size_t begin = sources.offsetOf(range.begin);
  return all.substr(begin, range.end.raw - range.begin.raw);
}

const ast::Decl *Analysis::declAt(size_t at) const {
  for (const ast::DeclPtr &decl : tree().decls)
    if (offset(decl->range.begin) <= at && at <= offset(decl->range.end))
      return decl.get();
  return nullptr;
}

Project::Project(ProjectOptions options) { configure(std::move(options)); }

void Project::configure(ProjectOptions options) {
  options_ = std::move(options);
  builtin_ = {};
  builtin_.parsed.bodies = sema::keepBodies();
  std::error_code error;
  fs::path canonical = options_.builtinDir.empty() ? fs::path() : fs::weakly_canonical(options_.builtinDir, error);
  builtinCanonical_ = error || canonical.empty() ? options_.builtinDir : canonical.string();
  filesChanged();
}

bool Project::isBuiltin(const std::string &path) const {
  return !builtinCanonical_.empty() && path.size() > builtinCanonical_.size() && path.starts_with(builtinCanonical_) &&
         path[builtinCanonical_.size()] == '/';
}

void Project::dropImports() {
  all_.reset();
  if (builtin_.parsed.bodies) {
    std::set<const ast::Module *> trees;
    for (const auto &[path, file] : builtin_.parsed.byPath)
      trees.insert(file.tree.get());
    builtin_.parsed.bodies->keepOnly(trees);
  }
  for (auto &[path, document] : documents_)
    document.current = false;
}

void Project::filesChanged() {
  builtin_.parsed.found.clear();
  builtin_.parsed.canonical.clear();
  dropImports();
}

void Project::open(const std::string &path, std::string text) {
  documents_[path] = {Text(std::move(text)), nullptr, false};
  dropImports();
}

void Project::close(const std::string &path) {
  documents_.erase(path);
  dropImports();
}

Project::Edit Project::edit(const std::string &path, std::optional<std::pair<Position, Position>> range,
                            std::string_view with, Encoding encoding) {
  auto it = documents_.find(path);
  if (it == documents_.end())
    return {0, 0, 0};
  Document &document = it->second;
  Edit edit{0, document.text.str().size(), with.size()};
  if (range) {
    edit.begin = document.text.offset(range->first, encoding);
    edit.end = std::max(edit.begin, document.text.offset(range->second, encoding));
    document.text.replace(edit.begin, edit.end, with);
  } else {
    document.text = Text(std::string(with));
  }
  document.current = false;
  if (all_ && all_->parsed.byPath.contains(path)) // what imports it sees the new text
    dropImports();
  return edit;
}

const Text *Project::document(const std::string &path) const {
  auto it = documents_.find(path);
  return it == documents_.end() ? nullptr : &it->second.text;
}

std::vector<std::string> Project::documents() const {
  std::vector<std::string> out;
  for (const auto &[path, document] : documents_)
    out.push_back(path);
  return out;
}

bool Project::isCurrent(const std::string &path) const {
  auto it = documents_.find(path);
  return it != documents_.end() && it->second.current;
}

std::vector<std::string> Project::importersOf(const std::string &path) const {
  std::vector<std::string> out;
  for (const auto &[other, document] : documents_)
    if (document.analysis && std::any_of(document.analysis->files.begin() + 1, document.analysis->files.end(),
                                         [&](const Analysis::File &file) { return file.path == path; }))
      out.push_back(other);
  return out;
}

sema::CheckOptions Project::checkOptions(sema::ParsedFiles &parsed) const {
  sema::CheckOptions options;
  options.importDirs = options_.importDirs;
  options.builtinDir = options_.builtinDir;
  options.parsed = &parsed;
  return options;
}

static std::vector<std::string> importsOf(const ast::Module &tree) {
  std::vector<std::string> out;
  for (const ast::DeclPtr &decl : tree.decls)
    if (decl->kind == ast::DeclKind::Import)
      out.push_back(decl->name.text);
  return out;
}

/// What a text imports, and perhaps more, without parsing it.
static std::vector<std::string> importsOf(std::string_view text, const std::vector<Word> &all) {
  std::vector<std::string> out;
  for (size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i].kind == Word::Kind::Name && text.substr(all[i].begin, all[i].end - all[i].begin) == "import" &&
        all[i + 1].kind == Word::Kind::String && all[i + 1].end - all[i + 1].begin > 2)
      out.emplace_back(text.substr(all[i + 1].begin + 1, all[i + 1].end - all[i + 1].begin - 2));
  return out;
}

static std::string folderOf(std::string_view path) { return fs::path(path).parent_path().string(); }

void Project::readFile(const std::string &path, const std::string &canonical, Known &into) {
  if (into.parsed.byPath.contains(canonical))
    return;
  FileId file;
  if (auto document = documents_.find(canonical); document != documents_.end())
    file = into.sources.addText(path, document->second.text.str());
  else if (Result<FileId> added = into.sources.addFile(path, ast::kMaxSourceBytes + 1))
    file = *added;
  if (!file)
    return; // the check says why
  Diagnostics diags(into.sources);
  std::shared_ptr<const ast::Module> tree = parseModule(file, into.sources, diags);
  for (const Diagnostic &d : diags.all())
    if (d.severity == Severity::Error)
      if (auto &[errors, first] = into.wrong[canonical]; errors++ == 0)
        first = into.sources.describe(d.range.begin) + ": " + d.message;
  into.parsed.byPath[canonical] = {file, tree};
  readImports(importsOf(*tree), folderOf(path), into);
}

void Project::readImports(const std::vector<std::string> &imports, const std::string &folder, Known &into) {
  const sema::CheckOptions options = checkOptions(into.parsed);
  for (const std::string &import : imports) {
    if (import.empty() || import.find('\0') != std::string::npos)
      continue;
    const sema::FoundImport found = sema::findImport(folder, import, options);
    if (!found.path.empty() && (&into == &builtin_) == isReadOnce(found.canonical))
      readFile(found.path, found.canonical, into);
  }
}

void Project::readAllImports(const std::vector<std::string> &imports, const std::string &folder) {
  // Built-in files that another import needs come in with it: once more, until nothing is new.
  for (std::pair<size_t, size_t> before(SIZE_MAX, 0), now; before != now;) {
    before = now;
    readImports(imports, folder, builtin_);
    if (all_) {
      std::vector<std::pair<std::vector<std::string>, std::string>> others;
      for (const auto &[path, file] : all_->parsed.byPath)
        if (!isReadOnce(path))
          others.emplace_back(importsOf(*file.tree), folderOf(all_->sources.name(file.id)));
      for (const auto &[names, from] : others)
        readImports(names, from, builtin_);
    }
    if (!all_ || builtinFiles_ != builtin_.parsed.byPath.size()) {
      all_ = std::make_unique<Known>(builtin_);
      builtinFiles_ = builtin_.parsed.byPath.size();
      const bool edited =
          std::ranges::any_of(documents_, [&](const auto &document) { return isBuiltin(document.first); });
      for (auto it = all_->parsed.byPath.begin(); edited && it != all_->parsed.byPath.end();) {
        it->second.settled = false;
        it = documents_.contains(it->first) ? all_->parsed.byPath.erase(it) : std::next(it);
      }
      if (edited)
        all_->parsed.bodies = nullptr;
    }
    readImports(imports, folder, *all_);
    for (const auto &[path, file] : builtin_.parsed.byPath) // which may import what is open
      if (all_->parsed.bodies == nullptr)
        readImports(importsOf(*file.tree), folderOf(builtin_.sources.name(file.id)), *all_);
    now = {builtin_.parsed.byPath.size(), all_->parsed.byPath.size()};
  }
}

/// The files that the document sees, and what they declare.
void Project::collect(Analysis &analysis, const sema::ParsedFiles &parsed, const sema::CheckOptions &options) const {
  std::map<std::string, uint32_t> seen{{analysis.files[0].path, 0}};
  for (uint32_t i = 0; i < analysis.files.size(); ++i) {
    const std::shared_ptr<const ast::Module> tree = analysis.files[i].tree;
    const std::string folder = folderOf(analysis.sources.name(tree->file));
    std::string dialect;
    for (const ast::DeclPtr &decl : tree->decls) {
      if (decl->kind == ast::DeclKind::Dialect) {
        dialect = decl->name.text;
        analysis.dialects.push_back(dialect);
      } else if (const auto *import = decl->as<ast::ImportDecl>()) {
        if (import->name.text.empty() || import->name.text.find('\0') != std::string::npos)
          continue;
        const sema::FoundImport found = sema::findImport(folder, import->name.text, options);
        auto known = parsed.byPath.find(found.canonical);
        if (found.path.empty() || known == parsed.byPath.end() || !known->second.tree)
          continue;
        auto [it, isNew] = seen.try_emplace(found.canonical, uint32_t(analysis.files.size()));
        if (isNew)
          analysis.files.push_back({known->second.id, found.canonical, known->second.tree, {}});
        analysis.files[i].imports.push_back(it->second);
      } else if (decl->kind != ast::DeclKind::Test && decl->kind != ast::DeclKind::Expect && !(i && decl->hidden)) {
        analysis.byName.emplace(decl->name.text, uint32_t(analysis.declared.size()));
        analysis.declared.push_back(
            {decl.get(), decl->name.text, decl->kind == ast::DeclKind::Op ? dialect : std::string(), i});
      }
    }
  }
  std::ranges::sort(analysis.dialects);
  analysis.dialects.erase(std::unique(analysis.dialects.begin(), analysis.dialects.end()), analysis.dialects.end());
}

/// Imports that cannot be parsed are said at the import: who does not look at them would wonder why names are missing.
void Project::addWrongImports(Analysis &analysis, const sema::CheckOptions &options) const {
  if (all_->wrong.empty())
    return;
  for (const ast::DeclPtr &decl : analysis.tree().decls) {
    const auto *import = decl->as<ast::ImportDecl>();
    if (!import || import->name.text.empty() || import->name.text.find('\0') != std::string::npos)
      continue;
    const sema::FoundImport found = sema::findImport(folderOf(analysis.files[0].path), import->name.text, options);
    std::vector<bool> seen(analysis.files.size());
    std::function<void(uint32_t)> look = [&](uint32_t file) {
      if (file == 0 || seen[file])
        return;
      seen[file] = true;
      auto wrong = all_->wrong.find(analysis.files[file].path);
      bool said = std::ranges::any_of(
          analysis.wrongImports, [&](const Analysis::WrongImport &w) { return w.path == analysis.files[file].path; });
      if (wrong != all_->wrong.end() && !said)
        analysis.wrongImports.push_back({import->name.range ? import->name.range : import->range, wrong->first,
                                         wrong->second.second, wrong->second.first});
      for (uint32_t next : analysis.files[file].imports)
        look(next);
    };
    auto at = std::ranges::find(analysis.files, found.canonical, &Analysis::File::path);
    if (!found.path.empty() && at != analysis.files.end())
      look(uint32_t(at - analysis.files.begin()));
  }
}

std::shared_ptr<const Analysis> Project::analyseWords(const std::string &path) const {
  auto document = documents_.find(path);
  if (document == documents_.end() || !document->second.analysis)
    return nullptr;
  const Analysis &known = *document->second.analysis;
  auto out = std::make_shared<Analysis>(known.sources);
  out->text = document->second.text;
  out->words = words(out->text.str());
  out->files = known.files;
  out->declared = known.declared;
  out->byName = known.byName;
  out->dialects = known.dialects;
  return out;
}

std::shared_ptr<Analysis> Project::check(const std::string &path, std::string text, bool namesOnly) {
  std::vector<Word> allWords = words(text);
  readAllImports(importsOf(text, allWords), folderOf(path));

  auto analysis = std::make_shared<Analysis>(all_->sources);
  sema::ParsedFiles parsed = all_->parsed;
  parsed.byPath.erase(path); // as an import it would be what it was
  sema::CheckOptions options = checkOptions(parsed);
  FileId file = analysis->sources.addText(path, text);
  if (!file)
    return nullptr;
  Diagnostics ofImports(analysis->sources);
  options.parse = [&](FileId other) { return parseModule(other, analysis->sources, ofImports); };
  options.warnOfUnnamed = true;
  std::shared_ptr<const ast::Module> tree = parseModule(file, analysis->sources, analysis->diags);
  analysis->text = Text(std::move(text));
  analysis->words = std::move(allWords);
  analysis->files.push_back({file, path, tree, {}});
  analysis->readable = !analysis->diags.hasErrors();
  if (!namesOnly)
    analysis->module = sema::check(*tree, options, analysis->sources, analysis->diags);
  collect(*analysis, parsed, options);
  addWrongImports(*analysis, options);
  // What built-in files came to need not be checked again with the next keystroke.
  if (analysis->module && !analysis->diags.hasErrors() && all_->parsed.bodies) {
    builtin_.parsed.settle(*analysis->module);
    for (auto &[name, known] : builtin_.parsed.byPath)
      if (auto it = all_->parsed.byPath.find(name); it != all_->parsed.byPath.end())
        it->second.settled = known.settled;
  }
  return analysis;
}

std::shared_ptr<const Analysis> Project::analyse(const std::string &path, bool namesOnly) {
  auto document = documents_.find(path);
  if (document == documents_.end()) {
    SourceManager one;
    Result<FileId> file = one.addFile(path, ast::kMaxSourceBytes + 1);
    return file ? check(path, std::string(one.text(*file)), namesOnly) : nullptr;
  }
  if (!document->second.current) {
    std::shared_ptr<const Analysis> analysis = check(path, document->second.text.str());
    if (!analysis)
      return nullptr;
    document->second.analysis = std::move(analysis);
    document->second.current = true;
  }
  return document->second.analysis;
}

} // namespace rw::editor
