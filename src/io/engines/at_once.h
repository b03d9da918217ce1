#ifndef IO_ENGINES_AT_ONCE_H
#define IO_ENGINES_AT_ONCE_H

#include "io/engine.h"

/* What engines share that work everywhere and keep nothing that is to be released: operations of
 * struct engine_ops. */
int at_once_available(struct err *e);
void at_once_close(void *state);

/* The same for engines that complete each transfer in submit(): their state is what they were
 * given. */
struct at_once {
    struct engine_setup setup;
};
size_t at_once_state_bytes(unsigned depth);
int at_once_open(void *state, const struct engine_setup *setup, struct err *e);
int at_once_wait(void *state, unsigned least, uint64_t until_ns, struct io *done[], unsigned most);

#endif
