// Ops with regions: reductions, windows, sorts, maps, in every element type and with bodies of many kinds.
#include "lowering_fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

using namespace ::test;

namespace {

/// Of both zeros a maximum or minimum gives either, by the order in which elements are looked at.
constexpr double kTiny = 1e-320;

const std::vector<std::string> kNumberOps = {"add", "multiply", "maximum", "minimum"},
                               kIntegerOps = {"and", "or", "xor"};

std::string scalar(DType t) { return mlirType(t, {}); }

/// An op that is a monoid on the type, and a value that makes no difference to it.
std::string monoid(Draw &draw, DType t) {
  bool isFloating = rw::isFloat(t);
  std::vector<std::string> ops = kNumberOps;
  if (!isFloating)
    ops.insert(ops.end(), kIntegerOps.begin(), kIntegerOps.end());
  return draw.pick(ops);
}

/// `{ ^bb0(%x: t, %y: t): %z = op %x, %y … }`
std::string regionOf(const std::string &op, DType t, bool swapped = false) {
  return fmt::format("{{\n^bb0(%x: {0}, %y: {0}):\n  %z = stablehlo.{1} {2} : {0}\n  stablehlo.return %z : {0}\n}}",
                     scalar(t), op, swapped ? "%y, %x" : "%x, %y");
}
std::string bodyOf(const std::string &op, DType t, bool swapped = false) {
  return "(" + regionOf(op, t, swapped) + ")";
}

/// Takes of two pairs the one with the greater first number, of equal ones the one with the lesser place: as argmax
/// does.
std::string greatestBody(DType t, DType p, const std::string &direction) {
  std::string s = scalar(t), i = scalar(p);
  return fmt::format(R"(({{
^bb0(%v: {0}, %p: {1}, %w: {0}, %q: {1}):
  %b0 = stablehlo.compare {2}, %v, %w : ({0}, {0}) -> tensor<i1>
  %b1 = stablehlo.compare NE, %v, %v : ({0}, {0}) -> tensor<i1>
  %b2 = stablehlo.or %b0, %b1 : tensor<i1>
  %b3 = stablehlo.compare EQ, %v, %w : ({0}, {0}) -> tensor<i1>
  %b4 = stablehlo.compare LT, %p, %q : ({1}, {1}) -> tensor<i1>
  %b5 = stablehlo.and %b3, %b4 : tensor<i1>
  %b6 = stablehlo.or %b2, %b5 : tensor<i1>
  %b7 = stablehlo.select %b2, %v, %w : tensor<i1>, {0}
  %b8 = stablehlo.select %b6, %p, %q : tensor<i1>, {1}
  stablehlo.return %b7, %b8 : {0}, {1}
}}))",
                     s, i, direction);
}

Shape kept(const Shape &shape, const std::vector<int64_t> &gone) {
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d)
    if (std::ranges::find(gone, int64_t(d)) == gone.end())
      out.push_back(shape[d]);
  return out;
}

std::vector<int64_t> someOf(Draw &draw, size_t rank, int percent = 50) {
  std::vector<int64_t> out;
  for (size_t d = 0; d < rank; ++d)
    if (draw.chance(unsigned(percent)))
      out.push_back(int64_t(d));
  return out;
}

std::vector<DType> withBool() {
  std::vector<DType> all = kNumbers;
  all.push_back(DType::Bool);
  return all;
}

/// A constant %c of a type.
std::string constantLine(const std::string &name, DType t, const std::string &text) {
  return fmt::format("%{} = stablehlo.constant dense<{}> : {}\n", name, text, scalar(t));
}

