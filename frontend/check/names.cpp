#include "frontend/check/names.h"

#include "frontend/check/deferred.h"
#include "frontend/check/unknown_names.h"
#include "frontend/check/visible_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace rw::sema {

/// Those of the ops that are declared in files which `file` imports, or in itself.
static OpList seenFrom(CheckContext &c, FileId file, const OpList &ops) {
  const std::vector<bool> &seen = visibleFrom(c, file);
  OpList out;
  for (OpIndex op : ops)
    for (uint32_t i = 0; i < c.module.files.size(); ++i)
      if (seen[i] && c.module.files[i].id == c.module.op(op).file)
        out.push_back(op);
  return out;
}

static OpList opsNamed(CheckContext &c, const ast::QualifiedName &name, bool silent) {
  auto it = c.opsByName.find(name.name.text);
  if (name.dialect) {
    OpList ops;
    if (it != c.opsByName.end())
      for (OpIndex op : it->second)
        if (c.module.op(op).dialect == name.dialect.text)
          ops.push_back(op);
    if (ops.empty() && !silent)
      reportUndefinedOp(c, name, false);
    return ops;
  }
  if (it == c.opsByName.end()) {
    if (!silent)
      reportUndefinedOp(c, name, false);
    return {};
  }
  OpList ops = it->second;
  auto sameDialect = [&](OpIndex op) { return c.module.op(op).dialect == c.module.op(ops.front()).dialect; };
  if (!std::all_of(ops.begin(), ops.end(), sameDialect)) { // what others declare does not concern this file
    const FileId file = c.sources.fileOf(name.range.begin);
    if (OpList seen = seenFrom(c, file, ops); !seen.empty())
      ops = std::move(seen);
    OpList own; // which hide imported ones, as a file's own functions do
    for (OpIndex op : ops)
      if (c.module.op(op).file == file)
        own.push_back(op);
    if (!own.empty())
      ops = std::move(own);
  }
  if (silent || std::all_of(ops.begin(), ops.end(), sameDialect))
    return ops;
  Report report =
      c.error("ambiguous-name", name.range, fmt::format("`{}` is an op of several dialects", name.name.text));
  for (OpIndex op : ops)
    report.note(c.module.op(op).nameRange, fmt::format("write `{}` for this one", c.module.op(op).fullName()));
  return {};
}

OpList lookupOp(CheckContext &c, const ast::QualifiedName &name) {
  OpList ops = opsNamed(c, name, false);
  for (OpIndex op : ops)
    want(c, op);
  return ops;
}

bool namesOp(CheckContext &c, const ast::QualifiedName &name) { return !opsNamed(c, name, true).empty(); }

const PrivateFn *privateNamed(const CheckContext &c, std::string_view name) {
  if (c.privates.empty())
    return nullptr;
  auto it = c.privates.find(std::pair<uint32_t, std::string>(c.from.raw, name));
  return it == c.privates.end() ? nullptr : &it->second;
}

FnIndex fnNamed(const CheckContext &c, std::string_view name) {
  if (const PrivateFn *own = privateNamed(c, name))
    return own->fn;
  if (!c.imported && c.ownFns.contains(name))
    return c.ownFns.lookup(name);
  return !c.imported && c.ownNatives.contains(name) ? FnIndex() : c.fns.lookup(name);
}

NativeIndex nativeNamed(const CheckContext &c, std::string_view name) {
  if (const PrivateFn *own = privateNamed(c, name))
    return own->native;
  if (!c.imported && c.ownNatives.contains(name))
    return c.ownNatives.lookup(name);
  return !c.imported && c.ownFns.contains(name) ? NativeIndex() : c.natives.lookup(name);
}

std::optional<uint32_t> traitNamed(std::string_view name) {
  if (name == "pure")
    return trait::pure;
  if (name == "elementwise")
    return trait::elementwise;
  if (name == "commutative")
    return trait::commutative;
  if (name == "constant")
    return trait::constant;
  if (name == "moves_elements")
    return trait::movesElements;
  return std::nullopt;
}

} // namespace rw::sema
