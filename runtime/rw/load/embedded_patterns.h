// Patterns that are embedded in a program as data: what `rw_add_patterns(… FORM data)` makes of a file's patterns and
// tests in place of C++.
//
// In:  bytes that rwc has written into generated C++; a registry.
// Out: patterns and tests of that registry, like those of C++ form, and hooks of the file's ops. Views and schemas of
// ops, functions, passes,
//      pipelines and native code of the file are C++ in both forms, as are the patterns and ops that ask for native
//      code.
// Elsewhere: the implementation is codegen/machine, in a library of its own (rw::machine), which brings the interpreter
// along but
//            neither the compiler nor ANTLR. Files that are read at run time: load_patterns.h.
//
// Data of another version of rw, or damaged, is not run: nothing of it is registered, and Registry::check reports it.
//
//   const Registry::Scope scope(registry, "my::opt", "many.rw");
//   const EmbeddedPatterns embedded(registry, "many.rw", kPatternData);
//   embedded.addPatterns(0, 1000);
//   embedded.addTests();
#pragma once

#include "rw/passes/pass.h"
#include "rw/rewrite/meaning.h"

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace rw {

namespace interpret {
class EmbeddedUnit;
struct OpClauses;
} // namespace interpret

class EmbeddedPatterns {
public:
  /// Reads the data; `file` is the one it was made from, for reports.
  EmbeddedPatterns(Registry &, std::string_view file, std::string_view data);
  ~EmbeddedPatterns();
  EmbeddedPatterns(const EmbeddedPatterns &) = delete;

  /// Adds patterns first to last - 1, in the order of the file: what is C++ is added between.
  void addPatterns(size_t first, size_t last) const;
  void addTests() const;

private:
  Registry &registry_;
  std::unique_ptr<interpret::EmbeddedUnit> unit_; // null if it could not be read
};

/// The clauses and meanings of a file's ops, in the same data: `OpSchema::clauses` of an op whose hooks these are. They
/// are read when the first is needed.
class EmbeddedClauses {
public:
  constexpr explicit EmbeddedClauses(std::string_view data) : data_(data) {}

  /// Which clauses an op has.
  enum Clause : uint8_t { Types = 1, Requires = 2, Defaults = 4, Folds = 8, Means = 16 };
  /// The schema with hooks for its clauses, a sum of Clause; `index` says which op of the data it is.
  constexpr OpSchema operator()(uint32_t index, unsigned clauses, OpSchema schema) const;

  static bool inferTypes(const OpInputs &, std::span<TypeId>);
  static bool check(const OpInputs &, CheckSink &);
  static AttrId defaultAttr(const OpInputs &, unsigned index);
  static FoldResult fold(Op);
  static bool expand(Op, PatternRewriter &);

private:
  struct Code;
  const Code *code() const;
  static std::optional<interpret::OpClauses> of(const OpSchema &);

  std::string_view data_;
  mutable std::atomic<const Code *> code_{nullptr};
};

constexpr OpSchema EmbeddedClauses::operator()(uint32_t index, unsigned clauses, OpSchema schema) const {
  schema.clauses = this;
  schema.clauseIndex = index;
  if (clauses & Types)
    schema.inferTypes = inferTypes;
  if (clauses & Requires)
    schema.check = check;
  if (clauses & Defaults)
    schema.defaultAttr = defaultAttr;
  if (clauses & Folds)
    schema.fold = fold;
  if (clauses & Means) {
    schema.expand = expand;
    schema.meantTypes = inferByMeaning;
    if (!(clauses & Types))
      schema.inferTypes = inferByMeaning;
  }
  return schema;
}

/// What the ops of one dialect have in common that a file with data declares.
struct EmbeddedOpsOfFile : OpsOfFile {
  const EmbeddedClauses &clauses;
  /// Of an op without clauses.
  using OpsOfFile::operator();
  constexpr OpSchema operator()(uint32_t index, unsigned has, OpSchema schema) const {
    return clauses(index, has, OpsOfFile::operator()(schema));
  }
};

} // namespace rw
