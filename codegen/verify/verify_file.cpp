#include "codegen/verify/verify_file.h"

#include "codegen/plan/plan.h"
#include "codegen/verify/answer_cache.h"
#include "frontend/parse/parse.h"
#include "frontend/sema/check.h"
#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/greedy_driver.h"

namespace rw::verify {

std::optional<unsigned> verifyFile(const FileToVerify &file, SourceManager &sources, Diagnostics &diags,
                                   const std::function<bool(const Answer &)> &answered) {
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  const LoadOptions load{.importDirs = file.importDirs, .wholeImports = true, .skipNatives = true};
  if (!loadPatterns({{file.path, file.text}}, load, sources, registry, diags) || diags.hasErrors())
    return std::nullopt;
  // Read once more, for the conditions as they are written: its warnings would be the same.
  SourceManager own;
  Diagnostics unread(own);
  std::unique_ptr<ast::Module> tree = parseModule(own.addText(file.path, file.text), own, unread);
  sema::CheckOptions check;
  check.importDirs = file.importDirs;
  check.builtinDir = builtinPatternDir();
  check.parse = [&](FileId f) { return parseModule(f, own, unread); };
  std::unique_ptr<sema::Module> module = sema::check(*tree, check, own, unread);
  const plan::Module plans = plan::buildPlans(*module, own, unread);
  Verifier verifier(plans, registry, own, {});
  std::optional<AnswerCache> cache;
  if (!file.cacheDir.empty())
    cache.emplace(file.cacheDir, own);
  unsigned count = 0;
  for (const plan::MatchPlan &plan : plans.plans) {
    const sema::Pattern &pattern = module->pattern(plan.pattern);
    if (pattern.meaningOf || pattern.imported || (!file.only.empty() && !matchesGlob(file.only, plan.name)))
      continue;
    if (!file.lines.empty() && !file.lines.contains(own.lineColumn(pattern.nameRange.begin).line))
      continue;
    ++count;
    std::optional<Answer> answer = cache ? cache->find(pattern.name, own.line(pattern.nameRange.begin)) : std::nullopt;
    if (!answer) {
      answer = verifier.verify(plan);
      if (cache)
        cache->keep(*answer);
    }
    if (!answered(*answer))
      break;
  }
  return count;
}

} // namespace rw::verify
