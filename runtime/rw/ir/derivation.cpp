#include "rw/ir/derivation.h"

#include <array>

namespace rw {

std::optional<Derivation> derivationOf(const Function &fn, unsigned index) {
  const ParamInfo &info = fn.paramInfo(index);
  if (info.role != ParamRole::Param || !info.defaultValue)
    return std::nullopt;
  const Context &ctx = fn.context();
  const AttrData &list = ctx.attr(info.defaultValue);
  if (list.kind != AttrKind::List || list.elements.size() != 2)
    return std::nullopt;
  const AttrData &name = ctx.attr(list.elements[0]), &result = ctx.attr(list.elements[1]);
  if (name.kind != AttrKind::Symbol || result.kind != AttrKind::Int || result.i < 0 || result.i > UINT16_MAX)
    return std::nullopt;
  return Derivation{name.text, unsigned(result.i)};
}

AttrId derivationAttr(Context &ctx, std::string_view function, unsigned result) {
  std::array<AttrId, 2> parts{ctx.symbolAttr(function), ctx.intAttr(result)};
  return ctx.listAttr(parts);
}

} // namespace rw
