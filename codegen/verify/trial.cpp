#include "codegen/verify/trial.h"

#include "codegen/interpret/compiler.h"
#include "rw/interp/compare.h"
#include "rw/interp/element.h"
#include "rw/ir/verifier.h"
#include "rw/rewrite/greedy_driver.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

namespace rw::verify {
namespace {

class FurthestReason final : public RewriteListener {
public:
  explicit FurthestReason(const std::unordered_map<std::string, unsigned> &order) : order_(order) {}
  bool wantsReasons() const override { return true; }
  void noMatch(Op, const char *condition, unsigned line) override {
    auto it = order_.find(condition);
    const unsigned place = it != order_.end() ? it->second : 1;
    if (place >= progress) {
      progress = place;
      why = condition;
      this->line = line;
    }
  }
  unsigned progress = 0, line = 0;
  std::string why;

private:
  const std::unordered_map<std::string, unsigned> &order_;
};

GreedyRewriteConfig onceConfig() {
  GreedyRewriteConfig config;
  config.allowFastMath = FastMath::every();
  config.enableFolding = false;
  config.maxRewrites = 1;
  config.expensiveChecks = true;
  config.reuseIds = false;
  config.merge = false;
  return config;
}

/// The largest numbers of a float type are 2 to this power and more.
int exponentOfLargest(DType type) {
  return type == DType::F64 ? 1023 : type == DType::F16 ? 15 : dtypeBytes(type) == 1 ? 7 : 127;
}

/// A number at which a type rounds in its own way: some of the least, of which half need be no number, the greatest,
/// the one behind 1, and one between two numbers of a narrower type that lies next to their middle.
double atTheEdge(DType type, uint64_t r) {
  const int digits = type == DType::F64 ? 53 : type == DType::F16 ? 11 : type == DType::BF16 ? 8 : 24;
  const int leastExponent = type == DType::F64 ? -1074 : type == DType::F16 ? -24 : type == DType::BF16 ? -133 : -149;
  const double sign = r & 1 ? -1 : 1, last = std::ldexp(1, 1 - digits);
  switch ((r >> 1) % 6) {
  case 0:
    return sign * std::ldexp(1, leastExponent);
  case 1:
    return sign * std::ldexp(double(1 + (r >> 8) % 64), leastExponent);
  case 2:
    return sign * std::ldexp(2 - last, exponentOfLargest(type));
  case 3:
    return sign * (1 + last);
  case 4: // the middle is 1 + 2^-11 between numbers of 11 digits
    return sign * (1 + std::ldexp(1, -11) + (digits > 11 ? last : 0));
  default:
    return sign * (1 + std::ldexp(1, -8) + (digits > 8 ? last : 0));
  }
}

/// Other values for a parameter: of each round others, with what is special among them. Of the floats that are not
/// special, half are of size `scale`; some are numbers of `named`, or next to one.
Tensor varied(const Tensor &sample, Choices &random, Closeness::Inputs inputs, size_t sweep, double scale = 1,
              std::span<const double> named = {}) {
  const bool special = inputs != Closeness::Moderate;
  std::optional<Tensor> t = Tensor::make(sample.dtype(), sample.shape());
  if (!t || sample.isString())
    return sample;
  static const double specials[] = {std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN(),
                                    0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    6.0,
                                    1e-40,
                                    -1e-40,
                                    1e-310,
                                    3e38,
                                    -3e38,
                                    65504.0,
                                    1e300};
  const size_t some = inputs == Closeness::Any ? std::size(specials) : 9;
  visitAny(sample.dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < t->size(); ++i) {
      const uint64_t r = random.next();
      T &out = t->template mutableData<T>()[i];
      if constexpr (std::is_same_v<T, Bool>) {
        out = Bool(sweep == 2 || (r & 1)); // once all are true
      } else if constexpr (kIsInt<T>) {
        const unsigned way = unsigned(r >> 60);
        const bool isNamed = special && !named.empty() && ((r >> 50) & 7) == 1;
        if (isNamed)
          out = T(uint64_t(convertElement<T>(named[(r >> 20) % named.size()])) + (r >> 40) % 3 - 1);
        else
          out = way < 6 || !special ? T(int64_t((r >> 8) % 9) - (std::is_signed_v<T> ? 4 : 0))
                : way < 8           ? std::numeric_limits<T>::max()
                : way < 10          ? std::numeric_limits<T>::min()
                                    : T(r);
      } else {
        const bool odd = special && (sweep < some ? i % 3 != 1 : (r >> 61) == 0); // one round for each, among others
        double value = odd && sweep < some ? specials[(sweep + i / 3) % some]
                       : odd               ? specials[(r >> 20) % some]
                                           : double(int64_t((r >> 11) & 0xffffff) - 0x800000) / double(0x400000);
        if (!odd && inputs == Closeness::Any && ((r >> 56) & 7) == 1)
          value *= 37.5;
        else if (!odd && inputs == Closeness::Any && ((r >> 56) & 7) == 2) // a product with a small number overflows
          value = std::ldexp(value, exponentOfLargest(sample.dtype()) - 1 - int((r >> 52) & 7));
        else if (!odd && inputs == Closeness::Any && ((r >> 56) & 7) == 3)
          value = atTheEdge(sample.dtype(), r >> 11);
        else if (!odd && inputs == Closeness::Any && ((r >> 56) & 7) == 4 && !named.empty())
          value = named[(r >> 20) % named.size()] * ((r >> 40) & 1 ? 1 : 1 + std::ldexp(1, -20));
        else if (!odd && ((r >> 55) & 1))
          value *= scale;
        out = convertElement<T>(value);
        if constexpr (kIsComplex<T>) { // of moderate size: infinities and NaN stand in the real part
          const double imaginary = double(int64_t((random.next() >> 11) & 0xffffff) - 0x800000) / double(0x400000);
          out = T(out.real(), typename T::value_type(imaginary));
        }
      }
    }
    return true;
  });
  return *t;
}

