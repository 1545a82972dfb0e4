#include "rw/infer/type_flow.h"

#include <algorithm>

namespace rw {
namespace {

bool isTensor(const TypeData &t) { return t.kind == TypeKind::Tensor; }
bool saysNothing(const TypeData &t) { return isTensor(t) && !t.ranked && t.dtype == DType::Unknown; }

} // namespace

TypeId &TypeFlow::recordOf(ValueId v) {
  if (v.raw >= records_.size())
    records_.resize(std::max<size_t>(fn_.valueCapacity(), v.raw + 1), ctx_.unknownType());
  return records_[v.raw];
}

void TypeFlow::record(ValueId v, TypeId type) {
  const TypeData &t = ctx_.type(type);
  if (isTensor(t) && t.ranked && std::ranges::any_of(t.dims, [](Dim d) { return d.isExpression(); })) {
    DType dtype = t.dtype;
    Dims dims;
    for (Dim d : t.dims)
      dims.push_back(d.isKnown() ? d : Dim::unknown());
    type = ctx_.tensorType(dtype, dims);
  }
  recordOf(v) = type;
}

void TypeFlow::believeAgain() {
  if (!atFirst_)
    atFirst_.emplace(records_, untrue_.size());
  records_ = atFirst_->first;
  untrue_.erase(untrue_.begin() + ptrdiff_t(atFirst_->second), untrue_.end());
}

/// The record is not believed any more where it contradicts what was found.
void TypeFlow::doubt(ValueId v, TypeId found) {
  TypeId &record = recordOf(v);
  if (!found || ctx_.compatible(found, record))
    return;
  if (isTensor(ctx_.type(record)) || isTensor(ctx_.type(found))) // else they differ in what they say of elements
    untrue_.push_back({v, record, names_.without(found)});
  record = agreed(record, found);
}

/// Of the record what nothing else says otherwise: sizes where nothing is known, or the same.
TypeId TypeFlow::agreed(TypeId record, TypeId with) {
  const TypeData &r = ctx_.type(record), &w = ctx_.type(with);
  if (saysNothing(r) || saysNothing(w))
    return record;
  if (!isTensor(r) || !isTensor(w))
    return record == with ? record : ctx_.unknownType();
  DType dtype = w.dtype == DType::Unknown || r.dtype == w.dtype ? r.dtype : DType::Unknown;
  if (!r.ranked || (w.ranked && r.dims.size() != w.dims.size()))
    return ctx_.unrankedType(dtype);
  Dims dims;
  for (size_t i = 0; i < r.dims.size(); ++i)
    dims.push_back(!w.ranked || w.dims[i] == r.dims[i] || names_.isOpen(w.dims[i]) ? r.dims[i] : Dim::unknown());
  return ctx_.tensorType(dtype, dims);
}

TypeId TypeFlow::filled(TypeId found, ValueId v) {
  doubt(v, found);
  TypeId record = recordOf(v);
  if (!found || record == found)
    return record;
  const TypeData &f = ctx_.type(found), &r = ctx_.type(record);
  if (saysNothing(f) || saysNothing(r))
    return saysNothing(f) ? record : found;
  if (!isTensor(f) || !isTensor(r))
    return found;
  DType dtype = f.dtype == DType::Unknown ? r.dtype : f.dtype;
  if (!f.ranked)
    return r.ranked ? ctx_.tensorType(dtype, r.dims) : ctx_.unrankedType(dtype);
  if (!r.ranked || r.dims.size() != f.dims.size())
    return ctx_.tensorType(dtype, f.dims);
  Dims dims;
  for (size_t i = 0; i < f.dims.size(); ++i)
    dims.push_back(r.dims[i].isKnown() && names_.isOpen(f.dims[i]) ? r.dims[i] : f.dims[i]);
  return ctx_.tensorType(dtype, dims);
}

void TypeFlow::set(ValueId v, TypeId found) {
  if (TypeId type = names_.named(filled(found, v)); type != fn_.data(v).type)
    fn_.setType(v, type);
}

void TypeFlow::params(RegionId region) {
  Op owner = fn_.data(region).parent ? fn_.op(fn_.data(region).parent) : Op();
  std::span<const ValueId> params = fn_.params(region);
  for (unsigned i = 0; i < params.size(); ++i) {
    if (!owner) {
      fn_.setType(params[i], names_.named(fn_.data(params[i]).type));
      continue;
    }
    const RegionRules &rules = contents_.rulesOf(owner).regions;
    if (Value first = carriedAt(rules, owner, i).first) {
      doubt(params[i], first.typeId());
      recordOf(params[i]) = agreed(recordOf(params[i]), first.typeId());
      set(params[i], isTensor(first.type()) ? ctx_.unrankedType(first.type().dtype) : TypeId());
    } else {
      set(params[i], rules.paramType ? rules.paramType(owner, i) : TypeId());
    }
  }
}

/// Whether less is believed of what a loop carries, now that a round of it is known.
bool TypeFlow::weaken(Op op) {
  bool any = false;
  const RegionRules &rules = contents_.rulesOf(op).regions;
  if (!rules.layout || op.regions().size() != 1)
    return false;
  std::span<const ValueId> params = fn_.params(op.regions()[0]);
  for (unsigned i = 0; i < params.size(); ++i)
    if (Value next = carriedAt(rules, op, i).next) {
      TypeId before = recordOf(params[i]);
      doubt(params[i], next.typeId());
      recordOf(params[i]) = agreed(recordOf(params[i]), next.typeId());
      any |= recordOf(params[i]) != before;
    }
  return any;
}

void TypeFlow::results(Op op) {
  if (op.kind() == kReturnKind || !op.resultCount())
    return;
  Types types(op.resultCount(), TypeId());
  if (!other_ || !other_(op, types)) {
    while (weaken(op))
      region(op.regions()[0]);
    types = rules_.infer(op);
    auto *ofRegions = contents_.rulesOf(op).regions.resultType;
    for (unsigned i = 0; ofRegions && i < op.resultCount(); ++i)
      if (TypeId more = ofRegions(op, i, names_))
        if (TypeId both = types[i] ? ctx_.meet(types[i], more) : more)
          types[i] = both;
  }
  for (unsigned i = 0; i < op.resultCount(); ++i)
    set(op.result(i).id, types[i]);
  contents_.visitAgain(op);
}

void TypeFlow::region(RegionId region) {
  params(region);
  for (Op op : fn_.ops(region)) {
    for (RegionId inner : op.regions())
      this->region(inner);
    results(op);
  }
}

void TypeFlow::finish() {
  names_.forget();
  contents_.clear();
}

} // namespace rw
