// The state of one check: the module being built, the names in it, and how errors are reported.
//
// In:  syntax trees of the root and its imports.
// Out: a Module; inside frontend/check only. The phases, each its own file:
//      imports.cpp (files), declare.cpp (names and signatures), sets_and_traits.cpp, op_clauses.cpp, functions.cpp,
//      patterns.cpp (bodies, through BodyChecker of body.h), passes.cpp, tests.cpp, lint_pattern_pairs.cpp.
#pragma once

#include "frontend/check/check.h"

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

/// A diagnostic to add notes to; one that was left out as a repetition swallows them.
class Report {
public:
  Report() = default;
  explicit Report(Diagnostics::Builder builder) : builder_(builder) {}
  Report &note(SourceRange range, std::string message) {
    if (builder_)
      builder_->note(range, std::move(message));
    return *this;
  }
  Report &note(std::string message) {
    if (builder_)
      builder_->note(std::move(message));
    return *this;
  }
  Report &fixIt(SourceRange range, std::string replacement) {
    if (builder_)
      builder_->fixIt(range, std::move(replacement));
    return *this;
  }

private:
  std::optional<Diagnostics::Builder> builder_;
};

/// The names of one list, and where each was seen first. Most lists are short, and looked through.
class SeenNames {
public:
  /// Where the name stands already; null: it is new, and seen from now on. The text of the name stays where it is.
  const SourceRange *add(std::string_view name, SourceRange range) {
    if (few_.size() < kFew) {
      if (const SourceRange *known = find(name))
        return known;
      few_.push_back({name, range});
      return nullptr;
    }
    if (many_.empty())
      for (const auto &[other, at] : few_)
        many_.try_emplace(other, at);
    auto [it, isNew] = many_.try_emplace(name, range);
    return isNew ? nullptr : &it->second;
  }
  bool contains(std::string_view name) const { return many_.empty() ? find(name) != nullptr : many_.contains(name); }

private:
  static constexpr size_t kFew = 8;
  const SourceRange *find(std::string_view name) const {
    for (const auto &[other, at] : few_)
      if (other == name)
        return &at;
    return nullptr;
  }
  llvm::SmallVector<std::pair<std::string_view, SourceRange>, kFew> few_;
  llvm::StringMap<SourceRange> many_; // once there are more: all of them
};

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

class Checker {
public:
  Checker(Module &module, const CheckOptions &options, SourceManager &sources, Diagnostics &diags)
      : module(module), options(options), sources(sources), diags(diags) {}
  void run(const ast::Module &root);

  Report error(std::string tag, SourceRange, std::string message);
  /// Only for what stands in the root file: warnings of imports are shown where those are compiled.
  Report warning(std::string tag, SourceRange, std::string message);
  /// What is written there.
  std::string textOf(SourceRange) const;
  /// Names the construct; nothing of the language is ever left out silently.

