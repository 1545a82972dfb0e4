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

std::string OpNames::of(Op op) const {
  std::string text(op.fullName());
  if (op.resultCount() == 0)
    return text;
  ValueId value = op.result().id;
  if (value.raw < values_.size())
    return text + " " + values_[value.raw];
  StringId name = op.fn->valueName(value);
  if (!name)
    return text + " #" + std::to_string(op.id.raw);
  text += " %";
  text::appendName(text, op.context().text(name));
  return text;
}

} // namespace rw
