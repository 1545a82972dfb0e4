// Products and convolutions: any number of batch, contracted and other
// dimensions in any order, any layout of a convolution.
#include "lowering_fixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace ::test;

namespace {
/// One operand of a product: what each of its dimensions is ('b', 'f' or 'c',
/// and which one), and its shape.
struct Side {
  std::vector<std::pair<char, size_t>> roles;
  Shape shape, free;
  std::vector<int64_t> placesOf(char role, size_t n) const {
    std::vector<int64_t> out;
    for (size_t i = 0; i < n; ++i)
      out.push_back(std::find(roles.begin(), roles.end(), std::pair{role, i}) - roles.begin());
    return out;
  }
};

Side side(Draw &draw, const Shape &batch, const Shape &contracted) {
  Side s;
  size_t others = draw.between(0, 2);
  for (size_t i = 0; i < batch.size(); ++i)
    s.roles.emplace_back('b', i);
  for (size_t i = 0; i < others; ++i)
    s.roles.emplace_back('f', i);
  for (size_t i = 0; i < contracted.size(); ++i)
    s.roles.emplace_back('c', i);
  if (draw.chance(60)) {
    auto roles = s.roles;
    std::vector<int64_t> order = draw.permutation(roles.size());
    for (size_t i = 0; i < roles.size(); ++i)
      s.roles[i] = roles[size_t(order[i])];
  }
  for (auto [role, i] : s.roles) {
    s.shape.push_back(role == 'b' ? batch[i] : role == 'c' ? contracted[i] : draw.size());
    if (role == 'f')
      s.free.push_back(s.shape.back());
  }
  return s;
}
} // namespace

TEST_CASE("dot_general in every form") {
  checkLowerings("dot_general", 300, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers), made = t;
    if (draw.chance(30)) // a wider result
      made = t == DType::F16 || t == DType::BF16 ? DType::F32
             : t == DType::F32                   ? DType::F64
             : t == DType::I8 || t == DType::U8  ? DType::I32
                                                 : t;
    Shape batch, contracted;
    for (size_t i = draw.below(3); i > 0; --i)
      batch.push_back(draw.size());
    for (size_t i = draw.chance(60) ? 1 : draw.below(3); i > 0; --i)
      contracted.push_back(draw.size());
    Side l = side(draw, batch, contracted), r = side(draw, batch, contracted);
    c.add(t, l.shape, Values::Few);
    c.add(t, r.shape, Values::Few);
    Shape shape = batch;
    shape.insert(shape.end(), l.free.begin(), l.free.end());
    shape.insert(shape.end(), r.free.begin(), r.free.end());
    std::vector<bool> open(shape.size());
    if (!batch.empty() && draw.chance(30)) {
      open[0] = true;
      c.params[0].unknown = std::vector<bool>(l.shape.size());
      c.params[1].unknown = std::vector<bool>(r.shape.size());
      c.params[0].unknown[size_t(l.placesOf('b', 1)[0])] = c.params[1].unknown[size_t(r.placesOf('b', 1)[0])] = true;
    }
    std::string result = mlirType(made, shape, open);
    std::string dims = batch.empty() ? ""
                                     : "batching_dims = " + mlirList(l.placesOf('b', batch.size())) + " x " +
                                           mlirList(r.placesOf('b', batch.size())) + ", ";
    return c.body("%r = stablehlo.dot_general %a0, %a1, " + dims +
                      "contracting_dims = " + mlirList(l.placesOf('c', contracted.size())) + " x " +
                      mlirList(r.placesOf('c', contracted.size())) + " : (" + c.type(0) + ", " + c.type(1) + ") -> " +
                      result,
                  result);
  });
  checkLowerings("dot", 40, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers);
    int64_t k = draw.size();
    Shape l = {k}, r = {k}, shape;
    if (draw.chance(60))
      l.insert(l.begin(), draw.size()), shape.push_back(l[0]);
    if (draw.chance(60))
      r.push_back(draw.size()), shape.push_back(r[1]);
    c.add(t, l, Values::Few);
    c.add(t, r, Values::Few);
    return c.body("%r = stablehlo.dot %a0, %a1 : (" + c.type(0) + ", " + c.type(1) + ") -> " + mlirType(t, shape),
                  mlirType(t, shape));
  });
}

