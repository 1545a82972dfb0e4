// Code: what a checked .rw file becomes for the interpreter, as flat tables of plain data.
//
// In:  made from match plans and declarations by codegen/interpret/compiler.h.
// Out: a Unit, which machine.h runs and loaded_unit.h registers. It refers to nothing outside itself: ops are named,
//      not pointed to, so a Unit can be kept, shared between threads and bound to any registry.
// Elsewhere: what a plan means is codegen/plan/plan.h; the compiled form of the same plan is codegen/emit.
//
// Code works on registers, which are numbered per piece of code (a pattern, a function, a clause of an op). Slots of
// the plan, variables and intermediate values are registers alike. An instruction that does not hold, or an expression
// that has no value, *fails*:
//
//   - if the instruction has a handler (`onFail`), execution goes on there;
//   - else at the innermost open choice, which was pushed by Choose and goes to its next alternative;
//   - else the piece of code has failed.
//
//   // transpose(x, perm = p) where is_identity(p) => x
//   Operand   r1 = operand 0 of r0
//   Attr      r2 = attribute 0 of r0
//   Recall    (r2): the answer remembered for this attribute, or what follows works it out
//   …
//   Replace   r0 by r1
#pragma once

#include "rw/ir/dtype.h"
#include "rw/ir/ids.h"
#include "rw/rewrite/shared_tests.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rw::interpret {

using Reg = uint16_t;
inline constexpr Reg kNoReg = UINT16_MAX;
inline constexpr Reg kRulesOut = 0; // of Recall, which writes no register

/// What a list holds; in a register the same kinds stand alone.
enum class Elem : uint8_t {
  Int,    // int64_t
  Float,  // double
  Bool,   // bool
  String, // std::string_view
  DType,
  Dim,
  Type,  // TypeId
  Attr,  // AttrId
  Value, // ValueId
  Op,    // OpId
  List,  // ListRef
};

/// The elements of a list in memory that outlives the attempt: an attribute's, or the machine's own.
struct ListRef {
  const void *data;
  size_t size;
};

/// One register. Ids (of ops, values, types, attributes) are `id`, UINT32_MAX for none; a dimension is its bits in `i`.
union Cell {
  int64_t i;
  double f;
  uint32_t id;
  ListRef list; // strings as well
};
static_assert(sizeof(Cell) == 16);

