#include "frontend/parse/keywords.h"

#include <algorithm>

namespace rw::parse {
namespace {

using L = Lexer;

/// What can follow a name, and never a keyword that introduces something.
bool followsName(size_t type) {
  switch (type) {
  case L::ASSIGN:
  case L::COLON:
  case L::COMMA:
  case L::RPAREN:
  case L::RBRACK:
  case L::SEMI:
  case L::DOT:
  case L::SCOPE:
  case L::FATARROW:
    return true;
  default:
    return false;
  }
}

class KeywordPass {
public:
  explicit KeywordPass(TokenList &tokens) : tokens_(tokens) {}

  DeclStarts run() {
    const std::vector<SourceToken *> &all = tokens_.tokens; // the last ends the file
    for (i_ = 0; i_ + 1 < all.size(); ++i_) {
      const size_t type = all[i_]->getType();
      previous_ = i_ ? all[i_ - 1]->getType() : size_t(L::SEMI);
      next_ = all[i_ + 1]->getType();
      if (isKeyword(type)) {
        if (startsDeclaration(type))
          start(type);
        else if (isPrivate(type))
          goOn(type);
        else if (!isMeant(type))
          tokens_.tokens[i_]->setType(L::IDENT);
      } else if (type == L::IDENT && isNumber()) {
        tokens_.tokens[i_]->setType(L::FLOAT);
      } else if (type == L::BAR && kind_ == L::MATCH && depth_ == 0) {
        tokens_.tokens[i_]->setType(L::CASE_BAR);
      } else if (type == L::LPAREN || type == L::LBRACK || type == L::LBRACE) {
        ++depth_;
      } else if (type == L::RPAREN || type == L::RBRACK || type == L::RBRACE) {
        if (depth_)
          --depth_;
      } else if (type == L::SEMI && kind_ == L::OP && depth_ > 1) {
        depth_ = 1; // no clause holds a `;`: a bracket before it was not closed
      }
    }
    return std::move(starts_);
  }

private:
  bool startsDeclaration(size_t type) const {
    if (!beginsDeclaration(type) || inNamePosition() || isPrivate(type))
      return false;
    if (previous_ == L::EXTERN && (type == L::CONSTRAINT || type == L::REWRITE))
      return false;
    if (inFor_ && type == L::PATTERN && previous_ == L::IDENT && depth_ == 0)
      return isWord(next_) || next_ == L::SPLICED_NAME;
    bool separated = previous_ == L::SEMI || previous_ == L::RBRACE || previous_ == L::NATIVE;
    if (depth_ == 0 && separated)
      return true;
    if (type == L::FOR && kind_ == L::TRAIT && depth_ == 0 && keywordAt_ + 2 == i_)
      return false; // `trait t for …`
    bool plausible = isWord(next_) || next_ == L::SPLICED_NAME || (type == L::IMPORT && next_ == L::STRING) ||
                     (type == L::FOR && next_ == L::LPAREN);
    if (depth_ == 0)
      return plausible && tokens_.firstOnLine(i_);
    return plausible && tokens_.inFirstColumn(i_) && !(type == L::FOR && goesThroughList());
  }

  /// Whether the `for` goes through a list, as in `[f(k) for k in 0..3]`, wherever the line is broken. A declaration's
  /// goes through `{…}` or a set: `for op in {…} pattern P`, `for op in ops pattern P`.
  bool goesThroughList() const {
    size_t at = i_ + 1;
    if (tokens_.type(at) == L::LPAREN)
      while (at + 1 < tokens_.size() &&
             (isWord(tokens_.type(at)) || tokens_.type(at) == L::LPAREN || tokens_.type(at) == L::COMMA))
        ++at;
    if (at + 3 >= tokens_.size() || tokens_.type(at + 1) != L::IN)
      return false;
    size_t source = tokens_.type(at + 2), behind = tokens_.type(at + 3);
    return source != L::LBRACE && !(isWord(source) && (behind == L::PATTERN || behind == L::FOR));
  }

  /// Behind `private`: what is declared.
  bool isPrivate(size_t type) const {
    return beginsDeclaration(type) && type != L::PRIVATE && previous_ == L::PRIVATE && keywordAt_ + 1 == i_ &&
           depth_ == 0;
  }
  void goOn(size_t type) {
    inFor_ = type == L::FOR;
    kind_ = inFor_ ? size_t(L::PATTERN) : type;
    keywordAt_ = i_;
  }

  void start(size_t type) {
    bool continuesFor = inFor_ && (type == L::FOR || type == L::PATTERN);
    inFor_ = type == L::FOR;
    if (!continuesFor)
      starts_.push_back(uint32_t(i_));
    depth_ = 0;
    kind_ = inFor_ ? size_t(L::PATTERN) : type;
    keywordAt_ = i_;
  }

  /// Right behind the keyword of the declaration.
  bool inNamePosition() const {
    return i_ && keywordAt_ + 1 == i_ && previous_ != L::FOR && previous_ != L::EXTERN && previous_ != L::PRIVATE &&
           beginsDeclaration(previous_);
  }

