// The syntax tree of one .rw file, and its printed form.
//
// In:  frontend/parse/parse.h makes it from text.
// Out: plain structs with a SourceRange each; frontend/check reads them and leaves nothing unresolved. Every node is of
//      one of five families, each with a kind enum: Expr and TypeExpr (expr.h), Match (match.h), Decl and Stmt
//      (decl.h).
// Elsewhere: how a node is asked for its kind is node.h.
//
//   for (const DeclPtr &decl : module.decls)
//     if (const PatternDecl *pattern = decl->as<PatternDecl>()) check(*pattern);
#pragma once

#include "frontend/ast/decl.h"

namespace rw::ast {

struct Module {
  FileId file;
  std::vector<DeclPtr> decls; // in file order

  /// Declarations left out because of a syntax error in them, as far as their names could be read. Sema must not
  /// report such a name as unknown.
  struct Damaged {
    std::optional<DeclKind> kind; // none: could be any
    Name name;                    // empty: could be any; ending with '*': any that begins so
  };
  std::vector<Damaged> damaged;
  /// `///` comments above nothing that is documented, one range for adjacent lines.
  std::vector<SourceRange> strayDocs;
  /// Elements of lists and arguments such as `a -b`, which may have been meant as two.
  std::vector<SourceRange> lostCommas;
};

/// The tree as indented text with line:column of every node (`rwc --dump=ast`).
void dump(const Module &, const SourceManager &, std::string &out);

} // namespace rw::ast
