#ifndef SYS_START_UP_H
#define SYS_START_UP_H

#include "util/err.h"

/*
 * What every program does first. A standard descriptor that is closed is occupied, so that no file
 * gets its number. The limit on the size of stacks (RLIMIT_STACK, `ulimit -s`) has to leave this
 * process and its threads what they need: an overflow would end them with SIGSEGV. Returns 0, or
 * -EINVAL and a line that says how much is needed.
 */
int start_up(struct err *e);

#endif
