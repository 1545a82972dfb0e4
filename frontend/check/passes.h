// Passes and pipelines: what they hold, and whether everything is held by something.
//
// In:  `pass p { A; label "l"; }`, `pipeline q = p, dce;`.
// Out: the patterns of a pass, the stages of a pipeline.
// Elsewhere: `conversion` declarations are conversions.h.
//
//   PatternIndex pattern = patternNamed(c, member.name);  // `A`, or `file::A`
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Enters a pass or a conversion.
void declarePass(CheckContext &c, DeclItem &item);
/// Enters a pipeline.
void declarePipeline(CheckContext &c, DeclItem &item);
/// What a pass holds: patterns and labels.
void checkPass(CheckContext &c, Pass &pass, const ast::PassDecl &decl);
/// The stages of a pipeline, with their options.
void checkPipeline(CheckContext &c, Pipeline &pipeline, const ast::PipelineDecl &decl);
/// A pattern or a label, named in a pass or conversion.
void checkPassMember(CheckContext &c, const ast::PassDecl::Member &member, Pass &pass,
                     llvm::StringMap<SourceRange> &seen, std::string_view what);
/// The pattern that a name says, or none after a report.
PatternIndex patternNamed(CheckContext &c, const ast::QualifiedName &name);
/// Patterns of the file that nothing runs: in no pass, with no label, in no `canonicalize`. A file that declares
/// neither passes nor pipelines has its patterns run by others, or all of them.
void reportUnnamed(CheckContext &c);

} // namespace rw::sema
