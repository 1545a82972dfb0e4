#include "rw/ir/program.h"

namespace rw {

Function *Program::function(std::string_view name) {
  for (Function &f : functions_)
    if (f.name() == name)
      return &f;
  return nullptr;
}

Program Program::clone() const {
  Program copy(ctx_);
  for (const Function &f : functions_)
    copy.functions_.emplace_back(f);
  return copy;
}

} // namespace rw
