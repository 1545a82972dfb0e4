// A program's graphs as data for a page: one graph per function body and region.
//
// In:  a program, and another state of it with the same ids.
// Out: {"scopes": [{"name", "nodes": [...], "edges": [[from, to], ...], "leftOut"}]}. A node is {"t": its op or name,
//      "d": attributes, "v": result, "y": type} where these are not empty, "s": 1 if the other state has it not, or
//      as another op, 2 if it reads something else there; "b": 1 for parameters and results, "r": [scopes] of its
//      regions. Constants are not drawn.
// Elsewhere: layout and drawing are page/graph.js; small pieces of graphs rw/opt/graph_piece.h.
#pragma once

#include "editor/server/view.h"
#include "rw/ir/program.h"

namespace rw::editor {

/// Most nodes of one graph; of larger ones there are those next to what differs.
inline constexpr size_t kMostDrawn = 2500;

Json graphData(Program &program, Program &other);

} // namespace rw::editor
