#include "rw/c/attr_json.h"

#include "rw/ir/parser.h"
#include "rw/ir/printer.h"
#include "rw/ir/verifier.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rw::c {

static Json asText(const Context &ctx, AttrId id) {
  constexpr size_t kShown = 4096; // bytes of a tensor
  const AttrData &attr = ctx.attr(id);
  if (attr.kind == AttrKind::Dense && attr.dense->bytes.size() > kShown)
    return Json::object({{"text", fmt::format("dense<{}: …>", ctx.typeToString(attr.dense->type))}});
  return Json::object({{"text", printAttr(ctx, id)}});
}

Json attrAsJson(Context &ctx, AttrId id) {
  const AttrData &attr = ctx.attr(id);
  switch (attr.kind) {
  case AttrKind::Int:
    return attr.i;
  case AttrKind::Bool:
    return attr.i != 0;
  case AttrKind::String:
    return std::string(attr.text);
  case AttrKind::Float:
    return std::isfinite(attr.f) ? Json(attr.f) : asText(ctx, id);
  case AttrKind::Ints:
    return std::vector<int64_t>(attr.ints.begin(), attr.ints.end());
  case AttrKind::Floats:
    if (std::ranges::all_of(attr.floats, [](double f) { return std::isfinite(f); }))
      return std::vector<double>(attr.floats.begin(), attr.floats.end());
    return asText(ctx, id);
  case AttrKind::List: {
    Json list = Json::array();
    for (AttrId element : attr.elements)
      list.push_back(attrAsJson(ctx, element));
    return list;
  }
  default:
    return asText(ctx, id);
  }
}

namespace {
AttrId fromText(Context &ctx, const std::string &text, AttrType type, std::string_view name) {
  SourceManager sources;
  Diagnostics diags(sources);
  AttrId attr = parseAttr(sources.addText("attribute", text), sources, diags, ctx, type);
  if (!attr)
    throw WrongRequest(fmt::format("`{}` is no attribute for `{}`: {}", text.substr(0, 80), name,
                                   diags.all().empty() ? "" : diags.all().front().message));
  return attr;
}

AttrId fromList(Context &ctx, const Json &json, AttrType type, std::string_view name) {
  auto allOf = [&](auto test) { return std::ranges::all_of(json, test); };
  auto isInt = [](const Json &one) { return one.is_number_integer(); };
  auto isNumber = [](const Json &one) { return one.is_number(); };
  if (type == AttrType::Floats || (type == AttrType::Any && !json.empty() && allOf(isNumber) && !allOf(isInt))) {
    if (allOf(isNumber))
      return ctx.floatsAttr(json.get<std::vector<double>>());
  } else if (type == AttrType::Ints || type == AttrType::Any) {
    if (allOf(isInt))
      return ctx.intsAttr(json.get<std::vector<int64_t>>());
  } else if (type == AttrType::Dims) {
    return fromText(ctx, json.dump(), type, name);
  }
  if (type != AttrType::Any && !holdsList(type))
    return AttrId();
  AttrType element = type == AttrType::Bools      ? AttrType::Bool
                     : type == AttrType::Strings  ? AttrType::String
                     : type == AttrType::IntLists ? AttrType::Ints
                     : type == AttrType::DTypes   ? AttrType::DType
                     : type == AttrType::Types    ? AttrType::Type
                                                  : AttrType::Any;
  std::vector<AttrId> elements;
  for (const Json &one : json)
    elements.push_back(attrFromJson(ctx, one, element, name));
  return ctx.listAttr(elements);
}

AttrId converted(Context &ctx, const Json &json, AttrType type, std::string_view name) {
  if (json.is_object() && json.size() == 1 && json.contains("text") && json["text"].is_string())
    return fromText(ctx, json["text"].get<std::string>(), type, name);
  if (json.is_array())
    return fromList(ctx, json, type, name);
  if (json.is_boolean())
    return type == AttrType::Int ? ctx.intAttr(json.get<bool>()) : ctx.boolAttr(json.get<bool>());
  if (json.is_number_integer() && type != AttrType::Float) {
    int64_t number = json.get<int64_t>();
    return type == AttrType::Dim    ? ctx.dimAttr(Dim::number(number))
           : type == AttrType::Bool ? ctx.boolAttr(number != 0)
                                    : ctx.intAttr(number);
  }
  if (json.is_number())
    return ctx.floatAttr(json.get<double>());
  if (!json.is_string())
    return AttrId();
  std::string text = json.get<std::string>();
  if (type == AttrType::DType || type == AttrType::Type || type == AttrType::Dim)
    return fromText(ctx, text, type, name);
  return type == AttrType::Symbol ? ctx.symbolAttr(text) : ctx.stringAttr(text);
}
} // namespace

AttrId attrFromJson(Context &ctx, const Json &json, AttrType type, std::string_view name) {
  if (json.is_null())
    return AttrId();
  AttrId attr = converted(ctx, json, type, name);
  if (!attr || !attrFits(ctx, attr, type))
    throw WrongRequest(fmt::format("`{}` is {}, not {}", name, attrTypeName(type), jsonText(json).substr(0, 80)));
  return attr;
}

} // namespace rw::c
