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
#include "rw/support/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  c.withAllBits = widest == DType::F32;
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
    std::unique_ptr<FrozenPatternSet> &known = files[file.raw];
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

  class Verification;
  Answer verify(const plan::MatchPlan &plan);
};

/// One pattern that is being verified: the steps that find programs, and what was found so far.
class Verifier::Impl::Verification {
public:
  Verification(Impl &verifier, const plan::MatchPlan &plan, const PatternEntry &entry, Answer &out)
      : verifier_(verifier), options_(verifier.options), table_(verifier.table), entry_(entry),
        pattern_(verifier.plans.source->pattern(plan.pattern)), literals_(literalsOf(*verifier.plans.source, pattern_)),
        refinements_(refinementsOf(pattern_)), input_{*verifier.plans.source, pattern_,
                                                      verifier.registry.ops,  literals_,
                                                      refinements_,           table_},
        tested_(verifier.registry, entry, verifier.plans, plan, verifier.sources),
        search_(tested_, input_, options_.seed), noOverflow_(pattern_.fastmath & FastMath::noOverflow()),
        ofFloats_(pattern_.fastmath.without(FastMath::noOverflow())),
        isOneOfSeveral_(verifier.isOneOfSeveral(pattern_)), rounds_(options_.rounds), out_(out) {
    input_.tally = &tally_;
    const bool reorders = std::ranges::any_of(
        pattern_.labels, [](const std::string &l) { return l == "reorder" || l.starts_with("reorder_"); });
    freedom_ = bool(ofFloats_) || reorders;
    // What a `for` says of all it makes need not be so of each.
    lists_ = ofFloats_ && !ofFloats_.all() && !isOneOfSeveral_ && !reorders;
  }

  /// Fills in the answer.
  void run() {
    decideSome();
    const bool fromTests = out_.instances == 0;
    lookAtTests();
    insistOnWhatNeverFired();
    tryMore();
    tryNeighbours();
    out_.attempts = search_.attempted();
    out_.branches = unsigned(search_.branches().size());
    if (out_.bad())
      return;
    if (out_.instances == 0) {
      out_.verdict = Verdict::Vacuous;
      out_.why = search_.obstacle().empty() ? "no program was found that it matches" : search_.obstacle();
      return;
    }
    tryOtherConstants();
    conclude();
    if (fromTests && out_.verdict == Verdict::Proved) {
      out_.verdict = Verdict::Checked;
      out_.why = "none of the programs that were made is one it matches: those of its tests alone were looked at";
    }
    if (isRoundingAlone_)
      concludeTag();
  }

private:
  // The steps, each of which stops where the pattern is refuted.

