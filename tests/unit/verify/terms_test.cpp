// Laws of terms, one by one: what must be the same term, and what must not.
#include "codegen/verify/terms.h"

#include "codegen/verify/case_terms.h"
#include "codegen/verify/order_terms.h"
#include "codegen/verify/scalar_laws.h"
#include "codegen/verify/solver.h"
#include "codegen/verify/solver_questions.h"
#include "codegen/verify/term_evaluator.h"
#include "codegen/verify/whole_numbers.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace rw;
using namespace rw::verify;

namespace {
struct VerifyTerms {
  explicit VerifyTerms(Level level) : t(level) {}
  TermTable t;
  Term element(DType type, unsigned param) { return t.element(type, param, {}); }
  Term f(std::string_view name, DType type, std::vector<Term> args) {
    const DType first = t.node(args[0]).dtype;
    return scalar(t, name, type, first, std::move(args), {}, false);
  }
};
} // namespace

TEST_CASE("indices: quotients of mixed radix") {
  TermTable t(Level::Exact);
  const Term n = t.size("n"), m = t.size("m"), i = t.variable(m), k = t.variable(n);
  CHECK(t.div(t.add(t.mul(i, n), k), n) == i);
  CHECK(t.mod(t.add(t.mul(i, n), k), n) == k);
  CHECK(t.div(t.add(t.mul(i, n), k), m) != i);
  CHECK(t.isBelow(k, n));
  CHECK_FALSE(t.isBelow(k, m));
}

TEST_CASE("a start lies between 0 and the last place that fits") {
  TermTable t(Level::Exact);
  const Term n = t.size("n"), x = t.element(DType::I64, 0, {});
  const Term most = t.sub(n, t.number(1)), start = t.start(x, most);
  CHECK(t.isNonNegative(start));
  CHECK(t.isBelow(start, n));
  CHECK_FALSE(t.isBelow(start, most));
  CHECK(t.start(x, t.number(0)) == t.number(0));
  CHECK(t.sub(t.add(start, n), start) == n);
}

TEST_CASE("floats bit for bit") {
  VerifyTerms v(Level::Exact);
  const Term x = v.element(DType::F32, 0), y = v.element(DType::F32, 1);
  auto neg = [&](Term a) { return v.f("neg", DType::F32, {a}); };
  CHECK(v.f("sin", DType::F32, {neg(x)}) == neg(v.f("sin", DType::F32, {x})));
  CHECK(v.f("cos", DType::F32, {neg(x)}) == v.f("cos", DType::F32, {x}));
  CHECK(v.f("ceil", DType::F32, {neg(x)}) == neg(v.f("floor", DType::F32, {x})));
  CHECK(v.f("exp", DType::F32, {neg(x)}) != neg(v.f("exp", DType::F32, {x})));
  const Term abs = v.f("abs", DType::F32, {x});
  CHECK(v.f("mul", DType::F32, {abs, abs}) == v.f("mul", DType::F32, {x, x}));
  auto number = [&](double n) { return literalTerm(v.t, DType::F32, n); };
  CHECK(v.f("div", DType::F32, {x, number(4)}) == v.f("mul", DType::F32, {x, number(0.25)}));
  CHECK(v.f("div", DType::F32, {x, number(3)}) != v.f("mul", DType::F32, {x, number(1.0 / 3)}));
  CHECK(v.f("div", DType::F32, {x, number(std::ldexp(1, 127))}) !=
        v.f("mul", DType::F32, {x, number(std::ldexp(1, -127))}));
  CHECK(v.f("add", DType::F32, {x, number(0.0)}) != x);
  CHECK(v.f("add", DType::F32, {x, number(-0.0)}) == x);
  CHECK(v.f("add", DType::F32, {x, y}) == v.f("add", DType::F32, {y, x}));
}

TEST_CASE("real numbers") {
  VerifyTerms v(Level::Reals);
  const DType type = DType::F64;
  const Term x = v.element(type, 0), y = v.element(type, 1);
  auto mul = [&](Term a, Term b) { return v.f("mul", type, {a, b}); };
  const Term root = v.f("sqrt", type, {x}), abs = v.f("abs", type, {x});
  CHECK(mul(root, root) == x);
  CHECK(mul(abs, abs) == mul(x, x));
  CHECK(v.f("sqrt", type, {mul(x, x)}) == abs);
  CHECK(v.f("sqrt", type, {mul(x, x)}) != x);
  CHECK(v.f("abs", type, {v.f("neg", type, {x})}) == abs);
  CHECK(v.f("abs", type, {mul(x, y)}) == v.f("abs", type, {mul(y, v.f("neg", type, {x}))}));
  CHECK(v.f("tanh", type, {v.f("sub", type, {x, y})}) ==
        v.f("neg", type, {v.f("tanh", type, {v.f("sub", type, {y, x})})}));
  CHECK(v.f("log", type, {v.f("sqrt", type, {v.f("exp", type, {x})})}) == mul(x, literalTerm(v.t, type, 0.5)));
}

