#include "codegen/verify/order_terms.h"

#include "codegen/verify/casts.h"
#include "codegen/verify/term_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

namespace rw::verify {
namespace {

constexpr size_t kMostPoints = 400'000;
constexpr double kInf = std::numeric_limits<double>::infinity();

bool isOrdered(DType t) {
  return t == DType::Bool || (isInteger(t) && dtypeBytes(t)) || (isFloat(t) && dtypeBytes(t) >= 2);
}

double greater(double x, double y) {
  if (x != x || y != y)
    return std::numeric_limits<double>::quiet_NaN();
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}
double lesser(double x, double y) { return -greater(-x, -y); }

class OrderTerms {
public:
  explicit OrderTerms(TermTable &t) : t_(t) {}

  bool same(Term a, Term b) {
    if (!collect(a) || !collect(b) || atoms_.size() > 3)
      return false;
    std::vector<std::vector<double>> points;
    size_t count = 1;
    for (Term atom : atoms_) {
      points.push_back(pointsOf(t_.node(atom).dtype));
      count *= points.back().size();
    }
    if (count > kMostPoints || (atoms_.empty() && a != b))
      return atoms_.empty() && equal(value(a), value(b));
    std::vector<size_t> at(atoms_.size(), 0);
    while (true) {
      values_.clear();
      for (size_t i = 0; i < at.size(); ++i)
        values_[atoms_[i]] = points[i][at[i]];
      if (!equal(value(a), value(b)))
        return false;
      size_t d = at.size();
      while (d > 0 && ++at[d - 1] == points[d - 1].size())
        at[--d] = 0;
      if (d == 0)
        return true;
    }
  }

private:
  static bool equal(double x, double y) { return (x != x && y != y) || (x == y && std::signbit(x) == std::signbit(y)); }

  std::optional<double> number(Term term) const {
    const TermNode &n = t_.node(term);
    if (n.kind == TermKind::Polynomial && isInteger(n.dtype)) {
      if (n.numbers.empty())
        return 0;
      if (n.numbers.size() != 2 || n.numbers[1] != 0)
        return std::nullopt;
      const double v = isSigned(n.dtype) ? double(n.numbers[0])
                       : dtypeBytes(n.dtype) == 8
                           ? double(uint64_t(n.numbers[0]))
                           : double(uint64_t(n.numbers[0]) & ((uint64_t(1) << elementBits(n.dtype)) - 1));
      // Doubles tell integers apart up to there; the greatest and the least of 64 bits are the ends, whatever they
      // round to.
      const bool isEnd =
          dtypeBytes(n.dtype) == 8 &&
          (isSigned(n.dtype) ? n.numbers[0] == INT64_MAX || n.numbers[0] == INT64_MIN : n.numbers[0] == -1);
      return std::fabs(v) < 9e15 || isEnd ? std::optional(v) : std::nullopt;
    }
    return numberOf(t_, term);
  }

  static bool isKnown(std::string_view f) {
    static constexpr std::string_view known[] = {"max", "min", "select", "not",   "and",
                                                 "or",  "xor", "less",   "equal", "lessorequal"};
    return std::ranges::find(known, f) != std::end(known);
  }

  bool isCast(const TermNode &n) const {
    if (n.kind != TermKind::Apply || n.text != "cast" || !isOrdered(n.dtype))
      return false;
    const DType from = t_.node(n.args[0]).dtype;
    // Points of integers and of floats lie at different places: only those of one kind, and bools, are told apart as
    // they should be.
    const bool oneKind = from == DType::Bool || isInteger(from) == isInteger(n.dtype);
    return isOrdered(from) && (n.dtype == DType::Bool || (oneKind && holdsAll(from, n.dtype)));
  }

  /// What of the term is a number, and what stands for any value.
  bool collect(Term term) {
    if (!seen_.insert(term).second)
      return true;
    if (seen_.size() > 200)
      return false;
    const TermNode n = t_.node(term);
    if (std::optional<double> v = number(term)) {
      numbers_.insert(*v);
      return true;
    }
    if (n.kind == TermKind::Apply && (n.text == "neg" || n.text == "abs") && isFloat(n.dtype) && isOrdered(n.dtype)) {
      turns_ = true;
      return collect(n.args[0]);
    }
    if (isCast(n)) { // keeps order and values, or asks whether a number is 0
      numbers_.insert({0.0, 1.0});
      return collect(n.args[0]);
    }
    if (n.kind == TermKind::Apply && isKnown(n.text) && isOrdered(n.dtype) && !n.args.empty() &&
        std::ranges::all_of(n.args, [&](Term a) { return isOrdered(t_.node(a).dtype); })) {
      // Of integers `not`, `and` and `or` look at bits.
      if ((n.text == "not" || n.text == "and" || n.text == "or" || n.text == "xor") && n.dtype != DType::Bool)
        return false;
      for (Term a : n.args)
        if (!collect(a))
          return false;
      return true;
    }
    if (!isOrdered(n.dtype) || n.dtype == DType::Unknown)
      return false;
    atoms_.push_back(term);
    return true;
  }

