#include "codegen/verify/solver_questions.h"

#include "codegen/verify/float_terms.h"
#include "codegen/verify/solver.h"
#include "codegen/verify/term_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace rw::verify {

namespace {

struct TooLarge {};

class Writer {
public:
  /// `noOverflow`: what overflows is left out.
  Writer(const TermTable &t, bool noOverflow, bool ofFloats)
      : t_(t), noOverflow_(noOverflow), ofFloats_(ofFloats && t.level() == Level::Exact) {}

  std::string question(Term a, Term b) {
    const std::string x = write(a), y = write(b);
    return fmt::format("(set-logic {})\n{}{}{}(assert (not (= {} {})))\n(check-sat)\n", floats_ ? "QF_BVFP" : "QF_BV",
                       declarations_, definitions_, premises_, x, y);
  }
  /// Whether there is something that a solver knows and laws might not: else the two are what they are.
  bool knowsSomething() const { return known_; }

private:
  static unsigned bits(DType t) { return dtypeBytes(t) * 8; }
  static bool isBits(DType t) { return t == DType::Bool || (isInteger(t) && dtypeBytes(t)); }
  bool isFloats(DType t) const { return ofFloats_ && isFloatOfSolver(t); }
  std::string sort(DType t) {
    if (isFloats(t)) {
      floats_ = true;
      return floatSort(t);
    }
    return t == DType::Bool || t == DType::Unknown ? "Bool" : fmt::format("(_ BitVec {})", bits(t));
  }
  static std::string number(DType t, int64_t n) {
    const uint64_t mask = bits(t) == 64 ? ~uint64_t(0) : (uint64_t(1) << bits(t)) - 1;
    return fmt::format("(_ bv{} {})", uint64_t(n) & mask, bits(t));
  }

