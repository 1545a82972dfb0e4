// Digests of programs: what of a program decides how it is optimised, in 256 bits.
//
// In:  a program, or parts of one. Out: digests that do not depend on ids, contexts, locations or the names of inner
// values; equal ones stand for programs of equal structure (see support/digest.h).
// Elsewhere: roles and types at the entry are entry_signature.h; who caches by them is plan_cache.h.
//
// In go: functions with their names, parameters (name, role, id, type, default), result names, and every op with its
// full name, version, attributes, operands, result types and regions.
//
//   if (structureOf(a) == structureOf(b)) …      // a and b do the same, op by op
#pragma once

#include "rw/ir/program.h"
#include "rw/support/digest.h"

#include <unordered_map>

namespace rw {

Digest structureOf(const Program &);

/// Adds the content of interned things, whatever their ids.
class ContentDigester {
public:
  explicit ContentDigester(const Context &ctx) : ctx_(ctx) {}
  void addType(Digester &, TypeId);
  void addAttr(Digester &, AttrId);
  /// The kind of an op and its attributes, declared and not.
  void addOp(Digester &, KindId, AttrsId);

private:
  const Digest &typeDigest(TypeId);
  const Digest &attrDigest(AttrId);
  void addContent(Digester &, const AttrData &);

  const Context &ctx_;
  std::unordered_map<uint32_t, Digest> types_, attrs_; // met before
};

} // namespace rw
