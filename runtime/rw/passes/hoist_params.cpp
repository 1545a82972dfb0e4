#include "rw/passes/hoist_params.h"

#include "rw/ir/clone.h"
#include "rw/ir/derivation.h"
#include "rw/passes/entry_signature.h"
#include "rw/passes/pattern_pass.h"
#include "rw/passes/structure_digest.h"
#include "rw/rewrite/effects.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace rw {
namespace {

/// The functions that ops and derived parameters of a program name; found when first asked for.
class NamedFunctions {
public:
  void forget() { found_ = false; }
  void add(std::string name) { names_.insert(std::move(name)); }
  bool contains(const Program &program, const std::string &name) {
    if (!found_)
      find(program);
    return names_.count(name) != 0;
  }

private:
  void find(const Program &program) {
    found_ = true;
    names_.clear();
    const Context &ctx = program.context();
    std::unordered_set<uint32_t> seen; // attribute lists
    for (const Function &fn : program.functions()) {
      for (unsigned i = 0; i < fn.params(fn.body()).size(); ++i)
        addSymbols(ctx, fn.paramInfo(i).defaultValue);
      for (uint32_t i = 0; i < fn.opCapacity(); ++i) {
        const OpData &op = fn.data(OpId(i));
        if (op.flags & kErased || !seen.insert(op.attrs.raw).second)
          continue;
        for (AttrId a : ctx.attrs(op.attrs).fixed)
          addSymbols(ctx, a);
        for (const NamedAttr &a : ctx.attrs(op.attrs).extra)
          addSymbols(ctx, a.value);
      }
    }
  }
  void addSymbols(const Context &ctx, AttrId id) {
    std::vector<AttrId> open{id};
    while (!open.empty()) {
      AttrId next = open.back();
      open.pop_back();
      if (!next)
        continue;
      const AttrData &a = ctx.attr(next);
      if (a.kind == AttrKind::Symbol)
        names_.emplace(a.text);
      open.insert(open.end(), a.elements.begin(), a.elements.end());
    }
  }

  bool found_ = false;
  std::unordered_set<std::string> names_;
};

class Hoister {
public:
  Hoister(Program &program, Function &fn, RewriteListener *listener, NamedFunctions &named)
      : program_(program), fn_(fn), ctx_(fn.context()), rewriter_(fn, listener), contents_(ctx_), named_(named) {}

  HoistResult run() {
    if (!findParams())
      return {};
    classify();
    if (!findFrontier() || named_.contains(program_, fn_.name()))
      return {};
    digestAll();
    mergeEqual();
    buildFunctions();
    eraseHoisted();
    return result_;
  }

private:
  enum Class : uint8_t { Other, Constant, Param };

  bool isHoisted(Op op) const { return op && op.resultCount() && class_[op.result().id.raw] == Param; }

  bool findParams() {
    std::span<const ValueId> params = fn_.params(fn_.body());
    bool any = false;
    for (unsigned i = 0; i < params.size(); ++i)
      any |= fn_.paramInfo(i).role == ParamRole::Param;
    if (!any)
      return false;
    ids_ = stableIdsOf(fn_);
    class_.resize(fn_.valueCapacity(), Other);
    for (unsigned i = 0; i < params.size(); ++i)
      if (fn_.paramInfo(i).role == ParamRole::Param)
        class_[params[i].raw] = Param;
    return true;
  }

