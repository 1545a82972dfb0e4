// Patterns: the interface generated and hand-written rewrites implement, and sets of them.
//
// In:  a root op and a PatternRewriter.
// Out: true exactly if the IR was changed.
// Elsewhere: edits are rewriter.h; who calls patterns is greedy_driver.h.
//
//   struct DropNoOpCast final : OpRewritePattern<tensor::CastOp> {
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
//
// What rwc generates are static objects, constants that every registry and set shares: of a class that compilers see
// nothing of but its matchAndRewrite there are thousands. So a pattern knows nothing of registries: kinds of op are
// asked for with one at hand, and by which name reports call it is known where the registry made it a member of a set.
#pragma once

#include "rw/ir/view.h"
#include "rw/rewrite/qualified_name.h"
#include "rw/rewrite/shared_tests.h"
#include "rw/support/fast_math.h"

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
  // what it takes to be right over the reals, not bit for bit: it runs only where all of that is allowed
  FastMath fastmath;
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
  /// Whether a match may need a value to have a single use (`single`, chains) or none. More uses must never make it
  /// match.
  bool looksAtUses = false;
  /// Whether a match may depend on the number of uses in any other way (`x.uses == 2`). Makes values with many users
  /// slow to change.
  bool countsUses = false;
  /// Whether a match may depend on users of the root rather than on its operands (several roots).
  bool looksAtUsers = false;
  /// Whether a match may depend on what the regions of an op hold.
  bool looksInRegions = false;
  /// What every match must pass, for the net that all patterns of a set are merged into (shared_tests.h).
  std::span<const SharedTest> tests;
  /// How many of these, from the first, the pattern leaves to Attempt::opens.
  uint32_t opening = 0;
  /// The ops that it starts at, unless it is seen through a view, and those that its chains walk across.
  KindSet roots;
  std::span<const KindSet> chains;
};

/// Calls `visit` with the pattern's tests, for each order in turn if its opening swaps operands: these are the places
/// of a matching net, which a driver tries one after another.
template <class Visit> void forEachOrder(const PatternInfo &info, Visit visit) {
  TestList list{info.tests, info.opening};
  if (!list.opensSwapping())
    return visit(list);
  for (auto order : {TestList::Written, TestList::Swapped}) {
    list.order = order;
    visit(list);
  }
}

/// Whether the pattern has a label of a dialect and a version, `onnx17`, that is newer than what programs of the
/// context are written in.
bool isTooNew(const PatternInfo &, const Context &);

class Pattern {
public:
  /// What is known of it wherever it is used; its names in a registry: FrozenPatternSet::info.
  const PatternInfo &info() const { return info_; }
  /// The kinds of op it can match at.
  virtual std::vector<KindId> roots(const OpRegistry &) const;
  /// The kinds of op its chains (`elementwise*`) walk across, without limit in number.
  virtual std::vector<KindId> chainKinds(const OpRegistry &) const;

  virtual bool matchAndRewrite(Op root, PatternRewriter &rw) const = 0;
  /// Whether it no longer matches because it took too much time: patterns that were loaded from a file may.
  virtual bool isGivenUp() const { return false; }

protected:
  explicit constexpr Pattern(const PatternInfo &info, const OpSchema *root = nullptr) noexcept
      : info_(info), root_(root) {}
  ~Pattern() = default; // not virtual, so that classes without members have nothing to compile for it; see PatternPtr
  PatternInfo info_;

private:
  const OpSchema *root_; // of its view
};

/// A pattern, static or on the heap: what is made as a class of its own (`std::make_unique<MyPattern>(ops)`) goes as
/// that.
using PatternPtr = std::shared_ptr<const Pattern>;
/// A pattern that is a constant of the program.
inline PatternPtr ofStatic(const Pattern &pattern) { return PatternPtr(PatternPtr(), &pattern); }

/// A pattern at ops of one declaration, seen through their view.
template <class View> class OpRewritePattern : public Pattern {
public:
  explicit OpRewritePattern(const OpRegistry &, const PatternInfo &info = {}) noexcept : OpRewritePattern(info) {}
  /// A cheap test before matchAndRewrite.
  virtual bool mayMatch(View) const { return true; }
  virtual bool matchAndRewrite(View op, PatternRewriter &rw) const = 0;
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override {
    View view(root);
    return mayMatch(view) && matchAndRewrite(view, rw);
  }

protected:
  explicit constexpr OpRewritePattern(const PatternInfo &info) noexcept : Pattern(info, &View::schema()) {}
};

/// A pattern at ops of one declaration as rwc generates it, a static object: what it does is matchAndRewrite(Op). So a
/// driver reaches it by one virtual call, and each class has one function to compile: there are thousands.
template <class View> class GeneratedPattern : public OpRewritePattern<View> {
public:
  explicit constexpr GeneratedPattern(const PatternInfo &info) noexcept : OpRewritePattern<View>(info) {}
  bool matchAndRewrite(View op, PatternRewriter &rw) const final { return matchAndRewrite(op.op(), rw); }
  bool matchAndRewrite(Op root, PatternRewriter &rw) const override = 0;
};

