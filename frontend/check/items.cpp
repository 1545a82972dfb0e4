#include "frontend/check/items.h"

#include "frontend/check/conversions.h"
#include "frontend/check/deferred.h"
#include "frontend/check/functions.h"
#include "frontend/check/named_parts.h"
#include "frontend/check/op_clauses.h"
#include "frontend/check/passes.h"
#include "frontend/check/patterns.h"
#include "frontend/check/sets_and_traits.h"
#include "frontend/check/tests.h"

#include <utility>

namespace rw::sema {

void checkItem(CheckContext &c, DeclItem &item) {
  c.imported = item.imported;
  const ast::Decl &decl = *item.decl;
  c.from = item.file;
  if (item.index == UINT32_MAX || std::exchange(item.isChecked, true))
    return;
  auto count = [&](uint64_t bodies) {
    if (c.options.work)
      c.options.work->bodies += bodies;
  };
  switch (decl.kind) {
  case ast::DeclKind::Op:
    if (!item.isTaken) {
      count(1);
      checkOp(c, c.module.ops[item.index], decl.get<ast::OpDecl>());
      keepChecked(c, item, c.module.ops[item.index], decl.get<ast::OpDecl>());
    }
    checkCanonicalize(c, c.module.ops[item.index], decl.get<ast::OpDecl>());
    if (!item.isSettled) // the op comes along with the root, and these patterns with it
      for (PatternIndex pattern : c.module.ops[item.index].canonicalize)
        want(c, pattern);
    break;
  case ast::DeclKind::Fn:
    if (!item.isSettled || !takeChecked(c, FnIndex(item.index), decl.get<ast::FnDecl>())) {
      count(1);
      checkFn(c, c.module.fns[item.index], decl.get<ast::FnDecl>(), FnIndex(item.index));
      keepChecked(c, item, c.module.fns[item.index], decl.get<ast::FnDecl>());
    }
    break;
  case ast::DeclKind::Pattern:
    for (uint32_t i = item.index; i < c.instances.size() && c.instances[i].decl == &decl; ++i)
      count(1), checkPattern(c, c.module.patterns[i], c.instances[i]);
    break;
  case ast::DeclKind::Matcher:
    checkedMatcher(c, MatcherIndex(item.index), {});
    break;
  case ast::DeclKind::Rewrite:
    checkedRewrite(c, RewriteIndex(item.index), {});
    break;
  case ast::DeclKind::Group:
    checkGroup(c, decl.get<ast::GroupDecl>());
    break;
  case ast::DeclKind::Pass:
    checkPass(c, c.module.passes[item.index], decl.get<ast::PassDecl>());
    break;
  case ast::DeclKind::Conversion:
    checkConversion(c, c.module.passes[item.index], decl.get<ast::ConversionDecl>());
    break;
  case ast::DeclKind::Pipeline:
    checkPipeline(c, c.module.pipelines[item.index], decl.get<ast::PipelineDecl>());
    break;
  case ast::DeclKind::Test:
    checkTest(c, c.module.tests[item.index], decl.get<ast::TestDecl>());
    break;
  case ast::DeclKind::Expect:
    if (!item.imported)
      checkExpectation(c, c.module.expectations[item.index], decl.get<ast::ExpectDecl>());
    break;
  case ast::DeclKind::Dialect:
  case ast::DeclKind::Import:
  case ast::DeclKind::Native:
    break;
  }
}

void checkNow(CheckContext &c, OpIndex op) {
  if (op.raw >= c.opItems.size() || c.opItems[op.raw] == UINT32_MAX)
    return;
  want(c, op);
  const Aside aside(c, c.module.op(op));
  checkItem(c, c.items[c.opItems[op.raw]]);
}

} // namespace rw::sema
