// Spellings of other languages that have one counterpart here: each is said with the text to put in.
#include "frontend/parse/syntax_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::parse {

using L = Lexer;
using P = antlr::RwParser;

std::string SyntaxErrors::textBetween(size_t first, size_t end) const {
  return first >= end
             ? std::string()
             : std::string(tokens_.text.substr(tokens_.begin(first), tokens_.end(end - 1) - tokens_.begin(first)));
}

SourceRange SyntaxErrors::rangeBetween(size_t first, size_t end) const {
  return tokens_.rangeOf(tokens_.begin(first), tokens_.end(end - 1));
}

/// Whether nothing stands between a token and the next.
bool SyntaxErrors::adjoinsNext(size_t at) const {
  return at + 1 < tokens_.size() && tokens_.end(at) == tokens_.begin(at + 1);
}

/// Where what ends before a token begins: `x.shape[0]`, `len(p)`.
size_t SyntaxErrors::operandBefore(size_t at) const {
  size_t i = at - 1;
  while (true) {
    const size_t type = tokens_.type(i);
    const bool closes = type == L::RPAREN || type == L::RBRACK;
    if (closes && outline_.partner(uint32_t(i)) != Outline::kNone) {
      i = outline_.partner(uint32_t(i));
      const bool ofSomething = i && endsOperand(tokens_.type(i - 1)) && adjoinsNext(i - 1);
      if (!ofSomething)
        return i;
      --i;
    } else if (i > 1 && tokens_.type(i - 1) == L::DOT) {
      i -= 2;
    } else {
      return i;
    }
  }
}

/// Behind what begins at a token: a name with its members, or brackets.
size_t SyntaxErrors::behindOperand(size_t at) const {
  size_t i = at;
  if ((tokens_.type(i) == L::LBRACK || tokens_.type(i) == L::LPAREN) && outline_.partner(uint32_t(i)) != Outline::kNone)
    return outline_.partner(uint32_t(i)) + 1;
  while (i + 2 < tokens_.size() && tokens_.type(i + 1) == L::DOT && isWord(tokens_.type(i + 2)))
    i += 2;
  while (adjoinsNext(i) && (tokens_.type(i + 1) == L::LPAREN || tokens_.type(i + 1) == L::LBRACK) &&
         outline_.partner(uint32_t(i + 1)) != Outline::kNone)
    i = outline_.partner(uint32_t(i + 1));
  return i + 1;
}

bool SyntaxErrors::inForeignSpelling(const Stuck &s) {
  if (!s.at || s.at + 1 >= tokens_.size())
    return false;
  return inForeignDeclaration(s) || inForeignPattern(s) || inForeignRightSide(s) || inForeignExpression(s);
}

