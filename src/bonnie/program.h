#ifndef BONNIE_PROGRAM_H
#define BONNIE_PROGRAM_H

#include "util/err.h"

/* The program bonnie, as program_run() (sys/program.h) calls it. */
int bonnie(int argc, char *argv[], struct err *e);

#endif
