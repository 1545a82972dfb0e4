// A plugin without rw_add_patterns, whose embedded patterns are none.
#include "rw/load/embedded_patterns.h"
#include "rw/plugin/plugin.h"

static void registerMine(rw::Registry &registry) {
  const rw::Registry::Scope scope(registry, "mine", "mine.rw");
  rw::EmbeddedPatterns(registry, "mine.rw", "no patterns").addPatterns(0, 1);
}
RW_PLUGIN(registerMine)
