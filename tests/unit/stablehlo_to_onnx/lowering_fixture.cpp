#include "lowering_fixture.h"

#include "../support/builtin_passes.h"
#include "rw/interp/element.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"
#include "rw/onnx/from_program.h"
#include "rw/stablehlo/stablehlo.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>

using namespace rw;

namespace test {

std::string mlirElement(DType t) {
  if (t == DType::Bool)
    return "i1";
  return isUnsigned(t) ? "u" + std::string("i") + std::string(dtypeName(t).substr(1)) : std::string(dtypeName(t));
}

std::string mlirType(DType t, const Shape &shape, const std::vector<bool> &unknown) {
  std::string text = "tensor<";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i < unknown.size() && unknown[i] ? "?" : std::to_string(shape[i])) + "x";
  return text + mlirElement(t) + ">";
}

std::string mlirList(const std::vector<int64_t> &list) { return fmt::format("[{}]", fmt::join(list, ", ")); }
std::string mlirArray(const std::vector<int64_t> &list) {
  return list.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(list, ", "));
}

namespace {

double drawnFloat(Draw &draw, Values values, double least, double smallest, double greatest) {
  auto uniform = [&] { return double(draw.next() >> 11) / double(uint64_t(1) << 53); };
  switch (values) {
  case Values::Few:
    return double(draw.below(9)) / 2 - 2;
  case Values::Unit:
    return draw.chance(10) ? std::vector<double>{0, -0.0, 1, -1, 0.5}[draw.below(5)] : 2 * uniform() - 1;
  case Values::Nonzero:
    return 1 + 19 * uniform();
  case Values::Positive:
    return draw.chance(10) ? double(draw.below(3)) : 20 * uniform();
  case Values::Moderate:
    return draw.chance(10) ? double(draw.below(5)) - 2 : 40 * uniform() - 20;
  default:
    break;
  }
  if (draw.chance(35)) {
    const std::vector<double> finite = {
        0,      -0.0,     1,         -1,         0.5,  -0.5,  1.5,     2.5,          -2.5,          3.5,       -3.5,
        2,      -2,       3,         100,        -100, 127.5, 1e-5,    -1e-5,        greatest,      -greatest, least,
        -least, smallest, -smallest, 0.49999997, 255,  256,   65535.5, 2147483648.0, -2147483648.0, 1e19};
    const std::vector<double> special = {NAN, INFINITY, -INFINITY};
    return values == Values::Any && draw.chance(30) ? draw.pick(special) : draw.pick(finite);
  }
  double magnitude = std::ldexp(1 + uniform(), int(draw.below(draw.chance(10) ? 60 : 10)) - (draw.chance(50) ? 30 : 5));
  return draw.chance(50) ? -magnitude : magnitude;
}

Tensor drawnTensor(Draw &draw, const LoweringParam &p) {
  Tensor t = *Tensor::make(p.dtype, p.shape);
  for (size_t i = 0; i < t.size(); ++i) {
    if (p.dtype == DType::Bool) {
      t.mutableData<Bool>()[i] = Bool(p.values == Values::Given ? p.given[i] != 0 : draw.chance(50));
      continue;
    }
    bool isFloating = visitFloat(p.dtype, [&]<class T>(T) {
      bool f64 = std::is_same_v<T, double>, f16 = std::is_same_v<T, Half>;
      double least = f64 ? 2.2250738585072014e-308 : f16 ? 6.103515625e-05 : 1.1754943508222875e-38; // normal
      double smallest = f64                        ? 5e-324
                        : f16                      ? 5.960464477539063e-08
                        : std::is_same_v<T, float> ? 1.401298464324817e-45
                                                   : 9.183549615799121e-41;
      double greatest = f64                        ? 1.7976931348623157e308
                        : f16                      ? 65504
                        : std::is_same_v<T, float> ? 3.4028234663852886e38
                                                   : 3.3895313892515355e38;
      t.mutableData<T>()[i] =
          T(p.values == Values::Given ? double(p.given[i]) : drawnFloat(draw, p.values, least, smallest, greatest));
      return true;
    });
    if (isFloating)
      continue;
    visitInt(p.dtype, [&]<class T>(T) {
      using Limits = std::numeric_limits<T>;
      int64_t v = int64_t(draw.next());
      switch (p.values) {
      case Values::Given:
        v = p.given[i];
        break;
      case Values::Few:
      case Values::Unit:
        v = int64_t(draw.below(7)) - (std::is_signed_v<T> ? 3 : 0);
        break;
      case Values::Positive:
        v = int64_t(draw.below(21));
        break;
      case Values::Nonzero:
        v = int64_t(draw.between(1, 20));
        break;
      case Values::Moderate:
        v = int64_t(draw.below(41)) - (std::is_signed_v<T> ? 20 : 0);
        break;
      default:
        if (draw.chance(40))
          v = draw.pick(std::vector<int64_t>{int64_t(Limits::min()), int64_t(Limits::max()), int64_t(Limits::max() - 1),
                                             int64_t(Limits::min() + 1), 0, 1, -1, 2, 3, 7, 31, 63, 64,
                                             int64_t(Limits::max() / 2 + 1)});
        else if (draw.chance(50))
          v = int64_t(draw.below(41)) - 20;
      }
      t.mutableData<T>()[i] = T(v);
      return true;
    });
  }
  t.holdTo4Bits();
  return t;
}

/// How many floats lie between two; NaNs are at one place, and so are both
/// zeros.
template <class T> uint64_t unitsBetween(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 2, int16_t, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  auto place = [](T v) {
    Bits bits = std::bit_cast<Bits>(v);
    return bits < 0 ? -int64_t(bits & std::numeric_limits<Bits>::max()) : int64_t(bits);
  };
  bool nanA = std::isnan(double(a)), nanB = std::isnan(double(b));
  if (nanA || nanB)
    return nanA && nanB ? 0 : UINT64_MAX;
  int64_t x = place(a), y = place(b);
  return x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
}

/// The first element in which two results differ, in words.
std::string differenceIn(const Tensor &was, const Tensor &is, const LoweringCase &c, std::span<const Tensor> inputs) {
  if (was.dtype() != is.dtype() || was.shape() != is.shape())
    return fmt::format("{}{} became {}{}", dtypeName(was.dtype()), shapeText(was.shape()), dtypeName(is.dtype()),
                       shapeText(is.shape()));
  std::string text;
  auto say = [&](size_t i, auto a, auto b, std::string more) {
    text = fmt::format("[{}]: {} became {}{}", i, a, b, more);
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].size() == was.size() && inputs[k].size() != 0)
        text += isFloat(inputs[k].dtype()) ? fmt::format(", %a{} = {}", k, inputs[k].floatAt(i))
                                           : fmt::format(", %a{} = {}", k, inputs[k].intAt(i));
  };
  visitAny(was.dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < was.size() && text.empty(); ++i) {
      T a = was.data<T>()[i], b = is.data<T>()[i];
      if constexpr (kIsFloat<T>) {
        uint64_t units = unitsBetween(a, b);
        bool near = c.units || c.absolute
                        ? units <= c.units || std::fabs(double(a) - double(b)) <= c.absolute
                        : units == 0 && (std::isnan(double(a)) || std::signbit(double(a)) == std::signbit(double(b)));
        if (!near)
          say(i, double(a), double(b), fmt::format(" ({} units)", units));
      } else if constexpr (kIsInt<T>) {
        if (a != b)
          say(i, int64_t(a), int64_t(b), "");
      } else if constexpr (std::is_same_v<T, Bool>) {
        if (bool(a) != bool(b))
          say(i, bool(a), bool(b), "");
      }
    }
    return true;
  });
  return text;
}

