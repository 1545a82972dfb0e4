#include "codegen/verify/verify.h"

#include "codegen/verify/decide.h"
#include "codegen/verify/instance_search.h"
#include "codegen/verify/neighbours.h"
#include "codegen/verify/newest_versions.h"
#include "codegen/verify/stand_in_kernels.h"
#include "codegen/verify/test_instances.h"
#include "codegen/verify/witness.h"
#include "rw/interp/kernel.h"
#include "rw/ir/printer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rw::verify {

std::string_view name(Verdict v) {
  static constexpr std::string_view names[] = {"PROVED", "CHECKED", "REFUTED", "VACUOUS", "TAG"};
  return names[size_t(v)];
}

std::string wordOf(Verdict v) {
  std::string out(name(v));
  std::ranges::transform(out, out.begin(), [](char c) { return char(c + ('a' - 'A')); });
  return out;
}

std::optional<Verdict> verdictOf(std::string_view word) {
  for (Verdict v : {Verdict::Proved, Verdict::Checked, Verdict::Refuted, Verdict::Vacuous, Verdict::Tag})
    if (wordOf(v) == word)
      return v;
  return std::nullopt;
}

namespace {

/// Values at which a pattern that says what freedom it takes may not differ.
Closeness closenessOf(DType widest, bool freedom) {
  Closeness c;
  if (!freedom)
    return c;
  c.inputs = Closeness::Moderate;
  c.tolerance = widest == DType::F16 || widest == DType::BF16 ? 0.1 : widest == DType::F64 ? 1e-7 : 3e-3;
  return c;
}

/// The float type of the fewest bits that some value of the function has.
DType narrowestFloat(Function &fn) {
  DType out = DType::F64;
  auto rank = [](DType t) { return t == DType::F64 ? 3 : t == DType::F32 ? 2 : t == DType::F16 ? 1 : 0; };
  auto look = [&](Value v) {
    DType t = v.type().dtype;
    if (isComplex(t))
      t = t == DType::C64 ? DType::F32 : DType::F64;
    if (isFloat(t) && rank(t) < rank(out))
      out = t;
  };
  for (ValueId p : fn.params(fn.body()))
    look(fn.value(p));
  for (Op op : fn.ops(fn.body()))
    for (unsigned i = 0; i < op.resultCount(); ++i)
      look(op.result(i));
  return out;
}

/// Floats, or complex numbers, which are made of them.
bool hasFloat(Function &fn) {
  auto is = [](Value v) { return isFloat(v.type().dtype) || isComplex(v.type().dtype); };
  for (ValueId p : fn.params(fn.body()))
    if (is(fn.value(p)))
      return true;
  for (Op op : fn.ops(fn.body()))
    for (unsigned i = 0; i < op.resultCount(); ++i)
      if (is(op.result(i)))
        return true;
  return false;
}

/// Whether some result has an element.
bool hasElements(Function &fn) {
  const Op last = fn.terminator(fn.body());
  for (unsigned i = 0; i < last.operandCount(); ++i)
    if (fn.context().elementCount(last.operand(i).typeId()) != 0)
      return true;
  return last.operandCount() == 0;
}

/// Whether all ops look at each element by itself: others, as sums, round as the engine likes.
bool isByElement(Program &program) {
  Function &fn = program.functions().front();
  for (Op op : fn.ops(fn.body()))
    if (op.kind() != kReturnKind && !op.hasTrait(Trait::Constant) && !op.hasTrait(Trait::Elementwise))
      return false;
  return true;
}

/// Whether each constant is one number.
bool holdsNumbersAlone(Program &program) {
  Function &fn = program.functions().front();
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind || !op.hasTrait(Trait::Constant))
      continue;
    const AttrId value = op.result().constant();
    const DenseData *held = value ? fn.context().attr(value).dense : nullptr;
    if (!op.result().type().dims.empty() && (!held || !held->splat))
      return false;
  }
  return true;
}

/// Equal for programs that differ in types, attributes and constants alone: the alternatives taken, and the ops.
std::vector<uint32_t> formOf(const Instance &instance) {
  std::vector<uint32_t> out = instance.branches;
  Function &fn = instance.function();
  for (Op op : fn.ops(fn.body()))
    if (!op.hasTrait(Trait::Constant))
      out.push_back(op.kind().raw);
  return out;
}

