// Types as text, and what the kinds of attribute hold.
#include "frontend/sema/module.h"

#include <fmt/format.h>

#include <algorithm>

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
                                                                      {trait::movesElements, "moves_elements"},
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

bool attrsMove(const OpSet &set, const std::vector<BuildAttr> &attrs, const Module &module) {
  return std::ranges::any_of(attrs, [&](const BuildAttr &attr) {
    return std::ranges::any_of(set.ops,
                               [&](OpIndex op) { return module.op(op).attrNamed(attr.name) != int(attr.index); });
  });
}

} // namespace rw::sema
