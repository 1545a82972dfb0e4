// Views, schemas and hooks of op declarations; functions of .rw files.
//
// In:  sema::Op, sema::Fn, sema::Native.  Out: C++ text.
// Elsewhere: patterns are pattern_emitter.h, files emit.cpp.
#pragma once

#include "codegen/emit/expr_emitter.h"

#include <map>
#include <optional>

namespace rw::emit {

/// The class of an op, for the header, inside the namespace of its dialect.
void emitView(const sema::Op &, std::string_view name, Writer &);
/// Hooks and tables by what they say, with their names: ops of one dialect that have the same share them.
using SharedParts = std::map<std::string, std::string>;
/// The constant of type EmbeddedClauses that has an op's clauses, and which of the ops in it that is.
struct Clauses {
  std::string name;
  size_t index;
};
/// Its hooks and its schema, for the source; with `data` no hooks, but those that run it.
/// `file`: as an import writes it.
void emitSchema(const sema::Op &, std::string_view viewName, std::string_view file, const References &,
                const std::optional<Clauses> &data, SharedParts &, Writer &);
/// What `OpSchema::expand` of an op refers to, behind the constants that are its meanings.
void emitExpand(std::string_view viewName, const std::vector<std::string> &meanings, Writer &);
/// `std::optional<Ints> compose(Context &ctx, …)`; `ns` is "rw::" in headers.
std::string fnSignature(const sema::Fn &, std::string_view ns, bool usesContext);
void emitFn(const sema::Fn &, const References &, Writer &);
/// Declaration of an extern native function, or definition of an inline one.
std::string nativeSignature(const sema::Native &, std::string_view ns);
std::string schemaName(std::string_view viewName); // "transposeSchema"

} // namespace rw::emit
