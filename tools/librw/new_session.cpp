// The part of librw.so that knows the built-in patterns, as main() of rw-opt does.
#include "rw/builtin.h"
#include "rw/c/handles.h"

extern "C" rw_session *rw_session_new(void) {
  try {
    auto session = std::make_unique<rw_session>();
    rw::registerAll(session->registry);
    session->builtinTests = session->registry.tests().size();
    return session.release();
  } catch (...) { // no memory
    return nullptr;
  }
}
