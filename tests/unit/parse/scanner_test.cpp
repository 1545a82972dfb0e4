// The scanner finds what the lexer finds that ANTLR generates of the same grammar.
#include "frontend/parse/scanner.h"
#include "rw/support/utf8.h"

#include "RwLexer.h"
#include "antlr4-runtime.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace rw;
namespace fs = std::filesystem;

namespace {
struct Word {
  size_t type, begin, end;
  bool hidden;
  friend bool operator==(const Word &, const Word &) = default;
};

std::vector<Word> byScanner(const std::string &text) {
  std::vector<Word> out;
  for (size_t at = 0; at < text.size();) {
    parse::Scanner::Found found = parse::Scanner::get().next(text, at);
    if (found.channel != parse::Scanner::Channel::Skipped)
      out.push_back({found.type, at, found.end, found.channel == parse::Scanner::Channel::Hidden});
    at = found.end;
  }
  return out;
}

std::vector<Word> byAntlr(const std::string &text) {
  std::vector<size_t> bytes; // of each character, and of the end
  for (size_t at = 0; at < text.size(); at += utf8::decode(text, at).length)
    bytes.push_back(at);
  bytes.push_back(text.size());
  antlr4::ANTLRInputStream input(text);
  antlr::RwLexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<Word> out;
  for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken())
    out.push_back({token->getType(), bytes[token->getStartIndex()], bytes[token->getStopIndex() + 1],
                   token->getChannel() == antlr4::Token::HIDDEN_CHANNEL});
  return out;
}
} // namespace

TEST_CASE("the scanner agrees with ANTLR's lexer on every pattern file") {
  size_t files = 0;
  for (const char *folder : {"/patterns", "/tests/golden", "/bench"})
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(std::string(RW_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".rw")
        continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(in), {}};
      size_t good = 0;
      while (good < text.size() && utf8::decode(text, good).valid)
        good += utf8::decode(text, good).length;
      text.resize(good); // anything else is refused before
      if (text.starts_with("\xef\xbb\xbf"))
        text.erase(0, 3);
      CAPTURE(entry.path().string());
      CHECK((byScanner(text) == byAntlr(text)));
      ++files;
    }
  CHECK(files > 60);
}

TEST_CASE("the scanner agrees with ANTLR's lexer on random text") {
  const char *const pieces[] = {
      "a",  "f",  "x1", "_",   "for",  "forx",   "pattern", "P_",     "{f}",        "{",    "}",  "[{", "}]", "]",
      "(",  ")",  "0",  "0x",  "ff",   "12",     ".",       "..",     "e",          "e+",   "3",  "\"", "\\", "\\\"",
      "'",  "/",  "//", "///", "////", "/*",     "*/",      "*",      "\n",         "\r\n", " ",  "\t", "=",  "==",
      "=>", "->", "-",  "<",   ">",    "!",      "&&",      "&",      "||",         "|",    ":",  "::", "+",  "++",
      "%",  "#",  "@",  "$",   "\x01", "\u00e9", "\u2264",  "\u00a0", "\U0001f600", "is",   "inf"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t n = random() % 12 + 1; n; --n)
      text += pieces[random() % std::size(pieces)];
    CAPTURE(text);
    REQUIRE((byScanner(text) == byAntlr(text)));
  }
}
