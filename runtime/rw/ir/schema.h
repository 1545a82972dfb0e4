// Op schemas: what a dialect says of its ops, and the registry of all dialects of a tool.
//
// In:  static tables and hooks that rwc generates from `op` declarations.
// Out: for a kind of op: names, operands, attributes, traits, effects, and hooks for types, checks, folding.
// Elsewhere: patterns and passes register in rewrite/pattern.h and passes/pass.h.
//
//   OpRegistry ops;
//   registerTensorOps(ops);                                  // generated
//   KindId add = ops.lookup("tensor.add");                   // kOpaqueKind if there is none
//   bool c = ops.schema(add).hasTrait(Trait::Commutative);
#pragma once

#include "rw/ir/attributes.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rw {

class Context;
class Function;
class PatternRewriter;
struct Op;
class OpInputs;

/// What an op promises. Effects are traits too: an op without `Pure` and without effects is taken to have all of them.
enum class Trait : uint32_t {
  Pure = 1u << 0,          // same inputs, same results, nothing else happens
  Elementwise = 1u << 1,   // result element i depends on the (broadcast) operand elements i alone
  Commutative = 1u << 2,   // the two operands may swap
  Constant = 1u << 3,      // its results are its attribute `value`
  EffectRandom = 1u << 4,  // draws a number: two of them are never one
  EffectError = 1u << 5,   // may refuse its input: not removed though unused
  EffectState = 1u << 6,   // reads or writes something outside; bits 16 to 31: operands of which only the type counts
  MovesElements = 1u << 7, // each element of a result is one of those operands' that `OpSchema::moved` names
};
using Traits = uint32_t;
constexpr Traits operator|(Trait a, Trait b) { return Traits(a) | Traits(b); }
constexpr Traits operator|(Traits a, Trait b) { return a | Traits(b); }

enum class Arity : uint8_t { Single, Optional, Variadic };

struct OperandSchema {
  std::string_view name;
  Arity arity = Arity::Single;
};
struct ResultSchema {
  std::string_view name;
  Arity arity = Arity::Single; // Single or Variadic
};

/// Which kinds of attribute a declared attribute accepts.
enum class AttrType : uint8_t {
  Int,
  Float,
  Bool,
  String,
  DType,
  Type,
  Symbol,
  Dim,
  Ints,
  Floats,
  Bools,
  Strings,
  Dims,
  IntLists, // lists of Ints: [[0, 1], [2]]
  DTypes,
  Types,
  Tensor,
  Any
};
/// Whether an attribute so declared is an AttrKind::List, of elements of one kind.
constexpr bool holdsList(AttrType t) {
  return t == AttrType::Bools || t == AttrType::Strings || t == AttrType::IntLists || t == AttrType::DTypes ||
         t == AttrType::Types;
}

struct AttrSchema {
  std::string_view name;
  AttrType type = AttrType::Any;
  bool required = true;    // neither `?` nor a default
  bool hasDefault = false; // `OpSchema::defaultAttr` gives it
};

/// An attribute of other versions of an op for which an operand stands in this one: ONNX's axes, say. Patterns read it
/// where the operand is a constant, and build the op with a constant. Its number is behind those of the attributes that
/// the op has.
struct StandInSchema {
  std::string_view name;
  uint32_t operand = 0;
  AttrType type = AttrType::Ints; // Int, Float, Ints or Floats
  DType dtype = DType::Unknown;   // of a constant that is made; unknown: that of operand 0
  uint8_t rank = 0;               // likewise: 1 of a list, and of a number as many dimensions of 1
  bool hasDefault = false;        // what holds where the operand is left out
  double byDefault = 0;
};

/// A place where an op's check reports what is wrong; the verifier adds op and location.
class CheckSink {
public:
  virtual ~CheckSink() = default;
  virtual void fail(std::string message) = 0;
};

struct FoldResult {
  enum Kind : uint8_t { Nothing, ReplacedBy, Materialize } kind = Nothing;
  ValueId value;   // ReplacedBy: an existing value for the (single) result
  AttrId constant; // Materialize: a dense constant for the (single) result
};

