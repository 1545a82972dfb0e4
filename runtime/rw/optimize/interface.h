// What a user says of a program before it is optimised: sizes of inputs, which of them never change, where to cut it,
// which ops to leave alone.
//
// In:  a program, whose function @main is the model; names of inputs, values and ops.
// Out: the program changed, or a diagnostic for each name that is none and each size that cannot be, and the program as
//      it was.
// Elsewhere: the passes that run then are optimize.h.
//
//   if (!fixShapes(program, {{"x", {{.size = 1}, {.size = 3}, {.symbol = "H"}, {.keep = true}}}}, "a.onnx", diags))
//     return 1;
//   if (!cutAt(program, {}, {"logits"}, "a.onnx", diags)) return 1;
//   freezeDefaults(program);
//   KeptOps kept;
//   if (!kept.hide(program, {"my_norm"}, "a.onnx", diags)) return 1;
//   optimizeProgram(program, registry, options, diags);
//   kept.restore(program);
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

#include <string>
#include <vector>

namespace rw {

/// What a dimension is to be: a size, a symbol, or what it was.
struct WantedDim {
  int64_t size = -1;
  std::string symbol = {};
  bool keep = false;
};

struct InputShape {
  std::string name; // of a parameter of @main
  std::vector<WantedDim> dims;
};

/// "x=1,3,H,?": `?` leaves a dimension as it is; "x=" is a scalar. None and a reason if it is not written so.
Result<InputShape> readInputShape(std::string_view text);

/// Gives inputs these shapes. Where a symbol becomes a size or another symbol, it does so in all types and attributes
/// of the program, so that what is known of other values stays true.
bool fixShapes(Program &, const std::vector<InputShape> &, std::string_view file, Diagnostics &);

/// Cuts @main: `outputs` become its results, `inputs` its arguments; an empty list leaves that side as it is. Values
/// are named as in the file, or as text shows them. What is not needed any more goes, but for model parameters, which
/// keep their place while they are used. It is an error if an output needs an argument that is no input any more.
bool cutAt(Program &, const std::vector<std::string> &inputs, const std::vector<std::string> &outputs,
           std::string_view file, Diagnostics &);

/// Inputs of @main that have a default are no inputs any more: they are that constant. Number of these.
size_t freezeDefaults(Program &);

/// Ops that no pass may touch: hidden from passes, which see something unknown with the same types and effects of its
/// own.
class KeptOps {
public:
  /// By the name of the op or of one of its results.
  bool hide(Program &, const std::vector<std::string> &names, std::string_view file, Diagnostics &);
  /// Makes all of them what they were, in this program or in a copy of it.
  void restore(Program &) const;

private:
  struct Hidden {
    KindId kind;
    AttrsId attrs;
  };
  std::vector<Hidden> hidden_;
};

} // namespace rw
