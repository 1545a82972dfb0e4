// Fusing: several instructions that run one after the other become one.
//
// In:  the code of a Unit.
// Out: the same code with fused instructions, and the tables that these read. Places stay what they are: a fused
//      instruction stands where the first of its parts stood and goes on behind the last, and the other parts stay
//      where they were, for those who jump among them.
//
// A fused instruction asks what its parts ask, in an order of its own, and does not say which of them failed. So it
// runs only where reasons are not reported (PatternRewriter::explains is false); else the plain code runs.
//
//   OperandDefinedBy  r2  r0  r3  0        Head of 4 parts, 2 nodes:
//   OperandThere      r5  r3  -   0          r3: it makes operand 0 of r0, r2; operand 0 into r5; no extras
//   NoExtras          r0                     r0: no extras
//   NoExtras          r3
#pragma once

#include "codegen/machine/code.h"

namespace rw::interpret {

/// What a Head asks of one op, all of it tests that look at that op alone.
struct HeadNode {
  Reg op = kNoReg;   // where it is; or where it goes, if it is found:
  Reg from = kNoReg; // it makes this value; or operand `operand` of this op, if `value` says where that goes
  Reg value = kNoReg;
  uint16_t operand = 0;
  int32_t kind = 0;   // of Unit::opNames; bound to a registry, the kind itself
  uint32_t loads = 0; // of FusedCode::loads: `operands` operands, then `attrs` attributes, all of which must be there
  uint8_t operands = 0, attrs = 0;
  bool noExtras = false, isCounted = false, looksAtAttrs = false;
  uint32_t least = 0, most = 0; // operands, if isCounted
};
struct HeadLoad {
  Reg to;
  uint16_t index;
};

struct FusedCode {
  std::vector<Instr> code;
  std::vector<HeadNode> nodes;
  std::vector<HeadLoad> loads;
};
FusedCode fuse(const Unit &);
/// How many instructions the one at `at` stands for.
unsigned partsOf(const Instr &);

} // namespace rw::interpret