/// Sizes of inputs at which the float constants of a program matter, those in attributes as well: twice the largest,
/// the smallest and its root. Of moderate size nothing shows that a bound of 1000 is gone.
std::vector<double> sizesThatMatter(Function &fn) {
  constexpr double kLargest = 1e30, kLargestOf16Bits = 1e4, kSmallest = 1e-8;
  double most = 0, least = 1, bound = kLargest;
  auto look = [&](double v) {
    v = std::fabs(v);
    if (!std::isfinite(v) || v == 0)
      return;
    most = std::max(most, v);
    least = std::min(least, v);
  };
  auto lookAtType = [&](DType t) {
    if (isFloat(t) && dtypeBytes(t) <= 2)
      bound = dtypeBytes(t) == 1 ? 1 : std::min(bound, kLargestOf16Bits);
  };
  for (ValueId p : fn.params(fn.body()))
    lookAtType(fn.value(p).type().dtype);
  for (Op op : fn.ops(fn.body())) {
    for (unsigned i = 0; i < op.resultCount(); ++i)
      lookAtType(op.result(i).type().dtype);
    for (unsigned i = 0; op.kind() != kReturnKind && op.kind() != kOpaqueKind && i < op.schema().attrs.size(); ++i) {
      const AttrId attr = op.attr(i);
      if (!attr)
        continue;
      const AttrData &data = fn.context().attr(attr);
      if (data.kind == AttrKind::Float)
        look(data.f);
      else if (data.kind == AttrKind::Dense && isFloat(fn.context().type(data.dense->type).dtype))
        if (std::optional<Tensor> value = Tensor::fromAttr(fn.context(), attr))
          for (size_t k = 0; k < value->size(); ++k)
            look(value->floatAt(k));
    }
  }
  std::vector<double> out;
  if (most > 2 && bound > 2)
    out.push_back(std::min(most, bound / 2));
  if (least < 0.25 && bound > 1) {
    out.push_back(std::max(least, kSmallest));
    out.push_back(std::sqrt(out.back()));
  }
  return out;
}