std::string neutral(const std::string &op, DType t) {
  bool isFloating = rw::isFloat(t), isSigned = rw::isSigned(t);
  unsigned bits = 8 * rw::dtypeBytes(t);
  if (t == DType::Bool)
    return op == "and" || op == "minimum" || op == "multiply" ? "true" : "false";
  std::string least = isFloating ? (bits == 64        ? "0xFFF0000000000000"
                                    : bits == 32      ? "0xFF800000"
                                    : t == DType::F16 ? "0xFC00"
                                                      : "0xFF80")
                      : isSigned ? (bits == 64 ? "-9223372036854775808" : std::to_string(-(int64_t(1) << (bits - 1))))
                                 : "0";
  std::string most = isFloating ? (bits == 64        ? "0x7FF0000000000000"
                                   : bits == 32      ? "0x7F800000"
                                   : t == DType::F16 ? "0x7C00"
                                                     : "0x7F80")
                     : isSigned ? (bits == 64 ? "9223372036854775807" : std::to_string((int64_t(1) << (bits - 1)) - 1))
                                : (bits == 64 ? "18446744073709551615" : std::to_string((uint64_t(1) << bits) - 1));
  if (op == "maximum")
    return least;
  if (op == "minimum")
    return most;
  if (op == "and")
    return isSigned ? "-1" : most;
  return op == "multiply" ? (isFloating ? "1.0" : "1") : isFloating ? "0.0" : "0";
}

} // namespace

TEST_CASE("reductions of one operand") {
  checkLowerings("reduce", 500, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(withBool());
    Shape shape = draw.shape(0, 4);
    std::string op = monoid(draw, t);
    c.add(t, shape, op == "maximum" || op == "minimum" ? Values::Any : Values::Few);
    std::vector<int64_t> gone = someOf(draw, shape.size());
    std::string first;
    if (draw.chance(70)) {
      first = constantLine("i", t, neutral(op, t));
    } else {
      c.add(t, {}, Values::Few);
      first = fmt::format("%i = stablehlo.reshape %a1 : ({0}) -> {0}\n", scalar(t));
    }
    if (draw.chance(20) && !shape.empty()) {
      c.params[0].unknown.assign(shape.size(), false);
      for (size_t d = 0; d < shape.size(); ++d)
        if (std::ranges::find(gone, int64_t(d)) == gone.end())
          c.params[0].unknown[d] = true;
    }
    Shape out = kept(shape, gone);
    std::vector<bool> unknown(out.size(), !c.params[0].unknown.empty());
    std::string result = mlirType(t, out, unknown);
    bool isSmall = rw::isFloat(t) && rw::dtypeBytes(t) == 2;
    c.units = isSmall && (op == "multiply" || op == "add") ? 4 : 0; // added up in f32
    c.absolute = op == "maximum" || op == "minimum" ? kTiny : 0;
    return c.body(first + fmt::format("%r = \"stablehlo.reduce\"(%a0, %i) {} {{dimensions = {}}} : ({}, {}) -> {}",
                                      bodyOf(op, t, draw.chance(20)), mlirArray(gone), c.type(0), scalar(t), result),
                  result);
  });
}

TEST_CASE("places of extremes") {
  checkLowerings("argmax", 200, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers), p = draw.pick(std::vector{DType::I32, DType::I64});
    Shape shape = draw.shape(1, 3);
    for (int64_t &n : shape)
      n = std::max<int64_t>(n, 1);
    bool most = draw.chance(50);
    c.add(t, shape, draw.chance(50) ? Values::Few : Values::Any);
    int64_t axis = int64_t(draw.below(shape.size()));
    Shape out = kept(shape, {axis});
    std::string whole = mlirType(p, shape), values = mlirType(t, out), places = mlirType(p, out);
    bool first = draw.chance(30);
    std::string text =
        fmt::format("%n = stablehlo.iota dim = {} : {}\n", axis, whole) +
        constantLine("i", t, neutral(most ? "maximum" : "minimum", t)) + constantLine("o", p, "0") +
        fmt::format(
            "%q:2 = \"stablehlo.reduce\"(%a0, %n, %i, %o) {} {{dimensions = {}}} : ({}, {}, {}, {}) -> ({}, {})\n",
            greatestBody(t, p, most ? "GT" : "LT"), mlirArray({axis}), c.type(0), whole, scalar(t), scalar(p), values,
            places);
    std::string result = first ? values : places;
    return c.body(text + fmt::format("%r = stablehlo.reshape %q#{} : ({}) -> {}", first ? 0 : 1, result, result),
                  result);
  });
}

