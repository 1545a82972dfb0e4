// Views, schemas and hooks of op declarations; functions of .rw files.
//
// In:  sema::Op, sema::Fn, sema::Native.  Out: C++ text.
// Elsewhere: patterns are pattern_emitter.h, files emit.cpp.
#pragma once

#include "codegen/emit/expr_emitter.h"

#include <map>
#include <optional>

namespace rw::emit {

struct NamedOp {
  const sema::Op *op;
  std::string viewName;
};
/// The classes of a dialect's ops, for the header, inside the namespace of the dialect. Those of ops with the same
/// operands, results and attributes are one template with another schema.
void emitViews(const std::vector<NamedOp> &, Writer &);
/// The constant of type OpsOfFile, or EmbeddedOpsOfFile with data, and the domain that it gives ops.
struct CommonOps {
  std::string name, domain;
};
/// Which of the ops in the file's data has an op's clauses.
struct Clauses {
  size_t index;
};
/// Its hooks and its schema, for the source, both shared with ops of the dialect that have the same; with `data` no
/// hooks, but those that run it.
void emitSchema(const sema::Op &, std::string_view viewName, const CommonOps &, const References &,
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
