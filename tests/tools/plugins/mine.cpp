// What mine.rw declares `extern`.
#include "mine.rw.h"

bool test::plugin::mine::is_vector(rw::Context &, rw::Value x) {
  return x.type().kind == rw::TypeKind::Tensor && x.type().dims.size() == 1;
}
