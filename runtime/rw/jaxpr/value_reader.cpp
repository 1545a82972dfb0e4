// What stands in an equation's brackets: keys, and whatever Python prints of their values.
#include "rw/jaxpr/syntax_reader.h"

namespace rw::jaxpr {

using text::isDigit;
using text::isNameChar;
using text::isNameStart;

/// At `[`.
bool SyntaxReader::readParams(Range &out) {
  const char *open = p_++;
  InlineList<Param, 8> params;
  while (!eat(']')) {
    if (atEnd())
      return error("unterminated", open, open + 1, "nothing closes this bracket");
    Param param;
    param.from = p_;
    param.key = readWord();
    if (param.key.empty() || *p_ != '=') {
      if (*p_ == ']' && !param.key.empty())
        return error("unsupported", open, p_ + 1,
                     "an index into a reference: equations that read and write references are not read", {},
                     "trace a function without jax.ref, jax.array_ref or Pallas kernels");
      p_ = param.from;
      return errorHere("syntax", "expected `key=value` or `]`, found " + found());
    }
    ++p_;
    SyntaxValue value;
    if (!readValue(value))
      return false;
    param.value = keep(value);
    params.push_back(param);
    eat(',');
  }
  out = append(out_.params, params);
  return true;
}

/// A value that ends at a blank before the next key, or at `]`; what is not understood is passed over.
bool SyntaxReader::readValue(SyntaxValue &out) {
  skipSpace();
  const char *from = p_;
  Outcome outcome = understand(out);
  if (outcome == Outcome::Failed)
    return false;
  if (outcome == Outcome::Read) {
    const char *behind = p_;
    skipSpace();
    const char *q = p_ + peekWord().size();
    if (*p_ == ']' || *p_ == ',' || (q != p_ && *q == '=' && behind != p_))
      return true;
  }
  out = SyntaxValue();
  p_ = from;
  if (!passOver(from))
    return false;
  out.from = from;
  out.to = p_;
  return true;
}

/// To the end of a value of which nothing is known: brackets and quotes count.
bool SyntaxReader::passOver(const char *from) {
  std::string closers;
  for (; p_ != end_; ++p_) {
    char c = *p_;
    if (closers.empty()) {
      if (c == ']' || c == ',')
        return true;
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        const char *q = p_ + 1;
        while (*q == ' ' || *q == '\n' || *q == '\t' || *q == '\r')
          ++q;
        const char *word = q;
        while (isNameChar(*q))
          ++q;
        if (*word == ']' || (q != word && isNameStart(*word) && *q == '=' && q[1] != '='))
          return true;
      }
    }
    if (c == '\'' || c == '"') {
      const char *q = p_ + 1;
      while (q != end_ && *q != c && *q != '\n')
        q += *q == '\\' && q + 1 != end_ ? 2 : 1;
      if (q != end_ && *q == c)
        p_ = q; // else an apostrophe
    } else if (c == '(' || c == '[' || c == '{' || (c == '<' && (isNameStart(p_[1]) || isDigit(p_[1])))) {
      closers += c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
    } else if (!closers.empty() && c == closers.back() && !(c == '>' && p_[-1] == '-')) {
      closers.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      while (!closers.empty() && closers.back() == '>') // it was no bracket
        closers.pop_back();
      if (closers.empty() && c == ']')
        return true;
      if (closers.empty() || c != closers.back())
        break;
      closers.pop_back();
    }
  }
  return error("unterminated", from, endOfToken(from), "this value has no end: its brackets do not match");
}

/// Past a number, if one stands ahead.
bool SyntaxReader::scanNumber() {
  const char *q = p_;
  q += *q == '-';
  if (*q == 'i' && q[1] == 'n' && q[2] == 'f' && !isNameChar(q[3])) {
    p_ = q + 3;
    return true;
  }
  if (*q == 'n' && q[1] == 'a' && q[2] == 'n' && !isNameChar(q[3])) {
    p_ = q + 3;
    return true;
  }
  const char *digits = q;
  while (isDigit(*q))
    ++q;
  size_t count = size_t(q - digits);
  if (*q == '.') {
    const char *fraction = ++q;
    while (isDigit(*q))
      ++q;
    count += size_t(q - fraction);
  }
  if (count == 0)
    return false;
  if (*q == 'e' || *q == 'E') {
    const char *e = q + 1;
    e += *e == '-' || *e == '+';
    if (!isDigit(*e))
      return false;
    while (isDigit(*e))
      ++e;
    q = e;
  }
  if (isNameChar(*q))
    return false;
  p_ = q;
  return true;
}

