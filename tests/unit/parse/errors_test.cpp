// Every syntax error: where it is reported, under which tag, in which words.
#include "parsed.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {

struct Case {
  const char *text;
  std::vector<std::string> errors;
};

void check(const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    INFO(std::string(c.text));
    CHECK(Parsed(c.text).errors() == c.errors);
  }
}

} // namespace

TEST_CASE("patterns") {
  check({
      {"pattern P {\n  transpose(x, perm = p)\n}\n", {"3:1 syntax: a pattern needs a right side, found `}`"}},
      {"pattern P { relu(x) -> x }", {"1:21 syntax: the sides of a pattern are separated by `=>`; `->` states a type"}},
      {"pattern P { relu(x) where f(x) -> x }",
       {"1:32 syntax: the sides of a pattern are separated by `=>`; `->` states a type"}},
      {"pattern P { relu(x) where a = 1 => x }",
       {"1:29 syntax: `=` gives a name its value; values are compared with `==`"}},
      {"pattern P { relu(x) where a; b => x }",
       {"1:28 syntax: the parts of a pattern are separated by `,`; its right side begins with `=>`"}},
      {"pattern P benfit 3 { relu(x) => x }", {"1:11 unknown-tag: patterns have no tag `benfit`"}},
      {"pattern P benefit { relu(x) => x }", {"1:19 syntax: `benefit` takes a number, found `{`"}},
      {"pattern P label layout { relu(x) => x }", {"1:17 syntax: `label` takes a string, found `layout`"}},
      {"pattern P => x", {"1:11 syntax: expected a tag or `{`, found `=>`"}},
      {"pattern P benefit 1 benefit 2 { relu(x) => x }", {"1:21 duplicate-clause: `benefit` is given twice"}},
      {"for (f, g) in [(a, b)] pattern P_{f} { f(x) => x }",
       {"1:15 syntax: the entries of `for` stand in braces, found `[`"}},
      {"for f {a} pattern P_{f} { f(x) => x }", {"1:7 syntax: expected `in`, found `{`"}},
  });
}

TEST_CASE("matches") {
  check({
      {"pattern P { add(x, y + 1) => x }",
       {"1:22 syntax: a match describes structure and computes nothing, found `+`"}},
      {"pattern P { relu(x) + y => x }", {"1:21 syntax: a match describes structure and computes nothing, found `+`"}},
      {"pattern P { relu(x, axis == 1) => x }", {"1:26 syntax: in a match, an attribute is written `name = …`"}},
      {"pattern P { relu(x.shape) => x }", {"1:18 syntax: a match reads nothing, so `x.shape` means nothing here"}},
      {"pattern P { f(x, .., y) => x }", {"1:18 misplaced: `..` comes last: it stands for all that was not mentioned"}},
      {"pattern P { f(const relu(x)) => x }", {"1:21 syntax: `const` is followed by a name or `_`"}},
      {"pattern P { f([a, ..]) => x }", {"1:19 syntax: the rest of a list is written `rest...` or `_...`"}},
      {"pattern P { f(a: b: relu(x)) => x }", {"1:18 syntax: one name is enough"}},
      {"pattern P { (relu(x) | f)(x) => x }", {"1:14 syntax: before `(`, the alternatives are names of ops"}},
      {"pattern P { f(splat(a, b)) => x }", {"1:15 syntax: `splat` takes one literal, name or `_`"}},
      {"pattern P { f([1] = x) => x }", {"1:15 syntax: left of `=` stands the name of an attribute"}},
  });
}

TEST_CASE("right sides") {
  check({
      {"pattern P { a: relu(x) => { let y = f(x) replace a with y; } }",
       {"1:42 syntax: expected `;` before `replace`"}},
      {"pattern P { a: relu(x) => { replace a y; } }", {"1:39 syntax: expected `with` and the new value, found `y`"}},
      {"pattern P { a: relu(x) => { x; erase a } }",
       {"1:29 misplaced: only the last statement of a block is a value: what the root becomes"}},
      {"pattern P { d: relu(x) => update d { 3 } }", {"1:38 syntax: `update` sets attributes: `name = value`"}},
      {"pattern P { relu(x) => x -> f32 }", {"1:29 misplaced: `-> type` states the type of an op that is built here"}},
      {"pattern P { relu(x) => (f)(x)(y) }", {"1:25 syntax: only what has a name can be called"}},
      {"pattern P { relu(x) => f(1 = x) }",
       {"1:26 syntax: left of `=` stands the name of an attribute; values are compared with `==`"}},
      {"pattern P { relu(x) => f(i for i in l, x) }",
       {"1:26 misplaced: a comprehension without brackets is the only argument of a call"}},
  });
}