TEST_CASE("reductions of several operands, with bodies of several ops") {
  checkLowerings("reduce of two", 150, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers), u = draw.pick(withBool());
    Shape shape = draw.shape(1, 3);
    c.add(t, shape, Values::Few);
    c.add(u, shape, Values::Few);
    c.add(t, {}, Values::Few);
    c.add(u, {}, Values::Few);
    std::vector<int64_t> gone = someOf(draw, shape.size(), 60);
    Shape out = kept(shape, gone);
    std::string s = scalar(t), v = scalar(u);
    // the last of each: not commutative; and a maximum beside it
    std::string text = fmt::format(R"(%q:2 = "stablehlo.reduce"(%a0, %a1, %a2, %a3) ({{
^bb0(%x: {0}, %y: {1}, %z: {0}, %w: {1}):
  %m = stablehlo.maximum %x, %z : {0}
  stablehlo.return %m, %w : {0}, {1}
}}) {{dimensions = {2}}} : ({3}, {4}, {0}, {1}) -> ({5}, {6})
)",
                                   s, v, mlirArray(gone), c.type(0), c.type(1), mlirType(t, out), mlirType(u, out));
    bool first = draw.chance(50);
    std::string result = first ? mlirType(t, out) : mlirType(u, out);
    return c.body(text + fmt::format("%r = stablehlo.reshape %q#{} : ({}) -> {}", first ? 0 : 1, result, result),
                  result);
  });
}

TEST_CASE("reductions whose body counts how elements are grouped, and of sizes that are open") {
  const std::vector<std::string> bodies = {
      "%m = stablehlo.subtract %x, %y : {0}", "%k = stablehlo.add %x, %x : {0}\n  %m = stablehlo.subtract %k, %y : {0}",
      "%k = stablehlo.multiply %y, %y : {0}\n  %m = stablehlo.add %x, %k : {0}",
      "%k = stablehlo.maximum %x, %y : {0}\n  %m = stablehlo.minimum %k, %k : {0}"};
  checkLowerings("reduce in order", 200, [&](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(std::vector{DType::F32, DType::F64, DType::I8, DType::I32, DType::I64, DType::U16});
    Shape shape = draw.shape(1, 3);
    if (draw.chance(40)) // more than are written out
      shape[draw.below(shape.size())] = int64_t(draw.between(15, 20));
    c.add(t, shape, Values::Few);
    c.add(t, {}, Values::Few);
    std::vector<int64_t> gone = someOf(draw, shape.size(), 60);
    if (draw.chance(40)) {
      c.params[0].unknown.assign(shape.size(), false);
      for (int64_t d : gone)
        c.params[0].unknown[size_t(d)] = draw.chance(60);
    }
    std::string result = mlirType(t, kept(shape, gone));
    std::string body = fmt::format(fmt::runtime(draw.pick(bodies)), scalar(t));
    return c.body(
        fmt::format("%r = \"stablehlo.reduce\"(%a0, %a1) ({{\n^bb0(%x: {0}, %y: {0}):\n  {1}\n  stablehlo.return %m : "
                    "{0}\n}}) {{dimensions = {2}}} : ({3}, {0}) -> {4}",
                    scalar(t), body, mlirArray(gone), c.type(0), result),
        result);
  });
  checkLowerings("windows in order", 60, [&](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(std::vector{DType::F32, DType::I32, DType::I8});
    int64_t size = int64_t(draw.between(1, 30)), length = size + int64_t(draw.between(0, 4));
    c.add(t, {length}, Values::Few);
    c.add(t, {}, Values::Few);
    std::string result = mlirType(t, {length - size + 1});
    std::string body = fmt::format(fmt::runtime(draw.pick(bodies)), scalar(t));
    return c.body(
        fmt::format(
            "%r = \"stablehlo.reduce_window\"(%a0, %a1) ({{\n^bb0(%x: {0}, %y: {0}):\n  {1}\n  stablehlo.return %m "
            ": {0}\n}}) {{window_dimensions = array<i64: {2}>}} : ({3}, {0}) -> {4}",
            scalar(t), body, size, c.type(0), result),
        result);
  });
}

