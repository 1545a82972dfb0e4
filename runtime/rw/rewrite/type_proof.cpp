#include "rw/rewrite/type_proof.h"

#include "rw/ir/builder.h"
#include "rw/ir/nameless_dims.h"

#include <algorithm>
#include <vector>

namespace rw {
namespace {

/// Looks at this many ops: as many as large patterns match and build.
constexpr size_t kMostOps = 64;

class TypeProof {
public:
  explicit TypeProof(Function &fn) : fn_(fn), ctx_(fn.context()), unknown_(ctx_.dims()) {}
  ~TypeProof() {
    for (auto it = before_.rbegin(); it != before_.rend(); ++it)
      fn_.setType(it->first, it->second);
  }
  TypeProof(const TypeProof &) = delete;

  /// Gives the unknown sizes of the values, and of what they are made of, symbols. False if types contradict each
  /// other.
  bool look(std::span<const Value> values) {
    collect(values);
    for (Value v : values)
      visit(v);
    return !contradicts_;
  }

  /// What is known of a type: what inference says, and that together with what is recorded. They may say a size
  /// differently.
  struct Known {
    TypeId inferred, whole;
  };
  Known of(Value v) const {
    auto it = std::ranges::find(inferred_, v.id, &std::pair<ValueId, TypeId>::first);
    return {it == inferred_.end() ? v.typeId() : it->second, v.typeId()};
  }
  bool areSame(Known a, Known b) const {
    for (TypeId x : {a.whole, a.inferred})
      for (TypeId y : {b.whole, b.inferred})
        if (x == y && ctx_.type(x).known)
          return true;
    const TypeData &x = ctx_.type(a.whole), &y = ctx_.type(b.whole);
    if (!isTensor(x) || !isTensor(y) || x.dtype != y.dtype || x.dims.size() != y.dims.size())
      return false;
    const TypeData &p = ctx_.type(a.inferred), &q = ctx_.type(b.inferred);
    auto sizes = [](const TypeData &whole, const TypeData &inferred, size_t i) {
      return std::pair(whole.dims[i], inferred.ranked && i < inferred.dims.size() ? inferred.dims[i] : Dim::unknown());
    };
    for (size_t i = 0; i < x.dims.size(); ++i) {
      auto [m, n] = sizes(x, p, i);
      auto [u, v] = sizes(y, q, i);
      if (!provablyEqual(m, u) && !provablyEqual(n, v) && !provablyEqual(m, v) && !provablyEqual(n, u))
        return false;
    }
    return true;
  }
  /// Whether both are what the same ops make of the same values.
  bool areOne(Value a, Value b) { return identity(a) == identity(b); }

private:
  static bool isTensor(const TypeData &t) {
    return t.kind == TypeKind::Tensor && t.ranked && t.dtype != DType::Unknown;
  }

  /// The ops that the values are made of, the nearest first. What is behind a value of a known type says nothing more.
  void collect(std::span<const Value> values) {
    std::vector<Value> queue(values.begin(), values.end());
    for (size_t next = 0; next < queue.size() && ops_.size() < kMostOps; ++next) {
      if (queue[next].type().known)
        continue;
      Op op = queue[next].definingOp();
      bool isInferred = op && op.kind() != kOpaqueKind && op.schema().inferTypes && op.regions().empty();
      if (!isInferred || std::ranges::find(ops_, op.id, &Looked::op) != ops_.end())
        continue;
      ops_.push_back({op.id});
      for (unsigned i = 0; i < op.operandCount(); ++i)
        if (Value operand = op.operand(i))
          queue.push_back(operand);
    }
  }

  void visit(Value v) {
    Op op = v.definingOp();
    auto found = op ? std::ranges::find(ops_, op.id, &Looked::op) : ops_.end();
    if (found == ops_.end()) {
      set(v, v.typeId());
      return;
    }
    if (found->isDone)
      return;
    found->isDone = true;
    for (unsigned i = 0; i < op.operandCount(); ++i)
      if (Value operand = op.operand(i))
        visit(operand);
    infer(op, *found);
  }

  struct Looked {
    OpId op;
    bool isDone = false;
    std::vector<uint64_t> made; // of what it is made; empty if it is not pure
  };

