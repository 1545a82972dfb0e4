// What natives.rw declares `extern`.
#include "natives.rw.h"

#include "rw/rewrite/rewriter.h"

namespace rwgen::natives {

bool has_one_use(rw::Context &, rw::Value value) { return value.hasOneUse(); }

bool has_same_element_type(rw::Context &, rw::Value a, rw::Value b) { return a.type().dtype == b.type().dtype; }

rw::Value build_op(rw::PatternRewriter &rw, rw::Value value) {
  return rw.createValue(my::FooOp::schema(), rw.attrs(), value);
}

} // namespace rwgen::natives
