// Crash reproducers: a pass and its input in one file.
//
// In:  a program as it is before a pass, pipeline text, settings. Out: .rwir text whose first lines, comments to any
//      reader, say what to run; and those lines read back.
// Elsewhere: the pass manager writes one before each pass (PassManagerOptions::reproducer), so that it is there
//            whatever the pass does; `rw-opt --reproduce FILE` replays it.
//
//   // rw-opt reproducer
//   // pipeline: canonicalize{max-iterations=3}
//   // verify-each: true
//   // failed: canonicalize in @main: the result does not verify
//   func @main(…
#pragma once

#include "rw/ir/program.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rw {

struct Reproducer {
  std::string pipeline;
  /// Flags of rw-opt without their dashes, with their values.
  std::vector<std::pair<std::string, std::string>> settings;
  std::string failure; // what went wrong; empty if the process died
};

std::string printReproducer(const Reproducer &, const Program &);
/// None if the text does not begin like a reproducer.
std::optional<Reproducer> readReproducer(std::string_view text);

} // namespace rw
