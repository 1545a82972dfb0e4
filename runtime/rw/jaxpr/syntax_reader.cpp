// Jaxprs, equations and their operands. The grammar is in syntax_reader.h.
#include "rw/jaxpr/syntax_reader.h"

#include <cstring>

namespace rw::jaxpr {

using text::isDigit;
using text::isNameChar;
using text::isNameStart;

bool SyntaxReader::run() {
  if (atEnd())
    return error("empty-program", begin_, endOfToken(begin_), "this text holds no jaxpr", {},
                 "a jaxpr begins `{ lambda ; a:f32[3]. let`");
  while (peekWord() == "let") {
    p_ += 3;
    const char *at = (skipSpace(), p_);
    std::string_view name;
    if (*p_ == '<') { // a lambda's
      const char *close = static_cast<const char *>(std::memchr(p_, '>', size_t(end_ - p_)));
      if (!close)
        return error("unterminated", at, at + 1, "nothing closes this bracket");
      p_ = close + 1;
      name = slice(at, p_);
    } else {
      name = readWord();
    }
    if (name.empty())
      return errorHere("syntax", "expected the name of a shared jaxpr, found " + found());
    uint32_t jaxpr;
    if (!expect('=', "after the name of a shared jaxpr") || !readJaxpr(jaxpr))
      return false;
    out_.shared.push_back({name, jaxpr});
    eatWord("in");
  }
  if (!readJaxpr(out_.main))
    return false;
  if (!atEnd())
    return errorHere("syntax", "expected the end of the text after the jaxpr, found " + found());
  return true;
}

/// Whether `{ lambda` stands ahead.
bool SyntaxReader::atLambda() {
  if (peek() != '{')
    return false;
  const char *q = p_ + 1;
  while (*q == ' ' || *q == '\n' || *q == '\t' || *q == '\r')
    ++q;
  return size_t(end_ - q) >= 6 && std::memcmp(q, "lambda", 6) == 0 && !isNameChar(q[6]);
}

bool SyntaxReader::readJaxpr(uint32_t &out) {
  Nested nested(*this);
  if (!nested)
    return false;
  if (!atLambda())
    return errorHere("syntax", "expected a jaxpr, `{ lambda … ; … . let … in (…) }`, found " + found());
  Jaxpr jaxpr;
  jaxpr.from = p_++;
  readWord();
  if (!readBinders(';', jaxpr.constants) || !readBinders('.', jaxpr.inputs))
    return false;
  if (!eatWord("let"))
    return errorHere("syntax", "expected `let` before the equations, found " + found());
  InlineList<Equation, 8> equations;
  while (eat(';')) {
  }
  while (!atEquationsEnd()) {
    if (atEnd())
      return error("unterminated", jaxpr.from, jaxpr.from + 1,
                   "this jaxpr has no end: `in (…) }` closes it, behind its equations");
    Equation equation;
    if (!readEquation(equation))
      return false;
    jaxpr.isLeaf &= !equation.hasJaxprs;
    equations.push_back(equation);
    while (eat(';')) {
    }
  }
  jaxpr.equations = append(out_.equations, equations);
  p_ += 2; // `in`
  if (!readResults(jaxpr.results) || !expect('}', "at the end of a jaxpr"))
    return false;
  jaxpr.to = p_;
  out = uint32_t(out_.jaxprs.size());
  out_.jaxprs.push_back(jaxpr);
  return true;
}

/// Binders up to `end`.
bool SyntaxReader::readBinders(char end, Range &out) {
  InlineList<Binder, 8> binders;
  while (!eat(end)) {
    Binder binder;
    if (!isNameStart(peek()))
      return errorHere("syntax", std::string("expected a variable or `") + end + "`, found " + found());
    if (!readBinder(binder))
      return false;
    binders.push_back(binder);
  }
  out = append(out_.binders, binders);
  return true;
}

bool SyntaxReader::readBinder(Binder &out) {
  out.from = (skipSpace(), p_);
  out.name = readWord();
  out.to = p_;
  if (peek() != ':')
    return error("syntax", out.from, out.to, "the variable `" + std::string(out.name) + "` has no type", {},
                 "every variable is printed with its type where it is bound, `" + std::string(out.name) +
                     ":f32[3]`; versions of JAX before 0.2.26 left types out");
  ++p_;
  return readType(out.type);
}

/// Whether the equations end here: `in (`. A variable may be called `in`, but nothing in parentheses follows one.
bool SyntaxReader::atEquationsEnd() {
  if (peekWord() != "in")
    return false;
  const char *q = p_ + 2;
  while (*q == ' ' || *q == '\n' || *q == '\t' || *q == '\r')
    ++q;
  return *q == '(';
}

size_t SyntaxReader::columnOf(const char *p) const {
  size_t column = 0;
  for (; p != begin_ && p[-1] != '\n'; --p)
    ++column;
  return column;
}

/// Equations on references, by which newer programs change values in place.
bool SyntaxReader::refuseReferences(const char *from) {
  return unsupported(from, endOfToken(from), "equations that read and write references (`<-`, `+=`) are not read",
                     "trace a function without jax.ref, jax.array_ref or Pallas kernels");
}

bool SyntaxReader::readEquation(Equation &out) {
  out.from = (skipSpace(), p_);
  sawJaxpr_ = false;
  if (!isNameStart(*p_))
    return errorHere("syntax", "expected an equation or `in`, found " + found());
  const char *behind = p_ + peekWord().size();
  while (*behind == ' ')
    ++behind;
  InlineList<Binder, 4> binders;
  if (*behind == ':') {
    while (isNameStart(peek())) {
      Binder binder;
      if (!readBinder(binder))
        return false;
      binders.push_back(binder);
    }
    out.binders = append(out_.binders, binders);
    if (peek() == '<' && p_[1] == '-')
      return refuseReferences(p_);
    if (!expect('=', "after the variables of an equation"))
      return false;
  } else if (*behind == '=' && behind[1] != '=') {
    Binder untyped;
    return readBinder(untyped);
  }
  return readPrimitive(out);
}

/// Whether `[i] <-` or `[i] +=` stands at a bracket: then the name before it is that of a reference.
bool SyntaxReader::writesReference(const char *bracket) const {
  int depth = 0;
  const char *q = bracket;
  do {
    depth += *q == '[';
    depth -= *q == ']';
    ++q;
  } while (depth != 0 && q != end_ && *q != '=');
  while (*q == ' ')
    ++q;
  return depth == 0 && ((*q == '<' && q[1] == '-') || (*q == '+' && q[1] == '='));
}

/// At the name of the primitive.
bool SyntaxReader::readPrimitive(Equation &out) {
  skipSpace();
  const char *name = p_;
  if (!isNameStart(*p_))
    return errorHere("syntax", "expected the name of a primitive, found " + found());
  while (isNameChar(*p_) || (*p_ == '.' && isNameStart(p_[1])) || (*p_ == '-' && isNameStart(p_[1])))
    ++p_;
  out.primitive = slice(name, p_);
  out.nameEnd = p_;
  if (out.binders.count == 0)
    out.from = name;
  const char *equation = out.from;
  out.from = name;
  if (*p_ == '[') { // right behind the name: an operand would stand apart
    if (out.binders.count == 0 && writesReference(p_))
      return refuseReferences(name);
    if (!readParams(out.params))
      return false;
  }
  out.hasJaxprs = sawJaxpr_;
  return readAtoms(equation, out.atoms);
}

/// Whether what stands at `p` are variables with types and then `=`: the beginning of an equation.
bool SyntaxReader::beginsBinders(const char *p) const {
  int depth = 0;
  for (; p != end_; ++p) {
    if (*p == '[' || *p == '<' || *p == '{')
      ++depth;
    else if (*p == ']' || *p == '>' || *p == '}')
      --depth;
    else if (*p == '=')
      return depth == 0;
    else if (depth == 0 && !isNameChar(*p) && *p != ':' && *p != ' ' && *p != '\n' && *p != '\t' && *p != '\r')
      return false;
    if (depth < 0)
      return false;
  }
  return false;
}

/// The operands of the equation that begins at `equation`.
bool SyntaxReader::readAtoms(const char *equation, Range &out) {
  InlineList<Atom, 8> atoms;
  for (;;) {
    const char *behind = p_;
    skipSpace();
    if (p_ == end_ || *p_ == ';' || *p_ == '}' || *p_ == ')' || atEquationsEnd())
      break;
    bool newLine = std::memchr(behind, '\n', size_t(p_ - behind)) != nullptr;
    if (std::string_view word = peekWord(); !word.empty()) {
      const char *next = p_ + word.size();
      bool number = word == "nan" || word == "inf", truth = word == "True" || word == "False";
      bool isNext = newLine && columnOf(p_) <= columnOf(equation);
      if (*next == ':' && !truth && (!number || (isNext && beginsBinders(p_))))
        break;
      if (*next != ':' && (isNext || (newLine && *next == '[')))
        break;
      if (word == "array" && *next == '(') { // numpy's way to print one
        p_ = next + 1;
        Atom atom;
        bool isAtom;
        if (!readAtom(atom, isAtom))
          return false;
        if (!isAtom)
          return errorHere("syntax", "expected elements, found " + found());
        atoms.push_back(atom);
        continue;
      }
    }
    if (*p_ == '<' && p_[1] == '-')
      return refuseReferences(p_);
    Atom atom;
    bool isAtom;
    if (!readAtom(atom, isAtom))
      return false;
    if (!isAtom)
      return errorHere("syntax", "expected an operand or the next equation, found " + found());
    atoms.push_back(atom);
  }
  out = append(out_.atoms, atoms);
  return true;
}

/// `(a, 2.0:f32[],)`
bool SyntaxReader::readResults(Range &out) {
  InlineList<Atom, 4> atoms;
  if (!expect('(', "before the results of a jaxpr"))
    return false;
  while (!eat(')')) {
    Atom atom;
    bool isAtom;
    if (!readAtom(atom, isAtom))
      return false;
    if (!isAtom)
      return errorHere("syntax", "expected a result or `)`, found " + found());
    atoms.push_back(atom);
    if (!eat(',') && peek() != ')')
      return errorHere("syntax", "expected `,` or `)` after a result, found " + found());
  }
  out = append(out_.atoms, atoms);
  return true;
}

/// An operand, if one stands ahead.
bool SyntaxReader::readAtom(Atom &out, bool &isAtom) {
  skipSpace();
  out.from = p_;
  isAtom = true;
  std::string_view word = peekWord();
  if (word == "True" || word == "False" || ((word == "nan" || word == "inf") && p_[word.size()] == ':'))
    return readLiteral(out);
  if (!word.empty()) {
    p_ += word.size();
    out.to = p_;
    out.name = word;
    if (word == "nan" || word == "inf") { // a variable, or a number without a type: who knows the variables knows
      SyntaxValue value;
      value.kind = ValueKind::Number;
      value.from = out.from;
      value.to = out.to;
      value.text = word;
      out.literal = keep(value);
    }
    return true;
  }
  if (isDigit(*p_) || *p_ == '-' || *p_ == '.' || *p_ == '[' || *p_ == '(')
    return readLiteral(out);
  isAtom = false;
  return true;
}

bool SyntaxReader::readLiteral(Atom &out) {
  SyntaxValue value;
  out.isLiteral = true;
  out.from = p_;
  if (*p_ == '(') { // a complex number
    const char *close = p_ + 1;
    while (isNameChar(*close) || *close == '+' || *close == '-' || *close == '.')
      ++close;
    if (*close != ')')
      return error("syntax", p_, endOfToken(p_), "expected an operand, found " + found());
    value.kind = ValueKind::Complex;
    value.from = p_;
    value.text = slice(p_ + 1, close);
    p_ = close + 1;
    value.to = p_;
  } else {
    switch (understand(value)) {
    case Outcome::Failed:
      return false;
    case Outcome::Unknown:
      p_ = out.from;
      return errorHere("syntax", "expected an operand, found " + found());
    case Outcome::Read:
      break;
    }
  }
  out.literal = keep(value);
  if (*p_ == ':') {
    ++p_;
    if (!readType(out.type))
      return false;
  }
  out.to = p_;
  return true;
}

} // namespace rw::jaxpr
