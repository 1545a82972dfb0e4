// A text checked for a test: the module and what was reported.
#pragma once

#include "frontend/check/check.h"
#include "frontend/parse/parse.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

/// Lists of strings, shown when a check fails.
template <> struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string> &list) {
    std::string out;
    for (const std::string &s : list)
      out += "\n    " + s;
    return out.c_str();
  }
};

namespace rw {

/// A few ops to write patterns about.
inline const std::string kOps = R"(dialect t;
op relu(x: tensor) -> tensor { traits pure, elementwise; type x.type; }
op exp(x: tensor) -> tensor { traits pure, elementwise; type x.type; }
op add(l: tensor, r: tensor) -> tensor { traits pure, elementwise, commutative; type (l.dtype, broadcast(l.shape, r.shape)); }
op transpose(x: tensor) -> tensor { attr perm: [int]; traits pure; type (x.dtype, [x.shape[p] for p in perm]); }
op softmax(x: tensor) -> tensor { attr axis: int = -1; traits pure; type x.type; }
op concat(xs: tensor...) -> tensor { attr axis: int = 0; traits pure; type xs[0].type; }
op conv(x: tensor, w: tensor, bias: tensor?) -> tensor { attr pads: [int]?; traits pure; type x.type; }
op svd(a: tensor) -> (u: tensor, s: tensor, vt: tensor) { traits pure; type a.type, a.type, a.type; }
op check(c: tensor) -> () { traits effect(error); }
op max(l: tensor, r: tensor) -> tensor { traits pure, elementwise, commutative; type l.type; }
)";

struct Checked {
  SourceManager sources;
  Diagnostics diags{sources};
  std::unique_ptr<ast::Module> tree;
  std::unique_ptr<sema::Module> module;

  explicit Checked(std::string text, std::string name = "t.rw", std::vector<std::string> dirs = {}) {
    tree = parseModule(sources.addText(std::move(name), std::move(text)), sources, diags);
    sema::CheckOptions options;
    options.importDirs = std::move(dirs);
    options.parse = [this](FileId file) { return parseModule(file, sources, diags); };
    module = sema::check(*tree, options, sources, diags);
  }

  std::string dump() const {
    std::string out;
    sema::dump(*module, sources, out);
    return out;
  }
  /// "tag: message" of everything reported.
  std::vector<std::string> reports() const {
    std::vector<std::string> out;
    for (const Diagnostic &d : diags.all())
      out.push_back(d.tag + ": " + d.message);
    return out;
  }
  const sema::Pattern &pattern(std::string_view name) const {
    for (const sema::Pattern &p : module->patterns)
      if (p.name == name)
        return p;
    FAIL("no pattern " << std::string(name));
    return module->patterns.front();
  }
  const sema::Fn &fn(std::string_view name) const {
    for (const sema::Fn &f : module->fns)
      if (f.name == name)
        return f;
    FAIL("no function " << std::string(name));
    return module->fns.front();
  }
};

} // namespace rw
