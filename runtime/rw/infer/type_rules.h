// Types of an op's results, while it is known what values hold: the shapes that a program computes.
//
// In:  an op whose operands were visited (contents.h). Out: types, as far as they can be inferred.
// Elsewhere: what is said of an op is its `type` clause, and what a clause cannot say rules.h.
//
//   TypeRules rules(fn, contents);
//   InlineList<TypeId, 4> types = rules.infer(op);   // one per result; none where nothing is known
#pragma once

#include "rw/infer/rules.h"
#include "rw/support/inline_list.h"

namespace rw {

class TypeRules {
public:
  TypeRules(Function &fn, Contents &contents) : fn_(fn), contents_(contents) {}

  InlineList<TypeId, 4> infer(Op);

private:
  Function &fn_;
  Contents &contents_;
};

} // namespace rw
