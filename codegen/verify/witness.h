// Witness: a counterexample as text: a `test` of the language that fails, and what differs.
//
// In:  an instance at which a pattern must not fire, the values of its parameters.
// Out: text that `rwc --test` runs beside the pattern; nothing if the language has no words for some part of it.
//
//   test SubSelf (x: f32[2]) { tensor.sub(x, x) => unchanged }
#pragma once

#include "codegen/verify/instance_builder.h"

#include <optional>
#include <string>

namespace rw::verify {

std::optional<std::string> testText(const std::string &pattern, Function &);
/// "x = [1.0, nan]", one parameter a line.
std::string inputsText(std::span<const Tensor>);
/// How many ops and elements there are: the smaller, the better an example.
size_t sizeOf(const Instance &);

} // namespace rw::verify
