// Attributes as JSON and back, for programs in other languages. Private to this folder.
//
// In:  an attribute; or JSON and the type that the attribute is declared with.
// Out: numbers, texts, true, false and lists of them; what has no such form is {"text": "..."}, as .rwir text writes
//      it.
#pragma once

#include "rw/c/handles.h"
#include "rw/ir/context.h"
#include "rw/ir/schema.h"

namespace rw::c {

Json attrAsJson(Context &, AttrId);
/// WrongRequest if it does not fit; `name` is what that calls the attribute. Null gives none.
AttrId attrFromJson(Context &, const Json &, AttrType, std::string_view name);

} // namespace rw::c