/// `a` is where the result goes unless said otherwise; `d` a number or a place in the code. Where an instruction works
/// on elements of any kind, or on lists of them, `elem` says which.
// clang-format off
#define RW_INTERPRET_OPCODES(X) \
  /* Control. */ \
  X(Pass)         /* this piece of code has succeeded */ \
  X(Fail) \
  X(Jump)         /* to d */ \
  X(JumpIf)       /* to d if bool a */ \
  X(JumpUnless) \
  X(FailIf)       /* bool a */ \
  X(FailUnless) \
  X(FailIfNone)   /* id a */ \
  X(IsThere)      /* whether id b is not none */ \
  X(Choose)       /* on failure from here on go on at d */ \
  X(ChooseOf)     /* the same, if a failure depends on choice c (OrderSearch); kNoReg: whatever it depends on */ \
  X(Blame)        /* what fails from here on depends on the choices numbers[d] */ \
  X(TestCall)     /* whether the code at d passes; nothing is reported */ \
  X(Move)         /* b */ \
  X(LoadInt)      /* d */ \
  X(LoadLong)     /* numbers[d], any cell of 8 bytes */ \
  X(LoadNumbers)  /* list of the c numbers from numbers[d] on */ \
  X(LoadString)   /* strings[d] */ \
  X(LoadNone)     /* no id */ \
  X(Recall)       /* of attributes b, c; c may be kNoReg: if the answer is known, a bool, go to d or fail; if a is \
                     kRulesOut, for all ops of such attributes */ \
  X(Remember)     /* bool a of attributes b, c for the Recall at d */ \
  X(RecallAttr)   /* likewise: attribute a; none fails */ \
  X(RememberAttr) \
  /* Ops and values. */ \
  X(Operand)      /* operand d of op b; none if it is left out */ \
  X(OperandThere) /* the same; fails if it is left out */ \
  X(OperandAtEnd) /* operand d from the end */ \
  X(OperandAtEndThere) \
  X(OperandList)  /* operands c up to d from the end of op b */ \
  X(DefinedBy)    /* the op that makes value b as its only result; it is of kind d */ \
  X(OperandDefinedBy) /* value a is operand `index` of op b; op c, of kind d, makes it as its only result */ \
  X(DefinedByResult) /* likewise as result c */ \
  X(DefinedBySet) /* the op that makes value b as result c; it is in kindSets[d] */ \
  X(InSet)        /* op a is in kindSets[d] */ \
  X(Result)       /* result d of op b; fails if it has fewer */ \
  X(ResultAny)    /* result d of op b, from the end if d is negative */ \
  X(ResultGroup)  /* results of op b, declared result d */ \
  X(OperandGroup) /* operands of op b, declared operand d */ \
  X(OperandOfGroup) /* the first of them; none if there is none */ \
  X(Count)        /* op a has b to c operands (c: kNoReg for any number) */ \
  X(Absent)       /* operand d of op a is left out */ \
  X(NoExtras)     /* op a has no undeclared attributes */ \
  X(Region)       /* region d of op b; fails if it has fewer */ \
  X(RegionAt)     /* region of op b whose index is int c */ \
  X(ParamCount)   /* region a has b to c parameters (c: kNoReg for any number), and with d no ops with effects */ \
  X(Param)        /* parameter d of region b, from the end if d is negative; fails if it has fewer */ \
  X(ParamList)    /* parameters c up to d from the end of region b */ \
  X(Terminator)   /* the op that ends region b */ \
  X(OneUse)       /* of value a */ \
  X(SameId)       /* ids a and b are the same */ \
  X(FirstResult)  /* result 0 of op b */ \
  /* Attributes. */ \
  X(Attr)         /* declared attribute d of op b, as stored; fails if there is none */ \
  X(AttrOrDefault) \
  X(AttrOrNone)   /* the same; none if there is none */ \
  X(AttrIndex)    /* which declared attribute attrPlaces[d] is for op b; -1 if it declares none */ \
  X(AttrAt)       /* declared attribute of op b whose index is int c, as stored; fails if there is none */ \
  X(AttrOrDefaultAt) \
  X(AttrDefault)  /* declared attribute d of op a is left out or equals its default */ \
  X(AttrDefaultAt) /* b: the register of the index */ \
  X(AttrAbsent) \
  X(AttrAbsentAt) \
  X(AttrIsInt)    /* attribute a is the int numbers[d] */ \
  X(AttrIsBool) \
  X(AttrIsString) /* strings[d] */ \
  X(AttrIsDType) \
  X(View)         /* attribute b as View(c); fails if it is none */ \
  X(ViewInts) \
  X(TensorAttr)   /* attribute b if it is a tensor; else fails */ \
  X(MakeAttr)     /* of b, a list if d */ \
  X(MakeElement)  /* of float b: the element of a constant */ \
  X(MakeSymbol)   /* of string b */ \
  /* Types and constants. */ \
  X(TypeOf)       /* of value b */ \
  X(TypeOfTensor) \
  X(TypeOfOp)     /* of its first result */ \
  X(ShapeOf)      /* of type b; these fail where it is not known */ \
  X(RankOf) \
  X(DTypeOf) \
  X(SizeOf) \
  X(TupleElements) \
  X(TupleType)    /* of a list of types */ \
  X(TensorType)   /* of dtype b and dims c */ \
  X(UnrankedType) \
  X(SingleElement) /* whether type b provably has one element */ \
  X(IsFloat) \
  X(IsInteger) \
  X(IsSigned) \
  X(IsComplex) \
  X(Bits) \
  X(ConstantOf)   /* of value b; none if it is not constant */ \
  X(ElementOf)    /* the element that constant value b repeats; fails if there is none */ \
  X(IsSplat)      /* value a is a constant that repeats b */ \
  X(IntsOf)       /* elements of tensor b */ \
  X(FloatsOf) \
  X(ContentsOf)   /* the integers in value b, as far as they are known; d: 1 as sizes */ \
  X(SplatOf)      /* a tensor of type c that repeats attribute b */ \
  X(TensorOf)     /* a tensor of type c with elements b */ \
  X(NameOf)       /* of op b, without its dialect; d: 1 of the dialect */ \
  X(AttrsOf)      /* of op b: what attributes hold that are written; d: 1 their names */ \
  X(UsesOf) \
  X(OneUser) \
  /* Numbers. */ \
  X(AddInt) X(SubInt) X(MulInt) X(DivInt) X(ModInt) X(AndInt) X(OrInt) X(XorInt) X(ShiftLeft) X(ShiftRight) \
  X(NegInt) X(AbsInt) X(BitLength) X(IsPowerOfTwo) \
  X(AddFloat) X(SubFloat) X(MulFloat) X(DivFloat) X(ModFloat) X(NegFloat) X(AbsFloat) \
  X(AddDim) X(SubDim) X(MulDim) X(DivDim) X(ModDim) \
  X(Not) \
  X(EqInt) X(NeInt) X(LtInt) X(LeInt) X(GtInt) X(GeInt) /* also bools, dtypes */ \
  X(EqFloat) X(NeFloat) X(LtFloat) X(LeFloat) X(GtFloat) X(GeFloat) \
  X(CompareString) /* d: how, counted from EqInt */ \
  X(EqId) X(NeId) \
  X(EqDim)        /* fails if the answer is not known, as do all comparisons of dims, types, lists */ \
  X(LtDim) X(LeDim) \
  X(EqType) \
  X(EqList)       /* of Elem d */ \
  X(Identical)    /* b and c of Elem d: as EqX, of floats bit for bit; false fails */ \
  X(IdenticalList) \
  X(Unrounded)    /* float b, a list if d & 1, read as c, a list if d & 2, where it is that in 32 bits */ \
  X(DimFromInt) X(IntFromDim) X(FloatFromInt) \
  X(DimsFromInts) X(IntsFromDims) X(FloatsFromInts) \
  X(IsNumber)     /* whether dim b is one; d: 1 if a symbol counts */ \
  X(MinOf) X(MaxOf) /* of b and c, of Elem d */ \
  X(SymbolDim)    /* the dimension named strings[d] */ \
  /* Lists. `c` is the Elem where nothing else is said. */ \
  X(NewList)      /* an empty list */ \
  X(Push)         /* onto list a the element b */ \
  X(PushList)     /* the elements of list b */ \
  X(Len) \
  X(Index)        /* element c of list b, of Elem d */ \
  X(SizeIs)       /* list a has d elements; fails if not */ \
  X(SizeAtLeast) \
  X(SizeEquals)   /* list a has as many as int b */ \
  X(SameSize)     /* lists a and b have as many */ \
  X(ElementAt)    /* element d of list b, which has it; from the end if d is negative */ \
  X(Middle)       /* list b without its first d >> 16 and last d & 0xffff elements */ \
  X(Slice)        /* list b from int c to int in register d; of Elem in onFailElem */ \
  X(Concat)       /* lists b and c, of Elem d; fails if they are too long together */ \
  X(ConcatShort)  /* the same without a limit */ \
  X(Range)        /* of ints from b to c */ \
  X(RangeFits)    /* from int a to int b is not too long */ \
  X(Next)         /* int b counts through list c: element a, or on at d; the Elem is in `elem` */ \
  X(Before)       /* int b - 1: where a loop begins */ \
  X(NextInt)      /* int a counts up from where it stands to int b, exclusive, or on at d */ \
  X(Step)         /* int a + 1; fails beyond kMaxSteps */ \
  X(Reversed) \
  X(Sorted) X(Argsort) X(IsSorted) X(IsUnique) X(IsPermutation) \
  X(AllOf) X(AnyOf) \
  X(Sum) X(Product) X(LeastOf) X(GreatestOf) \
  X(Contains) X(IndexOf) X(CountOf) /* of b in ... list b, element c, Elem d */ \
  X(Broadcast)    /* shapes b and c, or those in list b */ \
  X(UnknownSizes) /* a list of int b of them */ \
  X(CallFn)       /* function d on the registers from b on */ \
  /* Choices of matches. */ \
  X(Commute)      /* values a, a + 1 are operands 0 and 1 of op b */ \
  X(Swap)         /* exchanges a and a + 1 */ \
  X(IsCommutative) /* op b */ \
  X(ChainBegin)   /* chain a from value b over ops that pass chainTests[d] */ \
  X(ChainEnd)     /* value a where chain b stands */ \
  X(ChainExtend)  /* chain a by one link, or another way; fails if there is none */ \
  X(KeepChain)    /* chain b as it is now, for good */ \
  X(UsersBegin)   /* list a of the ops that c uses away from value b, in the region of the root */ \
  X(UsersOfOp)    /* the same from op b */ \
  X(EachNext)     /* int b counts through the operands of op c: value a, or on at d */ \
  X(IsTypeOnly)   /* whether value b, operand number c of op d, is left out or only its type counts */ \
  X(EachTest)     /* as TestCall, for operand number b; reasons are kept for the report, and not fitting fails */ \
  X(KeepRank)     /* single elements in list b of bools have no greater rank than the other operands of op a */ \
  /* Right sides. */ \
  X(PlaceBefore)  /* places[d] */ \
  X(Different)    /* ops a and b are not one */ \
  X(BuildOp)      /* op a by builds[d] */ \
  X(ReplaceByNew) /* the root by builds[d]; the end of the right side */ \
  X(BuildLike)    /* op a by builds[d] */ \
  X(OpenRegions)  /* of what is built by builds[d], which takes them; if a is a register, of op a again */ \
  X(OpenRegion)   /* region b anew, or a new one if that is kNoReg */ \
  X(NewParam)     /* value a of type b, of the open region */ \
  X(NewParams)    /* list a of values of the types in list b */ \
  X(RepeatParam)  /* value b, of the region that is built anew */ \
  X(RepeatParams) /* the values in list b */ \
  X(KeepEffects)  /* of the region that is built anew */ \
  X(TakeInside)   /* what stands for value b in the open region, none for none; fails if nothing does */ \
  X(TakeAllInside) /* of list b */ \
  X(CloseRegion)  /* list b is what it results in */ \
  X(CopyRegion)   /* region b, or region d of op c */ \
  X(TakesOperands) /* op a may have as many operands as list b has */ \
  X(ReplayChain)  /* value a: chain b again on value c, by replays[d] */ \
  X(StateType)    /* of value a: type b */ \
  X(Materialize)  /* value a: a constant op for tensor b, of dialect strings[d] */ \
  X(ResultsOf)    /* op b */ \
  X(CanReplace)   /* op a by value b; d: 1 if their types are the same whatever the program */ \
  X(CanReplaceAll) /* op a by list b of values; d likewise */ \
  X(ReachesUses)  /* value b stands above all uses of op a */ \
  X(ListReachesUses) \
  X(Replace) X(ReplaceAll) \
  X(WithAttrs)    /* attribute list a of op b with the settings of builds[d] */ \
  X(CanUpdate)    /* op a to attribute list b; d likewise */ \
  X(Update) \
  X(Unused)       /* op a has no uses */ \
  X(Erase) \
  X(InOrder)      /* what was created stands below what it uses */ \
  X(TestParam)    /* a parameter of type b, named strings[d]: tests */ \
  /* Clauses of ops: what is known of the op. */ \
  X(InputOperand) /* operand d */ \
  X(InputGroup)   /* the operands of declared operand d */ \
  X(InputFirst)   /* the first of them */ \
  X(InputAttr)    /* declared attribute d or its default; none if there is none */ \
  X(RegionParams) X(RegionResults) \
  /* Fused instructions, made by fuse.h when code is bound: what their parts do. */ \
  X(Head) /* `a` nodes from nodes[d] on: OperandDefinedBy, DefinedBy, OperandThere, NoExtras, Count, Attr; c parts */ \
  X(IsSplatInt)   /* LoadInt, IsSplat */ \
  X(SameTypes)    /* TypeOf, FailIfNone, TypeOf, FailIfNone, EqType, FailUnless */ \
  X(BuildValue)   /* BuildOp, FirstResult */ \
  X(ReplaceEnd)   /* CanReplace, Replace, Pass */
