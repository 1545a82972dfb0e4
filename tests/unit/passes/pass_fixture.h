// A registry over the toy dialect, and a function to fill, for tests of passes.
#pragma once

#include "../rewrite/toy.h"

#include "rw/passes/pass_manager.h"

#include <doctest/doctest.h>

namespace toy {

inline constexpr std::string_view kLabels[] = {"small"};
template <unsigned number> PatternPtr makePattern(const OpRegistry &ops) {
  struct Held final : MultiOpPattern { // gives the pattern of a set on its own
    Held(const OpRegistry &ops, FrozenPatternSet set)
        : MultiOpPattern(set.info(0), set.pattern(0).roots(ops)), set(std::move(set)) {}
    bool matchAndRewrite(Op op, PatternRewriter &rw) const override { return set.pattern(0).matchAndRewrite(op, rw); }
    FrozenPatternSet set;
  };
  return std::make_unique<Held>(ops, makeSet(ops, 1u << number));
}

struct PassFixture {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  Function *fn = nullptr;
  TypeId type;
  Value x;
  PassManagerOptions options;

  PassFixture() {
    registerToy(registry.ops);
    registerCorePasses(registry);
    registry.patterns.add({{.name = "AA", .labels = kLabels}, makePattern<0>});
    registry.patterns.add({{.name = "FXX"}, makePattern<4>});
    registry.addCanonicalization("AA");
    registry.addCanonicalization("AA");
    registry.addPass({.name = "fxx", .patterns = {"FXX"}});
    registry.addPass({.name = "small", .labels = {"small"}});
    registry.addPipeline({"default", "canonicalize, cse, dce", ""});
    registry.addPipeline({"whole", "repeat(2) { canonicalize }, repeat(4) { default }", ""});
    program = std::make_unique<Program>(registry.ops);
    fn = &program->addFunction("main");
    type = program->context().tensorType(DType::F32, {Dim(2)});
    x = fn->addParam(type);
    options.rewriteConfig.expensiveChecks = false;
  }
  Context &ctx() { return program->context(); }
  Value un(const OpSchema &s, Value v, RegionId region = RegionId(0)) {
    return OpBuilder(*fn, region).create(s, {v}).result();
  }
  Value bin(const OpSchema &s, Value v, Value w, RegionId region = RegionId(0)) {
    return OpBuilder(*fn, region).create(s, {v, w}).result();
  }
  Value constant(AttrId value) { return OpBuilder(*fn, fn->body()).createConstant("t", value, type); }
  void ret(std::initializer_list<Value> values, RegionId region = RegionId(0)) {
    std::vector<ValueId> ids;
    for (Value v : values)
      ids.push_back(v.id);
    OpBuilder(*fn, region).createReturn(ids);
  }
  PassManagerResult run(std::string_view text) {
    PassManager pm(registry);
    REQUIRE_MESSAGE(pm.parse(text, sources, diags), diags.renderText());
    return pm.run(*program, options);
  }
};

} // namespace toy