  /// What each op's results follow from; `ops_` are those that follow from parameters or constants, in program order.
  void classify() {
    std::vector<OpId> open{fn_.data(fn_.body()).firstOp};
    while (!open.empty()) {
      OpId id = open.back();
      if (!id) {
        open.pop_back();
        continue;
      }
      open.back() = fn_.data(id).next;
      Op op = fn_.op(id);
      for (RegionId region : op.regions())
        open.push_back(fn_.data(region).firstOp);
      Class c = classOf(op);
      if (c != Other)
        ops_.push_back(id);
      for (unsigned i = 0; i < op.resultCount(); ++i)
        class_[op.result(i).id.raw] = c;
    }
  }
  /// Whether the op has a result whatever its operands are, as far as types tell. Integer division fails at 0, a gather
  /// at indices out of range, a solver at some matrices.
  static bool neverFails(Op op) {
    auto isIntegers = [](Value v) {
      return v && (v.type().kind != TypeKind::Tensor || v.type().dtype == DType::Unknown || isInteger(v.type().dtype));
    };
    if (op.resultCount() != 1 || op.operandCount() == 0)
      return op.hasTrait(Trait::Constant);
    return op.hasTrait(Trait::Elementwise) ? !isIntegers(op.result())
                                           : op.operandCount() == 1 && !isIntegers(op.operand(0));
  }
  Class classOf(Op op) const {
    if (!op.resultCount() || !op.regions().empty() || op.kind() == kReturnKind || !isEffectFree(op.schema()))
      return Other;
    if (op.region() != fn_.body() && !neverFails(op)) // a region may never run
      return Other;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      // a parameter's value is one tensor; what the tuple holds is hoisted
      if (op.result(i).type().kind == TypeKind::Tuple)
        return Other;
    Class c = Constant;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value v = op.operand(i))
        c = class_[v.id.raw] == Other || c == Other ? Other : std::max(c, Class(class_[v.id.raw]));
    return c;
  }

  /// The hoisted values that something else uses, in program order.
  bool findFrontier() {
    for (OpId id : ops_) {
      Op op = fn_.op(id);
      for (unsigned i = 0; isHoisted(op) && i < op.resultCount(); ++i)
        for (Use use : op.result(i).uses())
          if (!isHoisted(use.owner)) {
            frontier_.push_back(op.result(i).id);
            break;
          }
    }
    return !frontier_.empty();
  }

  /// How each value is computed, as a digest over the ids of the parameters it follows from.
  void digestAll() {
    std::vector<bool> needed(fn_.valueCapacity());
    for (ValueId v : frontier_)
      needed[v.raw] = true;
    for (size_t i = ops_.size(); i-- > 0;) {
      Op op = fn_.op(ops_[i]);
      bool any = false;
      for (unsigned r = 0; r < op.resultCount(); ++r)
        any |= needed[op.result(r).id.raw];
      for (unsigned o = 0; any && o < op.operandCount(); ++o)
        if (Value v = op.operand(o))
          needed[v.id.raw] = true;
      if (any)
        needed_.push_back(op.id);
    }
    std::reverse(needed_.begin(), needed_.end());

    Digester d;
    std::span<const ValueId> params = fn_.params(fn_.body());
    for (unsigned i = 0; i < params.size(); ++i)
      if (ids_[i])
        digests_[params[i].raw] = d.add("parameter").add(ids_[i]).take();
    for (OpId id : needed_) {
      Op op = fn_.op(id);
      contents_.addOp(d, op.kind(), op.attrsId());
      for (unsigned i = 0; i < op.operandCount(); ++i) {
        Value v = op.operand(i);
        d.add(uint64_t(bool(v)));
        if (v)
          d.add(digests_[v.id.raw]);
      }
      for (unsigned i = 0; i < op.resultCount(); ++i)
        contents_.addType(d, op.result(i).typeId());
      Digest all = d.take();
      for (unsigned i = 0; i < op.resultCount(); ++i)
        digests_[op.result(i).id.raw] = d.add(all).add(uint64_t(i)).take();
    }
  }

