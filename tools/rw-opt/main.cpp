// rw-opt: the built-in dialects and passes behind the command line of rw/opt/opt_main.h.

#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace {
char **arguments = nullptr;

/// `--serve`: rw-serve, which lies beside this program, goes on with the same command line. The page, and the editor's
/// server behind it, would be half of what this program is built of.
int servePage(const rw::ServeOptions &, const rw::Registry &) {
  const std::string self = llvm::sys::fs::getMainExecutable(arguments[0], reinterpret_cast<void *>(&servePage));
  llvm::SmallString<256> path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(path, "rw-serve");
  execv(path.c_str(), arguments);
  llvm::errs() << path << ": error: the program that shows the page cannot be started: " << std::strerror(errno)
               << " [no-server]\n  note: `tools/build release` builds it, unless with -DRW_PLAYGROUND=OFF\n";
  return 1;
}
} // namespace

int main(int argc, char **argv) {
  arguments = argv;
  rw::Registry registry;
  rw::registerAll(registry);
  return rw::optMain(argc, argv, registry, rw::loadPatterns, servePage);
}
