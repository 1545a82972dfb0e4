#include "rw/opt/options.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

namespace rw::opt {
namespace cl = llvm::cl;

namespace {
/// The options live only while a command line is parsed, so that optMain can run more than once in a process.
struct Flags {
  cl::OptionCategory io{"Input and output"}, run{"Running"}, see{"Seeing what happens"};
  cl::opt<std::string> input{cl::Positional, cl::desc("IN (.rwir or .onnx; - is standard input, .rwir)"), cl::cat(io)};
  cl::opt<std::string> output{"o", cl::desc("Write the result here (.rwir or .onnx; - is standard output)"),
                              cl::value_desc("OUT"), cl::cat(io)};
  cl::opt<std::string> emit{"emit", cl::value_desc("program|exec"), cl::init("program"), cl::cat(io),
                            cl::desc("Write the program (default) or, as text, its execution program; then the default "
                                     "pipeline is tenferro")};
  cl::list<std::string> bounds{"bound", cl::value_desc("SYMBOL=N"), cl::cat(io),
                               cl::desc("With --emit exec: the symbolic dimension SYMBOL is never greater than N")};
  cl::opt<std::string> pipeline{"pipeline", cl::value_desc("NAME|TEXT"), cl::cat(run),
                                cl::desc("What to run, e.g. canonicalize,repeat(4){cse,dce}. Default: onnx for .onnx, "
                                         "default for .rwir; none only reads and writes")};
  cl::opt<std::string> backend{"backend", cl::value_desc("NAME"), cl::cat(run),
                               cl::desc("Let this backend add its passes to the pipeline full")};
  cl::list<std::string> disable{"disable-pattern",
                                cl::desc("Leave out this pattern (a name, a glob such as 'Fold*', or label:NAME)"),
                                cl::value_desc("P"), cl::cat(run)};
  cl::list<std::string> only{"only-pattern", cl::desc("Run only this pattern (a name, a glob or label:NAME)"), cl::value_desc("P"),
                             cl::cat(run)};
  cl::opt<unsigned long long> maxRewrites{"max-rewrites", cl::value_desc("N"), cl::init(0), cl::cat(run),
                                          cl::desc("Stop rewriting after N rewrites and folds in all")};
  cl::opt<bool> fastmath{"fastmath", cl::desc("Allow patterns that are right over the reals but not bit for bit"),
                         cl::cat(run)};
  cl::opt<bool> unmerged{"unmerged", cl::desc("Try every pattern on its own: the same result, more slowly"), cl::cat(run)};
  cl::opt<bool> strict{"strict", cl::desc("Stop at a pass that fails instead of rolling it back and going on"), cl::cat(run)};
  cl::opt<bool> verifyEach{"verify-each", cl::desc("Verify the program after each pass"), cl::cat(run)};
  cl::opt<cl::boolOrDefault> expensive{"expensive-checks", cl::ValueOptional, cl::cat(run),
                                       cl::desc("Check after each attempt that the pattern told the truth")};
  cl::opt<unsigned> check{"check", cl::value_desc("N"), cl::init(0), cl::cat(run),
                          cl::desc("Evaluate the program before and after on N random inputs; refuse to write on a difference")};
  cl::list<std::string> expect{"expect", cl::value_desc("PATH"), cl::cat(run),
                               cl::desc("Fail unless the result holds this path of ops, e.g. 'Transpose -> Conv:Bx8x?x? -> Relu', "
                                        "or number of ops, e.g. 'Transpose = 0'")};
  cl::opt<std::string> expectMode{"expect-mode", cl::value_desc("exact|contains"), cl::init("contains"), cl::cat(run),
                                  cl::desc("Whether a path leads from an input to an output or stands anywhere (default)")};
  cl::opt<double> tolerance{"check-tolerance", cl::value_desc("X"), cl::init(1e-4), cl::cat(run),
                            cl::desc("Largest relative difference that --check accepts (default 1e-4; f16 and bf16 at least 4 units in the last "
                                     "place); 0: bit for bit")};
  cl::opt<std::string> reproducer{"reproducer", cl::value_desc("FILE"), cl::cat(run),
                                  cl::desc("If a pass fails or crashes, leave it and its input in FILE (.rwir)")};
  cl::opt<bool> reproduce{"reproduce", cl::cat(run), cl::desc("Run what the reproducer IN says, on the program in it")};
  cl::list<std::string> lateOverrides{"late-override", cl::value_desc("NAME.ATTR=VALUE"), cl::cat(run),
                                      cl::desc("Set an attribute of the op named NAME, or of what makes the value %NAME, after "
                                               "all passes, on whatever then stands in its place")};
  cl::opt<std::string> whyNot{"why-not", cl::value_desc("PATTERN"), cl::cat(see),
                              cl::desc("Say where the pattern matches, and elsewhere the first condition that fails; "
                                       "after --pipeline if there is one")};
  cl::opt<std::string> at{"at", cl::value_desc("NAME"), cl::cat(see),
                          cl::desc("With --why-not: only at this value (%3, %y) or op name")};
  cl::list<std::string> printBefore{"print-ir-before", cl::value_desc("PASS"), cl::cat(see),
                                    cl::desc("Show the function before each run of this pass (a name or a glob)")};
  cl::list<std::string> printAfter{"print-ir-after", cl::value_desc("PASS"), cl::cat(see),
                                   cl::desc("Show the function after each run of this pass (a name or a glob)")};
  cl::opt<std::string> stats{"stats", cl::ValueOptional, cl::value_desc("text|json"), cl::cat(see),
                             cl::desc("Show ops before and after, and what each pattern did")};
  cl::opt<double> progressAfter{"progress-after", cl::value_desc("SECONDS"), cl::init(2), cl::cat(see),
                                cl::desc("On a terminal, show progress of a run that takes longer than this (default 2)")};
  cl::opt<std::string> report{"report", cl::value_desc("FILE.html"), cl::cat(see),
                              cl::desc("Write a page about the run: counts, patterns, rewrites drawn before and after, near misses")};
  cl::opt<std::string> diff{"diff", cl::value_desc("A"), cl::cat(see),
                            cl::desc("Say what the model IN has that A has not, and the other way round (rw-opt --diff A B), and "
                                     "stop. Exit status 0: nothing, 1: something, 2: it could not be told")};
  cl::opt<bool> timing{"timing", cl::desc("Show the time of each pass"), cl::cat(see)};
  cl::opt<bool> printAfterChange{"print-ir-after-change", cl::desc("Show the program after each pass that changed it"),
                                 cl::cat(see)};
  cl::opt<bool> logRewrites{"log-rewrites", cl::desc("Show one line per rewrite, fold and erased op"), cl::cat(see)};
  cl::opt<std::string> traceFile{"trace", cl::value_desc("FILE"), cl::cat(see),
                                 cl::desc("Write a time line that chrome://tracing and Perfetto load")};
  cl::opt<std::string> dumpDir{"dump-dir", cl::value_desc("DIR"), cl::cat(see),
                               cl::desc("Write the program before and after, statistics and every rewrite below DIR")};
  cl::opt<std::string> test{"test", cl::ValueOptional, cl::value_desc("GLOB"), cl::cat(see),
                            cl::desc("Run the tests declared in .rw files, all or of patterns and passes so named, and stop")};
  cl::opt<bool> listPasses{"list-passes", cl::desc("List passes and pipelines, and stop"), cl::cat(see)};
  cl::opt<bool> listPatterns{"list-patterns", cl::desc("List patterns, and stop"), cl::cat(see)};
  cl::opt<bool> listOps{"list-ops", cl::desc("List ops, and stop"), cl::cat(see)};
};

/// What is wrong with options that are there and say nothing, or that do not go together; empty if nothing is.
std::string wrongUse(const Flags &f) {
  const cl::opt<std::string> *const named[] = {&f.output, &f.report, &f.whyNot, &f.at, &f.diff, &f.reproducer, &f.traceFile, &f.dumpDir, &f.backend};
  for (const cl::opt<std::string> *option : named)
    if (option->getNumOccurrences() && option->empty())
      return (option->ArgStr.size() == 1 ? "-" : "--") + option->ArgStr.str() + " is empty; leave it out, or say what it means";
  if (f.output.getNumOccurrences() > 1)
    return "-o stands there twice; the result goes to one file";
  llvm::StringRef output = f.output.getValue();
  if (f.emit == "exec" && output.ends_with(".onnx"))
    return "--emit exec writes text, and " + output.str() + " would be taken for a model; give it another extension";
  if (f.whyNot.getNumOccurrences() && !f.pipeline.getNumOccurrences() && (f.output.getNumOccurrences() || f.report.getNumOccurrences()))
    return "--why-not alone runs no passes; with -o or --report, say by --pipeline which ones run first";
  if (f.diff.getNumOccurrences() && f.output.getNumOccurrences())
    return "--diff compares two models and writes none, so -o has no part in it";
  if (f.expectMode.getNumOccurrences() && f.expect.empty())
    return "--expect-mode says how paths are looked for, and --expect is not there";
  return {};
}
} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  // LLVM's Support library registers options of its own; its -stats would clash with ours.
  llvm::StringMap<cl::Option *> &registered = cl::getRegisteredOptions();
  if (auto it = registered.find("stats"); it != registered.end())
    it->second->removeArgument();
  Flags flags;
  cl::HideUnrelatedOptions({&flags.io, &flags.run, &flags.see});
  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "rw-opt 0.1.0\n"; });
  std::string errors;
  llvm::raw_string_ostream errorStream(errors);
  const char *overview = "Runs rewrite passes over a program.\n\n"
                         "  rw-opt model.onnx -o smaller.onnx --stats\n"
                         "  rw-opt program.rwir --pipeline canonicalize,dce\n";
  bool parsed = cl::ParseCommandLineOptions(argc, argv, overview, &errorStream);
  if (!parsed) {
    llvm::errs() << errorStream.str();
    return 2;
  }
  if (std::string wrong = wrongUse(flags); !wrong.empty()) {
    llvm::errs() << "rw-opt: " << wrong << "\n";
    return 2;
  }
  options.input = flags.input;
  options.output = flags.output;
  if (flags.pipeline.getNumOccurrences())
    options.pipeline = flags.pipeline;
  options.disabledPatterns.assign(flags.disable.begin(), flags.disable.end());
  options.onlyPatterns.assign(flags.only.begin(), flags.only.end());
  options.backend = flags.backend;
  if (flags.maxRewrites.getNumOccurrences())
    options.maxRewrites = flags.maxRewrites;
  options.reproducer = flags.reproducer;
  options.reproduce = flags.reproduce;
  options.lateOverrides.assign(flags.lateOverrides.begin(), flags.lateOverrides.end());
  options.whyNot = flags.whyNot;
  options.at = flags.at;
  options.printBefore.assign(flags.printBefore.begin(), flags.printBefore.end());
  options.printAfter.assign(flags.printAfter.begin(), flags.printAfter.end());
  options.merge = !flags.unmerged;
  options.fastmath = flags.fastmath;
  options.strict = flags.strict;
  options.verifyEach = flags.verifyEach;
  if (flags.expensive.getNumOccurrences())
    options.expensiveChecks = flags.expensive != cl::BOU_FALSE;
  options.check = flags.check;
  options.checkTolerance = flags.tolerance;
  options.expect.assign(flags.expect.begin(), flags.expect.end());
  options.expectExact = flags.expectMode == "exact";
  if (!options.expectExact && flags.expectMode != "contains") {
    llvm::errs() << "rw-opt: --expect-mode is exact or contains, not " << flags.expectMode << "\n";
    return 2;
  }
  options.stats = flags.stats.getNumOccurrences() != 0;
  options.statsAsJson = flags.stats == "json";
  if (options.stats && !options.statsAsJson && !flags.stats.empty() && flags.stats != "text") {
    llvm::errs() << "rw-opt: --stats is text or json, not " << flags.stats << "\n";
    return 2;
  }
  options.progressAfter = flags.progressAfter;
  options.diffWith = flags.diff;
  options.report = flags.report;
  options.emitExec = flags.emit == "exec";
  if (!options.emitExec && flags.emit != "program") {
    llvm::errs() << "rw-opt: --emit is program or exec, not " << flags.emit << "\n";
    return 2;
  }
  options.bounds.assign(flags.bounds.begin(), flags.bounds.end());
  if (!options.emitExec && !options.bounds.empty()) {
    llvm::errs() << "rw-opt: --bound says how large shapes of an execution program get, and --emit exec is not there\n";
    return 2;
  }
  options.timing = flags.timing;
  options.printAfterChange = flags.printAfterChange;
  options.logRewrites = flags.logRewrites;
  options.traceFile = flags.traceFile;
  options.dumpDir = flags.dumpDir;
  options.listPasses = flags.listPasses;
  options.listPatterns = flags.listPatterns;
  options.listOps = flags.listOps;
  if (flags.test.getNumOccurrences())
    options.test = flags.test.empty() ? std::string("*") : flags.test.getValue();
  if (options.input.empty() && !options.test && !options.listsOnly()) {
    llvm::errs() << "rw-opt: no input file; rw-opt --help tells how to call it\n";
    return 2;
  }
  if (!options.at.empty() && options.whyNot.empty()) {
    llvm::errs() << "rw-opt: --at says where --why-not looks, and --why-not is not there\n";
    return 2;
  }
  return std::nullopt;
}

} // namespace rw::opt
