// What the text reader says about wrong texts: every tag, its place, several errors at once, none that follow from
// others.
#include "../support/random_program.h"
#include "../support/test_dialect.h"
#include "rw/ir/parser.h"
#include "rw/ir/printer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <ostream>

using namespace rw;

namespace {
/// "line:column tag" of every error in order of position.
struct Errors {
  std::vector<std::string> list;
  Errors(std::initializer_list<std::string> l) : list(l) {}
  size_t size() const { return list.size(); }
  friend bool operator==(const Errors &, const Errors &) = default;
  friend std::ostream &operator<<(std::ostream &os, const Errors &e) {
    for (const std::string &s : e.list)
      os << s << "; ";
    return os;
  }
};
Errors errorsOf(const std::string &text, std::string *rendered = nullptr) {
  static const test::Registry ops;
  SourceManager sources;
  Diagnostics diags(sources);
  auto program = parseProgram(sources.addText("in.rwir", text), sources, diags, ops);
  std::vector<Diagnostic> all = diags.all();
  std::stable_sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.range.begin < b.range.begin; });
  Errors out{};
  for (const Diagnostic &d : all) {
    LineColumn at = sources.lineColumn(d.range.begin);
    out.list.push_back(std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d.tag);
  }
  CHECK(bool(program) == out.list.empty());
  if (rendered)
    *rendered = diags.renderText();
  return out;
}

/// Errors of a function body that starts on line 2.
Errors inBody(const std::string &body) {
  return errorsOf("func @main(%x: f32[2, 3], %y: f32[2, 3], %p: f32[]) {\n" + body + "\nreturn %x\n}\n");
}
Errors inAttr(const std::string &attr) { return inBody("t.a() {a = " + attr + "}"); } // column 12
} // namespace

TEST_CASE("each wrong thing has its tag and place") {
  CHECK(inBody("%0 = t.relu(%z)") == Errors{"2:13 undefined-value"});
  CHECK(inBody("%x = t.relu(%y)") == Errors{"2:1 redefined-value"});
  CHECK(inBody("%0 = relu(%y)") == Errors{"2:6 undefined-op"});
  CHECK(inBody("%0 = t.relu(%y)\nprint(%y)") == Errors{"3:1 undefined-op"});
  CHECK(inBody("%0 = t.versioned@0(%y)") == Errors{"2:6 undefined-op"});
  CHECK(inBody("%0 = t.relux@3(%y)") == Errors{"2:6 undefined-op"});
  CHECK(inBody("%0 = t.relux(%y)") == Errors{"2:6 missing-type"});
  CHECK(inBody("%0 = t.concat(%y) {axis = 1}") == Errors{"2:6 missing-type"});
  CHECK(inBody("%0 = t.relu()") == Errors{"2:6 wrong-operand-count"});
  CHECK(inBody("%0 = t.relu(%x, %y)") == Errors{"2:6 wrong-operand-count"});
  CHECK(inBody("%0 = t.mixed(%x, %y) : ?") == Errors{"2:6 wrong-operand-count"});
  CHECK(inBody("%0 = t.relu(_)") == Errors{"2:13 missing-operand"});
  CHECK(inBody("%0 = t.scale(_)") == Errors{"2:6 missing-operand"});
  CHECK(inBody("%0 = t.mixed(%x, _, _) : ?") == Errors{"2:6 missing-operand"});
  CHECK(inBody("%0 = t.mixed(%x, _, %y, _) : ?") == Errors{"2:6 missing-operand"});
  CHECK(inBody("t.relu(%x)") == Errors{"2:1 wrong-result-count"});
  CHECK(inBody("%0, %1 = t.relu(%x)") == Errors{"2:1 wrong-result-count"});
  CHECK(inBody("%0 = foo.bar() : f32[2], ?") == Errors{"2:18 wrong-result-count"});
  CHECK(inBody("%0 = t.relu(%x) : f32[2, 4]") == Errors{"2:19 type-mismatch"});
  CHECK(inBody("%0 = t.const()") == Errors{"2:6 missing-attribute"});
  CHECK(inBody("%0 = t.const() {foo = 1}") == Errors{"2:6 missing-attribute"});
  CHECK(inBody("%0 = t.const() {value = 1}") == Errors{"2:17 bad-attribute"});
  CHECK(inBody("%0 = t.transpose(%x) {perm = [1.0, 0]}") == Errors{"2:31 bad-attribute"});
  CHECK(inBody("t.print(%x) {a = 1, a = 2}") == Errors{"2:21 duplicate-attribute"});
  CHECK(inBody("%0 = t.transpose(%x) {perm = [1, 0], perm = [0, 1]}") == Errors{"2:38 duplicate-attribute"});
  CHECK(inBody("foo.bar() {\"$op\" = 1}") == Errors{"2:12 duplicate-attribute"});
  CHECK(inBody("%0 = foo.bar() : f33[2]") == Errors{"2:18 unknown-type"});
  CHECK(inBody("%0 = foo.bar() : f32") == Errors{"2:18 syntax"});
  CHECK(inBody("%0 = foo.bar() : f32[4294967296, 4294967296]") == Errors{"2:18 too-large"});
  CHECK(inBody("%0 = foo.bar() : f32[9223372036854775808]") == Errors{"2:22 bad-dimension"});
  CHECK(inBody("%0 = foo.bar() : f32[2 - 3]") == Errors{"2:22 bad-dimension"});
  CHECK(inBody("%0 = foo.bar() : f32[B / 0]") == Errors{"2:22 bad-dimension"});
  CHECK(inBody("%1a = foo.bar() : ?") == Errors{"2:1 syntax"});
  CHECK(inBody("%x~0 = foo.bar() : ?") == Errors{"2:1 syntax"});
  CHECK(inBody("% = foo.bar() : ?") == Errors{"2:1 syntax"});
  CHECK(inBody("foo.bar(%x") == Errors{"3:1 syntax"});
  CHECK(inBody("return %y") == Errors{"3:1 op-after-return"});
}

