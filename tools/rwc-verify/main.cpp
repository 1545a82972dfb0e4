// rwc-verify: what `rwc --verify` runs, with the same command line.
#include "verify_command.h"

int main(int argc, char **argv) { return rw::rwcMain(argc, argv, rw::verifyCommand); }
