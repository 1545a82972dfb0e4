#include "frontend/check/constant_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

bool hasConstantOp(const CheckContext &c, std::string_view dialect) {
  if (!c.constantDialects) { // a file sees hundreds of ops, and each op that is built asks
    c.constantDialects.emplace();
    for (const Op &op : c.module.ops)
      if ((op.traits & trait::constant) && std::ranges::any_of(op.attrs, [](const OpAttrDecl &attr) {
            return attr.name == "value" && attr.type == AttrType::Tensor;
          }))
        c.constantDialects->push_back(op.dialect);
  }
  return std::ranges::find(*c.constantDialects, dialect) != c.constantDialects->end();
}

std::string constantsOf(const CheckContext &c, const std::string &dialect, const std::string &around) {
  if (dialect.empty() || hasConstantOp(c, dialect))
    return dialect;
  return hasConstantOp(c, around) ? around : dialect;
}

std::string dialectOf(const CheckContext &c, const Match &root) {
  std::string dialect;
  bool one = true;
  forEachRootOp(root, [&](const Match &m) {
    for (OpIndex op : m.ops.ops) {
      const std::string &here = c.module.op(op).dialect;
      one &= dialect.empty() || dialect == here;
      dialect = here;
    }
  });
  return one ? dialect : std::string();
}

Report reportNoConstant(BodyContext &b, std::string_view dialect, SourceRange range) {
  Report report =
      b.error("no-constant", range, fmt::format("this is a constant, and `{}` has no op that holds one", dialect));
  report.note(
      "`op constant() -> tensor { attr value: tensor; traits pure, constant; type value.type; }` declares one; one "
      "that another file declares is seen where that file is imported");
  return report;
}

} // namespace rw::sema