  std::string write(Term term) {
    if (auto it = names_.find(term); it != names_.end())
      return it->second;
    if (names_.size() > kMost)
      throw TooLarge{};
    const TermNode &n = t_.node(term);
    if (std::optional<int64_t> v = wholeNumber(t_, term))
      return names_[term] = number(n.dtype, *v);
    if (n.kind == TermKind::Literal && n.dtype == DType::Bool)
      return names_[term] = n.numbers[0] ? "true" : "false";
    if (isFloats(n.dtype))
      if (std::optional<double> v = numberOf(t_, term)) {
        floats_ = true;
        return names_[term] = floatNumber(n.dtype, *v);
      }
    // Named in the order in which they are met: the question is then the same for all terms that look the same.
    const std::string name = fmt::format("t{}", count_++);
    std::string text = isBits(n.dtype) || isFloats(n.dtype) ? expression(name, n) : "";
    if (text.empty()) // any value
      declarations_ += fmt::format("(declare-const {} {})\n", name, sort(n.dtype));
    else
      definitions_ += fmt::format("(define-fun {} () {} {})\n", name, sort(n.dtype), text);
    return names_[term] = name;
  }
  std::string fold(std::string_view op, const std::vector<Term> &args) {
    std::string out = write(args[0]);
    for (size_t i = 1; i < args.size(); ++i)
      out = fmt::format("({} {} {})", op, out, write(args[i]));
    return out;
  }
  std::string polynomial(const TermNode &n) {
    std::string sum;
    for (size_t i = 0; i < n.numbers.size(); i += 2 + size_t(n.numbers[i + 1])) {
      std::string product = n.numbers[i] == 1 && n.numbers[i + 1] ? "" : number(n.dtype, n.numbers[i]);
      for (int64_t k = 0; k < n.numbers[i + 1]; ++k) {
        const std::string factor = write(Term(n.numbers[i + 2 + size_t(k)]));
        product = product.empty() ? factor : fmt::format("(bvmul {} {})", product, factor);
      }
      sum = sum.empty() ? product : fmt::format("(bvadd {} {})", sum, product);
    }
    return sum;
  }
  /// Empty where it stands for any value.
  std::string expression(const std::string &name, const TermNode &n) {
    if (n.kind == TermKind::Polynomial)
      return isBits(n.dtype) ? polynomial(n) : "";
    if (n.kind == TermKind::Choice)
      return fmt::format("(ite {} {} {})", write(n.args[0]), write(n.args[1]), write(n.args[2]));
    if (n.kind != TermKind::Apply || n.args.empty())
      return "";
    const std::string_view f = n.text;
    const DType first = t_.node(n.args[0]).dtype;
    if (f == "select" && n.args.size() == 3 && first == DType::Bool)
      return fmt::format("(ite {} {} {})", write(n.args[0]), write(n.args[1]), write(n.args[2]));
    if (isFloats(n.dtype) || isFloats(first)) {
      std::string out;
      if (std::ranges::all_of(n.args, [&](Term a) { return isBits(t_.node(a).dtype) || isFloats(t_.node(a).dtype); }))
        out = floatExpression(t_, n, [this](Term a) { return write(a); });
      known_ |= !out.empty();
      return out;
    }
    if (!std::ranges::all_of(n.args, [&](Term a) { return isBits(t_.node(a).dtype); }))
      return "";
    const bool isBool = first == DType::Bool, isSignedType = isSigned(first);
    if (noOverflow_ && !isBool && isInteger(n.dtype))
      premise(name, n, f, first);
    std::string out = noOverflow_ && !isBool ? ofRing(n, f) : "";
    if (out.empty())
      out = known(name, n, f, first, isBool, isSignedType);
    known_ |= !out.empty();
    return out;
  }
  /// Ops that obey the laws of a ring, which are polynomials at the other levels.
  std::string ofRing(const TermNode &n, std::string_view f) {
    if (f == "add" || f == "mul" || (f == "sub" && n.args.size() == 2))
      return fold(f == "add" ? "bvadd" : f == "mul" ? "bvmul" : "bvsub", n.args);
    return f == "neg" ? fmt::format("(bvneg {})", write(n.args[0])) : "";
  }
  /// That the op does not overflow.
  void premise(const std::string &out, const TermNode &n, std::string_view f, DType from) {
    const bool isSignedType = isSigned(n.dtype);
    const unsigned width = bits(n.dtype);
    auto wide = [&](const std::string &x, unsigned by) {
      return fmt::format("((_ {} {}) {})", isSignedType ? "sign_extend" : "zero_extend", by, x);
    };
    auto add = [&](const std::string &condition) { premises_ += fmt::format("(assert {})\n", condition); };
    const std::string x = write(n.args[0]);
    const std::string y = n.args.size() > 1 ? write(n.args[1]) : "";
    const std::string least = fmt::format("(_ bv{} {})", uint64_t(1) << (width - 1), width);
    if ((f == "add" || f == "mul" || f == "sub") && n.args.size() == 2) {
      const unsigned by = f == "mul" ? width : 1;
      if (f == "sub" && !isSignedType)
        add(fmt::format("(bvuge {} {})", x, y));
      else
        add(fmt::format("(= {} (bv{} {} {}))", wide(out, by), f, wide(x, by), wide(y, by)));
    } else if (f == "neg" || f == "abs") {
      if (isSignedType)
        add(fmt::format("(not (= {} {}))", x, least));
      else if (f == "neg")
        add(fmt::format("(= {} {})", x, number(n.dtype, 0)));
    } else if (f == "div" && isSignedType) {
      add(fmt::format("(not (and (= {} {}) (= {} {})))", x, least, y, number(n.dtype, -1)));
    } else if (f == "shift_left") {
      add(fmt::format("(= {} ({} {} {}))", x, isSignedType ? "bvashr" : "bvlshr", out, y));
    } else if (f == "cast" && isInteger(from)) {
      const unsigned narrow = bits(from);
      if (width < narrow)
        add(fmt::format("(= {} {})", wide(out, narrow - width), x));
      if (isSigned(from) && !isSignedType)
        add(fmt::format("(bvsge {} {})", x, number(from, 0)));
      if (!isSigned(from) && isSignedType && width <= narrow)
        add(fmt::format("(bvsge {} {})", out, number(n.dtype, 0)));
    }
  }
  std::string known(const std::string &name, const TermNode &n, std::string_view f, DType first, bool isBool,
                    bool isSignedType) {
    if (f == "and" || f == "or" || f == "xor")
      return fold(isBool ? f : f == "and" ? "bvand" : f == "or" ? "bvor" : "bvxor", n.args);
    if (f == "not")
      return fmt::format("({} {})", isBool ? "not" : "bvnot", write(n.args[0]));
    if (f == "equal")
      return fmt::format("(= {} {})", write(n.args[0]), write(n.args[1]));
    if (f == "cast")
      return cast(n, first);
    if (isBool)
      return "";
    if (f == "less" || f == "lessorequal")
      return fmt::format("({} {} {})",
                         f == "less"    ? isSignedType ? "bvslt" : "bvult"
                         : isSignedType ? "bvsle"
                                        : "bvule",
                         write(n.args[0]), write(n.args[1]));
    if (f == "max" || f == "min") {
      std::string out = write(n.args[0]);
      for (size_t i = 1; i < n.args.size(); ++i) {
        const std::string a = fmt::format("{}_{}", name, i - 1), b = write(n.args[i]);
        definitions_ += fmt::format("(define-fun {} () {} {})\n", a, sort(first), out);
        out = fmt::format("(ite ({} {} {}) {} {})", isSignedType ? "bvslt" : "bvult", f == "max" ? a : b,
                          f == "max" ? b : a, b, a);
      }
      return out;
    }
    if (f == "abs")
      return isSignedType ? fmt::format("(ite (bvslt {0} {1}) (bvneg {0}) {0})", write(n.args[0]), number(first, 0))
                          : write(n.args[0]);
    if (f == "sign" && isSignedType)
      return fmt::format("(ite (bvslt {0} {1}) {2} (ite (= {0} {1}) {1} {3}))", write(n.args[0]), number(first, 0),
                         number(first, -1), number(first, 1));
    if (n.args.size() != 2)
      return "";
    const std::string x = write(n.args[0]), y = write(n.args[1]);
    // Amounts are read without sign; from the number of bits on SMT-LIB gives what the ops do.
    if (f == "shift_left" || f == "shift_right_logical" || f == "shift_right_arithmetic")
      return fmt::format("({} {} {})",
                         f == "shift_left"            ? "bvshl"
                         : f == "shift_right_logical" ? "bvlshr"
                                                      : "bvashr",
                         x, y);
    if (f == "div" || f == "rem") {
      const std::string op = f == "div" ? isSignedType ? "bvsdiv" : "bvudiv" : isSignedType ? "bvsrem" : "bvurem";
      const std::string quotient = fmt::format("({} {} {})", op, x, y);
      if (std::optional<int64_t> by = wholeNumber(t_, n.args[1]); by && *by != 0)
        return quotient;
      // By 0 dialects differ: anything.
      declarations_ += fmt::format("(declare-const {}_z {})\n", name, sort(n.dtype));
      return fmt::format("(ite (= {} {}) {}_z {})", y, number(first, 0), name, quotient);
    }
    return "";
  }
  std::string cast(const TermNode &n, DType from) {
    const std::string x = write(n.args[0]);
    if (from == DType::Bool)
      return n.dtype == DType::Bool ? x : fmt::format("(ite {} {} {})", x, number(n.dtype, 1), number(n.dtype, 0));
    if (n.dtype == DType::Bool)
      return fmt::format("(not (= {} {}))", x, number(from, 0));
    const unsigned wide = bits(n.dtype), narrow = bits(from);
    if (wide > narrow)
      return fmt::format("((_ {} {}) {})", isSigned(from) ? "sign_extend" : "zero_extend", wide - narrow, x);
    return wide == narrow ? x : fmt::format("((_ extract {} 0) {})", wide - 1, x);
  }

