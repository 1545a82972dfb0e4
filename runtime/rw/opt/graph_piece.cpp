#include "rw/opt/graph_piece.h"

#include "rw/ir/printer.h"

#include <algorithm>
#include <fmt/format.h>

namespace rw::opt {
namespace {

constexpr size_t kMostText = 34; // of one line in a box

std::string shortened(std::string text) {
  if (text.size() <= kMostText)
    return text;
  size_t end = kMostText;
  while (end > 0 && (uint8_t(text[end]) & 0xc0) == 0x80) // not within a character
    --end;
  return text.substr(0, end) + "…";
}

/// The end of long names tells more than their beginning.
std::string shortenedName(std::string text) {
  if (text.size() <= kMostText)
    return text;
  size_t begin = text.size() - kMostText;
  while (begin < text.size() && (uint8_t(text[begin]) & 0xc0) == 0x80)
    ++begin;
  return "…" + text.substr(begin);
}

/// "perm = [1, 0]"; of tensors the type, of bytes nothing.
std::string attributesOf(Op op) {
  const Context &ctx = op.fn->context();
  const AttrsData &list = ctx.attrs(op.attrsId());
  std::string text;
  auto add = [&](std::string_view name, AttrId value) {
    const AttrData &a = ctx.attr(value);
    if (text.size() > kMostText || name.starts_with('$') || a.kind == AttrKind::Bytes)
      return;
    text += (text.empty() ? "" : ", ");
    text += fmt::format("{} = {}", name,
                        a.kind == AttrKind::Dense ? ctx.typeToString(a.dense->type) : printAttr(ctx, value));
  };
  for (size_t i = 0; i < list.fixed.size() && i < op.schema().attrs.size(); ++i)
    if (list.fixed[i])
      add(op.schema().attrs[i].name, list.fixed[i]);
  for (const NamedAttr &extra : list.extra)
    add(ctx.text(extra.name), extra.value);
  return shortened(std::move(text));
}

class Taker {
public:
  explicit Taker(const OpNames &names) : names_(names) {}

  bool add(Op op, size_t most, bool touched = false) {
    if (!op || op.isErased() || piece.nodeOf.count(op.id.raw))
      return false;
    if (ops_.size() >= most) {
      ++piece.leftOut;
      return false;
    }
    piece.nodeOf[op.id.raw] = piece.nodes.size();
    ops_.push_back(op);
    GraphPiece::Node node = describeOp(op, names_);
    node.touched = touched;
    piece.nodes.push_back(std::move(node));
    return true;
  }

  void addUsers(Op op, size_t most) {
    constexpr size_t kUsers = 4; // of one value
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      size_t n = 0;
      for (Use use : op.result(i).uses()) {
        Op user = use.owner;
        if (n == kLooked)
          break; // so many that their number says nothing
        if (n++ >= kUsers && !piece.nodeOf.count(user.id.raw))
          ++piece.leftOut;
        else
          add(user, most);
      }
    }
  }
  void addSources(Op op, size_t most) {
    for (unsigned i = 0; i < op.operandCount() && i < kLooked; ++i)
      if (Value v = op.operand(i))
        add(v.definingOp(), most);
  }

  /// Draws the edges between what is there; parameters become nodes where something there reads them.
  GraphPiece finish() {
    std::map<uint32_t, size_t> params;
    for (Op op : std::vector<Op>(ops_)) {
      addFarUses(op);
      for (unsigned i = 0; i < op.operandCount() && i < kLooked; ++i) {
        Value v = op.operand(i);
        if (!v)
          continue;
        size_t to = piece.nodeOf.at(op.id.raw);
        if (Op def = v.definingOp()) {
          if (auto it = piece.nodeOf.find(def.id.raw); it != piece.nodeOf.end())
            piece.edges.push_back({it->second, to});
          continue;
        }
        auto [it, isNew] = params.emplace(v.id.raw, piece.nodes.size());
        if (isNew)
          piece.nodes.push_back(describeParam(v, names_));
        piece.edges.push_back({it->second, to});
      }
    }
    return std::move(piece);
  }

