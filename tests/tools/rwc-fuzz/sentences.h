// Random sentences of the .rw language, straight from its grammar: whatever is added to that is generated, too.
//
// In:  the folder with RwLexer.g4 and RwParser.g4; names, numbers and strings to write.
// Out: tokens. They are right by the grammar, hardly ever by what they mean.
//
//   Sentences sentences("grammar");
//   sentences.write("expression", words, random, tokens);
#pragma once

#include "corpus.h"

#include <map>
#include <string>
#include <vector>

namespace rw::fuzz {

/// What stands for names and literals.
struct Words {
  std::vector<std::string> names, ints, floats, strings;
};

class Sentences {
public:
  /// Throws std::runtime_error if the files are not there or not understood.
  explicit Sentences(const std::string &folder);

  bool has(const std::string &rule) const { return rules_.contains(rule); }
  /// Appends a sentence of the rule, its tokens with spaces between them.
  void write(const std::string &rule, const Words &, Random &, Tokens &out) const;

private:
  struct Node {
    enum class Kind { Sequence, Choice, Optional, Star, Plus, Rule, Token } kind = Kind::Sequence;
    std::vector<Node> parts;
    std::string name; // of a rule or token
    unsigned depth =
        kEndless; // the least number of rules in each other; of a rule what was known when it was last looked at
  };
  static constexpr unsigned kEndless = 1000;
  class Reader;

  unsigned depthOf(Node &);
  void node(const Node &, int depth, const Words &, Random &, Tokens &) const;
  void token(const std::string &name, const Words &, Random &, Tokens &) const;

  std::map<std::string, Node> rules_;
  std::map<std::string, std::string> literals_; // of tokens that are always written alike
};

} // namespace rw::fuzz
