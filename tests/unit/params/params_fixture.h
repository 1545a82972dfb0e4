// Programs from text over the built-in dialects and those of the tests, for tests of parameters and plans.
#pragma once

#include "../support/test_dialect.h"
#include "rw/builtin.h"
#include "rw/interp/evaluate.h"
#include "rw/interp/function_evaluator.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/passes/hoist_params.h"
#include "rw/passes/param_store.h"
#include "rw/passes/pass_manager.h"

#include <doctest/doctest.h>

namespace rw::test {

inline const rw::Registry &builtins() {
  static rw::Registry registry;
  static bool filled = (registerAll(registry), registerOps(registry.ops), true);
  (void)filled;
  return registry;
}

struct ParamsFixture {
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  Function *main = nullptr;

  Program &read(std::string text) {
    program = parse(std::move(text));
    main = program->function("main");
    REQUIRE(main);
    return *program;
  }
  std::unique_ptr<Program> parse(std::string text) {
    std::unique_ptr<Program> p =
        parseProgram(sources.addText("test.rwir", std::move(text)), sources, diags, builtins().ops);
    REQUIRE_MESSAGE(p, diags.renderText());
    REQUIRE_MESSAGE(verifyProgram(*p, diags), diags.renderText());
    return p;
  }
  /// The text does not verify, and this is said of it.
  void refuses(std::string text, std::string_view message) {
    std::unique_ptr<Program> p =
        parseProgram(sources.addText("test.rwir", std::move(text)), sources, diags, builtins().ops);
    REQUIRE_MESSAGE(p, diags.renderText());
    CHECK_FALSE(verifyProgram(*p, diags));
    std::string all = diags.renderText();
    CHECK_MESSAGE(all.find(message) != std::string::npos, all);
  }
  HoistResult hoist() {
    HoistResult r = hoistParams(*program, *main);
    Diagnostics found(sources);
    CHECK_MESSAGE(verifyProgram(*program, found), found.renderText());
    return r;
  }
  std::string text() { return printProgram(*program); }
  AttrId f32(Context &ctx, std::vector<int64_t> shape, std::vector<float> elements) {
    std::vector<Dim> dims(shape.begin(), shape.end());
    return ctx.denseAttr(ctx.tensorType(DType::F32, dims), std::as_bytes(std::span(elements)));
  }
};

} // namespace rw::test