  // ---- names (names.cpp)
  using OpList = llvm::SmallVector<OpIndex, 2>;
  /// All versions of the op a name says, or nothing after a report. `silent` says only whether there is one.
  OpList lookupOp(const ast::QualifiedName &, bool silent = false);
  /// Which files, by index in Module::files, what stands in `file` may speak of: itself and all it imports.
  const std::vector<bool> &visibleFrom(FileId file);
  OpList seenFrom(FileId file, const OpList &ops);
  /// What is referred to has a body to be checked, if it stands in a settled import (check.h).
  void want(OpIndex op) {
    if (!want(opItems_, op.raw))
      return;
    Item &item = items_[opItems_[op.raw]];
    if ((item.isTaken = takeChecked(op, *opDecls_[op.raw])) || (module.op(op).traits & trait::constant))
      return;
    module.ops[op.raw].traits = 0; // declared again, with the rest
    declareParts(module.ops[op.raw], *opDecls_[op.raw]);
  }
  void want(FnIndex fn) {
    if (want(fnItems_, fn.raw))
      declareParts(module.fns[fn.raw], *fnDecls_[fn.raw]);
  }
  /// Before its turn, where something depends on what its body says. An op's body asks for no other op's.
  void checkNow(OpIndex);
  void want(PatternIndex pattern) { want(patternItems_, pattern.raw); }
  bool namesOp(const ast::QualifiedName &name) { return !opsNamed(name, true).empty(); }
  /// The nearest name, for a hint. Each looks through all names, so that there are no more of them than can be shown,
  /// at most two of each of a hundred errors and warnings.
  std::string_view nearestHint(std::string_view name, const std::vector<std::string_view> &candidates) {
    return hints_++ >= kMaxHints ? std::string_view() : nearestName(name, candidates);
  }
  bool hintsAreOver() const { return hints_ >= kMaxHints; }
  void undefinedOp(const ast::QualifiedName &, bool functionsToo);
  void undefinedFunction(const ast::Name &);
  bool namesOtherThanOp(const ast::Name &) const;
  /// Adds the nearest of `candidates` as a fix-it and a note at its declaration.
  void suggest(Report &, SourceRange, std::string_view name, const std::vector<std::string_view> &candidates,
               std::string_view dialect = {});
  /// Notes what the name is, if it is something of another kind (suggestions.cpp).
  void sayWhatElse(Report &, std::string_view name) const;
  static std::optional<uint32_t> traitNamed(std::string_view);
  SourceRange declarationOf(std::string_view name) const;
  const Decl &declOf(PatternIndex i) const { return module.patterns[i.raw]; }
  const Decl &declOf(MatcherIndex i) const { return module.matchers[i.raw]; }
  const Decl &declOf(RewriteIndex i) const { return module.rewrites[i.raw]; }
  const Decl &declOf(GroupIndex i) const { return module.groups[i.raw]; }
  const Decl &declOf(PassIndex i) const { return module.passes[i.raw]; }
  const Decl &declOf(PipelineIndex i) const { return module.pipelines[i.raw]; }
  /// Whether a set is of tuples, for `for` clauses.
  bool isOfTuples(GroupIndex set);
  SourceRange writtenAt(std::string_view name, SourceRange used) const;
  bool isDamaged(ast::DeclKind kind, std::string_view name) const;
  bool hasConstantOp(std::string_view dialect) const;
  /// The dialect whose op holds the constants of an op: its own or, if that has none, `around`, that of what it is in.
  std::string dialectOf(const Match &root) const; // of all ops that it may be; empty if they are of several
  std::string constantsOf(const std::string &dialect, const std::string &around) const;
  bool isDialect(std::string_view name) const { return dialects_.contains(name); }
  std::vector<std::string_view> dialectNames() const; // sorted
  /// Whether a file in the import folders, or that comes with rw, declares an op or a dialect of the name.
  bool isKnownElsewhere(bool dialect, std::string_view name) const;

  template <class Index> using Table = llvm::StringMap<Index>;
  /// Functions by the name that the declaration being checked knows them by, or none: those of its own file hide
  /// imported ones.
  FnIndex fnNamed(std::string_view) const;
  NativeIndex nativeNamed(std::string_view) const;
  Table<FnIndex> fns, ownFns; // own: of the root file, of names that imported functions have
  Table<NativeIndex> natives, ownNatives;
  struct Private {
    FnIndex fn;
    NativeIndex native;
  };
  std::map<std::pair<uint32_t, std::string>, Private, std::less<>> privates; // by file and name
  const Private *privateNamed(std::string_view) const;
  /// Notes which file keeps the name to itself, if one does.
  bool sayPrivate(Report &, std::string_view name) const;
  template <class Index> bool isSeen(Index i) const { return !declOf(i).isPrivate || declOf(i).file == from; }
  /// Of these, several files may have one of a name.
  template <class Index> using Named = llvm::StringMap<llvm::SmallVector<Index, 1>>;
  Named<PatternIndex> patterns;
  Named<MatcherIndex> matchers;
  Named<RewriteIndex> rewrites;
  Named<GroupIndex> groups;
  Named<PassIndex> passes;
  Named<PipelineIndex> pipelines;
  /// Those that a name means in a file: the file's own, else those of what it imports, else all.
  template <class Index> llvm::SmallVector<Index, 1> meantBy(const Named<Index> &, std::string_view name, FileId from);

