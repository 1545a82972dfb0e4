#include "codegen/load/files_ahead.h"

#include "frontend/parse/parse.h"

#include "llvm/Support/Path.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace rw {

namespace {

/// Below this many bytes a thread costs more than it saves.
constexpr size_t kWorthThreads = 8 << 10;

/// What a file gives a name to that files behind it may use without importing it.
struct Names {
  std::vector<std::string> passes, labels;
};

Names namesOf(const ast::Module &tree) {
  Names out;
  for (const ast::DeclPtr &decl : tree.decls) {
    if (decl->kind == ast::DeclKind::Pass || decl->kind == ast::DeclKind::Conversion ||
        decl->kind == ast::DeclKind::Pipeline)
      out.passes.push_back(decl->name.text);
    else if (const auto *pattern = decl->as<ast::PatternDecl>())
      for (const ast::Name &label : pattern->labels)
        if (std::ranges::find(out.labels, label.text) == out.labels.end())
          out.labels.push_back(label.text);
  }
  return out;
}

template <class F>
void forEachImport(const ast::Module &tree, const sema::CheckOptions &options, const SourceManager &sources,
                   const F &f) {
  const std::string folder(llvm::sys::path::parent_path(sources.name(tree.file)));
  for (const ast::DeclPtr &decl : tree.decls)
    if (const auto *import = decl->as<ast::ImportDecl>();
        import && !import->name.text.empty() && import->name.text.find('\0') == std::string::npos)
      if (sema::FoundImport found = sema::findImport(folder, import->name.text, options); !found.path.empty())
        f(found);
}

/// Adds a file and what it imports to what is settled; false if one of them has no tree: there is something wrong with
/// it.
bool settle(const std::string &file, const sema::CheckOptions &options, const SourceManager &sources,
            std::set<std::string> &settled, std::vector<std::string> &added) {
  std::vector<std::string> left = {file};
  while (!left.empty()) {
    std::string at = std::move(left.back());
    left.pop_back();
    if (!settled.insert(at).second)
      continue;
    auto there = options.parsed->byPath.find(at);
    if (there == options.parsed->byPath.end() || !there->second.tree)
      return false;
    forEachImport(*there->second.tree, options, sources,
                  [&](const sema::FoundImport &found) { left.push_back(found.canonical); });
    added.push_back(std::move(at));
  }
  return true;
}

} // namespace

/// A file that is checked, and what is settled (check.h) once it is: itself and what it imports, unless a file before
/// settled it.
struct FilesAhead::Root {
  std::shared_ptr<const ast::Module> tree;
  Names names;
  std::vector<std::string> settles;
  std::unique_ptr<sema::Module> module;
  std::atomic<bool> done{false};
};

/// Checks files, in growing order, on one thread. A file's module is what it would be if those before it were loaded by
/// then.
class FilesAhead::Checker {
public:
  Checker(const std::vector<Root> &roots, const sema::CheckOptions &options, const SourceManager &sources)
      : roots_(roots), sources_(sources), parsed_(*options.parsed), options_(options) {
    options_.parsed = &parsed_;
    options_.parse = [](FileId) { return nullptr; }; // what has no tree by now is wrong
  }
  Checker(const Checker &) = delete;

  std::unique_ptr<sema::Module> operator()(size_t i) {
    for (; known_ < i; ++known_) {
      const auto &[passes, labels] = roots_[known_].names;
      options_.externalPasses.insert(options_.externalPasses.end(), passes.begin(), passes.end());
      options_.externalLabels.insert(options_.externalLabels.end(), labels.begin(), labels.end());
      for (const std::string &file : roots_[known_].settles)
        parsed_.byPath[file].settled = true;
    }
    const size_t files = sources_.fileCount();
    Diagnostics diags(sources_);
    std::unique_ptr<sema::Module> module = sema::check(*roots_[i].tree, options_, sources_, diags);
    return diags.all().empty() && sources_.fileCount() == files ? std::move(module) : nullptr;
  }

private:
  const std::vector<Root> &roots_;
  SourceManager sources_; // these are the thread's own
  sema::ParsedFiles parsed_;
  sema::CheckOptions options_;
  size_t known_ = 0; // the files before: their names are among the options, and they are settled
};

FilesAhead::FilesAhead(unsigned threads) : threads_(threads) {}
FilesAhead::~FilesAhead() { next_ = roots_.size(); }

bool FilesAhead::checkNext(Checker &checker) {
  const size_t i = next_++;
  if (i >= roots_.size())
    return false;
  roots_[i].module = checker(i);
  roots_[i].done.store(true, std::memory_order_release);
  roots_[i].done.notify_all();
  return true;
}

