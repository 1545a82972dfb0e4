#include "rwc.h"

int main(int argc, char **argv) { return rw::rwcMain(argc, argv); }
