// Functions from one Context to another, so that several may be worked on at once: a Context serves one thread.
//
// In:  a function, the context it is over, and another one over the same registry of ops.
// Out: a copy of the function with the same ids of ops, values, operand slots and regions, over the other context.
// Elsewhere: the passes that work on copies so are run by passes/pass_manager.h; copies over one context are
//            Program::clone and clone.h.
//
//   Context apart(fn.context().ops());
//   Function copy = ContextTransfer(fn.context(), apart).copy(fn);
//
// Strings, types, attributes and sizes that the function uses are interned in the other context in the order of their
// ids in the first one, so that what depends on that order (the factors of a size as text) is the same over both.
// Bytes of constants are shared.
#pragma once

#include "rw/ir/function.h"

namespace rw {

class ContextTransfer {
public:
  ContextTransfer(const Context &from, Context &to);
  Function copy(const Function &);

private:
  /// What is used of one of the tables, by id, and where it is in the other context.
  template <class Id> struct Map {
    std::vector<bool> used;
    std::vector<Id> to;
    bool use(Id id) {
      if (!id)
        return false;
      if (id.raw >= used.size())
        used.resize(id.raw + 1);
      const bool isNew = !used[id.raw];
      used[id.raw] = true;
      return isNew;
    }
    Id operator[](Id id) const { return id ? to[id.raw] : Id(); }
  };

  void use(TypeId);
  void use(AttrId);
  void use(AttrsId);
  void collect(const Function &);
  void intern();
  Dim moved(Dim d) const { return d.isExpression() ? dims_[d.expressionIndex()] : d; }
  AttrId interned(const AttrData &);

  const Context &from_;
  Context &to_;
  std::vector<Dim> dims_; // by expression of `from`
  Map<StringId> strings_;
  Map<TypeId> types_;
  Map<AttrId> attrs_;
  Map<AttrsId> lists_;
};

} // namespace rw
