// A document as the protocol speaks of it: an Analysis with its names, and ranges as JSON.
//
// In:  an Analysis, and what the client counts columns in.
// Out: answers to requests about that document, as the Language Server Protocol states them.
// Elsewhere: server.h takes requests apart; what names mean is names.h.
//
//   View view(project.analyse(path), Encoding::Utf16);
//   Json hover = view.hover({3, 7});
#pragma once

#include "editor/proofs/proofs.h"
#include "editor/server/names.h"
#include "editor/trial/trial.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>

namespace rw::editor {

using Json = nlohmann::json;

std::string pathOfUri(std::string_view uri);
std::string uriOfPath(std::string_view path);

class View {
public:
  View(std::shared_ptr<const Analysis> analysis, Encoding encoding, std::vector<std::string> importFolders = {});

  const Analysis &analysis() const { return *a_; }
  const std::shared_ptr<const Analysis> &shared() const { return a_; }
  const std::vector<Occurrence> &names() const;
  /// Where imports are looked for, beside the document's own folder.
  const std::vector<std::string> &importFolders() const { return importFolders_; }
  size_t offset(Position at) const { return a_->text.offset(at, encoding_); }

  Json range(size_t begin, size_t end) const;
  Json range(SourceRange) const; // in whichever file
  Json location(SourceRange) const;

  Json diagnostics() const; // diagnostics.cpp
  Json codeActions(size_t begin, size_t end) const;
  Json completion(Position, bool snippets) const; // completion.cpp
  /// Documentation for an item that completion() gave.
  Json completionDetail(const Json &item) const;
  Json signatureHelp(Position) const;
  Json hover(Position) const;      // hover.cpp
  Json definition(Position) const; // navigation.cpp
  Json highlights(Position) const;
  const Occurrence *nameAt(Position) const;
  Json documentSymbols() const; // outline.cpp
  /// Added to `out`: declarations whose name has the letters of the query in order.
  void workspaceSymbols(std::string_view query, Json &out) const;
  Json folding() const;
  Json selection(Position) const;
  Json links() const;
  /// `outcome`: of the document's text as it is, or null; `model`: the name of the model that it was made with.
  /// `proofs`: what is known of the patterns, or null.
  Json lenses(const Trial::Outcome *outcome, const std::string &model, const Proofs *proofs) const; // lenses.cpp
  /// Patterns with a name, each under a key that is another one if something is that it may depend on.
  std::vector<Proofs::Pattern> provable() const;
  /// Warnings: patterns that change what a program computes. Errors: of which an `expect` says something else.
  Json refutations(const Proofs &) const;
  /// Diagnostics: tests that fail, a model that cannot be read.
  Json failures(const Trial::Outcome &) const;
  /// The path that a comment `// model: path` names; empty if there is none.
  std::string modelInComment() const;
  Json semanticTokens(size_t begin, size_t end) const; // tokens.cpp
  Json inlayHints(size_t begin, size_t end) const;
  Json callHierarchyItem(uint32_t declared) const; // navigation.cpp
  Json outgoingCalls(const Json &item) const;
  /// Calls in this document of what has the key, each with the declaration that it stands in.
  void incomingCalls(const std::string &key, Json &out) const;

  static Json semanticTokensLegend();

private:
  /// What is known of a local name: "int", "value"; empty if nothing is.
  std::string typeOfLocal(SourceRange binding) const;
  std::string documentation(const Occurrence &) const;
  std::string documentation(const Declared &) const;
  Json symbol(const ast::Decl &) const;

  std::shared_ptr<const Analysis> a_;
  Encoding encoding_;
  std::vector<std::string> importFolders_;
  mutable std::optional<std::vector<Occurrence>> names_;         // looked up when first needed
  mutable std::optional<std::map<uint32_t, std::string>> types_; // by where a name is bound
  mutable std::map<uint32_t, Text> others_;                      // texts of imports, by number of file in the sources
};

std::vector<std::string_view> semanticTokenTypes();
/// A short text about a word of the language; empty if there is none.
std::string_view keywordDoc(std::string_view word);

} // namespace rw::editor
