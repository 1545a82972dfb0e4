// From a checked file to code for the machine: the one way into the compilers of this folder.
//
// In:  a checked module and the plans of the patterns that are to run.
// Out: a Unit with the code of these patterns, and of the ops, passes, pipelines and tests that the options say.
// Elsewhere: reading and checking files is codegen/load; running the code machine.h; registering it loaded_unit.h.
//
//   Unit unit = compile(plans, sources, {}, diags);
//
// Who has plans made by another thread meanwhile gives them one by one (codegen/load/plans_ahead.h).
#pragma once

#include "codegen/machine/code.h"
#include "codegen/plan/plan.h"

#include <functional>

namespace rw::interpret {

struct CompileOptions {
  /// Whether an op is part of the unit. Without it: those of the root file.
  std::function<bool(const sema::Op &)> wantsOp;
  /// Whether passes and pipelines of imports are, beside those of the root file; tests of imports never are.
  bool wantsImports = false;
  /// The unit stands beside C++ of the same file, which has its passes and pipelines, the schemas of its ops, and the
  /// patterns and tests that need native code: these are left out, and natives not refused. Of ops there are the
  /// clauses and the meanings, but of those that need native code.
  bool besideCpp = false;
  /// What needs native code is left out, and not refused: for measuring files that have some.
  bool skipNatives = false;
};

/// Reports what cannot run from its source: natives (`native-not-loadable`), code beyond the machine's limits
/// (`too-complex`).
Unit compile(const plan::Module &, const SourceManager &, const CompileOptions &, Diagnostics &);

/// The next plan of the module's patterns, in their order; null: there are no more. It is used until the next is asked
/// for.
using NextPlan = std::function<const plan::MatchPlan *()>;
Unit compile(const sema::Module &, const NextPlan &, const SourceManager &, const CompileOptions &, Diagnostics &);

} // namespace rw::interpret
