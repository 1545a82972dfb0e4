// Types of expressions and variables, and the ids by which checked things refer to each other.
//
// In:  -
// Out: plain data, part of sema::Module.
// Elsewhere: expr.h, match.h, module.h.
//
//   Type::list(TypeKind::Dim)            // [dim], the type of x.shape
//   toString(Type::list(TypeKind::Int))  // "[int]"
#pragma once

#include "rw/support/id.h"
#include "rw/support/source.h"

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rw::sema {

// Indices into the tables of a Module or a Body.
using OpIndex = Id<struct OpTag>;             // Module::ops
using FnIndex = Id<struct FnTag>;             // Module::fns
using NativeIndex = Id<struct NativeTag>;     // Module::natives
using PatternIndex = Id<struct PatternTag>;   // Module::patterns
using MatcherIndex = Id<struct MatcherTag>;   // Module::matchers
using RewriteIndex = Id<struct RewriteTag>;   // Module::rewrites
using GroupIndex = Id<struct GroupTag>;       // Module::groups
using PassIndex = Id<struct PassTag>;         // Module::passes
using PipelineIndex = Id<struct PipelineTag>; // Module::pipelines
using VarId = Id<struct VarTag>;              // Body::vars
using BuildId = Id<struct BuildTag>;          // Body::builds
using TestId = Id<struct TestTag>;            // Body::tests

enum class TypeKind : uint8_t {
  Error, // only while checking: what was already reported; converts to anything
  Never, // the element of `[]`; converts to anything
  Int,
  Float,
  Bool,
  String,
  DType,
  Dim,    // a number, an expression over symbols, or unknown
  Type,   // the type of a value
  Attr,   // an attribute of any kind
  Tensor, // a dense attribute: what constants hold
  Value,  // an SSA value; lists of them: variadic operands, `each x`
  Op,     // a matched or built op; which ops it can be says Var::ops or Build
  Chain,  // what `elementwise*` matched
  Region, // a region of a matched op
  None,   // no value: an optional operand left out
};

/// A kind, or lists of it.
struct Type {
  TypeKind kind = TypeKind::Error;
  uint8_t lists = 0; // 0: the kind itself, 1: [kind], 2: [[kind]]

  constexpr Type() = default;
  constexpr Type(TypeKind k, uint8_t lists = 0) : kind(k), lists(lists) {}
  static constexpr Type list(TypeKind k) { return Type(k, 1); }
  bool is(TypeKind k) const { return kind == k && lists == 0; }
  bool isList() const { return lists != 0; }
  bool isError() const { return kind == TypeKind::Error; }
  Type element() const {
    assert(isList());
    return Type(kind, uint8_t(lists - 1));
  }
  Type listOf() const { return Type(kind, uint8_t(lists + 1)); }
  friend bool operator==(Type, Type) = default;
};
std::string toString(Type); // as the user writes it: "[dim]"

/// Traits, with the bits of rw::Trait.
namespace trait {
inline constexpr uint32_t pure = 1, elementwise = 2, commutative = 4, constant = 8, effectRandom = 16, effectError = 32,
                          effectState = 64, movesElements = 128;
}
std::string traitsToString(uint32_t); // "pure, effect(random)"

/// The ops a head of a match can be: those listed, every op that has all of `traits`, of whatever dialect, or any op.
struct OpSet {
  std::vector<OpIndex> ops; // in written order; empty if by trait
  uint32_t traits = 0;      // by trait if not 0
  bool any = false;         // `_(x)`: every op that a dialect declares: by trait, with no trait asked for
  // By trait: the alternatives to it, `(elementwise | cast)(x)`.
  std::vector<uint32_t> otherTraits;
  std::vector<OpIndex> otherOps;
  bool byTrait() const { return traits != 0 || any; }
  bool mixed() const { return !otherTraits.empty() || !otherOps.empty(); }
};

} // namespace rw::sema