  /// What a name means where a match may stand, or none. `silent`: of several nothing is said.
  MatcherIndex matcherNamed(const ast::Name &, bool silent = false);
  /// A named match, checked; null if there is something wrong with it, which was said.
  const Matcher *checkedMatcher(MatcherIndex, SourceRange used);
  const ast::MatcherDecl &declOfMatcher(MatcherIndex i) const { return *matcherItems_[i.raw].decl; }
  /// Likewise of named rewrites, on right sides, and of sets and traits, where an op's name may stand.
  RewriteIndex rewriteNamed(const ast::Name &, bool silent = false);
  const NamedRewrite *checkedRewrite(RewriteIndex, SourceRange used);
  const ast::RewriteDecl &declOfRewrite(RewriteIndex i) const { return *rewriteItems_[i.raw].decl; }
  GroupIndex groupNamed(const ast::Name &, bool silent = false);
  /// Its ops, for what stands in `from`: of a trait those that it sees.
  const std::vector<OpIndex> &opsOf(GroupIndex, SourceRange used);
  /// A use of a named match or rewrite that is put in: what is wrong inside has to do with the use.
  struct Expansion {
    std::string_view name;
    SourceRange range;
  };
  std::vector<Expansion> expansions;
  /// Named matches, rewrites and sets use each other so deep.
  static constexpr size_t kMaxUsesDeep = 100;

  Module &module;
  const CheckOptions &options;
  SourceManager &sources;
  Diagnostics &diags;
  /// Of the template instance being checked; empty otherwise.
  const std::vector<Substitution> *substitutions = nullptr;
  std::string_view instanceName;
  bool imported = false; // what is being checked stands in an import
  FileId from;           // and in this file

  /// Calls that function bodies make, for finding recursion: caller → (callee, place).
  struct CallEdge {
    FnIndex callee;
    SourceRange range;
  };
  std::vector<std::vector<CallEdge>> calls; // by FnIndex
  FnIndex currentFn;
  /// The left side of the `means` clause being checked, and of which op it is; else null.
  const ast::Match *meantRoot = nullptr;
  OpIndex meantOp;
  size_t errorsSeen = 0; // repetitions that were left out, too
  static constexpr size_t kMaxHints = 400;
  size_t hints_ = 0;

  /// Whether an op declares result types or what it means, from which they follow, and an attribute a default; known
  /// before the declaration is checked.
  bool hasTypeClause(OpIndex op) const {
    return opDecls_[op.raw]->types.size() != 0 || opDecls_[op.raw]->means.size() != 0;
  }
  bool hasDefault(OpIndex op, size_t attr) const {
    const auto &written = opDecls_[op.raw]->attrs;
    return attr < written.size() ? bool(written[attr].defaultValue)
                                 : module.op(op).attrAt(attr).defaultValue.has_value();
  }

  Type typeOfAnnotation(const ast::TypeExpr &, std::string_view what, bool forAttr);

private:
  struct Source { // a loaded file
    const ast::Module *tree;
    std::string canonical, folder; // folder: that its imports are searched in first
    uint32_t file;
  };
  /// What is known of a file without checking it.
  enum class Trust : uint8_t {
    None,
    Right,   // the root is taken to be right, and so is this import of it (CheckOptions::trustBuiltin)
    Settled, // right, and registered (check.h)
  };
  struct Item { // a declaration in the order of checking
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

  /// While it lives, another declaration is checked, by itself: perhaps in the middle of one that uses it.
  class [[nodiscard]] Aside {
  public:
    Aside(Checker &c, const Decl &decl)
        : c_(c), substitutions_(std::exchange(c.substitutions, nullptr)),
          imported_(std::exchange(c.imported, decl.imported)), from_(std::exchange(c.from, decl.file)),
          expansions_(std::exchange(c.expansions, {})) {
      c.open_.push_back(&decl);
    }
    ~Aside() {
      c_.open_.pop_back();
      c_.substitutions = substitutions_;
      c_.imported = imported_;
      c_.from = from_;
      c_.expansions = std::move(expansions_);
    }
    Aside(const Aside &) = delete;
    Aside &operator=(const Aside &) = delete;

