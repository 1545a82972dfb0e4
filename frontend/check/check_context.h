// What all of one check share: the module being built, the options, the declarations in the order of checking, what
// names mean, and how errors are reported. Inside frontend/check only.
//
// In:  syntax trees of the root and its imports.
// Out: a Module, and diagnostics. There is no checking here: that is free functions over this context, one header per
//      construct, as `lookupOp(c, name)` of names.h or `checkPass(c, pass, decl)` of passes.h.
// Elsewhere: the phases in their order are check.cpp; what the body of one declaration shares is body_context.h.
//
//   void checkLabel(CheckContext &c, const ast::Name &label) {
//     if (label.text.empty())
//       c.error("bad-label", label.range, "a label has a name: `label \"layout\"`");
//   }
#pragma once

#include "frontend/check/check.h"
#include "frontend/check/report.h"

#include "rw/support/nearest_name.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rw::sema {

/// Versions of an op, or ops of one name.
using OpList = llvm::SmallVector<OpIndex, 2>;

/// What the names of a `for` clause stand for in one instance.
struct Substitution {
  std::string_view name;
  const ast::Expr *value;
};

/// A pattern declaration, or one instance of a template.
struct PatternInstance {
  const ast::PatternDecl *decl;
  std::vector<Substitution> substitutions;
};

/// What stands for the names of a `for` clause, and where it is written.
using ForEntry = std::pair<SourceRange, std::vector<const ast::Expr *>>;

/// A use of a named match or rewrite that is put in: what is wrong inside has to do with the use.
struct Expansion {
  std::string_view name;
  SourceRange range;
};

/// A call that a function's body makes, for finding recursion.
struct CallEdge {
  FnIndex callee;
  SourceRange range;
};

struct LoadedFile {
  const ast::Module *tree;
  std::string canonical, folder; // folder: that its imports are searched in first
  uint32_t file;
};

/// A declaration in the order of checking.
struct DeclItem {
  const ast::Decl *decl;
  FileId file;
  std::string_view dialect, external;
  bool imported;
  uint32_t index;                  // in its table of the module; of patterns: the first instance
  bool deferred = false;           // its body is checked when something refers to it, or not at all
  bool isSettled = false;          // it stands in a settled import (check.h)
  uint32_t meaningOf = UINT32_MAX; // of a `means` clause: the item of its op
  bool isTaken = false;            // the body is there: another file's check had it (checked_bodies.h)
  bool isChecked = false;
};

/// How far something is that is checked by itself when it is first used: a named match, a named rewrite, a set.
enum class PutInState : uint8_t { Unseen, Open, Right, Wrong };
template <class D> struct PutIn {
  const D *decl;
  PutInState state = PutInState::Unseen;
};

/// `trait t for a, b;`
struct GivenTrait {
  GroupIndex trait;
  OpIndex op; // or:
  const ast::QualifiedName *name = nullptr;
  FileId file;
};

/// A function that only its own file knows, of either kind.
struct PrivateFn {
  FnIndex fn;
  NativeIndex native;
};

/// What a name means where there is one of it.
template <class Index> using NameTable = llvm::StringMap<Index>;
/// What a name means where several files may have one each.
template <class Index> using NameLists = llvm::StringMap<llvm::SmallVector<Index, 1>>;

/// Named matches, rewrites and sets use each other so deep.
inline constexpr size_t kMaxUsesDeep = 100;
/// Of what could not be parsed, not even its first word: in the place of its kind (CheckContext::damaged).
inline constexpr int kOfAnyKind = -1;

class CheckContext {
public:
  CheckContext(Module &module, const CheckOptions &options, SourceManager &sources, Diagnostics &diags)
      : module(module), options(options), sources(sources), diags(diags) {}

  Module &module;
  const CheckOptions &options;
  SourceManager &sources;
  Diagnostics &diags;

