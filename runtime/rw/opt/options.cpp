#include "rw/opt/options.h"

#include "rw/optimize/interface.h"
#include "rw/passes/reproducer.h"
#include "rw/support/command_line.h"
#include "rw/support/diagnostics.h"
#include "rw/support/output_files.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <thread>
#include <type_traits>

namespace rw::opt {
namespace cl = llvm::cl;

namespace {
/// The options live only while a command line is parsed, so that optMain can run more than once in a process.
struct Flags {
  cl::OptionCategory io{"Input and output"}, run{"Running"}, see{"Seeing what happens"};
  cl::opt<std::string> input{cl::Positional, cl::desc("IN (.rwir, .mlir, .jaxpr or .onnx; - is standard input)"),
                             cl::cat(io)};
  cl::opt<std::string> output{"o",
                              cl::desc("Write the result here (.rwir, .mlir or .onnx; - is standard output, .rwir)"),
                              cl::value_desc("OUT"), cl::cat(io)};
  cl::opt<std::string> emit{"emit", cl::value_desc("program|exec"), cl::init("program"), cl::cat(io),
                            cl::desc("Write the program (default) or, as text, its execution program; then the default "
                                     "pipeline is tenferro")};
  cl::opt<bool> bareOps{"bare-ops", cl::cat(io),
                        cl::desc("In ONNX models, leave out the functions that say what ops of other domains mean "
                                 "(`means` in .rw): for an engine that has the ops")};
  cl::opt<std::string> externalData{
      "external-data", cl::value_desc("FILE"), cl::cat(io),
      cl::desc("Write the tensors of an ONNX model to FILE beside it: a name without a folder")};
  cl::opt<std::string> externalBytes{
      "external-data-size", cl::value_desc("BYTES"), cl::cat(io),
      cl::desc("With --external-data: tensors of fewer bytes stay in the model (default 1024)")};
  cl::opt<bool> embedData{"embed-data", cl::cat(io),
                          cl::desc("Take the tensors that an ONNX model has in other files into the model")};
  cl::list<std::string> shapes{
      "shape", cl::value_desc("NAME=SIZES"), cl::cat(io),
      cl::desc("Fix the shape of an input, e.g. x=1,3,224,W: a size, a symbol, or ? for what it is")};
  cl::opt<bool> freezeDefaults{"freeze-defaults", cl::cat(io),
                               cl::desc("Inputs of an ONNX model that have a default (an initializer of that name) are "
                                        "constants: nobody will give them another value")};
  cl::list<std::string> inputs{"inputs", cl::value_desc("NAMES"), cl::CommaSeparated, cl::cat(io),
                               cl::desc("Cut the program: these values become its inputs")};
  cl::list<std::string> outputs{"outputs", cl::value_desc("NAMES"), cl::CommaSeparated, cl::cat(io),
                                cl::desc("Cut the program: these values become its outputs")};
  cl::list<std::string> bounds{"bound", cl::value_desc("SYMBOL=N"), cl::cat(io),
                               cl::desc("With --emit exec: the symbolic dimension SYMBOL is never greater than N")};
  cl::opt<std::string> pipeline{"pipeline", cl::value_desc("NAME|TEXT"), cl::cat(run),
                                cl::desc("What to run, e.g. canonicalize,repeat(4){cse,dce}. Default: onnx for .onnx, "
                                         "default for text; none only reads and writes")};
  cl::opt<std::string> opset{"opset", cl::value_desc("N"), cl::cat(run),
                             cl::desc("The operator set that a program becomes a model of (default: 17, or the first "
                                      "one behind it that has all ops it "
                                      "needs), an op that needs a newer one is an error; or, of an ONNX model, that it "
                                      "is converted to first")};
  cl::opt<std::string> threads{"threads", cl::value_desc("N"), cl::cat(run),
                               cl::desc("Work on several functions of the program at once, on N threads (0: one per "
                                        "processor). The result is the same on any number; what is logged, traced or "
                                        "reported keeps it on one")};
  cl::opt<std::string> fp16{"fp16", cl::ValueOptional, cl::value_desc("io"), cl::cat(run),
                            cl::desc("Compute in floats of 16 bits what an ONNX model computes in 32, after all else; "
                                     "io: its inputs and results are of 16 "
                                     "bits as well (pass to_f16; --check then accepts 1e-2)")};
  cl::list<std::string> keepFp32{
      "keep-fp32", cl::value_desc("OP"), cl::CommaSeparated, cl::cat(run),
      cl::desc("With --fp16: this op stays in 32 bits (a kind as Softmax, a name, or a glob as '/head/*')")};
  cl::list<std::string> patterns{
      "patterns", cl::value_desc("FILE.rw"), cl::cat(run),
      cl::desc("Load this file of patterns; without --pipeline all of its patterns run, until none matches")};
  cl::list<std::string> importDirs{"I", cl::value_desc("DIR"), cl::cat(run),
                                   cl::desc("Look here for what the files of --patterns import")};
  cl::list<std::string> plugins{"plugin", cl::value_desc("LIB.so"), cl::cat(run),
                                cl::desc("Load this library of patterns and passes, made by rw_add_patterns(... "
                                         "PLUGIN); without --pipeline all of its "
                                         "patterns run, until none matches")};
  cl::opt<std::string> backend{"backend", cl::value_desc("NAME"), cl::cat(run),
                               cl::desc("Let this backend add its passes to the pipeline full")};
  cl::list<std::string> keep{"keep", cl::value_desc("NAME"), cl::cat(run),
                             cl::desc("Leave this op as it is (its name, or the name of a result)")};
  cl::list<std::string> disable{"disable-pattern",
                                cl::desc("Leave out this pattern (a name, a glob such as 'Fold*', or label:NAME)"),
                                cl::value_desc("P"), cl::cat(run)};
  cl::list<std::string> only{"only-pattern",
                             cl::desc("Run only this pattern (a name, a glob or label:NAME), also if no pass has it"),
                             cl::value_desc("P"), cl::cat(run)};
  cl::opt<std::string> maxRewrites{"max-rewrites", cl::value_desc("N"), cl::cat(run),
                                   cl::desc("Stop rewriting after N rewrites and folds in all")};
  cl::opt<std::string> maxFoldBytes{
      "max-fold-bytes", cl::value_desc("BYTES"), cl::cat(run),
      cl::desc("Compute no constant beforehand that is larger than this (default 256 MiB); 0: none at all")};
  cl::opt<std::string> fastmath{"fastmath", cl::ValueOptional, cl::value_desc("FREEDOMS"), cl::cat(run),
                                cl::desc("Allow patterns that are right over the reals but not bit for bit: all, or "
                                         "those that take no more than these, of "
                                         "reassoc, no_nan, no_signed_zero, contract, reciprocal, approximate, and "
                                         "no_overflow (of integers; never by itself); no pass "
                                         "allows more than is said here, whatever its "
                                         "pipeline says (false: none)")};
  cl::opt<bool> unmerged{"unmerged", cl::desc("Try every pattern on its own: the same result, more slowly"),
                         cl::cat(run)};
  cl::opt<bool> strict{
      "strict",
      cl::desc("Take for an error: a pass that fails (else it is rolled back, and the next one runs), what --check "
               "cannot compare, and tensors in files that are not there"),
      cl::cat(run)};
  cl::opt<bool> verifyEach{"verify-each", cl::desc("Verify the program after each pass"), cl::cat(run)};
  cl::opt<cl::boolOrDefault> expensive{"expensive-checks", cl::ValueOptional, cl::cat(run),
                                       cl::desc("Check after each attempt that the pattern told the truth")};
  cl::opt<std::string> check{
      "check", cl::value_desc("N"), cl::cat(run),
      cl::desc("Evaluate the program before and after on N random inputs; refuse to write on a difference, with "
               "--strict also if it cannot be told")};
  cl::list<std::string> expect{
      "expect", cl::value_desc("PATH"), cl::cat(run),
      cl::desc("Fail unless the result holds this path of ops, e.g. 'Transpose -> Conv:Bx8x?x? -> Relu', "
               "or number of ops, e.g. 'Transpose = 0'")};
  cl::opt<std::string> expectMode{
      "expect-mode", cl::value_desc("exact|contains"), cl::init("contains"), cl::cat(run),
      cl::desc("Whether a path leads from an input to an output or stands anywhere (default)")};
  cl::opt<std::string> tolerance{
      "check-tolerance", cl::value_desc("X"), cl::cat(run),
      cl::desc(
          "Largest relative difference that --check accepts (default 1e-4; f16 and bf16 at least 4 units in the last "
          "place); 0: bit for bit")};
  cl::list<std::string> checkShapes{
      "check-shape", cl::value_desc("NAME=SIZES"), cl::cat(run),
      cl::desc("With --check: the shape of an input that is drawn, e.g. x=1,3,224,?: a size, a symbol, or ? for any")};
  cl::opt<std::string> reproducer{"reproducer", cl::value_desc("FILE"), cl::cat(run),
                                  cl::desc("If a pass fails or crashes, leave it and its input in FILE (.rwir)")};
  cl::opt<bool> reproduce{"reproduce", cl::cat(run), cl::desc("Run what the reproducer IN says, on the program in it")};
  cl::list<std::string> lateOverrides{
      "late-override", cl::value_desc("NAME.ATTR=VALUE"), cl::cat(run),
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
  cl::opt<std::string> progressAfter{
      "progress-after", cl::value_desc("SECONDS"), cl::cat(see),
      cl::desc("On a terminal, show progress of a run that takes longer than this (default 2)")};
  cl::opt<std::string> report{
      "report", cl::value_desc("FILE.html"), cl::cat(see),
      cl::desc("Write a page about the run: counts, patterns, rewrites drawn before and after, near misses")};
  cl::opt<std::string> diff{
      "diff", cl::value_desc("A"), cl::cat(see),
      cl::desc("Say what the model IN has that A has not, and the other way round (rw-opt --diff A B), and "
               "stop. Exit status 0: nothing, 1: something, 2: it could not be told")};
  cl::opt<std::string> serve{
      "serve", cl::ValueOptional, cl::value_desc("PORT"), cl::cat(see),
      cl::desc("Show a page on which the patterns of --patterns are written and tried on the model IN (neither need be "
               "there), for browsers of this machine, until Ctrl-C. Without PORT on any port that is free")};
  cl::opt<bool> timing{"timing", cl::desc("Show the time of each pass"), cl::cat(see)};
  cl::opt<bool> printAfterChange{"print-ir-after-change", cl::desc("Show the program after each pass that changed it"),
                                 cl::cat(see)};
  cl::opt<bool> logRewrites{"log-rewrites", cl::desc("Show one line per rewrite, fold and erased op"), cl::cat(see)};
  cl::opt<std::string> traceFile{"trace", cl::value_desc("FILE"), cl::cat(see),
                                 cl::desc("Write a time line that chrome://tracing and Perfetto load")};
  cl::opt<std::string> dumpDir{"dump-dir", cl::value_desc("DIR"), cl::cat(see),
                               cl::desc("Write the program before and after, statistics and every rewrite below DIR")};
  cl::opt<std::string> test{
      "test", cl::ValueOptional, cl::value_desc("GLOB"), cl::cat(see),
      cl::desc("Run the tests declared in .rw files, all or of patterns and passes so named, and stop")};
  cl::opt<std::string> completion{"completion", cl::value_desc("bash|zsh"), cl::cat(see),
                                  cl::desc("Print what makes this shell complete options, and stop")};
  cl::opt<bool> man{"man", cl::cat(see), cl::desc("Print the manual page, in the language of man(7), and stop")};
  cl::opt<bool> listPasses{"list-passes", cl::desc("List passes and pipelines, and stop"), cl::cat(see)};
  cl::opt<bool> listPatterns{"list-patterns", cl::desc("List patterns, and stop"), cl::cat(see)};
  cl::opt<std::string> listOps{
      "list-ops", cl::ValueOptional, cl::value_desc("GLOB"), cl::cat(see),
      cl::desc(
          "List ops with their signatures and files, all or those with such a name ('onnx.Reduce*', Relu), and stop")};
};

/// Whether it is one of ours, and how it is written.
bool isOurs(const cl::Option &option, const Flags &f) {
  return llvm::any_of(option.Categories,
                      [&](const cl::OptionCategory *c) { return c == &f.io || c == &f.run || c == &f.see; });
}
std::string written(llvm::StringRef name) { return (name.size() == 1 ? "-" : "--") + name.str(); }

/// Options that are there but mean nothing: twice where one counts, or without a value, as from an unset variable of a
/// script.
std::string emptyOrTwice(const Flags &f) {
  std::vector<const cl::Option *> given;
  for (const auto &entry : cl::getRegisteredOptions())
    if (isOurs(*entry.second, f) && entry.second->getNumOccurrences())
      given.push_back(entry.second);
  llvm::sort(given, [](const cl::Option *a, const cl::Option *b) { return a->ArgStr < b->ArgStr; });
  for (const cl::Option *option : given)
    if (option->getNumOccurrences() > 1 && option->getNumOccurrencesFlag() == cl::Optional &&
        option->getValueExpectedFlag() == cl::ValueRequired)
      return written(option->ArgStr) + " stands there twice" +
             (option == &f.output ? "; the result goes to one file" : "; only one can count");
  if (f.pipeline.getNumOccurrences() && f.pipeline.empty())
    return "--pipeline is empty; --pipeline none runs no passes";
  const cl::opt<std::string> *const single[] = {&f.output,  &f.report,     &f.whyNot,     &f.at,
                                                &f.diff,    &f.reproducer, &f.traceFile,  &f.dumpDir,
                                                &f.backend, &f.emit,       &f.expectMode, &f.externalData};
  auto at = [](const cl::list<std::string> &list) { return std::addressof(list); }; // a list's own & gives its values
  const cl::list<std::string> *const several[] = {
      at(f.disable),  at(f.only),    at(f.expect),     at(f.lateOverrides), at(f.printBefore), at(f.printAfter),
      at(f.bounds),   at(f.shapes),  at(f.inputs),     at(f.outputs),       at(f.keep),        at(f.keepFp32),
      at(f.patterns), at(f.plugins), at(f.importDirs), at(f.checkShapes)};
  for (const cl::opt<std::string> *option : single)
    if (option->getNumOccurrences() && option->empty())
      return written(option->ArgStr) + " is empty; leave it out, or say what it means";
  for (const cl::list<std::string> *option : several)
    if (llvm::any_of(*option, [](const std::string &value) { return value.empty(); }))
      return written(option->ArgStr) + " is empty; leave it out, or say what it means";
  if (f.input.getNumOccurrences() && f.input.empty())
    return "the name of the input is empty";
  return {};
}

/// What is there beside an option that does something else than a run.
std::string besideMode(const Flags &f) {
  struct Mode {
    const cl::Option *option;
    const char *what;
    std::vector<const cl::Option *> with;
  };
  // Their own & gives values.
  const cl::Option *const patterns = std::addressof(f.patterns), *const plugins = std::addressof(f.plugins),
                          *const imports = std::addressof(f.importDirs);
  const Mode modes[] = {
      {&f.listPasses, "lists and stops", {&f.listPatterns, &f.listOps, patterns, plugins, imports}},
      {&f.listPatterns, "lists and stops", {&f.listPasses, &f.listOps, patterns, plugins, imports}},
      {&f.listOps, "lists and stops", {&f.listPasses, &f.listPatterns, patterns, plugins, imports}},
      {&f.test, "runs tests and stops", {patterns, plugins, imports}},
      {&f.serve, "shows a page", {&f.input, patterns, plugins, imports, &f.pipeline}},
      {&f.diff, "compares two models and stops", {&f.input}},
  };
  for (const Mode &mode : modes) {
    if (!mode.option->getNumOccurrences())
      continue;
    const std::string name = written(mode.option->ArgStr);
    if (f.input.getNumOccurrences() && !llvm::is_contained(mode.with, &f.input))
      return name + " " + mode.what + ", so " + f.input + " has no part in it" +
             (mode.option->getValueExpectedFlag() == cl::ValueOptional && !mode.option->ValueStr.empty()
                  ? "; a value stands behind a `=`, as in " + name + "=" + f.input
                  : "");
    std::string beside; // the first by name
    for (const auto &entry : cl::getRegisteredOptions())
      if (const cl::Option *option = entry.second; isOurs(*option, f) && option->getNumOccurrences() &&
                                                   option != mode.option && !llvm::is_contained(mode.with, option) &&
                                                   (beside.empty() || option->ArgStr < beside))
        beside = option->ArgStr.str();
    if (!beside.empty())
      return written(mode.option->ArgStr) + " " + mode.what + ", so " + written(beside) + " has no part in it";
  }
  return {};
}

/// "NAME.ATTR=VALUE".
bool isOverride(llvm::StringRef text) {
  auto [place, value] = text.split('=');
  auto [name, attr] = place.rsplit('.');
  return text.contains('=') && !name.empty() && !attr.empty();
}
/// "B=64".
bool isBound(llvm::StringRef text) {
  auto [symbol, most] = text.split('=');
  uint64_t number;
  return !symbol.empty() && !most.getAsInteger(10, number) && number <= uint64_t(INT64_MAX);
}

/// Sets a number that is given; empty, or what is wrong with it.
template <class Number> std::string readNumber(const cl::opt<std::string> &option, Number &out) {
  if (!option.getNumOccurrences())
    return {};
  const std::string &text = option;
  Number value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = std::is_integral_v<Number>;
  if (error == std::errc::result_out_of_range)
    return written(option.ArgStr) + " is too large: " + text;
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0))
    return written(option.ArgStr) + " is a " + (whole ? "whole number" : "number") + ", 0 or greater, not " +
           (text.empty() ? "empty" : text);
  out = value;
  return {};
}

/// The numbers of a command line; empty, or what is wrong with one.
std::string readNumbers(const Flags &f, Options &options) {
  uint64_t rewrites = 0, folded = 0;
  for (std::string wrong : {readNumber(f.check, options.check), readNumber(f.opset, options.opset),
                            readNumber(f.threads, options.threads), readNumber(f.tolerance, options.checkTolerance),
                            readNumber(f.progressAfter, options.progressAfter), readNumber(f.maxRewrites, rewrites),
                            readNumber(f.maxFoldBytes, folded), readNumber(f.externalBytes, options.externalBytes)})
    if (!wrong.empty())
      return wrong;
  if (f.opset.getNumOccurrences() && !options.opset)
    return "--opset takes the number of an operator set, 1 or greater, not 0";
  if (f.maxRewrites.getNumOccurrences())
    options.maxRewrites = rewrites;
  if (f.maxFoldBytes.getNumOccurrences())
    options.maxFoldBytes = folded;
  if (!options.threads)
    options.threads = std::max(1u, std::thread::hardware_concurrency());
  constexpr unsigned kMostThreads = 256;
  options.threads = std::min(options.threads, kMostThreads);
  constexpr double kF16Tolerance = 1e-2;
  if (f.fp16.getNumOccurrences() && !f.tolerance.getNumOccurrences())
    options.checkTolerance = kF16Tolerance;
  return {};
}

/// What does not go together, or is no value.
std::string wrongTogether(const Flags &f) {
  if (f.emit != "program" && f.emit != "exec")
    return "--emit is program or exec, not " + f.emit;
  if (f.emit == "exec" && llvm::StringRef(f.output).ends_with_insensitive(".onnx"))
    return "--emit exec writes text, and " + f.output + " would be taken for a model; give it another extension";
  if (f.emit != "exec" && !f.bounds.empty())
    return "--bound says how large shapes of an execution program get, and --emit exec is not there";
  if (f.externalData.getNumOccurrences() && !llvm::StringRef(f.output).ends_with_insensitive(".onnx"))
    return "--external-data says where the tensors of a model go, and -o names no .onnx file";
  if (llvm::StringRef(f.externalData).find_first_of("/\\") != llvm::StringRef::npos)
    return "--external-data is a file beside the model, a name without a folder, not " + f.externalData;
  if (f.externalBytes.getNumOccurrences() && !f.externalData.getNumOccurrences())
    return "--external-data-size says which tensors --external-data takes, and --external-data is not there";
  if (f.embedData && f.externalData.getNumOccurrences())
    return "--embed-data takes tensors into the model and --external-data out of it; leave one of them out";
  if (!f.keepFp32.empty() && !f.fp16.getNumOccurrences())
    return "--keep-fp32 says what --fp16 leaves, and --fp16 is not there";
  if (!f.fp16.empty() && f.fp16 != "io")
    return "--fp16 stands alone or is io, not " + f.fp16;
  for (const std::string &bound : f.bounds)
    if (!isBound(bound))
      return "--bound is SYMBOL=N, e.g. B=64, not " + bound;
  for (const std::string &text : f.shapes)
    if (Result<InputShape> shape = readInputShape(text); !shape)
      return "--shape cannot be " + text + ": " + shape.error();
  for (const std::string &text : f.checkShapes)
    if (Result<InputShape> shape = readInputShape(text); !shape)
      return "--check-shape cannot be " + text + ": " + shape.error();
  if (!f.checkShapes.empty() && !f.check.getNumOccurrences())
    return "--check-shape says which inputs --check compares on, and --check is not there";
  for (const std::string &text : f.lateOverrides)
    if (!isOverride(text))
      return "--late-override is NAME.ATTR=VALUE, not " + text;
  if (f.whyNot.getNumOccurrences() && !f.pipeline.getNumOccurrences() &&
      (f.output.getNumOccurrences() || f.report.getNumOccurrences()))
    return "--why-not alone runs no passes; with -o or --report, say by --pipeline which ones run first";
  if (f.at.getNumOccurrences() && !f.whyNot.getNumOccurrences())
    return "--at says where --why-not looks, and --why-not is not there";
  if (!f.importDirs.empty() && f.patterns.empty())
    return "-I says where the files of --patterns find what they import, and --patterns is not there";
  for (const std::string &folder : f.importDirs)
    if (!llvm::sys::fs::is_directory(folder))
      return "-I names folders, and " + folder + " is none";
  if (f.expectMode != "exact" && f.expectMode != "contains")
    return "--expect-mode is exact or contains, not " + f.expectMode;
  if (f.expectMode.getNumOccurrences() && f.expect.empty())
    return "--expect-mode says how paths are looked for, and --expect is not there";
  if (f.tolerance.getNumOccurrences() && !f.check.getNumOccurrences())
    return "--check-tolerance says what --check accepts, and --check is not there";
  if (f.stats.getNumOccurrences() && !f.stats.empty() && f.stats != "text" && f.stats != "json")
    return "--stats is text or json, not " + f.stats;
  if (std::string unknown; f.fastmath.getNumOccurrences() && !FastMath::read(f.fastmath, unknown)) {
    std::string_view near = nearestName(unknown, {std::begin(FastMath::kNames), std::end(FastMath::kNames)});
    return "--fastmath is a list of freedoms, such as reassoc,contract, and " +
           (unknown.empty() ? "an empty word" : unknown) + " is none; " +
           (near.empty() ? "they are " + FastMath::every().list() : "did you mean " + std::string(near) + "?");
  }
  if (f.serve.getNumOccurrences() && f.patterns.size() > 1)
    return "--serve edits one file, and --patterns names " + std::to_string(f.patterns.size());
  if (f.serve.getNumOccurrences() && (f.input == "-" || llvm::is_contained(f.patterns, "-")))
    return "--serve reads files as often as it needs them, and standard input can be read once";
  if (uint64_t port; f.serve.getNumOccurrences() && !f.serve.empty() &&
                     (llvm::StringRef(f.serve).getAsInteger(10, port) || port > 65535))
    return "--serve takes the number of a port, 0 to 65535, not " + f.serve;
  if (f.input == "-" && llvm::is_contained(f.patterns, "-"))
    return "standard input is the program or the patterns, not both: name a file for one of them";
  if (f.reproduce && f.input.empty())
    return "--reproduce runs the reproducer IN, and there is no input";
  return {};
}

/// Files that would be written over each other or over what is read; the output may take the input's place.
std::string onTopOfEachOther(const Flags &f) {
  const OutputFile files[] = {{"the input", f.input},
                              {"-o", f.output},
                              {"--report", f.report},
                              {"--trace", f.traceFile},
                              {"--reproducer", f.reproducer}};
  auto read = [&](std::string_view flag, const cl::list<std::string> &paths) -> std::string {
    for (const std::string &path : paths)
      for (size_t i = 1; i < std::size(files); ++i)
        if (files[i].isNamed() && isSameFile(path, files[i].path))
          return fmt::format("{} would be written over {}, which {} reads", files[i].option, path, flag);
    return {};
  };
  if (std::string wrong = read("--patterns", f.patterns); !wrong.empty())
    return wrong;
  if (std::string wrong = read("--plugin", f.plugins); !wrong.empty())
    return wrong;
  for (size_t i = 0; i < std::size(files); ++i)
    for (size_t j = std::max<size_t>(i + 1, 2); j < std::size(files); ++j)
      if (files[i].isNamed() && isSameFile(files[i].path, files[j].path))
        return fmt::format("{} and {} are one file, {}; it can hold one of them", files[i].option, files[j].option,
                           files[i].path);
  if (std::ifstream known(f.reproducer, std::ios::binary); known && !f.reproducer.empty()) {
    std::string text(4096, 0);
    known.read(text.data(), std::streamsize(text.size()));
    text.resize(size_t(known.gcount()));
    if (!text.empty() && !readReproducer(text))
      return fmt::format("--reproducer would be written over {}, which is no reproducer", f.reproducer);
  }
  return {};
}

std::string wrongUse(const Flags &f) {
  for (auto *check : {emptyOrTwice, besideMode, wrongTogether, onTopOfEachOther})
    if (std::string wrong = check(f); !wrong.empty())
      return wrong;
  bool needsInput = !f.serve.getNumOccurrences() && !f.test.getNumOccurrences() && !f.listPasses && !f.listPatterns &&
                    !f.listOps.getNumOccurrences();
  return needsInput && f.input.empty() ? "no input file; rw-opt --help tells how to call it" : "";
}
} // namespace

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  // LLVM's Support library registers options of its own; its -stats would clash with ours.
  llvm::StringMap<cl::Option *> &registered = cl::getRegisteredOptions();
  if (auto it = registered.find("stats"); it != registered.end())
    it->second->removeArgument();
  Flags flags;
  cl::HideUnrelatedOptions({&flags.io, &flags.run, &flags.see});
  cl::SetVersionPrinter([](llvm::raw_ostream &out) { out << "rw-opt " RW_VERSION "\nLLVM " LLVM_VERSION_STRING "\n"; });
  std::string errors;
  llvm::raw_string_ostream errorStream(errors);
  const char *overview = "Runs rewrite passes over a program.\n\n"
                         "  rw-opt model.onnx -o smaller.onnx --stats\n"
                         "  rw-opt program.rwir --pipeline canonicalize,dce\n"
                         "  rw-opt model.onnx --patterns my.rw -o out.onnx\n"
                         "  rw-opt model.mlir -o model.onnx\n";
  const std::string help = std::string(overview) + "\nExit status: 0 done, 1 the input is wrong, 2 the command line is "
                                                   "wrong.\n";
  std::string wrong;
  if (!cl::ParseCommandLineOptions(argc, argv, help, &errorStream)) {
    llvm::StringRef said = errors;
    said.consume_front(llvm::sys::path::filename(argv[0]));
    said.consume_front(": ");
    if (said.empty()) // it was shown
      return 2;
    wrong = inPlainWords(std::string_view(said.data(), said.size()), "rw-opt");
  } else if (flags.completion.getNumOccurrences() || flags.man) {
    const std::string name = llvm::sys::path::filename(argv[0]).str();
    const ProgramText text{name, RW_VERSION, "runs rewrite passes over a program", "[options] IN", overview};
    const std::string out = flags.man ? manPage(text) : completionScript(flags.completion.getValue(), text);
    if (!out.empty()) {
      llvm::outs() << out;
      return 0;
    }
    wrong = "--completion takes `bash` or `zsh`, not `" + flags.completion + "`";
  } else {
    wrong = wrongUse(flags);
    if (wrong.empty())
      wrong = readNumbers(flags, options);
  }
  if (!wrong.empty()) {
    llvm::errs() << "rw-opt: " << wrong << "\n";
    return 2;
  }
  options.input = flags.input;
  options.output = flags.output;
  if (flags.pipeline.getNumOccurrences())
    options.pipeline = flags.pipeline;
  options.patternFiles.assign(flags.patterns.begin(), flags.patterns.end());
  options.plugins.assign(flags.plugins.begin(), flags.plugins.end());
  options.importDirs.assign(flags.importDirs.begin(), flags.importDirs.end());
  options.disabledPatterns.assign(flags.disable.begin(), flags.disable.end());
  options.onlyPatterns.assign(flags.only.begin(), flags.only.end());
  options.backend = flags.backend;
  options.reproducer = flags.reproducer;
  options.reproduce = flags.reproduce;
  options.lateOverrides.assign(flags.lateOverrides.begin(), flags.lateOverrides.end());
  options.whyNot = flags.whyNot;
  options.at = flags.at;
  options.printBefore.assign(flags.printBefore.begin(), flags.printBefore.end());
  options.printAfter.assign(flags.printAfter.begin(), flags.printAfter.end());
  options.shapes.assign(flags.shapes.begin(), flags.shapes.end());
  options.inputs.assign(flags.inputs.begin(), flags.inputs.end());
  options.outputs.assign(flags.outputs.begin(), flags.outputs.end());
  options.keep.assign(flags.keep.begin(), flags.keep.end());
  options.checkShapes.assign(flags.checkShapes.begin(), flags.checkShapes.end());
  options.freezeDefaults = flags.freezeDefaults;
  options.merge = !flags.unmerged;
  options.bareOps = flags.bareOps;
  options.externalData = flags.externalData;
  options.embedData = flags.embedData;
  options.fp16 = flags.fp16.getNumOccurrences() != 0;
  options.fp16Interface = flags.fp16 == "io";
  options.keepFp32.assign(flags.keepFp32.begin(), flags.keepFp32.end());
  if (std::string unknown; flags.fastmath.getNumOccurrences())
    options.fastmath = FastMath::read(flags.fastmath, unknown).value_or(FastMath()); // wrongTogether has looked at it
  options.strict = flags.strict;
  options.verifyEach = flags.verifyEach;
  if (flags.expensive.getNumOccurrences())
    options.expensiveChecks = flags.expensive != cl::BOU_FALSE;
  options.expect.assign(flags.expect.begin(), flags.expect.end());
  options.expectExact = flags.expectMode == "exact";
  options.stats = flags.stats.getNumOccurrences() != 0;
  options.statsAsJson = flags.stats == "json";
  options.diffWith = flags.diff;
  options.report = flags.report;
  options.emitExec = flags.emit == "exec";
  options.bounds.assign(flags.bounds.begin(), flags.bounds.end());
  options.timing = flags.timing;
  options.printAfterChange = flags.printAfterChange;
  options.logRewrites = flags.logRewrites;
  options.traceFile = flags.traceFile;
  options.dumpDir = flags.dumpDir;
  options.listPasses = flags.listPasses;
  options.listPatterns = flags.listPatterns;
  if (flags.listOps.getNumOccurrences())
    options.listOps = flags.listOps.empty() ? "*" : std::string(flags.listOps);
  if (flags.serve.getNumOccurrences())
    options.serve = flags.serve.empty() ? 0 : std::stoi(flags.serve);
  if (flags.test.getNumOccurrences())
    options.test = flags.test.empty() ? std::string("*") : flags.test.getValue();
  return std::nullopt;
}

} // namespace rw::opt