/// The numbers that constants of a program hold, those in regions as well: where one is compared with, it is an input
/// that counts.
std::vector<double> numbersIn(Function &fn, RegionId region) {
  constexpr size_t kMostElements = 8, kMostNumbers = 32;
  std::vector<double> out;
  for (Op op : fn.ops(region)) {
    for (RegionId inner : op.regions())
      std::ranges::copy(numbersIn(fn, inner), std::back_inserter(out));
    if (op.kind() == kReturnKind || !op.hasTrait(Trait::Constant) || !op.result().constant())
      continue;
    const std::optional<Tensor> value = Tensor::fromAttr(fn.context(), op.result().constant());
    if (!value || (!isFloat(value->dtype()) && !isInteger(value->dtype())))
      continue;
    visitReal(value->dtype(), [&]<class T>(T) {
      for (size_t k = 0; k < std::min(value->size(), kMostElements); ++k)
        out.push_back(convertElement<double>(value->data<T>()[k]));
      return true;
    });
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase_if(out, [](double v) { return !std::isfinite(v); });
  out.resize(std::min(out.size(), kMostNumbers));
  return out;
}

/// Of floats the numbers, of complex numbers their parts.
std::vector<double> realNumbers(const Tensor &t) {
  std::vector<double> out;
  visitAny(t.dtype(), [&]<class T>(T) {
    for (size_t i = 0; i < t.size(); ++i) {
      if constexpr (kIsComplex<T>) {
        out.push_back(double(t.data<T>()[i].real()));
        out.push_back(double(t.data<T>()[i].imag()));
      } else {
        out.push_back(t.floatAt(i));
      }
    }
    return true;
  });
  return out;
}

/// Where both are finite numbers, they differ by no more than the tolerance: what overflows on the way says nothing of
/// real numbers. `strict`: no number becomes a NaN, and no NaN a number. (What is infinite on one side may be a NaN on
/// the other.) `overflows`: whether what is infinite on one side alone may be so by overflow. `moderate`: nothing
/// overflows of the inputs, so that where a number becomes a NaN there is no real number.
std::string realDifference(const Tensor &a, const Tensor &b, double tolerance, bool strict, bool overflows,
                           bool moderate) {
  double largest = 0;
  if (!a || !b || a.isTuple() || b.isTuple() || a.dtype() != b.dtype() || a.shape() != b.shape() ||
      (!isFloat(a.dtype()) && !isComplex(a.dtype())))
    return differenceOf(a, b, isFloat(a.dtype()) ? tolerance : 0, largest);
  const std::vector<double> x = realNumbers(a), y = realNumbers(b);
  double scale = 1;
  for (size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i]))
      scale = std::max({scale, std::fabs(x[i]), std::fabs(y[i])});
  for (size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i]) ? std::fabs(x[i] - y[i]) > tolerance * scale
        : std::isinf(x[i]) || std::isinf(y[i])     ? !overflows && (std::isfinite(x[i]) || std::isfinite(y[i]))
                                                   : (strict && x[i] != x[i] && std::isfinite(y[i])) ||
                                                     ((strict || moderate) && y[i] != y[i] && std::isfinite(x[i])))
      return "differs at element " + std::to_string(i / (x.size() / std::max<size_t>(a.size(), 1))) + ": " +
             std::to_string(x[i]) + " before, " + std::to_string(y[i]) + " after";
  return "";
}

} // namespace

PatternUnderTest::PatternUnderTest(const Registry &registry, const PatternEntry &entry, const plan::Module &plans,
                                   const plan::MatchPlan &plan, const SourceManager &sources) {
  PatternSet set(registry.ops);
  set.add(registry.patterns.make(entry, registry.ops));
  frozen_ = std::make_unique<FrozenPatternSet>(std::move(set).freeze());
  plan::Module only{plans.source, {plan}};
  Diagnostics unread(sources);
  interpret::CompileOptions options;
  options.wantsOp = [](const sema::Op &) { return false; };
  options.skipNatives = true;
  interpret::Unit unit = interpret::compile(only, sources, options, unread);
  unsigned place = 1;
  for (const interpret::PatternCode &code : unit.patterns)
    for (const interpret::TestRow &row : code.tests)
      order_.emplace(row.why, ++place);
  for (const interpret::Reason &reason : unit.reasons)
    order_.emplace(reason.text, ++place);
}

