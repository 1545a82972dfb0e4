// `for` clauses: one instance of a pattern per entry, or per combination of entries of several clauses.
//
// In:  `for f in {exp, log} pattern …`.
// Out: instances with what stands for each name, and the names of these patterns.
//
//   std::vector<PatternInstance> all;
//   instantiate(c, decl, all);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// All instances of a declaration: one if it has no `for` clause.
void instantiate(CheckContext &c, const ast::PatternDecl &decl, std::vector<PatternInstance> &out);
/// What an instance is called: the name of the template and its entries.
std::string instanceNameOf(const PatternInstance &instance);
/// The pattern of a template that is called so but for a dialect: an instance over `onnx.Relu` has `onnx_Relu` in its
/// name.
std::string_view instanceMeant(const CheckContext &c, std::string_view name);
/// What the patterns of a template are called, of which `name` is all but the entries.
void sayInstances(const CheckContext &c, Report &report, std::string_view name);
/// Where a name that is not known was written: the entry of a `for` clause, if it stands for one.
SourceRange writtenAt(const CheckContext &c, std::string_view name, SourceRange used);
/// Whether it may be an entry of a `for` clause or of a set of tuples; reports what may not.
bool checkEntry(CheckContext &c, const ast::Expr &value);

} // namespace rw::sema
