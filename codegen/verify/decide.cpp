#include "codegen/verify/decide.h"

#include "codegen/verify/all_values.h"
#include "codegen/verify/case_terms.h"
#include "codegen/verify/order_terms.h"
#include "codegen/verify/solver_questions.h"
#include "codegen/verify/symbolic.h"
#include "codegen/verify/term_evaluator.h"
#include "codegen/verify/whole_numbers.h"
#include "rw/ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace rw::verify {
namespace {

/// Types as they are on the values of an instance, where they are not known otherwise.
void typesOfValues(Program &program, const std::vector<Tensor> &inputs) {
  Function &fn = program.functions().front();
  EvalOptions options;
  options.maxBytes = 1 << 22;
  options.maxWork = 5'000'000;
  options.opset = int(fn.context().dialectVersion("onnx"));
  options.observer = [&](Op op, std::span<const Tensor> results) {
    for (unsigned i = 0; i < op.resultCount() && i < results.size(); ++i)
      if (results[i] && !fn.context().type(op.result(i).typeId()).known)
        fn.setType(op.result(i).id, results[i].type(fn.context()));
  };
  evaluate(fn, inputs, options);
}

/// Whether a term is no real number, since a part that it cannot be computed without is divided by 0.
bool isUndefined(const TermTable &terms, Term x) {
  std::vector<Term> stack{x};
  std::set<Term> seen;
  while (!stack.empty()) {
    const Term at = stack.back();
    stack.pop_back();
    if (!seen.insert(at).second)
      continue;
    const TermNode &n = terms.node(at);
    if (n.kind != TermKind::Polynomial && (n.kind != TermKind::Apply || n.text == "select"))
      continue;
    if (n.kind == TermKind::Apply && n.text == "recip") {
      const TermNode &divisor = terms.node(n.args[0]);
      if (divisor.kind == TermKind::Polynomial && divisor.numbers.empty())
        return true;
    }
    forEachPart(n, [&](Term part) { stack.push_back(part); });
  }
  return false;
}

/// Whether all results have the same terms; else `why` shows the first two that differ. Throws Undecided.
bool sameTerms(TermTable &terms, Function &before, Function &after, const std::vector<Tensor> &known, bool writeOut,
               Enough enough, std::string &why, std::vector<std::string> &questions) {
  // Who says that the reals are enough need not wait for a solver to give up.
  const bool ofFloats = !enough.reals && terms.level() == Level::Exact;
  auto same = [&](Term x, Term y) {
    if (terms.level() == Level::Plain &&
        (x == y || sameAsWholeNumbers(terms, x, y, questions) || sameWithoutOverflow(terms, x, y, questions)))
      return true;
    if (x == y || sameByOrder(terms, x, y) || sameByBits(terms, x, y) || sameByFractions(terms, x, y) ||
        sameByCases(terms, x, y) || (ofFloats && sameAtAllValues(terms, x, y)))
      return true;
    const Sameness atEightBits = ofFloats ? compareAtEightBits(terms, x, y) : Sameness::Unknown;
    const bool mayAsk = ofFloats && (!enough.floatQuestions || *enough.floatQuestions);
    if (atEightBits != Sameness::Different && sameBySolver(terms, x, y, mayAsk, questions))
      return true;
    if (mayAsk && enough.floatQuestions)
      --*enough.floatQuestions;
    // Over the reals a claim is about numbers that there are.
    if (terms.level() == Level::Reals && isUndefined(terms, x) && isUndefined(terms, y))
      return true;
    why = fmt::format("no law makes these terms the same: {} and {}", terms.toString(x), terms.toString(y));
    if (atEightBits == Sameness::Same)
      why += "; with floats of 8 bits they are the same at all values";
    return false;
  };
  TermEvaluator a(terms, before, known), b(terms, after, known);
  if (writeOut) {
    a.writeOut();
    b.writeOut();
  }
  Op x = before.terminator(before.body()), y = after.terminator(after.body());
  if (x.operandCount() != y.operandCount())
    return false;
  for (unsigned r = 0; r < x.operandCount(); ++r) {
    if (x.operand(r).type().dtype == DType::Unknown && x.operand(r).type().kind != TypeKind::Tensor)
      throw Undecided{"a result is no tensor"};
    std::vector<Term> shape = a.shapeOf(x.operand(r));
    if (shape != b.shapeOf(y.operand(r)))
      throw Undecided{"the shapes are not told to be the same"};
    if (!writeOut) {
      std::vector<Term> at;
      for (Term extent : shape)
        at.push_back(terms.variable(extent));
      if (!same(a.result(r, at), b.result(r, at)))
        return false;
      continue;
    }
    std::vector<int64_t> sizes, index(shape.size(), 0);
    int64_t count = 1;
    for (Term e : shape) {
      std::optional<int64_t> n = terms.asNumber(e);
      if (!n)
        throw Undecided{"a size is no number"};
      sizes.push_back(*n);
      count *= *n;
    }
    if (count > 12000)
      throw Undecided{"a result has too many elements to be looked at one by one"};
    for (int64_t i = 0; i < count; ++i) {
      std::vector<Term> at;
      for (int64_t k : index)
        at.push_back(terms.number(k));
      if (!same(a.result(r, at), b.result(r, at)))
        return false;
      for (size_t d = sizes.size(); d > 0; --d) {
        if (++index[d - 1] < sizes[d - 1])
          break;
        index[d - 1] = 0;
      }
    }
  }
  return true;
}

/// The level at which two programs have the same terms. That no op overflows is asked of terms in which each op is.
Decision::Equality levelOf(Program &before, Program &after, const std::vector<Tensor> &known, Enough enough,
                           bool writeOut, std::string &why, std::vector<std::string> &questions) {
  for (auto [level, equality, tried] : {std::tuple(Level::Exact, Decision::Exact, true),
                                        {Level::Reals, Decision::Reals, enough.reals},
                                        {Level::Plain, Decision::NoOverflow, enough.noOverflow}}) {
    if (!tried)
      continue;
    TermTable terms(level);
    try {
      if (sameTerms(terms, before.functions().front(), after.functions().front(), known, writeOut, enough, why,
                    questions))
        return equality;
    } catch (const Undecided &u) {
      why = u.why;
    }
  }
  return Decision::Open;
}

} // namespace

