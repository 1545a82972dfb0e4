// Digests: 256 bits that stand for any amount of content, the same on every machine and in every run.
//
// In:  bytes, texts and numbers, each with its length, so that different sequences have different digests.
// Out: a Digest. Equal content has equal digests, and no two different contents that anybody will meet share one
//      (BLAKE3), so caches may take it for the content.
// Elsewhere: what of a program goes in is passes/structure_digest.h.
//
//   Digester d;
//   d.add("transpose").add(uint64_t(2));
//   std::string name = d.take().hex();      // and d is empty again
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rw {

struct Digest {
  std::array<uint8_t, 32> bytes{};
  friend auto operator<=>(const Digest &, const Digest &) = default;
  /// 64 of its bits.
  uint64_t head() const {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i)
      word |= uint64_t(bytes[i]) << (8 * i);
    return word;
  }
  std::string hex(size_t digits = 64) const;
};

class Digester {
public:
  Digester();
  ~Digester();
  Digester(const Digester &) = delete;
  Digester &add(std::span<const std::byte>);
  Digester &add(std::string_view);
  Digester &add(const char *text) { return add(std::string_view(text)); }
  Digester &add(uint64_t);
  Digester &add(const Digest &);
  /// The digest of all that was added since the start or the last take().
  Digest take();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace rw

template <> struct std::hash<rw::Digest> {
  size_t operator()(const rw::Digest &d) const noexcept { return size_t(d.head()); }
};
