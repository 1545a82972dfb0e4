// registerAll: everything that comes with rw, in one call.
//
// In:  a registry. Out: the registry with all built-in dialects, patterns, passes and pipelines, those in C++ among
//      them: what rw-opt has, so that every pipeline that rw-opt --list-passes shows runs.
// Elsewhere: the parts are registerCorePasses (rw/passes/pass.h), registerInferencePasses (rw/infer/infer_shapes.h) and
//            rw::builtin::register_rw_builtin, which is generated from patterns/.
//
//   rw::Registry registry;
//   rw::registerAll(registry);
//   my::opt::register_my_patterns(registry);   // one's own, also with names of built-in ones
//                                              (rewrite/qualified_name.h)
#pragma once

#include "rw/passes/pass.h"

namespace rw {

/// Twice is as good as once.
void registerAll(Registry &);

} // namespace rw