  void infer(Op op, Looked &looked) {
    if (op.schema().isPure()) {
      looked.made = {op.kind().raw, op.attrsId().raw};
      for (unsigned i = 0; i < op.operandCount(); ++i)
        looked.made.push_back(op.operand(i) ? identity(op.operand(i)) : ~uint64_t(0));
      for (const Looked &other : ops_)
        if (&other != &looked && other.made == looked.made && fn_.op(other.op).resultCount() == op.resultCount())
          return takeOver(op, fn_.op(other.op));
    }
    InlineList<TypeId, 4> types(op.resultCount(), TypeId());
    inferResultTypes(*InputsOf(op), types);
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      Value result = op.result(i);
      TypeId both = ctx_.meet(types[i], result.typeId());
      contradicts_ |= !both;
      inferred_.push_back({result.id, types[i]});
      set(result, both ? both : result.typeId());
    }
  }
  /// The same op on the same values: its results are those of the other one.
  void takeOver(Op op, Op other) {
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      Known known = of(other.result(i));
      inferred_.push_back({op.result(i).id, known.inferred});
      ones_.push_back({op.result(i).id, identity(other.result(i))});
      set(op.result(i), known.whole);
    }
  }

  /// Equal for what is provably the same value.
  uint64_t identity(Value v) const {
    if (AttrId constant = v.constant())
      return uint64_t(1) << 32 | constant.raw;
    auto it = std::ranges::find(ones_, v.id, &std::pair<ValueId, uint64_t>::first);
    return it == ones_.end() ? v.id.raw : it->second;
  }

  /// Sets the type for a moment, its unknown sizes being symbols.
  void set(Value v, TypeId id) {
    const TypeData &type = ctx_.type(id);
    if (type.kind == TypeKind::Tensor && type.ranked && std::ranges::any_of(type.dims, &Dim::isUnknown)) {
      Dims dims;
      for (Dim d : type.dims)
        dims.push_back(d.isUnknown() ? unknown_.next() : d);
      id = ctx_.tensorType(type.dtype, dims);
    }
    if (id == v.typeId())
      return;
    before_.push_back({v.id, v.typeId()});
    fn_.setType(v.id, id);
  }

  Function &fn_;
  Context &ctx_;
  NamelessDims unknown_;
  std::vector<Looked> ops_;
  std::vector<std::pair<ValueId, TypeId>> before_, inferred_;
  std::vector<std::pair<ValueId, uint64_t>> ones_; // identity() of what another op has made before
  bool contradicts_ = false;
};

} // namespace

[[gnu::noinline]] static bool canReplaceByProof(PatternRewriter &rw, Value old, Value with) {
  return rw.canReplace(old, with) || (rw.mayReplace(old, with) && provablySameType(old, with));
}

bool canReplace(PatternRewriter &rw, Value old, Value with) {
  return rw.canReplaceAtSight(old, with) || canReplaceByProof(rw, old, with);
}

bool provablySameType(Value old, Value with) {
  TypeProof proof(*old.fn);
  const Value both[] = {old, with};
  return proof.look(both) && (proof.areOne(old, with) || proof.areSame(proof.of(old), proof.of(with)));
}

bool keepsTypes(Op op, AttrsId attrs) {
  TypeProof proof(*op.fn);
  std::vector<Value> operands;
  std::vector<ValueId> ids;
  for (unsigned i = 0; i < op.operandCount(); ++i) {
    ids.push_back(op.operand(i).id);
    if (Value operand = op.operand(i))
      operands.push_back(operand);
  }
  if (!proof.look(operands))
    return false;
  InlineList<TypeId, 4> was(op.resultCount(), TypeId()), is(op.resultCount(), TypeId());
  inferResultTypes(OpInputs(*op.fn, op.schema(), ids, op.attrsId(), op.regions()), was);
  inferResultTypes(OpInputs(*op.fn, op.schema(), ids, attrs, op.regions()), is);
  for (unsigned i = 0; i < op.resultCount(); ++i)
    if (!proof.areSame({was[i], op.result(i).typeId()}, {is[i], is[i]}))
      return false;
  return true;
}

} // namespace rw