bool SyntaxErrors::inForeignDeclaration(const Stuck &s) {
  const size_t start = outline_.startBefore(s.at), keyword = tokens_.type(start);
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  const uint32_t partner = outline_.partner(uint32_t(s.at));
  const bool pairs = partner != Outline::kNone && partner > s.at;
  // `rewrite Name { relu(x) => x }`
  if (keyword == L::REWRITE && s.type == L::LBRACE && s.at == start + 2 && pairs)
    for (size_t i = s.at; i < partner; ++i)
      if (tokens_.type(i) == L::FATARROW) {
        error("syntax", start, "a rule of what becomes what is a `pattern`")
            .fixIt(tokens_.rangeOf(tokens_.tokens[start]), "pattern")
            .note("a `rewrite` names a right side: `rewrite name(x: value) -> value = relu(x);`");
        return true;
      }
  if (s.rule == P::RulePatternDecl && s.expects(L::LBRACE)) {
    if (s.type == L::COLON) {
      error("syntax", s.at, "the tags of a pattern stand behind its name, without `:`")
          .fixIt(here, "")
          .note("as in `pattern P benefit 2 recursive { ... }`");
      return true;
    }
    if (s.type == L::LPAREN && pairs) {
      error("syntax", s.at, "a pattern takes no parameters: names are bound by what it matches")
          .fixIt(rangeBetween(s.at, partner + 1), "");
      return true;
    }
    if (tokens_.textOf(s.at) == "where") {
      error("unknown-tag", s.at, "the conditions of a pattern stand in its braces, behind what it matches")
          .note("as in `pattern Name { relu(x) where x.rank == 2 => x }`");
      return true;
    }
    const size_t last = outline_.nextStart(s.at + 1);
    if (s.type == L::ASSIGN && last > s.at + 2 && last <= tokens_.size() && tokens_.type(last - 1) == L::SEMI) {
      error("syntax", s.at, "a pattern stands in braces")
          .fixIt(here, "{")
          .fixIt(tokens_.rangeOf(tokens_.tokens[last - 1]), " }");
      return true;
    }
  }
  const bool named = keyword == L::PATTERN || keyword == L::PASS || keyword == L::PIPELINE;
  if (s.type == L::STRING && s.at == start + 1 && named) {
    std::string_view name = tokens_.textOf(s.at);
    error("syntax", s.at, "a name stands without quotes").fixIt(here, std::string(name.substr(1, name.size() - 2)));
    return true;
  }
  const bool ofTag = s.rule == P::RulePatternTag && (s.previous == L::BENEFIT || s.previous == L::LABEL);
  if (ofTag && s.type == L::ASSIGN) {
    error("syntax", s.at, fmt::format("what `{}` says stands behind it, without `=`", tokens_.textOf(s.at - 1)))
        .fixIt(here, "");
    return true;
  }
  if (ofTag && s.type == L::LPAREN && partner == s.at + 2) {
    error("syntax", s.at, fmt::format("what `{}` says stands behind it, without parentheses", tokens_.textOf(s.at - 1)))
        .fixIt(rangeBetween(s.at, partner + 1), fmt::format(" {}", tokens_.textOf(s.at + 1)));
    return true;
  }
  // `fn f(int x)`
  static constexpr std::string_view kTypes[] = {"int",  "float", "bool",   "string", "dtype", "dim",
                                                "type", "value", "tensor", "any",    "Value"};
  if (s.rule == P::RuleParam && s.expects(L::COLON) && isWord(s.type) &&
      std::ranges::find(kTypes, tokens_.textOf(s.at - 1)) != std::end(kTypes)) {
    error("syntax", s.at - 1, "a name stands before its type, with a `:` between")
        .fixIt(rangeBetween(s.at - 1, s.at + 1),
               fmt::format("{}: {}", tokens_.textOf(s.at),
                           tokens_.textOf(s.at - 1) == "Value" ? "value" : tokens_.textOf(s.at - 1)));
    return true;
  }
  // `fn f(x: int) -> int { return x + 1; }`
  if (s.rule == P::RuleFnDecl && s.type == L::LBRACE && pairs && partner > s.at + 1) {
    size_t first = s.at + 1, end = partner;
    first += tokens_.textOf(first) == "return";
    end -= tokens_.type(end - 1) == L::SEMI;
    bool several = first >= end;
    for (size_t i = first; i < end; ++i)
      several = several || tokens_.type(i) == L::SEMI || tokens_.textOf(i) == "return";
    if (!several) {
      error("syntax", s.at, "the body of a function is one expression after `=`")
          .fixIt(rangeBetween(s.at, partner + 1), fmt::format("= {};", textBetween(first, end)));
      return true;
    }
  }
  if (keyword == L::PIPELINE && s.type == L::ARROW && endsOperand(s.previous)) {
    error("syntax", s.at, "the passes of a pipeline are separated by `,`").fixIt(here, ",");
    return true;
  }
  if (keyword == L::PIPELINE && s.type == L::LBRACK && s.previous == L::ASSIGN && pairs) {
    error("syntax", s.at, "the passes of a pipeline stand without brackets")
        .fixIt(here, "")
        .fixIt(tokens_.rangeOf(tokens_.tokens[partner]), "");
    return true;
  }
  if (keyword == L::PASS && s.type == L::LBRACK && s.previous == L::ASSIGN && pairs) {
    const bool closed = tokens_.type(partner + 1) == L::SEMI;
    error("syntax", s.at, "the patterns of a pass stand in braces")
        .fixIt(rangeBetween(s.at - 1, partner + 1 + closed), fmt::format("{{ {}; }}", textBetween(s.at + 1, partner)));
    return true;
  }
  return false;
}

