// rwc without --verify and --test: what compiles the built-in patterns, so that they don't wait for the prover.
#include "../rwc/rwc.h"

int main(int argc, char **argv) { return rw::rwcMain(argc, argv, {}); }
