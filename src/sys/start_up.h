#ifndef SYS_START_UP_H
#define SYS_START_UP_H

#include "util/err.h"

/*
 * The first step of every program. Opens standard descriptors that are closed, so that no file gets
 * their numbers, and checks that the limit on the stack size (RLIMIT_STACK, `ulimit -s`) leaves
 * this process and its threads what they need: an overflow would end them with SIGSEGV. Returns 0,
 * or -EINVAL and a line that says how much is needed.
 */
int start_up(struct err *e);

#endif
