#include "codegen/interpret/unit_builder.h"

#include <utility>

namespace rw::interpret {

uint32_t UnitBuilder::opName(sema::OpIndex index) {
  auto [it, isNew] = opNames_.try_emplace(index.raw, uint32_t(unit.opNames.size()));
  if (isNew) {
    const sema::Op &op = module.op(index);
    unit.opNames.push_back({op.dialect, op.name, op.since});
  }
  return it->second;
}

uint32_t UnitBuilder::kindSet(const sema::OpSet &set) {
  OpKindSet kinds;
  for (sema::OpIndex op : set.ops)
    kinds.ops.push_back(opName(op));
  for (sema::OpIndex op : set.otherOps)
    kinds.ops.push_back(opName(op));
  if (set.byTrait())
    kinds.traits.push_back(set.traits);
  kinds.traits.insert(kinds.traits.end(), set.otherTraits.begin(), set.otherTraits.end());
  auto [it, isNew] = kindSets_.try_emplace({kinds.ops, kinds.traits}, uint32_t(unit.kindSets.size()));
  if (isNew)
    unit.kindSets.push_back(std::move(kinds));
  return it->second;
}

int32_t UnitBuilder::string(std::string_view text) {
  auto it = strings_.find(text);
  if (it == strings_.end()) {
    it = strings_.emplace(text, int32_t(unit.strings.size())).first;
    unit.strings.emplace_back(text);
  }
  return it->second;
}

int32_t UnitBuilder::number(int64_t n) {
  auto [it, isNew] = numbers_.try_emplace(n, int32_t(unit.numbers.size()));
  if (isNew)
    unit.numbers.push_back(n);
  return it->second;
}

int32_t UnitBuilder::numbers(const std::vector<int64_t> &list) {
  auto [it, isNew] = numberLists_.try_emplace(list, int32_t(unit.numbers.size()));
  if (isNew)
    unit.numbers.insert(unit.numbers.end(), list.begin(), list.end());
  return it->second;
}

int32_t UnitBuilder::fn(sema::FnIndex index) {
  auto [it, isNew] = fns_.try_emplace(index.raw, int32_t(unit.fns.size()));
  if (isNew) {
    newFns_.push_back({index, uint32_t(unit.fns.size())});
    unit.fns.emplace_back();
  }
  return it->second;
}

uint32_t UnitBuilder::reason(std::string text, unsigned line) {
  const size_t hash = std::hash<std::string>()(text) * 31 + line;
  auto [first, last] = reasons_.equal_range(hash);
  for (; first != last; ++first)
    if (const Reason &known = unit.reasons[first->second]; known.line == line && known.text == text)
      return first->second;
  reasons_.emplace(hash, uint32_t(unit.reasons.size()));
  unit.reasons.push_back({std::move(text), line});
  return uint32_t(unit.reasons.size() - 1);
}

uint32_t CodeWriter::emit(Opcode op, Reg a, Reg b, Reg c, int32_t d, Elem elem) {
  Unit &unit = builder.unit;
  uint32_t at = here();
  unit.code.push_back({op, elem, a, b, c, d, 0});
  if (unit.reasonOf.size() != at)
    unit.reasonOf.resize(at);
  unit.reasonOf.push_back(reason_);
  if (handler_)
    handler_->handlers.push_back(at);
  return at;
}

void CodeWriter::bind(Label &label) {
  lastPlace_ = here();
  for (uint32_t at : label.jumps)
    builder.unit.code[at].d = int32_t(here());
  for (uint32_t at : label.handlers)
    builder.unit.code[at].onFail = here();
  label = {};
}

} // namespace rw::interpret
