#include "rw/stablehlo/short_forms.h"

namespace rw::stablehlo {

namespace {
struct OpSyntax {
  std::string_view op;
  Syntax syntax;
};
constexpr OpSyntax kSyntaxes[] = {
    {"stablehlo.constant", Syntax::Constant},
    {"stablehlo.slice", Syntax::Slice},
    {"stablehlo.get_tuple_element", Syntax::TupleElement},
    {"stablehlo.reduce_precision", Syntax::ReducePrecision},
    {"stablehlo.custom_call", Syntax::CustomCall},
    {"stablehlo.composite", Syntax::Composite},
    {"stablehlo.convolution", Syntax::Convolution},
    {"stablehlo.dynamic_conv", Syntax::Convolution},
    {"stablehlo.while", Syntax::While},
    {"stablehlo.reduce", Syntax::Reduce},
    {"chlo.constant", Syntax::Constant},
};

constexpr KeyName kKeys[] = {
    {"stablehlo.broadcast", "sizes", "broadcast_sizes", {}},
    {"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions", {}},
    {"stablehlo.cholesky", "lower", "lower", {}},
    {"stablehlo.concatenate", "dim", "dimension", {}},
    {"stablehlo.dot", "precision", "precision_config", {}},
    {"stablehlo.dot_general", "algorithm", "algorithm", {}},
    {"stablehlo.dot_general", "batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions"},
    {"stablehlo.dot_general", "contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions"},
    {"stablehlo.dot_general", "precision", "precision_config", {}},
    {"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions", {}},
    {"stablehlo.dynamic_iota", "dim", "iota_dimension", {}},
    {"stablehlo.dynamic_slice", "sizes", "slice_sizes", {}},
    {"stablehlo.einsum", "config", "einsum_config", {}},
    {"stablehlo.fft", "length", "fft_length", {}},
    {"stablehlo.fft", "type", "fft_type", {}},
    {"stablehlo.get_dimension_size", "dim", "dimension", {}},
    {"stablehlo.iota", "dim", "iota_dimension", {}},
    {"stablehlo.pad", "high", "edge_padding_high", {}},
    {"stablehlo.pad", "interior", "interior_padding", {}},
    {"stablehlo.pad", "low", "edge_padding_low", {}},
    {"stablehlo.reverse", "dims", "dimensions", {}},
    {"stablehlo.rng", "distribution", "rng_distribution", {}},
    {"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm", {}},
    {"stablehlo.set_dimension_size", "dim", "dimension", {}},
    {"stablehlo.transpose", "dims", "permutation", {}},
    {"stablehlo.unary_einsum", "config", "einsum_config", {}},
    {"chlo.top_k", "k", "k", {}},
    {"chlo.top_k", "largest", "largest", {}},
    {"check.expect_almost_eq", "tolerance", "tolerance", {}},
    {"check.expect_almost_eq_const", "tolerance", "tolerance", {}},
    {"check.expect_close", "max_ulp_difference", "max_ulp_difference", {}},
    {"check.expect_close", "min_ulp_difference", "min_ulp_difference", {}},
};
} // namespace

Syntax syntaxOf(std::string_view op) {
  for (const OpSyntax &s : kSyntaxes)
    if (s.op == op)
      return s.syntax;
  return Syntax::Items;
}

const KeyName *keyOf(std::string_view op, std::string_view key) {
  for (const KeyName &k : kKeys)
    if (k.op == op && k.key == key)
      return &k;
  return nullptr;
}

std::string_view wordOf(std::string_view op, unsigned index) {
  if (op == "stablehlo.compare" && index < 2)
    return index == 0 ? "comparison_direction" : "compare_type";
  return {};
}

} // namespace rw::stablehlo
