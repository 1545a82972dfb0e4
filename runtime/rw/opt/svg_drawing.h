// A piece of a graph as inline SVG: boxes in layers from the top down, edges as curves.
//
// In:  nodes and edges. Out: one <svg> element, colours by the classes of the page that it stands in (html_report.cpp).
// Elsewhere: escaping of text is html_text.h. The same piece always gives the same bytes.
#pragma once

#include "rw/opt/graph_piece.h"

namespace rw::opt {

/// `label` describes the drawing to screen readers.
std::string drawSvg(const GraphPiece &, const std::string &label);

} // namespace rw::opt