/// Everything one `op` declaration says. All views point to static storage, except in tests.
struct OpSchema {
  std::string_view dialect, name; // "tensor", "add"
  std::span<const OperandSchema> operands;
  std::span<const ResultSchema> results;
  std::span<const AttrSchema> attrs;
  std::span<const StandInSchema> standIns;
  std::span<const std::string_view> regions;
  Traits traits = 0;
  uint32_t moved = 0;               // of MovesElements: declared operands whose elements it moves, one bit each
  int since = 0, until = INT32_MAX; // versions of the dialect it holds for, both included
  std::string_view doc;
  std::string_view file;   // "onnx_ops.rw", where it is declared
  std::string_view domain; // what other formats call the dialect, where that is another name: an ONNX domain

  /// Types of all results into `types` (one per result, preset to none). False if what is known does not say.
  bool (*inferTypes)(const OpInputs &, std::span<TypeId> types) = nullptr;
  /// Checks `require` clauses; false if one failed (reported into the sink).
  bool (*check)(const OpInputs &, CheckSink &) = nullptr;
  /// The default of declared attribute `index`, none if it cannot be computed from what is known.
  AttrId (*defaultAttr)(const OpInputs &, unsigned index) = nullptr;
  FoldResult (*fold)(Op) = nullptr;
  /// Puts what the op means in its place, ops of other kinds (rewrite/meaning.h says how); false if none of its
  /// meanings holds of it. Null: it means nothing but itself.
  bool (*expand)(Op, PatternRewriter &) = nullptr;
  /// As inferTypes, of what it means; set where `expand` is. An op without types of its own has it as `inferTypes`.
  bool (*meantTypes)(const OpInputs &, std::span<TypeId> types) = nullptr;
  /// Where hooks find what they run, if that is data (rw/load/embedded_patterns.h): the file's, and which of its ops it
  /// is.
  const void *clauses = nullptr;
  uint32_t clauseIndex = 0;

  bool hasTrait(Trait t) const { return traits & Traits(t); }
  bool isPure() const { return hasTrait(Trait::Pure); }
  std::string fullName() const { return std::string(dialect) + "." + std::string(name); }
  /// Index of a declared attribute, or -1.
  int attrIndex(std::string_view name) const;
};

/// What the ops of one file and dialect have in common, added to what each says of itself.
struct OpsOfFile {
  std::string_view dialect, file, domain;
  constexpr OpSchema operator()(OpSchema schema) const {
    schema.dialect = dialect;
    schema.file = file;
    if (schema.domain.empty())
      schema.domain = domain;
    return schema;
  }
};

class OpRegistry {
public:
  OpRegistry();
  /// Adds an op; `schema` must outlive the registry. Returns kOpaqueKind if the name and version range clash with one
  /// that is registered already; registering the same schema object again gives its kind.
  KindId add(const OpSchema &schema);

  /// By full name ("tensor.add"), in the newest version.
  KindId lookup(std::string_view fullName) const;
  /// By full name in one version of its dialect.
  KindId lookup(std::string_view fullName, int version) const;
  KindId kindOf(const OpSchema &) const;
  const OpSchema &schema(KindId kind) const { return *schemas_[kind.raw]; }
  const std::string &fullName(KindId kind) const { return fullNames_[kind.raw]; } ///< "tensor.add"
  size_t size() const { return schemas_.size(); } ///< kinds are 0 … size() - 1; the first two are the core's
  /// Which declared attribute of a constant op (trait `constant`) is what it holds, its `value`; -1 for all other
  /// kinds.
  int constantAttr(KindId kind) const { return constantAttrs_[kind.raw]; }
  /// The constant op of a dialect (trait `constant`), or kOpaqueKind.
  KindId constantOp(std::string_view dialect) const;
  std::vector<std::string_view> names() const; ///< full names, sorted, without repetition
  /// Ops that were refused because one of the name was there for some of their versions.
  const std::vector<const OpSchema *> &refused() const { return refused_; }
  /// No other registry of the program has, or had, this number: what is remembered of one is asked for by it.
  uint64_t number() const { return number_.value; }

private:
  struct Number {
    Number() : value(next()) {}
    Number(const Number &) : Number() {}
    Number &operator=(const Number &) {
      value = next();
      return *this;
    }
    static uint64_t next();
    uint64_t value;
  };
  std::vector<const OpSchema *> schemas_;
  std::vector<std::string> fullNames_; // by kind
  std::vector<int16_t> constantAttrs_; // by kind
  std::vector<const OpSchema *> refused_;
  std::unordered_map<const OpSchema *, KindId> kinds_;
  struct Name {
    std::string text;
    std::vector<KindId> versions; // newest first
  };
  std::vector<Name> names_; // sorted by text
  Number number_;
};

} // namespace rw
