// The passes behind `--fp16` and their like in other languages, as pipeline text.
//
//   std::string passes = opt::halvingPasses({"Softmax", "/head/*"}, false);      // to_f16{keep="Softmax,/head/*"},dce
#pragma once

#include <string>
#include <vector>

namespace rw::opt {

/// `keep`: ops that stay in f32 (kinds, names, globs); `io`: inputs and results become f16 as well.
std::string halvingPasses(const std::vector<std::string> &keep, bool io);

} // namespace rw::opt
