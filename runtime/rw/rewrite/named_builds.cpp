#include "rw/rewrite/named_builds.h"

#include "rw/ir/stand_ins.h"
#include "rw/rewrite/match_helpers.h"

#include <algorithm>

namespace rw {

/// Puts attributes where the op has them: into `fixed`, or as constants among the operands. False if it has one
/// nowhere.
static bool settle(PatternRewriter &rw, const OpSchema &schema, std::span<const NamedSetting> attrs,
                   InlineList<AttrId, 8> &fixed, InlineList<Value> &operands) {
  Context &ctx = rw.context();
  for (const NamedSetting &setting : attrs) {
    if (int index = schema.attrIndex(setting.name); index >= 0) {
      while (fixed.size() <= size_t(index))
        fixed.push_back(AttrId());
      fixed[size_t(index)] = setting.value;
      continue;
    }
    auto s = std::ranges::find(schema.standIns, setting.name, &StandInSchema::name);
    if (s == schema.standIns.end())
      return false;
    while (operands.size() <= s->operand)
      operands.push_back(Value());
    operands[s->operand] = Value();
    if (!setting.value || setting.value == standInDefault(ctx, *s))
      continue;
    const TypeData *first = operands[0] ? &operands[0].type() : nullptr;
    AttrId tensor =
        standInTensor(ctx, *s, setting.value, first && first->kind == TypeKind::Tensor ? first->dtype : DType::Unknown);
    operands[s->operand] = tensor ? materialize(rw, Op(), schema.dialect, tensor) : Value();
    if (!operands[s->operand])
      return false;
  }
  while (!operands.empty() && !operands.back())
    operands.pop_back();
  return takesOperands(schema, operands);
}

Op buildNamed(PatternRewriter &rw, const OpSchema &schema, std::span<const Value> given,
              std::span<const NamedSetting> attrs, bool open, std::span<const TypeId> types, bool takes) {
  InlineList<AttrId, 8> fixed;
  InlineList<Value> operands;
  for (Value v : given)
    operands.push_back(v);
  while (!operands.empty() && !operands.back()) // the version that the program has may have fewer
    operands.pop_back();
  if (!settle(rw, schema, attrs, fixed, operands))
    return {};
  AttrsId list = rw.context().attrs(fixed);
  if (open && takes)
    return takeRegions(rw, schema, operands, list, open);
  if (open)
    return buildOpen(rw, schema, operands, list);
  // What holds by default anyway is left out, so that equal ops are spelled alike.
  InlineList<ValueId, 6> ids;
  for (Value v : operands)
    ids.push_back(v.id);
  OpInputs inputs(rw.function(), schema, ids, list);
  for (size_t i = 0; i < fixed.size(); ++i)
    if (fixed[i] && schema.attrs[i].hasDefault && schema.defaultAttr &&
        schema.defaultAttr(inputs, unsigned(i)) == fixed[i])
      fixed[i] = AttrId();
  if (takes)
    return takeRegions(rw, schema, operands, rw.context().attrs(fixed), false, types);
  return build(rw, schema, operands, rw.context().attrs(fixed), types);
}

Op againNamed(PatternRewriter &rw, Op model, std::span<const Value> given, std::span<const NamedSetting> attrs,
              std::span<const TypeId> types, bool takes) {
  const OpSchema &schema = model.schema();
  InlineList<AttrId, 8> fixed;
  for (unsigned i = 0; i < schema.attrs.size(); ++i)
    fixed.push_back(model.attr(i));
  InlineList<Value> operands;
  for (Value v : given)
    operands.push_back(v);
  for (const StandInSchema &s : schema.standIns) {
    if (s.operand < given.size())
      continue;
    while (operands.size() <= s.operand)
      operands.push_back(Value());
    operands[s.operand] = s.operand < model.operandCount() ? model.operand(s.operand) : Value();
  }
  if (!settle(rw, schema, attrs, fixed, operands))
    return {};
  AttrsId list = model.attrsId();
  for (unsigned i = 0; i < fixed.size(); ++i)
    if (fixed[i] != model.attr(i))
      list = rw.context().withAttr(list, i, fixed[i]);
  if (takes)
    return takeRegionsAs(rw, model, operands, list, types);
  if (list == model.attrsId() && types.empty())
    return again(rw, model, operands);
  return againWith(rw, model, operands, list, types);
}

AttrsId withNamedAttrs(Op op, std::span<const NamedSetting> attrs) {
  AttrsId list = op.attrsId();
  for (const NamedSetting &setting : attrs)
    if (int index = op.schema().attrIndex(setting.name); index >= 0)
      list = op.context().withAttr(list, unsigned(index), setting.value);
  return list;
}

} // namespace rw
