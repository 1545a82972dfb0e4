// Reader: ops, regions, functions and modules of MLIR text.
//
// In:  see stablehlo.h. Out: see stablehlo.h.
// Elsewhere: attributes are attribute_reader.h; which words a short form has, short_forms.h; jumps between blocks are
// block_reader.cpp, ops of other dialects than StableHLO's host_op_reader.cpp.
//
// An op is made when its operands and its name are known, its regions are read into it, and its attributes and types
// are set last, as the generic form has them in that order. The first error ends the reading.
#pragma once

#include "rw/ir/program.h"
#include "rw/stablehlo/attribute_reader.h"
#include "rw/stablehlo/short_forms.h"
#include "rw/stablehlo/stablehlo.h"
#include "rw/stablehlo/structures.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace rw::stablehlo {

/// What is known of an op by its name in the text.
struct OpName {
  enum Role : uint8_t { Plain, Return, Call, Case, Jump, Host };
  std::string_view shown;     // as written
  std::string_view canonical; // "stablehlo.add", also of mhlo.add
  Role role = Plain;
  Syntax syntax = Syntax::Items;
  KindId kind;
  const OpSchema *schema = nullptr;
  int shapeAttr = -1, dtypeAttr = -1; // declared attributes that the result's type states
};

/// The constant whose value may be a single number.
inline constexpr std::string_view kNumberConstant = "arith.constant";

class Reader : private AttributeReader {
public:
  Reader(FileId file, const SourceManager &sources, Diagnostics &diags, Program &program, const ParseOptions &options)
      : AttributeReader(file, sources, diags, program.context()), program_(program), options_(options) {}
  bool run();

private:
  using Operands = InlineList<ValueId, 8>;

  /// A parameter of a region that is named before the region.
  struct Parameter {
    text::ValueName name;
    TypeId type;
  };
  /// The results of an op as named: `%a:2, %b`.
  struct ResultName {
    text::ValueName name;
    uint32_t count = 1;
  };
  /// An op while it is read.
  struct Draft {
    OpName name;
    const char *start, *nameAt, *nameEnd;
    RegionId region;
    InlineList<ResultName, 2> results;
    size_t resultCount = 0; // as named
    Operands operands;
    size_t firstAttr = 0; // its attributes are those of attrs_ from here on
    TypeList operandTypes, resultTypes;
    OpId op; // once it is made
  };

  /// A block of a function that jumps.
  struct Block {
    std::string_view label;
    const char *params; // at `(`, if there are any
    const char *body;
    std::vector<size_t> next = {}; // where it leads; nowhere: it returns
    size_t meets = 0;              // where all ways from here lead
    std::vector<bool> loop = {};   // of a block that is jumped back to: which blocks are in the loop
  };
  /// Where a block leads: to nothing (`return`, whose operands are `args[0]`), a block, or one of two.
  struct Jump {
    const char *from = nullptr, *to = nullptr;
    unsigned count = 0;
    ValueId condition = {};
    size_t target[2] = {};
    Operands args[2] = {};
  };

  // module_reader.cpp
  bool checkOneProgram();
  bool readTop();
  bool readModuleItem(bool top);
  bool readModule(bool top, bool generic);
  bool readModuleBody(bool top, std::string_view name);
  void noteProcesses(std::span<const NamedValue> attributes);
  void tellProcesses(size_t firstFunction);
  bool readFunction();
  bool readGenericFunction();
  bool readParameter();
  bool refuseDeclared(bool any);
  bool readFunctionResults(TypeList &types, std::vector<AttrId> &attributes);
  bool finishFunction(const char *from, const char *to, std::string_view name, std::span<const TypeId> results,
                      std::span<const AttrId> resultAttributes);
  void spreadTuples();
  void spreadTupleParameters();
  void nameResults(std::span<const AttrId> resultAttributes);