  // ---- messages
  /// Names the construct; nothing of the language is ever left out silently.
  Report error(std::string tag, SourceRange, std::string message);
  /// Only for what stands in the root file: warnings of imports are shown where those are compiled.
  Report warning(std::string tag, SourceRange, std::string message);
  /// What is written there.
  std::string textOf(SourceRange) const;
  /// The nearest name, for a hint. Each looks through all names, so that there are no more of them than can be shown,
  /// at most two of each of a hundred errors and warnings.
  std::string_view nearestHint(std::string_view name, const std::vector<std::string_view> &candidates) {
    return hints_++ >= kMaxHints ? std::string_view() : nearestName(name, candidates);
  }
  bool hintsAreOver() const { return hints_ >= kMaxHints; }
  size_t errorsSeen = 0; // repetitions that were left out, too

  // ---- files (imports.cpp)
  std::vector<LoadedFile> loaded;
  std::vector<std::shared_ptr<const ast::Module>> trees;
  bool trusted = false; // the root is a built-in file that is taken to be right (CheckOptions::trustBuiltin)
  /// Whether the file is one of those, too: the root itself, or what it imports.
  bool trusts(FileId file) const;
  std::map<uint32_t, std::vector<bool>> visible; // visibleFrom (visible_names.h), by file
  // where parsed files are not shared
  mutable std::map<std::vector<std::string>, std::map<std::string, std::string>> libraries;
  llvm::StringSet<> importsMissed;               // files that ops not known here are declared in
  llvm::DenseSet<uint32_t> withoutDialect;       // files of which it was said
  bool importMissing = false;                    // then what is not declared may stand there: nothing is said of it
  std::set<std::pair<int, std::string>> damaged; // kind and name of what could not be parsed; an empty name is any

  // ---- declarations
  std::vector<DeclItem> items;
  // Of what is deferred (deferred.h): the item by index into the module's table.
  std::vector<uint32_t> opItems, fnItems, patternItems;
  std::vector<uint32_t> wanted;                      // items that something refers to, not checked yet
  std::vector<const ast::OpDecl *> opDecls;          // by OpIndex
  std::vector<const ast::FnDecl *> fnDecls;          // by FnIndex
  llvm::DenseMap<const ast::FnDecl *, FnIndex> fnOf; // the other way, once it is needed
  // What is put in where it is used is checked by itself when it is first used.
  std::vector<PutIn<ast::MatcherDecl>> matcherItems; // by MatcherIndex
  std::vector<PutIn<ast::RewriteDecl>> rewriteItems; // by RewriteIndex
  std::vector<PutIn<ast::GroupDecl>> groupItems;     // by GroupIndex
  std::vector<const Decl *> open;         // those of them that are being checked, each used by the one before
  size_t wrongPutIn = 0;                  // uses of named matches and rewrites that are wrong
  std::vector<PatternInstance> instances; // by PatternIndex
  std::vector<std::vector<PipelineIndex>> pipelineUses;
  std::vector<SourceRange> pipelineRanges;
  std::vector<std::vector<CallEdge>> calls; // by FnIndex
  std::vector<GivenTrait> givenTraits;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<OpIndex>> traitOps; // by trait and file
  std::map<uint32_t, bool> areOfTuples;                                   // by set
  std::map<uint32_t, std::pair<bool, std::vector<ForEntry>>> tuples;      // by set: whether all is well, and which
  std::vector<ast::ExprPtr> entries;                                      // of `for` clauses, made of sets

