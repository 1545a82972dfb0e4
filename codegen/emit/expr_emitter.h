// ExprEmitter: C++ that evaluates a checked expression, failures included.
//
// In:  an Expr; what its variables are called in C++; what to do on failure ("return std::nullopt;").
// Out: statements into a Writer, and the C++ expression that then is the value.
// Elsewhere: the functions it calls are rw/ir/expr_helpers.h; steps and right sides are pattern_emitter.h.
//
//   [inner[i] for i in outer]
//
//   Ints list;
//   for (int64_t i : outer) {
//     if (!inRange(i, inner.size()))
//       return std::nullopt;
//     list.push_back(inner[size_t(i)]);
//   }
#pragma once

#include "codegen/emit/names.h"
#include "codegen/emit/writer.h"
#include "codegen/plan/expression_facts.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <optional>
#include <set>

namespace rw::emit {

/// How generated code names things of other declarations.
class References {
public:
  References(const sema::Module &module);
  const sema::Module &module() const { return module_; }
  std::string view(sema::OpIndex) const; // "tensor::TransposeOp", "names::tensor::TransposeOp" if imported
  std::string schema(sema::OpIndex i) const { return view(i) + "::schema()"; }
  std::string fn(sema::FnIndex) const; // "permutations::compose"
  std::string native(sema::NativeIndex) const;
  std::string viewName(sema::OpIndex) const; // "TransposeOp"
  std::string stem(FileId) const;            // namespace of a file's functions

private:
  const sema::Module &module_;
  llvm::StringMap<std::string_view> named_; // the op that a class name of a dialect is made of; empty: several
};

struct VarText {
  std::string text;   // an expression without side effects
  std::string attr;   // the AttrId it was read from, if it is one
  bool maybe = false; // may be unbound: test before use
  bool deref = false; // `text` is an optional
};

class ExprEmitter {
public:
  ExprEmitter(const References &refs, const sema::Body &body, Writer &out, NameScope &names)
      : refs(refs), body(body), names(names), out_(&out), vars_(body.vars.size()) {}

  /// What a failing evaluation does: `leave` leaves the enclosing C++ function, lambda or iteration of a choice.
  /// `attempt` is the Attempt that reports `why`; empty: the failure is not reported.
  struct Fail {
    std::string leave, attempt, why;
    bool built = false;   // what the pattern has built goes again
    bool ofWhole = false; // `why` is that of a whole right side: an expression in it says more (onFailure)
  };
  void setFail(std::string leave) { fail_ = {std::move(leave), "", ""}; }
  void setFail(Fail fail) { fail_ = std::move(fail); }
  const Fail &fail() const { return fail_; }
  void bind(sema::VarId id, VarText text) { vars_[id.raw] = std::move(text); }
  const VarText &var(sema::VarId id) const { return vars_[id.raw]; }
  struct State {
    std::vector<VarText> vars;
    Fail fail;
  };
  State save() const { return {vars_, fail_}; }
  void restore(State s) {
    vars_ = std::move(s.vars);
    fail_ = std::move(s.fail);
  }
  bool isBound(sema::VarId id) const { return !vars_[id.raw].text.empty(); }

  /// The value; an expression in parentheses unless it is simple.
  std::string value(const sema::Expr &);
  /// The same, as a name (or a dereferenced one) that may be used more than once.
  std::string named(const sema::Expr &, std::string_view hint);
  /// As an AttrId of a declared attribute type.
  std::string attribute(const sema::Expr &, sema::AttrType);
  /// Of what may be left out (plan::mayBeAbsent), handed on to where one may be: none if it is left out.
  std::string orAbsent(const sema::Expr &);
  /// Fails unless the condition holds. Shorter than its value, since it need not tell false from what cannot be
  /// evaluated.
  void require(const sema::Expr &condition);
  void failIf(std::string_view condition);
  /// The same where `test`, a call that tells why itself, is false.
  void failUnless(std::string_view test);
  /// Declares `name` as the optional `call` and fails if it is empty; gives "(*name)".
  std::string checked(std::string_view hint, std::string_view call);
  /// `[&]() -> std::optional<T> {…}` of an expression that may fail.
  std::string lambda(const sema::Expr &);
  /// Whether what is written now stands in a lambda that builds ops: failing leaves that.
  bool inLambda() const { return lambdas_ > 0; }
  static constexpr const char *kLeaveLambda = "return std::nullopt;";

