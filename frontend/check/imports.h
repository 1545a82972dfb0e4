// Loads what a file imports: every file once, cycles reported with their path.
//
// In:  the root.
// Out: CheckContext::loaded and trees, Module::files, and all declarations as CheckContext::items.
// Elsewhere: that op is perhaps declared by a file which is not imported, missing_imports.h.
//
//   loadFile(c, root, canonical, Trust::None, stack);
#pragma once

#include "frontend/check/check_context.h"

namespace rw::sema {

/// What is known of a file without checking it.
enum class Trust : uint8_t {
  None,
  Right,   // the root is taken to be right, and so is this import of it (CheckOptions::trustBuiltin)
  Settled, // right, and registered (check.h)
};

/// A file and all that it imports. `stack`: the files that led here, by index.
void loadFile(CheckContext &c, const ast::Module &tree, std::string canonical, Trust trust,
              std::vector<uint32_t> &stack);
/// Whether the file at a path is settled (check.h).
bool isSettled(const CheckContext &c, const std::string &canonical);

} // namespace rw::sema
