#include "codegen/machine/straight.h"

#include "rw/ir/stand_ins.h"

#include <algorithm>

namespace rw::interpret {

/// Follows the code from its entry while it is straight.
class StraightCode::Maker {
public:
  Maker(const Bound &bound, StraightCode &out) : bound_(bound), out_(out) {}

  void make(const PatternCode &pattern) {
    for (Reg slot : pattern.opened)
      if (slot < kRegisters)
        opened_.push_back(slot);
    const Instr *pc = bound_.code + pattern.entry;
    while (const Instr *next = hasEnd() ? nullptr : step(pc))
      pc = next;
    if (!hasEnd()) {
      Step s;
      s.handover = handover(pc);
      out_.steps_.push_back(s);
    }
    joinReads();
    for (Reg slot : opened_)
      if (std::ranges::find(read_, slot) != read_.end())
        out_.opened_.push_back(slot);
  }

private:
  bool hasEnd() const {
    return !out_.steps_.empty() &&
           (out_.steps_.back().kind == Step::ReplaceEnd || out_.steps_.back().kind == Step::ReplaceByNew);
  }
  /// One step reads an attribute, or two, and recalls an answer: a jump less for each.
  void joinReads() {
    std::vector<Step> &steps = out_.steps_;
    auto reads = [&](size_t i) { return i < steps.size() && steps[i].kind == Step::ReadAttr; };
    auto recalls = [&](size_t i) {
      return i < steps.size() && (steps[i].kind == Step::Recall || steps[i].kind == Step::RecallAttr);
    };
    for (size_t i = 0; i < steps.size(); ++i)
      if (reads(i) && reads(i + 1) && recalls(i + 2))
        steps[i].kind = Step::ReadAttrsRecall, i += 2;
      else if (reads(i) && recalls(i + 1))
        steps[i].kind = Step::ReadAttrRecall, ++i;
  }
  /// Adds a step for the instruction if it is straight, and returns the next one.
  const Instr *step(const Instr *pc) {
    const size_t ids = written_.ids.size(), numbers = written_.numbers.size(), steps = out_.steps_.size();
    const std::vector<LateRead> late = late_;
    const Instr *next = pc->onFail ? nullptr : straight(pc);
    if (!next) {
      written_.ids.resize(ids), written_.numbers.resize(numbers);
      out_.steps_.resize(steps);
      late_ = late;
    }
    return next;
  }
  const Instr *straight(const Instr *pc) {
    Step s;
    s.a = pc->a, s.b = pc->b, s.c = pc->c;
    const Instr *next = pc + partsOf(*pc);
    switch (pc->op) {
    case Opcode::Head: {
      s.kind = Step::Head;
      s.nodes = bound_.fused.nodes.data() + pc->d;
      s.loads = bound_.fused.loads.data() + s.nodes->loads;
      if (readsOnly(s))
        return addReads(s) ? next : nullptr;
      const HeadLoad *load = s.loads;
      for (const HeadNode *n = s.nodes; n != s.nodes + s.a; ++n) {
        if (n->from == kNoReg ? !reads(n->op) : !reads(n->from) || !writes(n->op) || !writes(n->value))
          return nullptr;
        for (unsigned left = n->operands + n->attrs; left; --left, ++load)
          if (!writes(load->to))
            return nullptr;
      }
      break;
    }
    case Opcode::Operand:
    case Opcode::OperandThere:
    case Opcode::DefinedBy:
    case Opcode::DefinedBySet:
    case Opcode::FirstResult:
    case Opcode::ResultAny:
    case Opcode::Attr:
    case Opcode::AttrOrDefault:
      s.kind = Step::Test;
      s.place = pc;
      if (!reads(s.b) || !writes(s.a))
        return nullptr;
      break;
    case Opcode::NoExtras:
    case Opcode::OneUse:
    case Opcode::Absent:
    case Opcode::AttrDefault:
    case Opcode::AttrAbsent:
    case Opcode::AttrIsInt:
    case Opcode::AttrIsBool:
    case Opcode::AttrIsString:
    case Opcode::AttrIsDType:
    case Opcode::InSet:
      s.kind = Step::Test;
      s.place = pc;
      if (!reads(s.a))
        return nullptr;
      break;
    case Opcode::SameId:
      s.kind = Step::Test;
      s.place = pc;
      if (!reads(s.a) || !reads(s.b))
        return nullptr;
      break;
    case Opcode::Recall:
    case Opcode::RecallAttr:
      s.kind = pc->op == Opcode::Recall ? Step::Recall : Step::RecallAttr;
      s.place = pc;
      s.handover = handover(pc);
      next = bound_.code + pc->d;
      if (!reads(s.b) || !reads(s.c) || (s.kind == Step::RecallAttr && !writes(s.a)))
        return nullptr;
      break;
    case Opcode::IsSplatInt:
      s.kind = Step::IsSplatInt, s.a = pc[1].a, s.number = pc->d;
      written_.numbers.push_back({pc[0].a, pc->d});
      if (!reads(s.a))
        return nullptr;
      break;
    case Opcode::BuildValue:
      readLate();
      s.kind = Step::BuildValue, s.b = pc[1].a;
      s.build = &bound_.builds[size_t(pc->d)];
      if (!s.build->isPlain || !readsAll(*s.build) || !writes(s.a) || !writes(s.b))
        return nullptr;
      break;
    case Opcode::SameTypes:
      s.kind = Step::Test;
      s.place = pc;
      if (!reads(pc[0].b) || !reads(pc[2].b) || !writes(pc[0].a) || !writes(pc[2].a))
        return nullptr;
      written_.numbers.push_back({pc[4].a, 1});
      break;
    case Opcode::ReplaceByNew:
      readLate();
      s.kind = Step::ReplaceByNew;
      s.build = &bound_.builds[size_t(pc->d)];
      if (!s.build->schema || !readsAll(*s.build) || !reads(s.a))
        return nullptr;
      break;
    case Opcode::ReplaceEnd:
      readLate();
      s.kind = Step::ReplaceEnd, s.number = pc->d;
      if (!reads(s.a) || !reads(s.b))
        return nullptr;
      break;
    default:
      return nullptr;
    }
    out_.steps_.push_back(s);
    return next;
  }

