// Reader of jaxprs, the text that `jax.make_jaxpr` prints, whatever version of JAX has printed it.
//
// In:  a text in a SourceManager, and a registry with the dialects `jax` and `tensor`. Out: a program: the jaxpr is its
// function `main`, what it calls are further functions, every op has the place of its primitive's name as location; or
// one diagnostic and nothing. Elsewhere: the primitives are declared in patterns/jax; docs/jaxpr.md says what is read
// and how it is put.
//
//   SourceManager sources;  Diagnostics diags(sources);
//   Result<FileId> file = sources.addFile("model.jaxpr");
//   std::unique_ptr<Program> program = jaxpr::parseProgram(*file, sources, diags, registry.ops);   // null: see diags
//
// What a text leaves out are values of constants: `{ lambda a:f32[3]; b:f32[3]. let … }` has one. They become further
// parameters of `main`, behind its own, and a warning says which.
#pragma once

#include "rw/ir/program.h"
#include "rw/support/diagnostics.h"

#include <memory>
#include <string_view>

namespace rw::jaxpr {

struct ParseOptions {
  bool verify = true; ///< check types, and each op by what its declaration requires
};

/// Whether a file that begins so is a jaxpr: for files whose name does not say what they are.
bool looksLikeJaxpr(std::string_view beginning);

std::unique_ptr<Program> parseProgram(FileId, const SourceManager &, Diagnostics &, const OpRegistry &,
                                      const ParseOptions & = {});

} // namespace rw::jaxpr