  // op_reader.cpp
  bool readBlock(RegionId region, std::span<const Parameter> params = {});
  bool readRegion(OpId parent, std::span<const Parameter> params = {});
  bool readLabel(RegionId region);
  bool readOp(RegionId region, bool &ended);
  bool readGenericOp(Draft &);
  bool resolveName(std::string_view shown, const char *from, const char *to, OpName &out);
  bool unknownOp(std::string_view shown, const char *from, const char *to);
  bool readValueName(text::ValueName &out);
  bool readOperand(Operands &out);
  bool define(const text::ValueName &, ValueId first, uint32_t count = 1);
  bool readResultNames(Draft &);
  void makeOp(Draft &, size_t results);
  bool readTypesOfOp(Draft &);
  bool splitTypes(Draft &, std::span<const TypeId> types, const char *from);
  bool checkOperandTypes(const Draft &);
  bool checkCounts(const Draft &);
  bool setAttributes(Draft &);
  bool finish(Draft &);
  bool finishReturn(Draft &);
  bool readCase(Draft &);
  bool inlineBranch(Draft &, OpId &out);
  bool makeBranch(Draft &, std::span<const char *const> branches, size_t index, RegionId region, OpId &out);
  void spreadStructures(Draft &);
  bool becomeNamedOp(Draft &);
  void add(std::string_view name, AttrId value, const char *from) { attrs_.push_back({name, value, from, p_}); }

  // short_form_reader.cpp
  bool readShortForm(Draft &);
  bool readItems(Draft &);
  bool readItem(Draft &, unsigned &words, bool &read);
  bool readKey(Draft &, const KeyName &, const char *from);
  bool readOptionalAttributes();
  bool readConstant(Draft &);
  bool readSlice(Draft &);
  bool readTupleElement(Draft &);
  bool readReducePrecision(Draft &);
  bool readCustomCall(Draft &);
  bool readComposite(Draft &);
  bool readConvolution(Draft &);
  bool readWindow();
  bool readWhile(Draft &);
  bool readReduce(Draft &);
  bool applyInReduce(Draft &, std::string_view op, const char *from, const char *to);
  bool readReducer(Draft &);
  bool readCall(Draft &);

  // block_reader.cpp
  bool findBlocks();
  bool findLoops();
  std::string_view readLabelName();
  bool readJump(const Draft &, bool generic);
  bool refuseJump(const Jump &, std::string what);
  bool readBlocks();
  bool isAsFound(size_t block, const Jump &);
  bool enter(size_t block, std::span<const ValueId> args, const Jump &);
  bool readOpsOf(size_t block, RegionId, Jump &out);
  bool follow(RegionId, size_t from, Jump, size_t stop, Operands &results);
  bool branch(RegionId, size_t from, const Jump &, size_t meet, Operands &results);
  bool readUpToExit(RegionId, size_t first, size_t exit, std::span<const ValueId> args, Jump &);
  bool readLoop(RegionId, size_t first, const Operands &args, Jump &);

  // host_op_reader.cpp
  static bool isHostOp(std::string_view name);
  bool readHostOp(Draft &, bool generic);
  bool readHostParts(Draft &, bool generic, std::string_view &direction);
  bool readNumberConstant(Draft &);
  void numberToTensor(Draft &);
  bool bindName(const text::ValueName &, ValueId);
  ValueId listOf(RegionId, std::span<const ValueId> numbers, const char *at);
  ValueId sizeOf(RegionId, ValueId, int64_t axis, const char *at);
  ValueId emit(RegionId, std::string_view op, std::span<const ValueId> operands,
               std::initializer_list<std::pair<std::string_view, AttrId>> attributes, TypeId type, const char *at);

  Program &program_;
  ParseOptions options_;
  Function *fn_ = nullptr;
  std::string modulePath_; // "inner::", of nested modules
  int64_t processes_[std::size(kProcessCounts)] = {1, 1};
  std::vector<NamedValue> attrs_;
  text::ValueScope scope_;
  std::unordered_map<uint32_t, uint32_t> groups_; // by first result: how many there are, of more than one
  std::unordered_map<std::string_view, OpName> names_;
  std::unordered_set<std::string> functionNames_;
  /// A function that is declared without a body, which nothing may call.
  struct Declared {
    std::string name;
    const char *from, *to;
  };
  std::vector<Declared> declared_;
  std::unordered_set<AttrId> named_; // functions that ops name, as symbols

  // Of the function that is read, if it jumps.
  const char *bodyAt_ = nullptr, *bodyEnd_ = nullptr;
  std::vector<Block> blocks_;
  RegionId blockRegion_; // that of the block
  Jump jump_;            // what the last block read ends with
  std::vector<size_t> openLoops_;
  size_t readings_ = 0; // how much text was read, again and again
};

} // namespace rw::stablehlo
