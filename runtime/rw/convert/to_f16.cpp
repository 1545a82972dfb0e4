#include "rw/convert/to_f16.h"

#include "rw/ir/attr_values.h"
#include "rw/passes/pattern_pass.h"
#include "rw/rewrite/rewriter.h"
#include "rw/support/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

namespace rw {
namespace {
constexpr float kGreatest = 65504;
constexpr int64_t kFloat = 1, kFloat16 = 10; // as ONNX numbers element types

// Ops of ONNX that are not in f16, or whose element types do not all go together.
constexpr std::array<std::string_view, 11> kStay = {"Celu",
                                                    "CumSum",
                                                    "DequantizeLinear",
                                                    "DynamicQuantizeLinear",
                                                    "IsInf",
                                                    "NonMaxSuppression",
                                                    "QLinearConv",
                                                    "QLinearMatMul",
                                                    "QuantizeLinear",
                                                    "Range",
                                                    "TfIdfVectorizer"};
// Of these an attribute may say the type of the result.
constexpr std::array<std::string_view, 5> kSaysItsType = {"Bernoulli", "EyeLike", "MelWeightMatrix", "RandomNormalLike",
                                                          "RandomUniformLike"};
// What they are given must be exact.
constexpr std::array<std::string_view, 4> kExact = {"NonMaxSuppression", "Range", "Resize", "Upsample"};
// Behind these a number is one of many, and no size any more.
constexpr std::array<std::string_view, 11> kProducts = {
    "Conv",    "ConvTranspose",      "Einsum",    "GRU", "Gemm", "LSTM", "MatMul", "RNN",
    "Softmax", "LayerNormalization", "ReduceMean"};

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool isOnnx(Op op) { return op.kind() != kOpaqueKind && op.schema().dialect == "onnx"; }
std::string_view nameOf(Op op) { return isOnnx(op) ? op.schema().name : std::string_view(); }

DType dtypeOf(Value value) {
  if (!value || !value.typeId() || value.type().kind != TypeKind::Tensor)
    return DType::Unknown;
  return value.type().dtype;
}
bool isTensor(Value value) { return value.typeId() && value.type().kind == TypeKind::Tensor; }
bool isCount(DType dtype) { return dtype == DType::I64 || dtype == DType::I32; }

TypeId typeWith(Context &ctx, TypeId id, DType dtype) {
  const TypeData &type = ctx.type(id);
  return type.ranked ? ctx.tensorType(dtype, type.dims) : ctx.unrankedType(dtype);
}

/// A Scatter that adds up or multiplies what it puts in one place: engines have kernels for 32 bits.
bool isScatterThatReduces(Op op) {
  return nameOf(op).starts_with("Scatter") && attrOr(op, "reduction", "none") != "none";
}

class Halving {
public:
  Halving(Function &fn, const std::vector<std::string> &keep, bool io, RewriteListener *listener)
      : fn_(fn), ctx_(fn.context()), rewriter_(fn, listener), keep_(keep), io_(io) {
    const int64_t version = ctx_.dialectVersion("onnx");
    cast_ = version ? ctx_.ops().lookup("onnx.Cast", int(version)) : ctx_.ops().lookup("onnx.Cast");
  }

  PassResult run() {
    PassResult result;
    if (cast_ == kOpaqueKind)
      return result;
    findExact();
    const std::vector<OpId> all = opsIn(fn_.body());
    findUnmet(all);
    if (io_)
      halveInputs();
    halveAll(all);
    if (io_)
      halveResults();
    dropUnused();
    result.message = remark();
    result.changed = result.rewrites.changed = halved_ != 0 || changedInterface_;
    result.rewrites.rewrites = halved_;
    return result;
  }

private:
  bool isKept(Op op) const {
    return std::ranges::any_of(keep_, [&](const std::string &wanted) { return isMeant(op, wanted); });
  }

