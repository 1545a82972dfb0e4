// What the examples at the top of headers take for granted. Names that several headers use stand first, then, in a
// namespace of its name, what is one header's own. Nothing here is defined: the examples are compiled, not run.
#pragma once

#include "rw/builtin.h"

#include <cstdio>
#include <iostream>

namespace my::opt {
void register_my_patterns(rw::Registry &);
}
namespace my {
void register_my(rw::Registry &);
}

namespace rw::examples {
/// What a reader would write there.
struct Any {
  template <class T> operator T &() const;
};
extern Any any;

template <class... Ts> void report(const Ts &...);
template <class... Ts> void print(const Ts &...);
template <class... Ts> void use(const Ts &...);
template <class... Ts> void list(const Ts &...);
template <class... Ts> void note(const Ts &...);
void run();

extern Registry &registry;
extern Program &program;
extern Function &fn;
extern Context &ctx;
extern SourceManager &sources;
extern Diagnostics &diags;
extern GraphBuilder &g;
extern PatternRewriter &rw;
extern PassManager &manager;
extern OnnxModel &model;
extern GreedyRewriteConfig &config;
extern FrozenPatternSet &frozen;
extern KernelTable &table;
extern Op op;
extern Value x, y, z;
extern AttrId perm;
extern std::string path, file;
extern std::vector<Tensor> inputs;
extern uint64_t seed;
extern SourceRange range, declaration;

/// A view as rwc generates it.
namespace tensor {
struct CastOp : OpView {
  using OpView::OpView;
  static const OpSchema &schema();
  Value x() const;
  Value result() const;
  DType dtype() const;
};
struct TransposeOp : CastOp {
  using CastOp::CastOp;
  std::vector<int64_t> perm() const;
};
struct ReluOp : CastOp {
  using CastOp::CastOp;
};
} // namespace tensor

namespace builder_text_snippet {
extern GraphValue x;
}
namespace builder_tracer {
extern Dim batch;
GraphValue relu(Tracer &, std::span<const GraphValue>, std::span<const GraphAttr>);
} // namespace builder_tracer
namespace convert_associative {
extern convert::Build &b;
extern Op reduce;
bool oneAfterAnother(convert::Build &, Op);
} // namespace convert_associative
namespace convert_build {
extern LoweringContext &ctx;
}
namespace convert_scalar_region {
extern convert::Build &b;
extern Op reduce;
extern Value even, odd;
} // namespace convert_scalar_region
namespace exec_run {
extern ExecProgram exec;
}
namespace infer_contents {
extern Op shapeOp;
extern Value value;
} // namespace infer_contents
namespace onnx_infer_einsum_type {
extern std::optional<Dims> a, b;
}
namespace infer_elements {
extern Dim b;
}
namespace infer_rules {
extern void windowTypes(Op, Contents &, std::span<TypeId>);
}
namespace infer_local_symbols {
extern ValueId v;
extern TypeId type;
} // namespace infer_local_symbols
namespace infer_type_flow {
extern ValueId result;
extern TypeId type;
} // namespace infer_type_flow
namespace infer_type_rules {
extern Contents &contents;
}
namespace interp_kernels_activation {
extern double x, y;
}
namespace interp_compare {
extern Function &before, &after;
}
namespace interp_kernels_decompose {
using namespace linalg;
extern Matrix a;
} // namespace interp_kernels_decompose
namespace interp_element {
extern Tensor t;
}
namespace interp_input_search {
extern EvalOptions options;
}
namespace interp_op_evaluator {
extern EvalOptions options;
extern std::vector<Tensor> given;
std::vector<Tensor> tensorsOf(std::span<const ValueId>);
} // namespace interp_op_evaluator
namespace interp_size_text {
extern std::function<std::optional<int64_t>(std::string_view)> sizeOf;
}
namespace ir_builder {
extern const OpSchema &schema;
extern AttrId permAttr;
} // namespace ir_builder
namespace ir_clone {
extern Function &from, &to;
}
namespace ir_context {
extern OpRegistry &registry;
}
namespace ir_dim {
extern StringTable &strings;
}
namespace ir_expr_helpers {
extern int64_t a, b;
extern Dims c, d;
} // namespace ir_expr_helpers
namespace ir_function {
extern KindId kind;
extern AttrsId attrs;
extern TypeId type;
} // namespace ir_function
namespace ir_parser {
extern OpRegistry &registry;
}
namespace ir_program {
extern OpRegistry &registry;
}
namespace ir_schema {
void registerTensorOps(OpRegistry &);
}
namespace ir_signature {
extern std::vector<TypeId> types;
extern OpInputs inputs;
extern SignatureTable &table;
} // namespace ir_signature
namespace ir_stand_ins {
extern Op squeeze;
}
namespace ir_structure_helpers {
extern OpInputs in;
}
namespace ir_text_format {
using namespace text;
}
namespace load_embedded_patterns {
extern std::string_view kPatternData;
}
namespace onnx_onnx {
extern Registry &registry;
}
namespace opt_first_wrong_step {
extern opt::RunAnew runAnew;
extern std::function<bool(Program &)> agrees;
} // namespace opt_first_wrong_step
namespace optimize_interface {
extern OptimizeOptions options;
}
namespace optimize_optimize {
extern OptimizeOptions options;
extern int opset;
extern LateOverrides overrides;
extern ProgramTrace &trace;
} // namespace optimize_optimize
namespace passes_backend_pipeline {
MadePass makeTiles(const Registry &, const PassOptions &);
}
namespace passes_late_overrides {
extern PassManagerOptions options;
}
namespace passes_layout_layout_choice {
extern const LayoutModel::Choice &choice;
extern PatternRewriter &rewriter;
extern MoveProbe &probe;
extern std::vector<PatternCounters> &counters;
} // namespace passes_layout_layout_choice
namespace passes_layout_layout_model {
extern MoveProbe &probe;
extern const std::vector<OpId> &order;
} // namespace passes_layout_layout_model
namespace passes_layout_move_probe {
extern Mover mover;
extern FrozenPatternSet &sinks, &tidy;
} // namespace passes_layout_move_probe
namespace passes_param_store {
extern AttrId weights;
extern Function &main;
} // namespace passes_param_store
namespace passes_plan_cache {
extern PassManagerOptions options;
}
namespace passes_layout_region_move {
extern MoveProbe &probe;
extern std::vector<OpId> order;
extern PatternRewriter &rewriter;
} // namespace passes_layout_region_move
namespace passes_structure_digest {
extern Program &a, &b;
}
namespace plugin_plugin {
MadePass makeMine(const Registry &, const PassOptions &);
}
namespace passes_inline_calls {
extern bool changed;
}
namespace rewrite_attempt {
extern const PatternInfo &info;
}
namespace rewrite_listeners {
extern RewriteListener &log;
}
namespace rewrite_match_helpers {
bool fits(Value);
}
namespace rewrite_matching_net {
extern MatchingNet &net;
void attempt(uint32_t place, const Opening *);
} // namespace rewrite_matching_net
namespace rewrite_meaning {
std::vector<Tensor> tensorsOf(std::span<const ValueId>);
std::vector<Tensor> tensorsOf(std::span<const uint32_t>);
} // namespace rewrite_meaning
namespace rewrite_named_builds {
extern OpSchema Squeeze_7, Squeeze_13;
extern AttrId axes;
} // namespace rewrite_named_builds
namespace rewrite_net_builder {
extern OpRegistry &ops;
extern KindId kind;
extern Any &patterns;
} // namespace rewrite_net_builder
namespace rewrite_order_search {
bool fits(unsigned);
unsigned first(unsigned);
} // namespace rewrite_order_search
namespace rewrite_pattern {
extern OpRegistry &ops;
}
namespace rewrite_rewriter {
extern Op root;
}
namespace rewrite_ruled_out {
extern RuledOut ruledOut;
extern const Function &fn;
extern OpId op, maker;
extern uint64_t found;
extern unsigned place;
} // namespace rewrite_ruled_out
namespace rewrite_shared_tests {
extern const OpSchema transposeSchema;
}
namespace support_atomic_file {
extern std::string header, body, text, error;
}
namespace support_fast_math {
extern FastMath allowed;
extern PatternInfo info;
} // namespace support_fast_math
namespace support_exec_sibling {
extern char **argv;
}
namespace support_intern {
extern std::span<const int64_t> ints;
extern IdTable &table;
extern uint32_t hash;
bool equals(uint32_t);
} // namespace support_intern
namespace support_utf8 {
extern std::string text;
}
namespace trace_chrome_sink {
extern std::string error;
}
} // namespace rw::examples
