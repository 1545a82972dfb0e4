#include "texts.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace rw::fuzz {

namespace {

const std::vector<std::string> kNumbers = {"0",     "1",   "2",       "9223372036854775807", "65536",
                                           "1e400", "0.0", "1000000", "0x7fffffffffffffff"};
const std::vector<std::string> kExtremes = {"0",
                                            "-1",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "1e400",
                                            "0.0",
                                            "\"\"",
                                            "[]",
                                            "[[]]",
                                            "?",
                                            "_",
                                            "...",
                                            "==",
                                            "=>",
                                            "where",
                                            "each",
                                            "single",
                                            "ordered",
                                            "private",
                                            "<<",
                                            ">>",
                                            "&",
                                            "|",
                                            "^",
                                            "fastmath(",
                                            "is",
                                            "not",
                                            "*",
                                            "+",
                                            "x",
                                            "tensor",
                                            "constant",
                                            "for"};
// What the language has without a declaration.
const std::vector<std::string> kLanguage = {"tensor",     "value",       "int",
                                            "float",      "bool",        "string",
                                            "dtype",      "dim",         "type",
                                            "attr",       "f32",         "i64",
                                            "bf16",       "splat",       "constant",
                                            "const",      "rank",        "shape",
                                            "size",       "uses",        "len",
                                            "sum",        "product",     "min",
                                            "max",        "abs",         "sorted",
                                            "argsort",    "reversed",    "zip",
                                            "enumerate",  "contains",    "index_of",
                                            "count",      "exactly",     "broadcast",
                                            "compose",    "inverse",     "is_permutation",
                                            "is_sorted",  "is_unique",   "is_float",
                                            "is_const",   "one_user",    "single_element",
                                            "has",        "all",         "any",
                                            "bits",       "bit_length",  "is_number",
                                            "pure",       "elementwise", "commutative",
                                            "ints",       "floats",      "value",
                                            "name",       "operands",    "results",
                                            "attributes", "none",        "x",
                                            "y"};

enum class Kind { Number, Name, String, Space, Operator, Sign };

/// What can stand where the token stands, roughly.
Kind kindOf(const std::string &token) {
  unsigned char c = static_cast<unsigned char>(token[0]);
  if (std::isdigit(c))
    return Kind::Number;
  if (std::isalpha(c) || c == '_')
    return Kind::Name;
  if (c == '"')
    return Kind::String;
  if (std::isspace(c) || token.starts_with("//") || token.starts_with("/*"))
    return Kind::Space;
  return std::string_view("+-*/%<>&|^").find(token[0]) != std::string_view::npos ? Kind::Operator : Kind::Sign;
}

Words wordsOf(const Tokens &text, Random &random) {
  Words words;
  for (const std::string &token : text) {
    Kind kind = kindOf(token);
    if (kind == Kind::Number)
      (token.find('.') == std::string::npos ? words.ints : words.floats).push_back(token);
    else if (kind == Kind::Name)
      words.names.push_back(token);
    else if (kind == Kind::String)
      words.strings.push_back(token);
  }
  words.names.insert(words.names.end(), kLanguage.begin(), kLanguage.end());
  words.ints.insert(words.ints.end(), {"0", "1", "2", pick(random, kNumbers)});
  return words;
}

} // namespace

void Texts::vary(Tokens &t, Random &random) {
  bool words = below(random, 3) == 0;
  for (size_t edits = 1 + below(random, 3), tries = 0; edits > 0 && tries < 200; ++tries) {
    size_t at = below(random, t.size()), from = below(random, t.size());
    Kind kind = kindOf(t[at]);
    if (kind == Kind::Space || kind == Kind::Sign || (kind == Kind::Name && !words) || kindOf(t[from]) != kind ||
        t[at] == t[from])
      continue;
    t[at] = kind == Kind::Number && below(random, 2) ? pick(random, kNumbers) : t[from];
    --edits;
  }
}

