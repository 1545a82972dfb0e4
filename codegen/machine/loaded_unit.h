// LoadedUnit: the code of a file as ops, patterns, passes and tests of a registry.
//
// In:  a Unit.
// Out: entries of a Registry, which keeps the unit. The patterns are ordinary Patterns: drivers, reports and filters do
//      not see that they are interpreted.
// Elsewhere: compiling is codegen/interpret/compiler.h, running machine.h; reading files rw/load/load_patterns.h.
//
//   registerUnit(compile(plans, sources, {}, diags), registry);
#pragma once

#include "codegen/machine/machine.h"
#include "codegen/machine/op_clauses.h"
#include "codegen/machine/unit_bytes.h"
#include "rw/passes/pass.h"

namespace rw::interpret {

void registerUnit(Unit, Registry &);

class LoadedUnit;

/// The patterns and tests of a unit, added part by part: what stands between them is C++ (rw/load/embedded_patterns.h).
/// Their code is read when the first of them is made.
class EmbeddedUnit {
public:
  /// `origin` is where it was read from: what is added a second time from there is not added again.
  EmbeddedUnit(UnitHead, const void *origin, Registry &);
  /// Patterns first to last - 1, but those that are meanings of ops.
  void addPatterns(size_t first, size_t last, Registry &) const;
  void addTests(Registry &) const;

private:
  std::shared_ptr<const LoadedUnit> unit_;
  const void *origin_;
  std::vector<PatternMaker> makers_;
};

/// What hooks of the ops of an embedded unit run, in any registry.
class EmbeddedOps {
public:
  explicit EmbeddedOps(Unit);
  /// Of the op that has this number; none if there are fewer.
  std::optional<OpClauses> clauses(size_t op) const;
  /// Puts what the op means in its place (OpSchema::expand).
  bool expand(size_t op, Op, PatternRewriter &) const;

private:
  std::shared_ptr<const LoadedUnit> unit_;
};

/// Puts the unit's patterns in the place of those of the same name and file that the registry has; gives how many there
/// were.
size_t substitutePatterns(Unit, Registry &);

} // namespace rw::interpret
