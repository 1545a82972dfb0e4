// Creation of ops with inferred types, and the inputs that inference, checks and defaults look at.
//
// In:  an op's schema, operands and attributes; where to put it.
// Out: the op, or nothing and a reason when the schema's inference refuses and no type is given.
// Elsewhere: the fluent graph builder for people is rw/builder; patterns create through PatternRewriter.
//
//   OpBuilder b(fn, fn.body());
//   Op t = b.create(schema, {x}, {permAttr});     // types inferred
#pragma once

#include "rw/ir/function.h"

#include <initializer_list>

namespace rw {

/// What is known of an op that exists or is about to: what the generated hooks read. Cheap to pass.
class OpInputs {
public:
  OpInputs(Function &fn, const OpSchema &schema, std::span<const ValueId> operands, AttrsId attrs,
           std::span<const RegionId> regions = {})
      : fn_(fn), schema_(schema), operands_(operands), attrs_(attrs), regions_(regions) {}

  Function &function() const { return fn_; }
  Context &context() const { return fn_.context(); }
  const OpSchema &schema() const { return schema_; }
  std::span<const ValueId> operands() const { return operands_; }
  Value operand(unsigned i) const { return i < operands_.size() ? fn_.value(operands_[i]) : Value{}; }
  /// The operands of declared operand group `group` (of a variadic one: any number; of an optional one: none or one).
  std::span<const ValueId> group(unsigned group) const;
  AttrsId attrsId() const { return attrs_; }
  AttrId attr(unsigned index) const; ///< as stored
  AttrId attrOrDefault(unsigned index) const;
  std::span<const RegionId> regions() const { return regions_; }

private:
  Function &fn_;
  const OpSchema &schema_;
  std::span<const ValueId> operands_;
  AttrsId attrs_;
  std::span<const RegionId> regions_;
};

/// The operands of an op that exists, collected so that OpInputs can view them.
class InputsOf {
public:
  explicit InputsOf(Op);
  const OpInputs &operator*() const { return inputs_; }
  const OpInputs *operator->() const { return &inputs_; }

private:
  InlineList<ValueId, 6> operands_;
  OpInputs inputs_;
};

/// First operand and number of operands of declared operand group `group` when an op has `operandCount` operands:
/// optional operands left out at the end need no slot, at most one group is variadic and takes what the others leave.
struct OperandGroup {
  unsigned first = 0, count = 0;
};
OperandGroup operandGroup(const OpSchema &, unsigned operandCount, unsigned group);

/// Result types by the schema's inference; true if every one is stated. Types it cannot tell are the unknown type.
bool inferResultTypes(const OpInputs &, InlineList<TypeId, 4> &types);
/// Whether no `require` of the op is known to fail.
bool requirementsHold(const OpInputs &);

/// Inserts ops at a point.
class OpBuilder {
public:
  OpBuilder(Function &fn, RegionId region) : fn_(fn), region_(region) {}
  OpBuilder(Function &fn, OpId before) : fn_(fn), region_(fn.data(before).region), before_(before) {}

  Function &function() { return fn_; }
  void setLoc(Loc loc) { loc_ = loc; }
  /// With inferred types; what inference cannot tell is of unknown type. `resultCount` is needed only for ops with
  /// variadic results.
  Op create(const OpSchema &, std::span<const ValueId> operands, AttrsId, unsigned resultCount = 1);
  Op create(const OpSchema &s, std::initializer_list<Value> operands, std::initializer_list<AttrId> attrs = {});
  /// With stated types.
  Op createTyped(KindId, std::span<const ValueId> operands, AttrsId, std::span<const TypeId> types);
  /// The terminator of the region.
  Op createReturn(std::span<const ValueId> results);
  /// A constant through the constant op of `dialect`; none if the dialect has none.
  Value createConstant(std::string_view dialect, AttrId value, TypeId type);

private:
  Function &fn_;
  RegionId region_;
  OpId before_; // none: at the end of the region
  Loc loc_;
};

} // namespace rw
