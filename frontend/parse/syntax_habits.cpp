// Habits of other languages, and words left out: what is meant is plain from what stands there, so it is said how it is
// written.
#include "frontend/parse/syntax_error.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

namespace rw::parse {

using L = Lexer;
using P = antlr::RwParser;

/// Whether the conditions of the pattern at hand have begun.
bool SyntaxErrors::behindWhere(size_t at) const {
  size_t start = outline_.startBefore(at);
  while (at > start && tokens_.type(at - 1) != L::WHERE)
    --at;
  return at > start;
}

/// Whether the right side of the pattern at hand has begun.
bool SyntaxErrors::behindArrow(size_t at) const {
  size_t start = outline_.startBefore(at);
  while (at > start && tokens_.type(at - 1) != L::FATARROW)
    --at;
  return at > start;
}

/// `relu(x) -> (wider(x.dtype), x.shape)`: what stands behind the arrow is no expression.
bool SyntaxErrors::inStatedType(const Stuck &s) {
  const uint32_t open = outline_.enclosing(s.at);
  if (open == Outline::kNone || open == 0 || tokens_.type(open) != L::LPAREN || tokens_.type(open - 1) != L::ARROW ||
      s.type == L::LT) // `type<"i32">`
    return false;
  // Behind a declaration's own arrow there are types alone.
  size_t before = open - 1;
  const size_t start = outline_.startBefore(before);
  while (before > start && tokens_.type(before) != L::FATARROW && tokens_.type(before) != L::ASSIGN &&
         tokens_.type(before) != L::LBRACE)
    --before;
  if (before == start)
    return false;
  error("syntax", s.at, "a type behind `->` names its parts, and does not compute them")
      .note("give it a name first: `let t = (f(x.dtype), x.shape) in relu(x) -> t`, or in braces `let t = (f(x.dtype), "
            "x.shape);`");
  return true;
}

bool SyntaxErrors::habits(const Stuck &s) {
  return inForeignSpelling(s) || inStatedType(s) || inAngleBrackets(s) || inBorrowedMatch(s) || inBorrowedValue(s) ||
         inStatedType(s) || inRewriteHabit(s) || inDeclarationHabit(s) || inPatternHabit(s) || inNumberHabit(s) ||
         inListHabit(s);
}

bool SyntaxErrors::inDeclarationHabit(const Stuck &s) {
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  if (s.rule == P::RuleOpDecl && s.previous == L::RPAREN && (s.type == L::FATARROW || s.type == L::COLON)) {
    error("syntax", s.at, "the results of an op stand behind `->`").fixIt(here, s.type == L::COLON ? " ->" : "->");
    return true;
  }
  if (s.rule == P::RuleOpClause && s.type == L::BAR && s.previous == L::IDENT) {
    error("syntax", s.at, "the choices of an attribute are strings")
        .note("as in `attr mode: \"same\" | \"valid\" = \"same\";`");
    return true;
  }
  if (s.rule == P::RulePipelineDecl && s.type == L::LBRACE && s.expects(L::ASSIGN)) {
    error("syntax", s.at, "the passes of a pipeline stand behind `=`")
        .note("as in `pipeline p = cse, repeat(4) { canonicalize }, dce;`");
    return true;
  }
  if (s.rule == P::RulePatternTag && s.type == L::LPAREN) {
    error("syntax", s.at,
          fmt::format("a tag has no parentheses: `{}`", s.previous == L::LABEL ? "label \"name\"" : "benefit 2"))
        .note("as in `pattern P benefit 2 label \"layout\" { ... }`");
    return true;
  }
  bool tag = s.rule == P::RulePatternDecl && s.expects(L::LBRACE);
  if (tag && tokens_.textOf(s.at) == "with" && s.previous == L::IDENT) {
    error("syntax", s.at, "the tags of a pattern stand behind its name, without `with`")
        .fixIt(here, "")
        .note("as in `pattern P benefit 2 recursive { ... }`");
    return true;
  }
  bool greatness = (s.type == L::INT && s.previous == L::IDENT) || tokens_.textOf(s.at) == "priority";
  if (tag && greatness) {
    error("unknown-tag", s.at, fmt::format("which pattern is tried first is said by `benefit`, found {}", found(s.at)))
        .fixIt(here, s.type == L::INT ? fmt::format("benefit {}", tokens_.textOf(s.at)) : "benefit");
    return true;
  }
  if (s.rule == P::RuleNativeDecl && s.expects(L::NATIVE) && (s.type == L::FATARROW || s.type == L::LBRACE)) {
    bool constraint = tokens_.textOf(outline_.startBefore(s.at)) == "constraint";
    if (constraint) {
      error("syntax", s.at, fmt::format("a constraint is C++, or declared `extern`, found {}", found(s.at)))
          .note("what asks for ops is a named match, `match c(x) = relu(x);`, what computes a function, "
                "`fn c(x: value) -> bool = x.rank == 2;`");
      return true;
    }
    if (s.type == L::FATARROW) {
      error("syntax", s.at, "what a named rewrite builds stands behind `=`")
          .fixIt(here, "=")
          .note("as in `rewrite name(x: value) -> value = relu(x);`");
      return true;
    }
  }
  bool opens = tokens_.type(s.at) == L::IDENT && s.at + 1 < tokens_.size() &&
               (tokens_.type(s.at + 1) == L::LPAREN || tokens_.type(s.at + 1) == L::COLON);
  if (s.rule == P::RulePatternDecl && s.expects(L::LBRACE) && opens) {
    error("syntax", s.at, fmt::format("expected `{{` before {}", found(s.at)))
        .note("a pattern is written `pattern Name { match => result }`");
    return true;
  }
  return false;
}

/// `op<toy.relu>(x)`, `attr<"1">`, `type<"i32">`, `Value<t>`: what PDLL says by angle brackets has none here.
bool SyntaxErrors::inAngleBrackets(const Stuck &s) {
  if (!s.at || s.at >= tokens_.size())
    return false;
  size_t open = s.at; // the `<`, or the one in `word<"…">`, which was taken for comparisons until here
  if (tokens_.textOf(open) != "<") {
    if (s.at < 4 || tokens_.textOf(s.at - 1) != ">" || tokens_.textOf(s.at - 3) != "<")
      return false;
    open = s.at - 3;
  }
  if (!open)
    return false;
  std::string_view word = tokens_.textOf(open - 1);
  auto say = [&](std::string message, std::string note) {
    error("syntax", open - 1, std::move(message)).note(std::move(note));
    return true;
  };
  if (word == "attr" || word == "Attr")
    return say("an attribute is a literal by itself", "as in `axis = 1`, `mode = \"max\"` and `perm = [1, 0]`");
  if (word == "type" || word == "Type")
    return say("a type is written by itself", "as in `i32[]`, `f32[2, n]` and `x.type`");
  if (word == "Value" || word == "ValueRange")
    return say("a type stands behind the name of a value, by itself",
               "as in `x: f32[2, n]`; that two types are the same is asked in the `where`: `x.type == y.type`");
  if (word == "Op")
    return say("an op is written by its name alone", "as in `d: toy.relu(..)`: `..` leaves open what its operands are");
  return false;
}

/// How others write a match, where the left side of a pattern stands.
bool SyntaxErrors::inBorrowedMatch(const Stuck &s) {
  size_t start = outline_.startBefore(s.at);
  if (tokens_.type(start) != L::PATTERN && tokens_.type(start) != L::FOR)
    return false;
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  std::string_view text = tokens_.textOf(s.at), before = s.at ? tokens_.textOf(s.at - 1) : "";
  bool builds = behindArrow(s.at), asks = behindWhere(s.at);
  if (!builds && s.previous == L::LBRACE && (text == "replace" || text == "erase" || text == "rewrite")) {
    error("syntax", s.at, "a pattern is what it matches, `=>`, and what that becomes")
        .note(text == "erase" ? "as in `d: check(x) => erase d`" : "as in `relu(relu(x)) => relu(x)`");
    return true;
  }
  if (!builds && !asks && s.type == L::LBRACE && s.previous == L::RPAREN) {
    error("syntax", s.at, "attributes stand behind the operands, in the parentheses of the op")
        .note("as in `transpose(x, perm = p)`");
    return true;
  }
  if (!builds && !asks && s.type == L::ARROW && s.rule == P::RulePatternDecl) {
    uint32_t body = outline_.enclosing(s.at);
    uint32_t end = body == Outline::kNone ? Outline::kNone : outline_.partner(body);
    for (size_t i = s.at; end != Outline::kNone && i < end; ++i)
      if (tokens_.type(i) == L::FATARROW && outline_.enclosing(i) == body) {
        error("syntax", s.at, "a match says nothing of the types of its results by `->`")
            .note("name the op and ask in the `where`: `d: relu(x) where d.type == f32[2]`; "
                  "of an operand: `relu(x: f32[2])`");
        return true;
      }
  }
  if (!builds && !asks && s.type == L::EQ && s.rule == P::RulePatternDecl && s.previous == L::RPAREN) {
    bool longer = s.at + 1 < tokens_.size() && tokens_.textOf(s.at + 1) == ">";
    error("syntax", s.at, "what a match becomes stands behind `=>`")
        .fixIt(tokens_.rangeOf(tokens_.begin(s.at), tokens_.end(longer ? s.at + 1 : s.at)), "=>");
    return true;
  }
  if (!builds && !asks && s.type == L::STAR && (s.previous == L::LPAREN || s.previous == L::COMMA)) {
    error("syntax", s.at, "any number of operands are a name with `...` behind it")
        .note("as in `concat(x, rest...)`; `..` leaves open all that is not mentioned");
    return true;
  }
  if (asks && !builds && endsOperand(s.previous) && (text == "if" || text == "when")) {
    error("syntax", s.at, "conditions are separated by `,`").fixIt(here, ",");
    return true;
  }
  // `(relu x)`
  bool operand = (isWord(s.type) && text != "is") || s.type == L::LPAREN || s.type == L::INT;
  bool opened =
      s.at > 2 && tokens_.type(s.at - 2) == L::LPAREN && s.previous == L::IDENT && outline_.enclosing(s.at) == s.at - 2;
  bool called = opened && endsOperand(tokens_.type(s.at - 3)) && tokens_.end(s.at - 3) == tokens_.begin(s.at - 2);
  if (operand && opened && !called && s.rule != P::RuleForClause && s.rule != P::RuleBinder) {
    error("syntax", s.at - 1, "the operands of an op stand in parentheses behind it")
        .note(fmt::format("as in `{}(x, y)`", before));
    return true;
  }
  return false;
}

/// How others write values, and statements of a right side.
bool SyntaxErrors::inBorrowedValue(const Stuck &s) {
  size_t beforeName = s.at > 1 ? tokens_.type(s.at - 2) : size_t(L::SEMI);
  if (s.previous == L::DOT && s.type == L::INT && s.expects(L::IDENT)) {
    error("syntax", s.at, "a result is asked for by its name, not by its number")
        .note("as in `d.u` and `svd(x).u`; one of any number of results is `d.parts[0]`");
    return true;
  }
  if (beforeName == L::LET && s.expects(L::ASSIGN) && s.type == L::COLON) {
    error("syntax", s.at, "a `let` states no type: it is that of the value")
        .note(fmt::format("as in `let {} = x.type`", tokens_.textOf(s.at - 1)));
    return true;
  }
  if (beforeName == L::LET && s.expects(L::ASSIGN) && s.type == L::LPAREN) {
    error("syntax", s.at - 2, "a `let` gives a name to a value: whether a value is made by an op is asked by `is`")
        .note(fmt::format("as in `x is {}(y)`", tokens_.textOf(s.at - 1)));
    return true;
  }
  if (s.type == L::ELLIPSIS && s.previous == L::IDENT && s.expects(L::RBRACK)) {
    error("syntax", s.at, "lists are joined by `++`")
        .note("as in `[x] ++ rest`; `f(x, rest...)` gives all of a list to an op");
    return true;
  }
  if (s.type == L::LPAREN && (beforeName == L::ERASE || beforeName == L::REPLACE)) {
    error("syntax", s.at, fmt::format("`{}` takes the name of an op", tokens_.textOf(s.at - 2)))
        .note(beforeName == L::ERASE ? "as in `d: check(x) => erase d`"
                                     : "as in `d: relu(x) => { replace d with x; }`; "
                                       "what replaces the root stands alone: `relu(x) => x`");
    return true;
  }
  return false;
}

/// What PDLL and others write around a match or a right side.
bool SyntaxErrors::inRewriteHabit(const Stuck &s) {
  size_t keyword = tokens_.type(outline_.startBefore(s.at));
  if (keyword != L::PATTERN && keyword != L::FOR)
    return false;
  std::string_view text = tokens_.textOf(s.at), before = s.at ? tokens_.textOf(s.at - 1) : "";
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  if (behindArrow(s.at)) {
    if (before == "rewrite" && isWord(s.type) && s.at + 1 < tokens_.size() && tokens_.textOf(s.at + 1) == "with") {
      error("syntax", s.at - 1, "what the root becomes stands alone behind `=>`")
          .fixIt(tokens_.rangeOf(tokens_.begin(s.at - 1), tokens_.end(s.at + 1)), "")
          .note("another op than the root is replaced in a block: `=> { replace d with x; }`");
      return true;
    }
    if (text == "where" && endsOperand(s.previous)) {
      error("syntax", s.at, "the conditions of a pattern stand before its `=>`")
          .note("as in `pattern Name { relu(x) where x.rank == 2 => x }`");
      return true;
    }
    if (text == "?" && s.at + 1 < tokens_.size() && tokens_.type(s.at + 1) == L::LPAREN) {
      error("syntax", s.at, "`?` stands in matches only: what is built is there")
          .note("an op that may be absent is named on the left, `c: convert?(x)`, and built again where it was there "
                "by `c(y)`");
      return true;
    }
    if ((text == "const" || text == "single" || text == "each") && !endsOperand(s.previous)) {
      error("syntax", s.at, fmt::format("`{}` asks something of a match: on a right side a value stands alone", text))
          .fixIt(here, "");
      return true;
    }
    return false;
  }
  if (s.type == L::LET && s.previous == L::LBRACE) {
    error("syntax", s.at, "a pattern begins with what it matches; its `let` stands behind `where`")
        .note(
            "an op that makes an operand is matched in its place: `relu(relu(x))`, or named there: `relu(y: relu(x))`");
    return true;
  }
  if (text == "where" && behindWhere(s.at) && endsOperand(s.previous)) {
    error("syntax", s.at, "conditions are separated by `,`").fixIt(here, ",");
    return true;
  }
  if (text == "<" && before == "op") {
    size_t close = s.at;
    while (close < tokens_.size() && close < s.at + 6 && tokens_.textOf(close) != ">")
      ++close;
    bool named = close < tokens_.size() && tokens_.textOf(close) == ">" && close > s.at + 1;
    auto e = error("syntax", s.at - 1, "an op is written by its name alone");
    if (named)
      e.fixIt(
          tokens_.rangeOf(tokens_.begin(s.at - 1), tokens_.end(close)),
          std::string(tokens_.text.substr(tokens_.begin(s.at + 1), tokens_.begin(close) - tokens_.begin(s.at + 1))));
    e.note("as in `toy.relu(x)`; any op with a trait is `elementwise(x)`");
    return true;
  }
  if (text == "%" && s.at + 1 < tokens_.size() && isWord(tokens_.type(s.at + 1)) && !endsOperand(s.previous)) {
    error("syntax", s.at, "names carry no `%` here").fixIt(here, "");
    return true;
  }
  return false;
}

bool SyntaxErrors::inPatternHabit(const Stuck &s) {
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  std::string_view text = tokens_.textOf(s.at), before = s.at ? tokens_.textOf(s.at - 1) : "";
  if (before == "not" && s.at > 1 && tokens_.type(s.at - 2) == L::IS) {
    error("syntax", s.at - 1, "`not` stands before the whole test").note("as in `not x is exp(_)`");
    return true;
  }
  if (before == "const" && (s.type == L::INT || s.type == L::FLOAT)) {
    error("syntax", s.at, fmt::format("`const` is followed by a name or `_`, found {}", found(s.at)))
        .note(fmt::format("a constant all of whose elements are {0} is `splat({0})`", text));
    return true;
  }
  if (text == "in" && endsOperand(s.previous) && !s.expects(L::IN)) {
    error("syntax", s.at, "whether a list holds something is asked by `contains(list, x)`")
        .note("in a `for`, `in` stands behind a name: `[x for x in list]`");
    return true;
  }
  if (s.type == L::LPAREN && s.at > 1 && tokens_.type(s.at - 2) == L::ARROW && s.expects(L::FATARROW)) {
    error("syntax", s.at - 2,
          fmt::format("the sides of {} are separated by `=>`; `->` states a type",
                      s.rule == P::RuleTestDecl ? "a test" : "a pattern"))
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at - 2]), "=>");
    return true;
  }
  if (s.rule != P::RulePatternDecl || !s.expects(L::FATARROW) || behindWhere(s.at))
    return false;
  if (text == "if" || text == "when" || text == "given" || text == "require" || text == "requires" ||
      text == "provided" || text == "iff" || text == "guard" || text == "such" ||
      (text != "where" && !nearestName(text, {"where"}).empty())) {
    error("syntax", s.at, "the conditions of a pattern begin with `where`").fixIt(here, "where");
    return true;
  }
  bool condition = isWord(s.type) || s.type == L::LBRACK;
  if (!condition || !endsOperand(s.previous) || text == "where")
    return false;
  error("syntax", s.at, fmt::format("expected `,`, `where` or `=>`, found {}", found(s.at)))
      .note("the conditions of a pattern, and its `let`, stand behind `where`");
  return true;
}

