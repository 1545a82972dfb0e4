// ExpressionCompiler: checked expressions as code.
//
// In:  an Expr; which registers its variables are in.
// Out: code that evaluates it, and the register of the value. Failing is as code.h says: it goes to the handler at
//      hand.
// Elsewhere: when an expression fails is frontend/sema/expr.h; what a pattern's matching and building add is
//            pattern_compiler.h.
#pragma once

#include "codegen/interpret/unit_builder.h"
#include "codegen/plan/expression_facts.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <optional>

namespace rw::interpret {

Elem elemOf(sema::TypeKind);
inline Elem elemOf(sema::Type t) { return t.isList() ? Elem::List : elemOf(t.kind); }
/// How an attribute is read as a value of the type.
View viewOf(sema::Type);

/// What is known of a variable where the code has come to.
struct VarState {
  enum Presence : uint8_t { Unbound, Maybe, Bound } presence = Unbound;
  Reg reg = kNoReg;
  /// The attribute it was read from. `attrPresence` is Maybe where that depends on the way the match went: then the
  /// register holds none if it was not.
  Reg attr = kNoReg;
  Presence attrPresence = Unbound;
  bool lazy = false; // `reg` is still to be read from `attr`, which cannot fail
  // of Maybe: the register that says whether it is bound; none: a register that holds an id says so itself
  Reg flag = kNoReg;
};

class ExpressionCompiler : public CodeWriter {
public:
  ExpressionCompiler(UnitBuilder &builder, const sema::Body &body)
      : CodeWriter(builder), body(body), vars(body.vars.size()) {}
  virtual ~ExpressionCompiler() = default;

  Reg value(const sema::Expr &);
  /// As the AttrId of a declared attribute type.
  Reg attribute(const sema::Expr &, sema::AttrType);
  /// Of what may be left out (plan::mayBeAbsent), handed on to where one may be: none if it is left out.
  Reg orAbsent(const sema::Expr &);
  /// Fails unless the condition holds.
  void require(const sema::Expr &);
  void bindTo(sema::VarId id, Reg reg) { vars[id.raw] = {.presence = VarState::Bound, .reg = reg}; }
  /// The register of a variable; fails where it is not bound.
  Reg variable(sema::VarId);
  /// Code that may not run: what it finds out about variables is forgotten.
  template <class F> void conditionally(const F &body) {
    // Mostly a few dozen, copied as bytes: nothing is allocated.
    const llvm::SmallVector<VarState, 64> saved(vars.data(), vars.data() + vars.size());
    body();
    std::copy(saved.begin(), saved.end(), vars.begin());
  }
  /// Whether a variable that is Maybe is bound, as a bool.
  Reg isBound(const VarState &);
  Reg loadInt(int64_t);
  void loadInt(Reg to, int64_t n);
  /// Instructions of one shape.
  Reg op1(Opcode op, Reg b, Elem elem = Elem::Int) {
    Reg a = reg();
    emit(op, a, b, kNoReg, 0, elem);
    return a;
  }
  Reg op2(Opcode op, Reg b, Reg c, Elem elem = Elem::Int, int32_t d = 0) {
    Reg a = reg();
    emit(op, a, b, c, d, elem);
    return a;
  }
  void view(Reg to, Reg attr, sema::Type);

  const sema::Body &body;
  std::vector<VarState> vars;

protected:
  /// While it lives, failing tells why this expression cannot be computed, unless one around it says so already.
  class Because {
  public:
    Because(ExpressionCompiler &, const sema::Expr &);
    ~Because();
    Because(const Because &) = delete;

  private:
    ExpressionCompiler &c_;
    std::optional<uint32_t> outer_;
  };
  /// Whether the reason is that of a whole right side: an expression in it says more (failure).
  bool ofWhole_ = false;
  /// The reason that the expression, which builds nothing, cannot be computed; 0: none of its own.
  virtual uint32_t failure(const sema::Expr &) { return 0; }
  virtual Reg build(const sema::Expr &) { return unsupported(); }
  virtual Reg constantOp(const sema::Expr &) { return unsupported(); }
  virtual Reg isExpr(const sema::Expr &) { return unsupported(); }
  Reg unsupported();

private:
  Reg valueOf(const sema::Expr &);
  Reg binary(const sema::Expr &);
  void readRounded(const sema::Expr &, Reg &first, Reg &second);
  Reg comparison(const sema::Expr &);
  Reg arithmetic(const sema::Expr &);
  Reg lazy(const sema::Expr &);
  template <class Otherwise> Reg orElse(const sema::Expr &, Otherwise);
  Reg ifElse(const sema::Expr &, Reg (ExpressionCompiler::*branch)(const sema::Expr &));
  Reg list(const sema::Expr &);
  Reg comprehension(const sema::Expr &);
  Reg quantifier(const sema::Expr &, bool all);
  void loops(const sema::Expr &, size_t at, Reg steps, Label &next, const std::function<void(Label &)> &inner);
  uint32_t apartLoop(const sema::Expr &, const sema::Expr &source, size_t first, size_t count, Label &end);
  Reg slice(const sema::Expr &);
  Reg call(const sema::Expr &);
  Reg builtin(const sema::Expr &);
  Reg has(const sema::Expr &);
  Reg property(const sema::Expr &);
  Reg typeReg(const sema::Expr &);
  Reg opMember(const sema::Expr &);
  Reg convert(const sema::Expr &);
  bool mayFail(const sema::Expr &) const;
};

} // namespace rw::interpret