  bool isMeant(Op op, const std::string &wanted) const {
    auto matches = [&](std::string_view name) { return !name.empty() && matchesGlob(wanted, name); };
    StringId label = fn_.opName(op.id);
    bool kept = matches(nameOf(op)) || matches(op.fullName()) || (label && matches(ctx_.text(label)));
    for (unsigned i = 0; i < op.resultCount() && !kept; ++i)
      if (StringId name = fn_.valueName(op.result(i).id))
        kept = matches(ctx_.text(name));
    return kept;
  }

  /// What is to be kept and is not there: a misspelt name keeps nothing, and whoever gave it hears of that.
  void findUnmet(const std::vector<OpId> &all) {
    for (const std::string &wanted : keep_)
      if (std::ranges::none_of(all, [&](OpId id) { return isMeant(fn_.op(id), wanted); }))
        unmet_.push_back("`" + wanted + "`");
  }

  std::vector<OpId> opsIn(RegionId region) {
    std::vector<OpId> all;
    for (Op op : fn_.ops(region))
      all.push_back(op.id);
    return all;
  }
  /// The ops of a region, each with those of its bodies behind it.
  void collectOps(RegionId region, std::vector<OpId> &all) {
    for (OpId id : opsIn(region)) {
      all.push_back(id);
      for (RegionId inner : fn_.regionsOf(id))
        collectOps(inner, all);
    }
  }

  /// What the body of a Loop or Scan carries from round to round: so many of its parameters, and of its results, from
  /// these on.
  struct Carried {
    unsigned count = 0, firstParam = 0, firstResult = 0;
  };
  std::optional<Carried> carriedBy(Op op) const {
    if (nameOf(op) == "Loop" && op.operandCount() >= 2)
      return Carried{op.operandCount() - 2, 2, 1};
    if (nameOf(op) != "Scan" || op.schema().since < 9)
      return std::nullopt;
    const std::optional<int64_t> scanned = attrOf<int64_t>(op, "num_scan_inputs");
    if (!scanned || *scanned > int64_t(op.operandCount()))
      return std::nullopt;
    return Carried{unsigned(int64_t(op.operandCount()) - *scanned), 0, 0};
  }

