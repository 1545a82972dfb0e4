#include "frontend/parse/tokens.h"

#include "frontend/parse/parse.h"
#include "frontend/parse/scanner.h"
#include "rw/support/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace rw::parse {
namespace {

/// Lexes one text and reports what no token can be made of.
class TokenReader {
public:
  TokenReader(TokenList &out, Diagnostics &diags, bool testBodies = true)
      : out_(out), diags_(diags), testBodies_(testBodies) {}

  void read(size_t begin, size_t end, bool addEnd = true) {
    // A byte order mark is no character.
    while (out_.text.substr(begin, end - begin).starts_with("\xef\xbb\xbf"))
      begin += 3;
    const std::string_view text = out_.text.substr(0, end);
    const Scanner &scanner = Scanner::get();
    for (size_t first = begin, last; first < end; first = last) {
      const Scanner::Found found = scanner.next(text, first);
      const size_t type = found.type;
      last = found.end;
      if (found.channel != Scanner::Channel::Parser) {
        if (type == Lexer::DOC_COMMENT)
          out_.docs.push_back({uint32_t(out_.size()), uint32_t(first), uint32_t(last)});
        continue;
      }
      if (type >= Lexer::WRONG_AND)
        wrong(type, first, last);
      else if (type == Lexer::SPLICED_NAME && !(out_.size() && out_.type(out_.size() - 1) == Lexer::PATTERN))
        takeApart(first, last);
      else
        out_.add(type, first, last);
      if (!testBodies_)
        last = pastTestBody(type, text, first, last);
      if (out_.size() > kMaxTokens) {
        report("too-large", first, last, fmt::format("this file has more than {} words and signs", kMaxTokens))
            .note("split it, and `import` the parts");
        break;
      }
    }
    if (addEnd)
      out_.add(Token::EOF, end, end);
  }

private:
  /// Where to go on behind the token: behind the `{` of a test, at the `}` that closes it. A text in which tests are
  /// passed over is right, so that `test` at the beginning of a line, behind what ends a declaration, begins one.
  size_t pastTestBody(size_t type, std::string_view text, size_t first, size_t last) {
    const size_t index = out_.size() - 1;
    if (type == Lexer::TEST) {
      const size_t before = index ? out_.type(index - 1) : size_t(Lexer::SEMI);
      const bool ends = before == Lexer::SEMI || before == Lexer::RBRACE || before == Lexer::NATIVE;
      inTest_ = ends && out_.inFirstColumn(index);
      return last;
    }
    if (!inTest_ || type != Lexer::LBRACE)
      return last;
    inTest_ = false;
    size_t depth = 0;
    for (size_t at = last; at < text.size();) {
      switch (text[at]) {
      case '{':
        ++depth;
        break;
      case '}':
        if (depth-- == 0)
          return at;
        break;
      case '"': // what begins with these may have braces in it that are no signs
      case '\'':
      case '/':
      case '[':
        at = Scanner::get().next(text, at).end;
        continue;
      default:
        break;
      }
      ++at;
    }
    return last;
  }

  /// A brace that only looks like a splice, as in `pass p{A}`.
  void takeApart(size_t first, size_t last) {
    for (size_t i = first; i < last;) {
      if (char c = out_.text[i]; c == '{' || c == '}') {
        out_.add(c == '{' ? Lexer::LBRACE : Lexer::RBRACE, i, i + 1);
        ++i;
        continue;
      }
      size_t end = std::min(last, out_.text.find_first_of("{}", i));
      read(i, end, false);
      i = end;
    }
  }

  Diagnostics::Builder report(const char *tag, size_t first, size_t last, std::string message) {
    out_.lexicalErrors.push_back(uint32_t(out_.size()));
    return diags_.error(tag, out_.rangeOf(first, last), std::move(message));
  }

  bool isWordAt(size_t at) const {
    const unsigned char c = at < out_.text.size() ? static_cast<unsigned char>(out_.text[at]) : 0;
    return std::isalnum(c) || c == '_';
  }
  /// `2x3` as it is written here: `2, 3`; empty if it is nothing like it.
  static std::string sizesOf(std::string_view text) {
    std::string out;
    bool digit = false;
    for (char c : text) {
      if (c == 'x' && digit)
        out += ", ";
      else if (!std::isdigit(static_cast<unsigned char>(c)))
        return {};
      else
        out += c;
      digit = c != 'x';
    }
    return digit && out.size() > text.size() ? out : std::string();
  }

