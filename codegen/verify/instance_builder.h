// InstanceBuilder: one program whose ops look as a pattern's left side says.
//
// In:  a checked pattern, the ops of a registry, decisions.
// Out: a program with one function, `main`, and a value for each of its parameters; every op of it can be evaluated.
//      Whether the pattern's conditions hold there is not known yet: that is found out by running the pattern
//      (instance_search.h).
// Elsewhere: what operands and attributes may be is proposals.h.
//
// An op is made with operands that matches describe and others that are made up; if its declaration or the evaluator
// refuses, the made-up ones are made up again. So almost every attempt gives a valid program.
#pragma once

#include "codegen/verify/proposals.h"
#include "rw/interp/evaluate.h"
#include "rw/ir/builder.h"
#include "rw/ir/program.h"

#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace rw {
class KernelTable;
}

namespace rw::verify {

struct Instance {
  std::unique_ptr<Program> program; // its function is `main`
  std::vector<Tensor> inputs;       // one per parameter
  // of parameters: shapes, indices and the like, which other values would make invalid
  std::vector<bool> steers;
  std::vector<uint32_t> branches; // which alternatives were taken, in order
  Function &function() const { return program->functions().front(); }
};

/// Counts with which attributes (at other values than their defaults) and optional operands ops were tried, with which
/// they could be made, and which ones the pattern fired at. What could never be made was never verified.
class Tally {
public:
  /// An attribute or optional operand.
  struct Part {
    const OpSchema *schema;
    bool isAttr;
    size_t index;
    std::string_view name() const { return isAttr ? schema->attrs[index].name : schema->operands[index].name; }
  };
  /// What is noted from here on is of another op: one is tried with different operands until it is made.
  void startOp() { ++op_; }
  void note(const OpSchema &schema, bool isAttr, size_t index, bool made) {
    counts_[{&schema, isAttr, index}].add(op_, made);
  }
  /// Of the op, whatever it is made with.
  void note(const OpSchema &schema, bool made) { ops_[&schema].add(op_, made); }
  /// A program that the pattern fired at.
  void noteFired(Function &);
  /// Of the ops that were tried, what is in no program that the pattern fired at; of an op of several versions once, in
  /// the newest.
  std::vector<Part> neverFired() const;
  /// In words, of one that was tried often and never made; else empty.
  std::string neverMade() const;

private:
  struct Count {
    unsigned tried = 0, made = 0, last = 0;
    void add(unsigned op, bool isMade) {
      tried += last != op;
      last = op;
      made += isMade;
    }
  };
  unsigned op_ = 0;
  std::map<const OpSchema *, Count> ops_;
  std::map<std::tuple<const OpSchema *, bool, size_t>, Count> counts_;
  std::set<std::tuple<std::string, bool, std::string>> fired_; // op, whether it is an attribute, its name
};

struct BuilderInput {
  const sema::Module &module;
  const sema::Pattern &pattern;
  const OpRegistry &ops;
  const Literals &literals;
  const std::vector<Refinement> &refinements;
  const KernelTable &kernels;
  Sizing sizing;
  /// Where no instance was found: inexact numbers for patterns with a freedom (they are given powers of two else), and
  /// constants for a variable that is used twice, which a test cannot write.
  bool lastResort = false;
  /// What the op has wherever it is made.
  const Tally::Part *insistOn = nullptr;
  bool insistsOn(const OpSchema &schema, bool isAttr, size_t index) const {
    return insistOn && insistOn->schema == &schema && insistOn->isAttr == isAttr && insistOn->index == index;
  }
  Tally *tally = nullptr;
};

/// The values of the results of an op, which get their types. Nothing where what it requires does not hold, or where
/// nothing can be computed. `version`: of the operator set of ONNX.
std::optional<std::vector<Tensor>> settle(Op, std::span<const Tensor> operands, const KernelTable &, int version);

Instance copyOf(const Instance &);
/// Gives all values of a program that was changed the types of what is computed; false where an op refuses what it is
/// given now.
bool settleAll(const Instance &, const KernelTable &);

class InstanceBuilder {
public:
  InstanceBuilder(const BuilderInput &, Choices &);
  /// Fails if an op was refused too often, and says which.
  Result<Instance> build();

private:
  struct Refused {
    std::string why;
  };
  struct Planned;
  const sema::Body &body() const { return in_.pattern.body; }

