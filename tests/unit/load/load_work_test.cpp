// What it takes to load patterns is counted: allocations, bodies checked, steps of proofs. These are the same on every
// machine, so that loading which has become slow shows here. The bounds leave room for patterns that are more
// work than those of today, not for twice the work, and grow with the files.

#include "codegen/interpret/compiler.h"
#include "codegen/machine/unit_bytes.h"
#include "frontend/check/check.h"
#include "frontend/parse/parse.h"
#include "rw/infer/infer_shapes.h"
#include "rw/load/load_patterns.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <set>
#include <string>
#include <vector>

static size_t allocations;

void *operator new(size_t bytes) {
  ++allocations;
  if (void *p = std::malloc(bytes ? bytes : 1))
    return p;
  throw std::bad_alloc();
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }

using namespace rw;
namespace fs = std::filesystem;

namespace {

const std::string kPatterns = std::string(RW_SOURCE_DIR) + "/patterns";

std::vector<std::string> builtinFiles(size_t &bytes) {
  std::vector<std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(kPatterns))
    if (entry.path().extension() == ".rw") {
      files.push_back(entry.path().string());
      bytes += entry.file_size();
    }
  std::ranges::sort(files);
  return files;
}

/// On one thread, so that the count does not depend on who was quicker.
size_t allocationsOf(const std::vector<PatternSource> &files) {
  Registry registry;
  registerCorePasses(registry);
  registerInferencePasses(registry);
  SourceManager sources;
  Diagnostics diags(sources);
  const size_t before = allocations;
  auto loaded =
      loadPatterns(files, {.importDirs = {kPatterns}, .skipNatives = true, .threads = 1}, sources, registry, diags);
  const size_t after = allocations;
  CHECK_MESSAGE(loaded, diags.renderText());
  return after - before;
}

/// Patterns of three kinds over a few ops.
std::string manyPatterns(size_t count) {
  std::string text =
      "dialect many;\n"
      "op add(lhs: tensor, rhs: tensor) -> tensor { traits pure, elementwise, commutative; type (lhs.dtype, "
      "lhs.shape); }\n"
      "op permute(x: tensor) -> tensor { attr perm: [int]; traits pure; type (x.dtype, [x.shape[p] for p in perm]); }\n"
      "op scale(x: tensor) -> tensor { attr by: int; traits pure, elementwise; type (x.dtype, x.shape); }\n";
  for (size_t i = 0; i < count; ++i)
    text += i % 3 == 0
                ? fmt::format("pattern Scale{0} {{ scale(scale(x, by = {0}), by = q) => scale(x, by = q * {0}) }}\n", i)
            : i % 3 == 1 ? fmt::format("pattern Move{0} {{ scale(permute(x, perm = p), by = {0}) => permute(scale(x, "
                                       "by = {0}), perm = p) }}\n",
                                       i)
                         : fmt::format("pattern Add{0} {{ add(scale(x, by = {0}), scale(y, by = {0})) where x.rank == "
                                       "{0} => scale(add(x, y), by = {0}) }}\n",
                                       i);
  return text;
}

/// Files checked one after the other, as loadPatterns does it, and the code of each as bytes.
struct Checked {
  sema::Work work;
  size_t declared = 0; // bodies
  std::vector<std::string> code;
};

/// What a file adds to the files before, as loadPatterns has it: its patterns and those that its passes name, the ops
/// of files that are new, and what these mean and canonicalize by.
interpret::Unit codeOfNew(const sema::Module &module, const std::set<uint32_t> &registered, SourceManager &sources,
                          Diagnostics &diags) {
  std::vector<bool> needed(module.patterns.size());
  for (uint32_t i = 0; i < needed.size(); ++i)
    needed[i] = !module.patterns[i].imported && !module.patterns[i].meaningOf;
  for (const sema::Pass &pass : module.passes)
    for (const sema::Pass::Member &member : pass.members)
      if (member.pattern && !pass.imported)
        needed[member.pattern.raw] = true;
  auto isNew = [&](const sema::Op &op) { return !registered.contains(op.file.raw); };
  for (const sema::Op &op : module.ops)
    if (isNew(op))
      for (const auto &patterns : {op.means, op.canonicalize})
        for (sema::PatternIndex pattern : patterns)
          needed[pattern.raw] = true;
  plan::Module plans =
      plan::buildPlans(module, sources, diags, [&](sema::PatternIndex pattern) { return bool(needed[pattern.raw]); });
  return interpret::compile(plans, sources, {.wantsOp = isNew, .skipNatives = true}, diags);
}