  /// `inf` and `nan` are floats, except as the name of an attribute.
  bool isNumber() const {
    const SourceToken &token = *tokens_.tokens[i_];
    if (token.getStopIndex() - token.getStartIndex() != 3)
      return false;
    const std::string_view text = tokens_.textOf(&token);
    return (text == "inf" || text == "nan") && previous_ != L::DOT && next_ != L::ASSIGN && next_ != L::COLON &&
           !inNamePosition();
  }

  bool isMeant(size_t type) const {
    if (previous_ == L::DOT || previous_ == L::SCOPE || next_ == L::SCOPE)
      return false;
    if (type == L::TRUE || type == L::FALSE)
      return next_ != L::ASSIGN && next_ != L::COLON;
    if (inNamePosition() || kind_ == L::EXPECT) // names alone
      return false;
    switch (type) {
    case L::CONSTRAINT:
    case L::REWRITE:
      return previous_ == L::EXTERN;
    case L::VERSIONS:
      return kind_ == L::OP && depth_ == 0;
    case L::ATTR:
    case L::TRAITS:
    case L::REQUIRE:
    case L::TYPE:
    case L::FOLD:
    case L::MEANS:
    case L::CANONICALIZE:
    case L::REGION:
      return kind_ == L::OP && depth_ == 1 &&
             (previous_ == L::LBRACE || previous_ == L::SEMI || (tokens_.firstOnLine(i_) && !followsName(next_)));
    case L::BENEFIT:
    case L::FASTMATH:
    case L::RECURSIVE:
    case L::ASSUME_SAME_TYPE:
      return kind_ == L::PATTERN && depth_ == 0;
    case L::LABEL:
      return (kind_ == L::PATTERN && depth_ == 0) ||
             ((kind_ == L::PASS || kind_ == L::CONVERSION) && next_ == L::STRING);
    case L::WHERE:
      return ((kind_ == L::PATTERN && depth_ == 1) || (kind_ == L::MATCH && depth_ == 0)) && endsOperand(previous_);
    case L::REPLACE:
    case L::UPDATE:
    case L::ERASE:
      return (kind_ == L::PATTERN || kind_ == L::REWRITE) && isWord(next_) &&
             (previous_ == L::LBRACE || previous_ == L::SEMI || previous_ == L::FATARROW);
    case L::WITH:
      return i_ >= 2 && tokens_.type(i_ - 2) == L::REPLACE;
    case L::CONST:
      return isWord(next_) || next_ == L::UNDERSCORE;
    case L::SINGLE:
    case L::ORDERED:
    case L::EACH:
      return isWord(next_) || next_ == L::UNDERSCORE || next_ == L::LPAREN;
    case L::REPEAT:
      return kind_ == L::PIPELINE && (next_ == L::LPAREN || next_ == L::INT);
    case L::IF:
    case L::LET:
    case L::NOT:
      return !followsName(next_);
    case L::THEN:
    case L::ELSE:
    case L::FOR:
    case L::IN:
    case L::AND:
    case L::OR:
    case L::IS:
      return endsOperand(previous_);
    default:
      return false; // declaration keywords elsewhere
    }
  }

  TokenList &tokens_;
  DeclStarts starts_;
  size_t i_ = 0, previous_ = 0, next_ = 0;
  size_t depth_ = 0;     // of brackets, since the start of the declaration
  size_t kind_ = 0;      // keyword of the declaration we are in
  size_t keywordAt_ = 0; // its index
  bool inFor_ = false;   // between `for` and the `pattern` it belongs to
};

} // namespace

bool endsOperand(size_t type) {
  switch (type) {
  case L::IDENT:
  case L::INT:
  case L::FLOAT:
  case L::STRING:
  case L::TRUE:
  case L::FALSE:
  case L::RPAREN:
  case L::RBRACK:
  case L::UNDERSCORE:
    return true;
  default:
    return false;
  }
}

bool beginsDeclaration(size_t type) {
  switch (type) {
  case L::DIALECT:
  case L::IMPORT:
  case L::OP:
  case L::FN:
  case L::PATTERN:
  case L::MATCH:
  case L::SET:
  case L::TRAIT:
  case L::EXTERN:
  case L::PRIVATE:
  case L::CONSTRAINT:
  case L::REWRITE:
  case L::PASS:
  case L::PIPELINE:
  case L::CONVERSION:
  case L::TEST:
  case L::EXPECT:
  case L::FOR:
    return true;
  default:
    return false;
  }
}

bool isReserved(std::string_view word, bool isCalled) {
  static constexpr std::string_view kWords[] = {"if", "let", "not", "true", "false", "none", "inf", "nan"};
  bool beforeMatch = word == "each" || word == "single" || word == "ordered";
  return (isCalled && beforeMatch) || std::ranges::find(kWords, word) != std::end(kWords);
}

DeclStarts resolveKeywords(TokenList &tokens) { return KeywordPass(tokens).run(); }

} // namespace rw::parse
