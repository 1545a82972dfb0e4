#include "rw/opt/options.h"

#include "rw/optimize/interface.h"
#include "rw/passes/reproducer.h"
#include "rw/support/command_line.h"
#include "rw/support/diagnostics.h"
#include "rw/support/nearest_name.h"
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
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

namespace rw::opt {
namespace cl = llvm::cl;

namespace {
std::string written(llvm::StringRef name) { return (name.size() == 1 ? "-" : "--") + name.str(); }

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

template <class N> std::string readNumber(const cl::opt<std::string> &option, std::optional<N> &out) {
  N value{};
  std::string wrong = readNumber(option, value);
  if (option.getNumOccurrences())
    out = value;
  return wrong;
}

/// The options live only while a command line is parsed, so that optMain can run more than once in a process.
struct Flags {
  explicit Flags(Options &options) : o(options) {}

  Options &o; // a flag sets the member that stands in its row
  std::string emitText = "program", expectText = "contains";
  // Of those that mean nothing without a text.
  std::vector<std::pair<const cl::Option *, std::function<bool()>>> isEmpty;
  std::vector<std::function<std::string()>> numbers; // each reads its own, and says what is wrong with it

  // Rows: where the value goes, the name, what the value is called, the category, help.
  using Category = cl::OptionCategory;
  struct Switch : cl::opt<bool, true> {
    Switch(bool &place, const char *name, Category &in, const char *help)
        : opt(llvm::StringRef(name), cl::location(place), cl::cat(in), cl::desc(help)) {}
  };
  struct Text : cl::opt<std::string, true> {
    Text(Flags &f, std::string &place, const char *name, const char *value, Category &in, const char *help)
        : opt(llvm::StringRef(name), cl::location(place), cl::value_desc(value), cl::cat(in), cl::desc(help)) {
      f.isEmpty.emplace_back(this, [&place] { return place.empty(); });
    }
  };
  struct Texts : cl::list<std::string, std::vector<std::string>> {
    template <class... Rest>
    Texts(Flags &f, std::vector<std::string> &place, const char *name, const char *value, Category &in,
          const char *help, Rest... rest)
        : list(llvm::StringRef(name), cl::location(place), cl::value_desc(value), cl::cat(in), cl::desc(help),
               rest...) {
      f.isEmpty.emplace_back(this, [&place] { return std::ranges::find(place, "") != place.end(); });
    }
  };
  template <class N> struct Number : cl::opt<std::string> {
    Number(Flags &f, N &place, const char *name, const char *value, Category &in, const char *help)
        : cl::opt<std::string>(llvm::StringRef(name), cl::value_desc(value), cl::cat(in), cl::desc(help)) {
      f.numbers.push_back([this, &place] { return readNumber(*this, place); });
    }
  };

