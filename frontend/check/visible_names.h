// What several files may declare each for itself: patterns, passes, pipelines, named matches and rewrites, sets.
//
// In:  a name, and the file that it stands in.
// Out: what it means there: the file's own hides what it imports.
// Elsewhere: names of ops and functions are names.h.
//
//   for (PassIndex pass : meantBy(c, c.passes, name.text, file)) …
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Which files, by index in Module::files, what stands in `file` may speak of: itself and all it imports.
const std::vector<bool> &visibleFrom(CheckContext &c, FileId file);
/// Those that a name means in a file: the file's own, else those of what it imports, else all.
template <class Index>
llvm::SmallVector<Index, 1> meantBy(CheckContext &c, const NameLists<Index> &table, std::string_view name, FileId from);
/// Of what may be declared in several files, the one that a name means, or none. `silent`: of several nothing is said.
template <class Index>
Index namedOnce(CheckContext &c, const NameLists<Index> &table, const ast::Name &name, std::string_view what,
                bool silent);

} // namespace rw::sema
