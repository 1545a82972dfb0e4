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
#include "rw/infer/region_rules.h"

#include <span>
#include <string>

namespace rw {

class PatternRewriter;

struct InferenceRules {
  /// Fills in types of results, one each, none where nothing is known.
  void (*types)(Op, Contents &, std::span<TypeId>) = nullptr;
  /// Sets the contents of results by those of operands of which something is known. Operands that are all numbers are
  /// evaluated instead, if there is a kernel.
  void (*contents)(Op, Contents &) = nullptr;
  /// Whether contents follow from types alone, so that they are asked for always.
  bool ofTypes = false;
  /// Whether the only result is the first operand, asked where both are of one type of which nothing is unknown.
  bool (*keepsAll)(Op, Contents &) = nullptr;
  /// Writes the op more simply, in place, by what is known of contents; whether it did.
  bool (*simplify)(Op, Contents &, PatternRewriter &) = nullptr;
  RegionRules regions;
};

/// False if the op has rules already.
bool addInferenceRules(std::string fullName, InferenceRules);

/// All rules that there are, to be found by the kind of an op.
class RulesByKind {
public:
  explicit RulesByKind(const OpRegistry &);
  const InferenceRules &of(KindId kind) const { return kind.raw < rules_.size() ? *rules_[kind.raw] : none_; }

private:
  static const InferenceRules none_;
  std::vector<const InferenceRules *> rules_;
};

} // namespace rw
