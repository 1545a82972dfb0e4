// Ops that are built with attributes by name, since versions of them have those at other places or as operands
// (StandInSchema).
//
// In:  what a right side states: operands one by one, attributes by name.
// Out: the op of the program's version; none if it cannot be: a constant that stands for an attribute cannot hold it,
//      an attribute is unknown.
// Elsewhere: ops whose attributes are at one place are built by rewriter.h.
//
//   Op op = buildNamed(rw, ofVersion(ctx, {&Squeeze_7, &Squeeze_13}), std::array{x}, {{"axes", axes}}, false);
#pragma once

#include "rw/rewrite/rewriter.h"

namespace rw {

struct NamedSetting {
  std::string_view name;
  AttrId value; // none leaves it out
};

/// `open`: with as many results as its `type` clause gives. `takes`: with the regions built since rw.openRegions().
Op buildNamed(PatternRewriter &, const OpSchema &, std::span<const Value> operands, std::span<const NamedSetting>,
              bool open, std::span<const TypeId> types = {}, bool takes = false);
inline Op buildNamed(PatternRewriter &rw, const OpSchema &schema, std::span<const Value> operands,
                     std::initializer_list<NamedSetting> attrs, bool open, std::span<const TypeId> types = {},
                     bool takes = false) {
  return buildNamed(rw, schema, operands, std::span(attrs.begin(), attrs.size()), open, types, takes);
}
/// The op `model` again. An operand that stands for an attribute is kept, unless one is given in its place or the
/// attribute is.
Op againNamed(PatternRewriter &, Op model, std::span<const Value> operands, std::span<const NamedSetting>,
              std::span<const TypeId> types = {}, bool takes = false);
inline Op againNamed(PatternRewriter &rw, Op model, std::span<const Value> operands,
                     std::initializer_list<NamedSetting> attrs, std::span<const TypeId> types = {},
                     bool takes = false) {
  return againNamed(rw, model, operands, std::span(attrs.begin(), attrs.size()), types, takes);
}

/// The attributes of an op with some of them set, wherever its version has those; what it does not have is left out.
AttrsId withNamedAttrs(Op, std::span<const NamedSetting>);
inline AttrsId withNamedAttrs(Op op, std::initializer_list<NamedSetting> attrs) {
  return withNamedAttrs(op, std::span(attrs.begin(), attrs.size()));
}

} // namespace rw