PatternUnderTest::Run PatternUnderTest::run(const Program &before) const {
  Run out;
  out.after = std::make_unique<Program>(before.clone());
  FurthestReason reason(order_);
  GreedyRewriteConfig config = onceConfig();
  config.listener = &reason;
  RewriteResult result = applyPatternsGreedily(out.after->functions().front(), *frozen_, config);
  out.fired = result.rewrites > 0;
  if (!out.fired) {
    out.progress = reason.progress;
    out.why = reason.why;
  }
  out.broken = result.checkFailure;
  if (out.broken.empty())
    out.broken = result.refusal;
  if (out.fired && out.broken.empty()) {
    SourceManager sources;
    Diagnostics diags(sources);
    if (!verifyProgram(*out.after, diags))
      out.broken = diags.renderText();
  }
  if (out.fired && out.broken.empty()) {
    Function &was = const_cast<Program &>(before).functions().front(), &is = out.after->functions().front();
    Op a = was.terminator(was.body()), b = is.terminator(is.body());
    for (unsigned i = 0; i < a.operandCount() && i < b.operandCount(); ++i)
      if (!was.context().compatible(a.operand(i).typeId(), b.operand(i).typeId()))
        out.broken = "result " + std::to_string(i) + " was of type " +
                     was.context().typeToString(a.operand(i).typeId()) + " and becomes " +
                     was.context().typeToString(b.operand(i).typeId());
  }
  return out;
}

bool PatternUnderTest::firesOnItsOwnResult(const Program &after, unsigned times) const {
  Program program = after.clone();
  GreedyRewriteConfig config = onceConfig();
  config.expensiveChecks = false;
  config.maxRewrites = times;
  return applyPatternsGreedily(program.functions().front(), *frozen_, config).rewrites >= times;
}

