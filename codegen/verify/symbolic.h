// Sizes as symbols: a program for all sizes at once. And back.
//
// In:  a program whose parameters have sizes that are numbers, or symbols.
// Out: the same with symbols in place of some numbers, or numbers in place of symbols, all types inferred anew.
//
//   std::unique_ptr<Program> any = withSymbols(program, sizesOf(program.functions().front()));
#pragma once

#include "rw/interp/tensor.h"
#include "rw/ir/program.h"

#include <memory>
#include <span>
#include <vector>

namespace rw::verify {

/// Sizes above 1 of parameters, each once.
std::vector<int64_t> sizesOf(Function &);
/// The program with those sizes as symbols, all of one number the same; nothing where its ops do not allow that.
/// `inAttributes`: where they stand in attributes that are sizes, too. `known`: values of parameters, by place, none
/// where any value is meant; types that depend on values are inferred from these.
std::unique_ptr<Program> withSymbols(const Program &, std::span<const int64_t> sizes, bool inAttributes = false,
                                     std::span<const Tensor> known = {});
/// Infers types anew, from these values of parameters, and keeps what says more than the program did.
void completeTypes(Program &, std::span<const Tensor> known);
/// The program with these sizes in place of symbols; nothing where its ops do not allow that.
std::unique_ptr<Program> withSizes(const Program &, const std::vector<std::pair<StringId, Dim>> &sizes);

} // namespace rw::verify
