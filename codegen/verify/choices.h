// Choices: the decisions from which an instance is made, as a list of numbers that can be replayed and changed.
//
// In:  a seed, and decisions of an earlier attempt of which some are to be kept.
// Out: numbers below a bound; the list of all that were drawn.
//
// Whoever searches keeps the decisions of an attempt that came far, changes one, and replays: all before it stays as it
// was.
//
//   Choices choices(seed, {1, 0});
//   choices.below(3);   // 1
//   choices.below(2);   // 0
//   choices.below(10);  // random, from here on
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rw::verify {

class Choices {
public:
  explicit Choices(uint64_t seed, std::vector<uint32_t> replay = {})
      : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567), replay_(std::move(replay)) {}

  uint32_t below(size_t bound) {
    const uint32_t n = uint32_t(bound ? bound : 1);
    const uint32_t drawn = drawn_.size() < replay_.size() ? replay_[drawn_.size()] % n : uint32_t(next() % n);
    drawn_.push_back(drawn);
    return drawn;
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &list) { return list[below(list.size())]; }
  int64_t pick(std::initializer_list<int64_t> list) { return list.begin()[below(list.size())]; }

  const std::vector<uint32_t> &drawn() const { return drawn_; }
  /// A number that is no decision: of contents that do not steer anything.
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

private:
  uint64_t state_;
  std::vector<uint32_t> replay_, drawn_;
};

} // namespace rw::verify