  private:
    Checker &c_;
    const std::vector<Substitution> *substitutions_;
    bool imported_;
    FileId from_;
    std::vector<Expansion> expansions_;
  };

  OpList opsNamed(const ast::QualifiedName &, bool silent);

  // imports.cpp
  void load(const ast::Module &tree, std::string canonical, Trust, std::vector<uint32_t> &stack);
  void loadImport(const ast::ImportDecl &, uint32_t importer, std::vector<uint32_t> &stack);
  void collect(const ast::Module &, Trust);
  void checkExternal(const ast::DialectDecl &);
  /// Whether the file at a path is settled (check.h).
  bool isSettled(const std::string &canonical) const;
  void checkItem(Item &);
  void noteDeferred();
  // checked_bodies.h: whether the body was there; the body that was checked here.
  bool takeChecked(OpIndex, const ast::OpDecl &);
  bool takeChecked(FnIndex, const ast::FnDecl &);
  template <class D, class Decl> std::optional<D> checkedBefore(const Decl &);
  template <class D, class Decl> void keepChecked(const Item &, const D &, const Decl &);
  /// Whether nothing referred to it before.
  bool want(const std::vector<uint32_t> &items, uint32_t index) {
    if (index >= items.size() || items[index] == UINT32_MAX || !items_[items[index]].deferred)
      return false;
    items_[items[index]].deferred = false;
    wanted_.push_back(items[index]);
    return true;
  }

  // declare.cpp
  void declare();
  void fill(Decl &out, const ast::Decl &, bool imported, bool deferred = false);
  void declareOp(Item &);
  void declareParts(Op &, const ast::OpDecl &);
  void declareOperands(Op &, const ast::OpDecl &);
  void declareAttrs(Op &, const ast::OpDecl &);
  void declareStandIn(Op &, const ast::Param &, size_t operand);
  void declareTraits(Op &, const ast::OpDecl &);
  void declareFn(Item &);
  void declareParts(Fn &, const ast::FnDecl &);
  void declareNative(Item &);
  void namedAsWord(const ast::Name &, std::string_view what, std::initializer_list<std::string_view> words);
  void declarePattern(Item &);
  void declareMatcher(Item &);
  void declareRewrite(Item &);
  void declareGroup(Item &);
  void giveTraits(Item &);
  void checkGroup(const ast::GroupDecl &);
  void checkTuples(GroupIndex);
  bool checkEntry(const ast::Expr &); // of a `for` clause or a set of tuples
  template <class Index> Index namedOnce(const Named<Index> &, const ast::Name &, std::string_view what, bool silent);
  bool mayOpen(const Decl &, SourceRange used, std::string_view tag, std::string_view what, bool isOpen);
  void clashes(const Decl &, const ast::Name &);
  void hidesOp(const Decl &, const ast::Name &, const OpList &);
  /// What stands for the names of a `for` clause, and where it is written.
  using ForEntry = std::pair<SourceRange, std::vector<const ast::Expr *>>;
  bool entriesOf(const ast::ForClause &, std::vector<ForEntry> &out);
  bool tuplesOf(GroupIndex, SourceRange used, std::vector<ForEntry> &out);
  std::string keyOf(const ForEntry &) const;
  void addNew(std::vector<ForEntry> entries, std::vector<ForEntry> &out) const;
  void membersOf(GroupIndex, SourceRange used, std::vector<const ast::Expr *> &out);
  template <class Index> bool claim(Table<Index> &, const ast::Name &, size_t index, std::string_view what);
  template <class Index> bool claim(Named<Index> &, const ast::Name &, size_t index, std::string_view what);
  bool claimPrivate(const Item &, const Decl &, FnIndex, NativeIndex, std::string_view what);
  bool taken(const ast::Name &, size_t index, std::string_view what, SourceRange first);
  void elementwiseOperands(const ast::Trait &, Op &);
  void claimOp(OpIndex);
  bool nameIsNew(SeenNames &seen, const ast::Name &, std::string_view what);

