// Functions of floats, as the evaluator's kernels compute them, beside what is proved of them: by all values, and by a
// solver.
#include "codegen/verify/all_values.h"
#include "codegen/verify/solver.h"
#include "codegen/verify/solver_questions.h"
#include "codegen/verify/term_evaluator.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/parser.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace rw;
using namespace rw::verify;

namespace {

/// The numbers at which floats are special, as the type rounds them.
std::vector<double> specialNumbers(DType type) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> out;
  for (double v : {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, -0.3, 0.1, 7.0, 1e-7, -1e-41, 6e4, -3e38, inf, -inf})
    visitFloat(type, [&]<class T>(T) {
      out.push_back(convertElement<double>(convertElement<T>(v)));
      return true;
    });
  out.push_back(std::nan(""));
  return out;
}

Tensor tensorOf(DType type, const std::vector<double> &values) {
  Tensor t = *Tensor::make(type, {int64_t(values.size())});
  visitAny(type, [&]<class T>(T) {
    for (size_t i = 0; i < values.size(); ++i)
      t.mutableData<T>()[i] = convertElement<T>(values[i]);
    return true;
  });
  return t;
}

struct Kernels {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  Kernels() { builtin::register_rw_builtin(registry); }
  /// The result of an op on elements side by side.
  Tensor operator()(std::string_view op, const std::vector<Tensor> &operands, DType result) {
    std::string parameters, names;
    for (size_t i = 0; i < operands.size(); ++i) {
      parameters += fmt::format("{}%{}: {}[{}]", i ? ", " : "", i, dtypeName(operands[i].dtype()), operands[i].size());
      names += fmt::format("{}%{}", i ? ", " : "", i);
    }
    const std::string type = fmt::format("{}[{}]", dtypeName(result), operands[0].size());
    const size_t brace = op.find('{');
    const std::string text =
        fmt::format("func @main({}) -> {} {{\n %r = {}({}) {} : {}\n return %r\n}}\n", parameters, type,
                    op.substr(0, brace), names, brace == op.npos ? "" : op.substr(brace), type);
    auto program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    INFO(text << diags.renderText());
    REQUIRE(program);
    EvalResult r = evaluate(*program->function("main"), operands);
    REQUIRE(r.error == "");
    return r.values[0];
  }
};

Term numberTerm(TermTable &t, DType type, double v) {
  return type == DType::Bool ? t.literal(type, v != 0) : literalTerm(t, type, v);
}

/// Whether both ways have the function of these numbers as the kernel has it, and as nothing else.
void compare(std::string_view function, DType type, const std::vector<double> &arguments, DType from, double computed,
             bool bySolver = true) {
  TermTable t(Level::Exact);
  std::vector<Term> args;
  for (double v : arguments)
    args.push_back(numberTerm(t, from, v));
  const std::vector<int64_t> numbers =
      function == "cast" ? std::vector<int64_t>{int64_t(from)} : std::vector<int64_t>{};
  const Term term = t.apply(function, type, args, numbers), is = numberTerm(t, type, computed);
  const Term other = numberTerm(t, type, type == DType::Bool ? computed == 0 : computed == 1 ? 2 : 1);
  INFO(function << " of " << dtypeName(from) << ' ' << arguments[0] << ' ' << arguments.back() << " is " << computed);
  CHECK(sameAtAllValues(t, term, is));
  CHECK_FALSE(sameAtAllValues(t, term, other));
  if (!bySolver || !hasSolver())
    return;
  std::vector<std::string> answered;
  CHECK(sameBySolver(t, term, is, true, answered));
  CHECK_FALSE(sameBySolver(t, term, other, true, answered));
}

} // namespace

TEST_CASE("functions of one float are what kernels compute") {
  Kernels kernels;
  for (auto [function, op] : {std::pair("neg", "tensor.neg"),
                              {"abs", "tensor.abs"},
                              {"sqrt", "tensor.sqrt"},
                              {"floor", "tensor.floor"},
                              {"ceil", "tensor.ceil"},
                              {"round", "tensor.round"},
                              {"round_nearest_even", "tensor.round"},
                              {"reciprocal", "onnx.Reciprocal"}})
    for (DType type : {DType::F16, DType::BF16, DType::F32, DType::F64}) {
      const std::vector<double> numbers = specialNumbers(type);
      const Tensor result = kernels(op, {tensorOf(type, numbers)}, type);
      for (size_t i = 0; i < numbers.size(); ++i)
        compare(function, type, {numbers[i]}, type, result.floatAt(i));
    }
}

TEST_CASE("functions of two floats are what kernels compute") {
  Kernels kernels;
  for (auto [function, op, isCompared] : {std::tuple("add", "tensor.add", false),
                                          {"mul", "tensor.mul", false},
                                          {"div", "tensor.div", false},
                                          {"max", "tensor.max", false},
                                          {"min", "tensor.min", false},
                                          {"less", "tensor.compare{direction = \"lt\"}", true},
                                          {"lessorequal", "tensor.compare{direction = \"le\"}", true},
                                          {"equal", "tensor.compare{direction = \"eq\"}", true}})
    for (DType type : {DType::F16, DType::BF16, DType::F32}) {
      std::vector<double> x, y;
      const std::vector<double> numbers = specialNumbers(type);
      for (size_t i = 0; i < numbers.size(); ++i)
        for (size_t k = 0; k < numbers.size(); k += 3) {
          x.push_back(numbers[i]);
          y.push_back(numbers[(i + k) % numbers.size()]);
        }
      const DType to = isCompared ? DType::Bool : type;
      const Tensor result = kernels(op, {tensorOf(type, x), tensorOf(type, y)}, to);
      for (size_t i = 0; i < x.size(); ++i)
        compare(function, to, {x[i], y[i]}, type, isCompared ? result.data<Bool>()[i] : result.floatAt(i),
                i % 7 == 0); // of which a solver takes its time
    }
}

