// The phases of a check, in their order.
#include "frontend/check/check_context.h"
#include "frontend/check/checked_bodies.h"
#include "frontend/check/declare.h"
#include "frontend/check/deferred.h"
#include "frontend/check/functions.h"
#include "frontend/check/imports.h"
#include "frontend/check/items.h"
#include "frontend/check/lint_pattern_pairs.h"
#include "frontend/check/meanings.h"
#include "frontend/check/passes.h"
#include "frontend/check/same_types.h"

#include <set>

namespace rw::sema {

/// Patterns that run where only this file is loaded: its own, and what its passes and ops name of its imports. What an
/// imported op means counts, too: it is where the op's type comes from.
static std::vector<PatternIndex> usedPatterns(const CheckContext &c) {
  std::vector<bool> used(c.module.patterns.size());
  for (uint32_t i = 0; i < used.size(); ++i)
    used[i] = !c.module.patterns[i].imported || c.module.patterns[i].meaningOf || c.options.wholeImports;
  for (const Pass &pass : c.module.passes)
    for (const Pass::Member &member : pass.members)
      if (member.pattern && !pass.imported)
        used[member.pattern.raw] = true;
  for (const Op &op : c.module.ops)
    for (PatternIndex pattern : op.canonicalize)
      used[pattern.raw] = true;
  std::vector<PatternIndex> out;
  for (uint32_t i = 0; i < used.size(); ++i)
    if (used[i])
      out.push_back(PatternIndex(i));
  return out;
}

static void checkModule(CheckContext &c, const ast::Module &root) {
  std::vector<uint32_t> stack;
  const std::string canonical = canonicalPath(std::string(c.sources.name(root.file)), c.options);
  c.trusted = isTrusted(canonical, c.options);
  loadFile(c, root, canonical, c.trusted && isSettled(c, canonical) ? Trust::Settled : Trust::None, stack);
  declareAll(c);
  noteDeferred(c);
  for (DeclItem &item : c.items)
    if (!item.deferred)
      checkItem(c, item);
  while (!c.wanted.empty()) {
    DeclItem &item = c.items[c.wanted.back()];
    c.wanted.pop_back();
    checkItem(c, item);
  }
  c.imported = false;
  reportRecursion(c);
  checkMeanings(c);
  // What a syntax error of an import hid may have left patterns unfinished, without a word: an editor keeps what is
  // wrong in imports elsewhere.
  auto isWhole = [&] { return !c.diags.hasErrors() && c.damaged.empty(); };
  if (isWhole()) // what functions and ops of imports say is known by now
    proveTypes(c, usedPatterns(c));
  if (isWhole() && !c.trusted)
    lintPatterns(c);
  if (isWhole() && c.options.warnOfUnnamed && !c.trusted)
    reportUnnamed(c);
}

std::unique_ptr<Module> check(const ast::Module &root, const CheckOptions &options, SourceManager &sources,
                              Diagnostics &diags) {
  auto module = std::make_unique<Module>();
  CheckContext c(*module, options, sources, diags);
  checkModule(c, root);
  return module;
}

std::shared_ptr<CheckedBodies> keepBodies() { return std::make_shared<CheckedBodies>(); }

void ParsedFiles::settle(const Module &module) {
  std::set<uint32_t> files;
  for (const sema::File &file : module.files)
    files.insert(file.id.raw);
  for (auto &[path, file] : byPath)
    if (files.contains(file.id.raw))
      file.settled = true;
}

} // namespace rw::sema
