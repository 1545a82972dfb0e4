// expectGraph: says whether a function holds the paths and numbers of ops that a text asks for; for tests and tools.
//
// In:  a function; items separated by `;`:
//        Transpose -> Conv -> Relu    each op uses a result of the one before; `..` between two stands for any ops or
//                                     none
//        Conv:Bx8x?x?                 the op's first result has this shape; a name is one dimension throughout, `?` any
//        Transpose = 0                how many such ops there are (also <=, >=), nested regions included
//      Names are short (`Conv`) or full (`onnx.Conv`); the core knows none of them.
// Out: whether all items hold; if not, which one, how far a path came and what follows there.
// Elsewhere: rw-opt --expect is rw/opt.
//
// A path is contained if it stands anywhere; it is exact if it leads from a parameter of the function to a result of
// it, with nothing before, after or between.
//
//   ExpectResult r = expectGraph(fn, "Transpose -> Conv:Bx8x14x14; Transpose = 1", ExpectMode::Contains);
//   if (!r.holds) puts(r.report.c_str());
#pragma once

#include "rw/ir/function.h"

#include <string>
#include <string_view>

namespace rw {

enum class ExpectMode : uint8_t { Contains, Exact };

struct ExpectResult {
  bool holds = false;
  bool malformed = false; // the text is none; `report` says where
  std::string report;     // empty if it holds
};

ExpectResult expectGraph(Function &, std::string_view items, ExpectMode = ExpectMode::Contains);

} // namespace rw
