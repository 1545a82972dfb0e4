#include "rw/support/digest.h"

#include <llvm/Support/BLAKE3.h>

namespace rw {

struct Digester::Impl {
  llvm::BLAKE3 hasher;
};

Digester::Digester() : impl_(std::make_unique<Impl>()) {}
Digester::~Digester() = default;

Digester &Digester::add(uint64_t number) {
  uint8_t bytes[8];
  for (size_t i = 0; i < 8; ++i)
    bytes[i] = uint8_t(number >> (8 * i));
  impl_->hasher.update(llvm::ArrayRef<uint8_t>(bytes, 8));
  return *this;
}

Digester &Digester::add(std::span<const std::byte> bytes) {
  add(uint64_t(bytes.size()));
  impl_->hasher.update(llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return *this;
}

Digester &Digester::add(std::string_view text) { return add(std::as_bytes(std::span(text.data(), text.size()))); }

Digester &Digester::add(const Digest &digest) {
  impl_->hasher.update(llvm::ArrayRef<uint8_t>(digest.bytes.data(), digest.bytes.size()));
  return *this;
}

Digest Digester::take() {
  Digest digest;
  auto result = impl_->hasher.final<32>();
  std::memcpy(digest.bytes.data(), result.data(), digest.bytes.size());
  impl_->hasher.init();
  return digest;
}

std::string Digest::hex(size_t digits) const {
  std::string text;
  for (size_t i = 0; i < digits && i < 64; ++i)
    text += "0123456789abcdef"[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
  return text;
}

} // namespace rw
