// Contractions over elements that are no machine numbers, and tokens that are only moved.
#include "rw/interp/evaluate.h"
#include "rw/interp/semiring.h"
#include "rw/ir/parser.h"
#include "rw/passes/pass.h"
#include "rw_builtin_register.h"

#include <doctest/doctest.h>
#include <limits>

using namespace rw;

namespace {
constexpr double kNone = -std::numeric_limits<double>::infinity();

template <class E> Tensor tensor(DType dtype, Shape shape, std::vector<E> values) {
  Tensor t = *Tensor::make(dtype, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    t.mutableData<E>()[i] = values[i];
  return t;
}
template <class E> std::vector<E> elements(const Tensor &t) { return {t.data<E>(), t.data<E>() + t.size()}; }

struct SemiringText {
  Registry registry;
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<Program> program;
  explicit SemiringText(const char *text) {
    builtin::register_rw_builtin(registry);
    program = parseProgram(sources.addText("t.rwir", text), sources, diags, registry.ops);
    INFO(diags.renderText());
    REQUIRE(program);
  }
  EvalResult over(const KernelTable &table, std::vector<Tensor> inputs) {
    return evaluate(*program->function("main"), inputs, {.kernels = &table});
  }
};

const char *kMatrixProduct =
    "func @main(%a: f64[2, 2], %b: f64[2, 2]) -> f64[2, 2] {\n"
    " %0 = tensor.dot_general(%a, %b) {lhs_contract = [1], rhs_contract = [0]} : f64[2, 2]\n return %0\n}";
} // namespace

TEST_CASE("max-plus: the product of two matrices holds the longest paths of two steps") {
  SemiringText text(kMatrixProduct);
  KernelTable table = kernelsOver<MaxPlus>();
  EvalResult r = text.over(table, {tensor<double>(DType::F64, {2, 2}, {1, 5, kNone, 2}),
                                   tensor<double>(DType::F64, {2, 2}, {3, 0, 4, kNone})});
  REQUIRE(r.error == "");
  // max(1 + 3, 5 + 4), max(1 + 0, 5 - inf), max(-inf, 2 + 4), -inf
  CHECK(elements<double>(r.values[0]) == std::vector<double>{9, 1, 6, kNone});
}

TEST_CASE("max-plus: add is max, mul is plus, sums are maxima, of nothing -inf") {
  SemiringText text("func @main(%a: f64[2], %b: f64[2], %e: f64[0]) -> (f64[2], f64[2], f64[], f64[], f64[]) {\n %0 = "
                    "tensor.add(%a, %b) : f64[2]\n"
                    " %1 = tensor.mul(%a, %b) : f64[2]\n %2 = tensor.reduce_sum(%a) {axes = [0]} : f64[]\n"
                    " %3 = tensor.reduce_sum(%e) {axes = [0]} : f64[]\n %4 = tensor.reduce_prod(%a) {axes = [0]} : "
                    "f64[]\n return %0, %1, %2, %3, %4\n}");
  KernelTable table = kernelsOver<MaxPlus>();
  EvalResult r = text.over(table, {tensor<double>(DType::F64, {2}, {1, 7}), tensor<double>(DType::F64, {2}, {3, -2}),
                                   tensor<double>(DType::F64, {0}, {})});
  REQUIRE(r.error == "");
  CHECK(elements<double>(r.values[0]) == std::vector<double>{3, 7});
  CHECK(elements<double>(r.values[1]) == std::vector<double>{4, 5});
  CHECK(r.values[2].floatAt(0) == 7);
  CHECK(r.values[3].floatAt(0) == kNone);
  CHECK(r.values[4].floatAt(0) == 8);
}

TEST_CASE("boolean: reachability; the same as dot_general of bools, batch dimensions included") {
  SemiringText text(
      "func @main(%a: bool[2, 1, 2], %b: bool[2, 2, 2]) -> bool[2, 1, 2] {\n %0 = tensor.dot_general(%a, %b) "
      "{lhs_batch = [0], rhs_batch = [0], lhs_contract = [2], rhs_contract = [1]} : bool[2, 1, 2]\n return %0\n}");
  std::vector<Tensor> in = {tensor<uint8_t>(DType::Bool, {2, 1, 2}, {1, 0, 1, 1}),
                            tensor<uint8_t>(DType::Bool, {2, 2, 2}, {0, 1, 1, 1, 0, 0, 1, 0})};
  KernelTable table = kernelsOver<Boolean>();
  for (const KernelTable *kernels : {static_cast<const KernelTable *>(&table), &rw::kernels()}) {
    EvalResult r = text.over(*kernels, in);
    REQUIRE(r.error == "");
    CHECK(elements<uint8_t>(r.values[0]) == std::vector<uint8_t>{0, 1, 1, 0});
  }
}

TEST_CASE("numbers modulo a prime are exact where floats are not") {
  SemiringText text(
      "func @main(%a: u64[1, 2], %b: u64[2, 1]) -> u64[1, 1] {\n"
      " %0 = tensor.dot_general(%a, %b) {lhs_contract = [1], rhs_contract = [0]} : u64[1, 1]\n return %0\n}");
  constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
  KernelTable table = kernelsOver<Modulo<kPrime>>();
  EvalResult r = text.over(table, {tensor<uint64_t>(DType::U64, {1, 2}, {kPrime - 1, 2}),
                                   tensor<uint64_t>(DType::U64, {2, 1}, {kPrime - 1, 3})});
  REQUIRE(r.error == "");
  CHECK(elements<uint64_t>(r.values[0]) == std::vector<uint64_t>{7}); // (-1)(-1) + 2 * 3
}

TEST_CASE("tokens go through whatever only moves; ops that compute have no kernel there") {
  SemiringText text(
      "func @main(%x: u32[2, 3], %i: i64[2]) -> u32[2, 2] {\n %0 = tensor.transpose(%x) {perm = [1, 0]} : u32[3, 2]\n"
      " %1 = tensor.gather(%0, %i) {axis = 0} : u32[2, 2]\n %2 = tensor.reverse(%1) {axes = [1]} : u32[2, 2]\n return "
      "%2\n}");
  KernelTable table = movementKernels();
  std::vector<Tensor> in = {tensor<uint32_t>(DType::U32, {2, 3}, {11, 12, 13, 21, 22, 23}),
                            tensor<int64_t>(DType::I64, {2}, {2, 0})};
  EvalResult r = text.over(table, in);
  REQUIRE(r.error == "");
  CHECK(elements<uint32_t>(r.values[0]) == std::vector<uint32_t>{23, 13, 21, 11});
  SemiringText adds(kMatrixProduct);
  CHECK(adds.over(table,
                  {tensor<double>(DType::F64, {2, 2}, {1, 2, 3, 4}), tensor<double>(DType::F64, {2, 2}, {1, 2, 3, 4})})
            .unsupported);
}

TEST_CASE("elements of another width are refused") {
  SemiringText text("func @main(%a: f32[2], %b: f32[2]) -> f32[2] {\n %0 = tensor.add(%a, %b) : f32[2]\n return %0\n}");
  KernelTable table = kernelsOver<MaxPlus>();
  Tensor t = tensor<float>(DType::F32, {2}, {1, 2});
  CHECK(text.over(table, {t, t}).error.find("another width") != std::string::npos);
}