  /// Equal computations are one: the first stands for all. Those that hang together get one number.
  void mergeEqual() {
    std::unordered_map<Digest, OpId> first; // by digest of the first result
    group_.resize(fn_.opCapacity());
    standsFor_.resize(fn_.opCapacity());
    for (OpId id : needed_) {
      Op op = fn_.op(id);
      standsFor_[id.raw] = first.try_emplace(digests_[op.result().id.raw], id).first->second;
      group_[id.raw] = id;
    }
    for (OpId id : needed_) {
      Op op = fn_.op(id);
      if (standsFor_[id.raw] != id || !isHoisted(op))
        continue;
      for (unsigned i = 0; i < op.operandCount(); ++i)
        if (Op def = op.operand(i).definingOp(); isHoisted(def))
          join(id, standsFor_[def.id.raw]);
    }
  }
  OpId groupOf(OpId id) {
    while (group_[id.raw] != id)
      id = group_[id.raw] = group_[group_[id.raw].raw];
    return id;
  }
  void join(OpId a, OpId b) {
    a = groupOf(a), b = groupOf(b);
    group_[std::max(a, b).raw] = std::min(a, b);
  }
  /// The first of the values computed equally.
  Value standIn(Value v) {
    Op def = v.definingOp();
    return def ? fn_.op(standsFor_[def.id.raw]).result(v.resultIndex()) : v;
  }

  void buildFunctions() {
    std::vector<OpId> groups;                                  // in order of the first value hoisted from them
    std::unordered_map<uint32_t, std::vector<ValueId>> values; // of each group, those that are first of their equals
    std::unordered_map<uint32_t, std::vector<ValueId>> equals; // of each such value, all with uses outside
    for (ValueId v : frontier_) {
      Value s = standIn(fn_.value(v));
      OpId group = groupOf(s.definingOp().id);
      auto [all, fresh] = equals.try_emplace(s.id.raw);
      all->second.push_back(v);
      if (!fresh)
        continue;
      auto [of, freshGroup] = values.try_emplace(group.raw);
      if (freshGroup)
        groups.push_back(group);
      of->second.push_back(s.id);
    }
    for (size_t i = 0; i < ids_.size(); ++i)
      fn_.paramInfo(unsigned(i)).stableId = ids_[i];
    taken_.insert(ids_.begin(), ids_.end());
    for (OpId group : groups) {
      Function &derivation = buildFunction(values[group.raw]);
      unsigned result = 0;
      for (ValueId v : values[group.raw])
        replace(v, equals[v.raw], derivationAttr(ctx_, derivation.name(), result++));
    }
  }

  /// The ops that `results` follow from, as a function of the parameters they follow from.
  Function &buildFunction(const std::vector<ValueId> &results) {
    std::vector<OpId> ops;
    std::vector<unsigned> params; // by number
    std::unordered_set<uint32_t> visited;
    std::vector<Value> pending;
    for (ValueId v : results)
      pending.push_back(fn_.value(v));
    while (!pending.empty()) {
      Value v = standIn(pending.back());
      pending.pop_back();
      Op op = v.definingOp();
      if (!op) {
        params.push_back(v.resultIndex());
      } else if (visited.insert(op.id.raw).second) {
        ops.push_back(op.id);
        for (unsigned i = 0; i < op.operandCount(); ++i)
          if (op.operand(i))
            pending.push_back(op.operand(i));
      }
    }
    sortByOrder(ops);
    std::sort(params.begin(), params.end());
    params.erase(std::unique(params.begin(), params.end()), params.end());

    Function &to = program_.addFunction(freeName());
    named_.add(to.name());
    ++result_.functions;
    OpCloner cloner(fn_, to);
    for (unsigned i : params) {
      ValueId from = fn_.params(fn_.body())[i];
      ParamInfo info = fn_.paramInfo(i);
      if (derivationOf(fn_, i)) // how it is derived is this function's business
        info.defaultValue = AttrId();
      Value copy = to.addParam(fn_.data(from).type, info);
      if (StringId name = fn_.valueName(from))
        to.setValueName(copy.id, name);
      cloner.map(from, copy.id);
    }
    for (OpId id : ops) {
      Op op = fn_.op(id);
      for (unsigned i = 0; i < op.operandCount(); ++i) // what equals an operand stands in for it
        if (Value v = op.operand(i))
          cloner.map(v.id, cloner.mapped(standIn(v).id));
      Op copy = cloner.copy(
          op, [&](KindId kind, std::span<const ValueId> operands, AttrsId attrs, std::span<const TypeId> types) {
            return to.appendOp(to.body(), kind, operands, attrs, types, op.loc());
          });
      for (unsigned i = 0; i < op.resultCount(); ++i)
        if (StringId name = fn_.valueName(op.result(i).id))
          to.setValueName(copy.result(i).id, name);
    }
    std::vector<ValueId> returned;
    for (ValueId v : results)
      returned.push_back(cloner.mapped(v));
    to.appendOp(to.body(), kReturnKind, returned, ctx_.noAttrs(), {});
    return to;
  }
  /// Program order: as `needed_` has it.
  void sortByOrder(std::vector<OpId> &ops) {
    if (place_.empty()) {
      place_.resize(fn_.opCapacity());
      for (size_t i = 0; i < needed_.size(); ++i)
        place_[needed_[i].raw] = uint32_t(i);
    }
    std::sort(ops.begin(), ops.end(), [&](OpId a, OpId b) { return place_[a.raw] < place_[b.raw]; });
  }
  std::string freeName() {
    if (names_.empty())
      for (const Function &fn : program_.functions())
        names_.insert(fn.name());
    for (;; ++nextName_) {
      std::string name = fn_.name() + "_params" + (nextName_ ? std::to_string(nextName_) : "");
      if (names_.insert(name).second)
        return name;
    }
  }

