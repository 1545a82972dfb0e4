// Structured attributes of StableHLO, as data: which field is which attribute of the op, and which attributes hold
// enumerations.
//
//   #stablehlo.channel_handle<handle = 1, type = 0>      channel_id = 1, channel_type = 0
#pragma once

#include <span>
#include <string_view>

namespace rw::stablehlo {

/// A field of a structured attribute, and the op's attribute that has its value.
struct StructureField {
  std::string_view structure, field, attribute;
};
/// All fields of all structures, those of one structure next to each other, in the order to write them.
std::span<const StructureField> structureFields();
/// Whether the fields of such an attribute become attributes of the op.
bool isFlattened(std::string_view structure);
/// The attribute that has the value of a field: of the same name, unless the table says otherwise.
std::string_view attributeOfField(std::string_view structure, std::string_view field);

/// Where a structure stands: op "" is any op that has the attributes.
struct StructureUse {
  std::string_view op, attribute, structure;
};
std::span<const StructureUse> structureUses();

/// What MLIR calls the enumeration that a string attribute holds; empty if it is no enumeration.
std::string_view enumerationOf(std::string_view op, std::string_view attribute);
/// What a module says of how many processes the program runs in, `mhlo.num_replicas`, and what the ops that speak to
/// others call it.
struct ProcessCount {
  std::string_view ofModule, ofOp;
};
inline constexpr ProcessCount kProcessCounts[] = {{"mhlo.num_partitions", "num_partitions"},
                                                  {"mhlo.num_replicas", "num_replicas"}};

/// Whether a whole number is one of 32 bits.
bool isInt32(std::string_view op, std::string_view attribute);

} // namespace rw::stablehlo
