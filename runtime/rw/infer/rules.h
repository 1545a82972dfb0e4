// What inference knows of an op beyond its declaration: rules in C++, by the op's name.
//
// In:  the full name of an op, and functions.
// Out: from then on they are asked whenever types are inferred. A `type` clause comes first; what both say is put
//      together, and of what they contradict each other in nothing is said.
// Elsewhere: most ops need none: a `type` clause may read what operands hold (`x.contents`), and ops with the trait
//      `moves_elements` move contents by themselves. The rules of ONNX's ops are rw/onnx_infer.
//
//   addInferenceRules("acme.window", {.types = windowTypes});
//
// To be called while a tool or plugin registers its patterns, before anything is inferred.
#pragma once

#include "rw/infer/contents.h"

#include <span>
#include <string>

namespace rw {

struct InferenceRules {
  /// Fills in types of results, one each, none where nothing is known.
  void (*types)(Op, Contents &, std::span<TypeId>) = nullptr;
  /// Sets the contents of results by those of operands of which something is known. Operands that are all numbers are
  /// evaluated instead, if there is a kernel.
  void (*contents)(Op, Contents &) = nullptr;
  /// Whether contents follow from types alone, so that they are asked for always.
  bool ofTypes = false;
};

/// False if the op has rules already.
bool addInferenceRules(std::string fullName, InferenceRules);
/// None of what has none.
InferenceRules inferenceRules(std::string_view fullName);

} // namespace rw
