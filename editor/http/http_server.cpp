#include "editor/http/http_server.h"

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

std::unique_ptr<Listener> listen(Handler &handler, int port, std::string &error) {
  // Never unloaded: threads of it may still be ending.
  void *module = dlopen(modulePath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    const char *why = dlerror();
    error = std::string("the HTTP server cannot be loaded: ") + (why ? why : "no reason given");
    return nullptr;
  }
  auto entry = reinterpret_cast<EntryPoint>(dlsym(module, kEntryPoint));
  if (!entry) {
    error = modulePath() + " is not of this version";
    return nullptr;
  }
  return std::unique_ptr<Listener>(entry(handler, port, error));
}

} // namespace rw::http