TEST_CASE("windows") {
  checkLowerings("reduce_window", 500, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(withBool());
    Shape shape = draw.shape(0, 4), out;
    std::string op = monoid(draw, t);
    c.add(t, shape, op == "maximum" || op == "minimum" ? Values::Any : Values::Few);
    std::vector<int64_t> window, stride, base, dilation;
    std::string padding;
    bool isPlain = draw.chance(40),
         isLarge = draw.chance(20); // as pools have them; more than is taken element by element
    for (int64_t n : shape) {
      window.push_back(draw.chance(40) ? 1 : int64_t(draw.between(1, isLarge ? 9 : 3)));
      stride.push_back(draw.chance(60) ? 1 : int64_t(draw.between(1, 3)));
      base.push_back(isPlain || draw.chance(70) ? 1 : int64_t(draw.between(1, 3)));
      dilation.push_back(isPlain || draw.chance(70) ? 1 : int64_t(draw.between(1, 3)));
      int64_t low = draw.chance(50) ? 0 : int64_t(draw.below(4)) - (isPlain ? 0 : 1),
              high = draw.chance(50) ? 0 : int64_t(draw.below(isLarge ? 9 : 4)) - (isPlain ? 0 : 1);
      int64_t spread = n == 0 ? 0 : (n - 1) * base.back() + 1, padded = spread + low + high;
      if (padded < 0)
        low = high = 0, padded = spread;
      int64_t reach = (window.back() - 1) * dilation.back() + 1;
      out.push_back(padded == 0 || reach > padded ? 0 : (padded - reach) / stride.back() + 1);
      padding += fmt::format("{}[{}, {}]", padding.empty() ? "" : ", ", low, high);
    }
    std::string first;
    if (draw.chance(70)) {
      first = constantLine("i", t, neutral(op, t));
    } else {
      c.add(t, {}, Values::Few);
      first = fmt::format("%i = stablehlo.reshape %a1 : ({0}) -> {0}\n", scalar(t));
    }
    bool isSmall = rw::isFloat(t) && rw::dtypeBytes(t) == 2;
    c.units = isSmall && (op == "multiply" || op == "add") ? 4 : 0;
    c.absolute = op == "maximum" || op == "minimum" ? kTiny : c.units ? 0.01 : 0;
    std::string result = mlirType(t, out);
    std::string pads =
        shape.empty() ? "" : fmt::format(", padding = dense<[{}]> : tensor<{}x2xi64>", padding, shape.size());
    return c.body(first + fmt::format("%r = \"stablehlo.reduce_window\"(%a0, %i) {} {{window_dimensions = {}, "
                                      "window_strides = {}, base_dilations = {}, "
                                      "window_dilations = {}{}}} : ({}, {}) -> {}",
                                      bodyOf(op, t), mlirArray(window), mlirArray(stride), mlirArray(base),
                                      mlirArray(dilation), pads, c.type(0), scalar(t), result),
                  result);
  });
}

TEST_CASE("cumulative reductions") {
  checkLowerings("cumulative", 150, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    Shape shape = draw.shape(1, 3);
    size_t axis = draw.below(shape.size());
    shape[axis] = int64_t(draw.between(1, 12));
    std::string op = monoid(draw, t), padding;
    c.add(t, shape, op == "maximum" || op == "minimum" ? Values::Any : Values::Few);
    std::vector<int64_t> window(shape.size(), 1);
    window[axis] = shape[axis];
    bool forwards = draw.chance(50);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t pad = d == axis ? shape[axis] - 1 : 0;
      padding += fmt::format("{}[{}, {}]", padding.empty() ? "" : ", ", forwards ? pad : 0, forwards ? 0 : pad);
    }
    bool isSmall = rw::isFloat(t) && rw::dtypeBytes(t) == 2;
    c.units = isSmall && (op == "multiply" || op == "add") ? 4 : 0;
    c.absolute = op == "maximum" || op == "minimum" ? kTiny : c.units ? 0.01 : 0;
    return c.body(constantLine("i", t, neutral(op, t)) +
                      fmt::format("%r = \"stablehlo.reduce_window\"(%a0, %i) {} {{window_dimensions = {}, padding = "
                                  "dense<[{}]> : tensor<{}x2xi64>}} : ({}, {}) -> {}",
                                  bodyOf(op, t), mlirArray(window), padding, shape.size(), c.type(0), scalar(t),
                                  c.type(0)),
                  c.type(0));
  });
}

