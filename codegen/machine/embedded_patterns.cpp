#include "rw/load/embedded_patterns.h"

#include "codegen/machine/loaded_unit.h"
#include "codegen/machine/unit_bytes.h"

namespace rw {

EmbeddedPatterns::EmbeddedPatterns(Registry &registry, std::string_view file, std::string_view data)
    : registry_(registry) {
  std::string error;
  if (std::optional<interpret::UnitHead> unit = interpret::headOf(data, error))
    unit_ = std::make_unique<interpret::EmbeddedUnit>(std::move(*unit), data.data(), registry);
  else
    registry.addUnreadable(std::string(file), std::move(error));
}

EmbeddedPatterns::~EmbeddedPatterns() = default;

void EmbeddedPatterns::addPatterns(size_t first, size_t last) const {
  if (unit_)
    unit_->addPatterns(first, last, registry_);
}

void EmbeddedPatterns::addTests() const {
  if (unit_)
    unit_->addTests(registry_);
}

} // namespace rw
