// Patterns: the interface generated and hand-written rewrites implement, and sets of them.
//
// In:  a root op and a PatternRewriter.
// Out: true exactly if the IR was changed.
// Elsewhere: edits are rewriter.h; who calls patterns is greedy_driver.h.
//
//   struct DropNoOpCast : OpRewritePattern<tensor::CastOp> {
//     using OpRewritePattern::OpRewritePattern;
//     bool matchAndRewrite(tensor::CastOp op, PatternRewriter &rw) const override {
//       if (op.x().typeId() != op.result().typeId())
//         return rw.noMatch(op, "the cast changes the type");
//       return rw.replaceOp(op, op.x());
//     }
//   };
//   PatternSet set(ops);
//   set.add<DropNoOpCast>();
//   FrozenPatternSet frozen = std::move(set).freeze();
#pragma once

#include "rw/ir/view.h"
#include "rw/rewrite/qualified_name.h"
#include "rw/rewrite/shared_tests.h"

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rw {

class MatchingNet;
class PatternRewriter;

/// What is known of a pattern without running it. rwc generates one per pattern as static data.
struct PatternInfo {
  std::string_view name;
  unsigned benefit = 1;
  bool fastmath = false;  // right over the reals, not bit for bit: runs only where allowed
  bool recursive = false; // may apply to its own result
  std::span<const std::string_view> labels;
  std::string_view doc;
  std::string_view file; // where it is written
  unsigned line = 0;
  /// The C++ namespace it is registered in, and how reports call it (qualified_name.h): the registry says both.
  std::string_view space, shown;
  std::string_view shownName() const { return shown.empty() ? name : shown; }
  Declared declared() const { return {space, file, name, line}; }
  /// How many ops deep it looks, root = 1; ops of a chain (which may be any number) not counted.
  unsigned depth = 1;
  /// Whether a match depends on more of the values it ends at than their types and, if they are constants, what they
  /// hold: on being the same value twice, on having one use. False for `transpose(transpose(x, perm = p), perm = q)`.
  bool looksAtLeaves = true;
  /// Whether a match may need a value to have a single use (`single`, chains) or none. More uses must never make it match.
  bool looksAtUses = false;
  /// Whether a match may depend on the number of uses in any other way (`x.uses == 2`). Makes values with many users
  /// slow to change.
  bool countsUses = false;
  /// Whether a match may depend on users of the root rather than on its operands (several roots).
  bool looksAtUsers = false;
  /// What every match must pass, for the net that all patterns of a set are merged into (shared_tests.h).
  std::span<const SharedTest> tests;
  /// How many of these, from the first, the pattern leaves to Attempt::opens.
  uint32_t opening = 0;
};

/// Calls `visit` with the pattern's tests, for each order in turn if its opening swaps operands: these are the places of a
/// matching net, which a driver tries one after another.
template <class Visit> void forEachOrder(const PatternInfo &info, Visit visit) {
  TestList list{info.tests, info.opening};
  if (!list.opensSwapping())
    return visit(list);
  for (auto order : {TestList::Written, TestList::Swapped}) {
    list.order = order;
    visit(list);
  }
}

/// Whether the pattern has a label of a dialect and a version, `onnx17`, that is newer than what programs of the context are written in.
bool isTooNew(const PatternInfo &, const Context &);

class Pattern {
public:
  virtual ~Pattern(); // out of line like the constructors: there are thousands of classes
  const PatternInfo &info() const { return info_; }
  /// The kinds of op it can match at.
  std::span<const KindId> roots() const { return roots_; }
  /// The kinds of op its chains (`elementwise*`) walk across, without limit in number.
  std::span<const KindId> chainKinds() const { return chainKinds_; }

  virtual bool matchAndRewrite(Op root, PatternRewriter &rw) const = 0;
  /// Whether it no longer matches because it took too much time: patterns that were loaded from a file may.
  virtual bool isGivenUp() const { return false; }

  /// Which of several patterns of one name it is: set by the registry that made it.
  void setNames(std::string_view space, std::string shown);

protected:
  explicit Pattern(const PatternInfo &info) noexcept;
  Pattern(const PatternInfo &info, KindId root) noexcept;
  Pattern(const OpRegistry &, const PatternInfo &info, const OpSchema &root) noexcept;
  /// Its chains walk across these.
  void crosses(std::span<const KindId>);
  void crosses(const OpRegistry &, std::initializer_list<const OpSchema *>);
  PatternInfo info_;
  std::vector<KindId> roots_, chainKinds_;

private:
  std::string shown_; // info_.shown
};

/// A pattern at ops of one declaration, seen through their view.
template <class View> class OpRewritePattern : public Pattern {
public:
  explicit OpRewritePattern(const OpRegistry &ops, const PatternInfo &info = {}) noexcept : Pattern(ops, info, View::schema()) {}
  /// A cheap test before matchAndRewrite.
  virtual bool mayMatch(View) const { return true; }
  virtual bool matchAndRewrite(View op, PatternRewriter &rw) const = 0;
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    View view(root);
    return mayMatch(view) && matchAndRewrite(view, rw);
  }
};

/// A pattern at ops of one declaration as rwc generates it: what it does is matchAndRewrite(Op). So a driver reaches it by
/// one virtual call, and each class has one function to compile: there are thousands.
template <class View> class GeneratedPattern : public OpRewritePattern<View> {
public:
  using OpRewritePattern<View>::OpRewritePattern;
  bool matchAndRewrite(View op, PatternRewriter &rw) const final { return matchAndRewrite(op.op(), rw); }
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override = 0;
};

