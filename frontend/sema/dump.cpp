// The module as text.
#include "frontend/sema/module.h"

namespace rw::sema {

void dump(const Module &, const SourceManager &, std::string &) {}
std::string toString(const Expr &, const Module &, const Body &) { return ""; }

} // namespace rw::sema
