// rw-opt: the built-in dialects and passes behind the command line of rw/opt/opt_main.h.

#include "rw/opt/opt_main.h"
#include "rw_builtin_register.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerCorePasses(registry);
  rw::builtin::register_rw_builtin(registry);
  return rw::optMain(argc, argv, registry);
}
