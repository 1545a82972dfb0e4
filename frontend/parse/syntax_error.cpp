#include "frontend/parse/syntax_error.h"

#include "frontend/parse/expected_tokens.h"
#include "rw/support/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace rw::parse {

using L = Lexer;
using P = antlr::RwParser;

Diagnostics::Builder SyntaxErrors::error(const char *tag, size_t token, std::string message) {
  SourceRange range = tokens_.rangeOf(tokens_.tokens[token]);
  // behind the last word, not on an empty line
  if (tokens_.type(token) == Token::EOF && token && tokens_.begin(token) == tokens_.text.size())
    range = tokens_.rangeOf(tokens_.end(token - 1) - 1, tokens_.end(token - 1));
  return diags_.error(tag, range, std::move(message));
}

bool SyntaxErrors::isConsequence(size_t token) const {
  return tokens_.lexicalErrorIn(outline_.startBefore(token ? token - 1 : 0), token);
}

std::string SyntaxErrors::found(size_t token) const {
  size_t type = tokens_.type(token);
  if (type == Token::EOF)
    return tokens_.endOfText;
  if (type == L::NATIVE)
    return "a C++ block";
  std::string_view text = tokens_.textOf(token);
  if (type == L::STRING && text.size() > 24)
    return "a string";
  return text.size() > 48 ? fmt::format("`{}…`", text.substr(0, 40)) : fmt::format("`{}`", text);
}

void SyntaxErrors::report(antlr4::Parser &parser) {
  antlr4::ParserRuleContext *context = parser.getContext();
  Stuck stuck{};
  stuck.at = parser.getTokenStream()->index();
  if (isConsequence(stuck.at))
    return;
  stuck.type = tokens_.type(stuck.at);
  stuck.previous = stuck.at ? tokens_.type(stuck.at - 1) : size_t(L::SEMI);
  stuck.rule = context->getRuleIndex();
  auto *outer = dynamic_cast<antlr4::ParserRuleContext *>(context->parent);
  stuck.outerRule = outer ? outer->getRuleIndex() : size_t(P::RuleModule);
  stuck.expected = parser.getExpectedTokens();
  if (unmatchedBracket(stuck) || reservedName(stuck) || habits(stuck) || wrongEquals(stuck) || inPattern(stuck) ||
      inMatch(stuck) || inExpression(stuck) || inDeclaration(stuck) || anywhere(stuck))
    return;
  expected(stuck);
}

bool SyntaxErrors::unmatchedBracket(const Stuck &s) {
  bool closes = s.type == L::RPAREN || s.type == L::RBRACK || s.type == L::RBRACE;
  uint32_t open = outline_.enclosing(s.at);
  if (open == Outline::kNone) {
    if (!closes)
      return false;
    error("unopened", s.at, fmt::format("{} closes nothing that is open", found(s.at)))
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "");
    return true;
  }
  if (outline_.partner(open) != Outline::kNone)
    return false;
  std::string_view opener = tokens_.textOf(open);
  size_t closer = opener == "(" ? L::RPAREN : opener == "[" ? L::RBRACK : L::RBRACE;
  if (!s.expects(closer))
    return false;
  const char *text = closer == L::RPAREN ? ")" : closer == L::RBRACK ? "]" : "}";
  error("unclosed", s.at, fmt::format("expected `{}` before {}", text, found(s.at)))
      .note(tokens_.rangeOf(tokens_.tokens[open]), fmt::format("`{}` is opened here", opener));
  return true;
}

/// What goes wrong where `if`, `not` or `each` is used as a name goes back to the place that gives it to something.
bool SyntaxErrors::reservedName(const Stuck &s) {
  size_t start = outline_.startBefore(s.at);
  if (tokens_.type(start) == L::OP)
    return false; // operands and attributes may be called so
  auto isArgument = [&](size_t i) {
    uint32_t open = outline_.enclosing(i);
    size_t next = tokens_.type(i + 1);
    return open != Outline::kNone && open > start && tokens_.type(open) != L::LBRACE &&
           tokens_.type(open - 1) == L::IDENT && (next == L::COMMA || next == L::RPAREN || next == L::RBRACK);
  };
  // A comprehension says behind its element what the names in it are.
  for (size_t i = start + 1, end = outline_.nextStart(s.at + 1); i < end && i + 1 < tokens_.size(); ++i) {
    std::string_view word = tokens_.textOf(i);
    size_t previous = tokens_.type(i - 1), next = tokens_.type(i + 1);
    if (!isReserved(word, true) || (i > s.at && previous != L::FOR))
      continue;
    bool isKeyword = word == "if" || word == "let" || word == "not";
    bool isNamed = previous == L::LET || previous == L::FOR || i == start + 1 ||
                   (next == L::COLON && tokens_.type(i) == L::IDENT) ||
                   (isKeyword && tokens_.type(i) == L::IDENT && isArgument(i)) || (isKeyword && next == L::ELLIPSIS);
    if (!isNamed)
      continue;
    error("bad-name", i, fmt::format("`{}` has a meaning of its own and cannot be a name", word))
        .note(fmt::format("give it another name, such as `{}_`; only ops, operands and attributes may be called so",
                          word));
    return true;
  }
  return false;
}

