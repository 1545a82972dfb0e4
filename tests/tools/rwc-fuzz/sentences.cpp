#include "sentences.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace rw::fuzz {

namespace {

std::string grammarText(const std::string &path) {
  std::ifstream in(path);
  if (!in)
    throw std::runtime_error(path + " cannot be read");
  std::string text, line;
  while (std::getline(in, line))
    text += line.substr(0, line.find("//")) + "\n";
  return text;
}

} // namespace

/// Reads the rules of RwParser.g4: labels are passed over.
class Sentences::Reader {
public:
  Reader(const std::string &text, size_t at) {
    for (size_t i = at; i < text.size();) {
      unsigned char c = static_cast<unsigned char>(text[i]);
      size_t end = i + 1;
      if (std::isalnum(c) || c == '_')
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
          ++end;
      else if (text.compare(i, 2, "+=") == 0)
        end = i + 2;
      if (!std::isspace(c))
        tokens_.push_back(text.substr(i, end - i));
      i = end;
    }
  }

  std::map<std::string, Node> rules() {
    std::map<std::string, Node> out;
    while (at_ < tokens_.size()) {
      std::string name = next();
      want(":");
      out[name] = choice();
      want(";");
    }
    return out;
  }

private:
  const std::string &peek(size_t ahead = 0) const {
    static const std::string none;
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : none;
  }
  std::string next() { return at_ < tokens_.size() ? tokens_[at_++] : std::string(); }
  void want(const std::string &sign) {
    if (std::string found = next(); found != sign)
      throw std::runtime_error("RwParser.g4: `" + sign + "` is wanted, not `" + found + "`");
  }

  Node choice() {
    Node out{.kind = Node::Kind::Choice};
    do
      out.parts.push_back(sequence());
    while (peek() == "|" && !next().empty());
    return out;
  }

  Node sequence() {
    Node out{.kind = Node::Kind::Sequence};
    while (!peek().empty() && peek() != "|" && peek() != ")" && peek() != ";") {
      if (peek(1) == "=" || peek(1) == "+=")
        next(), next();
      Node part;
      if (peek() == "(") {
        next();
        part = choice();
        want(")");
      } else {
        part.name = next();
        part.kind = std::isupper(static_cast<unsigned char>(part.name[0])) ? Node::Kind::Token : Node::Kind::Rule;
      }
      if (const std::string &how = peek(); how == "?" || how == "*" || how == "+") {
        Node repeated{.kind = how == "?" ? Node::Kind::Optional : how == "*" ? Node::Kind::Star : Node::Kind::Plus};
        repeated.parts.push_back(std::move(part));
        part = std::move(repeated);
        next();
      }
      out.parts.push_back(std::move(part));
    }
    return out;
  }

  std::vector<std::string> tokens_;
  size_t at_ = 0;
};

Sentences::Sentences(const std::string &folder) {
  std::istringstream lexer(grammarText(folder + "/RwLexer.g4"));
  for (std::string line; std::getline(lexer, line);)
    if (size_t colon = line.find(": '");
        colon != std::string::npos && line.ends_with("';") && line.find('\'', colon + 3) == line.size() - 2)
      literals_[line.substr(0, colon)] = line.substr(colon + 3, line.size() - colon - 5);
  literals_["CASE_BAR"] = "|";
  literals_["EOF"] = "";
  std::string parser = grammarText(folder + "/RwParser.g4");
  size_t first = parser.find("\nmodule ");
  if (first == std::string::npos)
    throw std::runtime_error("RwParser.g4 has no rule `module`");
  rules_ = Reader(parser, first).rules();
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, rule] : rules_) {
      unsigned before = rule.depth;
      changed |= depthOf(rule) != before;
    }
  }
  for (auto &[name, rule] : rules_)
    if (rule.depth >= kEndless)
      throw std::runtime_error("RwParser.g4: the rule `" + name + "` has no end");
}

unsigned Sentences::depthOf(Node &node) {
  using Kind = Node::Kind;
  std::vector<unsigned> parts;
  for (Node &part : node.parts)
    parts.push_back(depthOf(part));
  switch (node.kind) {
  case Kind::Sequence:
    node.depth = parts.empty() ? 0 : std::ranges::max(parts);
    break;
  case Kind::Choice:
    node.depth = std::ranges::min(parts);
    break;
  case Kind::Optional:
  case Kind::Star:
    node.depth = 0;
    break;
  case Kind::Plus:
    node.depth = parts[0];
    break;
  case Kind::Token:
    node.depth = 0;
    break;
  case Kind::Rule:
    if (!rules_.contains(node.name))
      throw std::runtime_error("RwParser.g4: there is no rule `" + node.name + "`");
    node.depth = std::min(kEndless, rules_[node.name].depth + 1);
  }
  return node.depth;
}

void Sentences::token(const std::string &name, const Words &words, Random &random, Tokens &out) const {
  auto some = [&](const std::vector<std::string> &from, const char *otherwise) {
    return from.empty() ? std::string(otherwise) : pick(random, from);
  };
  if (auto literal = literals_.find(name); literal != literals_.end())
    out.push_back(literal->second);
  else if (name == "INT")
    out.push_back(some(words.ints, "1"));
  else if (name == "FLOAT")
    out.push_back(some(words.floats, "0.5"));
  else if (name == "STRING")
    out.push_back(some(words.strings, "\"a\""));
  else if (name == "NATIVE")
    out.push_back("[{ return true; }]");
  else if (name == "SPLICED_NAME")
    out.push_back(some(words.names, "p") + "_{" + some(words.names, "f") + "}");
  else // IDENT
    out.push_back(some(words.names, "x"));
  out.push_back(" ");
}

void Sentences::node(const Node &at, int depth, const Words &words, Random &random, Tokens &out) const {
  using Kind = Node::Kind;
  const bool shallow = depth <= 0 || out.size() > 2000;
  switch (at.kind) {
  case Kind::Sequence:
    for (const Node &part : at.parts)
      node(part, depth, words, random, out);
    break;
  case Kind::Choice: {
    std::vector<const Node *> fits;
    for (const Node &part : at.parts)
      if (!shallow || part.depth == at.depth)
        fits.push_back(&part);
    node(*pick(random, fits), depth, words, random, out);
    break;
  }
  case Kind::Optional:
    if (!shallow && below(random, 3) == 0)
      node(at.parts[0], depth, words, random, out);
    break;
  case Kind::Plus:
    node(at.parts[0], depth, words, random, out);
    [[fallthrough]];
  case Kind::Star:
    while (!shallow && out.size() < 2000 && below(random, 4) == 0)
      node(at.parts[0], depth, words, random, out);
    break;
  case Kind::Rule:
    node(rules_.at(at.name), depth - 1, words, random, out);
    break;
  case Kind::Token:
    token(at.name, words, random, out);
    break;
  }
}

void Sentences::write(const std::string &rule, const Words &words, Random &random, Tokens &out) const {
  node(rules_.at(rule), int(4 + below(random, 12)), words, random, out);
}

} // namespace rw::fuzz
