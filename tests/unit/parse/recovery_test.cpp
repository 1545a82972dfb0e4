// Independent errors are all reported, none twice, and what is healthy is delivered.
#include "parsed.h"

#include <doctest/doctest.h>

using namespace rw;

namespace {

std::vector<std::string> names(const Parsed &p) {
  std::vector<std::string> out;
  for (const auto &d : p.module->decls)
    out.push_back(d->name.text);
  return out;
}

std::vector<std::string> damaged(const Parsed &p) {
  std::vector<std::string> out;
  for (const auto &d : p.module->damaged)
    out.push_back(std::string(d.kind ? ast::declKindName(*d.kind) : "any") + " " + d.name.text);
  return out;
}

using Strings = std::vector<std::string>;

} // namespace

TEST_CASE("one error for each broken declaration, and the others are there") {
  Parsed p(R"(dialect d;
op a(x tensor) -> tensor;
fn b(n: int) -> int = (n;
pattern C { relu(x => x }
pattern D { relu(x) => x }
for f in {exp log}
pattern E_{f} { f(x) => x }
extern rewrite g(v value) -> value;
pass h { D; max_iterations 3; C D; }
pipeline i = cse,, dce;
test j (x: f32) { relu(x) => }
import k;
fn l() -> int = 1;
)");
  CHECK(p.diags.errorCount() == 10);
  CHECK(names(p) == Strings{"d", "D", "l"});
  CHECK(damaged(p) == Strings{"op a", "function b", "pattern C", "pattern E_{f}", "native g", "pass h", "pipeline i",
                              "test j", "import "});
}

TEST_CASE("several errors in the clauses of one op") {
  Parsed p(R"(op a(x: tensor) -> tensor {
  attr b int;
  traits pure,;
  require x.rank == , "message";
  fold (x if b;
  nonsense [1, 2] { a; } more;
  type (x.dtype, [1);
  region c d;
}
fn ok() -> int = 1;
)");
  std::vector<std::string> e = p.errors();
  REQUIRE(e.size() == 7);
  for (int i = 0; i < 7; ++i)
    CHECK(e[size_t(i)].substr(0, 2) == std::to_string(i + 2) + ":");
  CHECK(names(p) == Strings{"ok"});
}

TEST_CASE("several errors in the statements of a block") {
  Parsed p(R"(pattern A {
  a: relu(x)
  => {
    let y = ;
    replace a y;
    let z = f(1, );
    erase a;
  }
}
)");
  CHECK(p.errors() == Strings{"4:13 syntax: expected an expression, found `;`",
                              "5:15 syntax: expected `with` and the new value, found `y`",
                              "6:16 syntax: nothing follows this `,` but `)`"});
}

TEST_CASE("an unclosed bracket does not reach the next declaration") {
  Parsed p("pattern A {\n  relu((x)\n  => x\n}\n\nop b(x: tensor) -> tensor {\n  traits pure;\n\npattern C { relu(x) "
           "=> x }\n");
  CHECK(p.errors() == Strings{"3:3 unclosed: expected `)` before `=>`", "9:1 unclosed: expected `}` before `pattern`"});
  CHECK(names(p) == Strings{"C"});
}

TEST_CASE("a wrong character silences what follows from it, in its declaration only") {
  Parsed p("fn a() -> int = § 1 2 3;\nfn b() -> int = 1 2;\nfn c() -> int = 'x;\n");
  CHECK(p.errors() == Strings{"2:19 syntax: expected `;`, found `2`",
                              "1:17 unexpected-character: unexpected character `§`",
                              "3:17 unexpected-character: unexpected character `'`"});
}

TEST_CASE("unknown declarations are all reported") {
  Parsed p("rule A { relu(x) => x }\nfunction f() -> int = 1;\n}\n)\nfn ok() -> int = 1;\n42\n");
  CHECK(p.errors() == Strings{"1:1 unknown-declaration: no declaration begins with `rule`",
                              "2:1 unknown-declaration: no declaration begins with `function`",
                              "3:1 unopened: `}` closes nothing that is open",
                              "6:1 unknown-declaration: no declaration begins with `42`"});
  CHECK(p.diags.all()[0].fixIts.at(0).replacement == "pattern");
  CHECK(names(p) == Strings{"ok"});
}

TEST_CASE("damaged natives and templates keep their names") {
  Parsed p("constraint c(x) [{ }]\nfor (f, g) in {(a, b)\npattern P_{f}_x { f(x) => x }\n");
  CHECK(damaged(p) == Strings{"native c", "pattern P_{f}_x"});
}