TEST_CASE("selected and scattered") {
  checkLowerings("select_and_scatter", 150, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    Shape shape, source;
    std::vector<int64_t> window, stride;
    std::string padding;
    for (size_t d = draw.between(1, 3); d > 0; --d) {
      int64_t n = int64_t(draw.between(1, 5)), w = int64_t(draw.between(1, 3)), s = int64_t(draw.between(1, 3));
      int64_t low = w > 1 && draw.chance(40) ? 1 : 0, high = w > 1 && draw.chance(40) ? 1 : 0;
      w = std::min(w, n);
      shape.push_back(n);
      window.push_back(w);
      stride.push_back(s);
      source.push_back(w > n + low + high ? 0 : (n + low + high - w) / s + 1);
      if (w == 1) // each window has an element
        source.back() = (n - w) / s + 1, low = high = 0;
      padding += fmt::format("{}[{}, {}]", padding.empty() ? "" : ", ", low, high);
    }
    bool isBatch = draw.chance(30); // of any size: windows lie next to each other
    if (isBatch) {
      int64_t n = int64_t(draw.between(0, 3));
      shape.push_back(n), source.push_back(n), window.push_back(1), stride.push_back(1);
      padding += ", [0, 0]";
    }
    c.add(t, shape, Values::Few);
    c.add(t, source, Values::Few);
    c.add(t, {}, Values::Few);
    for (size_t i = 0; i < 2 && isBatch; ++i) {
      c.params[i].unknown.assign(shape.size(), false);
      c.params[i].unknown.back() = draw.chance(80);
    }
    std::string s = scalar(t);
    bool isSmall = rw::isFloat(t) && rw::dtypeBytes(t) == 2;
    c.units = isSmall ? 4 : 0;
    c.absolute = c.units ? 0.01 : 0;
    return c.body(fmt::format(R"(%r = "stablehlo.select_and_scatter"(%a0, %a1, %a2) ({{
^bb0(%x: {0}, %y: {0}):
  %p = stablehlo.compare {1}, %x, %y : ({0}, {0}) -> tensor<i1>
  stablehlo.return %p : tensor<i1>
}}, {2}) {{window_dimensions = {3}, window_strides = {4}, padding = dense<[{5}]> : tensor<{6}x2xi64>}} :
({7}, {8}, {0}) -> {7})",
                              s, draw.pick(std::vector<std::string>{"GE", "GT", "LE"}),
                              regionOf(draw.chance(80) ? "add" : "maximum", t), mlirArray(window), mlirArray(stride),
                              padding, shape.size(), c.type(0), c.type(1)),
                  c.type(0));
  });
}

TEST_CASE("maps") {
  checkLowerings("map", 100, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    Shape shape = draw.shape(0, 3);
    c.add(t, shape, Values::Few);
    c.add(t, shape, Values::Few);
    c.add(t, {}, Values::Few); // captured
    std::vector<int64_t> all(shape.size());
    std::iota(all.begin(), all.end(), int64_t(0));
    std::string s = scalar(t);
    return c.body(fmt::format(R"(%r = "stablehlo.map"(%a0, %a1) ({{
^bb0(%x: {0}, %y: {0}):
  %c = stablehlo.constant dense<2> : tensor<i32>
  %two = stablehlo.convert %c : (tensor<i32>) -> {0}
  %p = stablehlo.multiply %x, %two : {0}
  %q = stablehlo.subtract %p, %a2 : {0}
  %b = stablehlo.compare LT, %q, %y : ({0}, {0}) -> tensor<i1>
  %z = stablehlo.select %b, %q, %y : tensor<i1>, {0}
  stablehlo.return %z : {0}
}}) {{dimensions = {1}}} : ({2}, {2}) -> {2})",
                              s, mlirArray(all), c.type(0)),
                  c.type(0));
  });
}

