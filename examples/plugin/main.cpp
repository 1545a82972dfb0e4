// rw-opt of our own, which loads plugins as rw-opt does: CMakeLists.txt says rw_allow_plugins.
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  return rw::optMain(argc, argv, registry);
}