SyntaxReader::Outcome SyntaxReader::understand(SyntaxValue &out) {
  Nested nested(*this);
  if (!nested)
    return Outcome::Failed;
  skipSpace();
  out.from = p_;
  Outcome outcome = Outcome::Unknown;
  if (*p_ == '{') {
    if (!atLambda())
      return Outcome::Unknown;
    if (!readJaxpr(out.jaxpr))
      return Outcome::Failed;
    sawJaxpr_ = true;
    out.kind = ValueKind::Jaxpr;
    outcome = Outcome::Read;
  } else if (*p_ == '(' || *p_ == '[') {
    char close = *p_++ == '(' ? ')' : ']';
    outcome = understandSequence(close, out);
  } else if (*p_ == '\'' || *p_ == '"') {
    const char *q = p_ + 1;
    while (q != end_ && *q != *p_ && *q != '\n')
      q += *q == '\\' && q + 1 != end_ ? 2 : 1;
    if (q >= end_ || *q != *p_)
      return Outcome::Unknown;
    out.kind = ValueKind::String;
    out.text = slice(p_ + 1, q);
    p_ = q + 1;
    outcome = Outcome::Read;
  } else if (isDigit(*p_) || *p_ == '-' || *p_ == '.' ||
             ((*p_ == 'n' || *p_ == 'i') && (peekWord() == "nan" || peekWord() == "inf"))) {
    if (*p_ == '-' && (isNameStart(p_[1]) && p_[1] != 'i' && p_[1] != 'n'))
      return understandSize(out);
    if (!scanNumber())
      return Outcome::Unknown;
    out.kind = ValueKind::Number;
    out.text = slice(out.from, p_);
    outcome = Outcome::Read;
  } else if (isNameStart(*p_)) {
    outcome = understandWord(out);
  }
  if (outcome == Outcome::Read && (out.kind == ValueKind::Number || out.kind == ValueKind::Name) && atOperator())
    return understandSize(out);
  out.to = p_;
  return outcome;
}

/// An expression over symbols, from the beginning of the value.
SyntaxReader::Outcome SyntaxReader::understandSize(SyntaxValue &out) {
  p_ = out.from;
  size_t before = errorCount();
  if (!sum(out.dim))
    return errorCount() != before ? Outcome::Failed : Outcome::Unknown;
  out.kind = ValueKind::Size;
  out.to = p_;
  return Outcome::Read;
}

SyntaxReader::Outcome SyntaxReader::understandWord(SyntaxValue &out) {
  std::string_view word = readWord(/*dots=*/true);
  out.text = word;
  out.kind = ValueKind::Name;
  if (word == "True" || word == "False") {
    out.kind = ValueKind::Bool;
    return Outcome::Read;
  }
  if (word == "None") {
    out.kind = ValueKind::Empty;
    return Outcome::Read;
  }
  if (*p_ == '<') // key<fry>[]
    return Outcome::Unknown;
  if (*p_ != '(')
    return Outcome::Read;
  if (word == "floordiv" || word == "mod" || word == "max" || word == "min")
    return understandSize(out);
  ++p_;
  return understandFields(out);
}

/// Behind `(` or `[`: values between commas, or blanks as lists of jaxprs and numpy's arrays have them.
SyntaxReader::Outcome SyntaxReader::understandSequence(char close, SyntaxValue &out) {
  InlineList<SyntaxValue, 4> items;
  while (!eat(close)) {
    if (p_[0] == '.' && p_[1] == '.' && p_[2] == '.') {
      p_ += 3;
      out.isLost = true;
    } else {
      SyntaxValue item;
      if (Outcome outcome = understand(item); outcome != Outcome::Read)
        return outcome;
      items.push_back(item);
    }
    eat(',');
  }
  out.kind = ValueKind::Sequence;
  out.items = append(out_.values, items);
  return Outcome::Read;
}

/// Behind `Name(`: `field=value`, or values.
SyntaxReader::Outcome SyntaxReader::understandFields(SyntaxValue &out) {
  InlineList<Param, 8> fields;
  while (!eat(')')) {
    Param field;
    field.from = (skipSpace(), p_);
    std::string_view word = peekWord();
    if (!word.empty() && p_[word.size()] == '=' && p_[word.size() + 1] != '=') {
      field.key = word;
      p_ += word.size() + 1;
    }
    SyntaxValue value;
    if (Outcome outcome = understand(value); outcome != Outcome::Read)
      return outcome;
    field.value = keep(value);
    fields.push_back(field);
    eat(',');
  }
  out.kind = ValueKind::Call;
  out.items = append(out_.params, fields);
  return Outcome::Read;
}

} // namespace rw::jaxpr
