// rw-serve: what `rw-opt --serve` runs, with the command line of rw-opt: the page of docs/playground.md.
#include "editor/playground/serve.h"
#include "rw/builtin.h"
#include "rw/opt/opt_main.h"

int main(int argc, char **argv) {
  rw::Registry registry;
  rw::registerAll(registry);
  return rw::optMain(argc, argv, registry, rw::loadPatterns, {.show = rw::editor::servePlayground});
}