  /// All uses of `values`, which are computed equally, become uses of one new parameter.
  void replace(ValueId first, const std::vector<ValueId> &values, AttrId derivation) {
    Digester d;
    uint64_t id = 0;
    for (uint64_t salt = 0; !taken_.insert(id).second || !id; ++salt)
      id = d.add("derived").add(digests_[first.raw]).add(salt).take().head();
    Value param = fn_.addParam(fn_.data(first).type, {ParamRole::Param, id, derivation});
    if (StringId name = fn_.valueName(first))
      fn_.setValueName(param.id, name);
    for (ValueId v : values)
      rewriter_.replaceAllUses(fn_.value(v), param);
    ++result_.derived;
  }

  void eraseHoisted() {
    for (size_t i = needed_.size(); i-- > 0;)
      if (Op op = fn_.op(needed_[i]); !op.hasUses() && rewriter_.erase(op))
        ++result_.erased;
  }

  Program &program_;
  Function &fn_;
  Context &ctx_;
  PatternRewriter rewriter_;
  ContentDigester contents_;
  NamedFunctions &named_;
  HoistResult result_;
  std::vector<uint64_t> ids_; // of the parameters
  std::unordered_set<uint64_t> taken_{0};
  std::vector<uint8_t> class_;                   // by value
  std::vector<OpId> ops_;                        // that follow from parameters and constants alone
  std::vector<ValueId> frontier_;                // of these, what others use
  std::vector<OpId> needed_;                     // of ops_, what the frontier follows from
  std::unordered_map<uint32_t, Digest> digests_; // of the results of needed_ and of parameters
  std::vector<OpId> standsFor_, group_;          // by op
  std::vector<uint32_t> place_;                  // by op: where in needed_
  std::unordered_set<std::string> names_;        // of the program's functions
  unsigned nextName_ = 0;
};

class HoistParamsPass : public FunctionPass {
public:
  std::string_view name() const override { return "hoist_params"; }
  bool mayFail() const override { return false; }
  PassResult run(Function &fn, PassContext &context) override {
    if (&fn == &context.program.functions().front()) // of a walk over all functions, with nothing in between
      named_.forget();
    HoistResult r = Hoister(context.program, fn, context.rewriteConfig.listener, named_).run();
    if (&fn == &context.program.functions().back())
      named_.forget();
    PassResult result;
    result.rewrites.rewrites = r.derived;
    result.rewrites.erased = r.erased;
    result.changed = result.rewrites.changed = r.derived != 0;
    return result;
  }

private:
  NamedFunctions named_;
};

} // namespace

HoistResult hoistParams(Program &program, Function &fn, RewriteListener *listener) {
  NamedFunctions named;
  return Hoister(program, fn, listener, named).run();
}

MadePass makeHoistParamsPass(const Registry &registry, const PassOptions &options) {
  return makeWithoutOptions<HoistParamsPass>(registry, options);
}

} // namespace rw
