#include "frontend/check/annotations.h"

#include "frontend/check/unknown_names.h"

#include <fmt/format.h>

namespace rw::sema {

Type typeOfAnnotation(CheckContext &c, const ast::TypeExpr &type, std::string_view what, bool native) {
  if (const auto *list = type.as<ast::ListType>()) {
    Type element = typeOfAnnotation(c, *list->element, what, native);
    if (element.isError())
      return element;
    if (element.lists < 3)
      return element.listOf();
    c.error("undefined-type", type.range, "lists are nested at most three deep");
    return {};
  }
  const auto *named = type.as<ast::NamedType>();
  if (!named) {
    c.error("undefined-type", type.range, fmt::format("a {} is one value, not a tuple", what))
        .note("several values of one type are a list: `[int]`");
    return {};
  }
  static constexpr std::pair<std::string_view, TypeKind> kTypes[] = {
      {"int", TypeKind::Int},       {"float", TypeKind::Float}, {"bool", TypeKind::Bool}, {"string", TypeKind::String},
      {"dtype", TypeKind::DType},   {"dim", TypeKind::Dim},     {"type", TypeKind::Type}, {"any", TypeKind::Attr},
      {"tensor", TypeKind::Tensor}, {"value", TypeKind::Value}, {"attr", TypeKind::Attr}, {"symbol", TypeKind::String},
      {"op", TypeKind::Op}};
  if (!named->name.dialect && !named->hasDims)
    for (const auto &[name, kind] : kTypes)
      if (name == named->name.name.text && (kind != TypeKind::Op || native))
        return kind;
  Report report = c.error("undefined-type", type.range, fmt::format("a {} cannot have this type", what));
  // `list[int]`, `int[]`
  const std::string &word = named->name.name.text;
  const bool isList = word == "list" || word == "List" || word == "Sequence" || word == "vector" || word == "Tuple";
  if (std::string text = c.textOf(type.range); named->hasDims && text.ends_with(']')) {
    const std::string element = isList ? text.substr(text.find('[') + 1, text.size() - text.find('[') - 2) : word;
    if (isList || text.ends_with("[]"))
      for (const auto &[name, kind] : kTypes)
        if (name == element) {
          report.fixIt(type.range, fmt::format("[{}]", element));
          return {};
        }
  }
  report.note(
      "types are int, float, bool, string, dtype, dim, type, tensor, value, any, and lists of these in brackets");
  suggest(c, report, named->name.range, named->name.name.text,
          {"int", "float", "bool", "string", "dtype", "dim", "type", "tensor", "value", "any"});
  return {};
}

} // namespace rw::sema
