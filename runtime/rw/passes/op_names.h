// OpNames: how logs and traces call ops while a function is being rewritten.
//
// In:  the function as it stands before a pass. Out: "tensor.add %3": values as the printer names them at that time,
//      however they are renamed since; ops made later by the name they were given, else by "#" and their id.
// Elsewhere: names in the text form are ir/printer.h.
#pragma once

#include "rw/ir/function.h"

#include <string>
#include <vector>

namespace rw {

class OpNames {
public:
  OpNames() = default;
  explicit OpNames(const Function &fn);
  std::string of(Op op) const;
  std::string of(Value value) const; ///< "%3"

private:
  std::vector<std::string> values_; // by id: those that were there at first
};

} // namespace rw
