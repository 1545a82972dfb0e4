#include "rw/support/endless.h"

#include "llvm/Support/FileSystem.h"

namespace rw {

std::string whyEndless(const std::string &path, uint64_t *size) {
  using llvm::sys::fs::file_type;
  llvm::sys::fs::file_status status;
  if (path == "/dev/stdin" || path == "/dev/null" || path.starts_with("/dev/fd/") ||
      llvm::sys::fs::status(path, status))
    return {};
  if (status.type() == file_type::character_file || status.type() == file_type::block_file)
    return "it is a device, and may have no end";
  if (status.type() == file_type::fifo_file || status.type() == file_type::socket_file)
    return "it is a pipe, and may have no end; `-` reads standard input";
  if (size && status.type() == file_type::regular_file)
    *size = status.getSize();
  return {};
}

} // namespace rw