TEST_CASE("sorts by keys") {
  checkLowerings("sort", 300, [](Draw &draw) {
    LoweringCase c;
    std::vector<DType> types;
    for (size_t i = draw.between(1, 3); i > 0; --i)
      types.push_back(draw.pick(withBool()));
    Shape shape = draw.shape(1, 3);
    size_t axis = draw.below(shape.size()), keys = draw.between(1, types.size());
    shape[axis] = int64_t(draw.between(0, 9));
    std::string params, operands, list, results, text;
    std::vector<bool> unknown;
    for (size_t d = 0; d < shape.size(); ++d)
      unknown.push_back(draw.chance(20));
    for (size_t i = 0; i < types.size(); ++i) {
      // in the common order of floats NaN has no place
      c.add(types[i], shape, draw.chance(70) ? Values::Few : Values::Finite);
      c.params[i].unknown = unknown;
      params += fmt::format("{0}%x{1}: {2}, %y{1}: {2}", i ? ", " : "", i, scalar(types[i]));
      operands += fmt::format("{}%a{}", i ? ", " : "", i);
      list += (i ? ", " : "") + c.type(i);
    }
    for (size_t k = keys; k-- > 0;) {
      std::string s = scalar(types[k]), way = draw.chance(50) ? "LT" : "GT";
      text += fmt::format("  %less{0} = stablehlo.compare {1}, %x{0}, %y{0} : ({2}, {2}) -> tensor<i1>\n", k, way, s);
      if (k + 1 == keys) {
        text += fmt::format("  %before{0} = stablehlo.and %less{0}, %less{0} : tensor<i1>\n", k);
        if (draw.chance(80)) // the comparator in fewer words
          text =
              fmt::format("  %before{0} = stablehlo.compare {1}, %x{0}, %y{0} : ({2}, {2}) -> tensor<i1>\n", k, way, s);
        continue;
      }
      text += fmt::format("  %tie{0} = stablehlo.compare EQ, %x{0}, %y{0} : ({1}, {1}) -> tensor<i1>\n"
                          "  %rest{0} = stablehlo.and %tie{0}, %before{2} : tensor<i1>\n"
                          "  %before{0} = stablehlo.or %less{0}, %rest{0} : tensor<i1>\n",
                          k, s, k + 1);
    }
    text = fmt::format("\"stablehlo.sort\"({}) ({{\n^bb0({}):\n{}  stablehlo.return %before0 : tensor<i1>\n}}) "
                       "{{dimension = {} : i64, is_stable = true}} : ({}) -> ({})\n",
                       operands, params, text, draw.chance(30) ? int64_t(axis) - int64_t(shape.size()) : int64_t(axis),
                       list, list);
    size_t which = draw.below(types.size());
    std::string result = c.type(which), taken = types.size() == 1 ? "%q" : fmt::format("%q#{}", which);
    return c.body((types.size() == 1 ? "%q = " : fmt::format("%q:{} = ", types.size())) + text +
                      fmt::format("%r = stablehlo.optimization_barrier {} : {}", taken, result),
                  result);
  });
}

TEST_CASE("sorts by numbers that are computed of an element, and by any other comparator") {
  checkLowerings("sort by what is computed", 150, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(std::vector{DType::F32, DType::F64, DType::I32, DType::I8, DType::U16});
    Shape shape = draw.shape(1, 3);
    size_t axis = draw.below(shape.size());
    shape[axis] = int64_t(draw.between(0, 9));
    c.add(t, shape, Values::Few);
    c.add(DType::I32, shape, Values::Few);
    for (size_t d = 0; d < shape.size(); ++d)
      c.params[0].unknown.push_back(draw.chance(40));
    c.params[1].unknown = c.params[0].unknown;
    std::string s = scalar(t), keys;
    std::string constant = fmt::format("  %two = stablehlo.constant dense<2{}> : {}\n", rw::isFloat(t) ? ".0" : "", s);
    for (const char *v : {"x", "y"})
      keys += fmt::format("  %twice{0} = stablehlo.multiply %{0}, %two : {1}\n"
                          "  %square{0} = stablehlo.multiply %{0}, %twice{0} : {1}\n"
                          "  %key{0} = stablehlo.subtract %square{0}, %{0} : {1}\n",
                          v, s);
    keys += fmt::format("  %apart = stablehlo.subtract %keyx, %keyy : {0}\n"
                        "  %zero = stablehlo.subtract %two, %two : {0}\n",
                        s);
    std::vector<std::string> compared = {"%keyx, %keyy", "%keyy, %keyx"};
    if (t != DType::U16) // of both elements: no key
      compared.push_back("%apart, %zero");
    std::string last = draw.pick(compared);
    bool hasTie = draw.chance(40);
    std::string way = draw.chance(50) ? "LT" : "GT";
    std::string text = constant + keys +
                       fmt::format("  %less = stablehlo.compare {0}, {1} : ({2}, {2}) -> tensor<i1>\n", way, last, s);
    if (hasTie)
      text += fmt::format("  %tie = stablehlo.compare EQ, %keyx, %keyy : ({0}, {0}) -> tensor<i1>\n"
                          "  %rest = stablehlo.compare LT, %u, %v : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "  %both = stablehlo.and %tie, %rest : tensor<i1>\n"
                          "  %before = stablehlo.or %less, %both : tensor<i1>\n",
                          s);
    std::string a = c.type(0), i = c.type(1);
    return c.body(fmt::format("%q:2 = \"stablehlo.sort\"(%a0, %a1) ({{\n^bb0(%x: {0}, %y: {0}, %u: tensor<i32>, %v: "
                              "tensor<i32>):\n{1}  stablehlo.return %{2} : tensor<i1>\n}}) {{dimension = {3} : i64, "
                              "is_stable = true}} : ({4}, {5}) -> ({4}, {5})\n%r = stablehlo.optimization_barrier "
                              "%q#1 : {5}",
                              s, text, hasTie ? "before" : "less", axis, a, i),
                  i);
  });
}

