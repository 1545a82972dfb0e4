// Straight code: what most patterns are, run without a machine.
//
// In:  the fused code of a pattern in which one instruction follows the other, all registers are ids, and nothing is worked
//      out: ops are looked at, answers recalled, ops built, the root replaced.
// Out: whether the pattern fired; or that the machine has to run it, because an answer is not known yet. Nothing is changed then.
// Elsewhere: what the steps mean is code.h; any code is run by machine.h.
//
//   // transpose(transpose(x, perm = p), perm = q) where is_identity(compose(p, q)) => x
//   Head, Recall, ReplaceEnd
//
// An attempt of such a pattern is some two hundred machine instructions; to begin and end a machine would be half of that again.
#pragma once

#include "codegen/interpret/machine.h"

namespace rw::interpret {

class StraightCode {
public:
  /// Empty if the pattern's code is not straight. `bound` must outlive it.
  StraightCode(const Bound &bound, const PatternCode &);
  explicit operator bool() const { return !steps_.empty(); }

  enum class Outcome : uint8_t { Failed, Fired, Unknown };
  /// Says nothing about why it fails.
  Outcome run(Op root, PatternRewriter &) const;

private:
  /// One instruction, with what it refers to at hand.
  struct Step {
    enum Kind : uint8_t { Head, OperandThere, NoExtras, ResultAny, Recall, RecallAttr, IsSplatInt, SameTypes, BuildValue, ReplaceByNew, ReplaceEnd };
    Kind kind;
    Reg a = kNoReg, b = kNoReg, c = kNoReg;
    union {
      int64_t number = 0;
      const HeadNode *nodes;      // a of them
      const Instr *place;         // of the Recall
      const Bound::Build *build;
    };
    const HeadLoad *loads = nullptr; // of the nodes
  };
  static constexpr unsigned kRegisters = 64;
  std::vector<Step> steps_; // the last one ends it
};

/// What a Head asks; `idAt(r)` is the id in register r. Inline: nearly every attempt begins with one.
template <class IdAt>
[[gnu::always_inline]] inline bool runHead(const HeadNode *n, unsigned nodes, const HeadLoad *load, Function &fn, const IdAt &idAt) {
  do {
    OpId of;
    if (n->from == kNoReg) {
      of = OpId(idAt(n->op));
    } else {
      ValueId made(idAt(n->from));
      if (n->value != kNoReg) { // of an op: its operand
        const OpData &user = fn.data(OpId(idAt(n->from)));
        if (n->operand >= user.operandCount)
          return false;
        made = fn.data(SlotId(user.firstOperand.raw + n->operand)).value;
        idAt(n->value) = made.raw;
      }
      if (!made || (fn.data(made).def & ValueData::kParam))
        return false;
      of = OpId(fn.data(made).def);
      if (fn.data(of).kind.raw != n->kind)
        return false;
      idAt(n->op) = of.raw;
    }
    const OpData &data = fn.data(of);
    const AttrsId attrs = data.attrs;
    if (unsigned left = n->operands) {
      const unsigned count = data.operandCount, first = data.firstOperand.raw;
      do {
        if (load->index >= count)
          return false;
        ValueId operand = fn.data(SlotId(first + load->index)).value;
        if (!operand)
          return false;
        idAt(load->to) = operand.raw;
        ++load;
      } while (--left);
    }
    if (n->isCounted && (fn.data(of).operandCount < n->least || fn.data(of).operandCount > n->most))
      return false;
    if (!n->looksAtAttrs)
      continue;
    Context &ctx = fn.context();
    const AttrsData &list = ctx.attrs(attrs);
    if (n->noExtras && !list.extra.empty() && anyExtraAttr(ctx, list.extra)) [[unlikely]]
      return false;
    if (unsigned left = n->attrs) {
      const AttrId *fixed = list.fixed.data();
      const size_t count = list.fixed.size();
      do {
        if (load->index >= count)
          return false;
        AttrId attr = fixed[load->index];
        if (!attr)
          return false;
        idAt(load->to) = attr.raw;
        ++load;
      } while (--left);
    }
  } while (++n, --nodes);
  return true;
}

/// The operands of an op about to be built.
template <class IdAt>
[[gnu::always_inline]] inline std::span<const ValueId> operandsOf(const Bound::Build &build, ValueId (&room)[4], const IdAt &idAt) {
  for (unsigned i = 0; i < build.operandCount; ++i)
    room[i] = ValueId(idAt(build.operands[i]));
  return {room, build.operandCount};
}

[[gnu::always_inline]] inline StraightCode::Outcome StraightCode::run(Op root, PatternRewriter &rw) const {
  Function &fn = *root.fn;
  uint32_t ids[kRegisters];
  auto idAt = [&ids](Reg r) -> uint32_t & { return ids[r]; };
  auto op = [&](Reg r) { return Op{&fn, OpId(ids[r])}; };
  auto value = [&](Reg r) { return Value{&fn, ValueId(ids[r])}; };
  auto attrsOf = [&](const Bound::Build &build) {
    return build.hasAttr ? fn.context().attrs(AttrId(ids[build.attr])) : fn.context().attrs(std::span<const AttrId>());
  };
  auto recalled = [&](const Step &s) { return rw.recalled(s.place, AttrId(ids[s.b]), s.c == kNoReg ? AttrId() : AttrId(ids[s.c])); };
  bool built = false;
  ids[0] = root.id.raw;
  for (const Step *s = steps_.data();; ++s)
    switch (s->kind) {
    case Step::Head:
      if (!runHead(s->nodes, s->a, s->loads, fn, idAt))
        goto failed;
      break;
    case Step::OperandThere:
      ids[s->a] = op(s->b).operand(unsigned(s->number)).id.raw;
      if (ids[s->a] == UINT32_MAX)
        goto failed;
      break;
    case Step::NoExtras:
      if (hasExtraAttrs(op(s->a)))
        goto failed;
      break;
    case Step::ResultAny: ids[s->a] = op(s->b).result(unsigned(s->number)).id.raw; break;
    case Step::Recall: {
      const uint32_t *known = recalled(*s);
      if (!known) [[unlikely]]
        return Outcome::Unknown;
      if (!*known)
        goto failed;
      break;
    }
    case Step::RecallAttr: {
      const uint32_t *known = recalled(*s);
      if (!known) [[unlikely]]
        return Outcome::Unknown;
      if (*known == AttrId::kNone)
        goto failed;
      ids[s->a] = *known;
      break;
    }
    case Step::IsSplatInt:
      if (!isSplat(fn.context(), constantOf(value(s->a)), s->number))
        goto failed;
      break;
    case Step::SameTypes: {
      TypeId a = typeOf(value(s->a)), b = typeOf(value(s->b));
      if (!a || !b || (a != b && !equal(fn.context(), a, b).value_or(false)))
        goto failed;
      break;
    }
    case Step::BuildValue: {
      ValueId room[4];
      Op made = rw.create(*s->build->schema, operandsOf(*s->build, room, idAt), attrsOf(*s->build));
      built = true;
      ids[s->a] = made.id.raw;
      ids[s->b] = made.result().id.raw;
      break;
    }
    case Step::ReplaceByNew: {
      ValueId room[4];
      return Outcome(rw.replaceOpWithNew(op(s->a), *s->build->schema, operandsOf(*s->build, room, idAt), attrsOf(*s->build)));
    }
    case Step::ReplaceEnd: {
      Value by = value(s->b);
      if (!by || !rw.canReplace(op(s->a).result(), by) || !rw.replaceOp(op(s->a), by))
        goto failed;
      return Outcome::Fired;
    }
    default: __builtin_unreachable();
    }
failed:
  if (built) [[unlikely]]
    rw.abandon();
  return Outcome::Failed;
}

} // namespace rw::interpret
