#include "rw/passes/structure_digest.h"

#include <bit>

namespace rw {

// Contents ------------------------------------------------------------------------------------------------------------

const Digest &ContentDigester::typeDigest(TypeId id) {
  auto [it, fresh] = types_.try_emplace(id.raw);
  if (fresh)
    it->second = Digester().add(ctx_.typeToString(id)).take();
  return it->second;
}

const Digest &ContentDigester::attrDigest(AttrId id) {
  if (auto it = attrs_.find(id.raw); it != attrs_.end())
    return it->second;
  Digester d;
  addContent(d, ctx_.attr(id)); // may meet other attributes
  return attrs_.emplace(id.raw, d.take()).first->second;
}

void ContentDigester::addType(Digester &d, TypeId id) {
  d.add(uint64_t(bool(id)));
  if (id)
    d.add(typeDigest(id));
}

void ContentDigester::addAttr(Digester &d, AttrId id) {
  d.add(uint64_t(bool(id)));
  if (id)
    d.add(attrDigest(id));
}

void ContentDigester::addContent(Digester &d, const AttrData &a) {
  d.add(uint64_t(a.kind));
  d.add(uint64_t(a.dtype)).add(uint64_t(a.i)).add(std::bit_cast<uint64_t>(a.f)).add(a.text);
  addType(d, a.type);
  d.add(uint64_t(a.ints.size()));
  for (int64_t i : a.ints)
    d.add(uint64_t(i));
  d.add(uint64_t(a.floats.size()));
  for (double f : a.floats)
    d.add(std::bit_cast<uint64_t>(f));
  d.add(uint64_t(a.dims.size()));
  for (Dim dim : a.dims)
    d.add(ctx_.dims().toString(dim));
  d.add(uint64_t(a.elements.size()));
  for (AttrId e : a.elements)
    addAttr(d, e);
  if (!a.dense)
    return;
  addType(d, a.dense->type);
  d.add(uint64_t(a.dense->splat)).add(a.dense->bytes).add(uint64_t(a.dense->strings.size()));
  for (StringId s : a.dense->strings)
    d.add(ctx_.text(s));
}

void ContentDigester::addOp(Digester &d, KindId kind, AttrsId attrs) {
  const OpSchema &schema = ctx_.ops().schema(kind);
  d.add(ctx_.ops().fullName(kind)).add(uint64_t(schema.since));
  const AttrsData &list = ctx_.attrs(attrs);
  for (size_t i = 0; i < list.fixed.size(); ++i)
    if (list.fixed[i]) {
      d.add(uint64_t(i));
      addAttr(d, list.fixed[i]);
    }
  d.add(uint64_t(list.extra.size()));
  for (const NamedAttr &extra : list.extra) {
    d.add(ctx_.text(extra.name));
    addAttr(d, extra.value);
  }
}

// Programs ------------------------------------------------------------------------------------------------------------

namespace {

class StructureWriter {
public:
  StructureWriter(const Function &fn, ContentDigester &contents, Digester &d) : fn_(fn), contents_(contents), d_(d) {}

  void run() {
    numbers_.resize(fn_.valueCapacity());
    d_.add(fn_.name());
    signature();
    region(fn_.body());
    // One region after another on a stack of our own: programs may be nested as deep as they like.
    while (!open_.empty()) {
      OpId at = open_.back();
      if (!at) {
        open_.pop_back();
        d_.add(kEnd);
        continue;
      }
      open_.back() = fn_.data(at).next;
      op(at);
    }
  }

private:
  static constexpr uint64_t kOp = 1, kRegion = 2, kEnd = 3;

  void signature() {
    const Context &ctx = fn_.context();
    std::span<const ValueId> params = fn_.params(fn_.body());
    for (unsigned i = 0; i < params.size(); ++i) {
      const ParamInfo &info = fn_.paramInfo(i);
      StringId name = fn_.valueName(params[i]);
      d_.add(name ? ctx.text(name) : "").add(uint64_t(info.role)).add(info.stableId);
      contents_.addAttr(d_, info.defaultValue);
    }
    d_.add(uint64_t(fn_.resultNames().size()));
    for (StringId name : fn_.resultNames())
      d_.add(name ? ctx.text(name) : "");
  }
  void region(RegionId id) {
    std::span<const ValueId> params = fn_.params(id);
    d_.add(kRegion).add(uint64_t(params.size()));
    for (ValueId v : params)
      define(v);
    open_.push_back(fn_.data(id).firstOp);
  }
  void define(ValueId v) {
    numbers_[v.raw] = ++count_;
    contents_.addType(d_, fn_.data(v).type);
  }
  void op(OpId id) {
    const OpData &data = fn_.data(id);
    d_.add(kOp);
    contents_.addOp(d_, data.kind, data.attrs);
    d_.add(uint64_t(data.operandCount));
    for (uint32_t i = 0; i < data.operandCount; ++i) {
      ValueId v = fn_.data(SlotId(data.firstOperand.raw + i)).value;
      d_.add(v ? numbers_[v.raw] : uint64_t(0));
    }
    d_.add(uint64_t(data.resultCount));
    for (unsigned i = 0; i < data.resultCount; ++i)
      define(ValueId(data.firstResult.raw + i));
    std::span<const RegionId> regions = fn_.regionsOf(id);
    d_.add(uint64_t(regions.size()));
    for (size_t i = regions.size(); i-- > 0;) // the last on the stack is written first
      region(regions[i]);
  }

  const Function &fn_;
  ContentDigester &contents_;
  Digester &d_;
  std::vector<uint64_t> numbers_; // of values, from 1 in order of definition
  uint64_t count_ = 0;
  std::vector<OpId> open_; // in each open region, the op to write next
};

} // namespace

Digest structureOf(const Program &program) {
  ContentDigester contents(program.context());
  Digester d;
  d.add(uint64_t(program.functions().size()));
  for (const Function &fn : program.functions())
    StructureWriter(fn, contents, d).run();
  return d.take();
}

} // namespace rw
