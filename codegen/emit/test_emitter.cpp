// `test` declarations: a function that builds either side of `=>`; a member of PatternEmitter, which knows how to
// build.
#include "codegen/emit/pattern_emitter.h"

namespace rw::emit {

using sema::Expr;
using sema::TypeKind;

void PatternEmitter::emitTest(const sema::Test &test, const std::string &name) {
  for (std::string_view taken : {"rw", "after", "results", "fn", "match"})
    names_.unique(taken);
  inTest_ = true;
  w_.open(fmt::format("bool {}(PatternRewriter &rw, bool after, InlineList<Value> &results) {{", name));
  w_.text("[[maybe_unused]] Context &ctx = rw.context();");
  w_.text("[[maybe_unused]] Function &fn = rw.function();");
  w_.text("[[maybe_unused]] Attempt match(Op(), rw);");
  failRewrite({}, "");
  size_t symbol = 0;
  for (uint32_t id = 0; id < test.body.vars.size() && symbol < test.symbols.size(); ++id) {
    const sema::Var &v = test.body.vars[id];
    if (v.kind != sema::VarKind::Bound || v.name != test.symbols[symbol])
      continue;
    ++symbol;
    std::string text = names_.unique(v.name);
    w_.line("[[maybe_unused]] Dim {} = ctx.dims().symbol(ctx.intern({}));", text, cppString(v.name));
    e_.bind(sema::VarId(id), {.text = text});
  }
  for (const sema::Test::Param &param : test.params) {
    std::string type = e_.value(param.type);
    const std::string &written = test.body.var(param.var).name;
    std::string text = names_.unique(written);
    w_.line("Value {} = fn.addParam({});", text, type);
    w_.line("fn.setValueName({}.id, ctx.intern({}));", text, cppString(written)); // a failing test shows it
    e_.bind(param.var, {.text = text});
  }
  auto side = [&](const sema::Test::Side &given) {
    for (const sema::Test::Let &let : given.lets)
      e_.bind(let.var, {.text = e_.named(let.value, test.body.var(let.var).name)});
    for (const Expr &value : given.values) {
      std::string text = e_.named(value, "value");
      if (value.type.is(TypeKind::Op)) {
        w_.open(fmt::format("for (Value result : resultsOf({}))", text));
        w_.text("results.push_back(result);");
        w_.dedent();
      } else {
        w_.line("results.push_back({});", text);
      }
    }
    w_.text("return true;");
  };
  if (test.unchanged) {
    w_.open("if (after)");
    w_.text("return false;");
    w_.dedent();
  } else {
    auto saved = e_.save();
    w_.open("if (after) {");
    side(test.after);
    w_.close("}");
    e_.restore(saved);
  }
  side(test.before);
  w_.close("}");
  w_.blank();
}

} // namespace rw::emit