  // templates.cpp
  void instantiate(const ast::PatternDecl &, std::vector<PatternInstance> &out);
  std::string instanceNameOf(const PatternInstance &);
  void sayInstances(Report &, std::string_view name) const;
  std::string_view instanceMeant(std::string_view name) const;

  // op_clauses.cpp, functions.cpp, patterns.cpp, passes.cpp, tests.cpp, lint_pattern_pairs.cpp
  void checkOp(Op &, const ast::OpDecl &);
  void checkCanonicalize(Op &, const ast::OpDecl &);
  void checkOperandTypes(Op &, const ast::OpDecl &, class BodyChecker &);
  void checkFn(Fn &, const ast::FnDecl &, FnIndex);
  void reportRecursion();
  bool mayMean(const Op &, const ast::PatternDecl &); // meanings.cpp
  void checkMeanings();
  void checkPattern(Pattern &, const PatternInstance &);
  void declarePass(Item &);
  void declarePipeline(Item &);
  void checkConversion(Pass &, const ast::ConversionDecl &);
  void checkPass(Pass &, const ast::PassDecl &);
  void checkMember(const ast::PassDecl::Member &, Pass &, llvm::StringMap<SourceRange> &seen, std::string_view what);
  void checkOption(const ast::Option &);
  void checkPipeline(Pipeline &, const ast::PipelineDecl &);
  void checkStages(const std::vector<ast::Stage> &, Pipeline &, std::vector<PipelineIndex> &uses);
  bool checkDeclaredStage(const ast::QualifiedName &, Pipeline &, std::vector<PipelineIndex> &uses);
  void checkTest(Test &, const ast::TestDecl &);
  bool findTested(Test &, std::string_view name);
  void checkExpectation(Expectation &, const ast::ExpectDecl &);
  void reportUnnamed();
  PatternIndex patternNamed(const ast::QualifiedName &);
  bool isOfTemplate(const Pattern &p) const {
    return !instances_[size_t(&p - module.patterns.data())].substitutions.empty();
  }
  void lint();
  void lintAlternatives(const Pattern &);
  void lintConditions(); // lint_conditions.cpp
  void versionsLeftOut();
  void contradictsTypes(const Pattern &, bool ofTemplate); // contradictions.cpp
  void contradictsRequires(const Pattern &);               // lint_requires.cpp
  void contradictsRequires(const Test &);
  void usesSingleTwice(const Pattern &);
  void madeByTwo(const Pattern &);
  /// What literals come to in a pattern, with what its left side fixes.
  class Folded foldedIn(const Pattern &) const;
  void matchesNoValue(const Pattern &);
  void placeInsides(Pattern &);
  void erasesUsed(const Pattern &);
  void contradictingTypes(const Pattern &);       // stated_types.cpp
  void proveTypes(std::span<const PatternIndex>); // same_types.cpp
  std::vector<PatternIndex> usedPatterns() const;
  const std::map<std::string, std::string> &library(const std::vector<std::string> &folders) const;
  /// Of the import folders and what comes with rw.
  const std::map<std::string, std::string> &library() const;
  std::vector<std::string> libraryFolders() const;
  bool isInTexts(std::string_view what, std::string_view name, const std::vector<std::string> &folders) const;
  /// Whether a file of the import folders declares it, or with `builtin` one that comes with rw: `what` is `label` or
  /// `pass`.
  bool isInLibrary(std::string_view what, std::string_view name, bool builtin = false) const;
  std::string fileWithOp(std::string_view dialect, std::string_view op) const; // missing_imports.cpp

