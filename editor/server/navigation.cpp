// From a name to where it is declared and used; calls between functions.
#include "editor/server/view.h"

#include <algorithm>

namespace rw::editor {

Json View::definition(Position at) const {
  Json out = Json::array();
  const Occurrence *name = nameAt(at);
  if (!name)
    return out;
  if (name->kind == NameKind::Import) {
    for (const ast::DeclPtr &decl : a_->tree().decls)
      if (decl->kind == ast::DeclKind::Import && decl->name.range.begin == name->range.begin)
        for (uint32_t i = 1; i < a_->files.size(); ++i)
          if (a_->files[i].path.ends_with("/" + decl->name.text) ||
              a_->sources.name(a_->files[i].id).ends_with(decl->name.text))
            return Json::array(
                {{{"uri", uriOfPath(a_->files[i].path)},
                  {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}}}});
    return out;
  }
  for (SourceRange place : placesOf(*a_, *name))
    out.push_back(location(place));
  if (name->kind == NameKind::Dialect)
    for (const Analysis::File &file : a_->files)
      for (const ast::DeclPtr &decl : file.tree->decls)
        if (decl->kind == ast::DeclKind::Dialect && decl->name.text == a_->written(name->range))
          out.push_back(location(decl->name.range));
  return out;
}

Json View::highlights(Position at) const {
  Json out = Json::array();
  if (const Occurrence *name = nameAt(at))
    for (const Occurrence &each : names())
      if (each.key == name->key)
        out.push_back({{"range", range(each.range)}, {"kind", each.declares ? 3 : 2}});
  return out;
}

// ---- call hierarchy

static bool isCallable(NameKind kind) {
  return kind == NameKind::Fn || kind == NameKind::Native || kind == NameKind::Matcher || kind == NameKind::Rewrite;
}

static std::string callKey(const Analysis &a, const Declared &declared) {
  return a.files[declared.file].path + " " + std::string(ast::declKindName(declared.decl->kind)) + " " + declared.name;
}

Json View::callHierarchyItem(uint32_t index) const {
  const Declared &declared = a_->declared[index];
  return {{"name", declared.name},
          {"kind", declared.decl->kind == ast::DeclKind::Pattern ? 5 : 12},
          {"uri", uriOfPath(a_->files[declared.file].path)},
          {"range", range(declared.decl->range)},
          {"selectionRange", range(placeOf(declared))},
          {"data", callKey(*a_, declared)}};
}

Json View::outgoingCalls(const Json &item) const {
  Json out = Json::array();
  const std::string key = item.value("data", std::string());
  for (uint32_t i = 0; i < a_->declared.size(); ++i) {
    const Declared &caller = a_->declared[i];
    if (caller.file != 0 || callKey(*a_, caller) != key)
      continue;
    std::map<uint32_t, Json> calls;
    for (const Occurrence &name : names())
      if (isCallable(name.kind) && !name.declares && !name.declared.empty() &&
          caller.decl->range.begin <= name.range.begin && name.range.begin < caller.decl->range.end)
        calls[name.declared.front()].push_back(range(name.range));
    for (auto &[callee, ranges] : calls)
      out.push_back({{"to", callHierarchyItem(callee)}, {"fromRanges", std::move(ranges)}});
  }
  return out;
}

void View::incomingCalls(const std::string &key, Json &out) const {
  std::map<uint32_t, Json> calls;
  for (const Occurrence &name : names()) {
    if (name.key != key || name.declares)
      continue;
    for (uint32_t i = 0; i < a_->declared.size(); ++i)
      if (a_->declared[i].file == 0 && a_->declared[i].decl->range.begin <= name.range.begin &&
          name.range.begin < a_->declared[i].decl->range.end)
        calls[i].push_back(range(name.range));
  }
  for (auto &[caller, ranges] : calls)
    out.push_back({{"from", callHierarchyItem(caller)}, {"fromRanges", std::move(ranges)}});
}

} // namespace rw::editor
