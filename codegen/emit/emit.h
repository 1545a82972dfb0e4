// C++ from a checked and planned module: FILE.rw.h with views, functions and the registration, FILE.rw.cpp with the
// rest.
//
// In:  plan::Module.
// Out: two texts. The same input gives the same bytes.
// Elsewhere: what the code calls is rw/ir/expr_helpers.h and rw/rewrite/match_helpers.h.
//
//   EmitOptions options{.cppNamespace = "my::opt"};
//   Emitted code = emitCpp(plans, sources, options, diags);
//
// One class per pattern, with the pattern's own names for locals:
//
//   // layout.rw:20
//   struct MergeTransposes final : GeneratedPattern<tensor::TransposeOp> { // an OpRewritePattern
//     bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
//       Attempt match = Attempt(op, rw);
//       if (!match.opens(this->info()))
//         return false;
//       Value x = match.operandOf(2, 0);
//       …
//     }
//   };
//   constexpr MergeTransposes kMergeTransposesPattern{{.name = "MergeTransposes", …}};
//
// With patterns as data (`rw_add_patterns(… FORM data)`) the header is the same; the source has a string of bytes in
// place of the classes, and a thousand patterns compile like a handful.
#pragma once

#include "codegen/plan/plan.h"

#include <optional>

namespace rw::emit {

struct EmitOptions {
  std::string cppNamespace = "rwgen";
  std::vector<std::string> importDirs; // imports below one of these are included by their path from there
  /// Directives name the lines of the .rw file that lines stand for, so that a debugger stops at and shows those.
  bool lineDirectives = false;
  /// Patterns and tests that ask for no native code, as bytes for rw/load/embedded_patterns.h; without: all are C++.
  std::optional<std::string> data = std::nullopt;
};

struct Emitted {
  std::string header, source;
};

Emitted emitCpp(const plan::Module &, const SourceManager &, const EmitOptions &, Diagnostics &);

/// The function that registers what the file defines: "register_transpose" of layout/transpose.rw.
std::string registerName(std::string_view path);

} // namespace rw::emit