namespace {

/// How the programs of an instance are evaluated: small ones, in bounded time.
EvalOptions evalOptions(const Program &program, const KernelTable &kernels) {
  EvalOptions options;
  options.kernels = &kernels;
  options.maxBytes = 16 << 20;
  options.maxWork = 50'000'000;
  options.opset = int(program.context().dialectVersion("onnx"));
  return options;
}

/// Another type for all numbers of a kind.
struct Widening {
  bool (*applies)(DType);
  DType to;
};
constexpr Widening kWideIntegers{isInteger, DType::I64};
constexpr Widening kWideFloats{[](DType t) { return isFloat(t) && dtypeBytes(t) <= 2; }, DType::F32};
constexpr Widening kWidestFloats{[](DType t) { return isFloat(t) && t != DType::F64; }, DType::F64};

TypeId widened(Context &ctx, TypeId type, const Widening &w) {
  const TypeData &t = ctx.type(type);
  if (t.kind != TypeKind::Tensor || !w.applies(t.dtype))
    return type;
  return t.ranked ? ctx.tensorType(w.to, t.dims) : ctx.unrankedType(w.to);
}

Tensor widened(const Tensor &t, const Widening &w) {
  if (!t || t.isTuple() || !w.applies(t.dtype()))
    return t;
  std::optional<Tensor> out = Tensor::make(w.to, t.shape());
  for (size_t i = 0; out && i < t.size(); ++i)
    if (w.to == DType::I64)
      out->mutableData<int64_t>()[i] = t.intAt(i);
    else if (w.to == DType::F64)
      out->mutableData<double>()[i] = t.floatAt(i);
    else
      out->mutableData<float>()[i] = float(t.floatAt(i));
  return out ? *out : Tensor();
}

/// The program with the wide type in place of all others of its kind; none where that is not known to be the same.
std::optional<Program> widened(const Program &program, const Widening &w) {
  Program out = program.clone();
  Function &fn = out.functions().front();
  Context &ctx = fn.context();
  for (ValueId p : fn.params(fn.body()))
    fn.setType(p, widened(ctx, fn.value(p).typeId(), w));
  for (Op op : fn.ops(fn.body())) {
    if (!op.regions().empty() || op.kind() == kOpaqueKind)
      return std::nullopt;
    if (op.kind() == kReturnKind)
      continue;
    // The type is a number among its attributes.
    if (op.fullName() == "onnx.Cast" && w.applies(op.result().type().dtype))
      return std::nullopt;
    std::vector<AttrId> attrs;
    bool changes = false;
    for (unsigned i = 0; i < op.schema().attrs.size(); ++i) {
      AttrId attr = op.attr(i);
      if (attr) {
        const AttrData &data = ctx.attr(attr);
        if (data.kind == AttrKind::Dense && w.applies(ctx.type(data.dense->type).dtype)) {
          std::optional<Tensor> value = Tensor::fromAttr(ctx, attr);
          if (!value)
            return std::nullopt;
          attr = widened(*value, w).toAttr(ctx);
        } else if (data.kind == AttrKind::DType && w.applies(data.dtype)) {
          attr = ctx.dtypeAttr(w.to);
        }
      }
      changes |= attr != op.attr(i);
      attrs.push_back(attr);
    }
    if (changes)
      fn.setAttrs(op.id, ctx.attrs(attrs));
    for (unsigned i = 0; i < op.resultCount(); ++i)
      fn.setType(op.result(i).id, widened(ctx, op.result(i).typeId(), w));
  }
  return out;
}

/// What both programs compute with wider floats; nothing where that is not known.
struct Wide {
  EvalResult before, after;
};
std::optional<Wide> evaluateWider(const Program &before, const Program &after, const std::vector<Tensor> &inputs,
                                  const Widening &w, const KernelTable &kernels) {
  std::optional<Program> was = widened(before, w), is = widened(after, w);
  if (!was || !is)
    return std::nullopt;
  std::vector<Tensor> wide;
  for (const Tensor &t : inputs)
    wide.push_back(widened(t, w));
  Wide out{evaluate(was->functions().front(), wide, evalOptions(*was, kernels)),
           evaluate(is->functions().front(), wide, evalOptions(*is, kernels))};
  if (!out.before.ok || !out.after.ok || out.before.values.size() != out.after.values.size())
    return std::nullopt;
  return out;
}

/// Whether two programs whose results are places or truths agree on these inputs, where floats of at most 16 bits are
/// computed with 32: so narrow, numbers that are different often round to one.
bool agreeWhereWider(const Program &before, const Program &after, const std::vector<Tensor> &inputs,
                     const KernelTable &kernels) {
  if (std::ranges::none_of(inputs, [](const Tensor &t) { return t && kWideFloats.applies(t.dtype()); }))
    return false;
  std::optional<Wide> wide = evaluateWider(before, after, inputs, kWideFloats, kernels);
  if (!wide)
    return false;
  const EvalResult &a = wide->before, &b = wide->after;
  for (size_t r = 0; r < a.values.size(); ++r) {
    double largest = 0;
    if (!isFloat(a.values[r].dtype()) && !differenceOf(a.values[r], b.values[r], 0, largest).empty())
      return false;
  }
  return true;
}

/// How two programs differ with 64 bits, in words, if by more than the rounding of constants of 32 bits: of numbers of
/// several sizes fewer bits are not enough to say, where one of a thousand less another leaves something small.
std::string differenceWithAllBits(const Program &before, const Program &after, const std::vector<Tensor> &inputs,
                                  const KernelTable &kernels) {
  constexpr double kFarAboveRounding = 1e-5;
  std::optional<Wide> wide = evaluateWider(before, after, inputs, kWidestFloats, kernels);
  if (!wide)
    return "";
  for (size_t r = 0; r < wide->before.values.size(); ++r) {
    const Tensor &a = wide->before.values[r], &b = wide->after.values[r];
    if (std::string text = realDifference(a, b, kFarAboveRounding, false, true, false); !text.empty())
      return "result " + std::to_string(r) + " " + text;
  }
  return "";
}

} // namespace

static bool areFinite(const Tensor &t) {
  if (!t || t.isTuple() || (!isFloat(t.dtype()) && !isComplex(t.dtype())))
    return false;
  return std::ranges::all_of(realNumbers(t), [](double v) { return std::isfinite(v); });
}

