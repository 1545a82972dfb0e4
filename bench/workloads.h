// The benchmark's graphs, the same op for op as those of its MLIR side.
//
// In:  a workload's name, a number of ops, a program whose registry has the ops of bench_ops.rw.
// Out: the function `main` of the program; how many ops it has (the return is not counted).
//
//   W1       n/4 groups x = add(transpose⁻¹(relu(transpose(x))), x)
//   W2, W2c  a chain with a window of 16 earlier values, half the ops matching; W2c: a constant of its own for each use
//   W3       a random chain of 11 kinds in which nothing matches
//   W4       n transposes, each the same 4-cycle: they compose to nothing; W4inv: alternately p and p⁻¹
//   W5       a no-op cast with n/3 users, each a transpose pair into a sink
//   W5q      n/2 no-op casts in a row, n/2 sinks on the last
//   W6       n/2 pairs of equal ops, each pair uses both of the one before
//   W7       n dead ops on one argument; W7chain: one dead chain
//   DCE      the graph of W7, for the DCE pass; print, parse: the graph of W2, for its text form
#pragma once

#include "rw/ir/builder.h"
#include "rw/ir/program.h"

#include <string_view>

namespace rw::bench {

inline constexpr std::string_view kWorkloads[] = {"W1",  "W2", "W2c", "W3",      "W4",  "W4inv", "W5",
                                                  "W5q", "W6", "W7",  "W7chain", "DCE", "print", "parse"};

size_t buildWorkload(std::string_view name, size_t ops, Program &);
/// How many ops must be left afterwards, if that follows from the definition; else 0.
size_t expectedLeft(std::string_view name, size_t ops);

} // namespace rw::bench
