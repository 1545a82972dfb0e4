// The properties of values, types and ops that stand behind a dot, `x.shape`, `d.name`: one table, which the checker
// and editors read.
//
// In:  -
// Out: name, type and documentation per property, and what has it.
// Elsewhere: the parts of one op, `d.perm`, come from its declaration (members.cpp).
//
//   properties()[0].name == "shape"
#pragma once

#include "frontend/sema/expr.h"

#include <span>
#include <string_view>
#include <vector>

namespace rw::sema {

struct PropertyInfo {
  std::string_view name;
  Property property;
  Type type;
  std::vector<TypeKind> of;
  std::string_view doc;

  bool isOfOp() const { return of[0] == TypeKind::Op; }
  /// Whether it stands in the `type` clause of an op only.
  bool isOfTypeClause() const { return property == Property::Contents || property == Property::Sizes; }
};
std::span<const PropertyInfo> properties();

} // namespace rw::sema