  /// Different programs, each compared on numbers and decided.
  void decideSome() {
    unsigned left = options_.attempts;
    bool extended = false;
    while (out_.instances < options_.instances && left) {
      const unsigned before = search_.attempted();
      std::optional<Found> found = search_.next(left);
      left -= std::min(left, search_.attempted() - before);
      if (!found && out_.instances == 0 && !extended) { // nothing at all: longer
        extended = input_.lastResort = true;
        left = 4 * options_.attempts;
        continue;
      }
      if (!found)
        break;
      ++out_.instances;
      constexpr unsigned kLookedAt = 6;
      if (out_.instances <= kLookedAt && out_.cycle.empty() && found->broken.empty())
        out_.cycle = verifier_.cycleFrom(pattern_, *found->after);
      if (!look(*found))
        break;
      note(*found);
      if (found->broken.empty())
        examples_.add(std::move(found->instance));
    }
  }
  /// What stands in its tests as well; where the search came by few, it is decided.
  void lookAtTests() {
    const bool areFew = out_.instances < options_.instances;
    if (out_.verdict == Verdict::Refuted)
      return;
    for (Found &found : foundInTests(verifier_.registry, entry_, tested_, table_, options_.seed)) {
      out_.instances += areFew;
      if (!look(found))
        break;
      if (areFew)
        note(found);
    }
  }
  /// With each attribute and optional operand that none of them has.
  void insistOnWhatNeverFired() {
    constexpr unsigned kOfEach = 5, kAttemptsForEach = 120;
    for (const Tally::Part &part : out_.instances == 0 ? std::vector<Tally::Part>() : tally_.neverFired()) {
      input_.insistOn = &part;
      std::set<std::string> values;
      for (unsigned attempts = kAttemptsForEach; values.size() < kOfEach && out_.verdict != Verdict::Refuted;) {
        const unsigned before = search_.attempted();
        std::optional<Found> found = search_.next(attempts);
        attempts -= std::min(attempts, search_.attempted() - before);
        if (!found)
          break;
        if (!values.insert(valueOf(part, found->instance.function())).second) // another one is looked for
          continue;
        if (!look(*found))
          break;
        ++out_.instances;
        note(*found);
      }
    }
    input_.insistOn = nullptr;
  }
  /// On numbers alone, quickly: what is rare shows in many.
  void tryMore() {
    constexpr unsigned kFewRounds = 4, kCoincidences = 60, kLengths = 15, kTriedForSizes = 120, kTriedForRanks = 8;
    unsigned ofOtherRanks = 0;
    input_.sizing = {kCoincidences, kLengths, true, true, false};
    rounds_ = std::min(kFewRounds, options_.rounds);
    constexpr unsigned kAttemptsForOne = 7;
    unsigned left = std::min(options_.more, UINT_MAX / kAttemptsForOne) * kAttemptsForOne;
    for (unsigned more = 0; more < options_.more && left && out_.instances && out_.verdict != Verdict::Refuted;
         ++more) {
      const unsigned before = search_.attempted();
      input_.sizing.nearFloats = more % 2; // of these nothing is decided: over the reals what is rounded is not equal
      std::optional<Found> found = search_.next(left);
      left -= std::min(left, search_.attempted() - before);
      if (!found || !look(*found))
        break;
      // Of some at least sizes should be any; and ranks that come late are decided as well.
      const bool forSizes = out_.everySize + out_.someSizes == 0 && more < kTriedForSizes;
      const bool forRanks = ofOtherRanks < kTriedForRanks && hasOtherRank(found->instance, ranks_);
      if (!input_.sizing.nearFloats && out_.decided == out_.instances && (forSizes || forRanks)) {
        ofOtherRanks += forRanks;
        ++out_.instances;
        note(*found);
      }
      if (found->broken.empty())
        examples_.add(std::move(found->instance));
    }
  }
  /// What is next to some of them.
  void tryNeighbours() {
    constexpr unsigned kPairs = 60, kPairsOfGreatestRank = 400, kExamples = 8;
    const unsigned mostNeighbours = options_.more;
    unsigned neighbours = 0;
    const auto known = examples_.all();
    for (const auto &[rank, example] : known) {
      if (out_.instances == 0 || out_.verdict == Verdict::Refuted || neighbours > mostNeighbours)
        break;
      const unsigned pairs = rank == known.front().first ? kPairsOfGreatestRank : kPairs;
      unsigned ofThis = 0;
      for (Instance &next : neighboursOf(*example, table_, pairs, options_.seed)) {
        PatternUnderTest::Run run = tested_.run(*next.program);
        if (!run.fired || printFunction(next.function()) == printFunction(run.after->functions().front()))
          continue;
        Found found{std::move(next), std::move(run.after), std::move(run.broken), {}, options_.seed};
        if (++neighbours > mostNeighbours || ++ofThis > mostNeighbours / kExamples || !look(found))
          break;
      }
    }
  }
  /// Constants were such that what a pattern computes of them is exact. With others a freedom may be taken after all.
  void tryOtherConstants() {
    if (!ofFloats_ || !floats_ || exactFloats_ != floats_ || seen_.any())
      return;
    constexpr unsigned kMostOthers = 40;
    input_.sizing = {};
    input_.lastResort = true;
    unsigned left = options_.attempts / 4;
    for (unsigned i = 0; i < kMostOthers && left && !seen_.any(); ++i) {
      const unsigned before = search_.attempted();
      std::optional<Found> found = search_.next(left);
      left -= std::min(left, search_.attempted() - before);
      if (found && found->broken.empty() && hasFloat(found->instance.function()))
        observe(*found);
    }
  }

  // One program.

