// Shared by the files that print the tree: one line a node, two spaces a level.
//
//   pattern 4:1 MergeTransposes
//     root
//       op 5:3 transpose
#pragma once

#include "frontend/ast/ast.h"

#include <string>

namespace rw::ast {

class Dumper {
public:
  Dumper(const SourceManager &sources, std::string &out) : sources_(sources), out_(out) {}

  void decl(const Decl &);
  void expr(const Expr &);
  void match(const Match &);

private:
  /// Prints a line, and everything until the guard's end one level deeper.
  class [[nodiscard]] Level {
  public:
    explicit Level(int &depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }

  private:
    int &depth_;
  };
  Level node(std::string_view kind, SourceRange, std::string_view text = {});
  Level part(std::string_view name);
  void leaf(std::string_view kind, SourceRange range, std::string_view text = {}) {
    auto level = node(kind, range, text);
  }

  void type(const TypeExpr &);
  void arg(const CallArg &);
  void stmt(const Stmt &);
  void stage(const Stage &);
  void params(std::string_view what, const std::vector<Param> &);
  void names(std::string_view what, const std::vector<QualifiedName> &);
  void option(const Option &);
  void opDecl(const OpDecl &);
  void patternDecl(const PatternDecl &);
  void matcherDecl(const MatcherDecl &);
  void conditions(const std::vector<Condition> &);
  void opMatch(const OpMatch &);
  void exprPart(std::string_view name, const ExprPtr &e) {
    if (!e)
      return;
    auto level = part(name);
    expr(*e);
  }

  const SourceManager &sources_;
  std::string &out_;
  int depth_ = 0;
};

std::string joined(const std::vector<Name> &);
std::string quoted(std::string_view);

} // namespace rw::ast
