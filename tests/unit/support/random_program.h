// Random programs that verify, over whatever ops a registry has: for tests of readers, drivers and passes.
//
// In:  a seed and options. Out: functions in a Program. The same seed gives the same program on every machine.
// Elsewhere: ops for tests of the IR itself are test_dialect.h.
//
//   Program program(ops);
//   test::RandomPrograms random(42);
//   random.addFunction(program, "main", {.ops = 50});
#pragma once

#include "rw/ir/builder.h"
#include "rw/ir/program.h"
#include "rw/ir/verifier.h"

#include <string>
#include <vector>

namespace rw::test {

struct RandomOptions {
  unsigned ops = 30; // per region about; the function's body has at least this many tries
  unsigned params = 4;
  unsigned depth = 2;             // of nested regions
  std::vector<KindId> kinds;      // to choose from; empty: all that are registered
  std::vector<TypeId> paramTypes; // to choose from; empty: a few tensors
  bool opaqueOps = true;          // unregistered ones among them
  bool oddities = true;           // odd names, undeclared attributes, strange types, roles and defaults
};

class RandomPrograms {
public:
  /// Neighbouring seeds start far apart: a multiple of the step below would make each stream the one before, shifted.
  explicit RandomPrograms(uint64_t seed) : state_(seed * 0xd1342543de82ef95u + 1) {}

  /// splitmix64: the same numbers everywhere.
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  size_t below(size_t n) { return n ? size_t(next() % n) : 0; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &from) { return from[below(from.size())]; }

  Function &addFunction(Program &program, std::string name, const RandomOptions &options = {}) {
    Function &fn = program.addFunction(std::move(name));
    Context &ctx = program.context();
    ctx_ = &ctx;
    fn_ = &fn;
    options_ = options;
    if (options_.kinds.empty())
      for (unsigned k = kReturnKind.raw + 1; k < ctx.ops().size(); ++k)
        options_.kinds.push_back(KindId{uint16_t(k)});
    if (options_.paramTypes.empty())
      options_.paramTypes = {tensor({2, 3}), tensor({2, 3}), tensor({3, 2}), tensor({2, 2}), tensor({})};
    visible_.clear();
    uint64_t nextId = 1;
    for (unsigned i = 0; i < options_.params; ++i) {
      ParamInfo info;
      if (chance(30))
        info = {ParamRole::Param, chance(80) ? nextId++ * 7 : 0, AttrId()};
      TypeId type = options_.oddities && chance(20) ? anyType(0) : pick(options_.paramTypes);
      if (options_.oddities && chance(10))
        info.defaultValue = anyAttr(0);
      if (info.defaultValue && ctx.attr(info.defaultValue).kind == AttrKind::Dense)
        type = ctx.attr(info.defaultValue).dense->type;
      Value v = fn.addParam(type, info);
      maybeName(v.id, 60);
      visible_.push_back(v.id);
    }
    region(fn.body(), 0);
    if (options_.oddities && chance(50)) {
      std::vector<StringId> names;
      for (unsigned i = 0; i < fn.terminator(fn.body()).operandCount(); ++i)
        names.push_back(ctx.intern(oddName() + std::to_string(i)));
      fn.setResultNames(names);
    }
    return fn;
  }

  TypeId anyType(unsigned depth) {
    Context &ctx = *ctx_;
    switch (below(10)) {
    case 0:
      return ctx.unrankedType(anyDType());
    case 1:
      return ctx.unknownType();
    case 2:
      return ctx.noneType();
    case 3:
      return ctx.opaqueType(oddName());
    case 4: {
      std::vector<TypeId> elements;
      for (size_t n = depth > 2 ? 0 : below(3); n-- > 0;)
        elements.push_back(anyType(depth + 1));
      return ctx.tupleType(elements);
    }
    default: {
      Dims dims;
      for (size_t n = below(4); n-- > 0;)
        dims.push_back(anyDim());
      return ctx.tensorType(anyDType(), {dims.data(), dims.size()});
    }
    }
  }