  /// Whether it goes on: where something is wrong but for rounding, to see whether that is all.
  bool look(Found &found) {
    ++out_.compared;
    if (!isWrong(found))
      return true;
    const bool isTag = !broken_ && !freedom_ && !isRoundingAlone_ && isRightOverReals(found);
    verifier_.shrink(search_, found,
                     [&](Found &other) { return isWrong(other) && (!isTag || isRightOverReals(other)); });
    // A test can say what ops of today do.
    if (std::optional<Instance> newest = inNewestVersions(found.instance, table_))
      if (PatternUnderTest::Run run = tested_.run(*newest->program); run.fired) {
        Found other{std::move(*newest), std::move(run.after), std::move(run.broken), {}, found.seed};
        if (isWrong(other) && (!isTag || isRightOverReals(other)))
          found = std::move(other);
      }
    isWrong(found);
    if (!isTag) {
      unsigned without = 0;
      const bool isRefused = difference_.starts_with("the program after"); // a division by zero does not overflow
      if (!broken_ && !isRefused && !noOverflow_ && !hasFloat(found.instance.function()) &&
          !compareWithoutOverflow(found.instance, *found.instance.program, *found.after, 4 * options_.rounds,
                                  options_.seed, table_, without) &&
          without)
        difference_ += "; where no integer overflows they agree: `fastmath(no_overflow)` says so";
      describe(out_, found, Verdict::Refuted, difference_);
      return false;
    }
    describe(tag_, found, Verdict::Tag,
             "right over the reals, not bit for bit, which its tags don't say: " + difference_);
    isRoundingAlone_ = true;
    return true;
  }
  void note(Found &f) {
    tally_.noteFired(f.instance.function());
    ++out_.perBranch[fmt::format("{}", fmt::join(f.instance.branches, ","))];
    constexpr unsigned kLookedAtAsReals = 12;
    const bool isFloat = hasFloat(f.instance.function());
    if (isFloat && (lists_ || isRoundingAlone_))
      observe(f);
    Decision d = decide(f.instance, *f.after, tested_,
                        {freedom_ || isRoundingAlone_, noOverflow_ && !isFloat, &floatQuestions_});
    for (std::string &question : d.questions)
      if (std::ranges::find(out_.questions, question) == out_.questions.end())
        out_.questions.push_back(std::move(question));
    floats_ += isFloat;
    if (d.equality == Decision::Open) {
      if (const std::string op = opThatIsExplained(*f.instance.program, *f.after); !op.empty()) {
        d.why = fmt::format("nothing is known of {} but what the pattern says", op);
        explained_ = true;
      }
      unsigned &count = open_[d.why];
      ++count;
      if (!freedom_ && !isRoundingAlone_ && isFloat && asReals_ < kLookedAtAsReals)
        asReals_ += decide(f.instance, *f.after, tested_, {.reals = true}).equality == Decision::Reals;
      return;
    }
    ++out_.decided;
    firesForSymbols_ |= d.firesForSymbols;
    byElementAlone_ = byElementAlone_ && isByElement(*f.instance.program) && isByElement(*f.after);
    const bool numbersAlone = holdsNumbersAlone(*f.instance.program) && holdsNumbersAlone(*f.after);
    bool &isGeneral = forms_.try_emplace(formOf(f.instance), literals_.asksForConstants).first->second;
    isGeneral = literals_.asksForConstants ? isGeneral && numbersAlone : isGeneral || numbersAlone;
    anyElement_ |= hasElements(f.instance.function());
    exact_ += d.equality == Decision::Exact;
    overflowing_ += d.equality == Decision::NoOverflow;
    exactFloats_ += isFloat && d.equality == Decision::Exact;
    out_.everySize += d.sizes == Sizes::All;
    out_.someSizes += d.sizes == Sizes::Some;
    for (ValueId p : f.instance.function().params(f.instance.function().body()))
      if (const TypeData &type = f.instance.function().value(p).type(); type.ranked) {
        ranks_.insert(type.dims.size());
        dtypes_.insert(type.dtype);
      }
  }
  /// Which freedoms the differences at a program take.
  void observe(Found &f) {
    const Differences differences = differencesOn(f.instance, *f.instance.program, *f.after, 2 * options_.rounds,
                                                  options_.seed + out_.instances + looked_, table_);
    seen_ |= differences;
    wanted_ = wanted_ | freedomsFor(differences, *f.instance.program, *f.after);
    approximated_ = approximated_ |
                    (freedomsFor({.rounding = true}, *f.instance.program, *f.after) & *FastMath::named("approximate"));
    byElement_ = byElement_ && isByElement(*f.instance.program) && isByElement(*f.after);
    ++looked_;
  }

  // Whether it is wrong there.