/// The op of which nothing is known but what the pattern says: it is gone, but for uses in another form (other
/// attributes, fewer operands), and so is any other such op. Then the pattern states what it is, as a lowering does,
/// and there is nothing that it could contradict. Empty if there is none.
std::string opThatIsExplained(Program &before, Program &after) {
  using Form = std::tuple<uint16_t, uint32_t, unsigned>;
  // Constants say what they are, unless it is one that is explained.
  auto formsOf = [](Program &program, bool isLiteral) {
    Function &fn = program.functions().front();
    std::set<Form> out;
    for (Op op : fn.ops(fn.body()))
      if (op.kind() != kReturnKind && op.kind() != kOpaqueKind && (isLiteral || !op.hasTrait(Trait::Constant)) &&
          isUninterpreted(op.schema()))
        out.emplace(op.kind().raw, op.attrsId().raw, op.operandCount());
    return out;
  };
  bool isLiteral = true;
  Function &fn = before.functions().front();
  for (Op op : fn.ops(fn.body()))
    isLiteral &= op.kind() == kReturnKind || op.hasTrait(Trait::Constant);
  const std::set<Form> was = formsOf(before, isLiteral);
  for (const Form &form : formsOf(after, false))
    if (was.size() != 1 || std::get<0>(form) != std::get<0>(*was.begin()) || form == *was.begin())
      return "";
  return was.empty() ? "" : std::string(before.context().ops().schema(KindId{std::get<0>(*was.begin())}).fullName());
}

/// Which operator set of ONNX a program is of, where one of its ops is not the newest of its name: no test can say it.
/// Empty for others.
std::string oldOperatorSet(Function &fn) {
  for (Op op : fn.ops(fn.body()))
    if (op.kind() != kReturnKind && op.kind() != kOpaqueKind && op.schema().dialect == "onnx" &&
        op.schema().until != INT32_MAX)
      return fmt::format("in operator set {} of ONNX\n", fn.context().dialectVersion("onnx"));
  return "";
}

/// What is wrong with the freedoms that a pattern lists, in words; empty if nothing is. `surely`: what was never seen
/// is not needed, but for `approximated`, since engines compute powers and the like less exactly than the evaluator.
std::string wrongFreedoms(FastMath listed, const Differences &seen, FastMath wanted, FastMath approximated,
                          bool surely) {
  auto named = [](std::string_view name) { return *FastMath::named(name); };
  const FastMath noNan = named("no_nan"), noSign = named("no_signed_zero");
  const FastMath rounding = FastMath(true).without(noNan | noSign);
  // Sums in another order may overflow, and have zeros of another sign; that a NaN is lost they do not explain.
  FastMath missing;
  if (seen.lostNan || (seen.nan && !(listed & rounding)))
    missing = missing | noNan.without(listed);
  if (seen.zeroSign && !(listed & rounding))
    missing = missing | noSign.without(listed);
  if (seen.rounding && !(listed & rounding))
    missing = missing | (wanted & rounding);
  if (missing)
    return fmt::format("its results differ in what `{}` allows, which it does not list: write `fastmath({})`",
                       missing.list(), (listed | missing).list());
  FastMath superfluous;
  if (!seen.nan)
    superfluous = superfluous | (listed & noNan);
  if (!seen.zeroSign)
    superfluous = superfluous | (listed & noSign);
  if (!seen.rounding)
    superfluous = superfluous | (listed & rounding).without(approximated);
  if (!surely || !superfluous)
    return "";
  FastMath rest = listed.without(superfluous);
  if (seen.nan) // which the freedom to round has covered
    rest = rest | noNan;
  if (seen.zeroSign)
    rest = rest | noSign;
  return fmt::format("no result differs in what `{}` allows: {}", superfluous.list(),
                     rest ? fmt::format("write `fastmath({})`", rest.list()) : "take `fastmath` away");
}

/// Whether a parameter has a rank that is none of these.
bool hasOtherRank(const Instance &instance, const std::set<size_t> &ranks) {
  Function &fn = instance.function();
  return std::ranges::any_of(fn.params(fn.body()), [&](ValueId p) {
    const TypeData &type = fn.value(p).type();
    return type.ranked && !ranks.contains(type.dims.size());
  });
}

