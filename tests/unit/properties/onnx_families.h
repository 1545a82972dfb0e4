// Random ONNX programs as text, each dense in one family of ops: ops that move elements, ops on single elements, or
// convolutions and products with constants.
//
// In:  a family, a seed. Out: .rwir text with one function `main`. Shapes are known; values that move elements are f64,
//      so that sums in another order differ in their last bits.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rw::test {

enum class OnnxFamily { Moves, Values, Products };

class OnnxFamilyPrograms {
public:
  OnnxFamilyPrograms(OnnxFamily family, uint64_t seed) : family_(family), random_(seed * 3 + uint64_t(family)) {
    bool products = family == OnnxFamily::Products;
    dtype_ = products ? "f32" : "f64";
    std::vector<int64_t> first = !products    ? std::vector<int64_t>{2, 3, 4}
                                 : chance(50) ? std::vector<int64_t>{2, 3, 5, 4}
                                              : std::vector<int64_t>{3, 4};
    text_ = "func @main(%x: " + type(first) + ", %y: " + type(first) + ") {\n";
    values_ = {{"%x", first}, {"%y", first}};
    for (unsigned i = 0, n = 4 + below(14); i < n; ++i)
      family == OnnxFamily::Moves ? move() : family == OnnxFamily::Values ? single() : product();
    text_ += "  return " + values_.back().name;
    for (unsigned i = below(3); i > 0; --i)
      text_ += ", " + values_[below(values_.size())].name;
    text_ += "\n}\n";
  }
  const std::string &text() const { return text_; }

private:
  using Shape = std::vector<int64_t>;
  struct Named {
    std::string name;
    Shape shape;
  };
  uint64_t below(uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  static std::string list(const Shape &s) {
    std::string out;
    for (int64_t d : s)
      out += (out.empty() ? "" : ", ") + std::to_string(d);
    return "[" + out + "]";
  }
  std::string type(const Shape &s) const { return dtype_ + list(s); }
  Named any() { return chance(70) ? values_.back() : values_[below(values_.size())]; }
  void add(const std::string &op, const Shape &shape) {
    values_.push_back({"%v" + std::to_string(next_++), shape});
    text_ += "  " + values_.back().name + " = onnx." + op + " : " + type(shape) + "\n";
  }
  std::string constant(const std::string &type, const std::string &elements) {
    std::string name = "%c" + std::to_string(next_++);
    text_ += "  " + name + " = onnx.initializer() {value = dense<" + type + ": " + elements + ">}\n";
    return name;
  }
  std::string ints(const Shape &s) { return constant("i64[" + std::to_string(s.size()) + "]", list(s)); }
  std::string number(const char *text) { return constant(dtype_ + "[]", text); }
  /// A constant with small halves as elements.
  std::string numbers(const Shape &shape, bool positive = false) {
    int64_t count = 1;
    for (int64_t d : shape)
      count *= d;
    std::vector<std::string> level;
    for (int64_t i = 0; i < count; ++i)
      level.push_back(std::to_string(positive ? double(1 + below(4)) / 2 : double(below(9)) / 2 - 2));
    for (size_t d = shape.size(); d-- > 0;) {
      std::vector<std::string> outer;
      for (size_t i = 0; i < level.size(); i += size_t(shape[d])) {
        std::string row;
        for (size_t k = i; k < i + size_t(shape[d]); ++k)
          row += (row.empty() ? "" : ", ") + level[k];
        outer.push_back("[" + row + "]");
      }
      level = outer;
    }
    return constant(type(shape), level[0]);
  }

  void move() {
    Named x = any();
    Shape s = x.shape;
    int64_t rank = int64_t(s.size()), axis = rank ? int64_t(below(s.size())) : 0;
    switch (below(11)) {
    case 0:
    case 1: {
      if (rank >= 5)
        return;
      int64_t at = int64_t(below(s.size() + 1));
      s.insert(s.begin() + at, 1);
      return add("Unsqueeze(" + x.name + ", " + ints({chance(30) ? at - rank - 1 : at}) + ")", s);
    }
    case 2:
    case 3:
      for (int64_t i = 0; i < rank; ++i)
        if (s[size_t(i)] == 1) {
          s.erase(s.begin() + i);
          return add("Squeeze(" + x.name + ", " + ints({chance(30) ? i - rank : i}) + ")", s);
        }
      return;
    case 4: {
      if (!rank || s[size_t(axis)] < 2)
        return;
      int64_t from = int64_t(below(uint64_t(s[size_t(axis)]))),
              to = from + 1 + int64_t(below(uint64_t(s[size_t(axis)] - from)));
      bool rest = to == s[size_t(axis)] && chance(50);
      s[size_t(axis)] = to - from;
      std::string begin = ints({from}), end = ints({rest ? INT64_MAX : to});
      return add(
          "Slice@13(" + x.name + ", " + begin + ", " + end + ", " + ints({chance(30) ? axis - rank : axis}) + ")", s);
    }
    case 5:
      if (!rank || s[size_t(axis)] > 6)
        return;
      s[size_t(axis)] *= 2;
      return add(
          "Concat(" + x.name + ", " + x.name + ") {axis = " + std::to_string(chance(30) ? axis - rank : axis) + "}", s);
    case 6: {
      Shape pads;
      for (int64_t i = 0; i < 2 * rank; ++i)
        pads.push_back(chance(70) ? 0 : int64_t(below(2)));
      for (int64_t i = 0; i < rank; ++i)
        s[size_t(i)] += pads[size_t(i)] + pads[size_t(i + rank)];
      return add("Pad@13(" + x.name + ", " + ints(pads) + (chance(50) ? ", " + number("3") : "") + ")", s);
    }
    case 7: {
      int64_t count = 1;
      for (int64_t d : s)
        count *= d;
      Shape target = count % 6 || chance(50) ? Shape{count} : Shape{2, count / 6, 3};
      return add("Reshape(" + x.name + ", " + ints(target) + ")", target);
    }
    case 8: {
      if (!rank)
        return;
      static const char *const names[] = {"ReduceMax@13", "ReduceMean@13", "ReduceMin@13"};
      bool keep = chance(50), two = rank > 1 && chance(40);
      int64_t other = (axis + 1) % rank;
      std::string axes = two ? list({axis, other}) : list({axis});
      for (int64_t i = rank; i-- > 0;)
        if (i == axis || (two && i == other)) {
          if (keep)
            s[size_t(i)] = 1;
          else
            s.erase(s.begin() + i);
        }
      return add(names[below(3)] + std::string("(") + x.name + ") {axes = " + axes +
                     ", keepdims = " + (keep ? "1}" : "0}"),
                 s);
    }
    case 9: {
      if (rank < 2)
        return;
      Shape perm;
      for (int64_t i = 0; i < rank; ++i)
        perm.push_back(i);
      std::swap(perm[size_t(axis)], perm[below(size_t(rank))]);
      Shape to;
      for (int64_t p : perm)
        to.push_back(s[size_t(p)]);
      return add("Transpose(" + x.name + ") {perm = " + list(perm) + "}", to);
    }
    default: {
      if (!rank)
        return;
      int64_t place = int64_t(below(uint64_t(s[size_t(axis)])));
      s.erase(s.begin() + axis);
      return add("Gather(" + x.name + ", " + constant("i64[]", std::to_string(place)) +
                     ") {axis = " + std::to_string(axis) + "}",
                 s);
    }
    }
  }

  void single() {
    Named x = any(), y = any();
    static const char *const limits[] = {"-1", "0", "-0.0", "0.5", "2"};
    switch (below(9)) {
    case 0:
      return add("Relu(" + x.name + ")", x.shape);
    case 1: {
      std::string low = number(limits[below(5)]);
      return add("Clip@13(" + x.name + ", " + low + (chance(70) ? ", " + number(limits[below(5)]) : "") + ")", x.shape);
    }
    case 2:
      return add("Neg(" + x.name + ")", x.shape);
    case 3:
    case 4: {
      static const char *const names[] = {"Add", "Sub", "Mul", "Div"};
      return add(names[below(4)] + std::string("(") + x.name + ", " + y.name + ")", x.shape);
    }
    case 5: {
      std::string condition = constant("bool[1]", chance(50) ? "true" : "false");
      if (chance(50)) {
        std::string greater = "%b" + std::to_string(next_++), negated = "%b" + std::to_string(next_++);
        text_ += "  " + greater + " = onnx.Greater(" + x.name + ", " + y.name + ")\n  " + negated + " = onnx.Not(" +
                 greater + ")\n";
        condition = negated;
      }
      return add("Where(" + condition + ", " + x.name + ", " + y.name + ")", x.shape);
    }
    case 6:
      return add(std::string(chance(50) ? "Max(" : "Min(") + x.name + (chance(50) ? ", " + y.name : "") + ")", x.shape);
    case 7:
      return add("Abs(" + x.name + ")", x.shape);
    default:
      return add(std::string(chance(50) ? "Mul(" : "Add(") + x.name + ", " + number(limits[below(5)]) + ")", x.shape);
    }
  }

  void product() {
    Named x = any();
    Shape s = x.shape;
    if (s.size() == 2)
      return matrix(x);
    switch (below(6)) {
    case 0:
    case 1: {
      int64_t channels = 1 + int64_t(below(3));
      std::string w = numbers({channels, s[1], 1, 1});
      std::string bias = chance(50) ? ", " + numbers({channels}) : "";
      return add("Conv(" + x.name + ", " + w + bias + ")", {s[0], channels, s[2], s[3]});
    }
    case 2: {
      static const char *const names[] = {"Add", "Sub", "Mul", "Div"};
      std::string c = chance(70) ? numbers({s[1], 1, 1}, true) : number("1.5");
      return add(names[below(4)] + std::string("(") + x.name + ", " + c + ")", s);
    }
    case 3: {
      std::string scale = numbers({s[1]}), bias = numbers({s[1]}), mean = numbers({s[1]});
      return add(std::string(chance(50) ? "BatchNormalization(" : "BatchNormalization@9(") + x.name + ", " + scale +
                     ", " + bias + ", " + mean + ", " + numbers({s[1]}, true) + ")",
                 s);
    }
    case 4: {
      Shape pads{0, 0, int64_t(below(2)), int64_t(below(2)), 0, 0, int64_t(below(2)), 1};
      add("Pad@13(" + x.name + ", " + ints(pads) + ")",
          {s[0], s[1], s[2] + pads[2] + pads[6], s[3] + pads[3] + pads[7]});
      Shape p = values_.back().shape;
      if (chance(50))
        return add("AveragePool@13(" + values_.back().name + ") {kernel_shape = [2, 2]}",
                   {p[0], p[1], p[2] - 1, p[3] - 1});
      return add("Conv(" + values_.back().name + ", " + numbers({2, p[1], 2, 2}) + ")", {p[0], 2, p[2] - 1, p[3] - 1});
    }
    default:
      return add("Relu(" + x.name + ")", s);
    }
  }

  void matrix(const Named &x) {
    Shape s = x.shape;
    int64_t n = 1 + int64_t(below(4));
    switch (below(6)) {
    case 0:
      return add("MatMul(" + x.name + ", " + numbers({s[1], n}) + ")", {s[0], n});
    case 1: {
      std::string w = numbers({n, s[1]});
      std::string bias = chance(50) ? ", " + numbers({n}) : "";
      return add("Gemm(" + x.name + ", " + w + bias + ") {transB = 1}", {s[0], n});
    }
    case 2:
      return add("Transpose(" + x.name + ") {perm = [1, 0]}", {s[1], s[0]});
    case 3: {
      static const char *const names[] = {"Add", "Mul", "Div"};
      return add(names[below(3)] + std::string("(") + x.name + ", " +
                     (chance(70) ? numbers({s[1]}, true) : number("2")) + ")",
                 s);
    }
    case 4: {
      std::string scale = numbers({s[1]}), bias = numbers({s[1]}), mean = numbers({s[1]});
      return add("BatchNormalization(" + x.name + ", " + scale + ", " + bias + ", " + mean + ", " +
                     numbers({s[1]}, true) + ")",
                 s);
    }
    default:
      for (const Named &y : values_)
        if (y.shape[0] == s[1])
          return add("MatMul(" + x.name + ", " + y.name + ")", {s[0], y.shape[1]});
    }
  }

  OnnxFamily family_;
  std::mt19937_64 random_;
  std::string dtype_, text_;
  std::vector<Named> values_;
  unsigned next_ = 0;
};

} // namespace rw::test
