// A Unit as bytes, for patterns that are embedded in a program as data.
//
// In:  a Unit, or what toBytes made of one.
// Out: bytes, or a Unit, or why the bytes are none.
// Elsewhere: what a Unit holds is code.h; rwc writes the bytes into C++ (codegen/emit), which hands them to
//            rw/load/embedded_patterns.h.
//
// The bytes begin with a mark, the version of the format, the number of bytes that follow and a checksum of them; all
// numbers are little-endian or of variable length (LEB128), so the bytes do not depend on the machine. The version is
// worked out from the opcodes and from the fields of every table: code that another version of rw has written is seen,
// not run.
//
// What a registry stores of patterns comes first and can be read alone: a program has many patterns embedded, and most
// runs need few.
//
//   Result<Unit> unit = fromBytes(toBytes(made));
#pragma once

#include "codegen/machine/code.h"
#include "rw/support/result.h"

namespace rw::interpret {

std::string toBytes(const Unit &);
/// Fails if the bytes are not a unit that this version has written, whole and unchanged.
Result<Unit> fromBytes(std::string_view bytes);

/// A unit without the code that its patterns and tests run, and where that is in the bytes.
struct UnitHead {
  Unit unit;
  std::string_view code;
};
/// As fromBytes, but whether the code is well-formed is not known yet. Bytes that were changed are refused here.
Result<UnitHead> headOf(std::string_view bytes);
/// Adds the code; false if it is malformed.
bool readCode(std::string_view code, Unit &);

} // namespace rw::interpret
