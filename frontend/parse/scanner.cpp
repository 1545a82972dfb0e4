#include "frontend/parse/scanner.h"

#include "rw/support/utf8.h"

#include "RwLexer.h"
#include "antlr4-runtime.h"

#include <algorithm>

namespace rw::parse {

namespace atn = antlr4::atn;

/// What the generated lexer was made of.
static const atn::ATN &lexerGrammar() {
  antlr4::ANTLRInputStream nothing;
  return antlr::RwLexer(&nothing).getATN(); // static in the generated code
}

const Scanner &Scanner::get() {
  static const Scanner scanner;
  return scanner;
}

Scanner::Scanner() {
  const atn::ATN &grammar = lexerGrammar();
  readGrammar(grammar);
  dead_ = stateOf({});
  start_ = stateOf({{uint32_t(grammar.modeToStartState[0]->stateNumber), 0}});
}

void Scanner::readGrammar(const atn::ATN &grammar) {
  types_ = grammar.ruleToTokenType;
  channels_.resize(types_.size(), Channel::Parser);
  nodes_.resize(grammar.states.size());
  for (const atn::ATNState *state : grammar.states) {
    Node &node = nodes_[state->stateNumber];
    if (dynamic_cast<const atn::RuleStopState *>(state)) {
      node.endOf = uint32_t(state->ruleIndex);
      continue; // its transitions say where callers go on, of whoever called
    }
    for (const auto &transition : state->transitions) {
      Edge &edge = node.edges.emplace_back(Edge{uint32_t(transition->target->stateNumber)});
      if (!transition->isEpsilon()) {
        edge.reads = &*transition;
      } else if (const auto *call = dynamic_cast<const atn::RuleTransition *>(&*transition)) {
        edge.back = uint32_t(call->followState->stateNumber);
        // `-> skip`, `-> channel(HIDDEN)`
      } else if (const auto *action = dynamic_cast<const atn::ActionTransition *>(&*transition)) {
        bool skips = dynamic_cast<const atn::LexerSkipAction *>(&*grammar.lexerActions[action->actionIndex]);
        channels_[action->ruleIndex] = skips ? Channel::Skipped : Channel::Hidden;
      }
    }
  }
}

Scanner::Found Scanner::next(std::string_view text, size_t at) const {
  const State *state = start_;
  uint32_t rule = kNoRule;
  size_t end = at + 1; // the grammar has a rule for any character
  while (at < text.size()) {
    size_t symbol = static_cast<unsigned char>(text[at]), length = 1;
    if (symbol >= kOther) {
      symbol = kOther;
      length = utf8::decode(text, at).length;
    }
    const State *next = state->next[symbol].load(std::memory_order_acquire);
    if (!next) [[unlikely]]
      next = step(*state, symbol);
    if (next == dead_)
      break;
    state = next;
    at += length;
    if (state->rule != kNoRule) {
      rule = state->rule;
      end = at;
    }
  }
  return rule == kNoRule ? Found{antlr::RwLexer::BAD_CHARACTER, end, Channel::Parser}
                         : Found{types_[rule], end, channels_[rule]};
}

const Scanner::State *Scanner::step(const State &from, size_t symbol) const {
  std::lock_guard lock(growing_);
  std::vector<Place> reached;
  for (const Place &place : from.places)
    for (const Edge &edge : nodes_[place.state].edges)
      if (edge.reads && edge.reads->matches(symbol, antlr4::Lexer::MIN_CHAR_VALUE, antlr4::Lexer::MAX_CHAR_VALUE))
        reached.push_back({edge.target, place.returns});
  const State *next = stateOf(std::move(reached));
  from.next[symbol].store(next, std::memory_order_release);
  return next;
}

/// The state for these places and all that can be reached from them without a character.
const Scanner::State *Scanner::stateOf(std::vector<Place> open) const {
  std::ranges::sort(open);
  open.erase(std::unique(open.begin(), open.end()), open.end());
  std::vector<Place> reading; // those that a character leads on from
  uint32_t rule = kNoRule;
  auto reach = [&](Place place) { // there are a few dozen
    if (std::ranges::find(open, place) == open.end())
      open.push_back(place);
  };
  for (size_t i = 0; i < open.size(); ++i) {
    const Place place = open[i];
    const Node &node = nodes_[place.state];
    if (node.endOf != kNoRule) {
      if (place.returns)
        reach({returns_[place.returns].state, returns_[place.returns].then});
      else
        rule = std::min(rule, node.endOf);
      continue;
    }
    bool reads = false;
    for (const Edge &edge : node.edges) {
      if (edge.reads) {
        reads = true;
      } else if (edge.back) {
        auto [it, isNew] = returnNumbers_.try_emplace(Return{edge.back, place.returns}, uint32_t(returns_.size()));
        if (isNew)
          returns_.push_back(it->first);
        reach({edge.target, it->second});
      } else {
        reach({edge.target, place.returns});
      }
    }
    if (reads)
      reading.push_back(place);
  }
  std::sort(reading.begin(), reading.end());
  // A rule that is complete belongs to what tells states apart: no state of the grammar has its number.
  std::vector<Place> key = reading;
  key.push_back({kNoRule, rule});
  std::unique_ptr<State> &state = states_[std::move(key)];
  if (!state) {
    state = std::make_unique<State>();
    state->places = std::move(reading);
    state->rule = rule;
  }
  return state.get();
}

} // namespace rw::parse