bool SyntaxErrors::wrongEquals(const Stuck &s) {
  bool afterCondition = s.expects(L::SEMI) || s.expects(L::THEN) || s.expects(L::ELSE) || s.expects(L::FATARROW) ||
                        s.expects(L::RPAREN) || s.expects(L::RBRACK);
  if (s.type != L::ASSIGN || !endsOperand(s.previous) || !afterCondition)
    return false;
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  auto inConditions = [&] {
    size_t i = s.at;
    while (i > 0 && tokens_.type(i - 1) != L::WHERE && tokens_.type(i - 1) != L::PATTERN)
      --i;
    return i > 0 && tokens_.type(i - 1) == L::WHERE;
  };
  if (s.rule == P::RulePatternDecl && s.expects(L::FATARROW) && !inConditions()) {
    error("syntax", s.at, "what a match becomes stands behind `=>`").fixIt(here, "=>");
    return true;
  }
  if (s.rule == P::RuleNativeDecl) {
    error("syntax", s.at, fmt::format("expected the parameters in parentheses, found {}", found(s.at)))
        .note("as in `rewrite f(x: value) -> value = neg(x);`; a function of the language is written `fn name(x: int) "
              "-> int = …;`");
    return true;
  }
  if (s.rule == P::RuleParam || s.rule == P::RuleParams) {
    error("syntax", s.at, "only attributes have defaults: `attr k: int = 3;`")
        .note("an attribute stands in the braces of the op");
    return true;
  }
  error("syntax", s.at, "`=` gives a name its value; values are compared with `==`")
      .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "==");
  return true;
}