/// A pattern at ops of several kinds: those listed, or all with a trait.
class MultiOpPattern : public Pattern {
public:
  MultiOpPattern(const PatternInfo &info, std::vector<KindId> roots) : Pattern(info) { roots_ = std::move(roots); }
  MultiOpPattern(const OpRegistry &, const PatternInfo &info, std::initializer_list<const OpSchema *> roots);
};
/// All registered kinds with every one of `traits`.
std::vector<KindId> kindsWithTraits(const OpRegistry &, Traits traits);
/// All registered kinds that have every trait of one of `traits`, or are one of `kinds`.
std::vector<KindId> kindsOfSet(const OpRegistry &, std::initializer_list<Traits> traits, std::initializer_list<KindId> kinds);

class FrozenPatternSet;

class PatternSet {
public:
  explicit PatternSet(const OpRegistry &ops) : ops_(ops) {}
  const OpRegistry &ops() const { return ops_; }
  template <class P, class... Args> void add(Args &&...args) {
    add(std::make_unique<P>(ops_, std::forward<Args>(args)...));
  }
  void add(std::unique_ptr<Pattern> pattern) { patterns_.push_back(std::move(pattern)); }
  FrozenPatternSet freeze() &&;

private:
  friend class FrozenPatternSet;
  const OpRegistry &ops_;
  std::vector<std::unique_ptr<Pattern>> patterns_;
};

/// A pattern set ready to run: immutable, shared between threads.
class FrozenPatternSet {
public:
  explicit FrozenPatternSet(PatternSet &&);
  const OpRegistry &ops() const { return ops_; }
  size_t size() const { return patterns_.size(); }
  /// In order of registration; the index is the pattern's number in statistics.
  const Pattern &pattern(size_t index) const { return *patterns_[index]; }
  /// Numbers of the patterns that may match at `kind`: greatest benefit first, then order of registration.
  std::span<const uint32_t> at(KindId kind) const {
    return kind.raw + 1u < offsets_.size()
               ? std::span(byRoot_).subspan(offsets_[kind.raw], offsets_[kind.raw + 1] - offsets_[kind.raw])
               : std::span<const uint32_t>();
  }
  /// Of all patterns: which of at(kind) are worth trying at an op.
  const MatchingNet &net() const { return *net_; }
  /// Greatest depth of any pattern.
  unsigned depth() const { return depth_; }
  bool looksAtUses() const { return looksAtUses_; }
  bool countsUses() const { return countsUses_; }
  bool looksAtUsers() const { return looksAtUsers_; }
  bool isChainKind(KindId kind) const { return kind.raw < chainKind_.size() && chainKind_[kind.raw]; }
  bool hasChains() const { return hasChains_; }
  /// Whether some pattern's chains walk across links with several users (it has chains and does not look at uses).
  bool chainsFork() const { return chainsFork_; }

private:
  void buildNet();

  const OpRegistry &ops_;
  std::vector<std::unique_ptr<Pattern>> patterns_;
  std::vector<uint32_t> offsets_, byRoot_; // patterns of kind k: byRoot_[offsets_[k] … offsets_[k + 1])
  std::shared_ptr<const MatchingNet> net_;
  std::vector<bool> chainKind_;
  unsigned depth_ = 1;
  bool looksAtUses_ = false, countsUses_ = false, looksAtUsers_ = false, hasChains_ = false, chainsFork_ = false;
};

/// Makes a pattern.
class PatternMaker {
public:
  using Function = std::unique_ptr<Pattern> (*)(const OpRegistry &);
  using New = Pattern *(*)(const OpRegistry &); // of generated classes: compilers take a unique_ptr's making for much more
  constexpr PatternMaker() = default;
  constexpr PatternMaker(New make) : new_(make) {}
  /// A function, or a lambda without captures.
  template <std::convertible_to<Function> F> constexpr PatternMaker(F function) : function_(function) {}
  /// A function that is handed `data`, which must live as long as the registry (Registry::keep).
  using FunctionOf = std::unique_ptr<Pattern> (*)(const OpRegistry &, const void *data);
  constexpr PatternMaker(FunctionOf function, const void *data) : functionOf_(function), data_(data) {}
  std::unique_ptr<Pattern> operator()(const OpRegistry &) const;

private:
  Function function_ = nullptr;
  New new_ = nullptr;
  FunctionOf functionOf_ = nullptr;
  const void *data_ = nullptr;
};

/// How a pattern is made: what generated registration functions hand over.
struct PatternEntry {
  PatternInfo info;
  PatternMaker make;
};

/// All patterns a tool knows, by name.
class PatternRegistry {
public:
  /// Adds it to the current namespace unless it says another one; what was added before is not added again.
  void add(const PatternEntry &entry);
  /// What is added from now on belongs to this C++ namespace, a text that stays; see Registry::Scope.
  void setSpace(std::string_view space) { space_ = space; }
  const std::vector<PatternEntry> &all() const { return entries_; }
  /// What a name means to a command line; null if that is nothing, or not clear.
  const PatternEntry *find(std::string_view name) const;
  /// Makes the pattern of that name and file by another maker; false if there is none.
  bool remake(std::string_view name, std::string_view file, const PatternMaker &);
  /// All that a name may mean (findMeant): one if all is well.
  std::vector<const PatternEntry *> meant(const NameRef &, const NameScope & = {}) const;
  /// How reports call it: its name, qualified if several patterns have it.
  std::string shownName(const PatternEntry &) const;
  /// The pattern, which knows its names.
  std::unique_ptr<Pattern> make(const PatternEntry &, const OpRegistry &) const;

private:
  std::vector<Declared> namedLike(std::string_view name) const;

  std::vector<PatternEntry> entries_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> byName_;
  std::string_view space_;
};

} // namespace rw