bool SyntaxErrors::inForeignPattern(const Stuck &s) {
  const size_t keyword = tokens_.type(outline_.startBefore(s.at));
  if ((keyword != L::PATTERN && keyword != L::FOR) || behindArrow(s.at))
    return false;
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  std::string_view text = tokens_.textOf(s.at);
  const bool asks = behindWhere(s.at);
  const uint32_t partner = outline_.partner(uint32_t(s.at)), open = outline_.enclosing(s.at);
  const bool pairs = partner != Outline::kNone && partner > s.at;
  // A size that may be any: `f32[*, 3]`.
  if (s.type == L::STAR && open != Outline::kNone && open && tokens_.type(open) == L::LBRACK &&
      (s.previous == L::LBRACK || s.previous == L::COMMA) && !asks) {
    error("syntax", s.at, "a size that may be any is `_`").fixIt(here, "_");
    return true;
  }
  if (asks)
    return false;
  const bool opens = s.previous == L::LBRACE || s.previous == L::LPAREN || s.previous == L::COMMA;
  if (s.type == L::PERCENT && opens && adjoinsNext(s.at)) {
    const bool number = tokens_.type(s.at + 1) == L::INT;
    error("syntax", s.at, number ? "values are named by words" : "names carry no `%` here")
        .fixIt(here, number ? "v" : "");
    return true;
  }
  if (s.type == L::QUESTION && opens && adjoinsNext(s.at) && isWord(tokens_.type(s.at + 1))) {
    error("syntax", s.at, "names carry no `?` in front of them here")
        .fixIt(here, "")
        .note("an operand that may be left out is `b?`");
    return true;
  }
  // `y = relu(relu(x)) => x`
  if (s.type == L::ASSIGN && s.previous == L::IDENT && s.at > 1 && tokens_.type(s.at - 2) == L::LBRACE &&
      isWord(tokens_.type(s.at + 1))) {
    const uint32_t end = outline_.partner(uint32_t(s.at - 2));
    for (size_t i = s.at; end != Outline::kNone && i < end; ++i)
      if (tokens_.type(i) == L::FATARROW && outline_.enclosing(i) == s.at - 2) {
        error("syntax", s.at, "the name of an op that is matched stands before a `:`")
            .fixIt(tokens_.rangeOf(tokens_.end(s.at - 1), tokens_.begin(s.at + 1)), ": ");
        return true;
      }
  }
  // `:=`, `<=>`
  const bool arrow = (s.type == L::COLON && tokens_.type(s.at + 1) == L::ASSIGN) ||
                     (s.type == L::LE && tokens_.textOf(s.at + 1) == ">");
  if (arrow && adjoinsNext(s.at) && s.previous == L::RPAREN) {
    error("syntax", s.at, "what a match becomes stands behind `=>`").fixIt(rangeBetween(s.at, s.at + 2), "=>");
    return true;
  }
  if (text == "as" && s.previous == L::IDENT && isWord(tokens_.type(s.at + 1))) {
    error("syntax", s.at, "what a match names stands behind the name and a `:`")
        .fixIt(tokens_.rangeOf(tokens_.end(s.at - 1), tokens_.begin(s.at + 1)), ": ");
    return true;
  }
  // `relu(x)?`
  if (s.type == L::QUESTION && s.previous == L::RPAREN && outline_.partner(uint32_t(s.at - 1)) != Outline::kNone) {
    const uint32_t begin = outline_.partner(uint32_t(s.at - 1));
    if (begin && isWord(tokens_.type(begin - 1))) {
      error("syntax", s.at, "the `?` of an op that may be absent stands before its operands")
          .fixIt(tokens_.rangeOf(tokens_.end(begin - 1), tokens_.end(begin - 1)), "?")
          .fixIt(here, "")
          .note("as in `convert?(x)`");
      return true;
    }
  }
  // `toy.*(x)`, `*(x)`
  if (s.type == L::STAR && tokens_.type(s.at + 1) == L::LPAREN && adjoinsNext(s.at) &&
      (opens || s.previous == L::DOT)) {
    const size_t first = s.previous == L::DOT && s.at > 1 ? s.at - 2 : s.at;
    error("syntax", s.at, "any op is `_`")
        .fixIt(rangeBetween(first, s.at + 1), "_")
        .note("of one dialect: `d: _(x)` where `d.dialect == \"toy\"`");
    return true;
  }
  // `concat(*xs)`, `f(x, **attrs)`
  if (s.type == L::STAR && (s.previous == L::LPAREN || s.previous == L::COMMA)) {
    const bool attrs = tokens_.type(s.at + 1) == L::STAR;
    const size_t name = s.at + 1 + attrs;
    if (name < tokens_.size() && isWord(tokens_.type(name))) {
      if (attrs)
        error("syntax", s.at, "whatever attributes there are is `_ = _`").fixIt(rangeBetween(s.at, name + 1), "_ = _");
      else
        error("syntax", s.at, "any number of operands are a name with `...` behind it")
            .fixIt(rangeBetween(s.at, name + 1), fmt::format("{}...", tokens_.textOf(name)))
            .note("`..` leaves open all that is not mentioned");
      return true;
    }
  }
  // `softmax(x) {axis = 1}`, `softmax(x)[axis = 1]`, `softmax(x, {axis: 1})`
  const bool named = pairs && s.at + 2 < partner && isWord(tokens_.type(s.at + 1)) &&
                     (tokens_.type(s.at + 2) == L::ASSIGN || tokens_.type(s.at + 2) == L::COLON);
  const bool behind = s.previous == L::RPAREN, among = s.previous == L::COMMA || s.previous == L::LPAREN;
  if ((s.type == L::LBRACE || s.type == L::LBRACK) && named && (behind || among)) {
    std::string attrs;
    for (size_t i = s.at + 1; i < partner; ++i) {
      const bool colon = tokens_.type(i) == L::COLON && outline_.enclosing(i) == s.at;
      if (!attrs.empty() && !colon)
        attrs += tokens_.text.substr(tokens_.end(i - 1), tokens_.begin(i) - tokens_.end(i - 1));
      attrs += colon ? " =" : std::string(tokens_.textOf(i));
    }
    const bool none = behind && s.at > 1 && tokens_.type(s.at - 2) == L::LPAREN;
    error("syntax", s.at, "attributes stand behind the operands, in the parentheses of the op")
        .fixIt(rangeBetween(behind ? s.at - 1 : s.at, partner + 1),
               behind ? fmt::format("{}{})", none ? "" : ", ", attrs) : attrs);
    return true;
  }
  // `tensor<f32>`
  if (text == "<" && s.previous == L::IDENT && tokens_.textOf(s.at - 1) == "tensor" && s.at + 2 < tokens_.size() &&
      isWord(tokens_.type(s.at + 1)) && tokens_.textOf(s.at + 2) == ">") {
    error("syntax", s.at, "a type is an element type with dimensions in brackets: `f32[2, n]`")
        .fixIt(rangeBetween(s.at - 1, s.at + 3), std::string(tokens_.textOf(s.at + 1)))
        .note("any element type is `_[2, n]`, any shape `f32`");
    return true;
  }
  return false;
}

