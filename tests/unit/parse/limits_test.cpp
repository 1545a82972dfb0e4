// What is too deep or too large is an error, and nothing overflows.
#include "parsed.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace rw;

namespace {

std::string repeat(const std::string &text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i)
    out += text;
  return out;
}

std::string tagOf(const std::string &text) {
  Parsed p(text);
  return p.diags.all().size() == 1 ? p.diags.all()[0].tag : std::to_string(p.diags.all().size()) + " errors";
}

} // namespace

TEST_CASE("nesting has a limit") {
  for (int n : {201, 20000}) {
    CAPTURE(n);
    CHECK(tagOf("fn f() -> int = " + repeat("(", n) + "1" + repeat(")", n) + ";") == "too-deep");
    CHECK(tagOf("fn f() -> int = " + repeat("[", n) + repeat("]", n) + ";") == "too-deep");
    CHECK(tagOf("fn f() -> int = " + repeat("f(", n) + repeat(")", n) + ";") == "too-deep");
    CHECK(tagOf("fn f(x: " + repeat("[", n) + "int" + repeat("]", n) + ") -> int = 1;") == "too-deep");
    CHECK(tagOf("fn f() -> int = " + repeat("if a then b else ", n) + "1;") == "too-deep");
    CHECK(tagOf("fn f() -> int = " + repeat("let a = ", n) + "1;") == "too-deep");
    CHECK(tagOf("fn f() -> int = " + repeat("-", n) + "1;") == "too-deep");
    CHECK(tagOf("fn f() -> int = " + repeat("not ", n) + "a;") == "too-deep");
    CHECK(tagOf("fn f() -> int = 1" + repeat(" + 1", n) + ";") == "too-deep");
    CHECK(tagOf("fn f() -> int = a" + repeat(" or a", n) + ";") == "0 errors"); // a balanced tree
    CHECK(tagOf("fn f() -> int = a" + repeat(".b", n) + ";") == "too-deep");
    CHECK(tagOf("pattern P { " + repeat("relu(", n) + "x" + repeat(")", n) + " => x }") == "too-deep");
    CHECK(tagOf("pattern P { " + repeat("single ", n) + "x => x }") == "too-deep");
    CHECK(tagOf("pattern P { " + repeat("a: ", n) + "x => x }") == "too-deep");
    CHECK(tagOf("pipeline p = " + repeat("repeat(2) { ", n) + "a" + repeat(" }", n) + ";") == "too-deep");
  }
}

TEST_CASE("below the limit, depth is fine, and what is wide is not deep") {
  CHECK(tagOf("fn f() -> int = " + repeat("(", 199) + "1" + repeat(")", 199) + ";") == "0 errors");
  CHECK(tagOf("fn f() -> int = 1" + repeat(" + 1", 150) + ";") == "0 errors");
  CHECK(tagOf("fn f() -> [int] = [0" + repeat(", (1)", 20000) + "];") == "0 errors");
  CHECK(tagOf("op f(x0: t" + repeat(", x: t", 5000) + ");") == "0 errors");
  CHECK(tagOf("pattern P { f(x" + repeat(", a: g(b: y)", 5000) + ") => x }") == "0 errors");
}

TEST_CASE("a declaration that is too deep does not hide the others") {
  Parsed p("fn a() -> int = 1;\nfn f() -> int = " + repeat("(", 300) + "1" + repeat(")", 300) +
           ";\nfn b() -> int = 1 2;\nfn c() -> int = 1;");
  CHECK(p.diags.errorCount() == 2);
  CHECK(p.module->decls.size() == 2);
}

TEST_CASE("size has a limit") {
  CHECK(tagOf(std::string(ast::kMaxSourceBytes + 1, ' ')) == "too-large");
  Parsed p("pipeline p = " + repeat("a,", kMaxTokens / 2) + "a;");
  CHECK(p.diags.all().at(0).tag == "too-large");
}

TEST_CASE("long texts full of errors take linear time") {
  // Each would take minutes if any step looked back or ahead without bound.
  struct {
    const char *before, *repeated;
    int times;
  } const texts[] = {{"", "[{", 250000},
                     {"", "/*", 250000},
                     {"", "\"", 200000},
                     {"", "§", 200000},
                     {"", "}", 200000},
                     {"", "{", 200000},
                     {"", "pattern ", 100000},
                     {"", "pattern P {\n", 50000},
                     {"", "op f(x: t) { attr a ", 20000},
                     {"", "a ", 200000},
                     {"op f(x: t) { ", "a;", 100000},
                     {"op f(x: t) { ", "require (;", 50000},
                     {"op f(x: t) { ", "require 1 2;", 50000}};
  for (const auto &t : texts) {
    INFO(std::string(t.before), std::string(t.repeated));
    auto start = std::chrono::steady_clock::now();
    CHECK(Parsed(t.before + repeat(t.repeated, t.times)).diags.hasErrors());
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    CHECK(seconds < 20);
  }
}

TEST_CASE("a message may hold many expressions") {
  CHECK(tagOf("op f(x: t) { require a, \"" + repeat("{x} ", 5000) + "\"; }") == "0 errors");
  Parsed p("op f(x: t) { require a, \"" + repeat("{x y} ", 5000) + "\"; }");
  CHECK(p.diags.errorCount() == 5000);
}

TEST_CASE("an empty text is an empty module") {
  CHECK(tagOf("") == "0 errors");
  CHECK(tagOf("// only a comment") == "0 errors");
  CHECK(tagOf("\xef\xbb\xbf") == "0 errors");
}