TEST_CASE("convolutions of any layout") {
  checkLowerings("convolution", 300, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kNumbers), made = t == DType::I8 && draw.chance(50)     ? DType::I32
                                          : t == DType::BF16 && draw.chance(50) ? DType::F32
                                                                                : t;
    size_t n = draw.pick(std::vector<size_t>{0, 1, 1, 2, 2, 2, 3, 4});
    int64_t groups = draw.chance(30) ? int64_t(draw.between(2, 3)) : 1,
            batches = groups == 1 && draw.chance(25) ? int64_t(draw.between(2, 3)) : 1;
    int64_t batch = int64_t(draw.between(1, 2)) * batches, in = int64_t(draw.between(1, 3)),
            out = int64_t(draw.between(1, 3)) * groups * batches;
    Shape x = {batch, in * groups}, w = {out, in}, y = {batch / batches, out};
    std::vector<int64_t> strides, base, reach;
    std::vector<std::vector<int64_t>> padding;
    std::vector<std::string> reversed;
    bool apart = draw.chance(40), moved = draw.chance(50);
    for (size_t i = 0; i < n; ++i) {
      x.push_back(draw.chance(3) ? 0 : int64_t(draw.between(1, 5)));
      w.push_back(int64_t(draw.between(1, 3)));
      strides.push_back(moved ? int64_t(draw.between(1, 3)) : 1);
      base.push_back(apart ? int64_t(draw.between(1, 3)) : 1);
      reach.push_back(draw.chance(30) ? 2 : 1);
      padding.push_back(
          {draw.chance(60) ? int64_t(draw.below(4)) - 1 : 0, draw.chance(60) ? int64_t(draw.below(4)) - 1 : 0});
      reversed.push_back(draw.chance(20) ? "true" : "false");
      int64_t padded = (x.back() ? (x.back() - 1) * base.back() + 1 : 0) + padding.back()[0] + padding.back()[1],
              span = (w.back() - 1) * reach.back() + 1;
      y.push_back(padded <= 0 || span > padded ? 0 : (padded - span) / strides.back() + 1);
    }
    auto layout = [&](std::string &dims, const char *first, const char *second, const Shape &sizes,
                      std::vector<bool> &open) {
      std::vector<int64_t> p = draw.chance(70) ? draw.permutation(n + 2) : std::vector<int64_t>();
      if (p.empty())
        for (size_t i = 0; i < n + 2; ++i)
          p.push_back(int64_t(i));
      std::vector<std::string> names(n + 2);
      Shape shape(n + 2);
      open.assign(n + 2, false);
      for (size_t i = 0; i < n + 2; ++i) {
        names[size_t(p[i])] = i == 0 ? first : i == 1 ? second : std::to_string(i - 2);
        shape[size_t(p[i])] = sizes[i];
      }
      open[size_t(p[0])] = true;
      dims = fmt::format("[{}]", fmt::join(names, ", "));
      return shape;
    };
    std::string xd, wd, yd;
    std::vector<bool> xo, wo, yo;
    c.add(t, layout(xd, "b", "f", x, xo), Values::Few);
    c.add(t, layout(wd, "o", "i", w, wo), Values::Few);
    Shape shape = layout(yd, "b", "f", y, yo);
    bool open = batches == 1 && draw.chance(30);
    if (open)
      c.params[0].unknown = xo;
    std::string result = mlirType(made, shape, open ? yo : std::vector<bool>());
    return c.body(fmt::format("%r = stablehlo.convolution(%a0, %a1) dim_numbers = "
                              "{}x{}->{}, window = {{stride = [{}], "
                              "pad = [{}], lhs_dilate = [{}], "
                              "rhs_dilate = [{}], reverse = [{}]}} {{batch_group_count = "
                              "{} : i64, feature_group_count "
                              "= {} : i64}} : ({}, {}) -> {}",
                              xd, wd, yd, fmt::join(strides, ", "), fmt::join(padding, ", "), fmt::join(base, ", "),
                              fmt::join(reach, ", "), fmt::join(reversed, ", "), batches, groups, c.type(0), c.type(1),
                              result),
                  result);
  });
}

