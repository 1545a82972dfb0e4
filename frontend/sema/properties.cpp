// Which properties there are, declared in properties.h.
#include "frontend/sema/properties.h"

#include <vector>

namespace rw::sema {

std::span<const PropertyInfo> properties() {
  using enum TypeKind;
  static const std::vector<PropertyInfo> kProperties = {
      {"shape", Property::Shape, sema::Type::list(Dim), {Value, Tensor, Type}, "The sizes of a value, tensor or type."},
      {"rank", Property::Rank, Int, {Value, Tensor, Type}, "How many dimensions there are."},
      {"dtype", Property::DType, DType, {Value, Tensor, Type}, "The element type."},
      {"type", Property::Type, Type, {Value, Tensor}, "The whole type of a value or tensor."},
      {"elements", Property::Type, sema::Type::list(Type), {Value, Type}, "The types in a tuple."},
      {"size", Property::Size, Dim, {Value, Tensor, Type}, "The number of elements."},
      {"ints", Property::Ints, sema::Type::list(Int), {Value, Tensor}, "The elements of a constant of integers."},
      {"floats", Property::Floats, sema::Type::list(Float), {Value, Tensor}, "The elements of a constant of floats."},
      {"contents", Property::Contents, sema::Type::list(Dim), {Value}, "What is known of the integers in an operand."},
      {"sizes", Property::Sizes, sema::Type::list(Dim), {Value}, "The same, where what may be below 0 is unknown."},
      {"value", Property::Value, Tensor, {Value}, "What a constant holds."},
      {"uses", Property::Uses, Int, {Value}, "How many uses a value has."},
      {"name", Property::Name, String, {Op}, "The op's name."},
      {"dialect", Property::Dialect, String, {Op}, "The op's dialect."},
      {"operands", Property::Operands, sema::Type::list(Value), {Op}, "The op's operands."},
      {"results", Property::Results, sema::Type::list(Value), {Op}, "The op's results."},
      {"attribute_names", Property::AttributeNames, sema::Type::list(String), {Op}, "The names of its attributes."},
      {"attributes", Property::Attributes, sema::Type::list(Attr), {Op}, "The op's attributes."},
  };
  return kProperties;
}

std::string_view spelling(Property property) {
  for (const PropertyInfo &info : properties())
    if (info.property == property)
      return info.name;
  return "?";
}

} // namespace rw::sema
