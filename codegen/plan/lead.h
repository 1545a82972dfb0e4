// The lead of a plan: the tests that every match must pass, whichever way it goes on, and the rest.
//
// In:  a MatchPlan.
// Out: its steps in two parts. The lead looks at slots alone, so it can be a table; the rest begins where variables,
//      conditions and choices come in, and takes the lead's slots as given. A first choice between the two orders of
//      commutative operands belongs to the lead.
// Elsewhere: code for both is codegen/emit/rule_emitter.cpp.
//
//   add(relu(x), splat(0)) where x.rank == 2 => …
//
//   lead: root, commute, def, no-extras, splat      rest: bind x, splat, test
//
// A splat is tested in both: the lead asks for the number alone, of which there is one for each constant, the rest
// whether the element is that number exactly.
#pragma once

#include "codegen/plan/plan.h"

namespace rw::plan {

struct Lead {
  std::vector<Step> lead, rest;
  bool commutes = false; // there is a Commute step in `lead`
  /// Slots that the lead sets.
  std::vector<bool> slots;
};

Lead splitPlan(const MatchPlan &);

/// Whether a step asks whether an attribute equals a literal number, string, bool or dtype.
bool equalsLiteral(const Step &);
/// The int, if the step asks whether an attribute is one.
std::optional<int64_t> literalInt(const Step &);
/// The number that a literal splat stands for, if that is the same whatever the constant's dtype.
std::optional<double> splatNumber(const Step &);
/// Whether the type asked for is a dtype or a class of dtypes and no more.
bool asksDTypeOnly(const Step &);
/// Whether the attribute that the step looks at is there in every op that verifies.
bool alwaysThere(const Step &attr, const sema::Module &);

} // namespace rw::plan