bool SyntaxErrors::inPattern(const Stuck &s) {
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  if (s.expects(L::PATTERN) && s.previous == L::IDENT && s.at < tokens_.size() && tokens_.textOf(s.at) == "|") {
    error("syntax", s.at, "a `for` clause lists several sets in braces, found `|`")
        .note("as in `for f in {acts, reductions}`; a set lists others likewise: `set all = {acts, reductions};`");
    return true;
  }
  if (s.rule == P::RulePatternDecl && s.expects(L::LBRACE)) {
    if (s.type != L::IDENT &&
        (s.previous == L::FASTMATH || s.previous == L::RECURSIVE || s.previous == L::ASSUME_SAME_TYPE)) {
      error("syntax", s.at, fmt::format("{} takes no value, found {}", found(s.at - 1), found(s.at)))
          .note("the tag alone is enough");
      return true;
    }
    if (s.type != L::IDENT) {
      error("syntax", s.at, fmt::format("expected a tag or `{{`, found {}", found(s.at)))
          .note("a pattern is written `pattern Name { match => result }`");
      return true;
    }
    std::string_view near =
        nearestName(tokens_.textOf(s.at), {"benefit", "fastmath", "recursive", "assume_same_type", "label"});
    auto e = error("unknown-tag", s.at, fmt::format("patterns have no tag {}", found(s.at)));
    if (!near.empty())
      e.fixIt(here, std::string(near));
    e.note("the tags are `benefit N`, `fastmath`, `fastmath(reassoc, …)`, `recursive`, `assume_same_type` and `label "
           "\"name\"`; the pattern follows in braces");
    return true;
  }
  if (s.rule == P::RulePatternTag && !s.expects(L::INT) && !s.expects(L::STRING)) {
    error("syntax", s.at, fmt::format("`fastmath` takes names of freedoms, found {}", found(s.at)))
        .note("as in `fastmath(reassoc, contract)`; alone it takes all of them");
    return true;
  }
  if (s.rule == P::RulePatternTag) {
    error("syntax", s.at,
          s.expects(L::INT) ? fmt::format("`benefit` takes a number, found {}", found(s.at))
                            : fmt::format("`label` takes a string, found {}", found(s.at)))
        .note(s.expects(L::INT) ? "as in `benefit 2`" : "as in `label \"layout\"`");
    return true;
  }
  if (s.expects(L::FATARROW) && s.outerRule != P::RuleTail && s.rule != P::RuleArg) {
    const char *what = s.rule == P::RuleTestDecl ? "a test" : "a pattern";
    if (s.type == L::ARROW) {
      error("syntax", s.at, fmt::format("the sides of {} are separated by `=>`; `->` states a type", what))
          .fixIt(here, "=>");
      return true;
    }
    if (s.type == L::RBRACE && s.at >= 2 && tokens_.type(s.at - 2) == L::ARROW) {
      // Taken for the type of what stands before it.
      error("syntax", s.at - 2, fmt::format("the sides of {} are separated by `=>`; `->` states a type", what))
          .fixIt(tokens_.rangeOf(tokens_.tokens[s.at - 2]), "=>");
      return true;
    }
    if (s.type == L::RBRACE) {
      error("syntax", s.at, fmt::format("{} needs a right side, found `}}`", what))
          .note(s.rule == P::RuleTestDecl ? "`=> …` says what must come out; `=> unchanged` that nothing happens"
                                          : "`=> …` says what the match becomes");
      return true;
    }
    if (s.type == L::IF && s.expects(L::WHERE)) {
      error("syntax", s.at, "the conditions of a pattern begin with `where`").fixIt(here, "where");
      return true;
    }
    if (s.rule == P::RuleTestDecl && tokens_.textOf(s.at) == "where") {
      error("syntax", s.at, "a test has no conditions: it shows one program and what it becomes")
          .note("conditions belong to patterns; of a test say by types what goes in: `(x: f32[2])`");
      return true;
    }
    if (s.type == L::SEMI && s.rule == P::RulePatternDecl) {
      error("syntax", s.at, "the parts of a pattern are separated by `,`; its right side begins with `=>`")
          .fixIt(here, ",");
      return true;
    }
  }
  if (s.type == L::LBRACE && tokens_.textOf(s.at - 1) == "update" && s.expects(L::RBRACE)) {
    error("syntax", s.at, "`update` says which op").note("as in `update d { perm = p }`, with `d: ...` on the left");
    return true;
  }
  if (s.type == L::COMMA && s.rule == P::RulePatternDecl && s.expects(L::RBRACE)) {
    error("syntax", s.at, "a right side is one value; several results are a tuple").note("as in `=> (x, f(y))`");
    return true;
  }
  if (s.type == L::SEMI && s.rule == P::RulePatternDecl && s.expects(L::RBRACE)) {
    error("syntax", s.at, "a right side that is one value ends without `;`")
        .note("several statements stand in braces: `=> { let y = f(x); y }`")
        .fixIt(here, "");
    return true;
  }
  if (s.rule == P::RuleRightSide || s.rule == P::RuleStatement) {
    if (s.type == L::ASSIGN && isWord(s.previous)) {
      error("syntax", s.at, fmt::format("a block names a value by `let`: `let {} = ...;`", tokens_.textOf(s.at - 1)))
          .note("and ends in the value that replaces the root, or in `replace`, `update`, `erase`");
      return true;
    }
    if (s.expects(L::RBRACE) && !s.expects(L::IDENT)) {
      const Token *before = tokens_.tokens[s.at - 1];
      if (tokens_.textOf(s.at - 1) == "return") {
        error("syntax", s.at - 1, "a block has no `return`: what it replaces the root by is its last value")
            .fixIt(tokens_.rangeOf(before), "");
        return true;
      }
      error("syntax", s.at, fmt::format("expected `;` before {}", found(s.at)))
          .note("the statements of a block are separated by `;`")
          .fixIt(tokens_.rangeOf(before->getStopIndex(), before->getStopIndex()), ";");
      return true;
    }
    if (s.expects(L::WITH)) {
      error("syntax", s.at, fmt::format("expected `with` and the new value, found {}", found(s.at)))
          .note(s.type == L::DOT ? "each result of an op is given: `replace d with (x, d.v);`, where `d.v` stays"
                                 : "an op is replaced by `replace d with value;`");
      return true;
    }
  }
  if (s.rule == P::RuleForClause && s.expects(L::LBRACE)) {
    error("syntax", s.at, fmt::format("the entries of `for` stand in braces, found {}", found(s.at)))
        .note("as in `for (f, g) in {(exp, log), (log, exp)}`");
    return true;
  }
  return false;
}

bool SyntaxErrors::inMatch(const Stuck &s) {
  // Behind `where` the operators would have been taken by the conditions.
  bool match = s.rule == P::RuleMatchExpr || s.rule == P::RuleMatchArg || s.rule == P::RuleMatchCall ||
               (s.rule == P::RulePatternDecl && s.expects(L::FATARROW));
  if (!match)
    return false;
  bool quantified = s.previous == L::PLUS || s.previous == L::STAR;
  if (s.rule == P::RuleMatchCall && quantified && s.expects(L::LPAREN)) {
    error("syntax", s.at - 1,
          fmt::format("a match describes structure and computes nothing, found {}", found(s.at - 1)))
        .note("give the value a name here and state the condition after `where`; a chain is written `elementwise*(…)`");
    return true;
  }
  if (s.type == L::EQ && s.rule == P::RuleMatchCall) {
    error("syntax", s.at, "in a match, an attribute is written `name = …`")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "=");
    return true;
  }
  if (tokens_.textOf(s.at) == "<" && s.previous == L::IDENT && tokens_.textOf(s.at - 1) == "tensor") {
    error("syntax", s.at, "a type is an element type with dimensions in brackets: `f32[2, n]`")
        .note("any element type is `_[2, n]`, any shape `f32`");
    return true;
  }
  if (s.type == L::BAR && endsOperand(s.previous)) {
    error("syntax", s.at, "alternatives stand in parentheses of their own")
        .note("of ops `(relu | exp)(x)`, of whole matches `(relu(x) | exp(y))`");
    return true;
  }
  if (s.type == L::ELLIPSIS && s.previous == L::LPAREN) {
    error("syntax", s.at, "`...` follows a name, or `_`")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "_...")
        .note("any number of operands are `xs...` or `_...`; `..` leaves open all that is not mentioned");
    return true;
  }
  if ((s.type >= L::EQ && s.type <= L::PERCENT) || s.type == L::AND || s.type == L::OR) {
    error("syntax", s.at, fmt::format("a match describes structure and computes nothing, found {}", found(s.at)))
        .note("give the value a name here and state the condition after `where`");
    return true;
  }
  if (s.type == L::LBRACK) {
    error("syntax", s.at, "a match indexes nothing")
        .note("give the value a name here and state the condition after `where`");
    return true;
  }
  return false;
}

