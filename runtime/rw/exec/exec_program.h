// ExecProgram: a function as a list of instructions over slots, ready to be run from first to last.
//
// In:  made by lowering (lower.h) or by an entry that optimises first (compile.h).
// Out: instructions with the slots they read and write, element types, shapes or bounds, and when each slot is freed.
// Elsewhere: running it is run.h; ops, attributes and types are those of the function that it owns.
//
// Every value has one slot: the parameters the first ones, then the results of each instruction in order. A slot is
// written once and freed once: by the instruction that reads it last, or as soon as it is written if nothing reads it.
// Slots that hold results of the function are never freed.
//
//   std::optional<ExecProgram> exec = lowerToExec(program, "main", diags);
//   for (const ExecInstruction &i : exec->instructions)
//     for (size_t k = 0; k < i.inputs.size(); ++k)
//       if (i.lastUse[k]) …                                // slot i.inputs[k] holds nothing from here on
//   fputs(printExec(*exec).c_str(), stdout);
#pragma once

#include "rw/ir/program.h"

#include <memory>
#include <string>
#include <vector>

namespace rw {

using ExecSlot = uint32_t;
/// An optional operand that is left out.
inline constexpr ExecSlot kNoSlot = UINT32_MAX;

/// What is known of a value before the program runs.
struct ExecShape {
  static constexpr int64_t kUnbounded = -1;

  TypeId type;
  DType dtype = DType::Unknown; // of a tensor
  std::vector<Dim> dims;        // sizes, or expressions over symbols; of a tensor with a rank
  std::vector<int64_t> bounds;  // the greatest size of each dimension, or kUnbounded; the size itself where it is known

  /// Whether each dimension has a bound, and so the value a greatest size in memory.
  bool isBounded() const;
};

struct ExecInstruction {
  OpId op;                      // of the program's function: what it does, its attributes and regions
  std::vector<ExecSlot> inputs; // operands, then what the op's regions read from around it
  size_t operands = 0;          // how many inputs are operands
  // one per input: it is freed once the instruction is done. Of equal inputs the last one says so
  std::vector<bool> lastUse;
  std::vector<ExecSlot> outputs;
  std::vector<bool> unused;            // one per output: nothing reads it, it is freed once the instruction is done
  DType dtype = DType::Unknown;        // of the first output
  std::vector<ExecShape> outputShapes; // one per output
};

struct ExecProgram {
  std::shared_ptr<Program> program; // which holds the function, and those that it calls
  Function *function = nullptr;
  uint32_t slots = 0;
  std::vector<ExecShape> inputShapes; // of the parameters, in slots 0, 1, …
  std::vector<bool> unusedInputs;     // one per parameter: freed before the first instruction
  std::vector<ExecInstruction> instructions;
  std::vector<ExecSlot> results;
};

/// Empty if every slot is written once, before it is read, freed once and not read after that, and every slot but those
/// of results is freed; else what is wrong.
std::string checkExec(const ExecProgram &);

/// One line per instruction, `%s3` for slot 3; bounds and what is freed stand behind it. Contents of regions are left
/// out.
std::string printExec(const ExecProgram &);

} // namespace rw
