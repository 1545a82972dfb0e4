// Sets and traits of one's own: `set reductions = {onnx.ReduceSum, onnx.ReduceMax};`, `trait movement;`, given by the
// `traits` of an op's declaration or by `trait movement for onnx.Transpose;`.
//
// In:  declarations, and where their names stand: wherever the ops could be listed, in heads, chains and `for`.
// Out: the ops that a name means there.
//
//   if (GroupIndex set = groupNamed(c, head.name)) ops = opsOfSet(c, set, head.range);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Enters the declaration.
void declareGroup(CheckContext &c, DeclItem &item);
/// `trait t for a, b;`
void giveTraits(CheckContext &c, DeclItem &item);
/// What a set lists, or for which ops a trait is given: each is there, and stands once.
void checkGroup(CheckContext &c, const ast::GroupDecl &decl);
/// The set or trait that a name means, or none.
GroupIndex groupNamed(CheckContext &c, const ast::Name &name, bool silent = false);
/// Its ops, for what stands in the file at hand: of a trait those that this file sees.
const std::vector<OpIndex> &opsOfSet(CheckContext &c, GroupIndex index, SourceRange used);
/// Whether it lists tuples, or sets of tuples. That none of those it lists does is known of each of them then.
bool isOfTuples(CheckContext &c, GroupIndex index);
/// The entries of a `for` clause, each with where it is written; those of a set are its ops or tuples.
bool entriesOf(CheckContext &c, const ast::ForClause &clause, std::vector<ForEntry> &out);
/// What tells an entry from others: ops of sets have their dialect, since where they are declared it is not written.
std::string keyOf(const CheckContext &c, const ForEntry &entry);

} // namespace rw::sema
