#include "rw/ir/printer.h"

#include "rw/ir/text_format.h"

#include <llvm/ADT/DenseMap.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace rw {

using namespace text;

// Names of values ---------------------------------------------------------------------------------------------------

namespace {
/// Walks a function in the order of its text and labels what is defined on the way.
class Labeller {
public:
  Labeller(const Function &fn, FlatArray<uint32_t> &labels) : fn_(fn), labels_(labels) {}

  void region(RegionId id) {
    size_t mark = scope_.size();
    for (ValueId v : fn_.params(id))
      define(v);
    for (OpId op = fn_.data(id).firstOp; op; op = fn_.data(op).next) {
      const OpData &d = fn_.data(op);
      for (unsigned i = 0; i < d.resultCount; ++i)
        define(ValueId(d.firstResult.raw + i));
      for (RegionId nested : fn_.regionsOf(op))
        region(nested);
    }
    for (; scope_.size() > mark; scope_.pop_back())
      --inScope_[scope_.back().raw];
  }

private:
  void define(ValueId v) {
    StringId name = fn_.valueName(v);
    if (!name) {
      labels_[v.raw] = ++numbered_;
      return;
    }
    labels_[v.raw] = ++inScope_[name.raw];
    if (isDottedName(fn_.context().text(name), 0))
      labels_[v.raw] |= ValueNames::kBare;
    scope_.push_back(name);
  }

  const Function &fn_;
  FlatArray<uint32_t> &labels_;
  llvm::DenseMap<uint32_t, uint32_t> inScope_; // name → values in scope that carry it
  std::vector<StringId> scope_;
  uint32_t numbered_ = 0;
};
} // namespace

ValueNames::ValueNames(const Function &fn) : fn_(fn) {
  labels_.resize(fn.valueCapacity(), 0);
  Labeller(fn, labels_).region(fn.body());
}

void ValueNames::append(std::string &out, ValueId v) const {
  out += '%';
  uint32_t label = v.raw < labels_.size() ? labels_[v.raw] : 0;
  if (label == 0) {
    out += "<value ";
    appendUnsigned(out, v.raw);
    out += '>';
    return;
  }
  StringId name = fn_.valueName(v);
  if (!name)
    return appendUnsigned(out, label - 1);
  std::string_view spelled = fn_.context().text(name);
  if (label & kBare)
    out += spelled;
  else
    appendQuoted(out, spelled);
  if (uint32_t rank = (label & ~kBare) - 1) {
    out += '~';
    appendUnsigned(out, rank);
  }
}

/// Decimal digits, at most ten; the end of them.
static char *writeDigits(char *at, uint32_t value) {
  static constexpr auto kPairs = [] {
    std::array<char, 200> pairs{};
    for (size_t i = 0; i < 100; ++i) {
      pairs[2 * i] = char('0' + i / 10);
      pairs[2 * i + 1] = char('0' + i % 10);
    }
    return pairs;
  }();
  char buffer[10];
  char *begin = buffer + sizeof buffer;
  for (; value >= 100; value /= 100)
    std::memcpy(begin -= 2, &kPairs[2 * (value % 100)], 2);
  if (value >= 10)
    std::memcpy(begin -= 2, &kPairs[2 * value], 2);
  else
    *--begin = char('0' + value);
  const size_t count = size_t(buffer + sizeof buffer - begin);
  for (size_t i = 0; i < count; ++i)
    at[i] = begin[i];
  return at + count;
}

char *ValueNames::write(char *at, ValueId v) const {
  const uint32_t label = v.raw < labels_.size() ? labels_[v.raw] : 0;
  if (label == 0)
    return nullptr;
  *at++ = '%';
  const StringId name = fn_.valueName(v);
  if (!name)
    return writeDigits(at, label - 1);
  std::string_view spelled = fn_.context().text(name);
  if (!(label & kBare) || spelled.size() > kShort - 12)
    return nullptr;
  std::memcpy(at, spelled.data(), spelled.size());
  at += spelled.size();
  if (uint32_t rank = (label & ~kBare) - 1) {
    *at++ = '~';
    at = writeDigits(at, rank);
  }
  return at;
}

std::string ValueNames::text(ValueId v) const {
  std::string out;
  append(out, v);
  return out;
}

// Ops and functions -------------------------------------------------------------------------------------------------

namespace {
class Writer {
public:
  Writer(std::string &out, const Context &ctx) : out_(out), ctx_(ctx) {}