/// Whether what ends before a token is the type of a named operand: `b: f32[n]`, `b: float`.
bool SyntaxErrors::endsTypedName(size_t at) const {
  size_t last = at - 1;
  if (tokens_.type(last) == L::RBRACK && outline_.partner(last) != Outline::kNone && outline_.partner(last) > 0)
    last = outline_.partner(last) - 1;
  return last >= 2 && (tokens_.type(last) == L::IDENT || tokens_.type(last) == L::UNDERSCORE) &&
         tokens_.type(last - 1) == L::COLON && tokens_.type(last - 2) == L::IDENT;
}

bool SyntaxErrors::inExpression(const Stuck &s) {
  if (s.type == L::QUESTION && endsOperand(s.previous) && endsTypedName(s.at)) {
    error("syntax", s.at, "what may be left out stands in parentheses, with its name")
        .note("as in `(b: f32[n])?` or `b?`");
    return true;
  }
  if (s.type == L::COLON && isWord(s.previous) && s.expects(L::RPAREN) && behindArrow(s.at)) {
    error("syntax", s.at, "right of `=>` a colon names nothing")
        .note("an attribute is stated by `=`, `f(x, k = 1)`; what becomes of a chain's other operands by `=>`, "
              "`mid(x, side => relu(side))`");
    return true;
  }
  uint32_t bracket = s.previous == L::RBRACK ? outline_.partner(s.at - 1) : Outline::kNone;
  if (s.type == L::DOT && bracket != Outline::kNone && bracket >= 2 && tokens_.type(bracket - 2) == L::ARROW) {
    error("syntax", s.at, "the type that is stated is that of a name: `-> x.type`")
        .note("give an element of a list a name first: `=> let x = xs[0] in f(xs...) -> x.type`");
    return true;
  }
  if (s.type == L::QUESTION && endsOperand(s.previous) && s.at + 1 < tokens_.size() &&
      (tokens_.type(s.at + 1) == L::COMMA || tokens_.type(s.at + 1) == L::RPAREN)) {
    if (!behindArrow(s.at) && s.rule != P::RuleArg) {
      error("syntax", s.at, "`?` follows the name of an operand, `b?`, or a match in parentheses, `(const b)?`")
          .note("of an attribute ask in the `where`: `d: f(x, k = _)` and `not has(d.k) or d.k == 1`");
      return true;
    }
    error("syntax", s.at, "what `b?` on the left leaves out is left out on the right as well: `b` alone")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "");
    return true;
  }
  if (s.type == L::QUESTION && endsOperand(s.previous)) {
    error("syntax", s.at, "a choice is written `if c then a else b`")
        .note("both branches are there, since the expression has a value either way");
    return true;
  }
  if (s.rule == P::RuleExpression || s.expects(L::THEN) || s.expects(L::ELSE)) {
    if (s.expects(L::THEN)) {
      error("syntax", s.at, fmt::format("expected `then`, found {}", found(s.at)))
          .note("`if` chooses among values: `if c then a else b`");
      return true;
    }
    if (s.expects(L::ELSE)) {
      error("syntax", s.at, fmt::format("expected `else`, found {}", found(s.at)))
          .note("`if` chooses among values, so it needs both: `if c then a else b`");
      return true;
    }
  }
  if (s.rule == P::RuleForIn && s.expects(L::IN)) {
    error("syntax", s.at, fmt::format("expected `in` and a list, found {}", found(s.at)))
        .note("as in `[x.shape[i] for i in 0..x.rank]`");
    return true;
  }
  if (s.type == L::PERCENT && s.expects(L::INT) && tokens_.end(s.at) == tokens_.begin(s.at + 1)) {
    error("syntax", s.at, "names carry no `%` here").fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "");
    return true;
  }
  if ((s.type == L::IF || s.type == L::LET) && s.expects(L::IDENT) && s.expects(L::INT)) {
    error("syntax", s.at, fmt::format("inside an operator, {} needs parentheses around it", found(s.at)))
        .note("as in `1 + (if c then a else b)`; a pattern's `let` stands behind `where`");
    return true;
  }
  return false;
}

/// Of a parameter, by the keyword of the declaration.
static const char *usualType(size_t keyword) {
  return keyword == L::FN ? "int" : keyword == L::OP ? "tensor" : keyword == L::TEST ? "f32[2, 3]" : "value";
}