  /// Ops between integers, those in front of what must be exact, and those between what a loop carries into a round and
  /// out of it: all up to products.
  void findExact() {
    std::vector<OpId> all;
    collectOps(fn_.body(), all);
    std::set<uint32_t> fromCounts, fromCarried, toCounts, toExact, toCarried;
    std::set<uint32_t> carriedIn; // parameters
    for (OpId id : all)
      if (std::optional<Carried> carried = carriedBy(fn_.op(id)))
        for (RegionId body : fn_.regionsOf(id)) {
          std::span<const ValueId> params = fn_.params(body);
          Op end = fn_.terminator(body);
          for (unsigned i = 0; i < carried->count; ++i) {
            if (carried->firstParam + i < params.size())
              carriedIn.insert(params[carried->firstParam + i].raw);
            Value out =
                end && carried->firstResult + i < end.operandCount() ? end.operand(carried->firstResult + i) : Value();
            if (out && out.definingOp())
              toCarried.insert(out.definingOp().id.raw);
          }
        }
    auto passes = [&](Op op) {
      return isOnnx(op) && op.regions().empty() && !op.hasTrait(Trait::Constant) && !isOneOf(nameOf(op), kProducts);
    };
    for (OpId id : all) {
      Op op = fn_.op(id);
      if (!passes(op))
        continue;
      auto follows = [&](const std::set<uint32_t> &from) {
        for (unsigned i = 0; i < op.operandCount(); ++i)
          if (op.operand(i) && dtypeOf(op.operand(i)) == DType::F32 && op.operand(i).definingOp() &&
              from.contains(op.operand(i).definingOp().id.raw))
            return true;
        return false;
      };
      bool takesCarried = false;
      for (unsigned i = 0; i < op.operandCount(); ++i)
        takesCarried |=
            op.operand(i) && dtypeOf(op.operand(i)) == DType::F32 && carriedIn.contains(op.operand(i).id.raw);
      if ((nameOf(op) == "Cast" && op.operandCount() && isCount(dtypeOf(op.operand(0))) &&
           dtypeOf(op.result()) == DType::F32) ||
          follows(fromCounts))
        fromCounts.insert(id.raw);
      if (takesCarried || follows(fromCarried))
        fromCarried.insert(id.raw);
    }
    auto leads = [&](const std::set<uint32_t> &to, Op op) {
      for (unsigned i = 0; i < op.resultCount(); ++i)
        for (Use use : op.result(i).uses())
          if (dtypeOf(op.result(i)) == DType::F32 && to.contains(use.owner.id.raw))
            return true;
      return false;
    };
    auto isExact = [&](Op op) {
      for (unsigned i = 0; i < op.resultCount(); ++i)
        for (Use use : op.result(i).uses())
          if (isOneOf(nameOf(use.owner), kExact) && keepsOperand(nameOf(use.owner), use.index))
            return true;
      return false;
    };
    for (size_t i = all.size(); i-- > 0;) {
      Op op = fn_.op(all[i]);
      if (!passes(op)) {
        toCarried.erase(op.id.raw);
        continue;
      }
      if (leads(toCarried, op))
        toCarried.insert(op.id.raw);
      if ((nameOf(op) == "Cast" && op.operandCount() && dtypeOf(op.operand(0)) == DType::F32 &&
           isCount(dtypeOf(op.result()))) ||
          leads(toCounts, op))
        toCounts.insert(op.id.raw);
      if (isExact(op) || leads(toExact, op))
        toExact.insert(op.id.raw);
    }
    std::ranges::set_intersection(fromCounts, toCounts, std::inserter(exact_, exact_.end()));
    exact_.insert(toExact.begin(), toExact.end());
    std::ranges::set_intersection(fromCarried, toCarried, std::inserter(carried_, carried_.end()));
  }

  /// The value in f16; none if it is a constant of which nothing would be left.
  Value half(Value value) {
    if (auto known = halves_.find(value.id.raw); known != halves_.end())
      return fn_.value(known->second);
    Value made;
    if (AttrId constant = value.constant(); constant && ctx_.attr(constant).kind == AttrKind::Dense) {
      AttrId halved = halfConstant(*ctx_.attr(constant).dense);
      if (!halved)
        return {};
      rewriter_.setInsertionPoint(value.definingOp().next());
      made = rewriter_.materializeConstant(value.definingOp().schema().dialect, halved, ctx_.attr(halved).dense->type);
    }
    if (!made) {
      rewriter_.setInsertionPoint(value.isParam() ? *fn_.ops(value.paramRegion()).begin() : value.definingOp().next());
      made = castTo(value, DType::F16);
    }
    halves_.emplace(value.id.raw, made.id);
    return made;
  }

  AttrId halfConstant(const DenseData &data) {
    const size_t count = data.bytes.size() / sizeof(float);
    std::vector<uint16_t> out(count);
    size_t beyond = 0, numbers = 0, lost = 0;
    for (size_t i = 0; i < count; ++i) {
      float number;
      std::memcpy(&number, data.bytes.data() + i * sizeof(float), sizeof(float));
      if (std::isfinite(number) && std::abs(number) > kGreatest) {
        number = std::copysign(kGreatest, number);
        ++beyond;
      }
      out[i] = toHalf(double(number));
      numbers += number != 0;
      lost += number != 0 && !(out[i] & 0x7fff);
    }
    if (numbers && lost == numbers)
      return {};
    beyond_ += beyond;
    TypeId type = typeWith(ctx_, data.type, DType::F16);
    auto bytes = std::as_bytes(std::span<const uint16_t>(out));
    return data.splat ? ctx_.splatAttr(type, bytes) : ctx_.denseAttr(type, bytes);
  }

