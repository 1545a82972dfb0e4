// Straight code: how a pattern begins, run without a machine.
//
// In:  the fused code of a pattern, as far as one instruction follows the other, all registers are ids, and nothing is
//      worked out: ops are looked at, answers recalled, ops built, the root replaced.
// Out: whether the pattern fired; or, where the code is not straight any more or an answer is not known yet, what a
//      machine needs to go on from there.
// Elsewhere: what the steps mean is code.h; the rest of the code is run by machine.h.
//
//   // transpose(transpose(x, perm = p), perm = q) where is_identity(compose(p, q)) => x
//   Head, Recall, ReplaceEnd
//
// Most attempts fail while the code is straight, and many patterns are straight to their end. That takes some hundred
// machine instructions; to begin and end a machine takes as many again.
#pragma once

#include "codegen/machine/machine.h"
#include "rw/rewrite/attempt.h"

namespace rw::interpret {

class StraightCode {
public:
  /// `bound` must outlive it.
  StraightCode(const Bound &bound, const PatternCode &);

  /// An operand that no step has needed so far: many attempts fail before one does.
  struct LateRead {
    Reg to, of;
    unsigned index;
  };
  /// Where a machine goes on, and which registers have been written.
  struct Handover {
    uint32_t place = 0;
    std::vector<Reg> ids;
    std::vector<LateRead> late; // what is still to be read; if it is not there, the pattern does not match
    std::vector<std::pair<Reg, int64_t>> numbers;
  };
  /// Whether the pattern fired, whose opening `match` has passed. Says nothing about why it fails. `goOn(handover, ids,
  /// built)` runs the rest; `built` says that the pattern has created ops.
  template <class GoOn> bool run(Op root, PatternRewriter &, const Attempt &match, const GoOn &goOn) const;

private:
  /// One instruction, with what it refers to at hand.
  struct Step {
    enum Kind : uint8_t {
      Head,
      ReadOperand,
      ReadAttr,
      ReadAttrRecall,
      ReadAttrsRecall,
      Plain,
      Test,
      Recall,
      RecallAttr,
      IsSplatInt,
      BuildValue,
      ReplaceByNew,
      ReplaceEnd,
      HandOver
    };
    Kind kind = HandOver;
    Reg a = kNoReg, b = kNoReg, c = kNoReg;
    union {
      int64_t number = 0;    // ReadOperand, ReadAttr: which one of op b
      const HeadNode *nodes; // a of them
      const Instr *place;    // of the Recall, or the Test
      const Bound::Build *build;
    };
    const HeadLoad *loads = nullptr; // of the nodes
    uint32_t handover = 0;           // of handovers_
  };
  class Maker;
  static constexpr unsigned kRegisters = 64;
  bool test(const Instr &, Function &, uint32_t *ids) const;
  const Bound &bound_;
  std::vector<Reg> opened_; // slots of the opening that steps read
  std::vector<Step> steps_; // the last one ends it
  std::vector<Handover> handovers_;
};

/// What a Head asks; `idAt(r)` is the id in register r. Inline: nearly every attempt begins with one.
template <class IdAt>
[[gnu::always_inline]] inline bool runHead(const HeadNode *n, unsigned nodes, const HeadLoad *load, Function &fn,
                                           const IdAt &idAt) {
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
[[gnu::always_inline]] inline std::span<const ValueId> operandsOf(const Bound::Build &build, ValueId (&room)[4],
                                                                  const IdAt &idAt) {
  for (unsigned i = 0; i < build.operandCount; ++i)
    room[i] = ValueId(idAt(build.operands[i]));
  return {room, build.operandCount};
}

template <class GoOn>
[[gnu::always_inline]] inline bool StraightCode::run(Op root, PatternRewriter &rw, const Attempt &match,
                                                     const GoOn &goOn) const {
  Function &fn = *root.fn;
  uint32_t ids[kRegisters];
  auto idAt = [&ids](Reg r) -> uint32_t & { return ids[r]; };
  auto op = [&](Reg r) { return Op{&fn, OpId(ids[r])}; };
  auto value = [&](Reg r) { return Value{&fn, ValueId(ids[r])}; };
  auto attrsOf = [&](const Bound::Build &build) {
    return build.hasAttr ? fn.context().attrs(AttrId(ids[build.attr])) : fn.context().attrs(std::span<const AttrId>());
  };
  auto recalled = [&](const Step &s) {
    return rw.recalled(s.place, AttrId(ids[s.b]), s.c == kNoReg ? AttrId() : AttrId(ids[s.c]));
  };
  auto readAttr = [&](const Step &s) {
    const AttrsData &attrs = fn.context().attrs(fn.data(OpId(ids[s.b])).attrs);
    AttrId attr = uint64_t(s.number) < attrs.fixed.size() ? attrs.fixed.data()[s.number] : AttrId();
    ids[s.a] = attr.raw;
    return bool(attr);
  };
  auto refused = [&](const Step &s) {
    if (s.kind == Step::Recall && s.a == kRulesOut)
      rw.ruleOut();
  };
  bool built = false;
  ids[0] = root.id.raw;
  for (Reg slot : opened_)
    ids[slot] = match.raw(slot);
  for (const Step *s = steps_.data();; ++s)
    switch (s->kind) {
    case Step::Head:
      if (!runHead(s->nodes, s->a, s->loads, fn, idAt))
        goto failed;
      break;
    case Step::ReadOperand: {
      const OpData &data = fn.data(OpId(ids[s->b]));
      if (uint64_t(s->number) >= data.operandCount)
        goto failed;
      ValueId operand = fn.data(SlotId(data.firstOperand.raw + unsigned(s->number))).value;
      if (!operand)
        goto failed;
      ids[s->a] = operand.raw;
      break;
    }
    case Step::Plain:
      if (hasExtraAttrs(op(s->a))) [[unlikely]]
        goto failed;
      break;
    case Step::ReadAttr:
      if (!readAttr(*s))
        goto failed;
      break;
    case Step::ReadAttrsRecall: // with the two steps behind it: most patterns that ask something of attributes begin so
      if (!readAttr(*s++))
        goto failed;
      [[fallthrough]];
    case Step::ReadAttrRecall: {
      if (!readAttr(*s++))
        goto failed;
      const uint32_t *known = recalled(*s);
      if (!known) [[unlikely]]
        return goOn(handovers_[s->handover], ids, built);
      if (*known == (s->kind == Step::Recall ? 0 : AttrId::kNone)) {
        refused(*s);
        goto failed;
      }
      if (s->kind == Step::RecallAttr)
        ids[s->a] = *known;
      break;
    }
    case Step::Test:
      if (!test(*s->place, fn, ids))
        goto failed;
      break;
    case Step::Recall: {
      const uint32_t *known = recalled(*s);
      if (!known) [[unlikely]]
        return goOn(handovers_[s->handover], ids, built);
      if (!*known) {
        refused(*s);
        goto failed;
      }
      break;
    }
    case Step::RecallAttr: {
      const uint32_t *known = recalled(*s);
      if (!known) [[unlikely]]
        return goOn(handovers_[s->handover], ids, built);
      if (*known == AttrId::kNone)
        goto failed;
      ids[s->a] = *known;
      break;
    }
    case Step::IsSplatInt:
      if (!isSplat(fn.context(), constantOf(value(s->a)), s->number))
        goto failed;
      break;
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
      return rw.replaceOpWithNew(op(s->a), *s->build->schema, operandsOf(*s->build, room, idAt), attrsOf(*s->build),
                                 s->build->sameType);
    }
    case Step::ReplaceEnd: {
      Value by = value(s->b);
      if (!by || !(s->number ? rw.mayReplace(op(s->a).result(), by) : canReplace(rw, op(s->a).result(), by)) ||
          !rw.replaceOp(op(s->a), by))
        goto failed;
      return true;
    }
    case Step::HandOver:
      return goOn(handovers_[s->handover], ids, built);
    default:
      __builtin_unreachable();
    }
failed:
  if (built) [[unlikely]]
    rw.abandon();
  return false;
}

} // namespace rw::interpret