  Dim anyDim() {
    DimTable &dims = ctx_->dims();
    Dim symbol = dims.symbol(ctx_->intern(chance(80) ? std::string(1, char('A' + below(4))) : oddName()));
    switch (below(8)) {
    case 0:
      return Dim::unknown();
    case 1:
      return symbol;
    case 2:
      return dims.add(dims.mul(symbol, Dim(int64_t(below(300)))), Dim(int64_t(below(9))));
    case 3:
      return dims.sub(dims.mul(symbol, dims.symbol(ctx_->intern("N"))), symbol);
    case 4:
      return chance(50) ? dims.floorDiv(symbol, Dim(int64_t(1 + below(4)))) : dims.mod(symbol, Dim(3));
    default:
      return Dim(int64_t(below(5)));
    }
  }

  AttrId anyAttr(unsigned depth) {
    constexpr AttrType all[] = {AttrType::Int,  AttrType::Float,  AttrType::Bool,   AttrType::String, AttrType::DType,
                                AttrType::Type, AttrType::Dim,    AttrType::Ints,   AttrType::Floats, AttrType::Bools,
                                AttrType::Dims, AttrType::Tensor, AttrType::Strings};
    size_t kind = below(std::size(all) + 4);
    if (kind < std::size(all))
      return attrOf(all[kind]);
    std::vector<AttrId> elements;
    switch (kind - std::size(all)) {
    case 0:
      return ctx_->unitAttr();
    case 1:
      return ctx_->bytesAttr(oddName());
    case 2:
      return ctx_->symbolAttr(oddName());
    default:
      for (size_t n = depth > 3 ? 0 : below(4); n-- > 0;)
        elements.push_back(anyAttr(depth + 1));
      return ctx_->listAttr(elements);
    }
  }

  /// An attribute that a declaration of this type accepts.
  AttrId attrOf(AttrType type) {
    Context &ctx = *ctx_;
    std::vector<AttrId> list;
    switch (type) {
    case AttrType::Int:
      return ctx.intAttr(anyInt());
    case AttrType::Float:
      return ctx.floatAttr(anyFloat());
    case AttrType::Bool:
      return ctx.boolAttr(chance(50));
    case AttrType::String:
      return ctx.stringAttr(oddName());
    case AttrType::DType:
      return ctx.dtypeAttr(anyDType());
    case AttrType::Type:
      return ctx.typeAttr(anyType(0));
    case AttrType::Symbol:
      return ctx.symbolAttr(fn_->name());
    case AttrType::Dim:
      return ctx.dimAttr(anyDim());
    case AttrType::Ints: {
      Ints ints;
      for (size_t n = below(5); n-- > 0;)
        ints.push_back(anyInt());
      return ctx.intsAttr({ints.data(), ints.size()});
    }
    case AttrType::Floats: {
      std::vector<double> floats;
      for (size_t n = below(5); n-- > 0;)
        floats.push_back(anyFloat());
      return ctx.floatsAttr(floats);
    }
    case AttrType::Bools:
      for (size_t n = below(4); n-- > 0;)
        list.push_back(ctx.boolAttr(chance(50)));
      return ctx.listAttr(list);
    case AttrType::Strings:
      for (size_t n = below(4); n-- > 0;)
        list.push_back(ctx.stringAttr(oddName()));
      return ctx.listAttr(list);
    case AttrType::Dims: {
      Dims dims;
      for (size_t n = below(4); n-- > 0;)
        dims.push_back(anyDim());
      return ctx.dimsAttr({dims.data(), dims.size()});
    }
    case AttrType::IntLists:
      for (size_t n = below(3); n-- > 0;)
        list.push_back(attrOf(AttrType::Ints));
      return ctx.listAttr(list);
    case AttrType::DTypes:
      for (size_t n = below(4); n-- > 0;)
        list.push_back(ctx.dtypeAttr(anyDType()));
      return ctx.listAttr(list);
    case AttrType::Types:
      for (size_t n = below(4); n-- > 0;)
        list.push_back(ctx.typeAttr(anyType(0)));
      return ctx.listAttr(list);
    case AttrType::Tensor:
      return anyTensor();
    case AttrType::Any:
      return anyAttr(0);
    }
    return ctx.unitAttr();
  }