// clang-format on

enum class Opcode : uint8_t {
#define X(name) name,
  RW_INTERPRET_OPCODES(X)
#undef X
};
std::string_view name(Opcode);

struct Instr {
  Opcode op = Opcode::Fail;
  Elem elem = Elem::Int;
  Reg a = kNoReg, b = kNoReg, c = kNoReg;
  int32_t d = 0;
  uint32_t onFail = 0; // where to go on instead of failing; 0: nowhere
  /// OperandDefinedBy has a small number where others have an Elem.
  unsigned index() const { return unsigned(elem); }
};
static_assert(sizeof(Instr) == 16);

/// How an attribute is read.
enum class View : uint8_t {
  Int,
  Float,
  Bool,
  String,
  DType,
  Dim,
  Type,
  Attr,
  Ints,
  Floats,
  Dims,
  Bools,
  Strings,
  DTypes,
  Types,
  IntLists,
  FloatAlone, // no int
  StringAlone // no symbol
};

/// An op as other units and compiled libraries call it.
struct OpName {
  std::string dialect, name;
  int64_t since = 0;
};

struct OpKindSet {
  std::vector<uint32_t> ops;    // of Unit::opNames
  std::vector<uint32_t> traits; // masks: an op that has all of one is in the set
};

/// Where ops of one set declare an attribute that stands at different places.
struct AttrPlace {
  std::vector<std::pair<uint32_t, int32_t>> indexes; // op of Unit::opNames, index
};