TEST_CASE("expressions") {
  check({
      {"fn f(a: int) -> int = a + ;", {"1:27 syntax: expected an expression, found `;`"}},
      {"fn f(a: int) -> int = if a > 1 { 2 } else { 3 };", {"1:32 syntax: expected `then`, found `{`"}},
      {"fn f(a: int) -> int = if a > 1 then 2;", {"1:38 syntax: expected `else`, found `;`"}},
      {"fn f(a: int) -> int = a > 1 ? 2 : 3;", {"1:29 syntax: a choice is written `if c then a else b`"}},
      {"fn f(a: int) -> int = 1 + if a then 2 else 3;",
       {"1:27 syntax: inside an operator, `if` needs parentheses around it"}},
      {"fn f(a: int) -> bool = a < 1 < 2;", {"1:30 syntax: comparisons do not chain"}},
      {"fn f(a: int) -> int = let b = a;", {"1:23 syntax: inside an expression, `let` needs `in`"}},
      {"fn f(a: int) -> [int] = a..;", {"1:26 syntax: outside of `[ ]`, a range needs an end"}},
      {"fn f(a: [int]) -> [int] = [i for i of a];", {"1:36 syntax: expected `in` and a list, found `of`"}},
      {"fn f(a: int) -> int = g(a,);", {"1:26 syntax: nothing follows this `,` but `)`"}},
      {"fn f(a: int) -> int = g(a b);", {"1:27 syntax: expected `,` or `)`, found `b`"}},
  });
}

TEST_CASE("functions, ops and the rest") {
  check({
      {"fn f(a: int): int = a;", {"1:13 syntax: expected `->` and the type of the result, found `:`"}},
      {"fn f(a: int) = a;", {"1:14 syntax: expected `->` and the type of the result, found `=`"}},
      {"fn f(a: int) -> int { a }", {"1:21 syntax: the body of a function is one expression after `=`"}},
      {"fn f(a) -> int = a;", {"1:7 syntax: expected `:` and a type, found `)`"}},
      {"fn true(a: int) -> int = a;", {"1:4 bad-name: `true` has a meaning of its own and cannot be a name"}},
      {"op f(x: 3);", {"1:9 syntax: expected a type, found `3`"}},
      {"op f(x: (a: int, b));", {"1:10 misplaced: the elements of a tuple type carry no names, `?` or `...`"}},
      {"op f versions 5..2 (x: tensor);", {"1:6 bad-number: the last version comes before the first"}},
      {"op f versions (x: tensor);", {"1:15 syntax: expected a version number, found `(`"}},
      {"op f(x: tensor) { type a; type b; }", {"1:27 duplicate-clause: an op has one `type` clause"}},
      {"op f(x: tensor) { attr a; }", {"1:25 syntax: expected `:` and the attribute's type, found `;`"}},
      {"import foo;", {"1:8 syntax: expected the path of a file as a string, found `foo`"}},
      {"constraint f(c: attr);", {"1:12 syntax: `f` has no code"}},
      {"constraint f(c: attr) { }", {"1:23 syntax: expected C++ code or `;`, found `{`"}},
      {"extern constraint f(c: attr) [{ }]",
       {"1:30 misplaced: what is `extern` is defined elsewhere and has no code here"}},
      {"extern constraint f(c: attr) -> attr;",
       {"1:33 misplaced: a constraint has no result: it holds or it does not"}},
      {"pipeline p = a b;", {"1:16 syntax: expected `,` or `;`, found `b`"}},
      {"pipeline p = ;", {"1:14 syntax: expected a pass, found `;`"}},
      {"pass p { a.b = 1; }", {"1:10 syntax: left of `=` stands the name of an option"}},
      {"test P (x: f32[2]) { relu(x) }", {"1:30 syntax: a test needs a right side, found `}`"}},
      {"patern P { relu(x) => x }", {"1:1 unknown-declaration: no declaration begins with `patern`"}},
      {"attr x: int;", {"1:1 misplaced: `attr` is a clause of an op and stands in its braces"}},
      {"fn f() -> int = 1;;", {"1:19 misplaced: no `;` is needed here"}},
  });
}