  bool isWrong(Found &f) {
    if (isBroken(f))
      return true;
    const DType narrowest = narrowestFloat(f.instance.function());
    if (!isRoundingAlone_)
      return differs(f, rounds_, options_.seed + out_.instances, closenessOf(narrowest, freedom_));
    Closeness close = closenessOf(narrowest, hasFloat(f.instance.function()));
    if (close.tolerance != 0)
      close.inputs = Closeness::Infinite;
    return differs(f, rounds_, options_.seed + out_.instances, close);
  }
  /// Whether what comes out is no valid program.
  bool isBroken(Found &f) {
    if (f.broken.empty())
      return false;
    difference_ = f.broken;
    inputs_ = f.instance.inputs;
    return broken_ = true;
  }
  /// Whether results differ on numbers by more than they may.
  bool differs(Found &f, unsigned rounds, uint64_t seed, Closeness close) {
    std::optional<Difference> d =
        noOverflow_ && !hasFloat(f.instance.function())
            ? compareWithoutOverflow(f.instance, *f.instance.program, *f.after, 2 * rounds, seed, table_, compared_)
            : compareOnNumbers(f.instance, *f.instance.program, *f.after, rounds, seed, close, table_, compared_);
    if (!d || !opThatIsExplained(*f.instance.program, *f.after).empty())
      return false;
    // What is the same over the reals differs by rounding, however much.
    if (close.tolerance != 0 && close.inputs == Closeness::Moderate && d->isFinite &&
        decide(f.instance, *f.after, tested_, {.reals = true}).equality != Decision::Open)
      return false;
    difference_ = d->text;
    inputs_ = d->inputs;
    return true;
  }
  /// Whether they differ by rounding alone.
  bool isRightOverReals(Found &f) {
    unsigned unused = 0;
    Closeness close = closenessOf(narrowestFloat(f.instance.function()), true);
    // what makes a NaN of a number, or a number of a NaN, is no matter of rounding
    close.inputs = Closeness::Infinite;
    return hasFloat(f.instance.function()) &&
           !compareOnNumbers(f.instance, *f.instance.program, *f.after, 4 * options_.rounds, options_.seed, close,
                             table_, unused) &&
           unused > 0;
  }

  // The answer.

  void describe(Answer &to, Found &f, Verdict verdict, const std::string &why) {
    to.verdict = verdict;
    to.why = why;
    to.model = printFunction(f.instance.function());
    to.test = testText(pattern_.name, f.instance.function()).value_or("");
    to.counterexample = (to.test.empty() ? to.model : to.test) + (broken_ ? "" : inputsText(inputs_)) +
                        oldOperatorSet(f.instance.function());
  }
  /// Of all that was found, where nothing is refuted.
  void conclude() {
    const bool all = out_.decided == out_.instances && out_.instances;
    out_.arithmetic = !out_.decided                           ? ""
                      : exact_ == out_.decided                ? "bit for bit"
                      : exact_ + overflowing_ == out_.decided ? "where no integer overflows"
                      : overflowing_                          ? "over the reals, and where no integer overflows"
                                                              : "over the reals";
    if (out_.decided) {
      const bool isForAnyRank = !literals_.looksAtShapes && byElementAlone_ &&
                                std::ranges::all_of(forms_, [](const auto &form) { return form.second; });
      out_.scope = scopeOf(out_, ranks_, isForAnyRank, dtypes_);
    }
    if (all && ofFloats_ && floats_ && exactFloats_ == floats_ && !seen_.any() && !isOneOfSeveral_) {
      out_.verdict = Verdict::Tag;
      out_.why = "it takes no freedom: take `fastmath` away";
      return;
    }
    if (all && noOverflow_ && !overflowing_ && !isOneOfSeveral_) {
      out_.verdict = Verdict::Tag;
      out_.why =
          fmt::format("no result differs in what `no_overflow` allows: {}",
                      ofFloats_ ? fmt::format("write `fastmath({})`", ofFloats_.list()) : "take `fastmath` away");
      return;
    }
    if (lists_) {
      const std::string complaint = wrongFreedoms(pattern_.fastmath, seen_, wanted_, approximated_,
                                                  all && byElement_ && looked_ >= kEnoughLookedAt);
      if (!complaint.empty()) {
        out_.verdict = Verdict::Tag;
        out_.why = complaint;
        return;
      }
    }
    const std::string neverMade = tally_.neverMade();
    // A pattern that asks for numbers has no sizes that are symbols.
    const bool isForSymbols = out_.everySize + out_.someSizes > 0 || !firesForSymbols_;
    if (all && anyElement_ && neverMade.empty() && isForSymbols) {
      out_.verdict = Verdict::Proved;
      return;
    }
    out_.verdict = Verdict::Checked;
    if (all) {
      out_.why = !anyElement_ ? "no result of a program that was found has an element"
                 : !neverMade.empty()
                     ? neverMade
                     : "each program was decided at its own sizes, and none with sizes that are symbols";
      return;
    }
    std::string most;
    for (const auto &[why, count] : open_)
      if (most.empty() || count > open_[most])
        most = why;
    out_.why = fmt::format("{} of {} instances were {}: {}", out_.instances - out_.decided, out_.instances,
                           explained_ ? "not compared" : "compared on numbers alone", most);
    if (!compared_)
      out_.why += "; nothing of it could be evaluated";
    if (asReals_)
      out_.why += fmt::format("; over the reals {} of those were proved", asReals_);
  }
  /// Where it is right over the reals alone, which nothing says.
  void concludeTag() {
    out_.verdict = Verdict::Tag;
    if (out_.arithmetic == "bit for bit") // by laws that do not look at which zero it is
      out_.arithmetic = "over the reals";
    out_.why = tag_.why + (out_.decided == out_.instances ? "" : "; " + out_.why);
    if (wanted_)
      out_.why += fmt::format("; `fastmath({})` says so", wanted_.list());
    out_.model = tag_.model;
    out_.test = tag_.test;
    out_.counterexample = tag_.counterexample;
  }