  void wrong(size_t type, size_t first, size_t last) {
    std::string_view text = out_.text.substr(first, last - first);
    SourceRange range = out_.rangeOf(first, last);
    switch (type) {
    case Lexer::WRONG_AND:
    case Lexer::WRONG_OR: {
      const char *word = type == Lexer::WRONG_AND ? "and" : "or";
      report("unexpected-character", first, last, fmt::format("`{}` is written `{}`", text, word)).fixIt(range, word);
      return out_.add(type == Lexer::WRONG_AND ? Lexer::AND : Lexer::OR, first, last);
    }
    case Lexer::WRONG_NOT:
      report("unexpected-character", first, last, "`!` is written `not`").fixIt(range, "not ");
      return out_.add(Lexer::NOT, first, last);
    case Lexer::SINGLE_QUOTED: {
      auto error = report("unexpected-character", first, last, "a string stands between double quotes");
      if (text.find('"') == text.npos)
        error.fixIt(range, fmt::format("\"{}\"", text.substr(1, text.size() - 2)));
      return out_.add(Lexer::STRING, first, last);
    }
    case Lexer::BAD_NUMBER:
      if (std::string sizes = sizesOf(text); !sizes.empty()) { // 2x3
        report("bad-number", first, last, "dimensions are separated by `,`").fixIt(range, sizes);
        return out_.add(Lexer::INT, first, last);
      }
      report("bad-number", first, last, fmt::format("`{}` is neither a number nor a name", text))
          .note("numbers are written 12, 0xff, 1.5 or 1e-3; names begin with a letter or `_`");
      return out_.add(Lexer::INT, first, last);
    case Lexer::UNCLOSED_STRING:
      report("unclosed", first, last, "this string is not closed before the end of its line")
          .note("a string ends with `\"`; a line break inside it is written \\n");
      return out_.add(Lexer::STRING, first, last);
    case Lexer::UNCLOSED_NATIVE:
      report("unclosed", first, first + 2, "this C++ block is never closed").note("it ends with `}]`");
      return out_.add(Lexer::NATIVE, first, last);
    case Lexer::UNCLOSED_COMMENT:
      report("unclosed", first, first + 2, "this comment is never closed").note("it ends with `*/`");
      return;
    default:
      return badCharacter(text, first, last);
    }
  }

  void badCharacter(std::string_view text, size_t first, size_t last) {
    // A run of them is one error, reported with its first.
    bool continues = first == badEnd_ && first != 0;
    badEnd_ = last;
    if (continues)
      return;
    SourceRange range = out_.rangeOf(first, last);
    unsigned char c = text[0];
    if (text == "\u201c" || text == "\u201d" || text == "\u2018" || text == "\u2019") {
      report("unexpected-character", first, last, "a string stands between plain double quotes").fixIt(range, "\"");
    } else if (text == "\u00a0") {
      report("unexpected-character", first, last, "this is a no-break space; an ordinary one is needed")
          .fixIt(range, " ");
    } else if (const char *word = spelledOut(text)) {
      report("unexpected-character", first, last, fmt::format("`{}` is written `{}`", text, word)).fixIt(range, word);
    } else if (c == '#' && out_.text.substr(last).starts_with("include")) {
      report("unexpected-character", first, last + 7, "a file is made known by `import`")
          .note("as in `import \"ops/tensor.rw\";`");
    } else if (c == '#') {
      report("unexpected-character", first, last, "comments begin with `//`").fixIt(range, "//");
    } else if (c == '@' && first && out_.text[first - 1] == ' ' && out_.text.substr(last).starts_with(" ")) {
      report("unexpected-character", first, last, "what a match names stands in front of a `:`")
          .fixIt(out_.rangeOf(first - 1, last), ":")
          .note("as in `d: relu(x)`");
    } else if (c == '@' && isWordAt(first - 1) && first && isWordAt(last)) { // x@relu(y)
      report("unexpected-character", first, last, "what a match names stands behind the name and a `:`")
          .fixIt(range, ": ")
          .note("as in `d: relu(x)`");
    } else if (c == '~' && out_.text.substr(last).starts_with(">")) {
      report("unexpected-character", first, last, "what a match becomes stands behind `=>`")
          .fixIt(out_.rangeOf(first, last + 1), "=>");
    } else if (c == '%' || c == '@' || c == '$') {
      auto in = [&](size_t at) { return static_cast<unsigned char>(at < out_.text.size() ? out_.text[at] : 0); };
      bool alone = !first || (!std::isalnum(in(first - 1)) && in(first - 1) != '_'); // @0 is no name without it
      report("unexpected-character", first, last, fmt::format("names carry no `{}` here", text))
          .fixIt(range, alone && std::isdigit(in(last)) ? "x" : "");
    } else if (c == '~') {
      report("unexpected-character", first, last, "there is no `~`")
          .note("the complement of the bits of an int is `n ^ -1`; conditions are turned round by `not`");
    } else if (c < 0x20 || c == 0x7f) {
      report("unexpected-character", first, last, fmt::format("unexpected control character {:#04x}", c));
    } else if (c >= 0x80) {
      report("unexpected-character", first, last, fmt::format("unexpected character `{}`", text))
          .note(
              "names consist of the letters a to z, digits and `_`; any other text belongs into a string or a comment");
    } else {
      report("unexpected-character", first, last, fmt::format("unexpected character `{}`", text));
    }
  }