  /// Of a Head: the opening has found its ops, so that operands and attributes are all that is left to read.
  static bool readsOnly(const Step &head) {
    return std::all_of(head.nodes, head.nodes + head.a,
                       [](const HeadNode &n) { return n.from == kNoReg && !n.isCounted; });
  }
  /// A step for each: what takes apart a node costs more than they do. False if there is no room; then nothing is
  /// added.
  bool addReads(const Step &head) {
    const HeadLoad *load = head.loads;
    for (const HeadNode *n = head.nodes; n != head.nodes + head.a; load += n->operands + n->attrs, ++n)
      if (!knows(n->op) ||
          !std::all_of(load, load + n->operands + n->attrs, [](const HeadLoad &l) { return l.to < kRegisters; }))
        return false;
    load = head.loads;
    for (const HeadNode *n = head.nodes; n != head.nodes + head.a; ++n) {
      for (unsigned left = n->operands; left; --left, ++load)
        late_.push_back({load->to, n->op, load->index});
      if (n->noExtras) {
        Step &s = out_.steps_.emplace_back();
        s.kind = Step::Plain, s.a = n->op;
      }
      for (unsigned left = n->attrs; left; --left, ++load)
        addRead(Step::ReadAttr, load->to, n->op, load->index);
    }
    return true;
  }
  void addRead(Step::Kind kind, Reg to, Reg of, unsigned index) {
    reads(of);
    Step &s = out_.steps_.emplace_back();
    s.kind = kind, s.a = to, s.b = of, s.number = index;
    written_.ids.push_back(to);
  }

  /// Whether the id is there; of no register always. From now on it is, if a step is to find it.
  bool reads(Reg r) {
    read_.push_back(r);
    auto late = std::ranges::find(late_, r, &LateRead::to);
    if (late != late_.end()) {
      LateRead read = *late;
      late_.erase(late);
      addRead(Step::ReadOperand, read.to, read.of, read.index);
    }
    return knows(r);
  }
  /// What is not there is no match, which is to be seen before anything changes.
  void readLate() {
    while (!late_.empty())
      reads(late_.front().to);
  }
  bool knows(Reg r) const {
    auto has = [r](const std::vector<Reg> &list) { return std::ranges::find(list, r) != list.end(); };
    return r == kNoReg || r == kRoot || has(opened_) || has(written_.ids);
  }
  bool readsAll(const Bound::Build &build) {
    return reads(build.attr) &&
           std::all_of(build.operands, build.operands + build.operandCount, [this](Reg r) { return reads(r); });
  }
  /// Whether there is room for the id.
  bool writes(Reg r) {
    if (!knows(r))
      written_.ids.push_back(r);
    return r == kNoReg || r < kRegisters;
  }
  uint32_t handover(const Instr *pc) {
    Handover &to = out_.handovers_.emplace_back(written_);
    to.place = uint32_t(pc - bound_.code);
    to.late = late_;
    return uint32_t(out_.handovers_.size() - 1);
  }

