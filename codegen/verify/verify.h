// `rwc --verify`: every pattern of a file proved, or refuted by an example.
//
// In:  a checked module with its plans, and a registry in which its patterns can be made: interpreted or compiled.
// Out: an Answer per pattern of the root file, in order.
// Elsewhere: what each verdict claims, and what it rests on, is docs/verification.md.
//
//   Verifier verifier(plans, registry, sources, {});
//   for (const plan::MatchPlan &plan : plans.plans)
//     print(verifier.verify(plan));
#pragma once

#include "codegen/plan/plan.h"
#include "rw/passes/pass.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rw::verify {

enum class Verdict : uint8_t {
  Proved,  // for all that `scope` says
  Checked, // no difference was found, and no proof: `why` says what it lacks
  Refuted, // `counterexample` shows a program that it changes
  Vacuous, // no program was found that it matches
  Tag,     // it is right at another level than its tags say
};
std::string_view name(Verdict); // "PROVED"
std::string wordOf(Verdict);    // "proved"
/// The verdict of such a word, as `expect` says it.
std::optional<Verdict> verdictOf(std::string_view word);

struct Answer {
  std::string pattern, file;
  unsigned line = 0;
  Verdict verdict = Verdict::Checked;
  std::string scope;      // ranks, sizes, element types that were decided
  std::string arithmetic; // "bit for bit", "over the reals"
  // of it and others of its file, which undo each other: "A and B undo each other (A, B)"; empty if none was seen
  std::string cycle;
  std::vector<std::string> questions; // in SMT-LIB: what a solver has answered for it
  std::string why;                    // what a proof lacks, what differs, what no instance meets
  unsigned instances = 0, branches = 0, attempts = 0;
  // Of these instances how many took which branches, the first being 0: of alternatives which one, of chains how long,
  // of optional operands 1 where it is left out; "1,0" where a pattern has two of these, in the order they are met.
  std::map<std::string, unsigned> perBranch;
  unsigned compared = 0;           // programs that it fired at, and that were compared on numbers at least
  unsigned decided = 0;            // of the instances: by terms, for all values
  unsigned everySize = 0;          // of these: for every size
  unsigned someSizes = 0;          // of these: for every size of the dimensions that no constant fixes
  std::string test;                // of Refuted: a `test` that fails
  std::string counterexample;      // of Refuted: the same, and values and what differs there
  std::string model;               // of Refuted: the program as .rwir text
  std::optional<Verdict> expected; // what an `expect` of its file says
  SourceRange expectedAt;          // where, in the sources that the caller gave
  bool bad() const {
    return expected ? verdict != *expected
                    : verdict == Verdict::Refuted || verdict == Verdict::Vacuous || verdict == Verdict::Tag;
  }
};

struct VerifyOptions {
  unsigned instances = 60;  // different ones that are decided
  unsigned attempts = 3000; // at most, for the first and for all others together
  unsigned rounds = 10;     // of inputs
  unsigned more = 2000;     // instances that are compared on numbers alone, when those are decided; at most as many
                            // that are next to some of them
  uint64_t seed = 1;
};

class Verifier {
public:
  Verifier(const plan::Module &, const Registry &, const SourceManager &, VerifyOptions);
  ~Verifier();
  Answer verify(const plan::MatchPlan &);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A line for people, without its end; of a counterexample, more of them.
std::string lineOf(const Answer &);
/// An object on one line.
std::string jsonOf(const Answer &);

} // namespace rw::verify