TEST_CASE("convolutions of images of any size, with padding that is computed") {
  auto images = [](Draw &draw, LoweringCase &c) {
    DType t = draw.pick(kFloats);
    c.add(t,
          {int64_t(draw.between(1, 2)),
           int64_t(draw.between(5, 7)), // so large that a window fits, whatever is taken away
           int64_t(draw.between(5, 7)), 3},
          Values::Few);
    c.params[0].unknown = {draw.chance(50), true, true, false};
    c.add(t, {3, 2, 3, 4}, Values::Few);
    return mlirType(t, {c.params[0].shape[0], 1, 1, 4}, {c.params[0].unknown[0], true, true, false});
  };
  checkLowerings("convolution of unknown sizes", 20, [&](Draw &draw) {
    LoweringCase c;
    std::string result = images(draw, c);
    return c.body(fmt::format("%r = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, 1, "
                              "f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [2, 1], "
                              "pad = [[1, 1], [0, 2]]}} {{batch_group_count = 1 : i64, "
                              "feature_group_count = 1 : i64}} : ({}, {}) -> {}",
                              c.type(0), c.type(1), result),
                  result);
  });
  checkLowerings("dynamic_conv", 40, [&](Draw &draw) {
    LoweringCase c;
    std::string result = images(draw, c);
    std::vector<int64_t> padding;
    for (unsigned i = 0; i < 4; ++i)
      padding.push_back(int64_t(draw.below(4)) - 1);
    c.addGiven(draw.chance(50) ? DType::I32 : DType::I64, {2, 2}, padding);
    std::string base = draw.chance(40) ? ", lhs_dilation = array<i64: 2, 1>" : "";
    return c.body(fmt::format("%r = \"stablehlo.dynamic_conv\"(%a0, %a1, %a2) {{window_strides = "
                              "array<i64: 1, 2>{}, dimension_numbers = "
                              "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
                              "batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
                              "({}, {}, {}) -> {}",
                              base, c.type(0), c.type(1), c.type(2), result),
                  result);
  });
}

TEST_CASE("triangular matrices are solved") {
  checkLowerings("triangular_solve", 60, [](Draw &draw) {
    LoweringCase c;
    DType t = draw.pick(kFloats);
    Shape batch = draw.shape(0, 2);
    int64_t n = int64_t(draw.between(1, 4)), k = draw.size();
    bool left = draw.chance(50);
    Shape a = batch, b = batch;
    a.insert(a.end(), {n, n});
    b.insert(b.end(), {left ? n : k, left ? k : n});
    c.add(t, a, Values::Nonzero);
    c.add(t, b, Values::Few);
    c.units = t == DType::F64 ? 1000000 : 8; // what is rounded on the way counts
                                             // more, the nearer a matrix is to none
    auto flag = [&] { return draw.chance(50) ? "true" : "false"; };
    std::string how = draw.pick(std::vector<std::string>{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"});
    return c.body(fmt::format("%r = \"stablehlo.triangular_solve\"(%a0, %a1) "
                              "{{left_side = {}, lower = {}, "
                              "unit_diagonal = {}, transpose_a = "
                              "#stablehlo<transpose {}>}} : ({}, {}) -> {}",
                              left, flag(), flag(), how, c.type(0), c.type(1), c.type(1)),
                  c.type(1));
  });
}
