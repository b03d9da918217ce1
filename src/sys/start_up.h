#ifndef SYS_START_UP_H
#define SYS_START_UP_H

#include "util/err.h"

/*
 * The first step of every program. Opens standard descriptors that are closed, so that no file gets
 * their numbers. Checks that the limit on the size of the stack (RLIMIT_STACK, `ulimit -s`) leaves
 * enough for this process and its threads, because an overflow would end them with SIGSEGV. Returns
 * 0, or -EINVAL with a line in e that says how much they need.
 */
int start_up(struct err *e);

#endif
