// UnitBuilder: the tables of a Unit while it is made, and the code that is written into it.
//
// In:  names, numbers and instructions.
// Out: a Unit. What is entered twice is there once.
// Elsewhere: what is written is expression_compiler.h and pattern_compiler.h; compiler.h is the way in.
//
//   CodeWriter code(builder);
//   Reg sum = code.reg();
//   code.emit(Opcode::AddInt, sum, a, b);
#pragma once

#include "codegen/machine/code.h"
#include "codegen/plan/plan.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace rw::interpret {

class UnitBuilder {
public:
  UnitBuilder(const sema::Module &module, const SourceManager &sources, Unit &unit)
      : unit(unit), module(module), sources(sources) {}

  uint32_t opName(sema::OpIndex);
  uint32_t kindSet(const sema::OpSet &);
  int32_t string(std::string_view);
  int32_t number(int64_t);
  /// Where they stand one behind the other.
  int32_t numbers(const std::vector<int64_t> &);
  /// The function's number; its code is written when the piece at hand is done.
  int32_t fn(sema::FnIndex);
  uint32_t reason(std::string text, unsigned line);
  unsigned line(SourceRange r) const { return sources.line(r.begin); }
  std::vector<std::pair<sema::FnIndex, uint32_t>> takeFns() { return std::exchange(newFns_, {}); }

  Unit &unit;
  const sema::Module &module;
  const SourceManager &sources;

private:
  std::map<uint32_t, uint32_t> opNames_;
  std::map<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>, uint32_t> kindSets_;
  std::map<std::string, int32_t, std::less<>> strings_;
  std::map<int64_t, int32_t> numbers_;
  std::map<std::vector<int64_t>, int32_t> numberLists_;
  std::map<uint32_t, int32_t> fns_;
  std::unordered_multimap<size_t, uint32_t> reasons_; // by the hash of text and line
  std::vector<std::pair<sema::FnIndex, uint32_t>> newFns_;
};

/// A place in the code that may not be known yet where something goes there.
struct Label {
  std::vector<uint32_t> jumps, handlers; // instructions that do
};

/// Writes one piece of code: a pattern, a function, the clauses of an op.
class CodeWriter {
public:
  explicit CodeWriter(UnitBuilder &builder) : builder(builder) {}

  Reg reg() {
    if (registers_ == kNoReg - 1)
      tooLarge_ = true; // from here on code is wrong, and not used
    else
      ++registers_;
    return Reg(registers_ - 1);
  }
  /// `count` registers side by side.
  Reg regs(size_t count) {
    Reg first = Reg(registers_);
    for (size_t i = 0; i < std::max<size_t>(count, 1); ++i)
      reg();
    return first;
  }
  unsigned registers() const { return registers_; }
  bool tooLarge() const { return tooLarge_; }

  /// Where the next instruction will stand; something may come to go on there.
  uint32_t place() { return lastPlace_ = here(); }
  uint32_t here() const { return uint32_t(builder.unit.code.size()); }
  uint32_t emit(Opcode op, Reg a = kNoReg, Reg b = kNoReg, Reg c = kNoReg, int32_t d = 0, Elem elem = Elem::Int);
  void jump(Opcode op, Reg a, Label &to) { to.jumps.push_back(emit(op, a)); }
  void jump(Label &to) { jump(Opcode::Jump, kNoReg, to); }
  /// An instruction whose `d` is a place in the code.
  void emitTo(Label &to, Opcode op, Reg a, Reg b = kNoReg, Reg c = kNoReg, Elem elem = Elem::Int) {
    to.jumps.push_back(emit(op, a, b, c, 0, elem));
  }
  void bind(Label &);
  /// Whether something goes on at this place, or may.
  bool isPlace(uint32_t at) const { return at == lastPlace_; }

  /// Where what fails in `body` goes on.
  template <class F> void withHandler(Label *handler, const F &body) {
    Label *outer = std::exchange(handler_, handler);
    body();
    handler_ = outer;
  }
  Label *handler() const { return handler_; }
  /// Why the pattern does not match if what follows fails; 0: nothing is said.
  void setReason(uint32_t reason) { reason_ = reason; }
  uint32_t reason() const { return reason_; }

  UnitBuilder &builder;

private:
  unsigned registers_ = 0;
  uint32_t lastPlace_ = 0;
  Label *handler_ = nullptr;
  uint32_t reason_ = 0;
  bool tooLarge_ = false;
};

} // namespace rw::interpret
