// ProgramMaker: the program that a jaxpr's Syntax says.
//
// In:  a Syntax (syntax.h). Out: functions in a Program; or one diagnostic.
// Elsewhere: the primitives' operands, attributes and types are declared in patterns/jax; other names, keys that do not
// matter and refusals are in primitives.h.
//
// A primitive is the op of its name in the dialect `jax`. What it says in brackets becomes attributes by their
// declaration; an attribute that says its default is left out. Jaxprs inside become
//
//   of jit, custom_jvp_call, checkpoint, …     a function, and a tensor.call of it
//   of cond, while, scan                       regions. What they are given beside carried values they read from around
//   them of reduce, reduce_window, …                regions
//
// Variables are known in their own jaxpr alone: one inside may call its own the same.
#pragma once

#include "rw/ir/program.h"
#include "rw/jaxpr/jaxpr.h"
#include "rw/jaxpr/syntax.h"
#include "rw/support/inline_list.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace rw::jaxpr {

class ProgramMaker {
public:
  ProgramMaker(const Syntax &syntax, FileId file, const SourceManager &sources, Diagnostics &diags, Program &program)
      : syntax_(syntax), program_(program), ctx_(program.context()), diags_(diags), base_(sources.locOf(file, 0)),
        begin_(sources.text(file).data()), limit_(syntax.shared.size()) {}
  bool run();

private:
  /// A value, and whether it is a key of random numbers.
  struct Known {
    ValueId value;
    bool isKey = false;
  };
  using Values = InlineList<Known, 8>;
  using Ids = InlineList<ValueId, 8>;
  using Types = InlineList<TypeId, 4>;

  /// A constant without a value: a parameter of `main`, and of each function between that and where it is read.
  struct Lost {
    TypeId type;
    std::string name;
    const char *from, *to;
  };
  /// A function while it is made.
  struct Made {
    Function *fn;
    Made *outer;
    size_t inputs = 0;                                // of its own; lost constants follow
    std::vector<uint32_t> lost;                       // in the order of the parameters
    std::unordered_map<uint32_t, ValueId> lostValues; // by number
  };
  /// A function that is made.
  struct Callee {
    std::string name;
    std::vector<uint32_t> lost;
  };
  /// The variables of one jaxpr.
  class Scope {
  public:
    explicit Scope(ProgramMaker &m) : m_(m), outer_(m.scope_), mark_(m.log_.size()) { m.scope_ = ++m.scopes_; }
    ~Scope();

  private:
    ProgramMaker &m_;
    uint32_t outer_;
    size_t mark_;
  };
  /// An equation while it is made into an op.
  struct Draft {
    const Equation &equation;
    std::string_view name; // canonical
    RegionId region;
    Values operands;
  };

  // program_maker.cpp
  bool makeFunction(uint32_t jaxpr, std::string_view wanted, Callee &out);
  bool makeBody(const Jaxpr &, RegionId, std::span<const Known> inputs, std::span<const Binder> expected,
                Values &results);
  bool makeEquation(const Equation &, RegionId);
  bool makeOp(Draft &);
  bool define(const Binder &, Known);
  bool bindResults(const Equation &, std::span<const Known>);
  const Known *find(std::string_view name) const;
  bool operand(const Atom &, RegionId, TypeId expected, Known &out);
  bool operands(Draft &);
  TypeId expectedOf(const Draft &, size_t index) const;
  ValueId lostValue(uint32_t number);
  void sayLost();
  void name(ValueId, std::string_view);

  // literals.cpp
  bool literal(const Atom &, RegionId, TypeId expected, Known &out);
  bool elements(const SyntaxValue &, const TypeData &, std::vector<std::byte> &out);
  bool element(const SyntaxValue &, DType, std::vector<std::byte> &out);
  bool isLost(const SyntaxValue &) const;

  // control.cpp
  bool makeCall(Draft &);
  bool makeCond(Draft &);
  bool makeBranch(Draft &, std::span<const uint32_t> branches, size_t index, RegionId, Values &results);
  bool makeWhile(Draft &);
  bool makeScan(Draft &);
  bool fillRegion(const Draft &, uint32_t jaxpr, RegionId, std::span<const Known> inputs,
                  std::span<const Binder> expected, Values *results = nullptr);
  bool inputsOfRegion(const Draft &, uint32_t jaxpr, size_t given, RegionId, Values &inputs);
  const Param *find(const Equation &, std::string_view key) const;
  bool jaxprOf(const Draft &, std::string_view key, uint32_t &out);
  bool jaxprOf(const Draft &, const SyntaxValue &, uint32_t &out);
  bool numberOf(const Draft &, std::string_view key, int64_t least, int64_t most, int64_t &out);
  bool unknownKey(const Draft &, const Param &);
  bool checkKeys(const Draft &, std::initializer_list<std::string_view> read);
  uint32_t skipWrappers(uint32_t jaxpr);

  // attributes.cpp
  bool setAttributes(Draft &, const OpSchema &, std::span<const TypeId> results, InlineList<AttrId, 16> &fixed,
                     uint32_t &body);
  bool setAttribute(const Draft &, const OpSchema &, std::string_view key, const SyntaxValue &,
                    InlineList<AttrId, 16> &fixed);
  bool setDotDimensions(const Draft &, const OpSchema &, const SyntaxValue &, InlineList<AttrId, 16> &fixed);
  AttrId fit(const SyntaxValue &, AttrType);
  bool dimOf(const SyntaxValue &, Dim &out);
  void dropDefaults(OpId, InlineList<AttrId, 16> &fixed);
  void keepWords(const OpSchema &, size_t operandRank, size_t resultRank, InlineList<AttrId, 16> &fixed);

  Loc locAt(const char *p) const { return Loc{base_.raw + uint32_t(p - begin_)}; }
  bool error(std::string_view tag, const char *from, const char *to, std::string message, std::string note = {});
  bool error(std::string_view tag, const Equation &e, std::string message, std::string note = {}) {
    return error(tag, e.from, e.nameEnd, std::move(message), std::move(note));
  }
  KindId kindOf(std::string_view full) const { return ctx_.ops().lookup(full); }

  const Syntax &syntax_;
  Program &program_;
  Context &ctx_;
  Diagnostics &diags_;
  Loc base_;
  const char *begin_;
  Made *made_ = nullptr;                         // the function that is being made
  size_t limit_;                                 // names of shared jaxprs mean those before this one
  std::unordered_map<uint32_t, Callee> callees_; // by jaxpr
  std::unordered_map<std::string_view, std::vector<uint32_t>> shared_; // by name: places in Syntax::shared
  std::unordered_map<uint32_t, uint32_t> sharedPlace_;                 // by jaxpr: its place in Syntax::shared
  std::unordered_set<std::string> functionNames_;
  std::unordered_map<std::string, uint32_t> nextNumber_; // of functions of a name
  const Equation *draws_ = nullptr;                      // the first that draws random numbers
  bool isOld_ = false;                                   // something is printed as versions before 0.7 did
  std::vector<Lost> lost_;
  std::unordered_map<const void *, uint32_t> lostAt_; // by place: each constant is one parameter
  // Variables by name: those of the present scope count.
  struct Variable {
    Known known;
    uint32_t scope = 0;
  };
  std::unordered_map<std::string_view, Variable> variables_;
  std::vector<std::pair<std::string_view, Variable>> log_; // what was there before
  uint32_t scope_ = 0, scopes_ = 0;
};

} // namespace rw::jaxpr
