#include "codegen/verify/whole_numbers.h"

#include "codegen/verify/solver.h"
#include "codegen/verify/term_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace rw::verify {
namespace {

struct TooManyTerms {};

class WholeNumberWriter {
public:
  explicit WholeNumberWriter(const TermTable &t) : t_(t) {}

  /// Two questions: whether the two are equal for all whole numbers, those of no sign where a type has none; and, which
  /// takes a solver longer, for those that fit into their types.
  std::pair<std::string, std::string> questions(Term a, Term b) {
    const std::string x = write(a), y = write(b);
    auto with = [&](const std::string &premises) {
      return fmt::format("(set-logic ALL)\n{}{}(assert (not (= {} {})))\n(check-sat)\n", lines_, premises, x, y);
    };
    return {with(signs_), with(limits_)};
  }
  bool knowsSomething() const { return known_; }

private:
  /// Of the bits that a literal has, which may be more than those of its type.
  static std::string number(DType t, int64_t bits) {
    const unsigned unused = 64 - elementBits(t);
    if (!isSigned(t))
      return std::to_string(uint64_t(bits) << unused >> unused);
    const int64_t n = int64_t(uint64_t(bits) << unused) >> unused;
    return n < 0 ? fmt::format("(- {})", ~uint64_t(n) + 1) : std::to_string(n);
  }
  /// That the type holds it.
  static std::string inRange(DType t, const std::string &x) {
    const unsigned bits = elementBits(t);
    const uint64_t half = uint64_t(1) << (bits - 1);
    if (isSigned(t))
      return fmt::format("(and (<= (- {}) {}) (<= {} {}))", half, x, x, half - 1);
    return fmt::format("(and (<= 0 {}) (<= {} {}))", x, x, half - 1 + half);
  }

  std::string write(Term term) {
    if (auto it = names_.find(term); it != names_.end())
      return it->second;
    constexpr size_t kMost = 200;
    if (names_.size() > kMost)
      throw TooManyTerms{};
    const TermNode &n = t_.node(term);
    if (std::optional<int64_t> v = wholeNumber(t_, term))
      return names_[term] = number(n.dtype, *v);
    if (n.kind == TermKind::Literal && n.dtype == DType::Bool)
      return names_[term] = n.numbers[0] ? "true" : "false";
    const bool isBool = !isInteger(n.dtype);
    std::string text = isBool && n.dtype != DType::Bool ? "" : expression(n);
    const std::string name = fmt::format("t{}", term);
    known_ |= !text.empty();
    if (text.empty()) // any value
      lines_ += fmt::format("(declare-const {} {})\n", name, isBool ? "Bool" : "Int");
    else
      lines_ += fmt::format("(define-fun {} () {} {})\n", name, isBool ? "Bool" : "Int", text);
    if (!isBool)
      limits_ += fmt::format("(assert {})\n", inRange(n.dtype, name));
    if (!isBool && !isSigned(n.dtype))
      signs_ += fmt::format("(assert (<= 0 {}))\n", name);
    return names_[term] = name;
  }
  std::string fold(std::string_view op, const std::vector<Term> &args) {
    std::string out = write(args[0]);
    for (size_t i = 1; i < args.size(); ++i)
      out = fmt::format("({} {} {})", op, out, write(args[i]));
    return out;
  }
  /// Empty where it stands for any value.
  std::string expression(const TermNode &n) {
    const bool chooses = n.kind == TermKind::Choice || (n.kind == TermKind::Apply && n.text == "select");
    if (chooses && n.args.size() == 3)
      return fmt::format("(ite {} {} {})", write(n.args[0]), write(n.args[1]), write(n.args[2]));
    if (n.kind != TermKind::Apply || n.args.empty())
      return "";
    const std::string_view f = n.text;
    const bool ofBools = std::ranges::all_of(n.args, [&](Term a) { return t_.node(a).dtype == DType::Bool; });
    if (ofBools)
      return f == "and" || f == "or" || f == "xor" ? fold(f, n.args)
             : f == "not"                          ? fmt::format("(not {})", write(n.args[0]))
                                                   : "";
    if (!std::ranges::all_of(n.args, [&](Term a) { return isInteger(t_.node(a).dtype); }))
      return "";
    if (f == "cast") // it holds the number, or it overflows
      return isInteger(n.dtype) ? write(n.args[0]) : "";
    if (f == "neg")
      return fmt::format("(- {})", write(n.args[0]));
    if (f == "abs")
      return fmt::format("(ite (< {0} 0) (- {0}) {0})", write(n.args[0]));
    if (n.args.size() != 2)
      return "";
    const std::string x = write(n.args[0]), y = write(n.args[1]);
    if (f == "add" || f == "sub" || f == "mul")
      return fmt::format("({} {} {})", f == "add" ? "+" : f == "sub" ? "-" : "*", x, y);
    if (f == "max" || f == "min")
      return fmt::format("(ite ({} {} {}) {} {})", f == "max" ? ">" : "<", x, y, x, y);
    static constexpr std::pair<std::string_view, std::string_view> kComparisons[] = {
        {"equal", "="},        {"notequal", "distinct"}, {"less", "<"},
        {"lessorequal", "<="}, {"greater", ">"},         {"greaterorequal", ">="}};
    for (auto [name, comparison] : kComparisons)
      if (f == name)
        return fmt::format("({} {} {})", comparison, x, y);
    // Towards 0, where SMT-LIB rounds so that what is left is not negative. By 0 dialects differ.
    if (std::optional<int64_t> by = wholeNumber(t_, n.args[1]); by && *by != 0 && (f == "div" || f == "rem")) {
      const std::string quotient = fmt::format("(ite (< {0} 0) (- (div (- {0}) {1})) (div {0} {1}))", x, y);
      return f == "div" ? quotient : fmt::format("(- {} (* {} {}))", x, y, quotient);
    }
    return "";
  }

  const TermTable &t_;
  std::unordered_map<Term, std::string> names_;
  std::string lines_, signs_, limits_;
  bool known_ = false;
};

} // namespace

bool sameAsWholeNumbers(const TermTable &t, Term a, Term b, std::vector<std::string> &answered) {
  const DType type = t.node(a).dtype;
  if (type != t.node(b).dtype || (type != DType::Bool && !isInteger(type)))
    return false;
  WholeNumberWriter writer(t);
  try {
    auto [ofAll, ofThoseThatFit] = writer.questions(a, b);
    if (!writer.knowsSomething())
      return false;
    for (std::string &question : {std::ref(ofAll), std::ref(ofThoseThatFit)})
      if (isUnsatisfiable(question)) {
        answered.push_back(std::move(question));
        return true;
      }
    return false;
  } catch (const TooManyTerms &) {
    return false;
  }
}

} // namespace rw::verify
