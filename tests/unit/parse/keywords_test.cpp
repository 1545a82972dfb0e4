// Keywords are keywords only where they act as one.
#include "parsed.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace rw;

namespace {

/// All words that are a keyword somewhere, but for `true` and `false`.
const char *const kWords[] = {
    "dialect", "import",   "op",           "fn",     "pattern",  "extern",   "constraint", "rewrite",
    "pass",    "pipeline", "conversion",   "test",   "versions", "attr",     "traits",     "require",
    "type",    "fold",     "canonicalize", "region", "benefit",  "fastmath", "recursive",  "assume_same_type",
    "label",   "where",    "replace",      "with",   "update",   "erase",    "const",      "single",
    "each",    "repeat",   "if",           "then",   "else",     "for",      "in",         "let",
    "and",     "or",       "not",          "is",     "while",    "ordered",  "private",    "means",
    "expect"};

std::string with(std::string text, const std::string &word) {
  for (size_t at; (at = text.find('$')) != text.npos;)
    text.replace(at, 1, word);
  return text;
}

void accepted(const std::string &text) {
  CAPTURE(text);
  Parsed p(text);
  CHECK(p.errors() == std::vector<std::string>{});
  CHECK(p.module->decls.size() == 1);
}

/// Words that mean something else wherever a name is used, or in front of parentheses.
const std::string_view kReserved[] = {"if", "let", "not"}, kReservedCalls[] = {"each", "single", "ordered"};

void refused(const std::string &text) {
  CAPTURE(text);
  std::vector<std::string> errors = Parsed(text).errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].find("bad-name: ") != std::string::npos);
}

} // namespace

TEST_CASE("every keyword can be the name of an op, an operand, a result, an attribute and a region") {
  for (const char *word : kWords) {
    accepted(
        with("op $($: tensor, b: tensor) -> ($: tensor) {\n  attr $: int = 0;\n  attr $: [int]?;\n  traits $, pure;\n"
             "  region a, $;\n  canonicalize $, d.$;\n  require a.$ == 1;\n}",
             word));
    accepted(with("dialect $;", word));
    if (std::ranges::count(kReserved, std::string_view(word))) {
      refused(with("fn $(x: int) -> int = x;", word));
      refused(with("fn f($: int) -> int = 1;", word));
      refused(with("pattern $ { d.$(x, $ = 1) => d.$(x, $ = y.$) }", word));
      refused(with("pass $ { A, d.$; }", word));
      refused(with("pipeline $ = a, b;", word));
      refused(with("pattern P { f(x) where let $ = 1 => x }", word));
      continue;
    }
    if (std::ranges::count(kReservedCalls, std::string_view(word))) {
      refused(with("fn $(x: int) -> int = x;", word));
      refused(with("match $(x) = f(x);", word));
      refused(with("rewrite $(x: value) -> value = f(x);", word));
      refused(with("set $ = {f};", word));
      refused(with("trait $;", word));
      refused(with("pattern P { $: f(x) => $(x) }", word));
      accepted(with("fn f($: int) -> $ = a.$;", word));
    } else {
      accepted(with("fn $($: int) -> $ = a.$;", word));
    }
    accepted(with("pattern $ { d.$(x, $ = 1) => d.$(x, $ = y.$) }", word));
    accepted(with("pass $ { A, d.$; }", word));
    accepted(with("pipeline $ = a, $, b;", word));
    accepted(with("test $ ($: f32[2]) { f(x, $ = 1) => unchanged }", word));
    accepted(with("expect proved $, $::$, $;", word));
  }
}

TEST_CASE("ops called like words that stand between operands can be matched and built by their short name") {
  for (const char *word : {"and", "or", "is", "in", "then", "else", "for", "where", "with", "while", "test", "op",
                           "type", "label", "repeat", "fold", "region"}) {
    accepted(with("pattern P { $(x, $(y, z)) => $($(x, y), $(z)) }", word));
    accepted(with("pattern P { a: $(x), b: single $(y) where a.u and $(x) or b => $(x) }", word));
  }
  accepted("pattern P { not(and(x, or(y, not(z)))) => or(not(x), y) }");
}

TEST_CASE("a word is a variable where a keyword makes no sense") {
  for (const char *word :
       {"label", "type", "test", "pass", "fold", "op", "region", "attr", "versions", "benefit", "while"})
    accepted(with("fn f($: [int]) -> [int] = if $[0] == 1 and len($) > 2 then $ else [i for i in $ if i != 0];", word));
  accepted("pattern P { add(label, is) where label == is => is }");
  accepted("pattern P { add(single, each, const) => f(each, single, const) }");
  accepted("pattern P { add(ordered, private) where ordered == private => f(private, ordered) }");
}

TEST_CASE("a `for` that goes through a list begins no declaration where its line begins") {
  accepted("fn f(n: int) -> [int] = [k + 1\nfor k in 0..n];");
  accepted("fn f(n: [int]) -> bool = all(a < b\nfor (a, b) in zip(n, n));");
  accepted("fn f(pattern: [int]) -> bool = all(a < 3\nfor a in pattern);");
}

TEST_CASE("a `for` of declarations ends a bracket that was not closed") {
  for (const char *header : {"for o in {d.a, d.b}\npattern P", "for o in ops\npattern P",
                             "for (o, p) in {(d.a, d.b)} pattern P", "for o in ops\nfor a in {d.a} pattern P"}) {
    Parsed p("fn f(n: int) -> [int] = [n + 1;\n" + std::string(header) + "{o} { o(x) => x }\n");
    CAPTURE(header);
    CHECK(p.errors().size() == 1);
    CHECK(p.module->decls.size() == 1); // what stands behind the function
  }
}

TEST_CASE("tokens tell keywords from names") {
  SourceManager sources;
  FileId f = sources.addText("t.rw", "/// doc\nop test(op: type) { attr attr: int; }\n");
  Diagnostics diags(sources);
  std::string out;
  dumpTokens(f, sources, diags, out);
  CHECK(out == "1:1 doc /// doc\n2:1 keyword op\n2:4 name test\n2:8 sign (\n2:9 name op\n2:11 sign :\n2:13 name type\n"
               "2:17 sign )\n2:19 sign {\n2:21 keyword attr\n2:26 name attr\n2:30 sign :\n2:32 name int\n2:35 sign ;\n"
               "2:37 sign }\n");
}

TEST_CASE("braces next to a name are no splice outside of pattern names") {
  accepted("pipeline p = cse{a = 1}, repeat(2){canonicalize};");
  accepted("pass p{A; B;}");
  accepted("pass p{A;}");
  accepted("pattern P{f(x) => x}");
}