static bool hasStatedSizes(const TypeData &type, const Tensor &value) {
  if (!value || value.isTuple() || !type.ranked)
    return true;
  if (type.dims.size() != value.rank())
    return false;
  for (size_t d = 0; d < value.rank(); ++d)
    if (type.dims[d].isKnown() && type.dims[d].size() != value.dim(d))
      return false;
  return true;
}

std::optional<Difference> compareOnNumbers(const Instance &instance, Program &before, Program &after, unsigned rounds,
                                           uint64_t seed, Closeness closeness, const KernelTable &kernels,
                                           unsigned &compared) {
  constexpr unsigned kRoundsWithAllBits = 2; // of moderate inputs
  Choices random(seed);
  const EvalOptions options = evalOptions(before, kernels);
  Function &was = before.functions().front(), &is = after.functions().front();
  // Where a shape is computed of inputs that vary, a type that the program states may be wrong: that says nothing.
  bool fits = true;
  EvalOptions first = options;
  first.observer = [&](Op op, std::span<const Tensor> results) {
    for (unsigned i = 0; i < op.resultCount() && i < results.size(); ++i)
      fits = fits && hasStatedSizes(op.result(i).type(), results[i]);
  };
  bool doubted = false;
  bool anyEmpty = std::ranges::any_of(instance.inputs, [](const Tensor &t) { return t && t.size() == 0; });
  for (Op op : was.ops(was.body())) // constants as well
    for (unsigned i = 0; i < op.resultCount(); ++i)
      for (Dim d : op.result(i).type().dims)
        anyEmpty |= d.isKnown() && d.size() == 0;
  const bool anyFloat =
      std::ranges::any_of(instance.inputs, [](const Tensor &t) { return isFloat(t.dtype()) || isComplex(t.dtype()); });
  const std::vector<double> sizes = anyFloat ? sizesThatMatter(was) : std::vector<double>();
  const std::vector<double> named = numbersIn(was, was.body());
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<Tensor> inputs;
    const bool isScaled = round > 1 && round % 2 && !sizes.empty();
    const double scale = isScaled ? sizes[(seed + round / 2) % sizes.size()] : 1;
    for (size_t i = 0; i < instance.inputs.size(); ++i)
      inputs.push_back(round == 0 || instance.steers[i]
                           ? instance.inputs[i]
                           : varied(instance.inputs[i], random, round > 1 ? closeness.inputs : Closeness::Moderate,
                                    round < 2 ? SIZE_MAX : (round - 2) * 2 + (round % 2 ? i + seed % 2 : 0), scale,
                                    named));
    fits = true;
    EvalResult a = evaluate(was, inputs, first);
    if (!a.ok || !fits)
      continue;
    EvalResult b = evaluate(is, inputs, options);
    if (!b.ok && anyEmpty) // of nothing the evaluator refuses what it need not look at, such as a divisor
      continue;
    if (!b.ok && b.exhausted) // that it takes longer is no difference
      continue;
    if (!b.ok)
      return Difference{"the program after cannot be evaluated: " + b.opName + ": " + b.error, false, inputs};
    ++compared;
    for (size_t r = 0; r < a.values.size(); ++r) {
      double largest = 0;
      std::string text =
          closeness.tolerance == 0
              ? differenceOf(a.values[r], b.values[r], 0, largest)
              : realDifference(a.values[r], b.values[r], closeness.tolerance, closeness.inputs == Closeness::Infinite,
                               round != 1 || a.values[r].dtype() == DType::F16,
                               round > 0 && !isScaled && closeness.inputs == Closeness::Moderate &&
                                   (a.values[r].dtype() == DType::F32 || a.values[r].dtype() == DType::F64));
      // A place or a truth found by comparing numbers that rounding has made equal says nothing the first time.
      if (!text.empty() && closeness.inputs == Closeness::Moderate && closeness.tolerance != 0 &&
          !isFloat(a.values[r].dtype()) && !isComplex(a.values[r].dtype()) && anyFloat &&
          (!doubted || agreeWhereWider(before, after, inputs, kernels))) {
        doubted = true;
        continue;
      }
      if (!text.empty() && isScaled && closeness.tolerance != 0 &&
          differenceWithAllBits(before, after, inputs, kernels).empty())
        continue;
      if (!text.empty())
        return Difference{"result " + std::to_string(r) + " " + text, areFinite(a.values[r]) && areFinite(b.values[r]),
                          inputs};
    }
    if (closeness.withAllBits && round < kRoundsWithAllBits)
      if (std::string text = differenceWithAllBits(before, after, inputs, kernels); !text.empty())
        return Difference{text + ", with 64 bits", true, inputs};
  }
  return std::nullopt;
}

