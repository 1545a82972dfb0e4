// Decision trees: the leads of many patterns that share their tests.
//
// In:  plan::Module.
// Out: for each set of patterns that run together (a declared pass, the canonicalizations of the file, the patterns in
//      no such set) and each root op that several of them share a tree, whose inner places ask one question, once, for
//      every pattern below. The leaves are the patterns, with the tests that nobody shares. The C++ that codegen/emit
//      writes follows the tree place by place.
// Elsewhere: plans are plan.h; which of a plan's steps are tests that can be shared is lead.h.
//
// Tests ask about paths (`operand 0 of the op that makes operand 0 of the root`) and do not depend on each other beyond
// "the path exists". The tree takes the question that most patterns at hand share, questions for the kind of an op
// before others, gives each answer a branch, and goes on below. No pattern stands in two places, but one whose
// operands commute has a leaf for each order of them.
//
// Priority stays as written. Where the patterns that share a question follow each other in priority, the tree's leaves
// are in order and the first that holds decides. Where that would tear up too many questions, the tree is built
// without regard to order: all leaves that hold are found first and then tried in order (RootTree::inOrder is false).
//
//   kind of def(root.0)?
//     tensor.transpose:
//       MergeTransposes (line 12)
//         - undeclared attributes of root: none
#pragma once

#include "codegen/plan/lead.h"

#include <memory>

namespace rw::plan {

using PathId = uint32_t;
inline constexpr PathId kNoPath = UINT32_MAX;
struct Path {
  enum Kind : uint8_t { Root, Operand, Def, Attr } kind = Root;
  PathId parent = kNoPath;
  uint32_t index = 0;
  bool fromEnd = false;   // Operand: counted from the end
  bool orDefault = false; // Attr: its default if it is left out
  std::string name;       // Attr
};

enum class Ask : uint8_t {
  Kind,        // which op: answers exclude each other
  Number,      // which int an attribute is; likewise
  String,      // which string an attribute is; likewise
  SplatNumber, // which number a constant repeats; likewise
  DType,       // likewise
  DTypeClass,  // the rest hold or do not
  OneOf,       // whether the op is one of several
  IsResult,    // whether the value is result `index` of its op
  Operands,    // whether the op has so many
  OperandThere,
  OperandAbsent,
  AttrThere,
  AttrDefault,
  AttrAbsent,
  NoExtras,
  OneUse,
  Constant,
  Equals, // whether an attribute is this literal
  Same,
};
/// Whether at most one answer holds.
inline bool excludes(Ask ask) { return ask <= Ask::DType; }

struct Question {
  Ask ask = Ask::Kind;
  PathId path = kNoPath, other = kNoPath;
  std::string text; // "kind of def(root.0)"
  /// Questions for the kind of these ops come first.
  std::vector<PathId> needs;
};
struct Answer {
  std::string text;
  sema::OpIndex op;         // Kind
  int64_t integer = 0;      // Number
  double number = 0;        // SplatNumber
  const Step *step = nullptr; // of the plan, that asks
  friend bool operator==(const Answer &a, const Answer &b) { return a.text == b.text; }
};
struct TreeTest {
  uint32_t question;
  Answer answer;
};

/// A pattern, or one order of its commutative operands.
struct TreeLeaf {
  uint32_t plan = 0;   // of Module::plans
  uint32_t member = 0; // of the set
  bool swapped = false;
  std::vector<TreeTest> tests;     // all of the lead
  std::vector<TreeTest> own;       // those that no branch above has asked
  std::vector<PathId> slots;       // of the plan's slots those that the lead sets
  std::vector<std::string> rest;   // steps after the lead, described
};

struct TreeBranch;
struct TreeItem {
  uint32_t leaf = UINT32_MAX;         // of RootTree::leaves
  std::unique_ptr<TreeBranch> branch; // or a question with what stands below it
};
struct TreeBranch {
  uint32_t question;
  struct Case {
    Answer answer;
    std::vector<TreeItem> items;
  };
  std::vector<Case> cases;
};
struct RootTree {
  sema::OpIndex root;
  std::vector<Path> paths; // 0 is the root
  std::vector<Question> questions;
  std::vector<TreeLeaf> leaves; // in order of priority
  std::vector<TreeItem> items;
  bool inOrder = true;
};
/// Patterns that one matcher tries together.
struct MergedSet {
  std::string name;              // of the pass; "canonicalize"; empty: the others
  std::vector<uint32_t> members; // of Module::plans, in order of priority
  std::vector<RootTree> trees;
};

std::vector<MergedSet> buildSets(const Module &);
std::string dump(const std::vector<MergedSet> &, const Module &);
/// "def(root.0):perm"
std::string pathText(const std::vector<Path> &, PathId);

} // namespace rw::plan