TEST_CASE("sums, products and whether something holds, over variables") {
  TermTable t(Level::Exact);
  const Term n = t.size("n"), m = t.size("m");
  const DType type = DType::I32;
  const Term i = t.variable(n), a = t.element(type, 0, {i}), b = t.element(type, 1, {i});
  CHECK(t.reduce("prod", type, {i}, t.ringMul(type, a, b)) ==
        t.ringMul(type, t.reduce("prod", type, {i}, a), t.reduce("prod", type, {i}, b)));
  CHECK(t.reduce("sum", type, {i}, t.ringMul(type, a, b)) !=
        t.ringMul(type, t.reduce("sum", type, {i}, a), t.reduce("sum", type, {i}, b)));
  // Some k for which p[k] and some j with q[k, j]: some k and j.
  const Term k = t.variable(n), j = t.variable(m), p = t.element(DType::Bool, 2, {k}),
             q = t.element(DType::Bool, 3, {k, j});
  const Term inner = t.reduce("or", DType::Bool, {j}, q);
  const Term both = scalar(t, "and", DType::Bool, DType::Bool, {p, inner}, {}, true);
  CHECK(t.reduce("or", DType::Bool, {k}, both) ==
        t.reduce("or", DType::Bool, {k, j}, scalar(t, "and", DType::Bool, DType::Bool, {p, q}, {}, true)));
  CHECK(scalar(t, "not", DType::Bool, DType::Bool, {inner}, {}, false) ==
        t.reduce("and", DType::Bool, {j}, scalar(t, "not", DType::Bool, DType::Bool, {q}, {}, false)));
}