/// `anyRank`: that of those ranks stands for all.
std::string scopeOf(const Answer &a, const std::set<size_t> &ranks, bool anyRank, const std::set<DType> &dtypes) {
  std::string out = fmt::format("{} class{} of programs, all values", a.decided, a.decided == 1 ? "" : "es");
  if (a.everySize == a.decided)
    out += ", every size";
  else
    out += fmt::format(", every size in {}, of free dimensions in {}, own sizes in {}", a.everySize, a.someSizes,
                       a.decided - a.everySize - a.someSizes);
  if (anyRank)
    out += ", any rank";
  else if (!ranks.empty())
    out += *ranks.begin() == *ranks.rbegin() ? fmt::format(", rank {}", *ranks.begin())
                                             : fmt::format(", ranks {} to {}", *ranks.begin(), *ranks.rbegin());
  std::string types;
  for (DType t : dtypes)
    types += (types.empty() ? "" : " ") + std::string(dtypeName(t));
  if (!types.empty())
    out += ", " + types;
  return out;
}

/// What an attribute or optional operand of the first such op is, in words: of an operand its type, and whether it is a
/// constant.
std::string valueOf(const Tally::Part &part, Function &fn) {
  for (Op op : fn.ops(fn.body())) {
    if (op.kind() == kReturnKind || op.kind() == kOpaqueKind || &op.schema() != part.schema)
      continue;
    const unsigned at = unsigned(part.index);
    if (part.isAttr)
      return op.attr(at) ? printAttr(fn.context(), op.attr(at)) : "";
    if (at < op.operandCount() && op.operand(at))
      return fmt::format("{} {} {}", dtypeName(op.operand(at).type().dtype), op.operand(at).type().dims.size(),
                         bool(op.operand(at).constant()));
  }
  return "";
}

} // namespace

struct Verifier::Impl {
  const plan::Module &plans;
  const Registry &registry;
  const SourceManager &sources;
  VerifyOptions options;
  KernelTable table;
  std::map<uint32_t, std::unique_ptr<FrozenPatternSet>> files;

  const PatternEntry *entryOf(const sema::Pattern &pattern) const {
    std::string_view path = sources.name(pattern.file);
    std::string_view file = path.substr(path.rfind('/') + 1);
    const unsigned line = sources.line(pattern.nameRange.begin);
    for (const PatternEntry &entry : registry.patterns.all())
      if (entry.info.name == pattern.name && entry.info.file == file && entry.info.line == line)
        return &entry;
    for (const PatternEntry &entry : registry.patterns.all())
      if (entry.info.name == pattern.name && entry.info.file == file)
        return &entry;
    return nullptr;
  }

  /// All patterns that stand in that file, for which a run is looked at.
  const FrozenPatternSet &neighbours(FileId file) {
    std::unique_ptr<FrozenPatternSet> &known = files[file.index];
    if (!known) {
      PatternSet set(registry.ops);
      for (const plan::MatchPlan &plan : plans.plans) {
        const sema::Pattern &other = plans.source->pattern(plan.pattern);
        if (other.file != file)
          continue;
        if (const PatternEntry *entry = entryOf(other))
          set.add(registry.patterns.make(*entry, registry.ops));
      }
      known = std::make_unique<FrozenPatternSet>(std::move(set).freeze());
    }
    return *known;
  }
  /// Whether it goes on without end on what it made, together with its neighbours: in words, or empty.
  std::string cycleFrom(const sema::Pattern &pattern, const Program &after) {
    constexpr uint64_t kMostRewrites = 200;
    Program program = after.clone();
    GreedyRewriteConfig config;
    config.allowFastMath = FastMath::every();
    config.maxRewrites = kMostRewrites;
    config.expensiveChecks = false;
    RewriteResult run = applyPatternsGreedily(program.functions().front(), neighbours(pattern.file), config);
    const bool takesPart = std::ranges::any_of(run.cycle, [&](const std::string &name) {
      return name == pattern.name || name.ends_with("::" + pattern.name);
    });
    const std::string text = describeNonConvergence(run);
    constexpr std::string_view kFront = "did not converge: ";
    return run.cycleRepeats && takesPart ? text.substr(text.starts_with(kFront) ? kFront.size() : 0) : "";
  }
  /// Whether a `for` made several patterns of its text, of which the tags are one.
  bool isOneOfSeveral(const sema::Pattern &pattern) const {
    unsigned count = 0;
    for (const plan::MatchPlan &plan : plans.plans) {
      const sema::Pattern &other = plans.source->pattern(plan.pattern);
      count += other.file == pattern.file && other.nameRange.begin == pattern.nameRange.begin;
    }
    return count > 1;
  }