  const Bound &bound_;
  StraightCode &out_;
  static constexpr Reg kRoot = 0;
  std::vector<Reg> opened_; // what the opening has found
  std::vector<LateRead> late_;
  Handover written_;      // what the steps have written so far; no place
  std::vector<Reg> read_; // by the steps
};

StraightCode::StraightCode(const Bound &bound, const PatternCode &pattern) : bound_(bound) {
  Maker(bound, *this).make(pattern);
}

/// Instructions that few patterns begin with, or that cost more than a call.
bool StraightCode::test(const Instr &s, Function &fn, uint32_t *ids) const {
  Context &ctx = fn.context();
  auto op = [&](Reg r) { return Op{&fn, OpId(ids[r])}; };
  auto value = [&](Reg r) { return Value{&fn, ValueId(ids[r])}; };
  switch (s.op) {
  case Opcode::Operand:
    ids[s.a] = op(s.b).operand(unsigned(s.d)).id.raw;
    return true;
  case Opcode::OperandThere:
    return (ids[s.a] = op(s.b).operand(unsigned(s.d)).id.raw) != ValueId::kNone;
  case Opcode::DefinedBy: {
    Op def = definitionOf(value(s.b));
    ids[s.a] = def.id.raw;
    return def && def.kind().raw == s.d;
  }
  case Opcode::DefinedBySet: {
    Op def = definitionOf(value(s.b));
    ids[s.a] = def.id.raw;
    return def && bound_.sets[size_t(s.d)][def.kind().raw] && isResult(value(s.b), def, s.c);
  }
  case Opcode::InSet:
    return bound_.sets[size_t(s.d)][op(s.a).kind().raw];
  case Opcode::FirstResult:
    ids[s.a] = op(s.b).result().id.raw;
    return true;
  case Opcode::ResultAny:
    ids[s.a] = op(s.b).result(s.d < 0 ? op(s.b).resultCount() - unsigned(-s.d) : unsigned(s.d)).id.raw;
    return true;
  case Opcode::Attr:
    return (ids[s.a] = op(s.b).attr(unsigned(s.d)).raw) != AttrId::kNone;
  case Opcode::AttrOrDefault:
    return (ids[s.a] = op(s.b).attrOrDefault(unsigned(s.d)).raw) != AttrId::kNone;
  case Opcode::NoExtras:
    return !hasExtraAttrs(op(s.a));
  case Opcode::OneUse:
    return value(s.a).hasOneUse();
  case Opcode::Absent:
    return !op(s.a).operand(unsigned(s.d));
  case Opcode::AttrDefault:
    return attrIsDefault(op(s.a), unsigned(s.d));
  case Opcode::AttrAbsent:
    return attrIsAbsent(op(s.a), unsigned(s.d));
  case Opcode::AttrIsInt:
    return attrAs<int64_t>(ctx, AttrId(ids[s.a])) == bound_.unit->numbers[size_t(s.d)];
  case Opcode::AttrIsBool:
    return attrAs<bool>(ctx, AttrId(ids[s.a])) == (s.d != 0);
  case Opcode::AttrIsString:
    return attrAs<std::string_view>(ctx, AttrId(ids[s.a])) == std::string_view(bound_.unit->strings[size_t(s.d)]);
  case Opcode::AttrIsDType:
    return attrAs<DType>(ctx, AttrId(ids[s.a])) == DType(s.d);
  case Opcode::SameId:
    return ids[s.a] == ids[s.b];
  default: { // SameTypes
    const Instr *parts = &s;
    TypeId a = typeOf(value(parts[0].b)), b = typeOf(value(parts[2].b));
    ids[parts[0].a] = a.raw, ids[parts[2].a] = b.raw;
    return a && b && (a == b || equal(ctx, a, b).value_or(false));
  }
  }
}

} // namespace rw::interpret
