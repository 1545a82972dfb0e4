// The command line of rw-opt as data.
//
// In:  argc, argv. Out: Options, or the exit status when there is nothing to run (help, wrong usage).
// Elsewhere: what the options do is opt_main.cpp. A new flag is a member here and a row of Flags in options.cpp; if
//            a reproducer keeps it, also a row of kSettings in reproduce.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rw/support/fast_math.h"
#include "rw/support/output_files.h"

namespace rw::opt {

struct Options {
  std::string input;
  std::string output; // empty: .rwir to standard output, .onnx nowhere
  std::optional<std::string> pipeline;
  // .rw files that are loaded, and where their imports are looked for
  std::vector<std::string> patternFiles, importDirs;
  std::vector<std::string> plugins; // libraries that are loaded
  bool merge = true;                // patterns of a set are tried together
  bool stats = false, statsAsJson = false;
  bool timing = false, verifyEach = false, strict = false;
  std::optional<FastMath> fastmath; // given: no pass allows more
  std::optional<bool> expensiveChecks;
  bool printAfterChange = false, logRewrites = false;
  std::vector<std::string> printBefore, printAfter; // names or globs of passes
  std::vector<std::string> disabledPatterns, onlyPatterns;
  std::string backend;
  std::optional<uint64_t> maxRewrites, maxFoldBytes;
  std::vector<std::string> shapes;                // "x=1,3,H,?": of inputs
  std::vector<std::string> inputs, outputs, keep; // names: where the program is cut, ops that stay as they are
  std::vector<std::string> lateOverrides;         // "NAME.attr=value"
  std::string whyNot, at;                         // a pattern; an op or value
  std::string reproducer;                         // where to write one
  bool reproduce = false;                         // the input is one
  bool passStats = false;                         // as the environment says
  unsigned threads = 1;                           // that work on functions
  int opset = 0;      // of a model that is made, or as a reproducer says; 0: as the input says, or as its ops need
  unsigned check = 0; // random inputs to compare on
  double checkTolerance = 1e-4;
  std::vector<std::string> checkShapes; // "x=1,3,H,?": of the inputs that are drawn
  bool freezeDefaults = false;          // inputs that have a default are constants
  double progressAfter = 2;             // seconds, before a terminal shows progress
  std::string traceFile, dumpDir, report;
  std::vector<std::string> expect; // what the result must hold (passes/expect_graph.h)
  bool expectExact = false;
  std::string diffWith;                     // a model that the input is compared with, in place of everything else
  bool emitExec = false;                    // the execution program instead of the program
  bool bareOps = false;                     // no functions that say what ops mean, in ONNX models
  std::string externalData;                 // the file beside a model that its tensors go to
  uint64_t externalBytes = 1024;            // smaller tensors stay in the model
  bool embedData = false;                   // tensors of other files come into the model
  bool fp16 = false, fp16Interface = false; // compute in f16; inputs and results as well
  std::vector<std::string> keepFp32;        // ops that stay: kinds, names, globs
  std::vector<std::string> bounds;          // "B=64": the greatest sizes of symbols, for its shapes
  std::optional<std::string> test;          // a glob: run the tests of what has such a name
  bool listPasses = false, listPatterns = false;
  std::string listOps;      // a glob; empty: not asked for
  std::optional<int> serve; // the port of a page, 0: any that is free
  bool listsOnly() const { return listPasses || listPatterns || !listOps.empty(); }
};

/// Parses the command line. Returns an exit status to stop with, or nothing to go on. Help goes to standard output,
/// errors to standard error.
std::optional<int> parseOptions(int argc, char **argv, Options &options);

/// The files that a run writes, in the order in which they are asked for; those that are not asked for have no path.
std::vector<OutputFile> outputsOf(const Options &);

} // namespace rw::opt