  void function(const Function &fn) {
    ValueNames names(fn);
    fn_ = &fn;
    names_ = &names;
    start_ = out_.size();
    lines_ = 0;
    out_ += "func @";
    appendName(out_, fn.name());
    out_ += '(';
    std::span<const ValueId> params = fn.params(fn.body());
    for (size_t i = 0; i < params.size(); ++i) {
      if (i)
        out_ += ", ";
      names.append(out_, params[i]);
      out_ += ": ";
      paramType(params[i], fn.paramInfo(unsigned(i)));
    }
    out_ += ") -> ";
    results();
    out_ += ' ';
    block(fn.body(), 0);
    out_ += '\n';
  }

  void op(const Function &fn, OpId id, const ValueNames &names) {
    fn_ = &fn;
    names_ = &names;
    header(id);
    for (size_t i = 0; i < fn.regionsOf(id).size(); ++i)
      (out_ += ' ') += regionLabel(id, i) + " {…}";
  }

private:
  void type(TypeId id) {
    if (!id) {
      out_ += "<no type>";
      return;
    }
    if (id.raw >= types_.size())
      types_.resize(id.raw + 16);
    std::string &text = types_[id.raw];
    if (text.empty()) {
      text = ctx_.typeToString(id);
      plainTypes_.resize(types_.size());
      plainTypes_[id.raw].set(text);
    }
    out_ += text;
  }

  void paramType(ValueId v, const ParamInfo &info) {
    if (info.role == ParamRole::Param) {
      out_ += "param";
      if (info.stableId) {
        out_ += '(';
        appendUnsigned(out_, info.stableId);
        out_ += ')';
      }
      out_ += ' ';
    }
    type(fn_->data(v).type);
    if (info.defaultValue) {
      out_ += " = ";
      appendAttr(out_, ctx_, info.defaultValue);
    }
  }

  void results() {
    OpId last = fn_->data(fn_->body()).lastOp;
    unsigned count = last && fn_->data(last).kind == kReturnKind ? fn_->data(last).operandCount : 0;
    const std::vector<StringId> &names = fn_->resultNames();
    auto value = [&](unsigned i) { return fn_->data(SlotId(fn_->data(last).firstOperand.raw + i)).value; };
    auto name = [&](unsigned i) { return i < names.size() ? names[i] : StringId(); };
    // A tuple is parenthesised itself, so a single one needs the parentheses of the list around it.
    bool bare = count == 1 && !name(0) && value(0) && ctx_.type(fn_->data(value(0)).type).kind != TypeKind::Tuple;
    if (!bare)
      out_ += '(';
    for (unsigned i = 0; i < count; ++i) {
      if (i)
        out_ += ", ";
      if (name(i)) {
        appendName(out_, ctx_.text(name(i)));
        out_ += ": ";
      }
      if (value(i))
        type(fn_->data(value(i)).type);
      else
        out_ += "none";
    }
    if (!bare)
      out_ += ')';
  }

  void block(RegionId region, unsigned indent) {
    out_ += "{\n";
    for (OpId op = fn_->data(region).firstOp; op; op = fn_->data(op).next) {
      if (at_ > chunk_ + sizeof chunk_ - kLongestLine)
        flush();
      ++lines_;
      if (char *end = plainLine(op, indent)) {
        at_ = end;
        continue;
      }
      flush();
      out_.append(2 * (indent + 1), ' ');
      header(op);
      std::span<const RegionId> regions = fn_->regionsOf(op);
      for (size_t i = 0; i < regions.size(); ++i) {
        (out_ += ' ') += regionLabel(op, i);
        regionParams(regions[i]);
        out_ += ' ';
        block(regions[i], indent + 1);
      }
      out_ += '\n';
    }
    flush();
    out_.append(2 * indent, ' ');
    out_ += '}';
  }

  // Lines of the plain kind, nearly all of a large program: what they consist of was written before, and is copied.
  struct Piece {
    char text[64];
    uint8_t size = 0; // 0: not written yet, or too long
    explicit operator bool() const { return size; }
    void set(std::string_view s) {
      if (s.size() <= sizeof text)
        std::memcpy(text, s.data(), size = uint8_t(s.size()));
    }
    /// Copies 16 bytes whatever the size: most are not longer.
    char *write(char *at) const {
      std::memcpy(at, text, 16);
      if (size > 16)
        std::memcpy(at + 16, text + 16, sizeof text - 16);
      return at + size;
    }
  };
  static constexpr unsigned kMostIndent = 16, kMostOperands = 16, kMostResults = 4;
  static constexpr size_t kLongestAttrs = 256; // worth keeping: short lists repeat, dense tensors do not
  static constexpr size_t kLongestLine = 2 * kMostIndent + (kMostOperands + kMostResults) * (ValueNames::kShort + 4) +
                                         kMostResults * sizeof(Piece) + sizeof(Piece) + kLongestAttrs + 64;