TEST_CASE("casts between floats, and of bools, are what kernels compute") {
  Kernels kernels;
  for (DType from : {DType::F16, DType::BF16, DType::F32, DType::F64, DType::Bool})
    for (DType to : {DType::F16, DType::BF16, DType::F32, DType::F64, DType::Bool}) {
      if (from == to)
        continue;
      const std::vector<double> numbers = from == DType::Bool ? std::vector<double>{0, 1} : specialNumbers(from);
      const Tensor result =
          kernels(fmt::format("tensor.cast{{dtype = {}}}", dtypeName(to)), {tensorOf(from, numbers)}, to);
      for (size_t i = 0; i < numbers.size(); ++i)
        compare("cast", to, {numbers[i]}, from, to == DType::Bool ? result.data<Bool>()[i] : result.floatAt(i));
    }
}

TEST_CASE("integers of 8 bits and floats beside them, at all values") {
  TermTable t(Level::Exact);
  const Term x = t.element(DType::I8, 0, {}), y = t.element(DType::U8, 1, {});
  auto cast = [&](Term a, DType to) { return t.apply("cast", to, {a}, {int64_t(t.node(a).dtype)}); };
  // A float of 16 bits holds them, and their products not.
  CHECK(sameAtAllValues(t, cast(cast(x, DType::F16), DType::I8), x));
  const Term product = t.ringMul(DType::I32, cast(x, DType::I32), cast(y, DType::I32));
  CHECK(sameAtAllValues(t, cast(cast(product, DType::F32), DType::I32), product));
  CHECK_FALSE(sameAtAllValues(t, cast(cast(product, DType::F16), DType::I32), product));
  // More than two bytes are too many.
  const Term z = t.element(DType::I16, 2, {});
  CHECK_FALSE(sameAtAllValues(
      t, cast(cast(t.ringMul(DType::I32, cast(x, DType::I32), cast(z, DType::I32)), DType::F64), DType::I32),
      t.ringMul(DType::I32, cast(x, DType::I32), cast(z, DType::I32))));
}

TEST_CASE("one float of 16 bits, at all values") {
  for (DType type : {DType::F16, DType::BF16}) {
    TermTable t(Level::Exact);
    const Term x = t.element(type, 0, {}), y = t.element(type, 1, {});
    auto f = [&](std::string_view name, std::vector<Term> args) { return t.apply(name, type, std::move(args)); };
    const Term floor = f("floor", {x}), minusCeil = f("neg", {f("ceil", {f("neg", {x})})});
    CHECK(sameAtAllValues(t, floor, minusCeil));
    CHECK_FALSE(sameAtAllValues(t, floor, f("ceil", {x})));
    // Twice and half again is another number where it overflows; half and twice where digits get lost.
    const Term two = literalTerm(t, type, 2), half = literalTerm(t, type, 0.5);
    CHECK_FALSE(sameAtAllValues(t, f("mul", {f("mul", {x, two}), half}), x));
    CHECK_FALSE(sameAtAllValues(t, f("mul", {f("mul", {x, half}), two}), x));
    CHECK(sameAtAllValues(t, f("mul", {x, two}), f("add", {x, x})));
    // Of two floats there are too many values, but not with 8 bits.
    const Term difference = f("add", {x, f("neg", {y})}), turned = f("neg", {f("add", {y, f("neg", {x})})});
    CHECK_FALSE(sameAtAllValues(t, difference, turned));
    CHECK(compareAtEightBits(t, f("abs", {difference}), f("abs", {turned})) == Sameness::Same);
    CHECK(compareAtEightBits(t, difference, turned) == Sameness::Different); // zeros of two signs
    // What a number is with 8 bits, of which it has more, nobody knows; nor what an exponential is.
    CHECK(compareAtEightBits(t, f("mul", {x, literalTerm(t, type, 0.3)}), x) == Sameness::Unknown);
    CHECK(compareAtEightBits(t, f("exp", {x}), f("exp", {y})) == Sameness::Unknown);
  }
}

TEST_CASE("a solver's floats") {
  if (!hasSolver())
    return;
  for (DType type : {DType::F16, DType::F32}) {
    TermTable t(Level::Exact);
    std::vector<std::string> answered;
    const Term x = t.element(type, 0, {}), y = t.element(type, 1, {}), zero = literalTerm(t, type, 0);
    auto less = [&](Term a, Term b) { return t.apply("less", DType::Bool, {a, b}); };
    const Term difference = t.apply("add", type, {x, t.apply("neg", type, {y})});
    // Floats lie so densely around 0 that a difference is 0 only of equal ones.
    CHECK(sameBySolver(t, less(difference, zero), less(x, y), true, answered));
    CHECK_FALSE(sameBySolver(t, less(zero, difference), less(x, y), true, answered));
    CHECK(answered.size() == 1);
    CHECK(smtQuestion(t, difference, x, true));
    // As real numbers they are not what the solver knows.
    CHECK_FALSE(smtQuestion(t, difference, x, false));
    TermTable reals(Level::Reals);
    const Term r = reals.element(type, 0, {});
    CHECK_FALSE(smtQuestion(reals, reals.apply("floor", type, {r}), r, true));
  }
}