std::optional<Symbolic> symbolised(const Instance &instance, const PatternUnderTest &pattern,
                                   std::span<const Tensor> known, std::span<const int64_t> fixed) {
  std::vector<int64_t> all = sizesOf(instance.function());
  const size_t count = all.size();
  std::erase_if(all, [&](int64_t size) { return std::ranges::find(fixed, size) != fixed.end(); });
  const unsigned kept = unsigned(count - all.size());
  auto attempt = [&](std::span<const int64_t> sizes) -> std::optional<Symbolic> {
    for (bool inAttributes : {true, false}) {
      std::unique_ptr<Program> before = withSymbols(*instance.program, sizes, inAttributes, known);
      if (!before)
        continue;
      PatternUnderTest::Run run = pattern.run(*before);
      if (run.fired && run.broken.empty())
        return Symbolic{std::move(before), std::move(run.after), unsigned(sizes.size()), kept};
    }
    return std::nullopt;
  };
  if (all.empty())
    return std::nullopt;
  if (std::optional<Symbolic> s = attempt(all))
    return s;
  if (all.size() == 1)
    return std::nullopt;
  // As many as go, one after another.
  std::vector<int64_t> taken;
  std::optional<Symbolic> best;
  for (int64_t size : all) {
    taken.push_back(size);
    std::optional<Symbolic> s = attempt(taken);
    if (s)
      best = std::move(s);
    else
      taken.pop_back();
  }
  if (best)
    best->numbers = unsigned(count - taken.size());
  return best;
}

