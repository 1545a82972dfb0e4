// optMain: the whole of rw-opt as a function, so that a tool with its own dialects and patterns has every flag.
//
// In:  the command line and a filled registry.
// Out: the exit status: 0 done, 1 the input is wrong (a diagnostic says where), 2 wrong usage.
// Elsewhere: the passes are rw/passes; reading and writing are rw/ir (.rwir) and rw/onnx (.onnx).
//
//   int main(int argc, char **argv) {
//     rw::Registry registry;
//     rw::registerAll(registry); // rw/builtin.h
//     my::opt::register_my_patterns(registry);
//     return rw::optMain(argc, argv, registry);
//   }
#pragma once

#include "rw/load/load_patterns.h"

namespace rw {

/// What --serve asks for: a page on which the patterns of a file are tried on a model.
struct ServeOptions {
  int port = 0;                             // any that is free
  std::string model, patternFile, pipeline; // empty: none
  std::vector<std::string> importDirs;
};
/// What shows the page of `--serve`: a function, or a program beside this one (rw/support/exec_sibling.h).
struct PageServer {
  int (*show)(const ServeOptions &, const Registry &) = nullptr; // until it is interrupted; the exit status
  std::string_view program;
};

/// `load` is rw::loadPatterns where the tool shall have `--patterns FILE.rw`, and links rw::load for it; `serve` is
/// for `--serve`, where the tool shall have that.
int optMain(int argc, char **argv, const Registry &registry, PatternLoader load = nullptr,
            const PageServer &serve = {});

} // namespace rw
