// The documentation page of a .rw file: what it declares, for people who use it (`rwc --docs`).
//
// In:  a checked module and the texts it came from.
// Out: Markdown: ops with operands, attributes, traits, effects, requirements and result types; functions; patterns
//      with their tags and text; passes, pipelines, native functions. Declarations of imported files are not in it.
// Elsewhere: the same module for debugging is sema::dump, for C++ codegen/emit.
//
//   /// Permutes dimensions.                          ### `tensor.transpose`
//   op transpose(x: tensor) -> tensor {               Permutes dimensions.
//     attr perm: [int];                        gives      op transpose(x: tensor) -> tensor
//     traits pure;                                    | attribute | type | default | |
//     …                                               …
#pragma once

#include "frontend/sema/module.h"

namespace rw::docs {

/// `title` is the first heading, mostly the path of the file.
std::string markdown(const sema::Module &, const SourceManager &, std::string_view title);

} // namespace rw::docs