TEST_CASE("there is room for so many terms") {
  TermTable t(Level::Exact);
  const Term n = t.size("n");
  CHECK_THROWS_AS(
      [&] {
        for (int64_t i = 0; i < 1'000'000; ++i)
          t.element(DType::F32, 0, {t.number(i)});
      }(),
      Undecided);
  CHECK(t.size() < 500'000);
  CHECK(t.size("n") == n); // what is there stays
}

TEST_CASE("casts and order") {
  VerifyTerms v(Level::Exact);
  const Term x = v.element(DType::I8, 0), y = v.element(DType::I8, 1), p = v.element(DType::Bool, 2);
  auto cast = [&](Term a, DType to) { return v.f("cast", to, {a}); };
  CHECK(cast(v.f("max", DType::I8, {x, y}), DType::I32) ==
        extreme(v.t, "max", DType::I32, {cast(x, DType::I32), cast(y, DType::I32)}));
  const Term wide = v.element(DType::I32, 3), other = v.element(DType::I32, 4);
  CHECK(cast(v.f("mul", DType::I32, {wide, other}), DType::I16) ==
        v.f("mul", DType::I16, {cast(wide, DType::I16), cast(other, DType::I16)}));
  const Term nonzero =
      v.f("not", DType::Bool, {v.f("equal", DType::Bool, {cast(p, DType::I32), v.t.ringNumber(DType::I32, 0)})});
  CHECK(sameByOrder(v.t, nonzero, p));
  CHECK_FALSE(sameByOrder(v.t, nonzero, v.f("not", DType::Bool, {p})));
}

TEST_CASE("integers that do not overflow") {
  VerifyTerms v(Level::Plain);
  std::vector<std::string> answered;
  auto literal = [&](DType type, int64_t n) { return v.t.literal(type, uint64_t(n)); };
  for (DType type : {DType::I8, DType::U8, DType::I32, DType::U64}) {
    const Term x = v.element(type, 0), y = v.element(type, 1), z = v.element(type, 2);
    auto scaled = [&](int64_t by, int64_t divided) {
      return v.f("div", type, {v.f("mul", type, {x, literal(type, by)}), literal(type, divided)});
    };
    auto sum = [&](Term a, Term b) { return v.f("add", type, {a, b}); };
    auto less = [&](Term a, Term b) { return v.f("less", DType::Bool, {a, b}); };
    const Term shifted = v.f("shift_left", type, {x, literal(type, 1)});
    if (!hasSolver())
      return;
    // Neither is so of bits, which wrap.
    CHECK_FALSE(sameBySolver(v.t, scaled(2, 2), x, false, answered));
    CHECK_FALSE(sameBySolver(v.t, less(sum(x, z), sum(y, z)), less(x, y), false, answered));
    CHECK(answered.empty());
    CHECK(sameAsWholeNumbers(v.t, scaled(2, 2), x, answered));
    CHECK(sameWithoutOverflow(v.t, scaled(2, 2), x, answered));
    CHECK(sameAsWholeNumbers(v.t, less(sum(x, z), sum(y, z)), less(x, y), answered));
    CHECK(sameWithoutOverflow(
        v.t, v.f(isSigned(type) ? "shift_right_arithmetic" : "shift_right_logical", type, {shifted, literal(type, 1)}),
        x, answered));
    CHECK(answered.size() == 4);
    // Of no numbers either.
    CHECK_FALSE(sameAsWholeNumbers(v.t, scaled(3, 2), x, answered));
    CHECK_FALSE(sameWithoutOverflow(v.t, scaled(3, 2), x, answered));
    CHECK_FALSE(sameAsWholeNumbers(v.t, less(sum(x, z), sum(y, z)), less(y, x), answered));
    CHECK_FALSE(sameWithoutOverflow(v.t, less(sum(x, z), sum(y, z)), less(y, x), answered));
    CHECK_FALSE(sameAsWholeNumbers(v.t, shifted, x, answered));
    answered.clear();
  }
  // A narrower type holds what does not overflow it; of another sign, what has none.
  const Term wide = v.element(DType::I32, 0);
  auto cast = [&](Term x, DType to) { return v.f("cast", to, {x}); };
  const Term there = cast(cast(wide, DType::I8), DType::I32), unsignedThere = cast(cast(wide, DType::U32), DType::I32);
  CHECK_FALSE(sameBySolver(v.t, there, wide, false, answered));
  CHECK(sameAsWholeNumbers(v.t, there, wide, answered));
  CHECK(sameWithoutOverflow(v.t, there, wide, answered));
  CHECK(sameWithoutOverflow(v.t, v.f("abs", DType::I32, {unsignedThere}), wide, answered));
  CHECK_FALSE(sameWithoutOverflow(v.t, v.f("abs", DType::I32, {wide}), wide, answered));
  // A term whose type holds no negative number.
  const Term minusOne = literal(DType::I8, -1), all = literal(DType::U8, 255);
  CHECK(sameAsWholeNumbers(v.t, cast(minusOne, DType::I32), literal(DType::I32, -1), answered));
  CHECK(sameAsWholeNumbers(v.t, cast(all, DType::I32), literal(DType::I32, 255), answered));
}

TEST_CASE("bit vectors") {
  VerifyTerms v(Level::Exact);
  const DType type = DType::I32;
  const Term x = v.element(type, 0), y = v.element(type, 1);
  auto number = [&](int64_t n) { return v.t.ringNumber(type, n); };
  auto shifted = [&](Term a, int64_t by) { return v.f("shift_right_arithmetic", type, {a, number(by)}); };
  const Term quotient = v.f("div", type, {x, number(4)});
  const Term bias = v.f("and", type, {shifted(x, 31), number(3)}), same = shifted(v.t.ringAdd(type, x, bias), 2);
  std::vector<std::string> answered;
  CHECK(smtQuestion(v.t, quotient, same));
  CHECK_FALSE(smtQuestion(v.t, v.element(DType::F32, 2), v.element(DType::F32, 3)));
  if (!hasSolver())
    return;
  CHECK(sameBySolver(v.t, quotient, same, false, answered));
  CHECK(answered.size() == 1);
  CHECK_FALSE(sameBySolver(v.t, quotient, shifted(x, 2), false, answered)); // of -1
  CHECK_FALSE(sameBySolver(v.t, v.f("div", type, {x, y}), v.f("rem", type, {x, y}), false, answered));
  CHECK(answered.size() == 1);
  // A quotient by 0 is anything.
  const Term back = v.t.ringAdd(type, v.t.ringMul(type, v.f("div", type, {x, number(0)}), number(0)), x);
  CHECK(back == x);
  CHECK_FALSE(isUnsatisfiable("(no question)"));
}