/// An op that a right side makes.
struct BuildCode {
  std::vector<uint32_t> schemas; // of Unit::opNames; several: of the program's version of the dialect
  Reg model = kNoReg;            // or the op that is made again
  std::vector<Reg> operands;     // values, one by one; or:
  Reg operandList = kNoReg;
  std::vector<Reg> attrs;                         // by index, kNoReg where left out. Of a model: `settings` below
  std::vector<std::pair<uint32_t, Reg>> settings; // index, attribute
  // attributes are `named`, not `attrs` or `settings`: versions of the op have them elsewhere, or as operands
  bool byName = false;
  std::vector<std::pair<uint32_t, Reg>> named; // of Unit::strings, attribute
  std::vector<Reg> types;                      // stated
  bool open = false;                           // as many results as the `type` clause gives
  bool plain = false;                          // operands one by one, types inferred, none left out at the end
  bool sameType = false;                       // ReplaceByNew: its type is that of what it replaces
  bool takes = false;                          // the regions built since OpenRegions
};

struct ReplayCode {
  Reg side = kNoReg, result = kNoReg; // of the code for other operands
  uint32_t entry = 0;                 // 0: they stay as they are
};

struct ChainTest {
  uint32_t kinds = 0;                    // of Unit::kindSets
  Reg link = kNoReg, side = kNoReg;      // where the code finds what it looks at
  uint32_t linkEntry = 0, sideEntry = 0; // 0: nothing further is asked
};