  const Decl &declOf(PatternIndex i) const { return module.patterns[i.raw]; }
  const Decl &declOf(MatcherIndex i) const { return module.matchers[i.raw]; }
  const Decl &declOf(RewriteIndex i) const { return module.rewrites[i.raw]; }
  const Decl &declOf(GroupIndex i) const { return module.groups[i.raw]; }
  const Decl &declOf(PassIndex i) const { return module.passes[i.raw]; }
  const Decl &declOf(PipelineIndex i) const { return module.pipelines[i.raw]; }
  const ast::MatcherDecl &declOfMatcher(MatcherIndex i) const { return *matcherItems[i.raw].decl; }
  const ast::RewriteDecl &declOfRewrite(RewriteIndex i) const { return *rewriteItems[i.raw].decl; }
  /// Whether an op declares result types or what it means, from which they follow, and an attribute a default; known
  /// before the declaration is checked.
  bool hasTypeClause(OpIndex op) const {
    return opDecls[op.raw]->types.size() != 0 || opDecls[op.raw]->means.size() != 0;
  }
  bool hasDefault(OpIndex op, size_t attr) const {
    const auto &written = opDecls[op.raw]->attrs;
    return attr < written.size() ? bool(written[attr].defaultValue)
                                 : module.op(op).attrAt(attr).defaultValue.has_value();
  }
  bool isOfTemplate(const Pattern &p) const {
    return !instances[size_t(&p - module.patterns.data())].substitutions.empty();
  }

  // ---- names: what they are looked up in (names.h)
  llvm::StringMap<OpList, llvm::BumpPtrAllocator> opsByName; // of all dialects
  NameTable<FnIndex> fns, ownFns; // own: of the root file, of names that imported functions have
  NameTable<NativeIndex> natives, ownNatives;
  std::map<std::pair<uint32_t, std::string>, PrivateFn, std::less<>> privates; // by file and name
  NameLists<PatternIndex> patterns;
  NameLists<MatcherIndex> matchers;
  NameLists<RewriteIndex> rewrites;
  NameLists<GroupIndex> groups;
  NameLists<PassIndex> passes;
  NameLists<PipelineIndex> pipelines;
  llvm::StringSet<> dialects;
  bool isDialect(std::string_view name) const { return dialects.contains(name); }
  mutable std::optional<std::vector<std::string>> constantDialects; // with an op that holds a constant, once asked for
  /// The first of each dialect, and, with a `=`, of each name in other formats.
  llvm::StringMap<const ast::DialectDecl *> externals;
  template <class Index> bool isSeen(Index i) const { return !declOf(i).isPrivate || declOf(i).file == from; }

  // ---- what is being checked
  bool imported = false; // it stands in an import
  FileId from;           // and in this file
  /// Of the template instance being checked; empty otherwise.
  const std::vector<Substitution> *substitutions = nullptr;
  std::string_view instanceName;
  bool firstInstance = true; // of its template; of the others one error each is said
  size_t instanceErrors = 0; // of the one being checked
  std::vector<Expansion> expansions;
  FnIndex currentFn;
  /// The left side of the `means` clause being checked, and of which op it is; else null.
  const ast::Match *meantRoot = nullptr;
  OpIndex meantOp;

private:
  static constexpr size_t kMaxHints = 400;
  size_t hints_ = 0;
  std::set<std::pair<uint32_t, std::string>> reported_;
};

/// While it lives, another declaration is checked, by itself: perhaps in the middle of one that uses it.
class [[nodiscard]] Aside {
public:
  Aside(CheckContext &c, const Decl &decl)
      : c_(c), substitutions_(std::exchange(c.substitutions, nullptr)),
        imported_(std::exchange(c.imported, decl.imported)), from_(std::exchange(c.from, decl.file)),
        expansions_(std::exchange(c.expansions, {})) {
    c.open.push_back(&decl);
  }
  ~Aside() {
    c_.open.pop_back();
    c_.substitutions = substitutions_;
    c_.imported = imported_;
    c_.from = from_;
    c_.expansions = std::move(expansions_);
  }
  Aside(const Aside &) = delete;
  Aside &operator=(const Aside &) = delete;

private:
  CheckContext &c_;
  const std::vector<Substitution> *substitutions_;
  bool imported_;
  FileId from_;
  std::vector<Expansion> expansions_;
};

} // namespace rw::sema