  void flush() {
    if (size_t room = out_.capacity() - out_.size(); room < sizeof chunk_ && lines_ > 1000) {
      // Growing step by step would copy all and touch new pages several times: the lines to come are as long as those
      // before.
      const size_t perLine = (out_.size() - start_) / lines_ + 1,
                   ahead = std::max<size_t>(fn_->liveOps(), lines_) - lines_;
      reserveLargePages(out_, out_.size() + sizeof chunk_ + perLine * ahead * 17 / 16);
    }
    out_.append(chunk_, size_t(at_ - chunk_));
    at_ = chunk_;
  }

  /// Writes the line of an op behind what is in the chunk, where there is room for it; null, if it is not of the plain
  /// kind or something in it was not written before.
  char *plainLine(OpId op, unsigned indent) {
    const OpData &d = fn_->data(op);
    if (d.kind.raw >= plainKinds_.size() || !plainKinds_[d.kind.raw] || d.resultCount == 0 ||
        d.resultCount > kMostResults || d.operandCount > kMostOperands || indent >= kMostIndent || fn_->opName(op) ||
        !fn_->regionsOf(op).empty())
      return nullptr;
    char *at = at_;
    std::memset(at, ' ', 2 * kMostIndent);
    at += 2 * (indent + 1);
    for (unsigned i = 0; i < d.resultCount; ++i) {
      if (i) {
        *at++ = ',';
        *at++ = ' ';
      }
      if (!(at = names_->write(at, ValueId(d.firstResult.raw + i))))
        return nullptr;
    }
    std::memcpy(at, " = ", 3);
    at = plainKinds_[d.kind.raw].write(at + 3);
    *at++ = '(';
    for (unsigned i = 0; i < d.operandCount; ++i) {
      if (i) {
        *at++ = ',';
        *at++ = ' ';
      }
      if (ValueId v = fn_->data(SlotId(d.firstOperand.raw + i)).value) {
        if (!(at = names_->write(at, v)))
          return nullptr;
      } else {
        *at++ = '_';
      }
    }
    *at++ = ')';
    if (d.attrs != ctx_.noAttrs()) {
      if (!ctx_.attrs(d.attrs).extra.empty())
        return nullptr;
      auto known = attrTexts_.find(attrsKey(d));
      if (known == attrTexts_.end() || known->second.empty())
        return nullptr;
      std::memcpy(at, known->second.data(), known->second.size());
      at += known->second.size();
    }
    for (unsigned i = 0; i < d.resultCount; ++i) {
      const TypeId type = fn_->data(ValueId(d.firstResult.raw + i)).type;
      if (type.raw >= plainTypes_.size() || !plainTypes_[type.raw])
        return nullptr;
      std::memcpy(at, i ? ",  " : " : ", 3);
      at = plainTypes_[type.raw].write(at + (i ? 2 : 3));
    }
    *at++ = '\n';
    return at;
  }

  static uint64_t attrsKey(const OpData &d) { return uint64_t(d.kind.raw) << 32 | d.attrs.raw; }

  void regionParams(RegionId region) {
    std::span<const ValueId> params = fn_->params(region);
    if (params.empty())
      return;
    for (size_t i = 0; i < params.size(); ++i) {
      out_ += i ? ", " : "(";
      names_->append(out_, params[i]);
      out_ += ": ";
      type(fn_->data(params[i]).type);
    }
    out_ += ')';
  }

  std::string regionLabel(OpId op, size_t index) const {
    const OpSchema &schema = ctx_.ops().schema(fn_->data(op).kind);
    bool named =
        index < schema.regions.size() && isBareName(schema.regions[index]) && schema.regions[index] != "return";
    return named ? std::string(schema.regions[index]) : "region";
  }

  /// All of an op up to its regions.
  void header(OpId op) {
    const OpData &d = fn_->data(op);
    for (unsigned i = 0; i < d.resultCount; ++i) {
      if (i)
        out_ += ", ";
      names_->append(out_, ValueId(d.firstResult.raw + i));
    }
    if (d.resultCount)
      out_ += " = ";
    kind(d);
    bool isReturn = d.kind == kReturnKind;
    if (!isReturn)
      out_ += '(';
    else if (d.operandCount)
      out_ += ' ';
    for (unsigned i = 0; i < d.operandCount; ++i) {
      if (i)
        out_ += ", ";
      if (ValueId v = fn_->data(SlotId(d.firstOperand.raw + i)).value)
        names_->append(out_, v);
      else
        out_ += '_';
    }
    if (!isReturn)
      out_ += ')';
    if (StringId name = fn_->opName(op)) {
      out_ += " as ";
      appendName(out_, ctx_.text(name));
    }
    if (d.attrs != ctx_.noAttrs())
      attrs(d);
    for (unsigned i = 0; i < d.resultCount; ++i) {
      out_ += i ? ", " : " : ";
      type(fn_->data(ValueId(d.firstResult.raw + i)).type);
    }
  }