bool SyntaxErrors::inForeignRightSide(const Stuck &s) {
  const size_t keyword = tokens_.type(outline_.startBefore(s.at));
  if ((keyword != L::PATTERN && keyword != L::FOR) || !behindArrow(s.at))
    return false;
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  std::string_view text = tokens_.textOf(s.at), before = tokens_.textOf(s.at - 1);
  const uint32_t open = outline_.enclosing(s.at);
  if (isWord(s.type) && (before == "new" || before == "create" || before == "build" || before == "make")) {
    error("syntax", s.at - 1, "what is built stands alone")
        .fixIt(tokens_.rangeOf(tokens_.begin(s.at - 1), tokens_.begin(s.at)), "");
    return true;
  }
  if (text == "as" && endsOperand(s.previous)) {
    error("syntax", s.at, "the type of what is built is stated by `->`").fixIt(here, "->");
    return true;
  }
  if (s.expects(L::WITH) && (text == "by" || s.type == L::COMMA || s.type == L::ASSIGN || s.type == L::ARROW)) {
    error("syntax", s.at, "an op is replaced by `replace d with value`")
        .fixIt(here, s.type == L::COMMA ? " with" : "with");
    return true;
  }
  if (text == "with" && s.at > 1 && tokens_.textOf(s.at - 2) == "update") {
    error("syntax", s.at, "what `update` sets stands in braces behind the op").fixIt(here, "");
    return true;
  }
  const bool inUpdate =
      open != Outline::kNone && open > 1 && tokens_.type(open) == L::LBRACE && tokens_.textOf(open - 2) == "update";
  if (inUpdate && s.type == L::COLON && isWord(s.previous)) {
    error("syntax", s.at, "an attribute is set by `=`")
        .fixIt(tokens_.rangeOf(tokens_.end(s.at - 1), tokens_.begin(s.at + 1)), " = ");
    return true;
  }
  const bool wholeSide = open != Outline::kNone && tokens_.type(open) == L::LBRACE &&
                         outline_.partner(open) != Outline::kNone && s.rule == P::RulePatternDecl;
  // `=> d.axis = 1`, `=> d = x`
  if (s.type == L::ASSIGN && wholeSide && s.previous == L::IDENT) {
    const size_t end = outline_.partner(open);
    const bool member = s.at > 3 && tokens_.type(s.at - 2) == L::DOT && tokens_.type(s.at - 4) == L::FATARROW;
    if (member)
      error("syntax", s.at, "an attribute of an op that stays is set by `update`")
          .fixIt(rangeBetween(s.at - 3, end),
                 fmt::format("update {} {{ {} = {} }}", tokens_.textOf(s.at - 3), before, textBetween(s.at + 1, end)));
    else if (tokens_.type(s.at - 2) == L::FATARROW)
      error("syntax", s.at, "what replaces the root stands alone")
          .fixIt(tokens_.rangeOf(tokens_.begin(s.at - 1), tokens_.begin(s.at + 1)), "")
          .note("another op is replaced in a block: `=> { replace d with x; }`");
    else
      return false;
    return true;
  }
  // `=> x if x.rank == 2`
  if (text == "if" && wholeSide && endsOperand(s.previous)) {
    bool chooses = false;
    for (size_t i = s.at; i < outline_.partner(open); ++i)
      chooses = chooses || tokens_.textOf(i) == "else";
    if (!chooses) {
      error("syntax", s.at, "the conditions of a pattern stand before its `=>`")
          .note("as in `pattern Name { relu(x) where x.rank == 2 => x }`");
      return true;
    }
  }
  return false;
}

