#include "frontend/check/visible_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

const std::vector<bool> &visibleFrom(CheckContext &c, FileId file) {
  auto [it, isNew] = c.visible.try_emplace(file.raw);
  if (!isNew)
    return it->second;
  std::vector<bool> &seen = it->second;
  seen.resize(c.module.files.size());
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < c.module.files.size(); ++i)
    if (c.module.files[i].id == file)
      seen[i] = true, open.push_back(i);
  while (!open.empty()) {
    uint32_t next = open.back();
    open.pop_back();
    for (uint32_t import : c.module.files[next].imports)
      if (!seen[import])
        seen[import] = true, open.push_back(import);
  }
  return seen;
}

template <class Index>
llvm::SmallVector<Index, 1> meantBy(CheckContext &c, const NameLists<Index> &table, std::string_view name,
                                    FileId from) {
  auto it = table.find(name);
  if (it == table.end())
    return {};
  llvm::SmallVector<Index, 1> seen;
  const std::vector<bool> &visible = visibleFrom(c, from);
  llvm::SmallVector<Index, 1> unhidden;
  for (Index index : it->second) {
    if (c.declOf(index).file == from)
      return {index};
    if (c.declOf(index).isPrivate)
      continue;
    unhidden.push_back(index);
    for (uint32_t i = 0; i < c.module.files.size(); ++i)
      if (visible[i] && c.module.files[i].id == c.declOf(index).file)
        seen.push_back(index);
  }
  return seen.empty() ? unhidden : seen;
}
template llvm::SmallVector<PatternIndex, 1> meantBy(CheckContext &, const NameLists<PatternIndex> &, std::string_view,
                                                    FileId);
template llvm::SmallVector<MatcherIndex, 1> meantBy(CheckContext &, const NameLists<MatcherIndex> &, std::string_view,
                                                    FileId);
template llvm::SmallVector<RewriteIndex, 1> meantBy(CheckContext &, const NameLists<RewriteIndex> &, std::string_view,
                                                    FileId);
template llvm::SmallVector<GroupIndex, 1> meantBy(CheckContext &, const NameLists<GroupIndex> &, std::string_view,
                                                  FileId);
template llvm::SmallVector<PassIndex, 1> meantBy(CheckContext &, const NameLists<PassIndex> &, std::string_view,
                                                 FileId);
template llvm::SmallVector<PipelineIndex, 1> meantBy(CheckContext &, const NameLists<PipelineIndex> &, std::string_view,
                                                     FileId);

template <class Index>
Index namedOnce(CheckContext &c, const NameLists<Index> &table, const ast::Name &name, std::string_view what,
                bool silent) {
  if (table.empty() || !table.contains(name.text))
    return {};
  FileId file = c.sources.fileOf(name.range.begin);
  if (auto ops = c.opsByName.find(name.text); ops != c.opsByName.end()) // a file's own op hides what it imports
    for (OpIndex op : ops->second)
      if (c.module.op(op).file == file)
        return {};
  llvm::SmallVector<Index, 1> found = meantBy(c, table, name.text, file);
  if (found.empty())
    return {};
  if (found.size() > 1 && !silent) {
    Report report =
        c.error("ambiguous-name", name.range, fmt::format("`{}` is a {} of several imported files", name.text, what));
    for (Index index : found)
      report.note(c.declOf(index).nameRange, "one of them");
    report.note(
        "one that this file declares hides those it imports; one that only its own file needs can be `private` there");
  }
  return found.front();
}
template MatcherIndex namedOnce(CheckContext &, const NameLists<MatcherIndex> &, const ast::Name &, std::string_view,
                                bool);
template RewriteIndex namedOnce(CheckContext &, const NameLists<RewriteIndex> &, const ast::Name &, std::string_view,
                                bool);
template GroupIndex namedOnce(CheckContext &, const NameLists<GroupIndex> &, const ast::Name &, std::string_view, bool);

} // namespace rw::sema
