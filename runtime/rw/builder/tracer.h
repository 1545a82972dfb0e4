// Tracer: programs of JAX's primitives recorded by calls from C++, for people without a text.
//
// In:  a function that is being written; calls of primitives (`bind`), and calls by names such as "nn.conv" (`call`),
// for which
//      whoever knows the layer has declared what it becomes.
// Out: ops of the dialect `jax`, typed; or an error value. The conversion `jax_to_stablehlo` takes it from there, to
// ONNX by one more. Elsewhere: values, errors and checks are those of the graph builder (graph_builder.h).
//
//   Patches patches;
//   ActivationScope active(patches, {{"nn.relu", relu}});           // while it lives, "nn.relu" means this
//   Tracer t(program.addFunction("main"), patches);
//   GraphValue x = t.input("x", {DType::F32, {batch, Dim(4)}});
//   GraphValue y = t.call("nn.relu", {x});
//   Result<void> done = t.finish({y});                              // false where something was wrong, and says what
//
// What is active is active for a stretch of code: the scope puts back what there was at its end, also where that is
// left by an error, an early return or an exception. Scopes lie one in the other; the innermost that knows a name
// counts.
#pragma once

#include "rw/builder/graph_builder.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rw {

class Tracer;

/// What a call by name becomes: primitives, and calls of others.
using Binding =
    std::function<GraphValue(Tracer &, std::span<const GraphValue> operands, std::span<const GraphAttr> attrs)>;

/// What is said of one name.
struct Patch {
  std::string name;
  Binding binding;
};

/// What names mean at present. Nothing, until a scope says something.
class Patches {
public:
  const Binding *find(std::string_view name) const;

private:
  friend class ActivationScope;
  std::unordered_map<std::string, Binding> active_;
};

/// Patches while it lives.
class ActivationScope {
public:
  ActivationScope(Patches &, std::vector<Patch>);
  ~ActivationScope();
  ActivationScope(const ActivationScope &) = delete;
  ActivationScope &operator=(const ActivationScope &) = delete;

private:
  Patches &patches_;
  std::vector<Patch> before_; // without a binding: there was none
};

/// What comes of a primitive on operands of which only the types are known: types of results, or why there are none.
struct AbstractResult {
  std::vector<TypeId> types;
  std::string error;
  explicit operator bool() const { return error.empty(); }
};

/// The types that a primitive gives. Nothing is recorded anywhere, so asking twice gives the same; sizes that are
/// symbols stay symbols.
AbstractResult abstractEval(Context &, std::string_view primitive, std::span<const TensorSpec> operands,
                            std::vector<GraphAttr> attrs = {}, unsigned variadicResults = 1);

class Tracer {
public:
  Tracer(Function &fn, const Patches &patches) : builder_(fn, "jax"), patches_(patches) {}

  Context &context() { return builder_.context(); }
  GraphBuilder &builder() { return builder_; }

  GraphValue input(std::string_view name, const TensorSpec &spec, ParamInfo info = {}) {
    return builder_.param(name, spec, info);
  }
  GraphValue constant(AttrId dense) { return builder_.constant(dense); }
  /// A number in the type of elements.
  GraphValue scalar(double, DType);
  /// A size as an i32: of symbols, what they are when the program runs.
  GraphValue dimAsValue(Dim);

  /// Records a primitive: "dot_general" with the attributes that its declaration has.
  GraphResults bind(std::string_view primitive, std::vector<GraphValue> operands, std::vector<GraphAttr> attrs = {},
                    unsigned variadicResults = 1) {
    return builder_.emit(primitive, std::move(operands), std::move(attrs), variadicResults);
  }
  /// Of one that has one result.
  GraphValue value(std::string_view primitive, std::vector<GraphValue> operands, std::vector<GraphAttr> attrs = {}) {
    return bind(primitive, std::move(operands), std::move(attrs)).intoValue();
  }
  /// What is active under a name; an error value if nothing is. What a binding has recorded is taken back if it gives
  /// an error.
  GraphValue call(std::string_view name, std::vector<GraphValue> operands, std::vector<GraphAttr> attrs = {});

  GraphValue fail(std::string message) { return builder_.fail(std::move(message)); }
  /// Ends the function with these results. The reason if one of them is an error.
  Result<void> finish(std::vector<GraphValue> results) { return builder_.finish(std::move(results)); }

private:
  GraphBuilder builder_;
  const Patches &patches_;
  unsigned depth_ = 0; // of calls within calls
};

} // namespace rw
