// DenseSweep: lets go of the bytes of large constants that no op has any more, so that weights which are computed anew
// (transposed, multiplied by a factor) are in memory once and not as often as they were replaced.
//
// In:  a program, while nothing else holds attributes of its context, such as a copy of the program for later use.
// Out: what tells the driver when it is time, and does it: each time as many bytes have been made as a part of what was
//      there.
// Elsewhere: the driver asks between two rewrites (GreedyRewriteConfig::sweep); a pass that can be undone goes without.
//
//   DenseSweep sweep(program, [&](std::span<const AttrId> gone) { model.dropTensors(gone); });
//   config.sweep = &sweep;
#pragma once

#include "rw/ir/program.h"

#include <functional>

namespace rw {

class DenseSweep {
public:
  /// `dropped` gets the ids of what was dropped, sorted, and must not use them any more.
  DenseSweep(Program &program, std::function<void(std::span<const AttrId>)> dropped);

  bool due() const { return ctx_.largeDenseMade() >= next_; }
  /// Linear in the ops of the program. The attributes that went must not be read again.
  void run();

private:
  void schedule();

  Program &program_;
  Context &ctx_;
  std::function<void(std::span<const AttrId>)> dropped_;
  uint64_t next_ = 0; // when so many bytes have been made
};

} // namespace rw