  Value value(const sema::Match &, const OpDraft *, size_t index, std::string_view name);
  Value leaf(const sema::Match *, const OpDraft &, size_t index, const std::string &name, const sema::Operand *declared,
             bool constant);
  Op op(const sema::Match &);
  Op opOfKind(const sema::Match &, const OpSchema &, const sema::Op *);
  Value chain(const sema::Match &);
  Value link(const sema::Match &, Value onto);
  const sema::Match *refined(const sema::Match &) const;
  /// The constant or splat that conditions say a value is, if they say nothing else of it: it is made up beside the
  /// other operands of its op, which it must fit.
  const sema::Match *refinedLeaf(const sema::Match &) const;
  bool isKnown(const sema::Match &) const;
  void bind(const sema::Match &, Value);
  const OpSchema *choose(const sema::OpSet &, const sema::Op **declared, bool forChain, const sema::Match *m = nullptr);
  const OpSchema *schemaOf(const sema::Op &) const;
  void reuseLists(const sema::Match &, const OpSchema &, std::vector<Planned> &);
  void planOperands(const sema::Match &, const OpSchema &, const sema::Op *, std::vector<Planned> &);
  /// `madeUp`: those of which the pattern says nothing, or gives no more than a name.
  bool attributes(const sema::Match &, const OpSchema &, const sema::Op *, OpDraft &, std::vector<AttrId> &,
                  std::vector<bool> &madeUp, std::map<uint32_t, std::vector<double>> &standIns);
  /// What an equation of the conditions says that the attribute is; none if there is no such.
  AttrId wantedAttr(sema::VarId, AttrType);
  AttrId proposedAttr(const OpSchema &, size_t index, const sema::Op *, OpDraft &);
  AttrId literal(const sema::Expr &, AttrType) const;
  std::optional<std::vector<double>> numbers(const sema::Expr &) const;
  std::optional<Tensor> constrained(const std::vector<sema::TypeMatch> &, DType, const Shape &, bool plain,
                                    const sema::Operand *);
  bool fits(const sema::TypeMatch &, DType &, Shape &, std::map<uint32_t, int64_t> &dims);
  bool finish(Op, std::span<const Tensor> operands);
  // Of ops with regions: instance_regions.cpp.
  struct RegionContract;
  static bool canMakeRegions(const OpSchema &);
  /// How many results an op has, where that depends on its operands or on what its regions result in.
  size_t resultsByRegions(const sema::Match &, const OpSchema &, const OpDraft &) const;
  /// Gives an op its regions: what the match asks of them, else some usual ones. `place`: of the op among those that
  /// the match names.
  void makeRegions(const sema::Match &, Op, size_t place, const OpDraft &);
  RegionContract contractOf(Op, size_t region, const OpDraft &);
  std::vector<Value> askedResults(const sema::RegionMatch &, Op, const std::vector<Value> &params,
                                  const RegionContract &);
  std::vector<Value> anyResults(Op, size_t region, const std::vector<Value> &params, const RegionContract &);
  Value madeOf(Value);
  Value inside(std::string_view name, std::initializer_list<Value> operands, std::string_view attr = "",
               std::string_view text = "");
  Value constant(const Tensor &);
  Value param(const Tensor &, bool steers);
  const Tensor &contents(Value v) const { return contents_[v.id.raw]; }
  void know(Value, const Tensor &);
  Context &ctx() { return program_->context(); }
  Function &fn() { return *fn_; }

  const BuilderInput &in_;
  Choices &choices_;
  Proposals proposals_;
  std::unique_ptr<Program> program_;
  Function *fn_ = nullptr;
  RegionId region_;              // where ops are made
  std::vector<Tensor> contents_; // by ValueId
  std::vector<Tensor> inputs_;
  std::vector<bool> steers_;
  std::vector<uint32_t> branches_;
  int version_ = 0; // of ONNX's dialect
  std::string constantDialect_;
  bool canWriteConstants_ = true;
  std::map<uint32_t, Value> values_;             // by variable
  std::map<uint32_t, Value> pending_;            // operands of the op that is being made
  std::map<uint32_t, std::vector<Value>> lists_; // operands that the rest of a list stands for
  std::vector<Value> starts_;                    // the places of the last slice that was made
  std::map<uint32_t, AttrId> attrs_;
  std::map<uint32_t, OpId> opsOf_;
  std::map<uint32_t, int64_t> dims_;
  std::map<uint32_t, Shape> dimLists_;
  std::map<uint32_t, Tensor> splats_;
  std::set<const sema::Match *> open_; // refinements that are being followed
  std::map<uint32_t, unsigned> uses_;  // by variable: how often matches name it
  unsigned opCount_ = 0;
};

} // namespace rw::verify
