#include "rw/load/load_patterns.h"

#include "codegen/interpret/compiler.h"
#include "codegen/machine/loaded_unit.h"
#include "codegen/plan/line_of.h"
#include "frontend/parse/parse.h"
#include "frontend/sema/check.h"
#include "rw/support/output_files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rw {

namespace {

/// Checked files with the code of what they add.
struct Loaded {
  std::unique_ptr<sema::Module> module;
  interpret::Unit unit;
  LoadedPatterns names;
};

/// Whether the registry has a declaration of an imported file already: compiled into the program, or loaded before.
bool isThere(const sema::Op &op, const Registry &registry) {
  return (op.since ? registry.ops.lookup(op.fullName(), int(op.since)) : registry.ops.lookup(op.fullName())) != kOpaqueKind;
}

std::string_view baseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool isThere(const sema::Decl &pattern, const SourceManager &sources, const Registry &registry) {
  std::string_view file = baseName(sources.name(pattern.file));
  return std::ranges::any_of(registry.patterns.all(), [&](const PatternEntry &entry) {
    return entry.info.name == pattern.name && entry.info.file == file;
  });
}

/// `imported`: files that came along with others before.
std::optional<Loaded> load(const PatternSource &source, const LoadOptions &options, SourceManager &sources, const Registry &registry,
                           sema::ParsedFiles &parsed, const std::set<uint32_t> &imported, Diagnostics &diags) {
  size_t errors = diags.errorCount();
  sema::CheckOptions check;
  check.importDirs = options.importDirs;
  check.builtinDir = builtinPatternDir();
  auto isKnown = [](auto &to, auto &&names) { to.insert(to.end(), names.begin(), names.end()); };
  isKnown(check.externalPasses, registry.passNames());
  isKnown(check.externalPasses, registry.pipelineNames());
  for (const PatternEntry &pattern : registry.patterns.all())
    isKnown(check.externalLabels, pattern.info.labels);
  check.parsed = &parsed;
  check.wholeImports = options.wholeImports;
  check.parse = [&](FileId f) { return parseModule(f, sources, diags); };
  std::shared_ptr<const ast::Module> tree;
  if (source.text) {
    FileId file = sources.addText(source.path, *source.text);
    if (!file) {
      diags.errorInFile("too-large", source.path, "the text is too large");
      return std::nullopt;
    }
    tree = check.parse(file);
  } else {
    std::string reason;
    tree = sema::parseRoot(source.path, check, sources, reason);
    if (!tree) {
      diags.errorInFile("cannot-read", source.path, "cannot be read: " + reason);
      return std::nullopt;
    }
  }
  std::unique_ptr<sema::Module> module = sema::check(*tree, check, sources, diags);
  if (diags.errorCount() != errors)
    return std::nullopt;

  // What the root's passes and ops name of its imports comes along, and of the root what has not come along already.
  const bool isNew = !imported.contains(tree->file.index);
  std::vector<bool> needed(module->patterns.size());
  auto need = [&](sema::PatternIndex p) {
    needed[p.raw] = (isNew && !module->pattern(p).imported) || !isThere(module->pattern(p), sources, registry);
  };
  for (uint32_t i = 0; i < needed.size(); ++i)
    if (!module->patterns[i].meaningOf && (!module->patterns[i].imported || options.wholeImports))
      need({i});
  for (const sema::Pass &pass : module->passes)
    if (!pass.imported)
      for (const sema::Pass::Member &m : pass.members)
        if (m.pattern)
          need(m.pattern);
  for (const sema::Op &op : module->ops)
    if ((isNew && !op.imported) || !isThere(op, registry)) {
      for (sema::PatternIndex p : op.canonicalize)
        need(p);
      for (sema::PatternIndex p : op.means)
        needed[p.raw] = true;
    }
  plan::Module plans = plan::buildPlans(*module, sources, diags, [&](sema::PatternIndex p) { return bool(needed[p.raw]); });
  if (diags.errorCount() != errors)
    return std::nullopt;
  interpret::CompileOptions compile;
  compile.wantsOp = [&](const sema::Op &op) { return (isNew && !op.imported) || !isThere(op, registry); };
  compile.wantsImports = options.wholeImports;
  Loaded out{nullptr, interpret::compile(plans, sources, compile, diags), {}};
  if (diags.errorCount() != errors)
    return std::nullopt;
  const std::string file(baseName(sources.name(tree->file))); // as the code has it: of a file with several names, the first
  for (const sema::Pattern &p : module->patterns)
    if (!p.imported && !p.meaningOf)
      out.names.patterns.emplace_back(p.name, file, plan::lineOf(sources, p.nameRange));
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
      diags.errorInFile("duplicate-domain", op.file,
                        fmt::format("other formats call the dialect `{}` of this program `{}`, too: no op of a model would be of `{}`",
                                    other.dialect, op.domain, op.dialect))
          .note(fmt::format("dialects of one name are one: write `dialect {} \"{}\";`", other.dialect, op.domain));
    else
      diags.errorInFile("duplicate-domain", op.file,
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
    diags.errorInFile("duplicate-op", op.file, fmt::format("there is an op `{}` already, in this program or a file loaded before", name))
        .note(whereOf(registry.ops.schema(kind)) + "import the file that declares it, or give yours another dialect");
    good = false;
  }
  return good;
}
} // namespace

std::optional<LoadedPatterns> loadPatterns(const std::vector<PatternSource> &files, const LoadOptions &options, SourceManager &sources,
                                           Registry &registry, Diagnostics &diags) {
  Registry extended = registry; // what was loaded before a file that is wrong must not stay
  sema::ParsedFiles parsed;
  LoadedPatterns all;
  all.firstTest = registry.tests().size();
  bool good = true;
  std::vector<const PatternSource *> seen;
  std::set<uint32_t> imported;
  for (const PatternSource &file : files) {
    auto isOne = [&](const PatternSource *other) { return !file.text && !other->text && isSameFile(file.path, other->path); };
    if (std::ranges::any_of(seen, isOne)) // under another name: a link, another way to it
      continue;
    seen.push_back(&file);
    std::optional<Loaded> loaded = load(file, options, sources, extended, parsed, imported, diags);
    if (!loaded || !opsAreNew(loaded->unit, extended, diags)) {
      good = false;
      continue;
    }
    interpret::registerUnit(std::move(loaded->unit), extended);
    for (const sema::File &each : loaded->module->files)
      imported.insert(each.id.index);
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

std::string builtinPatternDir() {
  // share/rw/patterns stands beside bin/ in an installation and in a build folder alike.
  static const char here = 0;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, const_cast<char *>(&here));
  llvm::SmallString<256> dir(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(dir, "share", "rw", "patterns");
  llvm::SmallString<256> real; // a build folder has a link
  return llvm::sys::fs::is_directory(dir) && !llvm::sys::fs::real_path(dir, real) ? std::string(real) : std::string();
}

} // namespace rw