TEST_CASE("brackets") {
  check({
      {"fn f(a: int -> int = a;", {"1:13 unclosed: expected `)` before `->`"}},
      {"pattern A { relu(x) => x\npattern B { relu(x) => x }", {"2:1 unclosed: expected `}` before `pattern`"}},
      {"op f(x: tensor) {", {"1:17 unclosed: expected `}` before the end of the file"}},
      {"fn f(a: int) -> int = a);", {"1:24 unopened: `)` closes nothing that is open"}},
      {"fn f(a: int) -> int = g(a];", {"1:26 unclosed: expected `)` before `]`"}},
  });
  Parsed p("fn f(a: int -> int = a;");
  REQUIRE(p.diags.all().at(0).notes.size() == 1);
  CHECK(p.diags.all()[0].notes[0].message == "`(` is opened here");
  CHECK(p.sources.lineColumn(p.diags.all()[0].notes[0].range.begin).column == 5);
}

TEST_CASE("characters, numbers and strings") {
  check({
      {"# x", {"1:1 unexpected-character: comments begin with `//`"}},
      {"fn f(a: bool) -> bool = a && !a;",
       {"1:27 unexpected-character: `&&` is written `and`", "1:30 unexpected-character: `!` is written `not`"}},
      {"fn f(a: int) -> int = %a;", {"1:23 syntax: names carry no `%` here"}},
      {"fn f(a: int) -> int = a $$$ ;", {"1:25 unexpected-character: names carry no `$` here"}},
      {"import 'b.rw';", {"1:8 unexpected-character: a string stands between double quotes"}},
      {"import \"b.rw;\nfn f() -> int = 1;", {"1:8 unclosed: this string is not closed before the end of its line"}},
      {"fn f() -> int = 1; /* a", {"1:20 unclosed: this comment is never closed"}},
      {"rewrite f(v: value) -> value [{ x", {"1:30 unclosed: this C++ block is never closed"}},
      {"fn f() -> int = 12abc;", {"1:17 bad-number: `12abc` is neither a number nor a name"}},
      {"fn f() -> int = 0x;", {"1:17 bad-number: `0x` is neither a number nor a name"}},
      {"fn f() -> int = 9223372036854775808;",
       {"1:17 bad-number: `9223372036854775808` does not fit into a signed 64-bit number"}},
      {"fn f() -> float = 1e999;", {"1:19 bad-number: `1e999` is beyond the range of a 64-bit float"}},
      {"import \"a\\q\\x9\\u{d800}\";",
       {"1:10 bad-escape: `\\q` is no escape sequence", "1:12 bad-escape: `\\x9` is no escape sequence",
        "1:15 bad-escape: `\\u{d800}` is no escape sequence"}},
      {"fn f() -> string = \"ü\" ü;", {"1:24 unexpected-character: unexpected character `ü`"}},
      {"a\xff", {"1:2 invalid-utf8: byte 0xff at offset 1 is not UTF-8 text"}},
  });
}

TEST_CASE("messages") {
  check({
      {"op f(x: tensor) { require a, \"b {x.rank\"; }", {"1:33 unclosed: this `{` is not closed inside the message"}},
      {"op f(x: tensor) { require a, \"b {x +}\"; }", {"1:37 syntax: expected an expression, found `}`"}},
      {"op f(x: tensor) { require a, \"b {x y}\"; }", {"1:36 syntax: one expression stands between `{` and `}`"}},
      {"op f(x: tensor) { require a, \"b {}\"; }", {"1:33 syntax: an expression is missing between `{` and `}`"}},
      {"op f(x: tensor) { require a, \"b { {x}\"; }", {"1:35 syntax: expected an expression, found `{`"}},
      {"op f(x: tensor) { require a, \"b } {{c}}\"; }", {"1:33 syntax: a brace in a message is written `}}`"}},
  });
}

TEST_CASE("missing semicolons are reported behind the last word and parsing goes on") {
  Parsed p(
      "op f(x: tensor) {\n  attr a: int\n  atr b: int;\n  type x.type\n}\nfn g(n: int) -> int = n\nfn h() -> int = 1;");
  CHECK(p.errors() == std::vector<std::string>{
                          "2:13 syntax: expected `;` after `int`", "3:3 unknown-clause: ops have no clause `atr`",
                          "4:13 syntax: expected `;` after `type`", "6:23 syntax: expected `;` after `n`"});
  CHECK(p.dump() ==
        "function 6:1 g\n  param 6:6 n\n    type 6:9 int\n  result\n    type 6:17 int\n  body\n    name 6:23 n\n"
        "function 7:1 h\n  result\n    type 7:11 int\n  body\n    int 7:17 1\ndamaged op f\n");
}