std::string hex(const Tensor &t) {
  std::string text;
  for (size_t i = 0; i < t.byteSize(); ++i)
    text += fmt::format("{:02x}", unsigned(t.data<std::byte>()[i]));
  return text;
}

/// For another engine: NNNN.onnx and NNNN.json.
void dump(const std::string &title, Program &program, std::span<const Tensor> inputs, const EvalResult &result,
          const LoweringCase &c) {
  static unsigned number = 0;
  std::string path = fmt::format("{}/{:05}", std::getenv("RW_LOWERING_DUMP"), number++);
  SourceManager sources;
  Diagnostics diags(sources);
  std::optional<OnnxModel> model = onnxFromProgram(program, rw::test::builtins().ops, diags);
  REQUIRE_MESSAGE((model && exportOnnx(*model, path + ".onnx", diags)), diags.renderText());
  auto tensors = [](std::span<const Tensor> list) {
    std::string text;
    for (const Tensor &t : list)
      text += fmt::format("{}{{\"dtype\": \"{}\", \"dims\": {}, \"hex\": \"{}\"}}", text.empty() ? "" : ", ",
                          dtypeName(t.dtype()), shapeText(t.shape()), hex(t));
    return text;
  };
  std::ofstream(path + ".json") << fmt::format("{{\"name\": \"{}\", \"units\": {}, \"absolute\": {}, \"inputs\": [{}], "
                                               "\"outputs\": [{}]}}\n",
                                               title, c.units, c.absolute, tensors(inputs), tensors(result.values));
}

