// Files whose end may never come: devices, and pipes without a writer.
//
// In:  a path. Out: why it is not read, in words that follow its name and a colon.
// Elsewhere: source.h reads texts; models and plugins have readers of their own.
//
//   if (std::string why = whyEndless(path); !why.empty())
//     diags.errorInFile("cannot-read", path, "cannot be read: " + why);
#pragma once

#include <cstdint>
#include <string>

namespace rw {

/// Empty for what is read. Standard input, and the pipes that a shell opens for `<(command)`, may be named.
/// `size`: set to that of a regular file, as far as one can tell.
std::string whyEndless(const std::string &path, uint64_t *size = nullptr);

} // namespace rw
