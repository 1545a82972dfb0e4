#include "rw/support/exec_sibling.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace rw {

void execSibling(std::string_view program, char **arguments, Diagnostics &diags) {
  const std::string self = llvm::sys::fs::getMainExecutable(arguments[0], reinterpret_cast<void *>(&execSibling));
  llvm::SmallString<256> path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(path, llvm::StringRef(program.data(), program.size()));
  execv(path.c_str(), arguments);
  const int why = errno;
  diags
      .errorInFile("program-missing", std::string(path),
                   std::string("this program does what is asked for, and cannot be started: ") + std::strerror(why))
      .note(why == ENOENT ? "in rw's sources, `tools/build release` builds all programs" : "is its file executable?");
}

} // namespace rw
