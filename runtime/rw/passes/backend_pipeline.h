// BackendPipeline: what a backend adds to the pipeline `full`.
//
// In:  four pieces of pipeline text, each possibly empty. Out: they stand where the items `backend-pre`,
//      `backend-legalize`, `backend-fuse` and `backend-cleanup` are named, if the backend is chosen.
// Elsewhere: the passes they name are registered like any other; pipelines are read by pipeline.h.
//
//   full = repeat(pre) { canonicalize, backend-pre }, backend-legalize, backend-fuse, hoist_params,
//          repeat(post) { canonicalize, backend-cleanup, cse, dce }
//
//   registry.addPass({.name = "npu_tiles", .make = makeTiles});
//   registry.addBackend({.name = "npu", .populatePre = "layout", .legalize = "npu_legal", .fuse = "npu_tiles"});
//   PassManager manager(registry, {.backend = registry.backend("npu")});
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rw {

struct BackendPipeline {
  std::string name;
  std::string doc;
  std::string populatePre; // simplifications of its own, inside the first loop
  std::string legalize;    // after the first loop: only ops it can run remain
  std::string fuse;        // after that: ops become larger ones
  std::string cleanup;     // inside the last loop

  /// The text of hook `index` of kBackendHooks.
  const std::string &text(size_t index) const {
    return index == 0 ? populatePre : index == 1 ? legalize : index == 2 ? fuse : cleanup;
  }
};

inline constexpr std::string_view kBackendHooks[] = {"backend-pre", "backend-legalize", "backend-fuse",
                                                     "backend-cleanup"};

/// Which hook a name in pipeline text is.
inline std::optional<size_t> backendHook(std::string_view name) {
  for (size_t i = 0; i < std::size(kBackendHooks); ++i)
    if (kBackendHooks[i] == name)
      return i;
  return std::nullopt;
}

} // namespace rw
