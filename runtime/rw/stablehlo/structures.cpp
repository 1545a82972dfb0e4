#include "rw/stablehlo/structures.h"

namespace rw::stablehlo {

namespace {
constexpr StructureField kFields[] = {
    {"gather", "offset_dims", "offset_dims"},
    {"gather", "collapsed_slice_dims", "collapsed_slice_dims"},
    {"gather", "operand_batching_dims", "operand_batching_dims"},
    {"gather", "start_indices_batching_dims", "start_indices_batching_dims"},
    {"gather", "start_index_map", "start_index_map"},
    {"gather", "index_vector_dim", "index_vector_dim"},
    {"scatter", "update_window_dims", "update_window_dims"},
    {"scatter", "inserted_window_dims", "inserted_window_dims"},
    {"scatter", "input_batching_dims", "input_batching_dims"},
    {"scatter", "scatter_indices_batching_dims", "scatter_indices_batching_dims"},
    {"scatter", "scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims"},
    {"scatter", "index_vector_dim", "index_vector_dim"},
    {"dot", "lhs_batching_dimensions", "lhs_batching_dimensions"},
    {"dot", "rhs_batching_dimensions", "rhs_batching_dimensions"},
    {"dot", "lhs_contracting_dimensions", "lhs_contracting_dimensions"},
    {"dot", "rhs_contracting_dimensions", "rhs_contracting_dimensions"},
    {"dot_algorithm", "lhs_precision_type", "lhs_precision_type"},
    {"dot_algorithm", "rhs_precision_type", "rhs_precision_type"},
    {"dot_algorithm", "accumulation_type", "accumulation_type"},
    {"dot_algorithm", "lhs_component_count", "lhs_component_count"},
    {"dot_algorithm", "rhs_component_count", "rhs_component_count"},
    {"dot_algorithm", "num_primitive_operations", "num_primitive_operations"},
    {"dot_algorithm", "allow_imprecise_accumulation", "allow_imprecise_accumulation"},
    {"conv", "input_batch_dimension", "input_batch_dimension"},
    {"conv", "input_feature_dimension", "input_feature_dimension"},
    {"conv", "input_spatial_dimensions", "input_spatial_dimensions"},
    {"conv", "kernel_input_feature_dimension", "kernel_input_feature_dimension"},
    {"conv", "kernel_output_feature_dimension", "kernel_output_feature_dimension"},
    {"conv", "kernel_spatial_dimensions", "kernel_spatial_dimensions"},
    {"conv", "output_batch_dimension", "output_batch_dimension"},
    {"conv", "output_feature_dimension", "output_feature_dimension"},
    {"conv", "output_spatial_dimensions", "output_spatial_dimensions"},
    {"channel_handle", "handle", "channel_id"},
    {"channel_handle", "type", "channel_type"},
};

constexpr StructureUse kUses[] = {
    {"stablehlo.gather", "dimension_numbers", "gather"},
    {"stablehlo.dynamic_gather", "dimension_numbers", "gather"},
    {"stablehlo.scatter", "scatter_dimension_numbers", "scatter"},
    {"stablehlo.dot_general", "dot_dimension_numbers", "dot"},
    {"stablehlo.dot_general", "algorithm", "dot_algorithm"},
    {"stablehlo.convolution", "dimension_numbers", "conv"},
    {"stablehlo.dynamic_conv", "dimension_numbers", "conv"},
    {"", "channel_handle", "channel_handle"},
};

struct Enumeration {
  std::string_view attribute, name;
};
constexpr Enumeration kEnumerations[] = {
    {"comparison_direction", "comparison_direction"},
    {"compare_type", "comparison_type"},
    {"fft_type", "fft_type"},
    {"rng_distribution", "rng_distribution"},
    {"rng_algorithm", "rng_algorithm"},
    {"transpose_a", "transpose"},
    {"precision_config", "precision"},
};

struct OpAttribute {
  std::string_view op, attribute;
};
constexpr OpAttribute kInt32[] = {{"stablehlo.get_tuple_element", "index"},
                                  {"stablehlo.custom_call", "api_version"},
                                  {"stablehlo.composite", "version"},
                                  {"stablehlo.reduce_precision", "exponent_bits"},
                                  {"stablehlo.reduce_precision", "mantissa_bits"}};
} // namespace

std::span<const StructureField> structureFields() { return kFields; }
std::span<const StructureUse> structureUses() { return kUses; }

bool isFlattened(std::string_view structure) {
  for (const StructureField &f : kFields)
    if (f.structure == structure)
      return true;
  return false;
}

std::string_view attributeOfField(std::string_view structure, std::string_view field) {
  for (const StructureField &f : kFields)
    if (f.structure == structure && f.field == field)
      return f.attribute;
  return field;
}

std::string_view enumerationOf(std::string_view op, std::string_view attribute) {
  if (op.starts_with("check."))
    return {};
  for (const Enumeration &e : kEnumerations)
    if (e.attribute == attribute)
      return e.name;
  return {};
}

bool isInt32(std::string_view op, std::string_view attribute) {
  for (const OpAttribute &a : kInt32)
    if (a.op == op && a.attribute == attribute)
      return true;
  return false;
}

} // namespace rw::stablehlo