/// Likewise at ops of several kinds: PatternInfo::roots.
class GeneratedMultiOpPattern : public Pattern {
public:
  explicit constexpr GeneratedMultiOpPattern(const PatternInfo &info) noexcept : Pattern(info) {}
};

/// A pattern at ops of kinds that are found out when it is made: those listed, or all with a trait.
class MultiOpPattern : public Pattern {
public:
  MultiOpPattern(const PatternInfo &info, std::vector<KindId> roots) : Pattern(info), roots_(std::move(roots)) {}
  MultiOpPattern(const OpRegistry &, const PatternInfo &info, std::initializer_list<const OpSchema *> roots);
  std::vector<KindId> roots(const OpRegistry &) const override { return roots_; }
  std::vector<KindId> chainKinds(const OpRegistry &) const override { return chainKinds_; }

protected:
  std::vector<KindId> roots_, chainKinds_;
};
/// All registered kinds with every one of `traits`.
std::vector<KindId> kindsWithTraits(const OpRegistry &, Traits traits);
/// All kinds of a set; those of its ops that are not registered are kOpaqueKind.
std::vector<KindId> kindsOf(const OpRegistry &, const KindSet &);

class FrozenPatternSet;

/// A pattern as a registry made it, and its names there (qualified_name.h).
struct NamedPattern {
  PatternPtr pattern;
  std::string_view space;
  std::string shown;
};

class PatternSet {
public:
  explicit PatternSet(const OpRegistry &ops) : ops_(ops) {}
  const OpRegistry &ops() const { return ops_; }
  template <class P, class... Args> void add(Args &&...args) {
    add(std::make_unique<P>(ops_, std::forward<Args>(args)...));
  }
  void add(PatternPtr pattern) { add(NamedPattern{std::move(pattern), {}, {}}); }
  void add(NamedPattern pattern) { patterns_.push_back(std::move(pattern)); }
  FrozenPatternSet freeze() &&;

private:
  friend class FrozenPatternSet;
  const OpRegistry &ops_;
  std::vector<NamedPattern> patterns_;
};

/// A pattern set ready to run: immutable, shared between threads.
class FrozenPatternSet {
public:
  explicit FrozenPatternSet(PatternSet &&);
  FrozenPatternSet(FrozenPatternSet &&) = default; // names stay where they are
  const OpRegistry &ops() const { return ops_; }
  size_t size() const { return patterns_.size(); }
  /// In order of registration; the index is the pattern's number in statistics.
  const Pattern &pattern(size_t index) const { return *patterns_[index].pattern; }
  /// What is known of it, with its names.
  const PatternInfo &info(size_t index) const { return infos_[index]; }
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
  bool looksInRegions() const { return looksInRegions_; }
  bool isChainKind(KindId kind) const { return kind.raw < chainKind_.size() && chainKind_[kind.raw]; }
  bool hasChains() const { return hasChains_; }
  /// Whether some pattern's chains walk across links with several users (it has chains and does not look at uses).
  bool chainsFork() const { return chainsFork_; }

private:
  void buildNet();

  const OpRegistry &ops_;
  std::vector<NamedPattern> patterns_;
  std::vector<PatternInfo> infos_;
  std::vector<uint32_t> offsets_, byRoot_; // patterns of kind k: byRoot_[offsets_[k] … offsets_[k + 1])
  std::shared_ptr<const MatchingNet> net_;
  std::vector<bool> chainKind_;
  unsigned depth_ = 1;
  bool looksAtUses_ = false, countsUses_ = false, looksAtUsers_ = false, looksInRegions_ = false, hasChains_ = false,
       chainsFork_ = false;
};

/// Makes a pattern.
class PatternMaker {
public:
  using Function = PatternPtr (*)(const OpRegistry &);
  constexpr PatternMaker() = default;
  /// A static object, which is what it makes.
  constexpr PatternMaker(const Pattern &pattern) : static_(&pattern) {}
  /// A function, or a lambda without captures.
  template <std::convertible_to<Function> F> constexpr PatternMaker(F function) : function_(function) {}
  /// A function that is handed `data`, which must live as long as the registry (Registry::keep).
  using FunctionOf = PatternPtr (*)(const OpRegistry &, const void *data);
  constexpr PatternMaker(FunctionOf function, const void *data) : functionOf_(function), data_(data) {}
  PatternPtr operator()(const OpRegistry &) const;

private:
  const Pattern *static_ = nullptr;
  Function function_ = nullptr;
  FunctionOf functionOf_ = nullptr;
  const void *data_ = nullptr;
};

/// How a pattern is made.
struct PatternEntry {
  PatternInfo info;
  PatternMaker make;
};

/// All patterns a tool knows, by name.
class PatternRegistry {
public:
  /// Adds it to the current namespace unless it says another one; what was added before is not added again.
  void add(const PatternEntry &entry);
  /// A static object: what generated registration functions hand over.
  void add(const Pattern &pattern) { add({pattern.info(), pattern}); }
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
  /// The pattern with its names.
  NamedPattern make(const PatternEntry &, const OpRegistry &) const;

private:
  std::vector<Declared> namedLike(std::string_view name) const;

  std::vector<PatternEntry> entries_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> byName_;
  std::string_view space_;
};

} // namespace rw
