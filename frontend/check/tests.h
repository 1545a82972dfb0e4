// Tests beside the patterns: a small program, and what it becomes; and what is expected of a proof.
//
// In:  `test` and `expect` declarations.
// Out: the two sides of a test, and what runs between them; the verdict that is expected of a pattern.
//
//   checkTest(c, c.module.tests[i], decl);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// A `test`, or an `unchanged`.
void checkTest(CheckContext &c, Test &test, const ast::TestDecl &decl);
/// `expect proved P;`
void checkExpectation(CheckContext &c, Expectation &out, const ast::ExpectDecl &decl);

} // namespace rw::sema
