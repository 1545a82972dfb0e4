// The text reader's parts: types and attributes (TypeParser, AttrParser), ops and functions (ProgramParser).
//
// In:  see parser.h. Out: see parser.h. Elsewhere: characters are text_scanner.h.
// Every member that reads something returns false exactly if it has reported an error; the caller passes that on up
// to the op, which is skipped, its results standing in as values of unknown type so that uses of them are no errors.
#pragma once

#include "rw/ir/parser.h"
#include "rw/ir/parser_tables.h"
#include "rw/ir/text_scanner.h"
#include "rw/ir/verifier.h"

#include <unordered_set>

namespace rw::text {

/// "no results", "1 result", "2 results".
inline std::string counted(size_t count, std::string_view noun) {
  return (count == 0 ? "no" : std::to_string(count)) + " " + std::string(noun) + (count == 1 ? "" : "s");
}
/// "is 1", "are 2": after "here".
inline std::string isOrAre(size_t count) { return (count == 1 ? "is " : "are ") + std::to_string(count); }

/// Types and dims: parser_types.cpp.
class TypeParser : protected Scanner {
protected:
  TypeParser(FileId file, const SourceManager &sources, Diagnostics &diags, Context &ctx, size_t maxErrors)
      : Scanner(file, sources, diags, maxErrors), ctx_(ctx) {}

  bool readType(TypeId &out);
  bool readTypeList(char close, InlineList<TypeId, 4> &out);
  bool readDim(Dim &out);

  Context &ctx_;

private:
  bool readTypeSlow(TypeId &out);
  bool readShape(DType dtype, const char *from, TypeId &out);
  bool readSum(Dim &out);
  bool readProduct(Dim &out);
  bool readDimAtom(Dim &out);
  bool dimResult(const char *from, Dim a, Dim b, Dim result, Dim &out);

  TextCache types_;
  unsigned dimOperators_ = 0;
};

/// Attributes: parser_attrs.cpp, parser_dense.cpp.
class AttrParser : protected TypeParser {
protected:
  using TypeParser::TypeParser;

  bool readAttr(AttrType declared, AttrId &out);

private:
  bool readNumberAttr(AttrType declared, AttrId &out);
  bool readWordAttr(AttrType declared, AttrId &out);
  bool readKindAttr(std::string_view kind, AttrId &out);
  bool readBracketAttr(AttrType declared, AttrId &out);
  bool readInts(char close, AttrId &out);
  bool readFloats(char close, AttrId &out);
  bool isNegativeNumber();
  bool readAmount(Dim &);
  bool readDims(char close, AttrId &out);
  bool readElements(char close, std::vector<AttrId> &out);
  bool readInt(int64_t &out);
  bool readFloat(double &out);
  bool readDenseAttr(AttrId &out);
  bool readDenseHex(TypeId type, size_t count, bool splat, AttrId &out);
  bool readDenseList(TypeId type, size_t count, AttrId &out);
  struct DenseSink;
  bool readElement(DType dtype, DenseSink &sink);
  bool readNumberElement(DType dtype, DenseSink &sink);
};

/// What is known of an op by the way it is named in the text.
struct OpSpelling {
  KindId kind;
  const OpSchema *schema = nullptr;
  std::string_view name;
  AttrId opaqueName; // of an unregistered op
  AttrsId noAttrs;   // its attributes if none are written
  CountRange operands, results;
  bool anyMissing = false; // some operand may be left out by `_`
  bool needsAttrs = false; // some attribute is required
  bool versioned = false;  // `@version` is written
  bool known() const { return kind != kOpaqueKind; }
  bool isReturn() const { return kind == kReturnKind; }
};

class ProgramParser : private AttrParser {
public:
  ProgramParser(FileId file, const SourceManager &sources, Diagnostics &diags, Program &program,
                const ParseOptions &options)
      : AttrParser(file, sources, diags, program.context(), options.maxErrors), program_(program), options_(options) {}

  bool run();
  bool runType(TypeId &out);
  bool runAttr(AttrType declared, AttrId &out);

private:
  struct FunctionResult {
    StringId name;
    TypeId type;
    const char *from, *to;
  };

  // Functions: parser.cpp.
  bool readFunction();
  bool readParams();
  bool readParam();
  bool readResultList(std::vector<FunctionResult> &out);
  void checkResults(const std::vector<FunctionResult> &stated, bool hasList);
  void skipToFunction();
  void reportUndefined();
  bool expectEnd();

  // Names, regions, recovery: parser_regions.cpp.
  bool readValueName(ValueName &out);
  void define(const ValueName &, ValueId);
  void undefinedValue(const ValueName &);
  bool readRegion(RegionId region, const char *owner);
  bool atRegionLabel();
  bool readRegions(Op op, const OpSpelling &);
  void skipOp(const char *start);
  void defineStandIns(RegionId region, const InlineList<ValueName, 2> &);

  // Ops: parser_ops.cpp.
  void readOp(RegionId region, bool &sawReturn);
  bool readOpParts(RegionId region, InlineList<ValueName, 2> &results, bool &sawReturn);
  enum class Plain { No, Read, Failed };
  /// A line `%0 = dialect.op(%1, %2) …` of which all but the numbers was read before. No: nothing was read, nothing
  /// reported.
  Plain readPlainOp(RegionId region, InlineList<ValueName, 2> &results);
  bool readResultNames(InlineList<ValueName, 2> &out);
  /// `out`: of spellings_.
  bool readOpName(uint32_t &out);
  uint32_t olderSpelling(const OpSpelling &, AttrsId);
  bool addSpelling(std::string_view text, std::string_view name, bool quoted, OpSpelling &out);
  bool readOperands(const OpSpelling &, InlineList<ValueId, 8> &out);
  bool readOperand(const OpSpelling &, InlineList<ValueId, 8> &out);
  bool readOpAttrs(const OpSpelling &, uint32_t salt, AttrsId &out);
  bool readOpAttrsSlow(const OpSpelling &, AttrsId &out);
  bool hasRequired(const OpSpelling &, const InlineList<AttrId, 8> &fixed, const InlineList<NamedAttr, 8> &undeclared);
  bool checkCounts(const OpSpelling &, const InlineList<ValueId, 8> &operands, size_t results, const char *resultsAt,
                   const char *nameAt);
  bool checkTypes(Op op, const OpSpelling &, size_t named, bool stated, const char *typesAt, const char *typesEnd);
  bool checkOp(Op op);

  Program &program_;
  ParseOptions options_;
  std::unordered_set<std::string_view> functionNames_;
  Function *fn_ = nullptr;
  ValueScope scope_;
  std::string_view lastDefined_; // a bare name and what it is interned as
  StringId lastDefinedName_;
  TextCache spellingCache_, attrs_;
  LineTable lines_;
  std::deque<OpSpelling> spellings_; // where they are they stay
  struct Undefined {
    ValueName name;
    const char *definedAt = nullptr, *definedEnd = nullptr; // later
  };
  std::vector<Undefined> undefined_;
  const char *nameAt_ = nullptr, *nameEnd_ = nullptr; // the op's name, of the op being read
  bool inAttrs_ = false;                              // the op being read has failed inside its attribute list
  bool missingBrace_ = false;                         // the text ended or a function began inside a region: reported
};

} // namespace rw::text
