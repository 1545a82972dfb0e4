// Types as text, annotations of functions, and what the kinds of attribute hold.
#include "frontend/sema/checker.h"

#include <fmt/format.h>

namespace rw::sema {

static constexpr std::string_view kNames[] = {"<error>", "_",     "int",    "float",  "bool",   "string",
                                              "dtype",   "dim",   "type",   "any",    "tensor", "value",
                                              "op",      "chain", "region", "nothing"};

std::string toString(Type type) {
  std::string out(kNames[unsigned(type.kind)]);
  for (unsigned i = 0; i < type.lists; ++i)
    out = "[" + out + "]";
  return out;
}

std::string traitsToString(uint32_t traits) {
  static constexpr std::pair<uint32_t, std::string_view> kTraits[] = {{trait::pure, "pure"},
                                                                      {trait::elementwise, "elementwise"},
                                                                      {trait::commutative, "commutative"},
                                                                      {trait::constant, "constant"},
                                                                      {trait::effectRandom, "effect(random)"},
                                                                      {trait::effectError, "effect(error)"},
                                                                      {trait::effectState, "effect(state)"}};
  std::string out;
  for (const auto &[bit, name] : kTraits)
    if (traits & bit)
      out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

std::string_view spelling(AttrType type) {
  static constexpr std::string_view kSpellings[] = {"int",    "float",   "bool",    "string",  "dtype",  "type",
                                                    "symbol", "dim",     "[int]",   "[float]", "[bool]", "[string]",
                                                    "[dim]",  "[[int]]", "[dtype]", "[type]",  "tensor", "any"};
  return kSpellings[unsigned(type)];
}

std::string OpAttrDecl::spelling() const {
  std::string out;
  for (const std::string &choice : choices)
    out += fmt::format("{}\"{}\"", out.empty() ? "" : " | ", choice);
  return out.empty() ? std::string(sema::spelling(type)) : out;
}

std::string listOfChoices(const std::vector<std::string> &choices, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < choices.size(); ++i)
    out += fmt::format("{}\"{}\"",
                       i == 0                    ? ""
                       : i + 1 == choices.size() ? fmt::format(" {} ", last)
                                                 : ", ",
                       choices[i]);
  return out;
}

Type typeOf(AttrType type) {
  switch (type) {
  case AttrType::Int:
    return TypeKind::Int;
  case AttrType::Float:
    return TypeKind::Float;
  case AttrType::Bool:
    return TypeKind::Bool;
  case AttrType::String:
  case AttrType::Symbol:
    return TypeKind::String;
  case AttrType::DType:
    return TypeKind::DType;
  case AttrType::Type:
    return TypeKind::Type;
  case AttrType::Dim:
    return TypeKind::Dim;
  case AttrType::Ints:
    return Type::list(TypeKind::Int);
  case AttrType::Floats:
    return Type::list(TypeKind::Float);
  case AttrType::Bools:
    return Type::list(TypeKind::Bool);
  case AttrType::Strings:
    return Type::list(TypeKind::String);
  case AttrType::Dims:
    return Type::list(TypeKind::Dim);
  case AttrType::IntLists:
    return Type(TypeKind::Int, 2);
  case AttrType::DTypes:
    return Type::list(TypeKind::DType);
  case AttrType::Types:
    return Type::list(TypeKind::Type);
  case AttrType::Tensor:
    return TypeKind::Tensor;
  case AttrType::Any:
    return TypeKind::Attr;
  }
  return {};
}

Type Checker::typeOfAnnotation(const ast::TypeExpr &type, std::string_view what, bool native) {
  if (const auto *list = type.as<ast::ListType>()) {
    Type element = typeOfAnnotation(*list->element, what, native);
    if (element.isError())
      return element;
    if (element.lists < 3)
      return element.listOf();
    error("undefined-type", type.range, "lists are nested at most three deep");
    return {};
  }
  const auto *named = type.as<ast::NamedType>();
  if (!named) {
    error("undefined-type", type.range, fmt::format("a {} is one value, not a tuple", what))
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
  Report report = error("undefined-type", type.range, fmt::format("a {} cannot have this type", what));
  // `list[int]`, `int[]`
  const std::string &word = named->name.name.text;
  const bool isList = word == "list" || word == "List" || word == "Sequence" || word == "vector" || word == "Tuple";
  if (std::string text = textOf(type.range); named->hasDims && text.ends_with(']')) {
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
  suggest(report, named->name.range, named->name.name.text,
          {"int", "float", "bool", "string", "dtype", "dim", "type", "tensor", "value", "any"});
  return {};
}

} // namespace rw::sema
