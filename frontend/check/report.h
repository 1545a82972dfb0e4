// What is wrong, while notes are added to it. Inside frontend/check only.
//
// In:  an error or warning as CheckContext reports it.
// Out: the same with notes and fixes, or nothing at all where it repeats what was said.
//
//   Report report = c.error("undefined-op", name.range, "no op named `rleu`");
//   report.fixIt(name.range, "relu");
#pragma once

#include "rw/support/diagnostics.h"

#include <optional>
#include <string>
#include <utility>

namespace rw::sema {

/// A diagnostic to add notes to; one that was left out as a repetition swallows them.
class Report {
public:
  Report() = default;
  explicit Report(Diagnostics::Builder builder) : builder_(builder) {}
  Report &note(SourceRange range, std::string message) {
    if (builder_)
      builder_->note(range, std::move(message));
    return *this;
  }
  Report &note(std::string message) {
    if (builder_)
      builder_->note(std::move(message));
    return *this;
  }
  Report &fixIt(SourceRange range, std::string replacement) {
    if (builder_)
      builder_->fixIt(range, std::move(replacement));
    return *this;
  }

private:
  std::optional<Diagnostics::Builder> builder_;
};

} // namespace rw::sema