TEST_CASE("wrong attribute values") {
  CHECK(inAttr("linear") == Errors{"2:12 bad-attribute"});
  CHECK(inAttr("?") == Errors{"2:12 bad-attribute"});
  CHECK(inAttr("9223372036854775808") == Errors{"2:12 too-large"});
  CHECK(inAttr("1e999") == Errors{"2:12 too-large"});
  CHECK(inAttr("1x") == Errors{"2:12 syntax"});
  CHECK(inAttr("nan(3)") == Errors{"2:12 syntax"});
  CHECK(inAttr("\"\\q\"") == Errors{"2:13 bad-escape"});
  CHECK(inAttr("\"open") == Errors{"2:12 unterminated"});
  CHECK(inAttr("foo<1>") == Errors{"2:12 bad-attribute"});
  CHECK(inAttr("int<1.5>") == Errors{"2:16 bad-attribute"});
  CHECK(inAttr("bytes<\"0\">") == Errors{"2:18 bad-attribute"});
  CHECK(inAttr("bytes<\"0g\">") == Errors{"2:18 bad-attribute"});
  CHECK(inAttr("dtype<f33>") == Errors{"2:18 unknown-type"});
  CHECK(inAttr("[1, 2") == Errors{"2:17 syntax"});
  CHECK(inAttr("dense<f32[B]: 1>") == Errors{"2:18 bad-attribute"});
  CHECK(inAttr("dense<?[2]: 1>") == Errors{"2:18 bad-attribute"});
  CHECK(inAttr("dense<f32[2]: [1]>") == Errors{"2:28 bad-attribute"});
  CHECK(inAttr("dense<f32[2]: [1, 2, 3]>") == Errors{"2:31 bad-attribute"});
  CHECK(inAttr("dense<f32[2, 2]: [[1, 2], 3]>") == Errors{"2:38 syntax"});
  CHECK(inAttr("dense<f32[0]: [1]>") == Errors{"2:27 bad-attribute"});
  CHECK(inAttr("dense<f32[]: [1]>") == Errors{"2:25 bad-attribute"});
  CHECK(inAttr("dense<i8[1]: [128]>") == Errors{"2:26 too-large"});
  CHECK(inAttr("dense<u8[1]: [-1]>") == Errors{"2:26 too-large"});
  CHECK(inAttr("dense<i8[1]: [1.5]>") == Errors{"2:26 bad-attribute"});
  CHECK(inAttr("dense<f16[1]: [70000]>") == Errors{"2:27 too-large"});
  CHECK(inAttr("dense<f32[1]: [1e39]>") == Errors{"2:27 too-large"});
  CHECK(inAttr("dense<bool[1]: [2]>") == Errors{"2:28 bad-attribute"});
  CHECK(inAttr("dense<i4[2]: [1, 2]>") == Errors{"2:26 bad-attribute"});
  CHECK(inAttr("dense<str[2]: \"a\">") == Errors{"2:26 bad-attribute"});
  CHECK(inAttr("dense<u8[4]: hex \"00\">") == Errors{"2:29 bad-attribute"});
  CHECK(inAttr("dense<u8[4]: splat hex \"0000\">") == Errors{"2:35 bad-attribute"});
  CHECK(inAttr("dense<c64[1]: [1]>") == Errors{"2:27 syntax"});
}