/// The sizes above 1 of constants.
static std::vector<int64_t> sizesOfConstants(Function &fn) {
  std::vector<int64_t> out;
  for (Op op : fn.ops(fn.body()))
    if (op.kind() != kReturnKind && op.hasTrait(Trait::Constant))
      for (Dim d : op.result().type().dims)
        if (d.isKnown() && d.size() > 1)
          out.push_back(d.size());
  return out;
}

/// Whether something has a size that could be another: a parameter, or what an op makes of no operand or makes larger.
/// Lists of numbers, as axes and shapes are, have a length and no size: constants of that kind, shapes, and what is
/// taken of them or put together.
static bool hasSizes(Function &fn) {
  const auto isLong = [](Value v) { // a symbol stands for all sizes
    return std::ranges::any_of(v.type().dims, [](Dim d) { return d.isKnown() && d.size() > 1; });
  };
  const auto length = [](Value v) {
    int64_t out = 1;
    for (Dim d : v.type().dims)
      out *= d.isKnown() ? d.size() : 0;
    return out;
  };
  for (ValueId p : fn.params(fn.body()))
    if (isLong(fn.value(p)))
      return true;
  for (Op op : fn.ops(fn.body())) {
    int64_t held = 0;
    bool isOfLists = true;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (const Value v = op.operand(i)) {
        held += length(v);
        isOfLists &= isInteger(v.type().dtype) && v.type().dims.size() <= 1;
      }
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      const Value v = op.result(i);
      const bool isList = isInteger(v.type().dtype) && v.type().dims.size() <= 1 &&
                          (op.hasTrait(Trait::Constant) || op.schema().name == "Shape" ||
                           (op.operandCount() > 0 && isOfLists && length(v) <= held));
      if (isLong(v) && !isList)
        return true;
    }
  }
  return false;
}

Decision decide(const Instance &instance, const Program &after, const PatternUnderTest &pattern, Enough enough) {
  Decision out;
  std::vector<Tensor> known;
  for (size_t i = 0; i < instance.inputs.size(); ++i)
    known.push_back(instance.steers[i] ? instance.inputs[i] : Tensor());
  const bool anySteers = std::ranges::any_of(instance.steers, [](bool s) { return s; });
  std::string why;
  // A dimension beside that of a constant may be 1 or as long: which element is read there is not told.
  // Its size stays.
  const std::vector<int64_t> none, ofConstants = sizesOfConstants(instance.function());
  for (const std::vector<int64_t> *fixed : {&none, &ofConstants}) {
    if (fixed == &ofConstants && fixed->empty())
      break;
    std::optional<Symbolic> s = symbolised(instance, pattern, known, *fixed);
    if (!s)
      continue;
    out.firesForSymbols = true;
    completeTypes(*s->after, known);
    Decision::Equality e = levelOf(*s->before, *s->after, known, enough, false, why, out.questions);
    if (e != Decision::Open) {
      out.equality = e;
      out.sizes = s->numbers || anySteers ? Sizes::Some : Sizes::All;
      return out;
    }
  }
  Program &was = *instance.program;
  Program is = after.clone();
  typesOfValues(is, instance.inputs);
  const bool sizeless = !hasSizes(instance.function()) && !anySteers; // there is no size that could be another
  out.equality = levelOf(was, is, known, enough, false, out.why, out.questions);
  const bool isOfSymbols =
      std::ranges::any_of(was.functions().front().params(was.functions().front().body()), [&](ValueId p) {
        const TypeData &type = was.functions().front().value(p).type();
        return std::ranges::any_of(type.dims, [](Dim d) { return !d.isKnown(); });
      });
  if (out.equality == Decision::Open && !isOfSymbols) // of which there is no element to be looked at
    out.equality = levelOf(was, is, known, enough, true, out.why, out.questions);
  if (out.equality != Decision::Open && (sizeless || isOfSymbols))
    out.sizes = sizeless ? Sizes::All : Sizes::Some;
  return out;
}

} // namespace rw::verify
