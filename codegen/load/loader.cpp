#include "rw/load/load_patterns.h"

#include "codegen/interpret/compiler.h"
#include "codegen/load/files_ahead.h"
#include "codegen/load/plans_ahead.h"
#include "codegen/machine/loaded_unit.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <map>
#include <set>
#include <thread>

namespace rw {

namespace {

/// Checked files with the code of what they add.
struct Loaded {
  std::unique_ptr<sema::Module> module;
  interpret::Unit unit;
  LoadedPatterns names;
  // by pattern of the module: whether the file needs it, be it that a file before brought it along
  std::vector<bool> runs;
};

/// Whether the registry has a declaration of an imported file already: compiled into the program, or loaded before.
bool isThere(const sema::Op &op, const Registry &registry) {
  return (op.since ? registry.ops.lookup(op.fullName(), int(op.since)) : registry.ops.lookup(op.fullName())) !=
         kOpaqueKind;
}

std::string_view baseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool isThere(const sema::Decl &pattern, const SourceManager &sources, const Registry &registry) {
  std::string_view file = baseName(sources.name(pattern.file));
  return std::ranges::any_of(registry.patterns.all(), [&](const PatternEntry &entry) {
    return entry.info.name == pattern.name && entry.info.file == file;
  });
}

/// How files are parsed and, with addNames(), checked. Refers to its arguments.
sema::CheckOptions checkOptions(const LoadOptions &options, const SourceManager &sources, sema::ParsedFiles &parsed,
                                Diagnostics &diags) {
  sema::CheckOptions check;
  check.importDirs = options.importDirs;
  check.builtinDir = builtinPatternDir();
  check.parsed = &parsed;
  check.wholeImports = options.wholeImports;
  check.trustBuiltin = !options.builtinTests;
  sema::CheckOptions paths = check; // what tells where a file lies
  check.parse = [&, paths = std::move(paths)](FileId f) {
    return parseModule(f, sources, diags, 1, !isTrusted(canonicalPath(std::string(sources.name(f)), paths), paths));
  };
  return check;
}

/// What files may name where the registry has what it has.
class KnownNames {
public:
  void add(const Registry &registry, sema::CheckOptions &check) {
    auto isKnown = [](auto &to, auto &&names) { to.insert(to.end(), names.begin(), names.end()); };
    isKnown(check.externalPasses, registry.passNames());
    isKnown(check.externalPasses, registry.pipelineNames());
    const auto &patterns = registry.patterns.all();
    for (; seen_ < patterns.size(); ++seen_)
      for (std::string_view label : patterns[seen_].info.labels)
        if (!labels_.contains(label)) // most patterns share one with others
          labels_.emplace(label);
    isKnown(check.externalLabels, labels_);
  }

private:
  size_t seen_ = 0; // patterns, which are only ever added
  std::set<std::string, std::less<>> labels_;
};

/// So many patterns are worth a thread.
constexpr size_t kManyPatterns = 64;

/// Plans the patterns and writes their code. With `threads`, one plans while this one writes.
std::optional<interpret::Unit> codeOf(const sema::Module &module, const std::vector<bool> &needed,
                                      const interpret::CompileOptions &options, bool threads,
                                      const SourceManager &sources, Diagnostics &diags) {
  std::vector<sema::PatternIndex> patterns;
  for (uint32_t i = 0; i < needed.size(); ++i)
    if (needed[i])
      patterns.push_back(sema::PatternIndex(i));
  Diagnostics unread(sources);
  if (threads && patterns.size() >= kManyPatterns) {
    PlansAhead plans(module, std::move(patterns), sources);
    interpret::Unit unit = interpret::compile(
        module, [&] { return plans.next(); }, sources, options, unread);
    if (plans.complete() && unread.all().empty())
      return unit;
  } else {
    // One after the other: all plans at once would take more memory than all that is kept, and new pages cost more than
    // plans.
    std::optional<plan::MatchPlan> plan;
    size_t next = 0;
    interpret::Unit unit = interpret::compile(
        module,
        [&]() -> const plan::MatchPlan * {
          plan.reset();
          if (next < patterns.size())
            plan = plan::buildPlan(module, patterns[next++], sources, unread);
          return plan ? &*plan : nullptr;
        },
        sources, options, unread);
    if (unread.all().empty())
      return unit;
  }
  // Something is wrong: all plans are made before any code is, so that messages come in their order.
  size_t errors = diags.errorCount();
  plan::Module plans =
      plan::buildPlans(module, sources, diags, [&](sema::PatternIndex p) { return bool(needed[p.raw]); });
  if (diags.errorCount() != errors)
    return std::nullopt;
  interpret::Unit unit = interpret::compile(plans, sources, options, diags);
  return diags.errorCount() != errors ? std::nullopt : std::optional(std::move(unit));
}

/// `imported`: files that came along with others before. `allGood`: whether no file before was wrong.
std::optional<Loaded> load(const PatternSource &source, const LoadOptions &options, unsigned threads, FilesAhead &ahead,
                           KnownNames &names, SourceManager &sources, const Registry &registry,
                           sema::ParsedFiles &parsed, const llvm::DenseSet<uint32_t> &imported, bool allGood,
                           Diagnostics &diags) {
  size_t errors = diags.errorCount();
  sema::CheckOptions check = checkOptions(options, sources, parsed, diags);
  std::shared_ptr<const ast::Module> tree;
  if (source.text) {
    FileId file = sources.addText(source.path, *source.text);
    if (!file) {
      diags.errorInFile("too-large", source.path, "the text is too large");
      return std::nullopt;
    }
    tree = check.parse(file);
  } else {
    Result<std::shared_ptr<const ast::Module>> root = sema::parseRoot(source.path, check, sources);
    if (!root) {
      diags.errorInFile("cannot-read", source.path, "cannot be read: " + root.error());
      return std::nullopt;
    }
    tree = *std::move(root);
  }
  // One that was checked ahead counts on the files before it.
  std::unique_ptr<sema::Module> module = source.text ? nullptr : ahead.takeModule(source.path);
  if (!allGood)
    module.reset();
  if (!module) {
    names.add(registry, check);
    check.threads = threads;
    module = sema::check(*tree, check, sources, diags);
  }
  if (diags.errorCount() != errors)
    return std::nullopt;

  // What the root's passes and ops name of its imports comes along, and of the root what has not come along already.
  const bool isNew = !imported.contains(tree->file.raw);
  std::vector<bool> needed(module->patterns.size()), runs(module->patterns.size());
  auto need = [&](sema::PatternIndex p) {
    runs[p.raw] = true;
    needed[p.raw] = (isNew && !module->pattern(p).imported) || !isThere(module->pattern(p), sources, registry);
  };
  for (uint32_t i = 0; i < needed.size(); ++i)
    if (!module->patterns[i].meaningOf && (!module->patterns[i].imported || options.wholeImports))
      need(sema::PatternIndex(i));
  for (const sema::Pass &pass : module->passes)
    if (!pass.imported)
      for (const sema::Pass::Member &m : pass.members)
        if (m.pattern)
          need(m.pattern);
  std::vector<bool> wantsOp(module->ops.size());
  for (uint32_t i = 0; i < wantsOp.size(); ++i) {
    const sema::Op &op = module->ops[i];
    // What came along with another file is there: most files import the same few hundred ops.
    wantsOp[i] =
        op.imported ? !imported.contains(op.file.raw) && !isThere(op, registry) : isNew || !isThere(op, registry);
    if (!wantsOp[i])
      continue;
    for (sema::PatternIndex p : op.canonicalize)
      need(p);
    for (sema::PatternIndex p : op.means)
      needed[p.raw] = true;
  }
  interpret::CompileOptions compile;
  compile.wantsOp = [&](const sema::Op &op) { return wantsOp[size_t(&op - module->ops.data())]; };
  compile.wantsImports = options.wholeImports;
  compile.skipNatives = options.skipNatives;
  std::optional<interpret::Unit> unit = codeOf(*module, needed, compile, threads > 1, sources, diags);
  if (!unit)
    return std::nullopt;
  Loaded out{nullptr, std::move(*unit), {}, std::move(runs)};
  // as the code has it: of a file with several names, the first
  const std::string file(baseName(sources.name(tree->file)));
  for (const sema::Pattern &p : module->patterns)
    if (!p.imported && !p.meaningOf)
      out.names.patterns.emplace_back(p.name, file, sources.line(p.nameRange.begin));
  for (const sema::Pass &p : module->passes)
    if (!p.imported)
      out.names.passes.push_back(p.name);
  for (const sema::Pipeline &p : module->pipelines)
    if (!p.imported)
      out.names.pipelines.push_back(p.name);
  out.module = std::move(module);
  return out;
}

/// A dialect and its name in other formats go together: an op of a model has one meaning.
bool domainIsNew(const interpret::OpCode &op, const Registry &registry, Diagnostics &diags) {
  for (uint32_t i = 0; i < registry.ops.size(); ++i) {
    const OpSchema &other = registry.ops.schema(KindId{uint16_t(i)});
    if (other.domain.empty() || (other.domain == op.domain) == (other.dialect == op.dialect))
      continue;
    if (other.domain == op.domain)
      diags
          .errorInFile(
              "duplicate-domain", op.file,
              fmt::format(
                  "other formats call the dialect `{}` of this program `{}`, too: no op of a model would be of `{}`",
                  other.dialect, op.domain, op.dialect))
          .note(fmt::format("dialects of one name are one: write `dialect {} \"{}\";`", other.dialect, op.domain));
    else
      diags
          .errorInFile(
              "duplicate-domain", op.file,
              fmt::format("other formats call the dialect `{}` `{}`, not `{}`, in this program or a file loaded before",
                          op.dialect, other.domain, op.domain))
          .note("give yours another name, or that name in other formats");
    return false;
  }
  return true;
}

/// In words, with a `: ` behind it; empty of an op that no file declares.
std::string whereOf(const OpSchema &schema) {
  return schema.file.empty() ? "" : fmt::format("the other one is declared in {}: ", schema.file);
}

/// Ops that the registry has under the same name already: a file cannot say something else of them.
bool opsAreNew(const interpret::Unit &unit, const Registry &registry, Diagnostics &diags) {
  bool good = true;
  std::set<std::pair<std::string, std::string>> seen;
  for (const interpret::OpCode &op : unit.ops) {
    if (!op.domain.empty() && seen.emplace(op.dialect, op.domain).second)
      good &= domainIsNew(op, registry, diags);
    std::string name = op.dialect + "." + op.name;
    KindId kind = op.since ? registry.ops.lookup(name, int(op.since)) : registry.ops.lookup(name);
    if (kind == kOpaqueKind)
      continue;
    diags
        .errorInFile("duplicate-op", op.file,
                     fmt::format("there is an op `{}` already, in this program or a file loaded before", name))
        .note(whereOf(registry.ops.schema(kind)) + "import the file that declares it, or give yours another dialect");
    good = false;
  }
  return good;
}
/// What of the files of one call is registered, by full name: the name of the file without its folder, and the
/// declaration's own.
class FullNames {
public:
  /// False after a report.
  bool add(const Loaded &loaded, bool wholeImports, const SourceManager &sources, Diagnostics &diags) {
    const sema::Module &module = *loaded.module;
    bool good = true;
    auto each = [&](std::string_view kind, const sema::Decl &decl) {
      const std::string_view file = baseName(sources.name(decl.file));
      auto [first, isNew] = declared_.try_emplace({std::string(kind), std::string(file), decl.name}, decl.nameRange);
      if (isNew || sources.fileOf(first->second.begin) == decl.file) // twice in one file was told
        return;
      diags
          .error("same-full-name", decl.nameRange,
                 fmt::format("the {} `{}` of another file called {} has the same full name", kind, decl.name, file))
          .note(first->second, "it is declared here")
          .note("a full name is made of the file's name, without its folder, and the declaration's: rename one of the "
                "files");
      good = false;
    };
    for (uint32_t i = 0; i < module.patterns.size(); ++i)
      if (loaded.runs[i] && !module.patterns[i].meaningOf)
        each("pattern", module.patterns[i]);
    for (const sema::Pass &p : module.passes)
      if (!p.imported || wholeImports)
        each("pass", p);
    for (const sema::Pipeline &p : module.pipelines)
      if (!p.imported || wholeImports)
        each("pipeline", p);
    return good;
  }

private:
  std::map<std::array<std::string, 3>, SourceRange> declared_;
};

} // namespace

std::optional<LoadedPatterns> loadPatterns(const std::vector<PatternSource> &files, const LoadOptions &options,
                                           SourceManager &sources, Registry &registry, Diagnostics &diags) {
  Registry extended = registry; // what was loaded before a file that is wrong must not stay
  sema::ParsedFiles parsed;
  if (files.size() > 1)
    parsed.bodies = sema::keepBodies();
  LoadedPatterns all;
  all.firstTest = registry.tests().size();
  bool good = true;
  const unsigned threads = options.threads ? options.threads : std::min(std::thread::hardware_concurrency(), 4u);
  FilesAhead ahead(threads);
  KnownNames names;
  if (!options.wholeImports) { // else a file that comes along with another is checked with it
    std::vector<std::string> paths;
    for (const PatternSource &file : files)
      if (!file.text && file.path != "-")
        paths.push_back(file.path);
    sema::CheckOptions check = checkOptions(options, sources, parsed, diags);
    names.add(extended, check);
    ahead.parse(paths, check, sources);
    if (paths.size() == files.size()) // else what a text brings along counts, too
      ahead.startChecks(paths, check, sources);
  }
  std::set<llvm::sys::fs::UniqueID> seen;
  llvm::DenseSet<uint32_t> imported;
  FullNames fullNames;
  for (const PatternSource &file : files) {
    llvm::sys::fs::UniqueID id;
    // under another name: a link, another way to it
    if (!file.text && !llvm::sys::fs::getUniqueID(file.path, id) && !seen.insert(id).second)
      continue;
    std::optional<Loaded> loaded =
        load(file, options, threads, ahead, names, sources, extended, parsed, imported, good, diags);
    if (!loaded || !fullNames.add(*loaded, options.wholeImports, sources, diags) ||
        !opsAreNew(loaded->unit, extended, diags)) {
      good = false;
      continue;
    }
    interpret::registerUnit(std::move(loaded->unit), extended);
    for (const sema::File &each : loaded->module->files)
      imported.insert(each.id.raw);
    if (!options.wholeImports) // else patterns of imports are registered by the first file that comes to them
      parsed.settle(*loaded->module);
    auto append = [](auto &to, auto &from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(all.patterns, loaded->names.patterns);
    append(all.passes, loaded->names.passes);
    append(all.pipelines, loaded->names.pipelines);
  }
  if (!good)
    return std::nullopt;
  registry = std::move(extended);
  return all;
}

/// The folder beside the one that a file lies in, or an empty text.
static std::string patternsBeside(const std::string &program) {
  llvm::SmallString<256> dir(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(dir, "share", "rw", "patterns");
  llvm::SmallString<256> real; // a build folder has a link
  return llvm::sys::fs::is_directory(dir) && !llvm::sys::fs::real_path(dir, real) ? std::string(real) : std::string();
}

/// Asks the file system.
static std::string findBuiltinPatternDir() {
  // share/rw/patterns stands beside bin/ in an installation and in a build folder alike, and beside the folder of a
  // shared library that this is a part of.
  static const char here = 0;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, const_cast<char *>(&here));
  Dl_info object;
  if (dladdr(&here, &object) && object.dli_fname && llvm::sys::path::is_absolute(object.dli_fname) &&
      object.dli_fname != program)
    if (std::string dir = patternsBeside(object.dli_fname); !dir.empty())
      return dir;
  return patternsBeside(program);
}

std::string builtinPatternDir() {
  static const std::string dir = findBuiltinPatternDir();
  return dir;
}

} // namespace rw