  Value castTo(Value value, DType dtype) {
    const OpSchema &schema = ctx_.ops().schema(cast_);
    AttrsId attrs = ctx_.withAttr(ctx_.noAttrs(), unsigned(schema.attrIndex("to")),
                                  ctx_.intAttr(dtype == DType::F16 ? kFloat16 : kFloat));
    TypeId type[] = {typeWith(ctx_, value.typeId(), dtype)};
    ValueId operand[] = {value.id};
    return rewriter_.createTyped(cast_, operand, attrs, type).result();
  }

  void halveAll(const std::vector<OpId> &ops) {
    for (OpId id : ops) {
      Op op = fn_.op(id);
      if (op.isErased())
        continue;
      if (op.regions().empty()) {
        halve(op);
        continue;
      }
      if (isKept(op)) {
        ++asked_;
        continue;
      }
      const std::vector<RegionId> bodies(op.regions().begin(), op.regions().end());
      for (RegionId body : bodies)
        halveAll(opsIn(body));
      halveResultsOf(op, bodies);
    }
  }

  /// Results of an If, and what a Loop or Scan lists from its rounds, are f16 where all bodies have them in f16.
  void halveResultsOf(Op op, const std::vector<RegionId> &bodies) {
    const std::optional<Carried> carried = carriedBy(op);
    if (!carried && nameOf(op) != "If")
      return;
    for (unsigned i = carried ? carried->count : 0; i < op.resultCount(); ++i) {
      const unsigned place = i + (carried ? carried->firstResult : 0);
      if (dtypeOf(op.result(i)) != DType::F32 || !op.result(i).hasUses())
        continue;
      bool all = true, any = false;
      for (RegionId body : bodies) {
        Op end = fn_.terminator(body);
        Value given = end && place < end.operandCount() ? end.operand(place) : Value();
        const bool isHalved = given && halves_.contains(given.id.raw);
        any |= isHalved;
        all &= isHalved || (given && dtypeOf(given) == DType::F32 && given.constant() && half(given));
      }
      if (!all || !any)
        continue;
      for (RegionId body : bodies) {
        Op end = fn_.terminator(body);
        rewriter_.setOperand(end, place, half(end.operand(place)));
      }
      fn_.setType(op.result(i).id, typeWith(ctx_, op.result(i).typeId(), DType::F16));
      rewriter_.begin(op);
      rewriter_.setInsertionPoint(op.next());
      Value back = castTo(op.result(i), DType::F32);
      rewriter_.replaceAllUses(op.result(i), back); // but for the Cast itself
      halves_.emplace(back.id.raw, op.result(i).id);
      backs_.push_back(back.definingOp().id);
    }
  }

  void halve(Op op) {
    if (!isOnnx(op) || op.hasTrait(Trait::Constant) || !touchesFloats(op))
      return;
    if (isOneOf(nameOf(op), kStay) || isScatterThatReduces(op) || !onlyTensors(op) ||
        (nameOf(op) == "LayerNormalization" && usesMore(op)))
      return void(++stays_[std::string(nameOf(op))]);
    if (isKept(op))
      return void(++asked_);
    if (exact_.contains(op.id.raw))
      return void(++exactOps_);
    if (carried_.contains(op.id.raw))
      return void(++carriedOps_);
    bool isCast = nameOf(op) == "Cast", givesFloats = false, isWorth = false;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      givesFloats |= dtypeOf(op.result(i)) == DType::F32;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      isWorth |= (givesFloats && !isCast) || (op.operand(i) && halves_.contains(op.operand(i).id.raw));
    std::vector<ValueId> operands;
    bool any = false;
    for (unsigned i = 0; i < op.operandCount(); ++i) {
      Value operand = op.operand(i);
      // a shape, a comparison takes what is there
      if (isWorth && dtypeOf(operand) == DType::F32 && !keepsOperand(nameOf(op), i)) {
        operand = half(operand);
        if (!operand)
          return void(++vanishing_);
        any = true;
      }
      operands.push_back(operand.id);
    }
    rewriter_.setInsertionPoint(op);
    rewriter_.begin(op);
    if (any)
      replace(op, rewriter_.cloneWithOperands(op, operands));
    else if (isCast && givesFloats && isTensor(op.operand(0)))
      replace(op, castTo(op.operand(0), DType::F16).definingOp());
  }

