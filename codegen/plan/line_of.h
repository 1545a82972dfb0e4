// The line of a position, without its column.
//
// In:  sources and a range. Out: the line where it begins, or 0 of none; in the same time however long the line is
//      (SourceManager::lineColumn counts the characters before it, which thousands of steps from one line would each do).
//
//   s.line = lineOf(sources, match.range);
#pragma once

#include "rw/support/source.h"

namespace rw::plan {

inline unsigned lineOf(const SourceManager &sources, SourceRange r) {
  if (!r)
    return 0;
  const char *at = sources.text(sources.fileOf(r.begin)).data() + sources.offsetOf(r.begin);
  auto before = uint32_t(at - sources.lineText(r.begin).data());
  return sources.lineColumn(Loc{r.begin.raw - before}).line;
}

} // namespace rw::plan