bool SyntaxErrors::inNumberHabit(const Stuck &s) {
  auto adjoins = [&](size_t left) { return left + 1 < tokens_.size() && tokens_.end(left) == tokens_.begin(left + 1); };
  if (s.type == L::DOT && s.at + 1 < tokens_.size() && tokens_.type(s.at + 1) == L::INT && adjoins(s.at)) {
    error("syntax", s.at, "a number begins with a digit")
        .fixIt(tokens_.rangeOf(tokens_.begin(s.at), tokens_.begin(s.at)), "0");
    return true;
  }
  if (s.previous == L::DOT && s.at > 1 && tokens_.type(s.at - 2) == L::INT && adjoins(s.at - 2)) {
    error("syntax", s.at - 1, "a digit follows the point of a number")
        .fixIt(tokens_.rangeOf(tokens_.end(s.at - 1), tokens_.end(s.at - 1)), "0");
    return true;
  }
  if (s.type == L::STAR && s.previous == L::STAR && adjoins(s.at - 1) && s.expects(L::INT)) {
    error("syntax", s.at, "there is no operator for powers").note("as in `a * a`");
    return true;
  }
  return false;
}

bool SyntaxErrors::inListHabit(const Stuck &s) {
  if (s.type == L::ELLIPSIS && s.previous == L::UNDERSCORE && s.expects(L::RBRACK)) {
    error("syntax", s.at - 1, "in a type, any further dimensions are `...` alone, or have a name: `rest...`")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at - 1]), "");
    return true;
  }
  uint32_t open = outline_.enclosing(s.at);
  bool indexes = s.type == L::COLON && open != Outline::kNone && open && tokens_.type(open) == L::LBRACK &&
                 endsOperand(tokens_.type(open - 1));
  if (indexes && (s.rule == P::RuleTail || s.rule == P::RuleIndex || s.expects(L::RBRACK) || s.expects(L::INT))) {
    error("syntax", s.at, "a part of a list is written `p[a..b]`, `p[a..]` or `p[..b]`")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "..");
    return true;
  }
  return false;
}

} // namespace rw::parse
