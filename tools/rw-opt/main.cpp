// rw-opt: the built-in dialects and passes behind the command line of rw/opt/opt_main.h.
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
#ifdef RW_PLAYGROUND
  return rw::optMain(argc, argv, registry, rw::loadPatterns, {.program = "rw-serve"});
#else
  return rw::optMain(argc, argv, registry, rw::loadPatterns);
#endif
}