  void kind(const OpData &d) {
    if (d.kind == kOpaqueKind) {
      AttrId attr = ctx_.extra(d.attrs, kOpaqueNameAttr);
      std::string_view name = attr ? ctx_.attr(attr).text : "?";
      if (isDottedName(name, 1) && ctx_.ops().lookup(name) == kOpaqueKind)
        out_ += name;
      else
        appendQuoted(out_, name);
      return;
    }
    if (d.kind.raw >= kinds_.size())
      kinds_.resize(ctx_.ops().size());
    std::string &text = kinds_[d.kind.raw];
    if (text.empty()) {
      text = ctx_.ops().fullName(d.kind);
      if (d.kind != kReturnKind && ctx_.ops().lookup(text) != d.kind)
        text += '@' + std::to_string(ctx_.ops().schema(d.kind).since);
      plainKinds_.resize(kinds_.size());
      if (d.kind != kReturnKind)
        plainKinds_[d.kind.raw].set(text);
    }
    out_ += text;
    if (!ctx_.attrs(d.attrs).extra.empty() && d.kind != kReturnKind && text.find('@') == text.npos)
      if (int since = ctx_.ops().schema(d.kind).since; since > 0 && ctx_.ops().lookup(text, since - 1) != kOpaqueKind)
        out_ += '@' + std::to_string(since); // without it, what it does not declare may name an older version
  }

  void attrs(const OpData &d) {
    auto [it, isNew] = attrTexts_.try_emplace(attrsKey(d));
    if (!isNew && !it->second.empty()) {
      out_ += it->second;
      return;
    }
    size_t start = out_.size();
    attrList(d);
    if (out_.size() - start <= kLongestAttrs)
      it->second.assign(out_, start);
  }

  void attrList(const OpData &d) {
    const AttrsData &list = ctx_.attrs(d.attrs);
    std::span<const AttrSchema> declared = ctx_.ops().schema(d.kind).attrs;
    bool first = true;
    auto entry = [&](std::string_view name, AttrId value, AttrType type) {
      out_ += first ? " {" : ", ";
      first = false;
      appendName(out_, name);
      if (ctx_.attr(value).kind == AttrKind::Unit)
        return;
      out_ += " = ";
      appendAttr(out_, ctx_, value, type);
    };
    for (size_t i = 0; i < list.fixed.size(); ++i)
      if (list.fixed[i] && i < declared.size())
        entry(declared[i].name, list.fixed[i], declared[i].type);
    for (const NamedAttr &extra : list.extra)
      if (d.kind != kOpaqueKind || ctx_.text(extra.name) != kOpaqueNameAttr)
        entry(ctx_.text(extra.name), extra.value, AttrType::Any);
    if (!first)
      out_ += '}';
  }

  std::string &out_;
  const Context &ctx_;
  const Function *fn_ = nullptr;
  const ValueNames *names_ = nullptr;
  std::vector<std::string> types_, kinds_; // texts found so far, by id
  std::vector<Piece> plainTypes_, plainKinds_;
  llvm::DenseMap<uint64_t, std::string> attrTexts_;
  char chunk_[4 * kLongestLine]; // lines that are not in out_ yet
  char *at_ = chunk_;
  size_t start_ = 0, lines_ = 0; // of this function
};
} // namespace

void appendProgram(std::string &out, const Program &program) {
  Writer writer(out, program.context());
  bool first = true;
  for (const Function &fn : program.functions()) {
    if (!first)
      out += '\n';
    first = false;
    writer.function(fn);
  }
}
void appendFunction(std::string &out, const Function &fn) { Writer(out, fn.context()).function(fn); }

std::string printProgram(const Program &program) {
  std::string out;
  appendProgram(out, program);
  return out;
}
std::string printFunction(const Function &fn) {
  std::string out;
  appendFunction(out, fn);
  return out;
}
std::string printOp(Op op, const ValueNames &names) {
  std::string out;
  Writer(out, op.context()).op(*op.fn, op.id, names);
  return out;
}
std::string printAttr(const Context &ctx, AttrId id) {
  std::string out;
  appendAttr(out, ctx, id);
  return out;
}

} // namespace rw