namespace {

/// Whether a type holds all of these numbers.
bool holds(DType type, const Tensor &wide) {
  if (!isInteger(type) || type == DType::I64)
    return true;
  const unsigned bits = dtypeBytes(type) * 8;
  for (size_t i = 0; i < wide.size(); ++i) {
    const int64_t v = wide.data<int64_t>()[i];
    if (isSigned(type) ? v < -(int64_t(1) << (bits - 1)) || v >= int64_t(1) << (bits - 1)
                       : v < 0 || (bits < 64 && v >= int64_t(1) << bits))
      return false;
  }
  return true;
}

} // namespace

std::optional<Difference> compareWithoutOverflow(const Instance &instance, const Program &before, const Program &after,
                                                 unsigned rounds, uint64_t seed, const KernelTable &kernels,
                                                 unsigned &compared) {
  std::optional<Program> wideBefore = widened(before, kWideIntegers), wideAfter = widened(after, kWideIntegers);
  if (!wideBefore || !wideAfter)
    return std::nullopt;
  Choices random(seed);
  auto evaluated = [&](Program &wide, const Program &narrow, const std::vector<Tensor> &inputs, bool &overflows) {
    EvalOptions options = evalOptions(wide, kernels);
    Function &was = const_cast<Function &>(narrow.functions().front());
    options.observer = [&](Op op, std::span<const Tensor> results) {
      for (unsigned i = 0; i < op.resultCount() && i < results.size(); ++i)
        if (results[i] && results[i].dtype() == DType::I64)
          overflows |= !holds(was.value(op.result(i).id).type().dtype, results[i]);
    };
    return evaluate(wide.functions().front(), inputs, options);
  };
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<Tensor> inputs, wideInputs;
    bool overflows = false;
    for (size_t i = 0; i < instance.inputs.size(); ++i) {
      const Tensor &sample = instance.inputs[i];
      // What overflows 64 bits is not seen.
      const bool moderate = round < 2 || sample.dtype() == DType::I64 || sample.dtype() == DType::U64;
      inputs.push_back(round == 0 || instance.steers[i]
                           ? sample
                           : varied(sample, random, moderate ? Closeness::Moderate : Closeness::Any, SIZE_MAX));
      wideInputs.push_back(widened(inputs.back(), kWideIntegers));
      overflows |= wideInputs.back() && wideInputs.back().dtype() == DType::I64 &&
                   !holds(sample.dtype(), wideInputs.back()); // of 64 bits without sign, above 2⁶³
    }
    EvalResult a = evaluated(*wideBefore, before, wideInputs, overflows);
    if (!a.ok || overflows)
      continue;
    EvalResult b = evaluated(*wideAfter, after, wideInputs, overflows);
    if (!b.ok || overflows)
      continue;
    ++compared;
    for (size_t r = 0; r < a.values.size(); ++r) {
      double largest = 0;
      const std::string text = differenceOf(a.values[r], b.values[r], 0, largest);
      if (!text.empty())
        return Difference{"result " + std::to_string(r) + " " + text, false, inputs};
    }
  }
  return std::nullopt;
}

Differences &Differences::operator|=(const Differences &other) {
  rounding |= other.rounding;
  zeroSign |= other.zeroSign;
  nan |= other.nan;
  lostNan |= other.lostNan;
  return *this;
}