  /// Tries for a smaller program at which it is wrong.
  template <class IsWrong> void shrink(InstanceSearch &search, Found &found, const IsWrong &isWrong) {
    size_t best = sizeOf(found.instance);
    unsigned left = 250;
    for (bool better = true; better && left;) {
      better = false;
      for (size_t at = 0; at < found.decisions.size() && left; ++at) {
        for (uint32_t smaller : {0u, 1u}) {
          if (found.decisions[at] <= smaller || !left)
            continue;
          --left;
          std::vector<uint32_t> d = found.decisions;
          d[at] = smaller;
          std::optional<Found> other = search.replay(d, found.seed);
          if (!other || sizeOf(other->instance) >= best || !isWrong(*other))
            continue;
          best = sizeOf(other->instance);
          found = std::move(*other);
          better = true;
          break;
        }
      }
    }
  }

  Answer verify(const plan::MatchPlan &plan) {
    const sema::Module &module = *plans.source;
    const sema::Pattern &pattern = module.pattern(plan.pattern);
    Answer out;
    out.pattern = pattern.name;
    std::string_view path = sources.name(pattern.file);
    out.file = std::string(path);
    out.line = sources.line(pattern.nameRange.begin);
    const PatternEntry *entry = entryOf(pattern);
    if (!entry) {
      out.why = "it calls native code that is not there: nothing of it was run; a library of rw_add_patterns(… PLUGIN) "
                "has it, which `--plugin` loads";
      return out;
    }
    const Literals literals = literalsOf(module, pattern);
    const std::vector<Refinement> refinements = refinementsOf(pattern);
    Tally tally;
    BuilderInput input{module, pattern, registry.ops, literals, refinements, table};
    input.tally = &tally;
    const PatternUnderTest tested(registry, *entry, plans, plan, sources);
    InstanceSearch search(tested, input, options.seed);
    const bool noOverflow = bool(pattern.fastmath & FastMath::noOverflow());
    const FastMath ofFloats = pattern.fastmath.without(FastMath::noOverflow());
    const bool reorders = std::ranges::any_of(
        pattern.labels, [](const std::string &l) { return l == "reorder" || l.starts_with("reorder_"); });
    const bool freedom = bool(ofFloats) || reorders;
    unsigned compared = 0;
    std::string difference;
    bool broken = false;
    bool tagged = false;        // it was seen to be right over the reals alone, which nothing says
    Differences seen;           // of floats, bit for bit
    FastMath wanted;            // the freedoms that these take
    FastMath approximated;      // what rounding by the ops of one side alone would take
    unsigned looked = 0;        // at so many instances
    bool byElement = true;      // they are of ops alone that look at each element by itself
    bool byElementAlone = true; // and so are all that were decided
    // Of those of one form, whether some have numbers alone for constants: then others are special cases of what their
    // parameters may be. Where constants are asked for, whether all have.
    std::map<std::vector<uint32_t>, bool> forms;
    // What a `for` says of all it makes need not be so of each.
    const bool lists = ofFloats && !ofFloats.all() && !isOneOfSeveral(pattern) && !reorders;
    std::vector<Tensor> inputs;
    auto differs = [&](Found &f, unsigned rounds, uint64_t seed, Closeness close) {
      std::optional<Difference> d =
          noOverflow && !hasFloat(f.instance.function())
              ? compareWithoutOverflow(f.instance, *f.instance.program, *f.after, 2 * rounds, seed, table, compared)
              : compareOnNumbers(f.instance, *f.instance.program, *f.after, rounds, seed, close, table, compared);
      if (!d || !opThatIsExplained(*f.instance.program, *f.after).empty())
        return false;
      // What is the same over the reals differs by rounding, however much.
      if (close.tolerance != 0 && close.inputs == Closeness::Moderate && d->isFinite &&
          decide(f.instance, *f.after, tested, {.reals = true}).equality != Decision::Open)
        return false;
      difference = d->text;
      inputs = d->inputs;
      return true;
    };
    auto isRightOverReals = [&](Found &f) {
      unsigned unused = 0;
      Closeness close = closenessOf(narrowestFloat(f.instance.function()), true);
      // what makes a NaN of a number, or a number of a NaN, is no matter of rounding
      close.inputs = Closeness::Infinite;
      return hasFloat(f.instance.function()) &&
             !compareOnNumbers(f.instance, *f.instance.program, *f.after, 4 * options.rounds, options.seed, close,
                               table, unused) &&
             unused > 0;
    };
    auto isBroken = [&](Found &f) {
      if (f.broken.empty())
        return false;
      difference = f.broken;
      inputs = f.instance.inputs;
      return broken = true;
    };
    unsigned rounds = options.rounds;
    auto isWrong = [&](Found &f) {
      if (isBroken(f))
        return true;
      const DType narrowest = narrowestFloat(f.instance.function());
      if (!tagged)
        return differs(f, rounds, options.seed + out.instances, closenessOf(narrowest, freedom));
      Closeness close = closenessOf(narrowest, hasFloat(f.instance.function()));
      if (close.tolerance != 0)
        close.inputs = Closeness::Infinite;
      return differs(f, rounds, options.seed + out.instances, close);
    };
    constexpr unsigned kEnoughLookedAt = 30;
    std::map<std::string, unsigned> open; // why something was not decided, and how often
    bool explained = false;               // it states what an op is
    bool anyElement = false;              // something was computed
    std::set<size_t> ranks;
    std::set<DType> dtypes;
    unsigned exact = 0, overflowing = 0, floats = 0, exactFloats = 0, asReals = 0;
    /// Which freedoms the differences at a program take.
    auto observe = [&](Found &f) {
      const Differences differences = differencesOn(f.instance, *f.instance.program, *f.after, 2 * options.rounds,
                                                    options.seed + out.instances + looked, table);
      seen |= differences;
      wanted = wanted | freedomsFor(differences, *f.instance.program, *f.after);
      approximated = approximated |
                     (freedomsFor({.rounding = true}, *f.instance.program, *f.after) & *FastMath::named("approximate"));
      byElement = byElement && isByElement(*f.instance.program) && isByElement(*f.after);
      ++looked;
    };
    auto note = [&](Found &f) {
      tally.noteFired(f.instance.function());
      constexpr unsigned kLookedAtAsReals = 12;
      const bool isFloat = hasFloat(f.instance.function());
      if (isFloat && (lists || tagged))
        observe(f);
      Decision d = decide(f.instance, *f.after, tested, {freedom || tagged, noOverflow && !isFloat});
      for (std::string &question : d.questions)
        if (std::ranges::find(out.questions, question) == out.questions.end())
          out.questions.push_back(std::move(question));
      floats += isFloat;
      if (d.equality == Decision::Open) {
        if (const std::string op = opThatIsExplained(*f.instance.program, *f.after); !op.empty()) {
          d.why = fmt::format("nothing is known of {} but what the pattern says", op);
          explained = true;
        }
        unsigned &count = open[d.why];
        ++count;
        if (!freedom && !tagged && isFloat && asReals < kLookedAtAsReals)
          asReals += decide(f.instance, *f.after, tested, {.reals = true}).equality == Decision::Reals;
        return;
      }
      ++out.decided;
      byElementAlone = byElementAlone && isByElement(*f.instance.program) && isByElement(*f.after);
      const bool numbersAlone = holdsNumbersAlone(*f.instance.program) && holdsNumbersAlone(*f.after);
      bool &isGeneral = forms.try_emplace(formOf(f.instance), literals.asksForConstants).first->second;
      isGeneral = literals.asksForConstants ? isGeneral && numbersAlone : isGeneral || numbersAlone;
      anyElement |= hasElements(f.instance.function());
      exact += d.equality == Decision::Exact;
      overflowing += d.equality == Decision::NoOverflow;
      exactFloats += isFloat && d.equality == Decision::Exact;
      out.everySize += d.sizes == Sizes::All;
      out.someSizes += d.sizes == Sizes::Some;
      for (ValueId p : f.instance.function().params(f.instance.function().body()))
        if (const TypeData &type = f.instance.function().value(p).type(); type.ranked) {
          ranks.insert(type.dims.size());
          dtypes.insert(type.dtype);
        }
    };
    auto conclude = [&] {
      const bool all = out.decided == out.instances && out.instances;
      out.arithmetic = !out.decided                         ? ""
                       : exact == out.decided               ? "bit for bit"
                       : exact + overflowing == out.decided ? "where no integer overflows"
                       : overflowing                        ? "over the reals, and where no integer overflows"
                                                            : "over the reals";
      if (out.decided) {
        const bool isForAnyRank = !literals.looksAtShapes && byElementAlone &&
                                  std::ranges::all_of(forms, [](const auto &form) { return form.second; });
        out.scope = scopeOf(out, ranks, isForAnyRank, dtypes);
      }
      if (all && ofFloats && floats && exactFloats == floats && !seen.any() && !isOneOfSeveral(pattern)) {
        out.verdict = Verdict::Tag;
        out.why = "it takes no freedom: take `fastmath` away";
        return;
      }
      if (all && noOverflow && !overflowing && !isOneOfSeveral(pattern)) {
        out.verdict = Verdict::Tag;
        out.why = fmt::format("no result differs in what `no_overflow` allows: {}",
                              ofFloats ? fmt::format("write `fastmath({})`", ofFloats.list()) : "take `fastmath` away");
        return;
      }
      if (lists) {
        const std::string complaint =
            wrongFreedoms(pattern.fastmath, seen, wanted, approximated, all && byElement && looked >= kEnoughLookedAt);
        if (!complaint.empty()) {
          out.verdict = Verdict::Tag;
          out.why = complaint;
          return;
        }
      }
      const std::string neverMade = tally.neverMade();
      if (all && anyElement && neverMade.empty() && out.everySize + out.someSizes > 0) {
        out.verdict = Verdict::Proved;
        return;
      }
      out.verdict = Verdict::Checked;
      if (all) {
        out.why = !anyElement ? "no result of a program that was found has an element"
                  : !neverMade.empty()
                      ? neverMade
                      : "each program was decided at its own sizes, and none with sizes that are symbols";
        return;
      }
      std::string most;
      for (const auto &[why, count] : open)
        if (most.empty() || count > open[most])
          most = why;
      out.why = fmt::format("{} of {} instances were {}: {}", out.instances - out.decided, out.instances,
                            explained ? "not compared" : "compared on numbers alone", most);
      if (!compared)
        out.why += "; nothing of it could be evaluated";
      if (asReals)
        out.why += fmt::format("; over the reals {} of those were proved", asReals);
    };
    unsigned left = options.attempts;
    bool extended = false;
    Examples examples;
    Answer tag; // what was found of it first
    auto describe = [&](Answer &to, Found &f, Verdict verdict, const std::string &why) {
      to.verdict = verdict;
      to.why = why;
      to.model = printFunction(f.instance.function());
      to.test = testText(pattern.name, f.instance.function()).value_or("");
      to.counterexample = (to.test.empty() ? to.model : to.test) + (broken ? "" : inputsText(inputs)) +
                          oldOperatorSet(f.instance.function());
    };
    /// Whether it goes on: where something is wrong but for rounding, to see whether that is all.
    auto look = [&](Found &found) {
      ++out.compared;
      if (!isWrong(found))
        return true;
      const bool isTag = !broken && !freedom && !tagged && isRightOverReals(found);
      shrink(search, found, [&](Found &other) { return isWrong(other) && (!isTag || isRightOverReals(other)); });
      // A test can say what ops of today do.
      if (std::optional<Instance> newest = inNewestVersions(found.instance, table))
        if (PatternUnderTest::Run run = tested.run(*newest->program); run.fired) {
          Found other{std::move(*newest), std::move(run.after), std::move(run.broken), {}, found.seed};
          if (isWrong(other) && (!isTag || isRightOverReals(other)))
            found = std::move(other);
        }
      isWrong(found);
      if (!isTag) {
        unsigned without = 0;
        const bool isRefused = difference.starts_with("the program after"); // a division by zero does not overflow
        if (!broken && !isRefused && !noOverflow && !hasFloat(found.instance.function()) &&
            !compareWithoutOverflow(found.instance, *found.instance.program, *found.after, 4 * options.rounds,
                                    options.seed, table, without) &&
            without)
          difference += "; where no integer overflows they agree: `fastmath(no_overflow)` says so";
        describe(out, found, Verdict::Refuted, difference);
        return false;
      }
      describe(tag, found, Verdict::Tag,
               "right over the reals, not bit for bit, which its tags don't say: " + difference);
      tagged = true;
      return true;
    };
    while (out.instances < options.instances && left) {
      const unsigned before = search.attempted();
      std::optional<Found> found = search.next(left);
      left -= std::min(left, search.attempted() - before);
      if (!found && out.instances == 0 && !extended) { // nothing at all: longer
        extended = input.lastResort = true;
        left = 4 * options.attempts;
        continue;
      }
      if (!found)
        break;
      ++out.instances;
      constexpr unsigned kLookedAt = 6;
      if (out.instances <= kLookedAt && out.cycle.empty() && found->broken.empty())
        out.cycle = cycleFrom(pattern, *found->after);
      if (!look(*found))
        break;
      note(*found);
      if (found->broken.empty())
        examples.add(std::move(found->instance));
    }
    // What stands in its tests as well; where the search came by few, it is decided.
    const bool fromTests = out.instances == 0, areFew = out.instances < options.instances;
    if (out.verdict != Verdict::Refuted)
      for (Found &found : foundInTests(registry, *entry, tested, table, options.seed)) {
        out.instances += areFew;
        if (!look(found))
          break;
        if (areFew)
          note(found);
      }
    // With each attribute and optional operand that none of them has.
    constexpr unsigned kOfEach = 5, kAttemptsForEach = 120;
    for (const Tally::Part &part : out.instances == 0 ? std::vector<Tally::Part>() : tally.neverFired()) {
      input.insistOn = &part;
      std::set<std::string> values;
      for (unsigned attempts = kAttemptsForEach; values.size() < kOfEach && out.verdict != Verdict::Refuted;) {
        const unsigned before = search.attempted();
        std::optional<Found> found = search.next(attempts);
        attempts -= std::min(attempts, search.attempted() - before);
        if (!found)
          break;
        if (!values.insert(valueOf(part, found->instance.function())).second) // another one is looked for
          continue;
        if (!look(*found))
          break;
        ++out.instances;
        note(*found);
      }
    }
    input.insistOn = nullptr;
    // Then on numbers alone, quickly: what is rare shows in many.
    constexpr unsigned kFewRounds = 4, kCoincidences = 60, kLengths = 15, kTriedForSizes = 60, kTriedForRanks = 8;
    unsigned ofOtherRanks = 0;
    input.sizing = {kCoincidences, kLengths, true};
    rounds = std::min(kFewRounds, options.rounds);
    constexpr unsigned kAttemptsForOne = 7;
    left = std::min(options.more, UINT_MAX / kAttemptsForOne) * kAttemptsForOne;
    for (unsigned more = 0; more < options.more && left && out.instances && out.verdict != Verdict::Refuted; ++more) {
      const unsigned before = search.attempted();
      std::optional<Found> found = search.next(left);
      left -= std::min(left, search.attempted() - before);
      if (!found || !look(*found))
        break;
      // Of some at least sizes should be any; and ranks that come late are decided as well.
      const bool forSizes = out.everySize + out.someSizes == 0 && more < kTriedForSizes;
      const bool forRanks = ofOtherRanks < kTriedForRanks && hasOtherRank(found->instance, ranks);
      if (out.decided == out.instances && (forSizes || forRanks)) {
        ofOtherRanks += forRanks;
        ++out.instances;
        note(*found);
      }
      if (found->broken.empty())
        examples.add(std::move(found->instance));
    }
    // And what is next to some of them.
    constexpr unsigned kPairs = 60, kPairsOfGreatestRank = 400, kExamples = 8;
    const unsigned mostNeighbours = options.more;
    unsigned neighbours = 0;
    const auto known = examples.all();
    for (const auto &[rank, example] : known) {
      if (out.instances == 0 || out.verdict == Verdict::Refuted || neighbours > mostNeighbours)
        break;
      const unsigned pairs = rank == known.front().first ? kPairsOfGreatestRank : kPairs;
      unsigned ofThis = 0;
      for (Instance &next : neighboursOf(*example, table, pairs, options.seed)) {
        PatternUnderTest::Run run = tested.run(*next.program);
        if (!run.fired || printFunction(next.function()) == printFunction(run.after->functions().front()))
          continue;
        Found found{std::move(next), std::move(run.after), std::move(run.broken), {}, options.seed};
        if (++neighbours > mostNeighbours || ++ofThis > mostNeighbours / kExamples || !look(found))
          break;
      }
    }
    out.attempts = search.attempted();
    out.branches = unsigned(search.branches().size());
    if (out.bad())
      return out;
    if (out.instances == 0) {
      out.verdict = Verdict::Vacuous;
      out.why = search.obstacle().empty() ? "no program was found that it matches" : search.obstacle();
      return out;
    }
    // Constants were such that what a pattern computes of them is exact. With others a freedom may be taken after all.
    if (ofFloats && floats && exactFloats == floats && !seen.any()) {
      constexpr unsigned kMostOthers = 40;
      input.sizing = {};
      input.lastResort = true;
      left = options.attempts / 4;
      for (unsigned i = 0; i < kMostOthers && left && !seen.any(); ++i) {
        const unsigned before = search.attempted();
        std::optional<Found> found = search.next(left);
        left -= std::min(left, search.attempted() - before);
        if (found && found->broken.empty() && hasFloat(found->instance.function()))
          observe(*found);
      }
    }
    conclude();
    if (fromTests && out.verdict == Verdict::Proved) {
      out.verdict = Verdict::Checked;
      out.why = "none of the programs that were made is one it matches: those of its tests alone were looked at";
    }
    if (tagged) {
      out.verdict = Verdict::Tag;
      if (out.arithmetic == "bit for bit") // by laws that do not look at which zero it is
        out.arithmetic = "over the reals";
      out.why = tag.why + (out.decided == out.instances ? "" : "; " + out.why);
      if (wanted)
        out.why += fmt::format("; `fastmath({})` says so", wanted.list());
      out.model = tag.model;
      out.test = tag.test;
      out.counterexample = tag.counterexample;
    }
    return out;
  }
};

