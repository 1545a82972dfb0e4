// Programs optimised in parallel: nothing is shared but what is constant. The preset tsan runs this under the thread
// sanitizer; everywhere it holds the results against those of one thread.

#include "rw/interp/constant_folder.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/passes/pass_manager.h"
#include "rw/trace/trace.h"
#include "rw_builtin_register.h"

#include <doctest/doctest.h>

#include <thread>

using namespace rw;

namespace {

/// A few hundred ops that layout, folding, cse and dce all find work in; another program for each seed.
std::string programText(unsigned seed) {
  std::string text = "func @main(%x: f32[4, 5]) -> (f32[4, 5], f32[2]) {\n";
  std::string last = "%x";
  for (unsigned i = 0; i < 60; ++i) {
    std::string n = std::to_string(i);
    text += "  %t" + n + " = tensor.transpose(" + last + ") {perm = [1, 0]}\n";
    text += "  %a" + n + " = tensor." + ((i + seed) % 3 ? "neg" : "abs") + "(%t" + n + ")\n";
    text += "  %b" + n + " = tensor.abs(%t" + n + ")\n";
    text += "  %u" + n + " = tensor.add(%a" + n + ", %b" + n + ")\n";
    text += "  %r" + n + " = tensor.transpose(%u" + n + ") {perm = [1, 0]}\n";
    last = "%r" + n;
  }
  text += "  %c = tensor.constant() {value = dense<f32[2]: [" + std::to_string(seed) + ".0, 2.0]>}\n";
  return text + "  %e = tensor.neg(%c)\n  return " + last + ", %e\n}\n";
}

/// Counts events: each thread has its own.
struct Counter : TraceSink {
  unsigned passes = 0, rewrites = 0;
  void afterPass(const PassEvent &) override { ++passes; }
  void rewrite(const RewriteEvent &) override { ++rewrites; }
  bool wantsRewrites() const override { return true; }
};

struct Outcome {
  std::string text;
  unsigned passes = 0, rewrites = 0;
};

Outcome optimise(const Registry &registry, unsigned seed) {
  SourceManager sources;
  Diagnostics diags(sources);
  FileId file = sources.addText("p.rwir", programText(seed));
  std::unique_ptr<Program> program = parseProgram(file, sources, diags, registry.ops);
  if (!program)
    return {diags.renderText()};
  Counter counter;
  TraceSinkGuard guard(counter);
  PassManager manager(registry);
  if (!manager.parse("repeat(4){layout,canonicalize,cse,dce},full", sources, diags))
    return {diags.renderText()};
  InterpreterFolder folder;
  PassManagerOptions options;
  options.rewriteConfig.folder = &folder;
  manager.run(*program, options);
  return {printProgram(*program), counter.passes, counter.rewrites};
}

} // namespace

TEST_CASE("programs optimised on several threads come out as on one") {
  Registry registry;
  registerCorePasses(registry);
  builtin::register_rw_builtin(registry);
  constexpr unsigned kThreads = 4;
  std::vector<Outcome> alone, together(kThreads);
  for (unsigned i = 0; i < kThreads; ++i)
    alone.push_back(optimise(registry, i));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { together[i] = optimise(registry, i); });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i < kThreads; ++i) {
    CHECK(together[i].text == alone[i].text);
    CHECK(together[i].passes == alone[i].passes);
    CHECK(together[i].rewrites == alone[i].rewrites);
    CHECK(alone[i].rewrites > 100);
  }
  CHECK(currentTraceSink() == nullptr);
}

TEST_CASE("one frozen set of patterns serves several threads") {
  Registry registry;
  registerCorePasses(registry);
  builtin::register_rw_builtin(registry);
  PatternSet set(registry.ops);
  for (const char *name : {"MergeTransposes_tensor", "DropIdentityTranspose_tensor", "FoldTransposePair_tensor"})
    set.add(registry.patterns.find(name)->make(registry.ops));
  const FrozenPatternSet frozen = std::move(set).freeze();
  uint64_t rewrites[3] = {};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      SourceManager sources;
      Diagnostics diags(sources);
      std::unique_ptr<Program> program =
          parseProgram(sources.addText("p.rwir", programText(7)), sources, diags, registry.ops);
      rewrites[i] = program ? applyPatternsGreedily(program->functions().front(), frozen).rewrites : 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(rewrites[0] > 0);
  CHECK(rewrites[0] == rewrites[1]);
  CHECK(rewrites[0] == rewrites[2]);
}
