#include "rw/plugin/load_plugins.h"

#include "rw/plugin/plugin.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>

namespace rw {
namespace {

/// The text behind the mark in a library; none if there is no mark.
std::optional<std::string> versionIn(llvm::StringRef library) {
  constexpr llvm::StringLiteral mark = RW_PLUGIN_MARK;
  for (size_t at = 0; (at = library.find(mark, at)) != llvm::StringRef::npos;) {
    at += mark.size();
    llvm::StringRef text = library.substr(at, 200);
    if (text = text.substr(0, text.find('\0')); !text.empty()) // programs that load plugins have the mark alone
      return text.str();
  }
  return std::nullopt;
}

/// Whether all that the loader will read of a library is there: it maps what the header states, and what lies behind
/// the file's end is no memory. `bytes` begin as an ELF file does; what is for another kind of machine the loader
/// refuses by itself.
bool isWhole(llvm::StringRef bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return false;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    return true;
  auto isInside = [&](uint64_t offset, uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  };
  if (!isInside(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr)) ||
      !isInside(header.e_shoff, uint64_t(header.e_shnum) * header.e_shentsize))
    return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NULL && !isInside(segment.p_offset, segment.p_filesz))
      return false;
  }
  return true;
}

/// Whether the file can be loaded; nothing of it has run by then.
bool check(const std::string &path, Diagnostics &diags) {
  std::error_code failed;
  if (std::filesystem::is_other(path, failed)) { // reading one might not end
    diags.errorInFile("not-a-plugin", path, "is no shared library, but a pipe or a device")
        .note("`rw_add_patterns(my PLUGIN SOURCES my.rw)` in CMake builds one");
    return false;
  }
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    diags.errorInFile("cannot-read", path, "cannot be read: " + file.getError().message());
    return false;
  }
  llvm::StringRef bytes = (*file)->getBuffer();
  if (!bytes.starts_with("\x7f"
                         "ELF")) {
    diags.errorInFile("not-a-plugin", path, "is no shared library")
        .note(path.ends_with(".rw") ? "--patterns loads a .rw file as it is"
                                    : "`rw_add_patterns(my PLUGIN SOURCES my.rw)` in CMake builds one");
    return false;
  }
  if (!isWhole(bytes)) {
    diags
        .errorInFile("not-a-plugin", path,
                     fmt::format("is cut off: its header states more than the {} bytes of the file", bytes.size()))
        .note("copy or build it again");
    return false;
  }
  std::optional<std::string> version = versionIn(bytes);
  if (!version) {
    diags.errorInFile("not-a-plugin", path, "is a library, but no plugin of rw")
        .note("`rw_add_patterns(my PLUGIN SOURCES my.rw)` in CMake builds one; RW_PLUGIN makes one of C++ "
              "(rw/plugin/plugin.h)");
    return false;
  }
  if (*version != RW_PLUGIN_VERSION) {
    diags
        .errorInFile("plugin-version", path,
                     fmt::format("is made for rw {}, and this program has rw {}", *version, RW_PLUGIN_VERSION))
        .note("build the plugin again with the installation of rw that the program is from");
    return false;
  }
  return true;
}

/// What the loader says, without the path in front, and what is missing as C++ has it.
std::string whyNot(std::string_view path) {
  const char *text = dlerror();
  std::string_view why = text ? text : "the loader gives no reason";
  if (why.starts_with(path) && why.substr(path.size()).starts_with(": "))
    why.remove_prefix(path.size() + 2);
  constexpr std::string_view undefined = "undefined symbol: ";
  if (why.starts_with(undefined))
    return fmt::format("neither it nor the program has `{}`",
                       llvm::demangle(std::string(why.substr(undefined.size()))));
  return std::string(why);
}

/// The library that has this address.
const void *libraryOf(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

bool load(const std::string &path, std::vector<void *> &loaded, Registry &registry, Diagnostics &diags) {
  if (!check(path, diags))
    return false;
  // The loader looks names without a `/` up in the system's folders.
  std::string place = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    diags.errorInFile("plugin-not-loaded", path, "cannot be loaded: " + whyNot(place))
        .note("a program has what a plugin uses of rw if CMake's rw_allow_plugins(TARGET) says so; all else is to be "
              "linked into the plugin");
    return false;
  }
  void *entry = dlsym(library, "rw_plugin_register");
  if (!entry) {
    diags.errorInFile("not-a-plugin", path, "is a library, but no plugin of rw: it exports no `rw_plugin_register`")
        .note("RW_PLUGIN of rw/plugin/plugin.h writes it; the library must not hide it");
    return false;
  }
  // A plugin that was linked with rw's libraries has a copy of what this program has: types and tables there twice.
  if (void *host = dlsym(library, "rw_plugin_host"); host && libraryOf(host) == libraryOf(entry)) {
    diags.errorInFile("plugin-copy", path, "has a copy of rw of its own")
        .note("link the plugin with none of rw's libraries: it uses what the program has; of .rw files, list all among "
              "its SOURCES");
    return false;
  }
  if (std::ranges::find(loaded, library) != loaded.end()) {
    diags.errorInFile("plugin-twice", path, "is loaded already").note("name each plugin once");
    return false;
  }
  loaded.push_back(library);
  reinterpret_cast<void (*)(Registry &)>(entry)(registry);
  return true;
}
} // namespace

bool loadPlugins(const std::vector<std::string> &paths, Registry &registry, Diagnostics &diags) {
  Registry extended = registry; // what was registered before a plugin that is wrong must not stay
  std::vector<void *> loaded;
  bool good = true;
  for (const std::string &path : paths)
    good &= load(path, loaded, extended, diags);
  if (good)
    registry = std::move(extended);
  return good;
}

} // namespace rw
