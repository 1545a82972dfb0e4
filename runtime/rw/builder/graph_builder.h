// The fluent graph builder: programs written in C++ as formulas over values, checked as they are written.
//
// In:  a function (or a place in one, or a rewriter's `create`), values of it, and calls like `x.reduceMax({1}, true)`.
// Out: ops with inferred types; or an error value that says what is wrong, and nothing emitted.
// Elsewhere: text with placeholders in place of calls is text_snippet.h; ops without any checks OpBuilder
//            (ir/builder.h).
//
// Errors are values: a GraphValue is a value or the reason why there is none, and what is built from an error is that
// error again. So a formula is written straight through and looked at once, at its end. Ops are found in the registry
// by name, so any dialect with ops of these names will do; `emit` reaches every op there is.
//
//   GraphBuilder g(program.addFunction("softmax"));
//   GraphValue x = g.param("x", {DType::F32, {Dim(2), Dim(3)}});
//   GraphValue e = x.sub(x.reduceMax({1}, true).broadcastLike(x)).exp();
//   GraphValue y = e.div(e.reduceSum({1}, true).broadcastLike(x));
//   if (Result<void> done = g.finish({y}); !done) return done.failure();     // or y.error(), at any point
#pragma once

#include "rw/ir/builder.h"
#include "rw/support/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rw {

class GraphBuilder;

/// What is known of a tensor from outside: its element type and shape.
struct TensorSpec {
  DType dtype = DType::Unknown;
  std::vector<Dim> shape;
};

/// Which dimensions a dot product runs along. Result dimensions: batch, free ones of lhs, free ones of rhs.
struct DotDims {
  std::vector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  /// The batch dimensions have the same numbers on both sides.
  DotDims(std::vector<int64_t> batch, std::vector<int64_t> lhsContract, std::vector<int64_t> rhsContract)
      : lhsBatch(batch), rhsBatch(std::move(batch)), lhsContract(std::move(lhsContract)),
        rhsContract(std::move(rhsContract)) {}
  DotDims(std::vector<int64_t> lhsBatch, std::vector<int64_t> rhsBatch, std::vector<int64_t> lhsContract,
          std::vector<int64_t> rhsContract)
      : lhsBatch(std::move(lhsBatch)), rhsBatch(std::move(rhsBatch)), lhsContract(std::move(lhsContract)),
        rhsContract(std::move(rhsContract)) {}
};

/// What a dot product does to its operands, and element types where they are not that of its operands. Ops of their own
/// say it: conj, cast.
struct DotAttrs {
  std::optional<DType> accumDtype; ///< the operands are cast to it first
  std::optional<DType> outDtype;   ///< of the result; else that of the operands
  /// the complex conjugate of an operand goes in; of real numbers that is the operand
  bool conjugateLhs = false, conjugateRhs = false;
};

/// A value of the function being built, or an error. Copied freely; valid as long as its builder.
class GraphValue {
public:
  GraphValue() = default; ///< an error: no value
  explicit operator bool() const { return bool(value_); }
  /// Why there is no value; empty if there is one.
  std::string_view error() const;

  Value value() const { return value_; } ///< none of an error
  ValueId id() const { return value_.id; }
  DType dtype() const;                ///< Unknown of an error
  std::optional<size_t> rank() const; ///< nothing if not known
  std::span<const Dim> dims() const;  ///< empty if not known

  GraphValue add(const GraphValue &rhs) const;
  GraphValue sub(const GraphValue &rhs) const;
  GraphValue mul(const GraphValue &rhs) const;
  GraphValue div(const GraphValue &rhs) const;
  GraphValue exp() const;
  GraphValue cast(DType) const;
  GraphValue reduceMax(std::vector<int64_t> axes, bool keepDims) const;
  GraphValue reduceSum(std::vector<int64_t> axes, bool keepDims) const;
  /// Repeated to the shape of `other`.
  GraphValue broadcastLike(const GraphValue &other) const;
  GraphValue dotGeneral(const GraphValue &rhs, const DotDims &, const DotAttrs & = {}) const;

private:
  friend class GraphBuilder;
  friend class GraphResults;
  GraphValue(GraphBuilder *builder, Value value) : builder_(builder), value_(value) {}
  GraphValue reduce(std::string_view op, std::vector<int64_t> axes, bool keepDims) const;
  GraphValue binary(std::string_view op, const GraphValue &rhs) const;