  /// Random bits, hence every special value of every dtype.
  AttrId anyTensor() {
    Context &ctx = *ctx_;
    DType dtype = anyDType();
    if (dtype == DType::Unknown)
      dtype = DType::F32;
    Dims dims;
    int64_t count = 1;
    for (size_t n = below(3); n-- > 0; count *= dims.back().size())
      dims.push_back(Dim(int64_t(below(chance(90) ? 4 : 40))));
    TypeId type = ctx.tensorType(dtype, {dims.data(), dims.size()});
    if (dtype == DType::String) {
      std::vector<StringId> strings;
      for (int64_t i = 0; i < count; ++i)
        strings.push_back(ctx.intern(oddName()));
      return ctx.denseStringsAttr(type, strings);
    }
    size_t each = dtypeBytes(dtype), size = each ? each * size_t(count) : size_t(count) / 2 + size_t(count) % 2;
    std::vector<std::byte> bytes;
    bool small = chance(50); // small values, or any bits
    while (bytes.size() < size)
      bytes.push_back(std::byte(dtype == DType::Bool ? below(2) : small && bytes.size() % 2 == 0 ? 0 : next() & 255));
    if (each && chance(20))
      return ctx.splatAttr(type, bytes.size() >= each ? std::span(bytes).first(each)
                                                      : std::span<const std::byte>(kZeros).first(each));
    return ctx.denseAttr(type, bytes);
  }

private:
  static constexpr std::byte kZeros[16] = {};

  TypeId tensor(std::initializer_list<int64_t> sizes) {
    Dims dims;
    for (int64_t s : sizes)
      dims.push_back(Dim(s));
    return ctx_->tensorType(DType::F32, {dims.data(), dims.size()});
  }
  DType anyDType() { return chance(60) ? DType::F32 : DType(below(kDTypeCount)); }
  int64_t anyInt() { return chance(70) ? int64_t(below(10)) - 3 : int64_t(next()); }
  double anyFloat() {
    switch (below(6)) {
    case 0:
      return double(below(10)) - 5;
    case 1:
      return 0.1 * double(below(100));
    case 2:
      return -0.0;
    case 3:
      return chance(50) ? __builtin_inf() : -__builtin_inf();
    case 4:
      return __builtin_nan("");
    default: {
      uint64_t bits = next();
      double value;
      static_assert(sizeof value == sizeof bits);
      __builtin_memcpy(&value, &bits, sizeof value);
      return value;
    }
    }
  }
  std::string oddName() {
    static const char *const names[] = {"x",        "y",  "acc",     "conv.weight", "/features/Conv_output_0",
                                        "12",       "",   "a\"b\\c", "größe",       "line\nbreak\ttab",
                                        "\xff\x01", "%x", "a~1",     "none",        "func",
                                        "param",    "i64"};
    return names[below(std::size(names))];
  }
  void maybeName(ValueId v, unsigned percent) {
    if (chance(percent))
      fn_->setValueName(v, ctx_->intern(options_.oddities ? oddName() : std::string(1, char('a' + below(26)))));
  }

  void region(RegionId id, unsigned depth) {
    size_t mark = visible_.size();
    size_t tries = depth ? 1 + below(options_.ops / 4 + 1) : options_.ops;
    for (size_t i = 0; i < tries; ++i)
      op(id, depth);
    InlineList<ValueId, 8> results;
    for (size_t n = 1 + below(3); n-- > 0 && !visible_.empty();)
      results.push_back(pick(visible_));
    OpBuilder(*fn_, id).createReturn({results.data(), results.size()});
    visible_.resize(mark);
  }

  void op(RegionId at, unsigned depth) {
    if (options_.opaqueOps && chance(8))
      return opaque(at);
    KindId kind = pick(options_.kinds);
    const OpSchema &schema = ctx_->ops().schema(kind);
    if (!schema.regions.empty() && depth >= options_.depth)
      return;
    InlineList<ValueId, 8> operands;
    if (!chooseOperands(schema, operands))
      return;
    AttrsId attrs = chooseAttrs(schema);
    size_t variadic = below(3);
    InlineList<TypeId, 4> types;
    for (const ResultSchema &r : schema.results)
      types.resize(types.size() + (r.arity == Arity::Variadic ? variadic : 1), TypeId());
    OpInputs inputs(*fn_, schema, {operands.data(), operands.size()}, attrs);
    struct Ignore : CheckSink {
      void fail(std::string) override {}
    } ignore;
    if (schema.regions.empty() && schema.check && !schema.check(inputs, ignore))
      return;
    if (schema.regions.empty() && schema.inferTypes && !schema.inferTypes(inputs, {types.data(), types.size()}))
      return;
    for (TypeId &t : types)
      if (!t)
        t = options_.oddities && chance(30) ? anyType(0) : pick(options_.paramTypes);
    Op made =
        OpBuilder(*fn_, at).createTyped(kind, {operands.data(), operands.size()}, attrs, {types.data(), types.size()});
    finish(made, schema.regions.size(), depth);
  }

