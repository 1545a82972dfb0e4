// Bodies that wait until something refers to them: those of imports that are known to be right.
//
// In:  what is referred to.
// Out: CheckContext::wanted, the items to be checked after all; or the body itself, where another file's check has it.
// Elsewhere: which imports are right is check.h; what is kept of a body is checked_bodies.h.
//
//   want(c, op);  // wherever a name means an op
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// Which items wait, once all are declared.
void noteDeferred(CheckContext &c);
/// What is referred to has a body to be checked, if it stands in a settled import (check.h).
void want(CheckContext &c, OpIndex op);
void want(CheckContext &c, FnIndex fn);
void want(CheckContext &c, PatternIndex pattern);
/// Whether the body was there: another file's check had it.
bool takeChecked(CheckContext &c, OpIndex index, const ast::OpDecl &decl);
bool takeChecked(CheckContext &c, FnIndex index, const ast::FnDecl &decl);
/// Keeps a body for other files. Only of imports: which of its own bodies others import a file does not know.
void keepChecked(CheckContext &c, const DeclItem &item, const Op &checked, const ast::OpDecl &decl);
void keepChecked(CheckContext &c, const DeclItem &item, const Fn &checked, const ast::FnDecl &decl);

} // namespace rw::sema
