// Names and signatures of all declarations, before any body is checked.
//
// In:  CheckContext::items.
// Out: the tables of the Module without bodies, and what names mean.
// Elsewhere: bodies are items.h; named matches and rewrites, sets, passes declare themselves, in headers of their own.
//
//   fillDecl(c, pass, decl, item.imported);
//   claim(c, c.passes, decl.name, item.index, "pass");
#pragma once

#include "frontend/check/check_context.h"
#include "frontend/check/seen_names.h"

#include <initializer_list>

namespace rw::sema {

/// All items in their order: first what others refer to, patterns last.
void declareAll(CheckContext &c);
/// The parameters of an op or a function: of one in a settled import, once something refers to it.
void declareParts(CheckContext &c, Op &op, const ast::OpDecl &decl);
void declareParts(CheckContext &c, Fn &fn, const ast::FnDecl &decl);
/// What all declarations have: name, place, documentation.
void fillDecl(CheckContext &c, Decl &out, const ast::Decl &decl, bool isImported, bool deferred = false);
/// Enters a name that several files may declare, or reports that the same file has it twice.
template <class Index>
bool claim(CheckContext &c, NameLists<Index> &table, const ast::Name &name, size_t index, std::string_view what);
/// Whether a name of a list is none of those before it; reports it otherwise.
bool nameIsNew(CheckContext &c, SeenNames &seen, const ast::Name &name, std::string_view what);
/// `pattern fastmath { … }`: the name is missing, and what was meant as a tag is one.
void reportWordAsName(CheckContext &c, const ast::Name &name, std::string_view what,
                      std::initializer_list<std::string_view> words);
/// Versions between two that an op is declared for, in which it is none.
void reportVersionsLeftOut(CheckContext &c);

} // namespace rw::sema