Differences differencesOn(const Instance &instance, Program &before, Program &after, unsigned rounds, uint64_t seed,
                          const KernelTable &kernels) {
  Differences out;
  Choices random(seed);
  const EvalOptions options = evalOptions(before, kernels);
  Function &was = before.functions().front(), &is = after.functions().front();
  for (unsigned round = 0; round < rounds; ++round) {
    // Of moderate numbers first: what overflows says nothing of NaN.
    const Closeness::Inputs kind = round % 2 == 0   ? Closeness::Moderate
                                   : round % 4 == 1 ? Closeness::Infinite
                                                    : Closeness::Any;
    std::vector<Tensor> inputs;
    bool anyNan = false, anyInfinite = false;
    for (size_t i = 0; i < instance.inputs.size(); ++i) {
      inputs.push_back(instance.steers[i]
                           ? instance.inputs[i]
                           : varied(instance.inputs[i], random, kind, round < 4 ? SIZE_MAX : round / 2 - 2 + i));
      if (isFloat(inputs[i].dtype()) || isComplex(inputs[i].dtype()))
        for (double v : realNumbers(inputs[i])) {
          anyNan |= v != v;
          anyInfinite |= std::isinf(v);
        }
    }
    EvalResult a = evaluate(was, inputs, options);
    if (!a.ok)
      continue;
    EvalResult b = evaluate(is, inputs, options);
    for (size_t r = 0; b.ok && r < a.values.size(); ++r) {
      const Tensor &x = a.values[r], &y = b.values[r];
      if (!x || !y || x.isTuple() || x.dtype() != y.dtype() || x.shape() != y.shape() ||
          (!isFloat(x.dtype()) && !isComplex(x.dtype())))
        continue;
      const std::vector<double> m = realNumbers(x), n = realNumbers(y);
      for (size_t i = 0; i < m.size(); ++i) {
        const bool isNan = m[i] != m[i], becomesNan = n[i] != n[i];
        if (isNan && becomesNan)
          continue;
        if (isNan || becomesNan || std::isinf(m[i]) != std::isinf(n[i])) {
          out.nan = true;
          out.lostNan |= isNan && std::isfinite(n[i]) && anyNan && !anyInfinite && kind != Closeness::Any;
        } else if (m[i] != n[i]) {
          (std::isinf(m[i]) ? out.nan : out.rounding) = true;
        } else if (m[i] == 0 && std::signbit(m[i]) != std::signbit(n[i])) {
          out.zeroSign = true;
        }
      }
    }
  }
  return out;
}

FastMath freedomsFor(const Differences &d, Program &before, Program &after) {
  auto named = [](std::string_view name) { return *FastMath::named(name); };
  FastMath out;
  if (d.nan)
    out = out | named("no_nan");
  if (d.zeroSign)
    out = out | named("no_signed_zero");
  if (!d.rounding)
    return out;
  std::map<std::string, int> more; // ops after less those before, without their dialect
  auto count = [&](Program &program, int by) {
    Function &fn = program.functions().front();
    for (Op op : fn.ops(fn.body()))
      if (op.kind() != kReturnKind && op.kind() != kOpaqueKind && !op.hasTrait(Trait::Constant)) {
        std::string name(op.schema().name);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        more[name] += by;
      }
  };
  count(before, -1);
  count(after, 1);
  auto differ = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
      auto it = more.find(std::string(name));
      return it != more.end() && it->second != 0;
    });
  };
  FastMath rounding;
  if (differ({"div", "divide", "reciprocal"}))
    rounding = rounding | named("reciprocal");
  if (differ({"exp", "exponential", "log",     "tanh",       "erf",  "sigmoid", "logistic", "gelu",
              "pow", "power",       "softmax", "logsoftmax", "sin",  "sine",    "cos",      "cosine",
              "tan", "expm1",       "log1p",   "softplus",   "mish", "swish"}))
    rounding = rounding | named("approximate");
  if (differ({"cast", "convert", "gemm", "conv", "fusedconv", "batchnormalization", "layernormalization", "rsqrt",
              "hardswish", "hardsigmoid"}))
    rounding = rounding | named("contract");
  return out | (rounding ? rounding : named("reassoc"));
}

} // namespace rw::verify
