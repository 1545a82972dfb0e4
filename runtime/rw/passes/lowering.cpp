#include "rw/passes/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace rw {

LoweringContext::LoweringContext(PatternRewriter &rw, Op op, std::string_view to, int version)
    : rw_(rw), op_(op), to_(to), version_(version), bound_(op.resultCount()) {}

bool LoweringContext::fail(std::string why) {
  if (failure_.empty())
    failure_ = std::move(why);
  return false;
}

Value LoweringContext::get(unsigned i) {
  Value v = op_.operand(i);
  if (!v)
    fail(fmt::format("{} has an operand {}", op_.fullName(), i));
  return v;
}

bool LoweringContext::bind(unsigned i, Value value) {
  if (!value)
    return fail(fmt::format("there is a value for result {} of {}", i, op_.fullName()));
  if (i >= bound_.size())
    return fail(fmt::format("{} has a result {}", op_.fullName(), i));
  if (bound_[i])
    return fail(fmt::format("result {} of {} is bound once, not twice", i, op_.fullName()));
  if (!rw_.mayReplace(op_.result(i), value))
    return fail(fmt::format("result {} of {} is of type {}, not {}", i, op_.fullName(),
                            context().typeToString(op_.result(i).typeId()), context().typeToString(value.typeId())));
  bound_[i] = value;
  return true;
}

bool LoweringContext::finish() {
  for (unsigned i = 0; i < bound_.size(); ++i)
    if (!bound_[i] && op_.result(i).hasUses())
      fail(fmt::format("result {} of {} is bound to a value", i, op_.fullName()));
  return failure_.empty();
}

Op LoweringContext::emit(std::string_view name, std::span<const Value> operands, Attrs attrs,
                         std::span<const TypeId> types) {
  Context &ctx = context();
  const bool isOther = name.find('.') != name.npos;
  std::string full = isOther ? std::string(name) : fmt::format("{}.{}", to_, name);
  KindId kind = version_ && !isOther ? ctx.ops().lookup(full, version_) : ctx.ops().lookup(full);
  if (kind == kOpaqueKind) {
    fail(version_ && !isOther ? fmt::format("version {} of `{}` has the op {}", version_, to_, full)
                              : fmt::format("there is an op {}", full));
    return {};
  }
  const OpSchema &schema = ctx.ops().schema(kind);
  AttrsId list = ctx.noAttrs();
  for (auto [attr, id] : attrs) {
    int index = schema.attrIndex(attr);
    if (index < 0) {
      fail(fmt::format("{} has the attribute `{}`", full, attr));
      return {};
    }
    list = ctx.withAttr(list, unsigned(index), id);
  }
  std::vector<ValueId> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  if (!types.empty())
    return schema.inferTypes ? rw_.createStated(schema, ids, list, types) : rw_.createTyped(kind, ids, list, types);
  return rw_.create(schema, ids, list);
}

Value LoweringContext::make(std::string_view name, std::initializer_list<Value> operands, Attrs attrs, TypeId type) {
  Op op = emit(name, std::span(operands.begin(), operands.size()), attrs,
               type ? std::span(&type, 1) : std::span<const TypeId>());
  return op ? op.result() : Value();
}

void LoweringContext::openRegion(Op holder) {
  RegionId region = function().addRegion(holder.id);
  open_.push_back({holder.id, region});
  rw_.setInsertionPointToEnd(region);
}

Value LoweringContext::addParam(TypeId type) { return function().addRegionParam(open_.back().second, type); }

void LoweringContext::closeRegion(std::span<const Value> results) {
  InlineList<ValueId, 6> ids;
  for (Value v : results)
    ids.push_back(v.id);
  rw_.createTyped(kReturnKind, ids, context().noAttrs(), {});
  OpId holder = open_.back().first;
  open_.pop_back();
  std::erase_if(constants_, [&](const Known &k) { return k.depth > open_.size(); }); // of that region
  rw_.setInsertionPoint(function().op(holder));
}

Value LoweringContext::constant(AttrId dense) {
  for (const Known &known : constants_)
    if (known.dense == dense)
      return known.value;
  TypeId type = context().attr(dense).dense->type;
  Value made = rw_.materializeConstant(to_, dense, type);
  if (made)
    constants_.push_back({dense, made, open_.size()});
  return made;
}

Value LoweringContext::ints(std::span<const int64_t> list) {
  TypeId type = context().tensorType(DType::I64, {Dim(int64_t(list.size()))});
  return constant(context().denseAttr(type, std::as_bytes(list)));
}

StringId LoweringContext::freshName(std::string_view hint) {
  Context &ctx = context();
  auto isTaken = [&](StringId name) {
    for (uint32_t i = 0; i < function().valueCapacity(); ++i)
      if (function().valueName(ValueId(i)) == name)
        return true;
    return false;
  };
  StringId name = ctx.intern(hint);
  for (unsigned n = 1; isTaken(name); ++n)
    name = ctx.intern(fmt::format("{}_{}", hint, n));
  return name;
}

namespace {

class LoweringPattern final : public MultiOpPattern {
public:
  LoweringPattern(const OpRegistry &ops, const LoweringEntry &entry)
      : MultiOpPattern({}, rootsOf(ops, entry)), name_(entry.name.empty() ? entry.op + "_to_" + entry.to : entry.name),
        to_(entry.to), lower_(entry.lower) {
    info_.name = name_;
    info_.benefit = entry.benefit;
    info_.looksInRegions = false;
  }
  bool matchAndRewrite(Op op, PatternRewriter &rw) const override {
    LoweringContext ctx(rw, op, to_, int(op.context().dialectVersion(to_)));
    bool good = lower_(ctx);
    if (!good && ctx.failure().empty())
      ctx.fail("the lowering says why it does not apply");
    if (!good || !ctx.finish())
      return rw.abandon(op, ctx.failure().c_str(), 0);
    InlineList<ValueId, 6> values;
    for (unsigned i = 0; i < op.resultCount(); ++i)
      values.push_back(ctx.bound(i) ? ctx.bound(i).id : op.result(i).id);
    if (op.resultCount())
      return rw.replaceOp(op, values);
    return rw.erase(op);
  }

private:
  static std::vector<KindId> rootsOf(const OpRegistry &ops, const LoweringEntry &entry) {
    std::vector<KindId> roots;
    for (size_t i = 0; i < ops.size(); ++i) {
      KindId kind{uint16_t(i)};
      const std::string &name = ops.fullName(kind);
      if (name == entry.op || std::ranges::count(entry.aliases, name))
        roots.push_back(kind);
    }
    return roots;
  }
  std::string name_, to_;
  bool (*lower_)(LoweringContext &);
};

} // namespace

PatternPtr makeLoweringPattern(const OpRegistry &ops, const LoweringEntry &entry) {
  return std::make_shared<LoweringPattern>(ops, entry);
}

} // namespace rw
