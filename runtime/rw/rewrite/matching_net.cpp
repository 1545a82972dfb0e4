#include "rw/rewrite/matching_net.h"

#include <fmt/format.h>

namespace rw {

uint32_t MatchingNet::insert(uint32_t *found, uint32_t count, uint32_t place) {
  uint32_t *at = std::lower_bound(found, found + count, place);
  if (at != found + count && *at == place) // the other order of its operands
    return count;
  std::copy_backward(at, found + count, found + count + 1);
  *at = place;
  return count + 1;
}

uint32_t MatchingNet::placeOf(const NetTable &t, std::string_view text, uint32_t otherwise) const {
  auto begin = texts_.begin() + t.first, end = begin + t.count;
  auto at = std::lower_bound(begin, end, text);
  return at != end && *at == text ? places_[t.places + size_t(at - begin)] : otherwise;
}

uint32_t MatchingNet::placeOf(const NetTable &t, double real, uint32_t otherwise) const {
  const double *begin = reals_.data() + t.first, *end = begin + t.count;
  const double *at = std::lower_bound(begin, end, real);
  return at != end && *at == real ? places_[t.places + size_t(at - begin)] : otherwise;
}

// For people and tests --------------------------------------------------------------------------------------------

static bool isQuestion(NetCode::Op op) { return op >= NetCode::KindSwitch; }

uint32_t MatchingNet::endOf(uint32_t entry) const {
  auto next = std::find_if(roots_.begin(), roots_.end(), [&](const Root &r) { return r.entry > entry; });
  return next == roots_.end() ? uint32_t(code_.size()) : next->entry;
}

MatchingNet::Work MatchingNet::worst(uint32_t entry) const {
  if (!entry)
    return {};
  uint32_t end = endOf(entry);
  std::vector<Work> from(end - entry + 1); // jumps go forwards
  for (uint32_t i = end; i-- > entry;) {
    const NetCode &c = code_[i];
    if (c.op == NetCode::End)
      continue;
    Work &w = from[i - entry];
    auto way = [&](uint32_t place) {
      const Work &on = from[place - entry];
      w.questions = std::max(w.questions, on.questions);
      w.patterns = std::max(w.patterns, on.patterns);
    };
    if (c.target)
      way(c.target);
    uint32_t first = c.op == NetCode::KindSwitch ? c.arg : 0, count = c.op == NetCode::KindSwitch ? c.out : 0;
    if (c.op >= NetCode::KindSearch && c.op <= NetCode::SplatSwitch) {
      first = tables_[c.arg].places;
      count = tables_[c.arg].count;
    }
    for (uint32_t k = 0; k < count; ++k)
      way(places_[first + k]);
    if (!count && c.op != NetCode::Jump)
      way(i + 1);
    w.questions += isQuestion(c.op);
    w.patterns += c.op == NetCode::Leaf;
  }
  return from[0];
}

std::string MatchingNet::pathText(uint32_t entry, uint16_t reg) const {
  auto root = std::find_if(roots_.begin(), roots_.end(), [&](const Root &r) { return r.entry == entry; });
  const Path &p = root->paths[reg];
  switch (p.kind) {
  case Path::Root: return "root";
  case Path::Operand: return fmt::format("{}.{}", pathText(entry, p.parent), p.index);
  case Path::OperandAtEnd: return fmt::format("{}.-{}", pathText(entry, p.parent), p.index);
  case Path::Def: return fmt::format("def({})", pathText(entry, p.parent));
  case Path::Attr:
  case Path::AttrOrDefault: return fmt::format("{}:{}", pathText(entry, p.parent), p.index);
  }
  return "";
}

std::string MatchingNet::describe(uint32_t entry, const OpRegistry &ops) const {
  std::string out;
  for (uint32_t i = entry, end = entry ? endOf(entry) : 0; i < end; ++i) {
    const NetCode &c = code_[i];
    std::string in = pathText(entry, c.in), text;
    auto target = [&](uint32_t place) { return place - entry; };
    auto table = [&](std::string what, const auto &key) {
      const NetTable &t = tables_[c.arg];
      text = what + ":";
      for (uint32_t k = 0; k < t.count; ++k)
        if (places_[t.places + k] != c.target)
          text += fmt::format(" {} -> {},", key(t, k), target(places_[t.places + k]));
      text += fmt::format(" else {}", target(c.target));
    };
    auto number = [&](const NetTable &t, uint32_t k) { return t.dense ? t.least + k : numbers_[t.first + k]; };
    auto dtype = [&](const NetTable &t, uint32_t k) { return dtypeName(DType(number(t, k))); };
    auto yes = [&](std::string what) { text = fmt::format("{}? else {}", what, target(c.target)); };
    switch (c.op) {
    case NetCode::End: text = "end"; break;
    case NetCode::Leaf: text = fmt::format("try {}", c.arg); break;
    case NetCode::Jump: text = fmt::format("go {}", target(c.target)); break;
    case NetCode::GetOperandDef: text = pathText(entry, uint16_t(c.arg)); break;
    case NetCode::GetOperand:
    case NetCode::GetOperandAtEnd:
    case NetCode::GetDef:
    case NetCode::GetAttr:
    case NetCode::GetAttrOrDefault: text = pathText(entry, c.out); break;
    case NetCode::KindSwitch:
      text = fmt::format("kind of {}:", in);
      for (uint32_t k = 0; k < c.out; ++k)
        if (places_[c.arg + k] != c.target)
          text += fmt::format(" {} -> {},", ops.fullName(KindId{uint16_t(c.index + k)}), target(places_[c.arg + k]));
      text += fmt::format(" else {}", target(c.target));
      break;
    case NetCode::KindSearch:
      table("kind of " + in, [&](const NetTable &t, uint32_t k) { return ops.fullName(KindId{uint16_t(number(t, k))}); });
      break;
    case NetCode::ResultSwitch: table("which result is " + in, number); break;
    case NetCode::IntSwitch: table("number " + in, number); break;
    case NetCode::AttrDTypeSwitch: table("dtype " + in, dtype); break;
    case NetCode::DTypeSwitch: table("dtype of " + in, dtype); break;
    case NetCode::StringSwitch: table("string " + in, [&](const NetTable &t, uint32_t k) { return fmt::format("\"{}\"", texts_[t.first + k]); }); break;
    case NetCode::SplatSwitch: table("number " + in + " repeats", [&](const NetTable &t, uint32_t k) { return reals_[t.first + k]; }); break;
    case NetCode::KindIs: yes(fmt::format("{} is {}", in, ops.fullName(KindId{c.index}))); break;
    case NetCode::KindIn: {
      std::string kinds;
      for (uint32_t k = 0; k < ops.size(); ++k)
        if (kindBits_[c.arg + k / 64] >> k % 64 & 1)
          kinds += (kinds.empty() ? "" : " | ") + ops.fullName(KindId{uint16_t(k)});
      yes(fmt::format("{} is {}", in, kinds));
      break;
    }
    case NetCode::Present: yes(in + " is there"); break;
    case NetCode::Absent: yes(fmt::format("{}.{} is left out", in, c.index)); break;
    case NetCode::Count:
      yes(counts_[c.arg + 1] == UINT32_MAX ? fmt::format("{} has {} or more operands", in, counts_[c.arg])
                                           : fmt::format("{} has {} to {} operands", in, counts_[c.arg], counts_[c.arg + 1]));
      break;
    case NetCode::AttrBool: yes(fmt::format("{} is {}", in, c.index != 0)); break;
    case NetCode::AttrAbsent: yes(fmt::format("{}:{} is left out", in, c.index)); break;
    case NetCode::AttrDefault: yes(fmt::format("{}:{} is its default", in, c.index)); break;
    case NetCode::OneUse: yes(in + " has one use"); break;
    case NetCode::Constant: yes(in + " is constant"); break;
    case NetCode::FloatType: yes(in + " is float"); break;
    case NetCode::IntegerType: yes(in + " is integer"); break;
    case NetCode::Same: yes(fmt::format("{} is {}", in, pathText(entry, c.out))); break;
    }
    out += fmt::format("{:>4} {}\n", i - entry, text);
  }
  return out;
}

} // namespace rw
