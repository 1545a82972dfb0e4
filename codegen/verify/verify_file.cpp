#include "codegen/verify/verify_file.h"

#include "codegen/plan/plan.h"
#include "codegen/verify/answer_cache.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"
#include "rw/onnx_infer/onnx_infer.h"
#include "rw/passes/pass.h"
#include "rw/rewrite/greedy_driver.h"

#include <fmt/format.h>

#include <map>

namespace rw::verify {
namespace {

/// What the file expects of its patterns.
struct Expected {
  Verdict verdict;
  SourceRange at;
};
using Expectations = std::map<uint32_t, Expected>; // by the index of the pattern

/// `own` holds the text once more: the ranges are those in `sources`, where the file has the same name.
Expectations expectationsOf(const sema::Module &module, const SourceManager &own, const FileToVerify &file,
                            const SourceManager &sources) {
  FileId shown;
  for (uint32_t i = 0; i < sources.fileCount() && !shown; ++i)
    if (sources.name(FileId(i)) == file.path && sources.text(FileId(i)) == file.text)
      shown = FileId(i);
  auto inSources = [&](SourceRange r) {
    return shown ? SourceRange{sources.locOf(shown, own.offsetOf(r.begin)), sources.locOf(shown, own.offsetOf(r.end))}
                 : SourceRange{};
  };
  Expectations out;
  for (const sema::Expectation &expectation : module.expectations)
    if (const std::optional<Verdict> verdict = verdictOf(expectation.verdict))
      for (const sema::Expectation::Of &of : expectation.patterns)
        out.emplace(of.pattern.raw, Expected{*verdict, inSources(of.range)});
  return out;
}

} // namespace

void reportUnexpected(const Answer &answer, Diagnostics &diags) {
  if (!answer.expected || answer.verdict == *answer.expected)
    return;
  auto error = diags.error("unexpected-verdict", answer.expectedAt,
                           fmt::format("`{}` is {}, and expected to be {}", answer.pattern, wordOf(answer.verdict),
                                       wordOf(*answer.expected)));
  if (!answer.why.empty())
    error.note(answer.why);
}

std::optional<unsigned> verifyFile(const FileToVerify &file, SourceManager &sources, Diagnostics &diags,
                                   const std::function<bool(const Answer &)> &answered) {
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  registerOnnxInference();
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
  Verifier verifier(plans, file.compiled ? *file.compiled : registry, own, {.more = file.programs});
  std::optional<AnswerCache> cache;
  if (!file.cacheDir.empty())
    cache.emplace(file.cacheDir, own, file.programs);
  const Expectations expected = expectationsOf(*module, own, file, sources);
  unsigned count = 0;
  for (const plan::MatchPlan &plan : plans.plans) {
    const sema::Pattern &pattern = module->pattern(plan.pattern);
    const auto wanted = expected.find(plan.pattern.raw);
    if (pattern.meaningOf || pattern.imported || (!file.only.empty() && !matchesGlob(file.only, plan.name)))
      continue;
    const unsigned line = own.line(pattern.nameRange.begin);
    if (!file.lines.empty() && !file.lines.contains(line))
      continue;
    ++count;
    std::optional<Answer> answer = cache ? cache->find(pattern.name, line) : std::nullopt;
    if (!answer) {
      answer = verifier.verify(plan);
      if (cache)
        cache->keep(*answer);
    }
    if (wanted != expected.end()) {
      answer->expected = wanted->second.verdict;
      answer->expectedAt = wanted->second.at;
    }
    if (!answered(*answer))
      break;
  }
  return count;
}

} // namespace rw::verify
