// Walking matches: what stands directly inside a match, so that each walker says only what it does there.
//
// In:  a checked match.
// Out: calls with its parts, in the order in which they are written but for regions.
// Elsewhere: uses of variables are forEachUse (match.h); conditions behind a match are `after`.
//
//   void count(const Match &m) { ++n; forEachPart(m, [&](const Match &part) { count(part); }); }
#pragma once

#include "frontend/sema/match.h"

namespace rw::sema {

/// Operands, what is asked inside regions, alternatives, and side operands of chains.
template <class F> void forEachPart(const Match &m, const F &visit) {
  for (const OperandMatch &operand : m.operands)
    for (const Match &element : operand.elements)
      visit(element);
  forEachInside(m, visit);
  for (const std::vector<Match> *part : {&m.children, &m.side})
    for (const Match &child : *part)
      visit(child);
}

} // namespace rw::sema
