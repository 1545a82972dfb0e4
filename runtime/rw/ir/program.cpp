#include "rw/ir/program.h"

namespace rw {

Function *Program::function(std::string_view name) {
  for (size_t i = 0; i < functions_.size(); ++i)
    if (size_t at = (lastFound_ + i) % functions_.size(); functions_[at].name() == name) {
      lastFound_ = at;
      return &functions_[at];
    }
  return nullptr;
}

Program Program::clone() const {
  Program copy(ctx_);
  for (const Function &f : functions_)
    copy.functions_.emplace_back(f);
  return copy;
}

} // namespace rw