struct Placement {
  std::vector<Reg> roots, replaced;
};

struct FnCode {
  uint32_t entry = 0;
  uint16_t registers = 0;
  Reg result = 0; // parameters are registers 0, 1, …
};

struct Reason {
  std::string text;
  uint32_t line = 0;
};

/// A test that patterns may share (rw/rewrite/shared_tests.h), ops by name.
struct TestRow {
  SharedTest test;
  std::string text;
  std::optional<uint32_t> op;    // of Unit::opNames
  std::optional<uint32_t> kinds; // of Unit::kindSets
  std::string why;               // of the opening
};

/// A name of a pattern that is written in its file, and where a match leaves what it stands for.
struct BoundName {
  std::string name;
  Reg reg = kNoReg;
  Elem elem = Elem::Value; // of a list: of its elements
  bool isList = false;
  Reg flag = kNoReg; // says whether it is bound, where some matches do not bind it
};

struct PatternCode {
  std::string name, doc, file;
  uint32_t line = 0;
  unsigned benefit = 1, depth = 1;
  uint8_t fastmath = 0; // bits of FastMath
  bool recursive = false, looksAtLeaves = true, looksAtUses = false, countsUses = false, looksAtUsers = false,
       looksInRegions = false;
  std::vector<std::string> labels;
  uint32_t roots = 0;           // of Unit::kindSets
  std::vector<uint32_t> chains; // likewise
  std::vector<TestRow> tests;
  uint32_t opening = 0;    // how many of the tests, from the first, are its opening: the code does not ask them
  bool swaps = false;      // the opening takes two operands in either order
  std::vector<Reg> opened; // slots that the opening sets, each a register of the code
  uint32_t entry = 0;
  uint16_t registers = 0, chainCount = 0;
  bool isMeaning = false;       // of an op (OpCode::means), not of the registry
  std::vector<BoundName> bound; // for reports; embedded patterns go without
};