Verifier::Verifier(const plan::Module &plans, const Registry &registry, const SourceManager &sources,
                   VerifyOptions options)
    : impl_(new Impl{plans, registry, sources, options, {}, {}}) {
  withStandIns(registry.ops, impl_->table);
}
Verifier::~Verifier() = default;
Answer Verifier::verify(const plan::MatchPlan &plan) { return impl_->verify(plan); }

std::string lineOf(const Answer &a) {
  std::string out = fmt::format("{:<8} {}", name(a.verdict), a.pattern);
  if (!a.scope.empty())
    out += ": " + a.scope;
  if (!a.arithmetic.empty())
    out += ", " + a.arithmetic;
  if (!a.why.empty())
    out += fmt::format("{} {}", a.scope.empty() && a.arithmetic.empty() ? ":" : ";", a.why);
  if (a.instances)
    out += fmt::format(" ({} instance{}, {} branch{})", a.instances, a.instances == 1 ? "" : "s", a.branches,
                       a.branches == 1 ? "" : "es");
  if (a.expected)
    out += a.bad() ? fmt::format("; expected {}", name(*a.expected)) : "; as expected";
  if (!a.cycle.empty())
    out += "\n  without end: " + a.cycle;
  if (!a.counterexample.empty())
    out += "\n" + a.counterexample;
  while (out.ends_with('\n'))
    out.pop_back();
  return out;
}

std::string jsonOf(const Answer &a) {
  nlohmann::ordered_json j;
  j["pattern"] = a.pattern;
  j["file"] = a.file;
  j["line"] = a.line;
  j["verdict"] = wordOf(a.verdict);
  j["expected"] = a.expected ? nlohmann::ordered_json(wordOf(*a.expected)) : nlohmann::ordered_json();
  j["scope"] = a.scope;
  j["arithmetic"] = a.arithmetic;
  j["instances"] = a.instances;
  j["branches"] = a.branches;
  j["reason"] = a.why;
  j["cycle"] = a.cycle.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(a.cycle);
  j["counterexample"] = a.counterexample.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(a.counterexample);
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace rw::verify
