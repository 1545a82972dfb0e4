// The texts that rwc-fuzz tries: those of a corpus, changed.
//
// In:  a corpus, the grammar, random numbers. Out: a text; the same numbers give the same text.
//
//   Texts texts(corpus, sentences);
//   std::string text = texts.damaged(random);       // most are wrong
//   std::string text = texts.likely(random);        // half of them are good
#pragma once

#include "corpus.h"
#include "sentences.h"

#include <string>

namespace rw::fuzz {

class Texts {
public:
  Texts(Corpus &corpus, const Sentences &sentences) : corpus_(corpus), sentences_(sentences) {}

  /// A whole file with tokens left out, doubled, exchanged, nested.
  std::string damaged(Random &);
  /// A few declarations that belong together, changed in one of many ways, hardly or not at all.
  std::string likely(Random &);

private:
  void vary(Tokens &, Random &);     // tokens become others of their kind
  void damage(Tokens &, Random &);   // anything becomes anything
  void generate(Tokens &, Random &); // what the grammar allows in the place of a token
  void mix(Tokens &, Random &);      // declarations of other texts
  static void breakBytes(std::string &, Random &);

  Corpus &corpus_;
  const Sentences &sentences_;
};

} // namespace rw::fuzz
