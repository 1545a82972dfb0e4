// A program over the built-in dialects, one function to build into, and a builder: for tests of rw/builder.
#pragma once

#include "../support/test_dialect.h"
#include "rw/builder/graph_builder.h"
#include "rw/ir/printer.h"
#include "rw/ir/program.h"
#include "rw/ir/verifier.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <doctest/doctest.h>

namespace rw::test {

/// The built-in dialects, and the ops `t.…` of the tests.
inline const rw::Registry &builtins() {
  static rw::Registry registry;
  static bool filled = (builtin::register_rw_builtin(registry), registerOps(registry.ops), true);
  (void)filled;
  return registry;
}

struct BuilderFixture {
  Program program{builtins().ops};
  Function &fn = program.addFunction("main");
  GraphBuilder g{fn};

  Context &ctx() { return program.context(); }
  Dim symbol(std::string_view name) { return ctx().dims().symbol(ctx().intern(name)); }
  GraphValue f32(std::string_view name, std::vector<Dim> shape) {
    return g.param(name, {DType::F32, std::move(shape)});
  }
  std::string text() { return printProgram(program); }
  /// The error says this, and nothing was emitted since `ops` were counted.
  void wants(const GraphValue &v, std::string_view message, size_t ops = 0) {
    CHECK_FALSE(v);
    CHECK(v.error() == message);
    CHECK(fn.liveOps() == ops);
  }
  bool verifies() {
    SourceManager sources;
    Diagnostics diags(sources);
    bool good = verifyProgram(program, diags);
    CHECK_MESSAGE(good, diags.renderText());
    return good;
  }
};

} // namespace rw::test
