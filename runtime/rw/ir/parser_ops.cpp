// Ops of the text form.
#include "rw/ir/parser_impl.h"

#include "rw/ir/builder.h"
#include "rw/support/nearest_name.h"

#include <algorithm>
#include <cstring>

namespace rw::text {

// Ops ---------------------------------------------------------------------------------------------------------------

void ProgramParser::readOp(RegionId region, bool &sawReturn) {
  const char *start = p_;
  InlineList<ValueName, 2> results;
  size_t mark = scope_.mark();
  inAttrs_ = false;
  const Plain plain = sawReturn ? Plain::No : readPlainOp(region, results);
  if (plain == Plain::Read || (plain == Plain::No && readOpParts(region, results, sawReturn)))
    return;
  scope_.release(mark);
  skipOp(start);
  defineStandIns(region, results);
}

/// `%` and a number of at most nine digits, written as the printer does; null if something else stands there.
static const char *readPlainName(const char *p, ValueName &out) {
  out.from = p;
  if (*p != '%' || !isDigit(p[1]) || (p[1] == '0' && isNameChar(p[2])))
    return nullptr;
  uint32_t number = 0;
  const char *q = p + 1;
  for (; isDigit(*q); ++q) {
    if (q - p > 9)
      return nullptr;
    number = number * 10 + uint32_t(*q - '0');
  }
  out.rank = ValueName::kNumbered;
  out.number = number;
  out.to = q;
  return q;
}

ProgramParser::Plain ProgramParser::readPlainOp(RegionId region, InlineList<ValueName, 2> &results) {
  skipSpace();
  ValueName result;
  const char *p = readPlainName(p_, result);
  if (!p || p[0] != ' ' || p[1] != '=' || p[2] != ' ')
    return Plain::No;
  const char *name = p += 3;
  while (isNameChar(*p) || *p == '.' || *p == '@')
    ++p;
  const char *nameEnd = p;
  if (*p != '(')
    return Plain::No;
  InlineList<ValueId, 8> operands;
  if (*++p != ')') {
    for (;;) {
      ValueName operand;
      if (operands.size() == 8 || !(p = readPlainName(p, operand)))
        return Plain::No;
      const ValueScope::Entry *entry = scope_.find(operand);
      if (!entry)
        return Plain::No;
      operands.push_back(entry->value);
      if (*p == ')')
        break;
      if (p[0] != ',' || p[1] != ' ')
        return Plain::No;
      p += 2;
    }
  }
  const char *end = ++p;
  const void *newline = std::memchr(end, '\n', std::min(TextCache::kLongest, size_t(end_ - end)));
  if (!newline)
    return Plain::No;
  p = static_cast<const char *>(newline);
  uint64_t hash;
  const LineTable::Line *line = lines_.find({name, size_t(nameEnd - name)}, {end, size_t(p - end)}, hash);
  if (!line)
    return Plain::No;
  const OpSpelling &spelling = spellings_[line->spelling];
  if (!spelling.operands.contains(unsigned(operands.size())))
    return Plain::No;
  const char *next = p;
  while (*next == ' ' || *next == '\n')
    ++next;
  if (isNameStart(*next))
    return Plain::No; // perhaps what belongs to this op, perhaps the next one
  results.push_back(result);
  nameAt_ = name;
  nameEnd_ = nameEnd;
  p_ = p;
  Op op = fn_->appendOp(region, spelling.kind, operands, line->attrs, {&line->type, 1}, locAt(name));
  if (options_.checkTypes && spelling.schema->inferTypes && !checkTypes(op, spelling, 1, true, end + line->typeAt, p))
    return Plain::Failed;
  define(result, op.result().id);
  return Plain::Read;
}

bool ProgramParser::readResultNames(InlineList<ValueName, 2> &out) {
  if (peek() != '%')
    return true;
  do {
    ValueName name;
    if (!readValueName(name))
      return false;
    out.push_back(name);
  } while (eat(','));
  if (out.size() > kMaxResults)
    return error("too-large", out[0].from, out[0].to, "an op has at most " + std::to_string(kMaxResults) + " results");
  return expect('=', "after the names of the results");
}

bool ProgramParser::readOpParts(RegionId region, InlineList<ValueName, 2> &results, bool &sawReturn) {
  skipSpace();
  const char *start = p_;
  uint32_t salt = 0;
  if (!readResultNames(results) || !readOpName(salt))
    return false;
  uint32_t spellingAt = salt;
  const OpSpelling *found = &spellings_[salt];
  const char *nameAt = nameAt_, *nameEnd = nameEnd_;
  if (sawReturn) {
    sawReturn = false; // told once; what follows is read as usual
    error("op-after-return", start, nameEnd, "`return` is the last op of its region");
  }
  InlineList<ValueId, 8> operands;
  AttrsId attrs = found->noAttrs;
  const char *operandsAt = p_;
  if (!readOperands(*found, operands))
    return false;
  const char *operandsEnd = p_;
  if (operands.size() > kMaxOperands)
    return error("too-large", operandsAt, operandsAt + 1,
                 "an op has at most " + std::to_string(kMaxOperands) + " operands");
  std::string_view opName;
  bool named = peek() == 'a' && peekWord(true) == "as" && eatWord("as");
  if (named && !readName(opName, "the op's name"))
    return false;
  bool hasAttrs = peek() == '{';
  const char *attrsAt = p_;
  if (hasAttrs ? !readOpAttrs(*found, salt, attrs) : found->needsAttrs && !hasRequired(*found, {}, {}))
    return false;
  if (uint32_t older = olderSpelling(*found, attrs); older != UINT32_MAX) {
    found = &spellings_[spellingAt = older];
    p_ = attrsAt;
    if (!readOpAttrs(*found, older, attrs))
      return false;
  }
  size_t count = results.size(); // of several results the last ones may be left without a name
  if (count != 0 && found->results.least == found->results.most)
    count = std::max<size_t>(count, found->results.least);
  if (!checkCounts(*found, operands, count, start, nameAt))
    return false;
  InlineList<TypeId, 4> types;
  skipSpace();
  const char *typesAt = p_;
  bool stated = eat(':');
  const char *lineEnd = p_;
  while (stated) {
    TypeId type;
    skipSpace();
    if (types.empty())
      typesAt = p_;
    if (!readType(type))
      return false;
    types.push_back(type);
    lineEnd = p_;
    if (!eat(','))
      break;
  }
  const char *typesEnd = p_;
  if (stated && *lineEnd == '\n' && types.size() == 1 && count == 1 && !named && results[0].isNumbered() &&
      *operandsAt == '(' && operandsAt == nameEnd && found->known() && !found->anyMissing &&
      found->schema->regions.empty() && lineEnd - operandsEnd < ptrdiff_t(TextCache::kLongest)) {
    LineTable::Line line{spellingAt,
                         attrs,
                         types[0],
                         uint32_t(typesAt - operandsEnd),
                         {nameAt, size_t(nameEnd - nameAt)},
                         {operandsEnd, size_t(lineEnd - operandsEnd)},
                         0};
    if (!lines_.full() && !lines_.find(line.name, line.end, line.hash))
      lines_.add(line);
  }
  if (stated && types.size() != results.size())
    return error("wrong-result-count", typesAt, typesEnd,
                 counted(results.size(), "result") + " named, but " + counted(types.size(), "type") + " stated");
  if (types.size() < count)
    types.resize(count, ctx_.unknownType());
  Op op = fn_->appendOp(region, found->kind, operands, attrs, types, locAt(nameAt));
  if (named)
    fn_->setOpName(op.id, ctx_.intern(opName));
  sawReturn |= found->isReturn();
  bool mayHaveRegions = isNameStart(peek()) || !found->schema->regions.empty();
  if (mayHaveRegions && !readRegions(op, *found))
    return false;
  bool inferable = op.regions().empty() || errorCount() == 0; // inference may look into the regions
  bool ofInterest = !stated || count != results.size() || (options_.checkTypes && found->schema->inferTypes);
  if (count != 0 && inferable && ofInterest && !checkTypes(op, *found, results.size(), stated, typesAt, typesEnd))
    return false;
  for (size_t i = 0; i < results.size(); ++i)
    define(results[i], op.result(unsigned(i)).id);
  return true;
}

bool ProgramParser::readOpName(uint32_t &out) {
  skipSpace();
  nameAt_ = p_;
  bool quoted = *p_ == '"';
  std::string_view name;
  if (quoted) {
    if (!readQuoted(name))
      return false;
  } else {
    name = readWord(true);
    if (name.empty())
      return errorHere("syntax", "expected an op, found " + found());
    if (name.find('.') == name.npos && name != "return")
      return error("undefined-op", nameAt_, p_, "an op's name has its dialect before it, as in `dialect.name`");
  }
  if (*p_ == '@')
    for (++p_; isDigit(*p_);)
      ++p_;
  nameEnd_ = p_;
  std::string_view text(nameAt_, size_t(nameEnd_ - nameAt_));
  uint64_t hash;
  uint32_t index = spellingCache_.find(text, 0, hash);
  if (index == UINT32_MAX) {
    OpSpelling spelling;
    if (!addSpelling(text, name, quoted, spelling))
      return false;
    index = uint32_t(spellings_.size());
    spellings_.push_back(spelling);
    spellingCache_.add(text, 0, hash, index);
  }
  out = index;
  return true;
}

/// An op named without a version is of the newest one, unless that does not declare an attribute that an older one
/// does: then of the newest that declares all that are given. UINT32_MAX: no other than `spelling`.
uint32_t ProgramParser::olderSpelling(const OpSpelling &spelling, AttrsId attrs) {
  std::span<const NamedAttr> undeclared = ctx_.attrs(attrs).extra;
  if (undeclared.empty() || spelling.versioned || spelling.kind == kOpaqueKind || spelling.isReturn())
    return UINT32_MAX;
  for (int since = spelling.schema->since; since > 0;) {
    KindId kind = ctx_.ops().lookup(spelling.name, since - 1);
    if (kind == kOpaqueKind)
      break;
    const OpSchema &schema = ctx_.ops().schema(kind);
    if (std::ranges::all_of(undeclared, [&](const NamedAttr &a) { return schema.attrIndex(ctx_.text(a.name)) >= 0; })) {
      std::string_view text = ctx_.text(ctx_.intern(std::string(spelling.name) + "@" + std::to_string(since - 1)));
      uint64_t hash;
      uint32_t index = spellingCache_.find(text, 0, hash);
      OpSpelling older;
      if (index == UINT32_MAX && addSpelling(text, spelling.name, false, older)) {
        index = uint32_t(spellings_.size());
        spellings_.push_back(older);
        spellingCache_.add(text, 0, hash, index);
      }
      return index;
    }
    since = schema.since;
  }
  return UINT32_MAX;
}

bool ProgramParser::addSpelling(std::string_view text, std::string_view name, bool quoted, OpSpelling &out) {
  const OpRegistry &ops = ctx_.ops();
  out.name = name;
  out.noAttrs = ctx_.noAttrs();
  size_t at = quoted ? text.npos : text.find('@');
  out.versioned = at != text.npos;
  if (quoted && text.back() != '"')
    return error("syntax", nameAt_, nameEnd_, "an op named in quotes is not registered and has no version");
  if (name == "return" && !quoted) {
    out.kind = kReturnKind;
    if (at != text.npos)
      return error("syntax", nameAt_, nameEnd_, "`return` has no version");
  } else if (!quoted && at == text.npos) {
    out.kind = ops.lookup(name);
  } else if (!quoted) {
    std::string_view digits = text.substr(at + 1);
    uint64_t version = 0;
    for (char c : digits)
      version = std::min<uint64_t>(version * 10 + uint64_t(c - '0'), INT32_MAX);
    if (digits.empty())
      return error("syntax", nameAt_, nameEnd_, "a version is a number: `dialect.name@13`");
    out.kind = ops.lookup(name, int(version));
    if (out.kind == kOpaqueKind)
      return error("undefined-op", nameAt_, nameEnd_,
                   ops.lookup(name) == kOpaqueKind
                       ? "no op named `" + std::string(name) + "` is registered, so it has no versions"
                       : "`" + std::string(name) + "` is not defined in this version");
  }
  out.schema = &ops.schema(out.kind);
  out.operands = {0, UINT32_MAX};
  out.results = {0, UINT16_MAX};
  if (out.kind == kOpaqueKind) {
    out.opaqueName = ctx_.stringAttr(name);
    out.noAttrs = ctx_.withExtra(ctx_.noAttrs(), ctx_.intern(kOpaqueNameAttr), out.opaqueName);
    out.anyMissing = true;
  } else if (out.isReturn()) {
    out.results = {0, 0};
    out.anyMissing = true;
  } else {
    out.operands = operandCounts(*out.schema);
    out.results = resultCounts(*out.schema);
    for (const OperandSchema &o : out.schema->operands)
      out.anyMissing |= o.arity == Arity::Optional;
    for (const AttrSchema &a : out.schema->attrs)
      out.needsAttrs |= a.required;
  }
  return true;
}

bool ProgramParser::readOperands(const OpSpelling &spelling, InlineList<ValueId, 8> &out) {
  if (!spelling.isReturn())
    return expect('(', "before the operands") && readList(')', [&] { return readOperand(spelling, out); });
  if (peek() != '%' && *p_ != '_')
    return true; // nothing is returned
  do {
    if (!readOperand(spelling, out))
      return false;
  } while (eat(','));
  return true;
}

bool ProgramParser::readOperand(const OpSpelling &spelling, InlineList<ValueId, 8> &out) {
  if (peek() == '_' && !isNameChar(p_[1])) {
    if (!spelling.anyMissing)
      return errorHere("missing-operand", "`" + std::string(spelling.name) + "` has no optional operand to leave out");
    ++p_;
    out.push_back(ValueId());
    return true;
  }
  ValueName name;
  if (!readValueName(name))
    return false;
  const ValueScope::Entry *entry = scope_.find(name);
  if (entry) {
    out.push_back(entry->value);
    return true;
  }
  undefinedValue(name);
  // Told at the end of the function. A stand-in of unknown type goes with everything; the program is not kept.
  TypeId unknown = ctx_.unknownType();
  out.push_back(fn_->appendOp(fn_->body(), kOpaqueKind, {}, ctx_.noAttrs(), {&unknown, 1}).result().id);
  return true;
}

/// "1 operand", "at least 2 operands", "1 to 3 operands".
static std::string countText(CountRange r, std::string_view noun) {
  if (r.least == r.most)
    return counted(r.least, noun);
  if (r.step > 1)
    return (r.least ? counted(r.least, noun) + " and " : "") + std::to_string(r.step) + " groups of one size";
  if (r.most >= UINT16_MAX)
    return "at least " + counted(r.least, noun);
  return std::to_string(r.least) + " to " + counted(r.most, noun);
}

bool ProgramParser::checkCounts(const OpSpelling &spelling, const InlineList<ValueId, 8> &operands, size_t results,
                                const char *resultsAt, const char *nameAt) {
  unsigned count = unsigned(operands.size());
  if (!spelling.operands.contains(count))
    return error("wrong-operand-count", nameAt, nameEnd_,
                 "`" + std::string(spelling.name) + "` has " + countText(spelling.operands, "operand") + ", here " +
                     isOrAre(count));
  for (unsigned g = 0; spelling.anyMissing && g < spelling.schema->operands.size(); ++g) {
    const OperandSchema &declared = spelling.schema->operands[g];
    OperandGroup group = operandGroup(*spelling.schema, count, g);
    for (unsigned i = 0; declared.arity != Arity::Optional && i < group.count; ++i)
      if (!operands[group.first + i])
        return error("missing-operand", nameAt, nameEnd_,
                     "operand `" + std::string(declared.name) + "` is left out but not optional");
  }
  if (!spelling.results.contains(unsigned(results)))
    return error("wrong-result-count", resultsAt, nameEnd_,
                 "`" + std::string(spelling.name) + "` has " + countText(spelling.results, "result") + ", here " +
                     isOrAre(results));
  return true;
}

/// Whether the op finds nothing wrong with itself; else that is reported.
bool ProgramParser::checkOp(Op op) {
  return errorCount() != 0 || verifyOp(op, diags_, {.types = false}) || errorReported();
}

/// Infers the types that were left out, or compares those that were stated: of the `named` results. Where types do not
/// fit or cannot be inferred, what the op itself finds wrong is the better thing to say.
bool ProgramParser::checkTypes(Op op, const OpSpelling &spelling, size_t named, bool stated, const char *typesAt,
                               const char *typesEnd) {
  InlineList<TypeId, 4> inferred(op.resultCount(), TypeId());
  if (spelling.schema->inferTypes)
    spelling.schema->inferTypes(*InputsOf(op), {inferred.data(), inferred.size()});
  for (unsigned i = 0; i < op.resultCount(); ++i) {
    Value result = op.result(i);
    if (stated && i < named) {
      if (inferred[i] && !ctx_.compatible(inferred[i], result.typeId()))
        return checkOp(op) && error("type-mismatch", typesAt, typesEnd,
                                    "stated as " + ctx_.typeToString(result.typeId()) + ", inferred as " +
                                        ctx_.typeToString(inferred[i]));
      continue;
    }
    if (!inferred[i]) {
      if (i >= named)
        continue;
      if (spelling.known() && (!undefined_.empty() || errorCount() != 0))
        continue; // may well follow from what has been reported
      if (spelling.known())
        return checkOp(op) &&
               error("missing-type", nameAt_, nameEnd_,
                     "the type of result " + std::to_string(i) + " cannot be inferred here: state it after `:`");
      std::vector<std::string_view> names = ctx_.ops().names();
      std::string_view near = nearestName(spelling.name, names);
      return error("missing-type", nameAt_, nameEnd_,
                   "no op named `" + std::string(spelling.name) +
                       "` is registered, so the types of its results must be stated",
                   {}, near.empty() ? "" : "did you mean `" + std::string(near) + "`?");
    }
    fn_->setType(result.id, inferred[i]);
  }
  return true;
}

// Attributes of ops -------------------------------------------------------------------------------------------------

/// At `{`. Lists repeat: short ones are looked up as text first.
bool ProgramParser::readOpAttrs(const OpSpelling &spelling, uint32_t salt, AttrsId &out) {
  const char *q = p_ + 1, *limit = std::min(end_, p_ + TextCache::kLongest);
  while (q < limit && *q != '}' && *q != '"' && *q != '\n')
    ++q;
  if (q >= limit || *q != '}')
    return readOpAttrsSlow(spelling, out);
  std::string_view text(p_, size_t(q + 1 - p_));
  uint64_t hash;
  if (uint32_t known = attrs_.find(text, salt, hash); known != UINT32_MAX) {
    p_ = q + 1;
    out = AttrsId(known);
    return true;
  }
  if (!readOpAttrsSlow(spelling, out))
    return false;
  if (p_ == q + 1)
    attrs_.add(text, salt, hash, out.raw);
  return true;
}

bool ProgramParser::hasRequired(const OpSpelling &spelling, const InlineList<AttrId, 8> &fixed,
                                const InlineList<NamedAttr, 8> &undeclared) {
  std::span<const AttrSchema> declared = spelling.schema->attrs;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!declared[i].required || (i < fixed.size() && fixed[i]))
      continue;
    std::vector<std::string_view> given;
    for (const NamedAttr &attr : undeclared)
      given.push_back(ctx_.text(attr.name));
    std::string_view near = nearestName(declared[i].name, given);
    return error("missing-attribute", nameAt_, nameEnd_,
                 "`" + std::string(spelling.name) + "` needs the attribute `" + std::string(declared[i].name) + "`", {},
                 near.empty() ? "" : "it declares no `" + std::string(near) + "`: is that a misspelling?");
  }
  return true;
}

