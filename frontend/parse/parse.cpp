#include "frontend/parse/parse.h"

#include "frontend/parse/broken_declarations.h"
#include "frontend/parse/builder.h"
#include "frontend/parse/recovery.h"
#include "frontend/parse/token_stream.h"

#include <fmt/format.h>

#include <set>
#include <thread>

namespace rw {
namespace parse {
namespace {

/// Contexts live as long as ANTLR's parser, unless it is told that a declaration's are no longer needed.
class DeclarationParser final : public antlr::RwParser {
public:
  using RwParser::RwParser;
  void forgetContexts() {
    setContext(nullptr);
    _tracker.reset();
  }
};

/// What is wrong with the characters of a text, said when it is known what they are part of.
class LexicalErrors {
public:
  LexicalErrors(const TokenList &tokens, const Diagnostics &found)
      : tokens_(tokens), found_(found), silent_(found.all().size()) {}

  /// Of the tokens [begin, end) something else has been said.
  void silence(size_t begin, size_t end) {
    for (size_t i = 0; i < silent_.size(); ++i) {
      bool inside =
          i < tokens_.lexicalErrors.size() && tokens_.lexicalErrors[i] >= begin && tokens_.lexicalErrors[i] < end;
      silent_[i] = silent_[i] || inside;
    }
  }

  /// The same once more in one declaration: text pasted from elsewhere, or the other end of a string.
  void silenceRepeated(const Outline &outline) {
    std::set<std::pair<uint32_t, std::string>> said;
    for (size_t i = 0; i < silent_.size() && i < tokens_.lexicalErrors.size(); ++i) {
      const Diagnostic &d = found_.all()[i];
      // Each of these is put right on its own.
      if (silent_[i] || d.message.find(" is written `") != d.message.npos || d.tag == "bad-number")
        continue;
      silent_[i] = !said.emplace(outline.startBefore(tokens_.lexicalErrors[i]), d.message).second;
    }
  }

  void report(Diagnostics &diags) const {
    for (size_t i = 0; i < silent_.size(); ++i) {
      if (silent_[i])
        continue;
      const Diagnostic &d = found_.all()[i];
      auto error = diags.error(d.tag, d.range, d.message);
      for (const Diagnostic::Note &n : d.notes)
        n.range ? error.note(n.range, n.message) : error.note(n.message);
      for (const Diagnostic::FixIt &f : d.fixIts)
        error.fixIt(f.range, f.replacement);
    }
  }

private:
  const TokenList &tokens_;
  const Diagnostics &found_;
  std::vector<bool> silent_;
};

/// Parses the declarations of one text, one after the other.
class ModuleParser {
public:
  ModuleParser(const TokenList &tokens, const Outline &outline, LexicalErrors &lexical, bool tests, Diagnostics &diags,
               ast::Module &module)
      : tokens_(tokens), outline_(outline), lexical_(lexical), tests_(tests), diags_(diags), module_(module),
        stream_(tokens.tokens), parser_(&stream_), errors_(tokens, outline, diags),
        builder_(tokens, diags, [this](size_t begin, size_t end) { return slice(begin, end); }) {
    recovery_ = std::make_shared<Recovery>(tokens, outline, errors_);
    parser_.removeErrorListeners();
    parser_.setStrategy(recovery_, P::RuleOpDecl);
    // The grammar needs one token of look-ahead, so SLL is always enough.
    parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  }

  void run() {
    run(0, tokens_.size() - 1);
    builder_.strayDocs(module_.strayDocs);
    module_.lostCommas = builder_.lostCommas();
  }

  /// What begins at the tokens [at, end); returns where the last of it ends.
  size_t run(size_t at, size_t end) {
    while (at < end) {
      if (!outline_.startsAt(at)) {
        size_t behind = behindUnknown(at);
        // What follows on the line of something wrong is no mistake of its own.
        bool rest = wasWrong_ && at &&
                    tokens_.text.substr(tokens_.end(at - 1), tokens_.begin(at) - tokens_.end(at - 1)).find('\n') ==
                        std::string_view::npos;
        wasWrong_ = true;
        if (rest || errors_.unknownDeclaration(at))
          lexical_.silence(at, behind);
        addDamaged(tokens_, at, behind, false, module_);
        at = behind;
      } else if (wasWrong_ && ((tokens_.type(at) == Lexer::PATTERN && tokens_.type(at + 1) == Lexer::SPLICED_NAME) ||
                               behindFor(at))) {
        damaged(at); // its `for` is what was wrong
        at = outline_.nextStart(at + 1);
      } else if (!tests_ && tokens_.type(at) == Lexer::TEST) {
        at = outline_.nextStart(at + 1);
      } else {
        at = declaration(at);
      }
    }
    return at;
  }
  const Builder &builder() const { return builder_; }

private:
  /// Nothing but the clauses of a `for` stands since the declaration before.
  bool behindFor(size_t at) const {
    size_t start = at ? outline_.startBefore(at - 1) : at;
    if (start >= at || tokens_.type(start) != Lexer::FOR)
      return false;
    while (start < at && tokens_.type(start) != Lexer::PATTERN)
      ++start;
    return start == at;
  }