bool SyntaxErrors::inForeignExpression(const Stuck &s) {
  std::string_view text = tokens_.textOf(s.at), before = tokens_.textOf(s.at - 1);
  // `a if c else b`
  const uint32_t open = outline_.enclosing(s.at);
  if (text == "if" && endsOperand(s.previous)) {
    auto isHere = [&](size_t i) { return outline_.enclosing(i) == open; };
    auto separates = [&](size_t i) {
      const size_t type = tokens_.type(i);
      return type == L::COMMA || type == L::ASSIGN || type == L::WHERE || type == L::FATARROW || type == L::SEMI ||
             type == L::IN || type == L::LET;
    };
    size_t first = s.at, otherwise = s.at, end = s.at;
    while (first > 1 && isHere(first - 1) && !separates(first - 1))
      --first;
    while (first < s.at && !isHere(first)) // brackets inside
      ++first;
    for (size_t i = s.at; i < tokens_.size() && tokens_.type(i) != Token::EOF; ++i) {
      if (open != Outline::kNone && outline_.partner(open) == i)
        break;
      if (isHere(i) && separates(i))
        break;
      if (isHere(i) && tokens_.textOf(i) == "else")
        otherwise = i;
      end = i + 1;
    }
    if (otherwise > s.at && first < s.at && end > otherwise + 1) {
      error("syntax", s.at, "a choice is written `if c then a else b`")
          .fixIt(rangeBetween(first, end), fmt::format("if {} then {} else {}", textBetween(s.at + 1, otherwise),
                                                       textBetween(first, s.at), textBetween(otherwise + 1, end)));
      return true;
    }
  }
  // `x.rank in [1, 2]`
  const bool afterIn = tokens_.type(s.at + 1) == L::LBRACK || isWord(tokens_.type(s.at + 1));
  if (text == "in" && endsOperand(s.previous) && !s.expects(L::IN) && afterIn && before != "not") {
    const size_t first = operandBefore(s.at), end = behindOperand(s.at + 1);
    if (const size_t compares = first ? tokens_.type(first - 1) : 0;
        compares == L::LT || compares == L::GT || compares == L::LE || compares == L::GE) { // `all(d > 0 in list)`
      error("syntax", s.at, "what holds of every element, or of one, is asked by `all` and `any`")
          .note("as in `all(d > 0 for d in list)`");
      return true;
    }
    error("syntax", s.at, "whether a list holds something is asked by `contains(list, x)`")
        .fixIt(rangeBetween(first, end),
               fmt::format("contains({}, {})", textBetween(s.at + 1, end), textBetween(first, s.at)));
    return true;
  }
  // `for d in x.shape: …`, `forall d in x.shape, …`
  const bool quantifies =
      before == "for" || before == "forall" || before == "foreach" || before == "exists" || before == "each";
  if (quantifies && isWord(s.type) && tokens_.textOf(s.at + 1) == "in" && !endsOperand(tokens_.type(s.at - 2))) {
    error("syntax", s.at - 1, "what holds of every element, or of one, is asked by `all` and `any`")
        .note(fmt::format("as in `all({0} > 0 for {0} in list)`", text));
    return true;
  }
  // `a // 2`, the rest of which is a comment
  size_t last = s.at - 1;
  std::string_view gap = tokens_.text.substr(tokens_.end(last), tokens_.begin(s.at) - tokens_.end(last));
  const size_t slashes = gap.find("//");
  if (slashes != gap.npos && gap.substr(0, slashes).find('\n') == gap.npos && endsOperand(s.previous)) {
    std::string_view comment = gap.substr(slashes + 2);
    comment = comment.substr(0, comment.find('\n'));
    const size_t word = comment.find_first_not_of(' ');
    const size_t behind = word == comment.npos ? word : comment.find_first_not_of("0123456789", word);
    const size_t next =
        behind == comment.npos || behind == word ? comment.npos : comment.find_first_not_of(' ', behind);
    if (next != comment.npos && std::string_view("=<>!+-*,)%").find(comment[next]) != comment.npos) {
      const size_t at = tokens_.end(last) + slashes;
      diags_.error("syntax", tokens_.rangeOf(at, at + 2), "`//` begins a comment; `/` divides, and rounds down")
          .fixIt(tokens_.rangeOf(at, at + 2), "/");
      return true;
    }
  }
  return false;
}

} // namespace rw::parse
