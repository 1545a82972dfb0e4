// seed-opt: rw-opt with the patterns of the seed documents' examples, generated and by hand. For golden tests.
#include "hand_patterns.h"

#include "rw/builtin.h"
#include "rw/opt/opt_main.h"
#include "seed_pattern_set_register.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  seed::gen::register_seed_pattern_set(registry);
  seed::registerHandPatterns(registry);
  return rw::optMain(argc, argv, registry);
}