bool SyntaxErrors::inDeclaration(const Stuck &s) {
  SourceRange here = tokens_.rangeOf(tokens_.tokens[s.at]);
  switch (s.rule) {
  case P::RuleParam:
    if (!s.expects(L::COLON))
      return false;
    if (tokens_.textOf(s.at - 1) == "attr" && tokens_.type(outline_.startBefore(s.at)) == L::OP) {
      error("syntax", s.at - 1, "attributes of an op stand in its braces, not among its operands")
          .note(fmt::format("as in `op name(x: tensor) -> tensor {{ attr {}: int; }}`", tokens_.textOf(s.at)));
      return true;
    }
    error("syntax", s.at, fmt::format("expected `:` and a type, found {}", found(s.at)))
        .note(tokens_.rangeOf(tokens_.tokens[s.at - 1]),
              fmt::format("as in `{}: {}`", tokens_.textOf(s.at - 1),
                          usualType(tokens_.type(outline_.startBefore(s.at)))));
    return true;
  case P::RuleFnDecl:
    if (s.expects(L::ARROW)) {
      auto e = error("syntax", s.at, fmt::format("expected `->` and the type of the result, found {}", found(s.at)));
      if (s.type == L::COLON)
        e.fixIt(here, " ->");
      e.note("as in `fn f(p: [int]) -> int = len(p);`");
      return true;
    }
    if (s.type == L::LBRACE) {
      error("syntax", s.at, "the body of a function is one expression after `=`")
          .note("as in `fn f(p: [int]) -> int = len(p);`; names for its parts are given by `let x = … in …`");
      return true;
    }
    return false;
  case P::RuleOpDecl:
    if (s.type != L::IDENT || !s.expects(L::VERSIONS) || nearestName(tokens_.textOf(s.at), {"versions"}).empty())
      return false;
    error("syntax", s.at, fmt::format("expected `(`, found {}", found(s.at))).fixIt(here, "versions");
    return true;
  case P::RulePassDecl:
  case P::RulePassItem:
    if (s.type != L::STRING)
      return false;
    error("syntax", s.at, fmt::format("a pass holds patterns by name, or by `label`, found {}", found(s.at)))
        .note(fmt::format("as in `label {}`", tokens_.textOf(s.at)));
    return true;
  case P::RuleOption:
    if (uint32_t open = outline_.enclosing(s.at);
        open != Outline::kNone && open && tokens_.textOf(open - 1) == "repeat") {
      error("syntax", open, fmt::format("expected `(` and how often, found {}", found(open)))
          .note("as in `repeat(4) { canonicalize, cse, dce }`");
      return true;
    }
    return false;
  case P::RuleStage:
    if (!s.expects(L::LPAREN))
      return false;
    error("syntax", s.at, fmt::format("expected `(` and how often, found {}", found(s.at)))
        .note("as in `repeat(4) { canonicalize, cse, dce }`");
    return true;
  case P::RuleImportDecl:
    if (!s.expects(L::STRING))
      return false;
    error("syntax", s.at, fmt::format("expected the path of a file as a string, found {}", found(s.at)))
        .note(tokens_.type(s.at) == L::IDENT
                  ? fmt::format("`import \"{0}/{0}.rw\";` is all of a built-in dialect", tokens_.textOf(s.at))
                  : "as in `import \"ops/tensor.rw\";`");
    return true;
  case P::RuleVersionRange:
    error("syntax", s.at, fmt::format("expected a version number, found {}", found(s.at)))
        .note("as in `versions 1..12` or `versions 13..`");
    return true;
  case P::RuleNativeDecl:
    if (s.previous == L::EXTERN && !s.expects(L::NATIVE)) {
      error("syntax", s.at, fmt::format("expected `constraint` or `rewrite`, found {}", found(s.at)))
          .note("`extern constraint c(v: value);` answers true or false, "
                "`extern rewrite r(v: value) -> value;` builds");
      return true;
    }
    if (!s.expects(L::NATIVE))
      return false;
    if (size_t next = outline_.nextStart(s.at);
        next == s.at && tokens_.type(outline_.startBefore(s.at - 1)) == L::EXTERN) {
      missingSemicolon(s.at); // another declaration, or the file's end
      return true;
    }
    error("syntax", s.at, fmt::format("expected C++ code or `;`, found {}", found(s.at)))
        .note("C++ stands between `[{` and `}]`; what is linked from elsewhere is declared `extern …;`");
    return true;
  case P::RuleOpClause:
    if (!s.expects(L::COLON))
      return false;
    error("syntax", s.at, fmt::format("expected `:` and the attribute's type, found {}", found(s.at)))
        .note("as in `attr axis: int = 0;`");
    return true;
  default:
    return false;
  }
}