/// A clause of an op declaration that gives one value. Not there: entry 0.
struct ClauseCode {
  uint32_t entry = 0;
  Reg result = 0;
  explicit operator bool() const { return entry != 0; }
};

struct OpCode {
  std::string dialect, name, doc, domain, file;
  int64_t since = 0;
  std::optional<int64_t> until;
  struct Part {
    std::string name;
    uint8_t arity = 0; // rw::Arity
  };
  std::vector<Part> operands, results;
  struct Attribute {
    std::string name;
    uint8_t type = 0; // rw::AttrType
    bool required = false;
    ClauseCode byDefault;
  };
  std::vector<Attribute> attrs;
  struct StandIn { // rw::StandInSchema
    std::string name;
    uint32_t operand = 0;
    uint8_t type = 0, dtype = 0, rank = 0;
    bool hasDefault = false;
    double byDefault = 0;
  };
  std::vector<StandIn> standIns;
  std::vector<std::string> regions;
  uint32_t traits = 0, moved = 0; // rw::OpSchema
  struct TypeRule {
    enum Kind : uint8_t { Whole, Like, Parts, Tuple, Group } kind = Whole;
    ClauseCode value, dims; // Whole: a type; Like: a value; Parts: dtype and dims; Tuple, Group: a list of types
  };
  std::vector<TypeRule> types;
  struct Requirement {
    ClauseCode condition;
    struct Piece {
      std::string text;
      ClauseCode value;
      Elem elem = Elem::Int;
      bool isList = false;
    };
    std::vector<Piece> message;
  };
  std::vector<Requirement> requirements;
  struct Fold {
    ClauseCode condition, value;
    bool isTensor = false;
  };
  std::vector<Fold> folds;
  std::vector<uint32_t> means; // patterns of the unit, in the order tried
  uint16_t registers = 0;      // of the largest clause
};

/// A declaration of this file by its name, one of an import by its place as well.
struct DeclName {
  std::string name, file;
  uint32_t line = 0;
};

struct PassCode {
  std::string name, doc;
  std::vector<DeclName> patterns;
  std::vector<std::string> labels;
  unsigned maxIterations = 0;
  uint32_t line = 0;
  struct Conversion {
    std::vector<std::string> from, to, legal;
    unsigned version = 0, lastVersion = 0;
    std::vector<std::pair<std::string, std::string>> refused; // element type, reason
    bool keepsFunctions = false;
  };
  std::vector<Conversion> conversion; // of a conversion: one
};
struct PipelineCode {
  std::string name, text, doc;
  uint32_t line = 0;
  std::vector<DeclName> imports; // what names in the text mean that the file imports
};
struct TestCode {
  std::string name;
  DeclName target;  // what is tested, if another file declares it
  uint8_t kind = 0; // TestEntry::Kind
  uint32_t line = 0;
  bool unchanged = false;
  ClauseCode before, after; // the result is a list of values
  uint16_t registers = 0;
};

/// Everything that one .rw file declares.
struct Unit {
  std::string file;                 // "algebra.rw"
  std::vector<Instr> code{Instr()}; // 0 is no place
  std::vector<uint32_t> reasonOf;   // by instruction: of `reasons`, 0 for none
  std::vector<Reason> reasons{Reason()};
  std::vector<int64_t> numbers;
  std::vector<std::string> strings;
  std::vector<OpName> opNames;
  std::vector<OpKindSet> kindSets;
  std::vector<AttrPlace> attrPlaces;
  std::vector<BuildCode> builds;
  std::vector<ReplayCode> replays;
  std::vector<ChainTest> chainTests;
  std::vector<Placement> placements;
  std::vector<FnCode> fns;
  std::vector<PatternCode> patterns;
  std::vector<OpCode> ops;
  std::vector<PassCode> passes;
  std::vector<PipelineCode> pipelines;
  std::vector<TestCode> tests;
  std::vector<DeclName> canonicalizations;
};

/// The instructions as text, one a line (`rwc --dump=code`).
std::string dump(const Unit &);

} // namespace rw::interpret