  /// The new op stands for the old one: f16 results through a Cast, which goes again where nobody needs it.
  void replace(Op op, Op made) {
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      DType was = dtypeOf(op.result(i)), is = dtypeOf(made.result(i));
      // nothing is declared of its type: ONNX has one for all
      if (is == DType::Unknown && !isOneOf(nameOf(op), kSaysItsType))
        is = was == DType::F32 ? DType::F16 : was;
      if (was != is && !(was == DType::F32 && is == DType::F16)) {
        rewriter_.erase(made);
        ++stays_[std::string(nameOf(op))];
        return;
      }
      TypeId wanted = typeWith(ctx_, op.result(i).typeId(), is); // with what was known of the shape
      if (TypeId both = made.result(i).typeId() ? ctx_.meet(wanted, made.result(i).typeId()) : wanted)
        fn_.setType(made.result(i).id, both);
    }
    rewriter_.setInsertionPoint(op);
    std::vector<ValueId> values;
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      Value value = made.result(i);
      if (dtypeOf(op.result(i)) == DType::F32 && dtypeOf(value) == DType::F16) {
        Value back = castTo(value, DType::F32);
        halves_.emplace(back.id.raw, value.id);
        backs_.push_back(back.definingOp().id);
        value = back;
      }
      values.push_back(value.id);
    }
    if (StringId label = fn_.opName(op.id)) {
      fn_.setOpName(op.id, StringId());
      fn_.setOpName(made.id, label);
    }
    rewriter_.replaceOp(op, values);
    ++halved_;
  }

  static bool touchesFloats(Op op) {
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (dtypeOf(op.operand(i)) == DType::F32)
        return true;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      if (dtypeOf(op.result(i)) == DType::F32)
        return true;
    return false;
  }
  static bool onlyTensors(Op op) {
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (op.operand(i) && (!isTensor(op.operand(i)) || dtypeOf(op.operand(i)) == DType::Unknown))
        return false;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      if (!isTensor(op.result(i)) || dtypeOf(op.result(i)) == DType::Unknown)
        return false;
    return true;
  }
  /// Whether results behind the first are used.
  static bool usesMore(Op op) {
    for (unsigned i = 1; i < op.resultCount(); ++i)
      if (op.result(i).hasUses())
        return true;
    return false;
  }

  void halveInputs() {
    Op first = *fn_.ops(fn_.body()).begin();
    for (ValueId id : std::vector<ValueId>(fn_.params(fn_.body()).begin(), fn_.params(fn_.body()).end())) {
      Value param = fn_.value(id);
      if (dtypeOf(param) != DType::F32 ||
          fn_.paramInfo(unsigned(std::ranges::find(fn_.params(fn_.body()), id) - fn_.params(fn_.body()).begin()))
              .defaultValue)
        continue;
      fn_.setType(id, typeWith(ctx_, param.typeId(), DType::F16));
      rewriter_.begin(first);
      rewriter_.setInsertionPoint(first);
      Value back = castTo(param, DType::F32);
      const StringId name = fn_.valueName(id);
      rewriter_.replaceAllUses(param, back); // but for the Cast itself
      fn_.setValueName(back.id, StringId());
      fn_.setValueName(id, name);
      halves_.emplace(back.id.raw, id);
      backs_.push_back(back.definingOp().id);
      changedInterface_ = true;
    }
  }
  void halveResults() {
    Op end = fn_.terminator(fn_.body());
    for (unsigned i = 0; i < end.operandCount(); ++i)
      if (dtypeOf(end.operand(i)) == DType::F32)
        if (Value value = half(end.operand(i))) {
          rewriter_.setOperand(end, i, value);
          changedInterface_ = true;
        }
  }

