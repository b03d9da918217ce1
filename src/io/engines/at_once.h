#ifndef IO_ENGINES_AT_ONCE_H
#define IO_ENGINES_AT_ONCE_H

#include "io/engine.h"

/*
 * What engines share that work everywhere, complete each transfer in submit() and keep nothing that
 * is to be released: operations of struct engine_ops.
 */
int at_once_available(struct err *e);
int at_once_wait(void *state, unsigned least, uint64_t until_ns, struct io *done[], unsigned most);
void at_once_close(void *state);

#endif