TEST_CASE("sizes that lie take no memory") {
  CHECK(inAttr("dense<f32[1000000000000]: [1, 2]>") == Errors{"2:43 bad-attribute"});
  CHECK(inAttr("dense<c128[9000000000000000000]: hex \"00\">") == Errors{"2:49 bad-attribute"});
  CHECK(inAttr("dense<f32[9000000000000000000]: 1>") == Errors{});
}

TEST_CASE("functions and regions") {
  CHECK(errorsOf("fun @f() { return }\nfunc @g() { return }") == Errors{"1:1 syntax"});
  CHECK(errorsOf("func @f() { return }\nfunc @f() { return }") == Errors{"2:7 duplicate-function"});
  CHECK(errorsOf("func @f(%a: f32[], %a: f32[]) { return }") == Errors{"1:20 redefined-value"});
  CHECK(errorsOf("func @f(%a: param(0) f32[]) { return }") == Errors{"1:19 bad-parameter"});
  CHECK(errorsOf("func @f() -> f32[] { return }") == Errors{"1:22 wrong-result-count"});
  CHECK(errorsOf("func @f(%a: f32[2]) -> f32[3] { return %a }") == Errors{"1:24 type-mismatch"});
  CHECK(errorsOf("func @f() {\n}\n") == Errors{"2:1 missing-return"});
  CHECK(errorsOf("func @f() {\n return\n") == Errors{"3:1 unterminated"});
  CHECK(errorsOf("func @f() {\n return\nfunc @g() {\n return\n}\n") == Errors{"3:1 unterminated"});
  CHECK(errorsOf("func @f(") == Errors{"1:9 syntax"});
  CHECK(errorsOf("func") == Errors{"1:5 syntax"});
  CHECK(inBody("%0 = t.cond(%p) : ? then { return %x }") == Errors{"2:6 wrong-region-count"});
  CHECK(inBody("%0 = t.cond(%p) : ? then { return %x } otherwise { return %x }") == Errors{"2:40 unknown-region"});
  CHECK(inBody("%0 = t.cond(%p) : ? then { } else { return %x }") == Errors{"2:28 missing-return"});
  CHECK(inBody("%0 = t.relu(%x) then { return %x }") == Errors{"2:17 wrong-region-count"});
  // A value of a region is not seen outside, nor an op's result in its own regions.
  CHECK(inBody("%0 = t.cond(%p) : ? then { %a = t.relu(%x) return %a } else { return %a }") ==
        Errors{"2:70 undefined-value"});
  CHECK(inBody("%0 = t.cond(%p) : ? then { return %0 } else { return %x }") == Errors{"2:35 undefined-value"});
  CHECK(inBody("%0 = t.cond(%p) : ? then { %x = t.relu(%y) return %x } else { return %x }") ==
        Errors{"2:28 redefined-value"});
}

TEST_CASE("many errors in one run, in order, and none that follow from others") {
  CHECK(errorsOf("func @main(%x: f32[2]) {\n"
                 "  %0 = t.relu(%nope)\n"                // once for the name
                 "  %1 = t.add(%0, %nope)\n"             // %0 is taken as of unknown type
                 "  %2 = t.relu(%x) {perm = [1, }\n"     // a broken list
                 "  %3 = t.add(%2, %2)\n"                // %2 stands in
                 "  %4 = t.cond(%x) {oops} : ? then {\n" // its region is read, and its own error told
                 "    %5 = t.relu(%x, %x)\n"
                 "    return %5\n"
                 "  } elsewhere {\n"
                 "    return %nothere\n"
                 "  }\n"
                 "  %6 = t.relu(%4) : f32[2\n"
                 "  %7 = t.add(%6, %late)\n"
                 "  %late = t.relu(%7)\n"
                 "  return %late, %3\n"
                 "}\n"
                 "func @other() {\n  %0 = t.const()\n  return %0\n}\n") ==
        Errors{"2:15 undefined-value", "4:31 syntax", "7:10 wrong-operand-count", "9:5 unknown-region", "13:3 syntax",
               "13:18 undefined-value", "18:8 missing-attribute"});
}