  /// Edges to operands behind those that are looked at.
  void addFarUses(Op op) {
    for (unsigned i = 0; i < op.resultCount(); ++i) {
      unsigned n = 0;
      for (Use use : op.result(i).uses()) {
        if (n++ == kLooked)
          break;
        auto user = piece.nodeOf.find(use.owner.id.raw);
        if (use.index >= kLooked && user != piece.nodeOf.end())
          piece.edges.push_back({piece.nodeOf.at(op.id.raw), user->second});
      }
    }
  }

  /// Operands of an op, and uses of a value: a piece is taken at each attempt, and there may be thousands.
  static constexpr unsigned kLooked = 64;

  GraphPiece piece;
  const std::vector<Op> &ops() const { return ops_; }

private:
  const OpNames &names_;
  std::vector<Op> ops_;
};

} // namespace

GraphPiece::Node describeOp(Op op, const OpNames &names) {
  GraphPiece::Node node;
  node.boundary = op.kind() == kReturnKind;
  node.title = node.boundary ? "results" : std::string(op.fullName());
  if (!node.boundary)
    node.details = attributesOf(op);
  if (op.resultCount()) {
    node.value = shortenedName(names.of(op.result()));
    node.type = shortened(op.fn->context().typeToString(op.result().typeId()));
  }
  return node;
}

GraphPiece::Node describeParam(Value value, const OpNames &names) {
  return {.title = shortenedName(names.of(value)),
          .type = shortened(value.context().typeToString(value.typeId())),
          .boundary = true};
}

GraphPiece pieceAround(Op root, unsigned depth, size_t most, const OpNames &names) {
  Taker taker(names);
  taker.add(root, most);
  taker.addUsers(root, most);
  std::vector<Op> level{root};
  for (unsigned d = 0; d < depth && !level.empty(); ++d) {
    size_t before = taker.ops().size();
    for (Op op : level)
      taker.addSources(op, most);
    level.assign(taker.ops().begin() + ptrdiff_t(before), taker.ops().end());
  }
  return taker.finish();
}

GraphPiece pieceOf(const std::vector<Op> &ops, const OpNames &names) {
  Taker taker(names);
  for (Op op : ops)
    taker.add(op, kMostNodes, true);
  std::vector<Op> touched = taker.ops();
  for (Op op : touched)
    taker.addSources(op, kMostNodes);
  for (Op op : touched)
    taker.addUsers(op, kMostNodes);
  return taker.finish();
}

GraphPiece restrictedTo(const GraphPiece &whole, const std::set<uint32_t> &touchedOps) {
  std::vector<bool> touched(whole.nodes.size()), kept(whole.nodes.size());
  for (const auto &[op, node] : whole.nodeOf)
    touched[node] = kept[node] = touchedOps.count(op) != 0;
  for (const GraphPiece::Edge &e : whole.edges)
    if (touched[e.from] || touched[e.to])
      kept[e.from] = kept[e.to] = true;
  GraphPiece out;
  size_t count = size_t(std::ranges::count(touched, true)); // those come first: what is next to them must fit
  std::vector<size_t> number(whole.nodes.size(), SIZE_MAX);
  for (size_t i = 0; i < whole.nodes.size(); ++i) {
    if (!kept[i])
      continue;
    if (!touched[i] && count++ >= kMostNodes) {
      ++out.leftOut;
      continue;
    }
    number[i] = out.nodes.size();
    out.nodes.push_back(whole.nodes[i]);
    out.nodes.back().touched = touched[i];
  }
  for (const GraphPiece::Edge &e : whole.edges)
    if (number[e.from] != SIZE_MAX && number[e.to] != SIZE_MAX)
      out.edges.push_back({number[e.from], number[e.to]});
  return out;
}

} // namespace rw::opt
