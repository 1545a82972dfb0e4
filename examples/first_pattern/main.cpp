// rw-opt with our patterns in it.
#include "first_patterns_register.h"
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  first::register_first_patterns(registry);
  return rw::optMain(argc, argv, registry);
}