bool SyntaxErrors::anywhere(const Stuck &s) {
  // C++ in braces alone.
  size_t start = outline_.startBefore(s.at);
  if (tokens_.type(start) == L::PRIVATE)
    ++start;
  const uint32_t block = outline_.enclosing(s.at);
  const bool native =
      tokens_.type(start) == L::CONSTRAINT || tokens_.type(start) == L::REWRITE || tokens_.type(start) == L::EXTERN;
  if (native && block != Outline::kNone && tokens_.type(block) == L::LBRACE && block > start) {
    std::string_view first = tokens_.textOf(block + 1);
    if (tokens_.type(start) == L::REWRITE && first == "return" && s.at <= block + 2) {
      error("syntax", block + 1, "a named rewrite ends in what it builds, without `return`")
          .note("as in `rewrite r(x: value) -> value { let y = relu(x); relu(y) }`; C++ stands between `[{` and `}]`");
      return true;
    }
    if (tokens_.type(start) != L::REWRITE || first == "return" || first == "auto" || first == "const" ||
        first == "if") {
      auto e = error("syntax", block, fmt::format("expected C++ code or `;`, found {}", found(block)));
      e.note("C++ stands between `[{` and `}]`; what is linked from elsewhere is declared `extern …;`");
      if (tokens_.type(start) == L::CONSTRAINT)
        e.note("what asks for ops is a named match, `match c(x) = relu(x);`, what computes a function, "
               "`fn c(x: value) -> bool = x.rank == 2;`");
      else if (first == "return")
        e.note("a named rewrite ends in what it builds, without `return`: "
               "`rewrite r(x: value) -> value { let y = relu(x); relu(y) }`");
      return true;
    }
  }
  if (s.previous == L::UNDERSCORE && s.rule == P::RuleArg && s.expects(L::ASSIGN)) { // `_ = c` hands on attributes
    error("syntax", s.at - 1, "`_` stands in matches only: what is computed or built is named")
        .note("`none` is an operand that is left out, and `_ = c` every attribute of the op `c`");
    return true;
  }
  if (s.type == L::UNDERSCORE && (s.rule == P::RuleTail || s.rule == P::RuleListExpr || s.expects(L::STRING))) {
    error("syntax", s.at, "`_` stands in matches only: what is computed or built is named")
        .note("name it on the left, and use the name");
    return true;
  }
  if (s.type == L::ELLIPSIS && s.expects(L::UNDERSCORE)) {
    error("syntax", s.at, "`...` follows a name, or `_`").fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "_...");
    return true;
  }
  if (s.type == L::COLON && s.previous == L::RPAREN && tokens_.type(start) == L::PATTERN && behindArrow(s.at)) {
    error("syntax", s.at, "the type of what is built is stated by `->`")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at]), "->")
        .note("as in `relu(x) -> f32[2]`; mostly it follows from the op's `type` clause");
    return true;
  }
  if (s.at > start + 1 && tokens_.textOf(s.at - 1) == "return" && (s.expects(L::RBRACE) || s.expects(L::SEMI))) {
    error("syntax", s.at - 1, "there is no `return`: what it would give stands alone")
        .fixIt(tokens_.rangeOf(tokens_.tokens[s.at - 1]), "");
    return true;
  }
  bool closes = s.type == L::RPAREN || s.type == L::RBRACK || s.type == L::RBRACE || s.type == L::SEMI;
  if (s.previous == L::COMMA && closes) {
    SourceRange comma = tokens_.rangeOf(tokens_.tokens[s.at - 1]);
    diags_.error("syntax", comma, fmt::format("nothing follows this `,` but {}", found(s.at))).fixIt(comma, "");
    return true;
  }
  if (isKeyword(s.type) && s.expects(L::IDENT) && !beginsDeclaration(s.type)) {
    error("bad-name", s.at, fmt::format("{} has a meaning of its own here and cannot be a name", found(s.at)))
        .note("give it another name");
    return true;
  }
  return false;
}

/// How the declaration that begins with the keyword is written.
static std::string_view formOf(size_t keyword) {
  switch (keyword) {
  case L::PATTERN:
  case L::FOR:
    return "a pattern is written `pattern Name { op(x, attribute = a) where condition => result }`";
  case L::OP:
    return "an op is written `op name(x: tensor) -> tensor { attr k: int = 0; traits pure; type x.type; }`";
  case L::FN:
    return "a function is written `fn name(p: [int]) -> int = len(p);`";
  case L::MATCH:
    return "a named match is written `match name(x) = relu(x) | exp(x);`";
  case L::REWRITE:
    return "a named rewrite is written `rewrite name(x: value) -> value = relu(x);`";
  case L::SET:
    return "a set is written `set name = {relu, exp};`, of other sets `set all = {name, others};`";
  case L::TRAIT:
    return "a trait is written `trait name;`, and given by `trait name for relu;`";
  case L::PASS:
    return "a pass is written `pass name { PatternA, PatternB; }` or `pass name = label \"layout\";`";
  case L::PIPELINE:
    return "a pipeline is written `pipeline name = cse, repeat(4) { canonicalize }, dce;`";
  case L::CONVERSION:
    return "a conversion is written `conversion name { from dialect; to dialect 17..24; patterns label \"name\"; }`";
  case L::TEST:
    return "a test is written `test Pattern (x: f32[2, 3]) { relu(relu(x)) => relu(x) }`";
  case L::EXPECT:
    return "what `rwc --verify` must say is written `expect proved PatternA, PatternB;`";
  case L::IMPORT:
    return "an import is written `import \"ops/tensor.rw\";`";
  case L::DIALECT:
    return "a dialect is written `dialect name;` or `dialect name \"com.example\";`";
  default:
    return {};
  }
}

