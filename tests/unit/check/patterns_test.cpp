#include "checked.h"

using namespace rw;
using namespace rw::sema;

static Checked good(const std::string &text) {
  Checked c(kOps + text);
  CHECK_MESSAGE(!c.diags.hasErrors(), c.diags.renderText());
  return c;
}

TEST_CASE("a name binds at its first use and is compared later") {
  Checked c = good("pattern P { add(relu(x), x) => x }");
  const Match &root = c.pattern("P").roots[0];
  CHECK(root.operands[0].elements[0].operands[0].elements[0].value.use == Use::Bind);
  CHECK(root.operands[1].elements[0].value.use == Use::Compare);
  CHECK(root.commutative);
}

TEST_CASE("attributes left out must have their default, optional ones be absent; `..` ignores them") {
  Checked c = good("pattern P { softmax(x) => x } pattern Q { softmax(x, ..) => x }"
                   "pattern R { conv(x, _) => x } pattern S { softmax(x, axis = 1) => x }");
  CHECK(c.pattern("P").roots[0].attrs[0].kind == AttrMatchKind::Default);
  CHECK_FALSE(c.pattern("P").roots[0].ignoreAttrs);
  CHECK(c.pattern("Q").roots[0].attrs[0].kind == AttrMatchKind::Ignored);
  CHECK(c.pattern("Q").roots[0].ignoreAttrs);
  CHECK(c.pattern("R").roots[0].attrs[0].kind == AttrMatchKind::Absent);
  CHECK(c.pattern("R").roots[0].operands[2].kind == OperandMatchKind::Absent);
  CHECK(c.pattern("S").roots[0].attrs[0].kind == AttrMatchKind::Equal);
}

TEST_CASE("what some alternatives bind may be unbound") {
  Checked c = good("pattern P { relu((transpose(x, perm = p) | exp(x))) => transpose(x, perm = p) }");
  const Pattern &p = c.pattern("P");
  bool seen = false;
  for (const Var &var : p.body.vars)
    if (var.name == "p")
      seen = var.mayBeUnbound;
    else
      CHECK_FALSE(var.mayBeUnbound);
  CHECK(seen);
  const Match &either = p.roots[0].operands[0].elements[0];
  CHECK(either.children[0].operands[0].elements[0].value.use == Use::Bind);
  CHECK(either.children[1].operands[0].elements[0].value.use == Use::Bind);
}

TEST_CASE("under `each`, values are bound per operand and attributes once") {
  Checked c = good("pattern P { f: elementwise(each (transpose(x, perm = p) | x: single_element)) => transpose(f(each "
                   "x), perm = p) }");
  const Pattern &p = c.pattern("P");
  for (const Var &var : p.body.vars) {
    CHECK(var.perOperand == (var.name == "x"));
    if (var.name == "x")
      CHECK((var.type == Type::list(TypeKind::Value)));
    if (var.name == "p")
      CHECK(var.mayBeUnbound);
  }
  CHECK(p.roots[0].each);
  CHECK(p.roots[0].ops.byTrait());
  CHECK(p.roots[0].children[0].children[0].attrs[0].var.use == Use::BindOrCompare);
}

TEST_CASE("variadic operands: elements before and after the rest") {
  Checked c = good("pattern P { concat(a, bs..., relu(z)) => concat(a, bs..., z) }");
  const OperandMatch &operand = c.pattern("P").roots[0].operands[0];
  CHECK(operand.kind == OperandMatchKind::List);
  CHECK(operand.hasRest);
  CHECK(operand.restAt == 1);
  CHECK(operand.elements.size() == 2);
}

TEST_CASE("an optional op may be absent, and then what it binds is unbound") {
  Checked c = good("pattern P { relu(s: softmax?(x, axis = a)) => s(relu(x)) }");
  const Pattern &p = c.pattern("P");
  CHECK(p.roots[0].operands[0].elements[0].optional);
  const Build &again = p.body.builds[p.actions[0].values[0].build().raw];
  CHECK(again.kind == BuildKind::Like);
  CHECK(p.body.var(again.like).optional);
}

TEST_CASE("the op `max` on values, the function on numbers") {
  Checked c = good("pattern P { relu(x) where max(x.rank, 2) == 2 => max(x, max(x, x)) }"
                   "pattern Q { relu(x) => softmax(x, axis = max(x.rank, 1)) }");
  CHECK(c.pattern("P").body.builds.size() == 2);
  CHECK(c.pattern("Q").body.builds.size() == 1);
}

TEST_CASE("`is` binds for what follows; under `not` and `or` it does not") {
  Checked c = good("pattern P { relu(y) where y is exp(z) and z.rank == 1, not z is exp(_) => z }");
  const Pattern &p = c.pattern("P");
  REQUIRE(p.conditions.size() == 3);
  CHECK(p.conditions[0].kind == ConditionKind::Is);
  CHECK(p.conditions[1].kind == ConditionKind::Test);
  CHECK(p.conditions[2].expr.kind == ExprKind::Not);
  CHECK(p.conditions[2].expr.args[0].kind == ExprKind::Is);
  CHECK(p.body.tests.size() == 1);
}

TEST_CASE("a template makes one pattern per entry, each of its own ops") {
  Checked c = good("for (f, g) in {(relu, exp), (exp, t.relu)} for n in {0, -1} pattern P_{f}_{g}_{n} { f(g(x)) where "
                   "x.rank == n => x }");
  REQUIRE(c.module->patterns.size() == 4);
  CHECK(c.module->patterns[0].name == "P_relu_exp_0");
  CHECK(c.module->patterns[1].name == "P_relu_exp_minus_1");
  CHECK(c.module->patterns[2].name == "P_exp_t_relu_0");
  CHECK(c.module->op(c.module->patterns[2].roots[0].ops.ops[0]).name == "exp");
  CHECK(c.module->patterns[3].range.begin == c.module->patterns[0].range.begin);
}

TEST_CASE("one error in a template is one report") {
  Checked c(kOps + "for f in {relu, exp} pattern P_{f} { f(x) => f(y) }");
  CHECK(c.reports() == std::vector<std::string>{"unbound-name: `y` is not bound here"});
}

TEST_CASE("several results: a build, a tuple, a let") {
  Checked c =
      good("pattern P { svd(relu(x)) => svd(x) } pattern Q { svd(relu(x)) => { let (u, s, v) = svd(x); (u, s, v) } }"
           "pattern R { d: svd(relu(x)) => (x, d.s, x) }");
  CHECK(c.pattern("P").actions[0].values.size() == 1);
  CHECK(c.pattern("Q").actions[0].vars.size() == 3);
  CHECK(c.pattern("R").actions[0].values[1].kind == ExprKind::OpResult);
  CHECK(c.pattern("R").actions[0].values[1].i == 1);
}

TEST_CASE("versions of an op are one name on the left") {
  Checked c("dialect o; op S versions 1..12 (x: tensor) -> tensor { traits pure; type x.type; }"
            "op S versions 13.. (x: tensor) -> tensor { traits pure; type x.type; } pattern P { S(x) => x }");
  CHECK(c.reports().empty());
  CHECK(c.pattern("P").roots[0].ops.ops.size() == 2);
}

TEST_CASE("pipelines are text of one form") {
  Checked c("pipeline p = canonicalize, repeat(2) { cse, repeat(3) { dce } }, hoist_params{max_size = 3};");
  CHECK(c.reports().empty());
  CHECK(c.module->pipelines[0].text == "canonicalize,repeat(2){cse,repeat(3){dce}},hoist_params{max-size=3}");
}