  void opaque(RegionId at) {
    InlineList<ValueId, 8> operands;
    for (size_t n = below(4); n-- > 0;)
      operands.push_back(visible_.empty() || chance(10) ? ValueId() : pick(visible_));
    static const char *const names[] = {"other.thing", "com.vendor.Op", "t.relu",  "odd name",
                                        "as.x",        "func.y",        "return.z"};
    AttrId name = ctx_->stringAttr(names[below(std::size(names))]);
    AttrsId attrs = ctx_->withExtra(ctx_->noAttrs(), ctx_->intern(kOpaqueNameAttr), name);
    while (chance(40))
      attrs = ctx_->withExtra(attrs, ctx_->intern(oddName()), anyAttr(0));
    InlineList<TypeId, 4> types;
    for (size_t n = below(3); n-- > 0;)
      types.push_back(anyType(0));
    Op made = OpBuilder(*fn_, at).createTyped(kOpaqueKind, {operands.data(), operands.size()}, attrs,
                                              {types.data(), types.size()});
    finish(made, 0, 0);
  }

  void finish(Op op, size_t regions, unsigned depth) {
    for (size_t i = 0; i < regions; ++i) {
      RegionId nested = fn_->addRegion(op.id);
      size_t mark = visible_.size();
      for (size_t n = below(3); n-- > 0;) {
        Value v = fn_->addRegionParam(nested, pick(options_.paramTypes));
        maybeName(v.id, 40);
        visible_.push_back(v.id);
      }
      region(nested, depth + 1);
      visible_.resize(mark);
    }
    if (chance(20))
      fn_->setOpName(op.id, ctx_->intern(oddName()));
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      maybeName(op.result(i).id, 30);
      visible_.push_back(op.result(i).id);
    }
  }

  bool chooseOperands(const OpSchema &schema, InlineList<ValueId, 8> &out) {
    size_t lastNeeded = 0;
    for (size_t i = 0; i < schema.operands.size(); ++i)
      if (schema.operands[i].arity == Arity::Single)
        lastNeeded = i + 1;
    for (size_t i = 0; i < schema.operands.size(); ++i) {
      Arity arity = schema.operands[i].arity;
      size_t count = arity == Arity::Variadic ? below(4) : 1;
      if (arity == Arity::Optional && chance(40)) {
        if (i >= lastNeeded && chance(50) && i + 1 == schema.operands.size())
          break;
        out.push_back(ValueId());
        continue;
      }
      for (; count > 0; --count) {
        if (visible_.empty())
          return false;
        out.push_back(pick(visible_));
      }
    }
    return true;
  }

  AttrsId chooseAttrs(const OpSchema &schema) {
    std::vector<AttrId> fixed;
    for (const AttrSchema &a : schema.attrs)
      fixed.push_back(a.required || chance(a.hasDefault ? 30 : 40) ? attrOf(a.type) : AttrId());
    // A permutation where one is likely meant: random ints hardly ever are.
    for (size_t i = 0; i < fixed.size(); ++i)
      if (schema.attrs[i].name == "perm" && fixed[i])
        fixed[i] = chance(50) ? ctx_->intsAttr({1, 0}) : ctx_->intsAttr({0, 1});
    AttrsId attrs = ctx_->attrs(fixed);
    if (options_.oddities && chance(10))
      attrs = ctx_->withExtra(attrs, ctx_->intern("note " + oddName()), anyAttr(0));
    return attrs;
  }

  uint64_t state_;
  Context *ctx_ = nullptr;
  Function *fn_ = nullptr;
  RandomOptions options_;
  std::vector<ValueId> visible_;
};

} // namespace rw::test
