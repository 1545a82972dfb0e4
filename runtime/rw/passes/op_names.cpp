#include "rw/passes/op_names.h"

#include "rw/ir/printer.h"
#include "rw/ir/text_format.h"

namespace rw {

OpNames::OpNames(const Function &fn) {
  ValueNames names(fn);
  values_.reserve(fn.valueCapacity());
  for (uint32_t i = 0; i < fn.valueCapacity(); ++i)
    values_.push_back(names.text(ValueId(i)));
}

std::string OpNames::of(Value value) const {
  if (value.id.raw < values_.size())
    return values_[value.id.raw];
  if (StringId name = value.fn->valueName(value.id)) {
    std::string text = "%";
    text::appendName(text, value.context().text(name));
    return text;
  }
  Op def = value.definingOp();
  return def ? "#" + std::to_string(def.id.raw) : "#parameter";
}

std::string OpNames::of(Op op) const {
  std::string text(op.fullName());
  return op.resultCount() ? text + " " + of(op.result()) : text;
}

} // namespace rw
