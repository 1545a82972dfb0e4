#include "frontend/parse/parse.h"

#include "frontend/parse/builder.h"
#include "frontend/parse/recovery.h"
#include "frontend/parse/token_stream.h"

#include <fmt/format.h>

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

/// Parses the declarations of one text, one after the other.
class ModuleParser {
public:
  ModuleParser(const TokenList &tokens, const Outline &outline, Diagnostics &diags, ast::Module &module)
      : tokens_(tokens), outline_(outline), diags_(diags), module_(module), stream_(tokens), parser_(&stream_),
        errors_(tokens, outline, diags),
        builder_(tokens, diags, [this](size_t begin, size_t end) { return slice(begin, end); }) {
    recovery_ = std::make_shared<Recovery>(tokens, outline, errors_);
    parser_.removeErrorListeners();
    parser_.setErrorHandler(recovery_);
    parser_.setBuildParseTree(false); // labels are all the builder reads
    // The grammar needs one token of look-ahead, so SLL is always enough.
    parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  }

  void run() {
    size_t at = 0, end = tokens_.size() - 1;
    while (at < end) {
      if (!outline_.startsAt(at)) {
        errors_.unknownDeclaration(at);
        at = behindUnknown(at);
      } else {
        at = declaration(at);
      }
    }
    builder_.strayDocs(module_.strayDocs);
  }

private:
  /// Behind what seems to be one declaration: a `;`, a pair of braces, or the next keyword.
  size_t behindUnknown(size_t at) const {
    size_t next = outline_.nextStart(at + 1);
    auto closes = [&](size_t i) {
      size_t type = tokens_.type(i);
      return type == Lexer::RPAREN || type == Lexer::RBRACK || type == Lexer::RBRACE;
    };
    if (closes(at)) {
      while (at < next && closes(at)) ++at;
      return at;
    }
    for (; at < next; ++at) {
      size_t type = tokens_.type(at);
      if (type == Lexer::SEMI) return at + 1;
      bool opener = type == Lexer::LPAREN || type == Lexer::LBRACK || type == Lexer::LBRACE;
      if (!opener) continue;
      if (outline_.partner(at) == Outline::kNone) return next;
      at = outline_.partner(at);
      if (type == Lexer::LBRACE) return at + 1;
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
    stream_.seek(start);
    P::DeclarationContext *context = nullptr;
    try {
      context = parser_.declaration();
    } catch (const antlr4::RecognitionException &) {
      // Reported already.
    }
    size_t stop = stream_.index();
    bool broken = !context || recovery_->errorCount();
    // Where a character was wrong the tree would lie.
    ast::DeclPtr decl;
    if (!broken && !tokens_.lexicalErrorIn(start, stop - 1)) decl = builder_.declaration(context);
    parser_.forgetContexts();
    if (broken) {
      damaged(start);
      return outline_.nextStart(std::max(stop, start + 1));
    }
    if (decl)
      module_.decls.push_back(std::move(decl));
    else
      damaged(start);
    return stop;
  }

  ast::DeclKind kindOf(size_t type) const {
    switch (type) {
    case Lexer::DIALECT: return ast::DeclKind::Dialect;
    case Lexer::IMPORT: return ast::DeclKind::Import;
    case Lexer::OP: return ast::DeclKind::Op;
    case Lexer::FN: return ast::DeclKind::Fn;
    case Lexer::EXTERN: case Lexer::CONSTRAINT: case Lexer::REWRITE: return ast::DeclKind::Native;
    case Lexer::PASS: return ast::DeclKind::Pass;
    case Lexer::PIPELINE: return ast::DeclKind::Pipeline;
    case Lexer::TEST: return ast::DeclKind::Test;
    default: return ast::DeclKind::Pattern;
    }
  }

  /// Remembers what was declared, so that nobody reports it as missing.
  void damaged(size_t start) {
    ast::DeclKind kind = kindOf(tokens_.type(start));
    size_t next = outline_.nextStart(start + 1), at = start + 1;
    if (tokens_.type(start) == Lexer::EXTERN) ++at;
    if (tokens_.type(start) == Lexer::FOR)
      while (at < next && tokens_.type(at - 1) != Lexer::PATTERN) ++at;
    ast::Name name;
    size_t type = at < next ? tokens_.type(at) : size_t(Token::EOF);
    if (isWord(type) || type == Lexer::SPLICED_NAME || (type == Lexer::STRING && kind == ast::DeclKind::Import))
      name = {std::string(tokens_.textOf(at)), tokens_.rangeOf(tokens_.tokens[at])};
    module_.damaged.push_back({kind, std::move(name)});
  }

  /// An expression inside a string.
  ast::ExprPtr slice(size_t begin, size_t end) {
    size_t before = diags_.errorCount();
    TokenList tokens;
    lexSlice(tokens_, begin, end, diags_, tokens);
    DeclStarts none = resolveKeywords(tokens);
    Outline outline(tokens, {}, diags_);
    if (diags_.errorCount() != before) return nullptr;
    if (tokens.size() == 1) {
      diags_.error("syntax", tokens_.rangeOf(begin - 1, end + 1), "an expression is missing between `{` and `}`")
          .note("a brace that is meant as text is written `{{`");
      return nullptr;
    }
    ListStream stream(tokens);
    antlr::RwParser parser(&stream);
    SyntaxErrors errors(tokens, outline, diags_);
    auto recovery = std::make_shared<Recovery>(tokens, outline, errors);
    parser.removeErrorListeners();
    parser.setErrorHandler(recovery);
    parser.setBuildParseTree(false);
    P::ExpressionContext *context = nullptr;
    try {
      context = parser.expression();
    } catch (const antlr4::RecognitionException &) {
      return nullptr;
    }
    if (recovery->errorCount()) return nullptr;
    if (stream.LA(1) != Token::EOF) {
      diags_.error("syntax", tokens.rangeOf(stream.LT(1)), "one expression stands between `{` and `}`");
      return nullptr;
    }
    Builder builder(tokens, diags_, [](size_t, size_t) { return nullptr; });
    return builder.wholeExpression(context);
  }

  const TokenList &tokens_;
  const Outline &outline_;
  Diagnostics &diags_;
  ast::Module &module_;
  ListStream stream_;
  DeclarationParser parser_;
  SyntaxErrors errors_;
  std::shared_ptr<Recovery> recovery_;
  Builder builder_;
};

std::string_view kindName(size_t type) {
  switch (type) {
  case Lexer::IDENT: case Lexer::SPLICED_NAME: return "name";
  case Lexer::INT: return "int";
  case Lexer::FLOAT: return "float";
  case Lexer::STRING: return "string";
  case Lexer::NATIVE: return "native";
  default: return isKeyword(type) ? "keyword" : "sign";
  }
}

} // namespace
} // namespace parse

