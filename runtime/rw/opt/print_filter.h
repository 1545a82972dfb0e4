// --print-ir-before and --print-ir-after: which passes they mean.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/pass.h"

namespace rw::opt {

/// Fails, with a suggestion, if a name or glob matches no pass.
Result<void> checkPrintFilter(const Options &, const Registry &);
bool printsBefore(const Options &, std::string_view pass);
bool printsAfter(const Options &, std::string_view pass);

} // namespace rw::opt