  /// What a sign of mathematics is written as, or null.
  static const char *spelledOut(std::string_view text) {
    static constexpr std::pair<std::string_view, const char *> kSigns[] = {
        {"≤", "<="}, {"≥", ">="}, {"≠", "!="},  {"→", "->"}, {"⇒", "=>"},  {"×", "*"},   {"·", "*"},
        {"÷", "/"},  {"−", "-"},  {"∧", "and"}, {"∨", "or"}, {"¬", "not"}, {"…", "..."}, {"∈", "in"}};
    for (auto [sign, word] : kSigns)
      if (text == sign)
        return word;
    return nullptr;
  }

  TokenList &out_;
  Diagnostics &diags_;
  const bool testBodies_;
  bool inTest_ = false; // in front of its body
  size_t badEnd_ = 0;
};

/// The size if there is none.
size_t firstInvalidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t eight; // bytes of ASCII, mostly
    if (at + sizeof eight <= text.size() &&
        (std::memcpy(&eight, text.data() + at, sizeof eight), (eight & 0x8080808080808080) == 0)) {
      at += sizeof eight;
      continue;
    }
    utf8::Unit unit = utf8::decode(text, at);
    if (!unit.valid)
      break;
    at += unit.length;
  }
  return at;
}

} // namespace

bool TokenList::firstOnLine(size_t i) const {
  size_t at = begin(i);
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
    --at;
  return at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
}

bool TokenList::lexicalErrorIn(size_t firstToken, size_t lastToken) const {
  auto at = std::lower_bound(lexicalErrors.begin(), lexicalErrors.end(), uint32_t(firstToken));
  return at != lexicalErrors.end() && *at <= lastToken;
}

void TokenList::addBlock() {
  // A slice of a text has few tokens, and few bytes.
  owned_.emplace_back().reserve(owned_.empty() ? std::min(kBlock, text.size()) : kBlock);
}

bool isKeyword(size_t type) { return type >= Lexer::DIALECT && type <= Lexer::FALSE; }
bool isWord(size_t type) { return type == Lexer::IDENT || isKeyword(type); }

bool lex(FileId file, const SourceManager &sources, Diagnostics &diags, TokenList &out, bool testBodies) {
  out.file = file;
  out.text = sources.text(file);
  out.base = sources.locOf(file, 0);
  if (out.text.size() > ast::kMaxSourceBytes) {
    diags
        .error("too-large", {out.base, out.base},
               fmt::format("this file has more than the {} bytes that are read", ast::kMaxSourceBytes))
        .note("split it, and `import` the parts");
    return false;
  }
  if (size_t bad = firstInvalidUtf8(out.text); bad != out.text.size()) {
    diags.error("invalid-utf8", out.rangeOf(bad, bad + 1),
                fmt::format("byte {:#04x} at offset {} is not UTF-8 text", (unsigned char)out.text[bad], bad));
    return false;
  }
  TokenReader(out, diags, testBodies).read(0, out.text.size());
  return true;
}

void lexSlice(const TokenList &whole, size_t begin, size_t end, Diagnostics &diags, TokenList &out) {
  out.file = whole.file;
  out.text = whole.text;
  out.base = whole.base;
  out.endOfText = "`}`";
  TokenReader(out, diags).read(begin, end);
}

} // namespace rw::parse