  GraphBuilder *builder_ = nullptr;
  Value value_;
  std::shared_ptr<const std::string> error_;
};

/// The results of one op or one snippet, or an error.
class GraphResults {
public:
  GraphResults() = default;
  explicit operator bool() const { return !error_ && builder_; }
  std::string_view error() const;
  size_t size() const { return values_.size(); }
  /// The result of what has exactly one; else an error.
  GraphValue intoValue() const;
  /// Result `index`; of a single result of tuple type its element.
  GraphValue tupleElement(size_t index) const;

private:
  friend class GraphBuilder;
  friend class TextSnippet;
  GraphBuilder *builder_ = nullptr;
  std::vector<Value> values_;
  std::shared_ptr<const std::string> error_;
};

/// An attribute by name, for `emit`.
struct GraphAttr {
  std::string_view name;
  AttrId value;
};

class GraphBuilder {
public:
  using CreateOp = std::function<Op(KindId, std::span<const ValueId>, AttrsId, std::span<const TypeId>)>;

  /// New ops go to the end of the function's body.
  explicit GraphBuilder(Function &fn, std::string dialect = "tensor");
  /// New ops go before `before`.
  explicit GraphBuilder(Op before, std::string dialect = "tensor");
  /// Ops are made by `create`, so that a pattern can build with it:
  ///   GraphBuilder g(rw.function(), [&](auto... parts) { return rw.createTyped(parts...); });
  GraphBuilder(Function &fn, CreateOp create, std::string dialect = "tensor");
  GraphBuilder(const GraphBuilder &) = delete;

  Function &function() { return fn_; }
  Context &context() { return fn_.context(); }
  const std::string &dialect() const { return dialect_; }

  /// A new parameter of the function.
  GraphValue param(std::string_view name, const TensorSpec &, ParamInfo = {});
  /// A value of the function that exists already.
  GraphValue import(Value);
  /// The same, stating its type, which must agree with what is known of it; the value is given `name` if it has none.
  GraphValue importSpec(std::string_view name, Value, const TensorSpec &);
  /// A constant, by a dense attribute.
  GraphValue constant(AttrId dense);
  /// Stands for an optional operand that is left out, in `emit`.
  GraphValue absent() { return {this, Value{}}; }

  /// Any op without regions: "exp" of the builder's dialect, or "my.op". Operands, attributes and what the op requires
  /// are checked; nothing is emitted if something is wrong. `variadicResults` is for ops with an open number of
  /// results.
  GraphResults emit(std::string_view op, std::vector<GraphValue> operands, std::vector<GraphAttr> attrs = {},
                    unsigned variadicResults = 1);

  /// Runs `build`, which gives a GraphValue; if that is an error, what it emitted is removed again.
  template <class Build> GraphValue capture(Build build) {
    size_t mark = emitted_.size();
    GraphValue result = build(*this);
    if (!result)
      discard(mark);
    return result;
  }

  /// Ends the function with these results; fails if one of them is an error or the function has ended already.
  Result<void> finish(std::vector<GraphValue> results);

  /// An error value: for helpers on top of this one.
  GraphValue fail(std::string message);

private:
  friend class GraphValue;
  friend class GraphResults;
  friend class TextSnippet;
  GraphResults failed(std::string message);
  /// Each gives what is wrong, or nothing.
  std::string findOp(std::string_view op, KindId &) const;
  std::string checkOperands(const OpSchema &, std::span<const GraphValue>, InlineList<ValueId, 6> &) const;
  std::string buildAttrs(const OpSchema &, std::span<const GraphAttr>, AttrsId &);
  std::string checkRequirements(const OpInputs &) const;
  Op create(KindId, std::span<const ValueId>, AttrsId, std::span<const TypeId>);
  void discard(size_t mark);
  bool isLive(Value) const;

  Function &fn_;
  OpId before_; // none: the end of the body
  CreateOp create_;
  std::string dialect_;
  std::vector<OpId> emitted_;
};

} // namespace rw