  Writer &out() { return *out_; }
  void setOut(Writer &out) { out_ = &out; }

  const References &refs;
  const sema::Body &body;
  NameScope &names;
  /// Expressions that only patterns have.
  std::function<std::string(const sema::Expr &)> onBuild, onIs, onConstant;
  /// What an Attempt reports where the expression, which builds nothing, cannot be computed: `"why", line`. Empty:
  /// nothing of its own.
  std::function<std::string(const sema::Expr &)> onFailure;
  bool usesContext = false;

  /// While it lives, failing tells why this expression cannot be computed, unless one around it says so already.
  class Because {
  public:
    Because(ExprEmitter &, const sema::Expr &);
    ~Because();
    Because(const Because &) = delete;

  private:
    ExprEmitter &e_;
    std::optional<std::string> outer_;
  };

private:
  std::string valueOf(const sema::Expr &);
  std::string variable(const sema::Expr &);
  std::string binary(const sema::Expr &);
  std::string comparison(const sema::Expr &);
  std::string arithmetic(const sema::Expr &);
  // may_fail.cpp; of `++`: whether the lists may together be too long
  static bool joinMayFail(const sema::Expr &);
  static bool operatorMayFail(const sema::Expr &);
  bool mayFail(const sema::Expr &) const;
  std::string lazy(const sema::Expr &);
  std::string quantifier(const sema::Expr &, bool all);
  using Evaluate = std::string (ExprEmitter::*)(const sema::Expr &);
  std::string ifElse(const sema::Expr &, Evaluate branch);
  std::string comprehension(const sema::Expr &);
  std::string builtList(const sema::Expr &);
  std::string builtin(const sema::Expr &);
  std::string property(const sema::Expr &);
  std::string typeText(const sema::Expr &);
  std::string opMember(const sema::Expr &);
  std::string convert(const sema::Expr &);
  std::string index(const sema::Expr &);
  std::string slice(const sema::Expr &);
  std::string call(const sema::Expr &);
  std::string callText(const sema::Expr &);
  void readRounded(const sema::Expr &, std::string &first, std::string &second);
  std::string compareText(const sema::Expr &);
  void requireEither(const sema::Expr &);
  std::string condition(const sema::Expr &);
  std::string list(const sema::Expr &);
  std::string ctx() {
    usesContext = true;
    return "ctx";
  }
  /// Statements that evaluating `e` needs, apart from the others; the value.
  std::string captured(const sema::Expr &e, Writer &statements, Evaluate = nullptr);
  void apartLoop(const sema::Expr &source, const sema::Expr &e, size_t first, size_t count);
  void loops(const sema::Expr &, size_t at, const std::function<void()> &inner, std::string_view stop);
  void loopsFrom(const sema::Expr &, size_t at, const std::function<void()> &inner, std::string_view stop);

  Writer *out_;
  std::vector<VarText> vars_;
  /// Whether failing may stand inside a loop of the expression's own.
  bool leavesLoops() const { return fail_.leave.starts_with("return"); }
  Fail fail_{kLeaveLambda, "", ""};
  unsigned lambdas_ = 0;
  /// The call that was written last, with a test that it gives something: "auto name = call;" from line `begin` to
  /// `end`.
  struct Checked {
    std::string text, call; // "(*name)"
    size_t begin = 0, end = 0;
    const Writer *in = nullptr;
  } checked_;
  /// If all of `text` is the call written last, behind line `since`: the call itself, its lines being taken back; else
  /// empty.
  std::string uncheck(const std::string &text, size_t since);
  std::string steps_;                               // of the comprehension being written: what counts its steps
  std::set<std::pair<uint32_t, uint32_t>> inRange_; // list and index, both variables: the index is one of the list
};

} // namespace rw::emit