  static constexpr unsigned kEnoughLookedAt = 30;

  Impl &verifier_;
  const VerifyOptions &options_;
  KernelTable &table_;
  const PatternEntry &entry_;
  const sema::Pattern &pattern_;
  const Literals literals_;
  const std::vector<Refinement> refinements_;
  Tally tally_;
  BuilderInput input_;
  const PatternUnderTest tested_;
  InstanceSearch search_;
  Examples examples_; // of what it fires at

  const bool noOverflow_;     // it claims nothing where an integer overflows
  const FastMath ofFloats_;   // the other freedoms it takes
  const bool isOneOfSeveral_; // that a `for` made of one text
  bool freedom_ = false;      // it may round in another way
  bool lists_ = false;        // it lists freedoms, and each is to be needed
  unsigned rounds_;           // of inputs

  Answer &out_;
  unsigned floatQuestions_ = 20; // which a solver may leave unanswered
  Answer tag_;                   // what was found first of a pattern that is right over the reals alone
  bool isRoundingAlone_ = false; // it was seen to be that
  std::string difference_;       // the last one that was seen
  std::vector<Tensor> inputs_;   // at which it was
  bool broken_ = false;          // it is an invalid program
  unsigned compared_ = 0;        // rounds
  Differences seen_;             // of floats, bit for bit
  FastMath wanted_;              // the freedoms that these take
  FastMath approximated_;        // what rounding by the ops of one side alone would take
  unsigned looked_ = 0;          // at so many instances for differences of floats
  bool byElement_ = true;        // they are of ops alone that look at each element by itself
  bool byElementAlone_ = true;   // and so are all that were decided
  // Of those of one form, whether some have numbers alone for constants: then others are special cases of what their
  // parameters may be. Where constants are asked for, whether all have.
  std::map<std::vector<uint32_t>, bool> forms_;
  std::map<std::string, unsigned> open_; // why something was not decided, and how often
  bool explained_ = false;               // it states what an op is
  bool anyElement_ = false;              // something was computed
  std::set<size_t> ranks_;
  std::set<DType> dtypes_;
  bool firesForSymbols_ = false;
  unsigned exact_ = 0, overflowing_ = 0, floats_ = 0, exactFloats_ = 0, asReals_ = 0;
};

Answer Verifier::Impl::verify(const plan::MatchPlan &plan) {
  const sema::Pattern &pattern = plans.source->pattern(plan.pattern);
  Answer out;
  out.pattern = pattern.name;
  out.file = std::string(sources.name(pattern.file));
  out.line = sources.line(pattern.nameRange.begin);
  if (const PatternEntry *entry = entryOf(pattern))
    Verification(*this, plan, *entry, out).run();
  else
    out.why = "it calls native code that is not there: nothing of it was run; a library of rw_add_patterns(… PLUGIN) "
              "has it, which `--plugin` loads";
  return out;
}

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
  Json j;
  j["pattern"] = a.pattern;
  j["file"] = a.file;
  j["line"] = a.line;
  j["verdict"] = wordOf(a.verdict);
  j["expected"] = a.expected ? Json(wordOf(*a.expected)) : Json();
  j["scope"] = a.scope;
  j["arithmetic"] = a.arithmetic;
  j["instances"] = a.instances;
  j["branches"] = a.branches;
  j["per_branch"] = a.perBranch;
  j["reason"] = a.why;
  j["cycle"] = a.cycle.empty() ? Json() : Json(a.cycle);
  j["counterexample"] = a.counterexample.empty() ? Json() : Json(a.counterexample);
  return jsonText(j);
}

} // namespace rw::verify