void Texts::damage(Tokens &t, Random &random) {
  const Tokens &whole = corpus_.whole(random);
  for (size_t edits = 1 + below(random, 6); edits > 0 && !t.empty(); --edits) {
    size_t at = below(random, t.size()), length = 1 + below(random, below(random, 4) ? 4 : 60);
    auto first = t.begin() + long(at), last = t.begin() + long(std::min(at + length, t.size()));
    const Tokens &other = below(random, 2) ? t : whole;
    size_t from = below(random, other.size());
    Tokens piece(other.begin() + long(from), other.begin() + long(std::min(from + length, other.size())));
    switch (below(random, 7)) {
    case 0:
      t.erase(first, last);
      break;
    case 1:
      t.insert(first, piece.begin(), piece.end());
      break;
    case 2:
      std::ranges::copy(piece.begin(), piece.begin() + std::min(last - first, long(piece.size())), first);
      break;
    case 3:
      std::swap(t[at], t[below(random, t.size())]);
      break;
    case 4:
      *first = pick(random, kExtremes);
      break;
    case 5: { // one name becomes another everywhere
      std::string name = t[at], with = t[below(random, t.size())];
      std::ranges::replace(t, name, with);
      break;
    }
    default: // nested, to find what grows with depth
      for (size_t n = below(random, 3) ? 3 : 300; n > 0 && t.size() < 20000; --n)
        t.insert(t.begin() + long(at), piece.begin(), piece.begin() + long(std::min<size_t>(piece.size(), 8)));
    }
  }
}

void Texts::generate(Tokens &t, Random &random) {
  struct Place {
    size_t at;
    const char *rule;
    bool replaces; // the token; else it is written behind it
    const char *before, *after;
  };
  std::vector<Place> places;
  std::string_view last, declaration;
  for (size_t i = 0; i < t.size(); ++i) {
    Kind kind = kindOf(t[i]);
    if (kind == Kind::Space)
      continue;
    const std::string &token = t[i];
    for (std::string_view word : {"op", "pattern", "fn", "match", "pass", "pipeline", "conversion", "test", "rewrite"})
      if (token == word)
        declaration = word;
    if (kind == Kind::Number || kind == Kind::Name)
      for (const char *rule : {"expression", "matchExpr"})
        places.push_back({i, rule, true, "(", ")"});
    if (last == ":" || last == "->")
      places.push_back({i, "typeExpr", true, "", ""});
    if (token == "where")
      places.push_back({i, "expression", false, " ", ", "});
    if (token == "{" && declaration == "op")
      places.push_back({i, "opClause", false, "", ""});
    if (token == "=>")
      places.push_back({i, "rightSide", false, " ", " "});
    if (token == "(" && declaration == "pattern")
      places.push_back({i, below(random, 2) ? "matchArg" : "arg", false, "", ", "});
    last = token;
  }
  for (size_t edits = 1 + below(random, 2); edits > 0; --edits) {
    Words words = wordsOf(t, random);
    Tokens piece;
    if (places.empty() || below(random, 6) == 0) { // a declaration, anywhere between others: here at the end
      sentences_.write("declaration", words, random, piece);
      t.insert(t.end(), piece.begin(), piece.end());
      continue;
    }
    Place place = pick(random, places);
    piece.emplace_back(place.before);
    sentences_.write(place.rule, words, random, piece);
    piece.emplace_back(place.after);
    std::erase(piece, "");
    auto at = t.begin() + long(place.at);
    if (place.replaces) {
      *at = join(piece);
      std::erase_if(places, [&](const Place &p) { return p.at == place.at; });
    } else
      *at += join(piece);
  }
}

void Texts::mix(Tokens &t, Random &random) {
  for (size_t n = 1 + below(random, 2); n > 0; --n) {
    Tokens other = corpus_.small(random);
    t.insert(below(random, 2) ? t.begin() : t.end(), other.begin(), other.end());
  }
  if (below(random, 2))
    vary(t, random);
}

void Texts::breakBytes(std::string &text, Random &random) {
  for (size_t edits = 1 + below(random, 8); edits > 0 && !text.empty(); --edits) {
    size_t at = below(random, text.size());
    static constexpr std::string_view odd("\0\xff\xc3\xe2\x80\r\n\t\"\\'#@`~$", 17);
    char c = below(random, 2) ? odd[below(random, odd.size())] : char(below(random, 256));
    switch (below(random, 4)) {
    case 0:
      text[at] = c;
      break;
    case 1:
      text.insert(at, 1, c);
      break;
    case 2:
      text.erase(at, 1 + below(random, 3));
      break;
    default:
      text.resize(below(random, 8) ? text.size() : at); // cut off
    }
  }
}

std::string Texts::damaged(Random &random) {
  Tokens t = corpus_.whole(random);
  damage(t, random);
  return join(t);
}

std::string Texts::likely(Random &random) {
  Tokens t = corpus_.small(random);
  size_t way = below(random, 20);
  if (way < 2)
    return join(t);
  if (way < 9)
    vary(t, random);
  else if (way < 12)
    damage(t, random);
  else if (way < 17)
    generate(t, random);
  else if (way < 19)
    mix(t, random);
  std::string text = join(t);
  if (way == 19)
    breakBytes(text, random);
  return text;
}

} // namespace rw::fuzz