  static constexpr size_t kMost = 200;
  const TermTable &t_;
  std::unordered_map<Term, std::string> names_;
  const bool noOverflow_, ofFloats_;
  std::string declarations_, definitions_, premises_;
  unsigned count_ = 0;
  bool known_ = false, floats_ = false;
};

} // namespace

static std::optional<std::string> questionOf(const TermTable &t, Term a, Term b, bool noOverflow, bool ofFloats) {
  const DType type = t.node(a).dtype;
  const bool isFloatBits = ofFloats && t.level() == Level::Exact && isFloatOfSolver(type);
  if (type != t.node(b).dtype || (type != DType::Bool && !(isInteger(type) && dtypeBytes(type)) && !isFloatBits))
    return std::nullopt;
  Writer writer(t, noOverflow, ofFloats);
  try {
    std::string out = writer.question(a, b);
    return writer.knowsSomething() ? std::optional(std::move(out)) : std::nullopt;
  } catch (const TooLarge &) {
    return std::nullopt;
  }
}

std::optional<std::string> smtQuestion(const TermTable &t, Term a, Term b, bool ofFloats) {
  return questionOf(t, a, b, false, ofFloats);
}

static bool isAnswered(std::optional<std::string> question, std::vector<std::string> &answered) {
  if (!question || !isUnsatisfiable(*question))
    return false;
  answered.push_back(std::move(*question));
  return true;
}

bool sameBySolver(const TermTable &t, Term a, Term b, bool ofFloats, std::vector<std::string> &answered) {
  return isAnswered(questionOf(t, a, b, false, ofFloats), answered);
}

bool sameWithoutOverflow(const TermTable &t, Term a, Term b, std::vector<std::string> &answered) {
  return isAnswered(questionOf(t, a, b, true, false), answered);
}

} // namespace rw::verify
