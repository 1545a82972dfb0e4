// Verifier: whether a program is what every pass may rely on.
//
// In:  a program, a function or a single op.
// Out: true if nothing is wrong; else every violation as a diagnostic with the op's location and text.
// Elsewhere: the text reader (parser.h) reports what it cannot even build; types are inferred by builder.h.
//
//   Diagnostics diags(sources);
//   if (!verifyProgram(program, diags)) fputs(diags.renderText().c_str(), stderr);
//
// Tags: verify-structure (links, use lists, regions, terminators), verify-dominance, verify-operands, verify-results,
// verify-regions, verify-attribute, verify-check (the op's own `require`), verify-type, verify-params, verify-symbol.
// Linear in the size of the program.
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

namespace rw {

struct VerifyOptions {
  bool types = true;       ///< compare result types with what inference says
  bool checks = true;      ///< run the ops' own checks
  size_t maxErrors = 1000; ///< stops there, and says so
  /// what stands in front of a violation that has no place in a text; else "@" and the function's name
  std::string file;
};

bool verifyProgram(Program &, Diagnostics &, const VerifyOptions & = {});
bool verifyFunction(Function &, Diagnostics &, const VerifyOptions & = {});
/// One op and its links to its neighbours; cheap, for checks after each rewrite. Regions it holds are not entered.
bool verifyOp(Op, Diagnostics &, const VerifyOptions & = {});

/// Whether a stored attribute is of a kind that a declaration accepts.
bool attrFits(const Context &, AttrId, AttrType declared);
/// "a list of ints": for messages.
std::string_view attrTypeName(AttrType);
/// Fewest and most operands an op may have. Optional ones at the end may be left out; those before a required one
/// need their slot, which may be empty.
struct CountRange {
  unsigned least = 0, most = 0;
  unsigned step = 1; // of several variadic groups, which are of one size: how many there are
  bool contains(unsigned n) const { return least <= n && n <= most && (n - least) % step == 0; }
};
CountRange operandCounts(const OpSchema &);
CountRange resultCounts(const OpSchema &);

} // namespace rw