bool ProgramParser::readOpAttrsSlow(const OpSpelling &spelling, AttrsId &out) {
  ++p_;
  inAttrs_ = true; // until they have been read: where skipOp starts
  InlineList<AttrId, 8> fixed;
  InlineList<NamedAttr, 8> extra;
  if (spelling.opaqueName)
    extra.push_back({ctx_.intern(kOpaqueNameAttr), spelling.opaqueName});
  auto entry = [&] {
    skipSpace();
    const char *at = p_;
    std::string_view name;
    if (!readName(name, "an attribute's name"))
      return false;
    const char *nameEnd = p_;
    auto duplicate = [&] {
      return error("duplicate-attribute", at, nameEnd, "the attribute `" + std::string(name) + "` is given twice");
    };
    int index = spelling.known() ? spelling.schema->attrIndex(name) : -1;
    AttrType declared = index < 0 ? AttrType::Any : spelling.schema->attrs[size_t(index)].type;
    AttrId value;
    if (!eat('=')) {
      value = ctx_.unitAttr();
    } else if (!readAttr(declared, value)) {
      return false;
    }
    if (index >= 0) {
      if (!attrFits(ctx_, value, declared))
        return error("bad-attribute", at, p_,
                     "the attribute `" + std::string(name) + "` must be a " + std::string(attrTypeName(declared)));
      if (fixed.size() <= size_t(index))
        fixed.resize(size_t(index) + 1);
      if (fixed[size_t(index)])
        return duplicate();
      fixed[size_t(index)] = value;
      return true;
    }
    StringId id = ctx_.intern(name);
    if (extra.size() < 64) { // beyond, equal names are found after sorting
      for (const NamedAttr &other : extra)
        if (other.name == id)
          return duplicate();
    }
    extra.push_back({id, value});
    return true;
  };
  if (!readList('}', entry))
    return false;
  inAttrs_ = false;
  if (!hasRequired(spelling, fixed, extra))
    return false;
  out = ctx_.attrs({fixed.data(), fixed.size()}, {extra.data(), extra.size()});
  std::span<const NamedAttr> sorted = ctx_.attrs(out).extra;
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].name == sorted[i - 1].name)
      return error("duplicate-attribute", nameAt_, nameEnd_,
                   "the attribute `" + std::string(ctx_.text(sorted[i].name)) + "` is given twice");
  return true;
}

} // namespace rw::text
