// Verifies patterns that are compiled into a program: those with conditions in C++ as well, which rwc cannot run from
// their source.
//
// In:  a folder for imports, a folder in which answers are kept (or ""), .rw files of the built-in patterns; with
//      --seed=N in front, instances that other draws give.
// Out: an object a line for each pattern (rwc --verify --json); on the last line how many programs were compared. With
//      --run-by=PIPELINE and no files: the names of the patterns that its passes may run as their options have it.
#include "codegen/verify/answer_cache.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "rw/builtin.h"
#include "rw/passes/pass_manager.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace {

bool mayTakeFreedoms(const rw::PipelineItem &item) {
  auto it = item.options.find("fastmath");
  return it == item.options.end() || it->second != "false";
}

/// Of the passes of a pipeline: patterns without freedoms, and those with freedoms where a pass may allow them.
void collectPatterns(const std::vector<rw::PipelineItem> &items, std::set<std::string> &out) {
  for (const rw::PipelineItem &item : items) {
    collectPatterns(item.items, out);
    const rw::FrozenPatternSet *patterns = item.pass ? item.pass->patterns() : nullptr;
    for (size_t i = 0; patterns && i < patterns->size(); ++i)
      if (!patterns->info(i).fastmath || mayTakeFreedoms(item))
        out.emplace(patterns->info(i).name);
  }
}

bool printPatternsRunBy(const rw::Registry &registry, std::string_view pipeline) {
  rw::SourceManager sources;
  rw::Diagnostics diags(sources);
  rw::PassManager passes(registry);
  if (!passes.parse(pipeline, sources, diags)) {
    std::fputs(diags.renderText().c_str(), stderr);
    return false;
  }
  std::set<std::string> names;
  collectPatterns(passes.items(), names);
  for (const std::string &name : names)
    std::puts(name.c_str());
  return true;
}

} // namespace

int main(int argc, char **argv) {
  rw::verify::VerifyOptions verifyOptions;
  if (argc > 1 && std::string_view(argv[1]).starts_with("--seed=")) {
    verifyOptions.seed = std::strtoull(argv[1] + std::strlen("--seed="), nullptr, 10);
    ++argv;
    --argc;
  }
  rw::Registry registry;
  rw::registerAll(registry);
  if (argc > 1 && std::string_view(argv[1]).starts_with("--run-by="))
    return printPatternsRunBy(registry, argv[1] + std::strlen("--run-by=")) ? 0 : 1;
  unsigned long long compared = 0;
  for (int i = 3; i < argc; ++i) {
    rw::SourceManager sources;
    rw::Diagnostics diags(sources);
    rw::Result<rw::FileId> added = sources.addFile(argv[i]);
    if (!added) {
      std::fprintf(stderr, "%s: %s\n", argv[i], added.error().c_str());
      return 1;
    }
    const rw::FileId file = *added;
    rw::sema::CheckOptions options;
    options.importDirs = {argv[1]};
    options.builtinDir = argv[1];
    options.parse = [&](rw::FileId f) { return rw::parseModule(f, sources, diags); };
    auto tree = rw::parseModule(file, sources, diags);
    auto module = rw::sema::check(*tree, options, sources, diags);
    if (diags.hasErrors()) {
      std::fputs(diags.renderText().c_str(), stderr);
      return 1;
    }
    rw::plan::Module plans = rw::plan::buildPlans(*module, sources, diags);
    rw::verify::Verifier verifier(plans, registry, sources, verifyOptions);
    std::optional<rw::verify::AnswerCache> cache;
    if (*argv[2])
      cache.emplace(argv[2], sources, verifyOptions.more);
    for (const rw::plan::MatchPlan &plan : plans.plans) {
      const rw::sema::Pattern &pattern = module->pattern(plan.pattern);
      if (pattern.meaningOf || pattern.imported)
        continue;
      std::optional<rw::verify::Answer> answer =
          cache ? cache->find(pattern.name, sources.line(pattern.nameRange.begin)) : std::nullopt;
      if (!answer) {
        answer = verifier.verify(plan);
        if (cache)
          cache->keep(*answer);
      }
      compared += answer->compared;
      std::puts(rw::verify::jsonOf(*answer).c_str());
      std::fflush(stdout);
    }
  }
  std::printf("{\"compared\": %llu}\n", compared);
  return 0;
}
