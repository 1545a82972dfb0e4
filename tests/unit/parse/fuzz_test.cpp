// Random and mutated texts: the parser survives all of them, and rejects none without saying why.
#include "parsed.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

using namespace rw;

namespace {

std::string tour() {
  std::ifstream in(std::string(RW_SOURCE_DIR) + "/tests/unit/parse/data/tour.rw");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Everything a user of the parser relies on.
void check(const std::string &text) {
  Parsed p(text);
  CAPTURE(text);
  if (!p.module->damaged.empty())
    REQUIRE(p.diags.hasErrors());
  for (const Diagnostic &d : p.diags.all()) {
    REQUIRE(d.range.begin.raw <= d.range.end.raw);
    REQUIRE(p.sources.fileOf(d.range.begin) == p.file);
    REQUIRE(p.sources.offsetOf(d.range.end) <= text.size());
    REQUIRE(!d.message.empty());
  }
  p.dump(); // walks every node
}

} // namespace

TEST_CASE("the tour parses without errors") {
  Parsed p(tour());
  CHECK(p.errors() == std::vector<std::string>{});
  CHECK(p.module->decls.size() == 38);
  CHECK(p.module->damaged.empty());
}

TEST_CASE("random bytes and random tokens") {
  std::mt19937 random(7);
  const char *const words[] = {"op ",       "pattern ", "fn ",
                               "(",         ")",        "[",
                               "]",         "{",        "}",
                               "=>",        "->",       "x",
                               ", ",        ";",        ": ",
                               "= ",        "== ",      "..",
                               "...",       "_",        "1",
                               "\"a\"",     "where ",   "let ",
                               "in ",       "if ",      "then ",
                               "else ",     "for ",     "is ",
                               "const ",    "each ",    "single ",
                               "ordered ",  "private ", "<<",
                               "&",         "|",        "fastmath(reassoc) ",
                               "not ",      "and ",     "+",
                               "*",         "?",        "|",
                               "attr ",     "require ", "traits ",
                               "replace ",  "with ",    "pass ",
                               "pipeline ", "test ",    "P",
                               "\n",        "[{",       "}]",
                               "extern ",   "rewrite ", "a_{f} ",
                               "/* ",       "*/",       "///",
                               "label "};
  for (int i = 0; i < 12000; ++i) {
    std::string text;
    size_t length = random() % 120;
    if (i % 3 == 0)
      for (size_t k = 0; k < length; ++k)
        text += char(random() % 128);
    else
      for (size_t k = 0; k < length; ++k)
        text += words[random() % std::size(words)];
    check(text);
  }
}

TEST_CASE("mutations of a correct text") {
  std::mt19937 random(11);
  std::string whole = tour();
  REQUIRE(whole.size() > 4000);
  for (int i = 0; i < 3000; ++i) {
    // A window of some lines, then a few small changes.
    size_t begin = whole.rfind('\n', random() % whole.size());
    begin = begin == whole.npos ? 0 : begin + 1;
    std::string text = whole.substr(begin, 200 + random() % 800);
    for (int edits = 1 + int(random() % 4); edits-- > 0 && !text.empty();) {
      size_t at = random() % text.size(), length = 1 + random() % 6;
      switch (random() % 5) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(random() % text.size(), length));
        break;
      case 2:
        text[at] = char(random() % 256);
        break;
      case 3:
        text.insert(at, 1, "(){}[];,=<>:.\"'/*"[random() % 17]);
        break;
      default:
        text.resize(at);
        break;
      }
    }
    check(text);
  }
}

TEST_CASE("every prefix of a correct text") {
  std::string whole = tour();
  for (size_t n = 0; n < whole.size(); n += 11)
    check(whole.substr(0, n));
}
