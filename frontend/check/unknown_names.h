// What to say where there is nothing of a name.
//
// In:  a name that means nothing here.
// Out: an error with the nearest name, the import that is missing, or what the name is elsewhere.
// Elsewhere: what a name means is names.h; files that are not imported are missing_imports.h.
//
//   Report report = c.error("undefined-pass", name.range, "…");
//   suggest(c, report, name.range, name.text, candidates);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// No op of the name; `functionsToo`: a function could stand there as well.
void reportUndefinedOp(CheckContext &c, const ast::QualifiedName &used, bool functionsToo);
/// No function of the name, where ops are not built.
void reportUndefinedFunction(CheckContext &c, const ast::Name &name);
/// Adds the nearest of `candidates` as a fix-it and a note at its declaration.
void suggest(CheckContext &c, Report &report, SourceRange range, std::string_view name,
             const std::vector<std::string_view> &candidates, std::string_view dialect = {});
/// Notes what the name is, if it is something of another kind.
void sayWhatElse(const CheckContext &c, Report &report, std::string_view name);
/// Whether something of the name may be declared that could not be parsed: then nothing is said of it.
bool isDamaged(const CheckContext &c, ast::DeclKind kind, std::string_view name);
/// All dialects that are known, sorted.
std::vector<std::string_view> dialectNames(const CheckContext &c);

} // namespace rw::sema