void SyntaxErrors::expected(const Stuck &s) {
  std::string what = describeExpected(s.expected);
  // Behind the loop over a list's elements, the parser knows of its end alone.
  bool list =
      (what == "`;`" && s.rule == P::RulePipelineDecl) || what == "`)`" || what == "`]`" || what == "`=>`" ||
      (what == "`}`" && s.rule != P::RulePassDecl && s.rule != P::RuleOpDecl && s.rule != P::RuleConversionDecl);
  if (endsOperand(s.previous) && list)
    what = "`,` or " + what;
  auto e = error("syntax", s.at,
                 what.empty() ? fmt::format("unexpected {}", found(s.at))
                              : fmt::format("expected {}, found {}", what, found(s.at)));
  // A long way back, the bracket says what the error is in.
  uint32_t open = outline_.enclosing(s.at);
  std::string_view form = formOf(tokens_.type(outline_.startBefore(s.at)));
  if (!form.empty())
    e.note(std::string(form));
  if (s.type == Token::EOF && open != Outline::kNone)
    e.note(tokens_.rangeOf(tokens_.tokens[open]), fmt::format("`{}` is opened here", tokens_.textOf(open)));
}

void SyntaxErrors::missingSemicolon(size_t at) {
  if (isConsequence(at))
    return;
  const Token *before = tokens_.tokens[at - 1];
  SourceRange end = tokens_.rangeOf(before->getStopIndex(), before->getStopIndex());
  diags_
      .error("syntax", tokens_.rangeOf(before->getStopIndex() - 1, before->getStopIndex()),
             fmt::format("expected `;` after {}", found(at - 1)))
      .fixIt(end, ";");
}

void SyntaxErrors::unknownClause(size_t at) {
  if (isConsequence(at))
    return;
  if (tokens_.type(at) != L::IDENT) {
    error("syntax", at, fmt::format("expected a clause of the op or `}}`, found {}", found(at)))
        .note("the clauses are `attr`, `traits`, `require`, `type`, `fold`, `means`, `canonicalize` and `region`");
    return;
  }
  std::string_view near =
      nearestName(tokens_.textOf(at), {"attr", "traits", "require", "type", "fold", "means", "canonicalize", "region"});
  auto e = error("unknown-clause", at, fmt::format("ops have no clause {}", found(at)));
  if (!near.empty())
    e.fixIt(tokens_.rangeOf(tokens_.tokens[at]), std::string(near));
  else
    e.note("the clauses are `attr`, `traits`, `require`, `type`, `fold`, `means`, `canonicalize` and `region`");
}

