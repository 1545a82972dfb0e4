// rw-opt with our patterns in it.
#include "first_patterns_register.h"
#include "rw/opt/opt_main.h"
#include "rw_builtin_register.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerCorePasses(registry);
  rw::builtin::register_rw_builtin(registry);
  first::register_first_patterns(registry);
  return rw::optMain(argc, argv, registry);
}
