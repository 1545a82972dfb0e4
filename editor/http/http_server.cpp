#include "editor/http/http_server.h"

#include "rw/support/failure.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <dlfcn.h>

namespace rw::http {

/// lib/rw beside the folder of the program, in an installation and in a build alike.
static std::string modulePath() {
  static const char here = 0;
  llvm::SmallString<256> path(llvm::sys::fs::getMainExecutable(nullptr, const_cast<char *>(&here)));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", RW_HTTP_MODULE);
  return std::string(path);
}

Result<std::unique_ptr<Listener>> listen(Handler &handler, int port) {
  // Never unloaded: threads of it may still be ending.
  void *module = dlopen(modulePath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    const char *why = dlerror();
    return failure("the HTTP server cannot be loaded: {}", why ? why : "no reason given");
  }
  auto entry = reinterpret_cast<EntryPoint>(dlsym(module, kEntryPoint));
  if (!entry)
    return failure("{} is not of this version", modulePath());
  std::string error; // the module's entry point is a C symbol, which returns a pointer and no Result
  std::unique_ptr<Listener> listener(entry(handler, port, error));
  if (!listener)
    return Failure{std::move(error)};
  return listener;
}

} // namespace rw::http