Checked checkAll(const std::vector<std::string> &files, bool keepBodies, bool trust = false, bool tests = true) {
  Checked out;
  SourceManager sources;
  Diagnostics diags(sources);
  sema::ParsedFiles parsed;
  if (keepBodies)
    parsed.bodies = sema::keepBodies();
  sema::CheckOptions options{
      .importDirs = {kPatterns}, .builtinDir = kPatterns, .parsed = &parsed, .trustBuiltin = trust};
  options.parse = [&](FileId f) { return parseModule(f, sources, diags, 1, !trust); };
  options.work = &out.work;
  std::set<uint32_t> registered; // files, by index
  for (const std::string &file : files) {
    auto tree = sema::parseRoot(file, options, sources);
    REQUIRE_MESSAGE(tree, tree.error());
    std::unique_ptr<sema::Module> module = sema::check(**tree, options, sources, diags);
    auto own = [&](const auto &decls) {
      return size_t(std::ranges::count(decls, false, [](const auto &d) { return d.imported; }));
    };
    out.declared += own(module->ops) + own(module->fns) + own(module->patterns);
    CHECK((!trust || module->tests.empty()));
    if (!tests)
      module->tests.clear();
    out.code.push_back(interpret::toBytes(codeOfNew(*module, registered, sources, diags)));
    for (const sema::File &each : module->files)
      registered.insert(each.id.raw);
    parsed.settle(*module);
  }
  CHECK_MESSAGE(!diags.hasErrors(), diags.renderText());
  return out;
}

} // namespace

TEST_CASE("loading the built-in files allocates so often, by what stands in them") {
  size_t bytes = 0;
  std::vector<PatternSource> files;
  for (std::string &file : builtinFiles(bytes))
    files.push_back({file});
  const double perByte = double(allocationsOf(files)) / double(bytes);
  MESSAGE("allocations per byte of text: ", perByte);
  CHECK(perByte < 2.2);
}

TEST_CASE("loading many patterns allocates so often, and twice as often for twice as many") {
  const size_t few = allocationsOf({{"few.rw", manyPatterns(500)}}),
               many = allocationsOf({{"many.rw", manyPatterns(1000)}});
  MESSAGE("allocations per pattern: ", double(many - few) / 500);
  CHECK(double(many - few) / 500 < 340);
  CHECK(many < 2.1 * double(few));
}

TEST_CASE("of what the built-in files share little is checked twice, and a proof takes so many steps") {
  size_t bytes = 0;
  const std::vector<std::string> files = builtinFiles(bytes);
  const Checked kept = checkAll(files, true);
  MESSAGE("checked: ", kept.work.bodies, " of ", kept.declared, ", steps of proofs: ", kept.work.steps);
  CHECK(double(kept.work.bodies) < 2.2 * double(kept.declared));
  CHECK(double(kept.work.steps) < 90 * double(kept.declared));
  // For passes and labels that files name of each other a text is looked through once, however many name some.
  CHECK(kept.work.texts > 0);
  CHECK(kept.work.texts <= files.size());
  // What another file's check came to is what one's own comes to.
  const Checked anew = checkAll(files, false);
  CHECK(anew.work.bodies > kept.work.bodies);
  REQUIRE(anew.code.size() == kept.code.size());
  for (size_t i = 0; i < files.size(); ++i)
    CHECK_MESSAGE(anew.code[i] == kept.code[i], files[i]);
}

TEST_CASE("built-in files that are taken to be right come to the same code") {
  size_t bytes = 0;
  const std::vector<std::string> files = builtinFiles(bytes);
  const Checked trusted = checkAll(files, true, true, false), whole = checkAll(files, true, false, false);
  MESSAGE("checked: ", trusted.work.bodies, " of ", trusted.declared);
  CHECK(double(trusted.work.bodies) < 1.2 * double(trusted.declared));
  REQUIRE(trusted.code.size() == whole.code.size());
  for (size_t i = 0; i < files.size(); ++i)
    CHECK_MESSAGE(trusted.code[i] == whole.code[i], files[i]);
}