namespace {

/// The paths that a text imports, as far as lines that begin with `import` tell. What stands otherwise is found when
/// the file is checked.
std::vector<std::string> importsOf(std::string_view text) {
  constexpr std::string_view kImport = "import";
  std::vector<std::string> out;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    while (line.starts_with(kImport)) {
      size_t open = line.find_first_not_of(" \t", kImport.size());
      if (open == line.npos || line[open] != '"')
        break;
      const size_t close = line.find('"', open + 1);
      if (close == line.npos)
        break;
      if (std::string path(line.substr(open + 1, close - open - 1));
          !path.empty() && path.find('\\') == path.npos && path.find('\0') == path.npos)
        out.push_back(std::move(path));
      line.remove_prefix(std::min(line.find_first_not_of("; \t", close + 1), line.size())); // several stand on one line
    }
  }
  return out;
}

/// Reads files and what they import, in the order in which they are asked for where nothing is read ahead: messages are
/// sorted by it.
class Reader {
public:
  Reader(const sema::CheckOptions &options, SourceManager &sources) : options_(options), sources_(sources) {}

  void read(const std::string &path, const std::string &canonical, unsigned depth = 0) {
    if (depth > kDeep || options_.parsed->byPath.contains(canonical))
      return;
    const Result<FileId> file = sources_.addFile(path, ast::kMaxSourceBytes + 1);
    if (!file)
      return; // the check says why
    options_.parsed->byPath[canonical] = {*file, nullptr};
    canonical_.push_back(canonical);
    files_.push_back(*file);
    const std::string folder(llvm::sys::path::parent_path(path));
    for (const std::string &import : importsOf(sources_.text(*file)))
      if (sema::FoundImport found = sema::findImport(folder, import, options_); !found.path.empty())
        read(found.path, found.canonical, depth + 1);
  }
  const std::vector<std::string> &canonical() const { return canonical_; }
  const std::vector<FileId> &files() const { return files_; }

private:
  static constexpr unsigned kDeep = 100; // imports are not nested deeper (imports.cpp)
  const sema::CheckOptions &options_;
  SourceManager &sources_;
  std::vector<std::string> canonical_;
  std::vector<FileId> files_;
};

} // namespace

void FilesAhead::parse(const std::vector<std::string> &paths, const sema::CheckOptions &options,
                       SourceManager &sources) {
  if (threads_ < 2)
    return;
  Reader reader(options, sources);
  for (const std::string &path : paths)
    reader.read(path, sema::canonicalPath(path, options));
  const std::vector<FileId> &files = reader.files();
  size_t bytes = 0;
  for (FileId file : files)
    bytes += sources.text(file).size();
  std::vector<std::shared_ptr<const ast::Module>> trees(files.size());
  std::atomic<size_t> next{0};
  auto work = [&](SourceManager own) {
    for (size_t i; (i = next++) < files.size();) {
      Diagnostics diags(own);
      const unsigned threads = files.size() == 1 ? threads_ : 1;
      std::shared_ptr<const ast::Module> tree =
          parseModule(files[i], own, diags, threads, !sema::isTrusted(reader.canonical()[i], options));
      if (diags.all().empty())
        trees[i] = std::move(tree);
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < std::min<size_t>(threads_, files.size()) && bytes >= kWorthThreads; ++i)
      others.emplace_back(work, sources);
    work(sources);
  }
  for (size_t i = 0; i < files.size(); ++i)
    options.parsed->byPath[reader.canonical()[i]].tree = std::move(trees[i]);
}

void FilesAhead::startChecks(const std::vector<std::string> &paths, const sema::CheckOptions &options,
                             const SourceManager &sources) {
  if (threads_ < 2 || paths.size() < 2)
    return;
  std::set<std::string> settled;
  std::vector<Root> roots(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string canonical = sema::canonicalPath(paths[i], options);
    if (!settle(canonical, options, sources, settled, roots[i].settles))
      return;
    roots[i].tree = options.parsed->byPath[canonical].tree;
    roots[i].names = namesOf(*roots[i].tree);
    rootOf_.emplace(paths[i], i);
  }
  roots_.swap(roots);
  own_ = std::make_unique<Checker>(roots_, options, sources);
  for (size_t i = 1; i < std::min<size_t>(threads_, paths.size()); ++i)
    others_.emplace_back([this, checker = std::make_unique<Checker>(roots_, options, sources)] {
      while (checkNext(*checker)) {
      }
    });
}

std::unique_ptr<sema::Module> FilesAhead::takeModule(const std::string &path) {
  auto found = rootOf_.find(path);
  if (roots_.empty() || found == rootOf_.end())
    return nullptr;
  Root &root = roots_[found->second];
  while (!root.done.load(std::memory_order_acquire) && checkNext(*own_)) {
  }
  root.done.wait(false, std::memory_order_acquire);
  return std::move(root.module);
}

} // namespace rw
