#include "codegen/machine/fuse.h"

#include <algorithm>
#include <initializer_list>

namespace rw::interpret {

namespace {
class Fuser {
public:
  explicit Fuser(const Unit &unit) : unit_(unit) { out_.code = unit.code; }

  FusedCode run() {
    for (size_t at = 1; at < unit_.code.size();) {
      const Instr &first = out_.code[at];
      if (fused(at))
        at += partsOf(first);
      else
        ++at;
    }
    return std::move(out_);
  }

private:
  const Instr &part(size_t at) const { return unit_.code[at]; }
  /// Whether the instructions from `begin` on are these, and fail alike.
  bool are(size_t begin, std::initializer_list<Opcode> ops) const {
    if (unit_.code.size() - begin < ops.size())
      return false;
    size_t at = begin;
    for (Opcode op : ops) {
      if (part(at).op != op || part(at).onFail != part(begin).onFail)
        return false;
      ++at;
    }
    return true;
  }
  bool become(size_t at, Opcode op) {
    out_.code[at].op = op;
    return true;
  }

  /// Most instructions begin neither.
  bool fused(size_t at) {
    using enum Opcode;
    switch (part(at).op) {
    case OperandDefinedBy:
    case DefinedBy:
    case OperandThere:
    case Attr:
    case NoExtras:
    case Count:
      return head(at);
    case CanReplace:
    case LoadInt:
    case BuildOp:
    case TypeOf:
      return tail(at);
    default:
      return false;
    }
  }

  /// What parts of right sides and conditions have a fused form.
  bool tail(size_t at) {
    using enum Opcode;
    const Instr *p = &unit_.code[at];
    if (are(at, {CanReplace, Replace, Pass}) && p[0].a == p[1].a && p[0].b == p[1].b && p[1].d)
      return become(at, ReplaceEnd);
    if (are(at, {LoadInt, IsSplat}) && p[1].b == p[0].a && p[1].elem == Elem::Int)
      return become(at, IsSplatInt);
    if (are(at, {BuildOp, FirstResult}) && p[1].b == p[0].a)
      return become(at, BuildValue);
    if (are(at, {TypeOf, FailIfNone, TypeOf, FailIfNone, EqType, FailUnless}) && p[1].a == p[0].a && p[3].a == p[2].a &&
        p[4].b == p[0].a && p[4].c == p[2].a && p[5].a == p[4].a && p[0].a != p[2].a)
      return become(at, SameTypes);
    return false;
  }

  // Heads -----------------------------------------------------------------------------------------------------------

  struct Node {
    HeadNode node;
    std::vector<HeadLoad> operands, attrs;
  };
  Node &nodeOf(Reg op) {
    for (Node &n : nodes_)
      if (n.node.op == op)
        return n;
    Node &n = nodes_.emplace_back();
    n.node.op = op;
    return n;
  }
  /// Takes the instruction into the head at hand. Nodes run in the order in which they come up, each with all that is
  /// asked of it; so a register is written once, before it is read.
  bool take(const Instr &s) {
    switch (s.op) {
    case Opcode::OperandDefinedBy: {
      if (s.a == s.c || !isFresh(s.a) || !isFresh(s.c))
        return false;
      HeadNode &n = nodeOf(s.c).node;
      n.from = s.b, n.value = s.a, n.operand = uint16_t(s.index()), n.kind = s.d;
      break;
    }
    case Opcode::DefinedBy: {
      if (!isFresh(s.a))
        return false;
      HeadNode &n = nodeOf(s.a).node;
      n.from = s.b, n.kind = s.d;
      break;
    }
    case Opcode::OperandThere:
    case Opcode::Attr: {
      if (!isFresh(s.a) || s.d < 0 || s.d > UINT16_MAX)
        return false;
      Node &n = nodeOf(s.b);
      (s.op == Opcode::Attr ? n.attrs : n.operands).push_back({s.a, uint16_t(s.d)});
      break;
    }
    case Opcode::NoExtras:
      nodeOf(s.a).node.noExtras = true;
      break;
    case Opcode::Count: {
      HeadNode &n = nodeOf(s.a).node;
      if (n.isCounted)
        return false;
      n.isCounted = true, n.least = s.b, n.most = s.c == kNoReg ? UINT32_MAX : s.c;
      break;
    }
    default:
      return false;
    }
    for (Reg r : {s.a, s.b, s.c})
      touched_.push_back(r); // some are numbers: no harm
    return true;
  }
  bool isFresh(Reg r) const { return std::find(touched_.begin(), touched_.end(), r) == touched_.end(); }

  bool head(size_t begin) {
    nodes_.clear();
    touched_.clear();
    size_t at = begin;
    while (at < unit_.code.size() && at - begin < kMostParts && part(at).onFail == part(begin).onFail && take(part(at)))
      ++at;
    if (at - begin < 2)
      return false;
    Instr &s = out_.code[begin];
    s.op = Opcode::Head;
    s.elem = Elem::Int;
    s.a = Reg(nodes_.size());
    s.b = kNoReg;
    s.c = Reg(at - begin);
    s.d = int32_t(out_.nodes.size());
    for (Node &n : nodes_) {
      n.node.loads = uint32_t(out_.loads.size());
      n.node.operands = uint8_t(n.operands.size());
      n.node.attrs = uint8_t(n.attrs.size());
      n.node.looksAtAttrs = n.node.noExtras || !n.attrs.empty();
      out_.loads.insert(out_.loads.end(), n.operands.begin(), n.operands.end());
      out_.loads.insert(out_.loads.end(), n.attrs.begin(), n.attrs.end());
      out_.nodes.push_back(n.node);
    }
    return true;
  }

  static constexpr size_t kMostParts = 100; // in a head
  const Unit &unit_;
  FusedCode out_;
  // Of the head at hand:
  std::vector<Node> nodes_;
  std::vector<Reg> touched_;
};
} // namespace

FusedCode fuse(const Unit &unit) { return Fuser(unit).run(); }

unsigned partsOf(const Instr &s) {
  switch (s.op) {
  case Opcode::Head:
    return s.c;
  case Opcode::ReplaceEnd:
    return 3;
  case Opcode::IsSplatInt:
  case Opcode::BuildValue:
    return 2;
  case Opcode::SameTypes:
    return 6;
  default:
    return 1;
  }
}

} // namespace rw::interpret
