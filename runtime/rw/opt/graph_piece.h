// A few ops of a function and how they hang together, as data that outlives them: what a drawing is made from.
//
// In:  ops, and how much around them belongs to the picture. Out: nodes with lines of text, and edges.
// Elsewhere: drawing is svg_drawing.h; who takes pieces when is rewrite_recorder.h.
#pragma once

#include "rw/passes/op_names.h"

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rw::opt {

struct GraphPiece {
  struct Node {
    std::string title;       // the op's type, or the name of a parameter
    std::string details;     // attributes, shortened
    std::string value, type; // of the first result: name, its end if it is long, and type
    bool touched = false;    // by the rewrite: drawn so that it stands out
    bool boundary = false;   // a parameter, or the results of the graph
  };
  struct Edge {
    size_t from = 0, to = 0; // nodes
    auto operator<=>(const Edge &) const = default;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  size_t leftOut = 0; // ops next to these that did not fit

  std::map<uint32_t, size_t> nodeOf; // by number of the op
};

/// Most ops of one piece.
inline constexpr size_t kMostNodes = 18;

/// An op as a box: its type, attributes, the name and the type of its first result.
GraphPiece::Node describeOp(Op, const OpNames &);
/// A parameter as a box.
GraphPiece::Node describeParam(Value, const OpNames &);
/// The op, its users, and what it is made from up to `depth` ops away, the nearest first; at most `most`.
GraphPiece pieceAround(Op root, unsigned depth, size_t most, const OpNames &);
/// The ops, which count as touched, and those right next to them.
GraphPiece pieceOf(const std::vector<Op> &ops, const OpNames &);
/// The touched nodes and those right next to them.
GraphPiece restrictedTo(const GraphPiece &, const std::set<uint32_t> &touchedOps);

} // namespace rw::opt
