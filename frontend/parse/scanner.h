// Scanner: the words of grammar/RwLexer.g4, read through a table.
//
// In:  UTF-8 text and a place in it.
// Out: the token that begins there, as ANTLR's own lexer would find it: the longest match, of equally long ones the
//      rule that the grammar has first.
// Elsewhere: lists of tokens, and what is wrong with characters, are tokens.h.
//
// ANTLR walks the grammar's automaton with a lock for each character and an object for each token, on code points
// copied out of the text; that was a third of loading a file. The scanner makes a deterministic automaton of the same
// one, a state when it is first needed, and steps through the text with one look-up a byte.
//
//   Scanner::Found found = Scanner::get().next("pattern P", 0);   // Lexer::PATTERN, end 7
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace antlr4::atn {
class ATN;
class Transition;
} // namespace antlr4::atn

namespace rw::parse {

class Scanner {
public:
  enum class Channel : uint8_t { Parser, Hidden, Skipped };
  struct Found {
    size_t type;
    size_t end; // behind it
    Channel channel;
  };

  /// The one of the grammar; threads may share it.
  static const Scanner &get();
  /// `at` is the first byte of a character, and there is one.
  Found next(std::string_view text, size_t at) const;

private:
  static constexpr size_t kOther = 0x80; // stands for every character beyond ASCII: the grammar tells none apart
  static constexpr uint32_t kNoRule = UINT32_MAX;
  /// Where the grammar's automaton may be: a state, and the places that rules called from it return to.
  struct Place {
    uint32_t state, returns;
    friend auto operator<=>(const Place &, const Place &) = default;
  };
  struct State {
    std::vector<Place> places;
    uint32_t rule = kNoRule; // that is complete here
    mutable std::array<std::atomic<const State *>, kOther + 1> next = {};
  };
  /// The grammar's automaton, without the questions that its classes ask of each other.
  struct Edge {
    uint32_t target;
    uint32_t back = 0;                              // where the rule called returns to; 0: it is no call
    const antlr4::atn::Transition *reads = nullptr; // what it takes a character for; null: for none
  };
  struct Node {
    uint32_t endOf = kNoRule; // the rule that ends here
    std::vector<Edge> edges;
  };
  struct Return {
    uint32_t state, then; // then: the next one in the table of returns
    friend auto operator<=>(const Return &, const Return &) = default;
  };

  Scanner();
  const State *step(const State &, size_t symbol) const;
  const State *stateOf(std::vector<Place> open) const;
  void readGrammar(const antlr4::atn::ATN &);

  std::vector<Node> nodes_;
  std::vector<size_t> types_;     // of tokens, by rule
  std::vector<Channel> channels_; // by rule
  // Grows while texts are read.
  mutable std::mutex growing_;
  mutable std::map<std::vector<Place>, std::unique_ptr<State>> states_;
  mutable std::vector<Return> returns_{{0, 0}}; // the first: none
  mutable std::map<Return, uint32_t> returnNumbers_;
  const State *start_ = nullptr, *dead_ = nullptr; // dead: nothing matches
};

} // namespace rw::parse