  cl::OptionCategory io{"Input and output"}, run{"Running"}, see{"Seeing what happens"};
  cl::opt<std::string, true> input{cl::Positional, cl::location(o.input),
                                   cl::desc("IN (.rwir, .mlir, .jaxpr or .onnx; - is standard input)"), cl::cat(io)};
  Text output = Text(*this, o.output, "o", "OUT", io,
                     "Write the result here (.rwir, .mlir or .onnx; - is standard output, .rwir)");
  Text emit =
      Text(*this, emitText, "emit", "program|exec", io,
           "Write the program (default) or, as text, its execution program; then the default pipeline is tenferro");
  Switch bareOps = Switch(o.bareOps, "bare-ops", io,
                          "In ONNX models, leave out the functions that say what ops of other domains mean (`means` in "
                          ".rw): for an engine that has the ops");
  Text externalData = Text(*this, o.externalData, "external-data", "FILE", io,
                           "Write the tensors of an ONNX model to FILE beside it: a name without a folder");
  Number<uint64_t> externalBytes =
      Number(*this, o.externalBytes, "external-data-size", "BYTES", io,
             "With --external-data: tensors of fewer bytes stay in the model (default 1024)");
  Switch embedData =
      Switch(o.embedData, "embed-data", io, "Take the tensors that an ONNX model has in other files into the model");
  Texts shapes = Texts(*this, o.shapes, "shape", "NAME=SIZES", io,
                       "Fix the shape of an input, e.g. x=1,3,224,W: a size, a symbol, or ? for what it is");
  Switch freezeDefaults = Switch(o.freezeDefaults, "freeze-defaults", io,
                                 "Inputs of an ONNX model that have a default (an initializer of that name) are "
                                 "constants: nobody will give them another value");
  Texts inputs = Texts(*this, o.inputs, "inputs", "NAMES", io, "Cut the program: these values become its inputs",
                       cl::CommaSeparated);
  Texts outputs = Texts(*this, o.outputs, "outputs", "NAMES", io, "Cut the program: these values become its outputs",
                        cl::CommaSeparated);
  Texts bounds = Texts(*this, o.bounds, "bound", "SYMBOL=N", io,
                       "With --emit exec: the symbolic dimension SYMBOL is never greater than N");
  cl::opt<std::string> pipeline{"pipeline", cl::value_desc("NAME|TEXT"), cl::cat(run),
                                cl::desc("What to run, e.g. canonicalize,repeat(4){cse,dce}. Default: onnx for .onnx, "
                                         "default for text; none only reads and writes")};
  Number<int> opset = Number(
      *this, o.opset, "opset", "N", run,
      "The operator set that a program becomes a model of (default: 17, or the first one behind it that has all ops it "
      "needs), an op that needs a newer one is an error; or, of an ONNX model, that it is converted to first");
  Number<unsigned> threads =
      Number(*this, o.threads, "threads", "N", run,
             "Work on several functions of the program at once, on N threads (0: one per processor). The result is the "
             "same on any number; what is logged, traced or reported keeps it on one");
  cl::opt<std::string> fp16{"fp16", cl::ValueOptional, cl::value_desc("io"), cl::cat(run),
                            cl::desc("Compute in floats of 16 bits what an ONNX model computes in 32, after all else; "
                                     "io: its inputs and results are of 16 "
                                     "bits as well (pass to_f16; --check then accepts 1e-2)")};
  Texts keepFp32 = Texts(*this, o.keepFp32, "keep-fp32", "OP", run,
                         "With --fp16: this op stays in 32 bits (a kind as Softmax, a name, or a glob as '/head/*')",
                         cl::CommaSeparated);
  Texts patterns = Texts(*this, o.patternFiles, "patterns", "FILE.rw", run,
                         "Load this file of patterns; without --pipeline all of its patterns run, until none matches");
  Texts importDirs = Texts(*this, o.importDirs, "I", "DIR", run, "Look here for what the files of --patterns import");
  Texts plugins = Texts(*this, o.plugins, "plugin", "LIB.so", run,
                        "Load this library of patterns and passes, made by rw_add_patterns(... PLUGIN); without "
                        "--pipeline all of its patterns run, until none matches");
  Text backend = Text(*this, o.backend, "backend", "NAME", run, "Let this backend add its passes to the pipeline full");
  Texts keep = Texts(*this, o.keep, "keep", "NAME", run, "Leave this op as it is (its name, or the name of a result)");
  Texts disable = Texts(*this, o.disabledPatterns, "disable-pattern", "P", run,
                        "Leave out this pattern (a name, a glob such as 'Fold*', or label:NAME)");
  Texts only = Texts(*this, o.onlyPatterns, "only-pattern", "P", run,
                     "Run only this pattern (a name, a glob or label:NAME), also if no pass has it");
  Number<std::optional<uint64_t>> maxRewrites =
      Number(*this, o.maxRewrites, "max-rewrites", "N", run, "Stop rewriting after N rewrites and folds in all");
  Number<std::optional<uint64_t>> maxFoldBytes =
      Number(*this, o.maxFoldBytes, "max-fold-bytes", "BYTES", run,
             "Compute no constant beforehand that is larger than this (default 256 MiB); 0: none at all");
  cl::opt<std::string> fastmath{"fastmath", cl::ValueOptional, cl::value_desc("FREEDOMS"), cl::cat(run),
                                cl::desc("Allow patterns that are right over the reals but not bit for bit: all, or "
                                         "those that take no more than these, of "
                                         "reassoc, no_nan, no_signed_zero, contract, reciprocal, approximate, and "
                                         "no_overflow (of integers; never by itself); no pass "
                                         "allows more than is said here, whatever its "
                                         "pipeline says (false: none)")};
  cl::opt<bool> unmerged{"unmerged", cl::desc("Try every pattern on its own: the same result, more slowly"),
                         cl::cat(run)};
  Switch strict = Switch(o.strict, "strict", run,
                         "Take for an error: a pass that fails (else it is rolled back, and the next one runs), what "
                         "--check cannot compare, and tensors in files that are not there");
  Switch verifyEach = Switch(o.verifyEach, "verify-each", run, "Verify the program after each pass");
  cl::opt<cl::boolOrDefault> expensive{"expensive-checks", cl::ValueOptional, cl::cat(run),
                                       cl::desc("Check after each attempt that the pattern told the truth")};
  Number<unsigned> check = Number(*this, o.check, "check", "N", run,
                                  "Evaluate the program before and after on N random inputs; refuse to write on a "
                                  "difference, with --strict also if it cannot be told");
  Texts expect = Texts(*this, o.expect, "expect", "PATH", run,
                       "Fail unless the result holds this path of ops, e.g. 'Transpose -> Conv:Bx8x?x? -> Relu', or "
                       "number of ops, e.g. 'Transpose = 0'");
  Text expectMode = Text(*this, expectText, "expect-mode", "exact|contains", run,
                         "Whether a path leads from an input to an output or stands anywhere (default)");
  Number<double> tolerance = Number(*this, o.checkTolerance, "check-tolerance", "X", run,
                                    "Largest relative difference that --check accepts (default 1e-4; f16 and bf16 at "
                                    "least 4 units in the last place); 0: bit for bit");
  Texts checkShapes =
      Texts(*this, o.checkShapes, "check-shape", "NAME=SIZES", run,
            "With --check: the shape of an input that is drawn, e.g. x=1,3,224,?: a size, a symbol, or ? for any");
  Text reproducer = Text(*this, o.reproducer, "reproducer", "FILE", run,
                         "If a pass fails or crashes, leave it and its input in FILE (.rwir)");
  Switch reproduce = Switch(o.reproduce, "reproduce", run, "Run what the reproducer IN says, on the program in it");
  Texts lateOverrides = Texts(*this, o.lateOverrides, "late-override", "NAME.ATTR=VALUE", run,
                              "Set an attribute of the op named NAME, or of what makes the value %NAME, after all "
                              "passes, on whatever then stands in its place");
  Text whyNot = Text(
      *this, o.whyNot, "why-not", "PATTERN", see,
      "Say where the pattern matches, and elsewhere the first condition that fails; after --pipeline if there is one");
  Text at = Text(*this, o.at, "at", "NAME", see, "With --why-not: only at this value (%3, %y) or op name");
  Texts printBefore = Texts(*this, o.printBefore, "print-ir-before", "PASS", see,
                            "Show the function before each run of this pass (a name or a glob)");
  Texts printAfter = Texts(*this, o.printAfter, "print-ir-after", "PASS", see,
                           "Show the function after each run of this pass (a name or a glob)");
  cl::opt<std::string> stats{"stats", cl::ValueOptional, cl::value_desc("text|json"), cl::cat(see),
                             cl::desc("Show ops before and after, and what each pattern did")};
  Number<double> progressAfter =
      Number(*this, o.progressAfter, "progress-after", "SECONDS", see,
             "On a terminal, show progress of a run that takes longer than this (default 2)");
  Text report = Text(*this, o.report, "report", "FILE.html", see,
                     "Write a page about the run: counts, patterns, rewrites drawn before and after, near misses");
  Text diff = Text(*this, o.diffWith, "diff", "A", see,
                   "Say what the model IN has that A has not, and the other way round (rw-opt --diff A B), and stop. "
                   "Exit status 0: nothing, 1: something, 2: it could not be told");
  cl::opt<std::string> serve{
      "serve", cl::ValueOptional, cl::value_desc("PORT"), cl::cat(see),
      cl::desc("Show a page on which the patterns of --patterns are written and tried on the model IN (neither need be "
               "there), for browsers of this machine, until Ctrl-C. Without PORT on any port that is free")};
  Switch timing = Switch(o.timing, "timing", see, "Show the time of each pass");
  Switch printAfterChange =
      Switch(o.printAfterChange, "print-ir-after-change", see, "Show the program after each pass that changed it");
  Switch logRewrites = Switch(o.logRewrites, "log-rewrites", see, "Show one line per rewrite, fold and erased op");
  Text traceFile =
      Text(*this, o.traceFile, "trace", "FILE", see, "Write a time line that chrome://tracing and Perfetto load");
  Text dumpDir = Text(*this, o.dumpDir, "dump-dir", "DIR", see,
                      "Write the program before and after, statistics and every rewrite below DIR");
  cl::opt<std::string> test{
      "test", cl::ValueOptional, cl::value_desc("GLOB"), cl::cat(see),
      cl::desc("Run the tests declared in .rw files, all or of patterns and passes so named, and stop")};
  cl::opt<std::string> completion{"completion", cl::value_desc("bash|zsh"), cl::cat(see),
                                  cl::desc("Print what makes this shell complete options, and stop")};
  cl::opt<bool> man{"man", cl::cat(see), cl::desc("Print the manual page, in the language of man(7), and stop")};
  Switch listPasses = Switch(o.listPasses, "list-passes", see, "List passes and pipelines, and stop");
  Switch listPatterns = Switch(o.listPatterns, "list-patterns", see, "List patterns, and stop");
  cl::opt<std::string> listOps{
      "list-ops", cl::ValueOptional, cl::value_desc("GLOB"), cl::cat(see),
      cl::desc(
          "List ops with their signatures and files, all or those with such a name ('onnx.Reduce*', Relu), and stop")};
};

/// Whether it is one of ours.
bool isOurs(const cl::Option &option, const Flags &f) {
  return llvm::any_of(option.Categories,
                      [&](const cl::OptionCategory *c) { return c == &f.io || c == &f.run || c == &f.see; });
}

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
  for (const auto &[option, isEmpty] : f.isEmpty)
    if (option->getNumOccurrences() && isEmpty())
      return written(option->ArgStr) + " is empty; leave it out, or say what it means";
  if (f.input.getNumOccurrences() && f.o.input.empty())
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
      return name + " " + mode.what + ", so " + f.o.input + " has no part in it" +
             (mode.option->getValueExpectedFlag() == cl::ValueOptional && !mode.option->ValueStr.empty()
                  ? "; a value stands behind a `=`, as in " + name + "=" + f.o.input
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

/// The numbers of a command line; empty, or what is wrong with one.
std::string readNumbers(const Flags &f, Options &options) {
  for (const std::function<std::string()> &read : f.numbers)
    if (std::string wrong = read(); !wrong.empty())
      return wrong;
  if (f.opset.getNumOccurrences() && !options.opset)
    return "--opset takes the number of an operator set, 1 or greater, not 0";
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
  if (f.emitText != "program" && f.emitText != "exec")
    return "--emit is program or exec, not " + f.emitText;
  if (f.emitText == "exec" && llvm::StringRef(f.o.output).ends_with_insensitive(".onnx"))
    return "--emit exec writes text, and " + f.o.output + " would be taken for a model; give it another extension";
  if (f.emitText != "exec" && !f.o.bounds.empty())
    return "--bound says how large shapes of an execution program get, and --emit exec is not there";
  if (f.externalData.getNumOccurrences() && !llvm::StringRef(f.o.output).ends_with_insensitive(".onnx"))
    return "--external-data says where the tensors of a model go, and -o names no .onnx file";
  if (llvm::StringRef(f.o.externalData).find_first_of("/\\") != llvm::StringRef::npos)
    return "--external-data is a file beside the model, a name without a folder, not " + f.o.externalData;
  if (f.externalBytes.getNumOccurrences() && !f.externalData.getNumOccurrences())
    return "--external-data-size says which tensors --external-data takes, and --external-data is not there";
  if (f.o.embedData && f.externalData.getNumOccurrences())
    return "--embed-data takes tensors into the model and --external-data out of it; leave one of them out";
  if (!f.o.keepFp32.empty() && !f.fp16.getNumOccurrences())
    return "--keep-fp32 says what --fp16 leaves, and --fp16 is not there";
  if (!f.fp16.empty() && f.fp16 != "io")
    return "--fp16 stands alone or is io, not " + f.fp16;
  for (const std::string &bound : f.o.bounds)
    if (!isBound(bound))
      return "--bound is SYMBOL=N, e.g. B=64, not " + bound;
  for (const std::string &text : f.o.shapes)
    if (Result<InputShape> shape = readInputShape(text); !shape)
      return "--shape cannot be " + text + ": " + shape.error();
  for (const std::string &text : f.o.checkShapes)
    if (Result<InputShape> shape = readInputShape(text); !shape)
      return "--check-shape cannot be " + text + ": " + shape.error();
  if (!f.o.checkShapes.empty() && !f.check.getNumOccurrences())
    return "--check-shape says which inputs --check compares on, and --check is not there";
  for (const std::string &text : f.o.lateOverrides)
    if (!isOverride(text))
      return "--late-override is NAME.ATTR=VALUE, not " + text;
  if (f.whyNot.getNumOccurrences() && !f.pipeline.getNumOccurrences() &&
      (f.output.getNumOccurrences() || f.report.getNumOccurrences()))
    return "--why-not alone runs no passes; with -o or --report, say by --pipeline which ones run first";
  if (f.at.getNumOccurrences() && !f.whyNot.getNumOccurrences())
    return "--at says where --why-not looks, and --why-not is not there";
  if (!f.o.importDirs.empty() && f.o.patternFiles.empty())
    return "-I says where the files of --patterns find what they import, and --patterns is not there";
  for (const std::string &folder : f.o.importDirs)
    if (!llvm::sys::fs::is_directory(folder))
      return "-I names folders, and " + folder + " is none";
  if (f.expectText != "exact" && f.expectText != "contains")
    return "--expect-mode is exact or contains, not " + f.expectText;
  if (f.expectMode.getNumOccurrences() && f.o.expect.empty())
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
  if (f.serve.getNumOccurrences() && f.o.patternFiles.size() > 1)
    return "--serve edits one file, and --patterns names " + std::to_string(f.o.patternFiles.size());
  if (f.serve.getNumOccurrences() && (f.o.input == "-" || llvm::is_contained(f.o.patternFiles, "-")))
    return "--serve reads files as often as it needs them, and standard input can be read once";
  if (uint64_t port; f.serve.getNumOccurrences() && !f.serve.empty() &&
                     (llvm::StringRef(f.serve).getAsInteger(10, port) || port > 65535))
    return "--serve takes the number of a port, 0 to 65535, not " + f.serve;
  if (f.o.input == "-" && llvm::is_contained(f.o.patternFiles, "-"))
    return "standard input is the program or the patterns, not both: name a file for one of them";
  if (f.o.input == "-" && f.o.diffWith == "-")
    return "standard input is one of the two models that --diff compares, not both: name a file for one of them";
  if (f.o.reproduce && f.o.input.empty())
    return "--reproduce runs the reproducer IN, and there is no input";
  return {};
}

/// Files that would be written over each other or over what is read; the output may take the input's place.
std::string onTopOfEachOther(const Flags &f) {
  std::vector<OutputFile> files = outputsOf(f.o);
  files.insert(files.begin(), {"the input", f.o.input});
  files.push_back({"--dump-dir", f.o.dumpDir});
  auto read = [&](std::string_view flag, const std::vector<std::string> &paths) -> std::string {
    for (const std::string &path : paths)
      for (size_t i = 1; i < files.size(); ++i)
        if (files[i].isNamed() && isSameFile(path, files[i].path))
          return fmt::format("{} would be written over {}, which {} reads", files[i].option, path, flag);
    return {};
  };
  if (std::string wrong = read("--patterns", f.o.patternFiles); !wrong.empty())
    return wrong;
  if (std::string wrong = read("--plugin", f.o.plugins); !wrong.empty())
    return wrong;
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = std::max<size_t>(i + 1, 2); j < files.size(); ++j)
      if (files[i].isNamed() && isSameFile(files[i].path, files[j].path))
        return fmt::format("{} and {} are one file, {}; it can hold one of them", files[i].option, files[j].option,
                           files[i].path);
  if (std::ifstream known(f.o.reproducer, std::ios::binary); known && !f.o.reproducer.empty()) {
    std::string text(4096, 0);
    known.read(text.data(), std::streamsize(text.size()));
    text.resize(size_t(known.gcount()));
    if (!text.empty() && !readReproducer(text))
      return fmt::format("--reproducer would be written over {}, which is no reproducer", f.o.reproducer);
  }
  return {};
}

std::string wrongUse(const Flags &f) {
  for (auto *check : {emptyOrTwice, besideMode, wrongTogether, onTopOfEachOther})
    if (std::string wrong = check(f); !wrong.empty())
      return wrong;
  bool needsInput = !f.serve.getNumOccurrences() && !f.test.getNumOccurrences() && !f.o.listPasses &&
                    !f.o.listPatterns && !f.listOps.getNumOccurrences();
  return needsInput && f.o.input.empty() ? "no input file; rw-opt --help tells how to call it" : "";
}
} // namespace

std::vector<OutputFile> outputsOf(const Options &o) {
  const OutputFile output{"-o", o.output};
  std::string tensors; // beside the model
  if (output.isNamed() && !o.externalData.empty())
    tensors = (std::filesystem::path(o.output).parent_path() / o.externalData).string();
  return {output,
          {"--external-data", std::move(tensors)},
          {"--report", o.report},
          {"--trace", o.traceFile},
          {"--reproducer", o.reproducer}};
}

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  // LLVM's Support library registers options of its own; its -stats would clash with ours.
  llvm::StringMap<cl::Option *> &registered = cl::getRegisteredOptions();
  if (auto it = registered.find("stats"); it != registered.end())
    it->second->removeArgument();
  Flags flags(options);
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
  if (flags.pipeline.getNumOccurrences())
    options.pipeline = flags.pipeline;
  options.merge = !flags.unmerged;
  options.fp16 = flags.fp16.getNumOccurrences() != 0;
  options.fp16Interface = flags.fp16 == "io";
  if (std::string unknown; flags.fastmath.getNumOccurrences())
    options.fastmath = FastMath::read(flags.fastmath, unknown).value_or(FastMath()); // wrongTogether has looked at it
  if (flags.expensive.getNumOccurrences())
    options.expensiveChecks = flags.expensive != cl::BOU_FALSE;
  options.expectExact = flags.expectText == "exact";
  options.stats = flags.stats.getNumOccurrences() != 0;
  options.statsAsJson = flags.stats == "json";
  options.emitExec = flags.emitText == "exec";
  if (flags.listOps.getNumOccurrences())
    options.listOps = flags.listOps.empty() ? "*" : std::string(flags.listOps);
  if (flags.serve.getNumOccurrences())
    options.serve = flags.serve.empty() ? 0 : std::stoi(flags.serve);
  if (flags.test.getNumOccurrences())
    options.test = flags.test.empty() ? std::string("*") : flags.test.getValue();
  return std::nullopt;
}

} // namespace rw::opt