  /// Behind what seems to be one declaration: a `;`, a pair of braces, or the next keyword.
  size_t behindUnknown(size_t at) const {
    size_t next = outline_.nextStart(at + 1);
    auto closes = [&](size_t i) {
      size_t type = tokens_.type(i);
      return type == Lexer::RPAREN || type == Lexer::RBRACK || type == Lexer::RBRACE;
    };
    if (closes(at)) {
      while (at < next && closes(at))
        ++at;
      return at;
    }
    for (; at < next; ++at) {
      size_t type = tokens_.type(at);
      if (type == Lexer::SEMI)
        return at + 1;
      bool opener = type == Lexer::LPAREN || type == Lexer::LBRACK || type == Lexer::LBRACE;
      if (!opener)
        continue;
      if (outline_.partner(at) == Outline::kNone)
        return next;
      at = outline_.partner(at);
      if (type == Lexer::LBRACE)
        return at + 1;
    }
    return next;
  }

  /// Parses what starts at the token; returns where to go on.
  size_t declaration(size_t start) {
    if (outline_.isTooDeep(start)) {
      damaged(start);
      return outline_.nextStart(start + 1);
    }
    recovery_->begin();
    wasWrong_ = false;
    stream_.seek(start);
    P::DeclarationContext *context = nullptr;
    try {
      context = parser_.declaration();
    } catch (const antlr4::RecognitionException &) {
      // Reported already.
    }
    size_t stop = stream_.index();
    wasWrong_ = recovery_->errorCount() != 0;
    bool broken = !context || recovery_->isBroken();
    // Where a character was wrong the tree would lie.
    ast::DeclPtr decl;
    if (!broken && !tokens_.lexicalErrorIn(start, stop - 1))
      decl = builder_.declaration(context);
    parser_.forgetContexts();
    if (broken) {
      damaged(start);
      size_t next = outline_.nextStart(std::max(stop, start + 1));
      addSkipped(tokens_, std::max(stop, start + 1), next, module_);
      return next;
    }
    if (decl)
      module_.decls.push_back(std::move(decl));
    else
      damaged(start), wasWrong_ = true;
    return stop;
  }

  /// Remembers what was declared, so that nobody reports it as missing.
  void damaged(size_t start) { addDamaged(tokens_, start, outline_.nextStart(start + 1), true, module_); }

  /// An expression inside a string.
  ast::ExprPtr slice(size_t begin, size_t end) {
    size_t before = diags_.errorCount();
    TokenList tokens;
    lexSlice(tokens_, begin, end, diags_, tokens);
    DeclStarts none = resolveKeywords(tokens);
    Outline outline(tokens, {}, diags_);
    if (diags_.errorCount() != before)
      return nullptr;
    if (tokens.size() == 1) {
      diags_.error("syntax", tokens_.rangeOf(begin - 1, end + 1), "an expression is missing between `{` and `}`")
          .note("a brace that is meant as text is written `{{`");
      return nullptr;
    }
    ListStream stream(tokens.tokens);
    antlr::RwParser parser(&stream);
    SyntaxErrors errors(tokens, outline, diags_);
    auto recovery = std::make_shared<Recovery>(tokens, outline, errors);
    parser.removeErrorListeners();
    parser.setStrategy(recovery);
    P::ExpressionContext *context = nullptr;
    try {
      context = parser.expression();
    } catch (const antlr4::RecognitionException &) {
      return nullptr;
    }
    if (recovery->errorCount())
      return nullptr;
    if (stream.LA(1) != Token::EOF) {
      diags_.error("syntax", tokens.rangeOf(stream.LT(1)), "one expression stands between `{` and `}`")
          .note("as in \"must be {x.rank}\"; a brace itself is written `{{`");
      return nullptr;
    }
    Builder builder(tokens, diags_, [](size_t, size_t) { return nullptr; });
    return builder.wholeExpression(context);
  }

