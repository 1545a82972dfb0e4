// Every name in a document, and what it means.
//
// In:  an Analysis; texts with errors give the names of the declarations that could be read.
// Out: occurrences in the order of the text. Two with the same `key` mean the same thing, also in different files.
// Elsewhere: types of variables are those that frontend/check found.
//
// Names are looked up as the language has it, without being checked: a name that means nothing is left out.
//
//   for (const Occurrence &o : namesOf(analysis)) if (o.key == key) …
#pragma once

#include "editor/server/project.h"

namespace rw::editor {

enum class NameKind : uint8_t {
  Dialect,
  Op,
  Fn,
  Native,
  Matcher,
  Rewrite,
  Group,
  Pattern,
  Pass,
  Pipeline, // declared at the top of a file
  Attribute,
  Operand,
  Result,
  Region, // of an op
  Param,
  Variable,
  Property,
  Builtin,
  DType,
  Trait,
  Label,
  Import,
};

struct Occurrence {
  SourceRange range;
  NameKind kind;
  bool declares = false;
  std::string key;
  std::vector<uint32_t> declared; // of Analysis::declared: all versions of an op; of a part of an op those that have it
  SourceRange binding;            // of parameters and variables: where it is declared
};

std::vector<Occurrence> namesOf(const Analysis &);
/// The one at a place, or right before it; null if there is none.
const Occurrence *nameAt(const Analysis &, const std::vector<Occurrence> &, size_t offset);

/// All versions of an op by what stands in front of its parentheses: `Relu`, `onnx.Relu`.
std::vector<uint32_t> opsNamed(const Analysis &, std::string_view dialect, std::string_view name);
/// Where a declared thing, or its part with this name, has its name.
SourceRange placeOf(const Declared &);
std::vector<SourceRange> placesOf(const Analysis &, const Occurrence &);
/// The text of a declaration's head: `op relu(x: tensor) -> tensor`.
std::string headOf(const Analysis &, const Declared &);
NameKind kindOf(const ast::Decl &);

} // namespace rw::editor