  void dropUnused() {
    for (OpId back : backs_)
      if (Op op = fn_.op(back); !op.isErased() && !op.hasUses()) {
        const ValueId value = op.operand(0).id;
        const StringId name = fn_.valueName(op.result().id);
        rewriter_.erase(op);
        if (name && !fn_.valueName(value))
          fn_.setValueName(value, name);
      }
  }

  std::string remark() const {
    std::vector<std::string> left;
    for (const auto &[name, count] : stays_)
      left.push_back(fmt::format("{} {}", count, name));
    auto add = [&](size_t count, std::string_view one, std::string_view many) {
      if (count)
        left.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    };
    add(asked_, "op as asked", "ops as asked");
    add(exactOps_, "op that computes sizes", "ops that compute sizes");
    add(carriedOps_, "op that a loop adds up by", "ops that loops add up by");
    add(vanishing_, "op with a constant that would become 0", "ops with constants that would become 0");
    std::string text = left.empty() ? "" : fmt::format("left in f32: {}", fmt::join(left, ", "));
    if (beyond_)
      text += fmt::format("{}{} of constants beyond 65504 became 65504", text.empty() ? "" : "; ",
                          beyond_ == 1 ? "1 number" : fmt::format("{} numbers", beyond_));
    if (!unmet_.empty())
      text += fmt::format("{}no op is named {}", text.empty() ? "" : "; ", fmt::join(unmet_, ", "));
    return text;
  }

  Function &fn_;
  Context &ctx_;
  PatternRewriter rewriter_;
  const std::vector<std::string> &keep_;
  bool io_;
  KindId cast_;
  std::set<uint32_t> exact_, carried_; // ops
  std::map<uint32_t, ValueId> halves_; // by value: what holds it in f16
  std::vector<OpId> backs_;            // Casts back to f32
  std::map<std::string, size_t> stays_;
  std::vector<std::string> unmet_; // of keep_: names of nothing
  size_t asked_ = 0, exactOps_ = 0, carriedOps_ = 0, vanishing_ = 0, beyond_ = 0, halved_ = 0;
  bool changedInterface_ = false;
};

class ToF16Pass : public FunctionPass {
public:
  ToF16Pass(std::vector<std::string> keep, bool io) : keep_(std::move(keep)), io_(io) {}
  std::string_view name() const override { return "to_f16"; }
  PassResult run(Function &fn, PassContext &context) override {
    Function *main = context.program.function("main");
    if (&fn != (main ? main : &context.program.functions().front()))
      return {}; // functions of a model keep the types that their callers know
    return Halving(fn, keep_, io_, context.rewriteConfig.listener).run();
  }

private:
  std::vector<std::string> keep_;
  bool io_;
};

MadePass makeToF16(const Registry &, const PassOptions &options) {
  if (Result<void> known = checkOptionNames(options, {"keep", "io"}); !known)
    return known.failure();
  std::vector<std::string> keep;
  if (auto given = options.find("keep"); given != options.end())
    for (std::string_view rest = given->second; !rest.empty();) {
      size_t comma = std::min(rest.find(','), rest.size());
      if (comma)
        keep.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  Result<std::optional<bool>> io = readFlag(options, "io");
  if (!io)
    return io.failure();
  return std::make_unique<ToF16Pass>(std::move(keep), io->value_or(false));
}
} // namespace

bool keepsOperand(std::string_view op, unsigned operand) {
  if (op == "Resize" || op == "Upsample")
    return operand == 1 || operand == 2; // regions and scales
  return staysInF32(op);
}

bool staysInF32(std::string_view op) { return isOneOf(op, kStay); }

void registerToF16Pass(Registry &registry) {
  const Registry::Scope scope(registry, "rw");
  registry.addPass({.name = "to_f16",
                    .doc = "Computes in f16 what was computed in f32; keep: ops that stay (kinds, names, globs, with "
                           "commas between), io: inputs and results as well.",
                    .make = makeToF16});
}

} // namespace rw