TEST_CASE("a value that comes later is told apart from one that does not exist; a name that is near is suggested") {
  std::string text;
  CHECK(errorsOf("func @f(%x: f32[]) {\n  %a = t.relu(%b)\n  %b = t.relu(%a)\n  %c = t.rleu(%x)\n  return %b\n}\n",
                 &text) == Errors{"2:15 undefined-value", "4:8 missing-type"});
  CHECK(text.find("`%b` is used before its definition") != text.npos);
  CHECK(text.find("in.rwir:3:3: note: defined here") != text.npos);
  errorsOf("func @f(%x: f32[]) {\n  %c = t.rleu(%x)\n  return %c\n}\n", &text);
  CHECK(text.find("did you mean `t.relu`?") != text.npos);
}

TEST_CASE("nesting is bounded everywhere") {
  auto nested = [](const std::string &open, const std::string &core, const std::string &close, int n) {
    std::string text;
    for (int i = 0; i < n; ++i)
      text += open;
    text += core;
    for (int i = 0; i < n; ++i)
      text += close;
    return text;
  };
  auto onlyTooDeep = [](const Errors &errors) {
    return errors.size() == 1 && errors.list[0].find("too-deep") != std::string::npos;
  };
  CHECK(inAttr(nested("[", "1", "]", 150)) == Errors{});
  CHECK(onlyTooDeep(inAttr(nested("[", "1", "]", 100'000))));
  CHECK(onlyTooDeep(inBody("%0 = foo.bar() : " + nested("(", "?", ")", 100'000))));
  CHECK(onlyTooDeep(inBody("%0 = foo.bar() : f32[" + nested("(", "B", ")", 100'000) + "]")));
  CHECK(inBody(nested("foo.bar() region {\n", "return\n", "}\nreturn\n", 100).substr(0, 0)) == Errors{});
  std::string regions = nested("foo.bar() region {", " return ", "} return ", 50'000);
  CHECK(onlyTooDeep(errorsOf("func @f() {" + regions + "}")));
  CHECK(errorsOf("func @f() {" + nested("foo.bar() region {", " return ", "} return ", 100) + "}") == Errors{});
}

TEST_CASE("reading stops after a number of errors") {
  std::string body;
  for (int i = 0; i < 100'000; ++i)
    body += "%0 = t.const()\n";
  CHECK(inBody(body).size() == 100);
  std::string undefined;
  for (int i = 0; i < 10'000; ++i)
    undefined += "t.print(%z" + std::to_string(i) + ")\n";
  CHECK(inBody(undefined).size() == 100);
}

TEST_CASE("damaged texts: an error or a program, never a crash") {
  test::Registry ops;
  test::RandomPrograms random(7);
  for (int round = 0; round < 60; ++round) {
    Program program(ops);
    random.addFunction(program, "main", {.ops = 12});
    std::string good = printProgram(program);
    for (int damage = 0; damage < 40; ++damage) {
      std::string text = good;
      static const char *const pieces[] = {"{",    "}",      "(",    ")",  "[",  "]",  "<",          ">",      "\"",
                                           "%",    ",",      ":",    "=",  "@",  "~",  "\\",         "/",      "//",
                                           "func", "return", "then", " ",  "\n", "-",  "9999999999", "dense<", "f32[",
                                           "?",    "\0",     "\xff", "as", "_",  "0x", "nan(",       "hex",    "param"};
      for (size_t n = 1 + random.below(3); n-- > 0 && !text.empty();) {
        size_t at = random.below(text.size()), length = random.below(std::min<size_t>(text.size() - at, 12) + 1);
        switch (random.below(5)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, pieces[random.below(std::size(pieces))]);
          break;
        case 2:
          text.replace(at, length, pieces[random.below(std::size(pieces))]);
          break;
        case 3:
          text.insert(at, text.substr(random.below(text.size()), 20));
          break;
        default:
          text[at] = char(random.next());
          break;
        }
      }
      if (random.chance(5))
        text.resize(random.below(text.size() + 1));
      SourceManager sources;
      Diagnostics diags(sources);
      auto read = parseProgram(sources.addText("in.rwir", text), sources, diags, ops);
      INFO(text);
      REQUIRE(bool(read) != diags.hasErrors());
      diags.renderText();
      if (!read)
        continue;
      std::string printed = printProgram(*read);
      auto again = parseProgram(sources.addText("in.rwir", printed), sources, diags, ops);
      INFO(printed);
      INFO(diags.renderText());
      REQUIRE(again);
      REQUIRE(printProgram(*again) == printed);
      verifyProgram(*read, diags);
    }
  }
}

TEST_CASE("random bytes") {
  test::RandomPrograms random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text = random.chance(50) ? "func @f() {" : "";
    for (size_t n = random.below(60); n-- > 0;)
      text += random.chance(70) ? "{}()[]<>%@:,=\"~?/-_ \n."[random.below(23)] : char(random.next());
    errorsOf(text);
  }
}
