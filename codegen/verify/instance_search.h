// InstanceSearch: instances at which a pattern fires, one after another.
//
// In:  the pattern under test and what its instances are built from; a seed.
// Out: different instances that it fires at, with the program after; how often it did not fire, and why at the last.
// Elsewhere: one instance is instance_builder.h, running the pattern trial.h.
//
// The search is directed by the conditions: of the attempts that failed, those that came furthest in the plan are kept,
// and one decision of theirs is made anew. What has fired is varied likewise, so that what it depends on is varied
// alone.
//
//   InstanceSearch search(pattern, input, seed);
//   while (std::optional<Found> found = search.next(500)) use(*found);
#pragma once

#include "codegen/verify/trial.h"

#include <map>
#include <set>

namespace rw::verify {

struct Found {
  Instance instance;
  std::unique_ptr<Program> after;
  std::string broken; // PatternUnderTest::Run::broken
  std::vector<uint32_t> decisions;
  uint64_t seed = 0;
};

class InstanceSearch {
public:
  InstanceSearch(const PatternUnderTest &pattern, const BuilderInput &input, uint64_t seed)
      : pattern_(pattern), input_(input), random_(seed) {}

  /// The next one that was not found before, within so many attempts.
  std::optional<Found> next(unsigned attempts);
  /// The instance that decisions give, if the pattern fires there.
  std::optional<Found> replay(const std::vector<uint32_t> &decisions, uint64_t seed);

  unsigned attempted() const { return attempted_; }
  unsigned built() const { return built_; }
  /// Why the attempt that came furthest failed.
  const std::string &obstacle() const { return built_ ? obstacle_ : refusal_; }
  const std::set<std::vector<uint32_t>> &branches() const { return branches_; }

private:
  struct Kept {
    std::vector<uint32_t> decisions;
    uint64_t seed = 0;
    unsigned progress = 0;
    uint64_t kind = 0; // equal for programs that are alike
  };
  /// Where it does not fire now and then with sizes that are symbols as well: some conditions ask for these.
  PatternUnderTest::Run run(Instance &, Choices &) const;
  std::vector<uint32_t> mutated(const Kept &);
  void keep(Kept);
  /// Of three that fired, drawn at random, one of the kind that is rarest.
  const Kept &anyFired();

  const PatternUnderTest &pattern_;
  const BuilderInput &input_;
  Choices random_;
  std::vector<Kept> kept_; // that failed, the best ones
  std::vector<Kept> fired_;
  std::map<uint64_t, unsigned> firedOfKind_;
  std::set<std::string> seen_; // programs that it fired at
  std::set<std::vector<uint32_t>> branches_;
  unsigned attempted_ = 0, built_ = 0, furthest_ = 0;
  std::string obstacle_, refusal_;
};

} // namespace rw::verify
