#include "rw/load/embedded_patterns.h"

#include "codegen/machine/loaded_unit.h"
#include "codegen/machine/unit_bytes.h"

#include <mutex>

namespace rw {

EmbeddedPatterns::EmbeddedPatterns(Registry &registry, std::string_view file, std::string_view data)
    : registry_(registry) {
  if (Result<interpret::UnitHead> unit = interpret::headOf(data))
    unit_ = std::make_unique<interpret::EmbeddedUnit>(*std::move(unit), data.data(), registry);
  else
    registry.addUnreadable(std::string(file), unit.error());
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

/// What an embedded file says of its ops, read once in a program.
struct EmbeddedClauses::Code {
  interpret::EmbeddedOps ops;
};

const EmbeddedClauses::Code *EmbeddedClauses::code() const {
  if (const Code *known = code_.load(std::memory_order_acquire))
    return known;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (const Code *known = code_.load(std::memory_order_acquire))
    return known;
  Result<interpret::Unit> unit = interpret::fromBytes(data_); // why it fails is reported (Registry::addUnreadable)
  const Code *made =                                          // as long as the program: schemas are static
      new Code{interpret::EmbeddedOps(unit ? std::move(*unit) : interpret::Unit())};
  code_.store(made, std::memory_order_release);
  return made;
}

std::optional<interpret::OpClauses> EmbeddedClauses::of(const OpSchema &schema) {
  return static_cast<const EmbeddedClauses *>(schema.clauses)->code()->ops.clauses(schema.clauseIndex);
}

bool EmbeddedClauses::inferTypes(const OpInputs &in, std::span<TypeId> types) {
  std::optional<interpret::OpClauses> clauses = of(in.schema());
  return clauses && interpret::inferTypes(*clauses, in, types);
}

bool EmbeddedClauses::check(const OpInputs &in, CheckSink &sink) {
  std::optional<interpret::OpClauses> clauses = of(in.schema());
  return !clauses || interpret::check(*clauses, in, sink);
}

AttrId EmbeddedClauses::defaultAttr(const OpInputs &in, unsigned index) {
  std::optional<interpret::OpClauses> clauses = of(in.schema());
  return clauses ? interpret::defaultAttr(*clauses, in, index) : AttrId();
}

FoldResult EmbeddedClauses::fold(Op op) {
  std::optional<interpret::OpClauses> clauses = of(op.schema());
  return clauses ? interpret::fold(*clauses, op) : FoldResult();
}

bool EmbeddedClauses::expand(Op op, PatternRewriter &rw) {
  const OpSchema &schema = op.schema();
  return static_cast<const EmbeddedClauses *>(schema.clauses)->code()->ops.expand(schema.clauseIndex, op, rw);
}

} // namespace rw