std::unique_ptr<ast::Module> parseModule(FileId file, const SourceManager &sources, Diagnostics &diags) {
  auto module = std::make_unique<ast::Module>();
  module->file = file;
  parse::TokenList tokens;
  if (!parse::lex(file, sources, diags, tokens)) return module;
  parse::Outline outline(tokens, parse::resolveKeywords(tokens), diags);
  parse::ModuleParser(tokens, outline, diags, *module).run();
  return module;
}

void dumpTokens(FileId file, const SourceManager &sources, Diagnostics &diags, std::string &out) {
  parse::TokenList tokens;
  if (!parse::lex(file, sources, diags, tokens)) return;
  parse::resolveKeywords(tokens);
  auto line = [&](size_t begin, size_t end, std::string_view kind) {
    LineColumn at = sources.lineColumn(sources.locOf(file, begin));
    out += fmt::format("{}:{} {} ", at.line, at.column, kind);
    // One line each, also for C++ blocks.
    for (char c : tokens.text.substr(begin, end - begin)) out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
    out += '\n';
  };
  size_t doc = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    for (; doc < tokens.docs.size() && tokens.docs[doc].before <= i; ++doc)
      line(tokens.docs[doc].begin, tokens.docs[doc].end, "doc");
    line(tokens.begin(i), tokens.end(i), parse::kindName(tokens.type(i)));
  }
  for (; doc < tokens.docs.size(); ++doc) line(tokens.docs[doc].begin, tokens.docs[doc].end, "doc");
}

} // namespace rw