  std::vector<double> pointsOf(DType t) const {
    if (t == DType::Bool)
      return {0, 1};
    std::set<double> fixed;
    for (double v : numbers_)
      if (std::isfinite(v)) {
        fixed.insert(v == 0 ? 0.0 : v);
        if (turns_)
          fixed.insert(v == 0 ? 0.0 : -v);
      }
    if (turns_)
      fixed.insert(0.0);
    const size_t each = atoms_.size();
    std::vector<double> out(fixed.begin(), fixed.end());
    double least = -kInf, most = kInf;
    if (isInteger(t)) {
      const unsigned bits = elementBits(t);
      least = isSigned(t) ? -std::ldexp(1, int(bits) - 1) : 0;
      most = std::ldexp(1, int(bits) - (isSigned(t) ? 1 : 0)) - 1;
      std::erase_if(out, [&](double v) { return v < least || v > most || v != std::floor(v); });
      // Within each gap the first and the last few.
      std::set<double> all(out.begin(), out.end());
      for (double v : fixed)
        for (size_t k = 1; k <= each; ++k)
          for (double w : {std::floor(v) + double(k), std::ceil(v) - double(k)})
            if (w >= least && w <= most)
              all.insert(w);
      for (size_t k = 0; k < each; ++k) {
        all.insert(least + double(k));
        all.insert(most - double(k));
      }
      return {all.begin(), all.end()};
    }
    std::vector<double> ends(fixed.begin(), fixed.end());
    std::set<double> all(out.begin(), out.end());
    // With signs turned, of each place its mirror image: places lie evenly.
    for (size_t i = 0; i + 1 < ends.size(); ++i)
      for (size_t k = 1; k <= each; ++k)
        all.insert(ends[i] + (ends[i + 1] - ends[i]) * double(k) / double(each + 1));
    for (size_t k = 1; k <= each; ++k) {
      all.insert((ends.empty() ? 0 : ends.front()) - double(k));
      all.insert((ends.empty() ? 0 : ends.back()) + double(k));
    }
    out.assign(all.begin(), all.end());
    out.push_back(0.0);
    out.push_back(-0.0);
    out.push_back(kInf);
    out.push_back(-kInf);
    out.push_back(std::numeric_limits<double>::quiet_NaN());
    return out;
  }

  double value(Term term) {
    if (auto it = values_.find(term); it != values_.end())
      return it->second;
    if (std::optional<double> v = number(term))
      return *v;
    const TermNode &n = t_.node(term);
    std::vector<double> a;
    for (Term arg : n.args)
      a.push_back(value(arg));
    double out = 0;
    if (n.text == "max" || n.text == "min") {
      out = a[0];
      for (size_t i = 1; i < a.size(); ++i)
        out = n.text == "max" ? greater(out, a[i]) : lesser(out, a[i]);
    } else if (n.text == "neg") {
      out = -a[0];
    } else if (n.text == "abs") {
      out = std::fabs(a[0]);
    } else if (n.text == "cast") {
      out = n.dtype == DType::Bool ? a[0] != 0 : a[0];
    } else if (n.text == "select") {
      out = a[0] != 0 ? a[1] : a[2];
    } else if (n.text == "not") {
      out = a[0] == 0;
    } else if (n.text == "and") {
      out = std::ranges::all_of(a, [](double v) { return v != 0; });
    } else if (n.text == "or") {
      out = std::ranges::any_of(a, [](double v) { return v != 0; });
    } else if (n.text == "xor") {
      out = (a[0] != 0) != (a[1] != 0);
    } else if (n.text == "less") {
      out = a[0] < a[1];
    } else if (n.text == "equal") {
      out = a[0] == a[1];
    } else {
      out = a[0] <= a[1];
    }
    values_[term] = out;
    return out;
  }

  TermTable &t_;
  std::set<Term> seen_;
  std::set<double> numbers_;
  bool turns_ = false; // whether a sign is turned somewhere
  std::vector<Term> atoms_;
  std::unordered_map<Term, double> values_;
};

} // namespace

bool sameByOrder(TermTable &t, Term a, Term b) {
  if (t.node(a).dtype != t.node(b).dtype)
    return false;
  return OrderTerms(t).same(a, b);
}

} // namespace rw::verify