bool SyntaxErrors::unknownDeclaration(size_t at) {
  if (tokens_.lexicalErrorIn(at, at))
    return false;
  size_t type = tokens_.type(at);
  SourceRange here = tokens_.rangeOf(tokens_.tokens[at]);
  if (type == L::RPAREN || type == L::RBRACK || type == L::RBRACE) {
    error("unopened", at, fmt::format("{} closes nothing that is open", found(at))).fixIt(here, "");
    return true;
  }
  if (type == L::SEMI) {
    error("misplaced", at, "no `;` is needed here").fixIt(here, "");
    return true;
  }
  std::string_view text = tokens_.textOf(at);
  bool endsStage = at + 1 < tokens_.size() && (tokens_.type(at + 1) == L::SEMI || tokens_.type(at + 1) == L::COMMA);
  if (at && tokens_.type(at - 1) == L::SEMI && endsStage && tokens_.type(outline_.startBefore(at - 1)) == L::PIPELINE) {
    error("syntax", at - 1, "the passes of a pipeline are separated by `,`")
        .fixIt(tokens_.rangeOf(tokens_.tokens[at - 1]), ",");
    return true;
  }
  for (std::string_view clause : {"attr", "traits", "require", "type", "fold", "means", "canonicalize", "region"})
    if (text == clause) {
      error("misplaced", at, fmt::format("`{}` is a clause of an op and stands in its braces", clause))
          .note("as in `op f(x: tensor) -> tensor { attr k: int; traits pure; type x.type; }`");
      return true;
    }
  for (std::string_view value : {"let", "const", "var"})
    if (text == value) {
      error("unknown-declaration", at, "a value that several declarations use is a function without parameters")
          .note("as in `fn most() -> int = 3;`, which is called `most()`");
      return true;
    }
  for (std::string_view ofOp : {"commutative", "pure", "elementwise"})
    if (text == ofOp) {
      error("misplaced", at, fmt::format("`{}` is a trait, which an op has", ofOp))
          .note(fmt::format("as in `op f(x: tensor, y: tensor) -> tensor {{ traits pure, {}; }}`",
                            ofOp == "pure" ? "elementwise" : ofOp));
      return true;
    }
  // What other languages call it.
  static constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
      {"function", "fn"},    {"func", "fn"},    {"def", "fn"},         {"rule", "pattern"},  {"operation", "op"},
      {"include", "import"}, {"use", "import"}, {"module", "dialect"}, {"rule_set", "pass"}, {"ruleset", "pass"}};
  std::string_view near;
  if (type == L::LPAREN) {
    std::string_view word = at + 1 < tokens_.size() ? tokens_.textOf(at + 1) : "";
    error("unknown-declaration", at, "a declaration begins with a word, not with `(`")
        .note(
            word == "decl" || word == "type"
                ? "terms need no declaration of their own: a predicate is `match name(x) = "
                  "relu(x);`, what builds `rewrite name(x: value) -> value = relu(x);`"
            : word == "match" || word == "define_predicates" || word == "extractor" || word == "extern"
                ? "a predicate is `match name(x) = relu(x);`, or a function: `fn name(x: value) -> bool = x.rank == 2;`"
            : word == "constructor" ? "what builds is `rewrite name(x: value) -> value = relu(x);`"
            : word == "for"         ? "one text for many ops is `for f in {exp, log} pattern Name_{f} { f(f(x)) => x }`"
            : word == "rule" || word == "simplify"
                ? "a rule is `pattern Name { add(x, splat(0)) => x }`"
                : "a rule is `pattern Name { add(x, splat(0)) => x }`, a predicate `match name(x) = relu(x);`");
    return true;
  }
  static constexpr std::pair<std::string_view, std::string_view> kNoSuch[] = {
      {"class",
       "a rewrite is `pattern Name { relu(relu(x)) => relu(x) }`; several are run by a pass: `pass p { A, B; }`"},
      {"namespace",
       "files need none: the C++ namespace is said where they are compiled, `NAMESPACE` of rw_add_patterns; "
       "ops stand in a `dialect name;`"},
      {"struct", "several values are given by `rewrite r(x: value) -> (a: value, b: value)`, or a list"}};
  for (auto [theirs, cure] : kNoSuch)
    if (text == theirs) {
      error("unknown-declaration", at, fmt::format("no declaration begins with {}", found(at))).note(std::string(cure));
      return true;
    }
  if (text == "def" && at + 1 < tokens_.size()) {
    std::string_view name = tokens_.textOf(at + 1);
    bool isRule = name == "pattern" || name == "rewrite" || name == "check" || name == "target_pattern" ||
                  (at + 2 < tokens_.size() && tokens_.type(at + 2) == L::COLON);
    if (isRule) {
      error("unknown-declaration", at, "a rewrite is one declaration: what is there, conditions, and what it becomes")
          .note("as in `pattern Name { relu(relu(x)) where x.rank == 2 => relu(x) }`");
      return true;
    }
  }
  for (auto [theirs, ours] : kOtherWords)
    if (text == theirs)
      near = ours;
  if (near.empty() && isWord(type))
    near = nearestName(text, {"op", "pattern", "match", "set", "trait", "fn", "import", "dialect", "pass", "pipeline",
                              "conversion", "test", "expect", "for", "extern", "constraint", "rewrite"});
  bool isTag =
      text == "benefit" || text == "fastmath" || text == "recursive" || text == "assume_same_type" || text == "label";
  auto e = error("unknown-declaration", at, fmt::format("no declaration begins with {}", found(at)));
  if (!near.empty()) {
    e.fixIt(here, std::string(near));
    bool slip = std::islower(static_cast<unsigned char>(text[0])) && // a letter, not the form, is what is wrong
                std::ranges::none_of(kOtherWords, [&](auto word) { return word.first == text; });
    if (slip)
      return true;
    if (near == "pattern")
      e.note(std::string(formOf(L::PATTERN)));
    if (near == "rewrite")
      e.note(std::string(formOf(L::REWRITE)));
    if (near == "import")
      e.note(std::string(formOf(L::IMPORT)));
    if (near == "pass")
      e.note(std::string(formOf(L::PASS)));
    if (near == "constraint")
      e.note("`constraint c(v: value) [{ … }]` is C++, `extern constraint c(v: value);` is linked; "
             "what asks for ops is a named match: `match c(x) = relu(x);`");
    if (text == "def")
      e.note("rewrites are patterns: `pattern Name { relu(relu(x)) => relu(x) }`");
  } else
    e.note(text == "from" ? formOf(L::IMPORT).data()
           : isTag        ? "the tags of a pattern stand between its name and its `{`"
                   : "declarations begin with `dialect`, `import`, `op`, `fn`, `pattern`, `match`, `set`, `trait`, "
                     "`for`, `extern`, "
                     "`constraint`, "
                     "`rewrite`, `pass`, `pipeline`, `conversion`, `test` or `expect`");
  return true;
}

} // namespace rw::parse
