// The passes that go by what is known of types, sizes and regions: infer_shapes, fold_shapes, inline_if,
// drop_dead_results.
//
// In:  a function. Out: infer_shapes fills what types leave unknown, from the types of operands and from the shapes
//      that the program computes. fold_shapes does so, too, and replaces computed shapes: by constants where they are
//      numbers; by an equal one computed before; an op that provably changes neither shape nor elements by its
//      operand; others by what their rules write instead. inline_if puts the region that an op is known to run in its
//      place; drop_dead_results leaves out what ops with regions compute for nobody.
// Elsewhere: contents.h, type_rules.h; what they are told of ops is rules.h.
//
//   registerInferencePasses(registry);
//   manager.parse("infer_shapes", sources, diags);
//
// Names, order and types of parameters and results of the function stay. No dimension is frozen.
#pragma once

#include "rw/passes/pass.h"

namespace rw {

void registerInferencePasses(Registry &); ///< all of them
void registerInlineIfPass(Registry &);
void registerDeadResultsPass(Registry &);

} // namespace rw