TEST_CASE("sorts of floats as JAX writes them: one zero, one NaN, which comes last") {
  checkLowerings("sort of floats", 100, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kFloats);
    Shape shape = draw.shape(1, 3);
    size_t axis = draw.below(shape.size());
    shape[axis] = int64_t(draw.between(1, 9));
    c.add(t, shape);
    std::string s = scalar(t), keys;
    std::string nan = t == DType::F64   ? "0x7FF8000000000000"
                      : t == DType::F32 ? "0x7FC00000"
                      : t == DType::F16 ? "0x7E00"
                                        : "0x7FC0";
    for (const char *v : {"x", "y"})
      keys += fmt::format(R"(  %zero{0} = stablehlo.constant dense<0.0> : {1}
  %iszero{0} = stablehlo.compare EQ, %{0}, %zero{0}, FLOAT : ({1}, {1}) -> tensor<i1>
  %plain{0} = stablehlo.select %iszero{0}, %zero{0}, %{0} : tensor<i1>, {1}
  %isnan{0} = stablehlo.compare NE, %{0}, %{0}, FLOAT : ({1}, {1}) -> tensor<i1>
  %nan{0} = stablehlo.constant dense<{2}> : {1}
  %key{0} = stablehlo.select %isnan{0}, %nan{0}, %plain{0} : tensor<i1>, {1}
)",
                          v, s, nan);
    return c.body(fmt::format("%r = \"stablehlo.sort\"(%a0) ({{\n^bb0(%x: {0}, %y: {0}):\n{1}  %before = "
                              "stablehlo.compare {2}, %keyx, %keyy, TOTALORDER : ({0}, {0}) -> "
                              "tensor<i1>\n  stablehlo.return %before : tensor<i1>\n}}) {{dimension = {3} : i64, "
                              "is_stable = true}} : ({4}) -> {4}",
                              s, keys, draw.chance(60) ? "LT" : "GT", axis, c.type(0)),
                  c.type(0));
  });
}

TEST_CASE("the greatest ones, and the least") {
  checkLowerings("top_k", 100, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    Shape shape = draw.shape(1, 3), out = shape;
    c.add(t, shape, draw.chance(50) ? Values::Few : Values::Any);
    out.back() = int64_t(draw.between(0, size_t(shape.back())));
    bool first = draw.chance(50);
    std::string values = mlirType(t, out), places = mlirType(DType::I32, out), result = first ? values : places;
    return c.body(
        fmt::format("%v, %i = chlo.top_k(%a0, k = {}{}) : {} -> ({}, {})\n%r = stablehlo.reshape %{} : ({}) -> {}",
                    out.back(), draw.chance(50) ? "" : ", largest = false", c.type(0), values, places,
                    first ? "v" : "i", result, result),
        result);
  });
}
