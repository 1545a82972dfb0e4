// Names of values, regions, and recovery from errors in the ops of a region.
#include "rw/ir/parser_impl.h"

namespace rw::text {

// Names of values ---------------------------------------------------------------------------------------------------

bool ProgramParser::readValueName(ValueName &out) {
  skipSpace();
  out = ValueName();
  out.from = p_;
  if (*p_ != '%')
    return errorHere("syntax", "expected a value (`%name`), found " + found());
  ++p_;
  if (isDigit(*p_)) {
    while (*p_ == '0' && isDigit(p_[1]))
      ++p_;
    const char *digits = p_;
    uint64_t number = 0;
    for (; isDigit(*p_); ++p_)
      number = number > UINT32_MAX ? number : number * 10 + uint64_t(*p_ - '0');
    if (isNameStart(*p_))
      return error("syntax", out.from, endOfToken(p_), "a name that starts with a digit is written in quotes: %\"1a\"");
    out.rank = ValueName::kNumbered;
    if (number < UINT32_MAX)
      out.number = uint32_t(number);
    else
      out.name = ctx_.intern({digits, size_t(p_ - digits)});
    out.to = p_;
    return true;
  }
  if (*p_ == '"') {
    std::string_view text;
    if (!readQuoted(text))
      return false;
    out.name = ctx_.intern(text);
  } else {
    const char *from = p_;
    if (!isNameStart(*p_))
      return error("syntax", out.from, endOfToken(out.from), "expected a value's name after `%`");
    while (isNameChar(*p_) || (*p_ == '.' && isNameStart(p_[1])))
      ++p_;
    std::string_view text(from, size_t(p_ - from));
    out.name = text == lastDefined_ ? lastDefinedName_ : ctx_.intern(text);
  }
  if (*p_ == '~') {
    const char *at = ++p_;
    uint64_t rank = 0;
    for (; isDigit(*p_) && rank < UINT32_MAX; ++p_)
      rank = rank * 10 + uint64_t(*p_ - '0');
    if (at == p_ || *at == '0' || rank > UINT32_MAX / 2 || isNameChar(*p_))
      return error("syntax", out.from, endOfToken(p_), "after `~` stands a number from 1");
    out.rank = uint32_t(rank);
  }
  out.to = p_;
  return true;
}

void ProgramParser::define(const ValueName &name, ValueId value) {
  if (const ValueScope::Entry *old = scope_.find(name)) {
    const char *at = begin_ + old->from;
    error("redefined-value", name.from, name.to, "`" + std::string(name.from, name.to) + "` is in scope already",
          range(at, endOfToken(at)), "defined here");
    return;
  }
  if (!name.isNumbered()) {
    fn_->setValueName(value, name.name);
    if (name.rank == 0 && name.from[1] != '"') { // the next op is likely to use it
      lastDefined_ = {name.from + 1, size_t(name.to - name.from - 1)};
      lastDefinedName_ = name.name;
    }
  }
  scope_.define(name, {value, uint32_t(name.from - begin_)});
  for (Undefined &u : undefined_)
    if (!u.definedAt && u.name == name) {
      u.definedAt = name.from;
      u.definedEnd = name.to;
    }
}

void ProgramParser::undefinedValue(const ValueName &name) {
  for (const Undefined &u : undefined_)
    if (u.name == name)
      return;
  if (undefined_.size() < 2 * options_.maxErrors)
    undefined_.push_back({name});
}

// Regions -----------------------------------------------------------------------------------------------------------

/// At `{`. False only if the text has ended, or a function began, inside.
bool ProgramParser::readRegion(RegionId region, const char *owner) {
  const char *open = p_++;
  Nested nested(*this);
  if (!nested) { // not entered: skipped as a whole
    size_t depth = 1;
    while (depth != 0 && !atEnd()) {
      std::string_view ignored;
      if (*p_ == '"') {
        const char *quote = p_;
        while (++p_ < end_ && *p_ != '"' && *p_ != '\n')
          p_ += *p_ == '\\' && p_ + 1 < end_;
        p_ = std::max(std::min(p_ + 1, end_), quote + 1);
        continue;
      }
      depth += *p_ == '{';
      depth -= *p_ == '}';
      ++p_;
    }
    return !atEnd();
  }
  size_t mark = scope_.mark(), errorsBefore = errorCount();
  if (region == fn_->body())
    mark = 0;
  bool sawReturn = false;
  for (;;) {
    skipSpace();
    bool function = *p_ == 'f' && peekWord(true) == "func";
    if (p_ == end_ || function) {
      if (!missingBrace_ && !stopped())
        error("unterminated", p_, endOfToken(p_), "expected `}`, found " + found(), range(open, open + 1),
              "the region begins here");
      missingBrace_ = true;
      return false;
    }
    if (*p_ == '}')
      break;
    readOp(region, sawReturn);
  }
  if (!sawReturn && errorCount() == errorsBefore && undefined_.empty())
    error("missing-return", p_, p_ + 1, "a region ends with `return`", range(owner, endOfToken(owner)),
          "the region is here");
  p_ = std::min(p_ + 1, end_); // the error may have been the last one to be told
  scope_.release(mark);
  return true;
}

/// Whether a word that names a region, and no op, stands ahead: `then {`, `body(%i: …) {`.
bool ProgramParser::atRegionLabel() {
  std::string_view word = peekWord(true);
  if (word.empty() || word.find('.') != word.npos || word == "return" || word == "func")
    return false;
  const char *after = word.data() + word.size();
  while (*after == ' ' || *after == '\t' || *after == '\n' || *after == '\r')
    ++after;
  if (*after != '(')
    return *after == '{';
  // Parameters have types, operands (of an op whose dialect was forgotten) have not.
  const char *q = after + 1;
  while (q < end_ && *q != ':' && *q != ',' && *q != ')' && *q != '"' && *q != '\n')
    ++q;
  return *q == ':' || *q == '"' || (*q == ')' && q == after + 1);
}

bool ProgramParser::readRegions(Op op, const OpSpelling &spelling) {
  size_t count = 0, wanted = spelling.schema->regions.size();
  const char *nameAt = nameAt_, *nameEnd = nameEnd_; // nested ops overwrite them
  for (; atRegionLabel(); ++count) {
    const char *at = p_;
    std::string_view label = readWord();
    if (spelling.known() && count >= wanted)
      return error("wrong-region-count", at, p_,
                   "`" + std::string(spelling.name) + "` has " + counted(wanted, "region"));
    if (label != "region" && (!spelling.known() || label != spelling.schema->regions[count]))
      return error("unknown-region", at, p_,
                   "expected `" + std::string(spelling.known() ? spelling.schema->regions[count] : "region") +
                       "`, found `" + std::string(label) + "`");
    RegionId region = fn_->addRegion(op.id);
    size_t mark = scope_.mark();
    auto param = [&] {
      ValueName name;
      TypeId type;
      if (!readValueName(name) || !expect(':', "after the parameter's name") || !readType(type))
        return false;
      define(name, fn_->addRegionParam(region, type).id);
      return true;
    };
    if (eat('(') && !readList(')', param))
      return false;
    if (peek() != '{')
      return expect('{', "before the region's ops");
    if (!readRegion(region, at))
      return false;
    scope_.release(mark);
  }
  nameAt_ = nameAt;
  nameEnd_ = nameEnd;
  if (spelling.known() && count != wanted)
    return error(
        "wrong-region-count", nameAt, nameEnd,
        "`" + std::string(spelling.name) + "` has " + counted(wanted, "region") + ", here " + isOrAre(count), {},
        count < wanted ? "write `" + std::string(spelling.schema->regions[count]) + " { … }` behind the types" : "");
  return true;
}

// Recovery ----------------------------------------------------------------------------------------------------------

/// After an error in an op: on to the line that starts the next one, past regions that belong to the broken op.
void ProgramParser::skipOp(const char *start) {
  auto atOp = [&] { return peek() == '%' || *p_ == '}' || *p_ == '"' || (isNameStart(*p_) && !atRegionLabel()); };
  skipSpace();
  const char *q = p_;
  while (q > start && q[-1] == ' ')
    --q;
  if (q > start && q[-1] == '\n' && atOp())
    return; // the next op's line was taken for more of this one
  if (p_ == start && p_ != end_)
    ++p_;
  size_t depth = 0;
  while (p_ != end_ && !missingBrace_) {
    char c = *p_;
    if (c == '"') {
      while (++p_ < end_ && *p_ != '"' && *p_ != '\n')
        p_ += *p_ == '\\' && p_ + 1 < end_ && p_[1] != '\n';
      p_ += p_ < end_ && *p_ == '"';
      continue;
    }
    if (c == '/' && p_[1] == '/') {
      const void *newline = std::memchr(p_, '\n', size_t(end_ - p_));
      p_ = newline ? static_cast<const char *>(newline) : end_;
      continue;
    }
    if (c == '}' && depth == 0) {
      if (!inAttrs_)
        return; // the end of the region
      inAttrs_ = false;
    } else {
      depth += c == '{';
      depth -= c == '}';
    }
    ++p_;
    if (c != '\n' || depth != 0)
      continue;
    if (atOp())
      return;
  }
}

void ProgramParser::defineStandIns(RegionId region, const InlineList<ValueName, 2> &results) {
  for (const ValueName &name : results) {
    TypeId unknown = ctx_.unknownType();
    if (!scope_.find(name))
      define(name, fn_->appendOp(region, kOpaqueKind, {}, ctx_.noAttrs(), {&unknown, 1}).result().id);
  }
}

} // namespace rw::text
