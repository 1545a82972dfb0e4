// A plugin: a shared library whose ops, patterns, passes and pipelines a program takes in while it runs.
//
// In:  what `rw_add_patterns(… PLUGIN)` puts into the library: one exported function, and the version of rw that it is
//      compiled with.
// Out: RW_PLUGIN, which writes both for plugins made without rw_add_patterns: passes in C++, say.
// Elsewhere: loading them is load_plugins.h.
//
// A plugin has no copy of rw: it uses that of the program, whose types and tables have to be laid out as it was
// compiled to expect. So its version is that of the headers of rw and of the built-in patterns, of the C++ library and
// the compiler's ABI, and a program loads only plugins of its own version.
//
//   void registerMine(rw::Registry &registry) {
//     const rw::Registry::Scope scope(registry, "my::opt");
//     registry.addPass({.name = "mine", .make = makeMine});
//   }
//   RW_PLUGIN(registerMine)
#pragma once

#include "rw/passes/pass.h"
// RW_ABI_STAMP: rw's version and a checksum of its headers and patterns, made by the build
#include "rw/plugin/abi_stamp.h"

#include <version>

#define RW_PLUGIN_TEXT_(x) #x
#define RW_PLUGIN_TEXT(x) RW_PLUGIN_TEXT_(x)

#if defined(_GLIBCXX_USE_CXX11_ABI)
#define RW_PLUGIN_STRINGS RW_PLUGIN_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define RW_PLUGIN_STRINGS "-"
#endif
#if defined(_GLIBCXX_DEBUG)
#define RW_PLUGIN_LIBRARY "libstdc++ that checks"
#elif defined(__GLIBCXX__)
#define RW_PLUGIN_LIBRARY "libstdc++"
#else
#define RW_PLUGIN_LIBRARY "another C++ library"
#endif

/// The version as a text: "0.1.0-3f9a0c61d2b4, libstdc++, strings 1".
#define RW_PLUGIN_VERSION RW_ABI_STAMP ", " RW_PLUGIN_LIBRARY ", strings " RW_PLUGIN_STRINGS
/// What stands before it in the library: it is read before any code of the library runs.
#define RW_PLUGIN_MARK "rw plugin made for "

extern "C" {
/// In every plugin.
[[gnu::visibility("default")]] void rw_plugin_register(rw::Registry &);
/// In the program; in a plugin only if it brings a copy of rw along, which is how that is detected.
void rw_plugin_host();
}

/// Makes a plugin of the library: `function` is void(rw::Registry &). Once in a library.
#define RW_PLUGIN(function)                                                                                            \
  extern "C" {                                                                                                         \
  [[gnu::visibility("default")]] extern const char rw_plugin_version[];                                                \
  const char rw_plugin_version[] = RW_PLUGIN_MARK RW_PLUGIN_VERSION;                                                   \
  void rw_plugin_register(rw::Registry &registry) {                                                                    \
    rw_plugin_host();                                                                                                  \
    function(registry);                                                                                                \
  }                                                                                                                    \
  }
