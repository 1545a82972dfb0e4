// From a program to an ExecProgram: the contraction pipeline, then lowering, then last use.
//
// In:  a program, the name of a function, a registry that holds the pipeline; over a semiring, its kernels.
// Out: the ExecProgram; or diagnostics. The program given stays as it is.
// Elsewhere: lowering alone is lower.h, the passes are patterns/tenferro, semirings are interp/semiring.h.
//
//   std::optional<ExecProgram> exec = compileStdToExec(program, "main", registry, diags);
//   ExecResult r = runExec(*exec, inputs);
//
//   std::optional<SemiringExec> paths = compileSemiringToExec<MaxPlus>(program, "main", registry, diags);
//   ExecResult p = paths->run(inputs);
//
// Over a semiring add is ⊕, mul is ⊗, and only what asks for no more than ⊕, ⊗, 0 and 1, or moves elements, means
// something: any other op is refused. Nothing is folded there: constants would be computed with as machine numbers.
#pragma once

#include "rw/exec/lower.h"
#include "rw/exec/run.h"
#include "rw/interp/semiring.h"
#include "rw/passes/pass.h"

namespace rw {

struct ExecOptions {
  /// `tenferro`: the batch of a contraction stands at the end; `tenferro_batch_first`: in front; or any pipeline text.
  std::string pipeline = "tenferro";
  SymbolBounds bounds;
  bool strict = false; // a pass that fails is an error; else it is undone, and a warning
};

std::optional<ExecProgram> compileStdToExec(const Program &, std::string_view function, const Registry &, Diagnostics &,
                                            const ExecOptions & = {});

/// An ExecProgram with the kernels of the semiring that it was made for.
struct SemiringExec {
  ExecProgram program;
  std::shared_ptr<const KernelTable> kernels;

  ExecResult run(std::span<const Tensor> inputs, EvalOptions options = {}) const {
    options.kernels = kernels.get();
    return runExec(program, inputs, options);
  }
};

/// What a semiring brings along: kernels, and the bytes that an element takes.
struct SemiringTarget {
  std::shared_ptr<const KernelTable> kernels;
  size_t elementBytes = 0;
};
template <Semiring S> SemiringTarget semiringTarget() {
  return {std::make_shared<const KernelTable>(kernelsOver<S>()), sizeof(typename S::Element)};
}

std::optional<SemiringExec> compileSemiringToExec(const Program &, std::string_view function, const Registry &,
                                                  Diagnostics &, const SemiringTarget &, const ExecOptions & = {});
template <Semiring S>
std::optional<SemiringExec> compileSemiringToExec(const Program &program, std::string_view function,
                                                  const Registry &registry, Diagnostics &diags,
                                                  const ExecOptions &options = {}) {
  return compileSemiringToExec(program, function, registry, diags, semiringTarget<S>(), options);
}

} // namespace rw
