// --print-ir-before and --print-ir-after: which passes they mean.
#pragma once

#include "rw/opt/options.h"
#include "rw/passes/pass.h"

namespace rw::opt {

/// Whether each name or glob matches some pass; else false and a reason with a suggestion.
bool checkPrintFilter(const Options &, const Registry &, std::string &error);
bool printsBefore(const Options &, std::string_view pass);
bool printsAfter(const Options &, std::string_view pass);

} // namespace rw::opt