  const TokenList &tokens_;
  const Outline &outline_;
  LexicalErrors &lexical_;
  const bool tests_;
  Diagnostics &diags_;
  ast::Module &module_;
  ListStream stream_;
  DeclarationParser parser_;
  SyntaxErrors errors_;
  std::shared_ptr<Recovery> recovery_;
  Builder builder_;
  bool wasWrong_ = false; // what stood before
};

std::string_view kindName(size_t type) {
  switch (type) {
  case Lexer::IDENT:
  case Lexer::SPLICED_NAME:
    return "name";
  case Lexer::INT:
    return "int";
  case Lexer::FLOAT:
    return "float";
  case Lexer::STRING:
    return "string";
  case Lexer::NATIVE:
    return "native";
  default:
    return isKeyword(type) ? "keyword" : "sign";
  }
}

/// Below this a thread costs more than it saves.
constexpr size_t kWorthThread = 6'000; // tokens

/// The declarations of a text in which nothing is wrong, the first half of them on a thread of its own; false, and
/// nothing is said, if something is.
bool parseInTwo(const TokenList &tokens, const Outline &outline, bool tests, const SourceManager &sources,
                ast::Module &module) {
  const size_t end = tokens.size() - 1, middle = outline.nextStart(end / 2);
  if (middle >= end)
    return false;
  struct Half {
    Half(const TokenList &tokens, const Outline &outline, bool tests, const SourceManager &all)
        : sources(all), diags(sources), none(diags), lexical(tokens, none),
          parser(tokens, outline, lexical, tests, diags, module) {}
    SourceManager sources; // threads share none
    Diagnostics diags;
    const Diagnostics &none; // of the lexer
    LexicalErrors lexical;
    ast::Module module;
    ModuleParser parser;
  } first(tokens, outline, tests, sources), second(tokens, outline, tests, sources);
  first.module.file = second.module.file = module.file;
  size_t behindFirst = 0;
  {
    std::jthread thread([&] { behindFirst = first.parser.run(0, middle); });
    second.parser.run(middle, end);
  }
  if (!first.diags.all().empty() || !second.diags.all().empty() || behindFirst != middle)
    return false;
  module = std::move(first.module);
  for (ast::DeclPtr &decl : second.module.decls)
    module.decls.push_back(std::move(decl));
  first.parser.builder().strayDocs(module.strayDocs, &second.parser.builder());
  for (const ModuleParser *part : {&first.parser, &second.parser})
    module.lostCommas.insert(module.lostCommas.end(), part->builder().lostCommas().begin(),
                             part->builder().lostCommas().end());
  return true;
}

} // namespace
} // namespace parse

std::unique_ptr<ast::Module> parseModule(FileId file, const SourceManager &sources, Diagnostics &diags,
                                         unsigned threads, bool tests) {
  auto module = std::make_unique<ast::Module>();
  module->file = file;
  parse::TokenList tokens;
  Diagnostics ofLexer(sources); // held back: the parser may say what they are part of
  bool lexed = parse::lex(file, sources, ofLexer, tokens, tests);
  parse::LexicalErrors lexical(tokens, ofLexer);
  if (lexed) {
    const size_t before = diags.all().size();
    parse::Outline outline(tokens, parse::resolveKeywords(tokens), diags);
    const bool isRight = ofLexer.all().empty() && diags.all().size() == before;
    if (!(threads > 1 && isRight && tokens.size() >= parse::kWorthThread &&
          parse::parseInTwo(tokens, outline, tests, sources, *module)))
      parse::ModuleParser(tokens, outline, lexical, tests, diags, *module).run();
    lexical.silenceRepeated(outline);
  }
  lexical.report(diags);
  return module;
}

void dumpTokens(FileId file, const SourceManager &sources, Diagnostics &diags, std::string &out) {
  parse::TokenList tokens;
  if (!parse::lex(file, sources, diags, tokens))
    return;
  parse::resolveKeywords(tokens);
  auto line = [&](size_t begin, size_t end, std::string_view kind) {
    LineColumn at = sources.lineColumn(sources.locOf(file, begin));
    out += fmt::format("{}:{} {} ", at.line, at.column, kind);
    // One line each, also for C++ blocks.
    for (char c : tokens.text.substr(begin, end - begin))
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
    out += '\n';
  };
  size_t doc = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    for (; doc < tokens.docs.size() && tokens.docs[doc].before <= i; ++doc)
      line(tokens.docs[doc].begin, tokens.docs[doc].end, "doc");
    line(tokens.begin(i), tokens.end(i), parse::kindName(tokens.type(i)));
  }
  for (; doc < tokens.docs.size(); ++doc)
    line(tokens.docs[doc].begin, tokens.docs[doc].end, "doc");
}

} // namespace rw