/// What goes wrong with one case; empty if nothing does.
std::string outcomeOf(const std::string &title, const LoweringCase &c, Draw &draw) {
  std::string text = "func.func @main(";
  for (size_t i = 0; i < c.params.size(); ++i)
    text += fmt::format("{}%a{}: {}", i ? ", " : "", i, c.type(i));
  text += ") -> " + c.result + " {\n" + c.lines + "\nreturn %r : " + c.result + "\n}\n";
  SourceManager sources;
  Diagnostics diags(sources);
  std::unique_ptr<Program> read =
      stablehlo::parseProgram(sources.addText("case.mlir", text), sources, diags, rw::test::builtins().ops);
  if (!read)
    return diags.renderText() + text;
  Program converted = read->clone();
  PassManagerResult ran = rw::test::runPipeline(converted, "stablehlo_to_onnx");
  std::string after = text + printProgram(converted);
  if (!verifyProgram(converted, diags))
    return "what it became does not verify: " + diags.renderText() + after;
  std::string left;
  Function &main = *converted.function("main");
  for (Op op : main.ops(main.body()))
    if (!op.fullName().starts_with("onnx.") && op.kind() != kReturnKind)
      left = std::string(op.fullName());
  if (c.refused != !left.empty())
    return (c.refused ? "it was to be refused\n"
                      : "no lowering for " + left + ": " + ran.records.front().message + "\n") +
           after;
  for (unsigned round = 0; !c.refused && round < 2; ++round) {
    std::vector<Tensor> inputs;
    for (const LoweringParam &p : c.params)
      inputs.push_back(drawnTensor(draw, p));
    EvalResult was = evaluate(*read->function("main"), inputs, {.program = &*read});
    if (!was.ok)
      return "cannot be evaluated: " + was.opName + ": " + was.error + "\n" + text;
    EvalResult is = evaluate(main, inputs, {.opset = 17, .program = &converted});
    if (!is.ok)
      return "what it became cannot be evaluated: " + is.opName + ": " + is.error + "\n" + after;
    std::string difference = differenceIn(was.values[0], is.values[0], c, inputs);
    if (!difference.empty())
      return difference + "\n" + after;
    if (std::getenv("RW_LOWERING_DUMP") && round == 0)
      dump(title, converted, inputs, is, c);
  }
  return "";
}

} // namespace

void checkLowerings(const std::string &title, unsigned count, const std::function<LoweringCase(Draw &)> &make) {
  unsigned failures = 0;
  for (unsigned seed = 0; seed < count && failures < 3; ++seed) {
    Draw draw(seed + std::hash<std::string>()(title) % 100000);
    LoweringCase c = make(draw);
    std::string wrong = outcomeOf(title, c, draw);
    failures += !wrong.empty();
    CHECK_MESSAGE(wrong.empty(), title << ", case " << seed << ": " << wrong);
  }
}

} // namespace test
