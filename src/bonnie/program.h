#ifndef BONNIE_PROGRAM_H
#define BONNIE_PROGRAM_H

#include "util/err.h"

/* The program bonnie: what program_run() (sys/program.h) is to do for it. */
int bonnie(int argc, char *argv[], struct err *e);

#endif
