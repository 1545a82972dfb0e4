#include "rw/opt/half_precision.h"

#include "rw/ir/text_format.h"

namespace rw::opt {

std::string halvingPasses(const std::vector<std::string> &keep, bool io) {
  std::string names, options;
  for (const std::string &name : keep)
    names += (names.empty() ? "" : ",") + name;
  if (!names.empty()) {
    options = "keep=";
    text::appendQuoted(options, names);
  }
  if (io)
    options += options.empty() ? "io=true" : ",io=true";
  return "to_f16" + (options.empty() ? "" : "{" + options + "}") + ",dce";
}

} // namespace rw::opt