  std::vector<Source> loaded_;
  bool trusted_ = false; // the root is a built-in file that is taken to be right (CheckOptions::trustBuiltin)
  /// Whether the file is one of those, too: the root itself, or what it imports.
  bool trusts(FileId file) const;
  std::vector<std::shared_ptr<const ast::Module>> trees_;
  std::vector<Item> items_;
  // Of what is deferred: the item by index into the module's table.
  std::vector<uint32_t> opItems_, fnItems_, patternItems_;
  std::vector<uint32_t> wanted_;                      // items that something refers to, not checked yet
  std::vector<const ast::OpDecl *> opDecls_;          // by OpIndex
  std::vector<const ast::FnDecl *> fnDecls_;          // by FnIndex
  llvm::DenseMap<const ast::FnDecl *, FnIndex> fnOf_; // the other way, once it is needed
  /// What is put in where it is used is checked by itself when it is first used.
  enum class Seen : uint8_t { Unseen, Open, Right, Wrong };
  template <class D> struct PutIn {
    const D *decl;
    Seen state = Seen::Unseen;
  };
  template <class D, class Checked>
  const Checked *checkedOnce(PutIn<D> &, Checked &, SourceRange used, std::string_view tag, std::string_view what,
                             bool builds);            // named_parts.cpp
  std::vector<PutIn<ast::MatcherDecl>> matcherItems_; // by MatcherIndex
  std::vector<PutIn<ast::RewriteDecl>> rewriteItems_; // by RewriteIndex
  std::vector<PutIn<ast::GroupDecl>> groupItems_;     // by GroupIndex
  std::vector<const Decl *> open_; // those of them that are being checked, each used by the one before
  struct Given {                   // `trait t for a, b;`
    GroupIndex trait;
    OpIndex op; // or:
    const ast::QualifiedName *name = nullptr;
    FileId file;
  };
  std::vector<Given> given_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<OpIndex>> traitOps_; // by trait and file
  std::map<uint32_t, bool> isOfTuples_;                                    // by set
  std::map<uint32_t, std::pair<bool, std::vector<ForEntry>>> tuples_;      // by set: whether all is well, and which
  std::vector<ast::ExprPtr> entries_;                                      // of `for` clauses, made of sets
  size_t wrongPutIn_ = 0;                  // uses of named matches and rewrites that are wrong
  std::vector<PatternInstance> instances_; // by PatternIndex
  bool firstInstance_ = true;              // of its template; of the others one error each is said
  size_t instanceErrors_ = 0;              // of the one being checked
  std::vector<std::vector<PipelineIndex>> pipelineUses_;
  std::vector<SourceRange> pipelineRanges_;
  llvm::StringMap<OpList, llvm::BumpPtrAllocator> opsByName_; // of all dialects
  std::map<uint32_t, std::vector<bool>> visible_;             // visibleFrom, by file
  // where parsed files are not shared
  mutable std::map<std::vector<std::string>, std::map<std::string, std::string>> libraries_;
  llvm::StringSet<> dialects_;
  mutable std::optional<std::vector<std::string>> constantDialects_; // with an op that holds a constant, once asked for
  /// The first of each dialect, and, with a `=`, of each name in other formats.
  llvm::StringMap<const ast::DialectDecl *> externals_;
  static constexpr int kOfAnyKind = -1;
  std::set<std::pair<int, std::string>> damaged_; // kind and name of what could not be parsed; an empty name is any
  llvm::StringSet<> importsMissed_;               // files that ops not known here are declared in
  llvm::DenseSet<uint32_t> withoutDialect_;       // files of which it was said
  bool importMissing_ = false;                    // then what is not declared may stand there: nothing is said of it
  std::set<std::pair<uint32_t, std::string>> reported_;
};

/// How a value of the type is written, for a note: "an int is a number without a point, `3`, …".
std::string exampleOf(Type);
/// "`a`, `b` or `c`"
std::string listed(const std::vector<std::string> &, std::string_view last = "or");
/// "1 operand", "2 operands"
std::string counted(size_t n, std::string_view noun);
std::string inBackticks(std::string_view name); // "`name`"
/// "2 operands", "2 or 3 operands", "at least 1 operand"
std::string operandCount(const Op &);

} // namespace rw::sema
